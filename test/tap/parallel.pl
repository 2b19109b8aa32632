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
	SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off; SET enable_mergejoin = off;
};
$node->safe_psql('postgres', q{
	CREATE TABLE number AS SELECT i, hashint4(i) AS at FROM generate_series(1, 200000) i;
	ANALYZE number;
});
# The answer of a query in whose plan workers do that.
sub by_workers
{
	my ($query, $do, $what) = @_;
	like($node->safe_psql('postgres', "$parallel EXPLAIN $query"), $do, "$what: workers take part");
	return $node->safe_psql('postgres', "$parallel $query");
}
foreach my $generator (@generators)
{
	my $key = key_of($generator, 'id');
	by_workers("CREATE TABLE numbered AS SELECT gen_$generator() AS id, at FROM number ORDER BY at LIMIT 10000", qr/Gather Merge/, "gen_$generator");
	is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT $key AS key, lag($key) OVER (ORDER BY at, id) AS before FROM numbered) s WHERE key < before"),
		'0', "gen_$generator: the ids are in the order of the query");
	$node->safe_psql('postgres', 'DROP TABLE numbered');
}
$node->safe_psql('postgres', 'CREATE TABLE made AS SELECT i, ' . join(', ', map { "gen_$_() AS $_" } @types) . ' FROM number; ANALYZE made');
foreach my $type (@types)
{
	my $ends = join ', ', map { "(SELECT $type FROM made ORDER BY i $_ LIMIT 1)" } 'ASC', 'DESC';
	is(by_workers("SELECT min($type), max($type) FROM made", qr/Partial Aggregate/, "$type: min and max"), $node->safe_psql('postgres', "SELECT $ends"),
		"$type: the first id and the last one");
	is(by_workers("SELECT count(*) FROM made a JOIN made b USING ($type)", qr/Gather.*Hash Join/s, "$type: a join"), '200000', "$type: all rows are joined");
}

$node->stop;
done_testing();
