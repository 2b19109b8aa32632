# Readers follow a table in the order of its identifiers while 48 sessions write it: with delays between the identifier and
# the commit, with savepoints, rollbacks, two-phase commit, many rows, procedures that commit, and two generators in one
# transaction. Below ulid_settled() each reader reads every committed row once; without that bound rows are missed. Over
# crashes and restarts, too. The environment variable SECONDS makes it longer.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Recovery;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SECONDS} // 5;
my $rounds = 5;
my $writers = 48;
my $longest_ms = 50;
# The first table is the main one.
my @others = grep { $_ ne 'ulid' } @settled;
my %generator_of = (event => 'ulid', map { ("event_$_" => $_) } @others);
sub insert_others
{
	my ($rows) = @_;
	return join "\n", map { "INSERT INTO event_$_ (id) SELECT gen_$_() FROM generate_series(1, $rows);" } @others;
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', join "\n",
	'max_connections = 100', 'max_prepared_transactions = 60', 'restart_after_crash = on', 'log_statement = none',
	'autovacuum = on', 'autovacuum_naptime = 5s', 'synchronous_commit = off', 'max_wal_size = 4GB', 'shared_buffers = 512MB', '');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION ids;
	CREATE TABLE event (id ulid PRIMARY KEY, made timestamptz DEFAULT clock_timestamp());
	CREATE PROCEDURE write_and_commit() LANGUAGE plpgsql AS $$
	BEGIN
		FOR n IN 1 .. 3 LOOP
			INSERT INTO event (id) SELECT gen_ulid() FROM generate_series(1, 5);
			PERFORM pg_sleep(random() * 0.02);
			INSERT INTO event (id) VALUES (gen_ulid());
			COMMIT;
		END LOOP;
	END $$} . join '', map { "; CREATE TABLE event_$_ (id $type_of{$_} PRIMARY KEY, made timestamptz DEFAULT clock_timestamp())" } @others);

# What a writer does in one transaction, and how often.
sub write_script
{
	my ($name, $weight, $sql) = @_;
	my $file = $node->basedir . "/$name.sql";
	append_to_file($file, "\\set us random(0, $longest_ms * 1000)\n\\set rows random(1, 12)\n$sql");
	return "$file\@$weight";
}
my @write = (
	write_script(plain => 6, q{BEGIN;
		INSERT INTO event (id) VALUES (gen_ulid());
		\sleep :us us
		COMMIT;}),
	write_script(id_first => 6, q{BEGIN;
		SELECT gen_ulid() AS id \gset
		\sleep :us us
		INSERT INTO event (id) VALUES (':id');
		COMMIT;}),
	write_script(at_once => 4, 'INSERT INTO event (id) SELECT gen_ulid() FROM generate_series(1, :rows);'),
	write_script(many => 4, q{BEGIN;
		INSERT INTO event (id) SELECT gen_ulid() FROM generate_series(1, :rows);
		\sleep :us us
		INSERT INTO event (id) SELECT gen_ulid() FROM generate_series(1, :rows);
		COMMIT;}),
	write_script(savepoint => 3, q{BEGIN;
		SAVEPOINT one;
		INSERT INTO event (id) VALUES (gen_ulid());
		\sleep :us us
		ROLLBACK TO one;
		INSERT INTO event (id) VALUES (gen_ulid());
		SAVEPOINT two;
		INSERT INTO event (id) VALUES (gen_ulid());
		COMMIT;}),
	write_script(abort => 2, q{BEGIN;
		INSERT INTO event (id) VALUES (gen_ulid());
		\sleep :us us
		ROLLBACK;}),
	write_script(two => 4, q{BEGIN;
		INSERT INTO event (id) VALUES (gen_ulid());
		\sleep :us us
		} . insert_others(5) . q{
		INSERT INTO event (id) VALUES (gen_ulid());
		COMMIT;}),
	# It has read the position of serializable consumers, and some will not have seen its row.
	write_script(serializable => 2, q{\set us :us / 10
		BEGIN ISOLATION LEVEL SERIALIZABLE;
		SELECT id FROM position_serializable;
		INSERT INTO event (id) VALUES (gen_ulid());
		\sleep :us us
		INSERT INTO event (id) VALUES (gen_ulid());
		COMMIT;}),
	write_script(procedure => 1, 'CALL write_and_commit();'),
	write_script(prepared => 3, q{\set gid random(1, 1000000000)
		\set half :us / 2
		BEGIN;
		INSERT INTO event (id) VALUES (gen_ulid());
		} . insert_others(1) . q{
		\sleep :half us
		PREPARE TRANSACTION 'w:client_id-:gid';
		\sleep :half us
		COMMIT PREPARED 'w:client_id-:gid';}),
	write_script(prepared_in_vain => 1, q{\set gid random(1, 1000000000)
		BEGIN;
		INSERT INTO event (id) VALUES (gen_ulid());
		PREPARE TRANSACTION 'v:client_id-:gid';
		\sleep :us us
		ROLLBACK PREPARED 'v:client_id-:gid';}));

