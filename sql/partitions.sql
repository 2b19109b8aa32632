-- Partitions by time
SET TIME ZONE 'Europe/Berlin';
SET DateStyle = 'ISO';
SET client_min_messages = warning;
\set SHOW_CONTEXT never
-- ids_create_partitions: the missing ones, in UTC whatever TimeZone says
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CREATE VIEW partition AS SELECT c.oid::regclass AS partition, lower::ulid::timestamptz AS "from", upper::ulid::timestamptz AS upto
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid, substring(pg_get_expr(relpartbound, c.oid), 'FROM \(''(.*)''\) TO') lower, substring(pg_get_expr(relpartbound, c.oid), 'TO \(''(.*)''\)') upper
  WHERE inhparent = (SELECT oid FROM pg_class WHERE relname = 'log') ORDER BY 2;
SET TIME ZONE 'America/New_York';
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
SET TIME ZONE 'Asia/Kolkata';
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
SET TIME ZONE 'UTC';
SELECT * FROM partition;
-- days over a change to summer time; one made by hand is left alone, and so is what a larger one holds
CREATE TABLE by_hand PARTITION OF log FOR VALUES FROM (ulid_first('2027-03-28')) TO (ulid_first('2027-03-29'));
SET TIME ZONE 'Europe/Berlin';
CALL ids_create_partitions('log', '1 day', '2027-03-27', '2027-03-30');
CALL ids_create_partitions('log', '1 day', '2026-04-10', '2026-04-12');
SET TIME ZONE 'UTC';
SELECT * FROM partition WHERE "from" >= '2026-06-01';
DROP TABLE log;
-- weeks, quarters, hours
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 week', '2026-11-01', '2026-11-10');
CALL ids_create_partitions('log', '3 months', '2027-02-10', '2027-05-01');
CALL ids_create_partitions('log', '6 hours', '2028-02-28 20:00', '2028-02-29 05:00');
SELECT * FROM partition;
-- a partition that has only a part of the time
CALL ids_create_partitions('log', '1 day', '2028-02-28', '2028-02-29');
-- a partition is a partition like any other: keys, defaults, checks, generated columns and foreign keys
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE full_log (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int CHECK (n > 0) DEFAULT 1, other int REFERENCES other, at timestamptz GENERATED ALWAYS AS (ulid_extract_timestamp(id)) STORED) PARTITION BY RANGE (id);
CREATE INDEX ON full_log (n);
CALL ids_create_partitions('full_log', '1 year', '2026-11-01', '2026-12-01');
\d full_log_20260101
-- what it keeps locked, so that others cannot read or write it, until the transaction ends
CREATE TABLE full_log_rest PARTITION OF full_log DEFAULT;
BEGIN;
CALL ids_create_partitions('full_log', '1 year', '2027-01-01', '2028-01-01');
SELECT relation::regclass::text COLLATE "C" AS name, mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation
WHERE pid = pg_backend_pid() AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') ORDER BY 1, 2;
COMMIT;
DROP TABLE full_log, other;
DROP VIEW partition;
DROP TABLE log;
-- in the tablespace of the parent
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE "regress ids" LOCATION '';
CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id) TABLESPACE "regress ids";
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-04-01');
SELECT tablespace FROM pg_tables WHERE tablename = 'log_20260301';
DROP TABLE log;
DROP TABLESPACE "regress ids";
-- many partitions that are there, two without an end
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CREATE TABLE log_first PARTITION OF log FOR VALUES FROM (MINVALUE) TO (ulid_first('2026-03-02'));
CREATE TABLE log_last PARTITION OF log FOR VALUES FROM (ulid_first('2026-03-20')) TO (MAXVALUE);
CALL ids_create_partitions('log', '1 hour', '2026-03-01', '2026-03-22');
SELECT count(*) FROM pg_inherits WHERE inhparent = 'log'::regclass;
CALL ids_create_partitions('log', '1 hour', '2026-03-01', '2026-03-22');
SELECT count(*) FROM pg_inherits WHERE inhparent = 'log'::regclass;
DROP TABLE log;
-- from the beginning of the type's range, with a default partition
CREATE TABLE log (id snowflake) PARTITION BY RANGE (id);
CREATE TABLE log_rest PARTITION OF log DEFAULT;
CALL ids_create_partitions('log', '1 year', '2015-06-01', '2018-06-01');
SELECT relid FROM pg_partition_tree('log') WHERE isleaf;
DROP TABLE log;
-- beyond both ends of it: there is nothing to go through
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
SET statement_timeout = '1min';
CALL ids_create_partitions('log', '1 second', '4713-01-01 BC', '1970-01-01 00:00:00+00');
CALL ids_create_partitions('log', '1 day', '10889-08-02', '294276-01-01');
CALL ids_create_partitions('log', '1 second', '10889-08-03', '294276-01-01');
RESET statement_timeout;
SELECT relid, pg_get_expr(relpartbound, relid) FROM pg_partition_tree('log') JOIN pg_class ON oid = relid WHERE isleaf;
DROP TABLE log;
-- a parent that is none, and bad arguments
CREATE TABLE log (id ulid, n int);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid, n int) PARTITION BY RANGE (id, n);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid, n int) PARTITION BY HASH (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id uuid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '0', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1 month 1 day', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1.5 seconds', '2026-03-01', '2026-03-01');
CALL ids_create_partitions('log', '1 month', '-infinity', '2026-05-01');
CALL ids_create_partitions('log', '1 month', NULL, '2026-05-01');
CALL ids_create_partitions('log', '1 month', '2026-05-01', '2026-03-01');
SELECT count(*) FROM pg_inherits WHERE inhparent = 'log'::regclass;
DROP TABLE log;
-- in a schema whose name needs quotes, with a hostile search_path
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.ulid_first(timestamptz) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE SCHEMA "My.App";
SET search_path = hostile, pg_catalog, "My.App", public;
CREATE TABLE "My.App"."Log" (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('"Log"', '1 month', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('"Log"', '1 month', '2026-03-01', '2026-06-01');
SELECT relid FROM pg_partition_tree('"Log"') WHERE isleaf;
RESET search_path;
DROP SCHEMA hostile CASCADE;
DROP SCHEMA "My.App" CASCADE;
