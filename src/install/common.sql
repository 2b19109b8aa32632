-- What the identifier types share

-- An operator of tstzrange itself would be a better match than those of PostgreSQL, which take any
-- range, and "tstzrange @> unknown" would no longer know which to take.
CREATE DOMAIN ids_tstzrange AS tstzrange;

COMMENT ON DOMAIN ids_tstzrange IS 'tstzrange, as the operators of identifiers take it';

-- The generators' clocks

CREATE FUNCTION ids_generators(OUT generator text, OUT last_timestamp timestamptz, OUT lead interval, OUT clock_rollbacks bigint) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION ids_generators() IS 'generators used since the server started, and their clocks';

CREATE FUNCTION ids_reset_clock() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ids_reset_clock() IS 'lets generators that are ahead of the clock follow it again';

REVOKE EXECUTE ON FUNCTION ids_reset_clock() FROM PUBLIC;
