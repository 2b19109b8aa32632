#!/usr/bin/perl
# Compares gen_uuidv7() of doc/managed.sql with that of another version of the script, on the server that PGHOST, PGPORT ... name: the CPU
# time of one id in each transaction, and of an id where a transaction makes many. Run it with
#
#   git show HEAD~:doc/managed.sql >other.sql
#   test/tools/private.sh server test/bench/managed.pl other.sql
#
# ROUNDS (25) says how often; the shortest time counts, because other work on the machine makes a time longer, never shorter. It fails
# if the first id of a transaction takes more than 1.3 times as long as the other script's, or one of many more than 1.15 times.
use strict;
use warnings;
use File::Temp 'tempdir';
use List::Util 'min';

my $directory = tempdir('ids.managed.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $rounds = $ENV{ROUNDS} // 25;
my %script = (other => shift // die("Which other script?\n"), new => 'doc/managed.sql');
my %statement = (
	uuid => 'SELECT count(gen_random_uuid()) FROM generate_series(1, 5000)',
	many => 'SELECT count(gen_uuidv7()) FROM generate_series(1, 5000)',
	one => 'DO $$BEGIN FOR n IN 1 .. 5000 LOOP PERFORM gen_uuidv7(); COMMIT; END LOOP; END$$',
	none => 'DO $$BEGIN FOR n IN 1 .. 5000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END$$');
my @names = sort keys %statement;

sub psql
{
	my ($database, $script) = @_;
	open my $file, '>', "$directory/script" or die "$directory/script: $!\n";
	print $file $script;
	close $file;
	my $output = `psql -XAtq -v ON_ERROR_STOP=1 -d $database -f $directory/script`;
	die "psql failed\n" if $?;
	return $output;
}

foreach my $version (sort keys %script)
{
	psql('postgres', "CREATE DATABASE bench_$version");
	psql("bench_$version", "\\i $script{$version}\n");
}

# Its shortest CPU time in us, of each script and statement.
my %us;
my $cpu = q{SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 100), ' ', 1)};
my $measure = "SET synchronous_commit = off;\n\\t on\n"
  . join '', map { "$cpu AS before \\gset\n$statement{$_} \\g /dev/null\n$cpu AS after \\gset\nSELECT (:after - :before) / 5e6;\n" } @names;
foreach my $round (1 .. $rounds)
{
	foreach my $version (sort keys %script)
	{
		my @us = split /\n/, psql("bench_$version", $measure);
		$us{$version}{ $names[$_] } = min $us[$_], $us{$version}{ $names[$_] } // $us[$_] foreach 0 .. $#names;
	}
}
$_->{one} -= $_->{none} foreach values %us;

my $failed = 0;
foreach ([ one => 1.3 ], [ many => 1.15 ])
{
	my ($name, $most) = @$_;
	my ($new, $other) = map { $us{$_}{$name} } 'new', 'other';
	printf "%-5s %.2f times: %.2f us, before %.2f; gen_random_uuid() %.2f\n", $name, $new / $other, $new, $other, min map { $_->{uuid} } values %us;
	$failed ||= $new / $other > $most;
}
exit($failed ? 1 : 0);
