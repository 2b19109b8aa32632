# Queries as a role.
package Roles;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(ask);

# The result of a query by a role, or the SQLSTATE of its error; options are PGOPTIONS.
sub ask
{
	my ($node, $role, $sql, %params) = @_;
	local $ENV{PGOPTIONS} = $params{options} // '';
	# By a file, since a psql that is refused may have ended before it is sent a query.
	my $file = $node->basedir . '/ask.sql';
	unlink $file;
	append_to_file($file, "\\set VERBOSITY sqlstate\n$sql");
	my ($code, $out, $error) = $node->psql($params{database} // 'postgres', '', extra_params => [ '-U', $role, '-f', $file ]);
	return $out if $code == 0;
	return '42501' if $error =~ /FATAL:  permission denied to set parameter/;
	return $error =~ /ERROR:  (\w{5})/ ? $1 : $error;
}

1;
