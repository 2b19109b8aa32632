# Statements that go on after DROP EXTENSION, with nothing in its place or with a stranger's objects of the same names: each gives an
# error or the right answer, and no other database notices. Neither a generator nor a call for partitions takes another relation for
# the mark, and nobody stops the server's checkpoints.
use strict;
use warnings;
use Databases;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

begin('elsewhere');
my $ids = join ' UNION ALL ', map { "SELECT gen_$_()::text" } @generators;
my $clock = "SELECT count(*) FROM ($ids) id; SELECT max(last_timestamp) < now() + interval '1 minute', sum(clock_rollbacks) FROM ids_generators()";
my $untouched = @generators . "\nt|0";
is(sql($clock), $untouched, 'the clock of the server');

# What has the mark's name, and would move the clock
my $own = "CREATE SCHEMA ids_internal; CREATE MATERIALIZED VIEW ids_internal.mark AS SELECT %s AS unix_us, bigint '0' AS boot";
my $days_ahead = q{(extract(epoch FROM now() + interval '40 days') * 1e6)::bigint};
my $ahead = sprintf $own, $days_ahead;

begin('own', 'OWNER owner TEMPLATE template0');
sql(q{
	SET ROLE owner; CREATE EXTENSION ids;
	CREATE TABLE member AS
		SELECT p.oid, proname, prokind, pronamespace::regnamespace::text AS schema, provolatile, prolang, proargtypes, pronargs - pronargdefaults AS required,
			oidvectortypes(proargtypes) AS arguments
		FROM pg_proc p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids' WHERE deptype = 'e';
	CREATE TABLE type AS SELECT typname FROM pg_type t JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = t.oid WHERE deptype = 'e' AND typcategory <> 'A';
	CREATE TABLE query (number int, name text, statement text, is_pure boolean, answer text);
	CREATE TABLE log (id uuid) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-01-03');
	-- In place of the extension: nothing; the extension; a view named like the mark; or a stranger's mark that would move the clock,
	-- and types and functions, of which a statement has those of its names.
	CREATE FUNCTION drop_extension(kind text, name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_catalog AS $$ DECLARE statement text; BEGIN
		DROP EXTENSION ids;
		IF kind = 'nothing' THEN RETURN; END IF;
		IF kind = 'the extension' THEN CREATE EXTENSION ids; RETURN; END IF;
		CREATE SCHEMA ids_internal;
		IF kind = 'a view' THEN CREATE VIEW ids_internal.mark AS SELECT 1 AS last_value; RETURN; END IF;
		CREATE MATERIALIZED VIEW ids_internal.mark AS SELECT (extract(epoch FROM now() + interval '40 days') * 1e6)::bigint AS unix_us, bigint '0' AS boot;
		FOR statement IN
			WITH made AS (SELECT * FROM member WHERE proname LIKE split_part(name, '(', 1) AND prokind = 'f' AND arguments !~ 'cstring|internal')
			SELECT format('CREATE TYPE public.%I AS (stranger int)', typname) FROM type WHERE name = '%' OR (SELECT concat(name, string_agg(arguments, ' ')) FROM made) ~ typname
			UNION ALL
			SELECT format('CREATE FUNCTION %I.%I(%s) RETURNS int LANGUAGE plpgsql AS $f$BEGIN RAISE ''a stranger''; END$f$',
				replace(schema, 'pg_catalog', 'public'), proname, arguments) FROM made
		LOOP EXECUTE statement; END LOOP;
	END $$;
	CREATE FUNCTION drop_at_two(n int, kind text, name text) RETURNS boolean LANGUAGE plpgsql AS
		'BEGIN IF n = 2 THEN PERFORM drop_extension(kind, name); END IF; RETURN true; END';
	CREATE FUNCTION open_cursors() RETURNS void LANGUAGE plpgsql AS $$ DECLARE q query; c refcursor; BEGIN
		FOR q IN SELECT * FROM query LOOP c := 'c' || q.number; OPEN c FOR EXECUTE replace(q.statement, 'CONDITION', 'true'); END LOOP;
	END $$;
	CREATE FUNCTION read_cursors() RETURNS TABLE (name text, outcome text) LANGUAGE plpgsql AS $$ DECLARE q query; c refcursor; answer text; BEGIN
		FOR q IN SELECT * FROM query LOOP
			BEGIN
				c := 'c' || q.number; outcome := NULL;
				LOOP FETCH c INTO answer; EXIT WHEN NOT FOUND; outcome := concat_ws(' ', outcome, answer); END LOOP;
				IF outcome = q.answer THEN outcome := 'right'; END IF;
			EXCEPTION WHEN OTHERS THEN outcome := sqlstate || ': ' || sqlerrm;
			END;
			name := q.name; RETURN NEXT;
		END LOOP;
	END $$;
	CREATE FUNCTION run_statements(kind text) RETURNS TABLE (name text, outcome text) LANGUAGE plpgsql AS $$ DECLARE q query; BEGIN
		FOR q IN SELECT * FROM query WHERE kind IN ('nothing', 'a stranger') OR NOT is_pure LOOP
			BEGIN
				EXECUTE format('SELECT string_agg(answer, '' '') FROM (%s) t (answer)', replace(q.statement, 'CONDITION', format('drop_at_two(n, %L, %L)', kind, q.name))) INTO outcome;
				RAISE SQLSTATE 'IDSOK' USING MESSAGE = CASE WHEN outcome = q.answer THEN 'right' ELSE outcome END;
			EXCEPTION
				WHEN SQLSTATE 'IDSOK' THEN outcome := sqlerrm;
				WHEN OTHERS THEN outcome := sqlstate || ': ' || sqlerrm;
			END;
			name := q.name; RETURN NEXT;
		END LOOP;
	END $$});

# Queries for three rows; the CONDITION drops the extension. Each function in C, without those that only PostgreSQL can call. The
# arguments are columns, so the planner calls none.
my %value = (
	integer => '16', bigint => '-1::bigint', numeric => '18446744073709551615::numeric', boolean => 'true', regclass => q{'public.log'::regclass}, uuid => q{uuidv7_first('2026-11-01')},
	interval => q{interval '1 day'}, date => q{date '2026-11-01'}, 'timestamp without time zone' => q{timestamp '2026-11-01'}, 'timestamp with time zone' => q{timestamptz '2026-11-01'},
	tstzrange => q{tstzrange('2026-11-01', '2026-11-02')}, ids_tstzrange => q{tstzrange('2026-11-01', '2026-11-02')::ids_tstzrange}, map { $_ => "${_}_first('2026-11-01')" } @types);
sub argument
{
	my ($function, $type) = @_;
	return $function =~ /_base$/ && $type eq 'integer' ? 58 : $value{$type} if $value{$type};
	my ($of) = grep { $function =~ /^${_}_/ } @types;
	my $text = $function =~ /^codokey/ ? q{'yj00'} : $function =~ /_from_base$|base62/ ? q{'1'} : "${of}_first('2026-11-01')::text";
	return "$text\::$type" if $type =~ /^(text|cstring)$/;
	return $function =~ /_from_parts$/ ? q{'\x80808080808080808080'::bytea} : "${of}_first('2026-11-01')::bytea" if $type eq 'bytea';
	die "no value of type $type for $function";
}
sub rows { return 'FROM (VALUES ' . join(', ', map { '(' . join(', ', $_, @_) . ')' } 1 .. 3) . ') v (' . join(', ', 'n', map { "a$_" } 1 .. @_) . ') WHERE CONDITION' }
my @queries;
foreach (split /\n/, sql(q{
	SELECT schema, proname, arguments, provolatile, array_to_string(ARRAY(SELECT format_type(a, NULL) FROM unnest(proargtypes) WITH ORDINALITY t (a, n) WHERE n <= required ORDER BY n), ',')
	FROM member WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND prokind = 'f' AND NOT 'internal'::regtype = ANY (proargtypes) ORDER BY oid}))
{
	my ($schema, $function, $signature, $volatility, $types) = split /\|/, $_, -1;
	my @arguments = map { argument($function, $_) } split /,/, $types;
	push @queries, [ "$function($signature)", "SELECT ($schema.$function(" . join(', ', map { "a$_" } 1 .. @arguments) . '))::text ' . rows(@arguments), $volatility ];
}

# The others are called by sorts, groups, joins and the like. An operator with ANY is not rewritten by the planner.
foreach my $type (@types)
{
	my $rows = rows($value{$type});
	push @queries, map { [ "$type, $_->[0]", $_->[1], 'i' ] }
		[ 'a sort', "SELECT a1::text $rows ORDER BY a1 DESC" ],
		[ 'groups', "SELECT a1::text || count(*) $rows GROUP BY a1" ],
		[ 'aggregates', "SELECT max(a1)::text || min(a1)::text || count(DISTINCT a1) $rows" ],
		[ 'a window', "SELECT count(*) OVER (ORDER BY a1 RANGE BETWEEN interval '1 day' PRECEDING AND CURRENT ROW)::text $rows" ],
		[ 'a join', "SELECT w.a1::text FROM (VALUES (1, $value{$type}), (2, $value{$type})) w (n, a1) JOIN (VALUES ($value{$type}), ($value{$type})) x (a1) ON x.a1 = w.a1 WHERE CONDITION" ],
		map { [ "$_ ANY", "SELECT (a1 $_ ANY (ARRAY[a2]))::text " . rows($value{$type}, /@/ ? $value{ids_tstzrange} : $value{'timestamp with time zone'}) ] } '<', '<=', '>', '>=', '<@';
}
my %pure = map { $_->[0] => $_->[2] eq 'i' ? 1 : 0 } @queries;
sql(join ';', map { my ($name, $statement) = @{ $queries[$_] }; "INSERT INTO query VALUES ($_, \$\$$name\$\$, \$\$$statement\$\$, '$pure{$name}')" } 0 .. $#queries);
sql(q{
	DO $$ DECLARE q query; BEGIN
		FOR q IN SELECT * FROM query LOOP
			EXECUTE format('SELECT string_agg(answer, '' '') FROM (%s) t (answer)', replace(q.statement, 'CONDITION', 'true')) INTO q.answer;
			UPDATE query SET answer = q.answer WHERE number = q.number AND is_pure;
		END LOOP;
	END $$});
is(sql('SELECT count(*) FROM query WHERE is_pure AND answer IS NULL'), 0, 'all functions answer while the extension is there');

# What T_settled() and the functions that make new ids answer without the extension; the others do not need it.
my $lookup = qr/XX000: (cache lookup failed for (type|function) \d+|operator \d+ is not a valid ordering operator)/;
sub expected
{
	my ($name, $kind) = @_;
	return qr/^(right|$lookup)$/ if $pure{$name};
	return qr/^($lookup|(?!.*: ).*)$/ if $kind eq 'the extension' || $name !~ /^gen_(?!codokey)\w+\((?!timestamp)|_settled\(|^kept_mark\(|^ids_(advance|reset)_clock\(/;
	return qr/^55000: extension "ids" was dropped$/;
}
sub check_outcomes
{
	my ($how, $kind, $told) = @_;
	my %outcomes = map { split /\|/, $_, 2 } split /\n/, $told;
	my @names = grep { $how ne 'statements' || $kind =~ /nothing|a stranger/ || !$pure{$_} } sort keys %pure;
	is_deeply([ sort keys %outcomes ], \@names, "$how, then $kind in place of the extension");
	is(join("\n", map { "$_: $outcomes{$_}" } grep { $outcomes{$_} !~ expected($_, $kind) } @names), '', 'all outcomes are as expected');
	cmp_ok(grep({ $_ eq 'right' } values %outcomes), '>=', 0.9 * grep({ $pure{$_} } @names), 'nearly all answers that need nothing of the extension are right');
}

# As a superuser: who owns what is in place of the extension counts, not who calls.
my $settings = 'SET client_min_messages = error; SET search_path = public, pg_catalog';
foreach my $kind ('nothing', 'a stranger', 'a view', 'the extension')
{
	sql('VACUUM');    # or what was rolled back slows all that follows
	check_outcomes('cursors', $kind, sql("$settings; BEGIN; SELECT open_cursors() \\g /dev/null\nSELECT drop_extension('$kind', '%') \\g /dev/null\nSELECT * FROM read_cursors(); ROLLBACK"));
	check_outcomes('statements', $kind, sql("$settings; BEGIN; SELECT * FROM run_statements('$kind'); ROLLBACK"));
}

# What an owner adds to the extension, or to another extension, is not taken for the mark.
sub cursor { return "BEGIN; DECLARE c CURSOR FOR SELECT gen_ulid() IS NULL; DROP EXTENSION ids; $ahead; $_[0]; FETCH c" }
is(ask('owner', cursor('SELECT')), '55000', 'an owner drops the extension');
is(ask('owner', 'CREATE EXTENSION citext; ' . cursor('ALTER EXTENSION citext ADD MATERIALIZED VIEW ids_internal.mark')), '55000', 'the mark is in another extension of the owner');
is(ask('owner', cursor('CREATE EXTENSION ids')), '42P06', 'the extension is not created where a stranger has its schema');
is(ask('owner', q{ALTER EXTENSION ids DROP MATERIALIZED VIEW ids_internal.mark}), '42501', 'an owner does not take the mark out of the extension');
is(ask('owner', q{
	CREATE SCHEMA added CREATE SEQUENCE mark CREATE TABLE ulid (n int) CREATE VIEW ids_generators AS SELECT 1 AS n;
	CREATE DOMAIN added.tbsl AS int;
	CREATE FUNCTION added.gen_ulid(text) RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE $$a stranger$$; END';
	ALTER EXTENSION ids ADD SCHEMA added; ALTER EXTENSION ids ADD SEQUENCE added.mark; ALTER EXTENSION ids ADD TABLE added.ulid;
	ALTER EXTENSION ids ADD VIEW added.ids_generators; ALTER EXTENSION ids ADD DOMAIN added.tbsl; ALTER EXTENSION ids ADD FUNCTION added.gen_ulid(text);
	ALTER SEQUENCE added.mark SET SCHEMA ids_internal}), '42501', 'an owner adds to the extension, but not to its schema');
is(sql("SELECT count(*) FROM ($ids) id; SELECT ids_complete_upgrade() IS NULL, ids_reset_clock() IS NULL, count(*) > 0 FROM ids_generators()"), @generators . "\nf|f|t", 'a superuser calls none of what an owner has added');

# Tables that depend on the extension cannot be dropped with it while a statement reads them.
foreach (map { my $type = $_; map { [ $type, $_ ] } 'btree', 'hash', 'gist', 'brin' } @types)
{
	my ($type, $index) = @$_;
	my $scan = $index eq 'btree' ? 'ORDER BY id' : "WHERE id = ${type}_first('2026-11-02')";
	is(ask('owner', qq{
		CREATE TABLE item AS SELECT ${type}_first(timestamptz '2026-11-01' + n * interval '1 day') AS id FROM generate_series(1, 3) n;
		CREATE INDEX ON item USING $index (id); SET enable_seqscan = off;
		BEGIN; DECLARE c CURSOR FOR SELECT id FROM item $scan; FETCH c; DROP EXTENSION ids CASCADE}), '55006', "$type: a scan of an index, $index");
	sql('DROP TABLE item');
}

# While a statement is planned, its tables can be dropped. The planner calls functions: those that are declared immutable before the
# predicates are rewritten, and those that are declared stable for the estimates.
sql(q{
	SET ROLE owner;
	CREATE FUNCTION drop_all() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN
		DROP EXTENSION ids CASCADE; IF current_setting('drop.again') = 'yes' THEN CREATE EXTENSION ids; END IF; RETURN '2026-11-02';
	END $$;
	CREATE FUNCTION dropped_i() RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN drop_all(); END';
	CREATE FUNCTION dropped_s() RETURNS timestamptz LANGUAGE plpgsql STABLE AS 'BEGIN RETURN drop_all(); END';
	CREATE TABLE span AS SELECT tstzrange(timestamptz '2026-11-01' + n * interval '1 hour', timestamptz '2026-11-02' + n * interval '1 hour') AS times FROM generate_series(1, 500) n;
	ANALYZE span});
foreach my $type (@types, 'uuid')
{
	my $of = $type eq 'uuid' ? 'uuidv7' : $type;
	sql("SET ROLE owner; CREATE TABLE item AS SELECT ${of}_first(timestamptz '2026-11-01' + n * interval '1 hour') AS id FROM generate_series(1, 5000) n;
		CREATE INDEX ON item (id); ANALYZE item");
	my @conditions = ("id < ${of}_first(E)", "id >= ${of}_first('2026-11-01') AND id < ${of}_first(E)", "id >= ${of}_first(E) OR id < ${of}_last(E)",
		"id >= ${of}_range_first(tstzrange(E, NULL)) AND id <= ${of}_range_last(tstzrange(E, NULL))",
		$type eq 'uuid' ? ('uuidv7_within(id, tstzrange(E, NULL))', "uuidv7_within(id, times) AND id > uuidv7_first(E)") : ('id < E', 'id <@ tstzrange(E, NULL)', 'id <@ times AND id > E'));
	my @explain = map { my $condition = $_; map { 'EXPLAIN SELECT count(*) FROM item' . ($condition =~ /times/ ? ', span' : '') . ' WHERE ' . $condition =~ s/\bE\b/$_()/gr } 'dropped_i', 'dropped_s' } @conditions;
	my @scripts = map { my $again = $_; map { "BEGIN; SET LOCAL drop.again = '$again'; SET LOCAL SESSION AUTHORIZATION owner; $_; ROLLBACK;" } @explain } 'no', 'yes';
	my @told = run_all($settings . ';', @scripts);
	like($told[ $_ + 1 ][1], qr/ERROR:  (cache lookup failed for function \d+|(function|type) with OID \d+ does not exist)$/m, "$type, while it is planned: " . $scripts[$_] =~ s/.*(?=EXPLAIN)//r) foreach 0 .. $#scripts;
	sql('DROP TABLE item');
}

# Another session drops the extension.
my $session = $node->background_psql($database);
$session->query_safe("$settings; BEGIN; SELECT open_cursors()");
sql("SET client_min_messages = error; SELECT drop_extension('a stranger', '%')");
check_outcomes('cursors while another session drops it', 'a stranger', $session->query_safe('SELECT * FROM read_cursors()'));
$session->quit;

# The procedures for partitions, when the extension is dropped, or dropped and created again, at one of their statements.
begin('dropped', 'OWNER owner TEMPLATE template0');
my $until = "'2026-01-04 00:00:00+00'";
my %call = (create => "CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', $until)",
	detach => "CALL ids_drop_partitions('log', $until, detach => true)",
	drop => "CALL ids_drop_partitions('log', $until)");
my $tables = q{SELECT string_agg(CASE WHEN relispartition THEN relname ELSE format('(%s)', relname) END, ' ' ORDER BY relname) FROM pg_class WHERE relname ~ '^log' AND relkind IN ('r', 'p')};

# The owner of the database owns the extension and the table, which has a check. When a partition is attached, PostgreSQL calls the
# function of that check. It calls act(), which executes statements when it is called for the given time. So do event triggers.
sql(q{
	SET ROLE owner; CREATE EXTENSION ids; CREATE SEQUENCE calls;
	CREATE FUNCTION act() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE statement text; BEGIN
		IF nextval('public.calls') = current_setting('act.place')::int THEN
			FOREACH statement IN ARRAY string_to_array(current_setting('act.statements'), '; ') LOOP EXECUTE statement; END LOOP;
		END IF;
		RETURN true;
	END $$;
	CREATE FUNCTION act_at_event() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM public.act(); END';
	CREATE FUNCTION is_sound(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.act(); END';
	RESET ROLE; ALTER DATABASE dropped SET act.place = 0});

# A table, with partitions if they are to be detached or dropped. Returns what the call makes of it while the extension is there.
sub create_table
{
	my ($type, $change) = @_;
	sql("SET client_min_messages = error; DROP TABLE IF EXISTS log, log_20260101, log_20260102, log_20260103; SET ROLE owner;
		CREATE TABLE log (id $type, CHECK (is_sound(1))) PARTITION BY RANGE (id);" . ($change eq 'create' ? '' : $call{create}));
	return sql("SET client_min_messages = error; BEGIN; $call{$change}; $tables; ROLLBACK");
}

# A call in which act() executes the statements when it is called for that time; 'check' is no event.
sub script
{
	my ($call, $event, $statements, $place, $role) = @_;
	my $trigger = $event eq 'check' ? '' : "CREATE EVENT TRIGGER act ON $event WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE') EXECUTE FUNCTION act_at_event();";
	return qq{
		SET client_min_messages = error; SELECT setval('calls', 1, false) \\g /dev/null
		BEGIN; $trigger SET LOCAL act.place = $place; SET LOCAL act.statements = '$statements'; SET LOCAL SESSION AUTHORIZATION $role;
		$call;
		$tables; ROLLBACK;
		SELECT CASE WHEN last_value < $place THEN 'not called' END FROM calls;};
}

# At each statement, in the same session. A table of uuids does not depend on the extension. A table of ulids is dropped with it.
my ($drops, $creates_again) = ('DROP EXTENSION ids', 'DROP EXTENSION ids; CREATE EXTENSION ids');
my $no_table = qr/ERROR:  (table "public.log" or a partition of it was changed|(relation|table) .* does not exist|cannot DROP TABLE "log_\d+" because it is being used)/;
my $no_function = qr/ERROR:  function pg_catalog.ulid_first\(unknown\) does not exist/;
foreach ([ create => 'ddl_command_start', 9 ], [ create => 'ddl_command_end', 9 ], [ create => 'check', 3 ], [ detach => 'ddl_command_start', 3 ], [ detach => 'ddl_command_end', 3 ],
	[ drop => 'ddl_command_start', 3 ], [ drop => 'sql_drop', 3 ], [ drop => 'ddl_command_end', 3 ])
{
	my ($change, $event, $times) = @$_;
	foreach my $type ('uuid', 'ulid')
	{
		my $right = create_table($type, $change);
		sql('VACUUM');
		foreach my $statements ($drops, $creates_again)
		{
			my $act = $type eq 'uuid' ? $statements : $statements =~ s/DROP EXTENSION ids/DROP EXTENSION ids CASCADE/r;
			my @told = run_all(map { script($call{$change}, $event, $act, $_, $_ % 2 ? 'postgres' : 'owner') } 1 .. $times);
			foreach my $place (1 .. $times)
			{
				my ($answer, $messages) = @{ shift @told };
				my $as_expected = $messages =~ /ERROR/ ? $messages =~ ($type eq 'uuid' ? $no_function : $no_table) && ($change eq 'create' || $type eq 'ulid')
					: $answer =~ s/\n+\z//r eq $right || $type eq 'ulid' && $answer !~ /not called|\(log\)| log_/;
				ok($as_expected, "$change, $type: $act at $event, the call $place of $times") or diag("$answer\n$messages");
			}
		}
	}
}

# Another session does it while a call waits for a lock of the table, or at the beginning of a statement.
my $calls = 0;
my $other = $node->background_psql($database);
sub call_beside
{
	my ($lock, $script, $statements) = @_;
	$other->query_safe("BEGIN; $lock");
	my $file = $node->basedir . '/' . ++$calls;    # psql reads it while the other session goes on
	append_to_file($file, $script);
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($database), '-f', $file ], '<', \undef, '>&', \my $output);
	$other->query_safe("DO 'BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP; END'");
	$other->query_safe("$statements; COMMIT");
	IPC::Run::finish($run);
	sql('CREATE EXTENSION IF NOT EXISTS ids');
	return $output;
}
foreach ([ create => 9 ], [ detach => 3 ], [ drop => 3 ])
{
	my ($change, $times, $right) = (@$_, create_table('uuid', $_->[0]));
	foreach my $statements ($drops, $creates_again)
	{
		my $dropped = $statements eq $drops && $change eq 'create';
		like(call_beside('LOCK TABLE log IN SHARE UPDATE EXCLUSIVE MODE', script($call{$change}, 'check', '', 0, 'owner'), $statements),
			$statements eq $drops ? qr/ERROR:  table "log" is not partitioned by range on one column of ids/ : qr/\A\Q$right\E\n+\z/, "$change: $statements while the call waits for its first lock");
		like(call_beside('SELECT pg_advisory_xact_lock(1)', script($call{$change}, 'ddl_command_start', 'SELECT pg_advisory_xact_lock(1)', $_, 'owner'), $statements),
			$dropped ? qr/$no_function|\A\Q$right\E\n+\z/ : qr/\A\Q$right\E\n+\z/, "$change: $statements in another session at statement $_") foreach 1 .. $times;
	}
}
$other->quit;

# A role that may create schemas in one database gives another relation the mark's name. That moves no clock, and no id is made.
begin('attacked', 'TEMPLATE template0');
my @calls = ((map { "gen_$_()" } @generators), (map { "${_}_settled()" } @settled));
my $list = join ', ', @calls;
$node->safe_psql('postgres', "CREATE EXTENSION ids; SELECT $list");

# The other database's clock is right, and a new session there generates.
sub unmoved
{
	my ($what) = @_;
	is($node->safe_psql('postgres', "SELECT count(t) FROM (SELECT $list) t"), 1, "$what: another database generates");
	is($node->safe_psql('postgres', q{SELECT max(lead) < '200 ms', (SELECT to_timestamp(unix_us / 1e6) < clock_timestamp() + interval '1 s' FROM ids_internal.mark) FROM ids_generators()}),
		't|t', "$what: its clock and its mark are right");
}

my $dropped = 'ERROR:  55000: extension "ids" was dropped';
my %then = ('nothing is there' => 'SELECT 1', 'a view that is days ahead' => $ahead, 'a view at the greatest time' => sprintf($own, 281474976710655999),
	'a view of a superuser in a schema of the role' => 'ALTER SCHEMA app RENAME TO ids_internal', 'a table' => 'CREATE SCHEMA ids_internal CREATE TABLE mark (unix_us bigint)');
sql("GRANT CREATE ON DATABASE attacked TO ordinary; CREATE SCHEMA app AUTHORIZATION ordinary; CREATE MATERIALIZED VIEW app.mark AS SELECT $days_ahead AS unix_us, bigint '0' AS boot;
	GRANT ALL ON TABLE app.mark TO ordinary; SET SESSION AUTHORIZATION ordinary; CREATE EXTENSION ids");
foreach my $what (sort keys %then)
{
	my $replace = "DROP EXTENSION ids; $then{$what}";
	my $function = "CREATE FUNCTION pg_temp.replace() RETURNS int LANGUAGE plpgsql AS \$\$BEGIN " . $replace =~ s/(^|; )SELECT/$1PERFORM/gr . '; RETURN 1; END$$';
	# Two sessions, as the role, in a transaction that is rolled back. A call that fails leaves nothing known to the next.
	my $begin = "\\c -\nSET SESSION AUTHORIZATION ordinary; \\set VERBOSITY verbose\nBEGIN;";
	my $cursors = join '', map { "DECLARE c$_ CURSOR FOR SELECT $calls[$_] FROM generate_series(1, 3); " } 0 .. $#calls;
	my @told = run_all("$begin $function; SELECT pg_temp.replace(), gen_snowflake(); ROLLBACK;", "$begin $cursors $replace; SAVEPOINT s;",
		map { "FETCH 1 FROM c$_; ROLLBACK TO s;" } 0 .. $#calls);
	is($told[1][1], '', "it is replaced: $what");
	is(join(', ', $told[$_][1] =~ /ERROR: .*/g), $dropped, ($_ ? "$calls[$_ - 2] by a cursor" : 'a function within the statement') . ": $what") foreach 0, 2 .. $#told;
	unmoved($what);
}

# While a session waits for the mark, another one replaces it.
my $dropper = $node->background_psql($database);
$dropper->query_safe("SET SESSION AUTHORIZATION ordinary; BEGIN; DROP EXTENSION ids; $ahead");
my $generator = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr($database), '-c', 'SELECT gen_ulid() IS NULL' ], '>', \my $got, '2>&1');
ok($node->poll_query_until($database, 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted'), 'a generator waits');
$dropper->query_safe('COMMIT');
$dropper->quit;
$generator->finish;
like($got, qr/$dropped/, 'the mark is replaced while a session waits for it');
unmoved('the mark is replaced while a session waits for it');
sql('DROP SCHEMA ids_internal CASCADE');

# A superuser lets the role create relations in a schema of that name. A mark less than a day ahead is sound.
sql('CREATE EXTENSION ids');
my $cursor = $node->background_psql($database, on_error_stop => 0);
$cursor->query_safe('BEGIN; DECLARE c CURSOR FOR SELECT gen_ulid() IS NULL FROM generate_series(1, 3)');
sql('DROP EXTENSION ids; CREATE SCHEMA ids_internal; GRANT CREATE, USAGE ON SCHEMA ids_internal TO ordinary;
	SET SESSION AUTHORIZATION ordinary; ' . $ahead =~ s/CREATE SCHEMA ids_internal;//r =~ s/40 days/23 hours/r);
is($cursor->query('FETCH 1 FROM c'), '', 'a sequence of the role in a schema of a superuser is not the mark');
$cursor->quit;
unmoved('a sequence of the role in a schema of a superuser');
sql('DROP SCHEMA ids_internal CASCADE');

# Whoever created the extension as a superuser is none any more, so the mark does not belong to one.
sql($_) foreach 'CREATE ROLE former SUPERUSER', 'SET SESSION AUTHORIZATION former; CREATE EXTENSION ids', 'ALTER ROLE former NOSUPERUSER',
	'GRANT CREATE ON DATABASE attacked TO former';
is(sql("SELECT count(t) FROM (SELECT $list) t"), 1, 'a mark that belongs to no superuser, but to the extension');
like(($node->psql($database, "\\set VERBOSITY verbose\n" . "SET SESSION AUTHORIZATION former; BEGIN; DECLARE c CURSOR FOR SELECT gen_tbsl() FROM generate_series(1, 3); DROP EXTENSION ids; $ahead; FETCH 1 FROM c"))[2], qr/$dropped/, 'that role cannot replace it either');
unmoved('a former superuser');

# CREATE EXTENSION, and a session that has to look the extension up, may have to wait for pg_depend. A checkpoint does not wait then.
my ($lock, $reader) = map { $node->background_psql($database) } 1 .. 2;
my @started;
sub in_background { push @started, IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($database), map { ('-c', $_) } @_ ], '>', \my $out, '2>&1') }
sub seen_waiting { my ($what, $for) = @_; ok($node->poll_query_until($database, "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND $for"), $what) }
my $depend = q{relation = 'pg_depend'::regclass AND mode};
sub hold_pg_depend
{
	$reader->query_safe('BEGIN; SELECT count(*) FROM pg_depend');
	in_background('VACUUM FULL pg_depend');
	seen_waiting('VACUUM FULL waits for a reader of pg_depend', "$depend = 'AccessExclusiveLock'");
}
sub checkpoint_ends
{
	my ($what) = @_;
	is(($node->psql('postgres', q{SET statement_timeout = '60s'; CHECKPOINT}))[2], '', "$what: a checkpoint ends");
	$reader->query_safe('COMMIT');
	$_->finish foreach @started;
	is(join('', map { $_->full_results } @started), '0' x @started, "$what: and so do the statements");
	@started = ();
}

hold_pg_depend();
in_background("SELECT $list");
seen_waiting('a generator waits for pg_depend', "$depend = 'AccessShareLock'");
checkpoint_ends('a generator waits for pg_depend');
sql('DROP EXTENSION ids');

# An event trigger stops CREATE EXTENSION before its first id.
sql(q{
	CREATE FUNCTION pause() RETURNS event_trigger LANGUAGE plpgsql AS
		'BEGIN PERFORM pg_advisory_xact_lock(1) FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ $$ids_drop_partitions$$; END';
	CREATE EVENT TRIGGER pause ON ddl_command_end EXECUTE FUNCTION pause()});
$lock->query_safe('SELECT pg_advisory_lock(1)');
in_background('SET row_security = off', 'CREATE EXTENSION ids');
seen_waiting('CREATE EXTENSION pauses', q{locktype = 'advisory'});
hold_pg_depend();
$lock->query_safe('SELECT pg_advisory_unlock(1)');
ok($node->poll_query_until($database, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE query ~ '^CREATE EXTENSION' AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'}),
	'CREATE EXTENSION ends or waits');
checkpoint_ends('CREATE EXTENSION goes on');
$_->quit foreach $lock, $reader;

$database = 'elsewhere';
is(sql($clock), $untouched, 'the clock of the server has not moved');
$node->stop;
done_testing();
