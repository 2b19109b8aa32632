# The documents, and their statements, which the tests run as they stand there.
package Pages;
use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(page block section statements unused_blocks);

sub page { return slurp_file("$ENV{TESTDIR}/$_[0]") }

sub blocks { return $_[0] =~ /^ *```(?:sql|sh)\n(.*?)^ *```$/msg }

# The blocks below a heading of a document; the one of them that contains a text.
sub section
{
	my ($document, $heading) = @_;
	my ($section) = page($document) =~ /^#+ \Q$heading\E\n(.*?)(?=^##? |\z)/ms or die "$document has no section $heading";
	return blocks($section);
}
my %used;
sub block
{
	my ($document, $heading, $text) = @_;
	my @blocks = grep { index($_, $text) >= 0 } section($document, $heading);
	die "$document: not one block with $text below $heading" if @blocks != 1;
	$used{ $blocks[0] } = 1;
	return $blocks[0];
}

# Its statements, without the comments after them.
sub statements { return block(@_) =~ m{((?:\$\$.*?\$\$|(?!\$\$).)*?);(?: +/\*.*?\*/)?\n}sg }

# The blocks of a document that were not asked for.
sub unused_blocks
{
	my ($document) = @_;
	return grep { !$used{$_} } blocks(page($document));
}

1;
