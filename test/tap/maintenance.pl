# A superuser and autovacuum maintain the tables of a hostile owner. The owner's code in indexes and statistics runs as the owner, the
# ids that it generates do not harm the generators, and a dump restores the extension's objects, not objects of the same names.
use strict;
use warnings;
use Databases;
use Generators;
use PostgreSQL::Test::Utils;
use Test::More;

begin('maintained');
my $log = -s $node->logfile;

# Returns which code of the owner ran since the last call, and as which role. It reads the server's log because background processes
# run such code, too.
sub traps
{
	my %seen = map { $_ => 1 } slurp_file($node->logfile, $log) =~ /trap: (.*)/g;
	$log = -s $node->logfile;
	return join ', ', sort keys %seen;
}

# The owner's code also calls all generators and all functions that tell which ids are settled.
my $generate = join ', ', map { "gen_$_()" } @generators;
sql(q{
	CREATE SCHEMA trap AUTHORIZATION hostile;
	GRANT CREATE ON SCHEMA public TO hostile;
	SET ROLE hostile;
	CREATE FUNCTION trap.spring(place text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
	DECLARE statement text;
	BEGIN
		RAISE LOG 'trap: % as %', place, current_user;
		FOREACH statement IN ARRAY ARRAY['SET ROLE postgres', 'ALTER ROLE hostile SUPERUSER', 'SELECT ids_reset_clock()', 'SELECT ids_advance_clock(now())'] LOOP
			BEGIN
				EXECUTE statement;
				RAISE LOG 'trap: it did %', statement;
			EXCEPTION WHEN OTHERS THEN
			END;
		END LOOP;
		PERFORM } . $generate . q{, } . join(', ', map { "${_}_settled()" } @settled) . q{, (SELECT count(*) FROM ids_unsettled());
	END $$;
	CREATE FUNCTION trap.key(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring($$index$$); RETURN $1; END';
	CREATE FUNCTION trap.note(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring($$statistics$$); RETURN $1; END';
	CREATE FUNCTION trap.view(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring($$view$$); RETURN $1; END'});
my $superuser = sql('SELECT current_user');
sql(q{BEGIN; SELECT trap.spring('a call'); ROLLBACK});
is(traps(), "a call as $superuser, it did ALTER ROLE hostile SUPERUSER, it did SELECT ids_advance_clock(now()), it did SELECT ids_reset_clock(), it did SET ROLE postgres",
	'what the trap can do as a superuser');

# A table with a name that is hard to quote; and in schema public, objects with the names of all functions, operators and types of the
# extension.
my $name = qq{"a"" \n\\! b\n;--'%s"};
(my $literal = "'trap.$name'") =~ s/(?<=.)'(?=.)/''/g;
sql(qq{
	SET ROLE hostile;
	CREATE TABLE trap.$name (id ulid DEFAULT gen_ulid(), n int, uuid uuid DEFAULT gen_uuidv7(), day text DEFAULT codokey(now()), UNIQUE (id),
		CHECK (id > '2020-01-01 00:00:00+00'::timestamptz AND id <\@ tstzrange('2020-01-01 00:00:00+00', NULL))) PARTITION BY RANGE (id);
	CALL ids_create_partitions($literal, '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
	INSERT INTO trap.$name (id) SELECT gen_ulid('2026-01-01 00:00:00+00'::timestamptz + i * interval '1 day') FROM generate_series(1, 50) i;
	CREATE INDEX ON trap.$name (trap.key(id));
	CREATE STATISTICS trap.of_log ON n, (trap.note(id)) FROM trap.$name;
	CREATE TABLE trap.plain (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int);
	INSERT INTO trap.plain (n) SELECT generate_series(1, 10);
	CREATE INDEX plain_key ON trap.plain (trap.key(id));
	CREATE INDEX plain_brin ON trap.plain USING brin (trap.key(id));
	CREATE STATISTICS trap.of_plain ON n, (trap.note(id)) FROM trap.plain;
	CREATE MATERIALIZED VIEW trap.seen AS SELECT trap.view(id) FROM trap.plain;
	SET client_min_messages = error;
	DO \$\$
	DECLARE o record; body text := 'AS \$f\$ BEGIN RAISE LOG ''trap: namesake as %'', current_user; END \$f\$ LANGUAGE plpgsql';
	BEGIN
		FOR o IN SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
			JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids' WHERE NOT 'internal'::regtype = ANY (proargtypes) AND proname !~ '_(in|out|recv|send)\$' AND prokind IN ('f', 'p')
		LOOP
			EXECUTE format('CREATE %s public.%I(%s) %s %s', CASE o.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, o.proname, pg_get_function_identity_arguments(o.oid),
				CASE WHEN o.prokind = 'p' OR o.proargmodes IS NOT NULL THEN '' ELSE 'RETURNS ' || pg_get_function_result(o.oid) END, body);
		END LOOP;
		FOR o IN SELECT op.* FROM pg_operator op JOIN pg_depend d ON d.classid = 'pg_operator'::regclass AND objid = op.oid AND deptype = 'e' LOOP
			EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = public.%I, LEFTARG = %s, RIGHTARG = %s)', o.oprname, o.oprcode::regproc, o.oprleft::regtype, o.oprright::regtype);
		END LOOP;
		FOR o IN SELECT t.* FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e' WHERE typtype IN ('b', 'd') AND typcategory <> 'A' LOOP
			EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.text', o.typname);
		END LOOP;
	END \$\$;
	CREATE TABLE trap.mixed (ours ulid DEFAULT gen_ulid(), theirs public.ulid)});
cmp_ok(sql(q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace}), '>', 100, 'schema public has functions of the same names');
like(traps(), qr/^index as hostile, statistics as hostile, view as hostile$|^index as hostile, view as hostile$/, 'the code runs as the owner when the owner creates the indexes, statistics and view');

# A superuser's statements, with a search_path that has schema public first, and the owner's code that they run.
my $parent = qq{SELECT quote_literal(oid) AS parent FROM pg_class WHERE relname LIKE 'a%' AND relkind = 'p' \\gset\n};
foreach (
	[ 'ANALYZE' => 'index', 'statistics' ],
	[ 'VACUUM (ANALYZE)' => 'index', 'statistics' ],
	[ 'VACUUM (FULL)' => 'index' ],
	[ 'REINDEX SCHEMA trap' => 'index' ],
	[ 'REINDEX TABLE CONCURRENTLY trap.plain' => 'index' ],
	[ 'CLUSTER trap.plain USING plain_key' => 'index' ],
	[ 'REFRESH MATERIALIZED VIEW trap.seen' => 'view' ],
	[ q{SELECT brin_desummarize_range('trap.plain_brin', 0), brin_summarize_range('trap.plain_brin', 0)} => 'index' ],
	[ "${parent}CALL pg_catalog.ids_create_partitions(:parent, '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00')" ],
	[ "${parent}CALL pg_catalog.ids_drop_partitions(:parent, '2026-02-01 00:00:00+00')" ],
	[ "${parent}SELECT pg_catalog.count(*) FROM pg_catalog.ids_partitions(:parent)" ])
{
	my ($statement, @places) = @$_;
	local $ENV{PGOPTIONS} = '-c search_path=public,pg_temp,pg_catalog';
	is($node->psql($database, $statement), 0, $statement =~ s/.*\n//r);
	is(traps(), join(', ', map { "$_ as hostile" } @places), 'code runs only as the owner');
}
is(sql(q{SELECT string_agg(times::text, ' ') FROM ids_partitions((SELECT oid FROM pg_class WHERE relname LIKE 'a%' AND relkind = 'p'))}),
	'["2026-02-01 00:00:00+00","2026-03-01 00:00:00+00") ["2026-03-01 00:00:00+00","2026-04-01 00:00:00+00")', 'partitions with names that are hard to quote');

# An index built in parallel, with a generating function wrongly marked PARALLEL SAFE. The leader, which may generate, sleeps at its first row
# until a worker's error ends it.
sql(q{
	SET ROLE hostile;
	CREATE FUNCTION trap.made(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN PERFORM gen_ulid(); RETURN $1; END';
	CREATE TABLE trap.large AS SELECT gen_ulid() AS id FROM generate_series(1, 10000);
	CREATE INDEX large_made ON trap.large (trap.made(id));
	CREATE OR REPLACE FUNCTION trap.made(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN PERFORM gen_ulid(); PERFORM pg_sleep(600); RETURN $1; END'});
like(($node->psql($database, 'SET max_parallel_maintenance_workers = 2; SET min_parallel_table_scan_size = 0; REINDEX INDEX trap.large_made'))[2], qr/ERROR:  cannot use generator "\w+" in a parallel worker/, 'a parallel worker cannot generate');
sql('DROP TABLE trap.large');

# Autovacuum
traps();
$node->append_conf('postgresql.conf', "autovacuum = on\n");
$node->reload;
sql('SET ROLE hostile; ALTER TABLE trap.plain SET (autovacuum_analyze_threshold = 0); UPDATE trap.plain SET n = n + 1');
$node->poll_query_until($database, q{SELECT autoanalyze_count > 0 FROM pg_stat_user_tables WHERE relname = 'plain'});
is(traps(), 'index as hostile, statistics as hostile', 'autovacuum');
$node->append_conf('postgresql.conf', "autovacuum = off\n");
$node->reload;
is(sql(q{
	SELECT gen_ulid() AS before, count(*) AS unsettled FROM ids_unsettled() \gset
	SELECT :unsettled, ulid_settled() > :'before', gen_ulid() > :'before', (SELECT bool_and(lead < '1 s') FROM ids_generators())}), '0|t|t|t', 'the generators work as before, and no transaction holds back the settled ids');

# A superuser's dump runs none of the owner's code. A dump of the restored database is the same.
my $dump = $node->basedir . '/dump';
my @dump = ('pg_dump', '-d', $node->connstr($database), '-f');
$node->command_ok([ @dump, $dump, '-Fc' ], 'a superuser dumps the database');
is(traps(), '', 'the dump runs no code of the owner');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump ], 'a superuser restores it');
unlike(traps(), qr/namesake|postgres|did/, 'the restore runs code only as the owner');
$node->command_ok([ @dump, "$dump.sql" ], 'a dump as text');
$dump[2] = $node->connstr('restored');
$node->command_ok([ @dump, "$dump.restored.sql" ], 'a dump of the restored database as text');
my ($before, $after) = map { slurp_file($_) =~ s/^\\(un)?restrict .*//gmr } "$dump.sql", "$dump.restored.sql";
ok($before eq $after, 'both dumps are the same');
is($node->safe_psql('restored', q{SET ROLE hostile; INSERT INTO trap.mixed (theirs) VALUES ('x') RETURNING pg_typeof(ours), pg_typeof(theirs)}), 'ulid|public.ulid', 'each column has its own type');
is(traps(), '', 'no function of the same name runs');

$node->stop;
done_testing();
