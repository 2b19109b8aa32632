-- scru160: what users type and see
\pset footer off \pset format unaligned \pset fieldsep ' | '
\set T scru160
SET TIME ZONE 'UTC';
SET DateStyle = 'ISO';

-- input: 32 base32hex digits or 40 hexadecimal digits in either case; output: base32hex in upper case
SELECT '05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6'::scru160, '05ttup1hncpna1qhtdhrtcu3v32pd7c6'::scru160;
SELECT '017bdf6431bb33750751eb63beb3c3f8c5969d86'::scru160, '017BDF6431BB33750751EB63BEB3C3F8C5969D86'::scru160;
SELECT '\x017bdf6431bb33750751eb63beb3c3f8c5969d86'::scru160;
SELECT scru160_hex('05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6'),
  scru160_is_valid('017bdf6431bb33750751eb63beb3c3f8c5969d86') AS valid;

-- bad input: the error says what is wrong, and where
SELECT ''::scru160;
SELECT '05TTUP1HNCPNA1QHTDHRTCU3V32PD7C'::scru160;
SELECT '05TTUP1HNCPNA1QHTDHRTCU3V32PD7C66'::scru160;
SELECT '05TTUP1HNCPNA1QHTDHRTCU3V32PD7CW'::scru160;
SELECT 'Z5TTUP1HNCPNA1QHTDHRTCU3V32PD7C6'::scru160;
SELECT '05TTUP1HNCPNA-QHTDHRTCU3V32PD7C6'::scru160;
SELECT '017bdf6431bb33750751eb63beb3c3f8c5969d8g'::scru160;
SELECT '05TTUP1HNCPNA1QHTDHRTCU3V32PD7é6'::scru160;
SELECT '\x017bdf6431bb33750751eb63beb3c3f8c5969d8v'::scru160;
SELECT '2026-11-01'::scru160;
SELECT '{"05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6"}'::scru160;
SELECT '017bdf64-31bb3375-0751eb63-beb3c3f8-c5969d86'::scru160;
SELECT '015549f0-1d7e-3a66-a08c-07ce13d25363'::scru160;
SELECT '\x00'::bytea::scru160;

-- fields
SELECT * FROM scru160_parts('05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6');
SELECT scru160_from_parts('2021-09-13 13:41:30.683+00', 13173, 1873, '\xeb63beb3c3f8c5969d86');
SELECT scru160_from_parts('2021-09-13 13:41:30.683+00', 65536, 1873, '\xeb63beb3c3f8c5969d86');
SELECT scru160_from_parts('2021-09-13 13:41:30.683+00', 13173, -1, '\xeb63beb3c3f8c5969d86');
SELECT scru160_from_parts('2021-09-13 13:41:30.683+00', 13173, 1873, '\xeb63beb3c3f8c5969d8600');
SELECT scru160_from_parts('10889-08-02 05:31:50.656+00', 13173, 1873, '\xeb63beb3c3f8c5969d86');
SELECT scru160_first('2021-09-13 13:41:30.683+00'), scru160_last('2021-09-13 13:41:30.683999+00');

-- the first and last millisecond can be read, and made from parts, but are never generated
SELECT scru160_from_parts('epoch', 0, 0, '\x00000000000000000000'),
  scru160_from_parts('10889-08-02 05:31:50.655999+00', 65535, 65535, '\xffffffffffffffffffff');
SELECT '00000000000000000000000000000000'::scru160::timestamptz,
  'VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV'::scru160::timestamptz;
SELECT gen_scru160('1970-01-01 00:00:00.000999+00');
SELECT gen_scru160('1970-01-01 00:00:00.001+00')::timestamptz;
SELECT gen_scru160('10889-08-02 05:31:50.655+00');
SELECT gen_scru160('10889-08-02 05:31:50.654+00')::timestamptz;

-- generation: in order, 96 random bits
SELECT bool_and(id > previous) AS increasing, count(*)
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
    FROM (SELECT i, gen_scru160() AS id FROM generate_series(1, 10000) i) g) l WHERE previous IS NOT NULL;
SELECT bool_and(id > previous) AS increasing, count(*)
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
    FROM (SELECT i, gen_scru160_us() AS id FROM generate_series(1, 10000) i) g) l WHERE previous IS NOT NULL;
SELECT count(DISTINCT substr(gen_scru160()::bytea, 9)) FROM generate_series(1, 10000);
-- of each millisecond, the counter begins at a random number of 15 bits
SELECT max(counter) BETWEEN 16384 AND 33000 AS random
FROM (SELECT pg_sleep(0.002), gen_scru160() AS id FROM generate_series(1, 64)) g, scru160_parts(id);
-- the microsecond within the millisecond, above 6 bits of counter: no id is earlier than its call
SELECT bool_and(counter < 64000) AS microseconds,
  count(*) FILTER (WHERE at + (counter >> 6) * interval '1 us' < before) AS early
FROM (SELECT clock_timestamp() AS before, gen_scru160_us() AS id FROM generate_series(1, 10000)) g, scru160_parts(id);

-- a node id in random16
SET ids.node_id = '0513';
SELECT DISTINCT (scru160_parts(id)).random16
FROM (SELECT gen_scru160() AS id UNION ALL SELECT gen_scru160_us() UNION ALL SELECT gen_scru160(now())) s;
SET ids.node_id = 0;
SELECT DISTINCT (scru160_parts(id)).random16
FROM (SELECT gen_scru160() AS id UNION ALL SELECT gen_scru160_us() UNION ALL SELECT gen_scru160(now())) s;
SET ids.node_id = 65535;
SELECT (scru160_parts(gen_scru160())).random16;
SET ids.node_id = 65536;
SET ids.node_id = '0x1F';
RESET ids.node_id;

\i test/regress/type.psql
