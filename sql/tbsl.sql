-- tbsl: what users type and see
\set T tbsl
\getenv srcdir PG_ABS_SRCDIR
SET TIME ZONE 'UTC';
SET DateStyle = 'ISO';

-- input and output: 20 upper case hexadecimal digits
SELECT '25BF6196C8D6107ABCDE'::tbsl, '\x25BF6196C8D6107ABCDE'::tbsl, '\x25bf6196c8d6107abcde'::tbsl AS lower;

-- bad input: what is wrong, and where
SELECT ''::tbsl;
SELECT '25BF6196C8D6107ABCD'::tbsl;
SELECT '25BF6196C8D6107ABCDEF'::tbsl;
SELECT '25BF6196C8D6107ABCDG'::tbsl;
SELECT '25BF6196C8D6107ABCDe'::tbsl;
SELECT '25bf6196c8d6107abcde'::tbsl;
SELECT upper('25bf6196c8d6107abcde')::tbsl;
SELECT 'DE0B6B3A7640000FFFFF'::tbsl;
SELECT 'DE0B6B3A763FFFFFFFFF'::tbsl;
SELECT '\xDE0B6B3A763FFFFFFFFF'::tbsl;
SELECT '\xde0b6b3a7640000fffff'::tbsl;
SELECT '\x25BF6196C8D6107ABCDg'::tbsl;
SELECT '2026-11-01 00:00:00+'::tbsl;
SELECT '\xffffffffffffffffffff'::bytea::tbsl;
SELECT '\x00'::bytea::tbsl;

-- fields
SELECT * FROM tbsl_parts('25BF6196C8D6107ABCDE');
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', 7, 703710), tbsl_from_parts('2286-11-20 17:46:39.999999+00', 99, 1048575);
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', 100, 703710);
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', -1, 703710);
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', 7, 1048576);
SELECT tbsl_from_parts('2286-11-20 17:46:40+00', 7, 703710);
SELECT tbsl_first('2023-11-14 22:13:20.123456+00'), tbsl_last('2023-11-14 22:13:20.123456+00');
SELECT tbsl_last('infinity'), tbsl_last('infinity')::timestamptz, tbsl_first('-infinity');
SELECT gen_tbsl('2286-11-20 17:46:39.999999+00')::timestamptz;
SELECT gen_tbsl('2286-11-20 17:46:40+00');

-- transport encodings
SELECT base, tbsl_to_base('25BF6196C8D6107ABCDE', base), tbsl_from_base(tbsl_to_base('25BF6196C8D6107ABCDE', base), base) FROM unnest(ARRAY[16, 32, 36, 58, 62]) base;
SELECT tbsl_from_base('1', 58), tbsl_from_base('00000000000000', 62), tbsl_from_base('fffff', 16);
SELECT tbsl_to_base('25BF6196C8D6107ABCDE', 64);
SELECT tbsl_from_base('0', 10);
SELECT tbsl_from_base('', 58);
SELECT tbsl_from_base('111111111111111', 58);
SELECT tbsl_from_base('11l', 58);
SELECT tbsl_from_base('FF', 16);
SELECT tbsl_from_base('é', 36);
SELECT tbsl_from_base('zzzzzzzzzzzzzz', 62);
SELECT tbsl_from_base('ffffffffffffffffffff', 16);

-- generation: in order, machine 0
SELECT bool_and(id > previous) AS increasing, count(*) FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous FROM (SELECT i, gen_tbsl() AS id FROM generate_series(1, 100000) i) g) l WHERE previous IS NOT NULL;
SELECT bool_and(id > previous) AS increasing, count(*) FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous FROM (SELECT i, gen_tbsl_machine(99, true) AS id FROM generate_series(1, 100000) i) g) l WHERE previous IS NOT NULL;
SELECT DISTINCT machine_id, suffix > 1024 AS random FROM generate_series(1, 1000), LATERAL tbsl_parts(gen_tbsl());
SELECT DISTINCT machine_id, suffix BETWEEN 1 AND 1024 AS sequenced FROM generate_series(1, 1000) i, LATERAL tbsl_parts(gen_tbsl_machine(i % 2, sequenced => true));
SELECT machine_id, suffix > 1024 AS random FROM tbsl_parts(gen_tbsl_machine(42));
SELECT machine_id, suffix > 1024 AS random FROM tbsl_parts(gen_tbsl_machine());
SELECT gen_tbsl_machine(-2);
SELECT gen_tbsl_machine(100);

