# Ids of given times: in each of several sessions the ids of one time are ascending; no id is made twice; when the ids of a
# time are used up there is an error, not an id of another time.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

my %type = (ulid => 'ulid', scru160 => 'scru160', uuidv7 => 'uuid');
my $sessions = 4;
my $rows = 1_000_000;

$node->safe_psql('postgres', qq{
	CREATE UNLOGGED TABLE source AS
		SELECT n, '2026-01-01Z'::timestamptz + n / 10 * interval '400 us' AS created_at
		FROM generate_series(1, $rows / $sessions) n ORDER BY hashint4(n);
	ANALYZE source;
	ALTER DATABASE postgres SET parallel_setup_cost = 0;
	ALTER DATABASE postgres SET parallel_tuple_cost = 0;
	ALTER DATABASE postgres SET min_parallel_table_scan_size = 0;
});
foreach my $generator (sort keys %type)
{
	$node->safe_psql('postgres', qq{
		CREATE UNLOGGED TABLE item (id $type{$generator}, n int, created_at timestamptz, pid int DEFAULT pg_backend_pid());
	});
	my $script = $node->basedir . '/backfill.sql';
	PostgreSQL::Test::Utils::append_to_file($script,
		"INSERT INTO item SELECT gen_$generator(created_at), n, created_at FROM source ORDER BY created_at, n;\n");
	$node->command_ok([ 'pgbench', '-n', '-c', $sessions, '-t', 1, '-f', $script, 'postgres' ],
		"$sessions sessions back-fill with gen_$generator");
	unlink $script;
	is( $node->safe_psql('postgres', q{
			SELECT count(*), count(DISTINCT pid), count(DISTINCT id), count(*) FILTER (WHERE id <= before)
			FROM (SELECT *, lag(id) OVER (PARTITION BY pid ORDER BY created_at, n) AS before FROM item) item}),
		"$rows|$sessions|$rows|0",
		"$generator: rows, sessions, different ids, ids not above the one before");
	$node->safe_psql('postgres', 'DROP TABLE item');
}

# A session would need a minute or more to use up a time, so this sets all random bits of the last id in the session's memory.
SKIP:
{
	my %time = (ulid => '2026-01-01Z', scru160 => '2026-01-02Z', uuidv7 => '2026-01-03Z');
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	chomp $pid;
	$session->query("SELECT gen_$_('$time{$_}')") foreach sort keys %time;
	my @symbols = map { /^(\w+) \w \(anonymous namespace\)::backfilled$/ ? hex $1 : () }
		split /\n/, `nm -C '$ENV{IDS_LIBDIR}/ids.so'`;
	my ($base) = slurp_file("/proc/$pid/maps") =~ m{^([0-9a-f]+)-\S+ \S+ 0+ .*/ids\.so$}m;
	my $memory;
	skip 'no symbols, or no right to write the memory of a session', 1
		unless $base && @symbols && open($memory, '+<:raw', "/proc/$pid/mem");
	my $seek = sub { sysseek($memory, hex($base) + $_[0], 0) or die $! };
	my %end_of_unit = (
		ulid => [ 6, "\xff" x 10 ],
		scru160 => [ 10, "\xff" x 10 ],
		uuidv7 => [ 8, "\xbf" . "\xff" x 7 ]);
	foreach my $generator (sort keys %time)
	{
		my $unit = $node->safe_psql('postgres', "SELECT extract(epoch FROM '$time{$generator}'::timestamptz)::bigint * 1000");
		$unit *= 1000 if $generator eq 'uuidv7';
		my ($symbol) = grep {
			$seek->($_);
			sysread($memory, my $content, 8) == 8 or die $!;
			unpack('q', $content) == $unit
		} @symbols;
		my ($offset, $bytes) = @{ $end_of_unit{$generator} };
		$seek->($symbol + 8 + $offset);
		syswrite($memory, $bytes) == length $bytes or die $!;
		$session->query_safe('\set VERBOSITY verbose');
		foreach my $call ('used up', 'and still')
		{
			$session->query("SELECT gen_$generator('$time{$generator}')");
			like($session->{stderr}, qr/ERROR:  2200H: gen_$generator has no greater id of this time\n/, "$generator: $call");
			$session->{stderr} = '';
		}
		is($session->query_safe("SELECT gen_$generator('$time{$generator}'::timestamptz + interval '1 ms') IS NOT NULL"),
			't', 'another time is not used up');
		is($session->query_safe("SELECT gen_$generator('$time{$generator}') IS NOT NULL"), 't', 'after another time, the first one has ids again');
	}
	$session->quit;
}

$node->stop;
done_testing();
