#!/usr/bin/perl
# Searches for queries on ids that take the planner longer than the same queries on a timestamptz column: random ones, by the grammar
# below, on the server that PGHOST, PGPORT ... name. Run it with
#
#   test/tools/private.sh server test/bench/planning.pl
#
# SEED (1) says which, SHAPES (2000) how many, FIRST (1) with which of them to begin. It fails if one takes more than twice the CPU
# time and more than 20 ms, or goes on for half a second after it was cancelled, and prints those that come near as it finds them.
use strict;
use warnings;
use File::Temp 'tempdir';
use POSIX 'strftime';

my $shapes = $ENV{SHAPES} // 2000;
my $first = $ENV{FIRST} // 1;
my $seed = $ENV{SEED} // 1;
my $directory = tempdir('ids.planning.XXXXXX', TMPDIR => 1, CLEANUP => 1);
# After the directory, whose name is random, too.
srand $seed;
$| = 1;

# Runs a script and returns what it writes to standard error.
sub run
{
	my ($script) = @_;
	open my $file, '>', "$directory/script" or die "$directory/script: $!\n";
	print $file $script;
	close $file;
	my $notes = `psql -X -q -At -f $directory/script 2>&1 >/dev/null`;
	die $notes if $? != 0;
	return $notes;
}

# Tables with statistics of each size: ids of different times; refs, of which many rows have the same; ranges. Partial indexes.
my @types = qw(ulid scru160 tbsl snowflake);
my @targets = (100, 1_000, 10_000);
run(join '', "\\set ON_ERROR_STOP on\nCREATE EXTENSION ids;\n", map {
	my $target = $_;
	my $ids = join '', map { ", gen_$_(at) AS $_" } @types;
	my $refs = join '', map { ", ${_}_first(ref) AS ref_$_" } @types;
	my $columns = join '', map { "CREATE INDEX ON event_$target ($_); CREATE INDEX ON event_$target (ref_$_);\n" } 'at', @types;
	my $partial = join '', map {
		"CREATE INDEX ON event_$target (k) WHERE $_ >= " . ($_ eq 'at' ? '' : "${_}_first") . "('2026-06-01'::timestamptz);\n" } 'at', @types;
	"SET default_statistics_target = $target;
	CREATE TABLE event_$target WITH (autovacuum_enabled = off) AS SELECT k, at, ref_at$ids$refs FROM (SELECT i % 997 AS k, '2026-01-01'::timestamptz + i * interval '7 min' AS at,
		'2026-01-01'::timestamptz + i % 9000 * interval '1 h' AS ref, '2026-01-01'::timestamptz + i % 9000 * interval '1 h' AS ref_at FROM generate_series(1, 60000) i) e;
	CREATE TABLE span_$target WITH (autovacuum_enabled = off) AS SELECT i % 997 AS k, tstzrange(at, at + (i % 7) * interval '1 h') AS during
		FROM generate_series(1, 20000) i, LATERAL (SELECT '2026-01-01'::timestamptz + i * interval '21 min') s (at);
	$columns$partial VACUUM ANALYZE event_$target, span_$target;\n"
} @targets);

# A condition on a table's ids, and the same on its times, of about that many windows. Ranges of times are two comparisons everywhere,
# as only these can use an index, and as those of ids become. In a CASE, where no index serves either, PostgreSQL would leave
# at <@ range as it is, which is half as much to plan.
sub at
{
	my ($minute, $by_now) = @_;
	return sprintf "now() - interval '%d min'", 420_000 - $minute if $by_now;
	return strftime("timestamptz '%Y-%m-%d %H:%M+00'", gmtime(1_767_225_600 + 60 * $minute));
}
sub window
{
	my ($id, $at) = @_;
	my ($minute, $by_now) = (rand 420_000, rand() < 0.02);
	my ($since, $until) = (at($minute, $by_now), at($minute + 1 + rand 3_000, $by_now));
	my $kind = int rand 6;
	my $range = $by_now ? "tstzrange($since, $until)" : "'[$since,$until)'" =~ s/timestamptz '(.*?)'/$1/gr;
	return ("$id <@ $range", "$at >= $since AND $at < $until") if $kind <= 2;
	return ("$id >= $since AND $id < $until", "$at >= $since AND $at < $until") if $kind == 3;
	return ("NOT ($id <@ $range)", "NOT ($at >= $since AND $at < $until)") if $kind == 4;
	return ("$id > $since", "$at > $since");
}
sub condition
{
	my ($table, $type, $depth, $windows) = @_;
	my $ref = rand() < 0.2 ? 'ref_' : '';
	my ($id, $at) = ("$table.$ref$type", "$table.${ref}at");
	if ($windows <= 1 || $depth == 0)
	{
		my $kind = int rand 8;
		my @parts = map { [ window($id, $at) ] } 1 .. $windows;
		if ($kind == 0)
		{
			my @times = map { at(rand 420_000) } 1 .. $windows;
			return ("$id IN (" . join(', ', map { "${type}_first($_)" } @times) . ')', "$at IN (" . join(', ', @times) . ')');
		}
		@parts = map { my $k = int rand 997; [ map { "$_ AND $table.k <> $k" } @$_ ] } @parts if $kind == 1;
		my @both = map { my $column = $_; '(' . join(' OR ', map { "($_->[$column])" } @parts) . ')' } 0, 1;
		return map { "CASE WHEN $table.k > 5 THEN $_ ELSE $table.k = 0 END" } @both if $kind == 2;
		return map { "($_ IS NOT TRUE)" } @both if $kind == 3;
		return @both;
	}
	my $join = rand() < 0.5 ? ' AND ' : ' OR ';
	my $parts = 2 + int rand 3;
	my @parts = map { [ condition($table, $type, $depth - 1, int($windows / $parts) || 1) ] } 1 .. $parts;
	return map { my $column = $_; '(' . join($join, map { $_->[$column] } @parts) . ')' } 0, 1;
}