-- a node id as machine id
SET ids.node_id = 99;
SELECT DISTINCT (tbsl_parts(id)).machine_id FROM (SELECT gen_tbsl() AS id UNION ALL SELECT gen_tbsl(now())) s;
SELECT (tbsl_parts(gen_tbsl_machine())).machine_id, machine_id, suffix BETWEEN 1 AND 1024 AS sequenced FROM tbsl_parts(gen_tbsl_machine(sequenced => true));
SELECT (tbsl_parts(gen_tbsl_machine(-1))).machine_id, (tbsl_parts(gen_tbsl_machine(0))).machine_id;
SET ids.node_id = 100;
SELECT gen_tbsl();
SELECT gen_tbsl(now());
SELECT gen_tbsl_machine();
SELECT (tbsl_parts(gen_tbsl_machine(7))).machine_id;
RESET ids.node_id;

-- 2^20 of one instant do not repeat
SELECT count(DISTINCT gen_tbsl('2020-01-01 00:00:00+00')) FROM generate_series(1, 1 << 20);

-- every row of the conformance data; but zero in base 58 is its first digit, 1, and digits of a
-- payload of 10^18 or more are no tbsl
SET client_min_messages = warning;
\i test/regress/attempt.psql
\set F tbsl
\i test/regress/vectors.psql
SELECT count(*) > 0 AS read,
       count(*) FILTER (WHERE v.text::tbsl::text <> v.text OR tbsl_to_base(v.text::tbsl, 16) <> base16 OR tbsl_to_base(v.text::tbsl, 32) <> base32
         OR tbsl_to_base(v.text::tbsl, 36) <> base36 OR (tbsl_to_base(v.text::tbsl, 58) <> base58 AND base58 <> '0') OR tbsl_to_base(v.text::tbsl, 62) <> base62
         OR tbsl_from_base(base62, 62)::text <> v.text OR extract(epoch FROM v.text::tbsl::timestamptz) <> unix_s::numeric + micros::numeric / 1000000
         OR (SELECT machine_id::text <> v.machine_id OR suffix <> ('x' || lpad(suffix_hex, 8, '0'))::bit(32)::int OR tbsl_from_parts(at, p.machine_id, suffix)::text <> v.text FROM tbsl_parts(v.text::tbsl) p) OR ('\x' || v.text)::tbsl::text <> v.text) AS wrong
FROM vector v WHERE error IS NULL;
SELECT id, machine_id, pg_temp.attempt(format('tbsl_from_parts(now(), %s, 0)', machine_id)) AS error FROM vector WHERE error = 'machine_id_out_of_range' AND abs(machine_id::numeric) < 1e9;
\set F tbsl_parse
\i test/regress/vectors.psql
SELECT count(*) > 0 AS read, count(*) FILTER (WHERE expect <> 'ok') > 0 AS errors,
       count(*) FILTER (WHERE pg_temp.attempt(format('%L::tbsl', input)) <> CASE expect WHEN 'ok' THEN ltrim(input, '\x') ELSE '22P02' END OR tbsl_is_valid(input) <> (expect = 'ok')) AS wrong
FROM vector;
\set F tbsl_base
\i test/regress/vectors.psql
SELECT count(*) > 0 AS read, count(*) FILTER (WHERE result <> 'ok') > 0 AS errors,
       count(*) FILTER (WHERE pg_temp.attempt(format('tbsl_from_base(%L, %s)', encoded, base)) <> CASE WHEN result = 'ok' AND text < 'DE0B6B3A764' COLLATE "C" THEN text WHEN result = 'unsupported_base' THEN '22023' ELSE '22P02' END) AS wrong,
       count(*) FILTER (WHERE result = 'ok' AND text < 'DE0B6B3A764' COLLATE "C" AND (pg_temp.attempt(format('tbsl_to_base(%L, %s)', text, base)) = encoded) <> (canonical = 't')) AS not_canonical
FROM vector;

DROP TABLE vector;
RESET client_min_messages;

\i test/regress/type.psql
