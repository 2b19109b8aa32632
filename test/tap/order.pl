# Eight clients at once: no identifier is made twice, and each is greater than every identifier that any client had received
# when the call began. With a library whose sessions do not share their state, this must fail.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($clients, $calls) = (8, 50_000);

foreach my $preloaded (0, 1)
{
	my $node = PostgreSQL::Test::Cluster->new("preloaded_$preloaded");
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'ids'") if $preloaded;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ids');
	foreach my $generator ($preloaded ? $generators[0] : @generators)
	{
		my ($made, $distinct, $late) = call_at_once($node, "gen_$generator", $type_of{$generator}, key_of($generator, 'id'), clients => $clients, calls => $calls);
		is($made, $clients * $calls, "every call returned an identifier, preloaded: $preloaded");
		is($distinct, $clients * $calls, 'no identifier twice');
		is($late, 0, 'no identifier smaller than one returned before the call began');
	}

	if (!$preloaded)
	{
		$node->safe_psql('postgres',
			"CREATE FUNCTION gen_ulid_unshared() RETURNS ulid AS '$ENV{IDS_UNSHARED}', 'gen_ulid' LANGUAGE C VOLATILE");
		my (undef, undef, $late) = call_at_once($node, 'gen_ulid_unshared', 'ulid', 'id', clients => $clients, calls => $calls);
		cmp_ok($late, '>', 0, "without shared state the order is broken: $late times");
	}
	$node->stop;
}

done_testing();
