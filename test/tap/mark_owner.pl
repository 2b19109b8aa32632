# The owner of a database drops the extension while a statement goes on with its functions, and gives another relation the mark's
# name. That moves no clock, and no id is made. Nor can an owner hold the mark's page and so stop the server's checkpoints.
use strict;
use warnings;
use Databases;
use Generators;
use IPC::Run;
use Test::More;

# An ordinary role may create schemas in one database.
begin('attacked', 'TEMPLATE template0');
sql('GRANT CREATE ON DATABASE attacked TO ordinary');
my @calls = ((map { "gen_$_()" } @generators), (map { "${_}_settled()" } @settled));
my $list = join ', ', @calls;
$node->safe_psql('postgres', "CREATE EXTENSION ids; SELECT $list");

# The other database's clock is right, and a new session there generates.
sub unmoved
{
	my ($what) = @_;
	is($node->safe_psql('postgres', "SELECT count(t) FROM (SELECT $list) t"), 1, "$what: another database generates");
	is($node->safe_psql('postgres', q{SELECT max(lead) < '200 ms', (SELECT to_timestamp(unix_us / 1e6) < clock_timestamp() + interval '1 s' FROM ids_internal.mark) FROM ids_generators()}),
		't|t', "$what: its clock and its mark are right");
}

my $dropped = 'ERROR:  55000: extension "ids" was dropped';
my $greatest = 281474976710655999;
my $own = "CREATE SCHEMA ids_internal; CREATE MATERIALIZED VIEW ids_internal.mark AS SELECT %s AS unix_us, bigint '0' AS boot";
my $days_ahead = q{(extract(epoch FROM now() + interval '40 days') * 1e6)::bigint};
# A superuser made a view in the role's schema.
my $lent = 'ALTER SCHEMA app RENAME TO ids_internal';
my %then = (
	'nothing is there' => 'SELECT 1',
	'a view that is days ahead' => sprintf($own, $days_ahead),
	'a view at the greatest time' => sprintf($own, $greatest),
	'a view of a superuser in a schema of the role' => $lent,
	'a table' => 'CREATE SCHEMA ids_internal CREATE TABLE mark (unix_us bigint)');
