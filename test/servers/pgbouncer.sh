# pgbouncer, in transaction mode: a setting of one client is in force for the next one.
needs pgbouncer
version=$(pgbouncer --version | sed -n 's/^PgBouncer //p')
server main
sql -c 'CREATE EXTENSION ids' -c "CREATE ROLE regress_ids_user LOGIN PASSWORD 'secret'"
pool=$(free_port)
cat >"$directory/pgbouncer.ini" <<INI
[databases]
pooled = host=127.0.0.1 port=$PGPORT dbname=postgres user=regress_ids_user password=secret pool_size=1
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $pool
unix_socket_dir =
auth_type = any
pool_mode = transaction
INI
background pgbouncer -q "$directory/pgbouncer.ini" >"$directory/pgbouncer.log" 2>&1
pooled() { PGOPTIONS= PGPASSWORD=secret psql -X -q -At -p "$pool" -U regress_ids_user -d pooled "$@" 2>&1; }
for _ in $(seq 50); do ! pooled -c 'SELECT 1' >/dev/null || break; sleep 0.2; done
# The pool gets a new connection.
fresh() {
  sql -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'regress_ids_user'" >/dev/null
  sleep 0.3
  pooled -c 'SELECT 1' >/dev/null || true
}

fresh
is 'ids' "$(pooled -c 'SELECT gen_ulid() < gen_ulid()')" t
fresh
is 'SET before the library is loaded' "$(pooled -c 'SET ids.node_id = 7' && echo accepted)" accepted
is 'it breaks generation for the next client' "$(pooled -c 'SELECT gen_snowflake() IS NOT NULL' | grep -c 'ERROR')" 1
sql -c "ALTER DATABASE postgres SET session_preload_libraries = 'ids'"
fresh
is 'with session_preload_libraries it is refused' "$(pooled -c 'SET ids.node_id = 7')" 'ERROR:  permission denied to set parameter "ids.node_id"'
is 'and the next client generates' "$(pooled -c 'SELECT gen_snowflake() IS NOT NULL')" t
