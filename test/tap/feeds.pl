# New rows are read in every way that doc/reading.md, doc/several-servers.md and the cookbook show, by their own statements: on the
# primary beside a long import, through views, with updates and deletes, on a standby, and on a logical subscriber that has rows of two
# servers. Meanwhile 16 sessions write, with pauses, savepoints and rollbacks, and the primary fails over. Every row is read once;
# without the page's bounds, rows are missed everywhere. The environment variable SECONDS makes it longer.
use strict;
use warnings;
use IPC::Run;
use List::Util qw(max);
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SECONDS} // 6;
my $patience = $PostgreSQL::Test::Utils::timeout_default = 1800;    # for a wait without progress: far above what a busy machine needs

my $read = block('doc/reading.md', 'Reading new rows', 'SELECT * FROM event');
my ($make_imported, $import) = split /^(?=INSERT)/m, block('doc/reading.md', 'Beside a long transaction', 'INSERT INTO imported');
my $announce = block('doc/several-servers.md', 'On a standby', 'CREATE PROCEDURE');
my ($follow, $changes) = split /^(?=SELECT changed)/m, block('doc/cookbook.md', 'Rows that change', 'UNION ALL'), 2;
my ($add_number, $by_transaction) = split /^(?=SELECT \*)/m, block('doc/cookbook.md', 'New rows by transaction', 'xid8');

# The servers: rows come from the primary, "one", and from the subscriber, "two". A standby has the primary's row in "settled".
my %server;
sub start_server
{
	my ($name, $source) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "max_connections = 60\nlog_statement = none\nautovacuum = on\nautovacuum_naptime = 5s\nmax_wal_size = 4GB\n");
	$node->start;
	$node->safe_psql('postgres', $_) foreach qq{
		CREATE EXTENSION ids;
		CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), server text NOT NULL DEFAULT '$source')},
		$add_number, $announce =~ s/'one'/'$source'/gr;
	set_numbers($node, $source eq 'one' ? (1, 0) : (2, 1));
	return $node;
}
# How many servers a reader waits for, and how many subscriptions bring their rows
sub set_numbers
{
	my ($node, $servers, $subscriptions) = @_;
	my ($view) = $announce =~ /(CREATE VIEW .*)/s;
	$node->safe_psql('postgres', $view =~ s/CREATE/CREATE OR REPLACE/r =~ s/count\(\*\) = 1/count(*) = $servers/r =~ s/= 0;/= $subscriptions;/r);
}
sub add_standby
{
	my ($name, @settings) = @_;
	my $node = $server{primary};
	$node->backup($name);
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$standby->init_from_backup($node, $name, has_streaming => 1);
	$standby->append_conf('postgresql.conf', join "\n", @settings, '');
	$standby->start;
	return $standby;
}
# The subscription has the feed and what is announced.
sub publisher { return $server{primary}->connstr . ' dbname=postgres'; }
sub subscribe
{
	my ($options) = @_;
	$server{subscriber}->safe_psql('postgres', "CREATE SUBSCRIPTION feed CONNECTION '" . publisher() . "' PUBLICATION feed WITH ($options)");
}
$server{primary} = start_server('primary', 'one');
$server{subscriber} = start_server('subscriber', 'two');
$server{primary}->safe_psql('postgres', $_) foreach
	$follow, $make_imported, block('doc/reading.md', 'Tools whose SQL is not ours', 'CREATE VIEW'), q{
	CREATE TABLE lag (lag interval);
	CREATE PUBLICATION feed FOR TABLE event, settled};
my $keeps_slots = $server{primary}->pg_version >= 17;
subscribe($keeps_slots ? 'streaming = parallel, failover = true' : 'streaming = on');
$server{subscriber}->wait_for_subscription_sync($server{primary}, 'feed');
my @slot = ("primary_slot_name = 'standby'", 'hot_standby_feedback = on', 'sync_replication_slots = on',
	"primary_conninfo = '" . publisher() . " application_name=standby'");
$server{primary}->safe_psql('postgres', q{SELECT pg_create_physical_replication_slot('standby')}) if $keeps_slots;
$server{standby} = add_standby('standby', $keeps_slots ? @slot : ());
# No row may be read that the failover loses.
$server{primary}->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'\n");
$server{primary}->append_conf('postgresql.conf', "synchronized_standby_slots = 'standby'\n") if $keeps_slots;
$server{primary}->reload;

