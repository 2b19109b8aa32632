# There is no shared memory left, taken by another extension or by an ordinary user's locks: without preloading, an error says what to
# do; with preloading, there is room.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node;
sub start_server
{
	my ($name, $settings) = @_;
	$node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', $settings);
	$node->start;
}

# Another extension takes all.
my @left;
foreach my $preloaded (0, 1)
{
	# CREATE EXTENSION uses the state, so it comes last.
	start_server("preloaded_$preloaded", $preloaded ? "shared_preload_libraries = 'ids'\n" : '');
	push @left, $node->safe_psql('postgres', 'SELECT size FROM pg_shmem_allocations WHERE name IS NULL');
	my $neighbour = $node->background_psql('postgres');
	$neighbour->query_safe("CREATE FUNCTION take_shared_memory() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C");
	$neighbour->query_safe('SELECT take_shared_memory()');
	foreach my $try (1 .. 2)
	{
		my ($status, $out, $err) = $node->psql('postgres', 'CREATE EXTENSION IF NOT EXISTS ids; SELECT gen_ulid()');
		# From 17 on the state is in dynamic shared memory.
		if ($preloaded || $node->pg_version >= 17)
		{
			is($status, 0, "preloaded: $preloaded; there is room for the state") or diag($err);
			next;
		}
		like($err, qr/ERROR:  not enough shared memory for data structure "ids"/, 'without room there is an error');
		like($err, qr/HINT:  Add "ids" to shared_preload_libraries/, 'the error has a hint');
	}
	like($neighbour->query_safe('SELECT 1'), qr/^1$/, 'the server goes on without shared memory');
	$neighbour->quit;
	$node->restart;
	# All segments of dynamic shared memory are taken, as by queries with very many parallel workers.
	$neighbour = $node->background_psql('postgres');
	$neighbour->query_safe("CREATE FUNCTION take_segments() RETURNS void AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C");
	$neighbour->query_safe('SELECT take_segments()');
	like(($node->psql('postgres', 'CREATE EXTENSION IF NOT EXISTS ids; SELECT gen_ulid() < ulid_settled()'))[2],
		$preloaded ? qr/^(?!.*ERROR)/s
		: qr/ERROR:  too many dynamic shared memory segments/, "preloaded: $preloaded; no segment of dynamic shared memory is left");
	$neighbour->quit;
	$node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS ids');
	is($node->safe_psql('postgres', 'SELECT ulid_settled() < gen_ulid()'), 't', 'what is settled is known again');
	like($node->safe_psql('postgres', 'SELECT gen_ulid()'), qr/^\w{26}$/, 'after a restart there is room again');
	$node->stop;
}

cmp_ok($left[1] - $left[0], '>', -8192, 'preloading asks for all that it takes');

# An ordinary user's advisory locks take all shared memory that is left, and keep it after their end. On PostgreSQL 15 and 16 the
# first session that generates needs some of it, unless the library is preloaded. A server's memory for locks grows by 8064 bytes
# for new locks and by 4096 bytes for other holders of them, so their order decides how much is left.
sub take_memory
{
	my ($wanted) = @_;
	my ($holder, $other) = map { $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ordinary' ]) } 1, 2;
	my $observer = $node->background_psql('postgres');
	$holder->query_safe("DO \$\$ DECLARE free bigint; locks int := 0; more int; BEGIN
		LOOP
			SELECT size INTO free FROM pg_shmem_allocations WHERE name IS NULL;
			EXIT WHEN free < 800000 AND free % 4096 < $wanted;
			more := CASE WHEN free < 800000 THEN 8 ELSE 1000 END;
			PERFORM pg_advisory_lock_shared(n) FROM generate_series(locks + 1, locks + more) n;
			locks := locks + more;
		END LOOP;
	END \$\$");
	my $locks = $observer->query_safe(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'});
	$other->query("SELECT count(pg_advisory_lock_shared(n)) FROM generate_series(1, $locks) n");
	like($other->{stderr}, qr/out of shared memory/, "$locks locks, until there is no memory");
	cmp_ok($observer->query_safe('SELECT size FROM pg_shmem_allocations WHERE name IS NULL'), '<', $wanted, "less than $wanted bytes are left");
	$_->quit foreach $holder, $other, $observer;
	$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory')}) or die 'the locks have not ended';
}
SKIP:
{
	skip 'from 17 on, the memory is a segment of its own', 11 if $node->pg_version >= 17;
	start_server('locks', "max_connections = 20\nmax_locks_per_transaction = 1000\nshared_preload_libraries = 'ids'\n");
	$node->safe_psql('postgres', 'CREATE EXTENSION ids; CREATE ROLE ordinary LOGIN');
	my $first_id = 'SELECT gen_ulid() IS NULL';
	$node->safe_psql('postgres', 'GRANT pg_read_all_stats TO ordinary');    # to see how much memory is left
	my $size = $node->safe_psql('postgres', q{SELECT size FROM pg_shmem_allocations WHERE name = 'ids'});
	take_memory($size);
	is($node->safe_psql('postgres', $first_id), 'f', 'preloaded: the first id');
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
	$node->restart;
	take_memory($size);
	like(($node->psql('postgres', $first_id))[2], qr/not enough shared memory.*HINT:  Add "ids" to shared_preload_libraries/s,
		'not preloaded: no id, although the locks have ended');
	like($node->safe_psql('postgres', 'SELECT problem, object FROM ids_problems()'), qr/^generators fail\|database postgres: not enough shared memory[^\n]*\z/, 'a monitor is told');
	$node->restart;
	is($node->safe_psql('postgres', $first_id), 'f', 'after a restart: the first id');
	take_memory($size);
	is($node->safe_psql('postgres', $first_id), 'f', 'later the locks do not matter');
	$node->stop;
}

done_testing();
