# Indexes hold every row of each type, in order, and serve what newer PostgreSQL versions do with them: btree, GiST, temporal keys,
# skip scans.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Indexes of each type hold every row, in order.
$node->safe_psql('postgres', 'CREATE EXTENSION amcheck');
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		SET work_mem = '1MB'; SET maintenance_work_mem = '1MB';
		CREATE TABLE checked_$type AS
			SELECT gen_$type('2020-01-01'::timestamptz + random() * interval '20 years') AS id FROM generate_series(1, 10000);
		INSERT INTO checked_$type SELECT id FROM checked_$type LIMIT 1000;
		CREATE INDEX checked_${type}_btree ON checked_$type (id);
		INSERT INTO checked_$type SELECT gen_$type() FROM generate_series(1, 1000);
	});
	is($node->safe_psql('postgres', "SELECT bt_index_parent_check('checked_${type}_btree', heapallindexed => true)"), '', "$type: btree holds every row");
	is($node->safe_psql('postgres', qq{
		SELECT bool_and(id::bytea >= before) FROM (SELECT id, lag(id::bytea) OVER (ORDER BY id) AS before FROM checked_$type) s}), 't', "$type: sorts as its bytes");
}
$node->command_ok([ 'pg_amcheck', '--heapallindexed', 'postgres' ], 'pg_amcheck finds nothing');

$node->safe_psql('postgres', q{
	CREATE FUNCTION blocks(query text) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE plan json;
	BEGIN
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
		RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
	END $$});

