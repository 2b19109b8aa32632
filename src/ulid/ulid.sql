-- ulid: 48 bits of Unix milliseconds, 80 random bits

--@ io

CREATE TYPE ulid (
	INPUT = ulid_in, OUTPUT = ulid_out, RECEIVE = ulid_recv, SEND = ulid_send,
	INTERNALLENGTH = 16, ALIGNMENT = char
);
COMMENT ON TYPE ulid IS 'ULID: milliseconds, 80 random bits; 26 base32 digits';

--@ type

-- The same 16 bytes as a uuid

CREATE CAST (ulid AS uuid) WITHOUT FUNCTION;
CREATE CAST (uuid AS ulid) WITHOUT FUNCTION;
COMMENT ON CAST (ulid AS uuid) IS 'convert ulid to uuid of the same bytes';
COMMENT ON CAST (uuid AS ulid) IS 'convert uuid to ulid of the same bytes';

-- The bits as a number in another base

CREATE FUNCTION ulid_to_base(ulid, base int)   RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_from_base(text, base int) RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_to_base(ulid, int)   IS 'convert ulid to number in base 58 or 62';
COMMENT ON FUNCTION ulid_from_base(text, int) IS 'convert number in base 58 or 62 to ulid';

-- Generators and parts

CREATE FUNCTION gen_ulid()               RETURNS ulid AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_ulid(at timestamptz) RETURNS ulid AS 'MODULE_PATHNAME', 'gen_ulid_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gen_ulid()            IS 'generate ulid, greater than all previous ones';
COMMENT ON FUNCTION gen_ulid(timestamptz) IS 'generate ulid of a given time, for backfilling';

-- Not strict: the planner's support adds an argument.
CREATE FUNCTION ulid_settled() RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
COMMENT ON FUNCTION ulid_settled() IS 'ulid below which no other one of gen_ulid() becomes visible';

CREATE FUNCTION ulid_parts(ulid, OUT at timestamptz, OUT randomness bytea) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION ulid_from_parts(at timestamptz, randomness bytea) RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_parts(ulid)                    IS 'split ulid into time and randomness';
COMMENT ON FUNCTION ulid_from_parts(timestamptz, bytea) IS 'construct ulid from time and 10 random bytes';
