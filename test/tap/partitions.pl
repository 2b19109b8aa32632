# Partitions by time in concurrent sessions: two calls, a call and inserts, a call and a concurrent DETACH.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_locks_per_transaction = 512\ndeadlock_timeout = 100ms\ntimezone = 'Europe/Berlin'\nclient_min_messages = warning\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Waits until this many sessions wait for a lock.
sub wait_for_locks
{
	$node->poll_query_until('postgres', "SELECT count(DISTINCT pid) = $_[0] FROM pg_locks WHERE NOT granted") or die 'nobody waits';
}

# A session that runs a script in the background.
sub start
{
	my $script = shift;
	my $session = { output => '' };
	my @commands = map { ('-c', $_) } split /; /, $script;
	$session->{run} = IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), @commands ], '<', \undef, '>&', \$session->{output});
	return $session;
}

# Its output, once it has ended.
sub output
{
	my $session = shift;
	IPC::Run::finish($session->{run});
	return $session->{output};
}
my $partitions = "SELECT count(*), count(DISTINCT times) FROM ids_partitions('log')";

# Two concurrent calls: the second begins before the first has committed, also with a snapshot from before.
foreach my $isolation ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	$node->safe_psql('postgres', 'CREATE TABLE log (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id)');
	my $call = "CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-02-01');";
	my $first = $node->background_psql('postgres', on_error_stop => 1);
	$first->query_safe("BEGIN; $call");
	my $second = start("BEGIN ISOLATION LEVEL $isolation; SELECT count(*) FROM pg_class WHERE false; $call COMMIT;");
	wait_for_locks(1);
	$first->query_safe('COMMIT');
	is(output($second), "0\n", "$isolation: the second call waits for the first and finds all partitions");
	is($node->safe_psql('postgres', $partitions), '32|32', "$isolation: each exists once");

	my $drop = "CALL ids_drop_partitions('log', '2026-01-10 01:00:00+01');";
	$first->query_safe("BEGIN; $drop");
	$second = start("BEGIN ISOLATION LEVEL $isolation; SELECT count(*) FROM pg_class WHERE false; $drop COMMIT;");
	wait_for_locks(1);
	$first->query_safe('COMMIT');
	is(output($second), "0\n", "$isolation: the second call finds nothing to drop");
	is($node->safe_psql('postgres', $partitions), '22|22', "$isolation: all others exist");

	# Dropping and creating concurrently.
	$first->query_safe("BEGIN; CALL ids_drop_partitions('log', '2026-01-20 01:00:00+01');");
	$second = start("BEGIN ISOLATION LEVEL $isolation; SELECT count(*) FROM pg_class WHERE false; CALL ids_create_partitions('log', '1 day', '2026-01-15', '2026-01-16'); COMMIT;");
	wait_for_locks(1);
	$first->query_safe('COMMIT');
	is(output($second), "0\n", "$isolation: a partition that was dropped concurrently is created again");
	is($node->safe_psql('postgres', $partitions), '14|14', "$isolation: the created one exists");
	$first->quit;
	$node->safe_psql('postgres', 'DROP TABLE log');
}

# Eight clients create the same partitions, each call in a new session: it reads the list of partitions while another one changes it.
my $race = $node->basedir . '/race.sql';
PostgreSQL::Test::Utils::append_to_file($race, q{
\set r :r + 1
CALL ids_create_partitions('log', '10 seconds', '2026-01-01'::timestamptz + interval '1 minute' * :r, '2026-01-01'::timestamptz + interval '1 minute' * (:r + 2));
});
$node->safe_psql('postgres', 'CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)');
$node->command_ok([ 'pgbench', '-n', '-C', '-c', 8, '-t', 100, '-D', 'r=0', '-f', $race, $node->connstr('postgres') ], 'eight clients create the same partitions');
is($node->safe_psql('postgres', $partitions), '606|606', 'each exists once');
$node->safe_psql('postgres', 'DROP TABLE log');

