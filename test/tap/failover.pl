# A standby whose clock is behind the primary's clock takes over: new identifiers are above all that it had received. Both have
# the same node id, so that a repeated time is more likely to make a duplicate.
use strict;
use warnings;
use Clocks;
use File::Copy qw(copy);
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $list = join ', ', map { "gen_$_()" } @generators;

my $first = create_server('one', "ids.node_id = 7\nwal_keep_size = 64MB\n");
$first->backup('base');
my $second = PostgreSQL::Test::Cluster->new('two');
$second->init_from_backup($first, 'base', has_streaming => 1);
turn_clock($first, +10);
start_server($second, clock_lead($first) - 5);

# Makes a server that was a primary the standby of another.
sub rewind
{
	my ($node, $primary) = @_;
	my ($conf, $kept) = ($node->data_dir . '/postgresql.conf', $node->basedir . '/kept.conf');
	copy($conf, $kept) or die $!;
	# pg_rewind finds the end of the old timeline in the control file.
	$primary->safe_psql('postgres', 'CHECKPOINT');
	command_ok([ 'pg_rewind', '--no-sync', '--target-pgdata', $node->data_dir, '--source-server', $primary->connstr('postgres') ], 'pg_rewind');
	copy($kept, $conf) or die $!;
	$node->enable_streaming($primary);
}

# An asynchronous promotion while clients insert. Sessions, and transactions in them, begin before it and end after it.
insert_rows($first);
my $clients = start_clients($first);
my $in_transaction = $second->background_psql('postgres');
my $spanning = $second->background_psql('postgres');
like($spanning->query_safe("SELECT $list"), qr/^\w+[|]/, 'the standby generates');
$in_transaction->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
$in_transaction->query_safe("SELECT $list");
$first->stop('immediate');
$clients->finish;
$second->promote;
my $before = last_row($second);
my $given = $in_transaction->query_safe("SELECT $list");
$in_transaction->query_safe('COMMIT');
$in_transaction->query_safe('INSERT INTO made (' . join(', ', @generators) . ') VALUES (' . join(', ', map { "'$_'" } split /[|]/, $given) . ')');
insert_in_turn($spanning, $in_transaction);
check_ids_since($second, $before, 'a promotion that sessions span');
$_->quit foreach ($spanning, $in_transaction);
insert_and_check($second, 'the same promotion, in other sessions');

# And back, to a synchronous standby, which has received all that was committed.
rewind($first, $second);
turn_clock($second, +10);
start_server($first, clock_lead($second) - 5 - clock_lead($first));
$second->append_conf('postgresql.conf', "synchronous_standby_names = 'one'\n");
$second->reload;
$second->poll_query_until('postgres', q{SELECT sync_state = 'sync' FROM pg_stat_replication});
insert_rows($second);
$clients = start_clients($second);
$before = last_row($second);
$second->stop('immediate');
$clients->finish;
$first->promote;
cmp_ok(last_row($first), '>=', $before, 'all that was committed is there');
insert_and_check($first, 'a synchronous promotion after pg_rewind');

# A clean switchover, during which the clock is turned back just so far that the new primary's clock shows the times that the
# old primary's clock has shown.
rewind($second, $first);
turn_clock($first, +10);
$second->append_conf('postgresql.conf', "synchronous_standby_names = ''\n");
start_server($second, clock_lead($first) - clock_lead($second));
insert_rows($first);
my $began = time;
start_clients($first, 200)->finish;
$first->wait_for_catchup($second);
$first->stop('fast');
$second->promote;
turn_clock($second, $began - time);
$before = last_row($second);
start_clients($second, 200)->finish;
check_ids_since($second, $before, 'the same time on two servers', at_once => 1);

$second->stop;
done_testing();
