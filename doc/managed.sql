-- UUID version 7 for servers where the extension ids cannot be installed, such as managed ones: the functions gen_uuidv7() and
-- uuidv7_...() of the extension, with the same names, arguments and results, in SQL and PL/pgSQL for PostgreSQL 15 and later. Two more
-- write and read a uuid as a ulid: ulid_text(id) is id::ulid::text of the extension, ulid_from_text(text) is text::ulid::uuid.
-- Run it as the owner of the database, or as any role that can create schemas there, and functions in schema public:
--
--     psql -v ON_ERROR_STOP=1 -f managed.sql
--
-- It is a single statement, so that an error leaves nothing behind. What nobody else may write or call is in a schema of its own, uuidv7.
-- For another schema than public, replace every "public." in this file with its name and a period. If the server has pg_tle, a member of
-- pgtle_admin can make it an extension instead, in psql:
--
--     \set script `cat managed.sql`
--     SELECT pgtle.install_extension('uuidv7', '1.0', 'UUID version 7 in strict order', :'script');
--     CREATE EXTENSION uuidv7;
--
-- Once the server has the extension, managed.md says how to move to it.
--
-- As in the extension, ids strictly increase across all sessions of the database, whatever the clock does. They have 62 random bits.
-- A sequence holds the last tick, so the order continues after restarts, restores of a dump, and failovers that lose nothing. The
-- differences are:
-- - gen_uuidv7() writes the sequence, so it fails where setval() fails: in a read-only transaction and on a standby.
-- - An id takes some microseconds, and sessions that generate ids at the same time wait that long for each other. Not lock_timeout, but
--   statement_timeout ends a longer wait.
-- - Every session of the database can take the locks that these functions use, and keep them: all roles must be trusted not to.
-- - Whoever may create functions in schema public, or in another one of your search_path, can make some that fit your calls better, and so
--   run code as you. In databases of PostgreSQL 14 and earlier, everybody may, until you REVOKE CREATE ON SCHEMA public FROM PUBLIC.
-- - gen_uuidv7(at) makes the ids of one microsecond in no order.
-- - uuidv7_settled() is a procedure: CALL it, and read below its result in the next statement.
-- - An id must be inserted by the transaction that makes it. After a rollback to a savepoint, make new ones.

DO $script$
DECLARE
	path pg_catalog.text := pg_catalog.current_setting('search_path');
	grantee pg_catalog.text;
BEGIN

-- A body after RETURN is bound when its function is created, and this path finds nothing of others: no search_path can change what a
-- body refers to.
PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- GRANTs for all of schema public, and dumps without privileges, must not open this. A dump of schema public alone lacks it, and default
-- privileges of the database in which a dump is restored open it.
CREATE SCHEMA uuidv7;

-- The last tick. A tick is a time since 1970 in units of 1/4096 ms, and no two ids have the same. pg_sequence_last_value() sees what open
-- transactions have written, too; it is null before the first id.
CREATE SEQUENCE uuidv7.tick MAXVALUE 1152921504606846975;   -- 48 bits of milliseconds

-- Tells uuidv7_settled() where the ids of this transaction begin. Before its first id, the transaction takes a shared lock, which it keeps
-- until others see its rows. The number of the lock spells "uu", followed by the last tick's milliseconds. A setting remembers them and
-- their transaction. Both end with it, or with a rollback to a savepoint before them. As users can write the setting, one of another
-- transaction counts as none, and each id takes the lock again, which is fast, and never at a later time than the last tick.
CREATE FUNCTION uuidv7.enrol() RETURNS boolean LANGUAGE sql VOLATILE
RETURN pg_advisory_xact_lock_shared(8463671074712715264 + greatest(1, least(coalesce(pg_sequence_last_value('uuidv7.tick') >> 12, 1), split_part(
	CASE WHEN split_part(current_setting('uuidv7.first_ms', true), '/', 2) = pg_current_xact_id()::text THEN current_setting('uuidv7.first_ms')
		ELSE set_config('uuidv7.first_ms', concat(coalesce(pg_sequence_last_value('uuidv7.tick') >> 12, 1), '/', pg_current_xact_id()), true) END,
	'/', 1)::bigint))) IS NOT NULL;

-- The next tick: that of the current time, or the one after the last if that is greater. Nobody else may take a tick in between, so this is
-- null if another session holds the lock, whose number spells "uuidv7". The session holds it, not the transaction, so that others need not
-- wait for the commit. It holds it within this expression only, which PL/pgSQL evaluates at once: no cancel comes in between. In a read-only
-- transaction setval() fails, so the lock is not taken.
CREATE FUNCTION uuidv7.next_tick() RETURNS bigint LANGUAGE sql VOLATILE
RETURN CASE WHEN (current_setting('transaction_read_only') = 'on' OR pg_try_advisory_lock(129147139814967))
	AND setval('uuidv7.tick', greatest(pg_sequence_last_value('uuidv7.tick') + 1, (date_part('epoch', clock_timestamp()) * 4096000)::bigint)) IS NOT NULL
	AND pg_advisory_unlock(129147139814967) THEN currval('uuidv7.tick') END;

