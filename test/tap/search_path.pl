# No object that comes before PostgreSQL's own or the extension's in the search path does any harm: doubles of operators, functions,
# types and catalogs, tables of the same names, and functions that fit better.
use strict;
use warnings;
use Databases;
use Generators;
use PostgreSQL::Test::Utils;
use Test::More;

begin('owned', 'OWNER owner TEMPLATE template0');

# No operator, function, type or catalog that comes first does any harm, neither when a database owner who is no superuser installs
# the extension nor when somebody uses it. A double of every object that the script might refer to:
my $doubles = q{
	SET search_path = pg_catalog, pg_temp;
	CREATE SCHEMA evil;
	SET check_function_bodies = off;
	SET client_min_messages = error;
	DO $evil$
	DECLARE o record; body text := $$AS 'BEGIN RAISE EXCEPTION ''trapped''; END' LANGUAGE plpgsql$$;
	BEGIN
		FOR o IN SELECT oprname, oprcode::regproc::text AS name, oprleft::regtype AS l, oprright::regtype AS r, oprresult::regtype AS result
			FROM pg_operator JOIN pg_type lt ON lt.oid = oprleft JOIN pg_type rt ON rt.oid = oprright
			WHERE oprnamespace = 'pg_catalog'::regnamespace AND lt.typtype <> 'p' AND rt.typtype <> 'p'
		LOOP
			EXECUTE format('CREATE OR REPLACE FUNCTION evil.trap(%s, %s) RETURNS %s %s', o.l, o.r, 'boolean', body);
			EXECUTE format('CREATE OPERATOR evil.%s (FUNCTION = evil.trap, LEFTARG = %s, RIGHTARG = %s)', o.oprname, o.l, o.r);
		END LOOP;
		FOR o IN SELECT proname, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result
			FROM pg_proc p
			WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset
				AND proargmodes IS NULL AND pronargdefaults = 0 AND proname !~ '^(ri_|RI_)'
				AND NOT EXISTS (SELECT FROM pg_type t WHERE t.typtype = 'p' AND (t.oid = ANY (proargtypes) OR t.oid = prorettype))
		LOOP
			EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s %s', o.proname, o.arguments, o.result, body);
		END LOOP;
		FOR o IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r')
			AND typelem = 0 AND typname NOT LIKE '\_%' LOOP
			EXECUTE format('CREATE DOMAIN evil.%I AS pg_catalog.int4; CREATE DOMAIN pg_temp.%1$I AS pg_catalog.int4', o.typname);
		END LOOP;
		FOR o IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') LOOP
			EXECUTE format('CREATE TEMP TABLE %I (oid pg_catalog.oid)', o.relname);
			EXECUTE format('CREATE VIEW evil.%I AS SELECT 0::pg_catalog.oid AS oid', o.relname) ;
		END LOOP;
	END $evil$;
	CREATE DOMAIN pg_temp.ulid AS pg_catalog.int4;
	CREATE TABLE evil.made (operators bigint, functions bigint);
	INSERT INTO evil.made SELECT (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'evil'::regnamespace),
		(SELECT count(*) FROM pg_proc WHERE pronamespace = 'evil'::regnamespace);
};
my $hostile = 'SET search_path = evil, pg_temp, pg_catalog, public;';
like(ask('owner', "$doubles SELECT operators > 500 AND functions > 1500 FROM evil.made; $hostile CREATE EXTENSION ids"), qr/^t$/m, 'a database owner installs the extension among doubles');
# The rule that is a view's query is a part of the view, not itself a member of the extension.
my $bound = q{
	WITH RECURSIVE part AS (
		SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		UNION SELECT d.classid, d.objid FROM pg_depend d JOIN part
			ON d.refclassid = part.classid AND d.refobjid = part.objid AND d.deptype IN ('i', 'a')
	)
	SELECT count(*) FROM pg_depend d JOIN part USING (classid, objid)
	WHERE (refclassid, refobjid) NOT IN (SELECT classid, objid FROM part)
		AND refclassid NOT IN ('pg_extension'::regclass, 'pg_namespace'::regclass, 'pg_language'::regclass)
		AND refobjid >= 16384};
is(sql($bound), '0', 'no object of the extension refers to a double');

