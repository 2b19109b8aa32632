# The procedures for partitions, when the extension is dropped, or dropped and created again, at one of their statements.
use strict;
use warnings;
use Databases;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

begin('dropped', 'OWNER owner TEMPLATE template0');
my $until = "'2026-01-04 00:00:00+00'";
my %call = (
	create => "CALL ids_create_partitions('log', '1 day', '2026-01-01 00:00:00+00', $until)",
	detach => "CALL ids_drop_partitions('log', $until, detach => true)",
	drop => "CALL ids_drop_partitions('log', $until)");
my $tables = q{SELECT string_agg(CASE WHEN relispartition THEN relname ELSE format('(%s)', relname) END, ' ' ORDER BY relname) FROM pg_class WHERE relname ~ '^log' AND relkind IN ('r', 'p')};

# The owner of the database owns the extension and the table, which has a check. When a partition is attached, PostgreSQL calls the
# function of that check. It calls act(), which executes statements when it is called for the given time. So do event triggers.
sql(q{
	SET ROLE owner;
	CREATE EXTENSION ids;
	CREATE SEQUENCE calls;
	CREATE FUNCTION act() RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE
		statement text;
	BEGIN
		IF nextval('public.calls') = current_setting('act.place')::int THEN
			FOREACH statement IN ARRAY string_to_array(current_setting('act.statements'), '; ') LOOP
				EXECUTE statement;
			END LOOP;
		END IF;
		RETURN true;
	END $$;
	CREATE FUNCTION act_at_event() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM public.act(); END';
	CREATE FUNCTION is_sound(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.act(); END';
	RESET ROLE;
	ALTER DATABASE dropped SET act.place = 0});

# A table, with partitions if they are to be detached or dropped. Returns what the call makes of it while the extension is there.
sub create_table
{
	my ($type, $change) = @_;
	sql("SET client_min_messages = error; DROP TABLE IF EXISTS log, log_20260101, log_20260102, log_20260103; SET ROLE owner;
		CREATE TABLE log (id $type, CHECK (is_sound(1))) PARTITION BY RANGE (id);" . ($change eq 'create' ? '' : $call{create}));
	return sql("SET client_min_messages = error; BEGIN; $call{$change}; $tables; ROLLBACK");
}

# A call in which act() executes the statements when it is called for that time; 'check' is no event.
sub script
{
	my ($call, $event, $statements, $place, $role) = @_;
	my $trigger = $event eq 'check' ? '' : "CREATE EVENT TRIGGER act ON $event WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE') EXECUTE FUNCTION act_at_event();";
	return qq{
		SET client_min_messages = error;
		SELECT setval('calls', 1, false) \\g /dev/null
		BEGIN;
		$trigger
		SET LOCAL act.place = $place;
		SET LOCAL act.statements = '$statements';
		SET LOCAL SESSION AUTHORIZATION $role;
		$call;
		$tables;
		ROLLBACK;
		SELECT CASE WHEN last_value < $place THEN 'not called' END FROM calls;};
}

# At each statement, in the same session. A table of uuids does not depend on the extension. A table of ulids is dropped with it.
my $drops = 'DROP EXTENSION ids';
my $creates_again = 'DROP EXTENSION ids; CREATE EXTENSION ids';
my $no_table = qr/ERROR:  (table "public.log" or a partition of it was changed|(relation|table) .* does not exist|cannot DROP TABLE "log_\d+" because it is being used)/;
my $no_function = qr/ERROR:  function pg_catalog.ulid_first\(unknown\) does not exist/;
foreach ([ create => 'ddl_command_start', 9 ], [ create => 'ddl_command_end', 9 ], [ create => 'check', 3 ],
	[ detach => 'ddl_command_start', 3 ], [ detach => 'ddl_command_end', 3 ],
	[ drop => 'ddl_command_start', 3 ], [ drop => 'sql_drop', 3 ], [ drop => 'ddl_command_end', 3 ])
{
	my ($change, $event, $times) = @$_;
	foreach my $type ('uuid', 'ulid')
	{
		my $right = create_table($type, $change);
		foreach my $statements ($drops, $creates_again)
		{
			my $act = $type eq 'uuid' ? $statements : $statements =~ s/DROP EXTENSION ids/DROP EXTENSION ids CASCADE/r;
			my @told = run_all(map { script($call{$change}, $event, $act, $_, $_ % 2 ? 'postgres' : 'owner') } 1 .. $times);
			foreach my $place (1 .. $times)
			{
				my ($answer, $messages) = @{ $told[ $place - 1 ] };
				my $as_expected = $messages =~ /ERROR/ ? $messages =~ ($type eq 'uuid' ? $no_function : $no_table) && ($change eq 'create' || $type eq 'ulid')
					: $answer =~ s/\n+\z//r eq $right || $type eq 'ulid' && $answer !~ /not called|\(log\)| log_/;
				ok($as_expected, "$change, $type: $act at $event, the call $place of $times") or diag("$answer\n$messages");
			}
		}
	}
}

# Another session does it while a call waits for a lock of the table, or at the beginning of a statement.
my $other = $node->background_psql($database);
sub call_beside
{
	my ($lock, $script, $statements) = @_;
	$other->query_safe("BEGIN; $lock");
	my $file = $node->basedir . '/call.sql';
	unlink $file;
	append_to_file($file, $script);
	my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($database), '-f', $file ], '<', \undef, '>&', \my $output);
	$other->query_safe("DO 'BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP; END'");
	$other->query_safe("$statements; COMMIT");
	IPC::Run::finish($run);
	sql('CREATE EXTENSION IF NOT EXISTS ids');
	return $output;
}
foreach ([ create => 9 ], [ detach => 3 ], [ drop => 3 ])
{
	my ($change, $times) = @$_;
	my $right = create_table('uuid', $change);
	foreach my $statements ($drops, $creates_again)
	{
		my $dropped = $statements eq $drops && $change eq 'create';
		like(call_beside('LOCK TABLE log IN SHARE UPDATE EXCLUSIVE MODE', script($call{$change}, 'check', '', 0, 'owner'), $statements),
			$statements eq $drops ? qr/ERROR:  table "log" is not partitioned by range on one column of ids/ : qr/\A\Q$right\E\n+\z/, "$change: $statements while the call waits for its first lock");
		foreach my $place (1 .. $times)
		{
			my $told = call_beside('SELECT pg_advisory_xact_lock(1)', script($call{$change}, 'ddl_command_start', 'SELECT pg_advisory_xact_lock(1)', $place, 'owner'), $statements);
			like($told, $dropped ? qr/$no_function|\A\Q$right\E\n+\z/ : qr/\A\Q$right\E\n+\z/, "$change: $statements in another session at statement $place");
		}
	}
}
$other->quit;

is(sql('SELECT count(*) FROM pg_stat_activity WHERE backend_start < now()') > 0, 1, 'the server lives');
$node->stop;
done_testing();
