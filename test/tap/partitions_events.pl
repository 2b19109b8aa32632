# Event triggers while partitions are created, detached and dropped: the role that their functions run as, and functions that raise
# an error or change the tables, after which no other table is changed.
use strict;
use warnings;
use Databases;
use Test::More;

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
my %call = (
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
# A check of its table fails: that is no row of a default partition.
run_all($make);
sql('ALTER TABLE public.audited ADD CONSTRAINT no_tag CHECK (tag IS NULL) NOT VALID; CREATE EVENT TRIGGER audit ON ddl_command_end EXECUTE FUNCTION public.audit()');
my $broken = error_of('hostile', $call{create});
like($broken, qr/new row for relation "audited" violates check constraint "no_tag"/, 'a function that breaks a check');
unlike($broken, qr/HINT/, 'gets no hint about a default partition');
sql('DROP EVENT TRIGGER audit; ALTER TABLE public.audited DROP CONSTRAINT no_tag');

# A function that acts in the first statement of a kind. Either the call fails, and nothing is changed, or it goes on with the table
# that it was given and its partitions. Tables that are not partitions are in brackets.
my $session = q{SELECT current_user, current_setting('search_path'), current_setting('row_security');};
my $tables = q{SELECT string_agg(CASE WHEN relispartition THEN relname ELSE format('(%s)', relname) END, ' ' ORDER BY relname)
	FROM pg_class WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'p')};
my $replace = 'RENAME TO other; CREATE TABLE app.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)';
my $changed = qr/55006: table "app.log" or a partition of it was changed during the call/;
my $attach = 'ALTER TABLE app.log DETACH PARTITION app.log_20260102; ALTER TABLE app.log ATTACH PARTITION app.log_20260102';
my $later = q{FOR VALUES FROM (ulid_first('2027-01-01')) TO (ulid_first('2027-01-02'))};
foreach (
	[ create => 'ddl_command_start', 'CREATE TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ create => 'ddl_command_end', 'ALTER TABLE', q{RAISE EXCEPTION 'no'}, qr/no$/m ],
	[ create => 'ddl_command_start', 'CREATE TABLE', q{RAISE insufficient_privilege USING HINT = 'Ask.'}, qr/insufficient_privilege\nHINT:  Ask\.$/m ],
	[ create => 'ddl_command_start', 'CREATE TABLE', 'DROP TABLE app.log; RAISE insufficient_privilege', qr/insufficient_privilege$/m ],
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
			"\\set VERBOSITY verbose\nBEGIN; SAVEPOINT s; $call{$call}; $tables; ROLLBACK TO s; $session $call{$call}; COMMIT; $session",
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

$node->stop;
done_testing();
