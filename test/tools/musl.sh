#!/bin/sh
# In a throw-away chroot of Debian, as root: builds PostgreSQL and the extension with musl, which is Alpine's C library, and runs the
# regression tests. Debian has musl and the source of PostgreSQL, but no readline, zlib or C++ library for musl. So PostgreSQL does
# without the first two, and the extension, which needs no C++ library at run time, is compiled with the headers of g++'s own.
set -eux

sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/source.list
apt-get update
apt-get install -y --no-install-recommends musl-tools g++ bison flex dpkg-dev
project=$PWD
machine=$(gcc -print-multiarch)
version=$(gcc -dumpversion)

# The kernel's headers are among those of Debian's own C library, and os_defines.h, of g++'s library, is about that one.
mkdir -p /musl/kernel /musl/bits
cd /musl
ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$machine/asm" kernel
touch bits/os_defines.h

apt-get source postgresql-15
cd postgresql-15-*/
./configure --without-readline --without-zlib CC=musl-gcc CPPFLAGS='-isystem /musl/kernel'
make -s -j"$(nproc)" install
ln -s /usr/local/pgsql/bin/pg_config /usr/bin

cd "$project"
make -s -j"$(nproc)" install WERROR=-Werror CXX="g++ -nostdinc -nostdinc++ -isystem /musl -isystem /usr/include/c++/$version \
  -isystem /usr/include/$machine/c++/$version -isystem /usr/include/${machine%gnu}musl \
  -isystem /usr/lib/gcc/$machine/$version/include"
[ "$(objdump -p ids.so | sed -n 's/^ *NEEDED *//p')" = libc.so ]

useradd --create-home postgres
chown -R postgres .
runuser -u postgres -- env PGHOST=/tmp PATH="/usr/local/pgsql/bin:$PATH" sh -eux -c '
  initdb -D ~/data --auth=trust --encoding=UTF8 --locale=C.UTF-8
  pg_ctl -D ~/data -l ~/log -o "-k /tmp -c listen_addresses= -c autovacuum=off" start
  make -s installcheck || { cat regression.diffs; exit 1; }
  pg_ctl -D ~/data stop'
