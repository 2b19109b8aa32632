-- What databases keep: ids as text and bytes, first and last ids of a time, hashes, bounds and names of partitions.
-- Once it is released, no version changes it: a new type has a file of its own.
SET TIME ZONE 'UTC';
SET DateStyle = 'ISO';
SET client_min_messages = warning;
CREATE FUNCTION kept(type text) RETURNS TABLE (id text, bytes bytea, at timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE replace($q$
    SELECT id::text, id::bytea, id::timestamptz FROM unnest(ARRAY[TYPE_first('2026-11-01 12:00:00.123'),
      TYPE_last('2026-11-01 12:00:00.123'), TYPE_first('-infinity'), TYPE_last('infinity')]) id $q$, 'TYPE', type);
END $$;
SELECT type, k.* FROM unnest(ARRAY['ulid', 'scru160', 'tbsl', 'snowflake']) type, kept(type) k;
SELECT uuidv7_first(at), uuidv7_last(at) FROM unnest('{2026-11-01 12:00:00.123, infinity}'::timestamptz[]) at;
SELECT snowflake 'cyaLb7fqZ2w'::bigint, snowflake_name('cyaLb7fqZ2w'), ulid '01AN4Z07BY79KA1307SR9X4MV3'::uuid;

-- the hash of an id is that of a text of the same bytes, or of the bigint
CREATE FUNCTION hashes(type text, value text, hash text DEFAULT 'hashtext', source text DEFAULT 'bytea')
RETURNS TABLE (id text, equal boolean, equal_extended boolean) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT id::text, %1$s_hash(id) = %3$s(%2$L),
      bool_and(%1$s_hash_extended(id, seed) = %3$sextended(%2$L, seed))
    FROM CAST(%2$L::%4$s AS %1$s) id, unnest(ARRAY[0, 1, -1, 1::bigint << 32]) seed GROUP BY id',
    type, value, hash, source);
END $$;
SELECT * FROM hashes('ulid', '0123456789abcdef') UNION ALL SELECT * FROM hashes('scru160', '0123456789abcdefghij')
UNION ALL SELECT * FROM hashes('tbsl', '0123456789')
UNION ALL SELECT * FROM hashes('snowflake', '-1234567890123', 'hashint8', 'bigint');

CREATE FUNCTION partition(type text, every interval) RETURNS TABLE (name name, bounds text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE log (id %s) PARTITION BY RANGE (id)', type);
  CALL ids_create_partitions('log', every, '2026-11-01 12:00', '2026-11-01 12:00:01');
  RETURN QUERY SELECT relname, pg_get_expr(relpartbound, oid) FROM pg_class WHERE relispartition;
  DROP TABLE log;
END $$;
SELECT every, p.* FROM unnest('{13 months, 10 days, 1 week, 4 days, 5 hours, 00:07:00, 00:00:11}'::interval[]) every,
  partition('tbsl', every) p;
SELECT type, p.* FROM unnest('{ulid, scru160, snowflake, uuid}'::text[]) type, partition(type, '7 months') p;
DROP FUNCTION kept, hashes, partition;
