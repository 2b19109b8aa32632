-- codokey: dates as text that counts down
\pset footer off \pset format unaligned \pset fieldsep ' | '
SET TIME ZONE 'UTC';
SET datestyle = 'ISO';
CREATE VIEW units (n, unit) AS VALUES (0, 'year'), (1, 'month'), (2, 'day'), (3, 'hour'), (4, 'minute'), (5, 'second'),
  (6, 'split');

-- a key of every unit; a key begins with the keys of the larger units
SELECT n, unit, codokey('2022-12-31 23:59:59.9+00'::timestamptz, unit) AS greatest,
  codokey('1970-01-01'::timestamptz, unit) AS smallest FROM units;
SELECT codokey('2022-12-31'::date), codokey('2022-12-31 23:59:59.9'::timestamp, 'split'),
  codokey('1970-01-01'::date, 'split', until_split => 999999);
SELECT codokey(at => '2026-11-01 12:34:56.789+00'::timestamptz, unit => 'split', since_year => 2020, until_year => 2055,
  until_split => 999);

-- and back
SELECT n, unit, codokey_extract_timestamp(key), codokey_range(key), codokey_unit(key) = unit AS unit_is,
  codokey_is_valid(key)
FROM units, codokey('2024-02-29 12:34:56.7+00'::timestamptz, unit) key;
SELECT codokey_extract_timestamp('YJ00'), codokey_range('zZbU'), codokey_unit('zzbun'), codokey_is_valid('zz');
SELECT codokey_range('1fbu', until_year => 2069),
  codokey_range(key => '1fbun1n1nrr', until_year => 2069, until_split => 999);
SELECT codokey_range('z', 2000, 2035), codokey_range('00', 2000, 2036), codokey_range('0bu', 2020, 2020);

-- overload resolution: an untyped literal is a timestamptz, in the session's time zone
SELECT codokey(now()) = codokey(now()::date), codokey(current_date) = codokey(now()),
  codokey(localtimestamp) = codokey(now());
SELECT codokey('2022-12-31'), pg_typeof(codokey('2022-12-31'));
SET TIME ZONE 'Asia/Kolkata';
SELECT codokey('2022-12-31') AS literal, codokey(date '2022-12-31'), codokey(timestamp '2022-12-31');
SET TIME ZONE 'UTC';
\set VERBOSITY sqlstate
SELECT codokey('2022-12-31'::text);
SELECT codokey();
\set VERBOSITY default

-- now
SELECT clock_timestamp() - codokey_extract_timestamp(gen_codokey('split', until_split => 999999), until_split => 999999)
  BETWEEN '-10 seconds' AND '10 seconds' AS recent;
SELECT gen_codokey() ~ '^[0-9a-z]{4}$' AS day, gen_codokey('split', until_split => 999999) ~ '^[0-9a-z]{13}$' AS split,
  gen_codokey('year', 2000, 2999) ~ '^[0-9a-z]{2}$' AS year;
SELECT count(DISTINCT gen_codokey('split', until_split => 999999)) > 1 AS goes_on FROM generate_series(1, 1000);

-- NULL
SELECT codokey(NULL::timestamptz), codokey(now(), NULL), codokey(current_date, 'day', NULL),
  codokey(localtimestamp, until_split => NULL), gen_codokey(NULL);
SELECT codokey_extract_timestamp(NULL), codokey_range(NULL), codokey_unit('yj', NULL), codokey_is_valid(NULL),
  codokey_is_valid('yj', until_year => NULL);

