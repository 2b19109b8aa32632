# What only newer PostgreSQL versions have: soft errors, uuidv7(), access methods of partitioned tables, infinite intervals, names and
# versions of libraries and of shared memory.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
plan skip_all => 'soft errors came first, with PostgreSQL 16' if $node->pg_version < 16;
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Input functions report soft errors.
foreach my $type (@types)
{
	is($node->safe_psql('postgres', "SELECT pg_input_is_valid(gen_$type()::text, '$type'), pg_input_is_valid('x', '$type')"), 't|f', "$type: valid or not");
	like($node->safe_psql('postgres', "SELECT detail, sql_error_code FROM pg_input_error_info('x', '$type')"), qr/^Expected .*, found 1 character\.\|22P02$/, "$type: why not");
}
SKIP:
{
	skip 'COPY ... ON_ERROR came with PostgreSQL 17', 1 if $node->pg_version < 17;
	my $rows = $node->basedir . '/rows';
	PostgreSQL::Test::Utils::append_to_file($rows, "01AN4Z07BY79KA1307SR9X4MV3\nbad\n7ZZZZZZZZZZZZZZZZZZZZZZZZZ\n");
	is($node->safe_psql('postgres', "CREATE TABLE lenient (id ulid); COPY lenient FROM '$rows' (ON_ERROR ignore); SELECT count(*) FROM lenient"), '2', 'COPY leaves bad rows out');
}

# Ids of PostgreSQL's own uuidv7() and of gen_uuidv7() are in one order if they are made some microseconds apart. The first ids of
# a database may be ahead of the clock.
SKIP:
{
	skip 'uuidv7() came with PostgreSQL 18', 1 if $node->pg_version < 18;
	is($node->safe_psql('postgres', q{
		CREATE TABLE mixed (n serial, id uuid);
		DO $$ BEGIN
			PERFORM gen_uuidv7(), pg_sleep(0.2);
			FOR i IN 1 .. 10000 LOOP
				INSERT INTO mixed (id) VALUES (gen_uuidv7());
				INSERT INTO mixed (id) VALUES (uuidv7());
			END LOOP;
		END $$;
		SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM mixed) s WHERE id < before}), '0', 'ids of both generators are in one order');
}

# Partitions have the access method of their table.
SKIP:
{
	skip 'partitioned tables have an access method from PostgreSQL 17', 1 if $node->pg_version < 17;
	is($node->safe_psql('postgres', q{
		CREATE ACCESS METHOD "Heap 2" TYPE TABLE HANDLER heap_tableam_handler;
		CREATE TABLE log (id ulid) PARTITION BY RANGE (id) USING "Heap 2";
		CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-04-01');
		SELECT amname FROM pg_class c JOIN pg_am am ON am.oid = relam WHERE relname = 'log_20260301'}), 'Heap 2', 'partitions have the access method of their table');
}

SKIP:
{
	skip 'intervals can be infinite from PostgreSQL 17', 1 if $node->pg_version < 17;
	my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY sqlstate\nCREATE TABLE endless (id ulid) PARTITION BY RANGE (id); CALL ids_create_partitions('endless', 'infinity', now(), now())");
	like($error, qr/ERROR:  22023/, 'a partition cannot be endless');
}

# The library reports its name and version, and the shared state has a name, too.
SKIP:
{
	skip 'libraries report their versions from PostgreSQL 18', 1 if $node->pg_version < 18;
	is($node->safe_psql('postgres', "SELECT gen_ulid() IS NULL, version LIKE extversion || '.%' FROM pg_get_loaded_modules(), pg_extension WHERE module_name = 'ids' AND extname = 'ids'"),
		'f|t', 'the library reports its version');
}
SKIP:
{
	skip 'the DSM registry can be seen from PostgreSQL 19', 1 if $node->pg_version->major < 19;
	is($node->safe_psql('postgres', "SELECT name, size FROM pg_dsm_registry_allocations"), 'ids|512', 'the state is in the DSM registry');
}

$node->stop;
done_testing();
