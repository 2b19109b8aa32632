#!/bin/bash
# Tries what Debian packages beside PostgreSQL on the server in PGHOST, PGPORT ..., each in a database of its own; it says the
# version, and leaves with 0 if all went as doc/servers.md says. The server preloads pg_cron and pglogical.
set -euo pipefail
cd "$(dirname "$0")/../.."
directory=$(mktemp -d -t ids.servers.XXXXXX)
trap 'kill $(cat "$directory/pgbouncer.pid" 2>/dev/null) 2>/dev/null || true; rm -rf "$directory"' EXIT
chmod 777 "$directory"

export PGOPTIONS='-c client_min_messages=warning'
failed=0
sql() { psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }
# is WHAT GOT EXPECTED
is() {
  if [ "$2" != "$3" ]; then
    printf '%s: FAILED\n  got:      %s\n  expected: %s\n' "$1" "$2" "$3"
    failed=1
  fi
}
begin() { # database [extension]
  export PGDATABASE=$1
  createdb --maintenance-db=postgres "$1"
  sql -c 'CREATE EXTENSION ids'
  if [ -n "${2:-}" ]; then sql -c "CREATE EXTENSION $2 CASCADE"; fi
}
version() { sql -c "SELECT extversion FROM pg_extension WHERE extname = '$1'"; }

# Newer minor versions want to be told which output plugins are safe.
if [ "$(sql -d postgres -c "SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'")" = 1 ]; then
  sql -d postgres -c "ALTER SYSTEM SET output_plugin_libraries = 'wal2json', 'pglogical_output'" -c 'SELECT FROM pg_reload_conf()'
fi

# pg_cron: it works in one database of the server.
begin cron pg_cron
sql <<'SQL'
CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2020-01-01', '2020-03-01');
SELECT FROM cron.schedule('create', '* * * * *', $$CALL ids_create_partitions('log', '1 month', now(), now() + interval '3 months')$$);
SELECT FROM cron.schedule('drop', '* * * * *', $$CALL ids_drop_partitions('log', now() - interval '1 year')$$);
SQL
for _ in $(seq 150); do
  [ "$(sql -c "SELECT count(DISTINCT jobid) FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')")" != 2 ] || break
  sleep 0.5
done
is 'pg_cron: jobs' "$(sql -c "SELECT DISTINCT status, return_message FROM cron.job_run_details WHERE status <> 'running' ORDER BY 1")" 'succeeded|CALL'
is 'pg_cron: partitions' "$(sql -c "SELECT count(*) BETWEEN 4 AND 5, bool_and(upper(times) > now()) FROM ids_partitions('log')")" 't|t'
sql -c 'SELECT cron.unschedule(jobid) FROM cron.job' >/dev/null
echo "pg_cron $(version pg_cron)"

# pgbouncer, in transaction mode
begin bouncer
psql -X -q -c "CREATE ROLE regress_ids_user LOGIN PASSWORD 'secret'"
cat >"$directory/pgbouncer.ini" <<INI
[databases]
pooled = host=${PGHOST:-localhost} port=$PGPORT dbname=bouncer user=regress_ids_user password=secret pool_size=1
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 64329
unix_socket_dir =
auth_type = any
pool_mode = transaction
logfile = $directory/pgbouncer.log
pidfile = $directory/pgbouncer.pid
INI
chmod 644 "$directory/pgbouncer.ini"
pgbouncer=(pgbouncer -d -q "$directory/pgbouncer.ini")
if [ "$(id -u)" = 0 ]; then pgbouncer=(runuser -u postgres -- "${pgbouncer[@]}"); fi
"${pgbouncer[@]}"
pooled() { PGOPTIONS= PGPASSWORD=secret psql -X -q -At -h 127.0.0.1 -p 64329 -U regress_ids_user -d pooled "$@" 2>&1; }
for _ in $(seq 20); do pooled -c 'SELECT 1' >/dev/null && break || sleep 0.2; done
fresh() { sql -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'regress_ids_user'" >/dev/null; sleep 0.3; pooled -c 'SELECT 1' >/dev/null || true; }
fresh
is 'pgbouncer: ids' "$(pooled -c 'SELECT gen_ulid() < gen_ulid()')" t
fresh
is 'pgbouncer: SET before the library is loaded' "$(pooled -c 'SET ids.node_id = 7')" ''
is 'pgbouncer: it breaks generation for the next client' "$(pooled -c 'SELECT gen_snowflake() IS NOT NULL' | grep -c 'ERROR')" 1
sql -c "ALTER DATABASE bouncer SET session_preload_libraries = 'ids'"
fresh
is 'pgbouncer: with session_preload_libraries it is refused' "$(pooled -c 'SET ids.node_id = 7')" 'ERROR:  permission denied to set parameter "ids.node_id"'
is 'pgbouncer: and the next client generates' "$(pooled -c 'SELECT gen_snowflake() IS NOT NULL')" t
kill "$(cat "$directory/pgbouncer.pid")"
sql -c "DROP OWNED BY regress_ids_user"
pgbouncer --version | sed -n 's/^PgBouncer/pgbouncer/p'

# pg_partman takes a uuid or a text column only where it knows how to read its time, and a ulid not at all.
begin partman pg_partman
sql -c 'CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)'
is 'pg_partman: refuses a ulid' "$(sql -c "SELECT create_parent('public.log', 'id', 'native', 'monthly')" 2>&1 | grep -c '^ERROR')" 1
echo "pg_partman $(version pg_partman)"

# pg_repack
begin repack pg_repack
sql -c 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), at snowflake DEFAULT gen_snowflake()); CREATE INDEX ON item USING gist (at); INSERT INTO item SELECT FROM generate_series(1, 10000); DELETE FROM item WHERE hashtext(id::text) % 2 = 0'
before=$(sql -c 'SELECT count(*), sum(hashtext(id::text)), sum(hashtext(at::text)) FROM item')
"$(dirname "$(readlink -f "$(pg_config --bindir)/psql")")/pg_repack" -t item -d repack >"$directory/repack.log" 2>&1 || { cat "$directory/repack.log"; failed=1; }
is 'pg_repack: the same rows' "$(sql -c 'SELECT count(*), sum(hashtext(id::text)), sum(hashtext(at::text)) FROM item')" "$before"
echo "pg_repack $(version pg_repack)"

# wal2json
begin wal2json
sql -c 'CREATE TABLE item (id ulid PRIMARY KEY, at tbsl)' -c "SELECT FROM pg_create_logical_replication_slot('wal2json', 'wal2json')" \
  -c "INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3', '25BF6196C8D6107ABCDE'); DELETE FROM item"
is 'wal2json: ids are strings' "$(sql -c "SELECT c ->> 'action', c -> 'columns' -> 0 ->> 'value', c -> 'columns' -> 1 ->> 'value', c -> 'identity' -> 0 ->> 'value'
  FROM pg_logical_slot_get_changes('wal2json', NULL, NULL, 'format-version', '2') g, LATERAL (SELECT g.data::jsonb) d (c) WHERE c ->> 'action' IN ('I', 'D')")" \
  "I|01AN4Z07BY79KA1307SR9X4MV3|25BF6196C8D6107ABCDE|
D|||01AN4Z07BY79KA1307SR9X4MV3"
sql -c "SELECT pg_drop_replication_slot('wal2json')" >/dev/null
echo "wal2json $(dpkg-query -W -f '${Version}' "postgresql-$(sql -c 'SHOW server_version_num' | cut -c1-2)-wal2json")"

# postgres_fdw
begin fdw postgres_fdw
sql -c "CREATE SERVER self FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${PGHOST:-localhost}', port '$PGPORT', dbname 'fdw', extensions 'ids')" \
  -c "CREATE USER MAPPING FOR CURRENT_USER SERVER self OPTIONS (user '$PGUSER', password '$PGPASSWORD')" \
  -c 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int)' -c "CREATE FOREIGN TABLE item_there (id ulid, n int) SERVER self OPTIONS (table_name 'item')" \
  -c "INSERT INTO item SELECT gen_ulid('2026-01-01'::timestamptz + i * interval '1 hour'), i FROM generate_series(1, 100) i"
