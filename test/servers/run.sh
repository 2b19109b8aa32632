#!/bin/bash
# Tries other software as doc/servers.md describes it, and reports for each: passed, FAILED or not installed. ENGINES="citus patroni"
# tries some. Each NAME.sh beside this file starts its own servers, which find the extension as the server in PGHOST, PGPORT ... does.
set -uo pipefail
cd "$(dirname "$0")/../.."
bin=$("${PG_CONFIG:-pg_config}" --bindir)
extensions=$("${PG_CONFIG:-pg_config}" --sharedir)/extension
major=$("${PG_CONFIG:-pg_config}" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
libdir=$("${PG_CONFIG:-pg_config}" --pkglibdir)
directory=$(mktemp -d -t ids.servers.XXXXXX)
trap 'rm -rf "$directory"' EXIT
if [ "$(id -u)" = 0 ]; then chown postgres "$directory"; fi

sql() { psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }
# Newer minor versions have a setting that lists the safe output plugins.
mapfile -t settings < <(sql -c "SELECT format('%s = %L', name, setting ||
  CASE name WHEN 'output_plugin_libraries' THEN ', wal2json, pglogical_output, pg_squeeze' ELSE '' END) FROM pg_settings WHERE name IN ('dynamic_library_path', 'extension_control_path', 'extension_destdir', 'output_plugin_libraries')")
unset "${!PG@}"
export PGOPTIONS='-c client_min_messages=warning' PGHOST=127.0.0.1 PGUSER=postgres
# Servers that connect to each other find the password in their environment, too.
PGPASSWORD=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export PGPASSWORD

free_port() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'; }
# PostgreSQL does not run as root.
as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
# Runs until the engine's script ends.
background() {
  local command=("$@")
  if [ "$(id -u)" = 0 ]; then command=(runuser -u postgres -- "$@"); fi
  "${command[@]}" &
  processes=($! "${processes[@]}")
}
conf() { printf '%s\n' "${@:2}" >>"$directory/$1/postgresql.conf"; }
control() { as_postgres "$bin/pg_ctl" -w -s -D "$directory/$1" -l "$directory/$1.log" "${@:2}"; }
port_of() { sed -n 's/^port = //p' "$directory/$1/postgresql.conf" | tail -n 1; }
# psql and others talk to that server from now on.
use() { PGPORT=$(port_of "$1") && export PGPORT; }
# server NAME ['SETTING = VALUE' ...]
server() {
  as_postgres sh -c 'umask 077; echo "$PGPASSWORD" >"$0"' "$directory/password"
  as_postgres "$bin/initdb" -D "$directory/$1" -U postgres -A scram-sha-256 --pwfile="$directory/password" -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  conf "$1" "${settings[@]}" "port = $(free_port)" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" 'fsync = off' "${@:2}"
  control "$1" start
  use "$1"
}
# A physical copy of the server in use, which the caller starts: copy NAME [OPTION of pg_basebackup...]
copy() {
  as_postgres "$bin/pg_basebackup" -D "$directory/$1" --no-sync --checkpoint=fast "${@:2}"
  conf "$1" "port = $(free_port)"
}

# Ends a script whose engine is not installed.
needs() {
  for needed; do
    case $needed in
      *.control) [ -e "$extensions/$needed" ] || exit 77 ;;
      *) command -v "$needed" >/dev/null || exit 77 ;;
    esac
  done
}
version_of() { sql "${@:2}" -c "SELECT extversion FROM pg_extension WHERE extname = '$1'"; }
# Waits until a statement returns a result: await STATEMENT RESULT [OPTION of psql...]
await() {
  for _ in $(seq 300); do
    [ "$(sql "${@:3}" -c "$1" 2>&1)" != "$2" ] || return 0
    sleep 0.2
  done
  is "$1" "$(sql "${@:3}" -c "$1" 2>&1)" "$2"
}
# is WHAT GOT EXPECTED. Both are empty if the statements that make them fail, so no test expects the empty string.
is() {
  if [ "$2" != "$3" ] || [ -z "$3" ]; then
    printf '%s: FAILED\n  got:      %s\n  expected: %s\n' "$1" "$2" "$3"
    failed=1
  fi
}

finish() {
  status=$?
  set +e
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null && wait "$process" 2>/dev/null; done
  for running in "$directory"/*/postmaster.pid; do
    [ ! -e "$running" ] || control "$(basename "$(dirname "$running")")" stop -m immediate
  done
  case $status in
    0) echo "$engine $version: passed" ;;
    77) echo "$engine: not installed" ;;
    *) echo "$engine $version: FAILED" && tail -n 20 "$directory"/*.log ;;
  esac
  rm -rf "${directory:?}"/*
  [ "$status" != 77 ] || exit 0
}

failures=0
for engine in ${ENGINES:-$(basename -a -s .sh test/servers/*.sh | grep -vx run)}; do
  (
    failed=0 version= processes=()
    trap finish EXIT
    trap 'exit 143' INT TERM
    set -e
    . "test/servers/$engine.sh"
    exit "$failed"
  )
  failures=$((failures + $?))
done
exit $((failures > 0))
