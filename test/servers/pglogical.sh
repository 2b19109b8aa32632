# pglogical: a row filter by the time in the id.
needs pglogical.control
server main 'shared_preload_libraries = pglogical' 'wal_level = logical' 'max_worker_processes = 40'
for database in provider subscriber; do
  sql -d postgres -c "CREATE DATABASE $database"
  sql -d "$database" -c 'CREATE EXTENSION ids' -c 'CREATE EXTENSION pglogical' -c 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int)' \
    -c "SELECT FROM pglogical.create_node('$database', 'host=127.0.0.1 port=$PGPORT user=postgres password=$PGPASSWORD dbname=$database')"
done
version=$(version_of pglogical -d provider)
sql -d provider -c "SELECT FROM pglogical.replication_set_add_table('default', 'item', row_filter => \$\$id >= '2026-01-01 00:00:00+00'::timestamptz\$\$)"
sql -d subscriber -c "SELECT FROM pglogical.create_subscription('s', 'host=127.0.0.1 port=$PGPORT user=postgres password=$PGPASSWORD dbname=provider', synchronize_data => false)" \
  -c "SELECT FROM pglogical.wait_for_subscription_sync_complete('s')"
sql -d provider -c "INSERT INTO item VALUES (gen_ulid('2025-01-01'), 1), (gen_ulid('2026-06-01'), 2), (gen_ulid('2027-01-01'), 3)"
await 'SELECT count(*) FROM item' 2 -d subscriber
is 'the rows of the filter' "$(sql -d subscriber -c "SELECT string_agg(n::text, ' ' ORDER BY n) FROM item")" '2 3'
