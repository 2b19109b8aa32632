# Which identifiers are settled after two-phase commit, restarts and a promotion.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use Settled;
use Test::More;

start_server('main', '');
my ($first, $second, $reader) = map { session() } 1 .. 3;
$node->safe_psql('neighbour', $_) foreach insert('n');

# The records of prepared transactions give way to others, while an old snapshot does not see the first.
begin_again();
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
foreach my $n (1 .. 5)
{
	run($first, 'BEGIN', insert("p$n"), "PREPARE TRANSACTION 'p$n'", "COMMIT PREPARED 'p$n'");
}
cmp_ok(run($reader, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', 'SELECT min(id) FROM event'), 'five prepared transactions that an old snapshot does not see');
run($reader, 'COMMIT');
is(settled(), 'p1 p2 p3 p4 p5', 'a new snapshot sees five prepared transactions');
$_->quit foreach $first, $second, $reader;

# Prepared transactions that the server has recovered, and a server that has made no identifier yet
begin_again();
$node->safe_psql('postgres', $_) foreach insert('a');
$node->safe_psql('postgres', "BEGIN; " . (insert('b'))[0] . "; PREPARE TRANSACTION 'left'");
$node->stop('immediate');
$node->start;
like($node->safe_psql('postgres', "SELECT ${_}_settled()"), qr/^([0-]+|aZl8N0y58M8)$/, "${_}_settled(): nothing is settled while a prepared transaction is left over") foreach @settled;
is($node->safe_psql('postgres', 'SELECT pid, gid, generator, first_timestamp, since < now() FROM ids_unsettled() ORDER BY generator'), join("\n", map { "|left|$_||t" } @settled),
	'it may have any identifiers');
is(settled('neighbour'), 'n', 'it does not hold back another database');
$node->safe_psql('postgres', $_) foreach insert('c');
is(settled(), 'none', 'it still holds back new identifiers');
$node->restart;
$node->safe_psql('neighbour', 'SELECT gen_ulid(), ulid_settled()');
is(settled(), 'none', 'also if another database makes the first call');
$node->safe_psql('postgres', "COMMIT PREPARED 'left'");
is(settled(), 'a b c', 'the transaction that was left over is committed');
$node->stop;
$node->start;
is(settled(), 'a b c', 'after a restart without any identifier');

# A prepared transaction that was recovered, and has ended before the server's first call, but after the reader's snapshot. Its
# place is another database's now.
foreach my $end ('COMMIT', 'ROLLBACK')
{
	begin_again();
	$node->safe_psql('postgres', "BEGIN; " . (insert('p'))[0] . "; PREPARE TRANSACTION 'left'");
	$node->safe_psql('postgres', $_) foreach insert('q');
	$node->restart;
	($reader, my $blocker) = (session(), session('neighbour'));
	run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
	$node->safe_psql('postgres', "$end PREPARED 'left'");
	run($blocker, 'BEGIN', q{INSERT INTO other VALUES ('b')}, "PREPARE TRANSACTION 'taken'");
	is(run($reader, $settled), $end eq 'COMMIT' ? 'none' : 'q', "an old snapshot and a recovered transaction that has ended by $end");
	is(run($reader, 'COMMIT', $settled), $end eq 'COMMIT' ? 'p q' : 'q', 'a new snapshot');
	$node->safe_psql('neighbour', "ROLLBACK PREPARED 'taken'");
	$_->quit foreach $reader, $blocker;
}

# A transaction is prepared while the server's first call notes the recovered ones.
begin_again();
$node->safe_psql('postgres', $_) foreach insert('a'), "CREATE FUNCTION hold_prepared_transactions() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C";
$node->restart;
{
	($first, $second, $reader) = map { session() } 1 .. 3;
	my $pid = run($reader, 'SELECT pg_backend_pid()');
	my $finish = begin_waiting($first, 'hold_prepared_transactions()');
	$reader->query_until(qr/asks/, "\\echo asks\nSELECT ulid_settled();\n");
	ok(waits_for($pid, 'TwoPhaseState%'), 'the first call waits');
	kill 'STOP', $pid;
	$finish->();
	run($second, 'SELECT pg_current_xact_id()', 'BEGIN', q{INSERT INTO other VALUES ('b')}, "PREPARE TRANSACTION 'meanwhile'");
	kill 'CONT', $pid;
	run($reader, 'SELECT 1');
	$node->safe_psql('postgres', "COMMIT PREPARED 'meanwhile'");
	is(settled(), 'a', 'a transaction was prepared while the recovered ones were noted');
	$_->quit foreach $first, $second, $reader;
}

# The first writer after a restart, also in a database whose mark is ahead of the clock
begin_again();
$node->safe_psql('postgres', $_) foreach insert('a'), q{SELECT ids_advance_clock(now() + interval '1 hour')}, insert('b');
$node->restart;
$node->safe_psql('neighbour', $_) foreach insert('first');
$first = session();
run($first, 'BEGIN', insert('c'));
is(settled(), 'a b', 'the first writer after a restart');
is($node->safe_psql('postgres', q{SELECT count(*) FROM ids_unsettled() WHERE first_timestamp >= (SELECT max(id)::timestamptz FROM event)}), 1, 'its first identifier is known');
run($first, 'COMMIT');
$first->quit;
$node->safe_psql($_, 'SELECT ids_reset_clock()') foreach 'postgres', 'neighbour';
begin_again();
$node->safe_psql('postgres', $_) foreach map { insert($_) } 'a' .. 'c';

# The mark and the ticks are lowered before a generator's first identifier.
my $ahead = q{SELECT ids_advance_clock(now() + interval '1 hour')};
$node->safe_psql('postgres', $ahead);
$node->restart;
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
is(settled(), 'a b c', 'the mark is lowered after a restart');
$node->safe_psql('postgres', $_) foreach $ahead, 'SELECT ids_reset_clock()';
is($node->safe_psql('postgres', q{SELECT uuidv7_settled()::ulid > (SELECT max(id) FROM event)}), 't', 'a generator that is first asked after the reset');
$node->safe_psql('postgres', q{CREATE DOMAIN generated AS int CHECK (gen_ulid() IS NOT NULL AND pg_advisory_lock(1) IS NOT NULL)});

# A standby, and its promotion with a prepared transaction
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', "BEGIN; " . (insert('d'))[0] . "; PREPARE TRANSACTION 'left'");
$node->safe_psql('postgres', $_) foreach insert('e');
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
foreach my $type (@settled)
{
	like(($standby->psql('postgres', "\\set VERBOSITY verbose\nSELECT ${type}_settled()"))[2], qr/ERROR:  25006: cannot execute ${type}_settled\(\) during recovery\nHINT:  .* "On a standby"/, "${type}_settled() on a standby");
	my $table = $type eq 'ulid' ? 'event' : "(SELECT " . first_of($type) . '(id::timestamptz) AS id, name FROM event)';
	like($standby->safe_psql('postgres', "EXPLAIN SELECT * FROM $table e WHERE id < ${type}_settled()"), qr/${type}_settled/, "the planner does not call ${type}_settled() on a standby");
	is($standby->safe_psql('postgres',
		"SELECT count(*) FROM event a WHERE name = 'none' AND EXISTS (SELECT FROM $table b WHERE b.id < ${type}_settled() AND b.name > a.name)"),
		'0', "a branch that is not executed does not call ${type}_settled() on a standby");
}
like(($standby->psql('postgres', $explain))[2], qr/ERROR:  cannot execute ulid_settled\(\) during recovery/, 'EXPLAIN calls it to exclude partitions');
like($standby->safe_psql('postgres', "SET enable_partition_pruning = off; $explain"), qr/log_now/, 'EXPLAIN does not call it without exclusion of partitions');
like(($standby->psql('postgres', 'SELECT count(*) FROM ids_unsettled()'))[2], qr/ERROR:  cannot execute ids_unsettled\(\) during recovery/, 'the first call is one on a standby, which knows of no transaction');
$node->stop('immediate');
my ($long, $both, $old, $importer_of_old, $writable) = map { $standby->background_psql('postgres', on_error_stop => 0) } 1 .. 5;
run($long, 'BEGIN', 'SELECT gen_ulid()', 'SELECT pg_advisory_lock(1)');
run($both, 'BEGIN', 'SELECT gen_ulid()');
$writable->query_until(qr/waits/, <<'SQL');
\set VERBOSITY verbose
\echo waits
DO $$
BEGIN
	COMMIT;
	DECLARE one generated; BEGIN SET TRANSACTION READ WRITE; INSERT INTO event (name) VALUES ('lost'); END;
END $$;
SQL
ok($standby->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory'}), 'a transaction has an identifier, but no snapshot');
my $snapshot = run($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT pg_export_snapshot()');
$standby->promote;
is($standby->safe_psql('postgres', 'SELECT ulid_settled()'), $smallest, 'promoted, with a prepared transaction');
$standby->safe_psql('postgres', "COMMIT PREPARED 'left'");
is($standby->safe_psql('postgres', $settled), 'a b c d e', 'a transaction with an identifier of before the promotion is still open');
is(run($long, 'COMMIT', $settled), 'a b c d e', 'a session of before the promotion');
my $holds = q{SELECT count(*) FROM ids_unsettled() WHERE generator = 'scru160'};
run($both, 'SELECT gen_scru160()');
is($standby->safe_psql('postgres', $holds), 1, 'a transaction that has used one generator before the promotion, and another one after it');
is(run($both, 'COMMIT', $holds), 0, 'it holds nobody back after its end');
run($long, 'BEGIN', 'SELECT gen_ulid()');
is($standby->safe_psql('postgres', $holds =~ s/scru160/ulid/r), 1, 'the next transaction of a session that generated ids in recovery holds readers back');
run($long, 'COMMIT', 'SELECT pg_advisory_unlock(1)');
$writable->query('SELECT');
like($writable->{stderr}, qr/ERROR:  40001: cannot commit writes of a transaction that generated ids in recovery\nHINT:/, 'after the promotion that transaction cannot store anything');
$standby->safe_psql('postgres', $_) foreach insert('f');
is($standby->safe_psql('postgres', $settled), 'a b c d e f', 'new identifiers after the promotion');
# Others take the places of the transaction that was prepared before.
$standby->safe_psql('postgres', "BEGIN; INSERT INTO other VALUES ('$_'); SELECT gen_uuidv7(); PREPARE TRANSACTION '$_'") foreach 'one', 'two';
$standby->safe_psql('postgres', "COMMIT PREPARED '$_'") foreach 'one', 'two';
is(run($old, 'SELECT ulid_settled()'), $smallest, 'a snapshot that was taken during recovery');
is(run($importer_of_old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '$snapshot'", 'SELECT ulid_settled()'), $smallest, 'a snapshot that was taken during recovery, imported');
is(run($_, 'COMMIT', $settled), 'a b c d e f', 'the transaction after it') foreach $old, $importer_of_old;
$_->quit foreach $long, $both, $old, $importer_of_old, $writable;
$standby->stop;
$node->stop;

done_testing();
