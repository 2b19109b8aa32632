# A session that generates, commits, prepares, asks or resets the clock stops at each of its steps in src/generator, one after
# the other, while other sessions do their part from beginning to end. Whatever the step: no row below an answer of ulid_settled()
# is missing from the snapshot that it was asked for, and in the end everything is settled. After a crash, and when a clock is
# advanced, no identifier is below one that its database has.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_connections = 12\nmax_worker_processes = 0\nmax_wal_senders = 0\nmax_prepared_transactions = 1\nlog_statement = none\nfsync = off\n");
$node->start;
my $library = "$ENV{IDS_FAULTS}/steps/ids";
$node->safe_psql('postgres', "CREATE EXTENSION ids; UPDATE pg_proc SET probin = '$library' WHERE probin ~ '/ids\$'");
$node->safe_psql('postgres', "CREATE FUNCTION $_ LANGUAGE c STRICT AS '$library'") foreach 'stop_after(int) RETURNS void', 'is_stopped(int) RETURNS boolean', 'go_on(int) RETURNS void', 'lose_memory() RETURNS void';
$node->safe_psql('postgres', q{
	CREATE EXTENSION dblink;
	CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), round int);
	CREATE TYPE answer AS (bound ulid, seen ulid[]);

	CREATE FUNCTION address(name text, session text DEFAULT '') RETURNS text LANGUAGE sql
		RETURN format('dbname=%s host=%s port=%s application_name=%L', name, current_setting('unix_socket_directories'), current_setting('port'), session);

	-- Waits until a connection is idle. Returns false if it sleeps instead, because it waits for another one, unless it is to be waited for.
	CREATE FUNCTION is_idle(name text, patiently boolean) RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE
		since timestamptz := clock_timestamp();
		file text;
		asleep int := 0;
	BEGIN
		PERFORM pg_stat_clear_snapshot();
		SELECT format('/proc/%s/stat', pid) INTO file FROM pg_stat_activity WHERE application_name = name ORDER BY backend_start DESC LIMIT 1;
		WHILE dblink_is_busy(name) = 1 LOOP
			PERFORM pg_sleep(0.0002);
			IF clock_timestamp() > since + interval '10 min' THEN RAISE '% is stuck', name; END IF;
			CONTINUE WHEN patiently OR clock_timestamp() < since + interval '20 ms';
			asleep := CASE WHEN pg_read_file(file, 0, 200) ~ '\) S' THEN asleep + 1 ELSE 0 END;
			IF asleep > 10 THEN RETURN false; END IF;
		END LOOP;
		RETURN true;
	END $$;

	-- The result of what was sent, which is an answer if that was a query for one. Errors are raised.
	CREATE FUNCTION result(name text, sent text) RETURNS answer LANGUAGE plpgsql AS $$
	DECLARE
		got answer;
	BEGIN
		PERFORM is_idle(name, true);
		IF sent ~ 'AS bound' THEN
			SELECT * INTO got FROM dblink_get_result(name) a (bound ulid, seen ulid[]);
			PERFORM * FROM dblink_get_result(name) a (bound ulid, seen ulid[]);
		ELSE
			PERFORM * FROM dblink_get_result(name) a (t text);
			PERFORM * FROM dblink_get_result(name) a (t text);
		END IF;
		RETURN got;
	END $$;

	-- Waits until the session "stopped" has stopped, or returns false if its statement has ended.
	CREATE FUNCTION halts(pid int) RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE
		since timestamptz := clock_timestamp();
	BEGIN
		LOOP
			IF is_stopped(pid) THEN RETURN true; END IF;
			IF dblink_is_busy('stopped') = 0 THEN RETURN false; END IF;
			IF clock_timestamp() > since + interval '10 min' THEN RAISE 'it takes too long'; END IF;
			PERFORM pg_sleep(0.0002);
		END LOOP;
	END $$;

	-- Each statement begins with the name of its session. The session "stopped" runs one of them step by step; "fresh" asks while it is
	-- stopped, "late" has taken its snapshot then and asks afterwards, and "old" has the snapshot of the statements before, or of where
	-- these say so. Returns how many steps there were and what went wrong.
	CREATE FUNCTION step_by_step(before text[], stopped text, meanwhile text[], afterwards text[], OUT steps int, OUT blocked int, OUT missed int, OUT asked int, OUT unsettled int)
	LANGUAGE plpgsql AS $$
	DECLARE
		ask text := 'SELECT ulid_settled() AS bound, coalesce(array_agg(id), ''{}'') FROM event WHERE round = %s';
		pid int;
		answers answer[];
		statement text;
		name text;
		halted boolean;
	BEGIN
		blocked := 0; missed := 0; asked := 0; unsettled := 0;
		FOREACH name IN ARRAY ARRAY['stopped', 'other', 'fresh', 'late', 'old'] LOOP
			PERFORM dblink_connect(name, address('postgres', name));
			PERFORM * FROM dblink(name, 'SELECT gen_ulid()::text, ulid_settled()::text') t (a text, b text);
		END LOOP;
		SELECT p INTO pid FROM dblink('stopped', 'SELECT pg_backend_pid()') t (p int);
		FOR n IN 1 .. 2000 LOOP
			steps := n;
			answers := '{}';
			FOREACH statement IN ARRAY before || CASE WHEN 'old' = ANY (before) THEN '{}'::text[] ELSE '{old}' END LOOP
				IF statement = 'old' THEN
					PERFORM dblink_exec('old', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
					PERFORM * FROM dblink('old', 'SELECT 1') t (a int);
				ELSE
					PERFORM dblink_send_query(split_part(statement, ': ', 1), replace(split_part(statement, ': ', 2), 'ROUND', n::text));
					PERFORM result(split_part(statement, ': ', 1), statement);
				END IF;
			END LOOP;
			PERFORM * FROM dblink('stopped', format('SELECT stop_after(%s)::text', n)) t (a text);
			stopped := replace(stopped, 'ASK', ask);
			PERFORM dblink_send_query('stopped', replace(format(replace(stopped, 'ROUND', '%1$s'), n), '%s', n::text));
			halted := halts(pid);
			PERFORM dblink_exec('late', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
			PERFORM * FROM dblink('late', 'SELECT 1') t (a int);
			FOREACH statement IN ARRAY meanwhile || array['fresh: ' || ask, 'old: ' || ask] LOOP
				name := split_part(statement, ': ', 1);
				statement := replace(replace(split_part(statement, ': ', 2), 'ROUND', n::text), '%s', n::text);
				PERFORM dblink_send_query(name, statement);
				-- It may need what the stopped session holds.
				IF halted AND NOT is_idle(name, false) THEN
					blocked := blocked + 1;
					PERFORM go_on(pid);
				END IF;
				answers := answers || result(name, statement);
			END LOOP;
			PERFORM go_on(pid);
			answers := answers || result('stopped', stopped);
			PERFORM * FROM dblink('stopped', 'SELECT stop_after(0)::text') t (a text);
			PERFORM dblink_send_query('late', format(ask, n));
			answers := answers || result('late', ask);
			FOREACH statement IN ARRAY afterwards || array['late: COMMIT', 'old: COMMIT'] LOOP
				PERFORM dblink_send_query(split_part(statement, ': ', 1), replace(split_part(statement, ': ', 2), 'ROUND', n::text));
				PERFORM result(split_part(statement, ': ', 1), statement);
			END LOOP;
			missed := missed + (SELECT count(*) FROM unnest(answers) a, event WHERE round = n AND id < bound AND id <> ALL (seen));
			asked := asked + (SELECT count(*) FROM unnest(answers) a WHERE bound > '00000000000000000000000000');
			unsettled := unsettled + (SELECT count(*) FROM event WHERE round = n AND id >= ulid_settled());
			EXIT WHEN NOT halted;
		END LOOP;
		FOREACH name IN ARRAY ARRAY['stopped', 'other', 'fresh', 'late', 'old'] LOOP
			PERFORM dblink_disconnect(name);
		END LOOP;
	END $$;

	-- Two databases have a mark each, of which that of "neighbour" is an hour higher. Before each step the server forgets both, and each
	-- session runs its statement of before. Then "stopped", which is a session of the one, runs its statement step by step, and "other"
	-- meanwhile, in a transaction that is open until both have made more identifiers. Returns how many steps there were, and how many
	-- identifiers were not above all that their database had, or equal to one.
	CREATE TABLE made (ulid ulid, scru160 scru160, tbsl tbsl, is_below boolean);
	CREATE FUNCTION make(generator text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format('INSERT INTO made (%1$I, is_below) SELECT id, id <= (SELECT max(%1$I) FROM made) FROM gen_%1$I() id', generator);
	END $$;
	CREATE FUNCTION receive(at timestamptz) RETURNS void LANGUAGE sql BEGIN ATOMIC
		INSERT INTO made VALUES (ulid_last(at), scru160_last(at), tbsl_last(at));
		SELECT ids_advance_clock(at);
	END;
	CREATE FUNCTION order_by_steps(before text[], stopped text, database text, meanwhile text, OUT steps int, OUT blocked int, OUT below int, OUT equal int) LANGUAGE plpgsql AS $$
	DECLARE
		halted boolean;
		pid int;
		name text;
	BEGIN
		blocked := 0; below := 0; equal := 0;
		FOR n IN 1 .. 2000 LOOP
			steps := n;
			PERFORM * FROM dblink(address('postgres'), 'SELECT ids_reset_clock()::text; TRUNCATE made; SELECT receive(clock_timestamp() + ''1 h'')::text') t (a text);
			PERFORM * FROM dblink(address('neighbour'), 'SELECT ids_reset_clock()::text; TRUNCATE made; SELECT receive(clock_timestamp() + ''2 h'')::text; SELECT lose_memory()::text') t (a text);
			PERFORM dblink_connect('stopped', address('postgres', 'stopped')), dblink_connect('other', address(database, 'other'));
			PERFORM * FROM dblink('stopped', before[1]) t (a text);
			PERFORM * FROM dblink('other', before[2]) t (a text);
			SELECT p INTO pid FROM dblink('stopped', format('SELECT pg_backend_pid(), stop_after(%s)::text', n)) t (p int, a text);
			PERFORM dblink_exec('other', 'BEGIN');
			PERFORM dblink_send_query('stopped', stopped);
			halted := halts(pid);
			PERFORM dblink_send_query('other', meanwhile);
			IF halted AND NOT is_idle('other', false) THEN blocked := blocked + 1; END IF;
			PERFORM go_on(pid), result('stopped', stopped), result('other', meanwhile);
			PERFORM * FROM dblink('stopped', 'SELECT stop_after(0)::text') t (a text);
			FOREACH name IN ARRAY ARRAY['stopped', 'other', 'COMMIT', 'stopped', 'other'] LOOP
				IF name = 'COMMIT' THEN PERFORM dblink_exec('other', name);
				ELSE PERFORM * FROM dblink(name, 'SELECT make(''ulid'')::text; SELECT make(''scru160'')::text; SELECT make(''tbsl'')::text') t (a text);
				END IF;
			END LOOP;
			FOREACH name IN ARRAY ARRAY['stopped', 'other'] LOOP
				SELECT below + b, equal + e INTO below, equal FROM dblink(name, 'SELECT count(*) FILTER (WHERE is_below),
					count(ulid) + count(scru160) + count(tbsl) - count(DISTINCT ulid) - count(DISTINCT scru160) - count(DISTINCT tbsl) FROM made') t (b int, e int);
				PERFORM dblink_disconnect(name);
			END LOOP;
			EXIT WHEN NOT halted;
		END LOOP;
	END $$});
$node->safe_psql('postgres', 'CREATE DATABASE neighbour TEMPLATE postgres');

my ($begin, $insert) = ('BEGIN', 'INSERT INTO event (round) VALUES (ROUND)');
sub of { my ($session, @statements) = @_; return map { $_ eq 'old' ? $_ : "$session: $_" } @statements }
my $ahead = q{fresh: SELECT ids_advance_clock(clock_timestamp() + interval '1 hour')};
my @cases = (
	[ 'the first identifier beside another' => [ of(stopped => $begin) ], $insert, [ of(other => $begin, $insert, 'COMMIT') ], [ of(stopped => 'COMMIT') ] ],
	[ 'COMMIT beside COMMIT' => [ map { of($_ => $begin, $insert) } 'stopped', 'other' ], 'COMMIT', [ of(other => 'COMMIT') ], [] ],
	[ 'ROLLBACK' => [ of(stopped => $begin, $insert) ], 'ROLLBACK', [], [] ],
	[ 'PREPARE TRANSACTION beside COMMIT' => [ map { of($_ => $begin, $insert) } 'stopped', 'other' ], q{PREPARE TRANSACTION 'p'}, [ of(other => 'COMMIT') ],
		[ of(other => q{COMMIT PREPARED 'p'}) ] ],
	[ 'PREPARE TRANSACTION in the place of another' => [ of(other => $begin, $insert, q{PREPARE TRANSACTION 'q'}, 'old', q{COMMIT PREPARED 'q'}), of(stopped => $begin, $insert) ],
		q{PREPARE TRANSACTION 'p'}, [ of(other => $begin, $insert, 'COMMIT') ], [ of(other => q{COMMIT PREPARED 'p'}) ] ],
	[ 'asking while another session inserts' => [], 'ASK', [ of(other => $begin, $insert, 'COMMIT') ], [] ],
	[ 'asking while another session commits' => [ of(other => $begin, $insert) ], 'ASK', [ of(other => 'COMMIT') ], [] ],
	[ 'asking while another session prepares' => [ of(other => $begin, $insert) ], 'ASK', [ of(other => q{PREPARE TRANSACTION 'p'}, q{COMMIT PREPARED 'p'}) ], [] ],
	[ 'asking while a place is used again' => [ of(other => $begin, $insert, q{PREPARE TRANSACTION 'p'}, 'old') ], 'ASK',
		[ of(other => q{COMMIT PREPARED 'p'}, $begin, $insert, q{PREPARE TRANSACTION 'q'}) ], [ of(other => q{COMMIT PREPARED 'q'}) ] ],
	[ 'ids_reset_clock() while a transaction goes on' => [ $ahead, of(other => $begin, $insert) ], 'SELECT ids_reset_clock()', [ of(other => $insert) ], [ of(other => 'COMMIT') ] ],
	[ 'generating while the clock is reset' => [ $ahead, of(stopped => $begin, $insert) ], $insert, [ 'other: SELECT ids_reset_clock()' ], [ of(stopped => 'COMMIT') ] ],
	[ 'the first identifier while the clock is reset' => [ $ahead, of(stopped => $begin) ], $insert, [ 'other: SELECT ids_reset_clock()' ], [ of(stopped => 'COMMIT') ] ]);
# Each again, if another session ends a transaction last: it stays open, or prepared, until all have answered.
my @open = map {
	my ($what, $before, $stopped, $meanwhile, $afterwards) = @$_;
	my ($end, @first) = reverse @$meanwhile;
	$end =~ /COMMIT/ ? [ "$what, and stays open", $before, $stopped, [ reverse @first ], [ $end, @$afterwards ] ] : ();
} grep { @{ $_->[3] } } @cases;
foreach my $case (@cases, @open)
{
	my ($what, $before, $stopped, $meanwhile, $afterwards) = @$case;
	my $list = sub { 'ARRAY[' . join(', ', map { "\$q\$$_\$q\$" } @_) . ']::text[]' };
	my ($steps, $blocked, $missed, $asked, $unsettled) = split /[|]/, $node->safe_psql('postgres',
		'SELECT * FROM step_by_step(' . $list->(@$before) . ", \$q\$$stopped\$q\$, " . $list->(@$meanwhile) . ', ' . $list->(@$afterwards) . '); TRUNCATE event');
	cmp_ok($steps, '>', 10, "$what: $steps steps, at $blocked of which others waited, $asked answers");
	# After a reset, identifiers from before it are ahead of the clock.
	is("$missed missed, $unsettled unsettled", '0 missed, ' . ($what =~ /reset/ ? $unsettled : 0) . ' unsettled', $what);
}

my $advance = sprintf 'ids_advance_clock(to_timestamp(%d))', time + 5 * 3600;
foreach my $case (
	[ 'the first identifier after a crash beside a generator that is used first' => 1, q{make('ulid')}, 1, 'postgres', q{make('scru160')} ],
	[ 'ids_advance_clock() beside another' => 1, q{receive(clock_timestamp() + '3 h')}, 1, 'neighbour', q{receive(clock_timestamp() + '4 h')} ],
	[ 'an identifier above the mark while another database resets the clock' => q{make('tbsl')}, q{make('tbsl')}, $advance, 'neighbour', "(ids_reset_clock(), $advance)::text" ])
{
	my ($what, $before, $stopped, $others, $database, $meanwhile) = @$case;
	my ($steps, $blocked, $below, $equal) = split /[|]/,
		$node->safe_psql('postgres', "SELECT * FROM order_by_steps(ARRAY[\$q\$SELECT ($before)::text\$q\$, \$q\$SELECT ($others)::text\$q\$], \$q\$SELECT $stopped\$q\$, '$database', \$q\$SELECT $meanwhile\$q\$)");
	cmp_ok($steps, '>', 10, "$what: $steps steps, at $blocked of which the other waited");
	is($below, 0, "$what: no identifier is below one that its database has") if $what !~ /resets/;
	# After a reset, tbsls of the same microsecond are equal once in 1,024 times.
	cmp_ok($equal, '<', $what =~ /resets/ ? 3 : 1, "$what: no identifiers are equal");
}

$node->stop;
done_testing();
