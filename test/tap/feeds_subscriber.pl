# A subscriber reads below "all_settled" of doc/several-servers.md. With each of four omissions in the setup it reads nothing; a reader who
# only counts the rows of "settled" misses a row that arrives late. A step that is pasted too early, or fails, loses no row. The guard of
# positions lets a subscription and a restore pass.
use strict;
use warnings;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles;
use Test::More;
use Time::HiRes qw(sleep);

$PostgreSQL::Test::Utils::timeout_default = 1800;    # far above what a busy machine needs
my $page = 'doc/several-servers.md';
my ($table, $procedure, $view) = split /^(?=CREATE)/m, block($page, 'On a standby', 'CREATE PROCEDURE');
my ($publish, $subscribe) = statements($page, 'On a subscriber', 'CREATE PUBLICATION');
my $read = block($page, 'On a standby', 'SELECT * FROM event') =~ s/\*/id/r;
my $nothing = '0' x 26;
my $careless = $read =~ s/\(SELECT id FROM all_settled\)/(SELECT min(id) FROM settled HAVING count(*) = 1)/r;
my $insert = 'INSERT INTO event DEFAULT VALUES';
my ($one, $three, $subscriber) = map { PostgreSQL::Test::Cluster->new($_) } 'one', 'three', 'subscriber';
foreach my $node ($one, $three, $subscriber)
{
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "log_statement = none\nwal_retrieve_retry_interval = 100ms\nmax_worker_processes = 30\nmax_logical_replication_workers = 20\nmax_replication_slots = 30\n" . ($node->pg_version < 18 ? '' : "max_active_replication_origins = 30\n"));
	$node->start;
	$node->safe_psql('template1', 'CREATE EXTENSION ids');
}

