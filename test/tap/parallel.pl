# Parallel queries: ids follow the order of the query, so no worker makes them. Workers sort, hash and aggregate.
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

$node->stop;
done_testing();