-- bad keys: what is wrong, and where
\set VERBOSITY sqlstate
SELECT codokey_extract_timestamp('yj0000');
\set VERBOSITY default
SELECT codokey_extract_timestamp('');
SELECT codokey_extract_timestamp('yj0000');
SELECT codokey_range('yj00000000', until_split => 999);
SELECT codokey_range('yj00-1.0.0');
SELECT codokey_range(E'yj00\n');
SELECT codokey_unit('yj000000000');
SELECT codokey_unit('1', 2020, 2020), codokey_unit('yj', 2020, 2020);
SELECT codokey_extract_timestamp('yj-0');
SELECT codokey_extract_timestamp('yj 0');
SELECT codokey_extract_timestamp(E'yj0\n');
SELECT codokey_extract_timestamp('zz-z');
SELECT codokey_extract_timestamp('2022-12-31');
SELECT codokey_extract_timestamp('yj0é');
SELECT codokey_extract_timestamp('ｙｊ');
SELECT codokey_extract_timestamp('yj00é0');
SELECT codokey_extract_timestamp('2s', until_year => 2069);
SELECT codokey_extract_timestamp('yjc0');
SELECT codokey_extract_timestamp('YJ0V');
SELECT codokey_extract_timestamp('yjas');
SELECT codokey_extract_timestamp('yj00o');
SELECT codokey_extract_timestamp('yj0001o');
SELECT codokey_extract_timestamp('yj00000zz');
SELECT codokey_extract_timestamp('yj0000000a');
SELECT codokey_extract_timestamp('yj0000000gjdgxs', until_split => 999999999);
SELECT codokey_is_valid(''), codokey_is_valid('yj0000'), codokey_is_valid('yj-0'), codokey_is_valid('yj0é'),
  codokey_is_valid('yjas'), codokey_is_valid('yhas');

-- long keys
SELECT codokey_is_valid(repeat('0', 10000)), codokey_is_valid(repeat('é', 10000)),
  codokey_is_valid(repeat('0', 10000000));
DO $$
BEGIN
  PERFORM codokey_extract_timestamp(repeat('0', 10000));
EXCEPTION WHEN invalid_text_representation THEN
  RAISE NOTICE 'refused, % characters of message', length(SQLERRM);
END $$;

-- units by all names that date_trunc reads
SELECT unit, codokey_unit(key), codokey_extract_timestamp(key) = CASE upper(unit) WHEN 'SPLIT' THEN at
    ELSE date_trunc(unit, at, 'UTC') END AS same
FROM unnest('{Year,YEARS,yrs,mon,months,DAY,days,hr,hours,min,Minutes,sec,SECONDS,SPLIT}'::text[]) unit,
  (VALUES ('2022-12-30 22:58:57.9+00'::timestamptz)) v (at), codokey(at, unit) key;
-- bad units
\set VERBOSITY sqlstate
SELECT codokey(now(), 'week');
\set VERBOSITY default
SELECT codokey(now(), 'week');
SELECT codokey(now(), '');
SELECT codokey(now(), '2');
SELECT codokey(now(), '7');
SELECT codokey(now(), 'splits');
SELECT codokey(now(), 'century');
SELECT codokey(now(), repeat('day', 30));
SELECT gen_codokey('2');
DO $$
BEGIN
  PERFORM codokey(now(), repeat('day', 10000));
EXCEPTION WHEN invalid_parameter_value THEN
  RAISE NOTICE 'refused, % characters of message', length(SQLERRM);
END $$;
-- the specification's precision, a number, names no unit; the rest of the message depends on the version of PostgreSQL
\set VERBOSITY terse
SELECT codokey(now(), 2);
\set VERBOSITY default
SELECT codokey(now(), '2');
-- a literal, NULL and a parameter of unknown type do
SELECT codokey('2022-12-31', 'month'), codokey(date '2022-12-31', 'year'), codokey(now(), NULL, 2000),
  gen_codokey(NULL, 2000);
PREPARE unknown AS SELECT codokey($1, $2), codokey(date '2022-12-31', $3), codokey($4, unit => $5, since_year => $6),
  gen_codokey($7) = gen_codokey('year');
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'unknown';
EXECUTE unknown('2022-12-31', 'day', 'month', '2022-12-31', 'year', 2000, 'year');
DEALLOCATE unknown;

