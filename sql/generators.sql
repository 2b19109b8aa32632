-- The generators' clocks, as a DBA and as an ordinary user sees them
SELECT count(gen_ulid()) FROM generate_series(1, 10);
SELECT generator, abs(extract(epoch FROM last_timestamp - clock_timestamp())) < 60 AS recent, lead < '1 s' AS near, clock_rollbacks FROM ids_generators() WHERE generator = 'ulid';
\df ids_generators
SELECT ids_reset_clock();
SELECT gen_ulid() > gen_ulid() AS greater_before, gen_ulid() < gen_ulid() AS greater_after;
SELECT gen_ulid() AS id \gset
SELECT ids_advance_clock(:'id'::ulid::timestamptz + interval '500 ms');
SELECT gen_ulid()::timestamptz > :'id'::ulid::timestamptz + interval '500 ms' AS advanced;
SELECT ids_advance_clock('2026-01-01');
SELECT ids_advance_clock(NULL) IS NULL AS nothing;
SELECT ids_advance_clock('infinity');
SELECT ids_advance_clock('-infinity');
SELECT ids_advance_clock('9999-12-31');
DO $$ BEGIN PERFORM ids_advance_clock(clock_timestamp() + interval '24 hours 1 second'); EXCEPTION WHEN invalid_parameter_value THEN RAISE NOTICE 'a day is the limit'; END $$;
CREATE ROLE ids_user;
SET ROLE ids_user;
SELECT count(*) > 0 AS visible FROM ids_generators();
SELECT ids_reset_clock();
SELECT ids_advance_clock(now());
SELECT gen_ulid() < gen_ulid() AS generates;
RESET ROLE;
DROP ROLE ids_user;

-- the mark, by which ids go on above those of before a restart: for superusers, and never started anew in silence
SELECT gen_ulid() AS id \gset
SELECT is_called, to_timestamp(last_value / 1e6) - clock_timestamp() < '1 s' AS near, to_timestamp(last_value / 1e6) >= :'id'::ulid::timestamptz AS covers FROM ids_internal.mark;
CREATE ROLE ids_user;
SET ROLE ids_user;
SELECT setval('ids_internal.mark', 1);
SELECT last_value FROM ids_internal.mark;
ALTER SEQUENCE ids_internal.mark RESTART;
RESET ROLE;
DROP ROLE ids_user;
BEGIN;
ALTER SEQUENCE ids_internal.mark RESTART;
SAVEPOINT restarted;
SELECT gen_ulid();
ROLLBACK TO restarted;
SELECT ids_advance_clock(now());
ROLLBACK TO restarted;
SELECT gen_snowflake();
ROLLBACK TO restarted;
SELECT setval('ids_internal.mark', 1);
SELECT gen_tbsl();
ROLLBACK TO restarted;
SELECT ids_reset_clock();
SELECT gen_ulid() IS NOT NULL AS generates;
ALTER SEQUENCE ids_internal.mark SET UNLOGGED;
SELECT gen_tbsl();
ROLLBACK;
BEGIN;
ALTER EXTENSION ids DROP SEQUENCE ids_internal.mark;
DROP SEQUENCE ids_internal.mark;
SAVEPOINT dropped;
SELECT gen_scru160();
ROLLBACK TO dropped;
CREATE SEQUENCE ids_internal.mark;
SELECT ids_reset_clock();
SELECT gen_scru160() IS NOT NULL AS generates;
DROP SEQUENCE ids_internal.mark;
CREATE TABLE ids_internal.mark (last_value bigint);
SELECT gen_scru160_us();
ROLLBACK;
SELECT gen_ulid() IS NOT NULL AS generates;
