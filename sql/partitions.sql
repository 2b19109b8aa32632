-- Partitions by time
\pset footer off \pset format unaligned \pset fieldsep ' | '
SET TIME ZONE 'Europe/Berlin';
SET DateStyle = 'ISO';
SET client_min_messages = warning;
\set SHOW_CONTEXT never
-- ids_create_partitions makes the missing partitions, in UTC whatever TimeZone is
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CREATE VIEW partition AS SELECT c.oid::regclass AS partition, lower::ulid::timestamptz AS since,
  upper::ulid::timestamptz AS until
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid,
  substring(pg_get_expr(relpartbound, c.oid), 'FROM \(''(.*)''\) TO') lower,
  substring(pg_get_expr(relpartbound, c.oid), 'TO \(''(.*)''\)') upper
  WHERE inhparent = (SELECT oid FROM pg_class WHERE relname = 'log') ORDER BY 2;
SET TIME ZONE 'America/New_York';
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
SET TIME ZONE 'Asia/Kolkata';
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
SET TIME ZONE 'UTC';
SELECT * FROM partition;
-- a read-only transaction, as all on a standby are, fails only if there is something to create or to drop
BEGIN READ ONLY;
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
CALL ids_drop_partitions('log', '2026-02-01');
SAVEPOINT nothing;
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-07-01');
ROLLBACK TO nothing;
CALL ids_drop_partitions('log', '2026-05-01');
ROLLBACK;
-- days over a change to summer time; a partition made by hand is left alone, and so are days within a larger partition
CREATE TABLE by_hand PARTITION OF log FOR VALUES FROM (ulid_first('2027-03-28')) TO (ulid_first('2027-03-29'));
SET TIME ZONE 'Europe/Berlin';
CALL ids_create_partitions('log', '1 day', '2027-03-27', '2027-03-30');
CALL ids_create_partitions('log', '1 day', '2026-04-10', '2026-04-12');
SET TIME ZONE 'UTC';
SELECT * FROM partition WHERE since >= '2026-06-01';
DROP TABLE log;
-- weeks, quarters, hours
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 week', '2000-12-30', '2001-01-02');
CALL ids_create_partitions('log', '1 week', '2026-11-01', '2026-11-10');
CALL ids_create_partitions('log', '3 months', '2027-02-10', '2027-05-01');
CALL ids_create_partitions('log', '6 hours', '2028-02-28 20:00', '2028-02-29 05:00');
SELECT * FROM partition;
-- a partition that covers only a part of the time, beside one that ends where this time begins
CALL ids_create_partitions('log', '1 day', '2028-02-27', '2028-02-28');
CALL ids_create_partitions('log', '1 day', '2028-02-28', '2028-02-29');
-- a partition is a partition like any other: keys, defaults, checks, generated columns and foreign keys
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE full_log (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int CHECK (n > 0) DEFAULT 1,
    other int REFERENCES other, at timestamptz GENERATED ALWAYS AS (ulid_extract_timestamp(id)) STORED)
  PARTITION BY RANGE (id);
CREATE INDEX ON full_log (n);
CALL ids_create_partitions('full_log', '1 year', '2024-11-01', '2024-12-01');
\d full_log_20240101
-- the tables that it locks against reads or writes until the transaction ends; none if no partition is missing
CREATE TABLE full_log_rest PARTITION OF full_log DEFAULT;
CREATE TABLE note (log ulid REFERENCES full_log);
CREATE VIEW lock AS SELECT relation::regclass::text COLLATE "C" AS name, mode FROM pg_locks
  JOIN pg_class ON pg_class.oid = relation
WHERE pid = pg_backend_pid() AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
  AND mode NOT IN ('AccessShareLock', 'RowShareLock') ORDER BY 1, 2;
