-- What needs somebody's attention. It reads catalogs, and of tables the default partitions alone, without their owners' code.

CREATE FUNCTION ids_version() RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ids_version() IS 'release of the library that the session has loaded';

CREATE FUNCTION ids_problems(ahead interval DEFAULT '1 day', OUT problem text, OUT object text, OUT since timestamptz, OUT remedy text) RETURNS SETOF record LANGUAGE sql VOLATILE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
	WITH member AS (
		SELECT classid, objid FROM pg_depend JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid WHERE extname = 'ids' AND deptype = 'e'
	), parent AS (
		SELECT partrelid AS parent, identity AS name
		FROM pg_partitioned_table CROSS JOIN pg_identify_object('pg_class'::regclass, partrelid, 0) JOIN pg_class c ON c.oid = partrelid JOIN pg_opclass o ON o.oid = partclass[0]
		WHERE partstrat = 'r' AND partnatts = 1 AND partattrs[0] <> 0 AND opcdefault AND relpersistence <> 't'
			AND (opcintype = 'uuid'::regtype OR o.oid IN (SELECT objid FROM member WHERE classid = 'pg_opclass'::regclass))
	), part AS MATERIALIZED (
		SELECT parent, name, partition, times FROM parent, ids_internal.partition_times(parent, true)
	), detaching AS (
		SELECT parent, name, inhrelid AS partition FROM parent JOIN pg_inherits ON inhparent = parent WHERE inhdetachpending
	), coverage AS (
		-- A partition ends the need for later ones once it has ended for longer than it was long: the table is an archive.
		SELECT parent.parent, parent.name, coalesce(range_agg(times), '{}') AS have, bool_or(upper_inf(times)) AS endless,
			(array_agg(times ORDER BY times DESC) FILTER (WHERE NOT lower_inf(times) AND NOT upper_inf(times)))[1] AS last
		FROM parent LEFT JOIN part USING (parent)
		GROUP BY parent.parent, parent.name HAVING count(*) = count(times) OR count(partition) = 0
	), missing AS (
		SELECT c.name, last, missing
		FROM coverage c LEFT JOIN part own ON own.partition = c.parent
			CROSS JOIN unnest(tstzmultirange(tstzrange(now(), now() + least(ahead, (upper(last) - lower(last)) / 2))) * tstzmultirange(coalesce(own.times, '(,)')) - have) missing
		WHERE (own.partition IS NULL OR own.times IS NOT NULL) AND c.parent NOT IN (SELECT parent FROM detaching)
			AND (endless OR now() < upper(last) + (upper(last) - lower(last))) IS NOT FALSE
	)
	SELECT 'the clock is behind the last id' AS problem, 'generator ' || generator AS object, NULL::timestamptz AS since, 'see "When the clock is wrong" in doc/guarantees.md' AS remedy
	FROM ids_generators() WHERE lead > interval '1 second'
	UNION ALL
	SELECT 'the mark is ahead of the clock' AS problem, 'database ' || quote_ident(current_database()) AS object, NULL AS since, 'see "When the clock is wrong" in doc/guarantees.md' AS remedy
	FROM ids_internal.kept_mark() mark
	WHERE to_timestamp(mark / 1e6) - interval '2 seconds' > greatest(clock_timestamp(), (SELECT max(last_timestamp) FROM ids_generators()))
	UNION ALL
	SELECT 'readers of new rows wait' AS problem, coalesce('process ' || pid, 'prepared transaction ' || quote_literal(gid)) || ', ' || string_agg(generator, ', ' ORDER BY generator) AS object,
		u.since, coalesce('SELECT pg_catalog.pg_terminate_backend(' || pid || ')', format('COMMIT PREPARED %1$L, or ROLLBACK PREPARED %1$L', gid)) AS remedy
	FROM ids_unsettled() u WHERE u.since < now() - interval '5 minutes' GROUP BY pid, gid, u.since
	UNION ALL
	SELECT 'a partition is missing' AS problem, 'table ' || name AS object, lower(missing) AS since, format('CALL pg_catalog.ids_create_partitions(%L, %L, %L, %L)', name,
		coalesce(age(upper(last) AT TIME ZONE 'UTC', lower(last) AT TIME ZONE 'UTC'), '1 month'), lower(missing), upper(missing)) AS remedy
	FROM missing
	UNION ALL
	SELECT 'a partition is half detached' AS problem, 'table ' || identity AS object, NULL AS since, format('ALTER TABLE %s DETACH PARTITION %s FINALIZE', detaching.name, identity) AS remedy
	FROM detaching, pg_identify_object('pg_class'::regclass, partition, 0)
	UNION ALL
	SELECT 'a default partition has rows' AS problem, 'table ' || identity AS object, NULL AS since, 'see "Draining a default partition" in doc/cookbook.md' AS remedy
	FROM part, pg_identify_object('pg_class'::regclass, partition, 0)
	WHERE times IS NULL AND EXISTS (
		WITH RECURSIVE leaf (relid) AS (SELECT partition::oid UNION ALL SELECT inhrelid FROM leaf JOIN pg_inherits ON inhparent = relid)
		SELECT FROM leaf WHERE ids_internal.has_rows(relid))
	UNION ALL
	SELECT 'pg_upgrade is not complete' AS problem, 'database ' || quote_ident(current_database()) AS object, NULL AS since, 'SELECT pg_catalog.ids_complete_upgrade()' AS remedy
	WHERE current_setting('server_version_num')::int >= 180000 AND to_regprocedure('pg_catalog.ulid_skipsupport(internal)') IS NULL
	UNION ALL
	SELECT 'an update is not complete' AS problem, 'database ' || quote_ident(current_database()) AS object, NULL AS since, 'ALTER EXTENSION ids UPDATE' AS remedy
	FROM pg_extension WHERE extname = 'ids' AND extversion <> substring(ids_version() FROM '^\d+\.\d+');
END;
COMMENT ON FUNCTION ids_problems(interval) IS 'what needs attention: a row for each problem';
