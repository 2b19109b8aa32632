# Random backends are killed while four clients insert. Each time the server restarts by crash
# recovery: no key exists twice, and every key inserted after a restart is greater than all keys committed before it. The
# environment variables KILLS and ROWS make it longer.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Recovery;
use Test::More;
use Time::HiRes qw(sleep time);

my $kills = $ENV{KILLS} // 10;
my $rows = $ENV{ROWS} // 100_000;
my $clients = 4;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "restart_after_crash = on\nlog_statement = none\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION ids;
	CREATE EXTENSION amcheck;
	CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), round int, at timestamptz DEFAULT clock_timestamp());
});
my $script = $node->basedir . '/insert.sql';
append_to_file($script, "\\set rows random(1, $rows / $kills / 1000)\nINSERT INTO item (round) SELECT :round FROM generate_series(1, :rows);\n");

# One round of inserting by all clients, until one of them is killed or they have made that many calls.
sub insert
{
	my ($round, @until) = @_;
	return IPC::Run::start([
		'pgbench', '-n', '-c', $clients, '-D', "round=$round", '-f', $script, @until, $node->connstr('postgres') ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
}

my $started = time;
my ($recovered, $survivors, $inserted) = (0, 0, 0);
foreach my $round (1 .. $kills)
{
	my $inserting = insert($round, '-T', '3600');
	$node->poll_query_until('postgres', "SELECT count(*) = $clients AND EXISTS (SELECT FROM item WHERE round = $round) FROM pg_stat_activity WHERE query LIKE 'INSERT%'")
	  or die 'the clients do not insert';
	sleep rand(0.3);
	my @backends = split /\n/, $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE query LIKE 'INSERT%'");
	kill 'KILL', $backends[ rand @backends ];
	# All clients lose their connections, and the server accepts new ones when it has recovered.
	$survivors++ if $inserting->finish;
	$recovered++ if takes_connections($node);
	# Every round must insert rows.
	$inserted++ if $node->safe_psql('postgres', "SELECT EXISTS (SELECT FROM item WHERE round = $round LIMIT 1)") eq 't';
}
my $missing = $rows - $node->safe_psql('postgres', 'SELECT count(*) FROM item');
if ($missing > 0)
{
	my $calls = int($missing / ($rows / $kills / 2000) / $clients * 1.2) + 100;
	ok(insert($kills + 1, '-t', $calls)->finish, 'the rest without a kill');
}
note(sprintf('%d kills and %d rows in %.0f s', $kills, $node->safe_psql('postgres', 'SELECT count(*) FROM item'), time - $started));

is($survivors, 0, "each time $clients clients were inserting and lost their connections");
is($recovered, $kills, "the server recovered $kills times");
is($inserted, $kills, 'every round inserted rows');
my $log = slurp_file($node->logfile);
is(scalar(() = $log =~ /was terminated by signal 9/g), $kills, 'as many backends were killed');
is(scalar(() = $log =~ /all server processes terminated; reinitializing/g), $kills, 'the server restarted itself as often');
unlike($log, qr/duplicate key/, 'no duplicate key');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM item'), '>=', $rows, "$rows rows");
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM item'), '0', 'no key twice');
is($node->safe_psql('postgres', q{
	SELECT count(*) FROM (
		SELECT min(id) AS first, lag(max(id)) OVER (ORDER BY round) AS before FROM item GROUP BY round
	) round WHERE first <= before}), '0', 'after each restart the keys are greater than all earlier ones');
is($node->safe_psql('postgres', q{SELECT bt_index_parent_check('item_pkey', true, true)}), '', 'the index is sound');

$node->stop;
done_testing();
