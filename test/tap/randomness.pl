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

# The random fields of each function that generates: what it returns, from which byte on, and how many bytes. Or a query of the
# bits that all ids of a millisecond or microsecond share. With good randomness one of these tests fails in less than one of 10^8
# runs: the bounds are seven standard deviations, and 10 blocks for rngtest, where 0.7 are expected.
my $size = 2 * 1024 * 1024;
my $each = "'2026-01-01'::timestamptz + i * interval '1 s'";
my $same = "'2026-01-01'::timestamptz";
my %fields = (
	'gen_ulid()' => [ [ 'gen_ulid()::bytea', 9, 8 ] ],
	# The upper bit of the first id of a time is clear. The sum of random increments is random where it wraps.
	'gen_ulid(timestamp with time zone)' => [ [ "gen_ulid($each)::bytea", 8, 9 ], [ "gen_ulid($same)::bytea", 11, 6 ] ],
	'gen_scru160()' => [ [ 'gen_scru160()::bytea', 9, 12 ] ],
	'gen_scru160(timestamp with time zone)' => [ [ "gen_scru160($each)::bytea", 8, 13 ], [ "gen_scru160($same)::bytea", 11, 10 ] ],
	'gen_scru160_us()' => [ [ 'gen_scru160_us()::bytea', 9, 12 ] ],
	'gen_uuidv7()' => [ [ 'uuid_send(gen_uuidv7())', 11, 6 ] ],
	'gen_uuidv7(timestamp with time zone)' => [ [ "uuid_send(gen_uuidv7($same))", 13, 4 ] ],
	'gen_snowflake()' => 'SELECT random FROM snowflake_parts(gen_snowflake())',
	'gen_tbsl()' => 'SELECT suffix FROM tbsl_parts(gen_tbsl())',
	# These have no random bits, or those of gen_tbsl().
	map { ($_ => []) } 'gen_tbsl_machine(integer,boolean)', 'gen_snowflake(timestamp with time zone)', 'gen_tbsl(timestamp with time zone)',
		'gen_codokey(text,integer,integer,integer)');
is(join(' ', sort keys %fields), $node->safe_psql('postgres', q{
	SELECT string_agg(objid::regprocedure::text, ' ' ORDER BY objid::regprocedure::text COLLATE "C") FROM pg_depend JOIN pg_proc p ON p.oid = objid
	WHERE classid = 'pg_proc'::regclass AND refclassid = 'pg_extension'::regclass AND deptype = 'e' AND proname LIKE 'gen\_%'}),
	'the random fields of every function that generates are known');
SKIP:
{
	skip 'ent and rngtest (rng-tools-debian) are not installed', 1 if system('command -v ent rngtest >/dev/null') != 0;
	foreach (map { ref ? @$_ : () } @fields{ sort keys %fields })
	{
		my ($value, $from, $bytes) = @$_;
		my $what = 8 * $bytes . " bits of $value";
		my $file = $node->basedir . '/random';
		my $rows = int($size / $bytes) + 1;
		$node->safe_psql('postgres', "COPY (SELECT substring($value FROM $from FOR $bytes) FROM generate_series(1, $rows) i) TO '$file' (FORMAT binary)");
		my $random = substr(join('', unpack("x19 (x6 a$bytes)$rows", slurp_file($file))), 0, $size);
		open(my $out, '>:raw', $file) or die $!;
		print $out $random;
		close $out;

		my (undef, $length, $entropy, $chi_square, $mean, $pi, $correlation) = split /,/, (split /\n/, `ent -t '$file'`)[1];
		is($length, $size, "$what: bytes");
		cmp_ok($entropy, '>', 7.99985, "$what: entropy $entropy");
		ok($chi_square > 120 && $chi_square < 450, "$what: chi-square $chi_square, 255 expected");
		cmp_ok(abs($mean - 127.5), '<', 0.36, "$what: mean $mean");
		cmp_ok(abs($pi - 3.14159265), '<', 0.02, "$what: pi $pi");
		cmp_ok(abs($correlation), '<', 0.005, "$what: serial correlation $correlation");
		my $report = `rngtest < '$file' 2>&1`;
		my ($good) = $report =~ /successes: (\d+)/;
		my ($bad) = $report =~ /failures: (\d+)/;
		cmp_ok($good, '>', 800, "$what: blocks that passed rngtest");
		cmp_ok($bad, '<=', 10, "$what: blocks that failed: $bad");
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
# restart, at the same times: three times 10 or 12 bits are the same by chance in one of 10^9 runs.
my %bits_of = map { ref $fields{$_} ? () : ($_ => $fields{$_}) } keys %fields;
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

# Backends do not draw the same bytes, even if the postmaster has made identifiers before it forks them.
sub check_backends
{
	my ($what) = @_;
	$node->safe_psql('postgres', 'CREATE TABLE drawn (id ulid, pid int)');
	$node->safe_psql('postgres', q{INSERT INTO drawn SELECT gen_ulid('2020-01-01Z'), pg_backend_pid() FROM generate_series(1, 500)}) foreach 1 .. 20;
	is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id), count(DISTINCT pid) FROM drawn; DROP TABLE drawn'), '0|20', "$what: no two backends draw the same bytes");
}

my $before = shared_bits();
check_backends('not preloaded');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'ids, $ENV{IDS_FAULTS}/bad_neighbour'\n");
$node->restart;
my $after = shared_bits();
isnt($after->{$_}, $before->{$_}, "$_: other shared bits after a restart") foreach sort keys %bits_of;
check_backends('preloaded');

$node->stop;
done_testing();
