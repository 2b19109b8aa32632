-- Partitions by time. The functions that read the catalogs set their own search_path, TimeZone and DateStyle. The statements that
-- change anything run with the caller's settings, as if typed by hand.

CREATE FUNCTION ids_partition_key(parent regclass, OUT first regproc, OUT times tstzrange)        RETURNS record       AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION ids_partition_times(parent regclass, OUT partition regclass, OUT times tstzrange) RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION ids_partition_key(regclass)   IS 'boundary function and possible times of a partition key';
COMMENT ON FUNCTION ids_partition_times(regclass) IS 'partitions of a table with their times';

-- Leaves out partitions that are being detached, because they take no more rows.
CREATE FUNCTION ids_partitions(parent regclass, OUT partition regclass, OUT times tstzrange, OUT estimated_rows bigint, OUT bytes bigint) RETURNS SETOF record LANGUAGE SQL VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT p.partition, p.times, sum(nullif(c.reltuples, -1))::bigint, sum(pg_total_relation_size(c.oid))::bigint
	FROM ids_partition_times(parent) p
		LEFT JOIN pg_inherits i ON i.inhrelid = p.partition
		CROSS JOIN pg_partition_tree(p.partition) tree
		JOIN pg_class c ON c.oid = tree.relid
	WHERE i.inhdetachpending IS NOT TRUE AND tree.isleaf
	GROUP BY p.partition, p.times
	ORDER BY p.times NULLS LAST;
END;

COMMENT ON FUNCTION ids_partitions(regclass) IS 'partitions of a table with their times, estimated rows and sizes';

-- The locks that are needed to create, drop or detach a partition, always in the same order: tables connected by foreign keys, the
-- table itself, its default partition. So a statement that has one of these locks does not wait for one that is taken later.
-- min(mode) is the strongest lock, because stronger ones come first in the alphabet. Tables that the caller may not lock are
-- locked later, by the statements themselves.
CREATE FUNCTION ids_partition_locks(parent regclass, action text) RETURNS SETOF text LANGUAGE SQL VOLATILE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	SELECT format('LOCK TABLE %s%s IN %s MODE', CASE WHEN relation = parent THEN 'ONLY ' END, relation, min(mode))
	FROM (
		SELECT 1, confrelid::regclass, CASE action WHEN 'drop' THEN 'ACCESS EXCLUSIVE' ELSE 'SHARE ROW EXCLUSIVE' END
		FROM pg_constraint
		-- A partition that nothing references is dropped without being detached.
		WHERE contype = 'f' AND conrelid = parent AND (action <> 'drop' OR EXISTS (SELECT FROM pg_constraint r WHERE r.contype = 'f' AND r.confrelid = parent))
		UNION ALL
		SELECT 1, conrelid::regclass, CASE action WHEN 'create' THEN 'SHARE ROW EXCLUSIVE' ELSE 'ACCESS EXCLUSIVE' END
		FROM pg_constraint
		WHERE contype = 'f' AND confrelid = parent
		UNION ALL
		SELECT 2, parent, CASE action WHEN 'create' THEN 'SHARE UPDATE EXCLUSIVE' ELSE 'ACCESS EXCLUSIVE' END
		UNION ALL
		SELECT 3, partdefid::regclass, 'ACCESS EXCLUSIVE'
		FROM pg_partitioned_table
		WHERE partrelid = parent AND partdefid <> 0
	) lock (turn, relation, mode)
	WHERE relation = parent OR has_table_privilege(relation, 'UPDATE, DELETE, TRUNCATE') AND (SELECT relkind IN ('r', 'p') FROM pg_class WHERE oid = relation)
	GROUP BY relation
	ORDER BY max(turn), relation;
END;

COMMENT ON FUNCTION ids_partition_locks(regclass, text) IS 'statements that take the locks for a change of partitions';

CREATE FUNCTION ids_missing_partitions(parent regclass, every interval, "from" timestamptz, upto timestamptz) RETURNS SETOF text LANGUAGE plpgsql VOLATILE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	SET timezone = 'UTC'
	SET datestyle = 'ISO'
AS $function$
DECLARE
	months constant int := extract(year FROM every) * 12 + extract(month FROM every);
	monday constant timestamptz := '2001-01-01 00:00:00+00'; -- makes weeks begin on Mondays
	key record;
	there tstzmultirange; -- the times that have a partition
	taken tstzmultirange; -- the same, including partitions that are being detached
	schema name;
	partition name;
	storage text; -- what LIKE does not copy from the parent
	owner name;
	suffix text;
	period tstzrange;
	missing tstzrange;
	other record;