BEGIN;
CALL ids_create_partitions('full_log', '1 year', '2024-01-01', '2024-02-01');
SELECT * FROM lock;
CALL ids_create_partitions('full_log', '1 year', '2025-02-01', '2026-01-01');
SELECT * FROM lock;
COMMIT;
BEGIN;
CALL ids_drop_partitions('full_log', '2024-01-01');
SELECT * FROM lock;
CALL ids_drop_partitions('full_log', '2025-02-01');
SELECT * FROM lock;
ROLLBACK;
BEGIN;
CALL ids_drop_partitions('full_log', '2025-02-01', detach => true);
SELECT * FROM lock;
ROLLBACK;
-- rows that are referenced stay
INSERT INTO full_log (id) VALUES (ulid_first('2024-05-01'));
INSERT INTO note SELECT id FROM full_log;
\set VERBOSITY sqlstate
CALL ids_drop_partitions('full_log', '2026-02-01');
\set VERBOSITY default
DROP TABLE note;
BEGIN;
CALL ids_drop_partitions('full_log', '2025-02-01');
SELECT * FROM lock;
COMMIT;
DROP VIEW lock;
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
-- many partitions that exist already, two of them unbounded
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
CALL ids_create_partitions('log', '1 year', '2017-01-01 00:00:00+00', '2018-06-01');
SELECT relid FROM pg_partition_tree('log') WHERE isleaf;
DROP TABLE log;
-- times outside those of the type are refused, and at both ends of its range the last unit is made
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 second', '4713-01-01 BC', '1970-01-01 00:00:00+00');
CALL ids_create_partitions('log', '1 day', '10889-08-02 05:31:50.655+00', '294276-01-01');
CALL ids_create_partitions('log', '1 second', '10889-08-03', '294276-01-01');
CALL ids_create_partitions('log', '1 day', '10889-08-02 05:31:50.655+00', '10889-08-02 05:31:50.655001+00');
-- a partition that goes on beyond the beginning or the end exists: the second call has nothing to do
CALL ids_create_partitions('log', '1 week', '1970-01-01 00:00:00+00', '1970-01-02');
CALL ids_create_partitions('log', '1 week', '1970-01-01 00:00:00+00', '1970-01-02');
CALL ids_create_partitions('log', '1 day', '10889-08-02 05:31:50.655+00', '10889-08-02 05:31:50.655001+00');
SELECT relid, pg_get_expr(relpartbound, relid) FROM pg_partition_tree('log') JOIN pg_class ON oid = relid
WHERE isleaf ORDER BY 1;
DROP TABLE log;
-- a parent that is not partitioned by time, and bad arguments
CREATE TABLE log (id ulid, n int);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid, n int) PARTITION BY RANGE (id, n);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid, n int) PARTITION BY HASH (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id text) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '0', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1 month 1 day', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1 month 1 hour', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('log', '1.5 seconds', '2026-03-01', '2026-03-02');
CALL ids_create_partitions('log', '1 month', '-infinity', '2026-05-01');
CALL ids_create_partitions('log', '1 month', NULL, '2026-05-01');
CALL ids_create_partitions('log', '1 month', since => '2026-05-01', until => '2026-03-01');
CALL ids_create_partitions('log', '1 month', '2026-05-01', '2026-05-01');
SELECT count(*) FROM pg_inherits WHERE inhparent = 'log'::regclass;
DROP TABLE log;
-- no table
\set VERBOSITY sqlstate
CALL ids_create_partitions(0, '1 month', '2026-03-01', '2026-05-01');
CALL ids_drop_partitions(1, '2026-05-01');
SELECT * FROM ids_partitions(0);
\set VERBOSITY default
-- keys whose type is a domain over an id, or a type without times
CREATE DOMAIN item_id AS ulid CHECK (VALUE > ulid_first('2000-01-01'));
CREATE DOMAIN log_id AS item_id;
CREATE TABLE log (id log_id) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-04-01');
SELECT partition, times FROM ids_partitions('log');
DROP TABLE log;
CREATE DOMAIN uuid_id AS uuid;
CREATE TABLE log (id uuid_id) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-04-01');
SELECT partition, times FROM ids_partitions('log');
DROP TABLE log;
DROP DOMAIN log_id, item_id, uuid_id;
\set VERBOSITY sqlstate
CREATE TABLE log (id ids_tstzrange, n int, at timestamptz, u ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
CALL ids_drop_partitions('log', '2026-03-01');
SELECT ids_partitions('log');
DROP TABLE log;
CREATE TABLE log (at timestamptz) PARTITION BY RANGE (at);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id text) PARTITION BY RANGE ((id::ulid));
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
CREATE TABLE log (id ulid) PARTITION BY LIST (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
-- an order other than the order of times
CREATE FUNCTION backwards(ulid, ulid) RETURNS int LANGUAGE sql IMMUTABLE RETURN ulid_cmp($2, $1);
CREATE OPERATOR CLASS backwards FOR TYPE ulid USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=,
  OPERATOR 5 <, FUNCTION 1 backwards(ulid, ulid);
CREATE TABLE log (id ulid) PARTITION BY RANGE (id backwards);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-05-01');
DROP TABLE log;
DROP OPERATOR FAMILY backwards USING btree;
DROP FUNCTION backwards;
\set VERBOSITY default
-- names: as much of the parent's name as fits, in whole characters; years of five digits
CREATE TABLE "Ünïcode 'n' ""quotes""" (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('"Ünïcode ''n'' ""quotes"""', '1 hour', '2026-03-01', '2026-03-01 00:30');
SELECT partition, times FROM ids_partitions('"Ünïcode ''n'' ""quotes"""');
DROP TABLE "Ünïcode 'n' ""quotes""";
CREATE TABLE a_name_that_has_sixty_three_bytes_ends_here_or_else_there_a_b_c (id ulid) PARTITION BY RANGE (id);
CREATE TABLE a_name_that_has_sixty_three_bytes_ends_here_or_else_so_a_b_c_d (id ulid) PARTITION BY RANGE (id);
CREATE TABLE éééééééééééééééééééééééééééééééé (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('a_name_that_has_sixty_three_bytes_ends_here_or_else_there_a_b_c', '1 day', '2026-03-01',
    '2026-03-02');
CALL ids_create_partitions('a_name_that_has_sixty_three_bytes_ends_here_or_else_so_a_b_c_d', '1 day', '2026-03-01',
    '2026-03-02');
CALL ids_create_partitions('a_name_that_has_sixty_three_bytes_ends_here_or_else_there_a_b_c', '1 hour', '10888-03-01',
    '10888-03-01 00:30');
CALL ids_create_partitions('éééééééééééééééééééééééééééééééé', '1 day', '2026-03-01', '2026-03-02');
CALL ids_create_partitions('éééééééééééééééééééééééééééééééé', '1 hour', '2026-03-02', '2026-03-02 01:00');
SELECT parent, partition, octet_length(partition::text) AS bytes, times
FROM unnest(ARRAY['a_name_that_has_sixty_three_bytes_ends_here_or_else_there_a_b_c',
      'a_name_that_has_sixty_three_bytes_ends_here_or_else_so_a_b_c_d', 'éééééééééééééééééééééééééééééééé']) parent,
  ids_partitions(parent::regclass);
-- two names that are equal when truncated: the second is refused
CREATE TABLE a_name_that_has_sixty_three_bytes_ends_here_or_else_there_d_e_f (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('a_name_that_has_sixty_three_bytes_ends_here_or_else_there_d_e_f', '1 day', '2026-03-01',
    '2026-03-02');
DROP TABLE a_name_that_has_sixty_three_bytes_ends_here_or_else_there_a_b_c,
  a_name_that_has_sixty_three_bytes_ends_here_or_else_there_d_e_f,
  a_name_that_has_sixty_three_bytes_ends_here_or_else_so_a_b_c_d, éééééééééééééééééééééééééééééééé;
-- a partition made by hand in another time zone: the error says what to do
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
SET TIME ZONE 'America/New_York';
CREATE TABLE log_2025 PARTITION OF log FOR VALUES FROM (ulid_first('2025-01-01')) TO (ulid_first('2026-01-01'));
CALL ids_create_partitions('log', '1 month', '2025-12-15', '2026-02-15');
CREATE TABLE public.log_20260101 PARTITION OF public.log FOR VALUES
  FROM (ulid_first('2026-01-01 05:00:00+00')) TO (ulid_first('2026-02-01 00:00:00+00'));
CALL ids_create_partitions('log', '1 month', '2025-12-15', '2026-02-15');
SET TIME ZONE 'UTC';
SELECT partition, times FROM ids_partitions('log');
-- the times of partitions, also of those made by hand: half open, unbounded, with a bound within a millisecond; of a
-- default partition and of a partition that has partitions itself
CREATE TABLE log_ever PARTITION OF log FOR VALUES FROM (ulid_last('2030-01-01 00:00:00.123+00')) TO (MAXVALUE);
CREATE TABLE log_once PARTITION OF log FOR VALUES FROM (MINVALUE) TO (ulid_last('2024-12-31 23:59:59.999+00'))
  PARTITION BY HASH (id);
CREATE TABLE log_once_0 PARTITION OF log_once FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE log_once_1 PARTITION OF log_once FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE log_rest PARTITION OF log DEFAULT;
INSERT INTO log SELECT ulid_first('2024-01-01'::timestamptz + i * interval '1 hour') FROM generate_series(1, 100) i;
SELECT partition, times, estimated_rows FROM ids_partitions('log');
-- statistics that somebody has written, as pg_restore_relation_stats() does
UPDATE pg_class SET reltuples = 'Infinity' WHERE oid = 'log_rest'::regclass;
SELECT partition, times, estimated_rows FROM ids_partitions('log') WHERE partition = 'log_rest'::regclass;
ANALYZE log;
SELECT partition, times, estimated_rows, bytes > 0 AS has_bytes FROM ids_partitions('log');
SELECT sum(bytes) = (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('log')) AS of_all
FROM ids_partitions('log');
-- a partition that lacks a part of the hour, although less than a millisecond
CREATE TABLE log_hour PARTITION OF log FOR VALUES FROM (ulid_last('2029-01-01')) TO (ulid_first('2029-01-01 01:00'));
CALL ids_create_partitions('log', '1 hour', '2029-01-01 00:30', '2029-01-01 01:00');
DROP TABLE log_hour;
-- ids_drop_partitions drops partitions that end before the time, never a default partition or one without an end
SET client_min_messages = notice;
CALL ids_drop_partitions('log', '2024-12-31 23:59:59.998+00');
CALL ids_drop_partitions('log', '2024-12-31 23:59:59.9995+00');  -- or in its millisecond
BEGIN;
CALL ids_drop_partitions('log', '2025-01-01 00:00:00+00');
ROLLBACK;
CREATE VIEW log_view AS SELECT FROM log_20260101;
CALL ids_drop_partitions('log', '2026-02-01 00:00:00+00');
DROP VIEW log_view;
CALL ids_drop_partitions('log', '2026-02-01 00:00:00+00', detach => true);
CALL ids_drop_partitions('log', '2026-02-01 00:00:00+00');
SELECT partition, times FROM ids_partitions('log');
SELECT count(*) FROM log_once;
CALL ids_drop_partitions('log', 'infinity', detach => true);
SELECT partition, times FROM ids_partitions('log');
-- what ends later than the clock is only detached; a transaction may have begun earlier
SET client_min_messages = error;
CREATE SCHEMA coming;
CREATE TABLE coming."Log" (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('coming."Log"', '1 day', now(), now() + interval '2 days');
CALL ids_drop_partitions('coming."Log"', clock_timestamp() + interval '1 minute');
CALL ids_drop_partitions('coming."Log"', 'infinity');
CALL ids_drop_partitions(0, 'infinity');
BEGIN;
SELECT FROM pg_sleep(0.001);
CALL ids_drop_partitions('coming."Log"', clock_timestamp());
COMMIT;
SELECT count(*) FROM ids_partitions('coming."Log"');
CALL ids_drop_partitions('coming."Log"', 'infinity', detach => true);
SELECT count(*) FROM ids_partitions('coming."Log"');
DROP SCHEMA coming CASCADE;
SET client_min_messages = notice;
-- the name is that of a detached partition
CALL ids_create_partitions('log', '1 month', '2026-01-15', '2026-01-16');
CALL ids_drop_partitions('log', NULL);
CALL ids_drop_partitions(NULL, '2026-01-01');
CALL ids_drop_partitions('log', '2026-01-01', NULL);
SET client_min_messages = warning;
DROP TABLE log, log_2025, log_20260101, log_20260201, log_once;
-- each type; a foreign table
CREATE FOREIGN DATA WRAPPER regress_ids;
CREATE SERVER regress_ids FOREIGN DATA WRAPPER regress_ids;
SELECT format('CREATE TABLE log (id %I) PARTITION BY RANGE (id); '
  'CREATE FOREIGN TABLE log_first PARTITION OF log FOR VALUES '
  'FROM (MINVALUE) TO (%I(''2025-12-29'')) SERVER regress_ids; '
  'CALL ids_create_partitions(''log'', ''1 week'', ''2026-01-01'', ''2026-01-12''); '
  'SELECT partition, times FROM ids_partitions(''log''); '
  'CALL ids_drop_partitions(''log'', ''2026-01-06''); '
  'SELECT partition, times FROM ids_partitions(''log''); DROP TABLE log', t, t || '_first')
FROM unnest(ARRAY['ulid', 'scru160', 'tbsl', 'snowflake']) t
\gexec
DROP SERVER regress_ids;
DROP FOREIGN DATA WRAPPER regress_ids;
-- partitions belong to the owner of the table, whoever runs the procedure
CREATE ROLE regress_ids_owner;
CREATE ROLE regress_ids_other;
CREATE SCHEMA regress_ids AUTHORIZATION regress_ids_owner;
SET ROLE regress_ids_owner;
CREATE TABLE regress_ids.log (id ulid PRIMARY KEY,
    at timestamptz GENERATED ALWAYS AS (ulid_extract_timestamp(id)) STORED) PARTITION BY RANGE (id);
CREATE INDEX ON regress_ids.log (at);
RESET ROLE;
CALL ids_create_partitions('regress_ids.log', '1 month', '2026-03-01', '2026-04-01');
SELECT relname, relkind, relowner::regrole FROM pg_class WHERE relname ~ '^log_2026' ORDER BY 1;
SET ROLE regress_ids_other;
CALL ids_create_partitions('regress_ids.log', '1 month', '2026-03-01', '2026-05-01');
CALL ids_drop_partitions('regress_ids.log', '2026-05-01');
RESET ROLE;
GRANT ALL ON SCHEMA regress_ids TO regress_ids_other;
GRANT ALL ON regress_ids.log TO regress_ids_other;
SET ROLE regress_ids_other;
\set VERBOSITY sqlstate
CALL ids_create_partitions('regress_ids.log', '1 month', '2026-03-01', '2026-05-01');
CALL ids_drop_partitions('regress_ids.log', '2026-05-01');
\set VERBOSITY default
SELECT partition, times FROM ids_partitions('regress_ids.log');
SET ROLE regress_ids_owner;
CALL ids_drop_partitions('regress_ids.log', '2026-05-01');
-- with a foreign key to and from tables of others
RESET ROLE;
CREATE TABLE regress_ids.other (id int PRIMARY KEY);
GRANT REFERENCES ON regress_ids.other TO regress_ids_owner;
SET ROLE regress_ids_owner;
ALTER TABLE regress_ids.log ADD other int REFERENCES regress_ids.other;
GRANT REFERENCES ON regress_ids.log TO regress_ids_other;
SET ROLE regress_ids_other;
CREATE TABLE regress_ids.note (log ulid REFERENCES regress_ids.log);
SET ROLE regress_ids_owner;
CALL ids_create_partitions('regress_ids.log', '1 month', '2026-03-01', '2026-04-01');
CALL ids_drop_partitions('regress_ids.log', '2026-04-01');
SELECT partition, times FROM ids_partitions('regress_ids.log');
RESET ROLE;
DROP SCHEMA regress_ids CASCADE;
DROP ROLE regress_ids_owner, regress_ids_other;
-- in a schema whose name needs quotes, with a hostile search_path, which also applies to the DDL that is run
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.ulid_first(timestamptz) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION hostile.format(text, VARIADIC text[]) RETURNS text LANGUAGE sql
  AS $$SELECT 'DROP SCHEMA hostile CASCADE'$$;
CREATE FUNCTION hostile.ids_missing_partitions(regclass, interval, timestamptz, timestamptz) RETURNS SETOF text
  LANGUAGE sql AS $$SELECT 'DROP SCHEMA hostile CASCADE'$$;
CREATE FUNCTION hostile.eq(oid, oid) RETURNS boolean LANGUAGE sql AS $$SELECT 1/0 = 1$$;
CREATE OPERATOR hostile.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = hostile.eq);
CREATE DOMAIN hostile.text AS int;
CREATE DOMAIN hostile.regclass AS int;
CREATE TABLE hostile.pg_class (oid oid);
CREATE FUNCTION pg_temp.seen() RETURNS event_trigger
  LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '% with %', tg_tag, current_setting('search_path'); END $$;
CREATE EVENT TRIGGER regress_ids ON ddl_command_start
  WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE') EXECUTE FUNCTION pg_temp.seen();
CREATE SCHEMA "My.App";
SET search_path = hostile, pg_catalog, "My.App", public;
CREATE TABLE "My.App"."Log" (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('"Log"', '1 month', '2026-03-01', '2026-05-01');
CALL ids_create_partitions('"Log"', '1 month', '2026-03-01', '2026-06-01');
CALL ids_drop_partitions('"Log"', '2026-05-01');
SELECT partition, times FROM ids_partitions('"Log"');
RESET search_path;
DROP EVENT TRIGGER regress_ids;
DROP SCHEMA hostile CASCADE;
DROP SCHEMA "My.App" CASCADE;
-- a uuid key has the times of version 7, also if there are bounds of other versions
CREATE TABLE log (id uuid PRIMARY KEY DEFAULT gen_uuidv7()) PARTITION BY RANGE (id);
CREATE TABLE log_before PARTITION OF log FOR VALUES FROM (MINVALUE) TO ('019ca6c0-0000-0000-0000-000000000000');
CREATE TABLE log_none PARTITION OF log FOR VALUES FROM ('ffffffff-ffff-4fff-bfff-fffffffffffe') TO (MAXVALUE);
CALL ids_create_partitions('log', '1 month', '2026-04-01 00:00:00+00', '2026-06-01 00:00:00+00');
INSERT INTO log SELECT gen_uuidv7('2026-04-01 00:00:00+00'::timestamptz + i * interval '1 hour')
  FROM generate_series(0, 61 * 24 - 1) i;
SET timezone = 'UTC';
SELECT partition, times, (SELECT count(*) FROM log WHERE tableoid = partition) AS rows FROM ids_partitions('log');
CALL ids_drop_partitions('log', '2026-05-01 00:00:00+00');
SELECT partition FROM ids_partitions('log');
RESET timezone;
DROP TABLE log;
-- a uuid column of ulids: the first ids of a month are in its partition
CREATE TABLE log (id uuid PRIMARY KEY DEFAULT gen_ulid()::uuid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-04-01 00:00:00+00', '2026-06-01 00:00:00+00');
INSERT INTO log SELECT f::uuid FROM unnest(ARRAY['2026-04-01 00:00:00+00', '2026-05-01 00:00:00+00']::timestamptz[]) at,
  LATERAL (SELECT ulid_first(at) UNION ALL SELECT ulid_last(at) UNION ALL SELECT uuidv7_first(at)::ulid) f (f);
SELECT tableoid::regclass, count(*) FROM log GROUP BY 1 ORDER BY 1;
DROP TABLE log;
-- a partition begins and ends as its neighbours do, with the first UUID of version 7 or another one before it
CREATE TABLE log (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE log_20260501 PARTITION OF log
  FOR VALUES FROM (uuidv7_first('2026-05-01 00:00:00+00')) TO (uuidv7_first('2026-06-01 00:00:00+00'));
CALL ids_create_partitions('log', '1 month', '2026-04-01 00:00:00+00', '2026-07-01 00:00:00+00');
SELECT oid::regclass, pg_get_expr(relpartbound, oid) FROM pg_class
  WHERE relname ~ '^log_20260[4-6]' AND relkind = 'r' ORDER BY 1;
CREATE TABLE log_20260801 PARTITION OF log
  FOR VALUES FROM ('019fba9e-d800-7000-0000-000000000000') TO ('01a05a43-fc00-7000-0000-000000000000');
CALL ids_create_partitions('log', '1 month', '2026-07-01 00:00:00+00', '2026-10-01 00:00:00+00');
SELECT oid::regclass, pg_get_expr(relpartbound, oid) FROM pg_class
  WHERE relname ~ '^log_20260[7-9]' AND relkind = 'r' ORDER BY 1;
CREATE TABLE log_20261015 PARTITION OF log
  FOR VALUES FROM (uuidv7_first('2026-10-15 00:00:00+00')) TO (uuidv7_first('2026-11-01 00:00:00+00'));
CALL ids_create_partitions('log', '1 month', '2026-10-01 00:00:00+00', '2026-11-01 00:00:00+00');
DROP TABLE log;
-- a partition within one unit of time holds no whole unit; its rows are old when that unit is
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CREATE TABLE log_within PARTITION OF log
  FOR VALUES FROM ('01KE3Q0000ZZZZZZZZZZZZZZZZ') TO ('01KE3Q0001000000000000000Z');
CREATE TABLE log_part PARTITION OF log
  FOR VALUES FROM ('01KE3Q0002ZZZZZZZZZZZZZZZY') TO ('01KE3Q0002ZZZZZZZZZZZZZZZZ');
SET timezone = 'UTC';
SELECT partition, times FROM ids_partitions('log') ORDER BY partition;
SET client_min_messages = notice;
CALL ids_drop_partitions('log', ulid_extract_timestamp('01KE3Q00020000000000000000'));
CALL ids_drop_partitions('log', ulid_extract_timestamp('01KE3Q00030000000000000000'));
SET client_min_messages = warning;
DROP TABLE log;
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CREATE TABLE log_part PARTITION OF log
  FOR VALUES FROM ('01KE3Q0002ZZZZZZZZZZZZZZZY') TO ('01KE3Q0002ZZZZZZZZZZZZZZZZ');
CALL ids_create_partitions('log', '1 day', '2026-01-03', '2026-01-05');
CREATE TABLE log_before PARTITION OF log
  FOR VALUES FROM (MINVALUE) TO ('01KE3Q0002ZZZZZZZZZZZZZZZY');
CALL ids_create_partitions('log', '1 day', '2026-01-03', '2026-01-05');
CREATE TABLE public.log_20260104_051702 PARTITION OF public.log
  FOR VALUES FROM ('01KE3Q0002ZZZZZZZZZZZZZZZZ') TO (pg_catalog.ulid_first('2026-01-05 00:00:00+00'));
CALL ids_create_partitions('log', '1 day', '2026-01-03', '2026-01-05');
DROP TABLE log;
-- at most 10,000 units of time in a call, whether or not their partitions are missing
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 second', '2026-01-01', '2036-01-01');
CALL ids_create_partitions('log', '1 second', '2026-01-01 00:00:00', '2026-01-01 02:46:40.000001');
CREATE TABLE log_all PARTITION OF log
  FOR VALUES FROM (ulid_first('2026-01-01 00:00:00')) TO (ulid_first('2026-01-01 02:46:40'));
CALL ids_create_partitions('log', '1 second', '2026-01-01 00:00:00', '2026-01-01 02:46:40');
SELECT count(*) FROM pg_inherits WHERE inhparent = 'log'::regclass;
CALL ids_create_partitions('log', '10000000 years', '2026-01-01', '2026-01-02');
-- in 32 bits the days of these years would be those of the year 2009
CALL ids_create_partitions('log', '11761230 years', '2026-01-01', '2026-01-02');
CALL ids_create_partitions('log', '2000000000 days', '2026-01-01', '2026-01-02');
DROP TABLE log;
-- rows of the default partition that belong to the new one; the error of another check has no hint
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CREATE TABLE log_rest PARTITION OF log DEFAULT;
INSERT INTO log VALUES (ulid_first('2026-03-03'));
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-03-02');
DROP TABLE log;
CREATE DOMAIN late AS ulid CHECK (VALUE > ulid_first('2026-03-15'));
CREATE TABLE log (id late) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-03-01', '2026-03-02');
DROP TABLE log;
DROP DOMAIN late;
RESET timezone;
