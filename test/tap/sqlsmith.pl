# Random queries over all types and functions, by sqlsmith: no crash and no internal error. The environment variable QUERIES
# says how many, else 1,000.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $queries = $ENV{QUERIES} || 1000;
# The same queries each time, unless there are many.
my $seed = $ENV{QUERIES} ? time : 1;

my $node = PostgreSQL::Test::Cluster->new('main');
# With another encoding some of the server's own functions give internal errors.
$node->init(extra => ['--encoding=UTF8', '--locale=C']);
# The log shows each message's SQLSTATE; the server counts the calls of each function.
$node->append_conf('postgresql.conf', q{
	log_line_prefix = '%p %e '
	log_min_messages = error
	log_statement = none
	track_functions = all
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Rows of each type in heaps, indexes of every kind and partitions.
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE ${type}_row (id $type PRIMARY KEY DEFAULT gen_$type(), other $type, at timestamptz GENERATED ALWAYS AS (id::timestamptz) STORED, digits text, bytes bytea, times tstzrange);
		CREATE INDEX ON ${type}_row USING hash (other);
		CREATE INDEX ON ${type}_row USING brin (id);
		CREATE INDEX ON ${type}_row USING brin (other ${type}_minmax_multi_ops);
		CREATE INDEX ON ${type}_row USING brin (other ${type}_bloom_ops);
		CREATE TABLE ${type}_log (id $type, n int) PARTITION BY RANGE (id);
		CALL ids_create_partitions('${type}_log', '1 month', now() - interval '1 month', now() + interval '1 month');
		CREATE TABLE ${type}_log_rest PARTITION OF ${type}_log DEFAULT;
		CREATE INDEX ON ${type}_log (id);
		INSERT INTO ${type}_log SELECT gen_$type(now() + n * interval '1 day'), n FROM generate_series(-50, 50) n;
		INSERT INTO ${type}_row (id, other)
			SELECT gen_$type('2020-01-01'::timestamptz + random() * interval '20 years'), gen_$type() FROM generate_series(1, 50)
			UNION ALL SELECT ${type}_first('-infinity'), ${type}_last('infinity');
		UPDATE ${type}_row SET digits = id::text, bytes = id::bytea, times = tstzrange(least(at, other::timestamptz), greatest(at, other::timestamptz));
	});
}

