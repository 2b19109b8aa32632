# Which identifiers are settled: what holds the bound back and what does not, for as long as a snapshot lives; every isolation
# level, no snapshot and a historic one; two-phase commit, restarts and promotion; who may see what holds it back; no memory.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub start_server
{
	my ($name, $settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "max_prepared_transactions = 2\nlog_statement = none\n$settings");
	$node->start;
	$node->safe_psql($_, q{
		CREATE EXTENSION ids;
		CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
		CREATE TABLE other (name text)}) foreach ('template1', 'postgres');
	$node->safe_psql('postgres', 'CREATE DATABASE neighbour');
	return $node;
}

# Sessions
my $node;
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
sub insert { return map { "INSERT INTO event (name) VALUES ('$_')" } @_ }
my $settled = q{SELECT coalesce(string_agg(name, ' ' ORDER BY id), 'none') FROM event WHERE id < ulid_settled()};
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
my $smallest = '0' x 26;
sub begin_again { $node->safe_psql('postgres', 'DELETE FROM event'); }

$node = start_server('main', "max_connections = 1000\nshared_buffers = 32MB\nsynchronous_standby_names = 'nobody'\nsynchronous_commit = local\n");

# The memory that 1,000 connections take
{
	my $session = session();
	run($session, 'SELECT ulid_settled()');
	my @sizes = map { /^(\w+)-(\w+) .*PostgreSQL\.\d+/ ? hex($2) - hex($1) : () } split /\n/, slurp_file('/proc/' . run($session, 'SELECT pg_backend_pid()') . '/maps');
	cmp_ok((sort { $a <=> $b } grep { $_ != 1024 * 1024 } @sizes)[-1], '<', 500_000, 'memory for 1,000 connections');
	$session->quit;
}

# Committed, open, rolled back
my ($first, $second, $reader) = map { session() } 1 .. 3;
is(settled(), 'none', 'nothing yet');
$node->safe_psql('postgres', $_) foreach insert('a');
is(settled(), 'a', 'an idle server');
run($first, 'BEGIN', insert('b'));
$node->safe_psql('postgres', $_) foreach insert('c');
is(settled(), 'a', 'an open transaction holds back what is above its first identifier');
run($first, 'COMMIT');
is(settled(), 'a b c', 'an open transaction has committed');
run($first, 'BEGIN', 'SAVEPOINT s', insert('d'), 'ROLLBACK TO s', 'RELEASE s', insert('e'));
run($second, insert('f'));
is(settled(), 'a b c', 'a rolled back savepoint');
run($first, 'ROLLBACK');
is(settled(), 'a b c f', 'an open transaction is rolled back');
run($first, 'BEGIN', 'SELECT gen_ulid()');
run($second, insert('g'));
is(settled(), 'a b c f', 'an identifier that is not stored yet');
run($first, 'COMMIT AND CHAIN');
is(settled(), 'a b c f g', 'COMMIT AND CHAIN');
run($first, insert('h'));
run($second, insert('i'));
is(settled(), 'a b c f g', 'the transaction after COMMIT AND CHAIN');
run($first, 'COMMIT');
is(run($reader, 'BEGIN', insert('own'), $settled), 'a b c f g h i', "the reader's own identifier holds it back");
is(run($reader, 'COMMIT', $settled), 'a b c f g h i own', 'the reader has committed');

# A commit that is in the WAL, but not visible yet: it waits for a standby that there is not, while many others commit.
begin_again();
run($first, 'BEGIN', 'SET LOCAL synchronous_commit = on', insert('a'));
$first->query_until(qr/commits/, "\\echo commits\nCOMMIT;\n");
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'}), 'a commit waits');
commit_often(q{INSERT INTO event (name) VALUES ('b')}, 8_200);
is($node->safe_psql('postgres', 'SELECT count(*) FROM event WHERE id < ulid_settled()'), '0', 'a commit that is not visible yet');
$node->safe_psql('postgres', $_) foreach q{ALTER SYSTEM SET synchronous_standby_names = ''}, 'SELECT pg_reload_conf()';
ok($node->poll_query_until('postgres', 'SELECT count(*) = 8201 FROM event'), 'a commit no longer waits');
is($node->safe_psql('postgres', 'SELECT count(*) FROM event WHERE id < ulid_settled()'), '8201', 'a commit that is visible now');

