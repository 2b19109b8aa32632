# Nobody can guess an identifier: the random fields are random, and random bytes that were used are erased from a session's
# memory.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Random fields. With good randomness one of these tests fails in less than one of 10^8 runs: the
# bounds are seven standard deviations, and 20 blocks for rngtest, where 3.4 are expected.
my $size = 10 * 1024 * 1024;
my $at = "'2026-01-01'::timestamptz + i * interval '1 ms'";
my $same = "'2026-01-01'::timestamptz";
my %fields = (
	ulid => [
		[ '64 bits of gen_ulid()', 'substring(gen_ulid()::bytea FROM 9)', 8 ],
		# The upper bit of the first id of a time is clear. The sum of random increments is random where it wraps.
		[ '72 bits of gen_ulid(at)', "substring(gen_ulid($at)::bytea FROM 8)", 9 ],
		[ '48 bits of gen_ulid(at) at one time', "substring(gen_ulid($same)::bytea FROM 11)", 6 ] ],
	scru160 => [
		[ '96 bits of gen_scru160()', 'substring(gen_scru160()::bytea FROM 9)', 12 ],
		[ '104 bits of gen_scru160(at)', "substring(gen_scru160($at)::bytea FROM 8)", 13 ],
		[ '80 bits of gen_scru160(at) at one time', "substring(gen_scru160($same)::bytea FROM 11)", 10 ] ],
	scru160_us => [],    # the same function draws its bits as those of gen_scru160()
	uuidv7 => [ [ '32 bits of gen_uuidv7(at) at one time', "substring(uuid_send(gen_uuidv7($same)) FROM 13)", 4 ] ],
	snowflake => [],     # not random for each id
	tbsl => []);
is(join(' ', sort keys %fields), "@generators", 'the random fields of every generator are known');
SKIP:
{
	skip 'ent and rngtest (rng-tools-debian) are not installed', 1 if system('command -v ent rngtest >/dev/null') != 0;
	foreach (map { @$_ } @fields{@generators})
	{
		my ($what, $field, $bytes) = @$_;
		my $file = $node->basedir . '/random';
		my $rows = int($size / $bytes) + 1;
		$node->safe_psql('postgres', "COPY (SELECT $field FROM generate_series(1, $rows) i) TO '$file' (FORMAT binary)");
		my $binary = slurp_file($file);
		my $random = substr(join('', unpack("x19 (x6 a$bytes)$rows", $binary)), 0, $size);
		open(my $out, '>:raw', $file) or die $!;
		print $out $random;
		close $out;

		my (undef, $length, $entropy, $chi_square, $mean, $pi, $correlation) = split /,/, (split /\n/, `ent -t '$file'`)[1];
		is($length, $size, "$what: bytes");
		cmp_ok($entropy, '>', 7.9999, "$what: entropy $entropy");
		ok($chi_square > 120 && $chi_square < 450, "$what: chi-square $chi_square, 255 expected");
		cmp_ok(abs($mean - 127.5), '<', 0.16, "$what: mean $mean");
		cmp_ok(abs($pi - 3.14159265), '<', 0.009, "$what: pi $pi");
		cmp_ok(abs($correlation), '<', 0.0022, "$what: serial correlation $correlation");
		my $report = `rngtest < '$file' 2>&1`;
		my ($good) = $report =~ /successes: (\d+)/;
		my ($bad) = $report =~ /failures: (\d+)/;
		cmp_ok($good, '>', 4000, "$what: blocks that passed rngtest");
		cmp_ok($bad, '<=', 20, "$what: blocks that failed: $bad");
		unlink $file;
	}
}

# Random bytes that were used are gone from the session's pool. The next ones are in it, which shows that
# the test does read the pool.
SKIP:
{
	my $session = $node->background_psql('postgres');
	$session->query_safe('SELECT gen_ulid()');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	chomp $pid;
	my %symbol = map { /^(\w+) \w (.*)$/ ? ($2 => hex $1) : () } split /\n/, `nm -C '$ENV{IDS_LIBDIR}/ids.so'`;
	my ($base) = slurp_file("/proc/$pid/maps") =~ m{^([0-9a-f]+)-\S+ \S+ 0+ .*/ids\.so$}m;
	my $memory;
	skip 'no symbols, or no right to read the memory of a session', 1
		unless $base && $symbol{'ids::(anonymous namespace)::pool'} && open($memory, '<:raw', "/proc/$pid/mem");
	my $read = sub {
		my ($name, $bytes) = @_;
		sysseek($memory, hex($base) + $symbol{"ids::(anonymous namespace)::$name"}, 0) or die $!;
		sysread($memory, my $content, $bytes) == $bytes or die $!;
		return $content;
	};
	my $tails = sub {
		my $out = $session->query_safe("SELECT encode(substring(gen_ulid()::bytea FROM 9), 'hex') FROM generate_series(1, $_[0])");
		# The pool's 8 bytes are a number of this machine, the identifier's have the most significant first.
		return map { pack 'Q', unpack 'Q>', pack 'H*', $_ } grep { /^[0-9a-f]{16}$/ } split /\n/, $out;
	};
	my $before = $read->('pool', 4096);
	my @tails = $tails->(100);
	my $after = $read->('pool', 4096);
	is(scalar(grep { index($before, $_) >= 0 } @tails), 100, 'the pool holds the random bytes of the next identifiers');
	is(scalar(grep { index($after, $_) >= 0 } @tails), 0, 'the pool no longer holds them once they are used');
	like(unpack('H*', $after), qr/^0{1600}/, 'the pool holds zeros in their place');
	is(unpack('H*', $read->('drawn', 72)), '00' x 72, 'the server\'s secret does not stay in a session');
	$session->quit;
}

# The random bits that all ids of a millisecond or microsecond share come from a secret of the server. So they differ after a
# restart, at the same times.
my %bits_of = (
	snowflake => 'SELECT random FROM snowflake_parts(gen_snowflake())',
	tbsl => 'SELECT suffix FROM tbsl_parts(gen_tbsl())');
my @hours = split /\n/, $node->safe_psql('postgres', "SELECT date_trunc('hour', now()) + i * interval '1 hour' FROM generate_series(2, 4) i");
sub shared_bits
{
	my %bits;
	foreach my $hour (@hours)
	{
		$node->safe_psql('postgres', "SELECT ids_advance_clock('$hour')");
		$bits{$_} .= ' ' . $node->safe_psql('postgres', $bits_of{$_}) foreach keys %bits_of;
	}
	$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
	return \%bits;
}
my $before = shared_bits();
$node->restart;
my $after = shared_bits();
isnt($after->{$_}, $before->{$_}, "$_: other shared bits after a restart") foreach sort keys %bits_of;

$node->stop;
done_testing();
