-- snowflake: what users type and see
\pset footer off \pset format unaligned \pset fieldsep ' | '
\set T snowflake
SET TIME ZONE 'UTC';
SET DateStyle = 'ISO';

-- input and output: 11 base 62 digits
SELECT 'aZl8N0y58M8'::snowflake AS smallest, 'lYGhA16ahyf'::snowflake AS greatest;
SELECT '\x8c9e2481003a3001'::snowflake;
-- names in the other alphabet
SELECT 'C4VJ2ly9gRt'::snowflake, 'AzL8n0Y58m8'::snowflake AS smallest, 'LygHa16AHYF'::snowflake AS greatest;
SELECT snowflake_is_valid('C4VJ2ly9gRt') AS valid, snowflake_name('c4vj2LY9GrT'),
  snowflake_name('aZl8N0y58M8') AS smallest, snowflake_name('lYGhA16ahyf') AS greatest;
SELECT count(*), bool_and(snowflake_name(id)::snowflake = id) AS round_trip,
  bool_and(snowflake_name(id)::text <> id::text) AS other,
       array_agg(id ORDER BY snowflake_name(id) COLLATE "C") = array_agg(id ORDER BY id) AS sorts
FROM (SELECT gen_snowflake('2017-01-01 00:00:00+00'::timestamptz + random() * interval '69 years') AS id
    FROM generate_series(1, 1000)) s;
-- comparisons go by the number, not by the text
SELECT 'aZl8N0y58M8'::snowflake < 'aZl8N0y58Ma'::snowflake AS number, 'aZl8N0y58M8' < 'aZl8N0y58Ma' COLLATE "C" AS text,
       'c4vj2LY9GrZ'::snowflake > 'c4vj2LY9Gra'::snowflake AS number, 'c4vj2LY9GrZ' > 'c4vj2LY9Gra' COLLATE "C" AS text;

-- bad input: the error says what is wrong, and where
SELECT ''::snowflake;
SELECT 'aZl8N0y58M'::snowflake;
SELECT 'aZl8N0y58M88'::snowflake;
SELECT 'aZl8N0y5-M8'::snowflake;
SELECT 'aZl8N0y58M7'::snowflake;
SELECT '00000000000'::snowflake;
SELECT 'lYGhA16ahyg'::snowflake;
SELECT 'ZZZZZZZZZZZ'::snowflake;
SELECT 'AzL8n0Y58m7'::snowflake;
SELECT 'LygHa16AHYG'::snowflake;
SELECT 'M0000000000'::snowflake;
SELECT '\x7fffffffffffffff'::snowflake;
SELECT '\xffffffffffffffé'::snowflake;
SELECT 'aZl8N0y58Mé'::snowflake;
SELECT 'Application'::snowflake;
SELECT 'katjjMQN'::snowflake;
SELECT '10132576348103389185'::snowflake;
SELECT ('{"device": 10132576348103389185}'::json ->> 'device')::snowflake;
SELECT '-8314167725606162431'::snowflake, '-8314167725606162431'::bigint::snowflake;
SELECT '9223372036854775807'::snowflake;
SELECT '1585341984679469056'::snowflake;
SELECT E'c4vj2LY9GrT\n'::snowflake;
SELECT '2026-11-01'::snowflake;
SELECT '\x7fffffffffffffff'::bytea::snowflake;
SELECT '\x00'::bytea::snowflake;

-- fields
SELECT * FROM snowflake_parts('c4vj2LY9GrT');
SELECT snowflake_from_parts('2023-11-14 22:13:20+00', 3724, 1),
  snowflake_from_parts('2086-09-07 15:47:35.551+00', 4095, 1023);
