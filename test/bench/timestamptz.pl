#!/usr/bin/perl
# Compares conditions on ids with the same ones on a timestamptz column, on the server that PGHOST, PGPORT ... name: the CPU time and
# the memory to plan times that are not constants with 1, 100 and 1,000 partitions, and the CPU time to filter by a time of the same
# row. Run it with
#
#   test/tools/private.sh server test/bench/timestamptz.pl
#
# PARTITIONS='1 100 1000' says how many, ROUNDS (15) how often; the shortest time counts, because other work on the machine makes a
# time longer, never shorter. It fails if planning takes more than 1.2 times the CPU time or 1.25 times the memory, or filtering more
# than 1.05 times the CPU time.
use strict;
use warnings;
use File::Temp 'tempdir';
use List::Util 'min';

my @partitions = split ' ', $ENV{PARTITIONS} // '1 100 1000';
my $rounds = $ENV{ROUNDS} // 15;
my $directory = tempdir('ids.timestamptz.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $failed = 0;

# Runs a script and returns what it writes.
sub run
{
	my ($script) = @_;
	open my $file, '>', "$directory/script" or die "$directory/script: $!\n";
	print $file "\\set ON_ERROR_STOP on\nSET client_min_messages = log; SET jit = off; SET max_parallel_workers_per_gather = 0;\n$script";
	close $file;
	my $output = `psql -X -q -At -f $directory/script 2>&1`;
	die $output if $? != 0;
	return $output;
}

# The shortest CPU time in ms of each of two statements, by turns, so many times in a row.
sub cpu
{
	my ($times, $before, @pair) = @_;
	my @shortest;
	my $round = join '', map { "\\warn statement\n" . "$_;\n" x $times } @pair;
	my (undef, @outputs) = split /statement$/m, run("$before$pair[0];\n$pair[1];\nSET log_statement_stats = on;\n" . $round x $rounds);
	foreach my $n (0 .. $#outputs)
	{
		my $sum = 0;
		$sum += 1000 * ($1 + $2) / $times while $outputs[$n] =~ /STATISTICS\n.*\n!\s+([\d.]+) s user, ([\d.]+) s system/g;
		$shortest[ $n % 2 ] = min $sum, $shortest[ $n % 2 ] // $sum;
	}
	return @shortest;
}

sub report
{
	my ($name, $unit, $most, $of_id, $of_time) = @_;
	my $ratio = $of_id / $of_time;
	$failed++ if $ratio > $most;
	printf "%-58s %.2f times: %.3f %s, timestamptz %.3f%s\n", $name, $ratio, $of_id, $unit, $of_time, $ratio > $most ? ', too much' : '';
}

# Conditions on a column named id, of ulids and of times; a second one is that on times, if it is another.
my $window = q{id >= now() - interval '2 h' AND id < now() - interval '1 h'};
my @planned = ([ q{id >= now() - interval '1 hour'} ], [$window], [ "$window OR " . $window =~ s/(\d) h/1$1 h/gr ],
	[ 'id < ulid_settled()', 'id < now()' ], [ q{id >= $1 - interval '1 hour'} ]);
my @filters = ([ 'id <@ during' ], [ q{id <@ tstzrange(at, at + interval '1 s')} ], [ q{id > at - interval '1 s'} ]);

my $has_memory = run("SHOW server_version_num;\n") >= 170000;
run(join '', "CREATE EXTENSION ids;\n", map {
	my ($type, $ids) = @$_;
	"CREATE TABLE of_$type AS SELECT at, $ids AS id, tstzrange(at, at + interval '1 s') AS during
		FROM generate_series('2026-01-01', timestamptz '2026-01-01' + interval '12 days', '1 s') at; VACUUM ANALYZE of_$type;\n"
} [ 'ulid', 'gen_ulid(at)' ], [ 'timestamptz', 'at' ]);
foreach my $n (@partitions)
{
	run(join '', map {
		my ($type, $first) = @$_;
		my $bound = sub { "($first(timestamptz '2026-01-01' + $_[0] * interval '1 day'))" };
		("CREATE TABLE of_${type}_$n (id $type) PARTITION BY RANGE (id);\n",
			map { "CREATE TABLE of_${type}_${n}_$_ PARTITION OF of_${type}_$n FOR VALUES FROM " . $bound->($_) . ' TO ' . $bound->($_ + 1) . ";\n" } 1 .. $n)
	} [ 'ulid', 'ulid_first' ], [ 'timestamptz', '' ]);
	foreach my $form (@planned)
	{
		my $prepared = "SET plan_cache_mode = force_custom_plan;\n\\o /dev/null\n"
		  . "PREPARE of_ulid(timestamptz) AS SELECT FROM of_ulid_$n WHERE $form->[0];\nPREPARE of_timestamptz(timestamptz) AS SELECT FROM of_timestamptz_$n WHERE $form->[-1];\n";
		my @pair = map { "EXECUTE of_$_(now())" } 'ulid', 'timestamptz';
		my $name = sprintf '%4d partitions: %s', $n, length $form->[0] > 40 ? substr($form->[0], 0, 37) . '...' : $form->[0];
		report($name, 'ms', 1.2, cpu(int(100 / $n) || 1, $prepared, @pair));
		report($name, 'kB', 1.25, map { run("$prepared\\o\nEXPLAIN (MEMORY) $_;\n") =~ /Memory: used=(\d+)kB/ } @pair) if $has_memory;
	}
}
foreach my $form (@filters)
{
	report("a time of the row: $form->[0]", 'ms', 1.05, cpu(1, '', map { "SELECT count(*) FROM of_$_ WHERE $form->[0]" } 'ulid', 'timestamptz'));
}
exit($failed ? 1 : 0);
