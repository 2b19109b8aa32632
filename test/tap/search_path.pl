# No operator, function, type or catalog that comes before PostgreSQL's own in the search path does any harm, neither
# when a database owner who is no superuser installs the extension nor when somebody uses it.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner');

# A double of every one that the script might mean.
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
		FOR o IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r') AND typelem = 0 AND typname NOT LIKE '\_%' LOOP
			EXECUTE format('CREATE DOMAIN evil.%I AS pg_catalog.int4; CREATE DOMAIN pg_temp.%1$I AS pg_catalog.int4', o.typname);
		END LOOP;
		FOR o IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') LOOP
			EXECUTE format('CREATE TEMP TABLE %I (oid pg_catalog.oid)', o.relname);
			EXECUTE format('CREATE VIEW evil.%I AS SELECT 0::pg_catalog.oid AS oid', o.relname) ;
		END LOOP;
	END $evil$;
	CREATE DOMAIN pg_temp.ulid AS pg_catalog.int4;
	CREATE TABLE evil.made (operators bigint, functions bigint);
	INSERT INTO evil.made SELECT (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'evil'::regnamespace), (SELECT count(*) FROM pg_proc WHERE pronamespace = 'evil'::regnamespace);
};
my $hostile = 'SET search_path = evil, pg_temp, pg_catalog, public;';
like(ask($node, 'owner', "$doubles SELECT operators > 500 AND functions > 1500 FROM evil.made; $hostile CREATE EXTENSION ids", database => 'owned'), qr/^t$/m, 'a database owner installs the extension among doubles');
# The rule that is a view's query is a part of the view, not itself a member of the extension.
my $bound = q{
	WITH RECURSIVE part AS (
		SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		UNION SELECT d.classid, d.objid FROM pg_depend d JOIN part ON d.refclassid = part.classid AND d.refobjid = part.objid AND d.deptype IN ('i', 'a')
	)
	SELECT count(*) FROM pg_depend d JOIN part USING (classid, objid)
	WHERE (refclassid, refobjid) NOT IN (SELECT classid, objid FROM part)
		AND refclassid NOT IN ('pg_extension'::regclass, 'pg_namespace'::regclass, 'pg_language'::regclass)
		AND refobjid >= 16384};
is($node->safe_psql('owned', $bound), '0', 'and no object of it refers to one');

# The same doubles when it is used.
$node->safe_psql('owned', 'GRANT CREATE ON SCHEMA public TO owner; GRANT CREATE ON DATABASE owned TO owner');
foreach my $type (@types)
{
	my $casts = $node->safe_psql('owned', "SELECT string_agg(format('id::pg_catalog.%I IS NOT NULL', typname), ' AND ') FROM pg_cast JOIN pg_type t ON t.oid = casttarget WHERE castsource = '$type'::regtype");
	my $use = qq{
		CREATE TABLE public.${type}_log (id pg_catalog.$type PRIMARY KEY DEFAULT pg_catalog.gen_$type()) PARTITION BY RANGE (id);
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00');
		INSERT INTO public.${type}_log SELECT pg_catalog.gen_$type(at) FROM (VALUES ('2026-01-15 00:00:00+00'::pg_catalog.timestamptz), ('2026-02-15 00:00:00+00'), ('2026-03-15 00:00:00+00')) v(at);
		CREATE VIEW public.${type}_answers AS SELECT id,
			id OPERATOR(pg_catalog.<) t AS a, id OPERATOR(pg_catalog.<=) t AS b, id OPERATOR(pg_catalog.>) t AS c, id OPERATOR(pg_catalog.>=) t AS d,
			t OPERATOR(pg_catalog.<) id AS e, t OPERATOR(pg_catalog.<=) id AS f, t OPERATOR(pg_catalog.>) id AS g, t OPERATOR(pg_catalog.>=) id AS h,
			id OPERATOR(pg_catalog.<@) r AS i, r OPERATOR(pg_catalog.@>) id AS j, $casts AS k,
			id OPERATOR(pg_catalog.<@) pg_catalog.multirange(r) AS l, pg_catalog.multirange(r) OPERATOR(pg_catalog.@>) id AS m
			FROM public.${type}_log, (VALUES ('2026-02-01 00:00:00+00'::pg_catalog.timestamptz, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'::pg_catalog.tstzrange)) v(t, r);
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE i AND j AND l AND m AND d AND f AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE a AND b AND g AND h AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_log WHERE pg_catalog.${type}_contained_by_tstzrange(id, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)');
		SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'public.${type}_log'::pg_catalog.regclass;
		SELECT pg_catalog.gen_$type() IS NULL;
		SELECT pg_catalog.count(lead) FROM pg_catalog.ids_generators() WHERE generator OPERATOR(pg_catalog.=) '$type';
	};
	my $answer = ask($node, 'owner', ($type eq $types[0] ? $doubles =~ s/CREATE SCHEMA evil;/DROP SCHEMA evil CASCADE; CREATE SCHEMA evil;/r =~ s/CREATE DOMAIN pg_temp.ulid .*//r : '') . "$hostile $use", database => 'owned');
	is($answer, "1\n1\n1\n3\nf\n1", "$type: used with doubles first in the path");
	is(ask($node, 'owner', "$hostile CREATE TABLE pg_temp.log (id pg_catalog.$type) PARTITION BY RANGE (id); CALL pg_catalog.ids_create_partitions('pg_temp.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00'); SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'pg_temp.log'::pg_catalog.regclass", database => 'owned'),
		'2', "$type: partitions of a temporary table");
}

$node->stop;
done_testing();
