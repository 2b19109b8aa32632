# What everybody, the owner of a database, a member of pg_write_all_data and a superuser may do. mark.pl tests more about the mark,
# and node_id.pl the setting.
use strict;
use warnings;
use Databases;
use Pages;
use Test::More;

begin('owned', 'OWNER owner TEMPLATE template0');
is(ask('owner', 'CREATE EXTENSION ids'), '', 'the owner of a database installs the extension');
is(sql(q{SELECT DISTINCT extowner::regrole FROM pg_extension WHERE extname = 'ids'}), 'owner', 'the extension belongs to the owner');
is(ask('owner', 'CREATE OR REPLACE FUNCTION pg_catalog.gen_ulid() RETURNS ulid LANGUAGE plpgsql AS $$BEGIN END$$'), '42501', 'the owner cannot replace its functions');
is(ask('owner', 'SELECT gen_ulid() IS NULL; SELECT count(*) > 0 FROM ids_generators()'), "f\nt", 'the owner of a database reads ids_generators');
is(ask('owner', 'SELECT ids_reset_clock()'), '42501', 'the owner of a database cannot reset the clock');
is(ask('owner', 'GRANT EXECUTE ON FUNCTION ids_reset_clock() TO owner; SELECT ids_reset_clock()'), '42501', 'the owner of a database cannot grant the right to reset it');
is(ask('owner', 'SELECT ids_advance_clock(now())'), '42501', 'the owner of a database cannot advance the clock');
is(ask('owner', 'DROP EXTENSION ids'), '', 'the owner drops the extension');

# Where a superuser's default privileges deny all, nobody can use it, until a superuser runs the statement of the reference.
begin('denied', 'OWNER owner TEMPLATE template0');
sql('ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC');
is(ask('owner', 'CREATE EXTENSION ids'), '', 'the owner of a database installs it there');
is(ask('owner', $_), '42501', "denied: $_") foreach 'SELECT gen_ulid()', 'CREATE TABLE item (id ulid)';
my $rights = q{
	SELECT identity FROM pg_depend, pg_identify_object(classid, objid, 0) WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids') AND deptype = 'e'
		AND CASE classid WHEN 'pg_proc'::regclass THEN NOT has_function_privilege('ordinary', objid, 'EXECUTE') WHEN 'pg_type'::regclass THEN NOT has_type_privilege('ordinary', objid, 'USAGE') END ORDER BY 1};
cmp_ok(scalar(split /\n/, sql($rights)), '>', 250, 'nobody can use anything');
sql(block('doc/reference.md', 'Installation', 'GRANT'));
is(sql($rights), join("\n", map { "pg_catalog.ids_$_" } 'advance_clock(timestamp with time zone)', 'complete_upgrade()', 'reset_clock()'), 'everybody can use all but three functions afterwards');

begin('rights');
is(ask('ordinary', 'SELECT gen_ulid() IS NULL; SELECT generator FROM ids_generators() WHERE generator = $$ulid$$'), "f\nulid", 'anybody reads ids_generators');
is(sql('SELECT ids_reset_clock(), ids_advance_clock(now())'), '|', 'a superuser can reset and advance the clock');

# A member of pg_write_all_data can write the mark, but cannot call the functions that set the clock.
sql('CREATE ROLE writer LOGIN IN ROLE pg_write_all_data');
is(ask('writer', $_), '42501', "pg_write_all_data: $_") foreach 'SELECT ids_reset_clock()', 'SELECT ids_advance_clock(now())', 'SELECT ids_complete_upgrade()';
is(ask('ordinary', q{SELECT setval('ids_internal.mark', 1)}), '42501', 'an ordinary role cannot write the mark');
is(ask('writer', $_), '42809', "nor can a member of pg_write_all_data: $_") foreach q{SELECT setval('ids_internal.mark', 1)}, 'UPDATE ids_internal.mark SET unix_us = 1';
is(ask('writer', 'REFRESH MATERIALIZED VIEW ids_internal.mark WITH NO DATA'), '42501', 'nor empty it');

$node->stop;
done_testing();
