-- Partitions by time

CREATE PROCEDURE ids_create_partitions(parent regclass, every interval, "from" timestamptz, upto timestamptz) LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp
	SET timezone = 'UTC'
AS $procedure$
DECLARE
	months constant int := extract(year FROM every) * 12 + extract(month FROM every);
	monday constant timestamptz := '2001-01-01 00:00:00+00'; -- so that weeks begin on Mondays
	id_schema name;
	id_type name;
	parent_schema name;
	prefix text; -- of the partitions' names
	storage text; -- what LIKE does not take from the parent
	lower_bounds text[]; -- of the partitions that are there; null is MINVALUE or MAXVALUE
	upper_bounds text[];
	lower_time timestamptz;
	upper_time timestamptz;
	lower_id text;
	upper_id text;
	covered boolean;
	partition_name text;
BEGIN
	IF parent IS NULL OR every IS NULL OR "from" IS NULL OR upto IS NULL THEN
		RAISE EXCEPTION 'no argument of ids_create_partitions may be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF NOT isfinite("from") OR NOT isfinite(upto) THEN
		RAISE EXCEPTION 'times of partitions must be finite' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF "from" > upto THEN
		RAISE EXCEPTION 'the first time of partitions, %, is after the last, %', "from", upto USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF every <= '0'::interval OR NOT isfinite(every) OR (months <> 0 AND every IS DISTINCT FROM make_interval(months => months)) OR (months <> 0 AND extract(day FROM every) <> 0) OR every <> date_trunc('second', every) THEN
		RAISE EXCEPTION 'invalid interval of partitions: "%"', every USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Use whole months and years, or days and whole seconds, and more than zero.';
	END IF;

	SELECT idn.nspname, t.typname, n.nspname, c.relname, concat_ws(' ', 'USING ' || quote_ident(am.amname), 'TABLESPACE ' || quote_ident(s.spcname))
	INTO id_schema, id_type, parent_schema, prefix, storage
	FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_partitioned_table p ON p.partrelid = c.oid AND p.partstrat = 'r' AND p.partnatts = 1
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
		JOIN pg_type t ON t.oid = a.atttypid
		JOIN pg_namespace idn ON idn.oid = t.typnamespace
		JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'ids'
		LEFT JOIN pg_am am ON am.oid = c.relam -- from PostgreSQL 17 on
		LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
	WHERE c.oid = parent;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'table "%" is not partitioned by range on one column of an identifier type', parent USING ERRCODE = 'wrong_object_type',
			HINT = 'Create it with PARTITION BY RANGE (id), where the type of id is one of the extension ids.';
	END IF;
	WHILE octet_length(prefix) > 63 - length('_YYYYMMDD_HHMMSS') LOOP
		prefix := left(prefix, -1);
	END LOOP;

	-- Two calls at once must not both find a partition missing.
	EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);

	-- Read once, as there may be thousands.
	SELECT array_agg(bound[1]), array_agg(bound[2]) INTO lower_bounds, upper_bounds
	FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid,
		regexp_match(pg_get_expr(relpartbound, c.oid), '^FOR VALUES FROM \((?:MINVALUE|''(\w+)'')\) TO \((?:MAXVALUE|''(\w+)'')\)') bound
	WHERE inhparent = parent AND bound IS NOT NULL;

	-- There is nothing to make beyond the times of the type.
	EXECUTE format('SELECT greatest($1, %1$I.%2$I(%1$I.%3$I(''-infinity''))), least($2, %1$I.%2$I(%1$I.%4$I(''infinity'')) + ''1 microsecond'')',
		id_schema, id_type || '_extract_timestamp', id_type || '_first', id_type || '_last') INTO "from", upto USING "from", upto;

	lower_time := CASE WHEN months > 0
		THEN make_timestamptz(1, 1, 1, 0, 0, 0)
			+ make_interval(months => div(extract(year FROM "from") * 12 + extract(month FROM "from") - 13, months)::int * months)
		ELSE date_bin(every, "from", monday) END;
	WHILE lower_time < upto LOOP
		upper_time := lower_time + every;
		EXECUTE format('SELECT %1$I.%2$I($1), %1$I.%2$I($2)', id_schema, id_type || '_first') INTO lower_id, upper_id USING lower_time, upper_time;
		-- Not missing if one partition has it all, be it made by an earlier call or by hand.
		EXECUTE format($query$
				SELECT count(*) > 0 FROM unnest($1::%1$I.%2$I[], $2::%1$I.%2$I[]) there (lower, upper)
				WHERE coalesce(lower OPERATOR(%1$I.<=) $3::%1$I.%2$I, true) AND coalesce(upper OPERATOR(%1$I.>=) $4::%1$I.%2$I, true)
			$query$, id_schema, id_type) INTO covered USING lower_bounds, upper_bounds, lower_id, upper_id;
		-- Where the type's range ends, both are its first or last value.
		IF NOT covered AND lower_id <> upper_id THEN
			partition_name := prefix || to_char(lower_time, CASE WHEN every = date_trunc('day', every) THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MISS' END);
			-- Unlike CREATE TABLE ... PARTITION OF, attaching lets others read and write the parent meanwhile.
			EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMPRESSION) %s',
				parent_schema, partition_name, parent, storage);
			EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%L)', parent, parent_schema, partition_name, lower_id, upper_id);
		END IF;
		lower_time := upper_time;
	END LOOP;
END $procedure$;

COMMENT ON PROCEDURE ids_create_partitions(regclass, interval, timestamptz, timestamptz) IS 'creates the missing partitions by time of a partitioned table';
