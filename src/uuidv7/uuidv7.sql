-- uuidv7: UUID version 7 in PostgreSQL's own type uuid: 48 bits of Unix milliseconds, 12 bits of their fraction, a counter, 52 random bits

CREATE FUNCTION gen_uuidv7()               RETURNS uuid AS 'MODULE_PATHNAME'                  LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_uuidv7(at timestamptz) RETURNS uuid AS 'MODULE_PATHNAME', 'gen_uuidv7_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gen_uuidv7()            IS 'generate UUID version 7, greater than all previous ones';
COMMENT ON FUNCTION gen_uuidv7(timestamptz) IS 'generate UUID version 7 of a given time, for backfilling';

-- Not strict: the planner's support adds an argument.
CREATE FUNCTION uuidv7_settled() RETURNS uuid AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
COMMENT ON FUNCTION uuidv7_settled() IS 'uuid below which no other one of gen_uuidv7() becomes visible';

CREATE FUNCTION uuidv7_extract_timestamp(uuid)  RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_first(timestamptz)       RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_last(timestamptz)        RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_range_first(tstzrange)   RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_range_last(tstzrange)    RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_extract_timestamp(uuid) IS 'extract timestamp from UUID version 7; null for other versions';
COMMENT ON FUNCTION uuidv7_first(timestamptz)      IS 'smallest UUID version 7 of the millisecond of the timestamp';
COMMENT ON FUNCTION uuidv7_last(timestamptz)       IS 'greatest UUID version 7 of the millisecond of the timestamp';
COMMENT ON FUNCTION uuidv7_range_first(tstzrange)  IS 'smallest UUID version 7 whose time is in the range';
COMMENT ON FUNCTION uuidv7_range_last(tstzrange)   IS 'greatest UUID version 7 whose time is in the range';

-- The planner's form of uuidv7_within

CREATE FUNCTION uuidv7_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION uuidv7_within(uuid, tstzrange) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuidv7_support;
COMMENT ON FUNCTION uuidv7_support(internal)       IS 'planner support for uuidv7_within';
COMMENT ON FUNCTION uuidv7_within(uuid, tstzrange) IS 'test whether UUID version 7 has a time in the range';