# GiST indexes, built by sort and by inserts in order and in random order, with rows deleted meanwhile: every row is found by its
# id, and an index-only scan returns the same ids as the table.
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE ordered (id $type, n int);
		CREATE INDEX ordered_gist ON ordered USING gist (id);
		INSERT INTO ordered SELECT gen_$type(), i FROM generate_series(1, 30000) i;
		CREATE TABLE shuffled (id $type, n int);
		CREATE INDEX shuffled_gist ON shuffled USING gist (id);
		INSERT INTO shuffled SELECT id, n FROM ordered ORDER BY hashint4(n);
		INSERT INTO shuffled SELECT id, n FROM shuffled WHERE n % 10 = 0;
		CREATE TABLE sorted AS SELECT id, n FROM shuffled;
		CREATE INDEX sorted_gist ON sorted USING gist (id);
		INSERT INTO sorted SELECT id, n FROM sorted WHERE n % 10 = 1;
	});
	foreach my $table ('ordered', 'shuffled', 'sorted')
	{
		$node->safe_psql('postgres', "DELETE FROM $table WHERE n % 7 = 0 OR n BETWEEN 10000 AND 20000");
		$node->safe_psql('postgres', "VACUUM ANALYZE $table");
		$node->safe_psql('postgres', "INSERT INTO $table SELECT gen_$type(id::timestamptz), n FROM $table WHERE n <= 5000");
		$node->safe_psql('postgres', "VACUUM ANALYZE $table");
		my $sum = "SELECT count(*), sum(hashtext(id::text)) FROM $table WHERE id >= ${type}_first('-infinity')";
		my $index = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off; SET enable_memoize = off;';
		like($node->safe_psql('postgres', "$index EXPLAIN $sum"), qr/Index Only Scan using ${table}_gist/, "$type: an index-only scan of $table");
		is($node->safe_psql('postgres', "$index $sum"), $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; $sum"), "$type: an index-only scan finds all ids of $table");
		my $lookups = "SELECT count(*) = (SELECT count(*) FROM a) FROM a WHERE EXISTS (SELECT FROM $table t WHERE t.id = a.id AND t.n = a.n OFFSET 0)";
		is($node->safe_psql('postgres', "CREATE TABLE a AS SELECT id, n FROM $table; $index $lookups"), 't', "$type: every row of $table is found by its id");
		$node->safe_psql('postgres', 'DROP TABLE a');
	}
	# Ids in order leave full pages behind: 36 bytes an entry at most, and half-full pages would take 72. GiST takes one of
	# several equal choices at random, but twelve such indexes in a row had the same size, 41 bytes an entry or less.
	cmp_ok($node->safe_psql('postgres', "CREATE TABLE grown (id $type); CREATE INDEX grown_gist ON grown USING gist (id);
		INSERT INTO grown SELECT id FROM ordered ORDER BY id LIMIT 30000; SELECT pg_relation_size('grown_gist') / 30000.0"), '<', 36 / 0.75, "$type: ids in order leave full pages behind");
	cmp_ok($node->safe_psql('postgres', "CREATE INDEX grown_sorted ON grown USING gist (id); SELECT pg_relation_size('grown_sorted') / 30000.0"), '<', 36 / 0.75, "$type: so does a build by sort");
	# So do ids in no order, whose pages are half full at least; a look-up reads a page of each of three levels, and the row's.
	my ($bytes, $blocks) = split /\|/, $node->safe_psql('postgres', "CREATE TABLE scattered (id $type); CREATE INDEX scattered_gist ON scattered USING gist (id);
		INSERT INTO scattered SELECT id FROM ordered ORDER BY hashint4(n) LIMIT 30000; ANALYZE scattered;
		SET enable_seqscan = off; SET enable_bitmapscan = off;
		SELECT pg_relation_size('scattered_gist') / 30000.0, avg(blocks(format('SELECT FROM scattered WHERE id = %L', id))) FROM (SELECT id FROM scattered LIMIT 200) s");
	cmp_ok($bytes, '<', 36 / 0.5, "$type: ids in no order leave half-full pages at least");
	cmp_ok($blocks, '<', 4.5, "$type: and are found in few blocks");
	$node->safe_psql('postgres', 'DROP TABLE ordered, shuffled, sorted, grown, scattered');
}

# A GiST index of two columns splits its pages by the first one. Then the ranges of the other may contain each other, as here, where
# later rows are farther from the middle.
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE pairs (id $type, other $type);
		CREATE INDEX pairs_gist ON pairs USING gist (id, other);
		INSERT INTO pairs SELECT ${type}_first(timestamptz '2026-01-01' + n * interval '1 s'),
			${type}_first(timestamptz '2026-01-01' + (CASE n % 2 WHEN 0 THEN n ELSE -n END) * interval '1 s') FROM generate_series(1, 30000) n;
		VACUUM ANALYZE pairs});
	my $counts = "SELECT string_agg((SELECT count(*) FROM pairs WHERE other >= since)::text, ' ') FROM (
		SELECT ${type}_first(at) AS since FROM generate_series(timestamptz '2026-01-01' - interval '8 h', timestamptz '2026-01-01 08:00', '30 min') at OFFSET 0) s";
	like($node->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN $counts"), qr/ on pairs_gist|using pairs_gist/, "$type: the second column of two");
	is($node->safe_psql('postgres', "SET enable_seqscan = off; $counts"),
		$node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; $counts"),
		"$type: every row is found by the second column of two");
	$node->safe_psql('postgres', 'DROP TABLE pairs');
}

# BRIN with several intervals a range of blocks: the intervals end where the gaps between ids are widest, so a query of a gap reads no
# block of the table.
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE clusters AS
			SELECT gen_$type(timestamptz '2020-01-01' + n % 3 * interval '10 years' + n * interval '1 s') AS id FROM generate_series(1, 30000) n;
		CREATE INDEX ON clusters USING brin (id ${type}_minmax_multi_ops (values_per_range = 16))});
	my $plan = $node->safe_psql('postgres', qq{
		SET enable_seqscan = off;
		EXPLAIN (ANALYZE, COSTS off) SELECT FROM clusters WHERE id <@ tstzrange('2025-01-01', '2026-01-01') OR id <@ tstzrange('2035-01-01', '2036-01-01')});
	like($plan, qr/Bitmap Index Scan on clusters_id_idx/, "$type: BRIN serves a query of gaps");
	unlike($plan, qr/Heap Blocks/, "$type: which reads no block");
	$node->safe_psql('postgres', 'DROP TABLE clusters');
}

