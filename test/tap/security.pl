# What nobody may do: run the extension's functions with operators of their own, learn rows that a
# policy hides, or guess an identifier.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @types = split ' ', $ENV{IDS_TYPES};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The result of a query by a role, or the SQLSTATE of its error; options are PGOPTIONS.
sub ask
{
	my ($role, $sql, $options, $database) = @_;
	local $ENV{PGOPTIONS} = $options // '';
	my ($code, $out, $error) = $node->psql($database // 'postgres', "\\set VERBOSITY sqlstate\n$sql", extra_params => [ '-U', $role ]);
	return $out if $code == 0;
	return '42501' if $error =~ /FATAL:  permission denied to set parameter/;
	return $error =~ /ERROR:  (\w{5})/ ? $1 : $error;
}

# A database owner who is no superuser installs the extension where every operator, function, type
# and catalog that the script might mean has a double that comes first in the path.
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE ordinary LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE owned OWNER owner');
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
like(ask('owner', "$doubles SELECT operators > 500 AND functions > 1500 FROM evil.made; $hostile CREATE EXTENSION ids", '', 'owned'), qr/^t$/m, 'a database owner installs the extension among doubles');
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
is($node->safe_psql('owned', q{SELECT DISTINCT extowner::regrole FROM pg_extension WHERE extname = 'ids'}), 'owner', 'it is the owner\'s');
like(ask('owner', 'CREATE OR REPLACE FUNCTION pg_catalog.gen_ulid() RETURNS ulid LANGUAGE plpgsql AS $$BEGIN END$$', '', 'owned'), qr/^42501$/, 'who cannot replace its functions');
is(ask('owner', 'DROP EXTENSION ids', '', 'owned'), '', 'but can drop it');

# The same doubles when it is used.
$node->safe_psql('owned', 'CREATE EXTENSION ids; GRANT CREATE ON SCHEMA public TO owner; GRANT CREATE ON DATABASE owned TO owner');
foreach my $type (@types)
{
	my $cast = $type eq 'snowflake' ? 'id::pg_catalog.numeric OPERATOR(pg_catalog.>) 0' : 'true';
	my $use = qq{
		CREATE TABLE public.${type}_log (id pg_catalog.$type PRIMARY KEY DEFAULT pg_catalog.gen_$type()) PARTITION BY RANGE (id);
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00');
		INSERT INTO public.${type}_log SELECT pg_catalog.gen_$type(at) FROM (VALUES ('2026-01-15 00:00:00+00'::pg_catalog.timestamptz), ('2026-02-15 00:00:00+00'), ('2026-03-15 00:00:00+00')) v(at);
		CREATE VIEW public.${type}_answers AS SELECT id,
			id OPERATOR(pg_catalog.<) t AS a, id OPERATOR(pg_catalog.<=) t AS b, id OPERATOR(pg_catalog.>) t AS c, id OPERATOR(pg_catalog.>=) t AS d,
			t OPERATOR(pg_catalog.<) id AS e, t OPERATOR(pg_catalog.<=) id AS f, t OPERATOR(pg_catalog.>) id AS g, t OPERATOR(pg_catalog.>=) id AS h,
			id OPERATOR(pg_catalog.<@) r AS i, r OPERATOR(pg_catalog.@>) id AS j, $cast AS k,
			id OPERATOR(pg_catalog.<@) pg_catalog.multirange(r) AS l, pg_catalog.multirange(r) OPERATOR(pg_catalog.@>) id AS m
			FROM public.${type}_log, (VALUES ('2026-02-01 00:00:00+00'::pg_catalog.timestamptz, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'::pg_catalog.tstzrange)) v(t, r);
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE i AND j AND l AND m AND d AND f AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE a AND b AND g AND h AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_log WHERE pg_catalog.${type}_contained_by_tstzrange(id, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)');
		SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'public.${type}_log'::pg_catalog.regclass;
		SELECT pg_catalog.gen_$type() IS NULL;
		SELECT pg_catalog.count(lead) FROM pg_catalog.ids_generators() WHERE generator OPERATOR(pg_catalog.=) '$type';
	};
	my $answer = ask('owner', ($type eq 'ulid' ? $doubles =~ s/CREATE SCHEMA evil;/DROP SCHEMA evil CASCADE; CREATE SCHEMA evil;/r =~ s/CREATE DOMAIN pg_temp.ulid .*//r : '') . "$hostile $use", '', 'owned');
	is($answer, "1\n1\n1\n3\nf\n1", "$type: used with doubles first in the path");
	is(ask('owner', "$hostile CREATE TABLE pg_temp.log (id pg_catalog.$type) PARTITION BY RANGE (id); CALL pg_catalog.ids_create_partitions('pg_temp.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00'); SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'pg_temp.log'::pg_catalog.regclass", '', 'owned'),
		'2', "$type: partitions of a temporary table");
}

$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# The clocks are for all to see and for superusers to reset.
is(ask('ordinary', 'SELECT gen_ulid() IS NULL; SELECT generator FROM ids_generators() WHERE generator = $$ulid$$'), "f\nulid", 'anybody reads ids_generators');
is(ask('owner', 'SELECT count(*) > 0 FROM ids_generators()', '', 'owned'), 't', 'so does the owner of a database');
is(ask('owner', 'SELECT ids_reset_clock()', '', 'owned'), '42501', 'who cannot reset the clock');
is(ask('owner', 'GRANT EXECUTE ON FUNCTION ids_reset_clock() TO owner; SELECT ids_reset_clock()', '', 'owned'), '42501', 'nor allow it to anybody');
is($node->safe_psql('postgres', 'SELECT ids_reset_clock()'), '', 'a superuser can');

# Functions that are said to leak nothing have no error to raise, whatever their arguments.
my $sweep = q{
	SET client_min_messages = error;
	SET timezone = 'UTC';
	CREATE TEMP TABLE argument (type regtype, text text);
	INSERT INTO argument
		SELECT 'timestamptz'::regtype, t FROM unnest(ARRAY['-infinity', 'infinity', '4714-11-24 00:00:00+00 BC', '294276-12-31 23:59:59.999999+00', 'epoch', '2000-01-01 00:00:00+00',
			'1969-12-31 23:59:59.999999+00', '2016-12-31 23:59:59.999999+00', '2017-01-01 00:00:00+00', '2086-09-07 15:47:35.551+00', '2086-09-07 15:47:35.552+00', '2286-11-20 17:46:40+00', '10889-08-02 05:31:50.655999+00', '10889-08-02 05:31:50.656+00']) t
		UNION ALL SELECT 'timestamptz', to_timestamp((random() - 0.2) * 1e12)::text FROM generate_series(1, 50)
		UNION ALL SELECT 'uuid', id::text FROM generate_series(1, 50), LATERAL (VALUES (gen_uuidv7()), (gen_random_uuid())) v (id)
		UNION ALL SELECT 'uuid', unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])
		UNION ALL SELECT 'bigint', n::text FROM unnest(ARRAY['-9223372036854775808', -1, 0, 1, 9223372036854775807]::bigint[]) n;
	INSERT INTO argument
		SELECT 'tstzrange'::regtype, tstzrange(least(a.text::timestamptz, b.text::timestamptz), greatest(a.text::timestamptz, b.text::timestamptz), bounds)::text
			FROM argument a, argument b, unnest(ARRAY['[)', '(]', '()', '[]']) bounds WHERE a.type = 'timestamptz'::regtype AND b.type = a.type AND random() < 0.02
		UNION ALL SELECT 'tstzrange', unnest(ARRAY['empty', '(,)', '[,)', '(,2026-01-01)', '[2026-01-01,)', '[2026-01-01,2026-01-01]', '(-infinity,infinity)', '[-infinity,infinity]', '[infinity,infinity]', '[-infinity,-infinity]']);
	INSERT INTO argument
		SELECT 'tstzmultirange'::regtype, multirange(text::tstzrange)::text FROM argument WHERE type = 'tstzrange'::regtype
		UNION ALL SELECT 'tstzmultirange', range_agg(text::tstzrange)::text FROM (SELECT text, random() AS i FROM argument WHERE type = 'tstzrange'::regtype AND text::tstzrange < '[2000-01-01,)') r GROUP BY round(20 * i);
	DO $$
	DECLARE type text;
	BEGIN
		FOREACH type IN ARRAY string_to_array('@T@', ' ') LOOP
			EXECUTE format('INSERT INTO argument SELECT %1$L::regtype, %1$s_first(text::timestamptz)::text FROM argument WHERE type = ''timestamptz''::regtype', type);
			EXECUTE format('INSERT INTO argument SELECT %1$L::regtype, %1$s_last(text::timestamptz)::text FROM argument WHERE type = ''timestamptz''::regtype', type);
			EXECUTE format('INSERT INTO argument SELECT %1$L::regtype, gen_%1$s(to_timestamp(1.5e9 + 1.8e9 * random() * random()))::text FROM generate_series(1, 50)', type);
		END LOOP;
	END $$;
	CREATE FUNCTION pg_temp.calls(function regprocedure) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE p record; calls bigint;
	BEGIN
		SELECT * INTO p FROM pg_proc WHERE oid = function;
		EXECUTE format('SELECT count(*), count(%s(%s)) FROM %s', function::regproc,
			(SELECT string_agg(format('a%s.text::%s', n, type::regtype), ', ' ORDER BY n) FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u(type, n)),
			(SELECT string_agg(format('(SELECT text FROM argument WHERE type = %s UNION ALL SELECT NULL) a%s', coalesce(nullif(typbasetype, 0), type), n), ', ' ORDER BY n) FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u(type, n) JOIN pg_type ON oid = type))
			INTO calls;
		RETURN calls;
	EXCEPTION WHEN OTHERS THEN
		RETURN -1;
	END $$;
	SELECT count(*) FILTER (WHERE calls > 50), string_agg(function::regproc::text, ',' ORDER BY 1) FILTER (WHERE calls <= 50)
	FROM (SELECT p.oid::regprocedure AS function, pg_temp.calls(p.oid::regprocedure) AS calls
		FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'ids'
		WHERE proleakproof) f;
} =~ s/\@T\@/@types/r;
is($node->safe_psql('postgres', $sweep), 28 * @types + 5 . '|', 'every leakproof function returns for any argument');
$node->safe_psql('postgres', 'ALTER FUNCTION snowflake_from_bigint(bigint) LEAKPROOF');
is($node->safe_psql('postgres', $sweep), 28 * @types + 5 . '|snowflake_from_bigint', 'one that does not is found');
$node->safe_psql('postgres', 'ALTER FUNCTION snowflake_from_bigint(bigint) NOT LEAKPROOF');

# Row-level security: conditions on identifiers come before the policy's, so that the index serves.
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE ${type}_secret (id $type PRIMARY KEY, n int);
		INSERT INTO ${type}_secret SELECT gen_$type('2020-01-01'::timestamptz + n * interval '1 hour'), n FROM generate_series(1, 10000) n;
		ANALYZE ${type}_secret;
		CREATE FUNCTION ${type}_visible(n int) RETURNS boolean LANGUAGE plpgsql COST 1 AS 'BEGIN RETURN n % 2 = 0; END';
		ALTER TABLE ${type}_secret ENABLE ROW LEVEL SECURITY;
		CREATE POLICY even ON ${type}_secret USING (${type}_visible(n));
		GRANT SELECT ON ${type}_secret TO ordinary;
	});
	my $id = $node->safe_psql('postgres', "SELECT id FROM ${type}_secret WHERE n = 5000");
	foreach (
		[ "id = '$id'", 1 ],
		[ "id >= '2021-02-20 00:00:00+00'::timestamptz", 8 ],
		[ "'2020-01-01 10:30:00+00'::timestamptz > id", 5 ],
		[ "id <@ tstzrange('2020-06-01 00:00:00+00', '2020-06-02 00:00:00+00')", 12 ],
		[ "tstzrange('2020-06-01 00:00:00+00', '2020-06-02 00:00:00+00') @> id", 12 ],
		[ "id <@ '{[2020-06-01 00:00:00+00,2020-06-01 12:00:00+00),[2020-06-02 00:00:00+00,2020-06-02 12:00:00+00)}'::tstzmultirange", 12 ],
		[ "id IN ('$id', '$id')", 1 ])
	{
		my ($condition, $count) = @$_;
		my $explained = ask('ordinary', "EXPLAIN (COSTS off) SELECT * FROM ${type}_secret WHERE $condition");
		like($explained, qr/Index Cond: .*\n  Filter: .*${type}_visible/, "$type: row-level security and index: $condition");
		is(ask('ordinary', "SELECT count(*) FROM ${type}_secret WHERE $condition"), $count, "$type: the visible rows") unless $condition =~ /02-20/;
	}
}