-- bad contexts, in every function that takes one
\set VERBOSITY sqlstate
SELECT codokey(now(), 'day', 2000, 1999);
\set VERBOSITY default
SELECT codokey(now(), 'day', -1);
SELECT codokey(now(), 'day', 1970, 294276);
SELECT codokey(now(), 'day', 2000, 1999);
SELECT codokey(current_date, 'day', 1970, 99);
SELECT codokey(localtimestamp, 'day', until_split => 0);
SELECT gen_codokey('day', until_split => 1000);
SELECT codokey_extract_timestamp('yj', until_split => -9);
SELECT codokey_range('yj', until_split => 2147483647);
SELECT codokey_unit('yj', -2147483648, 2147483647);
SELECT codokey_is_valid('yj', 2147483647, -2147483648);

-- times outside the context
\set VERBOSITY sqlstate
SELECT codokey('1969-12-31'::date);
\set VERBOSITY default
SELECT codokey('1969-12-31 23:59:59.999999+00'::timestamptz);
SELECT codokey('3266-01-01 00:00:00+00'::timestamptz);
SELECT codokey('1970-01-01 00:00:00+01'::timestamptz);
SELECT codokey('2036-01-01'::date, 'year', 2000, 2035);
SELECT codokey('infinity'::timestamptz);
SELECT codokey('-infinity'::timestamptz);
SELECT codokey('infinity'::timestamp, 'day', 0, 294275);
SELECT codokey('-infinity'::timestamp, 'day', 0, 294275);
SELECT codokey('infinity'::date, 'day', 0, 294275);
SELECT codokey('-infinity'::date, 'day', 0, 294275);
SELECT codokey('0044-03-15 BC'::date);
SELECT codokey('0002-12-31 BC'::date, 'day', 0);
SELECT codokey('4714-11-24 BC'::timestamptz, 'day', 0, 294275);
SELECT codokey('5874897-12-31'::date, 'day', 0, 294275);
SELECT codokey('294276-12-31 23:59:59.999999+00'::timestamptz, 'day', 0, 294275);
SELECT gen_codokey('day', 1970, 1999);
SELECT gen_codokey('day', 9999, 9999);

-- the ends of the widest context; its year 0 is 1 BC
SELECT codokey('0001-01-01 BC'::date, 'split', 0, 294275),
  codokey('294275-12-31 23:59:59.999999+00'::timestamptz, 'split', 0, 294275);
SELECT codokey_range('6b2b', 0, 294275), codokey_range('0000', 0, 294275),
  codokey_range('00000000000000000', 0, 294275, 999999999);
SELECT codokey('0001-02-29 BC'::date, since_year => 0), codokey_range('2ipa0', since_year => 0),
  codokey_range('2ip', since_year => 0);

-- keys below the microsecond
SELECT at, key, codokey_extract_timestamp(key, until_split => 999999999) = at AS same,
  codokey_range(key, until_split => 999999999) @> at AS inside
FROM (VALUES (timestamptz '2022-12-31 23:59:59.999999+00'), ('2022-12-31 00:00:00+00'),
    ('1970-01-01 00:00:00.000001+00')) v (at),
  codokey(at, 'split', until_split => 999999999) key;
SELECT key, codokey_extract_timestamp(key, until_split => 999999999), codokey_range(key, until_split => 999999999)
FROM unnest(ARRAY['yj0000000000000', 'yj00000000000rr', 'yj00000000000rs', 'yj0000000gjdgxr']) key;

-- instants over all years: units agree with PostgreSQL's calendar; timestamptz, timestamp and date give the same key
CREATE VIEW instant AS
SELECT at, unit, codokey(at, unit, 0, 294275, 999999) AS key,
  tstzrange(lower AT TIME ZONE 'UTC', (lower + ('1 ' || field)::interval) AT TIME ZONE 'UTC') AS range
FROM generate_series(0, 1000) i, units,
  LATERAL (SELECT timestamptz '0001-01-01 00:00:00.123456+00 BC' + i * interval '107470 days 05:06:07.089' AS at,
    CASE unit WHEN 'split' THEN 'microsecond' ELSE unit END AS field) a,
  LATERAL (SELECT date_trunc(field, at AT TIME ZONE 'UTC') AS lower) t;
