# The owner of a database who has only doc/managed.sql: readers below CALL uuidv7_settled() read each row once while 26 sessions write in
# every way, over a crash with prepared transactions and the promotion of a standby, each of which finds the clock an hour further
# behind. Another reader reads on the standby, by announcements. Without the bound rows are missed. A logical subscriber reads by
# announcements, too, and takes over.
use strict;
use warnings;
use Clocks;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Recovery;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SECONDS} // 4;
my $node = PostgreSQL::Test::Cluster->new('one');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', join "\n", 'max_connections = 60', 'max_prepared_transactions = 60', 'restart_after_crash = on', 'log_statement = none', '');
start_server($node);
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE app OWNER owner; CREATE DATABASE other OWNER owner');
sub run_as_owner { return $node->safe_psql('app', $_[0], extra_params => [ '-U', 'owner' ]) }
$node->safe_psql($_, page('doc/managed.sql'), extra_params => [ '-U', 'owner' ]) foreach 'app', 'other';
run_as_owner(q{
	CREATE TABLE event (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), message text);
	CREATE TABLE reading (reader text, id uuid);
	CREATE TABLE position (reader text PRIMARY KEY, id uuid NOT NULL);
	INSERT INTO position SELECT reader, '00000000-0000-0000-0000-000000000000' FROM unnest(ARRAY['control', 'statements', 'plpgsql']) reader;
	CREATE PROCEDURE write_and_commit() LANGUAGE plpgsql AS $$
	BEGIN
		FOR n IN 1 .. 3 LOOP
			INSERT INTO event SELECT FROM generate_series(1, 3);
			PERFORM pg_sleep(random() * 0.02);
			INSERT INTO event DEFAULT VALUES;
			COMMIT;
		END LOOP;
	END $$;
	CREATE PROCEDURE read_new() LANGUAGE plpgsql AS $$
	DECLARE
		bound uuid;
		after uuid;
	BEGIN
		SELECT id INTO after FROM position WHERE reader = 'plpgsql' FOR UPDATE;
		CALL uuidv7_settled(bound);
		WITH batch AS (INSERT INTO reading SELECT 'plpgsql', id FROM event WHERE id > after AND id < bound ORDER BY id LIMIT 2000 RETURNING id)
		UPDATE position SET id = coalesce((SELECT id FROM batch ORDER BY id DESC LIMIT 1), id) WHERE reader = 'plpgsql';
	END $$});
# Positions are guarded, except those of the reader without the bound.
my ($guard) = block('doc/managed.md', 'New rows', 'CREATE TRIGGER') =~ /^(CREATE TRIGGER .*;)$/m;
run_as_owner($guard =~ s/EXECUTE/WHEN (new.reader <> 'control') EXECUTE/r);
run_as_owner(block('doc/managed.md', 'On a replica', 'announce_settled'));

sub script
{
	my ($name, $sql) = @_;
	my $file = $node->basedir . "/$name.sql";
	append_to_file($file, "\\set us random(0, 40000)\n\\set n random(1, 1000000000)\n$sql\n");
	return ('-f', $file);
}
my $insert = 'INSERT INTO event DEFAULT VALUES;';