# Random fields. With good randomness one of these tests fails in less than one of 10^8 runs: the
# bounds are seven standard deviations, and 20 blocks for rngtest, where 3.4 are expected.
my $size = 10 * 1024 * 1024;
SKIP:
{
	skip 'ent and rngtest (rng-tools-debian) are not installed', 1 if system('command -v ent rngtest >/dev/null') != 0;
	foreach (
		[ '64 bits of gen_ulid()', 'substring(gen_ulid()::bytea FROM 9)', 8 ],
		[ '80 bits of gen_ulid(at)', "substring(gen_ulid('2026-01-01'::timestamptz)::bytea FROM 7)", 10 ],
		[ '96 bits of gen_scru160()', 'substring(gen_scru160()::bytea FROM 9)', 12 ],
		[ '112 bits of gen_scru160(at)', "substring(gen_scru160('2026-01-01'::timestamptz)::bytea FROM 7)", 14 ])
	{
		my ($what, $field, $bytes) = @$_;
		my $file = $node->basedir . '/random';
		my $rows = int($size / $bytes) + 1;
		$node->safe_psql('postgres', "COPY (SELECT $field FROM generate_series(1, $rows)) TO '$file' (FORMAT binary)");
		my $binary = slurp_file($file);
		my $random = substr(join('', unpack("x19 (x6 a$bytes)$rows", $binary)), 0, $size);
		open(my $out, '>:raw', $file) or die $!;
		print $out $random;
		close $out;

		my (undef, $length, $entropy, $chi_square, $mean, $pi, $correlation) = split /,/, (split /\n/, `ent -t '$file'`)[1];
		is($length, $size, "$what: bytes");
		cmp_ok($entropy, '>', 7.9999, "$what: entropy $entropy");
		ok($chi_square > 120 && $chi_square < 450, "$what: chi-square $chi_square, 255 expected");
		cmp_ok(abs($mean - 127.5), '<', 0.16, "$what: mean $mean");
		cmp_ok(abs($pi - 3.14159265), '<', 0.009, "$what: pi $pi");
		cmp_ok(abs($correlation), '<', 0.0022, "$what: serial correlation $correlation");
		my $report = `rngtest < '$file' 2>&1`;
		my ($good) = $report =~ /successes: (\d+)/;
		my ($bad) = $report =~ /failures: (\d+)/;
		cmp_ok($good, '>', 4000, "$what: blocks that passed rngtest");
		cmp_ok($bad, '<=', 20, "$what: blocks that failed: $bad");
		unlink $file;
	}
}

