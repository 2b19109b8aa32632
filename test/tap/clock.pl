# libfaketime makes the server's clock jump, stop and go on while the server runs.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $late = $PostgreSQL::Test::Utils::timeout_default;
my $clock = PostgreSQL::Test::Utils::tempdir . '/clock';

sub set_clock
{
	my ($what) = @_;
	unlink "$clock.new";
	append_to_file("$clock.new", "$what\n");
	rename "$clock.new", $clock or die $!;
}

my ($faketime) = glob '/usr/lib/*/faketime/libfaketime.so.1';
plan skip_all => 'libfaketime is missing' unless $faketime;
my $node = PostgreSQL::Test::Cluster->new('turned');
$node->init;
$node->append_conf('postgresql.conf', "log_statement = none\n");
# From 19 on, PostgreSQL may ask the processor, whose clock libfaketime cannot turn.
$node->append_conf('postgresql.conf', "timing_clock_source = system\n") if $node->pg_version->major >= 19;
set_clock('+0');
{
	local %ENV = (%ENV, LD_PRELOAD => $faketime, FAKETIME_TIMESTAMP_FILE => $clock, FAKETIME_NO_CACHE => 1, TZ => 'UTC');
	$node->start;
}
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
$node->safe_psql('postgres', 'CREATE TABLE made (n serial, '
	. join(', ', map { "$_ $type_of{$_} DEFAULT gen_$_()" } @generators) . ')');

# Inserts that many rows in each of two sessions.
sub insert_rows
{
	my ($count) = @_;
	$node->safe_psql('postgres', "INSERT INTO made SELECT FROM generate_series(1, $count)") foreach 1 .. 2;
}

sub generators_show
{
	my ($what, $expected, $column) = @_;
	my $shown = $node->safe_psql('postgres', "SELECT generator, $column FROM ids_generators() ORDER BY 1");
	is($shown, join("\n", map { "$_|$expected" } @generators), $what);
}

# How often the log says that the clock stepped back, for any generator.
sub logged
{
	return scalar(() = slurp_file($node->logfile) =~ /LOG:  the clock is [0-9.]+ seconds behind the last id of generator "\w+"/g);
}

my $ordered = 'SELECT ' . join(', ', map { "bool_and(key_$_ > lag_$_)" } @generators) . ' FROM (SELECT '
	. join(', ', map { my $key = key_of($_, $_); "$key AS key_$_, lag($key) OVER (ORDER BY n) AS lag_$_" } @generators) . ' FROM made) made';
sub in_order
{
	my ($what) = @_;
	is($node->safe_psql('postgres', $ordered), join('|', ('t') x @generators), "$what: the order holds");
	my $distinct = join ' + ', map { "count(DISTINCT $_)" } @generators;
	is($node->safe_psql('postgres', "SELECT $distinct - " . @generators . ' * count(*) FROM made'), '0', "$what: no identifier occurs twice");
}

my $now = 'lead < $$1 s$$';
my $ahead = 'lead > $$9.9 years$$';
insert_rows(2000);
generators_show('at first no generator is ahead', 't|0', "$now, clock_rollbacks");
set_clock('+10y');
insert_rows(2000);
generators_show('ten years later: no rollback', 't|0', "$now, clock_rollbacks");
is(logged(), 0, 'the log mentions no rollback');
in_order('ten years later');

set_clock('+0');
insert_rows(5000);
generators_show('back: the generators are ahead and count one rollback', 't|1', "$ahead, clock_rollbacks");
is(logged(), @generators, 'the log says once of each generator that the clock stepped back');
in_order('back');

set_clock('+95');
insert_rows(10);
is(logged(), @generators, 'the log does not repeat this');
generators_show('it counts as the same rollback', 't|1', "$ahead, clock_rollbacks");
in_order('still back');

$node->safe_psql('postgres', 'SELECT ids_reset_clock(); TRUNCATE made');
generators_show('after ids_reset_clock()', 't|1', "$now, clock_rollbacks");
insert_rows(2000);
generators_show('the generators follow the clock after ids_reset_clock()', 't|1', "$now, clock_rollbacks");
in_order('after the reset');

# The clock catches up by itself.
set_clock('+500');
insert_rows(10);
set_clock('+100');
insert_rows(10);
generators_show('another step back is another rollback', 't|2', 'lead > $$100 s$$, clock_rollbacks');
is(logged(), 2 * @generators, 'the log says that, too');
set_clock('+501');
insert_rows(10);
generators_show('when the clock has caught up, the generators are no longer ahead', 't|2', "$now, clock_rollbacks");
set_clock('+401');
insert_rows(10);
generators_show('a step back after that is a third one', 't|3', 'lead > $$90 s$$, clock_rollbacks');
in_order('caught up');

