-- tbsl: 60 bits of Unix seconds, microseconds and machine id as one decimal number, 20 bits of suffix

--@ io

CREATE TYPE tbsl (
	INPUT = tbsl_in, OUTPUT = tbsl_out, RECEIVE = tbsl_recv, SEND = tbsl_send,
	INTERNALLENGTH = 10, ALIGNMENT = char
);

COMMENT ON TYPE tbsl IS 'TBSL: Unix microseconds, machine id and 20-bit suffix, 20 upper case hexadecimal digits, 10 bytes';

--@ comparison

-- Transport encodings

CREATE FUNCTION tbsl_to_base(tbsl, base int)   RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_from_base(text, base int) RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tbsl_to_base(tbsl, int)   IS 'the 80 bits as a number in base 16, 32, 36, 58 or 62, without leading zeros';
COMMENT ON FUNCTION tbsl_from_base(text, int) IS 'tbsl of a number in base 16, 32, 36, 58 or 62';

-- Generators and parts

CREATE FUNCTION gen_tbsl()                                                      RETURNS tbsl AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION gen_tbsl_machine(machine_id int, sequenced boolean DEFAULT false) RETURNS tbsl AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION gen_tbsl(at timestamptz)                                        RETURNS tbsl AS 'MODULE_PATHNAME', 'gen_tbsl_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gen_tbsl()                     IS 'new tbsl of machine ids.node_id or else 0, greater than every one generated before on this server';
COMMENT ON FUNCTION gen_tbsl_machine(int, boolean) IS 'new tbsl of a machine id from 0 to 99, its suffix random or counting from 1 in each microsecond';
COMMENT ON FUNCTION gen_tbsl(timestamptz)          IS 'new tbsl of a given time, for back-filling: 2^20 of one time do not repeat';

CREATE FUNCTION tbsl_parts(tbsl, OUT at timestamptz, OUT machine_id int, OUT suffix int) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tbsl_parts(tbsl) IS 'fields of a tbsl: time to the microsecond, machine id, suffix';
