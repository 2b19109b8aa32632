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