-- Releases the lock if this session holds it, after an error of the server in that expression.
CREATE FUNCTION uuidv7.unlock() RETURNS boolean LANGUAGE sql VOLATILE
RETURN (SELECT pg_advisory_unlock(129147139814967) FROM pg_locks
	WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND classid = 30069 AND objid = 1768191543 AND objsubid = 1);

-- The id of a tick: 48 bits for milliseconds, the version, 12 bits for the fraction; then digits, with the variant and 62 random bits.
CREATE FUNCTION uuidv7.of_tick(tick bigint, digits text DEFAULT substr(gen_random_uuid()::text, 20)) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT
RETURN (lpad(to_hex((tick >> 12 << 16) + 28672 + (tick & 4095)), 16, '0') || digits)::uuid;

-- This runs as its owner, because nobody else should write the sequence. It runs with the search_path of its caller, because setting one
-- would take longer than all the rest. So every name has its schema, and there are no operators.
CREATE FUNCTION public.gen_uuidv7() RETURNS uuid LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
	enrolled boolean;
	tick bigint;
BEGIN
	enrolled := uuidv7.enrol();   -- in the block, so that the transaction has the lock, not a cursor, which releases its locks if it fails
	LOOP
		tick := uuidv7.next_tick();
		EXIT WHEN tick IS NOT NULL;
		PERFORM pg_catalog.pg_sleep(0.00005);   -- who waited for the lock could be given it and be cancelled at the same time, and keep it
	END LOOP;
	RETURN uuidv7.of_tick(tick);
EXCEPTION WHEN query_canceled OR OTHERS THEN
	PERFORM uuidv7.unlock();
	RAISE;
END $$;

COMMENT ON FUNCTION public.gen_uuidv7() IS 'generate UUID version 7, greater than all previous ones';

-- A statement after this one sees all rows below the result that will ever come from gen_uuidv7(). It is a procedure, because a function
-- could stand in the statement that reads, which would not see rows committed after its start.
CREATE PROCEDURE public.uuidv7_settled(INOUT settled uuid DEFAULT NULL) LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	last bigint := pg_sequence_last_value('uuidv7.tick');
BEGIN
	IF pg_is_in_recovery() THEN
		RAISE EXCEPTION 'cannot execute uuidv7_settled() during recovery' USING ERRCODE = 'read_only_sql_transaction',
			HINT = 'Let the primary announce the result, as "On a replica" in doc/managed.md does.';
	ELSIF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE EXCEPTION 'uuidv7_settled() needs the isolation level READ COMMITTED' USING ERRCODE = 'feature_not_supported',
			HINT = 'Read as "New rows" in doc/managed.md does.';
	END IF;
	-- Whoever has an id up to the last tick holds a lock, or its rows can be seen. So the last tick is read before the locks. The result is
	-- that of tick 0 before the first id, and only then.
	SELECT CASE WHEN last IS NULL THEN 0 ELSE greatest(4096, least(last + 1, min((classid::bigint & 65535) << 32 | objid::bigint) << 12)) END INTO last
	FROM pg_locks
	WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = 30069 AND mode = 'ShareLock'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
	settled := uuidv7.of_tick(last, '8000000000000000');
END $$;

COMMENT ON PROCEDURE public.uuidv7_settled(uuid) IS 'first UUID version 7 that a smaller one may still join, for the next statement';

-- For a trigger on a table of positions. What was settled may go back within a millisecond, so that is not looked at. Positions that come
-- before the database's first id are another database's, such as those of a dump: they are let in.
CREATE FUNCTION public.uuidv7_check_position() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	bound uuid;
BEGIN
	CALL public.uuidv7_settled(bound);
	IF public.uuidv7_unix_ms(new.id) > nullif(public.uuidv7_unix_ms(bound), 0) THEN
		RAISE EXCEPTION 'position % is above what is settled', new.id USING ERRCODE = 'check_violation',
			HINT = 'Read below the result of CALL uuidv7_settled(), and keep the last id that you have read.';
	END IF;
	RETURN new;
END $$;

COMMENT ON FUNCTION public.uuidv7_check_position() IS 'refuse a position in column id above what is settled';

CREATE FUNCTION public.gen_uuidv7(at timestamptz) RETURNS uuid LANGUAGE plpgsql VOLATILE STRICT PARALLEL RESTRICTED SECURITY DEFINER   -- for schema uuidv7
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	unix_us numeric := extract(epoch FROM at) * 1000000;
BEGIN
	IF unix_us < 0 OR unix_us >= 281474976710656000 THEN
		RAISE EXCEPTION 'timestamp out of range for uuidv7' USING ERRCODE = 'datetime_field_overflow',
			DETAIL = 'gen_uuidv7 accepts times from 1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00.';
	END IF;
	RETURN uuidv7.of_tick(div(unix_us * 512, 125)::bigint);
