# Servers with a clock each, which a test turns back over a crash, a restart or a failover, and the question
# whether identifiers made after it are above all that were committed before.
package Clocks;

use strict;
use warnings;
use Exporter 'import';
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw($rows_before set_up sql_made turn ahead start make insert last_row holds goes_on after
  clients copy_as_after_power_loss);

our $rows_before = 100_000;

my %turned;    # by the name of a server: how many seconds its clock is ahead of the right time
my $late = $PostgreSQL::Test::Utils::timeout_default;
my ($faketime) = glob '/usr/lib/*/faketime/libfaketime.so.1';
plan skip_all => 'libfaketime is missing' unless $faketime;

# A server that has the extension and a table with many committed rows, each with an identifier of every
# generator. The rows are made on a right clock, which a library that turns it would slow down.
sub set_up
{
	my ($name, $settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 1, extra => [ '--wal-segsize', '1' ]);
	$node->append_conf('postgresql.conf',
		"shared_buffers = 128MB\nmax_connections = 30\njit = off\nlog_statement = none\nautovacuum = off\nrestart_after_crash = on\n" . ($settings // ''));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ids; ' . sql_made());
	$node->stop;
	start($node, +1);
	return $node;
}

# A table with many rows.
sub sql_made
{
	my $columns = join ', ', map { "$_ $type_of{$_} DEFAULT gen_$_()" } @generators;
	return "CREATE TABLE made (n bigserial PRIMARY KEY, $columns); INSERT INTO made SELECT FROM generate_series(1, $rows_before); ANALYZE made";
}

# Turns the clock of a server, running or not, by so many seconds.
sub turn
{
	my ($node, $seconds) = @_;
	my $clock = $node->basedir . '/clock';
	$turned{ $node->name } += $seconds;
	unlink "$clock.new";
	append_to_file("$clock.new", sprintf("%+.1f\n", $turned{ $node->name }));
	rename "$clock.new", $clock or die $!;
}

sub ahead
{
	my ($node) = @_;
	return $turned{ $node->name };
}

# Starts a server whose clock is turned by so many seconds. The time that ran since it started is not: it never steps.
sub start
{
	my ($node, $seconds) = @_;
	turn($node, $seconds // 0);
	local %ENV = (%ENV, LD_PRELOAD => $faketime, FAKETIME_TIMESTAMP_FILE => $node->basedir . '/clock',
		FAKETIME_NO_CACHE => 1, FAKETIME_DONT_FAKE_MONOTONIC => 1, DONT_FAKE_MONOTONIC => 1, TZ => 'UTC');
	$node->start;
}

# Rows that two sessions insert in turn.
sub make
{
	my ($node, $database) = @_;
	my @sessions = map { $node->background_psql($database // 'postgres') } 1 .. 2;
	insert(@sessions);
	$_->quit foreach @sessions;
}

sub insert
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

# Of the rows behind the given one, how many identifiers are not above all that were there before, and how many are there
# twice. They were made in the order of n, unless by sessions at once.
sub holds
{
	my ($node, $before, $what, %params) = @_;
	my @each = map {
		my ($key, $follows) = (key_of($_, $_), follows($_));
		my $greatest = "(SELECT max($key) FROM made WHERE n <= $before)";
		$greatest = "greatest($greatest, max($key) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))" unless $params{at_once};
		"SELECT format('$_: %s below, %s twice', count(*) FILTER (WHERE NOT $key $follows before), (SELECT count(*) FROM made a JOIN made b USING ($_) WHERE a.n > $before AND b.n <> a.n))
		 FROM (SELECT $_, $greatest AS before FROM made WHERE n > $before) made"
	} @generators;
	my $shown = $node->safe_psql($params{database} // 'postgres', join(' UNION ALL ', @each,
		"SELECT concat('rows before: ', count(*) FILTER (WHERE n <= $before) >= $rows_before, ', after: ', count(*) FILTER (WHERE n > $before) > 0) FROM made") . ' ORDER BY 1');
	is($shown, join("\n", sort 'rows before: t, after: t', map { "$_: 0 below, 0 twice" } @generators), "$what: none is below a committed one, none there twice");
}

# What two sessions now insert is above all that is there.
sub goes_on
{
	my ($node, $what, $database) = @_;
	my $before = last_row($node, $database);
	make($node, $database);
	holds($node, $before, $what, database => $database);
}

# Goes on after an event over which the clock is turned back by five seconds; before it the clock is ahead of every identifier.
sub after
{
	my ($what, $node, $event) = @_;
	turn($node, +10);
	make($node);
	$event->();
	turn($node, -5);
	start($node) unless $node->{_pid};
	$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
	goes_on($node, $what);
}

# Clients that insert until they lose their connections, or for so many seconds.
sub clients
{
	my ($node, $seconds) = @_;
	my $script = $node->basedir . '/insert.sql';
	append_to_file($script, "INSERT INTO made SELECT FROM generate_series(1, 10);\n") unless -e $script;
	my $from = last_row($node) + 1000;
	my $clients = IPC::Run::start([ 'pgbench', '-n', '-c', 4, '-T', $seconds // $late, '-f', $script, $node->connstr('postgres') ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($late));
	$node->poll_query_until('postgres', "SELECT max(n) > $from FROM made") unless $seconds;
	return $clients;
}

# A copy of the server's files as a loss of power would leave them, for another server to begin with: of what it has in
# memory nothing. Its processes stand still meanwhile.
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
