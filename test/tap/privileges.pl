# What an ordinary user, the owner of a database and a superuser may do with the extension's objects. mark.pl tests the same for
# the mark, and node_id.pl for the setting.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE ordinary LOGIN; CREATE EXTENSION ids; CREATE DATABASE owned OWNER owner');

# The owner of a database who is no superuser.
is(ask($node, 'owner', 'CREATE EXTENSION ids', database => 'owned'), '', 'the owner of a database installs the extension');
is($node->safe_psql('owned', q{SELECT DISTINCT extowner::regrole FROM pg_extension WHERE extname = 'ids'}), 'owner', 'the extension belongs to the owner');
like(ask($node, 'owner', 'CREATE OR REPLACE FUNCTION pg_catalog.gen_ulid() RETURNS ulid LANGUAGE plpgsql AS $$BEGIN END$$', database => 'owned'), qr/^42501$/, 'the owner cannot replace its functions');

# Everybody can see the generators' clocks, and superusers can reset them.
is(ask($node, 'ordinary', 'SELECT gen_ulid() IS NULL; SELECT generator FROM ids_generators() WHERE generator = $$ulid$$'), "f\nulid", 'anybody reads ids_generators');
is(ask($node, 'owner', 'SELECT count(*) > 0 FROM ids_generators()', database => 'owned'), 't', 'the owner of a database reads ids_generators');
is(ask($node, 'owner', 'SELECT ids_reset_clock()', database => 'owned'), '42501', 'the owner of a database cannot reset the clock');
is(ask($node, 'owner', 'GRANT EXECUTE ON FUNCTION ids_reset_clock() TO owner; SELECT ids_reset_clock()', database => 'owned'), '42501', 'the owner of a database cannot grant the right to reset it');
is(ask($node, 'owner', 'SELECT ids_advance_clock(now())', database => 'owned'), '42501', 'the owner of a database cannot advance the clock');
is($node->safe_psql('postgres', 'SELECT ids_reset_clock(), ids_advance_clock(now())'), '|', 'a superuser can reset and advance the clock');

# The code of a table's owner never runs with more rights than the owner's, whoever changes the table's partitions. The owner lays
# three traps: a check of the table, a check of its key's domain, and a cast that a foreign key to the table needs.
$node->safe_psql('postgres', q{
	CREATE SCHEMA trap;
	CREATE ROLE hostile LOGIN;
	CREATE ROLE member LOGIN IN ROLE hostile;
	CREATE ROLE stranger LOGIN;
	ALTER ROLE stranger NOINHERIT;
	GRANT hostile TO stranger;
	GRANT ALL ON SCHEMA trap TO hostile;
	GRANT USAGE ON SCHEMA trap TO PUBLIC});