SELECT snowflake_from_parts('2023-11-14 22:13:20+00', 4096, 1);
SELECT snowflake_from_parts('2023-11-14 22:13:20+00', 3724, 1024);
SELECT snowflake_from_parts('2023-11-14 22:13:20+00', 3724, -1);
SELECT snowflake_from_parts('2016-12-31 23:59:59.999999+00', 3724, 1);
SELECT snowflake_first('2017-01-01 00:00:00+00'), snowflake_last('2086-09-07 15:47:35.551+00');
SELECT snowflake_first('2016-12-31 23:59:59+00'), snowflake_last('2016-12-31 23:59:59+00');
SELECT gen_snowflake('2017-01-01 00:00:00+00')::timestamptz,
  gen_snowflake('2086-09-07 15:47:35.551999+00')::timestamptz;
SELECT gen_snowflake('2016-12-31 23:59:59.999999+00');
SELECT gen_snowflake('2086-09-07 15:47:35.552+00');

-- numbers
SELECT 'aZl8N0y58M8'::snowflake::bigint, 'aZl8N0y58M8'::snowflake::numeric, 'lYGhA16ahyf'::snowflake::bigint,
  'lYGhA16ahyf'::snowflake::numeric;
SELECT (-9223372036854775808)::bigint::snowflake, (-1)::bigint::snowflake;
SELECT 0::bigint::snowflake;
SELECT 9223372036854775807::bigint::snowflake;
SELECT 9223372036854775808::numeric::snowflake, 18446744073709551615.00::numeric::snowflake,
  '10132576348103389185'::numeric::snowflake;
SELECT count(*), bool_and(id::numeric::snowflake = id) AS round_trip
FROM (SELECT gen_snowflake() AS id FROM generate_series(1, 1000)) s;
SELECT 9223372036854775807::numeric::snowflake;
SELECT 18446744073709551616::numeric::snowflake;
SELECT 9223372036854775808.5::numeric::snowflake;
SELECT (-1)::numeric::snowflake;
SELECT 'NaN'::numeric::snowflake;
SELECT 'infinity'::numeric::snowflake;
SELECT 1e100::numeric::snowflake;
SELECT ids_base62_encode(71027147798529), ids_base62_encode(71027147798529, upper_first => true),
  ids_base62_decode('katjjMQN'), ids_base62_decode('KATJJmqn', true);
SELECT ids_base62_encode(0), ids_base62_encode(-1), ids_base62_decode('lYGhA16ahyf'), ids_base62_decode('0'),
  ids_base62_decode('00000000001');
SELECT ids_base62_decode('');
SELECT ids_base62_decode('000000000001');
SELECT ids_base62_decode('kat-MQN');
SELECT ids_base62_decode('lYGhA16ahyg');

-- generation: in order, at most 1024 ids and one random number a millisecond; the increment runs on
CREATE TEMPORARY TABLE made AS SELECT i, gen_snowflake() AS id FROM generate_series(1, 10000) i;
SELECT count(DISTINCT id), count(DISTINCT (at, increment)) FROM made, snowflake_parts(id);
SELECT max(count) <= 1024 AS bounded, max(randoms) AS randoms, count(DISTINCT random) > 10 AS differ
FROM (SELECT count(*), count(DISTINCT random) AS randoms, min(random) AS random FROM made, snowflake_parts(id)
    GROUP BY at) m;
SELECT bool_and(id > previous) AS increasing FROM (SELECT i, id, lag(id) OVER (ORDER BY i) AS previous FROM made) s
WHERE i > 1;
SELECT bool_and(increment = (previous + 1) % 1024) AS running_on
FROM (SELECT i, increment, lag(increment) OVER (ORDER BY i) AS previous FROM made, snowflake_parts(id)) s WHERE i > 1;
DROP TABLE made;

-- a node id in the random field
SET ids.node_id = 4095;
SELECT DISTINCT (snowflake_parts(id)).random
FROM (SELECT gen_snowflake() AS id UNION ALL SELECT gen_snowflake(now())) s;
SET ids.node_id = 4096;
SELECT gen_snowflake();
SELECT gen_snowflake(now());
RESET ids.node_id;

-- 2^22 snowflakes of one instant do not repeat
SELECT count(DISTINCT gen_snowflake('2020-01-01 00:00:00+00')) FROM generate_series(1, 1 << 22);

\i test/regress/type.psql
