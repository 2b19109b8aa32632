-- tbsl: what users type and see
\pset footer off \pset format unaligned \pset fieldsep ' | '
\set T tbsl
SET TIME ZONE 'UTC';
SET DateStyle = 'ISO';

-- input and output: 20 upper case hexadecimal digits
SELECT '25BF6196C8D6107ABCDE'::tbsl, '\x25BF6196C8D6107ABCDE'::tbsl, '\x25bf6196c8d6107abcde'::tbsl AS lower;

-- bad input: the error says what is wrong, and where
SELECT ''::tbsl;
SELECT '25BF6196C8D6107ABCD'::tbsl;
SELECT '25BF6196C8D6107ABCDEF'::tbsl;
SELECT '25BF6196C8D6107ABCDG'::tbsl;
SELECT '25BF6196C8D6107ABCDe'::tbsl;
SELECT '25bf6196c8d6107abcde'::tbsl;
SELECT ' 25bf6196c8d6107abcde'::tbsl;
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
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', 7, 703710),
  tbsl_from_parts('2286-11-20 17:46:39.999999+00', 99, 1048575);
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', 100, 703710);
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', -1, 703710);
SELECT tbsl_from_parts('2023-11-14 22:13:20.123456+00', 7, 1048576);
SELECT tbsl_from_parts('2286-11-20 17:46:40+00', 7, 703710);
SELECT tbsl_first('2023-11-14 22:13:20.123456+00'), tbsl_last('2023-11-14 22:13:20.123456+00');
SELECT tbsl_last('infinity'), tbsl_last('infinity')::timestamptz, tbsl_first('-infinity');
SELECT gen_tbsl('2286-11-20 17:46:39.999999+00')::timestamptz;
SELECT gen_tbsl('2286-11-20 17:46:40+00');

-- transport encodings
SELECT base, tbsl_to_base('25BF6196C8D6107ABCDE', base),
  tbsl_from_base(tbsl_to_base('25BF6196C8D6107ABCDE', base), base) FROM unnest(ARRAY[16, 32, 36, 58, 62]) base;
SELECT tbsl_from_base('1', 58), tbsl_from_base('00000000000000', 62), tbsl_from_base('fffff', 16);
SELECT tbsl_to_base('25BF6196C8D6107ABCDE', 64);
SELECT tbsl_from_base('0', 10);
SELECT tbsl_from_base('', 58);
SELECT tbsl_from_base('111111111111111', 58);
SELECT tbsl_from_base('11l', 58);
SELECT tbsl_from_base('25BF6196C8D6107ABCDE', 16), tbsl_from_base('fF', 16);
SELECT tbsl_from_base('FF', 36);
SELECT tbsl_from_base('é', 36);
SELECT tbsl_from_base('zzzzzzzzzzzzzz', 62);
SELECT tbsl_from_base('ffffffffffffffffffff', 16);

-- generation: in order, machine 0
SELECT bool_and(id > previous) AS increasing, count(*)
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
    FROM (SELECT i, gen_tbsl() AS id FROM generate_series(1, 10000) i) g) l WHERE previous IS NOT NULL;
SELECT bool_and(id > previous) AS increasing, count(*)
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
    FROM (SELECT i, gen_tbsl_machine(99, true) AS id FROM generate_series(1, 10000) i) g) l WHERE previous IS NOT NULL;
SELECT DISTINCT machine_id, suffix > 1024 AS random FROM generate_series(1, 1000), LATERAL tbsl_parts(gen_tbsl());
SELECT DISTINCT machine_id, suffix BETWEEN 1 AND 1024 AS sequenced FROM generate_series(1, 1000) i,
  LATERAL tbsl_parts(gen_tbsl_machine(i % 2, sequenced => true));
SELECT machine_id, suffix > 1024 AS random FROM tbsl_parts(gen_tbsl_machine(42));
SELECT machine_id, suffix > 1024 AS random FROM tbsl_parts(gen_tbsl_machine());
SELECT gen_tbsl_machine(-2);
SELECT gen_tbsl_machine(100);

-- a node id as machine id
SET ids.node_id = 99;
SELECT DISTINCT (tbsl_parts(id)).machine_id FROM (SELECT gen_tbsl() AS id UNION ALL SELECT gen_tbsl(now())) s;
SELECT (tbsl_parts(gen_tbsl_machine())).machine_id, machine_id, suffix BETWEEN 1 AND 1024 AS sequenced
FROM tbsl_parts(gen_tbsl_machine(sequenced => true));
SELECT (tbsl_parts(gen_tbsl_machine(-1))).machine_id, (tbsl_parts(gen_tbsl_machine(0))).machine_id;
SET ids.node_id = 100;
SELECT gen_tbsl();
SELECT gen_tbsl(now());
SELECT gen_tbsl_machine();
SELECT (tbsl_parts(gen_tbsl_machine(7))).machine_id;
RESET ids.node_id;

-- 2^20 tbsl of one instant do not repeat
SELECT count(DISTINCT gen_tbsl('2020-01-01 00:00:00+00')) FROM generate_series(1, 1 << 20);

\i test/regress/type.psql
