# Ids of given times: in each of several sessions the ids of one time are ascending; no id is made twice; when the ids of a
# time are used up there is an error, not an id of another time.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# The generators that take a time.
my @at = grep { $type_of{$_} && ordered_at($_) } split /\n/, $node->safe_psql('postgres', q{
	SELECT substr(proname, 5) FROM pg_proc WHERE proname LIKE 'gen\_%' AND proargtypes[0] = 'timestamptz'::regtype ORDER BY 1});
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
foreach my $generator (@at)
{
	$node->safe_psql('postgres', qq{
		CREATE UNLOGGED TABLE item (id $type_of{$generator}, n int, created_at timestamptz, pid int DEFAULT pg_backend_pid());
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

# A session would need a minute or more to use up a time, so this writes into the session's memory that no more ids are left.
# It keeps, for each generator, the time and how many ids of it are left.
SKIP:
{
	my %epoch = map { ($at[$_] => 1767225600 + $_ * 86400) } 0 .. $#at;
	my %time = map { ($_ => $node->safe_psql('postgres', "SELECT to_timestamp($epoch{$_})")) } @at;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	chomp $pid;
	$session->query("SELECT gen_$_('$time{$_}')") foreach @at;
	my %size_of = map { /^(\w+) (\w+) \w \(anonymous namespace\)::backfilled$/ ? (hex $1 => hex $2) : () }
		split /\n/, `nm -CS '$ENV{IDS_LIBDIR}/ids.so'`;
	my ($base) = slurp_file("/proc/$pid/maps") =~ m{^([0-9a-f]+)-\S+ \S+ 0+ .*/ids\.so$}m;
	my $memory;
	skip 'no symbols, or no right to write the memory of a session', 1
		unless $base && %size_of && open($memory, '+<:raw', "/proc/$pid/mem");
	my $seek = sub { sysseek($memory, hex($base) + $_[0], 0) or die $! };
	foreach my $generator (@at)
	{
		my ($symbol) = grep {
			$seek->($_);
			sysread($memory, my $content, 8) == 8 or die $!;
			my $unit = unpack('q', $content);
			grep { $unit == $epoch{$generator} * $_ } 1000, 1_000_000
		} keys %size_of;
		die "gen_$generator does not keep its time" unless $symbol;
		my $half = $size_of{$symbol} / 2;
		$seek->($symbol + $half);
		syswrite($memory, "\0" x $half) == $half or die $!;
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
