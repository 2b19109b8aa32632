# Queries as a role.
package Roles;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(ask);

# The result of a query by a role, or the SQLSTATE of its error; options are PGOPTIONS.
sub ask
{
	my ($node, $role, $sql, %params) = @_;
	local $ENV{PGOPTIONS} = $params{options} // '';
	my ($code, $out, $error) = $node->psql($params{database} // 'postgres', "\\set VERBOSITY sqlstate\n$sql", extra_params => [ '-U', $role ]);
	return $out if $code == 0;
	return '42501' if $error =~ /FATAL:  permission denied to set parameter/;
	return $error =~ /ERROR:  (\w{5})/ ? $1 : $error;
}

1;
