-- scru160: 48 bits of Unix milliseconds, a 16-bit counter, 16 and 80 random bits

--@ io

CREATE TYPE scru160 (
	INPUT = scru160_in, OUTPUT = scru160_out, RECEIVE = scru160_recv, SEND = scru160_send,
	INTERNALLENGTH = 20, ALIGNMENT = char
);
COMMENT ON TYPE scru160 IS 'SCRU160: milliseconds, counter, 96 random bits; 32 base32hex digits';

--@ type

-- Hexadecimal, generators and parts

CREATE FUNCTION scru160_hex(scru160) RETURNS text LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
	RETURN encode(scru160_to_bytea($1), 'hex');
COMMENT ON FUNCTION scru160_hex(scru160) IS 'convert scru160 to 40 hexadecimal digits';

CREATE FUNCTION gen_scru160()               RETURNS scru160 AS 'MODULE_PATHNAME'                   LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_scru160_us()            RETURNS scru160 AS 'MODULE_PATHNAME'                   LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_scru160(at timestamptz) RETURNS scru160 AS 'MODULE_PATHNAME', 'gen_scru160_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gen_scru160()            IS 'generate scru160, greater than all previous ones';
COMMENT ON FUNCTION gen_scru160_us()         IS 'generate scru160 with microseconds, greater than all previous ones';
COMMENT ON FUNCTION gen_scru160(timestamptz) IS 'generate scru160 of a given time, for backfilling';

-- Not strict: the planner's support adds an argument.
CREATE FUNCTION scru160_settled()    RETURNS scru160 AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
CREATE FUNCTION scru160_us_settled() RETURNS scru160 AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
COMMENT ON FUNCTION scru160_settled()    IS 'scru160 below which no other of gen_scru160() becomes visible';
COMMENT ON FUNCTION scru160_us_settled() IS 'scru160 below which no other of gen_scru160_us() becomes visible';

CREATE FUNCTION scru160_parts(scru160, OUT at timestamptz, OUT counter int, OUT random16 int, OUT random80 bytea) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION scru160_from_parts(at timestamptz, counter int, random16 int, random80 bytea) RETURNS scru160 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_parts(scru160)                           IS 'split scru160 into time, counter, random16 and random80';
COMMENT ON FUNCTION scru160_from_parts(timestamptz, int, int, bytea) IS 'construct scru160 from time, counter, random16 and 10 random bytes';
