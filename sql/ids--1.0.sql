\echo Use "CREATE EXTENSION ids" to load this file. \quit

-- The range that <@ and @> take. It is a domain, so that PostgreSQL's own operators, which take any range, keep working: an operator
-- of tstzrange itself would match better, and make "tstzrange @> unknown" ambiguous.
CREATE DOMAIN ids_tstzrange AS tstzrange;
COMMENT ON DOMAIN ids_tstzrange IS 'operand of <@ and @>; in tables, write tstzrange';

-- The generators: their clock, and the mark

CREATE SCHEMA ids_internal;
COMMENT ON SCHEMA ids_internal IS 'internal objects of extension ids';

CREATE FUNCTION ids_generators(OUT generator text, OUT last_timestamp timestamptz, OUT lead interval, OUT clock_rollbacks bigint) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ids_generators() IS 'generators used since server start, with their last times';

CREATE FUNCTION ids_reset_clock() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_reset_clock() IS 'reset generators that are ahead of the clock';
REVOKE EXECUTE ON FUNCTION ids_reset_clock() FROM PUBLIC;

CREATE FUNCTION ids_advance_clock(at timestamptz) RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_advance_clock(timestamptz) IS 'continue generators above a time, after a logical switch-over';
REVOKE EXECUTE ON FUNCTION ids_advance_clock(timestamptz) FROM PUBLIC;

-- Settled ids

CREATE FUNCTION ids_settled_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_settled_support(internal) IS 'planner support';

-- Roles that may use every schema can call it by its name, so it hides what ids_unsettled() does.
CREATE FUNCTION ids_internal.unsettled_records(OUT pid int, OUT transaction xid, OUT generator text, OUT first_timestamp timestamptz, OUT rank int, OUT since timestamptz) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION ids_internal.unsettled_records() IS 'records of open transactions';

-- The records are read before the prepared transactions, each of which is looked up by its number.
CREATE FUNCTION ids_unsettled(OUT pid int, OUT gid text, OUT generator text, OUT first_timestamp timestamptz, OUT since timestamptz) RETURNS SETOF record LANGUAGE SQL VOLATILE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
	SELECT u.pid, p.gid, u.generator, u.first_timestamp, coalesce(p.prepared, u.since)
	FROM ids_internal.unsettled_records() u
	LEFT JOIN LATERAL (SELECT * FROM pg_prepared_xact() x WHERE x.transaction = u.transaction OFFSET 0) p ON true
	WHERE u.pid IS NOT NULL OR p.gid IS NOT NULL
	ORDER BY u.rank;
END;
COMMENT ON FUNCTION ids_unsettled() IS 'open transactions that have generated ids';

CREATE FUNCTION ids_internal.kept_mark() RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_internal.kept_mark() IS 'the mark, or the current time if it is new';

CREATE FUNCTION ids_internal.mark_is_free() RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_internal.mark_is_free() IS 'test whether generators need not wait for a lock of the mark';

-- The time up to which ids of this database may have been made. Nobody can write to it, and no publication has it.
CREATE FUNCTION ids_internal.create_mark() RETURNS void LANGUAGE sql SET default_tablespace = ''
	AS $$CREATE MATERIALIZED VIEW ids_internal.mark USING heap AS SELECT ids_internal.kept_mark() AS unix_us, bigint '0' AS boot$$;
SELECT ids_internal.create_mark();
DROP FUNCTION ids_internal.create_mark();
COMMENT ON MATERIALIZED VIEW ids_internal.mark IS 'microseconds since 1970 up to which ids may have been generated';

-- ulid: 48 bits of Unix milliseconds, 80 random bits

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
COMMENT ON TYPE ulid IS 'ULID: milliseconds, 80 random bits; 26 base32 digits';

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

CREATE FUNCTION ulid_ineqsel(internal, oid, internal, integer)                RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_ineqjoinsel(internal, oid, internal, smallint, internal) RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_ineqsel(internal, oid, internal, integer)                IS 'restriction selectivity of <, <=, >, >=';
COMMENT ON FUNCTION ulid_ineqjoinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of <, <=, >, >=';

