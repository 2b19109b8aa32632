# One server: parallel queries, indexes, features of newer PostgreSQL versions, several databases, several
# builds of the library, and tables that had uuids before.
use strict;
use warnings;
use File::Copy;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Sessions in turn; true if each identifier is greater than the one before.
sub in_order
{
	my @sessions = @_;
	my $previous = '';
	foreach my $turn (1 .. 100)
	{
		my $id = $sessions[ $turn % @sessions ]->query_safe('SELECT gen_ulid()');
		chomp $id;
		return 0 unless $id =~ /^[0-9A-Z]{26}$/ && $id gt $previous;
		$previous = $id;
	}
	return 1;
}

# Parallel queries: ids follow the order of the query, so no worker makes them. Workers sort, hash and aggregate.
my $parallel = q{
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;
};
$node->safe_psql('postgres', q{
	CREATE TABLE number AS SELECT i, hashint4(i) AS at FROM generate_series(1, 200000) i;
	ANALYZE number;
});
foreach my $generator (@generators)
{
	my $key = key_of($generator, 'id');
	my $query = "SELECT gen_$generator() AS id, at FROM number ORDER BY at LIMIT 10000";
	like($node->safe_psql('postgres', "$parallel EXPLAIN $query"), qr/Gather Merge/, "gen_$generator: workers sort");
	$node->safe_psql('postgres', "$parallel CREATE TABLE numbered AS $query");
	is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT $key AS key, lag($key) OVER (ORDER BY at, id) AS before FROM numbered) s WHERE key < before"),
		'0', "gen_$generator: the ids are in the order of the query");
	$node->safe_psql('postgres', 'DROP TABLE numbered');
}
$node->safe_psql('postgres', 'CREATE TABLE id AS SELECT gen_ulid() AS id FROM number');
my $minmax = 'SELECT min(id) = (SELECT id FROM id ORDER BY id LIMIT 1), max(id) = (SELECT id FROM id ORDER BY id DESC LIMIT 1), count(DISTINCT id) FROM id';
like($node->safe_psql('postgres', "$parallel EXPLAIN SELECT min(id), max(id) FROM id"), qr/Partial Aggregate/, 'workers aggregate');
is($node->safe_psql('postgres', "$parallel $minmax"), 't|t|200000', 'the minimum and maximum of parallel aggregates are right');
is($node->safe_psql('postgres', "$parallel SET enable_mergejoin = off; SELECT count(*) FROM id a JOIN id b USING (id)"), '200000', 'workers join');

# Indexes of each type hold every row, in order.
$node->safe_psql('postgres', 'CREATE EXTENSION amcheck');
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		SET work_mem = '1MB'; SET maintenance_work_mem = '1MB';
		CREATE TABLE checked_$type AS
			SELECT gen_$type('2020-01-01'::timestamptz + random() * interval '20 years') AS id FROM generate_series(1, 100000);
		INSERT INTO checked_$type SELECT id FROM checked_$type LIMIT 10000;
		CREATE INDEX checked_${type}_btree ON checked_$type (id);
		INSERT INTO checked_$type SELECT gen_$type() FROM generate_series(1, 10000);
	});
	is($node->safe_psql('postgres', "SELECT bt_index_parent_check('checked_${type}_btree', heapallindexed => true)"), '', "$type: btree holds every row");
	is($node->safe_psql('postgres', qq{
		SELECT bool_and(id::bytea >= before) FROM (SELECT id, lag(id::bytea) OVER (ORDER BY id) AS before FROM checked_$type) s}), 't', "$type: sorts as its bytes");
}
$node->command_ok([ 'pg_amcheck', '--heapallindexed', 'postgres' ], 'pg_amcheck finds nothing');

