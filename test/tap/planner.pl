# The planner estimates conditions on ids like conditions on a timestamptz column of the same table: windows in many forms,
# random queries, and rows newer than the statistics. Time predicates give the same rows however they are planned.
use strict;
use warnings;
use Generators;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The same random queries each time, unless SEED is another number. Nothing else is random: ANALYZE reads all rows of these tables.
srand($ENV{SEED} // 1);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\ntimezone = 'UTC'\nmax_parallel_workers_per_gather = 0\nfsync = off");
$node->start;

# A table of that many rows, evenly spaced until a time: a column at and an id of each type, each with an index.
sub create_table
{
	my ($name, $rows, $every, $until) = @_;
	$node->safe_psql('postgres', join '',
		"CREATE TABLE $name (at timestamptz, k int", (map { ", $_ $_" } @types), ');',
		add($name, $rows, $every, $until),
		(map { "CREATE INDEX ON $name ($_);" } 'at', @types),
		"CREATE INDEX ON $name (k); VACUUM ANALYZE $name");
}

sub add
{
	my ($name, $rows, $every, $until) = @_;
	return "INSERT INTO $name SELECT at, i % 500" . (join '', map { ", ${_}_first(at)" } @types)
	  . " FROM (SELECT i, date_trunc('milliseconds', $until - ($rows - i) * interval '$every') AS at FROM generate_series(1, $rows) i) s;";
}

$node->safe_psql('postgres', q{
	CREATE EXTENSION ids;
	CREATE FUNCTION expected(query text) RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE plan json;
	BEGIN
		EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
		RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
	END $$});

# 1. Windows of a minute to thirty days, at four places each, in every form; {T} is the column, A and B are the times.
create_table('event', 25_000, '21 min', "timestamptz '2024-12-31'");
my @forms = (
	[ 'range', 'SELECT FROM event WHERE {T} <@ tstzrange(A, B)', 'SELECT FROM event WHERE at >= A AND at < B' ],
	[ 'range of an expression', "SELECT FROM event WHERE {T} <@ tstzrange(now() - (now() - A), now() - (now() - B))", 'SELECT FROM event WHERE at >= now() - (now() - A) AND at < now() - (now() - B)' ],
	[ 'two comparisons', 'SELECT FROM event WHERE {T} >= A AND {T} < B', 'SELECT FROM event WHERE at >= A AND at < B' ],
	[ 'two comparisons, commuted', 'SELECT FROM event WHERE B > {T} AND A <= {T}', 'SELECT FROM event WHERE B > at AND A <= at' ],
	[ 'BETWEEN', 'SELECT FROM event WHERE {T} BETWEEN {T}_first(A) AND {T}_last(B)', 'SELECT FROM event WHERE at BETWEEN A AND B' ],
	[ 'since', 'SELECT FROM event WHERE {T} >= A', 'SELECT FROM event WHERE at >= A' ],
	[ 'until', 'SELECT FROM event WHERE {T} < A', 'SELECT FROM event WHERE at < A' ],
	[ 'OR', "SELECT FROM event WHERE {T} <@ tstzrange(A, B) OR {T} <@ tstzrange(A - interval '40 days', B - interval '40 days')",
		"SELECT FROM event WHERE at >= A AND at < B OR at >= A - interval '40 days' AND at < B - interval '40 days'" ],
	[ 'NOT', 'SELECT FROM event WHERE NOT {T} <@ tstzrange(A, B)', 'SELECT FROM event WHERE NOT (at >= A AND at < B)' ],
	[ 'three bounds', 'SELECT FROM event WHERE {T} <@ tstzrange(A, B) AND {T} <= now()', 'SELECT FROM event WHERE at >= A AND at < B AND at <= now()' ],
	[ 'and another column', 'SELECT FROM event WHERE k < 100 AND {T} <@ tstzrange(A, B)', 'SELECT FROM event WHERE k < 100 AND at >= A AND at < B' ],
	[ 'join', 'SELECT FROM event a JOIN event b USING (k) WHERE a.{T} <@ tstzrange(A, B)', 'SELECT FROM event a JOIN event b USING (k) WHERE a.at >= A AND a.at < B' ]);
my $compared = join ' UNION ALL ', map {
	my ($name, $of_id, $of_time) = @$_;
	map {
		(my $query = $of_id) =~ s/\{T\}/$_/g;
		"SELECT '$name of $_' AS form, \$q\$$query\$q\$ AS of_id, \$q\$$of_time\$q\$ AS of_time"
	} @types
} @forms;
my $estimates = $node->safe_psql('postgres', qq{
	WITH places AS (
		SELECT place, width, at, at + width AS until FROM generate_series(0, 3) place, unnest(ARRAY['1 min', '1 h', '1 day', '7 days', '30 days']::interval[]) width,
			LATERAL (SELECT '2024-01-08'::timestamptz + place * interval '83 days 3 hours 7 minutes') l (at)),
	forms AS ($compared),
	estimates AS (
		SELECT form, expected(regexp_replace(regexp_replace(of_id, '\\mA\\M', quote_literal(at) || '::timestamptz', 'g'), '\\mB\\M', quote_literal(until) || '::timestamptz', 'g')) AS id,
			expected(regexp_replace(regexp_replace(of_time, '\\mA\\M', quote_literal(at) || '::timestamptz', 'g'), '\\mB\\M', quote_literal(until) || '::timestamptz', 'g')) AS at
		FROM places, forms)
	SELECT form, count(*), count(*) FILTER (WHERE abs(id - at) > 1 + at / 20), max(abs(id - at) - at / 20) FROM estimates GROUP BY form ORDER BY form});
foreach (split /\n/, $estimates)
{
	my ($form, $count, $off, $most) = split /\|/;
	ok($count == 20 && $off == 0, "$form: of $count windows $off are off by more than a twentieth and a row; most $most");
}
is(scalar(() = $estimates =~ /^/mg), @forms * @types, 'every form of every type');

# 2. Random queries: conditions on the time among others, in AND and OR, joins and EXISTS, on both columns. Conditions that must
# hold together all contain one time, because PostgreSQL estimates contradictory ones at half a percent of the table, and the
# extension at no rows.

# A time, as minutes before the table's end, and one before or after it, from a day to a year away, so that the rounding of the
# number of rows does not matter.
sub random_time { return rand 498_000 }
sub near { return sprintf '(\'2024-12-31\'::timestamptz - interval \'%d minutes\')', $_[0] + $_[1] * 1_440 * exp(rand log 365) }

# A condition on a table's ids, and the same on its times.
sub random_condition
{
	my ($table, $type, $depth, $time) = @_;
	my $kind = int rand($depth > 0 ? 9 : 6);
	my ($id, $at) = ("$table.$type", "$table.at");
	if ($kind >= 6)
	{
		my $or = $kind == 8;
		my @parts = map { [ random_condition($table, $type, $depth - 1, $or ? random_time() : $time) ] } 1 .. 2 + int rand 2;
		return map { my $column = $_; '(' . join($or ? ' OR ' : ' AND ', map { $_->[$column] } @parts) . ')' } 0, 1;
	}
	if ($kind <= 1)
	{
		my ($since, $until) = (near($time, 1), near($time, -1));
		return ("$id <@ tstzrange($since, $until)", "($at >= $since AND $at < $until)");
	}
	if ($kind <= 3)
	{
		my $operator = ('<', '<=', '>', '>=')[ rand 4 ];
		my $bound = near($time, $operator =~ /</ ? -1 : 1);
		return ("$id $operator $bound", "$at $operator $bound") if rand() < 0.5;
		$operator =~ tr/<>/></;
		return ("$bound $operator $id", "$bound $operator $at");
	}
	my $other = $kind == 4 ? sprintf("$table.k < %d", 300 + rand 200) : sprintf("$table.k >= %d", rand 200);
	return ($other, $other);
}

my @shapes = (
	'SELECT FROM event a WHERE %1$s',
	'SELECT FROM event a WHERE (%1$s) IS NOT TRUE',
	'SELECT FROM event a JOIN event b USING (k) WHERE %1$s AND %2$s',
	'SELECT FROM event a JOIN event b USING (k) WHERE (%1$s AND %2$s) OR (%2$s AND a.k < 1)',
	'SELECT FROM event a LEFT JOIN event b ON a.k = b.k AND %2$s WHERE %1$s',
	'SELECT FROM event a LEFT JOIN event b ON a.k = b.k WHERE %1$s AND (%2$s OR b.k IS NULL)',
	'SELECT FROM (event a LEFT JOIN event b ON a.k = b.k) LEFT JOIN event c ON c.k = b.k AND %2$s WHERE %1$s',
	'SELECT FROM ((event a LEFT JOIN event b ON a.k = b.k) LEFT JOIN event c ON c.k = b.k AND %2$s) LEFT JOIN event d ON d.k = b.k AND %3$s WHERE %1$s',
	'SELECT FROM event a FULL JOIN event b ON a.k = b.k AND %1$s AND %2$s',
	'SELECT FROM event a WHERE %1$s AND EXISTS (SELECT FROM event b WHERE b.k = a.k AND %2$s)',
	'SELECT FROM event a WHERE %1$s AND NOT EXISTS (SELECT FROM event b WHERE b.k = a.k AND %2$s)',
	'SELECT FROM (SELECT * FROM event a WHERE %1$s OFFSET 0) a JOIN event b USING (k) WHERE %2$s');
my $queries = $ENV{QUERIES} // 1_000;
my $values = join ",\n", map {
	my $type = $types[ rand @types ];
	my @a = random_condition('a', $type, 2, random_time());
	my @b = random_condition('b', $type, 1, random_time());
	my @c = random_condition('b', $type, 1, random_time());
	my $shape = $shapes[ rand @shapes ];
	join '', '(', join(', ', map { '$q$' . sprintf($shape, $a[$_], $b[$_], $c[$_]) . '$q$' } 0, 1), ')'
} 1 .. $queries;
# An anti-join has the rows that a semi-join leaves over: where these are few, small differences between the estimates of the semi-join
# are large ones of the anti-join. So it may be off by a hundredth of the table.
my ($count, $off, $example) = split /\|/, $node->safe_psql('postgres', qq{
	CREATE TABLE query (of_id text, of_time text);
	INSERT INTO query VALUES $values;
	WITH estimates AS (SELECT of_id, expected(of_id) AS id, expected(of_time) AS at FROM query),
	off AS (SELECT * FROM estimates WHERE abs(id - at) > 0.1 * at + CASE WHEN of_id ~ 'NOT EXISTS' THEN 250 ELSE 2 END)
	SELECT (SELECT count(*) FROM estimates), (SELECT count(*) FROM off), (SELECT format('%s rows, not %s: %s', id, at, of_id) FROM off ORDER BY length(of_id) LIMIT 1)});
is($count, $queries, "$queries random queries");
is($off, 0, 'no estimate is off by more than a tenth') or diag $example;

# 3. Statistics from yesterday and 4,000 rows since: the last hour, in each form; also with an id of the year 2085, in the
# statistics or newer than they are.
sub last_hours
{
	my ($name, $column) = @_;
	return split /\|/, $node->safe_psql('postgres', join ' || \'|\' || ',
		"SELECT (SELECT count(*) FROM $name WHERE at >= now() - interval '1 hour' AND at <= now())",
		map { "expected(\$q\$SELECT FROM $name WHERE $_\$q\$)" } "$column >= now() - interval '1 hour' AND $column < now() + interval '1 hour'",
		"$column <@ tstzrange(now() - interval '1 hour', now() + interval '1 hour')", "now() - interval '1 hour' < $column AND $column < now()");
}
foreach my $stray ('none', 'newer than the statistics', 'in the statistics')
{
	create_table('growing', 20_000, '21.6 s', "now() - interval '1 day'");
	my $far = add('growing', 1, '0', "timestamptz '2085-01-01'");
	$node->safe_psql('postgres', "$far ANALYZE growing") if $stray eq 'in the statistics';
	$node->safe_psql('postgres', add('growing', 4_000, '21.6 s', 'now()'));
	$node->safe_psql('postgres', $far) if $stray eq 'newer than the statistics';
	foreach my $type (@types)
	{
		my ($really, @expected) = last_hours('growing', $type);
		is(scalar(grep { $_ > $really * 1.2 || $_ < $really / 1.2 } @expected), 0, "the last hour of $type, stray id: $stray: $really rows, expected @expected");
		cmp_ok($node->safe_psql('postgres', "SELECT expected('SELECT FROM growing WHERE $type > now() + interval ''1 day''')"), '<', 50, "from tomorrow on, stray id of $type: $stray");
	}
	$node->safe_psql('postgres', 'DROP TABLE growing');
}
# An archive has no rows of the last 30 days, whatever the clock says.
create_table('archive', 20_000, '1 h', "now() - interval '1 year'");
is($node->safe_psql('postgres', q{SELECT expected('SELECT FROM archive WHERE ulid >= now() - interval $$30 days$$'), expected('SELECT FROM archive WHERE ulid <@ tstzrange(now() - interval $$30 days$$, now())')}),
	'1|1', 'the last 30 days of an archive');

# 4. Joins with columns of ranges and of bounds have PostgreSQL's own estimates.
create_table('even', 20_000, '1296 s', "timestamptz '2024-12-31'");
$node->safe_psql('postgres', q{
	CREATE TABLE hours AS SELECT tstzrange(at, at + interval '1 hour') AS during, ulid_first(at) AS a, ulid_last(at) AS b
		FROM generate_series(1, 100) n, LATERAL (SELECT '2025-01-01'::timestamptz - n * interval '2 days 19 hours 13 minutes') s (at);
	VACUUM ANALYZE hours});
is($node->safe_psql('postgres', 'SELECT ' . join ', ', map { "expected('SELECT FROM even f JOIN hours w ON $_')" }
	'f.ulid <@ w.during', 'w.during @> f.ulid', 'f.ulid >= w.a AND f.ulid <= w.b', 'f.ulid <@ tstzrange(ulid_extract_timestamp(w.a), NULL)'),
	'10000|10000|222222|10000', 'joins');

# 5. The steps of the estimates grow in proportion to the number of conditions, wherever these stand, and hardly with the size of the
# histogram. A library that counts them plans each query with 200 windows and with 1,600.
my $counted = PostgreSQL::Test::Cluster->new('counted');
$counted->init;
$counted->append_conf('postgresql.conf', "autovacuum = off\njit = off");
$counted->start;
$counted->safe_psql('postgres', "CREATE EXTENSION ids; UPDATE pg_proc SET probin = '$ENV{IDS_FAULTS}/steps/ids' WHERE probin ~ '/ids\$'");
$counted->safe_psql('postgres', "CREATE FUNCTION steps() RETURNS bigint LANGUAGE c AS '$ENV{IDS_FAULTS}/steps/ids'" . q{;
	CREATE TABLE item AS SELECT i, ulid_first(at) AS id, ulid_first(at) AS other, ulid_first(date_trunc('hour', at)) AS ref
		FROM generate_series(1, 20000) i, LATERAL (SELECT '2026-01-01'::timestamptz + i * interval '10 min') s (at);
	CREATE INDEX ON item (id);
	CREATE INDEX ON item (i) WHERE id >= ulid_first('2026-02-01');
	CREATE TABLE span AS SELECT tstzrange(at, at + interval '1 hour') AS during
		FROM generate_series(1, 12000) i, LATERAL (SELECT '2026-01-01'::timestamptz + i * interval '15 min') s (at)});
sub steps
{
	my ($windows, $target, $query) = @_;
	my $each = sub { my ($form, $by) = @_; return join $by, map { sprintf $form, map { POSIX::strftime('%Y-%m-%d %H:%M+00', gmtime(1_767_225_600 + 600 * $_)) } $_ * 2, $_ * 2 + 1 } 1 .. $windows };
	$query =~ s/(OR|AND)\{(.*?)\}/'(' . $each->($2, " $1 ") . ')'/ge;
	return $counted->safe_psql('postgres', "SET default_statistics_target = $target; ANALYZE item, span; EXPLAIN SELECT FROM item WHERE id < now(); SELECT steps() AS before \\gset\n"
		. "\\o /dev/null\nEXPLAIN SELECT FROM $query;\n\\o\nSELECT steps() - :before") =~ s/.*\n//sr;
}
my $window = q{id <@ '[%s,%s)'};
foreach my $query ("item WHERE OR{$window}", "item WHERE OR{$window AND i > 0} AND OR{other <@ '[%s,%s)'}", "item WHERE OR{$window} AND OR{$window AND i > 1}", "item WHERE AND{NOT $window}",
	"item WHERE AND{i <> length('%s') AND id <> ulid_first('%s')} AND AND{id > ulid_first('%s') AND id < ulid_last('%s')}",
	"item WHERE (OR{$window}) IS TRUE", "item WHERE OR{$window} AND id >= ulid_first('2026-02-01') AND i < 9",
	"item a LEFT JOIN item b ON a.i = b.i AND OR{a.$window} WHERE OR{b.$window OR b.id IS NULL}", "item a FULL JOIN item b ON a.i = b.i AND OR{a.$window} AND OR{b.$window}",
	"item a JOIN item b ON a.i = b.i AND OR{a.$window AND b.other <@ '[%1\$s,%2\$s)'}", "item WHERE OR{$window} GROUP BY id HAVING OR{$window} OR count(*) > 1",
	"item WHERE EXISTS (SELECT FROM span WHERE id <@ during) AND OR{$window}")
{
	my ($few, $many) = map { steps($_, 100, $query) } 200, 1_600;
	cmp_ok($many, '<', 10 * $few, "$few steps for 200 windows, $many for 1,600: $query");
}
my ($small, $large) = map { steps(200, $_, "item WHERE OR{$window}") } 100, 10_000;
cmp_ok($large, '<', 2 * $small, "$small steps for 200 windows with a histogram of 100 bins, $large with one of 10,000");
# A sort compares the first 64 bits of ids that differ in these, and asks the type for them once.
my $steps = $counted->safe_psql('postgres', q{CREATE TABLE shuffled AS SELECT id FROM item ORDER BY hashint4(i); SELECT steps() AS before \gset
	SELECT count(*) FROM (SELECT id FROM shuffled ORDER BY id OFFSET 0) s \g /dev/null
	SELECT steps() - :before});
cmp_ok($steps, '<', 5 * 20_000, "$steps steps to sort 20,000 ids");
$counted->stop;

# 6. A bound that is not a constant is computed as often for 200 partitions as for 20. The executor computes it, too, to prune them.
$node->safe_psql('postgres', q{
	CREATE SEQUENCE computed;
	CREATE FUNCTION at(timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN PERFORM nextval($$computed$$); RETURN $1; END'});
my %computed;
foreach my $partitions (20, 200)
{
	$node->safe_psql('postgres', "CREATE TABLE log_$partitions (id ulid) PARTITION BY RANGE (id);"
		. "CALL ids_create_partitions('log_$partitions', '1 day', now(), now() + interval '${\($partitions - 1)} days')");
	is($node->safe_psql('postgres', "SELECT count(*) FROM ids_partitions('log_$partitions')"), $partitions, "$partitions partitions");
	foreach my $where ("id >= at(now()) - interval '1 hour'", "id >= at(now() - interval '1 hour') AND id < at(now())", "id <@ tstzrange(at(now()), at(now() + interval '1 hour'))",
		'id < ulid_settled() AND id >= at(now())', join(' OR ', map { "id > at(now() + interval '$_ h') AND id < at(now() + interval '$_ h 1 min')" } 1 .. 4))
	{
		push @{ $computed{$where} }, $node->safe_psql('postgres', "SELECT setval('computed', 1);\\o /dev/null\nEXPLAIN SELECT FROM log_$partitions WHERE $where;\n\\o\nSELECT last_value - 1 FROM computed") =~ s/.*\n//sr;
	}
}
foreach my $where (sort keys %computed)
{
	my ($few, $many) = @{ $computed{$where} };
	ok($few > 0 && $few == $many, "computed $few times for 20 partitions, $many for 200: $where");
}

# 7. A condition on ids gives the same rows as the condition on their times, however the query is planned, in every form, also at
# the ends of the type's range.
my @settings = ('', 'enable_seqscan = off', 'enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off; SET enable_partition_pruning = off',
	'parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2');
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE small (id $type, at timestamptz GENERATED ALWAYS AS (${type}_extract_timestamp(id)) STORED);
		INSERT INTO small SELECT gen_$type('2026-01-01'::timestamptz + i * interval '3 hours') FROM generate_series(1, 700) i;
		INSERT INTO small SELECT gen_$type('2026-02-01'::timestamptz + i * interval '300 us') FROM generate_series(1, 100) i;
		INSERT INTO small SELECT gen_$type(${type}_extract_timestamp(${type}_first('-infinity')) + i * interval '1 ms') FROM generate_series(1, 3) i;
		INSERT INTO small SELECT gen_$type(${type}_extract_timestamp(${type}_last('infinity')) - i * interval '1 ms') FROM generate_series(1, 3) i;
		INSERT INTO small VALUES (NULL);
		CREATE INDEX ON small (id);
		CREATE TABLE parted (LIKE small INCLUDING GENERATED) PARTITION BY RANGE (id);
		CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (${type}_first('2026-01-01')) TO (${type}_first('2026-02-01 00:00:00.01'));
		CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (${type}_first('2026-02-01 00:00:00.01')) TO (${type}_first('2026-04-01'));
		CREATE TABLE parted_3 PARTITION OF parted DEFAULT;
		INSERT INTO parted SELECT id FROM small;
		CREATE INDEX ON parted (id);
		CREATE TABLE span (during tstzrange);
		INSERT INTO span VALUES ('empty'), ('(,)'), (NULL), ('[2026-02-01, 2026-02-01 00:00:00.0105)'), ('(2026-01-31 23:00, 2026-02-01 00:00:00.0105]'), ('[2026-03-01,)'), ('(,1900-01-01)'),
			('[2026-02-01 00:00:00.0003,2026-02-01 00:00:00.0003]'), ('(2026-02-01 00:00:00.0003,2026-02-01 00:00:00.003)'), ('[20000-01-01, infinity)');
		ALTER TABLE span ADD cut tstzrange;
		UPDATE span SET cut = (@{[ $type eq 'tbsl' ? 'during' : q{regexp_replace(during::text, '(\.\d{3})\d+', '\1', 'g')} ]})::tstzrange;
		ANALYZE small, parted, span;
		CREATE FUNCTION slow(tstzrange) RETURNS tstzrange LANGUAGE plpgsql STABLE AS 'BEGIN RETURN \$1; END';
		CREATE FUNCTION volatile(tstzrange) RETURNS tstzrange LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN \$1; END'});
	my @differences;
	my $compared = 0;
	foreach my $setting (@settings)
	{
		my $set = $setting ? "SET $setting;" : '';
		# Each form is compared with the id and with its time; then other times are cut to the unit, for which they stand.
		my @queries = map {
			my $form = $_;
			my @both = map { my $column = $_; (my $query = $form) =~ s/\{\}/$column/g; "($query)" } 'id', 'at';
			$both[1] =~ s/\bduring\b(?! LIMIT)/cut/g;
			$both[1] =~ s/\.0105/.010/g unless $type eq 'tbsl';
			"SELECT \$q\$$form\$q\$ WHERE $both[0] IS DISTINCT FROM $both[1]"
		} map {
			my $table = $_;
			(
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE {} <@ during) AS n FROM span) s",
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE NOT {} <@ during) AS n FROM span) s",
				"SELECT array_agg(n) FROM (SELECT during, count({}) AS n FROM span LEFT JOIN $table ON during @> {} GROUP BY during ORDER BY n) s",
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE {} <@ slow(during)) AS n FROM span) s",
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE {} <@ volatile(during)) AS n FROM span) s",
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE {} <@ (SELECT during)) AS n FROM span) s",
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE {} <@ tstzrange(lower(during), upper(during))) AS n FROM span) s",
				"SELECT array_agg(n) FROM (SELECT (SELECT count(*) FROM $table WHERE NOT tstzrange(lower(during), upper(during)) @> {}) AS n FROM span) s",
				"SELECT count(*) FROM $table WHERE {} <@ (SELECT during FROM span ORDER BY during LIMIT 1 OFFSET 5)",
				"SELECT count(*) FROM $table WHERE (SELECT during FROM span WHERE during IS NULL) @> {}",
				"SELECT count(*) FROM $table WHERE {} <@ ANY ('{\"[2026-02-01,2026-02-02)\",\"[2026-03-01,2026-03-02)\"}'::tstzrange[])",
				"SELECT count(*) FROM $table WHERE {} >= '2026-02-01 00:00:00.001'::timestamptz AND {} < '2026-02-01 00:00:00.0105'::timestamptz",
				"SELECT count(*) FROM $table WHERE '2026-02-01 00:00:00.001'::timestamptz < {} AND '2026-02-01 00:00:00.0105'::timestamptz >= {}",
				"SELECT count(*) FROM $table WHERE {} > (SELECT min(lower(during)) FROM span WHERE lower(during) > '2026-01-01') OR {} <= '1980-01-01'::timestamptz",
				"SELECT count(*) FROM $table WHERE ({} <@ '[2026-02-01,2026-02-02)'::tstzrange) IS NOT TRUE",
				"SELECT count(*) FROM $table a WHERE EXISTS (SELECT FROM span WHERE a.{} <@ during AND upper(during) < '2027-01-01')")
		} 'small', 'parted';
		$compared += @queries;
		push @differences, map { "$setting: $_" } split /\n/, $node->safe_psql('postgres', $set . join ' UNION ALL ', @queries);
	}
	is(join("\n", @differences), '', "$type: $compared queries give the same rows for ids as for their times");
	$node->safe_psql('postgres', 'DROP TABLE small, parted, span; DROP FUNCTION slow, volatile');
}

$node->stop;
done_testing();