# {A} and {B} are conditions on the tables a and b, {T} is the column of a, {U} that of b, s is a table of ranges.
my @queries = (
	('FROM {E} a WHERE {A}') x 4,
	'FROM {E} a WHERE {A} AND {A2}',
	'FROM {E} a WHERE {A} AND NOT {A2}',
	'FROM {E} a JOIN {F} b USING (k) WHERE {A} AND {B}',
	'FROM {E} a JOIN {F} b USING (k) WHERE {A} OR {B}',
	'FROM {E} a LEFT JOIN {F} b ON a.k = b.k AND {B} WHERE {A}',
	'FROM {E} a LEFT JOIN {F} b ON a.k = b.k AND {A} AND {B} WHERE {A2}',
	'FROM {E} a LEFT JOIN {F} b ON a.k = b.k WHERE {A} AND ({B} OR b.k IS NULL)',
	'FROM {E} a FULL JOIN {F} b ON a.k = b.k AND {A} AND {B}',
	'FROM {E} a WHERE {A} AND EXISTS (SELECT FROM {F} b WHERE b.k = a.k AND {B})',
	'FROM {E} a WHERE a.k IN (SELECT k FROM {F} b WHERE {B}) AND {A}',
	'FROM {E} a GROUP BY a.k, a.ref_{T}, a.{T} HAVING {A} OR count(*) > 1',
	'FROM {E} a GROUP BY a.k, a.ref_{T}, a.{T} HAVING {A} AND count(*) > 1',
	'FROM {E} a JOIN {S} s ON a.{T} <@ s.during',
	'FROM {E} a JOIN {S} s ON a.ref_{T} <@ s.during AND a.k = s.k WHERE {A}',
	'FROM {E} a JOIN {F} b USING (k) JOIN {S} s ON a.{T} <@ s.during AND b.ref_{U} <@ s.during AND {B}',
	'FROM {S} s LEFT JOIN {E} a ON a.{T} <@ s.during AND {A}',
	'FROM {E} a JOIN {S} s ON a.{T} <@ s.during OR a.ref_{T} <@ s.during OR {A}',
	'FROM {E} a WHERE {A} AND EXISTS (SELECT FROM {S} s WHERE a.{T} <@ s.during) AND NOT EXISTS (SELECT FROM {S} s WHERE a.ref_{T} <@ s.during)',
	'FROM {E} a WHERE a.k < 100 AND a.{T} >= {T}_first(\'2026-06-01\'::timestamptz) AND {A}');

sub shape
{
	my ($t, $u) = map { $types[ rand @types ] } 1 .. 2;
	my $windows = int exp rand log 8_000;
	my $query = $queries[ rand @queries ];
	my $places = () = $query =~ /\{[AB]2?\}/g;
	my %of = (E => 'event_' . $targets[ rand @targets ], F => 'event_' . $targets[ rand @targets ], S => 'span_' . $targets[ rand @targets ]);
	my %both = map { my ($name, $table, $type) = @$_; $name => [ condition($table, $type, int rand 5, int($windows / ($places || 1)) || 1) ] } [ A => 'a', $t ], [ A2 => 'a', $t ], [ B => 'b', $u ];
	return map {
		my $column = $_;
		my $of_column = $query;
		# An index serves a range if its ends are compared, as it serves ids.
		$of_column =~ s/(\S+) <@ s\.during/($1 >= lower(s.during) AND $1 < upper(s.during))/g if $column;
		$of_column =~ s/\{T\}_first\((.*?)\)/$1/g if $column;
		$of_column =~ s/\{([EFS])\}/$of{$1}/g;
		$of_column =~ s/\{([TU])\}/$column ? 'at' : $1 eq 'T' ? $t : $u/ge;
		$of_column =~ s/\{([AB]2?)\}/$both{$1}[$column]/g;
		"SELECT $of_column"
	} 0, 1;
}

