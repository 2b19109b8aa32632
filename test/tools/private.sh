#!/bin/bash
# Runs against the extension as built here, staged in a temporary directory, never installed:
#   test/tools/private.sh server COMMAND...   COMMAND with a throw-away PostgreSQL in PGHOST, PGPORT ...
#   test/tools/private.sh prove [TEST...]     the TAP tests, which start their own servers; with the path of an
#                                       older PostgreSQL's pg_config in IDS_UPGRADE_FROM also pg_upgrade
set -euo pipefail

cd "$(dirname "$0")/../.."
pg_config=${PG_CONFIG:-pg_config}
major=$("$pg_config" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
libdir=$("$pg_config" --pkglibdir)

# The server may run as another user, who may not be able to read this directory.
stage=$(mktemp -d -t ids.XXXXXX)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
make -s install DESTDIR="$stage" >/dev/null

# The settings by which the server of a pg_config finds the files that are staged in a directory.
settings_for() {
  local major sharedir libdir
  major=$("$1" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
  sharedir=$("$1" --sharedir)
  libdir=$("$1" --pkglibdir)
  echo "dynamic_library_path=$2$libdir:\$libdir"
  if [ "$major" -ge 18 ]; then
    echo "extension_control_path=$2$sharedir:\$system"
  elif grep -q extension_destdir "$sharedir/postgresql.conf.sample"; then
    echo "extension_destdir=$2"
  else
    echo "This PostgreSQL loads extensions only from where they are installed:" >&2
    echo "run \"make install\" as root, then \"make installcheck\" on a running server." >&2
    return 1
  fi
}
configuration() { while IFS= read -r setting; do echo "${setting%%=*} = '${setting#*=}'"; done; }

staged=$(settings_for "$pg_config" "$stage")
mapfile -t settings <<<"$staged"

with_server() {
  local setting port options=()
  for setting in "${settings[@]}" ${SETTINGS:-}; do options+=(-o "$setting"); done
  # A free port: pg_virtualenv alone would give the same one to two servers that start at once.
  port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
  pg_virtualenv -t -v "$major" -c "--locale=C.UTF-8 --encoding=UTF8 --port=$port" "${options[@]}" "$@"
}

mode=$1
shift
case $mode in
  server)
    with_server "$@"
    ;;
  prove)
    mkdir -p "$stage/test"
    cp -R test/tap test/vectors test/regress "$stage/test"
    cp -R README.md CONTRIBUTING.md doc sql expected "$stage"
    cp -R build/unshared build/faults "$stage"
    install -D test/tools/initdb.sh "$stage/bin/initdb"
    # A test that needs autovacuum turns it on: it would change plans and estimates at any moment.
    configuration <<<"$staged"$'\n'autovacuum=off >"$stage/ids.conf"
    if [ -n "${IDS_UPGRADE_FROM:-}" ]; then
      mkdir "$stage/older"
      cp -R --parents Makefile META.json ids.control README.md SECURITY.md doc src sql test/tools "$stage/older"
      make -s -C "$stage/older" install PG_CONFIG="$IDS_UPGRADE_FROM" with_llvm=no DESTDIR="$stage/older" >/dev/null
      settings_for "$IDS_UPGRADE_FROM" "$stage/older" | configuration >"$stage/older/ids.conf"
    fi
    with_server psql -XAtq -v ON_ERROR_STOP=1 -f test/tap/generators.sql -o "$stage/found" >/dev/null
    mapfile -t found <"$stage/found"
    cd "$stage"
    [ $# -gt 0 ] || set -- test/tap/*.pl
    bindir=$("$pg_config" --bindir)
    # A session's timer runs from its start: it is for what hangs, and no busy machine takes so long.
    run=(env LANG=C.UTF-8 "PATH=$stage/bin:$bindir:$PATH" "IDS_INITDB=$bindir/initdb" "TEMP_CONFIG=$stage/ids.conf" "TESTDIR=$stage" "TESTDATADIR=$stage/tmp_check" "TESTLOGDIR=$stage/tmp_check/log"
         "PG_TEST_TIMEOUT_DEFAULT=${PG_TEST_TIMEOUT_DEFAULT:-1800}" "${found[@]}" "IDS_LIBDIR=$stage$libdir" "IDS_SHAREDIR=$stage$("$pg_config" --sharedir)"
         "IDS_UNSHARED=$stage/unshared/ids" "IDS_FAULTS=$stage/faults"
         "PG_REGRESS=$(dirname "$("$pg_config" --pgxs)")/../test/regress/pg_regress"
         prove --timer -j4 -I "$(dirname "$("$pg_config" --pgxs)")/../test/perl" -I test/tap "$@")
    # PostgreSQL does not run as root.
    if [ "$(id -u)" = 0 ]; then
      chown -R postgres "$stage"
      run=(runuser -u postgres -- "${run[@]}")
    fi
    "${run[@]}" || { grep -E -B 6 -A 12 'not ok|Bail out|Looks like your test|^[^#]* at \S+ line [0-9]+\.$' tmp_check/log/regress_log_*; exit 1; }
    # Some tests expect that a session ends, but not so.
    ! grep -E -A 20 'AddressSanitizer|runtime error:' tmp_check/log/*.log 2>/dev/null
    ;;
esac
