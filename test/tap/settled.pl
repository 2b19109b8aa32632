# Which identifiers are settled: what holds the bound back and what does not, who may see that, and how it is planned.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Utils;
use Settled;
use Test::More;

start_server('main', "max_connections = 1000\nshared_buffers = 32MB\nsynchronous_standby_names = 'nobody'\nsynchronous_commit = local\n");

# The memory that 1,000 connections take
{
	my $session = session();
	run($session, 'SELECT ulid_settled()');
	my @sizes = map { /^(\w+)-(\w+) .*PostgreSQL\.\d+/ ? hex($2) - hex($1) : () } split /\n/, slurp_file('/proc/' . run($session, 'SELECT pg_backend_pid()') . '/maps');
	cmp_ok((sort { $a <=> $b } grep { $_ != 1024 * 1024 } @sizes)[-1], '<', 650_000, 'memory for 1,000 connections');
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

# A statement asks again, although its snapshot shows the same
run($first, 'BEGIN', 'SELECT gen_ulid()');
my $held = run($reader, 'SELECT ulid_settled()');
run($first, 'ROLLBACK');
is(run($reader, "SELECT ulid_settled() > '$held'"), 't', 'a session that asks again, while no transaction has written');

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
run($first, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM event');
run($neighbour, 'COMMIT');
is(run($first, $settled), 'a b c', 'nor for a snapshot that is older than its end');
run($first, 'COMMIT');
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

# A transaction resets the clock itself, from an hour ahead, and goes on.
begin_again();
run($second, "SELECT ids_advance_clock(now() + interval '1 hour')");
run($first, 'BEGIN', insert('a'), 'SELECT ids_reset_clock()', insert('b'));
run($second, insert('c'));
is(settled(), 'none', 'after its own reset, an open transaction holds back what is above its lower identifier');
run($first, 'COMMIT');
is(settled(), 'b c', 'until it has ended; its first identifier is ahead of the clock');

# A transaction goes on after a reset, which lowers nothing.
begin_again();
run($first, 'BEGIN', insert('a'));
run($second, insert('b'), 'SELECT ids_reset_clock()');
run($first, insert('c'));
is(settled(), 'none', 'after a reset, an open transaction holds back what is above its first identifier');
run($first, 'COMMIT');
is(settled(), 'a b c', 'until it has ended');

# One goes on with another generator only, and its session stays.
begin_again();
run($first, 'BEGIN', insert('a'));
run($second, insert('b'), 'SELECT ids_reset_clock()');
run($first, 'SELECT gen_tbsl()', 'COMMIT');
is(settled(), 'a b', 'after a reset, a transaction that has used another generator since leaves nothing behind');

# A reset lowers the answer of an old snapshot: kept, it would move the mark up again.
foreach my $type (@settled)
{
	run($second, "SELECT gen_$type()", "SELECT ids_advance_clock(now() + interval '1 hour')");
	run($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SELECT ${type}_settled()");
	run($second, 'SELECT ids_reset_clock()');
	my $is_low = "< now() + interval '1 minute'";
	is(run($reader, 'SELECT ' . key_of($type, "${type}_settled()") . "::timestamptz $is_low"), 't', "${type}_settled() of an old snapshot after a reset");
	is(run($second, "SELECT to_timestamp(unix_us / 1e6) $is_low FROM ids_internal.mark"), 't', "${type}_settled() leaves the mark lowered");
	run($reader, 'COMMIT');
	run($second, 'SELECT ids_reset_clock()');
}

# Estimates do not call it, a parallel worker must not.
$node->safe_psql('postgres', 'ANALYZE event');
like($node->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN SELECT FROM event WHERE id < ulid_settled()'), qr/Index Cond: \(id < .*ulid_settled/, 'it is an index condition');
like($node->safe_psql('postgres', $explain), qr/log_now.*\n.*\n +Subplans Removed: 1|Subplans Removed: 1\n.*log_now/, 'it excludes partitions');
$node->safe_psql('postgres', q{CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM event WHERE name <> ''});
like($node->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN SELECT FROM barrier WHERE id < ulid_settled()'), qr/Index Cond: \(id < .*ulid_settled/, 'behind a security barrier, too');
$node->safe_psql('postgres', "CREATE FUNCTION $_->[0] RETURNS ulid LANGUAGE plpgsql $_->[2] PARALLEL SAFE AS 'BEGIN RETURN $_->[1]; END'")
  foreach [ 'mislabelled_settled()', 'ulid_settled()', 'STABLE' ], [ 'mislabelled_gen()', 'gen_ulid()', 'VOLATILE' ];
my $force = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
like(($node->psql('postgres', "\\set VERBOSITY verbose\nSET $force = on; SELECT $_()"))[2], qr/ERROR:  25000: cannot .* in a parallel worker\nHINT:  .*PARALLEL RESTRICTED/, "$_ in a parallel worker")
  foreach 'mislabelled_settled', 'mislabelled_gen';
is($node->safe_psql('postgres', "SET $force = on; SELECT count(*) FROM event WHERE id < ulid_settled()"), $node->safe_psql('postgres', 'SELECT count(*) FROM event'), 'labelled as it is');

# Who holds it back
begin_again();
$node->safe_psql('postgres', 'CREATE ROLE ordinary; CREATE ROLE watching IN ROLE pg_read_all_stats');
$pid = run($first, 'BEGIN', insert('a'), 'SELECT pg_backend_pid()');
my $id = run($first, 'SELECT id FROM event');
my $who = "SELECT pid = $pid, gid, generator, first_timestamp <= '$id'::ulid::timestamptz AND first_timestamp = ulid_settled()::timestamptz, since < now() FROM ids_unsettled()";
is($node->safe_psql('postgres', $who), 't||ulid|t|t', 'who holds it back');
is($node->safe_psql('postgres', "SET ROLE watching; $who"), 't||ulid|t|t', 'for a role that may see statistics');
is($node->safe_psql('postgres', "SET ROLE ordinary; $who"), 't||ulid||', 'for an ordinary role');
# Members of these roles may use every schema. What is hidden from them is hidden in the function's internal part, too.
$node->safe_psql('postgres', "CREATE ROLE $_ IN ROLE pg_${_}_all_data") foreach 'read', 'write';
foreach my $role ('read', 'write')
{
	is($node->safe_psql('postgres', "SET ROLE $role; $who"), 't||ulid||', "for a member of pg_${role}_all_data");
	is($node->safe_psql('postgres', "SET ROLE $role; SELECT u FROM ids_internal.unsettled_records() u"), "($pid,,ulid,,0,)", 'in the internal part, too');
}
is($node->safe_psql('neighbour', $who), '', 'not for another database');
# The smaller identifier comes first, whichever session is asked first, and whoever asks.
{
	my ($low, $high) = sort { $a <=> $b } map { run($_, 'SELECT pg_backend_pid()') } $second, $reader;
	my %session = (map { run($_, 'SELECT pg_backend_pid()') => $_ } $second, $reader);
	foreach my $order ([ $low, $high ], [ $high, $low ])
	{
		foreach my $later (@$order)
		{
			run($session{$later}, 'BEGIN', 'SELECT gen_uuidv7()', 'SELECT pg_sleep(0.002)');
		}
		is($node->safe_psql('postgres', "SET ROLE $_; SELECT string_agg(pid::text, ' ') FROM ids_unsettled() WHERE generator = 'uuidv7'"), "@$order", "$_ sees them in the order of their identifiers")
		  foreach 'watching', 'ordinary';
		run($session{$_}, 'COMMIT') foreach @$order;
	}
}
run($second, 'BEGIN', 'SELECT pg_current_xact_id()', "PREPARE TRANSACTION 'without'");    # takes one place of two
run($first, "PREPARE TRANSACTION 'prepared'");
is($node->safe_psql('postgres', $who), '|prepared|ulid|t|t', 'a prepared transaction');
is($node->safe_psql('postgres', "SET ROLE watching; $who"), '|prepared|ulid|t|t', 'for a role that may see statistics');
is($node->safe_psql('postgres', "SET ROLE ordinary; $who"), '|prepared|ulid||t', 'for an ordinary role');
run($second, insert('b'));
is(settled(), 'none', 'a prepared transaction holds it back');
$node->safe_psql('postgres', "COMMIT PREPARED '$_'") foreach 'prepared', 'without';
is(settled(), 'a b', 'a prepared transaction is committed');
is($node->safe_psql('postgres', $who), '', 'nobody holds it back');
$node->safe_psql('postgres', q{SET ROLE ordinary; BEGIN; SELECT gen_ulid(); PREPARE TRANSACTION 'theirs'});
is($node->safe_psql('postgres', "SET ROLE ordinary; SELECT gid, generator, first_timestamp IS NOT NULL, since < now() FROM ids_unsettled()"), 'theirs|ulid|t|t', 'an ordinary role sees its own prepared transaction');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'theirs'");
$_->quit foreach $first, $second, $reader;
$node->stop;

done_testing();
