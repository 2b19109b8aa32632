# Statements of the documents, which the tests run as they stand there.
package Pages;
use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(block);

# The block of SQL below a heading of a document that contains a text.
sub block
{
	my ($document, $heading, $text) = @_;
	my ($section) = slurp_file("$ENV{TESTDIR}/$document") =~ /^#+ \Q$heading\E\n(.*?)(?=^##? |\z)/ms or die "$document has no section $heading";
	my @blocks = grep { index($_, $text) >= 0 } $section =~ /^```sql\n(.*?)^```$/msg;
	die "$document: not one block with $text below $heading" if @blocks != 1;
	return $blocks[0];
}

1;
