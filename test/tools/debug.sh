#!/bin/sh
# In a throw-away chroot of Debian, as root: builds PostgreSQL so that it looks harder, and runs the tests of what depends on processes
# and memory, as a user who is not called postgres. Once with assertions, with copies of all trees and with backends that inherit no
# memory, as on Windows; once with the sanitizers of addresses and of undefined behaviour.
set -eux

version=18
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/source.list
apt-get update
apt-get install -y --no-install-recommends dpkg-dev g++ bison flex pkg-config libssl-dev libipc-run-perl postgresql-common faketime
useradd --create-home tester
chown -R tester .
# Debian's tools start PostgreSQL with the variables in this file only. A library for a test is loaded before the sanitizers'.
echo "ASAN_OPTIONS = 'detect_leaks=0:verify_asan_link_order=0'" >/etc/postgresql-common/environment
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
export PG_CONFIG=/usr/lib/postgresql/$version/bin/pg_config
(cd /home/tester && apt-get source --download-only --tar-only postgresql-$version)

# The arguments are configure's.
try() {
  rm -rf /home/tester/source /usr/lib/postgresql/$version
  install -d -o tester /home/tester/source /usr/lib/postgresql/$version
  runuser -u tester -- sh -eux -c '
    tar -xf ~/postgresql-*.orig.tar.* -C ~/source --strip-components=1
    (cd ~/source && ./configure -q --prefix="${PG_CONFIG%/bin/pg_config}" --enable-tap-tests --without-icu --without-readline --without-zlib "$@")
    make -s -j"$(nproc)" -C ~/source
    for part in . contrib/amcheck contrib/citext contrib/dblink; do make -s -C ~/source/$part install; done
    make -s clean
    make -s -j"$(nproc)" all test-libraries WERROR=-Werror
    SETTINGS=autovacuum=off test/tools/private.sh server make -s installcheck || { cat regression.diffs; exit 1; }
    test/tools/private.sh prove test/tap/settled*.pl test/tap/mark*.pl test/tap/partitions*.pl test/tap/faults.pl test/tap/restart.pl' sh "$@"
}

try --enable-cassert --with-openssl CFLAGS='-O1 -g' \
  CPPFLAGS='-DEXEC_BACKEND -DCOPY_PARSE_PLAN_TREES -DWRITE_READ_PARSE_PLAN_TREES -DRAW_EXPRESSION_COVERAGE_TEST'
sanitize='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined'
try CFLAGS="$sanitize" CXXFLAGS="$sanitize" LDFLAGS="$sanitize"