# A database on each server. The view of the subscriber expects one server and one subscription.
my ($name, $n) = ('', 0);
sub begin
{
	my ($create) = (@_, 'CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int)');
	$name = 'd' . ++$n;
	foreach my $node ($one, $three, $subscriber)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $name");
		$node->safe_psql($name, "$create; $table");
	}
	$subscriber->safe_psql($name, $view =~ s/= 0;/= 1;/r);
}
sub publish_and_subscribe
{
	my ($node, $publication, $create, $receiver, $with) = (@_[0 .. 2], $_[3] // $subscriber, $_[4] // '');
	$node->safe_psql($name, $create // $publish);
	my $connection = $node->connstr($name) =~ s/'/''/gr;
	my $subscription = join '_', $name, $node->name, $receiver->name, $publication;
	$receiver->safe_psql($name, $subscribe =~ s/ one / $subscription /r =~ s/'host=.*?'/'$connection'/r =~ s/feed$/$publication $with/r);
	$receiver->wait_for_subscription_sync($node, $subscription, $name);
	return $subscription;
}
# What the server is to announce
sub announce { $_[0]->safe_psql($name, "DELETE FROM settled; INSERT INTO settled VALUES ('one', (SELECT gen_ulid()))") }
sub await { $subscriber->poll_query_until($name, $_[0]) or die $_[0] }
sub begin_late
{
	my ($node) = @_;
	my $late = $node->background_psql($name);
	$late->query_safe("BEGIN; $insert");
	return sub { $late->query_safe('COMMIT'); $late->quit };
}
my $arrived = 'SELECT (SELECT count(*) FROM event) = %d AND (SELECT count(*) FROM settled) = 1';
# Reads, lets the late row arrive, and reads on
sub check
{
	my ($what, $arrive, $misses) = @_;
	my @read = map { [ split /\n/, $subscriber->safe_psql($name, $_) ] } $read, $careless;
	$arrive->();
	my @more = map { [ split /\n/, $subscriber->safe_psql($name, $_->[1] =~ s/$nothing/$read[$_->[0]][-1] \/\/ $nothing/er) ] } [ 0, $read ], [ 1, $careless ];
	is("@{ $read[0] }@{ $more[0] }", '', "$what: nothing is read");
	my $rows = $one->safe_psql($name, 'SELECT count(*) FROM event') + ($three->safe_psql($name, 'SELECT count(*) FROM event'));
	is($rows - @{ $read[1] } - @{ $more[1] }, 1, "$what: who counts rows alone misses one");
}

# As the page says
begin();
publish_and_subscribe($one, 'feed');
my $commit = begin_late($one);
$one->safe_psql($name, $insert);
$one->safe_psql($name, q{INSERT INTO settled VALUES ('one', ulid_settled())});
await(sprintf $arrived, 1);
is($subscriber->safe_psql($name, $read), '', 'beside an open transaction');
$commit->();
$one->safe_psql($name, q{UPDATE settled SET id = ulid_settled()});
await('SELECT count(*) = 2 FROM event JOIN all_settled ON event.id < all_settled.id');
is(scalar(split /\n/, $subscriber->safe_psql($name, $read)), 2, 'and after it');
is($subscriber->safe_psql($name, "BEGIN; UPDATE pg_subscription_rel SET srsubstate = 'd' WHERE srrelid = 'event'::regclass; $read ROLLBACK"), '', 'while rows are copied');

begin();
publish_and_subscribe($_, 'feed') foreach $one, $three;
$commit = begin_late($three);
$one->safe_psql($name, $insert);
announce($one);
await(sprintf $arrived, 1);
check('a server that does not announce', sub { $commit->(); await('SELECT count(*) = 2 FROM event') });

begin();
my $events = publish_and_subscribe($one, 'feed', 'CREATE PUBLICATION feed FOR TABLE event');
publish_and_subscribe($one, 'other', 'CREATE PUBLICATION other FOR TABLE settled');
$commit = begin_late($one);
$one->safe_psql($name, $insert);
await('SELECT count(*) = 1 FROM event');
$subscriber->safe_psql($name, "ALTER SUBSCRIPTION $events DISABLE");
await("SELECT pid IS NULL FROM pg_stat_subscription WHERE subname = '$events' AND relid IS NULL");
$commit->();
announce($one);
await(sprintf $arrived, 1);
check('another subscription for what is settled', sub { $subscriber->safe_psql($name, "ALTER SUBSCRIPTION $events ENABLE"); await('SELECT count(*) = 2 FROM event') });

begin('CREATE TABLE event (id ulid DEFAULT gen_ulid(), n int DEFAULT 1) PARTITION BY LIST (n); CREATE TABLE event_1 PARTITION OF event FOR VALUES IN (1)');
publish_and_subscribe($one, 'feed', $publish =~ s/ WITH.*//r);
$_->safe_psql($name, 'CREATE TABLE event_2 PARTITION OF event FOR VALUES IN (2)') foreach $subscriber, $one;
$one->safe_psql($name, "INSERT INTO event (n) VALUES (2); $insert");
announce($one);
await(sprintf $arrived, 1);
check('no publish_via_partition_root', sub { });

begin();
publish_and_subscribe($_, 'feed') foreach $one, $three;
$three->safe_psql($name, q{INSERT INTO settled VALUES ('three', ulid_settled())});
await('SELECT count(*) = 1 FROM settled');
$subscriber->safe_psql($name, q{DELETE FROM settled WHERE server = 'three'});
$commit = begin_late($three);
$one->safe_psql($name, $insert);
announce($one);
await(sprintf $arrived, 1);
check('a server that is thought dead', sub { $commit->(); await('SELECT count(*) = 2 FROM event') });

# A switch-over: where another subscriber reads, its new subscription copies nothing.
begin();
my ($reading, $other) = (publish_and_subscribe($one, 'feed'), publish_and_subscribe($one, 'feed', 'SELECT', $three));
$one->safe_psql($name, "$insert; INSERT INTO settled VALUES ('one', ulid_settled())");
foreach ([ $three, $other ], [ $subscriber, $reading ]) { $one->wait_for_catchup($_->[1]); $_->[0]->safe_psql($name, "DROP SUBSCRIPTION $_->[1]") }
publish_and_subscribe($three, 'feed', $publish, $subscriber, page('doc/servers.md') =~ /`(WITH \(copy_data = false\))`/);
$three->safe_psql($name, "$insert; UPDATE settled SET id = (SELECT gen_ulid())");
await('SELECT count(*) = 2 FROM event JOIN all_settled ON event.id < all_settled.id');

# Steps in a hurry: a block is pasted as it stands, into a psql that goes on after an error.
sub paste
{
	my ($sql) = @_;
	IPC::Run::run([ 'psql', '-XAt', '-d', $subscriber->connstr($name) ], '<', \$sql, '>', \my $out, '2>', \my $error);
	return $out;
}

# Rows are copied again, but the positions cannot be set back at once: nothing is read until they are.
begin("CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int, server text DEFAULT 'one')");
my $old = publish_and_subscribe($one, 'feed');
$one->safe_psql($name, $insert);
announce($one);
await('SELECT count(*) = 1 FROM event JOIN all_settled ON event.id < all_settled.id');
$subscriber->safe_psql($name, q{CREATE TABLE position AS SELECT feed, id FROM all_settled, (VALUES ('event'), ('other')) v (feed); INSERT INTO event (server) VALUES ('two')});
my ($from) = split /\n/, $one->safe_psql($name, $insert . ' RETURNING id');
$subscriber->safe_psql($name, $_ =~ s/\bthree\b/$old/r) foreach map { s/SUBSCRIPTION three/SUBSCRIPTION $old/gr =~ s/'three'/'one'/r } statements($page, 'From several servers', 'DROP SUBSCRIPTION three');
$one->safe_psql($name, 'DELETE FROM settled; ' . q{INSERT INTO settled VALUES ('one', (SELECT gen_ulid()))});
my $again = block($page, 'A failover or a restore', 'CREATE SUBSCRIPTION') =~ s/SUBSCRIPTION one/SUBSCRIPTION ${name}_again/r =~ s/'host=.*?'/"'" . $one->connstr($name) =~ s{'}{''}gr . "'"/er =~ s/least\(id, '\w+'\)/least(id, '$from')/r;
$subscriber->safe_psql($name, "UPDATE position SET id = ulid_last(now()); ALTER TABLE position ADD CONSTRAINT hold CHECK (id > '$from') NOT VALID");
my $log_before = -s $subscriber->logfile;
paste($again);
my $copied = q{SELECT count(*) = 2 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel};
foreach (1 .. 1800) { last if $subscriber->safe_psql($name, $copied) eq 't' || slurp_file($subscriber->logfile, $log_before) =~ /duplicate key/; sleep 0.1; }
is($subscriber->safe_psql($name, $read), '', 'copying again, though the positions have not gone back: nothing is read');
$subscriber->safe_psql($name, 'ALTER TABLE position DROP CONSTRAINT hold');
paste($again);
await($copied);
is($subscriber->safe_psql($name, "SELECT (SELECT string_agg(server, ' ' ORDER BY server) FROM event), string_agg(feed, ' ') FROM position WHERE id <= '$from'"), 'one one two|event', 'pasted again, it copies the rows of this server alone, and the positions of this feed are back');
$subscriber->safe_psql($name, "DROP SUBSCRIPTION ${name}_again");
$one->safe_psql($name, "SELECT pg_drop_replication_slot('$old')");

# A new server: without positions it need not wait, but it waits for a first reader, which has not committed.
begin();
my $may_insert = block($page, 'From several servers', 'position');
$subscriber->safe_psql($name, q{CREATE TABLE position (feed text, id ulid); INSERT INTO position VALUES ('other', ulid_last('infinity'))});
like(paste($may_insert), qr/^$/m, 'a new server whose row has not arrived');
$subscriber->safe_psql($name, q{INSERT INTO settled VALUES ('one', ulid_first('-infinity')), ('two', ulid_last('infinity')), ('three', gen_ulid())});
like(paste($may_insert), qr/^t$/m, 'a new server, without positions');
my $first = $subscriber->background_psql($name);
$first->query_safe(q{BEGIN; INSERT INTO position VALUES ('event', ulid_last(now())), ('event', ulid_first('-infinity'))});
unlike(paste("SET lock_timeout = '100ms'; $may_insert"), qr/^t$/m, 'a new server, beside the first reader');
$first->query_safe('COMMIT');
$first->quit;
like(paste($may_insert), qr/^f$/m, 'a new server, below the position of the first reader');

# A clock that was ahead: positions stay until the extra row has arrived.
$subscriber->safe_psql($name, q{UPDATE position SET id = gen_ulid() WHERE id < gen_ulid() AND feed = 'event'; INSERT INTO position VALUES ('other', ulid_first('-infinity'))});
my $set_back = block($page, 'A clock that was ahead', 'UPDATE position');
my ($to) = $set_back =~ /least\(id, '(\w+)'/;
paste($set_back);
is($subscriber->safe_psql($name, "SELECT count(*) FROM position WHERE id > '$to'"), 3, 'positions stay before the row has arrived');
$subscriber->safe_psql($name, q{INSERT INTO settled VALUES ('one was ahead', ulid_first('-infinity'))});
paste($set_back);
is($subscriber->safe_psql($name, "SELECT count(*) FILTER (WHERE id = '$to'), count(*) FILTER (WHERE id < '$to') FROM position"), '3|1', 'then they go back');

# An old answer that a dying service commits late: another service goes on, and a reset leaves none.
$one->safe_psql($name, $procedure);
foreach my $script ('CALL announce_settled();', block($page, 'A clock that was ahead', 'ids_reset_clock'))
{
	my $dying = $one->background_psql($name);
	$dying->query_safe(q{BEGIN; DELETE FROM settled; INSERT INTO settled VALUES ('one', ulid_last('infinity'))});
	my $running = IPC::Run::start([ 'psql', '-Xq', '-d', $one->connstr($name), '-c', $script ], '>&', \my $out);
	$one->poll_query_until($name, 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted') or die;
	$dying->query_safe('COMMIT');
	$dying->quit;
	my $left = q{SELECT count(*) FROM settled WHERE server = 'one' AND id > gen_ulid()};
	foreach (1 .. 100) { sleep 0.1; last if !$one->safe_psql($name, $left) }
	is($one->safe_psql($name, $left), 0, "no old answer is left by $script");
	$one->safe_psql($name, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^CALL'});
	$running->finish;
}

# Positions of five types, with their guard, on a subscriber and in restored databases, whose server has made no such late ids; once also
# without a mark.
my ($create_guard) = block('doc/reading.md', 'A consumer', 'CREATE TRIGGER') =~ /(.*?)^CREATE TABLE mail/ms;
my %type = (ulid => 'ulid', uuidv7 => 'uuid', tbsl => 'tbsl', snowflake => 'snowflake', scru160 => 'scru160');
sub each_type
{
	my ($node, $database, $sql) = @_;
	return join ' ', map { my $type = $_; ask($node, 'postgres', "SET search_path = of_$type, public; " . $sql =~ s/\bulid\b/$type{$type}/gr =~ s/ulid_/${type}_/gr, database => $database) } sort keys %type;
}
my $positions = 'SELECT count(id) FROM position WHERE id > ulid_first(now())';
my $dump = $one->basedir . '/dump';
sub restore
{
	my ($how, $before, @options) = @_;
	my $database = 'r' . ++$n;
	$subscriber->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	system_or_bail('pg_restore', '-s', '-d', $subscriber->connstr($database), $dump) if $before;
	my $unguarded = $how eq 'without the guard';
	each_type($subscriber, $database, 'ALTER TABLE position DISABLE TRIGGER settled') if $unguarded;
	local $ENV{PGOPTIONS} = $how eq 'as a replica' ? '-c session_replication_role=replica' : '';
	IPC::Run::run([ 'pg_restore', @options, '-d', $subscriber->connstr($database), $dump ], '2>', \my $error);
	delete $ENV{PGOPTIONS};
	each_type($subscriber, $database, 'ALTER TABLE position ENABLE TRIGGER settled') if $unguarded;
	like($error, $how eq 'refused' ? qr/(position \S+ is above what is settled.*){5}/s : qr/^$/, "a restore, $how: what it says");
	is(each_type($subscriber, $database, $positions), join(' ', ($how eq 'refused' ? 0 : 1) x 5), "a restore, $how: positions");
	return $database;
}
$one->safe_psql('postgres', 'CREATE DATABASE guarded');
$one->safe_psql('guarded', join ';', q{SELECT ids_advance_clock(now() + interval '1 hour')}, map { "CREATE SCHEMA of_$_" } keys %type);
each_type($one, 'guarded', "$create_guard SELECT gen_ulid(); INSERT INTO position VALUES ('event', 'mail', ulid_settled())");
system_or_bail('pg_dump', '-Fc', '-f', $dump, '-d', $one->connstr('guarded'));
restore('refused', 1, '--data-only');
my $guarded = restore('without the guard', 1, '--data-only');
restore('as a replica', 1, '--data-only');
restore($_, 0, '-j', $_) foreach 1, 2;
is(each_type($subscriber, $guarded, 'UPDATE position SET id = ulid_last(now())'), join(' ', ('23514') x 5), 'a position above what is settled is refused after a restore');

$one->safe_psql('guarded', 'CREATE PUBLICATION guard FOR ALL TABLES');
$subscriber->safe_psql($guarded, join ';', 'REFRESH MATERIALIZED VIEW ids_internal.mark WITH NO DATA', map { "TRUNCATE of_$_.position" } keys %type);
my $log = -s $subscriber->logfile;
my $connection = $one->connstr('guarded') =~ s/'/''/gr;
$subscriber->safe_psql($guarded, "CREATE SUBSCRIPTION guarded CONNECTION '$connection' PUBLICATION guard");
$subscriber->wait_for_subscription_sync($one, 'guarded', $guarded);
each_type($one, 'guarded', "SELECT gen_ulid(); UPDATE position SET id = ulid_settled(); INSERT INTO position VALUES ('event', 'search', ulid_settled())");
$one->wait_for_catchup('guarded');
is(each_type($subscriber, $guarded, $positions), '2 2 2 2 2', 'a subscription brings positions');
unlike(slurp_file($subscriber->logfile, $log), qr/above what is settled|ids_internal/, 'and never stops');
is(each_type($subscriber, $guarded, 'UPDATE position SET id = id'), join(' ', ('55000') x 5), 'where the mark is empty, a local one is an error');
$subscriber->safe_psql($guarded, 'REFRESH MATERIALIZED VIEW ids_internal.mark');
is(each_type($subscriber, $guarded, 'UPDATE position SET id = id'), join(' ', ('23514') x 5), 'and with the mark, it is refused');
$subscriber->safe_psql($guarded, 'DROP SUBSCRIPTION guarded');

$_->stop foreach $subscriber, $three, $one;
done_testing();