# With a default partition and foreign keys, during transactions that write to the tables in the order of the keys.
$node->safe_psql('postgres', q{
	CREATE TABLE other (id int PRIMARY KEY);
	INSERT INTO other SELECT generate_series(1, 100);
	CREATE TABLE log (id ulid PRIMARY KEY, other int REFERENCES other) PARTITION BY RANGE (id);
	CREATE TABLE log_rest PARTITION OF log DEFAULT});
my $writer = $node->background_psql('postgres', on_error_stop => 1);
$writer->query_safe('BEGIN; INSERT INTO other VALUES (1000)');
my $creator = start("CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-01-03')");
wait_for_locks(1);
$writer->query_safe("INSERT INTO log VALUES (ulid_first('2020-01-01'), 1000)");
$writer->query_safe('COMMIT');
is(output($creator), '', 'creating while a row and a row that references it are inserted: no deadlock');
is($node->safe_psql('postgres', $partitions), '4|3', 'all partitions exist');
$node->safe_psql('postgres', 'CREATE TABLE note (log ulid REFERENCES log, n int)');
$writer->query_safe('BEGIN; INSERT INTO other VALUES (1001)');
my $dropper = start("SET client_min_messages = notice; CALL ids_drop_partitions('log', '2026-01-02 01:00:00+01')");
wait_for_locks(1);
$writer->query_safe("INSERT INTO log VALUES (ulid_first('2026-01-03'), 1001)");
$writer->query_safe('COMMIT');
like(output($dropper), qr/dropped partition "public\.log_20260101"/, 'dropping during the same inserts');

# Under load: no writer fails because of a deadlock.
my $script = $node->basedir . '/insert.sql';
PostgreSQL::Test::Utils::append_to_file($script, q{
\set other random(1, 100)
BEGIN;
SELECT FROM other WHERE id = :other FOR KEY SHARE;
INSERT INTO log VALUES (gen_ulid('2026-03-01'::timestamptz + random() * interval '40 days'), :other);
COMMIT;
INSERT INTO note SELECT id FROM log WHERE id >= '2026-03-01'::timestamptz LIMIT 1;
});
my $pgbench = IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-j', '2', '-T', '5', '-f', $script, $node->connstr('postgres') ], '>&', \my $load);
my $calls = '';
my $day = 0;
for (my $end = time + 4; time < $end; ++$day)
{
	# Days that have no rows yet in the default partition, and days that have passed.
	my $since = "'2027-01-01'::timestamptz + interval '$day days'";
	$calls .= $node->safe_psql('postgres', "CALL ids_create_partitions('log', '1 day', $since, $since + interval '1 day')");
	$calls .= $node->safe_psql('postgres', "CALL ids_drop_partitions('log', $since - interval '2 days')");
}
IPC::Run::finish($pgbench);
is($calls, '', "$day rounds of creating and dropping");
cmp_ok($day, '>', 3, 'several rounds');
unlike($load, qr/ERROR|aborted/, 'writers go on meanwhile');
like($load, qr/number of failed transactions: 0/, 'no transaction of the writers fails') if $node->pg_version >= 15;
unlike(slurp_file($node->logfile), qr/deadlock detected/, 'no deadlock under load');
$node->safe_psql('postgres', 'DROP TABLE note, log, other');

