# A server with a few roles, on which each part of a test has a database of its own.
package Databases;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles ();

our @EXPORT = qw($node $database begin sql ask error_of run_all);
our ($node, $database);

# Creates a database with the extension, by default, and has the functions below use it. The first call starts the server.
sub begin
{
	($database, my $options) = @_;
	start_server() unless $node;
	$node->safe_psql('postgres', "CREATE DATABASE $database " . ($options // ''));
}
sub start_server
{
	$node = PostgreSQL::Test::Cluster->new('main');
	$node->init;
	$node->append_conf('postgresql.conf', "log_statement = none\nautovacuum_naptime = 1\nmax_parallel_maintenance_workers = 0\n");
	$node->start;
	$node->safe_psql('postgres', join ';', map { "CREATE ROLE $_ LOGIN" } qw(owner ordinary hostile someone));
	$node->safe_psql('template1', 'CREATE EXTENSION ids');
}

sub sql { return $node->safe_psql($database, @_) }
sub ask { return Roles::ask($node, @_, database => $database) }
sub error_of
{
	my ($role, $sql) = @_;
	return ($node->psql($database, $sql, extra_params => [ '-U', $role ]))[2];
}

# Runs scripts in one psql, in which an error does not end them. Returns the output and the messages of each.
sub run_all
{
	my @told = $node->psql($database, join('', map { "\\echo next\n\\warn next\n$_\n" } @_), on_error_stop => 0);
	my ($answers, $messages) = map { [ split /^next(?:\n|\z)/m, $_, -1 ] } @told[ 1, 2 ];
	return map { [ $answers->[$_] =~ s/\n\z//r, $messages->[$_] ] } 1 .. @_;
}

1;
