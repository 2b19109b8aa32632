# Partitions by time in concurrent sessions: two calls, a call and inserts, a call and a concurrent DETACH.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "deadlock_timeout = 100ms\ntimezone = 'Europe/Berlin'\nclient_min_messages = warning\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# A session that looks on, and waits until another one waits for a lock.
my $observer = $node->background_psql('postgres', on_error_stop => 1);
sub wait_for_lock
{
	$observer->query_safe("DO 'BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP; END'");
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

# Two concurrent calls: the second begins before the first has committed, with a snapshot from before.
sub days
{
	my ($until, $since) = (@_, 1);
	return "CALL ids_create_partitions('log', '1 day', '2026-01-0$since 00:00:00+00', '2026-01-0$until 00:00:00+00')";
}
sub drop_days { return "CALL ids_drop_partitions('log', '2026-01-0$_[0] 00:00:00+00')" }
$node->safe_psql('postgres', 'CREATE TABLE log (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id)');
my $writer = $node->background_psql('postgres', on_error_stop => 1);
foreach (
	[ days(8), days(8), '7|7', 'the second call waits for the first and finds all partitions' ],
	[ drop_days(3), drop_days(3), '5|5', 'the second call finds nothing to drop' ],
	[ drop_days(7), days(5, 4), '2|2', 'a partition that was dropped concurrently is created again' ])
{
	my ($first, $second, $partitions_after, $name) = @$_;
	$writer->query_safe("BEGIN; $first");
	my $waiting = start("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class WHERE false; $second; COMMIT");
	wait_for_lock();
	$writer->query_safe('COMMIT');
	is(output($waiting), "0\n", $name);
	is($node->safe_psql('postgres', $partitions), $partitions_after, "$name, and the others exist once");
}

# A unit that partitions cover in part, while another session attaches the rest: the call waits for it, and only then finds no gap.
{
	$node->safe_psql('postgres', q{
		CREATE TABLE morning PARTITION OF log FOR VALUES FROM (ulid_first('2026-01-05 00:00:00+00')) TO (ulid_first('2026-01-05 12:00:00+00'));
		CREATE TABLE afternoon (LIKE log)});
	$writer->query_safe(q{BEGIN; ALTER TABLE log ATTACH PARTITION afternoon FOR VALUES FROM (ulid_first('2026-01-05 12:00:00+00')) TO (ulid_first('2026-01-06 00:00:00+00'))});
	my $waiting = start(days(6, 5));
	$waiting->{run}->pump_nb while $waiting->{run}->pumpable && !$node->safe_psql('postgres', 'SELECT count(*) FROM pg_locks WHERE NOT granted');
	$writer->query_safe('COMMIT');
	is(output($waiting), '', 'what another session changes meanwhile is no overlap');
}
$node->safe_psql('postgres', 'DROP TABLE log');

# A call reads the list of partitions while another session attaches one: it has read the names and waits for the bounds, because the
# other session locks pg_class. PostgreSQL then keeps the list without the new partition.
$node->safe_psql('postgres', 'CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)');
my $reader = $node->background_psql('postgres', on_error_stop => 0);
my $reader_pid = $reader->query_safe('SELECT pg_backend_pid()');
$reader->query_safe(days(2));
$node->safe_psql('postgres', days(3));
$reader->query_safe('SELECT FROM ONLY log');
$writer->query_safe('BEGIN; LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE');
$reader->query_until(qr/begins/, "\\echo begins\n" . days(4) . ";\n");
$writer->query_safe("DO 'BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid = $reader_pid) LOOP PERFORM pg_sleep(0.01); END LOOP; END'");
$writer->query_safe(days(4) . '; COMMIT');
$reader->query('SELECT');
is($reader->{stderr}, '', 'a call that has read the list of partitions before another one was attached finds it');
$reader->quit;
is($node->safe_psql('postgres', $partitions), '3|3', 'each exists once');
$node->safe_psql('postgres', 'DROP TABLE log');

# With a default partition and foreign keys, during transactions that write to the tables in the order of the keys.
$node->safe_psql('postgres', q{
	CREATE TABLE other (id int PRIMARY KEY);
	CREATE TABLE log (id ulid PRIMARY KEY, other int REFERENCES other) PARTITION BY RANGE (id);
	CREATE TABLE log_rest PARTITION OF log DEFAULT});
$writer->query_safe('BEGIN; INSERT INTO other VALUES (1000)');
my $creator = start("CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-01-03')");
wait_for_lock();
$writer->query_safe("INSERT INTO log VALUES (ulid_first('2020-01-01'), 1000)");
$writer->query_safe('COMMIT');
is(output($creator), '', 'creating while a row and a row that references it are inserted: no deadlock');
is($node->safe_psql('postgres', $partitions), '4|3', 'all partitions exist');
$node->safe_psql('postgres', 'CREATE TABLE note (log ulid REFERENCES log, n int)');
$writer->query_safe('BEGIN; INSERT INTO other VALUES (1001)');
my $dropper = start("SET client_min_messages = notice; CALL ids_drop_partitions('log', '2026-01-02 01:00:00+01')");
wait_for_lock();
$writer->query_safe("INSERT INTO log VALUES (ulid_first('2026-01-03'), 1001)");
$writer->query_safe('COMMIT');
like(output($dropper), qr/dropped partition "public\.log_20260101"/, 'dropping during the same inserts');
foreach (days(5), drop_days(4))
{
	$writer->query_safe('BEGIN; LOCK TABLE note IN ACCESS EXCLUSIVE MODE');
	my $waiting = start($_);
	wait_for_lock();
	$writer->query_safe('DROP TABLE note; COMMIT');
	is(output($waiting), '', "$_: a table that references the table is dropped meanwhile");
	$node->safe_psql('postgres', 'CREATE TABLE note (log ulid REFERENCES log, n int)');
}
$node->safe_psql('postgres', 'DROP TABLE note, log, other');

# A foreign key that another session adds while a call waits counts, as one that it drops.
$node->safe_psql('postgres', 'CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE note (log ulid); ' . days(4));
foreach (drop_days(2), drop_days(3) =~ s/\)$/, true)/r, days(5, 4))
{
	$writer->query_safe('BEGIN; ALTER TABLE note ADD FOREIGN KEY (log) REFERENCES log');
	my $waiting = start($_);
	wait_for_lock();
	$writer->query_safe('COMMIT');
	is(output($waiting), '', "$_: a table begins to reference the table meanwhile");
	$node->safe_psql('postgres', 'ALTER TABLE note DROP CONSTRAINT note_log_fkey');
}
is($node->safe_psql('postgres', $partitions), '2|2', 'all calls did what they were to do');
$node->safe_psql('postgres', 'DROP TABLE note, log, log_20260102');

