-- What the identifier types share

-- An operator of tstzrange itself would be a better match than those of PostgreSQL, which take any
-- range, and "tstzrange @> unknown" would no longer know which to take.
CREATE DOMAIN ids_tstzrange      AS tstzrange;
CREATE DOMAIN ids_tstzmultirange AS tstzmultirange;

COMMENT ON DOMAIN ids_tstzrange      IS 'tstzrange, as the operators of identifiers take it';
COMMENT ON DOMAIN ids_tstzmultirange IS 'tstzmultirange, as the operators of identifiers take it';

-- The generators' clocks

CREATE FUNCTION ids_generators(OUT generator text, OUT last_timestamp timestamptz, OUT lead interval, OUT clock_rollbacks bigint) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 10;

COMMENT ON FUNCTION ids_generators() IS 'generators used since the server started, and their clocks';

CREATE FUNCTION ids_reset_clock() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ids_reset_clock() IS 'lets generators that are ahead of the clock follow it again';

REVOKE EXECUTE ON FUNCTION ids_reset_clock() FROM PUBLIC;

-- The time up to which ids of this database were made, in microseconds since 1970. The generators keep it in the sequence's
-- page, ahead of what they give; only superusers can change it.
CREATE SCHEMA ids_internal;

COMMENT ON SCHEMA ids_internal IS 'what the extension ids keeps for itself';

CREATE SEQUENCE ids_internal.clock MAXVALUE 281474976710655999; -- 48 bits of milliseconds

COMMENT ON SEQUENCE ids_internal.clock IS 'time up to which ids of this database were made, in microseconds';

-- Nor can those who get what a superuser makes, by default privileges.
DO $$
DECLARE
	object text;
	grantee text;
BEGIN
	FOR object, grantee IN
		SELECT o, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
		FROM (
			SELECT 'SCHEMA ids_internal', nspowner, nspacl FROM pg_namespace WHERE oid = 'ids_internal'::regnamespace
			UNION ALL
			SELECT 'SEQUENCE ids_internal.clock', relowner, relacl FROM pg_class WHERE oid = 'ids_internal.clock'::regclass
			UNION ALL
			SELECT 'FUNCTION ids_reset_clock()', proowner, proacl FROM pg_proc WHERE oid = 'ids_reset_clock()'::regprocedure
		) AS t (o, owner, acl), aclexplode(acl) a
		WHERE a.grantee <> owner
	LOOP
		EXECUTE format('REVOKE ALL ON %s FROM %s', object, grantee);
	END LOOP;
END $$;
