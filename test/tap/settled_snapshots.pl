# Which identifiers are settled, for as long as a snapshot lives: old and imported snapshots, cursors, every isolation level, no
# snapshot and a historic one.
use strict;
use warnings;
use IPC::Run;
use Settled;
use Test::More;

start_server('main', '');
my ($first, $second, $reader) = map { session() } 1 .. 3;

# Old snapshots: the transactions that committed since are not seen.
begin_again();
run($second, insert('a'));
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($first, 'BEGIN', insert('b'));
run($second, insert('c'));
run($first, 'COMMIT');
is(run($reader, $settled), 'a', 'an old snapshot');
cmp_ok(run($reader, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', q{SELECT id FROM event WHERE name = 'b'}), 'the bound of an old snapshot is below what it does not see');
my $before = run($reader, 'SELECT ulid_settled()');
is(run($reader, 'SAVEPOINT s', 'SELECT ulid_settled()'), $before, 'an old snapshot in a subtransaction');
run($reader, 'ROLLBACK TO s');
run($second, insert('d'));
is(run($reader, 'SELECT ulid_settled()'), $before, 'an old snapshot has one bound');
run($reader, 'COMMIT');
is(run($reader, $settled), 'a b c d', 'a new snapshot');

# An xid that was given before the snapshot, at whose time there was no identifier yet
begin_again();
run($first, 'BEGIN', 'SELECT pg_current_xact_id()');
run($second, "INSERT INTO other VALUES ('later')");
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($first, insert('a'), 'COMMIT');
run($second, insert('b'));
is(run($reader, $settled), 'none', 'a transaction that is running for the snapshot');
cmp_ok(run($reader, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', q{SELECT id FROM event WHERE name = 'a'}), 'a transaction that is running for the snapshot is above the bound');
run($reader, 'COMMIT');

# One transaction ends after the snapshot: the last one, so nothing comes after it.
begin_again();
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($second, insert('a'));
cmp_ok(run($reader, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', 'SELECT id FROM event'), 'a snapshot just before the last transaction');
run($reader, 'COMMIT');

# A transaction that stays open for as many others as the table of finished transactions has places leaves the newer one there.
begin_again();
$node->safe_psql('postgres', $_) foreach 'ALTER SYSTEM SET autovacuum = off', 'SELECT pg_reload_conf()';
my $old = run($first, 'BEGIN', 'SELECT gen_uuidv7()', 'SELECT pg_current_xact_id()');
run($second, "DO \$\$ BEGIN WHILE pg_current_xact_id()::text::bigint < $old + 8191 LOOP COMMIT; END LOOP; END \$\$");
is(run($second, 'BEGIN', insert('a'), 'SELECT pg_current_xact_id()'), $old + 8192, 'both have the same place');
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($_, 'COMMIT') foreach $second, $first;
cmp_ok(run($reader, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', 'SELECT id FROM event'), 'a snapshot from before both have ended');
run($reader, 'COMMIT');
$node->safe_psql('postgres', $_) foreach 'ALTER SYSTEM RESET autovacuum', 'SELECT pg_reload_conf()';

# Many commits
begin_again();
run($second, insert('a'));
my $early = session();
run($_, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event') foreach $reader, $early;
$before = run($early, 'SELECT ulid_settled()');
run($first, 'BEGIN', "INSERT INTO other VALUES ('long')");
commit_often('SELECT pg_current_xact_id()', 10_000);
is(run($reader, $settled), 'a', 'a snapshot older than 10,000 transactions without identifiers');
run($reader, 'COMMIT', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
commit_often(q{INSERT INTO event (name) VALUES ('many')}, 10_000);
is(run($reader, 'SELECT ulid_settled()'), $smallest, 'a snapshot older than 10,000 transactions with identifiers');
is(run($reader, $settled), 'none', 'a snapshot older than that reads nothing');
is(run($early, 'SELECT ulid_settled()'), $before, 'an old snapshot that has asked before keeps its bound');
is($node->safe_psql('postgres', 'SELECT count(*) FROM event WHERE id < ulid_settled()'), '10001', 'a new snapshot has all, while an older transaction without identifiers runs');
run($first, insert('long'));
is($node->safe_psql('postgres', 'SELECT count(*) FROM event WHERE id < ulid_settled()'), '10001', 'a new snapshot while the older transaction has an identifier');
run($first, 'COMMIT');
is($node->safe_psql('postgres', 'SELECT count(*) FROM event WHERE id < ulid_settled()'), '10002', 'a new snapshot after the older transaction');
run($_, 'COMMIT') foreach $reader, $early;
$early->quit;

# One bound for one snapshot, whatever ends meanwhile
begin_again();
run($second, insert('a'));
my $victim = session();
my $pid = run($victim, 'BEGIN', insert('v'), 'SELECT pg_backend_pid()');
run($second, insert('b'));
is(run($reader, qq{
	SELECT before = after, ended FROM (
		SELECT ulid_settled() AS before, pg_terminate_backend($pid, 180000) AS ended, ulid_settled() AS after OFFSET 0) bound}),
	't|t', 'one statement, in whose midst a transaction is rolled back');
$victim->{run}->finish;
is(run($reader, $settled), 'a b', 'the statement after it');

begin_again();
run($second, insert('a'));
my $cursor = q{CURSOR FOR SELECT name, ulid_settled() AS bound FROM event, generate_series(1, 4)};
sub bound { my ($row) = @_; return (split /[|]/, $row)[1] }
run($first, 'BEGIN', insert('b'));
run($reader, 'BEGIN', "DECLARE one $cursor");
my $one = bound(run($reader, 'FETCH one'));
run($second, insert('c'));
run($reader, "DECLARE two $cursor");
my $two = bound(run($reader, 'FETCH two'));
run($first, 'ROLLBACK');
run($second, insert('d'));
is(bound(run($reader, 'FETCH one')), $one, 'the first of two cursors');
is(bound(run($reader, 'FETCH two')), $two, 'the second');
is(run($reader, $settled), 'a c d', 'a statement between them');
is(bound(run($reader, 'FETCH one')), $one, 'the first again');
is(bound(run($reader, 'FETCH two')), $two, 'the second again');
run($reader, 'COMMIT');

# Snapshots that differ only in which of the older transactions run, and very many of them in one transaction
my $oldest = session();
run($oldest, 'BEGIN', 'SELECT pg_current_xact_id()');
run($first, 'BEGIN', insert('e'));
run($second, "INSERT INTO other VALUES ('later')", insert('f'));
run($reader, 'BEGIN', "DECLARE one $cursor");
$one = bound(run($reader, 'FETCH one'));
run($first, 'ROLLBACK');
run($reader, "DECLARE two $cursor");
$two = bound(run($reader, 'FETCH two'));
cmp_ok($two, 'gt', $one, 'a snapshot in which one transaction fewer is running');
foreach my $n (1 .. 100)
{
	run($second, "INSERT INTO other VALUES ('$n')");
	run($reader, 'SELECT ulid_settled()');
}
run($second, insert('g'));
is(bound(run($reader, 'FETCH one')), $one, 'the first of two cursors after 100 snapshots');
is(bound(run($reader, 'FETCH two')), $two, 'the second');
run($reader, 'COMMIT');
is(run($reader, $settled), 'a c d f g', 'the statement after them');
run($oldest, 'COMMIT');
$oldest->quit;

# A transaction without an xid ends between two statements of a transaction: nothing else has changed.
begin_again();
run($first, 'BEGIN', 'SELECT gen_ulid()');
run($second, insert('a'));
is(run($reader, 'BEGIN', $settled), 'none', 'an open transaction without an xid');
run($first, 'ROLLBACK');
is(run($reader, $settled), 'a', 'it has ended');
$pid = run($reader, 'SELECT pg_backend_pid()');
run($reader, 'SELECT ulid_settled()');
is($node->safe_psql('postgres', "SELECT backend_xmin IS NULL FROM pg_stat_activity WHERE pid = $pid"), 't', 'a statement that has ended holds no xmin');
run($reader, 'COMMIT');

# By an imported snapshot, a prepared statement, a procedural language, COPY
begin_again();
run($second, insert('a'));
run($first, 'BEGIN', insert('b'));
my $snapshot = run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT pg_export_snapshot()');
run($second, insert('c'));
run($first, 'COMMIT');
my $importer = session();
is(run($importer, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '$snapshot'", $settled), 'a', 'an imported snapshot');
cmp_ok(run($importer, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', q{SELECT id FROM event WHERE name = 'b'}), 'is as old as it is');
$importer->quit;
run($reader, 'COMMIT', 'SET plan_cache_mode = force_generic_plan', "PREPARE settled AS $settled",
	"CREATE FUNCTION settled() RETURNS text LANGUAGE plpgsql STABLE AS \$\$ DECLARE bound ulid := ulid_settled(); BEGIN RETURN (SELECT string_agg(name, ' ' ORDER BY id) FROM event WHERE id < bound); END \$\$");
foreach my $step ([ 'a b c', 'BEGIN', insert('d') ], [ 'a b c', 'COMMIT' ], [ 'a b c d e' ])
{
	my ($expected, @then) = @$step;
	is(run($reader, 'EXECUTE settled'), $expected, 'a prepared statement');
	is(run($reader, 'SELECT settled()'), $expected, 'a function in PL/pgSQL');
	is(run($reader, "COPY ($settled) TO STDOUT"), $expected, 'COPY');
	run($first, @then) if @then;
	run($second, insert('e')) if @then > 1;
}

# Serializable: a consumer that did not see a row and a writer that has read its position cannot both commit.
begin_again();
$node->safe_psql('postgres', "CREATE TABLE position AS SELECT '$smallest'::ulid AS id");
run($second, insert('a'));
my $serializable = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
my $new = q{SELECT coalesce(string_agg(name, ' ' ORDER BY id), 'none') FROM event WHERE id > (SELECT id FROM position) AND id < ulid_settled()};
my $advance = 'UPDATE position SET id = coalesce((SELECT max(id) FROM event WHERE id < ulid_settled()), id)';
my $consumer = $node->background_psql('postgres', on_error_stop => 0);
is(run($consumer, $serializable, 'SET LOCAL enable_seqscan = off', $new), 'a', 'a serializable consumer');
run($first, $serializable, 'SELECT id FROM position', insert('b'), 'COMMIT');
$consumer->query("$advance; COMMIT");
like($consumer->{stderr}, qr/ERROR:  could not serialize access/, 'a serializable consumer beside a serializable writer fails');
$consumer->{stderr} = '';
is(run($consumer, $serializable, $new), 'a b', 'a serializable consumer tries again');
run($consumer, $advance, 'COMMIT');
run($first, $serializable, insert('c'));
run($second, $serializable, insert('d'), 'COMMIT');
is(run($consumer, $serializable, $new), 'none', 'a serializable writer holds it back');
run($first, 'COMMIT');
is(run($consumer, $new), 'none', 'a serializable writer has committed, but the snapshot is old');
cmp_ok(run($consumer, 'SELECT ulid_settled()'), 'lt', $node->safe_psql('postgres', q{SELECT id FROM event WHERE name = 'c'}), 'the bound of a serializable consumer is below what it does not see');
is(run($consumer, 'COMMIT', $serializable, $new), 'c d', 'a new serializable transaction');
run($consumer, 'COMMIT');

# A deferrable transaction waits for the writers that are open, with the snapshot that it took before.
run($first, $serializable, insert('e'));
my $deferrable = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), map { ('-c', $_) } "$serializable READ ONLY DEFERRABLE", $new, 'SELECT ulid_settled()', 'COMMIT' ],
	'>', \my $deferred, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SafeSnapshot'}), 'a deferrable transaction waits');
run($second, insert('f'));
run($first, 'COMMIT');
$deferrable->finish;
my ($names, $bound) = split /\n/, $deferred;
is($names, 'c d', 'a deferrable transaction reads what its snapshot sees');
cmp_ok($bound, 'lt', $node->safe_psql('postgres', q{SELECT id FROM event WHERE name = 'e'}), 'the bound of a deferrable transaction is below what it does not see');
is(run($consumer, $new), 'c d e f', 'the transaction after it reads the rest');
$consumer->quit;

# A procedure that commits, and code that runs before its next transaction has a snapshot
begin_again();
$node->safe_psql('postgres', qq{
	CREATE PROCEDURE insert_and_read(INOUT before text, INOUT after text) LANGUAGE plpgsql AS \$\$
	BEGIN
		INSERT INTO event (name) VALUES ('a');
		before := ($settled);
		COMMIT;
		after := ($settled);
	END \$\$;
	CREATE DOMAIN settled_nothing AS int CHECK (ulid_settled() = '$smallest' AND uuidv7_settled() = '00000000-0000-0000-0000-000000000000');
	CREATE PROCEDURE ask(ends boolean) LANGUAGE plpgsql AS \$\$
	BEGIN
		IF ends THEN COMMIT; END IF;
		DECLARE checked settled_nothing; BEGIN NULL; END;
	END \$\$});
is($node->safe_psql('postgres', q{CALL insert_and_read('', '')}), 'none|a', 'a procedure that commits');
is(($node->psql('postgres', 'CALL ask(true)'))[2], '', 'without a snapshot nothing is settled');
like(($node->psql('postgres', 'CALL ask(false)'))[2], qr/ERROR:  .*settled_nothing/, 'with one it is');

# Logical decoding, whose snapshot is historic: by SQL, where the statement has a snapshot of its own, and by a walsender
$node->safe_psql('postgres', $_) foreach "ALTER SYSTEM SET dynamic_library_path = '$ENV{IDS_LIBDIR}:$ENV{IDS_FAULTS}:\$libdir'",
	(map { "ALTER SYSTEM SET $_ = 'output_plugin'" } split /\n/, $node->safe_psql('postgres', q{SELECT name FROM pg_settings WHERE name = 'output_plugin_libraries'})),
	'SELECT pg_reload_conf()';
$node->safe_psql('postgres', $_) foreach q{SELECT pg_create_logical_replication_slot('slot', 'output_plugin')}, insert('b');
my $decoded = "active: $smallest\nhistoric: $smallest";
is($node->safe_psql('postgres', q{SELECT data FROM pg_logical_slot_peek_changes('slot', NULL, NULL)}), $decoded, 'an output plugin called by SQL');
is($node->pg_recvlogical_upto('postgres', 'slot', $node->lsn('insert'), $PostgreSQL::Test::Utils::timeout_default), "$decoded\n", 'an output plugin in a walsender');
$node->safe_psql('postgres', q{SELECT pg_drop_replication_slot('slot')});
$_->quit foreach $first, $second, $reader;
$node->stop;

done_testing();