# The CPU times of the planner for pairs of statements, on ids and on times, in ms. Where PostgreSQL takes longer than the limit on
# times, the pair is left out, and ids are only cancelled. They may take ten times the limit.
my $settings = "SET client_min_messages = log; SET jit = off; SET max_parallel_workers_per_gather = 0;\n";
my $limit = 10_000;
sub planning
{
	my $notes = run(join '', $settings, (map { "EXPLAIN SELECT FROM event_$_ a JOIN event_$_ b USING (k, at, ulid, ref_ulid) JOIN span_$_ s ON a.ulid <@ s.during;\n" } @targets),
		"SET log_planner_stats = on;\n",
		map { "\\warn shape\nSET statement_timeout = $limit;\nEXPLAIN $_->[1];\n\\if :ERROR\n\\warn left out\n\\else\nSET statement_timeout = ${limit}0;\nEXPLAIN $_->[0];\n\\endif\n" } @_);
	my (undef, @each) = split /^shape$/m, $notes;
	return map {
		my @times;
		push @times, 1000 * ($1 + $2) while /PLANNER STATISTICS.*?([\d.]+) s user, ([\d.]+) s system/sg;
		/^left out$/m ? [] : [ $times[1] // 10 * $limit, $times[0] ]
	} @each;
}

# The CPU time that a statement takes after it was cancelled, in ms; 0 if it has ended before.
sub goes_on
{
	my ($query, $when) = @_;
	open my $file, '>', "$directory/script" or die "$directory/script: $!\n";
	print $file "$settings\\o /dev/null\nSELECT pg_backend_pid() AS pid \\gset\n\\warn :pid\nEXPLAIN $query;\nSELECT pg_read_file('/proc/self/schedstat') AS cpu \\gset\n\\warn :cpu\n";
	close $file;
	open my $psql, '-|', "psql -X -q -At -f $directory/script 2>&1" or die "psql: $!\n";
	my $pid = <$psql> + 0;
	select undef, undef, undef, $when / 1000;
	my ($before) = `cat /proc/$pid/schedstat 2>&1` =~ /^(\d+)/;
	kill INT => $pid;
	my ($after) = join('', <$psql>) =~ /^(\d+) \d+ \d+$/m;
	return $before && $after ? ($after - $before) / 1e6 : 0;
}

my ($slow, $failed, $left_out, $worst) = (0, 0, 0, 0);
shape() foreach 2 .. $first;
for (my ($n, $end) = ($first, $first + $shapes); $n < $end; )
{
	my @pairs = map { [ shape() ] } $n .. ($n + 20 < $end ? $n + 19 : $end - 1);
	my @times = planning(@pairs);
	foreach my $i (0 .. $#pairs)
	{
		my ($of_id, $of_time) = @{ $times[$i] };
		my $query = sprintf '%d: %.200s', $n++, $pairs[$i][0];
		my @when = (500, 2_000);
		if (!defined $of_time)
		{
			$left_out++;
			print "left out: $query\n";
		}
		else
		{
			next if $of_id <= 20;
			$slow++;
			# Other work on the machine makes a time longer, never shorter.
			for (1 .. 8)
			{
				last if $of_id <= 1.5 * $of_time;
				my ($again) = planning($pairs[$i]);
				$of_id = $again->[0] if defined $again->[1] && $again->[0] < $of_id;
				$of_time = $again->[1] if defined $again->[1] && $again->[1] < $of_time;
			}
			my $ratio = $of_id / ($of_time || 0.001);
			$worst = $ratio if $ratio > $worst;
			printf "%.2f times: %.0f ms, timestamptz %.0f ms: %s\n", $ratio, $of_id, $of_time, $query if $ratio > 1.5;
			$failed++ if $ratio > 2 && $of_id > 20;
			@when = $of_id > 500 ? (20, $of_id / 4, $of_id / 2) : ();
		}
		my ($longest) = sort { $b <=> $a } 0, map { goes_on($pairs[$i][0], $_) } @when;
		printf "goes on for %.0f ms: %s\n", $longest, $query if $longest > 500;
		$failed++ if $longest > 500;
	}
	printf STDERR "\r%d shapes, the worst %.2f times", $n - $first, $worst;
}
print STDERR "\n";
printf "%d shapes of seed %d, %d above 20 ms, the worst %.2f times, failed %d, left out %d\n", $shapes, $seed, $slow, $worst, $failed, $left_out;
exit($failed ? 1 : 0);
