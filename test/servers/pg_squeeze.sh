# pg_squeeze rebuilds a table while a client writes to it, and reads the ids of these writes from the WAL.
needs pg_squeeze.control
server main 'shared_preload_libraries = pg_squeeze' 'wal_level = logical'
sql <<'SQL'
CREATE EXTENSION ids;
CREATE EXTENSION pg_squeeze;
CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), at snowflake DEFAULT gen_snowflake(), n int DEFAULT 0);
CREATE INDEX ON item USING gist (at);
INSERT INTO item SELECT FROM generate_series(1, 200000);
DELETE FROM item WHERE hashtext(id::text) % 2 = 0;
CREATE TABLE written (LIKE item);
SQL
version=$(version_of pg_squeeze)
echo 'WITH made AS (INSERT INTO item SELECT FROM generate_series(1, 10) RETURNING *), kept AS (INSERT INTO written SELECT * FROM made)
  UPDATE item SET n = 1 WHERE id = (SELECT min(id) FROM item WHERE n = 0);' >"$directory/write.sql"
"$bin/pgbench" -n -c 2 -T 8 -f "$directory/write.sql" postgres >"$directory/pgbench.log" 2>&1 &
writer=$!
sleep 2
before=$(sql -c "SELECT pg_relation_filenode('item'), count(*) FROM item LEFT JOIN written USING (id) WHERE written.id IS NULL")
sql -c "SELECT squeeze.squeeze_table('public', 'item')" >"$directory/squeeze.log"
wait "$writer"
is 'rebuilt' "$(sql -c "SELECT pg_relation_filenode('item') <> ${before%|*}")" t
is 'all rows exist' "$(sql -c 'SELECT count(*) FROM item LEFT JOIN written USING (id) WHERE written.id IS NULL')" "${before#*|}"
is 'and so do rows that were written meanwhile' "$(sql -c 'SELECT count(*) > 1000, count(*) FILTER (WHERE item.id IS NULL OR item.at IS DISTINCT FROM written.at) FROM written LEFT JOIN item USING (id)')" 't|0'