# Random bytes that were given out are gone from the session's pool. The next ones are there, so it is
# the pool that is read.
SKIP:
{
	my $session = $node->background_psql('postgres');
	$session->query_safe('SELECT gen_ulid()');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	chomp $pid;
	my %symbol = map { /^(\w+) \w (.*)$/ ? ($2 => hex $1) : () } split /\n/, `nm -C '$ENV{IDS_LIBDIR}/ids.so'`;
	my ($base) = slurp_file("/proc/$pid/maps") =~ m{^([0-9a-f]+)-\S+ \S+ 0+ .*/ids\.so$}m;
	my $memory;
	skip 'no symbols, or no right to read the memory of a session', 1
		unless $base && $symbol{'ids::(anonymous namespace)::pool'} && open($memory, '<:raw', "/proc/$pid/mem");
	my $read = sub {
		my ($name, $bytes) = @_;
		sysseek($memory, hex($base) + $symbol{"ids::(anonymous namespace)::$name"}, 0) or die $!;
		sysread($memory, my $content, $bytes) == $bytes or die $!;
		return $content;
	};
	my $tails = sub {
		my $out = $session->query_safe("SELECT encode(substring(gen_ulid()::bytea FROM 9), 'hex') FROM generate_series(1, $_[0])");
		# The pool's 8 bytes are a number of this machine, the identifier's have the most significant first.
		return map { pack 'Q', unpack 'Q>', pack 'H*', $_ } grep { /^[0-9a-f]{16}$/ } split /\n/, $out;
	};
	my $before = $read->('pool', 4096);
	my @tails = $tails->(100);
	my $after = $read->('pool', 4096);
	is(scalar(grep { index($before, $_) >= 0 } @tails), 100, 'the pool holds what the next identifiers get');
	is(scalar(grep { index($after, $_) >= 0 } @tails), 0, 'and no more when they are given out');
	like(unpack('H*', $after), qr/^0{1600}/, 'but zeros');
	is(unpack('H*', $read->('drawn', 72)), '00' x 72, 'nor does the server\'s secret stay in a session');
	$session->quit;
}

$node->stop;
done_testing();
