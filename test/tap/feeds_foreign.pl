# A foreign table is read in the order of its ids, by the two ways of doc/reading.md, "What is not covered": where the remote server
# makes the ids, by a view there; where the local one makes them, by a bound that is asked before the remote snapshot is taken. Readers
# who leave that out miss a row.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my $view = 'CREATE VIEW new_event WITH (security_invoker) AS SELECT * FROM event WHERE id < ulid_settled()';
cmp_ok(index(slurp_file("$ENV{TESTDIR}/doc/reading.md"), $view), '>', 0, 'the view of the page');
$node->safe_psql('postgres', $_) foreach 'CREATE DATABASE there', 'CREATE EXTENSION ids', 'CREATE EXTENSION postgres_fdw';
# A query of "slow" waits between its snapshot and its first row, one of "gate" while it is planned.
$node->safe_psql('there', $_) foreach 'CREATE EXTENSION ids',
  'CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid()); CREATE TABLE gate (n int)', $view,
  'CREATE VIEW slow AS SELECT event.* FROM (SELECT pg_advisory_lock_shared(1) OFFSET 0) lock, event';
my $port = $node->port;
my $host = $node->host;
$node->safe_psql('postgres', qq{
	CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'there', extensions 'ids');
	CREATE USER MAPPING FOR CURRENT_USER SERVER there;
	CREATE FOREIGN TABLE new_event (id ulid) SERVER there OPTIONS (table_name 'new_event');
	CREATE FOREIGN TABLE slow (id ulid) SERVER there OPTIONS (table_name 'slow');
	CREATE FOREIGN TABLE gate (n int) SERVER there OPTIONS (table_name 'gate', use_remote_estimate 'true');
	CREATE FOREIGN TABLE estimated (id ulid) SERVER there OPTIONS (table_name 'event', use_remote_estimate 'true');
	CREATE FOREIGN TABLE event_there (id ulid DEFAULT gen_ulid()) SERVER there OPTIONS (table_name 'event');
	CREATE TABLE event (id ulid DEFAULT gen_ulid(), tenant int) PARTITION BY LIST (tenant);
	CREATE TABLE event_here PARTITION OF event FOR VALUES IN (1)});

my $nothing = '0' x 26;
my ($writer, $reader, $gate);
sub ids { return map { /^([0-9A-Z]{26})/ } split /\n/, join "\n", @_ }

# Reads what another transaction inserts: its row has a smaller id than a committed one, and appears while the first statement is under
# way, or between two statements. Returns how many rows a reader by this bound misses.
sub missed
{
	my ($database, $insert, $statements, $waits) = @_;
	($writer, $reader, $gate) = ($node->background_psql($database), map { $node->background_psql($_) } 'postgres', 'there');
	my ($late) = ids($writer->query_safe("BEGIN; $insert RETURNING id"));
	$node->safe_psql($database, $insert);
	$gate->query_safe($waits->[0]) if $waits;
	my ($first, $second) = map { s/'0'/'$nothing'/gr } @$statements;
	my @read;
	if ($waits)
	{
		$reader->query_until(qr/reads/, "\\echo reads\n$first;\n");
		$node->poll_query_until('there', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted') or die;
	}
	else { $reader->query_safe($first) }
	$writer->query_safe('COMMIT');
	$gate->query_safe($waits->[1]) if $waits;
	@read = ids($reader->query_safe($second // 'SELECT'));
	$_->quit foreach $writer, $reader, $gate;
	my $last = $read[-1] // $nothing;
	return scalar grep { my $id = $_; $id le $last && !grep { $_ eq $id } @read } $late;
}
sub read_by { return "SELECT id FROM $_[0] WHERE id > '0' AND id < $_[1] ORDER BY id" }

my $remote = 'INSERT INTO event DEFAULT VALUES';
my $local = 'INSERT INTO event_there DEFAULT VALUES';
my $slow = [ 'SELECT pg_advisory_lock(1)', 'SELECT pg_advisory_unlock(1)' ];
my $planned = [ 'BEGIN; LOCK TABLE gate', 'COMMIT' ];
my ($plain, $once) = ('ulid_settled()', '(SELECT ulid_settled())');
is(missed('there', $remote, [ read_by('slow', $plain) ], $slow), 1, 'ids of the remote server, the bound of the local one');
is(missed('there', $remote, [ map { read_by('new_event', "ulid_last('infinity')") } 1 .. 2 ]), 0, 'ids of the remote server, by a view there');
is(missed('postgres', $local, [ read_by('slow', $plain) ], $slow), 1, 'ids of the local server, the bound asked after the remote snapshot');
is(missed('postgres', $local, [ read_by('slow', $once) ], $slow), 0, 'asked once, before it');
is(missed('postgres', $local, [ 'BEGIN; SELECT FROM event_there', read_by('event_there', $once) . '; COMMIT' ]), 1, 'in a second statement that reads the table');
is(missed('postgres', $local, [ 'BEGIN; SELECT', read_by('event_there', $once) . '; COMMIT' ]), 0, 'in the first one that does');
is(missed('postgres', $local, [ read_by('(SELECT estimated.id FROM estimated, (SELECT count(*) FROM gate) gate) event', $once) ], $planned), 1,
	'with use_remote_estimate');

# The same with a partition
$node->safe_psql('postgres', 'DROP FOREIGN TABLE slow');
$node->safe_psql('there', 'TRUNCATE event; ALTER TABLE event ADD tenant int');
$node->safe_psql('postgres', q{CREATE FOREIGN TABLE slow PARTITION OF event FOR VALUES IN (2) SERVER there OPTIONS (table_name 'slow_2')});
$node->safe_psql('there', 'CREATE VIEW slow_2 AS SELECT event.* FROM (SELECT pg_advisory_lock_shared(1) OFFSET 0) lock, event');
$node->safe_psql('postgres', 'DROP FOREIGN TABLE event_there');
$node->safe_psql('postgres', q{CREATE FOREIGN TABLE event_there (id ulid DEFAULT gen_ulid(), tenant int DEFAULT 2) SERVER there OPTIONS (table_name 'event')});
is(missed('postgres', $local, [ read_by('event', $plain) ], $slow), 1, 'a foreign partition');
is(missed('postgres', $local, [ read_by('event', $once) ], $slow), 0, 'and the bound asked once, before');

$node->stop;
done_testing();
