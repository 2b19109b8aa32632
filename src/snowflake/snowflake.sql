-- snowflake: a prefix bit, 41 bits of milliseconds since 2017, 12 random bits, a 10-bit increment

--@ io

CREATE TYPE snowflake (
	INPUT = snowflake_in, OUTPUT = snowflake_out, RECEIVE = snowflake_recv, SEND = snowflake_send,
	INTERNALLENGTH = 8, PASSEDBYVALUE, ALIGNMENT = double
);
COMMENT ON TYPE snowflake IS 'device-name snowflake, not Twitter''s; 11 base 62 digits';

--@ type

-- The name in digits 0-9A-Za-z

CREATE FUNCTION snowflake_name(snowflake) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_name(snowflake) IS 'convert snowflake to digits 0-9A-Za-z, which sort like the value';

-- Numbers

CREATE FUNCTION snowflake_from_bigint(bigint) RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_from_bigint(bigint) IS 'convert bigint to snowflake of the same bits';

CREATE CAST (snowflake AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS snowflake) WITH FUNCTION snowflake_from_bigint(bigint);

CREATE FUNCTION snowflake_to_numeric(snowflake) RETURNS numeric LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1::bigint::numeric + 18446744073709551616; -- 2^64

CREATE FUNCTION snowflake_from_numeric(numeric) RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_to_numeric(snowflake) IS 'convert snowflake to unsigned number';
COMMENT ON FUNCTION snowflake_from_numeric(numeric) IS 'convert unsigned number to snowflake';

CREATE CAST (snowflake AS numeric) WITH FUNCTION snowflake_to_numeric(snowflake);
CREATE CAST (numeric AS snowflake) WITH FUNCTION snowflake_from_numeric(numeric);
COMMENT ON CAST (snowflake AS bigint)  IS 'convert snowflake to bigint of the same bits, which is negative';
COMMENT ON CAST (bigint AS snowflake)  IS 'convert bigint to snowflake of the same bits';
COMMENT ON CAST (snowflake AS numeric) IS 'convert snowflake to unsigned number';
COMMENT ON CAST (numeric AS snowflake) IS 'convert unsigned number to snowflake';

CREATE FUNCTION ids_base62_encode(bigint, upper_first boolean DEFAULT false) RETURNS text   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ids_base62_decode(text, upper_first boolean DEFAULT false)   RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_base62_encode(bigint, boolean) IS 'convert bigint, taken as unsigned, to base 62 digits';
COMMENT ON FUNCTION ids_base62_decode(text, boolean)   IS 'convert 1 to 11 base 62 digits to bigint';

-- Generators and parts

CREATE FUNCTION gen_snowflake()               RETURNS snowflake AS 'MODULE_PATHNAME'                     LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_snowflake(at timestamptz) RETURNS snowflake AS 'MODULE_PATHNAME', 'gen_snowflake_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gen_snowflake()            IS 'generate snowflake, ordered by millisecond; at most 1024 in each';
COMMENT ON FUNCTION gen_snowflake(timestamptz) IS 'generate snowflake of a given time, for backfilling';

-- Not strict: the planner's support adds an argument.
CREATE FUNCTION snowflake_settled() RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
COMMENT ON FUNCTION snowflake_settled() IS 'snowflake below which no other one of gen_snowflake() becomes visible';

CREATE FUNCTION snowflake_parts(snowflake, OUT at timestamptz, OUT random int, OUT increment int) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION snowflake_from_parts(at timestamptz, random int, increment int) RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_parts(snowflake)                  IS 'split snowflake into time, random and increment';
COMMENT ON FUNCTION snowflake_from_parts(timestamptz, int, int) IS 'construct snowflake from time, random and increment';
