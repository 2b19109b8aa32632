# ALTER EXTENSION ids UPDATE leaves the same objects as an installation of the newer version; until then, and in sessions that still
# have the older library, all works.
use strict;
use warnings;
use Catalogs;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A copy of the files, because other tests use them while this one changes them.
my $files = PostgreSQL::Test::Utils::tempdir;
my ($libdir, $sharedir) = map { substr $_, 1 + length $ENV{TESTDIR} } @ENV{'IDS_LIBDIR', 'IDS_SHAREDIR'};
system_or_bail 'cp', '-R', '--parents', $libdir, $sharedir, $files;
my ($library, $scripts) = ("$files/$libdir/ids.so", "$files/$sharedir/extension");
my ($current) = slurp_file("$scripts/ids.control") =~ /^default_version = '(.*)'/m;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', slurp_file("$ENV{TESTDIR}/ids.conf") =~ s/\Q$ENV{TESTDIR}\E/$files/gr);
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');

# The objects of a database that was created with one version and, if another is given, updated to that one.
sub objects_of
{
	my ($version, $updated, $settings) = @_;
	my $database = 'of_' . join('_to_', $version, $updated // ()) =~ s/\W/_/gr;
	my @as_owner = (extra_params => [ '-U', 'owner' ]);
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER owner");
	$node->safe_psql($database, 'ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO owner');
	$node->safe_psql($database, 'CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler');
	$node->safe_psql($database, ($settings // '') . "CREATE EXTENSION ids VERSION '$version'", @as_owner);
	$node->safe_psql($database, "ALTER EXTENSION ids UPDATE TO '$updated'", @as_owner) if $updated;
	my $objects = catalogs($node, $database);
	$node->safe_psql('postgres', "DROP DATABASE $database");
	return $objects;
}

# Every released version.
my $objects = objects_of($current);
cmp_ok(scalar(split /\n/, $objects), '>', 500, "$current: objects");
is(difference($objects, objects_of($_, $current)), '', "$_ updated to $current is $current")
	foreach grep { $_ ne $current } map { m{/ids--([\d.]+)\.sql$} } glob "$scripts/ids--*.sql";

# Settings of the session that creates it change no object.
foreach my $setting (
	($node->pg_version < '19devel' ? 'standard_conforming_strings = off' : ()), 'backslash_quote = off', "DateStyle = 'SQL, DMY'", 'IntervalStyle = sql_standard', "TimeZone = 'Asia/Kolkata'",
	'default_table_access_method = other', 'check_function_bodies = off', 'quote_all_identifiers = on', 'transform_null_equals = on', 'array_nulls = off',
	"bytea_output = 'escape'", 'extra_float_digits = -15', 'client_encoding = SQL_ASCII', 'row_security = off', 'search_path = pg_temp')
{
	# A function's search_path has quotes then, which change nothing.
	is(difference($objects, objects_of($current, undef, "SET $setting;") =~ s/\\\\""(pg_\w+)\\\\""/$1/gr), '', "$setting: the same objects");
}

# After the files are installed and before ALTER EXTENSION, the library works with the objects of an older version. The planner uses
# the predicates that it finds, and after the update the new one, too, in the same session.
my $install = slurp_file("$scripts/ids--$current.sql");
my @added = $install =~ /^(CREATE (?:FUNCTION tstzrange_contains_ulid\b|OPERATOR @> .* tstzrange_contains_ulid,).*;)$/mg;
is(scalar(@added), 2, 'the statements for an operator');
append_to_file("$scripts/ids--older.sql", "$install DROP OPERATOR @> (ids_tstzrange, ulid); DROP FUNCTION tstzrange_contains_ulid;");
append_to_file("$scripts/ids--older--$current.sql", join "\n", @added);
my @predicates = ("id <@ '[2026-01-01,2026-01-02)'", "id >= timestamptz '2026-01-01'", "timestamptz '2026-01-01' < id");
my $explain = join ' ', map { "EXPLAIN (COSTS OFF) SELECT FROM item WHERE $_;" } @predicates;
my ($before, $after) = split /updated/, $node->safe_psql('postgres', qq{
	CREATE EXTENSION ids VERSION 'older';
	CREATE TABLE item (id ulid PRIMARY KEY);
	SET enable_seqscan = off; SET enable_bitmapscan = off;
	$explain
	ALTER EXTENSION ids UPDATE TO '$current';
	SELECT 'updated';
	$explain
	EXPLAIN (COSTS OFF) SELECT FROM item WHERE tstzrange '[2026-01-01,2026-01-02)' @> id});
is(scalar(() = $before =~ /Index Cond: .*id >/g), @predicates, 'with the objects of an older version, predicates are index conditions');
is(scalar(() = $after =~ /Index Cond: .*id >/g), @predicates + 1, 'after the update, the new predicate is one, too');
$node->safe_psql('postgres', 'DROP EXTENSION ids CASCADE');

# A next version, with something new of each kind. The test notices an update script that forgets one of them; a function and an
# operator that others need cannot be forgotten.
my @next = (
	[ 'a function' => q{CREATE FUNCTION ids_next(ulid, ulid) RETURNS boolean LANGUAGE SQL IMMUTABLE RETURN $1 = $2;} ],
	[ 'a comment' => q{COMMENT ON FUNCTION ids_next(ulid, ulid) IS 'new';} ],
	[ 'a REVOKE' => q{REVOKE EXECUTE ON FUNCTION ids_next(ulid, ulid) FROM PUBLIC;} ],
	[ 'an operator' => q{CREATE OPERATOR === (FUNCTION = ids_next, LEFTARG = ulid, RIGHTARG = ulid);} ],
	[ 'a member of a class' => q{ALTER OPERATOR FAMILY ulid_bloom_ops USING brin ADD OPERATOR 2 === (ulid, ulid);} ],
	[ 'a cast' => q{CREATE CAST (ulid AS json) WITH INOUT;} ],
	[ 'a property' => q{ALTER FUNCTION ulid_cmp(ulid, ulid) COST 2;} ],
	[ 'a body' => q{CREATE OR REPLACE FUNCTION ids_next(ulid, ulid) RETURNS boolean LANGUAGE SQL IMMUTABLE RETURN $2 = $1;} ],
	[ 'an estimator' => q{ALTER OPERATOR < (ulid, ulid) SET (RESTRICT = scalarltsel);} ],
	[ 'an aggregate' => q{CREATE AGGREGATE ids_next_max(ulid) (SFUNC = ulid_larger, STYPE = ulid);} ],
	[ 'a domain' => q{CREATE DOMAIN ids_next_domain AS ulid CHECK (VALUE IS NOT NULL);} ],
);
append_to_file("$scripts/ids--next.sql", join "\n", $install, map { $_->[1] } @next);
my $next = objects_of('next');
foreach my $forgotten (undef, grep { $next[$_][0] !~ /function|operator/ } 0 .. $#next)
{
	my @steps = map { $next[$_][1] } grep { !defined $forgotten || $_ != $forgotten } 0 .. $#next;
	append_to_file("$scripts/ids--$current--next.sql", join "\n", @steps);
	my $updated = objects_of($current, 'next');
	unlink "$scripts/ids--$current--next.sql";
	my $difference = difference($next, $updated);
	defined $forgotten
		? like($difference, qr/./, "the test notices an update that forgets $next[$forgotten][0]")
		: is($difference, '', "$current updated to the next version is that version");
}

# The check for names that other schemas have, at the end of an update script, is about the new objects.
my ($check) = $install =~ /(CREATE FUNCTION ids_internal\.refuse_name_conflicts.*)/s;
append_to_file("$scripts/ids--$current--next.sql", join "\n", (map { $_->[1] } @next), $check);
$node->safe_psql('postgres', 'CREATE EXTENSION ids; CREATE FUNCTION ulid_parts(int) RETURNS int RETURN 1; CREATE FUNCTION ids_next(int) RETURNS int RETURN 1');
my $update = "ALTER EXTENSION ids UPDATE TO 'next'";
like(($node->psql('postgres', $update))[2], qr/so it would hide: routine public\.ids_next\(integer\)\.$/m, 'a name that another schema has stops the update');
$node->safe_psql('postgres', "ALTER FUNCTION public.ids_next RENAME TO other; $update");

# The library is replaced while sessions have it.
sub session { return $node->background_psql('postgres') }
sub run { my ($session, $statement) = @_; return $session->query_safe($statement) }
my $older = session();
run($older, q{CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid()); INSERT INTO event DEFAULT VALUES});
system_or_bail 'cp', $library, "$library.new";
rename "$library.new", $library or die $!;
my $newer = session();
my @ids = map { run($_, 'SELECT gen_ulid()') } ($older, $newer) x 5;
is("@ids", join(' ', sort @ids), 'ids of sessions with the older and the newer library are in order');
like(slurp_file('/proc/' . run($older, 'SELECT pg_backend_pid()') . '/maps'), qr/ids\.so \(deleted\)/, 'one session has the replaced library');
foreach ([ $older, $newer ], [ $newer, $older ])
{
	my ($writer, $reader) = @$_;
	my $id = run($writer, 'BEGIN; INSERT INTO event DEFAULT VALUES RETURNING id');
	is(run($reader, "SELECT ulid_settled() <= '$id'"), 't', 'a transaction of the one holds back a reader of the other');
	run($writer, 'COMMIT');
	is(run($reader, "SELECT ulid_settled() > '$id'"), 't', 'until it has ended');
}

# What sessions with the library of 1.0 share with later ones.
run($newer, "CREATE FUNCTION bytes_of_state() RETURNS bytea AS '$ENV{IDS_FAULTS}/bad_neighbour' LANGUAGE C");
run($newer, "SELECT gen_$_()") foreach @generators;
my ($first_bits) = run($newer, 'SELECT ulid_send(gen_ulid())') =~ /^\\x(.{16})/;
my $state = pack 'H*', run($newer, "SELECT encode(bytes_of_state(), 'hex')");
my (undef, $run, undef, undef, undef, $version, $size) = unpack 'a16 q Q L L3', $state;
my @layouts;
foreach (unpack '(a64)7', substr $state, 64)
{
	my ($tick, undef, undef, undef, $unit_us, $shift, $column, $name) = unpack 'Q3 L3 l x8 Z16', $_;
	push @layouts, "$name $unit_us $shift $column" if length $name;
	is(sprintf('%016x', $tick), $first_bits, 'the tick of ulids is their first bits') if $name eq 'ulid';
}
is(length $state, 512, 'the size of the shared state');
is($run, run($newer, 'SELECT boot FROM ids_internal.mark'), 'the run');
is(join("\n", $version >> 8, ($size - 524416) % 64), "1\n0", 'the version and the size of the records');
my @released = ('scru160 1000 16 2', 'scru160_us 1 6 3', 'snowflake 1000 10 5', 'tbsl 1 10 4', 'ulid 1000 16 0', 'uuidv7 1 10 1');
foreach my $layout (@released)
{
	is(scalar(grep { $_ eq $layout } @layouts), 1, "$layout: the generator's name, unit in microseconds, bits of the counter, column in the records");
}
$_->quit foreach $older, $newer;

done_testing();
