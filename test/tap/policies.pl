# Row-level security: no function that runs before a policy's condition reveals rows that the policy hides, and conditions on
# identifiers still use an index.
use strict;
use warnings;
use Databases;
use Generators;
use Test::More;

begin('policies');

# Functions that are marked leakproof raise no error, whatever their arguments.
my $sweep = q{
	SET client_min_messages = error;
	SET timezone = 'UTC';
	CREATE TEMP TABLE argument (type regtype, text text);
	INSERT INTO argument
		SELECT 'timestamptz'::regtype, t FROM unnest(ARRAY['-infinity', 'infinity', '4714-11-24 00:00:00+00 BC',
			'294276-12-31 23:59:59.999999+00', 'epoch', '2000-01-01 00:00:00+00',
			'1969-12-31 23:59:59.999999+00', '2016-12-31 23:59:59.999999+00', '2017-01-01 00:00:00+00',
			'2086-09-07 15:47:35.551+00', '2086-09-07 15:47:35.552+00', '2286-11-20 17:46:40+00',
			'10889-08-02 05:31:50.655999+00', '10889-08-02 05:31:50.656+00']) t
		UNION ALL SELECT 'timestamptz', to_timestamp((random() - 0.2) * 1e12)::text FROM generate_series(1, 50)
		UNION ALL SELECT 'uuid', id::text FROM generate_series(1, 50), LATERAL (VALUES (gen_uuidv7()), (gen_random_uuid())) v (id)
		UNION ALL SELECT 'uuid', unnest(ARRAY['00000000-0000-0000-0000-000000000000',
			'ffffffff-ffff-ffff-ffff-ffffffffffff', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])
		UNION ALL SELECT 'bigint', n::text FROM unnest(ARRAY['-9223372036854775808', -1, 0, 1, 9223372036854775807]::bigint[]) n;
	INSERT INTO argument
		SELECT 'tstzrange'::regtype, tstzrange(least(a.text::timestamptz, b.text::timestamptz),
			greatest(a.text::timestamptz, b.text::timestamptz), bounds)::text
			FROM argument a, argument b, unnest(ARRAY['[)', '(]', '()', '[]']) bounds
			WHERE a.type = 'timestamptz'::regtype AND b.type = a.type AND random() < 0.02
		UNION ALL SELECT 'tstzrange', unnest(ARRAY['empty', '(,)', '[,)', '(,2026-01-01)', '[2026-01-01,)',
			'[2026-01-01,2026-01-01]', '(-infinity,infinity)', '[-infinity,infinity]', '[infinity,infinity]', '[-infinity,-infinity]']);
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
			(SELECT string_agg(format('a%s.text::%s', n, type::regtype), ', ' ORDER BY n)
				FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u(type, n)),
			(SELECT string_agg(format('(SELECT text FROM argument WHERE type = %s UNION ALL SELECT NULL) a%s',
				coalesce(nullif(typbasetype, 0), type), n), ', ' ORDER BY n)
				FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u(type, n) JOIN pg_type ON oid = type))
			INTO calls;
		RETURN calls;
	EXCEPTION WHEN OTHERS THEN
		RETURN -1;
	END $$;
	SELECT count(*) > 26 * cardinality(string_to_array('@T@', ' ')),
		string_agg(function::regproc::text, ',' ORDER BY function::regproc::text) FILTER (WHERE calls <= 50)
	FROM (SELECT p.oid::regprocedure AS function, pg_temp.calls(p.oid::regprocedure) AS calls
		FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
			JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'ids'
		WHERE proleakproof) f;
} =~ s/\@T\@/@types/gr;
is(sql($sweep), 't|', 'every leakproof function returns for any argument');
sql('ALTER FUNCTION snowflake_from_bigint(bigint) LEAKPROOF');
is(sql($sweep =~ s/(?=WHERE proleakproof)/AND proname ~ '_from_bigint' /r), 'f|snowflake_from_bigint', 'the test finds a function that raises an error');
sql('ALTER FUNCTION snowflake_from_bigint(bigint) NOT LEAKPROOF');

