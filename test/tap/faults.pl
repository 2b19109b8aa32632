# Killed processes, many first uses at once, and a lack of randomness. The server goes on, and identifiers stay unique and in order.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Recovery;
use Test::More;
use Time::HiRes qw(sleep);

my $late = $PostgreSQL::Test::Utils::timeout_default;

# A server, with additional settings and environment variables.
sub start_server
{
	my ($name, $settings, %environment) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', "restart_after_crash = on\nlog_statement = none\n$settings");
	local %ENV = (%ENV, %environment);
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ids');
	return $node;
}

# Clients that insert until they lose their connections.
sub start_clients
{
	my ($node, $round) = @_;
	my $script = $node->basedir . '/insert.sql';
	append_to_file($script, "INSERT INTO item (round) SELECT :round FROM generate_series(1, 10);\n") unless -e $script;
	my $clients = IPC::Run::start(
		[ 'pgbench', '-n', '-c', 4, '-T', $late, '-D', "round=$round", '-f', $script, $node->connstr('postgres') ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($late));
	$node->poll_query_until('postgres', "SELECT count(*) > 100 FROM item WHERE round = $round");
	return $clients;
}

# Kills the postmaster and waits until no process of the server is left, so that it can be started.
sub kill_postmaster
{
	my ($node) = @_;
	my $postmaster = $node->{_pid};
	my $data = $node->data_dir;
	$node->kill9;
	foreach my $try (1 .. 10 * $late)
	{
		last unless kill(0, $postmaster) || grep { (readlink("$_/cwd") // '') eq $data } glob '/proc/[0-9]*';
		sleep 0.1;
	}
}

my $order = join ', ', map { my $key = key_of($_, $_); "coalesce(min($key) > lag(max($key)) OVER (ORDER BY round), true)" } @types;
my $columns = join ', ', map { "$_ $_ UNIQUE DEFAULT gen_$_()" } @types;

# The same whether or not the library is preloaded.
foreach my $preloaded (0, 1)
{
	my $node = start_server("crash_$preloaded", $preloaded ? "shared_preload_libraries = 'ids'\n" : '');
	$node->safe_psql('postgres', "CREATE TABLE item (round int, $columns)");

	my @ends = (
		[ 'a generating backend killed' => sub {
			my $backend = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query LIKE 'INSERT%' LIMIT 1});
			kill 'KILL', $backend;
		} ],
		[ 'the postmaster killed' => sub { kill_postmaster($node) } ],
		[ 'an immediate shutdown' => sub { $node->stop('immediate') } ],
		[ 'a restart' => sub { $node->stop('fast') } ]);
	my $round = 0;
	foreach my $end (@ends)
	{
		my ($what, $do) = @$end;
		my $clients = start_clients($node, ++$round);
		$do->();
		$clients->finish;
		$node->start unless $node->{_pid};
		ok(takes_connections($node), "preloaded: $preloaded; after $what the server works");
	}
	$node->safe_psql('postgres', 'INSERT INTO item SELECT ' . ++$round . ' FROM generate_series(1, 1000)');
	my $orders = $node->safe_psql('postgres', "SELECT $order FROM item GROUP BY round ORDER BY round");
	is($orders, join("\n", (join '|', ('t') x @types) x $round), "preloaded: $preloaded; identifiers of each round are greater than all earlier ones");
	unlike(slurp_file($node->logfile), qr/duplicate key/, "preloaded: $preloaded; no duplicate");
	$node->stop;
}

# 50 sessions that use the extension first at the same instant share one state.
foreach my $preloaded (0, 1)
{
	my $node = start_server("first_$preloaded", $preloaded ? "shared_preload_libraries = 'ids'\n" : '');
	my $sessions = 50;
	$node->safe_psql('postgres', 'CREATE TABLE first (n serial, ' . join(', ', map { "$_ $_" } @types) . ')');
	my $starter = $node->background_psql('postgres');
	$starter->query_safe('SELECT pg_advisory_lock(1)');
	# Each type is the first of some sessions.
	my @scripts;
	foreach my $first (0 .. $#types)
	{
		my @order = map { $types[ ($first + $_) % @types ] } 0 .. $#types;
		push @scripts, '-f', $node->basedir . "/first_$first.sql";
		append_to_file($scripts[-1], "SELECT pg_advisory_lock_shared(1);\n"
			. 'INSERT INTO first (' . join(', ', @order) . ') SELECT ' . join(', ', map { "gen_$_()" } @order) . " FROM generate_series(1, 1000);\n");
	}
	my $clients = IPC::Run::start([ 'pgbench', '-n', '-c', $sessions, '-t', 1, @scripts, $node->connstr('postgres') ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($late));
	$node->poll_query_until('postgres', "SELECT count(*) = $sessions FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
	$starter->query_safe('SELECT pg_advisory_unlock(1)');
	ok($clients->finish, "preloaded: $preloaded; $sessions sessions begin at once");
	$starter->quit;
	my $rows = $sessions * 1000;
	is($node->safe_psql('postgres', 'SELECT ' . join(', ', map { "count(DISTINCT $_)" } @types) . ' FROM first'),
		join('|', ($rows) x @types), 'no session gets an identifier of another');
	is($node->safe_psql('postgres', 'SELECT count(DISTINCT snowflake_parts(snowflake)::text) FROM first'), $rows, 'all sessions share one state');
	is($node->safe_psql('postgres', 'SELECT string_agg(generator, $$ $$ ORDER BY generator) FROM ids_generators()'),
		join(' ', sort @types), 'the state has each generator once');
	$node->stop;
}

# Hooks of a library that was preloaded before
{
	my $node = start_server('hooks', "shared_preload_libraries = '$ENV{IDS_FAULTS}/bad_neighbour, ids'\n");
	like(slurp_file($node->logfile), qr/the neighbour requests memory(?s:.*)the neighbour starts/, "another library's hooks are called");
	$node->stop;
}

# A backend fails, or is killed, before it has attached to the shared state.
SKIP:
{
	my $no_randomness = PostgreSQL::Test::Utils::tempdir . '/no_randomness';
	my %environment = (LD_PRELOAD => "$ENV{IDS_FAULTS}/no_randomness.so", NO_RANDOMNESS => $no_randomness);
	my $node = start_server('randomness', '', %environment);
	skip 'the server is built without OpenSSL, whose RAND_bytes() fails here', 1 unless $node->safe_psql('postgres', 'SHOW ssl_library');
	$node->safe_psql('postgres', q{CREATE FUNCTION attempt() RETURNS text LANGUAGE plpgsql AS $$
		BEGIN RETURN gen_ulid(); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$});
	append_to_file($no_randomness, '');
	my $session = $node->background_psql('postgres');
	like($session->query_safe('SELECT attempt()'), qr/^XX000 could not generate random values$/, 'a backend fails before it has the state');
	unlink $no_randomness;
	# The first increment of back-filling is drawn when the state is initialized; otherwise it would be zero, which its 22 bits are by
	# chance in one of four million runs.
	like($session->query_safe('SELECT gen_tbsl()'), qr/^\w{20}$/, 'the backend succeeds when there is randomness again');
	isnt($session->query_safe(q{SELECT (random, increment) FROM snowflake_parts(gen_snowflake('2020-01-01Z'))}), '(0,0)', 'the state is initialized');
	# The next failure comes when the session has used up the bytes that it has drawn.
	append_to_file($no_randomness, '');
	like($session->query_safe(q{SELECT DISTINCT told FROM (SELECT attempt() AS told FROM generate_series(1, 5000) OFFSET 0) a WHERE told ~ ' '}), qr/^XX000 could not generate random values$/, 'a backend fails later');
	unlink $no_randomness;
	is($session->query_safe('SELECT count(DISTINCT substring(gen_ulid()::bytea FROM 9)) FROM generate_series(1, 1000)'), 1000, 'and then draws again');
	$session->quit;

	# Several backends wait for randomness, and one of them is killed.
	$node->stop;
	{
		local %ENV = (%ENV, %environment);
		$node->start;
	}
	append_to_file($no_randomness, 'wait');
	my $script = $node->basedir . '/wait.sql';
	append_to_file($script, "SELECT gen_ulid();\n");
	my $clients = IPC::Run::start([ 'pgbench', '-n', '-c', 3, '-t', 1, '-f', $script, $node->connstr('postgres') ],
		'>', \my $ignored, '2>', \my $err, IPC::Run::timeout($late));
	my $waiting = q{FROM pg_stat_activity WHERE query LIKE 'SELECT gen_ulid%' AND state = 'active'};
	$node->poll_query_until('postgres', "SELECT count(*) = 3 $waiting");
	kill 'KILL', $node->safe_psql('postgres', "SELECT pid $waiting LIMIT 1");
	$clients->finish;
	ok($node->poll_query_until('postgres', 'SELECT true'), 'the server recovers after one of the waiting backends is killed');
	unlink $no_randomness;
	like($node->safe_psql('postgres', 'SELECT gen_ulid()'), qr/^\w{26}$/, 'the next session works');
	isnt($node->safe_psql('postgres', q{SELECT (random, increment) FROM snowflake_parts(gen_snowflake('2020-01-01Z'))}), '(0,0)', 'the state is initialized');
	$node->stop;
}

done_testing();