CREATE VIEW wrong AS
SELECT count(*) AS instants, max(extract(year FROM at)) > 294000 AS all_years,
       count(*) FILTER (WHERE codokey_range(key, 0, 294275, 999999) <> range) AS range,
       count(*) FILTER (WHERE codokey_extract_timestamp(key, 0, 294275, 999999) <> lower(range)) AS time,
       count(*) FILTER (WHERE codokey_unit(key, 0, 294275, 999999) <> unit) AS unit,
       count(*) FILTER (WHERE NOT codokey_is_valid(key, 0, 294275, 999999)) AS validity,
       count(*) FILTER (WHERE codokey(at AT TIME ZONE 'UTC', unit, 0, 294275, 999999) <> key) AS timestamp,
       count(*) FILTER (WHERE unit IN ('year', 'month', 'day')
         AND codokey((at AT TIME ZONE 'UTC')::date, unit, 0, 294275, 999999) <> key) AS date
FROM instant;
TABLE wrong;

-- a generated column, and an index on it that gives the newest first
CREATE TABLE documents (
  title text,
  created_at timestamptz NOT NULL,
  key text COLLATE "C" GENERATED ALWAYS AS (codokey(created_at)) STORED
);
INSERT INTO documents SELECT n, timestamptz '2020-01-01 06:00+00' + n * interval '1 day'
  FROM generate_series(0, 2999) n;
CREATE INDEX ON documents (key);
VACUUM ANALYZE documents;
EXPLAIN (COSTS OFF) SELECT title, created_at, key FROM documents ORDER BY key LIMIT 3;
SELECT title, created_at, key FROM documents ORDER BY key LIMIT 3;
SELECT count(*) FROM (SELECT created_at < lag(created_at) OVER (ORDER BY key) AS older FROM documents) s
WHERE NOT older;
-- a document is of a month if its key begins with the month's key
EXPLAIN (COSTS OFF) SELECT count(*) FROM documents WHERE key ^@ codokey(date '2022-02-01', 'month');
SELECT count(*), min(created_at), max(created_at) FROM documents WHERE key ^@ codokey(date '2022-02-01', 'month');
SELECT count(*) FROM documents WHERE codokey_range(key) @> created_at AND codokey_range('yja') @> created_at;
UPDATE documents SET created_at = '4000-01-01' WHERE title = '0';

-- as a default, and as a part of a name
CREATE TABLE files (name text COLLATE "C" PRIMARY KEY DEFAULT gen_codokey('second'), n int);
INSERT INTO files (n) VALUES (1);
SELECT codokey_unit(name), now() - codokey_extract_timestamp(name) BETWEEN '-10 seconds' AND '1 minute' AS recent
FROM files;
DROP TABLE files;
SELECT (codokey(d) || '-' || version) COLLATE "C" AS name
FROM (VALUES (date '2022-12-31', 1), ('2022-12-31', 2), ('2023-01-01', 1)) v (d, version) ORDER BY name;
SELECT ('report-' || codokey(d, 'month') || '.pdf') COLLATE "C" AS name
FROM generate_series(timestamp '2022-11-01', '2023-02-01', '1 month') d ORDER BY name;

-- under "C" the order of keys is the reverse of the order of times
SELECT string_agg(codokey(d, 'month'), ' ' ORDER BY codokey(d, 'month') COLLATE "C")
  = string_agg(codokey(d, 'month'), ' ' ORDER BY d DESC) AS newest_first
FROM generate_series(date '1970-01-01', date '3265-12-01', interval '1 month') d;

-- a table moves to another context
CREATE TABLE items (key text COLLATE "C" PRIMARY KEY DEFAULT gen_codokey('second'), at timestamptz);
INSERT INTO items SELECT codokey(at, unit), at
  FROM units, unnest(ARRAY['2000-02-29 12:34:56.7+00', '2022-12-31 23:59:59.9+00', '1999-12-31 23:59:59+00',
      '2069-01-01 00:00:00+00']::timestamptz[]) at;
