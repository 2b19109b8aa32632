-- tbsl: 60 bits of Unix seconds, microseconds and machine id as one decimal number, 20 bits of suffix

--@ io

CREATE TYPE tbsl (
	INPUT = tbsl_in, OUTPUT = tbsl_out, RECEIVE = tbsl_recv, SEND = tbsl_send,
	INTERNALLENGTH = 10, ALIGNMENT = char
);

COMMENT ON TYPE tbsl IS 'TBSL: microseconds, machine id, 20-bit suffix; 20 hexadecimal digits';

--@ type

-- Transport encodings

CREATE FUNCTION tbsl_to_base(tbsl, base int)   RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_from_base(text, base int) RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tbsl_to_base(tbsl, int)   IS 'tbsl as a number in base 16, 32, 36, 58 or 62';
COMMENT ON FUNCTION tbsl_from_base(text, int) IS 'tbsl of a number in base 16, 32, 36, 58 or 62';

-- Generators and parts

CREATE FUNCTION gen_tbsl()                                                                   RETURNS tbsl AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_tbsl_machine(machine_id int DEFAULT -1, sequenced boolean DEFAULT false) RETURNS tbsl AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_tbsl(at timestamptz)                                                     RETURNS tbsl AS 'MODULE_PATHNAME', 'gen_tbsl_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gen_tbsl()                     IS 'new tbsl of machine ids.node_id or 0, greater than every one before';
COMMENT ON FUNCTION gen_tbsl_machine(int, boolean) IS 'new tbsl of a machine id, its suffix random or counting from 1';
COMMENT ON FUNCTION gen_tbsl(timestamptz)          IS 'new tbsl of a given time, for back-filling';

CREATE FUNCTION tbsl_parts(tbsl, OUT at timestamptz, OUT machine_id int, OUT suffix int) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION tbsl_from_parts(at timestamptz, machine_id int, suffix int) RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tbsl_parts(tbsl)                       IS 'fields of a tbsl: time, machine id, suffix';
COMMENT ON FUNCTION tbsl_from_parts(timestamptz, int, int) IS 'tbsl of these fields: time, machine id, suffix';
