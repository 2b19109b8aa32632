-- ulid: 48 bits of Unix milliseconds, 80 bits of randomness

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

COMMENT ON CAST (ulid AS uuid) IS 'uuid of the same 16 bytes';
COMMENT ON CAST (uuid AS ulid) IS 'ulid of the same 16 bytes';

-- Generators and parts

CREATE FUNCTION gen_ulid()               RETURNS ulid AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_ulid(at timestamptz) RETURNS ulid AS 'MODULE_PATHNAME', 'gen_ulid_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gen_ulid()            IS 'new ulid, greater than every one before on this server';
COMMENT ON FUNCTION gen_ulid(timestamptz) IS 'new ulid of a given time, for back-filling';

CREATE FUNCTION ulid_parts(ulid, OUT at timestamptz, OUT randomness bytea) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION ulid_from_parts(at timestamptz, randomness bytea) RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ulid_parts(ulid)                    IS 'fields of a ulid: time, randomness';
COMMENT ON FUNCTION ulid_from_parts(timestamptz, bytea) IS 'ulid of these fields: time, 10 bytes of randomness';