# The same doubles when it is used.
sql('GRANT CREATE ON SCHEMA public TO owner; GRANT CREATE ON DATABASE owned TO owner');
my $again = $doubles =~ s/CREATE SCHEMA evil;/DROP SCHEMA evil CASCADE; CREATE SCHEMA evil;/r =~ s/CREATE DOMAIN pg_temp.ulid .*//r;
foreach my $type (@types)
{
	my $casts = sql("SELECT string_agg(format('id::pg_catalog.%I IS NOT NULL', typname), ' AND ') FROM pg_cast JOIN pg_type t ON t.oid = casttarget WHERE castsource = '$type'::regtype");
	my $use = qq{
		CREATE TABLE public.${type}_log (id pg_catalog.$type PRIMARY KEY DEFAULT pg_catalog.gen_$type()) PARTITION BY RANGE (id);
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00');
		INSERT INTO public.${type}_log SELECT pg_catalog.gen_$type(at)
			FROM (VALUES ('2026-01-15 00:00:00+00'::pg_catalog.timestamptz), ('2026-02-15 00:00:00+00'), ('2026-03-15 00:00:00+00')) v(at);
		CREATE VIEW public.${type}_answers AS SELECT id,
			id OPERATOR(pg_catalog.<) t AS a, id OPERATOR(pg_catalog.<=) t AS b, id OPERATOR(pg_catalog.>) t AS c, id OPERATOR(pg_catalog.>=) t AS d,
			t OPERATOR(pg_catalog.<) id AS e, t OPERATOR(pg_catalog.<=) id AS f, t OPERATOR(pg_catalog.>) id AS g, t OPERATOR(pg_catalog.>=) id AS h,
			id OPERATOR(pg_catalog.<@) r AS i, r OPERATOR(pg_catalog.@>) id AS j, $casts AS k
			FROM public.${type}_log, (VALUES ('2026-02-01 00:00:00+00'::pg_catalog.timestamptz,
				'[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'::pg_catalog.tstzrange)) v(t, r);
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE i AND j AND d AND f AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE a AND b AND g AND h AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_log
			WHERE pg_catalog.${type}_contained_by_tstzrange(id, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)');
		SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'public.${type}_log'::pg_catalog.regclass;
		SELECT pg_catalog.gen_$type() IS NULL;
		SELECT pg_catalog.count(lead) FROM pg_catalog.ids_generators() WHERE generator OPERATOR(pg_catalog.=) '$type';
	};
	my $answer = ask('owner', ($type eq $types[0] ? $again : '') . "$hostile $use");
	is($answer, "1\n1\n1\n3\nf\n1", "$type: used with doubles first in the path");
	is(ask('owner', "$hostile CREATE TABLE pg_temp.log (id pg_catalog.$type) PARTITION BY RANGE (id); CALL pg_catalog.ids_create_partitions('pg_temp.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00'); SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'pg_temp.log'::pg_catalog.regclass"),
		'2', "$type: partitions of a temporary table");
}

