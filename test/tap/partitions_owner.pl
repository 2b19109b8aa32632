# The code of a table's owner never runs with more rights than the owner's, whoever changes the table's partitions; and the rights that
# the owner needs, because the statements run as the owner.
use strict;
use warnings;
use Databases;
use Test::More;

begin('owned_tables');

# The owner lays three traps: a check of the table, a check of its key's domain, and a cast that a foreign key to the table needs.
sql(q{
	CREATE SCHEMA trap;
	CREATE ROLE member LOGIN IN ROLE hostile;
	CREATE ROLE stranger LOGIN;
	ALTER ROLE stranger NOINHERIT;
	GRANT hostile TO stranger;
	GRANT ALL ON SCHEMA trap TO hostile;
	GRANT USAGE ON SCHEMA trap TO PUBLIC});
my @callers = ('postgres', 'hostile, set by postgres', 'member', $node->pg_version >= 16 ? 'member_without_set' : ());
sql('CREATE ROLE member_without_set LOGIN; GRANT hostile TO member_without_set WITH INHERIT TRUE, SET FALSE') if @callers > 3;
sql(q{
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
my $insert = q{INSERT INTO trap.log VALUES (ulid_first('2026-01-01 00:00:00+00')), (ulid_first('2026-01-02 00:00:00+00'));};
my $session = q{SELECT current_user, current_setting('search_path'), current_setting('row_security');};
foreach my $trap (sort keys %lay)
{
	foreach my $role (@callers)
	{
		my $user = $role =~ s/,.*//r;
		my $connect = $role eq $user ? "\\c - $role" : "\\c - postgres\nSET ROLE $user;";
		sql("SET ROLE hostile; SET client_min_messages = error; $lay{$trap}");
		my ($inserts, %does);
		(@does{ 'creates', 'detaches', 'drops' }, $inserts) = (run_all("$connect\n$call{creates}; $session", "\\c - hostile\n$insert",
			map { "$connect\n$call{$_}; $session" } 'detaches', 'drops'))[ 0, 2, 3, 1 ];
		foreach my $action (sort keys %does)
		{
			my ($answer, $messages) = @{ $does{$action} };
			unlike($messages, qr/ERROR/, "$trap: $role $action");
			is($answer, qq{$user|"\$user", public|on}, 'the session is as before');
			my %seen = map { $_ => 1 } $messages =~ /trap: (.*)/g;
			is(join(', ', sort keys %seen), $action =~ $springs{$trap} ? 'hostile with pg_catalog, pg_temp' : '', "$trap: code runs with the owner's rights when $role $action");
		}
		is(sql(q{
			SELECT count(*) FROM pg_inherits WHERE inhparent = 'trap.log'::regclass AND inhrelid <> coalesce(to_regclass('trap.log_rest'), 0);
			SELECT DISTINCT relowner::regrole FROM pg_class WHERE relnamespace = 'trap'::regnamespace AND relkind IN ('r', 'p');
			SET client_min_messages = error;
			SELECT format('DROP TABLE IF EXISTS %s CASCADE', string_agg(oid::regclass::text, ', ')) FROM pg_class WHERE relnamespace = 'trap'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition \gexec
			DROP DOMAIN IF EXISTS trap.id}), "0\nhostile", "$trap: $role created, detached and dropped, and all tables belong to the owner");
	}
}
is(sql(q{SELECT rolname FROM pg_roles WHERE rolsuper AND rolname = 'hostile'}), '', 'the owner of the traps has gained nothing');

# The rights that the owner needs, because the statements run as the owner.
sql(q{SET ROLE hostile; CREATE TABLE trap.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)});
like(error_of('stranger', $call{creates}), qr/ERROR:  must be owner of table log/, 'a role that does not inherit the rights of the owner is refused');
like(error_of('ordinary', $call{creates}), qr/ERROR:  must be owner of table log/, 'a role without these rights is refused');
sql('REVOKE CREATE ON SCHEMA trap FROM hostile');
like(error_of('postgres', $call{creates}), qr/ERROR:  permission denied for schema trap\n(?s:.*)HINT:  .*role "hostile"/, 'an owner who may not create tables');
sql("GRANT CREATE ON SCHEMA trap TO hostile; $call{creates}; ALTER TABLE trap.log_20260101 OWNER TO ordinary");
like(error_of('postgres', $call{drops}), qr/ERROR:  must be owner of table log_20260101\n(?s:.*)HINT:  .*role "hostile"/, 'a partition of a third role');
like(error_of('ordinary', $call{drops}), qr/ERROR:  must be owner of table log$/, 'that third role has no rights on the parent');
sql('DROP TABLE trap.log');
like(error_of('postgres', "SET ROLE hostile; CREATE TEMP TABLE log (id ulid) PARTITION BY RANGE (id); RESET ROLE; " . $call{creates} =~ s/trap\.log/log/r),
	qr/ERROR:  cannot create temporary table within security-restricted operation\n(?s:.*)HINT:  .*role "hostile"/, 'a temporary table of another user');

# Somebody else has taken the names: the partitions get others. The owner's own table may be a partition that was detached.
sql(q{
	GRANT CREATE ON SCHEMA trap TO ordinary;
	SET ROLE hostile;
	CREATE TABLE trap.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
	SET ROLE ordinary;
	CREATE VIEW trap.log_20260101 AS SELECT 1 AS n;
	CREATE SEQUENCE trap.log_20260101_1;
	CREATE DOMAIN trap.log_20260102 AS int});
foreach ('postgres', 'hostile')
{
	my $told = error_of($_, "BEGIN; $call{creates}; $call{creates}; ROLLBACK");
	is($told =~ s/^psql\S+ //mgr, join("\n", map { qq{WARNING:  name "log_2026010$_" of a new partition is taken by somebody else} } 1, 2), "$_: the names are taken by others");
}
sql("SET client_min_messages = error; $call{creates}");
my ($first, $second) = split /\n/, sql(q{SELECT partition FROM ids_partitions('trap.log')});
like($first, qr/^trap\.log_20260101_\d\d+$/, 'they have other names');
like($second, qr/^trap\.log_20260102_\d\d+$/, 'they have other names');
sql("ALTER TABLE trap.log DETACH PARTITION $first; ALTER VIEW trap.log_20260101 RENAME TO other; ALTER TABLE $first RENAME TO log_20260101");
like(error_of($_, $call{creates}), qr/ERROR:  relation "log_20260101" already exists\n(?s:.*)HINT:  .*if it was detached, attach it/, "$_: the name is taken by the owner") foreach 'postgres', 'hostile';
sql('DROP TABLE trap.log, trap.log_20260101');
{
	my $session = $node->background_psql($database, extra_params => [ '-U', 'hostile' ]);
	$session->query_safe('CREATE TEMP TABLE log (id ulid) PARTITION BY RANGE (id); ' . $call{creates} =~ s/trap\.log/log/r);
	my $log = $session->query_safe(q{SELECT 'log'::regclass::oid});
	like(error_of('postgres', $call{drops} =~ s/'trap\.log'/$log/r),
		qr/HINT:  Partitions of a temporary table can only be changed in the session that created it, connected as its owner, role "hostile"\./, 'a temporary table of another session');
	$session->quit;
}

$node->stop;
done_testing();