CREATE OPERATOR =  (FUNCTION = ulid_eq, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = =,  NEGATOR = <>, RESTRICT = eqsel,       JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (FUNCTION = ulid_ne, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = <>, NEGATOR = =,  RESTRICT = neqsel,      JOIN = neqjoinsel);
CREATE OPERATOR <  (FUNCTION = ulid_lt, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = ulid_ineqsel, JOIN = ulid_ineqjoinsel);
CREATE OPERATOR <= (FUNCTION = ulid_le, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = ulid_ineqsel, JOIN = ulid_ineqjoinsel);
CREATE OPERATOR >  (FUNCTION = ulid_gt, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = ulid_ineqsel, JOIN = ulid_ineqjoinsel);
CREATE OPERATOR >= (FUNCTION = ulid_ge, LEFTARG = ulid, RIGHTARG = ulid, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = ulid_ineqsel, JOIN = ulid_ineqjoinsel);
COMMENT ON OPERATOR =  (ulid, ulid) IS 'equal';
COMMENT ON OPERATOR <> (ulid, ulid) IS 'not equal';
COMMENT ON OPERATOR <  (ulid, ulid) IS 'less than';
COMMENT ON OPERATOR <= (ulid, ulid) IS 'less than or equal';
COMMENT ON OPERATOR >  (ulid, ulid) IS 'greater than';
COMMENT ON OPERATOR >= (ulid, ulid) IS 'greater than or equal';

-- Indexes

CREATE FUNCTION ulid_cmp(ulid, ulid)                                              RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_sortsupport(internal)                                      RETURNS void             AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_in_range(ulid, ulid, interval, boolean, boolean)             RETURNS boolean          AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_hash(ulid)                                                  RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_hash_extended(ulid, bigint)                                 RETURNS bigint           AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_minmax_multi_distance(internal, internal)                  RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_cmp(ulid, ulid)                                    IS 'less-equal-greater';
COMMENT ON FUNCTION ulid_sortsupport(internal)                            IS 'sort support';
COMMENT ON FUNCTION ulid_in_range(ulid, ulid, interval, boolean, boolean)   IS 'window RANGE support';
COMMENT ON FUNCTION ulid_hash(ulid)                                        IS 'hash';
COMMENT ON FUNCTION ulid_hash_extended(ulid, bigint)                       IS 'hash';
COMMENT ON FUNCTION ulid_minmax_multi_distance(internal, internal)        IS 'BRIN multi minmax distance';

CREATE FUNCTION ulid_gist_compress(internal)                                 RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_fetch(internal)                                    RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_consistent(internal, ulid, smallint, oid, internal) RETURNS boolean  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_union(internal, internal)                          RETURNS bytea    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_same(bytea, bytea, internal)                       RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_penalty(internal, internal, internal)              RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_picksplit(internal, internal)                      RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_gist_sortsupport(internal)                              RETURNS void     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_gist_compress(internal)                                 IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_fetch(internal)                                    IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_consistent(internal, ulid, smallint, oid, internal) IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_union(internal, internal)                          IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_same(bytea, bytea, internal)                       IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_penalty(internal, internal, internal)              IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_picksplit(internal, internal)                      IS 'GiST support';
COMMENT ON FUNCTION ulid_gist_sortsupport(internal)                              IS 'GiST sort support';

CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 ulid_cmp(ulid, ulid),
	FUNCTION 2 ulid_sortsupport(internal),
	FUNCTION 3 (ulid, interval) ulid_in_range(ulid, ulid, interval, boolean, boolean),
	FUNCTION 4 btequalimage(oid);

CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 ulid_hash(ulid),
	FUNCTION 2 ulid_hash_extended(ulid, bigint);

CREATE OPERATOR CLASS ulid_minmax_ops DEFAULT FOR TYPE ulid USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_opcinfo(internal),
	FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
	FUNCTION 4 brin_minmax_union(internal, internal, internal);

CREATE OPERATOR CLASS ulid_minmax_multi_ops FOR TYPE ulid USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_multi_opcinfo(internal),
	FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
	FUNCTION 5 brin_minmax_multi_options(internal),
	FUNCTION 11 ulid_minmax_multi_distance(internal, internal);

CREATE OPERATOR CLASS ulid_bloom_ops FOR TYPE ulid USING brin AS
	OPERATOR 1 =,
	FUNCTION 1 brin_bloom_opcinfo(internal),
	FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_bloom_union(internal, internal, internal),
	FUNCTION 5 brin_bloom_options(internal),
	FUNCTION 11 ulid_hash(ulid);

-- The strategies are the ones that gist_translate_cmptype_common knows.
CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING gist AS
	OPERATOR 18 =, OPERATOR 19 <>, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
	FUNCTION 1 ulid_gist_consistent(internal, ulid, smallint, oid, internal),
	FUNCTION 2 ulid_gist_union(internal, internal),
	FUNCTION 3 ulid_gist_compress(internal),
	FUNCTION 5 ulid_gist_penalty(internal, internal, internal),
	FUNCTION 6 ulid_gist_picksplit(internal, internal),
	FUNCTION 7 ulid_gist_same(bytea, bytea, internal),
	FUNCTION 9 ulid_gist_fetch(internal),
	FUNCTION 11 ulid_gist_sortsupport(internal),
	STORAGE bytea;

-- Aggregates

CREATE FUNCTION ulid_smaller(ulid, ulid) RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_larger(ulid, ulid)  RETURNS ulid AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ulid_smaller(ulid, ulid) IS 'smaller of two';
COMMENT ON FUNCTION ulid_larger(ulid, ulid)  IS 'larger of two';

CREATE AGGREGATE min(ulid) (SFUNC = ulid_smaller, STYPE = ulid, COMBINEFUNC = ulid_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(ulid) (SFUNC = ulid_larger,  STYPE = ulid, COMBINEFUNC = ulid_larger,  SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(ulid) IS 'minimum value of all ulid input values';
COMMENT ON AGGREGATE max(ulid) IS 'maximum value of all ulid input values';

-- Text: PostgreSQL has this cast for every type, but it copies the text once more. The function is
-- called text, so that text(id) remains a cast.

CREATE FUNCTION text(ulid) RETURNS text AS 'MODULE_PATHNAME', 'ulid_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text(ulid) IS 'convert ulid to text';

CREATE CAST (ulid AS text) WITH FUNCTION text(ulid) AS ASSIGNMENT;
COMMENT ON CAST (ulid AS text) IS 'convert ulid to text';

-- PostgreSQL's own casts, but also for assignments: parameters and columns of text may be inserted.

CREATE CAST (text AS ulid)    WITH INOUT AS ASSIGNMENT;
CREATE CAST (varchar AS ulid) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS ulid)    IS 'convert text to ulid';
COMMENT ON CAST (varchar AS ulid) IS 'convert varchar to ulid';

CREATE FUNCTION ulid_is_valid(text) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_is_valid(text) IS 'test whether text is a valid ulid';

-- Bytes

CREATE FUNCTION ulid_to_bytea(ulid)     RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_from_bytea(bytea) RETURNS ulid   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_to_bytea(ulid)     IS 'convert ulid to bytes, most significant first';
COMMENT ON FUNCTION ulid_from_bytea(bytea) IS 'convert bytes, most significant first, to ulid';

CREATE CAST (ulid AS bytea) WITH FUNCTION ulid_to_bytea(ulid);
CREATE CAST (bytea AS ulid) WITH FUNCTION ulid_from_bytea(bytea);
COMMENT ON CAST (ulid AS bytea) IS 'convert ulid to bytes, most significant first';
COMMENT ON CAST (bytea AS ulid) IS 'convert bytes, most significant first, to ulid';

-- Time

CREATE FUNCTION ulid_extract_timestamp(ulid)   RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_first(timestamptz)       RETURNS ulid         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_last(timestamptz)        RETURNS ulid         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_range_first(tstzrange)   RETURNS ulid         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_range_last(tstzrange)    RETURNS ulid         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ulid_extract_timestamp(ulid) IS 'extract timestamp from ulid';
COMMENT ON FUNCTION ulid_first(timestamptz)     IS 'smallest ulid of the unit of time that contains the timestamp';
COMMENT ON FUNCTION ulid_last(timestamptz)      IS 'greatest ulid of the unit of time that contains the timestamp';
COMMENT ON FUNCTION ulid_range_first(tstzrange) IS 'smallest ulid whose time is in the range';
COMMENT ON FUNCTION ulid_range_last(tstzrange)  IS 'greatest ulid whose time is in the range';

CREATE CAST (ulid AS timestamptz) WITH FUNCTION ulid_extract_timestamp(ulid);
COMMENT ON CAST (ulid AS timestamptz) IS 'extract timestamp from ulid';

-- Time predicates: the planner turns them into comparisons with a boundary, so that they can use indexes and prune partitions.

CREATE FUNCTION ulid_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_support(internal) IS 'planner support for comparisons of ulid with times';

CREATE FUNCTION ulid_lt_timestamptz(ulid, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION ulid_le_timestamptz(ulid, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION ulid_gt_timestamptz(ulid, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION ulid_ge_timestamptz(ulid, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION timestamptz_lt_ulid(timestamptz, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION timestamptz_le_ulid(timestamptz, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION timestamptz_gt_ulid(timestamptz, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION timestamptz_ge_ulid(timestamptz, ulid) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION ulid_contained_by_tstzrange(ulid, ids_tstzrange) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
CREATE FUNCTION tstzrange_contains_ulid(ids_tstzrange, ulid)     RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT ulid_support;
COMMENT ON FUNCTION ulid_lt_timestamptz(ulid, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION ulid_le_timestamptz(ulid, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION ulid_gt_timestamptz(ulid, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION ulid_ge_timestamptz(ulid, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION timestamptz_lt_ulid(timestamptz, ulid) IS 'implementation of < operator';
COMMENT ON FUNCTION timestamptz_le_ulid(timestamptz, ulid) IS 'implementation of <= operator';
COMMENT ON FUNCTION timestamptz_gt_ulid(timestamptz, ulid) IS 'implementation of > operator';
COMMENT ON FUNCTION timestamptz_ge_ulid(timestamptz, ulid) IS 'implementation of >= operator';
COMMENT ON FUNCTION ulid_contained_by_tstzrange(ulid, ids_tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION tstzrange_contains_ulid(ids_tstzrange, ulid)     IS 'implementation of @> operator';

CREATE OPERATOR <  (FUNCTION = ulid_lt_timestamptz, LEFTARG = ulid, RIGHTARG = timestamptz, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = ulid_le_timestamptz, LEFTARG = ulid, RIGHTARG = timestamptz, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = ulid_gt_timestamptz, LEFTARG = ulid, RIGHTARG = timestamptz, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = ulid_ge_timestamptz, LEFTARG = ulid, RIGHTARG = timestamptz, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <  (FUNCTION = timestamptz_lt_ulid, LEFTARG = timestamptz, RIGHTARG = ulid, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = timestamptz_le_ulid, LEFTARG = timestamptz, RIGHTARG = ulid, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = timestamptz_gt_ulid, LEFTARG = timestamptz, RIGHTARG = ulid, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = timestamptz_ge_ulid, LEFTARG = timestamptz, RIGHTARG = ulid, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (FUNCTION = ulid_contained_by_tstzrange, LEFTARG = ulid, RIGHTARG = ids_tstzrange, COMMUTATOR = @>, RESTRICT = areasel, JOIN = areajoinsel);
CREATE OPERATOR @> (FUNCTION = tstzrange_contains_ulid, LEFTARG = ids_tstzrange, RIGHTARG = ulid, COMMUTATOR = <@, RESTRICT = areasel, JOIN = areajoinsel);
COMMENT ON OPERATOR <  (ulid, timestamptz) IS 'time of ulid is before unit of timestamp';
COMMENT ON OPERATOR <= (ulid, timestamptz) IS 'time of ulid is at or before unit of timestamp';
COMMENT ON OPERATOR >  (ulid, timestamptz) IS 'time of ulid is after unit of timestamp';
COMMENT ON OPERATOR >= (ulid, timestamptz) IS 'time of ulid is at or after unit of timestamp';
COMMENT ON OPERATOR <  (timestamptz, ulid) IS 'unit of timestamp is before time of ulid';
COMMENT ON OPERATOR <= (timestamptz, ulid) IS 'unit of timestamp is at or before time of ulid';
COMMENT ON OPERATOR >  (timestamptz, ulid) IS 'unit of timestamp is after time of ulid';
COMMENT ON OPERATOR >= (timestamptz, ulid) IS 'unit of timestamp is at or after time of ulid';
COMMENT ON OPERATOR <@ (ulid, ids_tstzrange) IS 'time of ulid is contained by range';
COMMENT ON OPERATOR @> (ids_tstzrange, ulid) IS 'range contains time of ulid';

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

-- scru160: 48 bits of Unix milliseconds, a 16-bit counter, 16 and 80 random bits

CREATE TYPE scru160;

CREATE FUNCTION scru160_in(cstring)    RETURNS scru160     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_out(scru160)       RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_recv(internal) RETURNS scru160     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_send(scru160)      RETURNS bytea   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION scru160_in(cstring)    IS 'I/O';
COMMENT ON FUNCTION scru160_out(scru160)       IS 'I/O';
COMMENT ON FUNCTION scru160_recv(internal) IS 'I/O';
COMMENT ON FUNCTION scru160_send(scru160)      IS 'I/O';

CREATE TYPE scru160 (
	INPUT = scru160_in, OUTPUT = scru160_out, RECEIVE = scru160_recv, SEND = scru160_send,
	INTERNALLENGTH = 20, ALIGNMENT = char
);
COMMENT ON TYPE scru160 IS 'SCRU160: milliseconds, counter, 96 random bits; 32 base32hex digits';

-- Order

CREATE FUNCTION scru160_eq(scru160, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_ne(scru160, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_lt(scru160, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_le(scru160, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_gt(scru160, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_ge(scru160, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION scru160_eq(scru160, scru160) IS 'implementation of = operator';
COMMENT ON FUNCTION scru160_ne(scru160, scru160) IS 'implementation of <> operator';
COMMENT ON FUNCTION scru160_lt(scru160, scru160) IS 'implementation of < operator';
COMMENT ON FUNCTION scru160_le(scru160, scru160) IS 'implementation of <= operator';
COMMENT ON FUNCTION scru160_gt(scru160, scru160) IS 'implementation of > operator';
COMMENT ON FUNCTION scru160_ge(scru160, scru160) IS 'implementation of >= operator';

CREATE FUNCTION scru160_ineqsel(internal, oid, internal, integer)                RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_ineqjoinsel(internal, oid, internal, smallint, internal) RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_ineqsel(internal, oid, internal, integer)                IS 'restriction selectivity of <, <=, >, >=';
COMMENT ON FUNCTION scru160_ineqjoinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of <, <=, >, >=';

CREATE OPERATOR =  (FUNCTION = scru160_eq, LEFTARG = scru160, RIGHTARG = scru160, COMMUTATOR = =,  NEGATOR = <>, RESTRICT = eqsel,       JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (FUNCTION = scru160_ne, LEFTARG = scru160, RIGHTARG = scru160, COMMUTATOR = <>, NEGATOR = =,  RESTRICT = neqsel,      JOIN = neqjoinsel);
CREATE OPERATOR <  (FUNCTION = scru160_lt, LEFTARG = scru160, RIGHTARG = scru160, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scru160_ineqsel, JOIN = scru160_ineqjoinsel);
CREATE OPERATOR <= (FUNCTION = scru160_le, LEFTARG = scru160, RIGHTARG = scru160, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scru160_ineqsel, JOIN = scru160_ineqjoinsel);
CREATE OPERATOR >  (FUNCTION = scru160_gt, LEFTARG = scru160, RIGHTARG = scru160, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scru160_ineqsel, JOIN = scru160_ineqjoinsel);
CREATE OPERATOR >= (FUNCTION = scru160_ge, LEFTARG = scru160, RIGHTARG = scru160, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scru160_ineqsel, JOIN = scru160_ineqjoinsel);
COMMENT ON OPERATOR =  (scru160, scru160) IS 'equal';
COMMENT ON OPERATOR <> (scru160, scru160) IS 'not equal';
COMMENT ON OPERATOR <  (scru160, scru160) IS 'less than';
COMMENT ON OPERATOR <= (scru160, scru160) IS 'less than or equal';
COMMENT ON OPERATOR >  (scru160, scru160) IS 'greater than';
COMMENT ON OPERATOR >= (scru160, scru160) IS 'greater than or equal';

-- Indexes

CREATE FUNCTION scru160_cmp(scru160, scru160)                                              RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_sortsupport(internal)                                      RETURNS void             AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_in_range(scru160, scru160, interval, boolean, boolean)             RETURNS boolean          AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_hash(scru160)                                                  RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_hash_extended(scru160, bigint)                                 RETURNS bigint           AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_minmax_multi_distance(internal, internal)                  RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_cmp(scru160, scru160)                                    IS 'less-equal-greater';
COMMENT ON FUNCTION scru160_sortsupport(internal)                            IS 'sort support';
COMMENT ON FUNCTION scru160_in_range(scru160, scru160, interval, boolean, boolean)   IS 'window RANGE support';
COMMENT ON FUNCTION scru160_hash(scru160)                                        IS 'hash';
COMMENT ON FUNCTION scru160_hash_extended(scru160, bigint)                       IS 'hash';
COMMENT ON FUNCTION scru160_minmax_multi_distance(internal, internal)        IS 'BRIN multi minmax distance';

CREATE FUNCTION scru160_gist_compress(internal)                                 RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_fetch(internal)                                    RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_consistent(internal, scru160, smallint, oid, internal) RETURNS boolean  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_union(internal, internal)                          RETURNS bytea    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_same(bytea, bytea, internal)                       RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_penalty(internal, internal, internal)              RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_picksplit(internal, internal)                      RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_gist_sortsupport(internal)                              RETURNS void     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_gist_compress(internal)                                 IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_fetch(internal)                                    IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_consistent(internal, scru160, smallint, oid, internal) IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_union(internal, internal)                          IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_same(bytea, bytea, internal)                       IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_penalty(internal, internal, internal)              IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_picksplit(internal, internal)                      IS 'GiST support';
COMMENT ON FUNCTION scru160_gist_sortsupport(internal)                              IS 'GiST sort support';

CREATE OPERATOR CLASS scru160_ops DEFAULT FOR TYPE scru160 USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 scru160_cmp(scru160, scru160),
	FUNCTION 2 scru160_sortsupport(internal),
	FUNCTION 3 (scru160, interval) scru160_in_range(scru160, scru160, interval, boolean, boolean),
	FUNCTION 4 btequalimage(oid);

CREATE OPERATOR CLASS scru160_ops DEFAULT FOR TYPE scru160 USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 scru160_hash(scru160),
	FUNCTION 2 scru160_hash_extended(scru160, bigint);

CREATE OPERATOR CLASS scru160_minmax_ops DEFAULT FOR TYPE scru160 USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_opcinfo(internal),
	FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
	FUNCTION 4 brin_minmax_union(internal, internal, internal);

CREATE OPERATOR CLASS scru160_minmax_multi_ops FOR TYPE scru160 USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_multi_opcinfo(internal),
	FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
	FUNCTION 5 brin_minmax_multi_options(internal),
	FUNCTION 11 scru160_minmax_multi_distance(internal, internal);

CREATE OPERATOR CLASS scru160_bloom_ops FOR TYPE scru160 USING brin AS
	OPERATOR 1 =,
	FUNCTION 1 brin_bloom_opcinfo(internal),
	FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_bloom_union(internal, internal, internal),
	FUNCTION 5 brin_bloom_options(internal),
	FUNCTION 11 scru160_hash(scru160);

-- The strategies are the ones that gist_translate_cmptype_common knows.
CREATE OPERATOR CLASS scru160_ops DEFAULT FOR TYPE scru160 USING gist AS
	OPERATOR 18 =, OPERATOR 19 <>, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
	FUNCTION 1 scru160_gist_consistent(internal, scru160, smallint, oid, internal),
	FUNCTION 2 scru160_gist_union(internal, internal),
	FUNCTION 3 scru160_gist_compress(internal),
	FUNCTION 5 scru160_gist_penalty(internal, internal, internal),
	FUNCTION 6 scru160_gist_picksplit(internal, internal),
	FUNCTION 7 scru160_gist_same(bytea, bytea, internal),
	FUNCTION 9 scru160_gist_fetch(internal),
	FUNCTION 11 scru160_gist_sortsupport(internal),
	STORAGE bytea;

-- Aggregates

CREATE FUNCTION scru160_smaller(scru160, scru160) RETURNS scru160 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_larger(scru160, scru160)  RETURNS scru160 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION scru160_smaller(scru160, scru160) IS 'smaller of two';
COMMENT ON FUNCTION scru160_larger(scru160, scru160)  IS 'larger of two';

CREATE AGGREGATE min(scru160) (SFUNC = scru160_smaller, STYPE = scru160, COMBINEFUNC = scru160_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(scru160) (SFUNC = scru160_larger,  STYPE = scru160, COMBINEFUNC = scru160_larger,  SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(scru160) IS 'minimum value of all scru160 input values';
COMMENT ON AGGREGATE max(scru160) IS 'maximum value of all scru160 input values';

-- Text: PostgreSQL has this cast for every type, but it copies the text once more. The function is
-- called text, so that text(id) remains a cast.

CREATE FUNCTION text(scru160) RETURNS text AS 'MODULE_PATHNAME', 'scru160_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text(scru160) IS 'convert scru160 to text';

CREATE CAST (scru160 AS text) WITH FUNCTION text(scru160) AS ASSIGNMENT;
COMMENT ON CAST (scru160 AS text) IS 'convert scru160 to text';

-- PostgreSQL's own casts, but also for assignments: parameters and columns of text may be inserted.

CREATE CAST (text AS scru160)    WITH INOUT AS ASSIGNMENT;
CREATE CAST (varchar AS scru160) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS scru160)    IS 'convert text to scru160';
COMMENT ON CAST (varchar AS scru160) IS 'convert varchar to scru160';

CREATE FUNCTION scru160_is_valid(text) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_is_valid(text) IS 'test whether text is a valid scru160';

-- Bytes

CREATE FUNCTION scru160_to_bytea(scru160)     RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION scru160_from_bytea(bytea) RETURNS scru160   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_to_bytea(scru160)     IS 'convert scru160 to bytes, most significant first';
COMMENT ON FUNCTION scru160_from_bytea(bytea) IS 'convert bytes, most significant first, to scru160';

CREATE CAST (scru160 AS bytea) WITH FUNCTION scru160_to_bytea(scru160);
CREATE CAST (bytea AS scru160) WITH FUNCTION scru160_from_bytea(bytea);
COMMENT ON CAST (scru160 AS bytea) IS 'convert scru160 to bytes, most significant first';
COMMENT ON CAST (bytea AS scru160) IS 'convert bytes, most significant first, to scru160';

-- Time

CREATE FUNCTION scru160_extract_timestamp(scru160)   RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_first(timestamptz)       RETURNS scru160         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_last(timestamptz)        RETURNS scru160         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_range_first(tstzrange)   RETURNS scru160         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION scru160_range_last(tstzrange)    RETURNS scru160         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION scru160_extract_timestamp(scru160) IS 'extract timestamp from scru160';
COMMENT ON FUNCTION scru160_first(timestamptz)     IS 'smallest scru160 of the unit of time that contains the timestamp';
COMMENT ON FUNCTION scru160_last(timestamptz)      IS 'greatest scru160 of the unit of time that contains the timestamp';
COMMENT ON FUNCTION scru160_range_first(tstzrange) IS 'smallest scru160 whose time is in the range';
COMMENT ON FUNCTION scru160_range_last(tstzrange)  IS 'greatest scru160 whose time is in the range';

CREATE CAST (scru160 AS timestamptz) WITH FUNCTION scru160_extract_timestamp(scru160);
COMMENT ON CAST (scru160 AS timestamptz) IS 'extract timestamp from scru160';

-- Time predicates: the planner turns them into comparisons with a boundary, so that they can use indexes and prune partitions.

CREATE FUNCTION scru160_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scru160_support(internal) IS 'planner support for comparisons of scru160 with times';

CREATE FUNCTION scru160_lt_timestamptz(scru160, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION scru160_le_timestamptz(scru160, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION scru160_gt_timestamptz(scru160, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION scru160_ge_timestamptz(scru160, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION timestamptz_lt_scru160(timestamptz, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION timestamptz_le_scru160(timestamptz, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION timestamptz_gt_scru160(timestamptz, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION timestamptz_ge_scru160(timestamptz, scru160) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION scru160_contained_by_tstzrange(scru160, ids_tstzrange) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
CREATE FUNCTION tstzrange_contains_scru160(ids_tstzrange, scru160)     RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT scru160_support;
COMMENT ON FUNCTION scru160_lt_timestamptz(scru160, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION scru160_le_timestamptz(scru160, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION scru160_gt_timestamptz(scru160, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION scru160_ge_timestamptz(scru160, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION timestamptz_lt_scru160(timestamptz, scru160) IS 'implementation of < operator';
COMMENT ON FUNCTION timestamptz_le_scru160(timestamptz, scru160) IS 'implementation of <= operator';
COMMENT ON FUNCTION timestamptz_gt_scru160(timestamptz, scru160) IS 'implementation of > operator';
COMMENT ON FUNCTION timestamptz_ge_scru160(timestamptz, scru160) IS 'implementation of >= operator';
COMMENT ON FUNCTION scru160_contained_by_tstzrange(scru160, ids_tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION tstzrange_contains_scru160(ids_tstzrange, scru160)     IS 'implementation of @> operator';

CREATE OPERATOR <  (FUNCTION = scru160_lt_timestamptz, LEFTARG = scru160, RIGHTARG = timestamptz, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = scru160_le_timestamptz, LEFTARG = scru160, RIGHTARG = timestamptz, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = scru160_gt_timestamptz, LEFTARG = scru160, RIGHTARG = timestamptz, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = scru160_ge_timestamptz, LEFTARG = scru160, RIGHTARG = timestamptz, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <  (FUNCTION = timestamptz_lt_scru160, LEFTARG = timestamptz, RIGHTARG = scru160, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = timestamptz_le_scru160, LEFTARG = timestamptz, RIGHTARG = scru160, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = timestamptz_gt_scru160, LEFTARG = timestamptz, RIGHTARG = scru160, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = timestamptz_ge_scru160, LEFTARG = timestamptz, RIGHTARG = scru160, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (FUNCTION = scru160_contained_by_tstzrange, LEFTARG = scru160, RIGHTARG = ids_tstzrange, COMMUTATOR = @>, RESTRICT = areasel, JOIN = areajoinsel);
CREATE OPERATOR @> (FUNCTION = tstzrange_contains_scru160, LEFTARG = ids_tstzrange, RIGHTARG = scru160, COMMUTATOR = <@, RESTRICT = areasel, JOIN = areajoinsel);
COMMENT ON OPERATOR <  (scru160, timestamptz) IS 'time of scru160 is before unit of timestamp';
COMMENT ON OPERATOR <= (scru160, timestamptz) IS 'time of scru160 is at or before unit of timestamp';
COMMENT ON OPERATOR >  (scru160, timestamptz) IS 'time of scru160 is after unit of timestamp';
COMMENT ON OPERATOR >= (scru160, timestamptz) IS 'time of scru160 is at or after unit of timestamp';
COMMENT ON OPERATOR <  (timestamptz, scru160) IS 'unit of timestamp is before time of scru160';
COMMENT ON OPERATOR <= (timestamptz, scru160) IS 'unit of timestamp is at or before time of scru160';
COMMENT ON OPERATOR >  (timestamptz, scru160) IS 'unit of timestamp is after time of scru160';
COMMENT ON OPERATOR >= (timestamptz, scru160) IS 'unit of timestamp is at or after time of scru160';
COMMENT ON OPERATOR <@ (scru160, ids_tstzrange) IS 'time of scru160 is contained by range';
COMMENT ON OPERATOR @> (ids_tstzrange, scru160) IS 'range contains time of scru160';

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

-- tbsl: 60 bits of Unix seconds, microseconds and machine id as one decimal number, a 20-bit suffix

CREATE TYPE tbsl;

CREATE FUNCTION tbsl_in(cstring)    RETURNS tbsl     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_out(tbsl)       RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_recv(internal) RETURNS tbsl     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_send(tbsl)      RETURNS bytea   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tbsl_in(cstring)    IS 'I/O';
COMMENT ON FUNCTION tbsl_out(tbsl)       IS 'I/O';
COMMENT ON FUNCTION tbsl_recv(internal) IS 'I/O';
COMMENT ON FUNCTION tbsl_send(tbsl)      IS 'I/O';

CREATE TYPE tbsl (
	INPUT = tbsl_in, OUTPUT = tbsl_out, RECEIVE = tbsl_recv, SEND = tbsl_send,
	INTERNALLENGTH = 10, ALIGNMENT = char
);
COMMENT ON TYPE tbsl IS 'TBSL: microseconds, machine id, 20-bit suffix; 20 hexadecimal digits';

-- Order

CREATE FUNCTION tbsl_eq(tbsl, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_ne(tbsl, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_lt(tbsl, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_le(tbsl, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_gt(tbsl, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_ge(tbsl, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_eq(tbsl, tbsl) IS 'implementation of = operator';
COMMENT ON FUNCTION tbsl_ne(tbsl, tbsl) IS 'implementation of <> operator';
COMMENT ON FUNCTION tbsl_lt(tbsl, tbsl) IS 'implementation of < operator';
COMMENT ON FUNCTION tbsl_le(tbsl, tbsl) IS 'implementation of <= operator';
COMMENT ON FUNCTION tbsl_gt(tbsl, tbsl) IS 'implementation of > operator';
COMMENT ON FUNCTION tbsl_ge(tbsl, tbsl) IS 'implementation of >= operator';

CREATE FUNCTION tbsl_ineqsel(internal, oid, internal, integer)                RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_ineqjoinsel(internal, oid, internal, smallint, internal) RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_ineqsel(internal, oid, internal, integer)                IS 'restriction selectivity of <, <=, >, >=';
COMMENT ON FUNCTION tbsl_ineqjoinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of <, <=, >, >=';

CREATE OPERATOR =  (FUNCTION = tbsl_eq, LEFTARG = tbsl, RIGHTARG = tbsl, COMMUTATOR = =,  NEGATOR = <>, RESTRICT = eqsel,       JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (FUNCTION = tbsl_ne, LEFTARG = tbsl, RIGHTARG = tbsl, COMMUTATOR = <>, NEGATOR = =,  RESTRICT = neqsel,      JOIN = neqjoinsel);
CREATE OPERATOR <  (FUNCTION = tbsl_lt, LEFTARG = tbsl, RIGHTARG = tbsl, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = tbsl_ineqsel, JOIN = tbsl_ineqjoinsel);
CREATE OPERATOR <= (FUNCTION = tbsl_le, LEFTARG = tbsl, RIGHTARG = tbsl, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = tbsl_ineqsel, JOIN = tbsl_ineqjoinsel);
CREATE OPERATOR >  (FUNCTION = tbsl_gt, LEFTARG = tbsl, RIGHTARG = tbsl, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = tbsl_ineqsel, JOIN = tbsl_ineqjoinsel);
CREATE OPERATOR >= (FUNCTION = tbsl_ge, LEFTARG = tbsl, RIGHTARG = tbsl, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = tbsl_ineqsel, JOIN = tbsl_ineqjoinsel);
COMMENT ON OPERATOR =  (tbsl, tbsl) IS 'equal';
COMMENT ON OPERATOR <> (tbsl, tbsl) IS 'not equal';
COMMENT ON OPERATOR <  (tbsl, tbsl) IS 'less than';
COMMENT ON OPERATOR <= (tbsl, tbsl) IS 'less than or equal';
COMMENT ON OPERATOR >  (tbsl, tbsl) IS 'greater than';
COMMENT ON OPERATOR >= (tbsl, tbsl) IS 'greater than or equal';

-- Indexes

CREATE FUNCTION tbsl_cmp(tbsl, tbsl)                                              RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_sortsupport(internal)                                      RETURNS void             AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_in_range(tbsl, tbsl, interval, boolean, boolean)             RETURNS boolean          AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_hash(tbsl)                                                  RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_hash_extended(tbsl, bigint)                                 RETURNS bigint           AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_minmax_multi_distance(internal, internal)                  RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_cmp(tbsl, tbsl)                                    IS 'less-equal-greater';
COMMENT ON FUNCTION tbsl_sortsupport(internal)                            IS 'sort support';
COMMENT ON FUNCTION tbsl_in_range(tbsl, tbsl, interval, boolean, boolean)   IS 'window RANGE support';
COMMENT ON FUNCTION tbsl_hash(tbsl)                                        IS 'hash';
COMMENT ON FUNCTION tbsl_hash_extended(tbsl, bigint)                       IS 'hash';
COMMENT ON FUNCTION tbsl_minmax_multi_distance(internal, internal)        IS 'BRIN multi minmax distance';

CREATE FUNCTION tbsl_gist_compress(internal)                                 RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_fetch(internal)                                    RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_consistent(internal, tbsl, smallint, oid, internal) RETURNS boolean  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_union(internal, internal)                          RETURNS bytea    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_same(bytea, bytea, internal)                       RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_penalty(internal, internal, internal)              RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_picksplit(internal, internal)                      RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_gist_sortsupport(internal)                              RETURNS void     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_gist_compress(internal)                                 IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_fetch(internal)                                    IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_consistent(internal, tbsl, smallint, oid, internal) IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_union(internal, internal)                          IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_same(bytea, bytea, internal)                       IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_penalty(internal, internal, internal)              IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_picksplit(internal, internal)                      IS 'GiST support';
COMMENT ON FUNCTION tbsl_gist_sortsupport(internal)                              IS 'GiST sort support';

CREATE OPERATOR CLASS tbsl_ops DEFAULT FOR TYPE tbsl USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 tbsl_cmp(tbsl, tbsl),
	FUNCTION 2 tbsl_sortsupport(internal),
	FUNCTION 3 (tbsl, interval) tbsl_in_range(tbsl, tbsl, interval, boolean, boolean),
	FUNCTION 4 btequalimage(oid);

CREATE OPERATOR CLASS tbsl_ops DEFAULT FOR TYPE tbsl USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 tbsl_hash(tbsl),
	FUNCTION 2 tbsl_hash_extended(tbsl, bigint);

CREATE OPERATOR CLASS tbsl_minmax_ops DEFAULT FOR TYPE tbsl USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_opcinfo(internal),
	FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
	FUNCTION 4 brin_minmax_union(internal, internal, internal);

CREATE OPERATOR CLASS tbsl_minmax_multi_ops FOR TYPE tbsl USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_multi_opcinfo(internal),
	FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
	FUNCTION 5 brin_minmax_multi_options(internal),
	FUNCTION 11 tbsl_minmax_multi_distance(internal, internal);

CREATE OPERATOR CLASS tbsl_bloom_ops FOR TYPE tbsl USING brin AS
	OPERATOR 1 =,
	FUNCTION 1 brin_bloom_opcinfo(internal),
	FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_bloom_union(internal, internal, internal),
	FUNCTION 5 brin_bloom_options(internal),
	FUNCTION 11 tbsl_hash(tbsl);

-- The strategies are the ones that gist_translate_cmptype_common knows.
CREATE OPERATOR CLASS tbsl_ops DEFAULT FOR TYPE tbsl USING gist AS
	OPERATOR 18 =, OPERATOR 19 <>, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
	FUNCTION 1 tbsl_gist_consistent(internal, tbsl, smallint, oid, internal),
	FUNCTION 2 tbsl_gist_union(internal, internal),
	FUNCTION 3 tbsl_gist_compress(internal),
	FUNCTION 5 tbsl_gist_penalty(internal, internal, internal),
	FUNCTION 6 tbsl_gist_picksplit(internal, internal),
	FUNCTION 7 tbsl_gist_same(bytea, bytea, internal),
	FUNCTION 9 tbsl_gist_fetch(internal),
	FUNCTION 11 tbsl_gist_sortsupport(internal),
	STORAGE bytea;

-- Aggregates

CREATE FUNCTION tbsl_smaller(tbsl, tbsl) RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_larger(tbsl, tbsl)  RETURNS tbsl AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_smaller(tbsl, tbsl) IS 'smaller of two';
COMMENT ON FUNCTION tbsl_larger(tbsl, tbsl)  IS 'larger of two';

CREATE AGGREGATE min(tbsl) (SFUNC = tbsl_smaller, STYPE = tbsl, COMBINEFUNC = tbsl_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(tbsl) (SFUNC = tbsl_larger,  STYPE = tbsl, COMBINEFUNC = tbsl_larger,  SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(tbsl) IS 'minimum value of all tbsl input values';
COMMENT ON AGGREGATE max(tbsl) IS 'maximum value of all tbsl input values';

-- Text: PostgreSQL has this cast for every type, but it copies the text once more. The function is
-- called text, so that text(id) remains a cast.

CREATE FUNCTION text(tbsl) RETURNS text AS 'MODULE_PATHNAME', 'tbsl_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text(tbsl) IS 'convert tbsl to text';

CREATE CAST (tbsl AS text) WITH FUNCTION text(tbsl) AS ASSIGNMENT;
COMMENT ON CAST (tbsl AS text) IS 'convert tbsl to text';

-- PostgreSQL's own casts, but also for assignments: parameters and columns of text may be inserted.

CREATE CAST (text AS tbsl)    WITH INOUT AS ASSIGNMENT;
CREATE CAST (varchar AS tbsl) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS tbsl)    IS 'convert text to tbsl';
COMMENT ON CAST (varchar AS tbsl) IS 'convert varchar to tbsl';

CREATE FUNCTION tbsl_is_valid(text) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_is_valid(text) IS 'test whether text is a valid tbsl';

-- Bytes

CREATE FUNCTION tbsl_to_bytea(tbsl)     RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tbsl_from_bytea(bytea) RETURNS tbsl   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_to_bytea(tbsl)     IS 'convert tbsl to bytes, most significant first';
COMMENT ON FUNCTION tbsl_from_bytea(bytea) IS 'convert bytes, most significant first, to tbsl';

CREATE CAST (tbsl AS bytea) WITH FUNCTION tbsl_to_bytea(tbsl);
CREATE CAST (bytea AS tbsl) WITH FUNCTION tbsl_from_bytea(bytea);
COMMENT ON CAST (tbsl AS bytea) IS 'convert tbsl to bytes, most significant first';
COMMENT ON CAST (bytea AS tbsl) IS 'convert bytes, most significant first, to tbsl';

-- Time

CREATE FUNCTION tbsl_extract_timestamp(tbsl)   RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_first(timestamptz)       RETURNS tbsl         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_last(timestamptz)        RETURNS tbsl         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_range_first(tstzrange)   RETURNS tbsl         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION tbsl_range_last(tstzrange)    RETURNS tbsl         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_extract_timestamp(tbsl) IS 'extract timestamp from tbsl';
COMMENT ON FUNCTION tbsl_first(timestamptz)     IS 'smallest tbsl of the unit of time that contains the timestamp';
COMMENT ON FUNCTION tbsl_last(timestamptz)      IS 'greatest tbsl of the unit of time that contains the timestamp';
COMMENT ON FUNCTION tbsl_range_first(tstzrange) IS 'smallest tbsl whose time is in the range';
COMMENT ON FUNCTION tbsl_range_last(tstzrange)  IS 'greatest tbsl whose time is in the range';

CREATE CAST (tbsl AS timestamptz) WITH FUNCTION tbsl_extract_timestamp(tbsl);
COMMENT ON CAST (tbsl AS timestamptz) IS 'extract timestamp from tbsl';

-- Time predicates: the planner turns them into comparisons with a boundary, so that they can use indexes and prune partitions.

CREATE FUNCTION tbsl_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tbsl_support(internal) IS 'planner support for comparisons of tbsl with times';

CREATE FUNCTION tbsl_lt_timestamptz(tbsl, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION tbsl_le_timestamptz(tbsl, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION tbsl_gt_timestamptz(tbsl, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION tbsl_ge_timestamptz(tbsl, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION timestamptz_lt_tbsl(timestamptz, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION timestamptz_le_tbsl(timestamptz, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION timestamptz_gt_tbsl(timestamptz, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION timestamptz_ge_tbsl(timestamptz, tbsl) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION tbsl_contained_by_tstzrange(tbsl, ids_tstzrange) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
CREATE FUNCTION tstzrange_contains_tbsl(ids_tstzrange, tbsl)     RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT tbsl_support;
COMMENT ON FUNCTION tbsl_lt_timestamptz(tbsl, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION tbsl_le_timestamptz(tbsl, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION tbsl_gt_timestamptz(tbsl, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION tbsl_ge_timestamptz(tbsl, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION timestamptz_lt_tbsl(timestamptz, tbsl) IS 'implementation of < operator';
COMMENT ON FUNCTION timestamptz_le_tbsl(timestamptz, tbsl) IS 'implementation of <= operator';
COMMENT ON FUNCTION timestamptz_gt_tbsl(timestamptz, tbsl) IS 'implementation of > operator';
COMMENT ON FUNCTION timestamptz_ge_tbsl(timestamptz, tbsl) IS 'implementation of >= operator';
COMMENT ON FUNCTION tbsl_contained_by_tstzrange(tbsl, ids_tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION tstzrange_contains_tbsl(ids_tstzrange, tbsl)     IS 'implementation of @> operator';

CREATE OPERATOR <  (FUNCTION = tbsl_lt_timestamptz, LEFTARG = tbsl, RIGHTARG = timestamptz, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = tbsl_le_timestamptz, LEFTARG = tbsl, RIGHTARG = timestamptz, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = tbsl_gt_timestamptz, LEFTARG = tbsl, RIGHTARG = timestamptz, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = tbsl_ge_timestamptz, LEFTARG = tbsl, RIGHTARG = timestamptz, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <  (FUNCTION = timestamptz_lt_tbsl, LEFTARG = timestamptz, RIGHTARG = tbsl, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = timestamptz_le_tbsl, LEFTARG = timestamptz, RIGHTARG = tbsl, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = timestamptz_gt_tbsl, LEFTARG = timestamptz, RIGHTARG = tbsl, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = timestamptz_ge_tbsl, LEFTARG = timestamptz, RIGHTARG = tbsl, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (FUNCTION = tbsl_contained_by_tstzrange, LEFTARG = tbsl, RIGHTARG = ids_tstzrange, COMMUTATOR = @>, RESTRICT = areasel, JOIN = areajoinsel);
CREATE OPERATOR @> (FUNCTION = tstzrange_contains_tbsl, LEFTARG = ids_tstzrange, RIGHTARG = tbsl, COMMUTATOR = <@, RESTRICT = areasel, JOIN = areajoinsel);
COMMENT ON OPERATOR <  (tbsl, timestamptz) IS 'time of tbsl is before unit of timestamp';
COMMENT ON OPERATOR <= (tbsl, timestamptz) IS 'time of tbsl is at or before unit of timestamp';
COMMENT ON OPERATOR >  (tbsl, timestamptz) IS 'time of tbsl is after unit of timestamp';
COMMENT ON OPERATOR >= (tbsl, timestamptz) IS 'time of tbsl is at or after unit of timestamp';
COMMENT ON OPERATOR <  (timestamptz, tbsl) IS 'unit of timestamp is before time of tbsl';
COMMENT ON OPERATOR <= (timestamptz, tbsl) IS 'unit of timestamp is at or before time of tbsl';
COMMENT ON OPERATOR >  (timestamptz, tbsl) IS 'unit of timestamp is after time of tbsl';
COMMENT ON OPERATOR >= (timestamptz, tbsl) IS 'unit of timestamp is at or after time of tbsl';
COMMENT ON OPERATOR <@ (tbsl, ids_tstzrange) IS 'time of tbsl is contained by range';
COMMENT ON OPERATOR @> (ids_tstzrange, tbsl) IS 'range contains time of tbsl';

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

-- snowflake: a prefix bit, 41 bits of milliseconds since 2017, 12 random bits, a 10-bit increment

CREATE TYPE snowflake;

CREATE FUNCTION snowflake_in(cstring)    RETURNS snowflake     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_out(snowflake)       RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_recv(internal) RETURNS snowflake     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_send(snowflake)      RETURNS bytea   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION snowflake_in(cstring)    IS 'I/O';
COMMENT ON FUNCTION snowflake_out(snowflake)       IS 'I/O';
COMMENT ON FUNCTION snowflake_recv(internal) IS 'I/O';
COMMENT ON FUNCTION snowflake_send(snowflake)      IS 'I/O';

CREATE TYPE snowflake (
	INPUT = snowflake_in, OUTPUT = snowflake_out, RECEIVE = snowflake_recv, SEND = snowflake_send,
	INTERNALLENGTH = 8, PASSEDBYVALUE, ALIGNMENT = double
);
COMMENT ON TYPE snowflake IS 'device-name snowflake, not Twitter''s; 11 base 62 digits';

-- Order

CREATE FUNCTION snowflake_eq(snowflake, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_ne(snowflake, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_lt(snowflake, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_le(snowflake, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_gt(snowflake, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_ge(snowflake, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_eq(snowflake, snowflake) IS 'implementation of = operator';
COMMENT ON FUNCTION snowflake_ne(snowflake, snowflake) IS 'implementation of <> operator';
COMMENT ON FUNCTION snowflake_lt(snowflake, snowflake) IS 'implementation of < operator';
COMMENT ON FUNCTION snowflake_le(snowflake, snowflake) IS 'implementation of <= operator';
COMMENT ON FUNCTION snowflake_gt(snowflake, snowflake) IS 'implementation of > operator';
COMMENT ON FUNCTION snowflake_ge(snowflake, snowflake) IS 'implementation of >= operator';

CREATE FUNCTION snowflake_ineqsel(internal, oid, internal, integer)                RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_ineqjoinsel(internal, oid, internal, smallint, internal) RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_ineqsel(internal, oid, internal, integer)                IS 'restriction selectivity of <, <=, >, >=';
COMMENT ON FUNCTION snowflake_ineqjoinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of <, <=, >, >=';

CREATE OPERATOR =  (FUNCTION = snowflake_eq, LEFTARG = snowflake, RIGHTARG = snowflake, COMMUTATOR = =,  NEGATOR = <>, RESTRICT = eqsel,       JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (FUNCTION = snowflake_ne, LEFTARG = snowflake, RIGHTARG = snowflake, COMMUTATOR = <>, NEGATOR = =,  RESTRICT = neqsel,      JOIN = neqjoinsel);
CREATE OPERATOR <  (FUNCTION = snowflake_lt, LEFTARG = snowflake, RIGHTARG = snowflake, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = snowflake_ineqsel, JOIN = snowflake_ineqjoinsel);
CREATE OPERATOR <= (FUNCTION = snowflake_le, LEFTARG = snowflake, RIGHTARG = snowflake, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = snowflake_ineqsel, JOIN = snowflake_ineqjoinsel);
CREATE OPERATOR >  (FUNCTION = snowflake_gt, LEFTARG = snowflake, RIGHTARG = snowflake, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = snowflake_ineqsel, JOIN = snowflake_ineqjoinsel);
CREATE OPERATOR >= (FUNCTION = snowflake_ge, LEFTARG = snowflake, RIGHTARG = snowflake, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = snowflake_ineqsel, JOIN = snowflake_ineqjoinsel);
COMMENT ON OPERATOR =  (snowflake, snowflake) IS 'equal';
COMMENT ON OPERATOR <> (snowflake, snowflake) IS 'not equal';
COMMENT ON OPERATOR <  (snowflake, snowflake) IS 'less than';
COMMENT ON OPERATOR <= (snowflake, snowflake) IS 'less than or equal';
COMMENT ON OPERATOR >  (snowflake, snowflake) IS 'greater than';
COMMENT ON OPERATOR >= (snowflake, snowflake) IS 'greater than or equal';

-- Indexes

CREATE FUNCTION snowflake_cmp(snowflake, snowflake)                                              RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_sortsupport(internal)                                      RETURNS void             AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_in_range(snowflake, snowflake, interval, boolean, boolean)             RETURNS boolean          AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_hash(snowflake)                                                  RETURNS integer          AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_hash_extended(snowflake, bigint)                                 RETURNS bigint           AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_minmax_multi_distance(internal, internal)                  RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_cmp(snowflake, snowflake)                                    IS 'less-equal-greater';
COMMENT ON FUNCTION snowflake_sortsupport(internal)                            IS 'sort support';
COMMENT ON FUNCTION snowflake_in_range(snowflake, snowflake, interval, boolean, boolean)   IS 'window RANGE support';
COMMENT ON FUNCTION snowflake_hash(snowflake)                                        IS 'hash';
COMMENT ON FUNCTION snowflake_hash_extended(snowflake, bigint)                       IS 'hash';
COMMENT ON FUNCTION snowflake_minmax_multi_distance(internal, internal)        IS 'BRIN multi minmax distance';

CREATE FUNCTION snowflake_gist_compress(internal)                                 RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_fetch(internal)                                    RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_consistent(internal, snowflake, smallint, oid, internal) RETURNS boolean  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_union(internal, internal)                          RETURNS bytea    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_same(bytea, bytea, internal)                       RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_penalty(internal, internal, internal)              RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_picksplit(internal, internal)                      RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gist_sortsupport(internal)                              RETURNS void     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_gist_compress(internal)                                 IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_fetch(internal)                                    IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_consistent(internal, snowflake, smallint, oid, internal) IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_union(internal, internal)                          IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_same(bytea, bytea, internal)                       IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_penalty(internal, internal, internal)              IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_picksplit(internal, internal)                      IS 'GiST support';
COMMENT ON FUNCTION snowflake_gist_sortsupport(internal)                              IS 'GiST sort support';

CREATE OPERATOR CLASS snowflake_ops DEFAULT FOR TYPE snowflake USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 snowflake_cmp(snowflake, snowflake),
	FUNCTION 2 snowflake_sortsupport(internal),
	FUNCTION 3 (snowflake, interval) snowflake_in_range(snowflake, snowflake, interval, boolean, boolean),
	FUNCTION 4 btequalimage(oid);

CREATE OPERATOR CLASS snowflake_ops DEFAULT FOR TYPE snowflake USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 snowflake_hash(snowflake),
	FUNCTION 2 snowflake_hash_extended(snowflake, bigint);

CREATE OPERATOR CLASS snowflake_minmax_ops DEFAULT FOR TYPE snowflake USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_opcinfo(internal),
	FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
	FUNCTION 4 brin_minmax_union(internal, internal, internal);

CREATE OPERATOR CLASS snowflake_minmax_multi_ops FOR TYPE snowflake USING brin AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 brin_minmax_multi_opcinfo(internal),
	FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
	FUNCTION 5 brin_minmax_multi_options(internal),
	FUNCTION 11 snowflake_minmax_multi_distance(internal, internal);

CREATE OPERATOR CLASS snowflake_bloom_ops FOR TYPE snowflake USING brin AS
	OPERATOR 1 =,
	FUNCTION 1 brin_bloom_opcinfo(internal),
	FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
	FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
	FUNCTION 4 brin_bloom_union(internal, internal, internal),
	FUNCTION 5 brin_bloom_options(internal),
	FUNCTION 11 snowflake_hash(snowflake);

-- The strategies are the ones that gist_translate_cmptype_common knows.
CREATE OPERATOR CLASS snowflake_ops DEFAULT FOR TYPE snowflake USING gist AS
	OPERATOR 18 =, OPERATOR 19 <>, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
	FUNCTION 1 snowflake_gist_consistent(internal, snowflake, smallint, oid, internal),
	FUNCTION 2 snowflake_gist_union(internal, internal),
	FUNCTION 3 snowflake_gist_compress(internal),
	FUNCTION 5 snowflake_gist_penalty(internal, internal, internal),
	FUNCTION 6 snowflake_gist_picksplit(internal, internal),
	FUNCTION 7 snowflake_gist_same(bytea, bytea, internal),
	FUNCTION 9 snowflake_gist_fetch(internal),
	FUNCTION 11 snowflake_gist_sortsupport(internal),
	STORAGE bytea;

-- Aggregates

CREATE FUNCTION snowflake_smaller(snowflake, snowflake) RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_larger(snowflake, snowflake)  RETURNS snowflake AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_smaller(snowflake, snowflake) IS 'smaller of two';
COMMENT ON FUNCTION snowflake_larger(snowflake, snowflake)  IS 'larger of two';

CREATE AGGREGATE min(snowflake) (SFUNC = snowflake_smaller, STYPE = snowflake, COMBINEFUNC = snowflake_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(snowflake) (SFUNC = snowflake_larger,  STYPE = snowflake, COMBINEFUNC = snowflake_larger,  SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(snowflake) IS 'minimum value of all snowflake input values';
COMMENT ON AGGREGATE max(snowflake) IS 'maximum value of all snowflake input values';

-- Text: PostgreSQL has this cast for every type, but it copies the text once more. The function is
-- called text, so that text(id) remains a cast.

CREATE FUNCTION text(snowflake) RETURNS text AS 'MODULE_PATHNAME', 'snowflake_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text(snowflake) IS 'convert snowflake to text';

CREATE CAST (snowflake AS text) WITH FUNCTION text(snowflake) AS ASSIGNMENT;
COMMENT ON CAST (snowflake AS text) IS 'convert snowflake to text';

-- PostgreSQL's own casts, but also for assignments: parameters and columns of text may be inserted.

CREATE CAST (text AS snowflake)    WITH INOUT AS ASSIGNMENT;
CREATE CAST (varchar AS snowflake) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (text AS snowflake)    IS 'convert text to snowflake';
COMMENT ON CAST (varchar AS snowflake) IS 'convert varchar to snowflake';

CREATE FUNCTION snowflake_is_valid(text) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_is_valid(text) IS 'test whether text is a valid snowflake';

-- Bytes

CREATE FUNCTION snowflake_to_bytea(snowflake)     RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_from_bytea(bytea) RETURNS snowflake   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_to_bytea(snowflake)     IS 'convert snowflake to bytes, most significant first';
COMMENT ON FUNCTION snowflake_from_bytea(bytea) IS 'convert bytes, most significant first, to snowflake';

CREATE CAST (snowflake AS bytea) WITH FUNCTION snowflake_to_bytea(snowflake);
CREATE CAST (bytea AS snowflake) WITH FUNCTION snowflake_from_bytea(bytea);
COMMENT ON CAST (snowflake AS bytea) IS 'convert snowflake to bytes, most significant first';
COMMENT ON CAST (bytea AS snowflake) IS 'convert bytes, most significant first, to snowflake';

-- Time

CREATE FUNCTION snowflake_extract_timestamp(snowflake)   RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_first(timestamptz)       RETURNS snowflake         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_last(timestamptz)        RETURNS snowflake         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_range_first(tstzrange)   RETURNS snowflake         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION snowflake_range_last(tstzrange)    RETURNS snowflake         AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_extract_timestamp(snowflake) IS 'extract timestamp from snowflake';
COMMENT ON FUNCTION snowflake_first(timestamptz)     IS 'smallest snowflake of the unit of time that contains the timestamp';
COMMENT ON FUNCTION snowflake_last(timestamptz)      IS 'greatest snowflake of the unit of time that contains the timestamp';
COMMENT ON FUNCTION snowflake_range_first(tstzrange) IS 'smallest snowflake whose time is in the range';
COMMENT ON FUNCTION snowflake_range_last(tstzrange)  IS 'greatest snowflake whose time is in the range';

CREATE CAST (snowflake AS timestamptz) WITH FUNCTION snowflake_extract_timestamp(snowflake);
COMMENT ON CAST (snowflake AS timestamptz) IS 'extract timestamp from snowflake';

-- Time predicates: the planner turns them into comparisons with a boundary, so that they can use indexes and prune partitions.

CREATE FUNCTION snowflake_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_support(internal) IS 'planner support for comparisons of snowflake with times';

CREATE FUNCTION snowflake_lt_timestamptz(snowflake, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION snowflake_le_timestamptz(snowflake, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION snowflake_gt_timestamptz(snowflake, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION snowflake_ge_timestamptz(snowflake, timestamptz) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION timestamptz_lt_snowflake(timestamptz, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION timestamptz_le_snowflake(timestamptz, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION timestamptz_gt_snowflake(timestamptz, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION timestamptz_ge_snowflake(timestamptz, snowflake) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION snowflake_contained_by_tstzrange(snowflake, ids_tstzrange) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
CREATE FUNCTION tstzrange_contains_snowflake(ids_tstzrange, snowflake)     RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_support;
COMMENT ON FUNCTION snowflake_lt_timestamptz(snowflake, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION snowflake_le_timestamptz(snowflake, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION snowflake_gt_timestamptz(snowflake, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION snowflake_ge_timestamptz(snowflake, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION timestamptz_lt_snowflake(timestamptz, snowflake) IS 'implementation of < operator';
COMMENT ON FUNCTION timestamptz_le_snowflake(timestamptz, snowflake) IS 'implementation of <= operator';
COMMENT ON FUNCTION timestamptz_gt_snowflake(timestamptz, snowflake) IS 'implementation of > operator';
COMMENT ON FUNCTION timestamptz_ge_snowflake(timestamptz, snowflake) IS 'implementation of >= operator';
COMMENT ON FUNCTION snowflake_contained_by_tstzrange(snowflake, ids_tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION tstzrange_contains_snowflake(ids_tstzrange, snowflake)     IS 'implementation of @> operator';

CREATE OPERATOR <  (FUNCTION = snowflake_lt_timestamptz, LEFTARG = snowflake, RIGHTARG = timestamptz, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = snowflake_le_timestamptz, LEFTARG = snowflake, RIGHTARG = timestamptz, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = snowflake_gt_timestamptz, LEFTARG = snowflake, RIGHTARG = timestamptz, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = snowflake_ge_timestamptz, LEFTARG = snowflake, RIGHTARG = timestamptz, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <  (FUNCTION = timestamptz_lt_snowflake, LEFTARG = timestamptz, RIGHTARG = snowflake, COMMUTATOR = >,  NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (FUNCTION = timestamptz_le_snowflake, LEFTARG = timestamptz, RIGHTARG = snowflake, COMMUTATOR = >=, NEGATOR = >,  RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR >  (FUNCTION = timestamptz_gt_snowflake, LEFTARG = timestamptz, RIGHTARG = snowflake, COMMUTATOR = <,  NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (FUNCTION = timestamptz_ge_snowflake, LEFTARG = timestamptz, RIGHTARG = snowflake, COMMUTATOR = <=, NEGATOR = <,  RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (FUNCTION = snowflake_contained_by_tstzrange, LEFTARG = snowflake, RIGHTARG = ids_tstzrange, COMMUTATOR = @>, RESTRICT = areasel, JOIN = areajoinsel);
CREATE OPERATOR @> (FUNCTION = tstzrange_contains_snowflake, LEFTARG = ids_tstzrange, RIGHTARG = snowflake, COMMUTATOR = <@, RESTRICT = areasel, JOIN = areajoinsel);
COMMENT ON OPERATOR <  (snowflake, timestamptz) IS 'time of snowflake is before unit of timestamp';
COMMENT ON OPERATOR <= (snowflake, timestamptz) IS 'time of snowflake is at or before unit of timestamp';
COMMENT ON OPERATOR >  (snowflake, timestamptz) IS 'time of snowflake is after unit of timestamp';
COMMENT ON OPERATOR >= (snowflake, timestamptz) IS 'time of snowflake is at or after unit of timestamp';
COMMENT ON OPERATOR <  (timestamptz, snowflake) IS 'unit of timestamp is before time of snowflake';
COMMENT ON OPERATOR <= (timestamptz, snowflake) IS 'unit of timestamp is at or before time of snowflake';
COMMENT ON OPERATOR >  (timestamptz, snowflake) IS 'unit of timestamp is after time of snowflake';
COMMENT ON OPERATOR >= (timestamptz, snowflake) IS 'unit of timestamp is at or after time of snowflake';
COMMENT ON OPERATOR <@ (snowflake, ids_tstzrange) IS 'time of snowflake is contained by range';
COMMENT ON OPERATOR @> (ids_tstzrange, snowflake) IS 'range contains time of snowflake';

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

-- uuidv7: UUID version 7 in PostgreSQL's own type uuid: 48 bits of Unix milliseconds, 12 bits of their fraction, a counter, 52 random bits

CREATE FUNCTION gen_uuidv7()               RETURNS uuid AS 'MODULE_PATHNAME'                  LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION gen_uuidv7(at timestamptz) RETURNS uuid AS 'MODULE_PATHNAME', 'gen_uuidv7_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gen_uuidv7()            IS 'generate UUID version 7, greater than all previous ones';
COMMENT ON FUNCTION gen_uuidv7(timestamptz) IS 'generate UUID version 7 of a given time, for backfilling';

-- Not strict: the planner's support adds an argument.
CREATE FUNCTION uuidv7_settled() RETURNS uuid AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED SUPPORT ids_settled_support;
COMMENT ON FUNCTION uuidv7_settled() IS 'uuid below which no other one of gen_uuidv7() becomes visible';

CREATE FUNCTION uuidv7_extract_timestamp(uuid)  RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_first(timestamptz)       RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_last(timestamptz)        RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_range_first(tstzrange)   RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION uuidv7_range_last(tstzrange)    RETURNS uuid        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_extract_timestamp(uuid) IS 'extract timestamp from UUID version 7; null for other versions';
COMMENT ON FUNCTION uuidv7_first(timestamptz)      IS 'smallest UUID version 7 of the millisecond of the timestamp';
COMMENT ON FUNCTION uuidv7_last(timestamptz)       IS 'greatest UUID version 7 of the millisecond of the timestamp';
COMMENT ON FUNCTION uuidv7_range_first(tstzrange)  IS 'smallest UUID version 7 whose time is in the range';
COMMENT ON FUNCTION uuidv7_range_last(tstzrange)   IS 'greatest UUID version 7 whose time is in the range';

-- The planner's form of uuidv7_within

CREATE FUNCTION uuidv7_support(internal) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION uuidv7_within(uuid, tstzrange) RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT uuidv7_support;
COMMENT ON FUNCTION uuidv7_support(internal)       IS 'planner support for uuidv7_within';
COMMENT ON FUNCTION uuidv7_within(uuid, tstzrange) IS 'test whether UUID version 7 has a time in the range';

-- codokey: a date as text that counts down, so that a newer date sorts first

CREATE FUNCTION codokey(at timestamptz, unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME'                      LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey(at timestamp,   unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME', 'codokey_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey(at date,        unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME', 'codokey_date'      LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gen_codokey(            unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME'                      LANGUAGE C VOLATILE  STRICT PARALLEL SAFE;
COMMENT ON FUNCTION codokey(timestamptz, text, integer, integer, integer) IS 'codokey of a time, in UTC; sorts newest first under COLLATE "C"';
COMMENT ON FUNCTION codokey(timestamp, text, integer, integer, integer)   IS 'codokey of a timestamp that is taken as UTC';
COMMENT ON FUNCTION codokey(date, text, integer, integer, integer)        IS 'codokey of a date, as in codokey(date ''2022-12-31'')';
COMMENT ON FUNCTION gen_codokey(text, integer, integer, integer)          IS 'generate codokey of the current time; not unique';

CREATE FUNCTION codokey_extract_timestamp(key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_range(            key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS tstzrange   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_unit(             key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_is_valid(         key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS boolean     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION codokey_extract_timestamp(text, integer, integer, integer) IS 'extract start of period from codokey';
COMMENT ON FUNCTION codokey_range(text, integer, integer, integer)             IS 'period that a codokey stands for';
COMMENT ON FUNCTION codokey_unit(text, integer, integer, integer)              IS 'unit of a codokey: year, month, day, hour, minute, second or split';
COMMENT ON FUNCTION codokey_is_valid(text, integer, integer, integer)          IS 'test whether text is a codokey of the context';

-- Adds the support functions that operator classes have only in PostgreSQL 18 and later, for skip scans and temporal keys. It is
-- a function because pg_upgrade keeps the operator classes of the older PostgreSQL. The install script also calls it, at its end.

CREATE FUNCTION ids_complete_upgrade() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
	type name;
	owner name;
BEGIN
	IF current_setting('server_version_num')::int < 180000 THEN
		RETURN;
	END IF;
	FOR type, owner IN
		SELECT typname, pg_get_userbyid(typowner)
		FROM pg_depend
			JOIN pg_type t ON t.oid = objid
			JOIN pg_opclass btree ON btree.opcintype = t.oid AND btree.opcname = typname || '_ops'
				AND btree.opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree')
		WHERE classid = 'pg_type'::regclass AND refclassid = 'pg_extension'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids')
			AND NOT EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = btree.opcfamily AND amprocnum = 6)
	LOOP
		EXECUTE format('CREATE FUNCTION pg_catalog.%2$I(internal) RETURNS void AS $$MODULE_PATHNAME$$, %2$L LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;'
			'COMMENT ON FUNCTION pg_catalog.%2$I(internal) IS $$skip support$$;'
			'ALTER OPERATOR FAMILY pg_catalog.%3$I USING btree ADD FUNCTION 6 (%1$I) pg_catalog.%2$I(internal);'
			'ALTER OPERATOR FAMILY pg_catalog.%3$I USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(integer)',
			type, type || '_skipsupport', type || '_ops');
		-- In the install script, new objects are members of the extension and belong to its owner anyway.
		IF NOT EXISTS (SELECT FROM pg_depend WHERE objid = format('%I(internal)', type || '_skipsupport')::regprocedure AND deptype = 'e') THEN
			EXECUTE format('ALTER FUNCTION pg_catalog.%1$I(internal) OWNER TO %2$I; ALTER EXTENSION ids ADD FUNCTION pg_catalog.%1$I(internal)',
				type || '_skipsupport', owner);
		END IF;
	END LOOP;
END $function$;
COMMENT ON FUNCTION ids_complete_upgrade() IS 'after pg_upgrade: add the support functions of this PostgreSQL';
REVOKE EXECUTE ON FUNCTION ids_complete_upgrade() FROM PUBLIC;

SELECT ids_complete_upgrade();

-- Partitions by time. The procedures run their statements as the table's owner, in C++: no function takes a statement or a role.

CREATE FUNCTION ids_internal.partition_times(parent regclass, at_once boolean, OUT partition regclass, OUT times tstzrange) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE FUNCTION ids_partitions(parent regclass, OUT partition regclass, OUT times tstzrange, OUT estimated_rows bigint, OUT bytes bigint) RETURNS SETOF record LANGUAGE SQL VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT p.partition, p.times, sum(nullif(least(c.reltuples, 1e12::float8), -1))::bigint, sum(pg_total_relation_size(c.oid))::bigint
	FROM ids_internal.partition_times(parent, false) p
		CROSS JOIN pg_partition_tree(p.partition) tree
		JOIN pg_class c ON c.oid = tree.relid
	WHERE tree.isleaf
	GROUP BY p.partition, p.times
	ORDER BY p.times NULLS LAST;
END;

CREATE PROCEDURE ids_create_partitions(parent regclass, every interval, since timestamptz, until timestamptz) AS 'MODULE_PATHNAME' LANGUAGE C;
CREATE PROCEDURE ids_drop_partitions(parent regclass, before timestamptz, detach boolean DEFAULT false)      AS 'MODULE_PATHNAME' LANGUAGE C;

CREATE FUNCTION ids_internal.create_statement(parent regclass, every interval, lower timestamptz, since timestamptz, until timestamptz) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_internal.partition_times(regclass, boolean) IS 'partitions of a table with their times';
COMMENT ON FUNCTION ids_internal.create_statement(regclass, interval, timestamptz, timestamptz, timestamptz) IS 'statement that creates partitions like another';
COMMENT ON FUNCTION ids_partitions(regclass)      IS 'partitions of a table with their times, estimated rows and sizes';
COMMENT ON PROCEDURE ids_create_partitions(regclass, interval, timestamptz, timestamptz) IS 'create missing partitions for a range of times';
COMMENT ON PROCEDURE ids_drop_partitions(regclass, timestamptz, boolean)                 IS 'drop or detach partitions that end before a time';

-- What stops ids, their readers, or inserts. A monitor asks at any time, so it makes no id, reads catalogs alone, waits for no lock but theirs and keeps none.

CREATE FUNCTION ids_version() RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_version() IS 'release of the library that the session has loaded';

-- What a generator needs is asked of functions that make no new id: the shared memory, the mark and the records; then the clock and the node id. The row
-- is the first error; without one, remedy is null. Roles cannot name what is in ids_internal, which their calls of ids_problems() reach.
CREATE FUNCTION ids_internal.generator_error(mark_is_free boolean, OUT object text, OUT remedy text) LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s'
AS $function$
DECLARE
	used name;
	message text;
BEGIN
	object := 'database ' || current_database();
	IF NOT mark_is_free THEN RAISE EXCEPTION 'another session has locked the mark'; END IF;
	EXECUTE CASE WHEN pg_is_in_recovery() THEN 'SELECT ids_generators()' ELSE 'SELECT ulid_settled()' END;
	FOREACH used IN ARRAY ARRAY['scru160', 'tbsl', 'snowflake'] LOOP
		object := 'generator ' || used;
		CONTINUE WHEN NOT has_function_privilege(format('gen_%s(timestamptz)', used), 'EXECUTE')
			OR used <> 'scru160' AND NOT EXISTS (SELECT FROM ids_generators() WHERE generator = used)
				AND NOT EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND refobjid = format('gen_%s()', used)::regprocedure);
		EXECUTE format('SELECT gen_%s(clock_timestamp())', used);
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, remedy = PG_EXCEPTION_HINT;
	object := object || ': ' || message;
	remedy := coalesce(substring(remedy FROM 'REFRESH [^;]*'), 'see "Errors" in doc/reference.md');
END $function$;
COMMENT ON FUNCTION ids_internal.generator_error(boolean) IS 'what keeps generators from making ids';

-- The times of which a table has no partition but a default one; none for a table that has nothing but a default partition, or one that is half detached.
CREATE FUNCTION ids_internal.missing_partitions(at timestamptz, until timestamptz, OUT parent oid, OUT times tstzrange, OUT remedy text) RETURNS SETOF record LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	WITH tables AS (
		SELECT partrelid AS parent, partdefid, attname AS key
		FROM pg_partitioned_table JOIN pg_class c ON c.oid = partrelid JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
		WHERE partstrat = 'r' AND relpersistence <> 't'
	), part AS (
		SELECT parent, partition, times FROM tables CROSS JOIN LATERAL ids_internal.partition_times(parent, true)
	), coverage AS (
		SELECT tables.parent, key, coalesce(range_agg(times), '{}') AS have, bool_or(upper_inf(times)) AS is_endless, count(partition) > count(times) AS has_default,
			(array_agg(times ORDER BY times DESC) FILTER (WHERE NOT lower_inf(times) AND NOT upper_inf(times)))[1] AS last
		FROM tables LEFT JOIN part ON part.parent = tables.parent
		GROUP BY tables.parent, key HAVING count(times) > 0 OR count(part.parent) = 0
	)
	SELECT c.parent, gap, CASE WHEN has_default THEN 'see "Draining a default partition" in doc/cookbook.md'
		WHEN EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.parent AND inhdetachpending) THEN 'see "Monitoring" in doc/cookbook.md'
		ELSE coalesce(ids_internal.create_statement(c.parent, CASE WHEN date_trunc('month', first) = first AND date_trunc('month', next) = next THEN age(next, first) ELSE next - first END,
			first AT TIME ZONE 'UTC', lower(gap), upper(gap)), 'see "Monitoring" in doc/cookbook.md') END
	FROM coverage c
		-- A partition has only the times that it has in each table above it with the same key; a default one, those that the others leave. Of a locked table nothing is known.
		CROSS JOIN LATERAL (SELECT count(*) = count(own.times) AS are_known, coalesce(range_intersect_agg(own.times), '{(,)}') AS times FROM pg_partition_ancestors(c.parent)
			JOIN pg_inherits ON inhrelid = relid JOIN tables outside ON outside.parent = inhparent AND outside.key = c.key
			CROSS JOIN LATERAL (SELECT CASE WHEN relid = partdefid AND count(partition) > 0 THEN '{(,)}' - coalesce(range_agg(part.times), '{}') ELSE range_agg(part.times) FILTER (WHERE partition = relid) END AS times
				FROM part WHERE part.parent = inhparent) own) own
		CROSS JOIN LATERAL (SELECT coalesce(lower(last) AT TIME ZONE 'UTC', date_trunc('month', at AT TIME ZONE 'UTC')) AS first) f
		CROSS JOIN LATERAL (SELECT coalesce(upper(last) AT TIME ZONE 'UTC', first + interval '1 month') AS next) n
		CROSS JOIN LATERAL unnest(tstzmultirange(tstzrange(at, greatest(at, least(until, at + (next - first) / 2))))
			* own.times - have) gap
	WHERE own.are_known AND (is_endless OR at - upper(last) < greatest(upper(last) - lower(last), interval '30 days')) IS NOT FALSE;
END;
COMMENT ON FUNCTION ids_internal.missing_partitions(timestamptz, timestamptz) IS 'times of which tables have no partitions';

CREATE FUNCTION ids_problems(ahead interval DEFAULT '1 day', OUT problem text, OUT object text, OUT since timestamptz, OUT remedy text) RETURNS SETOF record LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE ROWS 10
	SET jit = off
BEGIN ATOMIC
	WITH failing AS (
		SELECT object, remedy, object LIKE 'database %' IS TRUE AS all_fail FROM ids_internal.generator_error(ids_internal.mark_is_free())
	), generator AS (
		-- Functions in a SELECT list are called for rows that WHERE lets pass, and not before.
		SELECT (g).generator, (g).last_timestamp, (g).lead FROM (SELECT ids_generators() AS g FROM failing WHERE NOT all_fail) AS called
	), unsettled AS (
		SELECT (u).pid, (u).gid, (u).generator, (u).since FROM (SELECT ids_unsettled() AS u FROM failing WHERE NOT all_fail AND NOT pg_is_in_recovery()) AS called
	), found AS (
		-- Each row names its columns, or PostgreSQL 15 and 18 would print the function differently.
		SELECT 'generators fail' AS problem, object, NULL::timestamptz AS since, remedy FROM failing
		UNION ALL
		SELECT 'the clock is behind the last id' AS problem, 'generator ' || generator || CASE WHEN generator IN ('tbsl', 'snowflake') THEN ', whose readers wait' ELSE '' END AS object,
			NULL AS since, 'see "When the clock is wrong" in doc/guarantees.md' AS remedy
		FROM generator WHERE lead > interval '1 second'
		UNION ALL
		SELECT 'readers of new rows wait' AS problem, coalesce('process ' || pid, 'prepared transaction ' || quote_literal(gid)) || ', ' || string_agg(generator, ', ' ORDER BY generator) AS object,
			since, coalesce('SELECT pg_catalog.pg_terminate_backend(' || pid || ')', 'see "Monitoring" in doc/cookbook.md') AS remedy
		FROM unsettled WHERE since < clock_timestamp() - interval '5 minutes' GROUP BY pid, gid, since
		UNION ALL
		-- If the clock is behind, ids have later times.
		SELECT 'a partition is missing' AS problem, 'table ' || identity AS object, lower(times) AS since, m.remedy
		FROM (SELECT greatest(clock_timestamp(), max(last_timestamp)) AS at FROM generator) now
			CROSS JOIN LATERAL ids_internal.missing_partitions(at, at + ahead) m CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, parent, 0)
		UNION ALL
		-- Unless DETACH CONCURRENTLY still waits: for a transaction that uses the table, or a lock. A standby does not know.
		SELECT 'a partition is half detached' AS problem, 'table ' || part.identity AS object, NULL AS since, format('ALTER TABLE %s DETACH PARTITION %s FINALIZE', whole.identity, part.identity) AS remedy
		FROM pg_inherits CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, inhparent, 0) whole CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, inhrelid, 0) part
		WHERE inhdetachpending AND NOT pg_is_in_recovery() AND NOT EXISTS (
			SELECT FROM pg_locks waiting LEFT JOIN pg_locks other ON other.virtualxid = waiting.virtualxid OR other.transactionid = waiting.transactionid AND other.pid IS NULL
				LEFT JOIN pg_locks holding ON holding.virtualtransaction = other.virtualtransaction
			WHERE NOT waiting.granted AND (waiting.relation IN (inhrelid, inhparent) OR inhparent = holding.relation) OFFSET 0)
		UNION ALL
		SELECT 'an update is not complete' AS problem, 'database ' || current_database() AS object, NULL AS since, CASE
			WHEN NOT starts_with(ids_version(), extversion || '.') THEN 'see "Updates" in doc/migration.md'
			WHEN current_setting('server_version_num')::int >= 180000 AND to_regprocedure('ulid_skipsupport(internal)') IS NULL THEN 'SELECT pg_catalog.ids_complete_upgrade()' END AS remedy
		FROM pg_extension WHERE extname = 'ids'
	)
	-- A name must not look like a row or a column of psql's output.
	SELECT problem, regexp_replace(object, '[[:cntrl:]|]', '?', 'g') AS object, since, CASE WHEN remedy ~ '[[:cntrl:]|]' THEN 'see "Monitoring" in doc/cookbook.md' ELSE remedy END AS remedy
	FROM found WHERE object || remedy IS NOT NULL;
END;
COMMENT ON FUNCTION ids_problems(interval) IS 'what needs attention: a row for each problem';

-- Default privileges may have granted other roles rights on objects that only superusers may use.
DO $$
BEGIN
	EXECUTE coalesce((
		SELECT string_agg(format('REVOKE ALL ON %s FROM %s', object, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END), ';')
		FROM (
			SELECT 'SCHEMA ids_internal', nspowner, nspacl FROM pg_namespace WHERE oid = 'ids_internal'::regnamespace
			UNION ALL
			SELECT 'TABLE ids_internal.mark', relowner, relacl FROM pg_class WHERE oid = 'ids_internal.mark'::regclass
			UNION ALL
			SELECT format('FUNCTION %s', oid::regprocedure), proowner, proacl FROM pg_proc
			WHERE oid IN ('ids_reset_clock()'::regprocedure, 'ids_advance_clock(timestamptz)'::regprocedure, 'ids_complete_upgrade()'::regprocedure)
		) AS t (object, owner, acl), aclexplode(acl) a
		WHERE a.grantee <> owner), 'SELECT');
END $$;

-- Fails if another schema already has an object with the name of one that is added now: pg_catalog is searched first, so that object
-- would be hidden silently. The restore of a dump, which turns row_security off, may have created other extensions before this one. It
-- is a function because from 18 on an error shows the whole statement of the script.
CREATE FUNCTION ids_internal.refuse_name_conflicts() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	conflicts text;
	members boolean;
	renames text;
	tables text;
BEGIN
	WITH member AS (
		SELECT classid, objid FROM pg_depend
		WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids') AND deptype = 'e' AND age(xmin) <= 0
	), taken AS (
		-- A type conflicts with other types, not with tables or functions, except for the functions below.
		SELECT 'TYPE' AS kind, t.oid::regtype::text AS object, t.typname AS name, 'pg_type'::regclass AS classid, t.oid AS objid
		FROM pg_type t
		WHERE t.typname IN (SELECT o.typname FROM pg_type o JOIN member ON classid = 'pg_type'::regclass AND objid = o.oid)
			AND t.typnamespace <> 'pg_catalog'::regnamespace AND t.typnamespace::regnamespace::text !~ '^pg_temp_'
			AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind <> 'c')
			AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.oid)   -- a member of the extension from 17 on
		UNION ALL
		-- A name that PostgreSQL itself has, such as max, was hidden before. Once ulid is a type, ulid('...') is a cast.
		SELECT 'ROUTINE', p.oid::regprocedure::text, p.proname, 'pg_proc'::regclass, p.oid
		FROM pg_proc p
		WHERE (p.proname IN (SELECT o.proname FROM pg_proc o JOIN member ON classid = 'pg_proc'::regclass AND objid = o.oid AND o.pronamespace = 'pg_catalog'::regnamespace)
				OR p.pronargs > 0 AND p.proname IN (SELECT o.typname FROM pg_type o JOIN member ON classid = 'pg_type'::regclass AND objid = o.oid))
			AND p.pronamespace <> 'pg_catalog'::regnamespace AND p.pronamespace::regnamespace::text !~ '^pg_temp_'
			AND NOT EXISTS (SELECT FROM pg_proc o WHERE o.proname = p.proname AND o.pronamespace = 'pg_catalog'::regnamespace
				AND o.oid NOT IN (SELECT objid FROM member WHERE member.classid = 'pg_proc'::regclass))
	)
	SELECT string_agg(lower(kind) || ' ' || object || coalesce(' of extension ' || extname, ''), ', ' ORDER BY kind, object),
		bool_or(extname IS NOT NULL),
		string_agg(format('ALTER %s %s RENAME TO %I;', kind, object, 'other_' || name), ' ' ORDER BY kind, object) FILTER (WHERE extname IS NULL)
	INTO conflicts, members, renames
	FROM taken
		LEFT JOIN pg_depend d ON d.classid = taken.classid AND d.objid = taken.objid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		LEFT JOIN pg_extension e ON e.oid = d.refobjid
	WHERE extname IS NULL OR current_setting('row_security')::boolean;
	IF conflicts IS NOT NULL THEN
		RAISE EXCEPTION 'names of extension "ids" conflict with objects in other schemas' USING ERRCODE = 'duplicate_object',
			DETAIL = format('The extension is created in pg_catalog, which is searched first, so it would hide: %s.', conflicts),
			HINT = concat_ws(' ', CASE WHEN conflicts ~ 'uuidv7_settled' THEN 'For managed.sql, see "Moving to the extension" in doc/managed.md.' END,
				CASE WHEN members THEN 'For another extension, see "From another type ulid" in doc/migration.md.' END,
				'Drop or rename these objects first, for example: ' || renames);
	END IF;

	-- The row type of a table is not found any more by its name alone.
	SELECT string_agg(t.oid::regtype::text, ', ' ORDER BY t.oid::regtype::text) INTO tables
	FROM pg_type t JOIN pg_class c ON c.oid = typrelid
	WHERE relpersistence <> 't' AND relname IN (SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND age(xmin) <= 0);
	IF tables IS NOT NULL THEN
		RAISE WARNING 'types of extension "ids" hide row types of tables' USING
			DETAIL = format('In declarations, casts and functions, such a name without a schema means the type of the extension from now on. The tables are: %s.', tables),
			HINT = 'Where you mean the row type, write its schema.';
	END IF;
END $$;
SELECT ids_internal.refuse_name_conflicts();
DROP FUNCTION ids_internal.refuse_name_conflicts();
