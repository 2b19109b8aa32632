# Millions of ids of each generator, most of those with short ids, made by sessions at once. The few random bits of short ids would
# repeat, but the ids are unique by construction, also those of one given time.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 8;
my $total = 3_200_000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
$node->safe_psql('postgres', "CREATE FUNCTION gen_snowflake_unshared() RETURNS snowflake AS '$ENV{IDS_UNSHARED}', 'gen_snowflake' LANGUAGE C VOLATILE");

# How many of $count identifiers that all clients made at once, with so many resets meanwhile, are distinct.
sub distinct
{
	my ($type, $function, $count, $resets) = @_;
	$node->safe_psql('postgres', "CREATE UNLOGGED TABLE made (id $type)");
	my $rows = 10_000;
	my $script = $node->basedir . '/generate.sql';
	PostgreSQL::Test::Utils::append_to_file($script, "INSERT INTO made SELECT $function FROM generate_series(1, $rows);\n"
		. ($resets ? "SELECT count(ids_reset_clock()) FROM generate_series(1, $resets);\n" : ''));
	$node->command_ok(
		[ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', $count / $clients / $rows, '-f', $script, 'postgres' ],
		"$clients clients: $count of $function");
	unlink $script;
	return $node->safe_psql('postgres', q{SET work_mem = '1GB'; SELECT count(DISTINCT id) FROM made; DROP TABLE made});
}

my $few = 800_000;
foreach my $generator (@generators)
{
	my $count = $node->safe_psql('postgres', "SELECT typlen FROM pg_type WHERE oid = '$type_of{$generator}'::regtype") < 16 ? $total : $few;
	is(distinct($type_of{$generator}, "gen_$generator()", $count), $count, "no id of gen_$generator twice");
}
is(distinct('tbsl', 'gen_tbsl()', $total, 20_000), $total, 'no id twice if the clock is reset although it is right');
is(distinct($_, "gen_$_('2026-01-01Z')", $few), $few, "no $_ of one time twice") foreach 'snowflake', 'tbsl';
# With a state that sessions do not share, each session has the same increments.
cmp_ok(distinct('snowflake', 'gen_snowflake_unshared()', $few), '<', $few, 'without shared state some ids repeat');

$node->stop;
done_testing();