my $write_seldom = write_script(seldom => 1, q{BEGIN;
	INSERT INTO event (id) VALUES (gen_ulid());
	} . insert_others(1) . q{
	\sleep 1 ms
	COMMIT;
	\sleep 4 ms
	});

# The readers, each with its position: the last row read, or the bound. They keep what they read and the position in one
# transaction.
my %reader = (
	by_index => { table => 'event', settings => 'enable_seqscan=off enable_bitmapscan=off' },
	by_scan => { table => 'event', settings => 'enable_indexscan=off enable_indexonlyscan=off enable_bitmapscan=off', wait => 300 },
	old_snapshot => { table => 'event', begin => "BEGIN ISOLATION LEVEL REPEATABLE READ;\n\\set us random(0, 300000)\nSELECT 1;\n\\sleep :us us" },
	serializable => { table => 'event', begin => 'BEGIN ISOLATION LEVEL SERIALIZABLE;' },
	deferrable => { table => 'event', alone => 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;' },
	(map { ("by_$_" => { table => "event_$_" }) } @others),
	to_bound => { table => 'event', position => 'SELECT ulid_settled() AS id' },
	control => { table => 'event', bound => 'true' });
foreach my $name (sort keys %reader)
{
	my $reader = $reader{$name};
	my ($table, $begin) = ($reader->{table}, $reader->{begin} // 'BEGIN;');
	my $bound = $reader->{bound} // "id < $generator_of{$table}_settled()";
	my $position = $reader->{position} // 'SELECT id FROM batch ORDER BY id DESC LIMIT 1';
	my $limit = $reader->{position} ? '' : 'LIMIT 2000';
	my $type = $type_of{ $generator_of{$table} };
	my $wait = $reader->{wait} // 5;
	my $first = first_of($generator_of{$table});
	$node->safe_psql('postgres', qq{
		CREATE TABLE read_$name (id $type, at timestamptz DEFAULT clock_timestamp());
		CREATE TABLE position_$name AS SELECT $first('-infinity') AS id});
	my $read = "SELECT id AS position FROM position_$name \\gset\n";
	my $ids = "SELECT id FROM $table WHERE id > ':position' AND $bound ORDER BY id $limit";
	if ($reader->{alone})    # read in a transaction that cannot write
	{
		$begin = "$read $reader->{alone} SELECT coalesce(array_agg(id), '{}') AS ids FROM ($ids) batch \\gset\nCOMMIT;\nBEGIN;";
		($read, $ids) = ('', "SELECT unnest(':ids'::$type\[])");
	}
	$reader->{file} = $node->basedir . "/read_$name.sql";
	append_to_file($reader->{file}, qq{$begin
		$read
		WITH batch AS (
			INSERT INTO read_$name (id) $ids RETURNING id
		), last AS ($position)
		UPDATE position_$name p SET id = last.id FROM last;
		COMMIT;
		\\sleep $wait ms\n});
}

# How far the bound is behind.
$node->safe_psql('postgres', 'CREATE TABLE lag (lag interval)');
my $lag_file = $node->basedir . '/lag.sql';
append_to_file($lag_file, "INSERT INTO lag SELECT clock_timestamp() - ulid_settled()::timestamptz;\n\\sleep 20 ms\n");

sub pgbench
{
	my ($options, %params) = @_;
	local $ENV{PGOPTIONS} = join ' ', map { "-c $_" } split ' ', $params{settings} // '';
	my $run = { out => '', result => '' };
	$run->{process} = IPC::Run::start([ 'pgbench', '-n', '--failures-detailed', @$options, $node->connstr('postgres') ], '>', \$run->{result}, '2>', \$run->{out},
		IPC::Run::timeout($seconds * 5 + 300));
	return $run;
}
sub start_readers
{
	return pgbench([ '-c', 1, '-T', $_[0], '-f', $lag_file ]),
	  map { pgbench([ '-c', 1, '-T', $_[0], '-f', $reader{$_}{file} ], settings => $reader{$_}{settings}) } sort keys %reader;
}
sub start_writers
{
	my ($duration, $clients, @scripts) = @_;
	return pgbench([ '-c', $clients, '-j', 2, '-T', $duration, map { ('-f', $_) } @scripts ]);
}

my %events = (
	1 => sub { kill 'KILL', $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query ~ 'INSERT|COMMIT' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1}) },
	2 => sub { $node->stop('immediate'); $node->start },
	3 => sub { $node->restart });