# The lines that a query returns. A session that stays would read them much more slowly.
sub ask
{
	my ($server, $query) = @_;
	open my $psql, '-|', 'psql', '-XAtq', '-d', $server{$server}->connstr('postgres'), '-c', $query or die $!;
	chomp(my @lines = <$psql>);
	close $psql or die "$server: $query";
	return @lines;
}

# The writers
my %announcing;
sub start_announcing
{
	my ($server) = @_;
	my @psql = ('psql', '-Xq', '-d', $server{$server}->connstr('postgres'));
	$announcing{$server} = IPC::Run::start([ @psql, '-c', 'CALL announce_settled()' ], '>&', \my $out);
}
my ($one, $some, $sleep) = ('INSERT INTO event DEFAULT VALUES;', 'INSERT INTO event SELECT FROM generate_series(1, :rows);', '\sleep :us us');
my %event = (
	plain => [ 6, 'BEGIN;', $one, $sleep, 'COMMIT;' ],
	many => [ 6, 'BEGIN;', $some, $sleep, $some, 'COMMIT;' ],
	at_once => [ 2, $some ],
	savepoint => [ 3, 'BEGIN;', 'SAVEPOINT one;', $one, $sleep, 'ROLLBACK TO one;', $some, 'COMMIT;' ],
	abort => [ 2, 'BEGIN;', $one, $sleep, 'ROLLBACK;' ]);
my $upsert = 'INSERT INTO customer (id, name) VALUES (:id, random()) ON CONFLICT (id) DO UPDATE SET name = excluded.name;';
my $remove = 'DELETE FROM customer WHERE id = :hot;';
my %customer = (
	change => [ 4, 'BEGIN;', $upsert, $sleep, 'COMMIT;' ],
	remove => [ 2, 'BEGIN;', $remove, $sleep, 'COMMIT;' ],
	replace => [ 2, 'BEGIN;', $remove, $upsert =~ s/:id/:hot/r, 'COMMIT;' ],
	undo => [ 1, 'BEGIN;', 'UPDATE customer SET name = random() WHERE id = :id;', $sleep, 'ROLLBACK;' ]);