# Arguments that functions must refuse, and the first and last ones that they accept.
$node->safe_psql('postgres', q{
	CREATE TABLE argument AS SELECT * FROM unnest(
		ARRAY['', 'x', 'é', repeat('z', 26), repeat('Z', 40), '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'lYGhA16ahyf', 'yj00', 'zzbun1n1nlflr', 'day', 'split', '2026-11-01', repeat('0', 1000)],
		ARRAY['\x', '\x00', '\xffffffffffffffff', '\xffffffffffffffffffff', decode(repeat('ff', 16), 'hex'), decode(repeat('ff', 20), 'hex'), decode(repeat('00', 10000), 'hex')],
		ARRAY['infinity', '-infinity', '4713-01-01 BC', '294276-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999+00', '1970-01-01+00', '2017-01-01+00', 'now']::timestamptz[],
		ARRAY['infinity', '-infinity', '4713-01-01 BC', '294276-12-31 23:59:59.999999', '1970-01-01', 'now']::timestamp[],
		ARRAY['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '1970-01-01', 'now']::date[],
		ARRAY['empty', '(,)', '[now,now]', '(now,now]', '[-infinity,infinity]', '(infinity,)', '(,-infinity)', '(-infinity,294276-12-31 23:59:59.999999)']::tstzrange[],
		ARRAY['0', '1 us', '1 hour', '1 month', '178000000 years', '-1 day', '1 month 1 day']::interval[],
		ARRAY[0, 1, -1, 9, 16, 32, 36, 58, 62, 99, 999, 1970, 2069, 3265, 294275, 999999999, 2147483647, -2147483648],
		ARRAY[0, -1, 71027147798529, 9223372036854775807, -9223372036854775808],
		ARRAY['ulid_log', 'tbsl_log', 'ulid_row', 'pg_class']::regclass[],
		ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', gen_random_uuid()]::uuid[],
		ARRAY[true, false]
	) AS argument(word, bytes, at, local, date, times, step, number, big, relation, uuid, yes);
	UPDATE argument SET word = coalesce(word, 'yj00'), bytes = coalesce(bytes, '\xffffffffffffffff'), at = coalesce(at, now()), local = coalesce(local, now()), date = coalesce(date, current_date),
		times = coalesce(times, tstzrange(now(), null)), step = coalesce(step, '1 day'), big = coalesce(big, -1), relation = coalesce(relation, 'ulid_log'), uuid = coalesce(uuid, gen_random_uuid()), yes = coalesce(yes, false);
	CREATE FUNCTION create_partitions(regclass, interval, timestamptz, timestamptz) RETURNS void LANGUAGE plpgsql AS 'BEGIN CALL ids_create_partitions($1, $2, $3, $4); END';
	ANALYZE;
});

# sqlsmith reads in pg_proc which functions it can call, and finds this view first. Of PostgreSQL's own
# functions the view has only immutable ones, because others stop the server, sleep, write files, or raise
# internal errors for invalid object identifiers. It leaves out casts, which trust in type modifiers, and
# functions of types that no table has, because sqlsmith has no values for them. A procedure cannot be
# called in a query.
$node->safe_psql('postgres', q{
	CREATE SCHEMA sqlsmith;
	CREATE VIEW sqlsmith.ours AS SELECT objid AS oid FROM pg_depend JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids' WHERE classid = 'pg_proc'::regclass AND deptype = 'e';
	CREATE VIEW sqlsmith.pg_proc AS SELECT * FROM pg_catalog.pg_proc
		WHERE prokind <> 'p' AND (pronamespace = 'public'::regnamespace OR oid IN (SELECT oid FROM sqlsmith.ours)
			OR (provolatile = 'i' AND oid NOT IN (SELECT castfunc FROM pg_cast)
				AND proargtypes::oid[] || prorettype
					<@ ARRAY(SELECT atttypid FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND attnum > 0)));
});
$node->safe_psql('postgres', 'SELECT pg_stat_reset()');
my $connection = $node->connstr('postgres') . " options='-c search_path=sqlsmith,pg_catalog,public'";
my $output = $node->basedir . '/sqlsmith';
is(system("sqlsmith --target=\"$connection\" --exclude-catalog --dump-all-queries --max-queries=$queries --seed=$seed >$output 2>&1"), 0, "sqlsmith made $queries queries, seed $seed")
  or diag(slurp_file($output));

is($node->psql('postgres', 'SELECT 1'), 0, 'the server runs');
my $log = slurp_file($node->logfile);
my @bad = $log =~ /^(.* XX\d{3} .*|.*(?:PANIC:|TRAP:|terminated by signal).*)$/mg;
is(scalar(@bad), 0, 'no crash, no internal error') or diag(join("\n", @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ]));
my %errors;
$errors{$1}++ while $log =~ /^\d+ (\w{5}) ERROR: /mg;
note("$_: $errors{$_}") foreach sort keys %errors;

# sqlsmith knows the extension's functions: C functions with SQL arguments that no operator, cast or default calls are in its
# queries. Many of these raise an error before they call them, so only a long run must have called most.
$node->safe_psql('postgres', q{
	CREATE VIEW called AS SELECT proname, p.oid::regprocedure AS function, calls
		FROM pg_proc p LEFT JOIN pg_stat_user_functions s ON funcid = p.oid
		WHERE p.oid IN (SELECT oid FROM sqlsmith.ours) AND probin IS NOT NULL AND prokind = 'f' AND 'internal'::regtype <> ALL (proargtypes) AND proname ~ 'codokey|base62|_base$|_hex$|_parts$|_machine$'});
my $made = slurp_file($output);
my @names = split /\n/, $node->safe_psql('postgres', 'SELECT DISTINCT proname FROM called');
my @used = grep { $made =~ /\b$_\(/ } @names;
cmp_ok(scalar(@used), '>=', 3, @used . ' of ' . @names . ' functions are in the queries');
my ($callable, $called) = split /\|/, $node->safe_psql('postgres', 'SELECT count(*), count(calls) FROM called');
cmp_ok($called, '>=', $queries < 60_000 ? 0 : $callable * 0.8, "$called of $callable functions were called");
note('not called: ', $node->safe_psql('postgres', q{SELECT string_agg(function::text, ', ') FROM called WHERE calls IS NULL}));

$node->stop;
done_testing();