my $versioned = $node->pg_version >= 16;
$node->safe_psql('postgres', 'CREATE ROLE member_without_set LOGIN; GRANT hostile TO member_without_set WITH INHERIT TRUE, SET FALSE') if $versioned;
$node->safe_psql('postgres', q{
	SET ROLE hostile;
	SET search_path = trap;
	CREATE TABLE later (n int);
	CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE WARNING 'trap: late as %', current_user; RETURN NULL; END $$;
	CREATE CONSTRAINT TRIGGER late AFTER INSERT ON later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late();
	CREATE FUNCTION spring() RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE statement text;
	BEGIN
		RAISE WARNING 'trap: % with %', current_user, current_setting('search_path');
		PERFORM set_config('row_security', 'off', false);
		FOREACH statement IN ARRAY ARRAY['RESET ROLE', 'SET ROLE postgres', 'RESET SESSION AUTHORIZATION', 'ALTER ROLE hostile SUPERUSER',
			'INSERT INTO trap.later VALUES (1)', 'CREATE TEMP TABLE log (n int)', 'PREPARE p AS SELECT 1', 'DECLARE c CURSOR WITH HOLD FOR SELECT 1'] LOOP
			BEGIN
				EXECUTE statement;
				RAISE WARNING 'trap: it did %', statement;
			EXCEPTION WHEN OTHERS THEN
			END;
		END LOOP;
		RETURN true;
	END $$;
	CREATE FUNCTION ok(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN trap.spring(); END';
	CREATE FUNCTION ok(ulid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN trap.spring(); END';
	CREATE TYPE key AS ENUM ('a');
	CREATE FUNCTION cast_key(key) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring(); RETURN ulid_first($$2030-01-01 00:00:00+00$$); END';
	CREATE CAST (key AS ulid) WITH FUNCTION cast_key(key) AS IMPLICIT;
});
my %lay = (
	'a check' => 'CREATE TABLE trap.log (id ulid PRIMARY KEY, n int, CONSTRAINT trap CHECK (trap.ok(1))) PARTITION BY RANGE (id)',
	'a domain' => 'CREATE DOMAIN trap.id AS ulid CHECK (trap.ok(VALUE)); CREATE TABLE trap.log (id trap.id PRIMARY KEY, n int) PARTITION BY RANGE (id)',
	'a foreign key' => q{CREATE TABLE trap.log (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id);
		CREATE TABLE trap.log_rest PARTITION OF trap.log FOR VALUES FROM (ulid_first('2029-01-01')) TO (ulid_first('2031-01-01'));
		INSERT INTO trap.log VALUES (ulid_first('2030-01-01 00:00:00+00'));
		CREATE TABLE trap.note (log trap.key REFERENCES trap.log);
		INSERT INTO trap.note VALUES ('a')});
my %springs = ('a check' => qr/creates/, 'a domain' => qr/creates/, 'a foreign key' => qr/drops|detaches/);
my %call = (
	creates => q{CALL ids_create_partitions('trap.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00')},
	detaches => q{CALL ids_drop_partitions('trap.log', '2026-01-02 00:00:00+00', detach => true)},
	drops => q{CALL ids_drop_partitions('trap.log', '2026-01-03 00:00:00+00')});
foreach my $trap (sort keys %lay)
{
	foreach my $role ('postgres', 'member', $versioned ? 'member_without_set' : ())
	{
		$node->safe_psql('postgres', "SET ROLE hostile; SET client_min_messages = error; $lay{$trap}");
		foreach my $action ('creates', 'detaches', 'drops')
		{
			my ($code, $session, $error) = $node->psql('postgres', "$call{$action}; SELECT current_user, current_setting('search_path'), current_setting('row_security')", $role eq 'postgres' ? () : (extra_params => [ '-U', $role ]));
			is($code, 0, "$trap: $role $action") or diag($error);
			is($session, qq{$role|"\$user", public|on}, 'the session is as before');
			my %seen = map { $_ => 1 } $error =~ /trap: (.*)/g;
			my $expected = $action =~ $springs{$trap} ? 'hostile with pg_catalog, pg_temp' : '';
			is(join(', ', sort keys %seen), $expected, "$trap: code runs with the owner's rights when $role $action");
			$node->psql('postgres', q{INSERT INTO trap.log VALUES (ulid_first('2026-01-01 00:00:00+00')), (ulid_first('2026-01-02 00:00:00+00'))}, extra_params => [ '-U', 'hostile' ]) if $action eq 'creates';
		}
		is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'trap.log'::regclass AND inhrelid <> coalesce(to_regclass('trap.log_rest'), 0)}), '0', "$trap: $role created, detached and dropped");
		is($node->safe_psql('postgres', q{SELECT DISTINCT relowner::regrole FROM pg_class WHERE relnamespace = 'trap'::regnamespace AND relkind IN ('r', 'p')}), 'hostile', "$trap: all tables belong to the owner");
		$node->safe_psql('postgres', q{SET client_min_messages = error; SELECT format('DROP TABLE IF EXISTS %s CASCADE', string_agg(oid::regclass::text, ', ')) FROM pg_class WHERE relnamespace = 'trap'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition \gexec
			DROP DOMAIN IF EXISTS trap.id});
	}
}
is($node->safe_psql('postgres', q{SELECT rolname FROM pg_roles WHERE rolsuper AND rolname = 'hostile'}), '', 'the owner of the traps has gained nothing');

# The rights that the owner needs, because the statements run as the owner.
sub error_of
{
	my ($role, $sql) = @_;
	$node->psql('postgres', $sql, stderr => \my $error, $role eq 'postgres' ? () : (extra_params => [ '-U', $role ]));
	return $error;
}
$node->safe_psql('postgres', q{SET ROLE hostile; CREATE TABLE trap.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)});
like(error_of('stranger', $call{creates}), qr/ERROR:  must be owner of table log/, 'a role that does not inherit the rights of the owner is refused');
like(error_of('ordinary', $call{creates}), qr/ERROR:  must be owner of table log/, 'a role without these rights is refused');
$node->safe_psql('postgres', 'REVOKE CREATE ON SCHEMA trap FROM hostile');
like(error_of('postgres', $call{creates}), qr/ERROR:  permission denied for schema trap\n(?s:.*)HINT:  .*role "hostile"/, 'an owner who may not create tables');
$node->safe_psql('postgres', "GRANT CREATE ON SCHEMA trap TO hostile; $call{creates}; ALTER TABLE trap.log_20260101 OWNER TO ordinary");
like(error_of('postgres', $call{drops}), qr/ERROR:  must be owner of table log_20260101\n(?s:.*)HINT:  .*role "hostile"/, 'a partition of a third role');
like(error_of('ordinary', $call{drops}), qr/ERROR:  must be owner of table log$/, 'that third role has no rights on the parent');
$node->safe_psql('postgres', 'DROP TABLE trap.log');
like(error_of('postgres', "SET ROLE hostile; CREATE TEMP TABLE log (id ulid) PARTITION BY RANGE (id); RESET ROLE; " . $call{creates} =~ s/trap\.log/log/r),
	qr/ERROR:  cannot create temporary table within security-restricted operation\n(?s:.*)HINT:  .*role "hostile"/, 'a temporary table of another user');