# Call every function and procedure of the extension in a superuser's SECURITY DEFINER function that sets no search_path, while the
# hostile objects of the same names exist.
sql(q{
	CREATE SCHEMA wrapped;
	GRANT USAGE ON SCHEMA wrapped TO owner;
	CREATE TEMP TABLE value (type regtype, text text);
	INSERT INTO value VALUES ('text', '01900000-0000-7000-8000-000000000000'), ('cstring', '2026'), ('integer', '16'), ('bigint', '1'), ('smallint', '1'), ('numeric', '1e19'), ('boolean', 'f'), ('interval', '1 month'), ('uuid', '01900000-0000-7000-8000-000000000000'),
		('bytea', '\x00'), ('timestamptz', '2026-02-01'), ('timestamp', '2026-02-01'), ('date', '2026-02-01'), ('regclass', 'public.ulid_log'), ('tstzrange', '[2026-02-01,2026-03-01)');
	DO $$
	DECLARE type regtype; f record; arguments text;
	BEGIN
		FOREACH type IN ARRAY string_to_array('} . "@types" . q{', ' ')::regtype[] LOOP
			EXECUTE format('INSERT INTO value SELECT %L, %s_first(%L)::text', type, type, '2026-02-01');
		END LOOP;
		FOR f IN SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'ids'
			WHERE NOT 'internal'::regtype = ANY (proargtypes)
		LOOP
			SELECT string_agg(format('%L::pg_catalog.%I', coalesce(v.text, b.text), typname), ', ' ORDER BY n) INTO arguments
			FROM unnest(f.proargtypes::oid[]) WITH ORDINALITY a (argument, n) JOIN pg_type t ON t.oid = argument LEFT JOIN value v ON v.type = argument LEFT JOIN value b ON b.type = typbasetype
			WHERE n <= f.pronargs - f.pronargdefaults;
			EXECUTE format('CREATE FUNCTION wrapped.%I() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS %L', f.proname || f.oid,
				format('BEGIN %s %s.%I(%s); END', CASE f.prokind WHEN 'p' THEN 'CALL' ELSE 'PERFORM' END, f.pronamespace::regnamespace, f.proname, arguments));
		END LOOP;
	END $$;
	CREATE FUNCTION wrapped.unqualified() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM now(); END'});
my $calls = sql(q{SELECT string_agg(format('SELECT wrapped.%I() IS NULL;', proname), ' ' ORDER BY oid) FROM pg_proc WHERE pronamespace = 'wrapped'::regnamespace});
my ($among_doubles, $without) = map {
	$node->psql($database, "$_\n$calls", stdout => \my $returned, stderr => \my $errors, on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
	[ scalar(() = $returned =~ /^f$/mg), $errors =~ /ERROR:  (.*)/g ];
} "$again $hostile", '';
cmp_ok($without->[0], '>', 150, 'most of them return');
is_deeply($among_doubles, [ $without->[0] - 1, @$without[ 1 .. $#$without ], 'trapped' ], 'all the same among the doubles, except one that calls an unqualified function') or diag(explain($among_doubles, $without));

# Tables of the same name elsewhere: pg_temp last in the path, as the manual recommends for SECURITY DEFINER, hides a temporary
# table behind a permanent one. The procedures change only the partitions of the table that they are given.
my $day = "'2026-01-01 00:00:00+00'";
my $create = "CALL ids_create_partitions('PARENT', '1 day', $day, '2026-01-03 00:00:00+00');";
my $drop = "CALL ids_drop_partitions('PARENT', '2026-01-03 00:00:00+00');";
my $detach = "CALL ids_drop_partitions('PARENT', '2026-01-03 00:00:00+00', detach => true);";
begin('namesakes');
sql('CREATE SCHEMA app');
my %table = (
	'a plain table' => 'CREATE TABLE NAME_20260101 (id ulid, precious int); INSERT INTO NAME_20260101 VALUES (NULL, 1);',
	'a partitioned table' => 'CREATE TABLE NAME (id ulid, precious int) PARTITION BY RANGE (id);',
	'a partitioned table with that partition' => "CREATE TABLE NAME (id ulid, precious int) PARTITION BY RANGE (id); CREATE TABLE NAME_20260101 PARTITION OF NAME FOR VALUES FROM (ulid_first($day)) TO (ulid_first('2026-01-02 00:00:00+00')); INSERT INTO NAME VALUES (ulid_first($day), 1);",
	'a view' => 'CREATE VIEW NAME AS SELECT 1 AS precious;');
my $everything = q{SELECT string_agg(format('%s %s %s', c.oid, relname, coalesce(inhparent, 0)), ', ' ORDER BY c.oid) FROM pg_class c LEFT JOIN pg_inherits ON inhrelid = c.oid WHERE relnamespace = NAMESPACE};
my $locks = q{SELECT count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE pid = pg_backend_pid() AND relnamespace = NAMESPACE AND mode <> 'AccessShareLock';};
foreach my $namesake (sort keys %table)
{
	# Where the namesake is, where the parent is, and the path.
	foreach (
		[ 'public', 'pg_temp', 'public, pg_temp' ],
		[ 'public', 'pg_temp', 'pg_catalog, public, pg_temp' ],
		[ 'pg_temp', 'public', 'public' ],
		[ 'pg_temp', 'app', 'pg_temp, app' ],
		[ 'public', 'app', 'public, app' ])
	{
		my ($elsewhere, $here, $path) = @$_;
		my @told = run_all(map {
			my $script = "SET client_min_messages = error; DROP SCHEMA app, public CASCADE; CREATE SCHEMA app; CREATE SCHEMA public;\n"
				. "$table{$namesake} CREATE TABLE PARENT (id ulid) PARTITION BY RANGE (id); SET search_path = $path;\nSELECT ($everything) AS before \\gset\n"
				. join('', map { "BEGIN; $_ SELECT count(*) FROM ids_partitions('PARENT'); $locks COMMIT;\n" } $create, $_)
				. "SELECT :'before' = ($everything);\n\\c -";
			$script =~ s/NAMESPACE/$elsewhere eq 'pg_temp' ? 'pg_my_temp_schema()' : "'$elsewhere'::regnamespace"/ge;
			$script =~ s/NAME/$elsewhere.job/gr =~ s/PARENT/$here.job/gr;
		} $detach, $drop);
		is("@$_", "2\n0\n0\n0\nt ", "$namesake in $elsewhere, the parent in $here, search_path = $path: " . ($_ == $told[0] ? 'detach' : 'drop')) foreach @told;
	}
}

# A superuser's function that checks whose table it is, and lets everybody call it.
sql(q{
	CREATE FUNCTION public.clear(parent regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
	BEGIN
		IF (SELECT relowner <> session_user::regrole FROM pg_class WHERE oid = parent) THEN
			RAISE EXCEPTION 'not yours';
		END IF;
		CALL ids_drop_partitions(parent, now());
	END $$;
	CREATE TABLE public.victim (precious int);
	INSERT INTO public.victim VALUES (1);
	GRANT USAGE ON SCHEMA public TO someone});
is($node->psql($database, q{
	CREATE TEMP TABLE job (id ulid) PARTITION BY RANGE (id);
	CREATE TEMP TABLE victim PARTITION OF pg_temp.job FOR VALUES FROM (MINVALUE) TO (ulid_first('2020-01-01'));
	SET search_path = public, pg_temp;
	SELECT public.clear('pg_temp.job')}, extra_params => [ '-U', 'someone' ]), 0, 'someone has a superuser\'s function drop partitions of a temporary table');
is(sql('SELECT precious FROM public.victim'), '1', 'no other table is dropped');

# The owner of a database makes functions with the names of the extension's and with text as arguments, which PostgreSQL prefers
# for quoted arguments. A superuser who runs an owner's short statement calls them. What the documents and hints give to a superuser
# calls none, even if the owner also sets a path for all sessions that finds doubles of PostgreSQL's own objects first.
$node->safe_psql('postgres', 'CREATE ROLE robber LOGIN');
begin('robbed', 'OWNER robber TEMPLATE template0');
sql('GRANT ALL ON SCHEMA public TO robber');
my $take = q{AS 'BEGIN RAISE WARNING $$robbed$$; ALTER ROLE robber SUPERUSER; RETURN; END' LANGUAGE plpgsql};
is(ask('robber', qq{
	CREATE EXTENSION ids;
	CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE log_old PARTITION OF log FOR VALUES FROM (ulid_first('2020-01-01 00:00:00+00')) TO (ulid_first('2020-01-02 05:00:00+00'));
	SET client_min_messages = error;
	DO \$do\$
	DECLARE o record;
	BEGIN
		FOR o IN SELECT DISTINCT proname, prokind, arguments
			FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e' JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids',
				replace(oidvectortypes(proargtypes), ', ', ',') types,
				unnest(ARRAY[regexp_replace(types, '[^,]+', 'text', 'g'), regexp_replace(types, 'regclass|interval', 'text', 'g')]) arguments
			WHERE prokind IN ('f', 'p') AND NOT 'internal'::regtype = ANY (proargtypes) AND NOT 'cstring'::regtype = ANY (proargtypes)
		LOOP
			EXECUTE format('CREATE %s public.%I(%s) %s %s', CASE o.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, o.proname, o.arguments,
				CASE o.prokind WHEN 'p' THEN '' ELSE 'RETURNS void' END, \$f\$$take\$f\$);
		END LOOP;
	END \$do\$;
	CREATE PROCEDURE public.ids_drop_partitions(text, timestamptz) $take;
	CREATE FUNCTION public.now() RETURNS timestamptz AS 'BEGIN RAISE WARNING \$\$robbed\$\$; RETURN clock_timestamp(); END' LANGUAGE plpgsql;
	CREATE FUNCTION public.shift(timestamptz, interval) RETURNS timestamptz AS 'BEGIN RAISE WARNING \$\$robbed\$\$; RETURN \$1; END' LANGUAGE plpgsql;
	CREATE OPERATOR public.+ (FUNCTION = shift, LEFTARG = timestamptz, RIGHTARG = interval);
	CREATE OPERATOR public.- (FUNCTION = shift, LEFTARG = timestamptz, RIGHTARG = interval);
	SELECT count(*) > 100 FROM pg_proc WHERE pronamespace = 'public'::regnamespace}), 't', 'functions of the same names');
sub robbed
{
	my ($statement, $path) = @_;
	my $error = ($node->psql($database, "BEGIN; $statement; ROLLBACK", extra_params => [ '-v', 'SHOW_CONTEXT=never' ]))[2];
	return $error =~ s/^psql:<stdin>:\d+: //gmr =~ /(robbed|ERROR.*)/ ? $1 : '';
}
my ($readme, $servers, $cookbook) = map { slurp_file("$ENV{TESTDIR}/$_") } 'README.md', 'doc/servers.md', 'doc/cookbook.md';
my @short = $readme =~ /^(CALL ids_\w+\(.*?\));/mg;
is(scalar @short, 2, 'the README has two calls');
is(robbed($_), 'robbed', "the attack succeeds when a superuser runs an owner's $_") foreach @short;
ask('robber', 'ALTER DATABASE robbed SET search_path = public, pg_catalog');
is(sql('SHOW search_path'), 'public, pg_catalog', 'the path of a superuser');
is(robbed('SELECT now()'), 'robbed', 'a double of a function of PostgreSQL');
my $gap = ($node->psql($database, "CALL pg_catalog.ids_create_partitions('public.log', '1 day', '2020-01-02 00:00:00+00', '2020-01-03 00:00:00+00')"))[2];
my $time = ($node->psql($database, "SELECT '2026-11-01'::pg_catalog.ulid"))[2];
my $uuid = ($node->psql($database, "SELECT '015549f0-1d7e-3a66-a08c-07ce13d25363'::pg_catalog.ulid"))[2];
my @given = (
	$servers =~ /cron\.schedule\('.*?', '.*?', \$\$(.*?)\$\$\)/sg,
	$cookbook =~ /^## Monitoring\n+```sql\n(.*?);\n```/ms,
	$gap =~ /HINT: .*? (CREATE .*);/,
	(map { "SELECT $_" } $time =~ /time is (.*?)\. The first id of that time is (.*)\.$/m, $uuid =~ /cast it: (.*)\.$/m));
is(scalar @given, 7, 'statements for a superuser');
is(robbed($_), '', "a superuser runs $_") foreach @given;

# Operators that fit better than the extension's, which take a timestamptz or a domain. Nothing fits a timestamptz or a literal better.
my %fits = (date => '>=', timestamp => '>=', uuid => '>=', tstzrange => '<@');
ask('robber', join ' ', map {
	"CREATE FUNCTION public.fits(pg_catalog.ulid, $_) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE WARNING \$\$robbed\$\$; RETURN true; END';
	CREATE OPERATOR public.$fits{$_} (FUNCTION = public.fits, LEFTARG = pg_catalog.ulid, RIGHTARG = $_);" } sort keys %fits);
my $id = 'SELECT pg_catalog.gen_ulid()';
is(robbed("$id $fits{$_} NULL::$_"), 'robbed', "an operator that fits $_ better") foreach sort keys %fits;
is(robbed("$id $_"), '', "no operator fits better: $_") foreach '>= pg_catalog.now()', q{>= '2026-01-01'::timestamptz}, q{>= '01M6A6FT000000000000000000'},
  'OPERATOR(pg_catalog.>=) current_date', q{OPERATOR(pg_catalog.<@) tstzrange('2026-01-01', '2027-01-01')};
is(sql(q{SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = 'robber'}), 'f', 'the owner of the database has gained nothing');

$node->stop;
done_testing();
