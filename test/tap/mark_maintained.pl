# What acts on all relations of a database leaves the mark as it is: maintenance, tablespaces, dumps, publications. After each,
# identifiers go on above all committed ones over a crash, although the clock is turned back.
use strict;
use warnings;
use Clocks;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = create_server('main', "wal_level = logical\nallow_in_place_tablespaces = on\n");
my $mark = 'SELECT unix_us FROM ids_internal.mark';

# From 17 on, a role that is no superuser maintains what it does not own.
my $maintainer = 'postgres';
if ($node->pg_version >= 17)
{
	$maintainer = 'maintainer';
	$node->safe_psql('postgres', 'CREATE ROLE maintainer LOGIN IN ROLE pg_maintain, pg_read_all_data');
}
$node->safe_psql('postgres', "CREATE TABLESPACE other LOCATION ''; CREATE EXTENSION amcheck");
my %acts = (
	(map { $_ => [ $maintainer, $_ ] } 'VACUUM (FREEZE, DISABLE_PAGE_SKIPPING)', 'VACUUM (FULL)', 'ANALYZE', 'REINDEX DATABASE postgres'),
	(map { $_ => [ $maintainer, "$_ ids_internal.mark" ] } 'VACUUM (FULL)', 'REFRESH MATERIALIZED VIEW', 'REINDEX TABLE'),
	'a tablespace' => [ 'postgres', 'ALTER MATERIALIZED VIEW ALL IN TABLESPACE pg_default SET TABLESPACE other' ],
	'a session that refreshes and generates, and is rolled back' =>
	  [ 'postgres', 'BEGIN; REFRESH MATERIALIZED VIEW ids_internal.mark; INSERT INTO made SELECT FROM generate_series(1, 10); ROLLBACK' ],
	'VACUUM (FULL) pg_class' => [ 'postgres', 'VACUUM (FULL) pg_class' ]);
foreach my $act (sort keys %acts)
{
	my ($role, $statements) = @{ $acts{$act} };
	check_across($act, $node, sub {
		my $before = $node->safe_psql('postgres', $mark);
		$node->psql('postgres', $statements, extra_params => [ '-U', $role ], on_error_die => 1);
		is($node->safe_psql('postgres', $mark), $before, "$act: the mark is kept") unless $statements =~ /INSERT/;
		$node->stop('immediate');
	});
	is($node->safe_psql('postgres', q{SELECT count(*) FROM verify_heapam('ids_internal.mark')}), 0, "$act: the relation is sound");
}

# Generators that go on while the relation is rewritten again and again
{
	my $before = last_row($node);
	my $clients = start_clients($node, 300);
	foreach (1 .. 20) { $node->psql('postgres', "$_ ids_internal.mark", extra_params => [ '-U', $maintainer ], on_error_die => 1) foreach 'VACUUM (FULL)', 'REFRESH MATERIALIZED VIEW' }
	$clients->finish;
	check_ids_since($node, $before, 'while the relation is rewritten', at_once => 1);
}

# Who maintains it can empty it. Then nothing is generated, and another REFRESH mends that.
my $refresh = 'REFRESH MATERIALIZED VIEW ids_internal.mark';
$node->psql('postgres', "$refresh WITH NO DATA", extra_params => [ '-U', $maintainer ], on_error_die => 1);
like(($node->psql('postgres', "SELECT gen_$_()"))[2], qr/is empty or damaged.*\Q$refresh;\E/s, "$_: the mark is empty") foreach @generators;
$node->psql('postgres', $refresh, extra_params => [ '-U', $maintainer ], on_error_die => 1);
insert_and_check($node, 'the mark is filled again');

# A server without the extension subscribes to everything.
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->start;
$node->safe_psql('postgres', 'CREATE DATABASE published');
$node->safe_psql('published', 'CREATE EXTENSION ids');
$_->safe_psql($_ eq $node ? 'published' : 'postgres', 'CREATE TABLE plain (n serial PRIMARY KEY)') foreach $node, $subscriber;
$node->safe_psql('published', 'INSERT INTO plain DEFAULT VALUES; CREATE PUBLICATION every FOR ALL TABLES' . ($node->pg_version->major >= 19 ? ', ALL SEQUENCES' : ''));
$subscriber->safe_psql('postgres', 'CREATE SUBSCRIPTION subscribed CONNECTION $$' . $node->connstr('published') . '$$ PUBLICATION every');
ok($subscriber->poll_query_until('postgres', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}), 'everything is ready');
$node->safe_psql('published', 'INSERT INTO plain DEFAULT VALUES');
$node->wait_for_catchup('subscribed');
is($subscriber->safe_psql('postgres', q{SELECT string_agg(srrelid::regclass::text, ' ' ORDER BY srrelid::regclass::text) FROM pg_subscription_rel}),
	$node->pg_version->major >= 19 ? 'plain plain_n_seq' : 'plain', 'the mark is not published');
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION subscribed REFRESH SEQUENCES') if $node->pg_version->major >= 19;
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM plain'), 2, 'rows arrive');
unlike(slurp_file($subscriber->logfile), qr/ERROR/, 'without an error');

$_->stop foreach $subscriber, $node;
done_testing();
