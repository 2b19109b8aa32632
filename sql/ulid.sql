-- ulid: what users type and see
\pset footer off \pset format unaligned \pset fieldsep ' | '
\set T ulid
SET TIME ZONE 'UTC';

-- input: 26 Crockford base32 digits in either case; output in upper case
SELECT '01AN4Z07BY79KA1307SR9X4MV3'::ulid;
SELECT ulid '01an4z07by79ka1307sr9x4mv3';
SELECT '\x015549f01d7e3a66a08c07ce13d25363'::ulid, '\x015549F01D7E3A66A08C07CE13D25363'::ulid AS upper;
SELECT '00000000000000000000000000'::ulid AS smallest, '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'::ulid AS greatest;

-- bad input: the error says what is wrong, and where
SELECT ''::ulid;
SELECT '01AN4Z07BY79KA1307SR9X4MV'::ulid;
SELECT '01AN4Z07BY79KA1307SR9X4MV33'::ulid;
SELECT ' 01AN4Z07BY79KA1307SR9X4MV3'::ulid;
SELECT '01AN4Z07BY79KA1307SR9X4MV '::ulid;
SELECT E'01AN4Z07BY79KA1307SR9X4MV3\n'::ulid;
SELECT '01AN4Z07-Y79KA1307SR9X4MV3'::ulid;
SELECT '8ZZZZZZZZZZZZZZZZZZZZZZZZZ'::ulid;
SELECT 'zzzzzzzzzzzzzzzzzzzzzzzzzz'::ulid;
SELECT '0IAN4Z07BY79KA1307SR9X4MV3'::ulid;
SELECT '01AN4Z07BY79KA1307SR9X4MVL'::ulid;
SELECT 'O1AN4Z07BY79KA1307SR9X4MV3'::ulid;
SELECT '01AN4U07BY79KA1307SR9X4MV3'::ulid;
SELECT '01AN4Zé7BY79KA1307SR9X4MV3'::ulid;
SELECT '01AN4Zé7BY79KA1307SR9X4MV'::ulid;
SELECT '015549f0-1d7e-3a66-a08c-07ce13d25363'::ulid;
SELECT '\x015549f01d7e3a66a08c07ce13d2536'::ulid;
SELECT '\x015549f01d7e3a66a08c07ce13d2536300'::ulid;
SELECT '\X015549f01d7e3a66a08c07ce13d25363'::ulid;
SELECT '\x015549f01d7e3a66a08c07ce13d2536g'::ulid;
SELECT '\x015549f01d7e3a66a08c07ce13d2é63'::ulid;
SELECT '"01AN4Z07BY79KA1307SR9X4MV3"'::ulid;
SELECT '01AN4Z07-BY79-KA13-07SR-9X4MV3'::ulid;
SELECT '01AN4Z07BY79KA1307SR9X4MV3'::char(30)::ulid;
SELECT regexp_replace('01AN4Z07BY79KA1307SR9X4MV3'::char(30), '[^0-9A-Za-z]', '', 'g')::ulid;
SELECT U&'01AN4Z07BY79KA1307SR9X4MV3\00A0'::ulid;
SELECT '2026-11-01 12:00'::ulid;
SELECT '2026-11-01 12:00:00.123456'::ulid;
SELECT '2026-11-01'::text::ulid;
SELECT 'today'::ulid;
SELECT ulid_in(NULL);
SELECT length(repeat('7', 1000000)) AS a_million, repeat('7', 26)::ulid;
DO $$
BEGIN
  PERFORM repeat('7', 1000000)::ulid;
EXCEPTION WHEN invalid_text_representation THEN
  RAISE NOTICE 'refused, % characters of message', length(SQLERRM);
END $$;

-- bytes, the same for bytea, binary COPY and binary parameters
SELECT '01AN4Z07BY79KA1307SR9X4MV3'::ulid::bytea, '\x015549f01d7e3a66a08c07ce13d25363'::bytea::ulid;
SELECT ulid_send('01AN4Z07BY79KA1307SR9X4MV3');
SELECT '\x015549f01d7e3a66a08c07ce13d253'::bytea::ulid;
SELECT '\x015549f01d7e3a66a08c07ce13d2536300'::bytea::ulid;
SELECT ''::bytea::ulid;

