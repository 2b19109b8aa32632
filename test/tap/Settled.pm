# Servers, sessions and queries for the tests of which identifiers are settled.
package Settled;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw($node $settled $explain $smallest start_server session run insert settled waits_for begin_waiting begin_again commit_often);
our $node;
our $settled = q{SELECT coalesce(string_agg(name, ' ' ORDER BY id), 'none') FROM event WHERE id < ulid_settled()};
our $explain = 'EXPLAIN (COSTS OFF) SELECT FROM log WHERE id < ulid_settled()';
our $smallest = '0' x 26;

# Starts the server that the functions below use.
sub start_server
{
	my ($name, $settings) = @_;
	$node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	# Numbers of transactions need more than 32 bits, as on a server that has written for long.
	system_or_bail('pg_resetwal', '-e', 1, '-D', $node->data_dir);
	$node->append_conf('postgresql.conf', "max_prepared_transactions = 2\nlog_statement = none\n$settings");
	$node->start;
	$node->safe_psql($_, q{
		CREATE EXTENSION ids;
		CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
		CREATE TABLE other (name text);
		CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
		CREATE TABLE log_now PARTITION OF log FOR VALUES FROM (ulid_first('2000-01-01')) TO (ulid_first(now() + interval '1 year'));
		CREATE TABLE log_later PARTITION OF log FOR VALUES FROM (ulid_first(now() + interval '1 year')) TO (ulid_last('infinity'))}) foreach ('template1', 'postgres');
	$node->safe_psql('postgres', 'CREATE DATABASE neighbour');
}

sub session
{
	my ($database) = @_;
	return $node->background_psql($database // 'postgres');
}
sub run
{
	my ($session, @queries) = @_;
	my @answers = map { $session->query_safe($_) } @queries;
	return $answers[-1];
}

# Statements that insert rows of these names
sub insert { return map { "INSERT INTO event (name) VALUES ('$_')" } @_ }

# What is settled
sub settled
{
	my ($database) = @_;
	return $node->safe_psql($database // 'postgres', $settled);
}

sub waits_for
{
	my ($pid, $for) = @_;
	return $node->poll_query_until('postgres', "SELECT coalesce(wait_event, '') LIKE '$for' FROM pg_stat_activity WHERE pid = $pid");
}

# Calls a function of bad_neighbour that waits. Returns a function that lets it go on to its end.
sub begin_waiting
{
	my ($session, $call) = @_;
	my $pid = run($session, 'SELECT pg_backend_pid()');
	$session->query_until(qr/calls/, "\\echo calls\nSELECT $call;\n");
	waits_for($pid, 'Extension') or die;
	return sub { $node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"); run($session, 'SELECT 1') };
}

sub begin_again { $node->safe_psql('postgres', 'DELETE FROM event') }

# Commits a statement so many times.
sub commit_often
{
	my ($sql, $times) = @_;
	my $script = $node->basedir . '/often.sql';
	unlink $script;
	append_to_file($script, "$sql;\n");
	$node->command_ok([ 'pgbench', '-n', '-c', 4, '-t', $times / 4, '-f', $script, 'postgres' ], "$times transactions: $sql");
}

1;