# How far the primary's answer is behind
my %lag = (lag => [ 1, 'INSERT INTO lag SELECT clock_timestamp() - ulid_settled()::timestamptz;', '\sleep 10 ms' ]);
sub start_writers
{
	my ($server, $clients, %scripts) = @_;
	my @files;
	foreach my $name (sort keys %scripts)
	{
		my $file = $server{$server}->basedir . "/$name.sql";
		my ($weight, @sql) = @{ $scripts{$name} };
		unlink $file;
		append_to_file($file, join "\n", '\set us random(0, 50000)', '\set rows random(1, 3)', '\set id random(1, 3000)', '\set hot random(1, 20)', @sql);
		push @files, '-f', "$file\@$weight";
	}
	my @log = ('-l', '--log-prefix', $server{$server}->basedir . '/transactions');
	return IPC::Run::start([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-T', 3600, @log, @files, $server{$server}->connstr('postgres') ],
		'>&', \my $out);
}
# In milliseconds, of the transactions that have ended.
sub longest_transaction
{
	my ($server) = @_;
	return max(map { map { (split)[2] / 1000 } split /\n/, slurp_file($_) } glob $server{$server}->basedir . '/transactions.*');
}

# The readers, each with a server, its statement, and its position: columns of the last row that it has read.
my $nothing = '0' x 26;
my %reader;
sub add_reader
{
	my ($name, $server, $statement, %more) = @_;
	$statement =~ s/\('0', '$nothing'\)/('%2\$s', '%1\$s')/ or $statement =~ s/'$nothing'/'%1\$s'/g;
	$reader{$name} = { server => $server, statement => $statement, position => [ $nothing, 0 ], columns => [0], count => {}, %more };
}
# Without the limit, it always reads up to the last row.
sub without_bound
{
	my ($statement) = @_;
	$statement =~ s/ LIMIT 1000//;
	$statement =~ s/\s+AND (?:id|changed) < (?:ulid_settled\(\)|(\((?:[^()]+|(?1))*\)))//g or die "no bound in $statement";
	return $statement;
}
my $on_standby = block('doc/several-servers.md', 'On a standby', 'SELECT * FROM event');
add_reader('on the primary', 'primary', $read);
add_reader('on the primary, naive', 'primary', without_bound($read));
add_reader('by a view', 'primary', "SELECT * FROM new_event WHERE id > '$nothing' ORDER BY id");
add_reader('by transaction', 'primary', $by_transaction =~ s/\*/id, added/r, columns => [ 0, 1 ]);
add_reader('changes', 'primary', $changes, mirror => {});
add_reader('changes, naive', 'primary', without_bound($changes), mirror => {});
add_reader('on a standby', 'standby', $on_standby);
add_reader('on a standby, naive', 'standby', without_bound($on_standby));
add_reader('on a subscriber', 'subscriber', $on_standby);
add_reader('on a subscriber, naive', 'subscriber', without_bound($on_standby));

# Reads a batch. Returns the number of rows.
sub poll
{
	my ($reader) = @_;
	my $statement = sprintf $reader->{statement}, @{ $reader->{position} };
	my @rows = map { [ split /[|]/ ] } ask($reader->{server}, $statement);
	foreach my $row (@rows)
	{
		$reader->{count}{ $row->[0] }++;
		if ($reader->{mirror})
		{
			my (undef, $id, $name, $deleted) = @$row;
			delete $reader->{mirror}{$id};
			$reader->{mirror}{$id} = $name if $deleted eq 'f';
		}
	}
	$reader->{position} = [ @{ $rows[-1] }[ @{ $reader->{columns} } ] ] if @rows;
	return scalar @rows;
}

# What it has not read: rows, or for a mirror keys whose name is another.
sub missed
{
	my ($reader) = @_;
	my @rows = ask($reader->{server}, $reader->{mirror} ? 'SELECT id, name FROM customer' : 'SELECT id FROM event');
	return scalar grep { !$reader->{count}{$_} } @rows unless $reader->{mirror};
	my %name = map { split /[|]/ } @rows;
	return scalar grep { ($name{$_} // '') ne ($reader->{mirror}{$_} // '') } keys %{ { %name, %{ $reader->{mirror} } } };
}

sub read_for
{
	my ($duration) = @_;
	my $ends = time + $duration;
	while (time < $ends)
	{
		poll($_) foreach map { $reader{$_} } sort keys %reader;
	}
}

# A row that is read late, for certain
my $late = $server{primary}->background_psql('postgres');
my $insert = 'INSERT INTO event DEFAULT VALUES; INSERT INTO customer (id, name) VALUES';
$late->query_safe("BEGIN; $insert (-1, 'late')");
sleep 0.01;
$server{primary}->safe_psql('postgres', "$insert (-2, 'early')");
$server{primary}->wait_for_catchup($_) foreach 'standby', 'feed';
poll($_) foreach values %reader;
$late->query_safe('COMMIT');
$late->quit;

# A key that is inserted again while it is being deleted: the new row's id is below the deletion's.
my ($gate, $deleting, $inserting) = map { $server{primary}->background_psql('postgres') } 1 .. 3;
sub waits { my ($event) = @_; $server{primary}->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = '$event'") or die }
$gate->query_safe("INSERT INTO customer (id, name) VALUES (-3, 'old'); SELECT pg_advisory_lock(1)");
$deleting->query_until(qr/started/, qq{\\echo started
	WITH gone AS (DELETE FROM customer WHERE id = -3 RETURNING id) SELECT pg_advisory_lock(1) FROM gone;
});
waits('advisory');
$inserting->query_until(qr/started/, qq{\\echo started
	INSERT INTO customer (id, name) VALUES (-3, 'new') ON CONFLICT (id) DO UPDATE SET name = 'new';
});
waits('transactionid');
$gate->query_safe('SELECT pg_advisory_unlock(1)');
$_->quit foreach $deleting, $inserting, $gate;
is($server{primary}->safe_psql('postgres', 'SELECT c.changed < g.changed FROM customer c JOIN customer_gone g USING (id)'), 't',
	'a key that was inserted while it was deleted');

# With an import that is open all the time
my @writers = (start_writers('primary', 16, %event, %customer), start_writers('subscriber', 4, %event));
start_announcing($_) foreach 'primary', 'subscriber';
$server{primary}->poll_query_until('postgres', 'SELECT count(*) > 10 FROM event') or die;
push @writers, start_writers('primary', 1, %lag);
my $importer = $server{primary}->background_psql('postgres');
$importer->query_safe("BEGIN; $import");
read_for($seconds / 2);
my $pid = $importer->query_safe('SELECT pg_backend_pid()');
is($server{primary}->safe_psql('postgres', "SELECT count(*) FROM ids_unsettled() WHERE pid = $pid"), '0', 'an import holds nobody back');
$importer->query_safe("$import COMMIT");
$importer->quit;
is($server{primary}->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM imported'), '200|200', 'ids of an import');

# The primary fails over while the sessions write. The standby gets a standby of its own. Without a slot there, the subscriber copies
# its rows again.
my $has_slot = q{SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = 'feed' AND synced AND NOT temporary};
if ($keeps_slots) { $server{standby}->poll_query_until('postgres', $has_slot) or die; }
$server{primary}->stop('immediate');
$_->finish foreach $announcing{primary}, @writers[ 0, 2 ];
my $longest = longest_transaction('primary');
my ($lag) = ask('standby', 'SELECT 1000 * extract(epoch FROM max(lag)) FROM lag');
note("The feed was at most $lag ms behind; its longest transaction took $longest ms.");
cmp_ok($lag, '<', $longest + 50, 'an import does not make the feed wait') if $ENV{SECONDS};
$server{standby}->promote;
$server{primary} = delete $server{standby};
push @writers, start_writers('primary', 16, %event, %customer);
start_announcing('primary');
if ($keeps_slots)
{
	$server{subscriber}->safe_psql('postgres', "ALTER SUBSCRIPTION feed CONNECTION '" . publisher() . q{'});
}
else
{
	$server{subscriber}->safe_psql('postgres', $_)
	  foreach 'ALTER SUBSCRIPTION feed DISABLE', 'ALTER SUBSCRIPTION feed SET (slot_name = NONE)', 'DROP SUBSCRIPTION feed';
	$server{subscriber}->safe_psql('postgres', $_) foreach q{DELETE FROM settled WHERE server = 'one'}, q{DELETE FROM event WHERE server = 'one'};
	is(poll($reader{'on a subscriber'}), 0, 'nothing is read before the initial copy');
	subscribe('streaming = on');
}
$server{standby} = add_standby('another', "primary_slot_name = ''");
read_for($seconds / 2);

# The subscriber's procedure dies: it stops the subscriber's reader until its row is gone.
$server{subscriber}->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^CALL'});
$announcing{subscriber}->finish;
$_->kill_kill(grace => 0) foreach @writers;
foreach my $server ('primary', 'subscriber')
{
	$server{$server}->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND query !~ '^CALL'}) or die;
}
$server{primary}->safe_psql('postgres', 'INSERT INTO event SELECT FROM generate_series(1, 10)') foreach 1 .. 2;
$server{primary}->wait_for_catchup('feed');
read_for(1);
cmp_ok(missed($reader{'on a subscriber'}), '>=', 20, 'a server that does not announce what is settled stops the reader');
$server{subscriber}->safe_psql('postgres', q{DELETE FROM settled WHERE server = 'two'});
set_numbers($server{subscriber}, 1, 1);

foreach my $name (sort keys %reader)
{
	my $reader = $reader{$name};
	my $since = time;
	while (poll($reader) ? $since = time : $name !~ /naive/ && missed($reader))
	{
		die "$name stands still" if time > $since + $patience;
	}
	my ($rows, $missed, $twice) = (scalar keys %{ $reader->{count} }, missed($reader), scalar grep { $_ > 1 } values %{ $reader->{count} });
	note("$name: $rows rows read, $missed missed, $twice twice");
	if ($name =~ /naive/) { cmp_ok($missed, '>', 0, "$name: rows are missed"); }
	else { is("$missed missed, $twice twice", '0 missed, 0 twice', "$name: each of $rows rows once"); }
}

like($server{primary}->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN SELECT * FROM new_event WHERE id > now() ORDER BY id'),
	qr/Index Cond: .*ulid_settled/, 'an index serves the view');
$server{$_}->stop foreach 'subscriber', 'standby', 'primary';
$announcing{primary}->finish;
done_testing();