BEGIN
	IF parent IS NULL OR every IS NULL OR "from" IS NULL OR upto IS NULL THEN
		RAISE EXCEPTION 'arguments of ids_create_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF NOT isfinite("from") OR NOT isfinite(upto) THEN
		RAISE EXCEPTION 'arguments "from" and "upto" must be finite' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF "from" > upto THEN
		RAISE EXCEPTION 'argument "from" must not be after argument "upto"' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('The times are %s and %s.', "from", upto);
	END IF;
	IF every <= '0'::interval OR NOT isfinite(every) OR (months <> 0 AND every IS DISTINCT FROM make_interval(months => months)) OR (months <> 0 AND extract(day FROM every) <> 0) OR every <> date_trunc('second', every) THEN
		RAISE EXCEPTION 'invalid partition interval: "%"', every USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Use a positive interval of whole months and years, or of days and whole seconds.';
	END IF;

	SELECT * INTO key FROM ids_partition_key(parent);
	SELECT coalesce(range_agg(p.times) FILTER (WHERE inhdetachpending IS NOT TRUE), '{}'), coalesce(range_agg(p.times), '{}') INTO there, taken
	FROM ids_partition_times(parent) p LEFT JOIN pg_inherits ON inhrelid = p.partition;
	SELECT n.nspname, concat_ws(' ', 'USING ' || quote_ident(am.amname), 'TABLESPACE ' || quote_ident(s.spcname)), pg_get_userbyid(c.relowner) INTO schema, storage, owner
	FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		LEFT JOIN pg_am am ON am.oid = c.relam -- from PostgreSQL 17 on
		LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
	WHERE c.oid = parent;

	-- Beyond the times of the type there are no partitions to create.
	"from" := greatest("from", lower(key.times));
	upto := least(upto, upper(key.times) + '1 microsecond');
	"from" := CASE WHEN months > 0
		THEN make_timestamptz(1, 1, 1, 0, 0, 0)
			+ make_interval(months => div(extract(year FROM "from") * 12 + extract(month FROM "from") - 13, months)::int * months)
		ELSE date_bin(every, "from", monday) END;
	FOR period IN
		SELECT tstzrange(step, step + every) FROM generate_series("from", upto, every) step
		WHERE step < upto AND NOT there @> (tstzrange(step, step + every) * key.times)
	LOOP
		suffix := to_char(lower(period), CASE WHEN every = date_trunc('day', every) THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MISS' END);
		SELECT relname INTO partition FROM pg_class WHERE oid = parent;
		WHILE octet_length(partition) + length(suffix) > current_setting('max_identifier_length')::int LOOP
			partition := left(partition, -1);
		END LOOP;
		partition := partition || suffix;

		IF taken && (period * key.times) THEN
			SELECT p.partition, p.times, inhdetachpending INTO other
			FROM ids_partition_times(parent) p LEFT JOIN pg_inherits ON inhrelid = p.partition
			WHERE p.times && period ORDER BY inhdetachpending DESC NULLS LAST, p.times LIMIT 1;
			SELECT piece INTO missing FROM unnest(period::tstzmultirange - there) piece LIMIT 1;
			RAISE EXCEPTION 'new partition would overlap partition "%"', other.partition USING ERRCODE = 'invalid_object_definition',
				DETAIL = format('The times are %s and %s.', period, other.times),
				HINT = CASE WHEN other.inhdetachpending THEN format('It is being detached. When no transaction uses it anymore, run: ALTER TABLE %s DETACH PARTITION %s FINALIZE;', parent, other.partition)
					WHEN lower(missing) = upper(missing) THEN 'Detach that partition first: its lower bound is not the first id of a time.'
					ELSE format('Fill the gap by hand: CREATE TABLE %I.%I PARTITION OF %s FOR VALUES FROM (%s(%L)) TO (%4$s(%6$L));', schema, left(partition, -length(suffix)) || to_char(lower(missing), '_YYYYMMDD_HH24MISS'), parent, key.first, lower(missing), upper(missing)) END;
		END IF;
		IF to_regclass(format('%I.%I', schema, partition)) IS NOT NULL THEN
			RAISE EXCEPTION 'relation "%" already exists', partition USING ERRCODE = 'duplicate_table',
				DETAIL = format('Table "%s" needs a new partition of this name for the times %s.', parent, period),
				HINT = 'Rename that relation, or attach it if it was detached.';
		END IF;
		RETURN NEXT concat(
			format('CREATE TABLE %I.%I (LIKE %s INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMPRESSION) %s;', schema, partition, parent, storage),
			CASE WHEN owner <> current_user THEN format('ALTER TABLE %I.%I OWNER TO %I;', schema, partition, owner) END,
			-- Unlike CREATE TABLE ... PARTITION OF, attaching lets others read and write the parent meanwhile.
			format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (pg_catalog.%s(%L)) TO (pg_catalog.%4$s(%6$L));', parent, schema, partition, key.first, lower(period), upper(period)));
	END LOOP;
END $function$;

COMMENT ON FUNCTION ids_missing_partitions(regclass, interval, timestamptz, timestamptz) IS 'statements that create the missing partitions';

-- A call takes locks only if it finds something to do. With the locks it looks again, because others may have done it meanwhile.
CREATE PROCEDURE ids_create_partitions(parent regclass, every interval, "from" timestamptz, upto timestamptz) LANGUAGE plpgsql AS $procedure$
DECLARE
	statement pg_catalog.text;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_catalog.ids_missing_partitions(parent, every, "from", upto)) THEN
		RETURN;
	END IF;
	FOR statement IN SELECT pg_catalog.ids_partition_locks(parent, 'create') LOOP
		EXECUTE statement;
	END LOOP;
	FOR statement IN SELECT pg_catalog.ids_missing_partitions(parent, every, "from", upto) LOOP
		EXECUTE statement;
	END LOOP;
END $procedure$;

COMMENT ON PROCEDURE ids_create_partitions(regclass, interval, timestamptz, timestamptz) IS 'create missing partitions for a range of times';

CREATE FUNCTION ids_expired_partitions(parent regclass, before timestamptz, detach boolean, OUT statement text, OUT notice text) RETURNS SETOF record LANGUAGE plpgsql VOLATILE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	SET timezone = 'UTC'
	SET datestyle = 'ISO'
AS $function$
DECLARE
	expired record;
BEGIN
	IF parent IS NULL OR before IS NULL OR detach IS NULL THEN
		RAISE EXCEPTION 'arguments of ids_drop_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR expired IN
		SELECT partition, times, CASE relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
		FROM ids_partition_times(parent)
			LEFT JOIN pg_inherits ON inhrelid = partition
			LEFT JOIN pg_class c ON c.oid = partition
		WHERE times << tstzrange(before, NULL) AND inhdetachpending IS NOT TRUE
		ORDER BY times
	LOOP
		-- If a foreign key references the table, PostgreSQL drops a partition only after it has been detached.
		statement := concat(
			CASE WHEN detach OR EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = parent) THEN format('ALTER TABLE %s DETACH PARTITION %s;', parent, expired.partition) END,
			CASE WHEN NOT detach THEN format('DROP %s %s;', expired.kind, expired.partition) END);
		notice := format('%s partition "%s" of table "%s" with the times %s', CASE WHEN detach THEN 'detached' ELSE 'dropped' END, expired.partition, parent, expired.times);
		RETURN NEXT;
	END LOOP;
END $function$;

COMMENT ON FUNCTION ids_expired_partitions(regclass, timestamptz, boolean) IS 'statements that drop or detach old partitions, with notices';

CREATE PROCEDURE ids_drop_partitions(parent regclass, before timestamptz, detach boolean DEFAULT false) LANGUAGE plpgsql AS $procedure$
DECLARE
	statement pg_catalog.text;
	notice pg_catalog.text;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_catalog.ids_expired_partitions(parent, before, detach)) THEN
		RETURN;
	END IF;
	FOR statement IN SELECT pg_catalog.ids_partition_locks(parent, CASE WHEN detach THEN 'detach' ELSE 'drop' END) LOOP
		EXECUTE statement;
	END LOOP;
	FOR statement, notice IN SELECT e.statement, e.notice FROM pg_catalog.ids_expired_partitions(parent, before, detach) e LOOP
		EXECUTE statement;
		RAISE NOTICE '%', notice;
	END LOOP;
END $procedure$;

COMMENT ON PROCEDURE ids_drop_partitions(regclass, timestamptz, boolean) IS 'drop or detach partitions that end before a time';
