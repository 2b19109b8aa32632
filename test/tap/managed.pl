# An ordinary database owner runs doc/managed.sql on a server without the extension: ids are in order over
# all sessions. Then the database moves to the extension, whose functions give the same results, and no row
# changes. Another one leaves the extension for the script. managed_settled.pl reads new rows.
use strict;
use warnings;
use Generators;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Trap;

my $clients = 4;
my $calls = 5_000;

my $node = PostgreSQL::Test::Cluster->new('managed');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE writer LOGIN; CREATE DATABASE app OWNER owner; CREATE DATABASE moved OWNER owner');

sub run_as
{
	my ($role, $database, $sql) = @_;
	return $node->safe_psql($database, $sql, extra_params => [ '-U', $role ]);
}

sub error_of
{
	my ($role, $database, $sql) = @_;
	my (undef, undef, $error) = $node->psql($database, $sql, extra_params => [ '-U', $role ]);
	return $error;
}

# Its time runs from each query, not from its start.
sub session { my $session = $node->background_psql($_[0], on_error_stop => 0); $session->set_query_timer_restart; return $session }

$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-f', "$ENV{TESTDIR}/doc/managed.sql", '-d', $node->connstr('app') ],
	'the owner of a database runs the script');
is(run_as('owner', 'app', q{
	SELECT concat_ws(' ', prokind, provolatile, proparallel, CASE WHEN prosecdef THEN 'as owner' END, proconfig), string_agg(proname, ' ' ORDER BY oid)
	FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'uuidv7'::regnamespace) GROUP BY 1 ORDER BY 1}), join("\n",
		'f i s|' . join(' ', (map { "uuidv7_$_" } qw(unix_ms extract_timestamp floor_ms boundary first last first_ms last_ms range_first range_last within)), qw(ulid_text ulid_from_text)),
		'f i u|of_tick', 'f v r as owner {"search_path=pg_catalog, pg_temp"}|gen_uuidv7', 'f v u|enrol next_tick unlock', 'f v u as owner|gen_uuidv7',
		'f v u {"search_path=pg_catalog, pg_temp"}|uuidv7_check_position', 'p v u as owner {"search_path=pg_catalog, pg_temp"}|uuidv7_settled'),
	'which functions are immutable, run in parallel workers, as their owner, and with a path');
unlike(run_as('owner', 'app', 'SELECT prosrc FROM pg_proc WHERE prosecdef AND proconfig IS NULL') =~ s/--.*//gr, qr{(?<![.\w])\w+\(|[-+*/<>~!@#%^&|]|(?<!:)=}, 'without a path, all names have their schema');

# The clock alone puts nearly all ids into order. So this is also tested where the sequence is ahead of the clock.
$node->safe_psql('postgres', 'CREATE DATABASE ahead OWNER owner TEMPLATE app');
is(run_as('owner', 'ahead', q{SELECT setval('uuidv7.tick', (extract(epoch FROM clock_timestamp() + interval '1 day') * 4096000)::bigint) > 0}), 't', 'a sequence is set ahead of the clock');
foreach my $database ('app', 'ahead')
{
	my ($made, $distinct, $late, $other, $random) = call_at_once($node, 'gen_uuidv7()', 'uuid', 'id::text COLLATE "C"', database => $database, user => 'writer',
		clients => $clients, calls => $calls, more => [ q{count(*) FILTER (WHERE id::text !~ '^.{14}7.{4}[89ab]')}, 'count(DISTINCT right(id::text, 14))' ]);
	is("$made|$distinct", $clients * $calls . '|' . $clients * $calls, "$database: every call returned another id");
	is($other, 0, "$database: all ids are of version 7");
	# With good randomness, two of them are equal in less than one of 10^7 runs.
	is($random, $clients * $calls, "$database: no two ids have the same 52 of their 62 random bits");
	is($late, 0, "$database: ids are greater than all that were returned before");
}
is(run_as('owner', 'ahead', q{SELECT uuidv7_extract_timestamp(gen_uuidv7()) > now() + interval '23 hours'}), 't', 'ids stay in order, and their times are ahead of the clock');
is(run_as('owner', 'ahead', "CALL uuidv7_settled() \\gset\nSELECT gen_uuidv7() > :'settled'"), 't', 'the next id is above what is settled');
# A table whose rows must stay as they are.
run_as('owner', 'app', q{
	CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), n int);
	GRANT INSERT, SELECT ON item TO writer;
	INSERT INTO item SELECT gen_uuidv7('2026-01-01 00:00:00+00'::timestamptz + n * interval '12.345678 s'), n FROM generate_series(1, 1000) n;
	CREATE TABLE position (feed text, consumer text, id uuid);
	CREATE TRIGGER settled BEFORE INSERT OR UPDATE OF id ON position FOR EACH ROW EXECUTE FUNCTION uuidv7_check_position();
	CREATE TABLE log (id uuid PRIMARY KEY DEFAULT gen_uuidv7()) PARTITION BY RANGE (id);
	CREATE TABLE log_then PARTITION OF log FOR VALUES FROM (MINVALUE) TO (uuidv7_first('2026-01-01 00:00:00+00'));
	CREATE TABLE log_now PARTITION OF log FOR VALUES FROM (uuidv7_first('2026-01-01 00:00:00+00')) TO (MAXVALUE)});