END $$;

COMMENT ON FUNCTION public.gen_uuidv7(timestamptz) IS 'generate UUID version 7 of a given time, for backfilling';

CREATE FUNCTION public.uuidv7_unix_ms(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || substr($1::text, 1, 8) || substr($1::text, 10, 4))::bit(48)::bigint;

CREATE FUNCTION public.uuidv7_extract_timestamp(uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN substr($1::text, 15, 1) = '7' AND substr($1::text, 20, 1) IN ('8', '9', 'a', 'b')
	THEN (date '1970-01-01' + (public.uuidv7_unix_ms($1) / 86400000)::int + public.uuidv7_unix_ms($1) % 86400000 * interval '1 ms') AT TIME ZONE 'UTC' END;

COMMENT ON FUNCTION public.uuidv7_extract_timestamp(uuid) IS 'extract timestamp from UUID version 7; null for other versions';

-- The millisecond that contains a time. In the functions below, a time stands for its millisecond.
CREATE FUNCTION public.uuidv7_floor_ms(timestamptz) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN floor(extract(epoch FROM $1 AT TIME ZONE 'UTC') * 1000);

-- The first or last id of a millisecond; for a time out of range, the first or last of all ids.
CREATE FUNCTION public.uuidv7_boundary(unix_ms numeric, is_last boolean) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN unix_ms < 0 THEN '00000000-0000-7000-8000-000000000000' WHEN unix_ms > 281474976710655 THEN 'ffffffff-ffff-7fff-bfff-ffffffffffff'
	ELSE lpad(to_hex(unix_ms::bigint), 12, '0') || CASE WHEN is_last THEN '7fffbfffffffffffffff' ELSE '70008000000000000000' END END::uuid;

CREATE FUNCTION public.uuidv7_first(timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.uuidv7_boundary(public.uuidv7_floor_ms($1), false);
CREATE FUNCTION public.uuidv7_last(timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.uuidv7_boundary(public.uuidv7_floor_ms($1), true);

COMMENT ON FUNCTION public.uuidv7_first(timestamptz) IS 'smallest UUID version 7 of the millisecond that contains the timestamp';
COMMENT ON FUNCTION public.uuidv7_last(timestamptz)  IS 'greatest UUID version 7 of the millisecond that contains the timestamp';

-- The first and last millisecond of the range. If it has none, the first is greater than the last. A missing bound is null here.
CREATE FUNCTION public.uuidv7_first_ms(tstzrange) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN greatest(0, public.uuidv7_floor_ms(lower($1)) + (NOT lower_inc($1))::int);
CREATE FUNCTION public.uuidv7_last_ms(tstzrange) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN isempty($1) THEN -1 ELSE least(281474976710655, public.uuidv7_floor_ms(upper($1)) - (NOT upper_inc($1))::int) END;

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

CREATE FUNCTION public.ulid_text(uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substring(bits FROM n FOR 5)::int + 1, 1), '' ORDER BY n)
	FROM generate_series(1, 126, 5) n, CAST(B'00' || ('x' || translate($1::text, '-', ''))::bit(128) AS bit(130)) bits);

-- Another text is an error, because it is no uuid.
CREATE FUNCTION public.ulid_from_text(text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN $1 ~ '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN string_agg(lpad(to_hex(part), 8, '0'), '' ORDER BY n) ELSE 'ulid ' || $1 END
	FROM (SELECT string_agg((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr($1, n, 1))) - 1)::bit(5)::text, '' ORDER BY n) FROM generate_series(1, 26) n) digits (bits),
	generate_series(3, 99, 32) n, CAST(substr(bits, n, 32)::bit(32)::bigint AS bigint) part)::uuid;

COMMENT ON FUNCTION public.ulid_text(uuid)      IS 'write uuid as 26 digits of a ulid';
COMMENT ON FUNCTION public.ulid_from_text(text) IS 'read uuid from 26 digits of a ulid';

-- Default privileges may have granted these. setval() by the number of a sequence does not look at the schema.
FOR grantee IN
	SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
	FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, aclexplode(nspacl || relacl) a
	WHERE c.oid = 'uuidv7.tick'::regclass AND a.grantee <> relowner
LOOP
	EXECUTE format('REVOKE ALL ON SCHEMA uuidv7 FROM %1$s; REVOKE ALL ON SEQUENCE uuidv7.tick FROM %1$s', grantee);
END LOOP;

-- A dump of the extension that pg_tle makes must have the last tick.
PERFORM pg_extension_config_dump('uuidv7.tick', '') FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = 'uuidv7.tick'::regclass AND deptype = 'e';

PERFORM set_config('search_path', path, true);
END $script$;
