-- Adds the support functions that operator classes have only in PostgreSQL 18 and later, for skip scans and temporal keys. It is
-- a function because pg_upgrade keeps the operator classes of the older PostgreSQL. The install script also calls it, at its end.

CREATE FUNCTION ids_complete_upgrade() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
	type name;
	owner name;
	has_skipsupport boolean;
	has_cmptype boolean;
BEGIN
	IF current_setting('server_version_num')::int < 180000 THEN
		RETURN;
	END IF;
	FOR type, owner, has_skipsupport, has_cmptype IN
		SELECT typname, pg_get_userbyid(typowner),
			EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = btree.opcfamily AND amprocnum = 6),
			EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = gist.opcfamily AND amprocnum = 12)
		FROM pg_depend
			JOIN pg_type t ON t.oid = objid
			JOIN pg_opclass btree ON btree.opcintype = t.oid AND btree.opcname = typname || '_ops'
				AND btree.opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree')
			JOIN pg_opclass gist ON gist.opcintype = t.oid AND gist.opcname = typname || '_ops'
				AND gist.opcmethod = (SELECT oid FROM pg_am WHERE amname = 'gist')
		WHERE classid = 'pg_type'::regclass AND refclassid = 'pg_extension'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids')
	LOOP
		IF NOT has_skipsupport THEN
			EXECUTE format('CREATE FUNCTION pg_catalog.%1$I(internal) RETURNS void AS $$MODULE_PATHNAME$$, %1$L LANGUAGE C'
				' IMMUTABLE STRICT PARALLEL SAFE', type || '_skipsupport');
			EXECUTE format('COMMENT ON FUNCTION pg_catalog.%I(internal) IS $$skip support$$', type || '_skipsupport');
			EXECUTE format('ALTER OPERATOR FAMILY pg_catalog.%I USING btree ADD FUNCTION 6 (%I) pg_catalog.%I(internal)',
				type || '_ops', type, type || '_skipsupport');
			-- In the install script, new objects are members of the extension and belong to its owner anyway.
			IF NOT EXISTS (
				SELECT FROM pg_depend
				WHERE objid = format('pg_catalog.%I(internal)', type || '_skipsupport')::regprocedure AND deptype = 'e'
			) THEN
				EXECUTE format('ALTER FUNCTION pg_catalog.%I(internal) OWNER TO %I', type || '_skipsupport', owner);
				EXECUTE format('ALTER EXTENSION ids ADD FUNCTION pg_catalog.%I(internal)', type || '_skipsupport');
			END IF;
		END IF;
		IF NOT has_cmptype THEN
			EXECUTE format('ALTER OPERATOR FAMILY pg_catalog.%I USING gist ADD FUNCTION 12 ("any", "any")'
				' gist_translate_cmptype_common(integer)', type || '_ops');
		END IF;
	END LOOP;
END $function$;
COMMENT ON FUNCTION ids_complete_upgrade() IS 'after pg_upgrade: add the support functions of this PostgreSQL';
REVOKE EXECUTE ON FUNCTION ids_complete_upgrade() FROM PUBLIC;

SELECT ids_complete_upgrade();