# Its time runs from each query, not from its start.
sub session { my $session = $_[0]->background_psql($_[1]); $session->set_query_timer_restart; return $session }
my $pause = "\n\\sleep :us us\n";
my @write = (
	script(plain => "BEGIN; $insert$pause COMMIT;"),
	script(id_first => "BEGIN; SELECT gen_uuidv7() AS id \\gset\n\\sleep :us us\nINSERT INTO event VALUES (':id'); COMMIT;"),
	script(at_once => 'INSERT INTO event SELECT FROM generate_series(1, 20);'),
	script(repeatable => "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM position; $pause $insert$pause $insert COMMIT;"),
	script(released => "BEGIN; SAVEPOINT a; $insert RELEASE a;$pause SAVEPOINT b; $insert ROLLBACK TO b; COMMIT;"),
	script(savepoint => "BEGIN; SAVEPOINT a; $insert ROLLBACK TO a;$pause $insert SAVEPOINT b; $insert$pause COMMIT;"),
	script(kept => "BEGIN; SELECT gen_uuidv7(); SAVEPOINT a; SELECT gen_uuidv7() AS id \\gset\nROLLBACK TO a;$pause INSERT INTO event VALUES (':id'); COMMIT;"),
	script(exception => q{DO $$BEGIN
		BEGIN INSERT INTO event DEFAULT VALUES; RAISE 'again'; EXCEPTION WHEN others THEN INSERT INTO event DEFAULT VALUES; END;
		PERFORM pg_sleep(random() * 0.02);
		INSERT INTO event DEFAULT VALUES; END$$;}),
	script(procedure => 'CALL write_and_commit();'),
	script(do_commit => q{DO $$BEGIN FOR n IN 1 .. 3 LOOP INSERT INTO event DEFAULT VALUES; PERFORM pg_sleep(random() * 0.02); COMMIT; END LOOP; END$$;}),
	script(abort => "BEGIN; $insert$pause ROLLBACK;"),
	script(reset => "BEGIN; $insert$pause RESET ALL; $insert$pause COMMIT; DISCARD ALL;"),
	script(locks => "SELECT pg_advisory_lock(:n); BEGIN; SELECT pg_advisory_xact_lock_shared(:n, :n); $insert$pause SELECT pg_advisory_unlock_all(); $insert$pause COMMIT;"),
	# It is open longest, so that nobody else holds readers back.
	script(of_future => "BEGIN; SELECT set_config('uuidv7.first_ms', '9999999999999/' || pg_current_xact_id(), true); $insert\n\\sleep 150 ms\nCOMMIT;"),
	(map { script("prepared_$_" => "BEGIN; $insert$pause PREPARE TRANSACTION 'w:client_id-:n';$pause COMMIT PREPARED 'w:client_id-:n';") } 1 .. 2),
	script(prepared_in_vain => "BEGIN; $insert PREPARE TRANSACTION 'v:client_id-:n';$pause ROLLBACK PREPARED 'v:client_id-:n';"));
# With many writers, one of them always holds readers back.
my @write_seldom = script(seldom => "\\set us :us / 20\nBEGIN; $insert$pause COMMIT;\n\\sleep 4 ms");
# pgbench has no COPY.
my $copy = $node->basedir . '/copy.sql';
append_to_file($copy, "BEGIN;\nCOPY event (message) FROM STDIN;\n1\n2\n3\n\\.\nSELECT pg_sleep(random() * 0.03);\nCOPY event (message) FROM STDIN;\n4\n\\.\nCOMMIT;\n" x 20_000);

my %read = (
	control => "SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff' AS settled \\gset",
	statements => 'CALL uuidv7_settled() \gset');
foreach my $reader (sort keys %read)
{
	$read{$reader} = [ script("read_$reader" => qq{BEGIN;
		SELECT id AS position FROM position WHERE reader = '$reader' FOR UPDATE \\gset
		$read{$reader}
		\\sleep :us us
		WITH batch AS (INSERT INTO reading SELECT '$reader', id FROM event WHERE id > ':position' AND id < ':settled' ORDER BY id LIMIT 2000 RETURNING id)
		UPDATE position SET id = coalesce((SELECT id FROM batch ORDER BY id DESC LIMIT 1), id) WHERE reader = '$reader';
		COMMIT;
		\\sleep 3 ms}) ];
}
$read{plpgsql} = [ script(read_plpgsql => "CALL read_new();\n\\sleep 3 ms") ];
my @announce = script(announce => "CALL announce_settled();\n\\sleep 10 ms");

sub start
{
	my (@command) = @_;
	my $run = { out => '' };
	$run->{process} = IPC::Run::start([@command], '>', \my $out, '2>', \$run->{out}, IPC::Run::timeout(10 * $PostgreSQL::Test::Utils::timeout_default));
	return $run;
}
sub pgbench { return start('pgbench', '-n', @_, $node->connstr('app') . ' user=owner') }

