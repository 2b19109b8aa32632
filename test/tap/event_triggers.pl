# Event triggers while partitions are created, detached and dropped: the role that their functions run as, and functions that raise
# an error or change the tables, after which no other table is changed.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION ids;
	CREATE ROLE hostile LOGIN;
	CREATE ROLE someone;
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
my $make = 'SET client_min_messages = error; DROP TABLE IF EXISTS app.log, app.other, app.log_20260101, app.log_20260102; CREATE TABLE app.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);';
my %call = (
	create => q{CALL ids_create_partitions('app.log', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00')},
	detach => q{CALL ids_drop_partitions('app.log', '2026-01-03 00:00:00+00', detach => true)},
	drop => q{CALL ids_drop_partitions('app.log', '2026-01-03 00:00:00+00')});

# The tables, in brackets if they are not partitions, and the user and the path of the session.
my $tables = q{SELECT string_agg(CASE WHEN relispartition THEN relname ELSE format('(%s)', relname) END, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'p')};
my $session = q{SELECT current_user, current_setting('search_path')};

# Runs a script as a role; an error does not end it. Returns its output and its messages.
sub run
{
	my ($role, @statements) = @_;
	$node->psql('postgres', join(";\n", @statements), stdout => \my $out, stderr => \my $messages, on_error_stop => 0, extra_params => [ '-U', $role ]);
	return $out, $messages;
}

# The function of an event trigger belongs to somebody else, but it runs as the owner of the table.
my @events = qw(ddl_command_start ddl_command_end sql_drop table_rewrite);
$node->safe_psql('postgres', join ' ', map { "CREATE EVENT TRIGGER note_$_ ON $_ EXECUTE FUNCTION public.note();" } @events);
foreach ([ postgres => 'pg_catalog, pg_temp' ], [ hostile => '"$user", public' ])
{
	my ($role, $path) = @$_;
	run('hostile', $make);
	foreach ([ create => 2 ], [ detach => 2 ], [ create => 0 ], [ drop => 3 ])
	{
		my ($call, $kinds) = @$_;
		my %seen = map { $_ => 1 } (run($role, $call{$call}))[1] =~ /seen: (.*)/g;
		is(join(', ', sort keys %seen), join(', ', map { "$_ as hostile with $path" } sort @events[ 0 .. $kinds - 1 ]), "$role: $call") if $kinds;
		run('hostile', 'DROP TABLE IF EXISTS app.log_20260101, app.log_20260102') if $call eq 'detach';
	}
}
$node->safe_psql('postgres', join ' ', map { "DROP EVENT TRIGGER note_$_;" } @events);

# A superuser's SECURITY DEFINER function, which writes to a table where the owner of the partitions may not.
run('hostile', $make);
$node->safe_psql('postgres', "CREATE EVENT TRIGGER audit ON ddl_command_end EXECUTE FUNCTION public.audit(); $call{create}; DROP EVENT TRIGGER audit");
is($node->safe_psql('postgres', 'SELECT * FROM public.audited'), "CREATE TABLE|app.log_20260101\nALTER TABLE|app.log\nCREATE TABLE|app.log_20260102\nALTER TABLE|app.log", 'a SECURITY DEFINER function audits all statements');

# A function that acts in the first statement of a kind. Either the call fails, and nothing is changed, or it goes on with the table
# that it was given and its partitions.
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
	$node->safe_psql('postgres', qq{
		CREATE FUNCTION public.act() RETURNS event_trigger LANGUAGE plpgsql AS \$\$
		BEGIN
			IF NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory') THEN
				PERFORM pg_advisory_xact_lock(1);
				$action;
			END IF;
		END \$\$});
	foreach ([ postgres => 'postgres|"$user", public' ], [ hostile => 'hostile|"$user", public' ])
	{
		my ($role, $before) = @$_;
		run('hostile', $make . ($call eq 'create' ? '' : $call{create}));
		my ($tables_before) = run('postgres', $tables);
		$node->safe_psql('postgres', "CREATE EVENT TRIGGER act ON $event WHEN TAG IN ('$tag') EXECUTE FUNCTION public.act()");
		my ($answers, $messages) = run($role, 'BEGIN', 'SAVEPOINT s', $call{$call}, $tables, 'ROLLBACK TO s', $session, $call{$call}, 'COMMIT', $session);
		my $test = "$role: $call, $action at $event of $tag";
		$node->safe_psql('postgres', 'DROP EVENT TRIGGER act');
		if (ref $expected)
		{
			like($messages, qr/ERROR:  .*$expected/, $test);
			is($answers, "$before\n$before", 'an error restores the user and the path');
			is((run('postgres', $tables))[0], $tables_before, 'an error leaves the tables unchanged');
		}
		else
		{
			is($answers, ($expected // '') . "\n$before\n$before", $test);
			is((run('postgres', $tables))[0], $expected // '', 'the tables after the commit');
		}
	}
	$node->safe_psql('postgres', 'DROP FUNCTION public.act()');
}

$node->stop;
done_testing();
