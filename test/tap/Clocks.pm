# Servers with a clock each, which a test turns back during a crash, a restart or a failover, and a check that identifiers
# made afterwards are above all that were committed before.
package Clocks;

use strict;
use warnings;
use Exporter 'import';
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Recovery;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw($rows_before create_server create_table_sql start_server turn_clock clock_lead insert_rows insert_in_turn
  last_row check_ids_since insert_and_check check_across start_clients copy_as_after_power_loss);

our $rows_before = 10_000;

my %turned;    # by the name of a server: how many seconds its clock is ahead of the right time
my $late = $PostgreSQL::Test::Utils::timeout_default;
my ($faketime) = glob '/usr/lib/*/faketime/libfaketime.so.1';
plan skip_all => 'libfaketime is missing' unless $faketime;

# A server that has the extension and a table with many committed rows, each with an identifier of every
# generator. The rows are made without libfaketime, which would slow this down.
sub create_server
{
	my ($name, $settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 1, extra => [ '--wal-segsize', '1' ]);
	$node->append_conf('postgresql.conf',
		"shared_buffers = 128MB\nmax_connections = 30\njit = off\nlog_statement = none\nrestart_after_crash = on\n" . ($settings // ''));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ids; ' . create_table_sql());
	$node->stop;
	start_server($node, +1);
	return $node;
}

# A table with many rows.
sub create_table_sql
{
	my $columns = join ', ', map { "$_ $type_of{$_} DEFAULT gen_$_()" } @generators;
	return "CREATE TABLE made (n bigserial PRIMARY KEY, $columns); INSERT INTO made SELECT FROM generate_series(1, $rows_before); ANALYZE made";
}

# Turns the clock of a server, running or not, by that many seconds.
sub turn_clock
{
	my ($node, $seconds) = @_;
	my $clock = $node->basedir . '/clock';
	$turned{ $node->name } += $seconds;
	unlink "$clock.new";
	append_to_file("$clock.new", sprintf("%+.1f\n", $turned{ $node->name }));
	rename "$clock.new", $clock or die $!;
}

# By how many seconds the clock of a server is ahead.
sub clock_lead
{
	my ($node) = @_;
	return $turned{ $node->name };
}

# Starts a server whose clock is turned by that many seconds. Its monotonic clock is not turned, because it never steps.
# Nor has libfaketime shared memory, if it is new enough to do without: that is pg_ctl's, and may fail in the backends that a server
# built with EXEC_BACKEND executes later.
sub start_server
{
	my ($node, $seconds) = @_;
	turn_clock($node, $seconds // 0);
	local %ENV = (%ENV, LD_PRELOAD => $faketime, FAKETIME_TIMESTAMP_FILE => $node->basedir . '/clock',
		FAKETIME_NO_CACHE => 1, FAKETIME_DISABLE_SHM => 1, FAKETIME_DONT_FAKE_MONOTONIC => 1, DONT_FAKE_MONOTONIC => 1, TZ => 'UTC');
	$node->start;
}

# Inserts rows in two sessions in turn.
sub insert_rows
{
	my ($node, $database) = @_;
	my @sessions = map { $node->background_psql($database // 'postgres') } 1 .. 2;
	insert_in_turn(@sessions);
	$_->quit foreach @sessions;
}

# The same in existing sessions.
sub insert_in_turn
{
	my (@sessions) = @_;
	foreach my $turn (1 .. 2)
	{
		$_->query_safe('INSERT INTO made SELECT FROM generate_series(1, 250)') foreach @sessions;
	}
}

sub last_row
{
	my ($node, $database) = @_;
	return $node->safe_psql($database // 'postgres', 'SELECT max(n) FROM made');
}

# Checks the identifiers of the rows after the given one: each is above all earlier identifiers, and none occurs twice. They
# were made in the order of n, unless concurrent sessions made them (at_once).
sub check_ids_since
{
	my ($node, $before, $what, %params) = @_;
	my @each = map {
		my $key = key_of($_, $_);
		my $greatest = "(SELECT max($key) FROM made WHERE n <= $before)";
		$greatest = "greatest($greatest, max($key) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))" unless $params{at_once};
		"SELECT format('$_: %s below, %s twice', count(*) FILTER (WHERE NOT $key > before), (SELECT count(*) FROM made a JOIN made b USING ($_) WHERE a.n > $before AND b.n <> a.n))
		 FROM (SELECT $_, $greatest AS before FROM made WHERE n > $before) made"
	} @generators;
	my $shown = $node->safe_psql($params{database} // 'postgres', join(' UNION ALL ', @each,
		"SELECT concat('rows before: ', count(*) FILTER (WHERE n <= $before) >= $rows_before, ', after: ', count(*) FILTER (WHERE n > $before) > 0) FROM made") . ' ORDER BY 1');
	is($shown, join("\n", sort 'rows before: t, after: t', map { "$_: 0 below, 0 twice" } @generators), "$what: no identifier is below a committed one, and none occurs twice");
}

# Inserts rows in two sessions and checks that their identifiers are above all existing ones.
sub insert_and_check
{
	my ($node, $what, $database) = @_;
	my $before = last_row($node, $database);
	insert_rows($node, $database);
	check_ids_since($node, $before, $what, database => $database);
}

# The same after an event, during which the clock is turned back by five seconds. Before the event, the clock is turned ahead
# of every identifier.
sub check_across
{
	my ($what, $node, $event) = @_;
	turn_clock($node, +10);
	insert_rows($node);
	$event->();
	turn_clock($node, -5);
	start_server($node) unless $node->{_pid};
	takes_connections($node);
	insert_and_check($node, $what);
}

# Clients that insert until they lose their connections, or so many times.
sub start_clients
{
	my ($node, $times) = @_;
	my $script = $node->basedir . '/insert.sql';
	append_to_file($script, "INSERT INTO made SELECT FROM generate_series(1, 10);\n") unless -e $script;
	my $from = last_row($node) + 1000;
	my $clients = IPC::Run::start([ 'pgbench', '-n', '-c', 4, $times ? ('-t', $times) : ('-T', $late), '-f', $script, $node->connstr('postgres') ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($late));
	$node->poll_query_until('postgres', "SELECT max(n) > $from FROM made") unless $times;
	return $clients;
}

# A copy of the server's files as a loss of power would leave them, without anything that is only in memory. Another server
# can start from it. The server's processes are stopped while the files are copied.
sub copy_as_after_power_loss
{
	my ($node, $name) = @_;
	my $data = $node->data_dir;
	my @processes = grep { (readlink("/proc/$_/cwd") // '') eq $data } map { m{(\d+)$} } glob '/proc/[0-9]*';
	kill 'STOP', $node->{_pid}, @processes;
	mkdir $node->backup_dir;
	my $copied = system 'cp', '-a', $data, $node->backup_dir . "/$name";
	kill 'CONT', @processes, $node->{_pid};
	die 'cannot copy' if $copied;
	unlink $node->backup_dir . "/$name/postmaster.pid";
}

1;