# GiST indexes, built by sort and by inserts in order and in random order, with rows deleted meanwhile: every row is found by its
# id, and an index-only scan returns the same ids as the table.
foreach my $type (@types)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE ordered (id $type, n int);
		CREATE INDEX ordered_gist ON ordered USING gist (id);
		INSERT INTO ordered SELECT gen_$type(), i FROM generate_series(1, 100000) i;
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
		$node->safe_psql('postgres', "DELETE FROM $table WHERE n % 7 = 0 OR n BETWEEN 20000 AND 40000");
		$node->safe_psql('postgres', "VACUUM ANALYZE $table");
		$node->safe_psql('postgres', "INSERT INTO $table SELECT gen_$type(id::timestamptz), n FROM $table WHERE n <= 10000");
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
		INSERT INTO grown SELECT id FROM ordered ORDER BY id LIMIT 50000; SELECT pg_relation_size('grown_gist') / 50000.0"), '<', 36 / 0.75, "$type: ids in order leave full pages behind");
	$node->safe_psql('postgres', 'DROP TABLE ordered, shuffled, sorted, grown');
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

# Where PostgreSQL has soft errors, input functions report them so.
SKIP:
{
	skip 'soft errors came with PostgreSQL 16', 2 * @types if $node->pg_version < 16;
	foreach my $type (@types)
	{
		is($node->safe_psql('postgres', "SELECT pg_input_is_valid(gen_$type()::text, '$type'), pg_input_is_valid('x', '$type')"), 't|f', "$type: valid or not");
		like($node->safe_psql('postgres', "SELECT detail, sql_error_code FROM pg_input_error_info('x', '$type')"), qr/^Expected .*, found 1 character\.\|22P02$/, "$type: why not");
	}
}
SKIP:
{
	skip 'COPY ... ON_ERROR came with PostgreSQL 17', 1 if $node->pg_version < 17;
	my $rows = $node->basedir . '/rows';
	PostgreSQL::Test::Utils::append_to_file($rows, "01AN4Z07BY79KA1307SR9X4MV3\nbad\n7ZZZZZZZZZZZZZZZZZZZZZZZZZ\n");
	is($node->safe_psql('postgres', "CREATE TABLE lenient (id ulid); COPY lenient FROM '$rows' (ON_ERROR ignore); SELECT count(*) FROM lenient"), '2', 'COPY leaves bad rows out');
}

# Skip scans go from one id to the next.
SKIP:
{
	skip 'skip scans came with PostgreSQL 18', 2 * @types if $node->pg_version < 18;
	foreach my $type (@types)
	{
		$node->safe_psql('postgres', qq{
			CREATE TABLE skipped_$type AS SELECT ${type}_last('2026-01-01'::timestamptz + (i % 10) * interval '1 s') AS id, i FROM generate_series(1, 100000) i;
			CREATE INDEX ON skipped_$type (id, i); VACUUM ANALYZE skipped_$type});
		my $query = "SELECT count(*) FROM skipped_$type WHERE i IN (7, 77777)";
		is($node->safe_psql('postgres', "SET enable_seqscan = off; $query"), '2', "$type: a skip scan finds all");
		like($node->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN (ANALYZE, COSTS OFF) $query"), qr/Index Searches: (?!1\n)\d+/, "$type: a skip scan searches several times");
	}
}

# Ids of PostgreSQL's own uuidv7() and of gen_uuidv7() are in one order if they are made some microseconds apart. The first ids of
# a database may be ahead of the clock.
SKIP:
{
	skip 'uuidv7() came with PostgreSQL 18', 1 if $node->pg_version < 18;
	is($node->safe_psql('postgres', q{
		CREATE TABLE mixed (n serial, id uuid);
		DO $$ BEGIN
			PERFORM gen_uuidv7(), pg_sleep(0.2);
			FOR i IN 1 .. 10000 LOOP
				INSERT INTO mixed (id) VALUES (gen_uuidv7());
				INSERT INTO mixed (id) VALUES (uuidv7());
			END LOOP;
		END $$;
		SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM mixed) s WHERE id < before}), '0', 'ids of both generators are in one order');
}

# Partitions have the access method of their table.
SKIP:
{
	skip 'partitioned tables have an access method from PostgreSQL 17', 1 if $node->pg_version < 17;
	is($node->safe_psql('postgres', q{
		CREATE ACCESS METHOD "Heap 2" TYPE TABLE HANDLER heap_tableam_handler;
		CREATE TABLE log (id ulid) PARTITION BY RANGE (id) USING "Heap 2";
		CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-04-01');
		SELECT amname FROM pg_class c JOIN pg_am am ON am.oid = relam WHERE relname = 'log_20260301'}), 'Heap 2', 'partitions have the access method of their table');
}

