# Which identifiers are settled when there is no memory for the records, or it was another's; and while other sessions hold the
# records, the ticks or the state.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Settled;
use Test::More;

# No memory for the records
start_server('poor', "max_connections = 200\nmax_wal_senders = 1\ndynamic_shared_memory_type = posix\n");
my $refusal = $node->basedir . '/no_memory';
append_to_file($refusal, '');
{
	local %ENV = (%ENV, LD_PRELOAD => "$ENV{IDS_FAULTS}/no_memory.so", NO_MEMORY => $refusal, SLOW_MEMORY => "$refusal.yet");
	$node->restart;
}
my ($first, $second, $reader) = map { session() } 1 .. 3;
like(($node->psql('postgres', $_))[2], qr/ERROR:  could not resize .*\nHINT:  Add "ids" to shared_preload_libraries/, "no memory: $_")
	foreach 'SELECT gen_ulid()', 'SELECT ulid_settled()', 'SELECT count(*) FROM ids_unsettled()';
like($node->safe_psql('postgres', 'SELECT problem, object, remedy FROM ids_problems()'), qr/^generators fail\|database postgres: could not resize .*\|see "Errors"[^\n]*\z/, 'a monitor is told');
# Two sessions find some at once: one creates the records, the other one waits for it.
append_to_file("$refusal.yet", '');
unlink $refusal;
$_->query_until(qr/inserts/, join ";\n", '\echo inserts', insert('b'), '') foreach $first, $second;
ok($node->poll_query_until('postgres', q{SELECT array_agg(DISTINCT wait_event) @> '{AddinShmemInit}' FROM pg_stat_activity}), 'one session creates the records');
unlink "$refusal.yet";
run($_, 'SELECT 1') foreach $first, $second;
is(settled(), 'b b', 'then there is memory');
$_->quit foreach $first, $second, $reader;

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
my $ahead = q{SELECT ids_advance_clock(now() + interval '1 hour')};
begin_again();
$node->safe_psql('postgres', $_) foreach $ahead, "CREATE FUNCTION lower_ticks_slowly() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C";
($first, $second) = (session(), session());
run($first, 'BEGIN', insert('a'));
my $pid = run($first, 'SELECT pg_backend_pid()');
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
like(($node->psql('postgres', $_))[2], qr/ERROR:  another version of extension "ids"/, "records of another version: $_") foreach 'SELECT gen_ulid()', 'SELECT ulid_settled()';

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