# By hand: a row that the control misses, and a conflict. A reader reads while the writer's transaction is open.
sub write_slowly
{
	my ($level, $reader) = @_;
	my $psql = qq{psql -Xq -d "@{[ $node->connstr('postgres') ]}" -c "INSERT INTO event VALUES (gen_ulid())"};
	my $pgbench = qq{pgbench -n -t 1 -f $reader{$reader}{file} "@{[ $node->connstr('postgres') ]}" 2>&1};
	return ($node->psql('postgres', qq{BEGIN ISOLATION LEVEL $level; SELECT id FROM position_serializable; INSERT INTO event VALUES (gen_ulid());
		\\! $psql
		\\! $pgbench
		INSERT INTO event VALUES (gen_ulid());
		COMMIT}))[2];
}
is(write_slowly('READ COMMITTED', 'control'), '', 'a row comes late');
like(write_slowly('SERIALIZABLE', 'serializable'), qr/could not serialize access/, 'a serializable reader and a writer conflict');

# Whether the readers that wait for others have read while others wrote
sub have_read
{
	return $node->safe_psql('postgres', 'SELECT least((SELECT count(DISTINCT xmin::text) FROM read_serializable), (SELECT count(DISTINCT xmin::text) FROM read_deferrable)) > 10') eq 't';
}
my $conflicts = 0;
for (my $round = 1; $round <= $rounds || ($round < 50 && !have_read()); $round++)
{
	my $event = $events{$round};
	my $duration = $event ? 3600 : $seconds / $rounds + 1;
	# With many writers, one of them always holds the bound back: the last round is about times without any.
	my @runs = (start_writers($duration, $round < $rounds ? ($writers, @write) : (2, $write_seldom)), start_readers($duration));
	if ($event)
	{
		$node->poll_query_until('postgres', "SELECT count(*) = $writers + @{[ 2 + keys %reader ]} FROM pg_stat_activity WHERE backend_type = 'client backend'") or die;
		sleep $seconds / $rounds;
		$event->();
		$_->{process}->finish foreach @runs;
		takes_connections($node);
	}
	else
	{
		$_->{process}->finish foreach @runs;
		is(join('', map { $_->{out} } @runs), '', "round $round: no error");
	}
	$conflicts += $_->{result} =~ /^number of serialization failures: (\d+)/m ? $1 : 0 foreach @runs;
	# What a crash has left prepared.
	my @left = split /\n/, $node->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts');
	note("round $round: " . @left . ' prepared transactions left over');
	if (@left)
	{
		like($node->safe_psql('postgres', 'SELECT ulid_settled()'), qr/^0*$/, "after round $round nothing is settled") if $event;
		$node->safe_psql('postgres', "COMMIT PREPARED '$_'") foreach @left;
	}
}

ok(have_read(), 'serializable and deferrable readers have read');
foreach my $name (sort keys %reader)
{
	my $table = $reader{$name}{table};
	my $left;    # is read at last
	do
	{
		pgbench([ '-c', 1, '-t', 20, '-f', $reader{$name}{file} ], settings => $reader{$name}{settings})->{process}->finish;
		$left = $node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE id > (SELECT id FROM position_$name)");
	} while ($left > 0);
	my ($rows, $missed, $twice) = split /[|]/, $node->safe_psql('postgres', qq{
		SELECT count(*), count(*) FILTER (WHERE times IS NULL), count(*) FILTER (WHERE times > 1)
		FROM $table LEFT JOIN (SELECT id, count(*) AS times FROM read_$name GROUP BY id) r USING (id)});
	note("$name: $rows rows, $missed missed, $twice twice");
	if ($name eq 'control') { cmp_ok($missed, '>', 0, 'without the bound rows are missed'); }
	else { is("$missed missed, $twice twice", '0 missed, 0 twice', "$name: each of $rows rows once"); }
}

note("$conflicts serialization failures");
note('lag of the bound: ' . $node->safe_psql('postgres', q{
	SELECT percentile_cont('{0.5,0.9,0.99}'::float8[]) WITHIN GROUP (ORDER BY 1000 * extract(epoch FROM lag)::float8) FROM lag WHERE lag < '1 hour'}) . ' ms');

$node->stop;
done_testing();
