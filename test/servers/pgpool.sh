# pgpool-II sends a statement that asks for new rows to a standby, which refuses it, unless a setting or a lock before it says that
# it is for the primary.
needs pgpool
version=$(pgpool --version 2>&1 | sed 's/^pgpool-II version \([0-9.]*\).*/\1/')
server main
sql <<'SQL'
CREATE EXTENSION ids;
CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid());
CREATE TABLE position AS SELECT ulid_first('-infinity') AS id;
INSERT INTO event DEFAULT VALUES;
SQL
copy standby --write-recovery-conf
control standby start
pool=$(free_port)
cat >"$directory/pgpool.conf" <<CONF
port = $pool
pcp_port = $(free_port)
unix_socket_directories = '$directory'
pid_file_name = '$directory/pgpool.pid'
backend_hostname0 = '127.0.0.1'
backend_port0 = $PGPORT
backend_weight0 = 0
backend_hostname1 = '127.0.0.1'
backend_weight1 = 1
backend_port1 = $(port_of standby)
sr_check_user = 'postgres'
sr_check_password = '$PGPASSWORD'
allow_clear_text_frontend_auth = on
CONF
background pgpool -n -f "$directory/pgpool.conf" >"$directory/pgpool.log" 2>&1
await 'SELECT inet_server_port()' "$(port_of standby)" -p "$pool"

read='SELECT count(*) FROM event WHERE id > (SELECT id FROM position) AND id < ulid_settled()'
pooled() { sql -p "$pool" -v VERBOSITY=sqlstate "$@" 2>&1 | tail -n 1; }
is 'a read by the defaults' "$(pooled -c "$read")" 'ERROR:  25006'
is 'a transaction that locks its position first' "$(pooled -c 'BEGIN' -c 'SELECT FROM position FOR UPDATE' -c "$read")" 1
echo "primary_routing_query_pattern_list = '.*_settled\\(\\).*'" >>"$directory/pgpool.conf"
as_postgres pgpool -f "$directory/pgpool.conf" reload
await "$read" 1 -p "$pool"