# Temporal keys.
SKIP:
{
	skip 'temporal keys came with PostgreSQL 18', 6 * @types if $node->pg_version < 18;
	foreach my $type (@types)
	{
		$node->safe_psql('postgres', qq{
			CREATE TABLE room (id $type, during daterange, PRIMARY KEY (id, during WITHOUT OVERLAPS));
			CREATE TABLE stay (room $type, during daterange, FOREIGN KEY (room, PERIOD during) REFERENCES room (id, PERIOD during));
			INSERT INTO room SELECT ${type}_first('2026-01-01'::timestamptz + i * interval '1 s'), during
				FROM generate_series(1, 10000) i, (VALUES ('[2026-01-01, 2026-02-01)'::daterange), ('[2026-02-01, 2026-03-01)')) v (during)});
		my $one = "${type}_first('2026-01-01'::timestamptz + interval '4711 s')";
		$node->psql('postgres', "INSERT INTO room VALUES ($one, '[2026-02-28, 2026-03-02)')", stderr => \my $overlap);
		like($overlap, qr/violates exclusion constraint "room_pkey"/, "$type: a temporal key refuses an overlap");
		is($node->psql('postgres', "INSERT INTO room VALUES ($one, '[2026-03-01, 2026-03-02)')"), 0, "$type: a temporal key accepts another time");
		is($node->psql('postgres', "INSERT INTO stay VALUES ($one, '[2026-01-20, 2026-02-20)')"), 0, "$type: a reference over two rows");
		$node->psql('postgres', "INSERT INTO stay VALUES ($one, '[2026-01-20, 2026-03-20)')", stderr => \my $absent);
		like($absent, qr/violates foreign key constraint/, "$type: no reference that the rows do not cover");
		$node->psql('postgres', "DELETE FROM room WHERE id = $one", stderr => \my $referenced);
		like($referenced, qr/is still referenced/, "$type: a row that is referenced cannot be deleted");
		like($node->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN SELECT FROM room WHERE id = $one"), qr/ on room_pkey|using room_pkey/, "$type: the key serves look-ups");
		$node->safe_psql('postgres', 'DROP TABLE stay, room');
	}
}

# Skip scans go from one id to the next.
SKIP:
{
	skip 'skip scans came with PostgreSQL 18', 2 * @types + 1 if $node->pg_version < 18;
	foreach my $type (@types)
	{
		$node->safe_psql('postgres', qq{
			CREATE TABLE skipped_$type AS SELECT ${type}_last('2026-01-01'::timestamptz + (i % 10) * interval '1 s') AS id, i FROM generate_series(1, 100000) i;
			CREATE INDEX ON skipped_$type (id, i); VACUUM ANALYZE skipped_$type});
		my $query = "SELECT count(*) FROM skipped_$type WHERE i IN (7, 77777)";
		is($node->safe_psql('postgres', "SET enable_seqscan = off; $query"), '2', "$type: a skip scan finds all");
		like($node->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN (ANALYZE, COSTS OFF) $query"), qr/Index Searches: (?!1\n)\d+/, "$type: a skip scan searches several times");
	}
	# Backward, over ids that follow each other.
	$node->safe_psql('postgres', q{
		CREATE TABLE neighbours AS SELECT set_byte(set_byte(ulid_first('2026-01-01')::bytea, 14, n / 256), 15, n % 256)::ulid AS id, i
			FROM generate_series(0, 999) n, generate_series(1, 300) i;
		CREATE INDEX ON neighbours (id, i); VACUUM ANALYZE neighbours});
	is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM (SELECT FROM neighbours WHERE i = 7 ORDER BY id DESC, i DESC) s'),
		1000, 'a skip scan goes back from one id to the one before it');
}

$node->stop;
done_testing();
