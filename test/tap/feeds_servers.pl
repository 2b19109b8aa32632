# New rows are read on several servers, by the statements of doc/several-servers.md in the page's order: on a standby and on a
# subscriber, while partitions come, a server comes, dies and comes back, the primary fails over and returns as a standby, and its
# clock, which was hours ahead, is set right. 16 sessions write meanwhile. Every row is read; only where the page says so, it is
# read again. Readers who leave a step out miss rows. The environment variable SECONDS makes it longer.
use strict;
use warnings;
use Clocks;
use File::Copy qw(copy);
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SECONDS} // 6;
my $patience = $PostgreSQL::Test::Utils::timeout_default = 1800;    # for a wait without progress: far above what a busy machine needs

my $page = 'doc/several-servers.md';

# The servers, by their roles. The rows of the feed come from "one", which is the primary, and for a while from "three".
my %server;
my @settings = ('max_connections = 60', 'max_prepared_transactions = 2', 'log_statement = none', 'wal_log_hints = on', 'wal_keep_size = 1GB',
	'max_wal_size = 4GB', 'wal_retrieve_retry_interval = 100ms');
my ($table, $procedure, $view) = split /^(?=CREATE)/m, block($page, 'On a standby', 'CREATE PROCEDURE');
my ($publish, $subscribe) = statements($page, 'On a subscriber', 'CREATE PUBLICATION');
sub create
{
	my ($name, $source, $clock) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', join "\n", @settings, '');
	start_server($node, $clock);
	$node->safe_psql('postgres', qq{
		CREATE EXTENSION ids;
				CREATE TABLE done (consumer text, id ulid);
		CREATE INDEX ON done (consumer, id);
		CREATE TABLE note (n int);
		CREATE TABLE answer (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text);
		CREATE TABLE event (id ulid DEFAULT gen_ulid(), server text DEFAULT '$source', tenant int, PRIMARY KEY (id, tenant)) PARTITION BY LIST (tenant);
		CREATE TABLE position (feed text DEFAULT 'event', consumer text PRIMARY KEY, id ulid NOT NULL);
		CREATE TABLE careless (LIKE position INCLUDING ALL);
		CREATE TABLE event_1 PARTITION OF event FOR VALUES IN (1)});
	return $node;
}
sub publish { my ($node, $source) = @_; $node->safe_psql('postgres', $_) foreach $table, $procedure =~ s/'one'/'$source'/gr, $view, $publish }
# How many servers insert rows, and how many of them by a subscription
sub set_numbers { my ($role, $servers, $subscriptions) = @_; ask($role, $view =~ s/CREATE/CREATE OR REPLACE/r =~ s/= 1/= $servers/r =~ s/= 0;/= $subscriptions;/r) }
sub connection { return $_[0]->connstr('postgres') =~ s/'/''/gr; }

# What a server answers. A session that stays would do so much more slowly.
sub ask
{
	my ($role, @statements) = @_;
	my @command = map { ('-c', $_) } @statements;
	open my $psql, '-|', 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $server{$role}->connstr('postgres'), @command or die $!;
	chomp(my @lines = <$psql>);
	close $psql or die "$role: @statements";
	return wantarray ? @lines : join "\n", @lines;
}
sub await { my ($role, $statement) = @_; $server{$role}->poll_query_until('postgres', $statement) or die "$role: not true: $statement" }

# The writers
my (%announcing, %writing);
sub start_announcing
{
	my ($role) = @_;
	$announcing{$role} = IPC::Run::start([ 'psql', '-Xq', '-d', $server{$role}->connstr('postgres'), '-c', 'CALL announce_settled()' ], '>&', \my $out);
}
my $insert = 'INSERT INTO event (tenant) SELECT :tenant FROM generate_series(1, :rows);';
my %script = (
	plain => [ 6, "BEGIN;\n$insert\n\\sleep :us us\nCOMMIT;" ],
	many => [ 6, "BEGIN;\n$insert\n\\sleep :us us\n$insert\nCOMMIT;" ],
	at_once => [ 2, $insert ],
	savepoint => [ 3, "BEGIN;\nSAVEPOINT one;\n$insert\n\\sleep :us us\nROLLBACK TO one;\n$insert\nCOMMIT;" ],
	abort => [ 2, "BEGIN;\n$insert\n\\sleep :us us\nROLLBACK;" ]);
sub start_writers
{
	my ($role, $clients, $tenants) = @_;
	my @files;
	foreach my $name (sort keys %script)
	{
		my $file = $server{$role}->basedir . "/$name.sql";
		my ($weight, $sql) = @{ $script{$name} };
		append_to_file($file, "\\set us random(0, 50000)\n\\set rows random(1, 3)\n\\set tenant random(1, :tenants)\n$sql\n") unless -e $file;
		push @files, '-f', "$file\@$weight";
	}
	my $rate = 5 * $clients;    # transactions a second: the readers must keep up on a slow machine
	my @pgbench = ('pgbench', '-n', '-c', $clients, '-R', $rate, '-T', 3600, '-D', "tenants=$tenants", @files);
	push @{ $writing{$role} }, IPC::Run::start([ @pgbench, $server{$role}->connstr('postgres') ], '>&', \my $out);
}
sub stop_announcing { my ($role) = @_; ask($role, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^CALL'}); $announcing{$role}->finish }
# After the server has died
sub reap { my ($role) = @_; $_->finish foreach @{ delete $writing{$role} }, delete $announcing{$role} }

# The readers. Each keeps its position, and what it has read, in tables of one server; it may read on another one. Who is careless
# keeps the position in another table than the page.
my $nothing = '0' x 26;
my %reader;
sub add_reader
{
	my ($name, $role, $statement, %more) = @_;
	$reader{$name} = { name => $name, role => $role, keeps => $role, table => 'position', statement => $statement, %more };
	ask($reader{$name}{keeps}, "INSERT INTO $reader{$name}{table} (consumer, id) VALUES ('$name', '$nothing')");
}
my @begin = block('doc/reading.md', 'A feed of several tables', 'LOCK TABLE') =~ /^(BEGIN.*?;|LOCK.*?;)/mg;
my $sql_of_position = q{(SELECT id FROM %s WHERE consumer = '%s')};
sub position_of { my ($name) = @_; return ask($reader{$name}{keeps}, 'SELECT ' . sprintf $sql_of_position, $reader{$name}{table}, $name) }
sub poll
{
	my ($name) = @_;
	my ($role, $keeps, $table, $statement) = @{ $reader{$name} }{qw(role keeps table statement)};
	my $position = sprintf $sql_of_position, $table, $name;
	my $batch;
	if ($role eq $keeps) { $batch = $statement =~ s/'$nothing'/$position/r =~ s/;\s*\z//r; }
	else
	{
		my $last = position_of($name);
		my $ids = join ',', map { /^(\w+)/ } ask($role, @begin, $statement =~ s/$nothing/$last/r, 'COMMIT');
		$batch = "SELECT unnest('{$ids}'::ulid[]) AS id";
	}
	return ask($keeps, @begin, "SELECT FROM $table WHERE consumer = '$name' FOR UPDATE", qq{
		WITH batch AS ($batch), work AS (INSERT INTO done SELECT '$name', id FROM batch)
		UPDATE $table SET id = (SELECT id FROM batch ORDER BY id DESC LIMIT 1) WHERE consumer = '$name' AND EXISTS (SELECT FROM batch)
		RETURNING 'more'}, 'COMMIT');
}
sub read_for { my ($duration, @names) = @_; my $ends = time + $duration; do { poll($_) foreach @names; } while (time < $ends) }
# The rows that a reader has missed, below what is settled, and those that it has read twice.
sub missed_and_twice
{
	my ($name, $bound) = @_;
	my ($role, $keeps) = @{ $reader{$name} }{qw(role keeps)};
	return ask($keeps, qq{
		SELECT count(*) FROM event WHERE id < $bound AND NOT EXISTS (SELECT FROM done WHERE done.id = event.id AND consumer = '$name');
		SELECT count(*) FROM (SELECT id FROM done JOIN event USING (id) WHERE consumer = '$name' GROUP BY id HAVING count(*) > 1) twice});
}
# Reads all rows that are settled now.
sub check
{
	my ($what, @names) = @_;
	foreach my $name (@names)
	{
		my $bound = ask($reader{$name}{keeps}, 'SELECT max(id) FROM event WHERE id < (SELECT min(id) FROM settled)');
		my ($position, $since) = ('', time);
		while (poll($name), (my $at = position_of($name)) lt $bound)
		{
			($position, $since) = ($at, time) if $at ne $position;
			die "$what: $name stands still" if time > $since + $patience;
		}
		my ($missed, $twice) = missed_and_twice($name, "'$bound'");
		my $rows = ask($reader{$name}{keeps}, "SELECT count(*) FROM done WHERE consumer = '$name'");
		is("$missed missed, $twice twice", '0 missed, 0 twice', "$what: $name has read each of $rows rows once");
	}
}
# A careless one misses this row, once it is settled.
sub await_settled { my ($role, $row) = @_; await($role, "SELECT min(id) > '$row' FROM settled") }
sub check_missed
{
	my ($name, $row, $what) = @_;
	my ($role, $keeps) = @{ $reader{$name} }{qw(role keeps)};
	await_settled($_, $row) foreach $role, $keeps;
	poll($name);
	is(ask($keeps, qq{SELECT count(*) FROM event WHERE id = '$row' AND id < (SELECT id FROM $reader{$name}{table} WHERE consumer = '$name')
		AND NOT EXISTS (SELECT FROM done WHERE done.id = event.id AND consumer = '$name')}), 1, "$what: $name misses a row");
}

$server{primary} = create('first', 'one', +6 * 3600);
$server{subscriber} = create('subscriber', 'two', 0);
publish($server{primary}, 'one');
start_announcing('primary');
start_writers('primary', 16, 1);

# On a standby
$server{primary}->backup('base');
$server{standby} = PostgreSQL::Test::Cluster->new('second');
$server{standby}->init_from_backup($server{primary}, 'base', has_streaming => 1);
start_server($server{standby}, 0);
add_reader('audit', 'primary', block('doc/reading.md', 'Reading new rows', 'SELECT * FROM event'));
my $on_others = block($page, 'On a standby', 'SELECT * FROM event');
add_reader('mail', 'standby', $on_others, keeps => 'primary');
read_for(1, 'audit', 'mail');

# On a subscriber
ask('subscriber', $table, $view);
set_numbers('subscriber', 1, 1);
ask('subscriber', $subscribe =~ s/'host=.*?'/"'" . connection($server{primary}) . "'"/er);
$server{subscriber}->wait_for_subscription_sync($server{primary}, 'one');
add_reader('search', 'subscriber', $on_others);
add_reader('without a bound', 'subscriber', "SELECT * FROM event WHERE id > '$nothing' ORDER BY id LIMIT 1000", table => 'careless');
add_reader('by the bound of the primary', 'standby', "SELECT * FROM event WHERE id > '$nothing' AND id < 'bound' ORDER BY id LIMIT 1000", keeps => 'primary', table => 'careless');
my @readers = qw(audit mail search);
my $late = $server{primary}->background_psql('postgres');
my $id = $late->query_safe('BEGIN; INSERT INTO event (tenant) VALUES (1) RETURNING id');
read_for($seconds / 5, @readers, 'without a bound');
poll('without a bound') until position_of('without a bound') gt $id;
# The late row is committed, but has not arrived on the standby.
await('standby', "SELECT max(id) > '$id' FROM event");
ask('standby', 'SELECT pg_wal_replay_pause()');
await('standby', q{SELECT pg_get_wal_replay_pause_state() = 'paused'});
$late->query_safe('COMMIT');
$late->quit;
await('primary', "SELECT ulid_settled() > '$id'");
$reader{'by the bound of the primary'}{statement} =~ s/'bound'/"'" . ask('primary', 'SELECT ulid_settled()') . "'"/e;
1 while poll('by the bound of the primary');
is(ask('primary', q{SELECT id < ulid_settled() FROM careless}), 't', 'a guard would not notice the bound of the primary');
ask('standby', 'SELECT pg_wal_replay_resume()');
check('a standby and a subscriber', @readers);
check_missed($_, $id, 'a standby and a subscriber') foreach 'without a bound', 'by the bound of the primary';

# A partition, on the subscriber first: rows of it arrive.
ask($_, 'CREATE TABLE event_2 PARTITION OF event FOR VALUES IN (2)') foreach 'subscriber', 'primary';
start_writers('primary', 4, 2);
# A row filter on a column that changes: a row arrives below one that has been read. A transaction that is skipped never arrives.
my $create_filtered = q{CREATE TABLE filtered (id ulid PRIMARY KEY DEFAULT gen_ulid(), ready bool DEFAULT true)};
ask('primary', $create_filtered, 'ALTER TABLE filtered REPLICA IDENTITY FULL', 'CREATE PUBLICATION filtered FOR TABLE filtered WHERE (ready)');
ask('subscriber', $create_filtered, "CREATE SUBSCRIPTION filtered CONNECTION '" . connection($server{primary}) . q{' PUBLICATION filtered});
$server{subscriber}->wait_for_subscription_sync($server{primary}, 'filtered');
my ($early, $read) = ask('primary', 'INSERT INTO filtered VALUES (DEFAULT, false) RETURNING id', 'INSERT INTO filtered DEFAULT VALUES RETURNING id');
await('subscriber', 'SELECT count(*) = 1 FROM filtered');
ask('primary', 'UPDATE filtered SET ready = true');
await('subscriber', "SELECT count(*) = 2 AND min(id) = '$early' AND '$early' < '$read' FROM filtered");
my $log = -s $server{subscriber}->logfile;
ask('subscriber', 'INSERT INTO filtered VALUES (ulid_first($$2020-01-01$$))');
ask('primary', 'INSERT INTO filtered VALUES (DEFAULT), (ulid_first($$2020-01-01$$))');
$server{subscriber}->wait_for_log(qr/finished at [0-9A-F]+\/[0-9A-F]+/, $log);
my ($finished) = slurp_file($server{subscriber}->logfile, $log) =~ m{finished at ([0-9A-F]+/[0-9A-F]+)};
ask('subscriber', "ALTER SUBSCRIPTION filtered SKIP (lsn = '$finished')");
ask('primary', 'INSERT INTO filtered DEFAULT VALUES');
await('subscriber', 'SELECT count(*) = 4 FROM filtered');
is(ask('primary', 'SELECT count(*) FROM filtered'), 5, 'after SKIP a row is missed');
ask('subscriber', 'DROP SUBSCRIPTION filtered');
# On the publisher first
ask('primary', 'CREATE TABLE event_3 PARTITION OF event FOR VALUES IN (3)', 'INSERT INTO event (tenant) VALUES (3)');
$server{subscriber}->wait_for_log(qr/ERROR: .*no partition of relation "event" found for row/);
ask('subscriber', 'CREATE TABLE event_3 PARTITION OF event FOR VALUES IN (3)');
read_for($seconds / 5, @readers);
check('partitions', @readers);
is(ask('subscriber', q{SELECT count(*) > 0 FROM event JOIN done USING (id) WHERE tenant = 2 AND consumer = 'search'}), 't', 'rows of a new partition are read');

# A new server, whose clock is behind. Its first rows are above the position of "search", but below that of a careless reader.
$server{third} = create('third', 'three', 0);
ask('third', "CREATE TABLE event_$_ PARTITION OF event FOR VALUES IN ($_)") foreach 2, 3;
publish($server{third}, 'three');
add_reader('who only waits for the row', 'subscriber', $on_others, table => 'careless');
my $idle = position_of('search');
my $ahead;
do { poll('who only waits for the row'); $ahead = position_of('who only waits for the row'); }
  until ask('subscriber', "SELECT '$ahead'::ulid::timestamptz > '$idle'::ulid::timestamptz + interval '2 s'") eq 't';
set_numbers('subscriber', 2, 2);
ask('subscriber', $subscribe =~ s/ one / three /r =~ s/'host=.*?'/"'" . connection($server{third}) . "'"/er);
$server{subscriber}->wait_for_subscription_sync($server{third}, 'three');
# Its clock is far behind, so its ids follow each other from this time.
ask('third', "SELECT ids_advance_clock('$ahead'::ulid::timestamptz - interval '1 s')");
start_announcing('third');
my ($refuse) = slurp_file("$ENV{TESTDIR}/$page") =~ /`(ALTER TABLE event ADD CONSTRAINT (\w+) CHECK.*?)`/ or die;
ask('third', "BEGIN; INSERT INTO event (tenant) VALUES (1); $refuse; ROLLBACK");    # it may have rows
ask('third', $refuse);
like(($server{third}->psql('postgres', 'INSERT INTO event (tenant) VALUES (1)'))[2], qr/violates check constraint "early"/, 'a new server refuses rows');
my @may_insert = statements($page, 'From several servers', 'LOCK TABLE position');
my $begun = $server{subscriber}->background_psql('postgres');
$begun->query_safe(q{BEGIN; SELECT FROM position WHERE consumer = 'search' FOR UPDATE});
like(($server{subscriber}->psql('postgres', join ';', "SET lock_timeout = '100ms'", @may_insert))[2], qr/lock timeout/, 'a new server waits for readers that began before');
$begun->quit;
my $since = time;
until (ask('subscriber', @may_insert) eq 't') { sleep 0.1; die 'never' if time > $since + $patience; }
is(ask('subscriber', "SELECT '$ahead' > id FROM settled WHERE server = 'three'"), 't', 'a new server, whose row has arrived, but is not above a position');
$id = ask('third', 'ALTER TABLE event DROP CONSTRAINT early', 'INSERT INTO event (tenant) VALUES (1) RETURNING id');
turn_clock($server{third}, +6 * 3600);
start_writers('third', 4, 3);
read_for($seconds / 10, @readers);
await_settled('subscriber', $id);
check('a new server', @readers);
is(ask('subscriber', q{SELECT count(*) > 0 FROM event JOIN done USING (id) WHERE server = 'three' AND consumer = 'search'}), 't', 'rows of a new server are read');
check_missed('who only waits for the row', $id, 'a new server');

# A row in "settled" is missing on the subscriber. An UPDATE does not bring it back, the procedure does.
add_reader('by the least row', 'subscriber', $on_others =~ s/id FROM all_settled/min(id) FROM settled/r, table => 'careless');
stop_announcing('primary');
$late = $server{primary}->background_psql('postgres');
$id = $late->query_safe('BEGIN; INSERT INTO event (tenant) VALUES (1) RETURNING id');
ask('primary', q{UPDATE settled SET id = ulid_settled() WHERE server = 'one'});
ask('subscriber', q{DELETE FROM settled WHERE server = 'one'});
ask('primary', q{UPDATE settled SET id = ulid_settled() WHERE server = 'one'});
$server{primary}->wait_for_catchup('one');
is(ask('subscriber', q{SELECT count(*) FROM settled WHERE server = 'one'}), 0, 'an UPDATE does not bring a row back');
do { poll('by the least row'); } until position_of('by the least row') gt $id;
is(poll('search'), '', 'while it is missing, nothing is read');
$late->query_safe('COMMIT');
$late->quit;
start_announcing('primary');
await('subscriber', q{SELECT count(*) = 2 FROM settled});
read_for($seconds / 10, @readers);
check('a row that was missing', @readers);
check_missed('by the least row', $id, 'a row that was missing');

# It dies. It comes back all the same, and dies again.
my @drop = statements($page, 'From several servers', 'DROP SUBSCRIPTION three');
my @copy = statements($page, 'A failover or a restore', 'CREATE SUBSCRIPTION');
my ($finish, $above) = statements($page, 'A failover or a restore', 'pg_prepared_xacts');
sub copy_again
{
	my ($node, $source, $from, @statements) = @_;
	foreach (@statements)
	{
		s/'host=.*?'/"'" . connection($node) . "'"/e;
		s/\bone\b/$source/g;
		s/least\(id, '\w+'\)/least(id, '$from')/;
	}
	ask('subscriber', "INSERT INTO position VALUES ('event', 'slow', '$nothing')");
	ask('subscriber', @statements);
	is(ask('subscriber', q{DELETE FROM position WHERE consumer = 'slow' RETURNING id}), $nothing, 'a consumer who had not read so far stays behind');
	ask('subscriber', "DELETE FROM done WHERE consumer = 'search' AND id > '$from'");
	$server{subscriber}->wait_for_subscription_sync($node, $source);
}
sub third_dies
{
	$server{third}->stop('immediate');
	reap('third');
	my $from = ask('subscriber', q{SELECT id FROM settled WHERE server = 'three'});
	ask('primary', 'INSERT INTO event (tenant) SELECT 1 FROM generate_series(1, 10)');
	$server{primary}->wait_for_catchup('one');
	read_for(0.5, 'search');
	is(ask('subscriber', 'SELECT ' . (sprintf $sql_of_position, 'position', 'search') . " < '$from'"), 't', 'a dead server stops the readers');
	ask('subscriber', @drop);
	set_numbers('subscriber', 1, 1);
	read_for(0.5, @readers);
	check('a dead server', @readers);
	cmp_ok(position_of('search'), 'gt', $from, 'the readers go on');
	return $from;
}
my $from = third_dies();
start_server($server{third});
ask('third', 'INSERT INTO event (tenant) SELECT 1 FROM generate_series(1, 10)', slurp_file("$ENV{TESTDIR}/$page") =~ /`(SELECT pg_catalog.pg_drop_replication_slot.*?)`/);
start_announcing('third');
start_writers('third', 4, 3);
set_numbers('subscriber', 2, 2);
copy_again($server{third}, 'three', $from, @copy);
read_for($seconds / 10, @readers);
check('a dead server that has come back', @readers);
third_dies();

# In both directions, with clocks a minute apart
my ($both) = page($page) =~ /`(WITH \(origin.*?)`/;
if ($server{primary}->pg_version >= 16)
{
	my %name = (north => 'one', south => 'two');
	foreach my $role (sort keys %name)
	{
		$server{$role} = create($role, $name{$role}, $role eq 'south' ? +60 : 0);
		publish($server{$role}, $name{$role});
		set_numbers($role, 2, 1);
	}
	foreach ([ 'north', 'south' ], [ 'south', 'north' ])
	{
		my ($role, $other) = @$_;
		ask($role, ($subscribe =~ s/ one / $name{$other} /r =~ s/'host=.*?'/"'" . connection($server{$other}) . "'"/er) . " $both");
		add_reader($role, $role, $on_others);
	}
	start_announcing($_), start_writers($_, 8, 1) foreach sort keys %name;
	read_for($seconds / 2, sort keys %name);
	$_->kill_kill(grace => 0) foreach map { @{ $writing{$_} } } keys %name;
	my $last = ask('north', 'SELECT gen_ulid()');
	await('north', "SELECT id > (SELECT max(id) FROM event) AND id > '$last' FROM all_settled");
	check('in both directions', sort keys %name);
	is(ask('north', 'SELECT count(*), sum(hashtext(id::text)), count(DISTINCT server) FROM event'),
		ask('south', 'SELECT count(*), sum(hashtext(id::text)), 2 FROM event'), 'both have the same rows of both');
	$server{$_}->stop, $announcing{$_}->finish foreach sort keys %name;
}

# The primary fails over to the standby, which has not received all rows that were read on the subscriber. A prepared transaction,
# which has made no ids, is recovered.
ask('primary', 'BEGIN', 'INSERT INTO note VALUES (1)', q{PREPARE TRANSACTION 'left'});
$server{primary}->wait_for_catchup('second', 'replay', $server{primary}->lsn('insert'));
$server{standby}->stop;
my $lost = ask('primary', 'SELECT gen_ulid()');
my @careless = ('who keeps the position', 'who asks late what is settled');
add_reader($_, 'subscriber', $on_others, table => 'careless') foreach @careless;
do { poll('search'); } until ask('subscriber', 'SELECT ' . (sprintf $sql_of_position, 'position', 'search') . "::timestamptz > '$lost'::ulid::timestamptz + interval '1 s'") eq 't';
foreach (@careless)
{
	ask('subscriber', "UPDATE careless SET id = position.id FROM position WHERE position.consumer = 'search' AND careless.consumer = '$_'",
		"INSERT INTO done SELECT '$_', id FROM done WHERE consumer = 'search'");
}
$server{primary}->stop('immediate');
reap('primary');
$server{old} = delete $server{primary};
start_server($server{standby});
$server{standby}->promote;
$server{primary} = delete $server{standby};
my $settled = 'SELECT ulid_settled()';
is(ask('primary', $settled), $nothing, 'a recovered transaction stops the readers');
like(($server{primary}->psql('postgres', q{SET statement_timeout = '300ms'; SELECT pg_create_logical_replication_slot('waits', 'pgoutput')}))[2],
	qr/statement timeout/, 'and a new slot waits for it');
ask('primary', ask('primary', $finish));
my $first = ask('primary', $settled);
is(ask('subscriber', qq{SELECT min(id) > '$first' FROM position}), 't', 'the position is above the ids from which the new primary continues');
start_announcing('primary');
start_writers('primary', 16, 3);
$id = ask('primary', 'INSERT INTO event (tenant) VALUES (1) RETURNING id');
await('primary', "$settled > '$id'");
my $asked_late = ask('primary', $settled);
$from = ask('primary', $above);
is(ask('primary', "SELECT '$from' < '$first', '$asked_late' > '$first'"), 't|t', 'a bound that may be asked late');
ask('subscriber', "UPDATE careless SET id = least(id, '$asked_late') WHERE consumer = 'who asks late what is settled'");
copy_again($server{primary}, 'one', $from, map { s/\bthree\b/one/gr } @drop, @copy);
read_for($seconds / 5, 'audit', 'search');
check('a failover', 'audit', 'search');
check_missed($_, $id, 'a failover') foreach @careless;

# The old primary returns.
my ($conf, $kept) = ($server{old}->data_dir . '/postgresql.conf', $server{old}->basedir . '/kept.conf');
copy($conf, $kept) or die $!;
ask('primary', 'CHECKPOINT');
command_ok([ 'pg_rewind', '--write-recovery-conf', '--target-pgdata', $server{old}->data_dir, '--source-server', $server{primary}->connstr('postgres') ],
	'the old primary becomes a standby');
copy($kept, $conf) or die $!;
start_server($server{old});
$server{standby} = delete $server{old};
read_for($seconds / 5, @readers);
check('the return of the old primary', @readers);

# The clock of the new primary is right, but its ids go on from those of the old one.
my ($note, $go_on) = page($page) =~ /`(SELECT ulid_first\(date_trunc.*?)`.*`(DELETE FROM settled .*?)`/s;
my ($back, $was) = map { ask('primary', $_) } $note, q{SELECT id FROM settled WHERE server = 'one'};
my $reset = block($page, 'A clock that was ahead', 'ids_reset_clock') =~ s/(SET id =) '\w+'/$1 '$back'/r;
my (undef, $set_back) = map { s/least\(id, '\w+'\)/least(id, '$back')/r } statements($page, 'A clock that was ahead', 'UPDATE position');
my $has_arrived = q{SELECT count(*) = 1 FROM settled WHERE server = 'one was ahead'};
add_reader('by a row that has not gone back', 'primary', "SELECT * FROM event WHERE id > '$nothing' AND id < '$was' ORDER BY id LIMIT 1000", table => 'careless');
add_reader('before the row has arrived', 'subscriber', $on_others, table => 'careless');
ask('subscriber', 'ALTER SUBSCRIPTION one DISABLE');
is(ask('primary', 'BEGIN', $reset, "SELECT max(id) <= '$back' FROM settled", 'COMMIT'), 't', 'what is settled goes back with the clock');
foreach my $name ('by a row that has not gone back', 'before the row has arrived')
{
	ask($reader{$name}{keeps}, "UPDATE careless SET id = '$back' WHERE consumer = '$name'");
	poll($name);
	cmp_ok(position_of($name), 'gt', $back, "a position that goes ahead again: $name");
}
is(ask('subscriber', $has_arrived), 'f', 'the reset has not arrived, however old the last row is');
$reader{'by a row that has not gone back'}{statement} =~ s/'$was'/(SELECT min(id) FROM settled)/;
ask('subscriber', 'ALTER SUBSCRIPTION one ENABLE');
await($_, $has_arrived) foreach 'standby', 'subscriber';
is(ask($_, 'SELECT count(id) FROM all_settled'), 0, "$_: nothing is read before the positions are back") foreach 'standby', 'subscriber';
ask($_, $set_back, "DELETE FROM done WHERE id > '$back' AND consumer = ANY ('{@{[ join ',', @readers ]}}')") foreach 'primary', 'subscriber';
ask('primary', $go_on);
$id = ask('primary', 'INSERT INTO event (tenant) VALUES (1) RETURNING id');
read_for($seconds / 5, @readers);
await_settled('subscriber', $id);
check('a reset', @readers);
is(ask('subscriber', "SELECT count(*) > 0 FROM done WHERE consumer = 'search' AND id > '$back'"), 't', 'rows after the reset are read');
check_missed($_, $id, 'a reset') foreach 'by a row that has not gone back', 'before the row has arrived';
$_->kill_kill(grace => 0) foreach @{ $writing{primary} };

# Messages that are passed between two servers whose clocks differ
turn_clock($server{subscriber}, +0.1);
sub below_their_cause
{
	my ($insert, $enough) = @_;
	my @sessions = map { $server{$_}->background_psql('postgres') } 'primary', 'subscriber';
	my ($cause, $below) = ($nothing, 0);
	for (my $n = 0; $enough ? $below < 1 && $n < 10_000 : $n < 60; $n++)
	{
		my $id = $sessions[ $n % 2 ]->query_safe($insert =~ s/event/answer/r =~ s/\$1/'$cause'::ulid/r =~ s/;\s*\z/ RETURNING id/r);
		$below++ if $id le $cause;
		$cause = $id;
	}
	$_->quit foreach @sessions;
	return $below;
}
my $answer = block('doc/guarantees.md', 'An effect after its cause', 'pg_sleep') =~ s/^PREPARE .*? AS //r;
is(below_their_cause($answer =~ s/FROM pg_sleep.*;/;/r, 'one'), 1, 'an effect is below its cause');
is(below_their_cause($answer), 0, 'but not if they wait');
is(ask('primary', $answer =~ s/event/answer/r =~ s/\$1/ulid_last('infinity')/r =~ s/;\s*\z/ RETURNING 'made'/r), 'made', 'for a hostile id they wait for a second');

is(join("\n", unused_blocks($page)), '', 'every block of the page has run');
note(ask('primary', 'SELECT count(*) FROM event') . ' rows');
$server{$_}->stop foreach 'subscriber', 'standby', 'primary';
$announcing{primary}->finish;
done_testing();
