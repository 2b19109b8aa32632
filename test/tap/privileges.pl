# What an ordinary user, the owner of a database and a superuser may do with the extension's objects. mark.pl has the
# same of the mark, node_id.pl of the setting.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE ordinary LOGIN; CREATE EXTENSION ids; CREATE DATABASE owned OWNER owner');

# The owner of a database who is no superuser.
is(ask($node, 'owner', 'CREATE EXTENSION ids', database => 'owned'), '', 'the owner of a database installs the extension');
is($node->safe_psql('owned', q{SELECT DISTINCT extowner::regrole FROM pg_extension WHERE extname = 'ids'}), 'owner', 'it is the owner\'s');
like(ask($node, 'owner', 'CREATE OR REPLACE FUNCTION pg_catalog.gen_ulid() RETURNS ulid LANGUAGE plpgsql AS $$BEGIN END$$', database => 'owned'), qr/^42501$/, 'who cannot replace its functions');

# The clocks are for all to see and for superusers to reset.
is(ask($node, 'ordinary', 'SELECT gen_ulid() IS NULL; SELECT generator FROM ids_generators() WHERE generator = $$ulid$$'), "f\nulid", 'anybody reads ids_generators');
is(ask($node, 'owner', 'SELECT count(*) > 0 FROM ids_generators()', database => 'owned'), 't', 'so does the owner of a database');
is(ask($node, 'owner', 'SELECT ids_reset_clock()', database => 'owned'), '42501', 'who cannot reset the clock');
is(ask($node, 'owner', 'GRANT EXECUTE ON FUNCTION ids_reset_clock() TO owner; SELECT ids_reset_clock()', database => 'owned'), '42501', 'nor allow it to anybody');
is(ask($node, 'owner', 'SELECT ids_advance_clock(now())', database => 'owned'), '42501', 'or advance it');
is($node->safe_psql('postgres', 'SELECT ids_reset_clock(), ids_advance_clock(now())'), '|', 'a superuser can');

is(ask($node, 'owner', 'DROP EXTENSION ids', database => 'owned'), '', 'the owner drops the extension');

$node->stop;
done_testing();
