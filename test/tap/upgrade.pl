# ALTER EXTENSION ids UPDATE leaves the same objects as an installation of the newer version.
use strict;
use warnings;
use Catalogs;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $scripts = "$ENV{IDS_SHAREDIR}/extension";
my ($current) = slurp_file("$scripts/ids.control") =~ /^default_version = '(.*)'/m;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The objects of a database that was created with one version and, if another is given, updated to that one.
sub objects_of
{
	my ($version, $updated) = @_;
	my $database = 'of_' . join('_to_', @_) =~ s/\W/_/gr;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE EXTENSION ids VERSION '$version'");
	$node->safe_psql($database, "ALTER EXTENSION ids UPDATE TO '$updated'") if $updated;
	my $objects = catalogs($node, $database);
	$node->safe_psql('postgres', "DROP DATABASE $database");
	return $objects;
}

# Every released version.
my $paths = $node->safe_psql('postgres', qq{
	SELECT source FROM pg_extension_update_paths('ids') JOIN pg_available_extension_versions ON name = 'ids' AND version = source
	WHERE target = '$current' AND path IS NOT NULL});
my $objects = objects_of($current);
cmp_ok(scalar(split /\n/, $objects), '>', 500, "$current: objects");
is(difference($objects, objects_of($_, $current)), '', "$_ updated to $current is $current") foreach split /\n/, $paths;

# After the files are installed and before ALTER EXTENSION, the library works with the objects of an older version. The planner uses
# the predicates that it finds, and after the update the new one, too, in the same session.
my $install = slurp_file("$scripts/ids--$current.sql");
my @added = $install =~ /^(CREATE (?:FUNCTION tstzmultirange_contains_ulid\b|OPERATOR @> .* tstzmultirange_contains_ulid,).*;)$/mg;
is(scalar(@added), 2, 'the statements for an operator');
append_to_file("$scripts/ids--older.sql", "$install DROP OPERATOR @> (ids_tstzmultirange, ids_ulid); DROP FUNCTION tstzmultirange_contains_ulid;");
append_to_file("$scripts/ids--older--$current.sql", join "\n", @added);
my @predicates = ("id <@ '[2026-01-01,2026-01-02)'", "id >= timestamptz '2026-01-01'", "timestamptz '2026-01-01' < id", "id <@ '{[2026-01-01,2026-01-02)}'::tstzmultirange");
my $explain = join ' ', map { "EXPLAIN (COSTS OFF) SELECT FROM item WHERE $_;" } @predicates;
my ($before, $after) = split /updated/, $node->safe_psql('postgres', qq{
	CREATE EXTENSION ids VERSION 'older';
	CREATE TABLE item (id ulid PRIMARY KEY);
	SET enable_seqscan = off; SET enable_bitmapscan = off;
	$explain
	ALTER EXTENSION ids UPDATE TO '$current';
	SELECT 'updated';
	$explain
	EXPLAIN (COSTS OFF) SELECT FROM item WHERE '{[2026-01-01,2026-01-02)}'::tstzmultirange @> id});
is(scalar(() = $before =~ /Index Cond: .*id >/g), @predicates, 'with the objects of an older version, predicates are index conditions');
is(scalar(() = $after =~ /Index Cond: .*id >/g), @predicates + 1, 'after the update, the new predicate is one, too');
$node->safe_psql('postgres', 'DROP EXTENSION ids CASCADE');
unlink "$scripts/ids--older.sql", "$scripts/ids--older--$current.sql";

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
unlink "$scripts/ids--next.sql";

done_testing();
