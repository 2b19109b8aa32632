-- uuidv7: what users type and see
\pset footer off \pset format unaligned \pset fieldsep ' | '
\set SHOW_CONTEXT never
SET TIME ZONE 'UTC';
SET DateStyle = 'ISO';

-- the time of RFC 9562's example; other versions and variants have none
SELECT uuidv7_extract_timestamp('017F22E2-79B0-7CC3-98C4-DC0C0C07398F');
SELECT uuidv7_extract_timestamp(id)
FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '919108f7-52d1-4320-9bac-f847db4148a8',
      '1EC9414C-232A-6B00-B3C8-9F6BDECED846',
  '2489E9AD-2EE2-8E00-8EC9-32D5F69181C0', '017F22E2-79B0-7CC3-78C4-DC0C0C07398F',
  '017F22E2-79B0-7CC3-C8C4-DC0C0C07398F', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF']::uuid[]) id;

-- boundaries: version and variant are always right; times out of range give the first or the last of all ids
SELECT uuidv7_first('2022-02-22 19:22:22+00'), uuidv7_last('2022-02-22 19:22:22+00');
SELECT uuidv7_first('2022-02-22 19:22:22.000001+00'), uuidv7_last('2022-02-22 19:22:21.999999+00');
SELECT uuidv7_first(at), uuidv7_last(at)
FROM unnest(ARRAY['-infinity', '1969-12-31 23:59:59.999999+00', '1970-01-01 00:00:00+00', '10889-08-02 05:31:50.655+00',
      '10889-08-02 05:31:50.655001+00', 'infinity']::timestamptz[]) at;
SELECT uuidv7_extract_timestamp(uuidv7_last('infinity'));
SELECT r, uuidv7_range_first(r), uuidv7_range_last(r), uuidv7_range_first(r) > uuidv7_range_last(r) AS none
FROM unnest(ARRAY['[2026-11-01, 2026-12-01)', '(2026-11-01, 2026-11-01 00:00:00.001]',
      '(2026-11-01, 2026-11-01 00:00:00.001)', '[2026-11-01, 2026-11-01]', 'empty', '(,)', '[infinity,infinity]',
  '[1900-01-01,1950-01-01]', '(1950-01-01,1970-01-01]']::tstzrange[]) r;
SELECT uuidv7_first(NULL) IS NULL AND uuidv7_last(NULL) IS NULL AND uuidv7_range_first(NULL) IS NULL
  AND uuidv7_range_last(NULL) IS NULL AND uuidv7_extract_timestamp(NULL) IS NULL
  AND gen_uuidv7(NULL) IS NULL AS strict;
SELECT proname, proleakproof FROM pg_proc WHERE proname ~ '^uuidv7_(extract|first|last|range|within)' ORDER BY 1;

-- boundaries and times of random ids agree
SELECT setseed(0.5);
CREATE TABLE event AS SELECT gen_uuidv7('2020-01-01 00:00:00+00'::timestamptz + random() * interval '40 years') AS id
  FROM generate_series(1, 1000);
INSERT INTO event SELECT gen_uuidv7('2026-11-01 00:00:00+00'::timestamptz + i * interval '500 microseconds')
  FROM generate_series(-3, 7) i;
CREATE TABLE probe AS SELECT '2026-11-01 00:00:00+00'::timestamptz + i * interval '250 microseconds' AS at
  FROM generate_series(-9, 14) i;
INSERT INTO probe SELECT uuidv7_extract_timestamp(id) FROM event TABLESAMPLE SYSTEM (100) LIMIT 20;
-- a time stands for its millisecond
SELECT count(*) > 40000 AS compared,
       count(*) FILTER (WHERE (id >= uuidv7_first(p.at)) <> (at_of_id >= cut)) AS first,
       count(*) FILTER (WHERE (id <= uuidv7_last(p.at)) <> (at_of_id <= cut)) AS last