CREATE TABLE before AS SELECT *, codokey_unit(key) AS unit, codokey_range(key) AS period FROM items;
-- a context that does not hold all years: an error, and the table is unchanged
ALTER TABLE items ALTER key TYPE text COLLATE "C"
  USING codokey(codokey_extract_timestamp(key), codokey_unit(key), 2000, 2099);
SELECT count(*) FROM items JOIN before USING (key);
BEGIN;
ALTER TABLE items
  ALTER key TYPE text COLLATE "C" USING codokey(codokey_extract_timestamp(key), codokey_unit(key), 1970, 2069, 999),
  ALTER key SET DEFAULT gen_codokey('second', 1970, 2069, 999);
COMMIT;
SELECT key, codokey_extract_timestamp(key, 1970, 2069, 999), codokey_unit(key, 1970, 2069, 999) FROM items
WHERE at = '2022-12-31 23:59:59.9+00' ORDER BY key;
SELECT count(*), bool_and(codokey_is_valid(items.key, 1970, 2069, 999)) AS valid,
       bool_and(codokey_unit(items.key, 1970, 2069, 999) = unit) AS unit,
       bool_and(codokey_extract_timestamp(items.key, 1970, 2069, 999) = lower(period)) AS first,
       bool_and(codokey_range(items.key, 1970, 2069, 999) = period OR unit = 'split') AS period
FROM items JOIN before ON before.unit = codokey_unit(items.key, 1970, 2069, 999)
  AND before.period @> codokey_extract_timestamp(items.key, 1970, 2069, 999);
SELECT string_agg(at::text || unit, ' ' ORDER BY before.key)
  = string_agg(at::text || unit, ' ' ORDER BY codokey(lower(period), unit, 1970, 2069, 999) COLLATE "C") AS same_order
FROM before;
INSERT INTO items VALUES (DEFAULT, now()) RETURNING now() - codokey_extract_timestamp(key, 1970, 2069, 999)
  BETWEEN '-10 seconds' AND '1 minute' AS recent;
-- and back to the first context; the column's default stays
DELETE FROM items WHERE at NOT IN (SELECT at FROM before);
ALTER TABLE items ALTER key TYPE text COLLATE "C"
  USING codokey(codokey_extract_timestamp(key, 1970, 2069, 999), codokey_unit(key, 1970, 2069, 999));
SELECT count(*) FROM items JOIN before USING (key, at);

-- no setting of the session changes a result
\set settings 'SELECT codokey(timestamptz ''2022-12-31 23:59:59.9+00'', ''split'') AS a,'
\set settings :settings ' codokey(date ''2022-12-31'') AS b,'
\set settings :settings ' codokey(timestamp ''2022-03-13 02:30:00'', ''minute'') AS c,'
\set settings :settings ' codokey(timestamptz ''2022-11-06 05:30:00+00'', ''hour'') AS d,'
\set settings :settings ' codokey(timestamptz ''2022-11-06 06:30:00+00'', ''hour'') AS e,'
\set settings :settings ' extract(epoch FROM codokey_extract_timestamp(''yj00'')) AS f,'
\set settings :settings ' extract(epoch FROM upper(codokey_range(''yj9h3''))) AS g, wrong.* FROM wrong;'
:settings
SET TIME ZONE 'America/New_York';
SET datestyle = 'SQL, DMY';
:settings
SELECT codokey_extract_timestamp('yj00'), codokey_range('yj9h');
SET TIME ZONE 'Asia/Kolkata';
SET datestyle = 'German';
:settings
SELECT codokey_extract_timestamp('yj00'), codokey_range('yj9h');
SET TIME ZONE 'Pacific/Apia';
SET datestyle = 'Postgres, YMD';
SET lc_messages = 'C';
SET lc_time = 'C';
SET lc_numeric = 'C';
:settings

DROP VIEW wrong, instant, units;
DROP TABLE documents, items, before;
