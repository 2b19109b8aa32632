#!/bin/bash
# Runs against the extension as built here, staged in a temporary directory, never installed:
#   test/private.sh server COMMAND...   COMMAND with a throw-away PostgreSQL in PGHOST, PGPORT ...
#   test/private.sh prove [TEST...]     the TAP tests, which start their own servers
set -euo pipefail

cd "$(dirname "$0")/.."
pg_config=${PG_CONFIG:-pg_config}
major=$("$pg_config" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
sharedir=$("$pg_config" --sharedir)
libdir=$("$pg_config" --pkglibdir)

# The server may run as another user, who need not be able to read this directory.
stage=$(mktemp -d -t ids.XXXXXX)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
make -s install DESTDIR="$stage" >/dev/null

settings=("dynamic_library_path=$stage$libdir:\$libdir")
if [ "$major" -ge 18 ]; then
  settings+=("extension_control_path=$stage$sharedir:\$system")
elif grep -q extension_destdir "$sharedir/postgresql.conf.sample"; then
  settings+=("extension_destdir=$stage")
else
  echo "This PostgreSQL loads extensions only from where they are installed:" >&2
  echo "run \"make install\" as root, then \"make installcheck\" on a running server." >&2
  exit 1
fi

mode=$1
shift
case $mode in
  server)
    options=()
    for setting in "${settings[@]}"; do options+=(-o "$setting"); done
    pg_virtualenv -t -v "$major" -c '--locale=C.UTF-8 --encoding=UTF8' "${options[@]}" "$@"
    ;;
  prove)
    mkdir -p "$stage/test"
    cp -R test/tap test/vectors "$stage/test"
    cp -R build/unshared build/faults "$stage"
    for setting in "${settings[@]}"; do echo "${setting%%=*} = '${setting#*=}'"; done >"$stage/ids.conf"
    cd "$stage"
    [ $# -gt 0 ] || set -- test/tap/*.pl
    run=(env "PATH=$("$pg_config" --bindir):$PATH" "TEMP_CONFIG=$stage/ids.conf" "TESTDIR=$stage"
         "IDS_LIBDIR=$stage$libdir" "IDS_UNSHARED=$stage/unshared/ids" "IDS_FAULTS=$stage/faults"
         "PG_REGRESS=$(dirname "$("$pg_config" --pgxs)")/../test/regress/pg_regress"
         prove -I "$(dirname "$("$pg_config" --pgxs)")/../test/perl" -I test/tap "$@")
    # PostgreSQL does not run as root.
    if [ "$(id -u)" = 0 ]; then
      chown -R postgres "$stage"
      runuser -u postgres -- "${run[@]}"
    else
      "${run[@]}"
    fi
    ;;
esac
