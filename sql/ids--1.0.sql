\echo Use "CREATE EXTENSION ids" to load this file. \quit

-- ulid: 48 bits of Unix milliseconds, 80 bits of randomness

CREATE TYPE ulid;

CREATE FUNCTION ulid_in(cstring)    RETURNS ulid     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_out(ulid)       RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_recv(internal) RETURNS ulid     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_send(ulid)      RETURNS bytea   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ulid_in(cstring)    IS 'I/O';
COMMENT ON FUNCTION ulid_out(ulid)       IS 'I/O';
COMMENT ON FUNCTION ulid_recv(internal) IS 'I/O';
COMMENT ON FUNCTION ulid_send(ulid)      IS 'I/O';

CREATE TYPE ulid (
	INPUT = ulid_in, OUTPUT = ulid_out, RECEIVE = ulid_recv, SEND = ulid_send,
	INTERNALLENGTH = 16, ALIGNMENT = char
);

COMMENT ON TYPE ulid IS 'ULID: Unix milliseconds and 80 random bits, 26 Crockford base32 digits, 16 bytes';

-- Order

CREATE FUNCTION ulid_eq(ulid, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_ne(ulid, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_lt(ulid, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_le(ulid, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_gt(ulid, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_ge(ulid, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION ulid_eq(ulid, ulid) IS 'implementation of = operator';
COMMENT ON FUNCTION ulid_ne(ulid, ulid) IS 'implementation of <> operator';
COMMENT ON FUNCTION ulid_lt(ulid, ulid) IS 'implementation of < operator';
COMMENT ON FUNCTION ulid_le(ulid, ulid) IS 'implementation of <= operator';
COMMENT ON FUNCTION ulid_gt(ulid, ulid) IS 'implementation of > operator';
COMMENT ON FUNCTION ulid_ge(ulid, ulid) IS 'implementation of >= operator';

CREATE OPERATOR =  (FUNCTION = ulid_eq, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = =,  NEGATOR = <>, RESTRICT = eqsel,       JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (FUNCTION = ulid_ne, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = <>, NEGATOR = =,  RESTRICT = neqsel,      JOIN = neqjoinsel);
CREATE OPERATOR <  (FUNCTION = ulid_lt, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = ulid_le, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = ulid_gt, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = ulid_ge, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);

COMMENT ON OPERATOR =  (ulid, ulid) IS 'equal';
COMMENT ON OPERATOR <> (ulid, ulid) IS 'not equal';
COMMENT ON OPERATOR <  (ulid, ulid) IS 'less than';
COMMENT ON OPERATOR <= (ulid, ulid) IS 'less than or equal';
COMMENT ON OPERATOR >  (ulid, ulid) IS 'greater than';
COMMENT ON OPERATOR >= (ulid, ulid) IS 'greater than or equal';

-- Indexes

CREATE FUNCTION ulid_cmp(ulid, ulid)            RETURNS integer AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_sortsupport(internal)      RETURNS void    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_hash(ulid)                  RETURNS integer AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_hash_extended(ulid, bigint) RETURNS bigint  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION ulid_cmp(ulid, ulid)            IS 'less-equal-greater: -1, 0 or 1';
COMMENT ON FUNCTION ulid_sortsupport(internal)      IS 'sort support';
COMMENT ON FUNCTION ulid_hash(ulid)                  IS 'hash';
COMMENT ON FUNCTION ulid_hash_extended(ulid, bigint) IS 'hash, with a seed';

CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 ulid_cmp(ulid, ulid),
	FUNCTION 2 ulid_sortsupport(internal),
	FUNCTION 4 btequalimage(oid);

CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 ulid_hash(ulid),
	FUNCTION 2 ulid_hash_extended(ulid, bigint);

COMMENT ON OPERATOR FAMILY ulid_ops USING btree IS 'order of ulid';
COMMENT ON OPERATOR CLASS  ulid_ops USING btree IS 'order of ulid';
COMMENT ON OPERATOR FAMILY ulid_ops USING hash  IS 'hashing of ulid';
COMMENT ON OPERATOR CLASS  ulid_ops USING hash  IS 'hashing of ulid';

-- Aggregates

CREATE FUNCTION ulid_smaller(ulid, ulid) RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_larger(ulid, ulid)  RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION ulid_smaller(ulid, ulid) IS 'smaller of two';
COMMENT ON FUNCTION ulid_larger(ulid, ulid)  IS 'larger of two';

CREATE AGGREGATE min(ulid) (SFUNC = ulid_smaller, STYPE = ulid, COMBINEFUNC = ulid_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(ulid) (SFUNC = ulid_larger,  STYPE = ulid, COMBINEFUNC = ulid_larger,  SORTOP = >, PARALLEL = SAFE);

COMMENT ON AGGREGATE min(ulid) IS 'minimum value of all ulid input values';
COMMENT ON AGGREGATE max(ulid) IS 'maximum value of all ulid input values';

-- Bytes

CREATE FUNCTION ulid_to_bytea(ulid)     RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_from_bytea(bytea) RETURNS ulid   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ulid_to_bytea(ulid)     IS 'the bytes of the identifier, most significant first';
COMMENT ON FUNCTION ulid_from_bytea(bytea) IS 'identifier of these bytes, most significant first';

CREATE CAST (ulid AS bytea) WITH FUNCTION ulid_to_bytea(ulid);
CREATE CAST (bytea AS ulid) WITH FUNCTION ulid_from_bytea(bytea);

COMMENT ON CAST (ulid AS bytea) IS 'the bytes of the identifier, most significant first';
COMMENT ON CAST (bytea AS ulid) IS 'identifier of these bytes, most significant first';

-- Time

CREATE FUNCTION ulid_extract_timestamp(ulid) RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_first(timestamptz)     RETURNS ulid         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_last(timestamptz)      RETURNS ulid         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ulid_extract_timestamp(ulid) IS 'time in the identifier';
COMMENT ON FUNCTION ulid_first(timestamptz)     IS 'smallest ulid whose time is at or after this; the first or last of all if the time is out of range';
COMMENT ON FUNCTION ulid_last(timestamptz)      IS 'greatest ulid whose time is at or before this; the first or last of all if the time is out of range';

CREATE CAST (ulid AS timestamptz) WITH FUNCTION ulid_extract_timestamp(ulid);

COMMENT ON CAST (ulid AS timestamptz) IS 'time in the identifier';

-- The same 16 bytes as a uuid

CREATE CAST (ulid AS uuid) WITHOUT FUNCTION;
CREATE CAST (uuid AS ulid) WITHOUT FUNCTION;

COMMENT ON CAST (ulid AS uuid) IS 'uuid of the same 16 bytes';
COMMENT ON CAST (uuid AS ulid) IS 'ulid of the same 16 bytes';

-- Generators and parts

CREATE FUNCTION gen_ulid()               RETURNS ulid AS 'MODULE_PATHNAME'                LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION gen_ulid(at timestamptz) RETURNS ulid AS 'MODULE_PATHNAME', 'gen_ulid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gen_ulid()            IS 'new ulid, greater than every one generated before on this server';
COMMENT ON FUNCTION gen_ulid(timestamptz) IS 'new ulid of a given time with 80 fresh random bits, for back-filling';

CREATE FUNCTION ulid_parts(ulid, OUT at timestamptz, OUT randomness bytea) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ulid_parts(ulid) IS 'fields of a ulid: time to the millisecond, 10 bytes of randomness';

-- The generators' clocks

CREATE FUNCTION ids_generator_states(OUT generator text, OUT last_timestamp timestamptz, OUT clock_rollbacks bigint) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 5;

COMMENT ON FUNCTION ids_generator_states() IS 'implementation of the view ids_generators';

CREATE VIEW ids_generators AS
	SELECT generator, last_timestamp, greatest(last_timestamp - clock_timestamp(), '0'::interval) AS lead, clock_rollbacks
	FROM ids_generator_states();

COMMENT ON VIEW ids_generators IS 'the generators used since the server started: time of the last identifier, how far it runs ahead of the clock, how often the clock stepped back by over a second';

GRANT SELECT ON ids_generators TO PUBLIC;

CREATE FUNCTION ids_reset_clock() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ids_reset_clock() IS 'makes generators that run ahead of the clock follow it again; their order and uniqueness start anew';

REVOKE EXECUTE ON FUNCTION ids_reset_clock() FROM PUBLIC;
