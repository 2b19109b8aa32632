-- tbsl: 60 bits of Unix seconds, microseconds and machine id as one decimal number, a 20-bit suffix

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
COMMENT ON FUNCTION tbsl_to_base(tbsl, int)   IS 'convert tbsl to number in base 16, 32, 36, 58 or 62';
COMMENT ON FUNCTION tbsl_from_base(text, int) IS 'convert number in base 16, 32, 36, 58 or 62 to tbsl';

-- Generators and parts

CREATE FUNCTION gen_tbsl()                                                                   RETURNS tbsl AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_tbsl_machine(machine_id int DEFAULT -1, sequenced boolean DEFAULT false) RETURNS tbsl AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_tbsl(at timestamptz)                                                     RETURNS tbsl AS 'MODULE_PATHNAME', 'gen_tbsl_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gen_tbsl()                     IS 'generate tbsl of machine ids.node_id, greater than all previous ones';
COMMENT ON FUNCTION gen_tbsl_machine(int, boolean) IS 'generate tbsl of a machine id, with a random or sequenced suffix';
COMMENT ON FUNCTION gen_tbsl(timestamptz)          IS 'generate tbsl of a given time, for backfilling';

-- Not strict: the planner's support adds an argument.
CREATE FUNCTION tbsl_settled() RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
COMMENT ON FUNCTION tbsl_settled() IS 'tbsl below which no other one of gen_tbsl() becomes visible';

CREATE FUNCTION tbsl_parts(tbsl, OUT at timestamptz, OUT machine_id int, OUT suffix int) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION tbsl_from_parts(at timestamptz, machine_id int, suffix int) RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_parts(tbsl)                       IS 'split tbsl into time, machine id and suffix';
COMMENT ON FUNCTION tbsl_from_parts(timestamptz, int, int) IS 'construct tbsl from time, machine id and suffix';
