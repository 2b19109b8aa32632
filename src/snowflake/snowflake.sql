-- snowflake: a prefix bit, 41 bits of milliseconds since 2017, 12 of randomness, 10 of increment

--@ io

CREATE TYPE snowflake (
	INPUT = snowflake_in, OUTPUT = snowflake_out, RECEIVE = snowflake_recv, SEND = snowflake_send,
	INTERNALLENGTH = 8, PASSEDBYVALUE, ALIGNMENT = double
);

COMMENT ON TYPE snowflake IS 'snowflake: milliseconds, 12 random bits, increment; 11 base 62 digits';

--@ type

-- The name in the other alphabet

CREATE FUNCTION snowflake_name(snowflake) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_name(snowflake) IS 'name in digits 0-9A-Za-z, which sorts like the snowflake';

-- Numbers

CREATE FUNCTION snowflake_from_bigint(bigint) RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_from_bigint(bigint) IS 'snowflake of the same 64 bits';

CREATE CAST (snowflake AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS snowflake) WITH FUNCTION snowflake_from_bigint(bigint);

CREATE FUNCTION snowflake_to_numeric(snowflake) RETURNS numeric LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1::bigint::numeric + 18446744073709551616; -- 2^64

COMMENT ON FUNCTION snowflake_to_numeric(snowflake) IS 'the 64 bits as an unsigned number';

CREATE CAST (snowflake AS numeric) WITH FUNCTION snowflake_to_numeric(snowflake);

COMMENT ON CAST (snowflake AS bigint)  IS 'the same 64 bits as a signed number, which is negative';
COMMENT ON CAST (bigint AS snowflake)  IS 'snowflake of the same 64 bits';
COMMENT ON CAST (snowflake AS numeric) IS 'the 64 bits as an unsigned number';

CREATE FUNCTION ids_base62_encode(bigint, upper_first boolean DEFAULT false) RETURNS text   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ids_base62_decode(text, upper_first boolean DEFAULT false)   RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ids_base62_encode(bigint, boolean) IS 'base 62 digits of 64 bits, taken as an unsigned number';
COMMENT ON FUNCTION ids_base62_decode(text, boolean)   IS 'number of 1 to 11 base 62 digits, as 64 bits';

-- Generators and parts

CREATE FUNCTION gen_snowflake()               RETURNS snowflake AS 'MODULE_PATHNAME'                     LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_snowflake(at timestamptz) RETURNS snowflake AS 'MODULE_PATHNAME', 'gen_snowflake_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gen_snowflake()            IS 'new snowflake, in order by millisecond; at most 1024 in each';
COMMENT ON FUNCTION gen_snowflake(timestamptz) IS 'new snowflake of a given time, for back-filling';

CREATE FUNCTION snowflake_parts(snowflake, OUT at timestamptz, OUT random int, OUT increment int) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION snowflake_from_parts(at timestamptz, random int, increment int) RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_parts(snowflake)                  IS 'fields of a snowflake: time, random, increment';
COMMENT ON FUNCTION snowflake_from_parts(timestamptz, int, int) IS 'snowflake of these fields: time, random, increment';
