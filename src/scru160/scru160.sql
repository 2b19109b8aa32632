-- scru160: 48 bits of Unix milliseconds, 16 of counter, 16 and 80 of randomness

--@ io

CREATE TYPE scru160 (
	INPUT = scru160_in, OUTPUT = scru160_out, RECEIVE = scru160_recv, SEND = scru160_send,
	INTERNALLENGTH = 20, ALIGNMENT = char
);

COMMENT ON TYPE scru160 IS 'SCRU160: milliseconds, counter, 96 random bits; 32 base32hex digits';

--@ type

-- Hexadecimal, generators and parts

CREATE FUNCTION scru160_hex(scru160) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION scru160_hex(scru160) IS 'the 40 hexadecimal digits of a scru160';

CREATE FUNCTION gen_scru160()               RETURNS scru160 AS 'MODULE_PATHNAME'                   LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_scru160_us()            RETURNS scru160 AS 'MODULE_PATHNAME'                   LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_scru160(at timestamptz) RETURNS scru160 AS 'MODULE_PATHNAME', 'gen_scru160_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gen_scru160()            IS 'new scru160, greater than every one before on this server';
COMMENT ON FUNCTION gen_scru160_us()         IS 'new scru160 with the microsecond in it, greater than every one before';
COMMENT ON FUNCTION gen_scru160(timestamptz) IS 'new scru160 of a given time, for back-filling';

CREATE FUNCTION scru160_parts(scru160, OUT at timestamptz, OUT counter int, OUT random16 int, OUT random80 bytea) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION scru160_from_parts(at timestamptz, counter int, random16 int, random80 bytea) RETURNS scru160 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION scru160_parts(scru160)                           IS 'fields of a scru160: time, counter, random16, random80';
COMMENT ON FUNCTION scru160_from_parts(timestamptz, int, int, bytea) IS 'scru160 of these fields: time, counter, random16, 10 bytes of random80';
