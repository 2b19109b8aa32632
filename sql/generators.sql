-- The generators' clocks, as a DBA and as a user see them. The clock is the server's, so no statement here moves it.
\pset footer off \pset format unaligned \pset fieldsep ' | '
SELECT count(gen_ulid()) FROM generate_series(1, 10);
SELECT generator, abs(extract(epoch FROM last_timestamp - clock_timestamp())) < 60 AS recent, lead < '1 s' AS near,
  clock_rollbacks >= 0 AS counted FROM ids_generators() WHERE generator = 'ulid';
\df ids_generators
SELECT gen_ulid() > gen_ulid() AS greater_before, gen_ulid() < gen_ulid() AS greater_after;
SELECT ids_advance_clock('2026-01-01');
SELECT ids_advance_clock(NULL) IS NULL AS nothing;
SELECT ids_advance_clock('infinity');
SELECT ids_advance_clock('-infinity');
SELECT ids_advance_clock('9999-12-31');
DO $$
BEGIN
  PERFORM ids_advance_clock(clock_timestamp() + interval '24 hours 1 second');
EXCEPTION WHEN invalid_parameter_value THEN
  RAISE NOTICE 'a day is the limit';
END $$;
CREATE ROLE ids_user;
SET ROLE ids_user;
SELECT count(*) > 0 AS visible FROM ids_generators();
SELECT ids_reset_clock();
SELECT ids_advance_clock(now());
SELECT gen_ulid() < gen_ulid() AS generates;
RESET ROLE;
DROP ROLE ids_user;

-- the mark, above which ids continue after a restart: nobody can write to it, and it is never replaced silently
SELECT gen_ulid() AS id \gset
SELECT to_timestamp(unix_us / 1e6) - clock_timestamp() < '1 s' AS near,
  to_timestamp(unix_us / 1e6) >= :'id'::ulid::timestamptz AS covers FROM ids_internal.mark;
CREATE ROLE ids_user;
SET ROLE ids_user;
SELECT unix_us FROM ids_internal.mark;
REFRESH MATERIALIZED VIEW ids_internal.mark;
RESET ROLE;
DROP ROLE ids_user;
UPDATE ids_internal.mark SET unix_us = 1;
SELECT unix_us AS kept FROM ids_internal.mark \gset
REFRESH MATERIALIZED VIEW ids_internal.mark;
SELECT unix_us = :kept AS kept, boot FROM ids_internal.mark;
SELECT gen_ulid() > :'id' AS continues;
SELECT boot <> 0 AS moved FROM ids_internal.mark;
REFRESH MATERIALIZED VIEW CONCURRENTLY ids_internal.mark;
BEGIN;
REFRESH MATERIALIZED VIEW ids_internal.mark WITH NO DATA;
SAVEPOINT emptied;
SELECT gen_ulid();
ROLLBACK TO emptied;
SELECT ids_advance_clock(now());
ROLLBACK TO emptied;
SELECT ids_reset_clock();
ROLLBACK TO emptied;
REFRESH MATERIALIZED VIEW ids_internal.mark;
SELECT gen_ulid() > :'id' AS continues;
ROLLBACK;
BEGIN;
ALTER EXTENSION ids DROP MATERIALIZED VIEW ids_internal.mark;
DROP MATERIALIZED VIEW ids_internal.mark;
SAVEPOINT dropped;
SELECT gen_scru160();
ROLLBACK TO dropped;
CREATE TABLE ids_internal.mark (unix_us bigint);
SELECT gen_scru160_us();
ROLLBACK;
SELECT gen_ulid() IS NOT NULL AS generates;

-- ids of given times: in one session, ids of the same unit of time are ascending
\set SHOW_CONTEXT never
CREATE TABLE source AS SELECT i AS n, timestamptz '2026-01-01 00:00:00+00' + i / 7 * interval '300 us' AS created_at
  FROM generate_series(1, 10000) i ORDER BY hashint4(i);
CREATE TABLE item (u ulid, s scru160, v uuid, n int, created_at timestamptz);
CREATE VIEW out_of_order AS
  SELECT count(*) FILTER (WHERE u <= lag_u) AS ulid, count(*) FILTER (WHERE s <= lag_s) AS scru160,
         count(*) FILTER (WHERE v <= lag_v) AS uuidv7, count(*),
         count(*) FILTER (WHERE date_trunc('milliseconds', created_at) <>
           ALL (ARRAY[u::timestamptz, s::timestamptz, uuidv7_extract_timestamp(v)])) AS of_another_time
  FROM (SELECT *, lag(u) OVER before AS lag_u, lag(s) OVER before AS lag_s, lag(v) OVER before AS lag_v FROM item
        WINDOW before AS (ORDER BY created_at, n)) i;
INSERT INTO item SELECT gen_ulid(created_at), gen_scru160(created_at), gen_uuidv7(created_at), n, created_at
  FROM source ORDER BY created_at, n;
TABLE out_of_order;
TRUNCATE item;
INSERT INTO item SELECT gen_ulid(created_at), gen_scru160(created_at), gen_uuidv7(created_at), n, created_at
  FROM (SELECT DISTINCT n, created_at FROM source UNION SELECT n, created_at FROM source) s ORDER BY created_at, n;
TABLE out_of_order;
TRUNCATE item;
-- in a trigger, also during COPY
CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.u := gen_ulid(new.created_at);
  new.s := gen_scru160(new.created_at);
  new.v := gen_uuidv7(new.created_at);
  RETURN new;
