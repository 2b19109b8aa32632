-- uuidv7: UUID version 7, in PostgreSQL's own type uuid: 48 bits of Unix milliseconds, 12 of their fraction, a counter, 52 random bits

CREATE FUNCTION gen_uuidv7()               RETURNS uuid AS 'MODULE_PATHNAME'                  LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_uuidv7(at timestamptz) RETURNS uuid AS 'MODULE_PATHNAME', 'gen_uuidv7_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gen_uuidv7()            IS 'new UUID version 7, greater than every one before on this server';
COMMENT ON FUNCTION gen_uuidv7(timestamptz) IS 'new UUID version 7 of a given time, for back-filling';

CREATE FUNCTION uuidv7_extract_timestamp(uuid)  RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_first(timestamptz)       RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_last(timestamptz)        RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_range_first(tstzrange)   RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_range_last(tstzrange)    RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
-- What pg_partman wants: it reads the partitions' bounds as text.
CREATE FUNCTION uuidv7_time_decoder(text)       RETURNS timestamptz LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN uuidv7_extract_timestamp($1::uuid);

COMMENT ON FUNCTION uuidv7_extract_timestamp(uuid) IS 'time of a UUID version 7; null for another version';
COMMENT ON FUNCTION uuidv7_first(timestamptz)      IS 'smallest UUID version 7 whose time is at or after this';
COMMENT ON FUNCTION uuidv7_last(timestamptz)       IS 'greatest UUID version 7 whose time is at or before this';
COMMENT ON FUNCTION uuidv7_range_first(tstzrange)  IS 'smallest UUID version 7 whose time is in the range';
COMMENT ON FUNCTION uuidv7_range_last(tstzrange)   IS 'greatest UUID version 7 whose time is in the range';
COMMENT ON FUNCTION uuidv7_time_decoder(text)      IS 'time of a UUID version 7 as text, for pg_partman';