# The order of the locks: while another session locks one of the tables, a call has locked those before it, and nothing else.
$node->safe_psql('postgres', q{
	CREATE TABLE log (id ulid PRIMARY KEY, other int) PARTITION BY RANGE (id);
	CREATE TABLE log_rest PARTITION OF log DEFAULT;
	CREATE TABLE note (log ulid REFERENCES log);
	CREATE TABLE other (id int PRIMARY KEY);
	ALTER TABLE log ADD FOREIGN KEY (other) REFERENCES other;
	CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00')});
foreach my $call (
	"CALL ids_create_partitions('log', '1 day', '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00')",
	"CALL ids_drop_partitions('log', '2026-01-02 00:00:00+00')")
{
	my @order = qw(note other log log_rest);
	foreach my $place (0 .. $#order)
	{
		$writer->query_safe("BEGIN; LOCK TABLE ONLY $order[$place] IN SHARE UPDATE EXCLUSIVE MODE");
		my $waiting = start("BEGIN; $call; ROLLBACK");
		wait_for_locks(1);
		is($node->safe_psql('postgres', q{
			SELECT string_agg(coalesce(relname, 'a new table'), ' ' ORDER BY array_position('{note,other,log,log_rest}', relname::text))
			FROM pg_locks l LEFT JOIN pg_class c ON c.oid = relation
			WHERE granted AND locktype = 'relation' AND mode IN ('ShareUpdateExclusiveLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')
				AND pid = (SELECT pid FROM pg_locks WHERE NOT granted)}), join(' ', @order[ 0 .. $place - 1 ]), "$call: the locks before $order[$place]");
		$writer->query_safe('ROLLBACK');
		output($waiting);
	}
}
$node->safe_psql('postgres', 'DROP TABLE note, log, other');

# Nobody waits for a lock that the caller may not take: a role without rights on the table, and the owner of a table that
# references a table of somebody else, whose other tables are locked.
$node->safe_psql('postgres', q{
	CREATE ROLE owner;
	CREATE ROLE stranger;
	CREATE TABLE other (id int PRIMARY KEY);
	CREATE TABLE heir () INHERITS (other);
	CREATE TABLE log (id ulid PRIMARY KEY, other int REFERENCES other) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00');
	GRANT CREATE ON SCHEMA public TO owner;
	GRANT REFERENCES ON other TO owner;
	ALTER TABLE log OWNER TO owner});
$writer->query_safe('BEGIN; LOCK TABLE log IN ACCESS SHARE MODE; LOCK TABLE heir IN ROW EXCLUSIVE MODE');
$node->psql('postgres', "SET lock_timeout = '1s'; SET ROLE stranger; CALL ids_drop_partitions('log', '2026-01-02 00:00:00+00')", stderr => \my $refused);
like($refused, qr/must be owner of table log/, 'a role without rights is refused before it waits for a lock');
is($node->psql('postgres', "SET lock_timeout = '1s'; SET ROLE owner; CALL ids_create_partitions('log', '1 day', '2026-01-02 00:00:00+00', '2026-01-03 00:00:00+00')"),
	0, 'an owner locks no table that the owner may not lock');
$writer->query_safe('ROLLBACK');
$node->safe_psql('postgres', 'DROP TABLE log, heir, other');

# The jobs for pg_cron, while a transaction holds a row of another table that the table references: they give up, and others go
# on to write to that other table.
my @jobs = slurp_file("$ENV{TESTDIR}/doc/servers.md") =~ /cron\.schedule\('.*?', '.*?', \$\$(.*?)\$\$\)/sg;
is(scalar @jobs, 2, 'the document has two jobs');
foreach my $job (@jobs)
{
	$node->safe_psql('postgres', q{
		CREATE TABLE ticket (id int PRIMARY KEY, n int);
		INSERT INTO ticket VALUES (1, 0), (2, 0);
		CREATE TABLE log (id ulid PRIMARY KEY, ticket int REFERENCES ticket) PARTITION BY RANGE (id);
		CREATE TABLE note (log ulid REFERENCES log);
		CALL ids_create_partitions('log', '1 month', '2020-01-01', '2020-02-01')});
	$writer->query_safe('BEGIN; UPDATE ticket SET n = 1 WHERE id = 1');
	my $waiting = start($job =~ s/;\s+/;/gr);
	wait_for_locks(1);
	is($node->psql('postgres', "SET statement_timeout = '20s'; UPDATE ticket SET n = 1 WHERE id = 2"), 0, 'a writer waits no longer than the job');
	$writer->query_safe('ROLLBACK');
	like(output($waiting), qr/canceling statement due to lock timeout/, 'the job gave up');
	is(output(start($job =~ s/;\s+/;/gr)), '', 'the next run of the job does what this one did not');
	$node->safe_psql('postgres', 'DROP TABLE note, log, ticket');
}

# A partition that is being detached concurrently.
$node->safe_psql('postgres', q{CREATE TABLE log (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id); CALL ids_create_partitions('log', '1 month', '2026-01-15', '2026-02-15')});
$writer->query_safe('BEGIN; SELECT count(*) FROM log');
$node->psql('postgres', "SET statement_timeout = '1s'; ALTER TABLE log DETACH PARTITION log_20260101 CONCURRENTLY", stderr => \my $cancelled);
like($cancelled, qr/statement timeout/, 'a partition is being detached');
is($node->safe_psql('postgres', "SELECT partition FROM ids_partitions('log')"), 'log_20260201', 'a partition that is being detached is not listed');
$node->psql('postgres', "CALL ids_create_partitions('log', '1 month', '2026-01-15', '2026-02-15')", stderr => \my $detaching);
like($detaching, qr/would overlap partition "public\.log_20260101".*HINT: .*ALTER TABLE public\.log DETACH PARTITION public\.log_20260101 FINALIZE/s, 'a partition that is being detached does not count, and the error says what to do');
is($node->psql('postgres', "CALL ids_drop_partitions('log', '2026-02-15')"), 0, 'a partition that is being detached is not dropped');
$writer->query_safe('COMMIT');
$node->safe_psql('postgres', 'ALTER TABLE log DETACH PARTITION log_20260101 FINALIZE; ALTER TABLE log_20260101 RENAME TO old');
$node->safe_psql('postgres', "CALL ids_create_partitions('log', '1 month', '2026-01-15', '2026-02-15')");
is($node->safe_psql('postgres', "SELECT partition FROM ids_partitions('log')"), "log_20260101\nlog_20260201", 'after the detachment, the partition is created again');
$node->safe_psql('postgres', 'DROP TABLE log, old');
$writer->quit;

# Names that change while a call waits: it goes on with the table that it was given, and with its partitions.
my $creates = "CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00')";
my $drops = "CALL ids_drop_partitions('log', '2026-01-02 00:00:00+00')";
my $other = $node->background_psql('postgres', on_error_stop => 1);
$node->safe_psql('postgres', 'CREATE TABLE log (id ulid, mine int) PARTITION BY RANGE (id)');
$other->query_safe('BEGIN; ALTER TABLE log RENAME TO renamed; CREATE TABLE log (id ulid, theirs int) PARTITION BY RANGE (id)');
my $call = start($creates);
wait_for_locks(1);
$other->query_safe('COMMIT');
is(output($call), '', 'creating waits while the table is renamed');
is($node->safe_psql('postgres', "SELECT string_agg(partition::text, ' ') FROM ids_partitions('renamed')"), 'renamed_20260101 renamed_20260102', 'creating goes on with the renamed table');
is($node->safe_psql('postgres', "SELECT count(*) FROM ids_partitions('log')"), '0', 'creating ignores the new table of that name');
$node->safe_psql('postgres', "DROP TABLE log; ALTER TABLE renamed RENAME TO log; ALTER TABLE renamed_20260101 RENAME TO log_20260101");
$other->query_safe('BEGIN; ALTER TABLE log_20260101 RENAME TO renamed; CREATE TABLE log_20260101 (theirs int)');
$call = start($drops);
wait_for_locks(1);
$other->query_safe('COMMIT');
is(output($call), '', 'dropping waits while a partition is renamed');
is($node->safe_psql('postgres', "SELECT to_regclass('renamed') IS NULL, to_regclass('log_20260101') IS NULL"), 't|f', 'dropping drops the renamed partition');
$node->safe_psql('postgres', 'DROP TABLE log, log_20260101; CREATE TABLE log (id ulid) PARTITION BY RANGE (id); GRANT ALL ON SCHEMA public TO owner; ALTER TABLE log OWNER TO owner');
$other->query_safe('BEGIN; ALTER TABLE log OWNER TO CURRENT_USER');
$call = start("SET ROLE owner; $creates");
wait_for_locks(1);
$other->query_safe('COMMIT');
like(output($call), qr/ERROR:  must be owner of table log/, 'a caller that is no longer the owner after the wait is refused');
$node->safe_psql('postgres', 'DROP TABLE log');

# A schema cannot be locked: if it is renamed just before a statement, the call fails, and what it did to other tables is undone.
$node->safe_psql('postgres', q{
	CREATE FUNCTION wait_here() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); END';
	CREATE EVENT TRIGGER wait_here ON ddl_command_start WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE') EXECUTE FUNCTION wait_here()});
my $partition = "CREATE TABLE app.log_20260101 PARTITION OF app.log FOR VALUES FROM (ulid_first('2026-01-01 00:00:00+00')) TO (ulid_first('2026-01-02 00:00:00+00'));";
foreach ([ 'create', $creates, '' ], [ 'drop', $drops, $partition ], [ 'detach', $drops =~ s/\)$/, true)/r, $partition ])
{
	my ($change, $statement, $partitions_before) = @$_;
	my $tables = "CREATE SCHEMA app; CREATE TABLE app.log (id ulid) PARTITION BY RANGE (id); $partitions_before";
	$node->safe_psql('postgres', $tables);
	$other->query_safe('BEGIN; SELECT pg_advisory_xact_lock(1)');
	$call = start($statement =~ s/'log'/'app.log'/r);
	wait_for_locks(1);
	$other->query_safe("ALTER SCHEMA app RENAME TO renamed; $tables COMMIT");
	like(output($call), qr/ERROR:  (table "app.log" or a partition of it was changed during the call|relation "log_20260101" is not a partition)/, "$change: the schema is renamed just before");
	is($node->safe_psql('postgres', "SELECT (SELECT count(*) FROM ids_partitions('renamed.log')), (SELECT count(*) FROM ids_partitions('app.log')), count(*) FROM pg_class WHERE relname ~ '^log_2026'"),
		$partitions_before ? '1|1|2' : '0|0|0', "$change: all is as before");
	$node->safe_psql('postgres', 'SET client_min_messages = error; DROP SCHEMA app, renamed CASCADE');
}
$node->safe_psql('postgres', 'DROP EVENT TRIGGER wait_here');
$other->quit;

# Partitions are made with the caller's search_path: an index on a function needs it. (From 17 on PostgreSQL itself builds
# indexes with a search_path of its own.)
SKIP:
{
	skip "CREATE INDEX itself does not use the caller's search_path", 1 if $node->pg_version >= 17;
	$node->safe_psql('postgres', q{
		CREATE SCHEMA app;
		SET search_path = app, public;
		CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 * 2';
		CREATE FUNCTION fourfold(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT twice(twice($1))';
		CREATE TABLE log (id ulid, n int) PARTITION BY RANGE (id);
		CREATE INDEX ON log (fourfold(n))});
	is($node->psql('postgres', "SET search_path = app, public; CALL ids_create_partitions('log', '1 month', '2026-01-15', '2026-02-15')"), 0, "an index that needs the caller's search_path");
	$node->safe_psql('postgres', 'DROP SCHEMA app CASCADE');
}

# A thousand partitions.
$node->safe_psql('postgres', q{CREATE TABLE log (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id); CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-01-01'::timestamptz + interval '999 days')});
my %limit = (
	"CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-01-01'::timestamptz + interval '999 days')" => 1,
	"CALL ids_drop_partitions('log', '2026-01-01'::timestamptz + interval '100 days')" => 2,
	"SELECT FROM ids_partitions('log')" => 2);
foreach my $statement (sort keys %limit)
{
	my $began = time;
	$node->safe_psql('postgres', $statement);
	my $seconds = time - $began;
	cmp_ok($seconds, '<', $limit{$statement}, sprintf '%.3f s: %s', $seconds, $statement);
}
is($node->safe_psql('postgres', $partitions), '900|900', 'a hundred less');

$node->stop;
done_testing();
