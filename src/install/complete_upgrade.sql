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
