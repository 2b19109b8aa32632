-- UUID version 7 for servers where the extension ids cannot be installed, such as managed ones: the functions gen_uuidv7() and
-- uuidv7_...() of the extension, with the same names, arguments and results, in SQL and PL/pgSQL for PostgreSQL 15 and later. Two more
-- write and read a uuid as a ulid: ulid_text(id) is id::ulid::text of the extension, ulid_from_text(text) is text::ulid::uuid.
-- Run it as the owner of the database, or as any role that can create functions in schema public:
--
--     psql -1 -v ON_ERROR_STOP=1 -f managed.sql
--
-- For another schema, replace every "public." in this file with that schema's name and a period. If the server has pg_tle, a
-- member of pgtle_admin can make it an extension instead, in psql:
--
--     \set script `cat managed.sql`
--     SELECT pgtle.install_extension('uuidv7', '1.0', 'UUID version 7 in strict order', :'script');
--     CREATE EXTENSION uuidv7;
--
-- Once the server has the extension, "Managed servers" in uuidv7.md says how to move to it.
--
-- As in the extension, ids strictly increase across all sessions of the database, whatever the clock does, and have 52 random bits.
-- A sequence holds the last tick, so the order continues after restarts, failovers and restores of a dump. The differences are:
-- - gen_uuidv7() writes the sequence, so it fails where nextval() fails: in a read-only transaction and on a standby.
-- - An id takes some microseconds, and sessions that generate ids at the same time wait that long for each other.
-- - Every session of the database can take the lock that gen_uuidv7() needs, and keep it: all roles must be trusted not to.
-- - The sequence can hold times until 2255.
-- - gen_uuidv7(at) makes the ids of one microsecond in no order.

-- The last tick: microseconds since 1970, followed by 10 bits that count within the microsecond.
CREATE SEQUENCE public.uuidv7_tick;

COMMENT ON SEQUENCE public.uuidv7_tick IS 'state of gen_uuidv7(): microseconds since 1970 * 1024 + counter';

-- A body after RETURN is parsed when the function is created, so no search_path can change what it refers to.

-- The tick of the current time, with a random counter below 512.
CREATE FUNCTION public.uuidv7_clock_tick() RETURNS bigint LANGUAGE sql VOLATILE
RETURN ((date_part('epoch', clock_timestamp()) * 1000000)::bigint << 10) + floor(random() * 512)::bigint;

-- The id of a tick: milliseconds, version, fraction of the millisecond; variant and counter; 52 random bits of a random uuid.
CREATE FUNCTION public.uuidv7_of_tick(tick bigint) RETURNS uuid LANGUAGE sql VOLATILE STRICT
RETURN (lpad(to_hex(((tick >> 10) / 1000 << 16) + 28672 + (tick >> 10) % 1000 * 4096 / 1000), 16, '0')
	|| to_hex(2048 + (tick & 1023)) || substr(gen_random_uuid()::text, 23))::uuid;

-- This runs as its owner, because nobody else should write the sequence. It runs with the search_path of its caller, because
-- setting one would take longer than all the rest. So every name has its schema, and there are no operators.
CREATE FUNCTION public.gen_uuidv7() RETURNS uuid LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
	locked boolean := false;
	tick bigint;
BEGIN
	-- Nobody else may take a tick between nextval and setval. The session holds the lock, not the transaction, so that others need
	-- not wait for the commit. So it must also be released after an error or a cancellation. Its number spells "uuidv7".
	BEGIN
		locked := pg_catalog.pg_advisory_lock(129147139814967) IS NOT NULL;
		tick := pg_catalog.setval('public.uuidv7_tick', GREATEST(pg_catalog.nextval('public.uuidv7_tick'), public.uuidv7_clock_tick()));
		locked := NOT pg_catalog.pg_advisory_unlock(129147139814967);
	EXCEPTION WHEN query_canceled OR OTHERS THEN
		IF locked THEN
			PERFORM pg_catalog.pg_advisory_unlock(129147139814967);
		END IF;
		RAISE;
	END;
	RETURN public.uuidv7_of_tick(tick);
END $$;

COMMENT ON FUNCTION public.gen_uuidv7() IS 'generate UUID version 7, greater than all previous ones';

CREATE FUNCTION public.gen_uuidv7(at timestamptz) RETURNS uuid LANGUAGE plpgsql VOLATILE STRICT PARALLEL RESTRICTED
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	unix_us numeric := extract(epoch FROM at AT TIME ZONE 'UTC') * 1000000;
	us int;
BEGIN
	IF unix_us < 0 OR unix_us >= 281474976710656000 THEN
		RAISE EXCEPTION 'timestamp out of range for uuidv7' USING ERRCODE = 'datetime_field_overflow',
			DETAIL = 'gen_uuidv7 accepts times from 1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00.';
	END IF;
	us := unix_us % 1000;
	RETURN (lpad(to_hex((div(unix_us, 1000)::bigint << 16) + 28672 + us * 4096 / 1000), 16, '0') || substr(gen_random_uuid()::text, 20))::uuid;
END $$;

COMMENT ON FUNCTION public.gen_uuidv7(timestamptz) IS 'generate UUID version 7 of a given time, for backfilling';

