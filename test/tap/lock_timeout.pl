# The documents' lock_timeout lets autovacuum yield, which it does after deadlock_timeout, and fails no client in a deadlock.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# Autovacuum of the table takes minutes.
$node->append_conf('postgresql.conf', "autovacuum = on\nautovacuum_naptime = 1s\nautovacuum_vacuum_cost_delay = 100ms\nautovacuum_vacuum_cost_limit = 1\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

my %timeouts;
foreach my $document (map { s{.*/doc/}{}r } glob "$ENV{TESTDIR}/doc/*.md")
{
	push @{ $timeouts{$_} }, $document foreach slurp_file("$ENV{TESTDIR}/doc/$document") =~ /lock_timeout ?= ?'?(\d+m?s)/g;
}
is(join(' ', sort keys %timeouts), '1100ms', 'the documents have one lock_timeout');
my ($timeout) = keys %timeouts;
my $before = $node->safe_psql('postgres', 'SHOW deadlock_timeout');

# A partition that autovacuum is working on is dropped.
$node->safe_psql('postgres', q{
	CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', '2020-01-01 00:00:00+00', '2020-02-01 00:00:00+00');
	INSERT INTO log SELECT gen_ulid('2020-01-15 00:00:00+00'), repeat('x', 1000) FROM generate_series(1, 20000);
	DELETE FROM log});
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE 'autovacuum: % public.log_20200101%'}) or die;
sub drop_partitions
{
	$node->psql('postgres', "SET lock_timeout = '$_[0]'; CALL ids_drop_partitions('log', '2020-02-01 00:00:00+00')", stderr => \my $error);
	return $error;
}
like(drop_partitions($before), qr/lock timeout/, "autovacuum does not yield within $before");
my $tries = 1;
$tries++ while drop_partitions($timeout) =~ /lock timeout/ && $tries < 5;    # a loaded machine is late
cmp_ok($tries, '<', 5, "autovacuum yields within $timeout");

# LOCK TABLE has the first table and waits for the second one, which a client has. The client then wants the first one.
$node->safe_psql('postgres', 'CREATE TABLE one (); CREATE TABLE two ()');
foreach my $after (0, 0.5, 0.9)
{
	my ($client, $recipe) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
	$client->query_safe('BEGIN; SELECT FROM two');
	$recipe->query_until(qr/locks/, "\\echo locks\nBEGIN; SET LOCAL lock_timeout = '$timeout'; LOCK TABLE one, two IN ACCESS EXCLUSIVE MODE;\n");
	$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted') or die;
	$node->safe_psql('postgres', "SELECT pg_sleep($after)");
	$client->query('SELECT FROM one');
	is($client->{stderr} =~ s/.*QUERY_SEPARATOR.*\n?|.*ready.*\n?//gr, '', "a client that waits $after s later does not fail");
	$recipe->query('ROLLBACK');
	like($recipe->{stderr}, qr/lock timeout|deadlock detected/, 'LOCK TABLE does');
	$_->quit foreach $client, $recipe;
}

$node->stop;
done_testing();