SKIP:
{
	skip 'intervals can be infinite from PostgreSQL 17', 1 if $node->pg_version < 17;
	my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY sqlstate\nCREATE TABLE endless (id ulid) PARTITION BY RANGE (id); CALL ids_create_partitions('endless', 'infinity', now(), now())");
	like($error, qr/ERROR:  22023/, 'a partition cannot be endless');
}

# The library reports its name and version, and the shared state has a name, too.
SKIP:
{
	skip 'libraries report their versions from PostgreSQL 18', 1 if $node->pg_version < 18;
	is($node->safe_psql('postgres', "SELECT gen_ulid() IS NULL, version LIKE extversion || '.%' FROM pg_get_loaded_modules(), pg_extension WHERE module_name = 'ids' AND extname = 'ids'"),
		'f|t', 'the library reports its version');
}
SKIP:
{
	skip 'the DSM registry can be seen from PostgreSQL 19', 1 if $node->pg_version < 19;
	is($node->safe_psql('postgres', "SELECT name, size FROM pg_dsm_registry_allocations"), 'ids|512', 'the state is in the DSM registry');
}

# Databases of one server share one order.
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION ids');
my $here = $node->background_psql('postgres');
my $there = $node->background_psql('other');
ok(in_order($here, $there), 'two databases share one order');

# A new library file: sessions that have it work beside sessions that have the old one.
my $library = "$ENV{IDS_LIBDIR}/ids.so";
copy($library, "$library.new") or die $!;
PostgreSQL::Test::Utils::append_to_file("$library.new", "\0");
chmod 0755, "$library.new";
rename("$library.new", $library) or die $!;
my $newer = $node->background_psql('postgres');
$newer->query_safe('SELECT gen_ulid()');
my $pid = $here->query_safe('SELECT pg_backend_pid()');
chomp $pid;
like(slurp_file("/proc/$pid/maps"), qr/\Qids.so (deleted)\E/, 'a session has the old file');
$pid = $newer->query_safe('SELECT pg_backend_pid()');
chomp $pid;
unlike(slurp_file("/proc/$pid/maps"), qr/\Qids.so (deleted)\E/, 'a session has the new file');
ok(in_order($here, $newer), 'sessions of both files share one order');
$_->quit foreach ($here, $there, $newer);

# From uuid: the heap stays as it is, and so do the bytes.
$node->safe_psql('postgres', 'CREATE TABLE legacy (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int); INSERT INTO legacy (n) SELECT generate_series(1, 1000)');
my $bytes = q{SELECT md5(string_agg(encode(%s, 'hex'), ',' ORDER BY n)) FROM legacy};
my $file = $node->safe_psql('postgres', q{SELECT pg_relation_filenode('legacy')});
my $before = $node->safe_psql('postgres', sprintf($bytes, 'uuid_send(id)'));
$node->safe_psql('postgres', 'ALTER TABLE legacy ALTER id DROP DEFAULT, ALTER id TYPE ulid USING id::ulid, ALTER id SET DEFAULT gen_ulid()');
is($node->safe_psql('postgres', q{SELECT pg_relation_filenode('legacy')}), $file, 'uuid to ulid does not rewrite the heap');
is($node->safe_psql('postgres', sprintf($bytes, 'id::bytea')), $before, 'uuid to ulid does not change a byte');
is($node->safe_psql('postgres', 'INSERT INTO legacy (n) VALUES (0) RETURNING id IS NOT NULL'), 't', 'new rows get ulids');

$node->stop;

# An extension in a folder of its own is found by extension_control_path, but its library only by dynamic_library_path.
if ($node->pg_version >= 18)
{
	my $elsewhere = PostgreSQL::Test::Cluster->new('elsewhere');
	$elsewhere->init;
	$elsewhere->append_conf('postgresql.conf', q{dynamic_library_path = '$libdir'});
	$elsewhere->start;
	my (undef, undef, $error) = $elsewhere->psql('postgres', 'CREATE EXTENSION ids');
	like($error, qr{could not access file "(\$libdir/)?ids"}, 'extension_control_path without dynamic_library_path');
	$elsewhere->stop;
}

done_testing();
