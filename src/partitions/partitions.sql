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