END $$;
CREATE TRIGGER fill BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION fill();
COPY item (n, created_at) FROM STDIN;
1	2025-01-01 00:00:00+00
2	2025-01-01 00:00:00+00
3	2025-01-01 00:00:00+00
4	2025-01-01 00:00:00.000001+00
5	2025-01-01 00:00:00.000001+00
\.
INSERT INTO item (n, created_at) SELECT n, created_at FROM source ORDER BY created_at, n;
TABLE out_of_order;
TRUNCATE item;
-- unordered if the ids are made before the rows are sorted
DROP TRIGGER fill ON item;
INSERT INTO item SELECT gen_ulid(created_at), gen_scru160(created_at), gen_uuidv7(created_at), n, created_at
  FROM source;
SELECT ulid > 1000 AND scru160 > 1000 AND uuidv7 > 1000 AS unordered FROM out_of_order;
DROP TABLE source, item CASCADE;
DROP FUNCTION fill;
-- an id is the one before it plus a random increment; the first one is random (0.02: seven standard deviations)
CREATE TABLE made AS SELECT i, gen_ulid('2026-01-01 00:00:00+00') AS u, gen_uuidv7('2026-01-01 00:00:00+00') AS v
  FROM generate_series(1, 10000) i;
CREATE FUNCTION low(bytea) RETURNS numeric IMMUTABLE LANGUAGE sql
  RETURN ('x' || encode(substring($1 FROM length($1) - 6), 'hex'))::bit(56)::bigint;
SELECT type, count(DISTINCT step) > 9990 AS different, min(step) > 0 AS ascending, max(step) <= greatest AS below,
       max(step) > 0.9 * greatest AS spread, abs(avg(step) / greatest - 0.5) < 0.02 AS even
FROM (SELECT type, 2::numeric ^ bits AS greatest,
             mod(low(id) - low(lag(id) OVER (PARTITION BY type ORDER BY i)) + 2::numeric ^ 56, 2::numeric ^ 56) AS step
      FROM made, (VALUES ('ulid', 48), ('uuidv7', 32)) types (type, bits),
        LATERAL (SELECT CASE type WHEN 'ulid' THEN u::bytea ELSE uuid_send(v) END AS id) l) steps
GROUP BY type, greatest ORDER BY type;
CREATE VIEW alternating AS
  SELECT '2026-01-01 00:00:00+00'::timestamptz + i % 2 * interval '1 day' AS at FROM generate_series(1, 1000) i;
SELECT count(DISTINCT substring(id FROM 7 FOR 3)) > 900 AS starts, bool_and(get_byte(id, 6) < 128) AS lower_half
FROM (SELECT gen_ulid(at)::bytea AS id FROM alternating) s;
SELECT count(DISTINCT substring(id FROM 7 FOR 4)) > 900 AS starts, bool_and(get_byte(id, 6) < 128) AS lower_half
FROM (SELECT gen_scru160(at)::bytea AS id FROM alternating) s;
SELECT count(DISTINCT substring(id FROM 9 FOR 3)) > 900 AS starts,
       bool_and(get_byte(id, 8) BETWEEN 128 AND 159) AS lower_half
FROM (SELECT uuid_send(gen_uuidv7(at)) AS id FROM alternating) s;
DROP VIEW alternating;
DROP TABLE made;
DROP FUNCTION low;
-- scru160: counter and random16 are one counter, which goes up by 1, also above 16 bits; random80 is new in each id
CREATE FUNCTION count_of(scru160, random16_too boolean) RETURNS bigint IMMUTABLE LANGUAGE sql
  RETURN (SELECT counter::bigint << 16 | CASE WHEN random16_too THEN random16
    ELSE ('x' || encode(substr(random80, 1, 2), 'hex'))::bit(16)::int END FROM scru160_parts($1));
CREATE TABLE counted AS SELECT i, gen_scru160('2026-01-01 00:00:00+00') AS s FROM generate_series(1, 66000) i;
SELECT count(*) FILTER (WHERE step <> 1) AS others, count(DISTINCT substr(s::bytea, 1, 10)) AS first_80_bits,
  count(DISTINCT substr(s::bytea, 11)) AS random80
FROM (SELECT s, count_of(s, true) - lag(count_of(s, true)) OVER (ORDER BY i) AS step FROM counted) c;
-- a node id replaces random16: the counter's lower half follows it, then 64 random bits
SET ids.node_id = 7;
UPDATE counted SET s = gen_scru160('2026-01-01 00:00:00.001+00');
SELECT min(random16) AS node_id, max(random16) AS node_ids, max(number) - min(number) AS steps,
  count(DISTINCT substr(s::bytea, 1, 12)) AS first_96_bits, count(DISTINCT substr(s::bytea, 13)) AS random64
FROM (SELECT s, (scru160_parts(s)).random16, count_of(s, false) AS number FROM counted) c;
DROP TABLE counted;
DROP FUNCTION count_of;
-- every id has the node id that is in force
SET ids.node_id = 5;
SELECT random16 FROM scru160_parts(gen_scru160('2026-01-01 00:00:00+00'));
SET ids.node_id = 6;
SELECT random16 FROM scru160_parts(gen_scru160('2026-01-01 00:00:00+00'));
RESET ids.node_id;
SELECT count(DISTINCT random16) AS count_on
FROM generate_series(1, 10), scru160_parts(gen_scru160('2026-01-01 00:00:00+00'));

-- a counter that starts at a random number leaves half of its room
SELECT bool_and(get_byte(u, 6) < 128) AS ulid, bool_and(get_byte(s, 6) < 128) AS scru160,
  bool_and(get_byte(v, 8) < 160) AS uuidv7, count(DISTINCT substr(u, 7, 2)) > 40 AS starts
FROM (SELECT gen_ulid()::bytea AS u, gen_scru160()::bytea AS s, uuid_send(gen_uuidv7()) AS v, pg_sleep(0.002)
    FROM generate_series(1, 50)) g;