FROM (SELECT id, uuidv7_extract_timestamp(id) AS at_of_id FROM event) e, probe p, date_trunc('milliseconds', p.at) cut;
SELECT count(*) > 300000 AS compared,
  count(*) FILTER (WHERE (id BETWEEN uuidv7_range_first(r) AND uuidv7_range_last(r)) <> (cut @> at_of_id)) AS wrong
FROM (SELECT id, uuidv7_extract_timestamp(id) AS at_of_id FROM event) e,
  (SELECT DISTINCT tstzrange(a.at, b.at, bounds) AS r,
    tstzrange(date_trunc('milliseconds', a.at), date_trunc('milliseconds', b.at), bounds) AS cut
    FROM probe a, probe b, unnest(ARRAY['[]', '[)', '(]', '()']) bounds WHERE a.at <= b.at) s;
-- uuidv7_within equals these two comparisons, for uuids of other versions too
DELETE FROM event WHERE uuidv7_extract_timestamp(id) < '2026-10-31' OR uuidv7_extract_timestamp(id) > '2026-11-02';
INSERT INTO event SELECT gen_random_uuid() FROM generate_series(1, 100);
INSERT INTO event SELECT overlay(uuidv7_first(at)::text PLACING v FROM 15)::uuid
FROM probe, unnest(ARRAY['4', '6fff', '8', 'f']) v;
SELECT count(*) > 100000 AS compared, count(*) FILTER (WHERE by_planner <> by_hand) AS wrong,
       count(*) FILTER (WHERE by_function <> by_hand) AS wrong_called
FROM (SELECT id BETWEEN uuidv7_range_first(r) AND uuidv7_range_last(r) AS by_hand, uuidv7_within(id, r) AS by_planner,
             uuidv7_within(id, CASE WHEN random() < 2 THEN r END) AS by_function
      FROM event, (SELECT DISTINCT tstzrange(a.at, b.at, bounds) AS r
                   FROM probe a, probe b, unnest(ARRAY['[]', '[)', '(]', '()']) bounds WHERE a.at <= b.at) s) c;
SELECT count(*) FILTER (WHERE uuidv7_within(id, '(,)')) = count(*) AS all_of_version_7,
       count(*) FILTER (WHERE uuidv7_within(id, 'empty')) AS empty,
       bool_and(uuidv7_within(id, NULL) IS NULL AND uuidv7_within(NULL, '(,)') IS NULL) AS strict
FROM event WHERE uuidv7_extract_timestamp(id) IS NOT NULL;
DROP TABLE event, probe;

-- generation: version 7 and in order; a given time is kept to the microsecond, and the bits after it are random
SELECT bool_and(id > previous) AS increasing, bool_and(uuid_send(id)::text ~ '^\\x.{12}7.{3}[89ab]') AS version_7,
  count(*)
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
    FROM (SELECT i, gen_uuidv7() AS id FROM generate_series(1, 10000) i) g) l WHERE previous IS NOT NULL;
SELECT abs(extract(epoch FROM uuidv7_extract_timestamp(gen_uuidv7()) - clock_timestamp())) < 60 AS now;
SELECT regexp_replace(gen_uuidv7('2022-02-22 19:22:22.999999+00')::text, '.{4}-.{12}$', '...') AS id,
  regexp_replace(gen_uuidv7('1970-01-01 00:00:00.000001+00')::text, '.{4}-.{12}$', '...') AS first,
       regexp_replace(gen_uuidv7('10889-08-02 05:31:50.655999+00')::text, '.{4}-.{12}$', '...') AS last;
SELECT count(DISTINCT gen_uuidv7('2022-02-22 19:22:22+00')) FROM generate_series(1, 10000);
SELECT gen_uuidv7('1969-12-31 23:59:59.999999+00');
SELECT gen_uuidv7('10889-08-02 05:31:50.656+00');
SELECT gen_uuidv7('infinity');

-- time ranges: an index serves them, and partitions are pruned, at plan time for constants, otherwise at run time
CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), n int);
INSERT INTO item SELECT gen_uuidv7('2026-01-01 00:00:00+00'::timestamptz + n * interval '1 hour'), n
  FROM generate_series(0, 9999) n;