foreach my $what (sort keys %then)
{
	my $replace = "DROP EXTENSION ids; $then{$what}";
	my $function = "CREATE FUNCTION pg_temp.replace() RETURNS int LANGUAGE plpgsql AS \$\$BEGIN " . $replace =~ s/(^|; )SELECT/$1PERFORM/gr . '; RETURN 1; END$$';
	my @ways = ([ 'a function within the statement' => "$function; SELECT pg_temp.replace(), gen_snowflake()" ],
		map { [ "$_ by a cursor" => "DECLARE c CURSOR FOR SELECT $_ FROM generate_series(1, 3); $replace; FETCH 1 FROM c" ] } @calls);
	# A session each, as the role, in a transaction that is rolled back; then a superuser cleans up.
	my @told = run_all(map { "CREATE SCHEMA app AUTHORIZATION ordinary; CREATE MATERIALIZED VIEW app.mark AS SELECT $days_ahead AS unix_us, bigint '0' AS boot; GRANT ALL ON TABLE app.mark TO ordinary;
		SET SESSION AUTHORIZATION ordinary; CREATE EXTENSION ids; \\set VERBOSITY verbose\nBEGIN; $_->[1]; ROLLBACK;\n\\c -
		SET client_min_messages = warning; DROP EXTENSION IF EXISTS ids; DROP OWNED BY ordinary CASCADE; GRANT CREATE ON DATABASE attacked TO ordinary;\n\\c -" } @ways);
	is(join(', ', $told[$_][1] =~ /ERROR: .*/g), $dropped, "$ways[$_][0]: $what") foreach 0 .. $#ways;
	unmoved($what);
}

# While a session waits for the mark, another one replaces it.
$node->safe_psql('attacked', 'SET SESSION AUTHORIZATION ordinary; CREATE EXTENSION ids');
{
	my $dropper = $node->background_psql('attacked');
	$dropper->query_safe($_) foreach 'SET SESSION AUTHORIZATION ordinary', 'BEGIN', 'DROP EXTENSION ids', sprintf($own, $days_ahead);
	my $generator = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('attacked'), '-c', 'SELECT gen_ulid() IS NULL' ], '>', \my $got, '2>&1');
	ok($node->poll_query_until('attacked', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted'), 'a generator waits');
	$dropper->query_safe('COMMIT');
	$dropper->quit;
	$generator->finish;
	like($got, qr/$dropped/, 'the mark is replaced while a session waits for it');
	unmoved('the mark is replaced while a session waits for it');
}
$node->safe_psql('attacked', 'DROP SCHEMA ids_internal CASCADE');

# A superuser lets the role create relations in a schema of that name. A mark less than a day ahead is sound.
{
	$node->safe_psql('attacked', 'CREATE EXTENSION ids');
	my $session = $node->background_psql('attacked', on_error_stop => 0);
	$session->query_safe($_) foreach 'BEGIN', 'DECLARE c CURSOR FOR SELECT gen_ulid() IS NULL FROM generate_series(1, 3)';
	$node->safe_psql('attacked', $_) foreach 'DROP EXTENSION ids; CREATE SCHEMA ids_internal; GRANT CREATE, USAGE ON SCHEMA ids_internal TO ordinary',
		'SET SESSION AUTHORIZATION ordinary; ' . sprintf($own, $days_ahead) =~ s/CREATE SCHEMA ids_internal;//r =~ s/40 days/23 hours/r;
	is($session->query('FETCH 1 FROM c'), '', 'a sequence of the role in a schema of a superuser is not the mark');
	$session->quit;
	unmoved('a sequence of the role in a schema of a superuser');
	$node->safe_psql('attacked', 'DROP SCHEMA ids_internal CASCADE');
}

# Whoever created the extension as a superuser is none any more, so the mark does not belong to one.
$node->safe_psql('attacked', $_) foreach 'CREATE ROLE former SUPERUSER', 'SET SESSION AUTHORIZATION former; CREATE EXTENSION ids', 'ALTER ROLE former NOSUPERUSER',
	'GRANT CREATE ON DATABASE attacked TO former';
is($node->safe_psql('attacked', "SELECT count(t) FROM (SELECT $list) t"), 1, 'a mark that belongs to no superuser, but to the extension');
like(($node->psql('attacked', "\\set VERBOSITY verbose\n" . 'SET SESSION AUTHORIZATION former; BEGIN; DECLARE c CURSOR FOR SELECT gen_tbsl() FROM generate_series(1, 3); DROP EXTENSION ids; '
	. sprintf($own, $days_ahead) . '; FETCH 1 FROM c'))[2], qr/$dropped/, 'that role cannot replace it either');
unmoved('a former superuser');

# CREATE EXTENSION, and a session that has to look the extension up, may have to wait for pg_depend. A checkpoint does not wait then.
my ($lock, $reader) = map { $node->background_psql('attacked') } 1 .. 2;
my @psql = ('psql', '-XAtq', '-d', $node->connstr('attacked'));
my @started;
sub in_background
{
	push @started, IPC::Run::start([ @psql, map { ('-c', $_) } @_ ], '>', \my $out, '2>&1');
}
sub seen_waiting
{
	my ($what, $for) = @_;
	ok($node->poll_query_until('attacked', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND $for"), $what);
}
my $depend = q{relation = 'pg_depend'::regclass AND mode};
sub hold_pg_depend
{
	$reader->query_safe($_) foreach 'BEGIN', 'SELECT count(*) FROM pg_depend';
	in_background('VACUUM FULL pg_depend');
	seen_waiting('VACUUM FULL waits for a reader of pg_depend', "$depend = 'AccessExclusiveLock'");
}
sub checkpoint_ends
{
	my ($what) = @_;
	is(($node->psql('postgres', q{SET statement_timeout = '60s'; CHECKPOINT}))[2], '', "$what: a checkpoint ends");
	$reader->query_safe('COMMIT');
	$_->finish foreach @started;
	is(join('', map { $_->full_results } @started), '0' x @started, "$what: and so do the statements");
	@started = ();
}

hold_pg_depend();
in_background("SELECT $list");
seen_waiting('a generator waits for pg_depend', "$depend = 'AccessShareLock'");
checkpoint_ends('a generator waits for pg_depend');
$node->safe_psql('attacked', 'DROP EXTENSION ids');

# An event trigger stops CREATE EXTENSION before its first id.
$node->safe_psql('attacked', q{
	CREATE FUNCTION pause() RETURNS event_trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ 'ids_drop_partitions') THEN
			PERFORM pg_advisory_xact_lock(1);
		END IF;
	END $$;
	CREATE EVENT TRIGGER pause ON ddl_command_end EXECUTE FUNCTION pause()});
$lock->query_safe('SELECT pg_advisory_lock(1)');
in_background('SET row_security = off', 'CREATE EXTENSION ids');
seen_waiting('CREATE EXTENSION pauses', q{locktype = 'advisory'});
hold_pg_depend();
$lock->query_safe('SELECT pg_advisory_unlock(1)');
ok($node->poll_query_until('attacked', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE query ~ '^CREATE EXTENSION' AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'}),
	'CREATE EXTENSION ends or waits');
checkpoint_ends('CREATE EXTENSION goes on');
$_->quit foreach $lock, $reader;

$node->stop;
done_testing();
