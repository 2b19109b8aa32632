-- Plans of time predicates, for a type passed by value and one passed by reference, and of comparisons. All types are
-- made from one template, so the others have the same plans; sanity.sql checks that no type lacks an object, time.psql
-- what indexes return.
\pset tuples_only on \pset format unaligned \pset fieldsep ' | '
SET TIME ZONE 'Europe/Berlin';
SET DateStyle = 'ISO';
\set T snowflake
\i test/regress/plans.psql
DROP TABLE event;
\set T ulid
\i test/regress/plans.psql

SELECT id AS one FROM event WHERE i = 42 \gset

-- sorting and hashing
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT DISTINCT id FROM event;
RESET enable_hashagg; SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT DISTINCT id FROM event;
RESET enable_sort;
SET enable_nestloop = off; SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT FROM event a JOIN event b ON a.id = b.id;
RESET enable_mergejoin; SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT FROM event a JOIN event b ON a.id = b.id;
RESET enable_hashjoin; RESET enable_nestloop;

-- a btree index: comparisons, min and max
SET enable_seqscan = off; SET enable_bitmapscan = off;
CREATE INDEX event_btree ON event (id);
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id = :'one';
EXPLAIN (COSTS OFF) SELECT FROM event WHERE :'one' > id;
EXPLAIN (COSTS OFF) SELECT id FROM event ORDER BY id DESC LIMIT 1;
CREATE FUNCTION pg_temp.index_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line LIKE '%Index%' THEN RETURN NEXT trim(line); END IF;
  END LOOP;
END $$;
SELECT pg_temp.index_of('SELECT min(id) FROM event');
SELECT pg_temp.index_of('SELECT max(id) FROM event');
DROP FUNCTION pg_temp.index_of;
DROP INDEX event_btree;

-- indexes of the other access methods
CREATE INDEX event_hash ON event USING hash (id);
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id = :'one';
DROP INDEX event_hash;
CREATE INDEX event_gist ON event USING gist (id);
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id = :'one';
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id < :'one' AND id <> :'one' AND id >= ulid_first('2026-01-01 00:30:00+00');
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id <@ tstzrange('2026-11-01 00:00:00+00', '2026-12-01 00:00:00+00');
-- filled by inserts: in order its pages are nearly as full as those of a sort, in no order a search reads few of them;
-- VACUUM, since from PostgreSQL 19 on the first search also marks pages as visible to all
CREATE FUNCTION pg_temp.pages_of(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
  RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;
CREATE TABLE in_order (i int, id ulid);
CREATE INDEX in_order_gist ON in_order USING gist (id);
INSERT INTO in_order SELECT * FROM event ORDER BY id;
CREATE TABLE in_no_order (i int, id ulid);
CREATE INDEX in_no_order_gist ON in_no_order USING gist (id);
INSERT INTO in_no_order SELECT * FROM event;
VACUUM in_no_order;
SELECT pg_relation_size('in_order_gist') < 1.2 * pg_relation_size('event_gist') AS "full",
  max(pg_temp.pages_of(format('SELECT FROM in_no_order WHERE id = %L', id))) < 5 AS few FROM event WHERE i % 500 = 0;
DROP FUNCTION pg_temp.pages_of;
DROP TABLE in_order, in_no_order;
DROP INDEX event_gist;
RESET enable_bitmapscan;
CREATE INDEX event_brin ON event USING brin (id);
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id <@ tstzrange('2026-11-01 00:00:00+00', '2026-12-01 00:00:00+00');
DROP INDEX event_brin;
CREATE INDEX event_brin ON event USING brin (id ulid_minmax_multi_ops);
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id >= '2026-11-01 00:00:00+00'::timestamptz;
DROP INDEX event_brin;
CREATE INDEX event_brin ON event USING brin (id ulid_bloom_ops);
EXPLAIN (COSTS OFF) SELECT FROM event WHERE id = :'one';
RESET enable_seqscan;
DROP TABLE event;
