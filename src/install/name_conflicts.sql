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
