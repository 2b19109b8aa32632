-- The generators: their clock, and the mark

CREATE SCHEMA ids_internal;
COMMENT ON SCHEMA ids_internal IS 'internal objects of extension ids';

CREATE FUNCTION ids_generators(OUT generator text, OUT last_timestamp timestamptz, OUT lead interval, OUT clock_rollbacks bigint) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ids_generators() IS 'generators used since server start, with their last times';

CREATE FUNCTION ids_reset_clock() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_reset_clock() IS 'reset generators that are ahead of the clock';
REVOKE EXECUTE ON FUNCTION ids_reset_clock() FROM PUBLIC;

CREATE FUNCTION ids_advance_clock(at timestamptz) RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_advance_clock(timestamptz) IS 'continue generators above a time, after a logical switch-over';
REVOKE EXECUTE ON FUNCTION ids_advance_clock(timestamptz) FROM PUBLIC;

-- Settled ids

CREATE FUNCTION ids_settled_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_settled_support(internal) IS 'planner support';

-- Roles that may use every schema can call it by its name, so it hides what ids_unsettled() does.
CREATE FUNCTION ids_internal.unsettled_records(OUT pid int, OUT transaction xid, OUT generator text, OUT first_timestamp timestamptz, OUT rank int, OUT since timestamptz) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ids_internal.unsettled_records() IS 'records of open transactions';

-- The records are read before the prepared transactions, each of which is looked up by its number.
CREATE FUNCTION ids_unsettled(OUT pid int, OUT gid text, OUT generator text, OUT first_timestamp timestamptz, OUT since timestamptz) RETURNS SETOF record LANGUAGE SQL VOLATILE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
	SELECT u.pid, p.gid, u.generator, u.first_timestamp, coalesce(p.prepared, u.since)
	FROM ids_internal.unsettled_records() u
	LEFT JOIN LATERAL (SELECT * FROM pg_prepared_xact() x WHERE x.transaction = u.transaction OFFSET 0) p ON true
	WHERE u.pid IS NOT NULL OR p.gid IS NOT NULL
	ORDER BY u.rank;
END;
COMMENT ON FUNCTION ids_unsettled() IS 'open transactions that have generated ids';

CREATE FUNCTION ids_internal.kept_mark() RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_internal.kept_mark() IS 'the mark, or the current time if it is new';

CREATE FUNCTION ids_internal.mark_is_free() RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_internal.mark_is_free() IS 'test whether generators need not wait for a lock of the mark';

-- The time up to which ids of this database may have been made. Nobody can write to it, and no publication has it.
CREATE FUNCTION ids_internal.create_mark() RETURNS void LANGUAGE sql SET default_tablespace = ''
	AS $$CREATE MATERIALIZED VIEW ids_internal.mark USING heap AS SELECT ids_internal.kept_mark() AS unix_us, bigint '0' AS boot$$;
SELECT ids_internal.create_mark();
DROP FUNCTION ids_internal.create_mark();
COMMENT ON MATERIALIZED VIEW ids_internal.mark IS 'microseconds since 1970 up to which ids may have been generated';