is 'postgres_fdw: rows' "$(sql -c "SELECT count(*) FROM item_there WHERE id < '2026-01-02 00:00:00+00'::timestamptz")" "$(sql -c "SELECT count(*) FROM item WHERE id < '2026-01-02 00:00:00+00'::timestamptz")"
is 'postgres_fdw: constants go to the other server' "$(sql -c "EXPLAIN (VERBOSE) SELECT FROM item_there WHERE id < '2026-01-02 00:00:00+00'::timestamptz" | grep -c 'Remote SQL.*WHERE')" 1
is 'postgres_fdw: now() does not' "$(sql -c 'EXPLAIN (VERBOSE) SELECT FROM item_there WHERE id < now()' | grep -c 'Remote SQL.*WHERE' || true)" 0
echo "postgres_fdw $(version postgres_fdw)"

# pglogical: a row filter by the time in the id
begin pglogical pglogical
createdb --maintenance-db=postgres subscriber
for database in pglogical subscriber; do
  sql -d "$database" -c 'CREATE EXTENSION IF NOT EXISTS ids' -c 'CREATE EXTENSION IF NOT EXISTS pglogical' -c 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int)' \
    -c "SELECT FROM pglogical.create_node('$database', 'host=${PGHOST:-localhost} port=$PGPORT user=$PGUSER password=$PGPASSWORD dbname=$database')"
done
sql -c "SELECT FROM pglogical.replication_set_add_table('default', 'item', row_filter => \$\$id >= '2026-01-01 00:00:00+00'::timestamptz\$\$)"
sql -d subscriber -c "SELECT FROM pglogical.create_subscription('s', 'host=${PGHOST:-localhost} port=$PGPORT user=$PGUSER password=$PGPASSWORD dbname=pglogical', synchronize_data => false)" \
  -c "SELECT FROM pglogical.wait_for_subscription_sync_complete('s')"
sql -c "INSERT INTO item VALUES (gen_ulid('2025-01-01'), 1), (gen_ulid('2026-06-01'), 2), (gen_ulid('2027-01-01'), 3)"
for _ in $(seq 60); do [ "$(sql -d subscriber -c 'SELECT count(*) FROM item')" != 2 ] || break; sleep 0.5; done
is 'pglogical: the rows of the filter' "$(sql -d subscriber -c "SELECT string_agg(n::text, ' ' ORDER BY n) FROM item")" '2 3'
sql -d subscriber -c "SELECT FROM pglogical.drop_subscription('s')"
echo "pglogical $(version pglogical)"

exit $failed