# The order of the locks, and their modes: while another session locks one of the tables, a call has locked those before it, waits for
# that one, and has locked nothing else. A weaker lock would become stronger later, out of order.
$node->safe_psql('postgres', q{
	CREATE TABLE log (id ulid PRIMARY KEY, other int) PARTITION BY RANGE (id);
	CREATE TABLE log_rest PARTITION OF log DEFAULT;
	CREATE TABLE note (log ulid REFERENCES log);
	CREATE TABLE other (id int PRIMARY KEY);
	ALTER TABLE log ADD FOREIGN KEY (other) REFERENCES other;
	CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00')});
foreach (
	[ days(3), 'note ShareRowExclusiveLock', 'other ShareRowExclusiveLock', 'log ShareUpdateExclusiveLock', 'log_rest AccessExclusiveLock' ],
	[ drop_days(2), 'note AccessExclusiveLock', 'other AccessExclusiveLock', 'log AccessExclusiveLock', 'log_rest AccessExclusiveLock' ])
{
	my ($call, @order) = @$_;
	foreach my $place (0 .. $#order)
	{
		my ($table) = split / /, $order[$place];
		$writer->query_safe("BEGIN; LOCK TABLE ONLY $table IN SHARE UPDATE EXCLUSIVE MODE");
		my $waiting = start("BEGIN; $call; ROLLBACK");
		wait_for_lock();
		is($observer->query_safe(q{
			SELECT string_agg(concat_ws(' ', coalesce(relname, 'a new table'), mode, CASE WHEN NOT granted THEN 'waits' END), ', '
				ORDER BY array_position('{note,other,log,log_rest}', relname::text))
			FROM pg_locks l LEFT JOIN pg_class c ON c.oid = relation
			WHERE locktype = 'relation' AND mode IN ('ShareUpdateExclusiveLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')
				AND pid = (SELECT pid FROM pg_locks WHERE NOT granted)}), join(', ', @order[ 0 .. $place ]) . ' waits', "$call: the locks up to that of $table");
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

# The jobs for pg_cron give up while a transaction holds a row of another table that the table references. They would stop all who
# write to that other table.
my @jobs = slurp_file("$ENV{TESTDIR}/doc/servers.md") =~ /cron\.schedule\('.*?', '.*?', \$\$(.*?)\$\$\)/sg;
my $settings = '-c lock_timeout=1100ms -c statement_timeout=10min -c search_path=pg_catalog,pg_temp';
is(join("\n", map { join ' ', map { "-c " . s/[ ']//gr } /SET (.*?);/g } @jobs), "$settings\n$settings", 'two jobs wait for no lock for long');
like(slurp_file("$ENV{TESTDIR}/doc/servers.md"), qr/primary options='$settings'"/, 'nor does the one for another scheduler');
foreach my $job (@jobs)
{
	$node->safe_psql('postgres', q{
		CREATE TABLE ticket (id int PRIMARY KEY, n int);
		INSERT INTO ticket VALUES (1, 0), (2, 0);
		CREATE TABLE log (id ulid PRIMARY KEY, ticket int REFERENCES ticket) PARTITION BY RANGE (id);
		CREATE TABLE note (log ulid REFERENCES log);
		CALL ids_create_partitions('log', '1 month', '2020-01-01', '2020-02-01');
		CALL ids_create_partitions('log', '1 month', now() - interval '10 months', now())});
	$writer->query_safe('BEGIN; UPDATE ticket SET n = 1 WHERE id = 1');
	is($node->psql('postgres', $job =~ s/lock_timeout = '1100ms'/lock_timeout = '10ms'/r, stderr => \my $gave_up, timeout => 60), 3, 'a job');
	like($gave_up, qr/canceling statement due to lock timeout/, 'the job gave up');
	$writer->query_safe('ROLLBACK');
	is($node->psql('postgres', $job), 0, 'the next run of the job does what this one did not');
	is($node->safe_psql('postgres', "SELECT count(*) FROM ids_partitions('log') WHERE lower(times) > '2021-01-01'"), $job =~ /create/ ? 14 : 11, 'and keeps what is new');
	$node->safe_psql('postgres', 'DROP TABLE note, log, ticket');
}

# A partition that is being detached concurrently.
$node->safe_psql('postgres', q{CREATE TABLE log (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id); CALL ids_create_partitions('log', '1 month', '2026-01-15', '2026-02-15')});
$writer->query_safe('BEGIN; SELECT count(*) FROM log');
my $detach = start('ALTER TABLE log DETACH PARTITION log_20260101 CONCURRENTLY');
wait_for_lock();
$observer->query_safe('SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted');
like(output($detach), qr/user request/, 'a partition is being detached');
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

# Calls that have nothing to do, while a partition is detached concurrently and attached again and again. While it is being detached,
# they used to look at each of these many partitions, and nearly always at one that was detached meanwhile.
$node->safe_psql('postgres', q{
	CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 day', '2025-01-01 00:00:00+00', '2026-01-02 00:00:00+00');
	CREATE TABLE result (answer text);
	CREATE PROCEDURE call_often(statement text) LANGUAGE plpgsql AS $$
	BEGIN
		WHILE to_regclass('log_20260101') IS NOT NULL LOOP
			BEGIN
				EXECUTE statement;
			EXCEPTION WHEN OTHERS THEN
				INSERT INTO result VALUES (format('%s: %s', sqlstate, sqlerrm));
			END;
			COMMIT;
		END LOOP;
	END $$});
my @callers = map { start("CALL call_often('$_')") } "CALL ids_create_partitions(''log'', ''1 day'', ''2025-01-01 00:00:00+00'', ''2026-01-01 00:00:00+00'')",
	"CALL ids_drop_partitions(''log'', ''2025-01-01 00:00:00+00'')", "INSERT INTO result SELECT count(*) FROM ids_partitions(''log'')";
foreach (1 .. 30)
{
	$node->safe_psql('postgres', $_) foreach 'ALTER TABLE log DETACH PARTITION log_20260101 CONCURRENTLY',
		"ALTER TABLE log ATTACH PARTITION log_20260101 FOR VALUES FROM (ulid_first('2026-01-01 00:00:00+00')) TO (ulid_first('2026-01-02 00:00:00+00'))";
}
$node->safe_psql('postgres', 'DROP TABLE log_20260101');
is(output($_), '', 'calls while a partition is detached concurrently') foreach @callers;
is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT answer, ', ' ORDER BY answer) FROM result}), '365, 366', 'no errors');
$node->safe_psql('postgres', 'DROP TABLE log, result; DROP PROCEDURE call_often');

# Names that change while a call waits: it goes on with the table that it was given, and with its partitions.
my ($creates, $drops) = (days(3), drop_days(2));
my $other = $node->background_psql('postgres', on_error_stop => 1);
$node->safe_psql('postgres', 'CREATE TABLE log (id ulid, mine int) PARTITION BY RANGE (id)');
$other->query_safe('BEGIN; ALTER TABLE log RENAME TO renamed; CREATE TABLE log (id ulid, theirs int) PARTITION BY RANGE (id)');
my $call = start($creates);
wait_for_lock();
$other->query_safe('COMMIT');
is(output($call), '', 'creating waits while the table is renamed');
is($node->safe_psql('postgres', "SELECT string_agg(partition::text, ' ') FROM ids_partitions('renamed')"), 'renamed_20260101 renamed_20260102', 'creating goes on with the renamed table');
is($node->safe_psql('postgres', "SELECT count(*) FROM ids_partitions('log')"), '0', 'creating ignores the new table of that name');
$node->safe_psql('postgres', "DROP TABLE log; ALTER TABLE renamed RENAME TO log; ALTER TABLE renamed_20260101 RENAME TO log_20260101");
$other->query_safe('BEGIN; SELECT FROM log_20260101');
$call = start($drops);
wait_for_lock();
$other->query_safe('ALTER TABLE log_20260101 RENAME TO renamed; CREATE TABLE log_20260101 (theirs int); COMMIT');
is(output($call), '', 'dropping waits while a partition is renamed');
is($node->safe_psql('postgres', "SELECT to_regclass('renamed') IS NULL, to_regclass('log_20260101') IS NULL"), 't|f', 'dropping drops the renamed partition');
$node->safe_psql('postgres', 'DROP TABLE log, log_20260101; CREATE TABLE log (id ulid) PARTITION BY RANGE (id); GRANT ALL ON SCHEMA public TO owner; ALTER TABLE log OWNER TO owner');
$other->query_safe('BEGIN; ALTER TABLE log OWNER TO CURRENT_USER');
$call = start("SET ROLE owner; $creates");
wait_for_lock();
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
	wait_for_lock();
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

# A partition takes over what one of CREATE TABLE ... PARTITION OF does: defaults, generated columns, constraints, and how columns and
# the table are stored, from PostgreSQL 17 on also its access method.
my $using = $node->pg_version < 17 ? '' : 'USING other_heap';
$node->safe_psql('postgres', qq{
	CREATE ACCESS METHOD other_heap TYPE TABLE HANDLER heap_tableam_handler;
	CREATE TABLE log (
		id ulid DEFAULT gen_ulid(), n int NOT NULL DEFAULT 7 CHECK (n > 0), twice int GENERATED ALWAYS AS (n * 2) STORED,
		text text COMPRESSION pglz, bytes bytea) PARTITION BY RANGE (id) $using;
	ALTER TABLE log ALTER bytes SET STORAGE EXTERNAL;
	CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00');
	CREATE TABLE by_hand PARTITION OF log FOR VALUES FROM (ulid_first('2026-02-01')) TO (ulid_first('2026-03-01'))});
my ($made, $by_hand) = map { $node->safe_psql('postgres', qq{
	SELECT attname, attnotnull, attstorage, attcompression, attgenerated, pg_get_expr(adbin, adrelid)
		FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = '$_'::regclass AND attnum > 0 ORDER BY attnum;
	SELECT conname, pg_get_constraintdef(oid), coninhcount FROM pg_constraint WHERE conrelid = '$_'::regclass ORDER BY conname;
	SELECT relam, reltablespace, reloptions FROM pg_class WHERE oid = '$_'::regclass}) } 'log_20260101', 'by_hand';
is($made, $by_hand, 'a partition takes over what PostgreSQL itself would');
like($made, qr/^text\|f\|x\|p\|.*^bytes\|f\|e\|/ms, 'with compression and storage');

$observer->quit;
$node->stop;
done_testing();