# A time that a type cannot hold does no harm.
set_clock('+70y');
like(($node->psql('postgres', 'SELECT gen_snowflake()'))[2], qr/the server's clock is out of range for generator "snowflake".*HINT:  .*ids_reset_clock/s, 'in 70 years there are no snowflakes');
set_clock('2086-09-07 15:47:30');
$node->safe_psql('postgres', q{SELECT ids_advance_clock('2086-09-07 15:47:35.551Z')});
like(($node->psql('postgres', "\\set VERBOSITY verbose\nSELECT gen_snowflake()"))[2], qr/ERROR:  22008: /, 'there is no snowflake after the last one');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
set_clock('+501');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
is($node->safe_psql('postgres', "SELECT $now FROM ids_generators(), gen_snowflake() WHERE generator = 'snowflake'"), 't', 'snowflakes are generated again when the clock is back');

# If a millisecond is used up and the clock does not move, gen_snowflake() waits, and the statement can be
# cancelled. (A statement_timeout ends it the same way, but libfaketime disturbs the timer.)
$node->safe_psql('postgres', 'SELECT gen_snowflake()');
# The clock stops within a second of the last snowflake.
set_clock($node->safe_psql('postgres', q{SELECT to_char(clock_timestamp() + interval '500 ms', 'YYYY-MM-DD HH24:MI:SS')}));
my $statement = 'SELECT count(gen_snowflake()) FROM generate_series(1, 3000)';
my $waiting = IPC::Run::start(
	[ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-v', 'VERBOSITY=verbose', '-c', $statement, '-c', q{SELECT 'alive'} ],
	'>', \my $told, '2>', \my $error, IPC::Run::timeout($late));
my $query = "FROM pg_stat_activity WHERE state = 'active' AND query = '$statement'";
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 $query"), 'gen_snowflake() waits while the clock does not move');
sleep 0.5;
is($node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) $query"), 't', 'the waiting statement is cancelled');
eval { $waiting->finish };
$waiting->kill_kill if $@;
like($error, qr/ERROR:  57014: canceling statement due to user request/, 'the cancellation ends the wait');
is($told, "alive\n", 'the session goes on after the cancellation');
set_clock('+600');
$node->stop;

# On a steady clock no rollback is counted, even if backends are stopped for longer than a second between reading the clock and
# taking a tick. The last two go on before the others.
$node = PostgreSQL::Test::Cluster->new('steady');
$node->init;
$node->append_conf('postgresql.conf', "log_statement = none\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
my $script = $node->basedir . '/generate.sql';
append_to_file($script, 'SELECT ' . join(', ', map { "count(gen_$_())" } 'ulid', 'tbsl') . " FROM generate_series(1, 100000);\n");
my $clients = IPC::Run::start([ 'pgbench', '-n', '-c', 12, '-j', 2, '-T', 3600, '-f', $script, $node->connstr('postgres') ], '>&', \my $out, IPC::Run::timeout(2 * $late));
$node->poll_query_until('postgres', q{SELECT count(*) = 12 FROM pg_stat_activity WHERE query LIKE 'SELECT count(gen_%'}) or die;
my @backends = split /\n/, $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT count(gen_%'});
my ($rounds, $stopped, $overtaken) = (0, 0, 0);
while ($overtaken < 8 && $rounds < 16)
{
	++$rounds;
	$stopped += kill 'STOP', @backends;
	sleep 1.2;
	kill 'CONT', @backends[ 10, 11 ];
	# A stopped backend may hold the lock of the mark's page, or be the one that it woke. These two then wait: once more.
	local $PostgreSQL::Test::Utils::timeout_default = 15;
	$overtaken += $node->poll_query_until('postgres', q{SELECT bool_and(clock_timestamp() - last_timestamp < '0.5 s') FROM ids_generators()});
	kill 'CONT', @backends[ 0 .. 9 ];
	sleep 0.1;
}
is($stopped, $rounds * @backends, 'clients that are delayed again and again');
is($overtaken, 8, 'eight times the last two generate identifiers while the others are stopped');
$clients->kill_kill(grace => 0);
is($node->safe_psql('postgres', q{SELECT generator, clock_rollbacks, lead < '1 s' FROM ids_generators() ORDER BY 1}), "tbsl|0|t\nulid|0|t", 'on a steady clock: no rollback');
unlike(slurp_file($node->logfile), qr/the clock is/, 'on a steady clock: the log mentions no rollback');
$node->stop;

done_testing();