# Conditions on identifiers are evaluated before the policy's condition, so that they can use the index.
my ($as_ordinary, $as_superuser) = ('SET SESSION AUTHORIZATION ordinary;', 'RESET SESSION AUTHORIZATION;');
foreach my $type (@types)
{
	my $id = sql(qq{
		CREATE TABLE ${type}_secret (id $type PRIMARY KEY, n int, bytes bytea);
		INSERT INTO ${type}_secret SELECT gen_$type('2020-01-01'::timestamptz + n * interval '1 hour'), n, CASE WHEN n % 2 = 0 THEN ${type}_first('2020-01-01')::bytea ELSE 'secret' END FROM generate_series(1, 10000) n;
		ANALYZE ${type}_secret;
		CREATE FUNCTION ${type}_visible(n int) RETURNS boolean LANGUAGE plpgsql COST 1 AS 'BEGIN RETURN n % 2 = 0; END';
		ALTER TABLE ${type}_secret ENABLE ROW LEVEL SECURITY;
		CREATE POLICY even ON ${type}_secret USING (${type}_visible(n));
		CREATE VIEW ${type}_view WITH (security_barrier) AS SELECT * FROM ${type}_secret WHERE ${type}_visible(n);
		GRANT SELECT ON ${type}_secret, ${type}_view TO ordinary;
		SELECT id FROM ${type}_secret WHERE n = 5000});
	my @conditions = (
		[ "id = '$id'", 1 ],
		[ "id >= '2021-02-20 00:00:00+00'::timestamptz" ],
		[ "'2020-01-01 10:30:00+00'::timestamptz > id", 5 ],
		[ "id <@ tstzrange('2020-06-01 00:00:00+00', '2020-06-02 00:00:00+00')", 12 ],
		[ "tstzrange('2020-06-01 00:00:00+00', '2020-06-02 00:00:00+00') @> id", 12 ],
		[ "id IN ('$id', '$id')", 1 ]);
	my @answers = run_all($as_ordinary, map { my $query = "SELECT count(*) FROM ${type}_secret WHERE $_->[0];"; ("EXPLAIN (COSTS off) $query", $query) } @conditions);
	foreach my $place (0 .. $#conditions)
	{
		my ($condition, $count) = @{ $conditions[$place] };
		my ($explained, $rows) = map { $_->[0] } @answers[ 2 * $place + 1, 2 * $place + 2 ];
		like($explained, qr/Index Cond: .*\n +Filter: .*${type}_visible/, "$type: row-level security and index: $condition");
		is($rows, $count, "$type: the visible rows") if $count;
	}

	# Conditions with a user's function that reports the rows it is called for, and one whose error would show a value. The
	# policy's function is expensive, so the planner calls the user's function first if that is leakproof.
	sql("ALTER FUNCTION ${type}_visible(int) COST 1000");
	foreach my $table ("${type}_secret", "${type}_view")
	{
		foreach (
			[ time => 'timestamptz' => map { ("id $_ leak_time(n)", "leak_time(n) $_ id") } qw(< <= > >=) ],
			[ range => 'tstzrange' => 'id <@ leak_range(n)', 'leak_range(n) @> id', "uuidv7_within(gen_uuidv7(), leak_range(n)) OR id >= ${type}_range_first(leak_range(n))" ],
			[ id => $type => map { "id $_ leak_id(n)" } qw(= <> < <= > >=) ])
		{
			my ($name, $result, @conditions) = @$_;
			my $queries = join ' ', map { "SELECT count(*) FROM $table WHERE n <= 10 AND ($_);" } @conditions;
			my $function = "FUNCTION public.leak_$name(n int)";
			my ($leaking, $leakproof) = map { my %told = map { $_ => 1 } $_->[1] =~ /row (\d+)|^.*ERROR/mg; join ' ', sort { $a <=> $b } keys %told } run_all(
				"CREATE $function RETURNS $result LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RAISE NOTICE \$\$row %\$\$, n; RETURN NULL; END'; $as_ordinary $queries",
				"$as_superuser ALTER $function LEAKPROOF; $as_ordinary $queries $as_superuser DROP $function;");
			is($leaking, '2 4 6 8 10', "$table: $name of a function");
			is($leakproof, '1 2 3 4 5 6 7 8 9 10', "$table: $name of a function LEAKPROOF");
		}
		my $query = "SELECT count(*) FROM $table WHERE bytes::$type <= id";
		is(ask('ordinary', $query), 5000, "$table: no error tells a value of a hidden row");
		sql("ALTER FUNCTION ${type}_from_bytea(bytea) LEAKPROOF");
		is(ask('ordinary', $query), '22P03', "$table: if the cast is called leakproof, one does");
		sql("ALTER FUNCTION ${type}_from_bytea(bytea) NOT LEAKPROOF");
	}
}

$node->stop;
done_testing();
