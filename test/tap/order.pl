# Eight clients at once: no identifier is made twice, and each is greater than every identifier that any client had received
# when the call began. With a library whose sessions do not share their state, this must fail.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 8;
my $calls = 100_000;

# Has all clients call $function, by default the generator's. Returns how many calls were made, how many distinct identifiers
# they returned, and how many of these were too small.
sub generate
{
	my ($node, $generator, $function) = @_;
	my ($type, $key) = ($type_of{$generator}, key_of($generator, 'id'));
	$function //= "gen_$generator";
	$node->safe_psql('postgres', "CREATE UNLOGGED TABLE call (before timestamptz, id $type, after timestamptz)");
	my $rows = 1000;
	my $script = $node->basedir . '/generate.sql';
	PostgreSQL::Test::Utils::append_to_file($script,
		"INSERT INTO call SELECT clock_timestamp(), $function(), clock_timestamp() FROM generate_series(1, $rows);\n");
	$node->command_ok(
		[ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', $calls / $rows, '-f', $script, 'postgres' ],
		"$clients clients x $calls calls of $function");
	unlink $script;
	my $counts = $node->safe_psql('postgres', qq{
		SELECT count(*), count(DISTINCT id) FROM call;
		-- For the beginning of each call, the greatest identifier returned so far.
		SELECT count(*) FROM (
			SELECT kind, key, max(key) FILTER (WHERE kind = 'after') OVER (ORDER BY at, kind DESC ROWS UNBOUNDED PRECEDING) AS given
			FROM (SELECT before AS at, 'before' AS kind, $key AS key FROM call UNION ALL SELECT after, 'after', $key FROM call) event
		) call WHERE kind = 'before' AND NOT key > given;
		DROP TABLE call;
	});
	return split /[|\n]/, $counts;
}

foreach my $preloaded (0, 1)
{
	my $node = PostgreSQL::Test::Cluster->new("preloaded_$preloaded");
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'ids'") if $preloaded;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ids');
	foreach my $generator ($preloaded ? $generators[0] : @generators)
	{
		my ($made, $distinct, $late) = generate($node, $generator);
		is($made, $clients * $calls, "every call returned an identifier, preloaded: $preloaded");
		is($distinct, $clients * $calls, 'no identifier twice');
		is($late, 0, 'no identifier smaller than one returned before the call began');
	}

	if (!$preloaded)
	{
		$node->safe_psql('postgres',
			"CREATE FUNCTION gen_ulid_unshared() RETURNS ulid AS '$ENV{IDS_UNSHARED}', 'gen_ulid' LANGUAGE C VOLATILE");
		my (undef, undef, $late) = generate($node, 'ulid', 'gen_ulid_unshared');
		cmp_ok($late, '>', 0, "without shared state the order is broken: $late times");
	}
	$node->stop;
}

done_testing();
