# Nobody gains rights, sees hidden rows or changes another's tables: privileges, event triggers, policies, hostile code and names.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles ();
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "log_statement = none\nautovacuum_naptime = 1\nmax_parallel_maintenance_workers = 0\n");
$node->start;
$node->safe_psql('postgres', join ';', map { "CREATE ROLE $_ LOGIN" } qw(owner ordinary hostile someone));
$node->safe_psql('template1', 'CREATE EXTENSION ids');

# Each section has a database of its own.
my $database;
sub begin
{
	($database, my $options) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database " . ($options // ''));
}
sub sql { return $node->safe_psql($database, @_) }
sub ask { return Roles::ask($node, @_, database => $database) }
sub error_of
{
	my ($role, $sql) = @_;
	return ($node->psql($database, $sql, extra_params => [ '-U', $role ]))[2];
}

# Runs scripts in one psql, in which an error does not end them. Returns the output and the messages of each.
sub run_all
{
	my @told = $node->psql($database, join('', map { "\\echo next\n\\warn next\n$_\n" } @_), on_error_stop => 0);
	my ($answers, $messages) = map { [ split /^next(?:\n|\z)/m, $_, -1 ] } @told[ 1, 2 ];
	return map { [ $answers->[$_] =~ s/\n\z//r, $messages->[$_] ] } 1 .. @_;
}

# The privileges of everybody, of the owner of a database, and of a superuser. mark.pl tests them for the mark, and node_id.pl for
# the setting.
begin('owned', 'OWNER owner TEMPLATE template0');
is(ask('owner', 'CREATE EXTENSION ids'), '', 'the owner of a database installs the extension');
is(sql(q{SELECT DISTINCT extowner::regrole FROM pg_extension WHERE extname = 'ids'}), 'owner', 'the extension belongs to the owner');
is(ask('owner', 'CREATE OR REPLACE FUNCTION pg_catalog.gen_ulid() RETURNS ulid LANGUAGE plpgsql AS $$BEGIN END$$'), '42501', 'the owner cannot replace its functions');
is(ask('owner', 'SELECT count(*) > 0 FROM ids_generators()'), 't', 'the owner of a database reads ids_generators');
is(ask('owner', 'SELECT ids_reset_clock()'), '42501', 'the owner of a database cannot reset the clock');
is(ask('owner', 'GRANT EXECUTE ON FUNCTION ids_reset_clock() TO owner; SELECT ids_reset_clock()'), '42501', 'the owner of a database cannot grant the right to reset it');
is(ask('owner', 'SELECT ids_advance_clock(now())'), '42501', 'the owner of a database cannot advance the clock');
is(ask('owner', 'DROP EXTENSION ids'), '', 'the owner drops the extension');

begin('rights');
is(ask('ordinary', 'SELECT gen_ulid() IS NULL; SELECT generator FROM ids_generators() WHERE generator = $$ulid$$'), "f\nulid", 'anybody reads ids_generators');
is(sql('SELECT ids_reset_clock(), ids_advance_clock(now())'), '|', 'a superuser can reset and advance the clock');

# A member of pg_write_all_data can write the mark, but cannot call the functions that set the clock.
sql('CREATE ROLE writer LOGIN IN ROLE pg_write_all_data');
is(ask('writer', $_), '42501', "pg_write_all_data: $_") foreach 'SELECT ids_reset_clock()', 'SELECT ids_advance_clock(now())', 'SELECT ids_complete_upgrade()';
is(ask('ordinary', q{SELECT setval('ids_internal.mark', 1)}), '42501', 'an ordinary role cannot write the mark');
is(ask('writer', q{SELECT setval('ids_internal.mark', 1)}), '1', 'a member of pg_write_all_data can');
is(ask('ordinary', 'SELECT gen_ulid()'), '55000', 'the generators notice a wrong mark');
sql('SELECT ids_reset_clock()');
is(ask('ordinary', 'SELECT gen_ulid() IS NULL'), 'f', 'a superuser repairs the mark');

# The code of a table's owner never runs with more rights than the owner's, whoever changes the table's partitions. The owner lays
# three traps: a check of the table, a check of its key's domain, and a cast that a foreign key to the table needs.
sql(q{
	CREATE SCHEMA trap;
	CREATE ROLE member LOGIN IN ROLE hostile;
	CREATE ROLE stranger LOGIN;
	ALTER ROLE stranger NOINHERIT;
	GRANT hostile TO stranger;
	GRANT ALL ON SCHEMA trap TO hostile;
	GRANT USAGE ON SCHEMA trap TO PUBLIC});
my @callers = ('postgres', 'member', $node->pg_version >= 16 ? 'member_without_set' : ());
sql('CREATE ROLE member_without_set LOGIN; GRANT hostile TO member_without_set WITH INHERIT TRUE, SET FALSE') if @callers > 2;
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
		sql("SET ROLE hostile; SET client_min_messages = error; $lay{$trap}");
		my ($inserts, %does);
		(@does{ 'creates', 'detaches', 'drops' }, $inserts) = (run_all("\\c - $role\n$call{creates}; $session", "\\c - hostile\n$insert",
			map { "\\c - $role\n$call{$_}; $session" } 'detaches', 'drops'))[ 0, 2, 3, 1 ];
		foreach my $action (sort keys %does)
		{
			my ($answer, $messages) = @{ $does{$action} };
			unlike($messages, qr/ERROR/, "$trap: $role $action");
			is($answer, qq{$role|"\$user", public|on}, 'the session is as before');
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
{
	my $session = $node->background_psql($database, extra_params => [ '-U', 'hostile' ]);
	$session->query_safe('CREATE TEMP TABLE log (id ulid) PARTITION BY RANGE (id); ' . $call{creates} =~ s/trap\.log/log/r);
	my $log = $session->query_safe(q{SELECT 'log'::regclass::oid});
	like(error_of('postgres', $call{drops} =~ s/'trap\.log'/$log/r),
		qr/HINT:  Only role "hostile", its owner, can change the partitions of a temporary table, in the session that created it\./, 'a temporary table of another session');
	$session->quit;
}

# Event triggers while partitions are created, detached and dropped: the role that their functions run as, and functions that raise
# an error or change the tables, after which no other table is changed.
begin('events');
sql(q{
	CREATE SCHEMA app AUTHORIZATION hostile;
	CREATE FUNCTION public.note() RETURNS event_trigger LANGUAGE plpgsql AS $$
	BEGIN
		RAISE WARNING 'seen: % as % with %', tg_event, current_user, current_setting('search_path');
	END $$;
	ALTER FUNCTION public.note() OWNER TO someone;
	CREATE TABLE public.audited (tag text, object text);
	CREATE FUNCTION public.audit() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	BEGIN
		INSERT INTO public.audited SELECT command_tag, object_identity FROM pg_event_trigger_ddl_commands();
	END $$});
my $make = q{\c - hostile
	SET client_min_messages = error;
	DROP TABLE IF EXISTS app.log, app.other, app.log_20260101, app.log_20260102;
	CREATE TABLE app.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
};
%call = (
	create => q{CALL ids_create_partitions('app.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00')},
	detach => q{CALL ids_drop_partitions('app.log', '2026-01-03 00:00:00+00', detach => true)},
	drop => q{CALL ids_drop_partitions('app.log', '2026-01-03 00:00:00+00')});

# The function of an event trigger belongs to somebody else, but it runs as the owner of the table.
my @events = qw(ddl_command_start ddl_command_end sql_drop table_rewrite);
sql(join ' ', map { "CREATE EVENT TRIGGER note_$_ ON $_ EXECUTE FUNCTION public.note();" } @events);
foreach ([ postgres => 'pg_catalog, pg_temp' ], [ hostile => '"$user", public' ])
{
	my ($role, $path) = @$_;
	my @seen = map { my %seen = map { $_ => 1 } $_->[1] =~ /seen: (.*)/g; join ', ', sort keys %seen } run_all("$make\\c - $role", "$call{create};",
		"$call{detach};", "\\c - hostile\nDROP TABLE app.log_20260101, app.log_20260102;\n\\c - $role\n$call{create};", "$call{drop};");
	foreach ([ create => 1, 2 ], [ detach => 2, 2 ], [ drop => 4, 3 ])
	{
		my ($call, $place, $kinds) = @$_;
		is($seen[$place], join(', ', map { "$_ as hostile with $path" } sort @events[ 0 .. $kinds - 1 ]), "$role: $call");
	}
}
sql(join ' ', map { "DROP EVENT TRIGGER note_$_;" } @events);

# A superuser's SECURITY DEFINER function, which writes to a table where the owner of the partitions may not.
run_all($make);
sql("CREATE EVENT TRIGGER audit ON ddl_command_end EXECUTE FUNCTION public.audit(); $call{create}; DROP EVENT TRIGGER audit");
is(sql('SELECT * FROM public.audited'), "CREATE TABLE|app.log_20260101\nALTER TABLE|app.log\nCREATE TABLE|app.log_20260102\nALTER TABLE|app.log", 'a SECURITY DEFINER function audits all statements');

# A function that acts in the first statement of a kind. Either the call fails, and nothing is changed, or it goes on with the table
# that it was given and its partitions. Tables that are not partitions are in brackets.
my $tables = q{SELECT string_agg(CASE WHEN relispartition THEN relname ELSE format('(%s)', relname) END, ' ' ORDER BY relname)
	FROM pg_class WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'p')};
my $replace = 'RENAME TO other; CREATE TABLE app.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)';
my $changed = qr/table "app.log" or a partition of it was changed during the call/;
my $attach = 'ALTER TABLE app.log DETACH PARTITION app.log_20260102; ALTER TABLE app.log ATTACH PARTITION app.log_20260102';
my $later = q{FOR VALUES FROM (ulid_first('2027-01-01')) TO (ulid_first('2027-01-02'))};
foreach (
	[ create => 'ddl_command_start', 'CREATE TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ create => 'ddl_command_end', 'ALTER TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ create => 'ddl_command_start', 'CREATE TABLE', q{RAISE insufficient_privilege USING HINT = 'Ask.'}, qr/insufficient_privilege\nHINT:  Ask\.$/m ],
	[ create => 'ddl_command_end', 'CREATE TABLE', 'ALTER TABLE app.log RENAME TO other', qr/relation "app.log" does not exist/ ],
	[ create => 'ddl_command_end', 'ALTER TABLE', 'ALTER TABLE app.log RENAME TO other', 'log_20260101 (other) other_20260102' ],
	[ create => 'ddl_command_start', 'CREATE TABLE', "ALTER TABLE app.log $replace", $changed ],
	[ create => 'ddl_command_end', 'CREATE TABLE', "ALTER TABLE app.log $replace", $changed ],
	[ create => 'ddl_command_start', 'ALTER TABLE', "ALTER TABLE app.log $replace", $changed ],
	[ create => 'ddl_command_end', 'ALTER TABLE', 'DROP TABLE app.log', $changed ],
	[ create => 'ddl_command_end', 'ALTER TABLE', 'ALTER TABLE app.log DETACH PARTITION app.log_20260101', $changed ],
	[ create => 'ddl_command_end', 'ALTER TABLE', $call{create}, qr/relation "log_20260102" already exists/ ],
	[ detach => 'ddl_command_start', 'ALTER TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ detach => 'ddl_command_start', 'ALTER TABLE', "ALTER TABLE app.log $replace", qr/relation "log_20260101" is not a partition of relation "log"/ ],
	[ detach => 'ddl_command_end', 'ALTER TABLE', 'ALTER TABLE app.log DETACH PARTITION app.log_20260102', '(log) (log_20260101) (log_20260102)' ],
	[ detach => 'ddl_command_end', 'ALTER TABLE', "$attach $later", $changed ],
	[ detach => 'ddl_command_end', 'ALTER TABLE', "ALTER TABLE app.log ATTACH PARTITION app.log_20260101 $later", $changed ],
	[ detach => 'ddl_command_end', 'ALTER TABLE', 'DROP TABLE app.log_20260102', '(log) (log_20260101)' ],
	[ detach => 'ddl_command_end', 'ALTER TABLE', 'DROP TABLE app.log', '(log_20260101)' ],
	[ drop => 'ddl_command_start', 'DROP TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ drop => 'sql_drop', 'DROP TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ drop => 'ddl_command_start', 'DROP TABLE', 'ALTER TABLE app.log_20260101 RENAME TO other; CREATE TABLE app.log_20260101 ()', $changed ],
	[ drop => 'sql_drop', 'DROP TABLE', 'ALTER TABLE app.log_20260102 RENAME TO other; CREATE TABLE app.log_20260102 ()', '(log) (log_20260102)' ],
	[ drop => 'sql_drop', 'DROP TABLE', 'ALTER TABLE app.log DETACH PARTITION app.log_20260102', '(log) (log_20260102)' ],
	[ drop => 'ddl_command_start', 'DROP TABLE', 'ALTER TABLE app.log DETACH PARTITION app.log_20260102', '(log) (log_20260102)' ],
	[ drop => 'ddl_command_end', 'DROP TABLE', "$attach $later", $changed ],
	[ drop => 'ddl_command_end', 'DROP TABLE', "$attach DEFAULT", $changed ],
	[ drop => 'ddl_command_end', 'DROP TABLE', 'DROP TABLE app.log_20260102', '(log)' ],
	[ drop => 'ddl_command_end', 'DROP TABLE', 'DROP TABLE app.log', undef ],
	[ drop => 'ddl_command_end', 'DROP TABLE', $call{drop}, '(log)' ])
{
	my ($call, $event, $tag, $action, $expected) = @$_;
	foreach my $role ('postgres', 'hostile')
	{
		my ($before, $during, $after) = run_all($make . ($call eq 'create' ? '' : "$call{create};") . qq{
			\\c - postgres
			CREATE FUNCTION public.act() RETURNS event_trigger LANGUAGE plpgsql AS \$\$
			BEGIN
				IF NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory') THEN
					PERFORM pg_advisory_xact_lock(1);
					$action;
				END IF;
			END \$\$;
			CREATE EVENT TRIGGER act ON $event WHEN TAG IN ('$tag') EXECUTE FUNCTION public.act();
			$tables;
			\\c - $role},
			"BEGIN; SAVEPOINT s; $call{$call}; $tables; ROLLBACK TO s; $session $call{$call}; COMMIT; $session",
			"\\c - postgres\nDROP EVENT TRIGGER act; DROP FUNCTION public.act(); $tables;");
		my $test = "$role: $call, $action at $event of $tag";
		my $unchanged = qq{$role|"\$user", public|on\n$role|"\$user", public|on};
		if (ref $expected)
		{
			like($during->[1], qr/ERROR:  .*$expected/, $test);
			is($during->[0], $unchanged, 'an error restores the user and the path');
			is($after->[0], $before->[0], 'an error leaves the tables unchanged');
		}
		else
		{
			is($during->[0], ($expected // '') . "\n$unchanged", $test);
			is($after->[0], $expected // '', 'the tables after the commit');
		}
	}
}

# A superuser and autovacuum maintain the tables of a hostile owner. The owner's code in indexes and statistics runs as the owner, the
# ids that it generates do not harm the generators, and a dump restores the extension's objects, not objects of the same names.
begin('maintained');
my $log = -s $node->logfile;

# Returns which code of the owner ran since the last call, and as which role. It reads the server's log because background processes
# run such code, too.
sub traps
{
	my %seen = map { $_ => 1 } slurp_file($node->logfile, $log) =~ /trap: (.*)/g;
	$log = -s $node->logfile;
	return join ', ', sort keys %seen;
}

# The owner's code also calls all generators and all functions that tell which ids are settled.
my $generate = join ', ', map { "gen_$_()" } @generators;
sql(q{
	CREATE SCHEMA trap AUTHORIZATION hostile;
	GRANT CREATE ON SCHEMA public TO hostile;
	SET ROLE hostile;
	CREATE FUNCTION trap.spring(place text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
	DECLARE statement text;
	BEGIN
		RAISE LOG 'trap: % as %', place, current_user;
		FOREACH statement IN ARRAY ARRAY['SET ROLE postgres', 'ALTER ROLE hostile SUPERUSER', 'SELECT ids_reset_clock()', 'SELECT ids_advance_clock(now())'] LOOP
			BEGIN
				EXECUTE statement;
				RAISE LOG 'trap: it did %', statement;
			EXCEPTION WHEN OTHERS THEN
			END;
		END LOOP;
		PERFORM } . $generate . q{, ulid_settled(), uuidv7_settled(), (SELECT count(*) FROM ids_unsettled());
	END $$;
	CREATE FUNCTION trap.key(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring($$index$$); RETURN $1; END';
	CREATE FUNCTION trap.note(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring($$statistics$$); RETURN $1; END';
	CREATE FUNCTION trap.view(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM trap.spring($$view$$); RETURN $1; END'});
sql(q{BEGIN; SELECT trap.spring('a call'); ROLLBACK});
is(traps(), 'a call as postgres, it did ALTER ROLE hostile SUPERUSER, it did SELECT ids_advance_clock(now()), it did SELECT ids_reset_clock(), it did SET ROLE postgres',
	'what the trap can do as a superuser');

# A table with a name that is hard to quote; and in schema public, objects with the names of all functions, operators and types of the
# extension.
my $name = qq{"a"" \n\\! b\n;--'%s"};
(my $literal = "'trap.$name'") =~ s/(?<=.)'(?=.)/''/g;
sql(qq{
	SET ROLE hostile;
	CREATE TABLE trap.$name (id ulid DEFAULT gen_ulid(), n int, uuid uuid DEFAULT gen_uuidv7(), day text DEFAULT codokey(now()), UNIQUE (id),
		CHECK (id > '2020-01-01 00:00:00+00'::timestamptz AND id <\@ tstzrange('2020-01-01 00:00:00+00', NULL))) PARTITION BY RANGE (id);
	CALL ids_create_partitions($literal, '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
	INSERT INTO trap.$name (id) SELECT gen_ulid('2026-01-01 00:00:00+00'::timestamptz + i * interval '1 day') FROM generate_series(1, 50) i;
	CREATE INDEX ON trap.$name (trap.key(id));
	CREATE STATISTICS trap.of_log ON n, (trap.note(id)) FROM trap.$name;
	CREATE TABLE trap.plain (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int);
	INSERT INTO trap.plain (n) SELECT generate_series(1, 10);
	CREATE INDEX plain_key ON trap.plain (trap.key(id));
	CREATE INDEX plain_brin ON trap.plain USING brin (trap.key(id));
	CREATE STATISTICS trap.of_plain ON n, (trap.note(id)) FROM trap.plain;
	CREATE MATERIALIZED VIEW trap.seen AS SELECT trap.view(id) FROM trap.plain;
	SET client_min_messages = error;
	DO \$\$
	DECLARE o record; body text := 'AS \$f\$ BEGIN RAISE LOG ''trap: namesake as %'', current_user; END \$f\$ LANGUAGE plpgsql';
	BEGIN
		FOR o IN SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
			JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids' WHERE NOT 'internal'::regtype = ANY (proargtypes) AND proname !~ '_(in|out|recv|send)\$' AND prokind IN ('f', 'p')
		LOOP
			EXECUTE format('CREATE %s public.%I(%s) %s %s', CASE o.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, o.proname, pg_get_function_identity_arguments(o.oid),
				CASE WHEN o.prokind = 'p' OR o.proargmodes IS NOT NULL THEN '' ELSE 'RETURNS ' || pg_get_function_result(o.oid) END, body);
		END LOOP;
		FOR o IN SELECT op.* FROM pg_operator op JOIN pg_depend d ON d.classid = 'pg_operator'::regclass AND objid = op.oid AND deptype = 'e' LOOP
			EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = public.%I, LEFTARG = %s, RIGHTARG = %s)', o.oprname, o.oprcode::regproc, o.oprleft::regtype, o.oprright::regtype);
		END LOOP;
		FOR o IN SELECT t.* FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e' WHERE typtype IN ('b', 'd') AND typcategory <> 'A' LOOP
			EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.text', o.typname);
		END LOOP;
	END \$\$;
	CREATE TABLE trap.mixed (ours ulid DEFAULT gen_ulid(), theirs public.ulid)});
cmp_ok(sql(q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace}), '>', 100, 'schema public has functions of the same names');
like(traps(), qr/^index as hostile, statistics as hostile, view as hostile$|^index as hostile, view as hostile$/, 'the code runs as the owner when the owner creates the indexes, statistics and view');

# A superuser's statements, with a search_path that has schema public first, and the owner's code that they run.
my $parent = qq{SELECT quote_literal(oid) AS parent FROM pg_class WHERE relname LIKE 'a%' AND relkind = 'p' \\gset\n};
foreach (
	[ 'ANALYZE' => 'index', 'statistics' ],
	[ 'VACUUM (ANALYZE)' => 'index', 'statistics' ],
	[ 'VACUUM (FULL)' => 'index' ],
	[ 'REINDEX SCHEMA trap' => 'index' ],
	[ 'REINDEX TABLE CONCURRENTLY trap.plain' => 'index' ],
	[ 'CLUSTER trap.plain USING plain_key' => 'index' ],
	[ 'REFRESH MATERIALIZED VIEW trap.seen' => 'view' ],
	[ q{SELECT brin_desummarize_range('trap.plain_brin', 0), brin_summarize_range('trap.plain_brin', 0)} => 'index' ],
	[ "${parent}CALL pg_catalog.ids_create_partitions(:parent, '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00')" ],
	[ "${parent}CALL pg_catalog.ids_drop_partitions(:parent, '2026-02-01 00:00:00+00')" ],
	[ "${parent}SELECT pg_catalog.count(*) FROM pg_catalog.ids_partitions(:parent)" ])
{
	my ($statement, @places) = @$_;
	local $ENV{PGOPTIONS} = '-c search_path=public,pg_temp,pg_catalog';
	is($node->psql($database, $statement), 0, $statement =~ s/.*\n//r);
	is(traps(), join(', ', map { "$_ as hostile" } @places), 'code runs only as the owner');
}
is(sql(q{SELECT string_agg(times::text, ' ') FROM ids_partitions((SELECT oid FROM pg_class WHERE relname LIKE 'a%' AND relkind = 'p'))}),
	'["2026-02-01 00:00:00+00","2026-03-01 00:00:00+00") ["2026-03-01 00:00:00+00","2026-04-01 00:00:00+00")', 'partitions with names that are hard to quote');

# An index built in parallel, with a generating function wrongly marked PARALLEL SAFE.
sql(q{
	SET ROLE hostile;
	CREATE FUNCTION trap.made(ulid) RETURNS ulid LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN PERFORM gen_ulid(); RETURN $1; END';
	CREATE TABLE trap.large AS SELECT gen_ulid() AS id FROM generate_series(1, 10000);
	CREATE INDEX large_made ON trap.large (trap.made(id))});
like(($node->psql($database, 'SET max_parallel_maintenance_workers = 2; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off; REINDEX INDEX trap.large_made'))[2], qr/ERROR:  cannot use generator "\w+" in a parallel worker/, 'a parallel worker cannot generate');
sql('DROP TABLE trap.large');

# Autovacuum
traps();
$node->append_conf('postgresql.conf', "autovacuum = on\n");
$node->reload;
sql('SET ROLE hostile; ALTER TABLE trap.plain SET (autovacuum_analyze_threshold = 0); UPDATE trap.plain SET n = n + 1');
$node->poll_query_until($database, q{SELECT autoanalyze_count > 0 FROM pg_stat_user_tables WHERE relname = 'plain'});
is(traps(), 'index as hostile, statistics as hostile', 'autovacuum');
$node->append_conf('postgresql.conf', "autovacuum = off\n");
$node->reload;
is(sql(q{
	SELECT gen_ulid() AS before, count(*) AS unsettled FROM ids_unsettled() \gset
	SELECT :unsettled, ulid_settled() > :'before', gen_ulid() > :'before', (SELECT bool_and(lead < '1 s') FROM ids_generators())}), '0|t|t|t', 'the generators work as before, and no transaction holds back the settled ids');

# A superuser's dump runs none of the owner's code. A dump of the restored database is the same.
my $dump = $node->basedir . '/dump';
my @dump = ('pg_dump', '-d', $node->connstr($database), '-f');
$node->command_ok([ @dump, $dump, '-Fc' ], 'a superuser dumps the database');
is(traps(), '', 'the dump runs no code of the owner');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump ], 'a superuser restores it');
unlike(traps(), qr/namesake|postgres|did/, 'the restore runs code only as the owner');
$node->command_ok([ @dump, "$dump.sql" ], 'a dump as text');
$dump[2] = $node->connstr('restored');
$node->command_ok([ @dump, "$dump.restored.sql" ], 'a dump of the restored database as text');
my ($before, $after) = map { slurp_file($_) =~ s/^\\(un)?restrict .*//gmr } "$dump.sql", "$dump.restored.sql";
ok($before eq $after, 'both dumps are the same');
is($node->safe_psql('restored', q{SET ROLE hostile; INSERT INTO trap.mixed (theirs) VALUES ('x') RETURNING pg_typeof(ours), pg_typeof(theirs)}), 'ulid|public.ulid', 'each column has its own type');
is(traps(), '', 'no function of the same name runs');

# Row-level security: no function that runs before a policy's condition reveals rows that the policy hides, and conditions on
# identifiers still use an index.
begin('policies');

# Functions that are marked leakproof raise no error, whatever their arguments.
my $sweep = q{
	SET client_min_messages = error;
	SET timezone = 'UTC';
	CREATE TEMP TABLE argument (type regtype, text text);
	INSERT INTO argument
		SELECT 'timestamptz'::regtype, t FROM unnest(ARRAY['-infinity', 'infinity', '4714-11-24 00:00:00+00 BC',
			'294276-12-31 23:59:59.999999+00', 'epoch', '2000-01-01 00:00:00+00',
			'1969-12-31 23:59:59.999999+00', '2016-12-31 23:59:59.999999+00', '2017-01-01 00:00:00+00',
			'2086-09-07 15:47:35.551+00', '2086-09-07 15:47:35.552+00', '2286-11-20 17:46:40+00',
			'10889-08-02 05:31:50.655999+00', '10889-08-02 05:31:50.656+00']) t
		UNION ALL SELECT 'timestamptz', to_timestamp((random() - 0.2) * 1e12)::text FROM generate_series(1, 50)
		UNION ALL SELECT 'uuid', id::text FROM generate_series(1, 50), LATERAL (VALUES (gen_uuidv7()), (gen_random_uuid())) v (id)
		UNION ALL SELECT 'uuid', unnest(ARRAY['00000000-0000-0000-0000-000000000000',
			'ffffffff-ffff-ffff-ffff-ffffffffffff', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])
		UNION ALL SELECT 'bigint', n::text FROM unnest(ARRAY['-9223372036854775808', -1, 0, 1, 9223372036854775807]::bigint[]) n;
	INSERT INTO argument
		SELECT 'tstzrange'::regtype, tstzrange(least(a.text::timestamptz, b.text::timestamptz),
			greatest(a.text::timestamptz, b.text::timestamptz), bounds)::text
			FROM argument a, argument b, unnest(ARRAY['[)', '(]', '()', '[]']) bounds
			WHERE a.type = 'timestamptz'::regtype AND b.type = a.type AND random() < 0.02
		UNION ALL SELECT 'tstzrange', unnest(ARRAY['empty', '(,)', '[,)', '(,2026-01-01)', '[2026-01-01,)',
			'[2026-01-01,2026-01-01]', '(-infinity,infinity)', '[-infinity,infinity]', '[infinity,infinity]', '[-infinity,-infinity]']);
	DO $$
	DECLARE type text;
	BEGIN
		FOREACH type IN ARRAY string_to_array('@T@', ' ') LOOP
			EXECUTE format('INSERT INTO argument SELECT %1$L::regtype, %1$s_first(text::timestamptz)::text FROM argument WHERE type = ''timestamptz''::regtype', type);
			EXECUTE format('INSERT INTO argument SELECT %1$L::regtype, %1$s_last(text::timestamptz)::text FROM argument WHERE type = ''timestamptz''::regtype', type);
			EXECUTE format('INSERT INTO argument SELECT %1$L::regtype, gen_%1$s(to_timestamp(1.5e9 + 1.8e9 * random() * random()))::text FROM generate_series(1, 50)', type);
		END LOOP;
	END $$;
	CREATE FUNCTION pg_temp.calls(function regprocedure) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE p record; calls bigint;
	BEGIN
		SELECT * INTO p FROM pg_proc WHERE oid = function;
		EXECUTE format('SELECT count(*), count(%s(%s)) FROM %s', function::regproc,
			(SELECT string_agg(format('a%s.text::%s', n, type::regtype), ', ' ORDER BY n)
				FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u(type, n)),
			(SELECT string_agg(format('(SELECT text FROM argument WHERE type = %s UNION ALL SELECT NULL) a%s',
				coalesce(nullif(typbasetype, 0), type), n), ', ' ORDER BY n)
				FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY u(type, n) JOIN pg_type ON oid = type))
			INTO calls;
		RETURN calls;
	EXCEPTION WHEN OTHERS THEN
		RETURN -1;
	END $$;
	SELECT count(*) > 26 * cardinality(string_to_array('@T@', ' ')),
		string_agg(function::regproc::text, ',' ORDER BY function::regproc::text) FILTER (WHERE calls <= 50)
	FROM (SELECT p.oid::regprocedure AS function, pg_temp.calls(p.oid::regprocedure) AS calls
		FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
			JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'ids'
		WHERE proleakproof) f;
} =~ s/\@T\@/@types/gr;
is(sql($sweep), 't|', 'every leakproof function returns for any argument');
sql('ALTER FUNCTION snowflake_from_bigint(bigint) LEAKPROOF');
is(sql($sweep =~ s/(?=WHERE proleakproof)/AND proname ~ '_from_bigint' /r), 'f|snowflake_from_bigint', 'the test finds a function that raises an error');
sql('ALTER FUNCTION snowflake_from_bigint(bigint) NOT LEAKPROOF');

# Conditions on identifiers are evaluated before the policy's condition, so that they can use the index.
my ($as_ordinary, $as_superuser) = ('SET SESSION AUTHORIZATION ordinary;', 'RESET SESSION AUTHORIZATION;');
foreach my $type (@types)
{
	my $id = sql(qq{
		CREATE TABLE ${type}_secret (id $type PRIMARY KEY, n int, bytes bytea);
		INSERT INTO ${type}_secret SELECT gen_$type('2020-01-01'::timestamptz + n * interval '1 hour'), n, CASE WHEN n % 2 = 0 THEN ${type}_first('2020-01-01')::bytea ELSE 'secret' END FROM generate_series(1, 10000) n;
		ANALYZE ${type}_secret;
		CREATE FUNCTION ${type}_visible(n int) RETURNS boolean LANGUAGE plpgsql COST 1 AS 'BEGIN RETURN n % 2 = 0; END';
		ALTER TABLE ${type}_secret ENABLE ROW LEVEL SECURITY;
		CREATE POLICY even ON ${type}_secret USING (${type}_visible(n));
		CREATE VIEW ${type}_view WITH (security_barrier) AS SELECT * FROM ${type}_secret WHERE ${type}_visible(n);
		GRANT SELECT ON ${type}_secret, ${type}_view TO ordinary;
		SELECT id FROM ${type}_secret WHERE n = 5000});
	my @conditions = (
		[ "id = '$id'", 1 ],
		[ "id >= '2021-02-20 00:00:00+00'::timestamptz" ],
		[ "'2020-01-01 10:30:00+00'::timestamptz > id", 5 ],
		[ "id <@ tstzrange('2020-06-01 00:00:00+00', '2020-06-02 00:00:00+00')", 12 ],
		[ "tstzrange('2020-06-01 00:00:00+00', '2020-06-02 00:00:00+00') @> id", 12 ],
		[ "id IN ('$id', '$id')", 1 ]);
	my @answers = run_all($as_ordinary, map { my $from = "FROM ${type}_secret WHERE $_->[0];"; ("EXPLAIN (COSTS off) SELECT * $from", "SELECT count(*) $from") } @conditions);
	foreach my $place (0 .. $#conditions)
	{
		my ($condition, $count) = @{ $conditions[$place] };
		my ($explained, $rows) = map { $_->[0] } @answers[ 2 * $place + 1, 2 * $place + 2 ];
		like($explained, qr/Index Cond: .*\n  Filter: .*${type}_visible/, "$type: row-level security and index: $condition");
		is($rows, $count, "$type: the visible rows") if $count;
	}

	# Conditions with a user's function that reports the rows it is called for, and one whose error would show a value. The
	# policy's function is expensive, so the planner calls the user's function first if that is leakproof.
	sql("ALTER FUNCTION ${type}_visible(int) COST 1000");
	foreach my $table ("${type}_secret", "${type}_view")
	{
		foreach (
			[ time => 'timestamptz' => map { ("id $_ leak_time(n)", "leak_time(n) $_ id") } qw(< <= > >=) ],
			[ range => 'tstzrange' => 'id <@ leak_range(n)', 'leak_range(n) @> id', "uuidv7_within(gen_uuidv7(), leak_range(n)) OR id >= ${type}_range_first(leak_range(n))" ],
			[ id => $type => map { "id $_ leak_id(n)" } qw(= <> < <= > >=) ])
		{
			my ($name, $result, @conditions) = @$_;
			my $queries = join ' ', map { "SELECT count(*) FROM $table WHERE n <= 10 AND ($_);" } @conditions;
			my $function = "FUNCTION public.leak_$name(n int)";
			my ($leaking, $leakproof) = map { my %told = map { $_ => 1 } $_->[1] =~ /row (\d+)|^.*ERROR/mg; join ' ', sort { $a <=> $b } keys %told } run_all(
				"CREATE $function RETURNS $result LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RAISE NOTICE \$\$row %\$\$, n; RETURN NULL; END'; $as_ordinary $queries",
				"$as_superuser ALTER $function LEAKPROOF; $as_ordinary $queries $as_superuser DROP $function;");
			is($leaking, '2 4 6 8 10', "$table: $name of a function");
			is($leakproof, '1 2 3 4 5 6 7 8 9 10', "$table: $name of a function LEAKPROOF");
		}
		my $query = "SELECT count(*) FROM $table WHERE bytes::$type <= id";
		is(ask('ordinary', $query), 5000, "$table: no error tells a value of a hidden row");
		sql("ALTER FUNCTION ${type}_from_bytea(bytea) LEAKPROOF");
		is(ask('ordinary', $query), '22P03', "$table: if the cast is called leakproof, one does");
		sql("ALTER FUNCTION ${type}_from_bytea(bytea) NOT LEAKPROOF");
	}
}

# No operator, function, type or catalog that comes before PostgreSQL's own in the search path does any harm, neither when a database
# owner who is no superuser installs the extension nor when somebody uses it.
$database = 'owned';

# A double of every object that the script might refer to.
my $doubles = q{
	SET search_path = pg_catalog, pg_temp;
	CREATE SCHEMA evil;
	SET check_function_bodies = off;
	SET client_min_messages = error;
	DO $evil$
	DECLARE o record; body text := $$AS 'BEGIN RAISE EXCEPTION ''trapped''; END' LANGUAGE plpgsql$$;
	BEGIN
		FOR o IN SELECT oprname, oprcode::regproc::text AS name, oprleft::regtype AS l, oprright::regtype AS r, oprresult::regtype AS result
			FROM pg_operator JOIN pg_type lt ON lt.oid = oprleft JOIN pg_type rt ON rt.oid = oprright
			WHERE oprnamespace = 'pg_catalog'::regnamespace AND lt.typtype <> 'p' AND rt.typtype <> 'p'
		LOOP
			EXECUTE format('CREATE OR REPLACE FUNCTION evil.trap(%s, %s) RETURNS %s %s', o.l, o.r, 'boolean', body);
			EXECUTE format('CREATE OPERATOR evil.%s (FUNCTION = evil.trap, LEFTARG = %s, RIGHTARG = %s)', o.oprname, o.l, o.r);
		END LOOP;
		FOR o IN SELECT proname, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result
			FROM pg_proc p
			WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset
				AND proargmodes IS NULL AND pronargdefaults = 0 AND proname !~ '^(ri_|RI_)'
				AND NOT EXISTS (SELECT FROM pg_type t WHERE t.typtype = 'p' AND (t.oid = ANY (proargtypes) OR t.oid = prorettype))
		LOOP
			EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s %s', o.proname, o.arguments, o.result, body);
		END LOOP;
		FOR o IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r')
			AND typelem = 0 AND typname NOT LIKE '\_%' LOOP
			EXECUTE format('CREATE DOMAIN evil.%I AS pg_catalog.int4; CREATE DOMAIN pg_temp.%1$I AS pg_catalog.int4', o.typname);
		END LOOP;
		FOR o IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') LOOP
			EXECUTE format('CREATE TEMP TABLE %I (oid pg_catalog.oid)', o.relname);
			EXECUTE format('CREATE VIEW evil.%I AS SELECT 0::pg_catalog.oid AS oid', o.relname) ;
		END LOOP;
	END $evil$;
	CREATE DOMAIN pg_temp.ulid AS pg_catalog.int4;
	CREATE TABLE evil.made (operators bigint, functions bigint);
	INSERT INTO evil.made SELECT (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'evil'::regnamespace),
		(SELECT count(*) FROM pg_proc WHERE pronamespace = 'evil'::regnamespace);
};
my $hostile = 'SET search_path = evil, pg_temp, pg_catalog, public;';
like(ask('owner', "$doubles SELECT operators > 500 AND functions > 1500 FROM evil.made; $hostile CREATE EXTENSION ids"), qr/^t$/m, 'a database owner installs the extension among doubles');
# The rule that is a view's query is a part of the view, not itself a member of the extension.
my $bound = q{
	WITH RECURSIVE part AS (
		SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		UNION SELECT d.classid, d.objid FROM pg_depend d JOIN part
			ON d.refclassid = part.classid AND d.refobjid = part.objid AND d.deptype IN ('i', 'a')
	)
	SELECT count(*) FROM pg_depend d JOIN part USING (classid, objid)
	WHERE (refclassid, refobjid) NOT IN (SELECT classid, objid FROM part)
		AND refclassid NOT IN ('pg_extension'::regclass, 'pg_namespace'::regclass, 'pg_language'::regclass)
		AND refobjid >= 16384};
is(sql($bound), '0', 'no object of the extension refers to a double');

# The same doubles when it is used.
sql('GRANT CREATE ON SCHEMA public TO owner; GRANT CREATE ON DATABASE owned TO owner');
my $again = $doubles =~ s/CREATE SCHEMA evil;/DROP SCHEMA evil CASCADE; CREATE SCHEMA evil;/r =~ s/CREATE DOMAIN pg_temp.ulid .*//r;
foreach my $type (@types)
{
	my $casts = sql("SELECT string_agg(format('id::pg_catalog.%I IS NOT NULL', typname), ' AND ') FROM pg_cast JOIN pg_type t ON t.oid = casttarget WHERE castsource = '$type'::regtype");
	my $use = qq{
		CREATE TABLE public.${type}_log (id pg_catalog.$type PRIMARY KEY DEFAULT pg_catalog.gen_$type()) PARTITION BY RANGE (id);
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
		CALL pg_catalog.ids_create_partitions('public.${type}_log', '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00');
		INSERT INTO public.${type}_log SELECT pg_catalog.gen_$type(at)
			FROM (VALUES ('2026-01-15 00:00:00+00'::pg_catalog.timestamptz), ('2026-02-15 00:00:00+00'), ('2026-03-15 00:00:00+00')) v(at);
		CREATE VIEW public.${type}_answers AS SELECT id,
			id OPERATOR(pg_catalog.<) t AS a, id OPERATOR(pg_catalog.<=) t AS b, id OPERATOR(pg_catalog.>) t AS c, id OPERATOR(pg_catalog.>=) t AS d,
			t OPERATOR(pg_catalog.<) id AS e, t OPERATOR(pg_catalog.<=) id AS f, t OPERATOR(pg_catalog.>) id AS g, t OPERATOR(pg_catalog.>=) id AS h,
			id OPERATOR(pg_catalog.<@) r AS i, r OPERATOR(pg_catalog.@>) id AS j, $casts AS k
			FROM public.${type}_log, (VALUES ('2026-02-01 00:00:00+00'::pg_catalog.timestamptz,
				'[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'::pg_catalog.tstzrange)) v(t, r);
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE i AND j AND d AND f AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_answers WHERE a AND b AND g AND h AND k;
		SELECT pg_catalog.count(*) FROM public.${type}_log
			WHERE pg_catalog.${type}_contained_by_tstzrange(id, '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)');
		SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'public.${type}_log'::pg_catalog.regclass;
		SELECT pg_catalog.gen_$type() IS NULL;
		SELECT pg_catalog.count(lead) FROM pg_catalog.ids_generators() WHERE generator OPERATOR(pg_catalog.=) '$type';
	};
	my $answer = ask('owner', ($type eq $types[0] ? $again : '') . "$hostile $use");
	is($answer, "1\n1\n1\n3\nf\n1", "$type: used with doubles first in the path");
	is(ask('owner', "$hostile CREATE TABLE pg_temp.log (id pg_catalog.$type) PARTITION BY RANGE (id); CALL pg_catalog.ids_create_partitions('pg_temp.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00'); SELECT pg_catalog.count(*) FROM pg_catalog.pg_inherits WHERE inhparent OPERATOR(pg_catalog.=) 'pg_temp.log'::pg_catalog.regclass"),
		'2', "$type: partitions of a temporary table");
}

# Call every function and procedure of the extension in a superuser's SECURITY DEFINER function that sets no search_path, while the
# hostile objects of the same names exist.
sql(q{
	CREATE SCHEMA wrapped;
	GRANT USAGE ON SCHEMA wrapped TO owner;
	CREATE TEMP TABLE value (type regtype, text text);
	INSERT INTO value VALUES ('text', '01900000-0000-7000-8000-000000000000'), ('cstring', '2026'), ('integer', '16'), ('bigint', '1'), ('smallint', '1'), ('numeric', '1e19'), ('boolean', 'f'), ('interval', '1 month'), ('uuid', '01900000-0000-7000-8000-000000000000'),
		('bytea', '\x00'), ('timestamptz', '2026-02-01'), ('timestamp', '2026-02-01'), ('date', '2026-02-01'), ('regclass', 'public.ulid_log'), ('tstzrange', '[2026-02-01,2026-03-01)');
	DO $$
	DECLARE type regtype; f record; arguments text;
	BEGIN
		FOREACH type IN ARRAY string_to_array('} . "@types" . q{', ' ')::regtype[] LOOP
			EXECUTE format('INSERT INTO value SELECT %L, %s_first(%L)::text', type, type, '2026-02-01');
		END LOOP;
		FOR f IN SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'ids'
			WHERE NOT 'internal'::regtype = ANY (proargtypes)
		LOOP
			SELECT string_agg(format('%L::pg_catalog.%I', coalesce(v.text, b.text), typname), ', ' ORDER BY n) INTO arguments
			FROM unnest(f.proargtypes::oid[]) WITH ORDINALITY a (argument, n) JOIN pg_type t ON t.oid = argument LEFT JOIN value v ON v.type = argument LEFT JOIN value b ON b.type = typbasetype
			WHERE n <= f.pronargs - f.pronargdefaults;
			EXECUTE format('CREATE FUNCTION wrapped.%I() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS %L', f.proname || f.oid,
				format('BEGIN %s %s.%I(%s); END', CASE f.prokind WHEN 'p' THEN 'CALL' ELSE 'PERFORM' END, f.pronamespace::regnamespace, f.proname, arguments));
		END LOOP;
	END $$;
	CREATE FUNCTION wrapped.unqualified() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM now(); END'});
my $calls = sql(q{SELECT string_agg(format('SELECT wrapped.%I() IS NULL;', proname), ' ' ORDER BY oid) FROM pg_proc WHERE pronamespace = 'wrapped'::regnamespace});
my ($among_doubles, $without) = map {
	$node->psql($database, "$_\n$calls", stdout => \my $returned, stderr => \my $errors, on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
	[ scalar(() = $returned =~ /^f$/mg), $errors =~ /ERROR:  (.*)/g ];
} "$again $hostile", '';
cmp_ok($without->[0], '>', 150, 'most of them return');
is_deeply($among_doubles, [ $without->[0] - 1, @$without[ 1 .. $#$without ], 'trapped' ], 'all the same among the doubles, except one that calls an unqualified function') or diag(explain($among_doubles, $without));

# Tables of the same name elsewhere: pg_temp last in the path, as the manual recommends for SECURITY DEFINER, hides a temporary
# table behind a permanent one. The procedures change only the partitions of the table that they are given.
my $day = "'2026-01-01 00:00:00+00'";
my $create = "CALL ids_create_partitions('PARENT', '1 day', $day, '2026-01-03 00:00:00+00');";
my $drop = "CALL ids_drop_partitions('PARENT', '2026-01-03 00:00:00+00');";
my $detach = "CALL ids_drop_partitions('PARENT', '2026-01-03 00:00:00+00', detach => true);";
begin('namesakes');
sql('CREATE SCHEMA app');
my %table = (
	'a plain table' => 'CREATE TABLE NAME_20260101 (id ulid, precious int); INSERT INTO NAME_20260101 VALUES (NULL, 1);',
	'a partitioned table' => 'CREATE TABLE NAME (id ulid, precious int) PARTITION BY RANGE (id);',
	'a partitioned table with that partition' => "CREATE TABLE NAME (id ulid, precious int) PARTITION BY RANGE (id); CREATE TABLE NAME_20260101 PARTITION OF NAME FOR VALUES FROM (ulid_first($day)) TO (ulid_first('2026-01-02 00:00:00+00')); INSERT INTO NAME VALUES (ulid_first($day), 1);",
	'a view' => 'CREATE VIEW NAME AS SELECT 1 AS precious;');
my $everything = q{SELECT string_agg(format('%s %s %s', c.oid, relname, coalesce(inhparent, 0)), ', ' ORDER BY c.oid) FROM pg_class c LEFT JOIN pg_inherits ON inhrelid = c.oid WHERE relnamespace = NAMESPACE};
my $locks = q{SELECT count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE pid = pg_backend_pid() AND relnamespace = NAMESPACE AND mode <> 'AccessShareLock';};
foreach my $namesake (sort keys %table)
{
	# Where the namesake is, where the parent is, and the path.
	foreach (
		[ 'public', 'pg_temp', 'public, pg_temp' ],
		[ 'public', 'pg_temp', 'pg_catalog, public, pg_temp' ],
		[ 'pg_temp', 'public', 'public' ],
		[ 'pg_temp', 'app', 'pg_temp, app' ],
		[ 'public', 'app', 'public, app' ])
	{
		my ($elsewhere, $here, $path) = @$_;
		my @told = run_all(map {
			my $script = "SET client_min_messages = error; DROP SCHEMA app, public CASCADE; CREATE SCHEMA app; CREATE SCHEMA public;\n"
				. "$table{$namesake} CREATE TABLE PARENT (id ulid) PARTITION BY RANGE (id); SET search_path = $path;\nSELECT ($everything) AS before \\gset\n"
				. join('', map { "BEGIN; $_ SELECT count(*) FROM ids_partitions('PARENT'); $locks COMMIT;\n" } $create, $_)
				. "SELECT :'before' = ($everything);\n\\c -";
			$script =~ s/NAMESPACE/$elsewhere eq 'pg_temp' ? 'pg_my_temp_schema()' : "'$elsewhere'::regnamespace"/ge;
			$script =~ s/NAME/$elsewhere.job/gr =~ s/PARENT/$here.job/gr;
		} $detach, $drop);
		is("@$_", "2\n0\n0\n0\nt ", "$namesake in $elsewhere, the parent in $here, search_path = $path: " . ($_ == $told[0] ? 'detach' : 'drop')) foreach @told;
	}
}

# A superuser's function that checks whose table it is, and lets everybody call it.
sql(q{
	CREATE FUNCTION public.clear(parent regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
	BEGIN
		IF (SELECT relowner <> session_user::regrole FROM pg_class WHERE oid = parent) THEN
			RAISE EXCEPTION 'not yours';
		END IF;
		CALL ids_drop_partitions(parent, 'infinity');
	END $$;
	CREATE TABLE public.victim (precious int);
	INSERT INTO public.victim VALUES (1);
	GRANT USAGE ON SCHEMA public TO someone});
is($node->psql($database, q{
	CREATE TEMP TABLE job (id ulid) PARTITION BY RANGE (id);
	CREATE TEMP TABLE victim PARTITION OF pg_temp.job FOR VALUES FROM (MINVALUE) TO (ulid_first('2020-01-01'));
	SET search_path = public, pg_temp;
	SELECT public.clear('pg_temp.job')}, extra_params => [ '-U', 'someone' ]), 0, 'someone has a superuser\'s function drop partitions of a temporary table');
is(sql('SELECT precious FROM public.victim'), '1', 'no other table is dropped');

# The owner of a database makes functions with the names of the extension's and with text as arguments, which PostgreSQL prefers
# for quoted arguments. A superuser who runs an owner's short statement calls them. What the documents and hints give to a superuser
# calls none, even if the owner also sets a path for all sessions that finds doubles of PostgreSQL's own objects first.
$node->safe_psql('postgres', 'CREATE ROLE robber LOGIN');
begin('robbed', 'OWNER robber TEMPLATE template0');
sql('GRANT ALL ON SCHEMA public TO robber');
my $take = q{AS 'BEGIN RAISE WARNING $$robbed$$; ALTER ROLE robber SUPERUSER; RETURN; END' LANGUAGE plpgsql};
is(ask('robber', qq{
	CREATE EXTENSION ids;
	CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE log_old PARTITION OF log FOR VALUES FROM (ulid_first('2020-01-01 00:00:00+00')) TO (ulid_first('2020-01-02 05:00:00+00'));
	SET client_min_messages = error;
	DO \$do\$
	DECLARE o record;
	BEGIN
		FOR o IN SELECT DISTINCT proname, prokind, arguments
			FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e' JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids',
				replace(oidvectortypes(proargtypes), ', ', ',') types,
				unnest(ARRAY[regexp_replace(types, '[^,]+', 'text', 'g'), regexp_replace(types, 'regclass|interval', 'text', 'g')]) arguments
			WHERE prokind IN ('f', 'p') AND NOT 'internal'::regtype = ANY (proargtypes) AND NOT 'cstring'::regtype = ANY (proargtypes)
		LOOP
			EXECUTE format('CREATE %s public.%I(%s) %s %s', CASE o.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, o.proname, o.arguments,
				CASE o.prokind WHEN 'p' THEN '' ELSE 'RETURNS void' END, \$f\$$take\$f\$);
		END LOOP;
	END \$do\$;
	CREATE PROCEDURE public.ids_drop_partitions(text, timestamptz) $take;
	CREATE FUNCTION public.now() RETURNS timestamptz AS 'BEGIN RAISE WARNING \$\$robbed\$\$; RETURN clock_timestamp(); END' LANGUAGE plpgsql;
	CREATE FUNCTION public.shift(timestamptz, interval) RETURNS timestamptz AS 'BEGIN RAISE WARNING \$\$robbed\$\$; RETURN \$1; END' LANGUAGE plpgsql;
	CREATE OPERATOR public.+ (FUNCTION = shift, LEFTARG = timestamptz, RIGHTARG = interval);
	CREATE OPERATOR public.- (FUNCTION = shift, LEFTARG = timestamptz, RIGHTARG = interval);
	SELECT count(*) > 100 FROM pg_proc WHERE pronamespace = 'public'::regnamespace}), 't', 'functions of the same names');
sub robbed
{
	my ($statement, $path) = @_;
	my $error = ($node->psql($database, "BEGIN; $statement; ROLLBACK", extra_params => [ '-v', 'SHOW_CONTEXT=never' ]))[2];
	return $error =~ s/^psql:<stdin>:\d+: //gmr =~ /(robbed|ERROR.*)/ ? $1 : '';
}
my ($readme, $servers, $cookbook) = map { slurp_file("$ENV{TESTDIR}/$_") } 'README.md', 'doc/servers.md', 'doc/cookbook.md';
my @short = $readme =~ /^(CALL ids_\w+\(.*?\));/mg;
is(scalar @short, 2, 'the README has two calls');
is(robbed($_), 'robbed', "the attack succeeds when a superuser runs an owner's $_") foreach @short;
ask('robber', 'ALTER DATABASE robbed SET search_path = public, pg_catalog');
is(sql('SHOW search_path'), 'public, pg_catalog', 'the path of a superuser');
is(robbed('SELECT now()'), 'robbed', 'a double of a function of PostgreSQL');
my $gap = ($node->psql($database, "CALL pg_catalog.ids_create_partitions('public.log', '1 day', '2020-01-02 00:00:00+00', '2020-01-03 00:00:00+00')"))[2];
my $time = ($node->psql($database, "SELECT '2026-11-01'::pg_catalog.ulid"))[2];
my $uuid = ($node->psql($database, "SELECT '015549f0-1d7e-3a66-a08c-07ce13d25363'::pg_catalog.ulid"))[2];
my @given = (
	$servers =~ /cron\.schedule\('.*?', '.*?', \$\$(.*?)\$\$\)/sg,
	$cookbook =~ /^## Monitoring\n+```sql\n(.*?);\n```/ms,
	$gap =~ /HINT: .*? (CREATE .*);/,
	(map { "SELECT $_" } $time =~ /time is (.*)\.$/m, $uuid =~ /cast it: (.*)\.$/m));
is(scalar @given, 6, 'statements for a superuser');
is(robbed($_), '', "a superuser runs $_") foreach @given;
is(sql(q{SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = 'robber'}), 'f', 'the owner of the database has gained nothing');

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
	$database = 'rights';
	skip 'from 17 on, the memory is a segment of its own', 10 if $node->pg_version >= 17;
	$node->append_conf('postgresql.conf', "max_connections = 20\nmax_locks_per_transaction = 1000\nshared_preload_libraries = 'ids'\n");
	$node->restart;
	my $first_id = 'SELECT gen_ulid() IS NULL';
	sql('GRANT pg_read_all_stats TO ordinary');    # to see how much memory is left
	my $size = sql(q{SELECT size FROM pg_shmem_allocations WHERE name = 'ids'});
	take_memory($size);
	is(sql($first_id), 'f', 'preloaded: the first id');
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
	$node->restart;
	take_memory($size);
	like(($node->psql($database, $first_id))[2], qr/not enough shared memory.*HINT:  Add "ids" to shared_preload_libraries/s,
		'not preloaded: no id, although the locks have ended');
	$node->restart;
	is(sql($first_id), 'f', 'after a restart: the first id');
	take_memory($size);
	is(sql($first_id), 'f', 'later the locks do not matter');
}

$node->stop;
done_testing();