my $session = $node->background_psql('postgres', extra_params => [ '-U', 'hostile' ]);
$session->query_safe('CREATE TEMP TABLE log (id ulid) PARTITION BY RANGE (id); ' . $call{creates} =~ s/trap\.log/log/r);
my $log = $session->query_safe(q{SELECT 'log'::regclass::oid});
like(error_of('postgres', $call{drops} =~ s/'trap\.log'/$log/r),
	qr/HINT:  Only role "hostile", its owner, can change the partitions of a temporary table, in the session that created it\./, 'a temporary table of another session');
$session->quit;

# A member of pg_write_all_data can write the mark, but cannot call the functions that set the clock.
$node->safe_psql('postgres', 'CREATE ROLE writer LOGIN IN ROLE pg_write_all_data');
is(ask($node, 'writer', $_), '42501', "pg_write_all_data: $_") foreach 'SELECT ids_reset_clock()', 'SELECT ids_advance_clock(now())', 'SELECT ids_complete_upgrade()';
is(ask($node, 'ordinary', q{SELECT setval('ids_internal.mark', 1)}), '42501', 'an ordinary role cannot write the mark');
is(ask($node, 'writer', q{SELECT setval('ids_internal.mark', 1)}), '1', 'a member of pg_write_all_data can');
is(ask($node, 'ordinary', 'SELECT gen_ulid()'), '55000', 'the generators notice a wrong mark');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
is(ask($node, 'ordinary', 'SELECT gen_ulid() IS NULL'), 'f', 'a superuser repairs the mark');

is(ask($node, 'owner', 'DROP EXTENSION ids', database => 'owned'), '', 'the owner drops the extension');

$node->stop;

# An ordinary user's advisory locks take all shared memory that is left, and keep it after their end. On PostgreSQL 15 and 16 the
# first session that generates needs some of it, unless the library is preloaded. A server's memory for locks grows by 8064 bytes
# for new locks and by 4096 bytes for other holders of them, so their order decides how much is left.
sub take_memory
{
	my ($server, $wanted) = @_;
	my ($holder, $other) = map { $server->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ordinary' ]) } 1, 2;
	my $observer = $server->background_psql('postgres');
	my ($locks, $left) = 0;
	while (1)
	{
		$left = $observer->query_safe('SELECT size FROM pg_shmem_allocations WHERE name IS NULL');
		last if $left < 800_000 && $left % 4096 < $wanted;
		my $more = $left < 800_000 ? 8 : 1000;
		$holder->query_safe("SELECT count(pg_advisory_lock_shared(n)) FROM generate_series($locks + 1, $locks + $more) n");
		$locks += $more;
	}
	$other->query("SELECT count(pg_advisory_lock_shared(n)) FROM generate_series(1, $locks) n");
	like($other->{stderr}, qr/out of shared memory/, "$locks locks, until there is no memory");
	cmp_ok($observer->query_safe('SELECT size FROM pg_shmem_allocations WHERE name IS NULL'), '<', $wanted, "less than $wanted bytes are left");
	$_->quit foreach $holder, $other, $observer;
	$server->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory')}) or die 'the locks have not ended';
}
SKIP:
{
	skip 'from 17 on, the memory is a segment of its own', 10 if $node->pg_version >= 17;
	my $server = PostgreSQL::Test::Cluster->new('locks');
	$server->init;
	$server->append_conf('postgresql.conf', "max_connections = 20\nmax_locks_per_transaction = 1000\nshared_preload_libraries = 'ids'\n");
	$server->start;
	$server->safe_psql('postgres', 'CREATE ROLE ordinary LOGIN');
	my $size = $server->safe_psql('postgres', q{SELECT size FROM pg_shmem_allocations WHERE name = 'ids'});
	my $first_id = 'CREATE EXTENSION IF NOT EXISTS ids; SELECT gen_ulid() IS NULL';
	take_memory($server, $size);
	is($server->safe_psql('postgres', $first_id), 'f', 'preloaded: the first id');
	$server->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
	$server->restart;
	take_memory($server, $size);
	like(($server->psql('postgres', $first_id))[2], qr/not enough shared memory.*HINT:  Add "ids" to shared_preload_libraries/s,
		'not preloaded: no id, although the locks have ended');
	$server->restart;
	is($server->safe_psql('postgres', $first_id), 'f', 'after a restart: the first id');
	take_memory($server, $size);
	is($server->safe_psql('postgres', $first_id), 'f', 'later the locks do not matter');
	$server->stop;
}

done_testing();