# The reader on the standby.
my (%seen, $twice);
my $last = '00000000-0000-0000-0000-000000000000';
sub read_standby
{
	my ($session) = @_;
	foreach (split /\n/, $session->query_safe("SELECT id FROM event WHERE id > '$last' AND id < (SELECT id FROM settled) ORDER BY id LIMIT 5000"))
	{
		$twice++ if $seen{$_}++;
		$last = $_;
	}
}

# Writes and reads until an event ends it, or for some seconds.
my $session;
sub write_and_read
{
	my ($event) = @_;
	my @time = ('-T', $event ? 3600 : $seconds);
	my @runs = ((map { pgbench('-c', 1, @time, @$_) } values %read, \@announce),
		$event ? pgbench('-c', 24, '-j', 2, @time, @write) : pgbench('-c', 4, '-j', 2, @time, @write_seldom),
		map { start('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('app') . ' user=owner', '-f', $copy) } $event ? (1 .. 2) : ());
	my $end = time + $seconds;
	while (time < $end) { read_standby($session); sleep 0.02 }
	$event->() if $event;
	$_->{process}->finish foreach @runs;
	is(join('', map { $_->{out} } @runs), '', 'no errors') unless $event;
}

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('two');
$standby->init_from_backup($node, 'base', has_streaming => 1);
start_server($standby, -7200);
like(($standby->psql('app', "\\set VERBOSITY verbose\nCALL uuidv7_settled()"))[2], qr/ERROR:  25006: cannot execute uuidv7_settled\(\) during recovery\nHINT: .* "On a replica" in doc/, 'a standby does not know what is settled');
foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	like(($node->psql('app', "\\set VERBOSITY verbose\nBEGIN ISOLATION LEVEL $level; CALL uuidv7_settled()"))[2], qr/ERROR:  0A000: uuidv7_settled\(\) needs the isolation level READ COMMITTED\nHINT: .* "New rows" in doc/, "refused: $level");
}
$session = session($standby, 'app');
my $monitor = block('doc/managed.md', 'New rows', 'to_timestamp');

# Finishes what is prepared, which holds the bound back until then.
sub finish_prepared
{
	my ($what) = @_;
	my @left = split /\n/, run_as_owner('SELECT gid FROM pg_prepared_xacts');
	cmp_ok(scalar @left, '>', 0, "$what has left prepared transactions: " . @left);
	my %gid = map { $_ => 1 } grep { $_ ne '' } map { (split /\|/, $_, -1)[2] } split /\n/, run_as_owner($monitor);
	is(join(' ', sort keys %gid), join(' ', sort @left), 'the monitoring statement shows them');
	run_as_owner("COMMIT PREPARED '$_'") foreach @left;
	is(run_as_owner($monitor), '', 'and nothing afterwards');
}

# A transaction of another database holds nobody back. It makes that database's first id: the guard lets positions in before, not beside it.
my @guarded = map { sprintf "INSERT INTO position VALUES ('other', '$_', uuidv7_first(now() + interval '%s'))", /early/ ? '0' : '1 s' } 'early', 'late';
$node->safe_psql('other', block('doc/managed.md', 'New rows', 'CREATE TABLE position') . $guarded[0]);
my $other = session($node, 'other');
$other->query_safe('BEGIN; SELECT gen_uuidv7()');
is(run_as_owner($monitor), '', 'a transaction of another database holds nobody back');
run_as_owner($insert);
my $settled_beside = run_as_owner('BEGIN; SELECT pg_advisory_xact_lock(8463671074712715269), pg_advisory_xact_lock_shared(1), pg_advisory_xact_lock_shared(1970601984, 5); CALL uuidv7_settled()') =~ s/.*\n//r;
cmp_ok($settled_beside, 'gt', run_as_owner('SELECT id FROM event ORDER BY id DESC LIMIT 1'), 'nor the answer, nor does an exclusive lock of that kind, nor a lock of another kind');
like(($node->psql('other', $_))[2], qr/position .* is above what is settled/, "the guard: $_") foreach $guarded[1], q{BEGIN; SELECT pg_advisory_xact_lock_shared(8463671074712715264); } . $guarded[1];
$other->quit;
is($node->safe_psql('other', 'SELECT consumer FROM position WHERE feed = \'other\''), 'early', 'one of before the first id is there');

# On the standby, a partition is replaced by a copy of it while the page's reader begins.
run_as_owner(q{CREATE TABLE feed (LIKE event) PARTITION BY RANGE (id); CREATE TABLE feed_1 PARTITION OF feed DEFAULT; INSERT INTO feed SELECT gen_uuidv7() FROM generate_series(1, 9);
	CALL announce_settled()});
my $replace = session($node, 'app');
$replace->query_safe('BEGIN; CREATE TABLE feed_2 (LIKE feed); INSERT INTO feed_2 TABLE feed; ALTER TABLE feed DETACH PARTITION feed_1; ALTER TABLE feed ATTACH PARTITION feed_2 DEFAULT');
run_as_owner($insert);
$node->wait_for_catchup($standby);
my $read_feed = block('doc/managed.md', 'On a replica', 'LOCK TABLE') =~ s/\bevent\b/feed/gr;
my ($begin) = block('doc/reading.md', 'A feed of several tables', 'LOCK TABLE') =~ /^((?:.*\n){2})/;
like(block('doc/managed.md', 'On a replica', 'LOCK TABLE'), qr/\n\Q$begin/, 'the reader begins as doc/reading.md says, for partitions that are attached meanwhile');
my $output = $session->query_until(qr/reads/, "\\echo reads\n$read_feed");
ok($standby->poll_query_until('app', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted'), 'the reader waits');
$replace->query_safe('COMMIT');
$replace->quit;
is(scalar(() = ($output . $session->query('SELECT')) =~ /^[0-9a-f]+-/mg), 9, 'the reader finds all rows of the copy');

# Until a restart, the locks of a prepared transaction have the number of its session.
my $previous = run_as_owner('SELECT gen_uuidv7()');
run_as_owner(q{BEGIN; SELECT gen_uuidv7(); PREPARE TRANSACTION 'alone'});
is(run_as_owner("SELECT since = uuidv7_extract_timestamp('$previous') FROM (" . $monitor =~ s/;$//mr . ') holder'), 't', 'the monitoring statement tells the time of the last id before');
finish_prepared('a session');

# The setting of a user who wants to hide rows from readers: in the future, below the prefix of the lock's number, long ago. What is left from
# another transaction, or is no number, neither counts nor holds readers back further than to the transaction.
my @forged = map { "SELECT set_config('uuidv7.first_ms', '$_', false)" } '', 9999999999999, -1, 0, 'abc', '1/1';
foreach my $forged (@forged, map { "SELECT set_config('uuidv7.first_ms', '$_/' || pg_current_xact_id(), false)" } 9999999999999, -1, 1)
{
	my $writer = session($node, 'app');
	$writer->query_safe("BEGIN; $forged");
	my $id = $writer->query_safe('INSERT INTO event DEFAULT VALUES RETURNING id');
	my $settled = run_as_owner("$insert CALL uuidv7_settled()");
	cmp_ok($settled, 'le', $id, "an open transaction holds readers back, $forged");
	cmp_ok($settled, 'gt', '01', 'but not to the beginning') if $forged !~ /xact/;
	$writer->query_safe('COMMIT');
	cmp_ok(run_as_owner('CALL uuidv7_settled()'), 'gt', $id, 'but not afterwards');
	$writer->quit;
}

# The guard refuses what a habit would miss: an open transaction has made an id, and others later ones.
my $late = session($node, 'app');
$late->query_safe('BEGIN; INSERT INTO event DEFAULT VALUES');
run_as_owner("$insert SELECT pg_sleep(0.1)");
my $set = q{UPDATE position SET id = %s WHERE reader = 'statements'};
my %habit = ('no bound' => '(SELECT id FROM event ORDER BY id DESC LIMIT 1)', 'now()' => 'uuidv7_first(now())', 'a new id' => 'gen_uuidv7()');
foreach my $habit (sort keys %habit)
{
	like(($node->psql('app', "\\set VERBOSITY sqlstate\n" . sprintf $_, $habit{$habit}))[2], qr/ERROR:  23514/, "the guard refuses $habit: $_") foreach $set, q{INSERT INTO position VALUES ('new', %s)};
}
$late->query_safe('COMMIT');
$late->quit;
is($node->psql('app', sprintf $set, $habit{'no bound'}), 0, 'but not afterwards');
run_as_owner(sprintf $set, q{'00000000-0000-0000-0000-000000000000'});

# An id of a block that is rolled back is covered if the transaction made one before the block.
foreach my $before ('', 'SELECT gen_uuidv7();')
{
	my $writer = session($node, 'app');
	$writer->query_safe("BEGIN; $before SAVEPOINT a");
	my $id = $writer->query_safe('SELECT gen_uuidv7()');
	$writer->query_safe("ROLLBACK TO a; INSERT INTO event VALUES ('$id')");
	run_as_owner($insert);
	cmp_ok(run_as_owner('CALL uuidv7_settled()'), $before ? 'le' : 'gt', $id, "an id of a block that is rolled back, after '$before'");
	$writer->query_safe('COMMIT');
	$writer->quit;
}

# A cursor that fails in a block which is rolled back releases what the transaction made with it before, but not the lock.
my $cursor = $node->background_psql('app', on_error_stop => 0);
$cursor->query('BEGIN; DECLARE c CURSOR FOR SELECT gen_uuidv7() AS id, 1 / (2 - g) AS n FROM generate_series(1, 2) g');
my $fetched = $cursor->query(q{FETCH c \gset
INSERT INTO event VALUES (:'id') RETURNING id; SAVEPOINT a; FETCH c; ROLLBACK TO a});
like($cursor->{stderr}, qr/division by zero/, 'a cursor fails');
cmp_ok(run_as_owner("$insert CALL uuidv7_settled()"), 'le', $fetched, 'its ids hold readers back');
$cursor->query('COMMIT');
$cursor->quit;

# A row that comes late, for the control
my $psql = qq{psql -Xq -d "@{[ $node->connstr('app') ]} user=owner" -c};
run_as_owner(qq{BEGIN; $insert
	\\! $psql "$insert"
	\\! pgbench -n -t 1 @{$read{control}} "@{[ $node->connstr('app') ]} user=owner" >/dev/null 2>&1
	COMMIT});
my $prepare = "BEGIN; $insert PREPARE TRANSACTION 'left'";
write_and_read(sub {
	run_as_owner($prepare);
	turn_clock($node, -3600);
	kill 'KILL', $node->safe_psql('app', q{SELECT pid FROM pg_stat_activity WHERE usename = 'owner' LIMIT 1}) });
ok(takes_connections($node), 'the server restarts after kill -9');
finish_prepared('the crash');
write_and_read(sub {
	run_as_owner($prepare);
	$node->wait_for_catchup($standby);
	$node->stop('immediate');
	$standby->promote });
$node = $standby;
finish_prepared('the promotion');
write_and_read();

# The rest
$node->poll_query_until('app', q{SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'}) or die;
$node->safe_psql('app', "COMMIT PREPARED '$_'") foreach split /\n/, run_as_owner('SELECT gid FROM pg_prepared_xacts');
run_as_owner('CALL announce_settled()');
my $rows = run_as_owner('SELECT count(*) FROM event');
foreach my $reader (sort keys %read)
{
	my $left;
	do
	{
		pgbench('-c', 1, '-t', 20, @{ $read{$reader} })->{process}->finish;
		$left = run_as_owner("SELECT count(*) FROM event WHERE id > (SELECT id FROM position WHERE reader = '$reader')");
	} while ($left > 0);
	my $found = run_as_owner(qq{SELECT format('%s missed, %s twice', count(*) FILTER (WHERE times IS NULL), count(*) FILTER (WHERE times > 1))
		FROM event LEFT JOIN (SELECT id, count(*) AS times FROM reading WHERE reader = '$reader' GROUP BY id) r USING (id)});
	if ($reader eq 'control') { unlike($found, qr/^0 missed/, "without the bound: $found of $rows") }
	else { is($found, '0 missed, 0 twice', "$reader: each of $rows rows once") }
}
my $before;
do { $before = keys %seen; read_standby($session) } while (keys %seen > $before);
my $missed = grep { !$seen{$_} } split /\n/, run_as_owner('SELECT id FROM event');
is("$missed missed, " . ($twice // 0) . ' twice', '0 missed, 0 twice', "on the standby, which became the primary: each of $rows rows once");
is(run_as_owner(q{SELECT uuidv7_extract_timestamp(gen_uuidv7()) > clock_timestamp() + interval '55 minutes'}), 't', 'the clock is behind');
$session->quit;

# In a copy of the script each step of its protocol has a gate. A session stops at each of them in turn, while others do their part from
# beginning to end: no row below an answer is missing from the next statement.
$node->safe_psql('postgres', 'CREATE DATABASE gates');
sub at_gates { return $node->safe_psql('gates', $_[0]) }
my @steps = ('pg_sequence_last_value(regclass) bigint', 'setval(regclass, bigint) bigint', 'pg_try_advisory_lock(bigint) boolean', 'pg_advisory_unlock(bigint) boolean',
	'pg_advisory_xact_lock_shared(bigint) void', 'pg_locks() SETOF pg_locks');
at_gates(q{CREATE FUNCTION gate() RETURNS void LANGUAGE plpgsql AS $$BEGIN
	PERFORM set_config('gate.n', (current_setting('gate.n')::int + 1)::text, false);
	IF current_setting('gate.n') = current_setting('gate.stop') THEN PERFORM pg_advisory_lock_shared(1, 1), pg_advisory_unlock_shared(1, 1); END IF; END$$;
	ALTER DATABASE gates SET gate.stop = 0; ALTER DATABASE gates SET gate.n = 0});
foreach (@steps)
{
	my ($step, $arguments, $result) = /^(\w+)\((.*)\) (.*)$/ or die;
	my $given = join ', ', map { "\$$_" } 1 .. split /, /, $arguments;
	my $do = $result =~ /^SETOF/ ? 'RETURN QUERY SELECT * FROM pg_locks; PERFORM public.gate()'
	  : $result eq 'void' ? "PERFORM $step($given); PERFORM public.gate()" : "DECLARE done $result := $step($given); BEGIN PERFORM public.gate(); RETURN done; END";
	at_gates("CREATE FUNCTION gated_$step($arguments) RETURNS $result LANGUAGE plpgsql AS \$\$BEGIN PERFORM public.gate(); $do; END\$\$");
}
my $gated = page('doc/managed.sql') =~ s/FROM pg_locks$/FROM public.gated_pg_locks()/mgr;
$gated =~ s/(?<![.\w])$_\(/public.gated_$_(/g foreach map { /^(\w+)/ } @steps;
at_gates("$gated CREATE TABLE event (id uuid DEFAULT gen_uuidv7())");
my $holder = session($node, 'gates');
foreach ([ 'a reader', 'CALL uuidv7_settled()', 4 ], [ 'a writer', "$insert CALL uuidv7_settled()", 16 ])
{
	my ($who, $statements, $at_least) = @$_;
	my ($steps, $missed, $ended) = (0, 0);
	until ($ended)
	{
		my ($stopped, $other) = map { session($node, 'gates') } 1 .. 2;
		$stopped->query_safe("SET gate.stop = @{[ ++$steps ]}; SET application_name = stopped");
		$holder->query_safe('SELECT pg_advisory_lock(1, 1)');
		my $output = $stopped->query_until(qr/begins/, "\\echo begins\nBEGIN;\n$statements;\nSELECT 'ended';\n");
		$node->poll_query_until('gates', q{SELECT wait_event = 'advisory' OR query ~ 'ended' FROM pg_stat_activity WHERE application_name = 'stopped'}) or die;
		$ended = at_gates(q{SELECT query ~ 'ended' FROM pg_stat_activity WHERE application_name = 'stopped'}) eq 't';
		# Others make ids, too, unless it has their lock. One of them commits.
		my $waits = at_gates('SELECT count(*) FROM pg_locks WHERE objid = 1768191543');
		$other->query_safe('BEGIN');
		at_gates($insert), $other->query_safe($insert) unless $waits;
		my %answer = (other => at_gates('CALL uuidv7_settled()'));
		my %seen = (other => at_gates('SELECT id FROM event'));
		$holder->query_safe('SELECT pg_advisory_unlock(1, 1)');
		($answer{stopped}) = ("$output\n" . $stopped->query_safe('SELECT')) =~ /^([0-9a-f]+-.*)$/m or die;
		$seen{stopped} = $stopped->query_safe('SELECT id FROM event');
		$_->query_safe('COMMIT'), $_->quit foreach $stopped, $other;
		foreach my $id (split /\n/, at_gates('SELECT id FROM event'))
		{
			$missed += $id lt $answer{$_} && index($seen{$_}, $id) < 0 foreach keys %answer;
		}
	}
	is($missed, 0, "stopped at each of its gates, $who misses nothing, nor does another reader");
	cmp_ok($steps, '>', $at_least, "$who: $steps gates");
	is(at_gates('SELECT count(*) - count(DISTINCT left(id::text, 18)) FROM event'), '0', 'no two of them have the same tick');
}
$holder->quit;

# The subscriber
my $subscriber = PostgreSQL::Test::Cluster->new('three');
$subscriber->init;
start_server($subscriber, -10800);
$subscriber->safe_psql('postgres', 'CREATE DATABASE app');
$subscriber->safe_psql('app', page('doc/managed.sql') . 'CREATE TABLE event (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), message text);'
	. (block('doc/managed.md', 'On a replica', 'announce_settled') =~ /^(CREATE TABLE settled .*)$/m)[0]);
run_as_owner('CREATE PUBLICATION app FOR TABLE event, settled');
$subscriber->safe_psql('app', q{CREATE SUBSCRIPTION app CONNECTION '} . $node->connstr . q{ dbname=app' PUBLICATION app});
$subscriber->wait_for_subscription_sync($node, 'app', 'app');
my $above = 'SELECT gen_uuidv7() > (SELECT id FROM event ORDER BY id DESC LIMIT 1)';
is($subscriber->safe_psql('app', $above), 'f', 'the first id of a subscriber whose clock is behind is below the replicated ones');
my $writer = session($node, 'app');
my $slow = $writer->query_safe(q{BEGIN; INSERT INTO event (message) VALUES ('slow') RETURNING id});
run_as_owner(q{INSERT INTO event (message) VALUES ('fast'); CALL announce_settled()});
$node->wait_for_catchup('app');
my $read = q{SELECT count(*), string_agg(message, ' ' ORDER BY id) FILTER (WHERE id < (SELECT id FROM settled)) FROM event WHERE message IN ('slow', 'fast')};
is($subscriber->safe_psql('app', $read), '1|', 'the announcement holds readers back on the subscriber, too');
my $tick = run_as_owner('SELECT last_value FROM uuidv7.tick');
if ($node->pg_version >= 19)
{
	$node->safe_psql('app', 'CREATE PUBLICATION sequences FOR ALL SEQUENCES');
	$subscriber->safe_psql('app', 'ALTER SUBSCRIPTION app ADD PUBLICATION sequences');
	ok($subscriber->poll_query_until('app', "SELECT last_value = $tick FROM uuidv7.tick"), 'the subscription brings the sequence');
}
$subscriber->safe_psql('app', "SELECT setval('uuidv7.tick', $tick)");
cmp_ok($subscriber->safe_psql('app', 'CALL uuidv7_settled()'), 'gt', $slow, 'the procedure does not know the open transactions of the publisher');
$writer->query_safe('COMMIT');
$writer->quit;
run_as_owner('CALL announce_settled()');
$node->wait_for_catchup('app');
is($subscriber->safe_psql('app', $read), '2|slow fast', 'both rows are read afterwards');
$node->stop;
is($subscriber->safe_psql('app', $above), 't', 'the subscriber has taken over');
$subscriber->stop;
done_testing();
