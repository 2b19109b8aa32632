# ids_problems() returns a row exactly for the trouble that there is, which what the row says ends, whatever the session's settings are;
# also for who may only monitor, and on a standby. The other statement of "Monitoring" in the cookbook finds partitions that should be gone.
use strict;
use warnings;
use Databases;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Utils;
use Test::More;

begin('monitored');
$node->append_conf('postgresql.conf', "max_prepared_transactions = 5\nwal_level = replica\nmax_wal_senders = 5\nhot_standby = on");
$node->restart;
sql(q{CREATE ROLE monitor LOGIN IN ROLE pg_monitor; CREATE FUNCTION public.format(text, name) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE $$hostile$$; END'});
my ($path, $problems, $old) = statements('doc/cookbook.md', 'Monitoring', 'ids_problems');
my $create = q{CALL ids_create_partitions('log', '1 day', now(), now() + interval '7 days')};
my $insert = 'INSERT INTO log DEFAULT VALUES';
sql("CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid()) PARTITION BY RANGE (id); $create; $insert");

# The problems and their objects, which a superuser and a member of pg_monitor see alike.
sub problems
{
	my ($ahead) = @_;
	my @seen = map { ask($_, ($problems =~ s/\*/concat_ws(': ', problem, object)/r) =~ s/\(\)/'(' . ($ahead \/\/ '') . ')'/er) } 'postgres', 'monitor';
	is($seen[1], $seen[0], 'a member of pg_monitor sees the same');
	return $seen[0];
}
# Settings that turn a text into another one, and a zone whose clocks have changed ten days ago.
my $day = (gmtime(time - 10 * 86400))[7] + 1;
my $settings = sprintf q{SET DateStyle = 'SQL, DMY'; SET IntervalStyle = sql_standard; SET TimeZone = 'X3Y,J%d/0,J%d/0'; SET quote_all_identifiers = on;}, $day > 365 ? 365 : $day, ($day + 180) % 365 + 1;
$settings .= 'SET standard_conforming_strings = off;' if $node->pg_version < '19devel';
sub remedy { return sql("$settings SELECT remedy FROM ids_problems()") }
sub ends_by_remedy
{
	my ($what) = @_;
	sql("$settings " . (my $remedy = remedy()));
	is(problems(), '', "$what: what the row says ends it");
	return $remedy;
}
is(problems(), '', 'a server in order, with daily partitions for a week');

# Partitions of ids of each kind: none, the current one, one in the middle, one that is half a unit away.
my $missing = q{a partition is missing: table public."Ki'nd"};
foreach my $type ('ulid', 'tbsl', 'snowflake', 'scru160', 'uuid')
{
	sql(qq{CREATE TABLE "Ki'nd" (id $type) PARTITION BY RANGE (id)});
	is(problems(), $missing, "$type: a table without partitions");
	like(ends_by_remedy("$type: a table without partitions"), qr/'0-1'/, "$type: by a partition of a month");
	sql(q{DROP TABLE "Ki'nd"});
}
sub drop { my ($where, $table) = @_; sql(join ' ', map { "DROP TABLE $_;" } split /\n/, sql("SELECT partition FROM ids_partitions('" . ($table // 'log') . "') WHERE $where")) }
my @missing = ('a partition is missing: table public.log');
drop('times @> now()');
isnt($node->psql($database, $insert), 0, 'inserts fail while the current partition is missing');
is(problems(), "@missing", 'the current partition');
is(sql('SELECT since <= clock_timestamp() FROM ids_problems()'), 't', 'it is missing already');
ends_by_remedy('the current partition');
sql($insert);
drop(q{times @> now() + interval '4 days'});
is(problems(), '', 'one after the day ahead');
is(problems(q{'10 days'}), '', 'half a unit ahead at most');
drop('lower(times) > now()');
is(problems(), $node->safe_psql($database, q{SELECT CASE WHEN extract(hour FROM now() AT TIME ZONE 'UTC') >= 12 THEN 'a partition is missing: table public.log' ELSE '' END}), 'the next one, from noon on');
is(problems($_), '', "not if $_ ahead is asked for") foreach q{'0 s'}, q{'-1 day'};
sql($create);

# Each length that ids_create_partitions() makes: the remedy makes the next partition, as long as the last.
foreach my $every ("5400 s", map({ "$_ days" } 1, 7, 28, 30, 31, 45, 60, 90), map({ "$_ months" } 1, 2, 3, 12))
{
	sql(qq{CREATE TABLE "Ki'nd" (id uuid) PARTITION BY RANGE (id); CALL ids_create_partitions('"Ki''nd"', '$every', now() - interval '$every', now())});
	drop('upper(times) > now()', q{"Ki''nd"});
	like(ends_by_remedy($every), qr/^CALL pg_catalog\.ids_create_partitions\('"public"\."Ki''nd"', [^\n]*'[-0-9]{10} [0-9:.]*\+00'\)$/, "$every: by a statement with times in UTC");
	is(sql(q{SELECT max(upper(times) - lower(times)) - min(upper(times) - lower(times)) < interval '4 days' FROM ids_partitions('"Ki''nd"')}), 't', "$every: partitions of one length");
	sql(q{DROP TABLE "Ki'nd"});
}
# Bounds that it does not make, a key of two columns, partitions of two lengths, a name that is taken: then a page has the remedy.
sub hours { return "ulid_first(date_trunc('day', now(), 'UTC') + interval '$_[0] hours')" }
foreach (
	[ 'midnight elsewhere', 'id', hours(-49), hours(-25) ],
	[ 'less than a second', 'id', 'ulid_first(now() - interval $$1 ms$$)', 'ulid_first(now())' ],
	[ 'two columns', 'id, n', hours(-48) . ', 0', hours(-24) . ', 0' ])
{
	my ($what, $key, $from, $to) = @$_;
	sql("CREATE TABLE kind (id ulid, n int) PARTITION BY RANGE ($key); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM ($from) TO ($to)");
	is(problems(), 'a partition is missing: table public.kind', $what);
	is(remedy(), 'see "Monitoring" in doc/cookbook.md', "$what: the page says how to create it");
	sql('DROP TABLE kind');
}
sql('CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (' . hours(-1) . ') TO (ulid_first(now())); CREATE TABLE kind_2 PARTITION OF kind FOR VALUES FROM (' . hours(240) . ') TO (' . hours(264) . ')');
is(remedy(), 'see "Monitoring" in doc/cookbook.md', 'a shorter partition is in the way');
my $taken = 'kind_' . sql(q{SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')});
sql("DROP TABLE kind_1; CREATE TABLE $taken ()");
is(remedy(), 'see "Monitoring" in doc/cookbook.md', 'another table has the name');
sql("DROP TABLE kind, $taken");
# A job that has failed for a month still shows, whatever the partitions' length is.
sql(q{CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CALL ids_create_partitions('kind', '1 hour', now() - interval '29 days 2 hours', now() - interval '29 days')});
is(problems(), 'a partition is missing: table public.kind', 'hourly, a month ago');
sql(q{DROP TABLE kind; CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CALL ids_create_partitions('kind', '1 hour', now() - interval '31 days 2 hours', now() - interval '31 days')});
is(problems(), '', 'an archive');
sql('DROP TABLE kind');
# A name is no row or column of psql's output.
foreach ("x\n\ny", "x||y", "x\e\ey")
{
	sql(qq{CREATE TABLE "$_" (id ulid) PARTITION BY RANGE (id)});
	is(sql('SELECT * FROM ids_problems()') =~ s/\|2.*\|/|then|/r, 'a partition is missing|table public."x??y"|then|see "Monitoring" in doc/cookbook.md', "a name like $_");
	sql(qq{DROP TABLE "$_"});
}
# No row for a type that only has a cast to uuid, for a key with an expression, or for a temporary table of another session.
sql(q{CREATE TYPE other; CREATE FUNCTION other_in(cstring) RETURNS other AS 'uuid_in' LANGUAGE internal IMMUTABLE STRICT; CREATE FUNCTION other_out(other) RETURNS cstring AS 'uuid_out' LANGUAGE internal IMMUTABLE STRICT;
	CREATE TYPE other (INPUT = other_in, OUTPUT = other_out, LIKE = uuid); CREATE CAST (other AS uuid) WITHOUT FUNCTION AS IMPLICIT; CREATE TABLE of_other (id other) PARTITION BY RANGE (id);
	CREATE TABLE with_expression (id ulid, n int) PARTITION BY RANGE (id, (n + 1))});
my $temporary = $node->background_psql($database);
$temporary->query_safe('CREATE TEMPORARY TABLE theirs (id ulid) PARTITION BY RANGE (id); CREATE TEMPORARY TABLE theirs_rest PARTITION OF theirs DEFAULT; CREATE TEMPORARY TABLE more (id ulid) PARTITION BY RANGE (id)');
is(problems(), '', 'tables that are none of these');
$temporary->quit, sql('DROP TABLE of_other; DROP TYPE other CASCADE');
# Yearly partitions of this year; ends without a bound, before and after a gap; archives; parts of parts; keys at random places.
sub year { return "ulid_first(date_trunc('year', now(), 'UTC') + interval '$_[0] years')" }
my $in_a_year = sql(q{SELECT now() < date_trunc('year', now() + interval '1 day', 'UTC')});
foreach (
	[ 'yearly, up to now', 'ulid', [ year(0), year(1) ], $in_a_year eq 't' ],
	[ 'no upper bound', 'ulid', [ year(-1), 'MAXVALUE' ], 0 ],
	[ 'an end without a bound, beyond a gap', 'ulid', [ year(-3), year(-2) ], [ year(2), 'MAXVALUE' ], 1 ],
	[ 'from MINVALUE', 'ulid', [ 'MINVALUE', year(-1) ], 1 ],
	[ 'a failed job', 'ulid', [ year(-5), year(-4) ], [ year(-1), year(0) ], 1 ],
	(map { [ "it ends in $_ hours", 'ulid', [ year(-1), "ulid_first(now() + interval '$_ hours')" ], $_ < 24 ] } 23, 25),
	[ 'an archive', 'ulid', [ year(-3), year(-2) ], 0 ],
	[ 'an old gap', 'ulid', [ year(-5), year(-4) ], [ year(-1), year(2) ], 0 ],
	[ 'half of all uuids', 'uuid', [ q{'00000000-0000-0000-0000-000000000000'}, q{'80000000-0000-0000-0000-000000000000'} ], 0 ],
	[ 'a domain', 'item_id', [ year(-1), year(0) ], 1 ])
{
	my ($what, $type, @bounds) = @$_;
	my $expected = pop @bounds;
	my $n = 0;
	sql("CREATE DOMAIN item_id AS ulid; CREATE TABLE kind (id $type) PARTITION BY RANGE (id);" . join '', map { $n++; "CREATE TABLE kind_$n PARTITION OF kind FOR VALUES FROM ($_->[0]) TO ($_->[1]);" } @bounds);
	is(problems(), $expected ? 'a partition is missing: table public.kind' : '', $what);
	like(remedy(), qr/'1-0'/, 'a partition as long as the last that has both ends') if $what =~ /beyond/;
	sql('DROP TABLE kind; DROP DOMAIN item_id');
}
# The parts of a partition need not reach beyond it; those of another table are seen, those of a list are not tables by time.
sql('CREATE TABLE kind (tenant int, id ulid) PARTITION BY LIST (tenant); CREATE TABLE kind_1 PARTITION OF kind DEFAULT PARTITION BY RANGE (id);
	CREATE TABLE kind_2 PARTITION OF kind_1 FOR VALUES FROM (' . year(0) . ') TO (' . year(2) . ') PARTITION BY RANGE (id);
	CREATE TABLE kind_3 PARTITION OF kind_2 FOR VALUES FROM (' . year(0) . ') TO (ulid_first(now()))');
is(problems(), 'a partition is missing: table public.kind_2', 'a part of a part is missing');
sql("DROP TABLE kind_3; CREATE TABLE kind_3 PARTITION OF kind_2 FOR VALUES FROM (MINVALUE) TO (" . year(2) . ')');
is(problems(q{'3 years'}), '', 'no part is missing beyond its table');
sql('DROP TABLE kind');
sql('CREATE TABLE kind (tenant int, id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (' . year(-1) . ') TO (' . year(0) . ') PARTITION BY HASH (tenant);
	CREATE TABLE kind_2 PARTITION OF kind_1 FOR VALUES WITH (MODULUS 1, REMAINDER 0) PARTITION BY RANGE (id); CREATE TABLE kind_3 PARTITION OF kind_2 FOR VALUES FROM (' . year(-1) . ') TO (' . year(0) . ');
	CREATE TABLE kind_4 PARTITION OF kind FOR VALUES FROM (' . year(0) . ') TO (' . year(2) . ')');
is(problems(), '', 'nor beyond the table of its table');
sql('DROP TABLE kind');
# A tenant may be a uuid, whose ranges are no times.
foreach ('HASH (tenant)| WITH (MODULUS 1, REMAINDER 0)', 'HASH (id)| WITH (MODULUS 1, REMAINDER 0)', q{LIST (tenant)| IN ('f0000000-0000-0000-0000-000000000000')}, q{RANGE (tenant)| FROM ('f0000000-0000-0000-0000-000000000000') TO (MAXVALUE)})
{
	my ($by, $values) = split /[|]/;
	sql("CREATE TABLE kind (tenant uuid, id ulid) PARTITION BY $by; CREATE TABLE kind_1 PARTITION OF kind FOR VALUES $values PARTITION BY RANGE (id)");
	like(problems(), qr/^a partition is missing: table public.kind_1$/m, "a part of $by");
	ends_by_remedy("a part of $by") if $by !~ /^RANGE/;
	sql('DROP TABLE kind');
}

# Time goes on without new ids.
sql("$insert; CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (ulid_first(now() - interval '1 hour')) TO (ulid_first(now() + interval '1 s'))");
sleep 2;
is(problems(q{'1 ms'}), 'a partition is missing: table public.kind', 'the last id is older than the end of the partitions');
sql('DROP TABLE kind');

# A default partition alone is enough; beside others it only hides that one is missing. No table is read, which may be foreign.
sql('CREATE FOREIGN DATA WRAPPER nobody; CREATE SERVER nowhere FOREIGN DATA WRAPPER nobody; CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE FOREIGN TABLE kind_rest PARTITION OF kind DEFAULT SERVER nowhere');
is(problems(), '', 'a default partition');
sql('CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (' . year(-1) . ') TO (' . year(0) . ')');
is(problems(), 'a partition is missing: table public.kind', 'beside another one');
is(remedy(), 'see "Draining a default partition" in doc/cookbook.md', 'the page says how to move rows');
# It may have parts, which need the times that the others leave.
sql('DROP TABLE kind; DROP FOREIGN DATA WRAPPER nobody CASCADE; CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_2 PARTITION OF kind DEFAULT PARTITION BY RANGE (id)');
is(problems(), 'a partition is missing: table public.kind_2', 'a default partition without parts');
sql('CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (' . year(-1) . ') TO (' . year(2) . ')');
my $locker = $node->background_psql($database);
$locker->query_safe($_), is(problems(), '', "it is needed after the last one alone: $_") foreach 'SELECT 1', 'BEGIN; LOCK TABLE ONLY kind';

# What generators check. A role that may not ask one generator is told of the others; a time beyond those of a type is none for a statement.
$locker->quit, sql('DROP TABLE kind; REVOKE EXECUTE ON FUNCTION ulid_settled() FROM PUBLIC');
is(ask('monitor', 'SELECT object FROM ids_problems()'), 'database monitored: permission denied for function ulid_settled', 'a role that may ask nothing');
sql('GRANT EXECUTE ON FUNCTION ulid_settled() TO PUBLIC; CREATE TABLE kind (id snowflake) PARTITION BY RANGE (id)');
is(sql(q{SELECT count(ids_internal.create_statement('kind', '1 month', t, t, t + interval '1 day')) FROM unnest('{2016-12-01 00:00Z, 2026-12-01 00:00Z, 2086-10-01 00:00Z}'::timestamptz[]) t}), 1, 'times of the type');
sql('DROP TABLE kind');
sql('REFRESH MATERIALIZED VIEW ids_internal.mark WITH NO DATA');
is(problems(), 'generators fail: database monitored: materialized view "ids_internal.mark" of extension "ids" is empty or damaged', 'the mark is empty');
ends_by_remedy('the mark is empty');
sql('ALTER EXTENSION ids DROP MATERIALIZED VIEW ids_internal.mark; DROP MATERIALIZED VIEW ids_internal.mark');
is(problems(), 'generators fail: database monitored: materialized view "ids_internal.mark" of extension "ids" is missing', 'there is no mark');
is(remedy(), 'see "Errors" in doc/reference.md', 'the page says how to create it');
sql(($node->psql($database, $insert))[2] =~ s/.*create it: //sr);
my ($knows, $refresh) = map { $node->background_psql($database) } 1, 2;
$knows->query_safe($insert);
$refresh->query_safe('BEGIN; REFRESH MATERIALIZED VIEW ids_internal.mark');
is($_, 'generators fail: database monitored: another session has locked the mark', 'the mark is locked')
	foreach problems(), $knows->query_safe(my $ask_again = q{SET statement_timeout = '9s'; SELECT concat_ws(': ', problem, object) FROM ids_problems()});
like(sql(q{SET statement_timeout = '9s'; SELECT object FROM ids_internal.generator_error(true)}), qr/lock timeout$/, 'locked since it was free: the wait is short');
$refresh->quit;
sql(q{CREATE EXTENSION pg_surgery; SELECT heap_force_kill('ids_internal.mark', '{"(0,1)"}'); DROP EXTENSION pg_surgery});
like($knows->query_safe($ask_again), qr/ is empty or damaged$/, 'a session that knows the mark reads it again');
$knows->quit;
ends_by_remedy('the mark is damaged');
foreach ([ 70000, 'tbsl', 'scru160: invalid value for parameter "ids.node_id": "70000"' ],
	(map { [ 5000, $_, s/.*gen_|\(\)//gr =~ s/(.*)/$1: value 5000 of parameter "ids.node_id" is out of range for type $1/r ] } 'snowflake DEFAULT gen_snowflake()', 'text DEFAULT gen_tbsl()'), [ 5000, 'tbsl' ], [ -1, 'tbsl DEFAULT gen_tbsl()' ])
{
	my ($value, $type, $error) = @$_;
	$node->append_conf('postgresql.conf', "ids.node_id = $value");
	$node->restart;
	is(problems(), $value == 70000 ? "generators fail: generator $error" : '', "ids.node_id is $value");
	sql("CREATE TABLE kind (id $type)");
	is(problems(), $error ? "generators fail: generator $error" : '', "ids.node_id is $value, for a column of type $type");
	sql('DROP TABLE kind; SELECT gen_ulid()');
}
# A generator that no default names, but that somebody calls: also if the first call failed, and whether or not another one may be asked.
sql('REVOKE EXECUTE ON FUNCTION gen_scru160(timestamptz) FROM PUBLIC');
$node->append_conf('postgresql.conf', 'ids.node_id = 5000'), $node->restart;
isnt($node->psql($database, 'SELECT gen_tbsl_machine()'), 0, 'the node id is none of a tbsl');
foreach ([ 5000, 'generators fail: generator tbsl: value 5000 of parameter "ids.node_id" is out of range for type tbsl' ], [ -1, '' ])
{
	$node->append_conf('postgresql.conf', "ids.node_id = $_->[0]");
	$node->reload;
	$node->poll_query_until($database, "SELECT current_setting('ids.node_id') = '$_->[0]'");
	is(problems(), $_->[1], "ids.node_id is $_->[0], for a generator that is used");
}
# A partition of a month and some days, which begins or ends with a month: nothing that creates the next one of that length.
my ($last_month, $month) = map { "date_trunc('month', now() AT TIME ZONE 'UTC' - interval '$_ month') AT TIME ZONE 'UTC'" } 1, 0;
foreach ([ $last_month, "$last_month + interval '1080 hours'" ], [ "$month - interval '1080 hours'", $month ])
{
	sql("CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (ulid_first($_->[0])) TO (ulid_first($_->[1]))");
	is(sql(q{SELECT remedy FROM ids_problems('60 days')}), 'see "Monitoring" in doc/cookbook.md', "a partition of 45 days from $_->[0]");
	sql('DROP TABLE kind');
}

# DETACH CONCURRENTLY waits for who reads the partition alone. The current partition is half detached: it takes no rows, and is not created anew before it is detached.
sub detach_slowly
{
	my ($table, $partition, $waits_for, $prepare, $lock, $missing) = @_;
	my $holder = $node->background_psql($database);
	$holder->query_safe("BEGIN; SELECT count(*) FROM $table" . ($prepare // ''));
	my $detach = $node->background_psql($database, on_error_stop => 0);
	$detach->query_until(qr/now/, "\\echo now\nALTER TABLE log DETACH PARTITION $partition CONCURRENTLY;\n");
	my $locker = $node->background_psql($database);
	foreach ($waits_for, $lock ? 'relation' : ())
	{
		ok($node->poll_query_until($database, "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = '$_'"), "DETACH CONCURRENTLY waits: $_");
		is(problems(), $missing // '', 'it is not half detached before that ends');
		$locker->query_safe("BEGIN; $lock"), $holder->quit if $lock && $_ ne 'relation';
	}
	sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'virtualxid'");
	sql("COMMIT PREPARED 'holder'") if $prepare;
	$_->quit foreach $locker, $lock ? () : $holder, $detach;
}
sub day { return sql("SELECT partition FROM ids_partitions('log') WHERE times @> now() + interval '$_[0] days'") }
# Yesterday has parts, which another partition does not concern.
sql('CREATE TABLE log_before PARTITION OF log FOR VALUES FROM (' . hours(-24) . ') TO (' . hours(0) . ') PARTITION BY RANGE (id);
	CREATE TABLE log_before_1 PARTITION OF log_before FOR VALUES FROM (' . hours(-24) . ') TO (' . hours(0) . ')');
detach_slowly('log', day(6), 'transactionid', q{; PREPARE TRANSACTION 'holder'});
detach_slowly('ONLY log', day(4), 'virtualxid', undef, 'LOCK TABLE log IN SHARE UPDATE EXCLUSIVE MODE');
detach_slowly($_, $_, 'relation') foreach day(5);
my $current = day(0);
detach_slowly('log', $current, 'virtualxid', undef, undef, "@missing");
my $both = "@missing\na partition is half detached: table public.$current";
is(problems(), $both, 'the current partition is half detached');
# Others who use the table, or wait for such a transaction, hide nothing.
sql('CREATE TABLE busy (n int PRIMARY KEY)');
my @users = map { $node->background_psql($database) } 1, 2;
$users[0]->query_safe('BEGIN; SELECT count(*) FROM log; INSERT INTO busy VALUES (1)');
$users[1]->query_until(qr/now/, "\\echo now\nINSERT INTO busy VALUES (1);\n");
$node->poll_query_until($database, "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'transactionid'");
is(problems(), $both, 'still, while another transaction uses the table');
$users[$_]->quit foreach 0, 1;
like(my $remedies = remedy(), qr/^see "Monitoring" in .*\nALTER/, 'none is created before that ends');
sql('SET search_path = pg_catalog, pg_temp; ' . $remedies =~ s/.*\n//r);
is(problems(), "@missing", 'then it is missing');
sql("ALTER TABLE $current RENAME TO log_detached");
ends_by_remedy('the detached partition');

# Clocks: ids are ahead, and so are the times of partitions; another database has reset them, so that they are again after a restart.
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
is(sql("SELECT ids_advance_clock(now() + interval '900 ms'); SELECT count(*) FROM ids_problems()"), "\n0", 'ids that are ahead for less than a second');
sql("SELECT gen_tbsl(), ids_advance_clock(now() + interval '30 s')");
like(problems(), qr/^the clock is behind the last id: generator ulid$/m, 'ids are ahead of the clock by seconds');
sql("SELECT ids_advance_clock(now() + interval '1 hour'); $insert; CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (ulid_first(now() + interval '30 min')) TO (ulid_first(now() + interval '3 days'))");
my @behind = map { "the clock is behind the last id: generator $_" } 'tbsl, whose readers wait', 'ulid';
is(join("\n", sort split /\n/, problems()), join("\n", @behind), 'ids are ahead of the clock, and so is the first partition');
sql('DROP TABLE kind');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
is(problems(), '', 'they follow the clock');
$node->restart;
sql($insert);
is(problems(), $behind[1], 'the mark stayed ahead in another database');
is(remedy(), 'see "When the clock is wrong" in doc/guarantees.md', 'the page says how to set it back');
sql(block('doc/guarantees.md', 'When the clock is wrong', 'ids_reset_clock'));
is(problems(), '', 'all follow the clock');

# Readers: an open transaction, and a prepared one, also after a crash. Five minutes are not waited for.
my $at_once = q{SELECT pg_get_functiondef('ids_problems(interval)'::regprocedure)};
my $now = sql($at_once) =~ s/FUNCTION pg_catalog\./FUNCTION public./r =~ s/ids_problems/held_back/gr =~ s/'00:05:00'::interval/'0 s'::interval/r;
sql($now);
my $held_back = q{SELECT concat_ws(': ', problem, object, since IS NOT NULL) FROM held_back()};
my $session = $node->background_psql($database);
my $pid = $session->query_safe('BEGIN; SELECT pg_backend_pid(); SELECT pg_sleep(2.1)') =~ s/\n.*//sr;
my $first = sql(q{SELECT date_trunc('second', clock_timestamp())});
$session->query_safe($insert);
my $last = sql('SELECT clock_timestamp()');
$session->query_safe('SELECT pg_sleep(1.1); SELECT gen_uuidv7() IS NULL');
is(sql("SELECT string_agg(generator, ' ') FROM ids_unsettled() WHERE pid = $pid AND since BETWEEN '$first' AND '$last'"), 'ulid uuidv7', 'it has held readers back since its first id, not since it began');
is(problems(), '', 'it has not been open for long');
is(ask('monitor', $held_back), "readers of new rows wait: process $pid, ulid, uuidv7: t", 'an open transaction that has made ids');
is(ask('ordinary', $held_back), '', 'who may not see statistics does not see it');
sql(sql('SELECT remedy FROM held_back()'));
is(sql($held_back), '', 'it is ended');
$session->quit;
sql("BEGIN; $insert; PREPARE TRANSACTION 'it''s forgotten'");
$node->stop('immediate');
$node->start;
sql("$insert; SELECT ulid_settled()");
my $rest = sql($held_back);
like($rest, qr/^readers of new rows wait: prepared transaction 'it''s forgotten', .*ulid/, 'a prepared transaction that has outlived a crash');
is(sql('SELECT remedy FROM held_back()'), 'see "Monitoring" in doc/cookbook.md', 'the page says how to end it');
sql("ROLLBACK PREPARED $1") if $rest =~ /transaction ('.*?'), /;
is(sql($held_back), '', 'it is ended');

# SQL objects that are not of the library's version; the support functions that pg_upgrade leaves out.
is(sql('SELECT ids_version()'), (page('README.md') =~ /^Version ([\d.]+\d)/m)[0], 'the release of the library');
my $set_version = q{UPDATE pg_extension SET extversion = 'VERSION' WHERE extname = 'ids' RETURNING 1};
my $version = sql(q{SELECT extversion FROM pg_extension WHERE extname = 'ids'});
foreach ('0.9', "$version.")
{
	sql($set_version =~ s/VERSION/$_/r);
	is(problems(), 'an update is not complete: database monitored', "ALTER EXTENSION was not run from $_");
	is(remedy(), 'see "Updates" in doc/migration.md', 'the page says how');
}
sql(($set_version =~ s/VERSION/$version/r) . q{; UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'plpgsql'});
is(problems(), '', 'a database that was updated');
SKIP:
{
	skip 'PostgreSQL 18 has them first', 4 if $node->pg_version < 18;
	sql('ALTER OPERATOR FAMILY ulid_ops USING btree DROP FUNCTION 6 (ulid, ulid); ALTER OPERATOR FAMILY ulid_ops USING gist DROP FUNCTION 12 ("any", "any"); ALTER EXTENSION ids DROP FUNCTION ulid_skipsupport(internal); DROP FUNCTION ulid_skipsupport');
	is(problems(), 'an update is not complete: database monitored', 'operator classes as an older PostgreSQL has them');
	ends_by_remedy('pg_upgrade');
}

# Partitions that should be gone. Nobody waits for who looks.
is(sql("$path; $old"), '', 'no old partition');
sql(q{CALL ids_create_partitions('log', '1 hour', now() - interval '2 years', now() - interval '2 years' + interval '50 hours')});
cmp_ok(scalar(split /\n/, sql("$path; $old")), '>=', 50, 'a job that drops has failed');
is(problems(), '', 'that is not known to be wrong');
my $reader = $node->background_psql($database);
sql('CREATE TABLE kind (id ulid) PARTITION BY RANGE (id)');
$reader->query_safe('BEGIN; SELECT count(*) FROM ids_problems()');
is($node->psql($database, "SET lock_timeout = '9s'; DROP TABLE kind; DROP TABLE with_expression; REFRESH MATERIALIZED VIEW ids_internal.mark"), 0, 'it keeps no lock on a table or the mark');
$reader->quit;

# It waits for nobody, either: a table that its owner keeps locked is not looked at, nor its parts, nor are tables that come and go a reason for an error.
sql('CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_1 PARTITION OF kind FOR VALUES FROM (' . year(-1) . ') TO (' . year(0) . ') PARTITION BY RANGE (id)');
is(problems(), 'a partition is missing: table public.kind', 'not of the part, which has ended');
my $lock = $node->background_psql($database);
$lock->query_safe('BEGIN; LOCK TABLE ONLY kind');
is(problems(), '', 'a table that is locked');
$lock->quit;
sql('DROP TABLE kind');
my $swap = join '', map { "CREATE TABLE come_$_ (id ulid) PARTITION BY RANGE (id); CREATE TABLE come_${_}_rest PARTITION OF come_$_ DEFAULT; DROP TABLE come_$_;" } 1 .. 20;
append_to_file($node->basedir . '/swap.sql', $swap);
append_to_file($node->basedir . '/look.sql', 'SELECT count(*) FROM ids_problems();');
my %told;
my %run = map { my $file = $_; $told{$file} = ''; ($file => IPC::Run::start([ 'pgbench', '-n', '-T', 3, '-f', $node->basedir . "/$file.sql", $node->connstr($database) ], '>', '/dev/null', '2>', \$told{$file})) } 'swap', 'look';
$_->finish foreach values %run;
is(join('', values %told) =~ s/pgbench: pgbench .*\n//gr, '', 'tables that come and go');

# All headings that remedies and hints in the install script name are on their pages.
my %headings = map { $_ => 1 } slurp_file("$ENV{TESTDIR}/sql/ids--$version.sql") =~ /("[^"\n]+" in doc\/[\w-]+\.md)/g;
cmp_ok(scalar keys %headings, '>=', 5, 'headings');
foreach (sort keys %headings) { my ($section, $document) = /"(.*)" in (.*)/; like(page($document), qr/^#+ .*\Q$section\E/m, "$document has $section") }

# A standby, whose transactions nobody knows; an unlogged table has no file there.
sql('CREATE UNLOGGED TABLE log_rest PARTITION OF log DEFAULT');
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
my $on_standby = q{SELECT concat_ws(': ', problem, object) FROM ids_problems() ORDER BY 1};
is($standby->safe_psql($database, $on_standby), '', 'a standby in order');
sql(q{CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); UPDATE pg_inherits SET inhdetachpending = true WHERE inhparent = 'log'::regclass});
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
$standby->append_conf('postgresql.conf', 'ids.node_id = 70000');
$standby->reload;
is($standby->safe_psql($database, $on_standby), qq{a partition is missing: table public.kind\ngenerators fail: generator scru160: invalid value for parameter "ids.node_id": "70000"}, 'what can be seen there, which is not whether DETACH CONCURRENTLY still waits');
like(($standby->psql($database, '\set VERBOSITY verbose' . "\nSELECT count(*) FROM ids_unsettled()"))[2], qr/ERROR:  25006: cannot execute ids_unsettled\(\) during recovery\nHINT:  .* primary/, 'but no transaction');

$_->stop foreach $standby, $node;
done_testing();
