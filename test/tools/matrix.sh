#!/bin/bash
# Runs the README's two commands and pg_upgrade from PostgreSQL 15 on every supported PostgreSQL, each in a
# throw-away chroot of the Debian that has it, and prints a table. The version musl is PostgreSQL 15 with Alpine's C library, image is
# the Dockerfile; debug is PostgreSQL 18 with assertions and with sanitizers, which is not among those that run without arguments:
#   test/tools/matrix.sh [VERSION...]
# COMMANDS="make demo && make regress" runs these in place of the two.
# ARCH=s390x, or another architecture of Debian, runs the unit tests and the regression tests there, emulated. Fails if one of
# them fails; ends with 69 if none fails, but some could not reach a mirror.
set -uo pipefail

cd "$(dirname "$0")/../.."
declare -A suites=([15]=bookworm [musl]=bookworm [image]=sid [debug]=sid [17]=trixie [18]=sid [19]=experimental)
[ $# -gt 0 ] || set -- 15 musl image 17 18 19
trap 'kill $child 2>/dev/null; wait; exit 130' INT TERM HUP

mkdir -p build/matrix
table=$(printf '%-12s %-14s %-12s %s' PostgreSQL suite result minutes)
result=0
for version in "$@"; do
  suite=${suites[$version]:-}
  [ -n "$suite" ] || { echo "No release of Debian from 12 on has PostgreSQL $version." >&2; exit 1; }
  log=build/matrix/$version${ARCH:+-$ARCH}.log
  echo "PostgreSQL $version${ARCH:+ for $ARCH} in a chroot of $suite: see $log"
  commands=${COMMANDS:-make demo && make check}
  # Sanitizers do not run emulated.
  [ -z "${ARCH:-}" ] || commands='test/tools/deps.sh server unpacked-headers pg_virtualenv g++ catch2 &&
    make unit UNIT_FLAGS="-std=c++20 -O1" && make -s install WERROR=-Werror && pg_virtualenv make -s installcheck'
  case $version in musl | image | debug) commands=test/tools/$version.sh ;; esac
  if [ "$suite" = experimental ]; then
    # Only PostgreSQL is from experimental, the rest from sid.
    packages="postgresql-$version postgresql-server-dev-$version"
    commands="printf 'Package: src:postgresql-$version\nPin: release a=experimental\nPin-Priority: 990\n' >/etc/apt/preferences.d/experimental &&
      apt-get update && { apt-get install -y --no-install-recommends $packages || exit 69; } &&
      export PG_CONFIG=/usr/lib/postgresql/$version/bin/pg_config && $commands"
  fi
  if [ "$suite" != bookworm ] && [[ ! $version =~ image|debug ]] && [ -z "${ARCH:-}" ]; then
    commands+=" && sed 's/ [a-z]* main/ bookworm main/' /etc/apt/sources.list >/etc/apt/sources.list.d/bookworm.list &&
      apt-get update && apt-get install -y --no-install-recommends postgresql-15 &&
      (cd /tmp && apt-get download postgresql-server-dev-15 && dpkg-deb -x postgresql-server-dev-15_*.deb /) &&
      export PG_CONFIG=/usr/lib/postgresql/$version/bin/pg_config IDS_UPGRADE_FROM=/usr/lib/postgresql/15/bin/pg_config &&
      make -s install && make tap TESTS=test/tap/moving.pl"
  fi
  started=$SECONDS
  test/tools/chroot.sh "$suite" "$commands && echo \"tested \$(\${PG_CONFIG:-pg_config} --version)\"" >"$log" 2>&1 &
  child=$!
  wait $child
  case $? in
    0)  outcome=passed ;;
    69) outcome=unavailable; [ $result = 1 ] || result=69 ;;
    *)  outcome=failed; result=1; tail -n 30 "$log" ;;
  esac
  exact=$(sed -n 's/^tested PostgreSQL \([^ ]*\).*/\1/p' "$log")
  table+=$(printf '\n%-12s %-14s %-12s %d' "${exact:-$version}" "$suite" "$outcome" $(((SECONDS - started + 30) / 60)))
done
printf '\n%s\n' "$table"
exit $result
