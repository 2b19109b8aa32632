#!/bin/sh
# Installs, with apt-get, what this machine lacks. Does nothing if all is there.
#   test/deps.sh [PACKAGE...]   what building and testing needs: a PostgreSQL server with its headers, g++, clang with
#                               libFuzzer, Catch2, the Perl module IPC::Run, sqlsmith, faketime, and ent and rngtest, which
#                               judge random bytes; the packages; and those in OPTIONAL, if Debian has them
#   test/deps.sh --demo         what "make demo" needs: a server and g++. Debian's package of the headers depends on clang and
#                               LLVM: where it is missing, it is only unpacked, in build/unpacked.
set -eu

pg_config=${PG_CONFIG:-pg_config}
demo=
if [ "${1:-}" = --demo ]; then
  demo=yes
  shift
fi

missing() {
  bindir=$("$pg_config" --bindir 2>/dev/null) && [ -x "$bindir/postgres" ] || echo server
  command -v pg_virtualenv >/dev/null || echo pg_virtualenv
  command -v g++ >/dev/null || echo g++
  headers=$("$pg_config" --includedir-server 2>/dev/null) && [ -e "$headers/postgres.h" ] ||
    { [ "$demo" ] && [ -e "build/unpacked$headers/postgres.h" ]; } || echo headers
  [ -z "$demo" ] || return 0
  command -v clang++ >/dev/null || echo clang
  ls "$(clang++ -print-resource-dir 2>/dev/null)"/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1 || echo libFuzzer
  [ -d /usr/include/catch2 ] || echo catch2
  command -v sqlsmith >/dev/null || echo sqlsmith
  ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1 || echo faketime
  perl -MIPC::Run -e 1 2>/dev/null || echo IPC::Run
  command -v ent >/dev/null || echo ent
  command -v rngtest >/dev/null || echo rngtest
}

[ -n "$(missing)$*${OPTIONAL:-}" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "Missing:" $(missing) "$@" >&2
  echo "Please install a PostgreSQL server (15 or later) with its headers for extensions, pg_virtualenv" >&2
  echo "(postgresql-common), g++ 12 or later, clang 14 or later with libFuzzer, Catch2, the Perl module IPC::Run," >&2
  echo "sqlsmith, faketime, ent and rngtest, or set PG_CONFIG to the pg_config of your PostgreSQL. \"make\" alone needs the" >&2
  echo "headers and g++; \"make demo\" also the server and pg_virtualenv." >&2
  exit 1
fi

as_root=env
if [ "$(id -u)" != 0 ]; then
  as_root='sudo env'
  if ! command -v sudo >/dev/null; then
    echo "Missing:" $(missing) "$@" >&2
    echo "Installing it needs root: run \"make deps\" as root, or install sudo." >&2
    exit 1
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

echo "Installing what is missing:" $(missing) "$@" ${OPTIONAL:-}
quietly $as_root apt-get update
for package in ${OPTIONAL:-}; do
  if apt-cache show "$package" >/dev/null 2>&1; then set -- "$@" "$package"; fi
done
# The major version of the PostgreSQL in use, else of this release of Debian.
major=$("$pg_config" --version 2>/dev/null | sed 's/^PostgreSQL \([0-9]*\).*/\1/') || major=
if [ -z "$major" ]; then
  major=$(apt-cache show --no-all-versions postgresql | sed -n 's/^Depends:.*postgresql-\([0-9][0-9]*\).*/\1/p')
fi
install() { quietly $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }
if [ "$demo" ]; then
  install "postgresql-$major" g++
  rm -rf build/unpacked
  mkdir -p build/unpacked
  (cd build/unpacked && quietly apt-get download "postgresql-server-dev-$major" && dpkg-deb -x ./*.deb . && rm ./*.deb)
else
  install "postgresql-$major" "postgresql-server-dev-$major" g++ clang libclang-rt-dev catch2 libipc-run-perl \
    sqlsmith faketime ent rng-tools-debian "$@"
fi
if [ -n "$(missing)" ]; then
  echo "Still missing after installing Debian's packages:" $(missing) >&2
  exit 1
fi