run_as('writer', 'app', 'INSERT INTO item (n) SELECT generate_series(1001, 2000)');
run_as('owner', 'app', 'INSERT INTO log SELECT FROM generate_series(1, 100)');
is(run_as('owner', 'app', q{SELECT tableoid::regclass, count(*) FROM log GROUP BY 1}), 'log_now|100', 'ids go to their partitions');
like(run_as('owner', 'app', q{SET timezone = 'UTC'; EXPLAIN (COSTS OFF) SELECT FROM log WHERE id < uuidv7_first('2026-01-01')}), qr/Scan on log_then /, 'the planner prunes partitions');
like(run_as('owner', 'app', q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM item WHERE id >= uuidv7_first(now())}), qr/Index Cond: \(id >= /, 'an index serves a range of time');
like(run_as('owner', 'app', q{
		SET enable_seqscan = off;
		EXPLAIN (COSTS OFF) SELECT FROM item WHERE uuidv7_within(id, tstzrange(now() - interval '1 day', now()));
	}), qr/Index Cond: \(\(id >= .*\) AND \(id <= /, 'an index serves uuidv7_within()');
my $recent = q{SELECT bool_and(abs(extract(epoch FROM uuidv7_extract_timestamp(id) - clock_timestamp())) < 300) FROM item WHERE n > 1000};
is(run_as('owner', 'app', $recent), 't', 'ids have the current time');
is(error_of('writer', 'app', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SELECT count(gen_uuidv7()) FROM item'), '',
	'a query that would be parallel without ids');

# After an error or a cancelled statement, the session holds no lock. In a read-only transaction the error comes without it.
my $locks = q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'};
my ($session, $holder) = map { session('app') } 1 .. 2;
my $pid = $session->query('SELECT pg_backend_pid()');
$holder->query_safe('SELECT pg_advisory_lock(129147139814967)');
like(error_of('writer', 'app', q{SET statement_timeout = '60s'; BEGIN READ ONLY; SELECT gen_uuidv7()}), qr/cannot execute setval\(\) in a read-only transaction/, 'nothing is generated in a read-only transaction');
$session->query_until(qr/waits/, "\\echo waits\nSELECT gen_uuidv7();\n");
ok($node->poll_query_until('app', "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $pid"), 'a session waits for its turn');
is($node->safe_psql('app', 'SELECT count(*) FROM pg_locks WHERE NOT granted'), '0', 'but not for the lock, which it could be given and be cancelled');
$node->safe_psql('app', "SELECT pg_cancel_backend($pid)");
ok($node->poll_query_until('app', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid"), 'the waiting session is cancelled');
$holder->query_safe('SELECT pg_advisory_unlock(129147139814967)');
is($node->safe_psql('app', $locks), '0', 'the cancellation leaves no lock');
like($session->query('SELECT gen_uuidv7()'), qr/-7.{3}-/, 'the session generates after the cancellation');
like($session->{stderr}, qr/canceling statement due to user request/, 'the session saw the cancellation');
unlike($session->{stderr}, qr/WARNING/, 'the session saw no warning');

# Two others cancel it all the time, beside one that makes ids, too. None of its statements ends with the lock.
my @script = map { my $file = $node->basedir . '/' . ++$calls; append_to_file($file, "$_;\n"); $file } "SELECT pg_cancel_backend($pid)", 'SELECT gen_uuidv7()';
my @beside = map { IPC::Run::start([ 'pgbench', '-n', '-c', 2 - $_, '-T', 3600, '-f', $script[$_], $node->connstr('app') ], '>', \my $out, '2>', \my $error) } 0, 1;
my ($least, $most) = (time + 4, time + $PostgreSQL::Test::Utils::timeout_default);
my $cancelled = sub { scalar(() = $session->{stderr} =~ /canceling/g) };
$session->query("SELECT gen_uuidv7();\n" x 200) while time < $least || $cancelled->() < 100 && time < $most;
$_->kill_kill foreach @beside;
ok($node->poll_query_until('app', "SELECT ($locks) = 0"), 'a session that two others cancel keeps no lock, ' . $cancelled->() . ' times');
$session->query('SELECT 1');    # a cancel that has come late

# So after an error of the server while the session has the lock.
my $ahead = session('ahead');
my $last = run_as('owner', 'ahead', 'SELECT last_value FROM uuidv7.tick');
run_as('owner', 'ahead', q{SELECT setval('uuidv7.tick', 1152921504606846975)});
$ahead->query('SELECT gen_uuidv7()');
like($ahead->{stderr}, qr/out of bounds for sequence "tick"/, 'no tick is left');
is($node->safe_psql('app', $locks), '0', 'the error leaves no lock');
run_as('owner', 'ahead', "SELECT setval('uuidv7.tick', $last)");
$_->quit foreach $session, $holder, $ahead;

# The setting that tells where a transaction's ids begin ends with it, or with a rollback to before the first; so it holds nobody back by its
# age. Ids have the time of their call, not of their statement.
my $setting = q{SELECT coalesce(nullif(current_setting('uuidv7.first_ms', true), ''), 'none')};
is(run_as('writer', 'app', "BEGIN; SELECT gen_uuidv7() IS NULL; $setting ~ '^[0-9]+/[0-9]+\$'; COMMIT; $setting; BEGIN; SELECT gen_uuidv7() IS NULL; ROLLBACK; $setting;
	BEGIN; SAVEPOINT s; SELECT gen_uuidv7() IS NULL; ROLLBACK TO s; $setting; COMMIT; $setting"), "f\nt\nnone\nf\nnone\nf\nnone\nnone", 'no setting outlives its transaction');
is(run_as('writer', 'app', q{SELECT uuidv7_extract_timestamp(later) - uuidv7_extract_timestamp(sooner) >= interval '0.3 s'
	FROM (SELECT gen_uuidv7() AS sooner, pg_sleep(0.3), gen_uuidv7() AS later OFFSET 0) ids}), 't', 'two ids of one statement have their own times');
like(run_as('writer', 'app', "BEGIN; SELECT gen_uuidv7(), pg_sleep(0.01) FROM generate_series(1, 5); $locks"), qr/^1$/m, 'a long transaction takes one lock');

# Others can neither write the sequence nor call what only the owner needs, whatever default privileges grant them, nor after administration
# of the usual kind: a dump without privileges, then GRANTs for all of public.
sub install { return ($node->psql($_[0], $_[1] . page('doc/managed.sql') . ($_[2] // ''), on_error_stop => 0))[2] }
$node->safe_psql('postgres', 'CREATE ROLE "App Users"; GRANT "App Users" TO writer; CREATE DATABASE all_granted OWNER owner TEMPLATE app');
run_as('owner', 'all_granted', join '; ', map { "GRANT ALL ON ALL $_ IN SCHEMA public TO writer" } qw(TABLES SEQUENCES ROUTINES));
foreach my $kind (qw(SCHEMAS SEQUENCES ROUTINES))
{
	$node->safe_psql('postgres', "CREATE DATABASE \L${kind}_granted");
	is(install(lc "${kind}_granted", join '', map { "ALTER DEFAULT PRIVILEGES GRANT ALL ON $kind TO $_; " } 'PUBLIC', '"App Users"'), '', "the script runs with default privileges on $kind");
}
foreach my $database ('app', 'all_granted', 'schemas_granted', 'sequences_granted', 'routines_granted')
{
	like(error_of('writer', $database, $_), qr/permission denied for schema uuidv7/, "$database: $_") foreach q{SELECT setval('uuidv7.tick', 1)}, 'CREATE TABLE uuidv7.mine ()',
		map { "SELECT uuidv7.$_" } 'enrol()', 'next_tick()', 'unlock()', 'of_tick(1)';
	my $number = $node->safe_psql($database, q{SELECT 'uuidv7.tick'::regclass::oid});
	like(error_of('writer', $database, "SELECT $_"), qr/permission denied for sequence tick/, "$database: by its number, $_") foreach "setval($number, 1)", "nextval($number)";
	is(run_as('writer', $database, "SELECT gen_uuidv7()::text ~ '7', gen_uuidv7(now())::text ~ '7'"), 't|t', "$database: but generate ids");
}

# Somebody who may create schemas makes one that a superuser's path finds first, with operators and functions that fit better than
# PostgreSQL's, then puts doubles of these before them, too. Nothing of the script refers to any.
$node->safe_psql('postgres', 'CREATE DATABASE trap; GRANT CREATE ON DATABASE trap TO writer');
my $superuser = $node->safe_psql('trap', 'SELECT current_user');
my %names = map { $_ => 1 } page('doc/managed.sql') =~ /\b([a-z]\w+)\(/g;
run_as('writer', 'trap', trap($superuser, 'int,bigint,numeric,float8,boolean,text,oid,regclass,"char",timestamptz,date,interval,tstzrange,uuid,bit,bytea', keys %names));
cmp_ok($node->safe_psql('trap', q{SET search_path = pg_catalog; SELECT count(*) FROM pg_operator WHERE oprowner <> 10}), '>', 4_000, 'a trap');
my $uses = q{
	SET search_path = pg_catalog;
	WITH made AS (SELECT oid FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, 'uuidv7'::regnamespace) UNION ALL SELECT 'uuidv7.tick'::regclass)
	SELECT pg_describe_object(classid, objid, 0), uses FROM pg_depend, pg_describe_object(refclassid, refobjid, 0) uses
	WHERE classid = 'pg_proc'::regclass AND objid IN (SELECT oid FROM made) AND refobjid NOT IN (SELECT oid FROM made) AND uses ~ '[.]'};
foreach my $path ('"$user", public', '"$user", public, pg_catalog')
{
	is(install('trap', "SET search_path = $path;"), '', "the script runs with search_path = $path");
	my $all = join ', ', map { "public.$_" } "gen_uuidv7('2026-01-01 00:00:00+00'::timestamptz)", 'gen_uuidv7()', "uuidv7_within(public.gen_uuidv7(), pg_catalog.tstzrange('2026-01-01', '2999-01-01'))",
		'uuidv7_extract_timestamp(public.gen_uuidv7())', 'ulid_from_text(public.ulid_text(public.gen_uuidv7()))';
	foreach my $role ('writer', $superuser)
	{
		is(error_of($role, 'trap', "SET search_path = $path; SELECT $all; CALL public.uuidv7_settled()"), '', "its functions run as it was made, for $role");
	}
	is($node->safe_psql('trap', $uses), '', 'it refers to its own objects and to PostgreSQL\'s');
	$node->safe_psql('trap', 'DROP SCHEMA public, uuidv7 CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC');
}
run_as('writer', 'app', "CREATE TEMP TABLE pg_locks AS SELECT; CREATE TEMP TABLE pg_database AS SELECT; CREATE TEMP SEQUENCE tick; SELECT public.gen_uuidv7(); CALL public.uuidv7_settled()");

# Somebody's function of the same name ends the script, which leaves nothing behind, also in a psql that goes on.
$node->safe_psql('trap', 'GRANT CREATE ON SCHEMA public TO writer');
run_as('writer', 'trap', q{CREATE FUNCTION public.ulid_text(uuid) RETURNS text LANGUAGE sql RETURN 'mine'});
like(install('trap', ''), qr/function "ulid_text" already exists with same argument types/, 'somebody has a function of that name');
is($node->safe_psql('trap', q{SET search_path = pg_catalog; SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace; SELECT to_regnamespace('uuidv7')}), "1\n", 'nothing else is there');
run_as('writer', 'trap', 'DROP FUNCTION public.ulid_text; CREATE SCHEMA uuidv7');
like(install('trap', ''), qr/schema "uuidv7" already exists/, 'nor does it use a schema of somebody');
run_as('writer', 'trap', 'DROP SCHEMA uuidv7');

# Nobody's overloads of its functions, which make calls by name ambiguous, stop a column's default.
run_as('owner', 'all_granted', q{DO $$DECLARE f record; BEGIN FOR f IN SELECT proname, oidvectortypes(proargtypes) AS types FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	LOOP EXECUTE format('CREATE FUNCTION public.%I(%s x int DEFAULT 0) RETURNS int LANGUAGE sql RETURN x', f.proname, nullif(f.types, '') || ','); END LOOP; END$$});
is(error_of('writer', 'all_granted', 'SELECT gen_uuidv7()') =~ /(is not unique)/ && $1, 'is not unique', 'a call is ambiguous');
is(run_as('writer', 'all_granted', 'INSERT INTO item (n) VALUES (1) RETURNING n'), '1', 'but a default is not');

# As an extension's script, as by pg_tle, or within a transaction, it leaves the session's search_path as it was.
append_to_file("$ENV{IDS_SHAREDIR}/extension/uuidv7.control", "default_version = '1.0'\n");
append_to_file("$ENV{IDS_SHAREDIR}/extension/uuidv7--1.0.sql", page('doc/managed.sql'));
foreach ([ 'CREATE EXTENSION uuidv7;', 'DROP EXTENSION uuidv7;' ], [ 'BEGIN;' . page('doc/managed.sql'), 'ROLLBACK;' ], [ page('doc/managed.sql'), '' ])
{
	my ($make, $drop) = @$_;
	is($node->safe_psql('trap', "SET search_path = app, public; $make SHOW search_path; SELECT public.gen_uuidv7() IS NULL; $drop SHOW search_path"), "app, public\nf\napp, public",
		'the path stays: ' . substr($make, 0, 6));
}

# The dump of a database with that extension has the last tick.
$node->safe_psql('trap', 'DROP SCHEMA public, uuidv7 CASCADE; CREATE SCHEMA public; CREATE EXTENSION uuidv7');
my ($tick) = $node->safe_psql('trap', 'SELECT gen_uuidv7(); SELECT last_value FROM uuidv7.tick') =~ /^(\d+)$/m;
like((run_command([ 'pg_dump', '-d', $node->connstr('trap') ]))[0], qr/setval\('uuidv7\.tick', $tick, true\)/, 'the dump of the extension has the last tick');

# In another schema it needs nothing in public.
is($node->safe_psql('trap', 'DROP EXTENSION uuidv7; DROP SCHEMA public; CREATE SCHEMA other; ' . (page('doc/managed.sql') =~ s/public\./other./gr)
	. 'SELECT other.gen_uuidv7() IS NULL; DO $$DECLARE bound uuid; BEGIN CALL other.uuidv7_settled(bound); END$$'), 'f', 'the script in another schema');

# Its hints name sections of the page.
my %hint = page('doc/managed.sql') =~ /"([^"\n]+)" in (doc\/\w+\.md)/g;
like(page($hint{$_}), qr/^## $_$/m, "$hint{$_} has $_") foreach sort { $a cmp $b } 'New rows', 'On a replica', keys %hint;

# The page's consumer reads each row once, also again from the beginning, after its position was set back, and after one of its statements
# has failed while psql went on.
my @consumer = map { block('doc/managed.md', 'New rows', $_) } 'CREATE TABLE position', 'FOR UPDATE';
my @steps = $consumer[1] =~ /(.*?(?:;|\\gset)[^\n]*\n)/sg;
run_as('owner', 'ahead', "CREATE TABLE event (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), message text); INSERT INTO event (message) VALUES ('a'), ('b'); $consumer[0];
	INSERT INTO position VALUES ('event', 'another', '00000000-0000-0000-0000-000000000001'), ('another', 'mail', '00000000-0000-0000-0000-000000000001')");
like(error_of('owner', 'ahead', "\\set VERBOSITY sqlstate\nINSERT INTO position VALUES $_"), qr/ERROR:  2350[25]/, "no such position: $_")
  foreach q{('event', 'mail', '00000000-0000-0000-0000-000000000000')}, q{('third', 'mail', NULL)};
foreach my $before ('', 'UPDATE position SET id = (SELECT id FROM event ORDER BY id LIMIT 1)', q{UPDATE position SET id = '00000000-0000-0000-0000-000000000000'},
	map { my $n = $_; map { my @failing = @steps; $failing[$n] = "SELECT 1 / 0;\n"; "$_; " . join '', @failing } "\\set ON_ERROR_ROLLBACK on\nSELECT", "SELECT" } 0 .. $#steps)
{
	error_of('owner', 'ahead', "\\set ON_ERROR_STOP 0\nINSERT INTO event (message) VALUES ('c'); $before");
	is(run_as('owner', 'ahead', "INSERT INTO event (message) VALUES ('d'); $consumer[1]; SELECT string_agg((id = (SELECT id FROM event ORDER BY id DESC LIMIT 1))::text, ' ' ORDER BY feed DESC, consumer DESC) FROM position") =~ s/\n/ /r,
		run_as('owner', 'ahead', q{SELECT string_agg(message, ' ' ORDER BY id) FROM event}) . ' true false false', "the consumer reads all rows: $before");
}

# So it does in small batches, with rows of which one commits late, and others stand in another order. It reads none again.
my $open = session('ahead');
$open->query_safe(q{BEGIN; INSERT INTO event (message) VALUES ('slow')});
my $small = $consumer[1] =~ s/LIMIT 1000/LIMIT 2/r;
run_as('owner', 'ahead', "INSERT INTO event SELECT id, 'fast' FROM (SELECT gen_uuidv7() AS id FROM generate_series(1, 3)) made ORDER BY id DESC; $small");
$open->query_safe('COMMIT');
is(run_as('owner', 'ahead', "$small$small") =~ s/.*\n//r, run_as('owner', 'ahead', q{SELECT string_agg(message, ' ' ORDER BY id) FROM event}), 'the consumer reads a row that commits late');
is(run_as('owner', 'ahead', "TRUNCATE mail; $consumer[1]"), '', 'and nothing again');

# An open transaction holds readers back to the beginning of a millisecond, in which others may have read. So the guard takes each position
# of it, as the page says, and refuses later ones.
run_as('owner', 'ahead', q{SELECT setval('uuidv7.tick', (last_value >> 12) + 1 << 12) FROM uuidv7.tick});
$open->query_safe('BEGIN; SELECT gen_uuidv7()');
is(error_of('owner', 'ahead', 'UPDATE position SET id = gen_uuidv7()'), '', 'a position in the millisecond of an open transaction');
run_as('owner', 'ahead', q{SELECT setval('uuidv7.tick', last_value + 4096) FROM uuidv7.tick});
like(error_of('owner', 'ahead', 'UPDATE position SET id = gen_uuidv7()'), qr/is above what is settled/, 'but not in the next one');
$open->quit;

# The page's dump of schema public brings schema uuidv7. Default privileges open its sequence where it is restored, until they are revoked.
$node->safe_psql('postgres', 'CREATE DATABASE partly OWNER owner');
run_as('owner', 'partly', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO writer');
my @schemas = page('doc/managed.md') =~ /`(-n \w+)`/g;
my ($partly, undef) = run_command([ 'pg_dump', '-U', 'owner', (map { split / / } @schemas), '-d', $node->connstr('app') ]);
$node->psql('partly', $partly, on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
is(run_as('writer', 'partly', 'SELECT gen_uuidv7() IS NULL'), 'f', "a dump by @schemas makes ids");
my $set = q{SELECT setval(} . $node->safe_psql('partly', q{SELECT 'uuidv7.tick'::regclass::oid}) . ', 1)';
is(error_of('writer', 'partly', $set), '', 'default privileges open the sequence');
run_as('owner', 'partly', 'REVOKE ALL ON SEQUENCE uuidv7.tick FROM writer');
like(error_of('writer', 'partly', $set), qr/permission denied for sequence tick/, 'until they are revoked');

# The owner dumps and restores the database: first what it defines, then its rows, among them a position.
run_as('owner', 'app', q{INSERT INTO position SELECT 'log', 'backup', id FROM log ORDER BY id DESC LIMIT 1});
foreach my $part ('--schema-only', '--data-only')
{
	my $dump = $node->basedir . '/app.sql';
	$node->command_ok([ 'pg_dump', '-U', 'owner', $part, '-f', $dump, '-d', $node->connstr('app') ], "the owner dumps it, $part");
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-f', $dump, '-d', $node->connstr('moved') ], "the owner restores it, $part");
}
is(run_as('owner', 'moved', 'INSERT INTO item (n) VALUES (2001) RETURNING id > ALL (SELECT id FROM item WHERE n <= 2000)'), 't', 'new ids in the restored database are above the old ones');

# Where ids have been made, later positions are refused, unless the guard is disabled meanwhile.
run_as('owner', 'app', "SELECT gen_uuidv7() AS id \\gset\nUPDATE position SET id = :'id'");
run_as('owner', 'moved', 'TRUNCATE position');
my $data = (run_command([ 'pg_dump', '-U', 'owner', '--data-only', '-t', 'position', '-d', $node->connstr('app') ]))[0];
my @guard = page('doc/cookbook.md') =~ /`(ALTER TABLE position )(DISABLE TRIGGER settled)`, afterwards `(ENABLE TRIGGER settled)`/;
like(error_of('owner', 'moved', $data), qr/is above what is settled/, 'a later position is refused');
run_as('owner', 'moved', "$guard[0] $guard[1]");
is(error_of('owner', 'moved', $data), '', 'but not while the guard is disabled');
run_as('owner', 'moved', "$guard[0] $guard[2]");

# The functions' results for times, ranges and ids of every kind.
my $answers = q{
	SET timezone = 'America/St_Johns';
	WITH at AS (
		SELECT t AS at FROM unnest(ARRAY['-infinity', 'infinity', '4713-01-01 00:00:00+00 BC', '294276-12-31 00:00:00+00',
			'1969-12-31 23:59:59.999999+00', '1970-01-01 00:00:00+00', '1970-01-01 00:00:00.000001+00',
			'2540-11-07 23:35:09.481983+00', '10889-08-02 05:31:50.654999+00', '10889-08-02 05:31:50.655+00',
			'10889-08-02 05:31:50.655999+00', '10889-08-02 05:31:50.656+00', NULL]::timestamptz[]) t
		UNION ALL SELECT '2026-11-01 00:00:00+00'::timestamptz + i * interval '250 microseconds' FROM generate_series(-5, 5) i
		UNION ALL SELECT '1970-01-01 00:00:00+00'::timestamptz + i * interval '89 days 12345.678901 s' FROM generate_series(1, 30000, 2990) i
	), span AS (
		SELECT tstzrange(least(a.at, b.at), greatest(a.at, b.at), bounds) AS r FROM at a, at b, unnest(ARRAY['[]', '[)', '(]', '()']) bounds
		UNION ALL SELECT tstzrange(at, NULL, '(]') FROM at UNION ALL SELECT tstzrange(NULL, at, '[)') FROM at
		UNION ALL SELECT 'empty' UNION ALL SELECT NULL
	), id AS (
		SELECT id FROM item UNION ALL SELECT id FROM log
		UNION ALL SELECT uuidv7_last(at) FROM at
		UNION ALL SELECT unnest(ARRAY['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', '919108f7-52d1-4320-9bac-f847db4148a8',
			'00000000-0000-0000-0000-000000000000',
			'017F22E2-79B0-7CC3-78C4-DC0C0C07398F', '017F22E2-79B0-7CC3-C8C4-DC0C0C07398F', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF']::uuid[])
	)
	SELECT concat_ws('|', at, uuidv7_first(at), uuidv7_last(at)) FROM at
	UNION ALL SELECT concat_ws('|', r, uuidv7_range_first(r), uuidv7_range_last(r)) FROM span
	UNION ALL SELECT concat_ws('|', 'within', r, count(*) FILTER (WHERE uuidv7_within(id, r)),
		count(*) FILTER (WHERE uuidv7_within(id, r) IS NULL))
		FROM (SELECT * FROM span WHERE hashtext(r::text) % 100 = 0) span, (SELECT * FROM id WHERE hashtext(id::text) % 20 = 0) id GROUP BY r
	UNION ALL SELECT concat_ws('|', id, uuidv7_extract_timestamp(id)) FROM id
	-- without the random bits
	UNION ALL SELECT concat_ws('|', 'made', at, left(gen_uuidv7(at)::text, 18)) FROM at
		WHERE at >= '1970-01-01 00:00:00+00' AND at < '10889-08-02 05:31:50.656+00'
	ORDER BY 1};
my @refused = map { "SELECT gen_uuidv7('$_')" } '1969-12-31 23:59:59.999999+00', '10889-08-02 05:31:50.656+00', 'infinity', '-infinity';
sub errors
{
	return join '', map { my $error = error_of('owner', 'moved', "\\set VERBOSITY verbose\n$_"); $error =~ s/^(?:CONTEXT|LOCATION|LINE \d+):.*(?:\n|\z)|^psql:\S+ |^ +\^\n//mg; $error } @refused;
}
my $of_script = run_as('owner', 'moved', $answers);
my $errors_of_script = errors();
cmp_ok(scalar(split /\n/, $of_script), '>', 6_000, 'the functions return times and boundaries');
is(scalar(() = $errors_of_script =~ /ERROR:  22008: timestamp out of range for uuidv7/g), 4, 'the functions refuse times that an id cannot hold');

# The move to the extension, with the statements in doc/managed.md.
my $rows = q{SELECT md5(string_agg(concat(id, n, ctid), ',' ORDER BY id)), pg_relation_filenode('item') FROM item};
my $before = run_as('owner', 'moved', $rows);
like(error_of('owner', 'moved', 'CREATE EXTENSION ids'), qr/names of extension "ids" conflict.*HINT:  For managed.sql, see "Moving to the extension" in doc\/managed.md/s, 'the extension does not hide the functions of the script');
my $move = block('doc/managed.md', 'Moving to the extension', 'CREATE EXTENSION');
$move =~ s/^(.*)\bevent\b(.*)\n/$1item$2\n$1log$2\n/mg;
my $late = $node->background_psql('moved');
$late->query_safe('BEGIN; SELECT gen_uuidv7()');
like(error_of('owner', 'moved', "\\set ON_ERROR_STOP 1\nSET lock_timeout = '1s'; $move"), qr/lock timeout/, 'the move waits for a transaction that has made an id');
$late->quit;
is(error_of('owner', 'moved', "\\set ON_ERROR_STOP 1\nSET client_min_messages = warning; BEGIN; DROP TABLE position; $move ROLLBACK"), '', 'a database without positions would move');
my $tick = run_as('owner', 'moved', q{SELECT setval('uuidv7.tick', last_value + 3600 * 4096000::bigint) - 3600 * 4096000::bigint FROM uuidv7.tick});
like(error_of('owner', 'moved', "\\set ON_ERROR_STOP 1\n$move"), qr/assertion failed/, 'it does not while the clock is behind, as new ids would be below old ones');
run_as('owner', 'moved', "SELECT setval('uuidv7.tick', $tick)");
is(error_of('owner', 'moved', "\\set ON_ERROR_STOP 1\n$move"), '', 'the database moves');
is(run_as('owner', 'moved', q{SELECT count(*), to_regnamespace('uuidv7') FROM pg_proc WHERE proname ~ 'uuidv7' AND pronamespace = 'public'::regnamespace}), '0|', 'nothing of the script is left');
is(run_as('owner', 'moved', $rows), $before, 'no row has changed');
is(run_as('owner', 'moved', $answers), $of_script, 'the functions of the extension return the same results');
is(errors(), $errors_of_script, 'the functions of the extension raise the same errors');

# The script's texts of ulids are those of the extension: of random uuids, the smallest, the greatest, and with each digit at each place.
is(run_as('owner', 'moved', q{
	WITH id AS (
		SELECT gen_random_uuid() AS id FROM generate_series(1, 1000) UNION ALL SELECT unnest(ARRAY[ulid_first('-infinity'), ulid_last('infinity')])::uuid
		UNION ALL SELECT overlay('00000000000000000000000000' PLACING digit FROM place FOR 1)::ulid::uuid
			FROM generate_series(1, 26) place, regexp_split_to_table('0123456789ABCDEFGHJKMNPQRSTVWXYZ', '') digit WHERE place > 1 OR digit < '8' COLLATE "C"
	), text AS (SELECT id, id::ulid::text AS text FROM id)
	SELECT count(*), count(*) FILTER (WHERE ulid_text(id) = text AND ulid_from_text(text) = id AND ulid_from_text(lower(text)) = id) FROM text}),
	'1810|1810', 'texts of ulids are written and read as the extension does');
my @texts = ('', '0', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '001AN4Z07BY79KA1307SR9X4MV3', (map { "01AN4Z07BY79KA1307SR9X4MV$_" } qw(I L O U i l o u)), "01AN4Z07BY79KA1307SR9X4MV\xc5\xbf", '015549f0-1d7e-3a66-a08c-07ce13d25363', "01AN4Z07BY79KA1307SR9X4MV3\n");
like(error_of('owner', 'moved', "\\set VERBOSITY sqlstate\nSELECT ulid_from_text('$_')"), qr/ERROR:  22P02/, "not read as a ulid: '$_'") foreach @texts;
is(run_as('owner', 'moved', join ' UNION ALL ', map { "SELECT ulid_is_valid('$_')" } @texts), join("\n", ('f') x @texts), 'the extension does not, either');

is(run_as('owner', 'moved', q{
	INSERT INTO item (n) VALUES (2002) RETURNING id > ALL (SELECT id FROM item WHERE n <= 2001);
	INSERT INTO log DEFAULT VALUES RETURNING id > ALL (SELECT id FROM log);
	SELECT DISTINCT pg_get_expr(adbin, adrelid), pronamespace::regnamespace FROM pg_attrdef d
		JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = d.oid AND refclassid = 'pg_proc'::regclass
		JOIN pg_proc p ON p.oid = refobjid
	WHERE adrelid IN ('item'::regclass, 'log'::regclass)}),
	"t\nt\ngen_uuidv7()|pg_catalog", 'the defaults call the extension, and new ids are above the old ones');

# The way back, by doc/migration.md: a partitioned table and its public ids go on without the extension.
$node->safe_psql('postgres', 'CREATE DATABASE leaving OWNER owner');
run_as('owner', 'leaving', $_) foreach q{
	CREATE EXTENSION ids;
	CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', now(), now() + interval '1 month');
	INSERT INTO log (message) VALUES ('first')},
	block('doc/cookbook.md', 'Public ids without a time', 'mask_ticket') =~ s/\n\n(?=SELECT mask_ticket).*//sr =~ s/^REVOKE.*//mr,
	slurp_file("$ENV{TESTDIR}/doc/managed.sql");
my $public_id = run_as('owner', 'leaving', 'SELECT mask_ticket(id) FROM log');
my ($leave, $drop) = block('doc/migration.md', 'Leaving', 'DETACH PARTITION') =~ /^(.*^ANALYZE log;\n)(DROP EXTENSION ids;)$/ms;
my $partition = run_as('owner', 'leaving', q{SELECT partition FROM ids_partitions('log') LIMIT 1});
is(error_of('owner', 'leaving', "\\set ON_ERROR_STOP 1\n" . $leave =~ s/LIKE log_\w+/LIKE $partition/r), '', 'the columns become uuids');
is(run_as('owner', 'leaving', q{INSERT INTO log (message) VALUES ('second') RETURNING id > ALL (SELECT id FROM log)}), 't', 'a row is inserted at once, with a greater id');
like(error_of('owner', 'leaving', $drop), qr/function mask_ticket\(ulid\) depends on type ulid/, 'the extension says what uses it');
my ($successor) = slurp_file("$ENV{TESTDIR}/doc/migration.md") =~ /`(encode\(encrypt.*?)`/;
run_as('owner', 'leaving', qq{
	DROP FUNCTION mask_ticket, unmask_ticket;
	CREATE FUNCTION mask_ticket(uuid) RETURNS uuid LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER SET search_path = secret, pg_temp AS \$\$
	BEGIN
		RETURN (SELECT $successor FROM key WHERE name = 'ticket');
	END \$\$});
run_as('owner', 'leaving', 'ALTER TABLE log ALTER id SET DEFAULT gen_uuidv7()');
like(error_of('owner', 'leaving', $drop), qr/default value for column id of table log depends on function gen_uuidv7\(\)/, 'without the schema, the default would be the function of the extension');
run_as('owner', 'leaving', 'ALTER TABLE log ALTER id SET DEFAULT public.gen_uuidv7()');
is(error_of('owner', 'leaving', $drop), '', 'the extension is dropped');
run_as('owner', 'leaving', q{INSERT INTO log (message) VALUES ('third')});
is(run_as('owner', 'leaving', q{SELECT string_agg(message, ' ' ORDER BY id) FROM log}), 'first second third', 'the rows and their order stay');
is(run_as('owner', 'leaving', q{SELECT mask_ticket(id) FROM log ORDER BY id LIMIT 1}), $public_id, 'the public ids stay the same');

$node->stop;
done_testing();
