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