ANALYZE item;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id >= uuidv7_first('2026-11-01 00:00:00+00')
  AND id < uuidv7_first('2026-12-01 00:00:00+00');
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id >= uuidv7_first(now() - interval '1 day');
SELECT count(*), min(n), max(n) FROM item WHERE id BETWEEN uuidv7_range_first('[2026-11-01, 2026-12-01)')
  AND uuidv7_range_last('[2026-11-01, 2026-12-01)');
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE uuidv7_within(id, '[2026-11-01, 2026-12-01)');
CREATE TABLE downtime AS SELECT tstzrange('2026-11-01', NULL) AS during;
ANALYZE downtime;
CREATE FUNCTION plan_of(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text = '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN SELECT * FROM item WHERE ' || condition LOOP
    plan := concat_ws(E'\n', plan, line);
  END LOOP;
  RETURN plan;
END $$;
-- also for a sub-select, but not for a volatile range
SELECT plan_of('uuidv7_within(id, (SELECT during FROM downtime))') LIKE
         '%Index Cond: ((id >= uuidv7_range_first(%)) AND (id <= uuidv7_range_last(%)))%' AS sub_select,
       plan_of('uuidv7_within(id, tstzrange(clock_timestamp(), NULL))') LIKE '%Filter: uuidv7_within%' AS volatile;
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT * FROM downtime JOIN item ON uuidv7_within(id, during);
-- the plan, including its costs, is the same as with the boundaries written by hand
SELECT range, plan_of(format('uuidv7_within(id, %s)', range)) =
  plan_of(format('id >= uuidv7_range_first(%1$s) AND id <= uuidv7_range_last(%1$s)', range)) AS same
FROM unnest(ARRAY[$$'[2026-11-01, 2026-11-02)'$$, $$'[2026-01-01,)'$$, $$'empty'$$,
  $$tstzrange(now() - interval '1 day', now())$$,
  $$tstzrange(date_trunc('day', now() AT TIME ZONE 'Europe/Berlin') AT TIME ZONE 'Europe/Berlin',
              (date_trunc('day', now() AT TIME ZONE 'Europe/Berlin') + interval '1 day') AT TIME ZONE 'Europe/Berlin')$$
  ]) range;
DROP FUNCTION plan_of;
DROP TABLE item, downtime;
CREATE TABLE log (id uuid PRIMARY KEY DEFAULT gen_uuidv7()) PARTITION BY RANGE (id);
CREATE TABLE log_2026 PARTITION OF log FOR VALUES
  FROM (uuidv7_first('2026-01-01 00:00:00+00')) TO (uuidv7_first('2027-01-01 00:00:00+00'));
CREATE TABLE log_2027 PARTITION OF log FOR VALUES
  FROM (uuidv7_first('2027-01-01 00:00:00+00')) TO (uuidv7_first('2028-01-01 00:00:00+00'));
INSERT INTO log VALUES (uuidv7_first('2026-01-01 00:00:00+00')), (gen_uuidv7('2026-12-31 23:59:59.999999+00')),
  (uuidv7_last('2026-12-31 23:59:59.999999+00')), (gen_uuidv7('2027-01-01 00:00:00+00'));
SELECT tableoid::regclass, count(*) FROM log GROUP BY 1 ORDER BY tableoid::regclass::text;
EXPLAIN (COSTS OFF) SELECT FROM log WHERE id >= uuidv7_first('2027-01-01 00:00:00+00');
PREPARE since (timestamptz) AS SELECT FROM log WHERE id >= uuidv7_first($1);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE since ('2027-01-01 00:00:00+00');
EXPLAIN (COSTS OFF) SELECT FROM log WHERE uuidv7_within(id, '[2027-01-01 00:00:00+00,)');
PREPARE within (tstzrange) AS SELECT FROM log WHERE uuidv7_within(id, $1);
EXPLAIN (COSTS OFF) EXECUTE within ('[2027-01-01 00:00:00+00,)');
RESET plan_cache_mode;
DROP TABLE log;