-- the same 16 bytes as a uuid
SELECT '01AN4Z07BY79KA1307SR9X4MV3'::ulid::uuid, '015549f0-1d7e-3a66-a08c-07ce13d25363'::uuid::ulid;
SELECT '015549f01d7e3a66a08c07ce13d25363'::ulid;
SELECT '{015549F0-1d7e-3a66-a08c-07ce13d25363}'::ulid;
SELECT '015549f0-1d7e-3a66-a08c-07ce13d2536'::ulid;
-- a uuid in base32hex, which is a ulid only if it has no I, L, O or U
SELECT '05VI5OJPM1UC7664RG60O1PPHS'::ulid;
SELECT substr(('05VI5OJPM1UC7664RG60O1PPHS' || '000000')::scru160::bytea, 1, 16)::ulid::uuid;
SELECT 'O1AN4Z07BY79KA1307SR9X4MV3'::ulid;
SELECT '05VI5OJPM1UC7664RG60O1PPHP'::ulid;
EXPLAIN (COSTS OFF, VERBOSE) SELECT u::ulid FROM (VALUES (gen_random_uuid())) v (u) LIMIT 1;
SELECT count(*) FROM (SELECT gen_random_uuid() AS u FROM generate_series(1, 1000)) s WHERE u::ulid::uuid = u;
\set VERBOSITY terse
SELECT '01AN4Z07BY79KA1307SR9X4MV3'::ulid = '015549f0-1d7e-3a66-a08c-07ce13d25363'::uuid;
\set VERBOSITY default

-- fields
SELECT * FROM ulid_parts('01AN4Z07BY79KA1307SR9X4MV3');
SELECT (ulid_parts('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')).*;
SELECT ulid_extract_timestamp('01AN4Z07BY79KA1307SR9X4MV3'), '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'::ulid::timestamptz;
SELECT ulid_parts(NULL);
SELECT ulid_from_parts('1970-01-12 13:46:40+00', '\xa5e515bc97e85cf69bc3');
SELECT ulid_from_parts('1970-01-12 13:46:40.000999+00', randomness => '\xa5e515bc97e85cf69bc3');
SELECT ulid_from_parts('1969-12-31 23:59:59.999999+00', '\xa5e515bc97e85cf69bc3');
SELECT ulid_from_parts('10889-08-02 05:31:50.656+00', '\xa5e515bc97e85cf69bc3');
SELECT ulid_from_parts('infinity', '\xa5e515bc97e85cf69bc3');
SELECT ulid_from_parts(now(), '\xa5e515bc97e85cf69b');
SELECT ulid_from_parts(now(), '\xa5e515bc97e85cf69bc300');
SELECT ulid_from_parts(NULL, '\xa5e515bc97e85cf69bc3') IS NULL AS "null";

-- boundaries
SELECT ulid_first('2016-06-13 13:25:20.894+00'), ulid_last('2016-06-13 13:25:20.894+00');
SELECT ulid_first('2016-06-13 13:25:20.894001+00'), ulid_last('2016-06-13 13:25:20.894999+00');
SELECT ulid_first('1969-12-31 23:59:59.999001+00'), ulid_last('1969-12-31 23:59:59.999999+00');
SELECT ulid_first('10889-08-02 05:31:50.655+00'), ulid_last('10889-08-02 05:31:50.655+00');
SELECT ulid_first('10889-08-02 05:31:50.655001+00'), ulid_last('10889-08-02 05:31:50.656+00');
SELECT gen_ulid('10889-08-02 05:31:50.655999+00')::timestamptz;
SELECT gen_ulid('10889-08-02 05:31:50.656+00');

-- in base 58 and 62: 22 digits, also of a uuid
SELECT base, ulid_to_base(id, base), ulid_from_base(ulid_to_base(id, base), base) = id AS same,
  ulid_from_base(ltrim(ulid_to_base(id, base), CASE base WHEN 58 THEN '1' ELSE '0' END), base) = id AS shorter
FROM (VALUES (58), (62)) b (base),
  unnest('{00000000000000000000000001,01AN4Z07BY79KA1307SR9X4MV3,7ZZZZZZZZZZZZZZZZZZZZZZZZZ}'::ulid[]) id;
SELECT ulid_to_base('919108f7-52d1-4320-9bac-f847db4148a8'::uuid::ulid, 62),
  ulid_from_base('4QgAS76dLuYGIOevxRNdwe', 62)::uuid;
SELECT ulid_to_base('01AN4Z07BY79KA1307SR9X4MV3', 16);
SELECT ulid_from_base('0', 36);
SELECT ulid_from_base('', 58);
SELECT ulid_from_base('11111111111111111111111', 58);
SELECT ulid_from_base('11l', 58);
SELECT ulid_from_base('é', 62);
SELECT ulid_from_base('zzzzzzzzzzzzzzzzzzzzzz', 62);

-- generation: in order
SELECT bool_and(id > previous) AS increasing, count(*)
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous
    FROM (SELECT i, gen_ulid() AS id FROM generate_series(1, 10000) i) g) l WHERE previous IS NOT NULL;
-- the last 64 bits of an id are random and drawn for each: two of 10,000 are equal in one of 10^11 runs
SELECT count(DISTINCT substr(gen_ulid()::bytea, 9)) FROM generate_series(1, 10000);

-- rows of one time: the sort goes on without abbreviated keys
SELECT array_agg(id ORDER BY id) = array_agg(id ORDER BY id::bytea) AS sorted, count(DISTINCT id)
FROM (SELECT gen_ulid('2026-01-01') AS id FROM generate_series(1, 10001) i ORDER BY hashint4(i)) s;

\i test/regress/type.psql