# COPY makes identifiers
begin_again();
run($first, 'BEGIN', q{COPY event (name) FROM PROGRAM 'echo copied'});
run($second, insert('a'));
is(settled(), 'none', 'COPY FROM holds it back');
run($first, 'COMMIT');
is(settled(), 'copied a', 'COPY FROM has committed');

# Two generators
begin_again();
run($first, 'BEGIN', 'SELECT gen_uuidv7()');
run($second, insert('a'));
is(settled(), 'a', 'another generator does not hold it back');
run($first, insert('b'));
run($second, insert('c'));
is(settled(), 'a', 'a transaction with identifiers of two generators');
is($node->safe_psql('postgres', 'SELECT uuidv7_settled() < gen_uuidv7(), uuidv7_settled()::ulid::timestamptz <= ulid_settled()::timestamptz'), 't|t', 'each generator has a bound');
run($first, 'COMMIT');

# What does not hold it back
begin_again();
run($first, 'BEGIN', "INSERT INTO other VALUES ('long')");
run($second, insert('a'));
is(settled(), 'a', 'a transaction without identifiers does not hold it back');
run($first, 'COMMIT', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($second, insert('b'));
is(settled(), 'a b', 'an old snapshot does not hold it back');
run($first, 'COMMIT');
my $neighbour = session('neighbour');
run($neighbour, 'BEGIN', insert('n'));
run($second, insert('c'));
is(settled(), 'a b c', 'a transaction in another database does not hold it back');
is(settled('neighbour'), 'none', 'a transaction holds back its own database');
run($neighbour, 'COMMIT');
is(settled('neighbour'), 'n', 'the other database after the commit');
$neighbour->quit;

# A session that ends
begin_again();
my $victim = session();
my $pid = run($victim, 'BEGIN', insert('v'), 'SELECT pg_backend_pid()');
run($second, insert('a'));
is(settled(), 'none', 'a session that is to be terminated');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 180000)");
is(settled(), 'a', 'a session that was terminated');
$victim->{run}->finish;

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

# Many commits
sub commit_often
{
	my ($sql, $times) = @_;
	my $script = $node->basedir . '/often.sql';
	unlink $script;
	append_to_file($script, "$sql;\n");
	$node->command_ok([ 'pgbench', '-n', '-c', 4, '-t', $times / 4, '-f', $script, 'postgres' ], "$times transactions: $sql");
}
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
$victim = session();
$pid = run($victim, 'BEGIN', insert('v'), 'SELECT pg_backend_pid()');
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

