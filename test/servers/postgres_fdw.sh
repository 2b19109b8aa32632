# postgres_fdw, with the extension on both sides.
needs postgres_fdw.control
server main
sql -c 'CREATE EXTENSION ids' -c 'CREATE EXTENSION postgres_fdw' \
  -c "CREATE SERVER self FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '$PGPORT', dbname 'postgres', extensions 'ids')" \
  -c "CREATE USER MAPPING FOR CURRENT_USER SERVER self OPTIONS (user 'postgres', password '$PGPASSWORD')" \
  -c 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int)' -c "CREATE FOREIGN TABLE item_there (id ulid, n int) SERVER self OPTIONS (table_name 'item')" \
  -c "INSERT INTO item SELECT gen_ulid('2026-01-01'::timestamptz + i * interval '1 hour'), i FROM generate_series(1, 100) i"
version=$(version_of postgres_fdw)
is 'rows' "$(sql -c "SELECT count(*) FROM item_there WHERE id < '2026-01-02 00:00:00+00'::timestamptz")" "$(sql -c "SELECT count(*) FROM item WHERE id < '2026-01-02 00:00:00+00'::timestamptz")"
is 'constants go to the other server' "$(sql -c "EXPLAIN (VERBOSE) SELECT FROM item_there WHERE id < '2026-01-02 00:00:00+00'::timestamptz" | grep -c 'Remote SQL.*WHERE')" 1
is 'now() does not' "$(sql -c 'EXPLAIN (VERBOSE) SELECT FROM item_there WHERE id < now()' | grep -c 'Remote SQL.*WHERE' || true)" 0

sql -c 'CREATE SCHEMA there' -c "IMPORT FOREIGN SCHEMA public LIMIT TO (item) FROM SERVER self INTO there OPTIONS (import_default 'true')" \
  -c 'CREATE FOREIGN TABLE new_item (n int) SERVER self OPTIONS (table_name $$item$$)'
is 'an insert without a default sends NULL' "$(sql -c 'INSERT INTO item_there (n) VALUES (101)' 2>&1 | grep -o 'null value in column "id"')" 'null value in column "id"'
id=$(sql -c 'INSERT INTO there.item (n) VALUES (101) RETURNING id')
is 'the default of the foreign table' "$id" "$(sql -c 'SELECT id FROM item WHERE n = 101')"
sql -c 'INSERT INTO new_item VALUES (102)'
is 'the default of the remote table' "$(sql -c 'SELECT length(id::text) FROM item WHERE n = 102')" 26
sql -c 'CREATE FUNCTION set_id() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.id := coalesce(NEW.id, gen_ulid()); RETURN NEW; END$$' \
  -c 'CREATE TRIGGER set_id BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION set_id()'
id=$(sql -c 'INSERT INTO item_there (n) VALUES (103) RETURNING id')
is 'a trigger of the remote table' "$id" "$(sql -c 'SELECT id FROM item WHERE n = 103')"
