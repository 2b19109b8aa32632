#!/bin/sh
# Installs, with apt-get, the tools that this machine lacks; without arguments and OPTIONAL, those of "make check":
#   test/tools/deps.sh [TOOL...]
# A TOOL is one of the names below, a command or a package of Debian. OPTIONAL names packages to install if Debian has them. The
# headers and the compiler of "make demo" are reached through build/unpacked.
set -eu

pg_config=${PG_CONFIG:-pg_config}
[ $# -gt 0 ] || [ -n "${OPTIONAL+set}" ] || set -- server headers pg_virtualenv g++ clang++ libFuzzer catch2 IPC::Run sqlsmith faketime ent rngtest spin

has() {
  case $1 in
    server) bindir=$("$pg_config" --bindir) && [ -x "$bindir/postgres" ] ;;
    headers) headers=$("$pg_config" --includedir-server) && [ -e "$headers/postgres.h" ] ;;
    # Debian's package of the headers depends on clang and LLVM, so "make demo" only unpacks it.
    unpacked-headers) has headers || [ -e "build/unpacked$headers/postgres.h" ] ;;
    # The package g++ only has short names for the compiler, which another package has under a longer name.
    linked-compiler) has g++ || [ -x build/unpacked/bin/g++ ] ;;
    libFuzzer) ls "$(clang++ -print-resource-dir)"/lib/*/libclang_rt.fuzzer* ;;
    catch2) [ -d /usr/include/catch2 ] ;;
    faketime) ls /usr/lib/*/faketime/libfaketime.so.1 ;;
    IPC::Run) perl -MIPC::Run -e 1 ;;
    *) command -v "$1" || dpkg-query -W -f '${db:Status-Status}\n' "$1" | grep -qx installed ;;
  esac >/dev/null 2>&1
}

package() {
  case $1 in
    server) echo "postgresql-$major" ;;
    headers) echo "postgresql-server-dev-$major" ;;
    pg_virtualenv) echo postgresql-common ;;
    linked-compiler) named=$(depends g++ '[0-9]*') && { depends "$named" '.*' || echo "$named"; } || echo g++ ;;
    clang++) echo clang ;;
    libFuzzer) echo libclang-rt-dev ;;
    IPC::Run) echo libipc-run-perl ;;
    rngtest) echo rng-tools-debian ;;
    gnuplot) echo gnuplot-nox ;;
    *) echo "$1" ;;
  esac
}

# The package of a longer name that a package depends on: g++-14 of g++ and, from Debian 13 on, g++-14-x86-64-linux-gnu of
# g++-14, which is the compiler alone.
depends() { apt-cache depends "$1" | sed -n "s/^ *Depends: \($1-$2\)\$/\1/p" | grep .; }

missing() { for tool; do has "$tool" || echo "$tool"; done; }

missing=$(missing "$@")
[ -n "$missing${OPTIONAL:-}" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "Missing:" $missing >&2
  echo "Please install these, or set PG_CONFIG to the pg_config of your PostgreSQL, 15 or later. \"make\" alone needs the headers and" >&2
  echo "g++ 12 or later, or clang 14 or later; \"make unit\" g++ and Catch2; \"make demo\" also the server, pg_virtualenv and faketime." >&2
  exit 1
fi

as_root=env
if [ "$(id -u)" != 0 ]; then
  as_root='sudo env'
  if ! command -v sudo >/dev/null; then
    echo "Missing:" $missing >&2
    echo "Installing it needs root: run \"make deps\" as root, or install sudo." >&2
    exit 1
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

echo "Installing what is missing:" $missing ${OPTIONAL:-}
quietly $as_root apt-get update
# The major version of the PostgreSQL in use, else of this release of Debian.
major=$("$pg_config" --version 2>/dev/null | sed 's/^PostgreSQL \([0-9]*\).*/\1/') || major=
if [ -z "$major" ]; then
  major=$(apt-cache show --no-all-versions postgresql | sed -n 's/^Depends:.*postgresql-\([0-9][0-9]*\).*/\1/p')
fi
packages=
for tool in $missing; do
  [ "$tool" = unpacked-headers ] || packages="$packages $(package "$tool")"
done
for package in ${OPTIONAL:-}; do
  if apt-cache show "$package" >/dev/null 2>&1; then packages="$packages $package"; fi
done
# A new machine may be installing its own updates.
quietly $as_root DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $packages
for tool in $missing; do
  case $tool in
    unpacked-headers)
      mkdir -p build/unpacked
      (cd build/unpacked && quietly apt-get download "$(package headers)" && dpkg-deb -x ./*.deb . && rm ./*.deb)
      ;;
    linked-compiler)
      mkdir -p build/unpacked/bin
      for name in as ld gcc g++; do
        program=$(ls /usr/bin/*-linux-gnu-$name /usr/bin/*-linux-gnu-$name-[0-9]* 2>/dev/null | head -n 1)
        machine=${program%%-linux-gnu-*}-linux-gnu
        # PostgreSQL 18 was built with the name that has the machine's in front.
        ln -sf "$program" build/unpacked/bin/$name
        ln -sf "$program" "build/unpacked/bin/${machine##*/}-$name"
      done
      ;;
  esac
done
missing=$(missing "$@")
if [ -n "$missing" ]; then
  echo "Still missing after installing Debian's packages:" $missing >&2
  exit 1
fi