# Estimates do not call it, a parallel worker must not.
$node->safe_psql('postgres', 'ANALYZE event');
like($node->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN SELECT FROM event WHERE id < ulid_settled()'), qr/Index Cond: \(id < .*ulid_settled/, 'it is an index condition');
$node->safe_psql('postgres', q{
	CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
	CREATE TABLE log_now PARTITION OF log FOR VALUES FROM (ulid_first('2000-01-01')) TO (ulid_first(now() + interval '1 year'));
	CREATE TABLE log_later PARTITION OF log FOR VALUES FROM (ulid_first(now() + interval '1 year')) TO (ulid_last('infinity'))});
my $explain = 'EXPLAIN (COSTS OFF) SELECT FROM log WHERE id < ulid_settled()';
like($node->safe_psql('postgres', $explain), qr/log_now.*\n.*\n +Subplans Removed: 1|Subplans Removed: 1\n.*log_now/, 'it excludes partitions');
$node->safe_psql('postgres', q{CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM event WHERE name <> ''});
like($node->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN SELECT FROM barrier WHERE id < ulid_settled()'), qr/Index Cond: \(id < .*ulid_settled/, 'behind a security barrier, too');
$node->safe_psql('postgres', "CREATE FUNCTION $_->[0] RETURNS ulid LANGUAGE plpgsql $_->[2] PARALLEL SAFE AS 'BEGIN RETURN $_->[1]; END'")
  foreach [ 'mislabelled_settled()', 'ulid_settled()', 'STABLE' ], [ 'mislabelled_gen()', 'gen_ulid()', 'VOLATILE' ];
my $force = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
like(($node->psql('postgres', "SET $force = on; SELECT $_()"))[2], qr/ERROR:  cannot .* in a parallel worker\nHINT:  .*PARALLEL RESTRICTED/, "$_ in a parallel worker")
  foreach 'mislabelled_settled', 'mislabelled_gen';
is($node->safe_psql('postgres', "SET $force = on; SELECT count(*) FROM event WHERE id < ulid_settled()"), $node->safe_psql('postgres', 'SELECT count(*) FROM event'), 'labelled as it is');

# Who holds it back
begin_again();
$node->safe_psql('postgres', 'CREATE ROLE ordinary; CREATE ROLE watching IN ROLE pg_read_all_stats');
$pid = run($first, 'BEGIN', insert('a'), 'SELECT pg_backend_pid()');
my $id = run($first, 'SELECT id FROM event');
my $who = "SELECT pid = $pid, gid, generator, first_id <= '$id' AND first_id = ulid_settled()::text, since < now() FROM ids_unsettled()";
is($node->safe_psql('postgres', $who), 't||ulid|t|t', 'who holds it back');
is($node->safe_psql('postgres', "SET ROLE watching; $who"), 't||ulid|t|t', 'for a role that may see statistics');
is($node->safe_psql('postgres', "SET ROLE ordinary; $who"), 't||ulid||', 'for an ordinary role');
is($node->safe_psql('neighbour', $who), '', 'not for another database');
run($first, "PREPARE TRANSACTION 'prepared'");
is($node->safe_psql('postgres', $who), '|prepared|ulid|t|t', 'a prepared transaction');
is($node->safe_psql('postgres', "SET ROLE watching; $who"), '|prepared|ulid|t|t', 'for a role that may see statistics');
is($node->safe_psql('postgres', "SET ROLE ordinary; $who"), '|prepared|ulid||t', 'for an ordinary role');
run($second, insert('b'));
is(settled(), 'none', 'a prepared transaction holds it back');
$node->safe_psql('postgres', "COMMIT PREPARED 'prepared'");
is(settled(), 'a b', 'a prepared transaction is committed');
is($node->safe_psql('postgres', $who), '', 'nobody holds it back');
$node->safe_psql('postgres', q{SET ROLE ordinary; BEGIN; SELECT gen_ulid(); PREPARE TRANSACTION 'theirs'});
is($node->safe_psql('postgres', "SET ROLE ordinary; SELECT gid, generator, first_id IS NOT NULL, since < now() FROM ids_unsettled()"), 'theirs|ulid|t|t', 'an ordinary role sees its own prepared transaction');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'theirs'");

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
is($node->safe_psql('postgres', 'SELECT pid, gid, generator, first_id, since < now() FROM ids_unsettled() ORDER BY generator'), join("\n", map { "|left|$_||t" } @settled),
	'a prepared transaction is left over, which may have any identifiers');
is($node->safe_psql('postgres', 'SELECT ulid_settled()'), $smallest, 'nothing is settled while it is left over');
is(settled('neighbour'), 'n', 'it does not hold back another database');
$node->safe_psql('postgres', $_) foreach insert('c');
is(settled(), 'none', 'it still holds back new identifiers');
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
	$pid = run($reader, 'SELECT pg_backend_pid()');
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
is($node->safe_psql('postgres', q{SELECT count(*) FROM ids_unsettled() WHERE first_id > (SELECT max(id)::text FROM event)}), 1, 'its first identifier is known');
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
	like(($standby->psql('postgres', "SELECT ${type}_settled()"))[2], qr/ERROR:  cannot execute ${type}_settled\(\) during recovery\nHINT:  .* "On a standby"/, "${type}_settled() on a standby");
	my $table = $type eq 'ulid' ? 'event' : "(SELECT ${type}_first(id::timestamptz) AS id, name FROM event)";
	like($standby->safe_psql('postgres', "EXPLAIN SELECT * FROM $table e WHERE id < ${type}_settled()"), qr/${type}_settled/, "the planner does not call ${type}_settled() on a standby");
	is($standby->safe_psql('postgres',
		"SELECT count(*) FROM event a WHERE name = 'none' AND EXISTS (SELECT FROM $table b WHERE b.id < ${type}_settled() AND b.name > a.name)"),
		'0', "a branch that is not executed does not call ${type}_settled() on a standby");
}
like(($standby->psql('postgres', $explain))[2], qr/ERROR:  cannot execute ulid_settled\(\) during recovery/, 'EXPLAIN calls it to exclude partitions');
like($standby->safe_psql('postgres', "SET enable_partition_pruning = off; $explain"), qr/log_now/, 'EXPLAIN does not call it without exclusion of partitions');
$node->stop('immediate');
my ($long, $old, $importer_of_old, $writable) = map { $standby->background_psql('postgres', on_error_stop => 0) } 1 .. 4;
run($long, 'BEGIN', 'SELECT gen_ulid()', 'SELECT pg_advisory_lock(1)');
$writable->query_until(qr/waits/, <<'SQL');
\echo waits
DO $$
BEGIN
	COMMIT;
	DECLARE one generated; BEGIN SET TRANSACTION READ WRITE; INSERT INTO event (name) VALUES ('lost'); END;
END $$;
SQL
ok($standby->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory'}), 'a transaction has an identifier, but no snapshot');
$snapshot = run($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT pg_export_snapshot()');
$standby->promote;
is($standby->safe_psql('postgres', 'SELECT ulid_settled()'), $smallest, 'promoted, with a prepared transaction');
$standby->safe_psql('postgres', "COMMIT PREPARED 'left'");
is($standby->safe_psql('postgres', $settled), 'a b c d e', 'a transaction with an identifier of before the promotion is still open');
is(run($long, 'COMMIT', $settled), 'a b c d e', 'a session of before the promotion');
run($long, 'SELECT pg_advisory_unlock(1)');
$writable->query('SELECT');
like($writable->{stderr}, qr/ERROR:  cannot commit writes of a transaction that generated ids in recovery\nHINT:/, 'after the promotion that transaction cannot store anything');
$standby->safe_psql('postgres', $_) foreach insert('f');
is($standby->safe_psql('postgres', $settled), 'a b c d e f', 'new identifiers after the promotion');
is(run($old, 'SELECT ulid_settled()'), $smallest, 'a snapshot that was taken during recovery');
is(run($importer_of_old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '$snapshot'", 'SELECT ulid_settled()'), $smallest, 'a snapshot that was taken during recovery, imported');
is(run($_, 'COMMIT', $settled), 'a b c d e f', 'the transaction after it') foreach $old, $importer_of_old;
$_->quit foreach $long, $old, $importer_of_old, $writable;
$standby->stop;

# No memory for the records
my $refusal = $node->basedir . '/no_memory';
$node = start_server('poor', "max_connections = 200\nmax_wal_senders = 1\ndynamic_shared_memory_type = posix\n");
append_to_file($refusal, '');
{
	local %ENV = (%ENV, LD_PRELOAD => "$ENV{IDS_FAULTS}/no_memory.so", NO_MEMORY => $refusal, SLOW_MEMORY => "$refusal.yet");
	$node->restart;
}
my $error = qr/ERROR:  ulid_settled\(\) does not know which transactions have generated ids\nDETAIL:.*\nHINT:  .*dynamic_shared_memory_type/;
my $third;
($first, $second, $third) = map { session() } 1 .. 3;
run($first, 'BEGIN', insert('a'));
like(($node->psql('postgres', $settled))[2], $error, 'no memory');
run($_, 'SELECT gen_ulid()') foreach $second, $third;
# Two sessions find some at once: one creates the records, the other one waits for it.
append_to_file("$refusal.yet", '');
unlink $refusal;
$_->query_until(qr/inserts/, join ";\n", '\echo inserts', insert('b'), '') foreach $second, $third;
ok($node->poll_query_until('postgres', q{SELECT array_agg(DISTINCT wait_event) @> '{AddinShmemInit}' FROM pg_stat_activity}), 'one session creates the records');
unlink "$refusal.yet";
run($_, 'SELECT 1') foreach $second, $third;
like(($node->psql('postgres', $settled))[2], $error, 'a transaction is open that has found none');
$reader = $node->background_psql('postgres', on_error_stop => 0);
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($first, 'COMMIT');
is(settled(), 'a b b', 'it has ended');
$reader->query($settled);
like($reader->{stderr}, $error, 'but an old snapshot does not see it');
$_->quit foreach $first, $second, $third, $reader;

# The last place for a session is a walsender's.
begin_again();
$first = IPC::Run::start([ 'psql', '-XAtq', $node->connstr('postgres') . ' replication=database' ], '<', \my $queries, '>', \my $output, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
$queries = join '', map { "$_;\n" } 'BEGIN', insert('a'), q{SELECT 'inserted'};
$first->pump until $output =~ /inserted/;
$node->safe_psql('postgres', $_) foreach insert('b');
is(settled(), 'none', 'a walsender holds it back');
$queries = "COMMIT;\n";
$first->finish;
is(settled(), 'a b', 'a walsender has committed');

# A transaction is committed, but its end is not recorded yet.
begin_again();
$node->safe_psql('postgres', "CREATE FUNCTION hold_record(bigint) RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C");
($first, $second, $reader) = map { session() } 1 .. 3;
my $held = run($first, 'BEGIN', insert('a'), 'SELECT id FROM event');
my $record = begin_waiting($second, 'hold_record(' . run($first, 'SELECT pg_current_xact_id()') . ')');
run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
$first->query_until(qr/commits/, "\\echo commits\nCOMMIT;\n");
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM event') or die;
is(run($reader, "SELECT ulid_settled() <= '$held'"), 't', 'an old snapshot does not see a transaction whose end is not recorded yet');
$record->();
run($first, 'SELECT 1');
is(settled(), 'a', 'its end is recorded');
$_->quit foreach $first, $second, $reader;

# A transaction goes on while the ticks are being lowered.
begin_again();
$node->safe_psql('postgres', $_) foreach $ahead, "CREATE FUNCTION lower_ticks_slowly() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C";
($first, $second) = (session(), session());
run($first, 'BEGIN', insert('a'));
$pid = run($first, 'SELECT pg_backend_pid()');
my $finish = begin_waiting($second, 'lower_ticks_slowly()');
$first->query_until(qr/inserts/, "\\echo inserts\n" . (insert('b'))[0] . ";\n");
$node->poll_query_until('postgres', "SELECT wait_event LIKE 'AddinShmemInit%' OR state = 'idle in transaction' AND query ~ 'INSERT' FROM pg_stat_activity WHERE pid = $pid") or die;
$finish->();
my $low = run($first, q{INSERT INTO event (name) VALUES ('c') RETURNING id});
is($node->safe_psql('postgres', "SELECT ulid_settled() <= '$low'"), 't', 'an identifier after the ticks were lowered holds it back');
run($first, 'COMMIT');
$_->quit foreach $first, $second;

# While a session looks at all generators, no other one is claimed, and no tick is lowered.
$node->safe_psql('postgres', "CREATE FUNCTION hold_state() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C");
foreach my $call ('gen_scru160()', 'ids_reset_clock()')
{
	($first, $second) = (session(), session());
	$pid = run($first, 'SELECT gen_snowflake()', 'SELECT pg_backend_pid()');
	my $release = begin_waiting($second, 'hold_state()');
	$first->query_until(qr/calls/, "\\echo calls\nSELECT $call;\n");
	ok(waits_for($pid, 'AddinShmemInit%'), "$call waits");
	$release->();
	run($first, 'SELECT 1');
	$_->quit foreach $first, $second;
}

# Another version of the library has made records that this one does not know.
$node->safe_psql('postgres', "CREATE FUNCTION change_records() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C; SELECT change_records()");
$first = session();
run($first, 'BEGIN', insert('c'));
like(($node->psql('postgres', $settled))[2], $error, 'records of another version');
run($first, 'COMMIT');
$first->quit;

# The records lie where the server's other sessions have had something else.
$node->append_conf('postgresql.conf', "min_dynamic_shared_memory = 4MB\n");
$node->restart;
$node->safe_psql('postgres', q{
	SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 8;
	CREATE TABLE line WITH (parallel_workers = 8) AS SELECT repeat('x', 1000) FROM generate_series(1, 5000);
	TABLE line});
$first = session();
run($first, 'BEGIN', 'SELECT gen_ulid()');
is(run($first, q{SELECT string_agg(generator, ' ') FROM ids_unsettled()}), 'ulid', 'memory that was used before');
$first->quit;
$node->stop;

done_testing();