CREATE FUNCTION public.uuidv7_unix_ms(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || substr($1::text, 1, 8) || substr($1::text, 10, 4))::bit(48)::bigint;

CREATE FUNCTION public.uuidv7_extract_timestamp(uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN substr($1::text, 15, 1) = '7' AND substr($1::text, 20, 1) IN ('8', '9', 'a', 'b')
	THEN (date '1970-01-01' + (public.uuidv7_unix_ms($1) / 86400000)::int + public.uuidv7_unix_ms($1) % 86400000 * interval '1 ms') AT TIME ZONE 'UTC' END;

COMMENT ON FUNCTION public.uuidv7_extract_timestamp(uuid) IS 'extract timestamp from UUID version 7; null for other versions';

-- The first or last id of a millisecond; for a time out of range, the first or last of all ids.
CREATE FUNCTION public.uuidv7_boundary(unix_ms numeric, is_last boolean) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN unix_ms < 0 THEN '00000000-0000-7000-8000-000000000000' WHEN unix_ms > 281474976710655 THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
	ELSE lpad(to_hex(unix_ms::bigint), 12, '0') || CASE WHEN is_last THEN '7fffbfffffffffffffff' ELSE '70008000000000000000' END END::uuid;

CREATE FUNCTION public.uuidv7_first(timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.uuidv7_boundary(ceil(extract(epoch FROM $1 AT TIME ZONE 'UTC') * 1000), false);
CREATE FUNCTION public.uuidv7_last(timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.uuidv7_boundary(floor(extract(epoch FROM $1 AT TIME ZONE 'UTC') * 1000), true);

COMMENT ON FUNCTION public.uuidv7_first(timestamptz) IS 'smallest UUID version 7 whose time is at or after the timestamp';
COMMENT ON FUNCTION public.uuidv7_last(timestamptz)  IS 'greatest UUID version 7 whose time is at or before the timestamp';

-- The first and last millisecond of an id in the range. If there is none, the first is greater than the last.
CREATE FUNCTION public.uuidv7_first_ms(tstzrange) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN isempty($1) THEN 281474976710656 WHEN lower_inf($1) THEN 0
	ELSE greatest(0, CASE WHEN lower_inc($1) THEN ceil(extract(epoch FROM lower($1) AT TIME ZONE 'UTC') * 1000)
		ELSE floor(extract(epoch FROM lower($1) AT TIME ZONE 'UTC') * 1000) + 1 END) END;
CREATE FUNCTION public.uuidv7_last_ms(tstzrange) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN isempty($1) THEN -1 WHEN upper_inf($1) THEN 281474976710655
	ELSE least(281474976710655, CASE WHEN upper_inc($1) THEN floor(extract(epoch FROM upper($1) AT TIME ZONE 'UTC') * 1000)
		ELSE ceil(extract(epoch FROM upper($1) AT TIME ZONE 'UTC') * 1000) - 1 END) END;

CREATE FUNCTION public.uuidv7_range_first(tstzrange) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.uuidv7_boundary(CASE WHEN public.uuidv7_first_ms($1) > public.uuidv7_last_ms($1) THEN 281474976710656 ELSE public.uuidv7_first_ms($1) END, false);
CREATE FUNCTION public.uuidv7_range_last(tstzrange) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.uuidv7_boundary(CASE WHEN public.uuidv7_first_ms($1) > public.uuidv7_last_ms($1) THEN -1 ELSE public.uuidv7_last_ms($1) END, true);

COMMENT ON FUNCTION public.uuidv7_range_first(tstzrange) IS 'smallest UUID version 7 whose time is in the range';
COMMENT ON FUNCTION public.uuidv7_range_last(tstzrange)  IS 'greatest UUID version 7 whose time is in the range';

-- Not STRICT, so that the planner can inline it as two comparisons, which can use an index.
CREATE FUNCTION public.uuidv7_within(uuid, tstzrange) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $1 >= public.uuidv7_range_first($2) AND $1 <= public.uuidv7_range_last($2);

COMMENT ON FUNCTION public.uuidv7_within(uuid, tstzrange) IS 'test whether UUID version 7 has a time in the range';

CREATE OR REPLACE FUNCTION public.ulid_text(uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(bits FROM n FOR 5)::int + 1, 1), '' ORDER BY n)
	FROM generate_series(1, 126, 5) n, CAST(B'00' || ('x' || translate($1::text, '-', ''))::bit(128) AS bit(130)) bits);

-- Another text is an error, because it is no uuid.
CREATE OR REPLACE FUNCTION public.ulid_from_text(text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN $1 ~ '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN string_agg(lpad(to_hex(part), 8, '0'), '' ORDER BY n) ELSE 'ulid ' || $1 END
	FROM (SELECT string_agg((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr($1, n, 1))) - 1)::bit(5)::text, '' ORDER BY n) FROM generate_series(1, 26) n) digits (bits),
	generate_series(3, 99, 32) n, CAST(substr(bits, n, 32)::bit(32)::bigint AS bigint) part)::uuid;

COMMENT ON FUNCTION public.ulid_text(uuid)      IS 'write uuid as 26 digits of a ulid';
COMMENT ON FUNCTION public.ulid_from_text(text) IS 'read uuid from 26 digits of a ulid';
