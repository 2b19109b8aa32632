# pg_repack rebuilds a table; all ids stay the same.
needs pg_repack.control
server main
sql <<'SQL'
CREATE EXTENSION ids;
CREATE EXTENSION pg_repack;
CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), at snowflake DEFAULT gen_snowflake());
CREATE INDEX ON item USING gist (at);
INSERT INTO item SELECT FROM generate_series(1, 10000);
DELETE FROM item WHERE hashtext(id::text) % 2 = 0;
SQL
version=$(version_of pg_repack)
before=$(sql -c 'SELECT count(*), sum(hashtext(id::text)), sum(hashtext(at::text)) FROM item')
"$(dirname "$(readlink -f "$bin/psql")")/pg_repack" -t item -d postgres >"$directory/repack.log" 2>&1 || { cat "$directory/repack.log"; failed=1; }
is 'the same rows' "$(sql -c 'SELECT count(*), sum(hashtext(id::text)), sum(hashtext(at::text)) FROM item')" "$before"
