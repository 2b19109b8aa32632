#!/bin/bash
# In a throw-away chroot of Debian, as root: runs the Dockerfile's steps one after the other in this file system, where Debian's
# PostgreSQL stands for the official image; then makes an id in the volume, and in the image.
set -euxo pipefail

version=$(sed -n 's/^FROM postgres:\([0-9]*\)$/\1/p' Dockerfile)
apt-get update
apt-get install -y --no-install-recommends "postgresql-$version"
mkdir /docker-entrypoint-initdb.d
# What was built on the host is of no use in the image.
touch ids.so src/ids.o src/ids.d src/ids.bc
try() { pg_virtualenv -v "$version" "$@" psql -X -v ON_ERROR_STOP=1 -f /docker-entrypoint-initdb.d/ids.sql -c 'SELECT gen_ulid()'; }

while read -r step what from to; do
  case "$step $what" in
    "FROM "*) root=/; [ "$to" != volume ] || root=/volume ;;
    "COPY .") mkdir "$from"; sed 's,^\*\*/,,' .dockerignore | tar -c -X - . | tar -x -C "$from"; [ -z "$(find "$from" -name 'ids.[bdos]*')" ] ;;
    "COPY --from=build") mkdir -p "$root$to"; cp -R "$from/." "$root$to" ;;
    "RUN "*) sh -c "$what $from $to" ;;
    "COPY "*) false ;;
  esac
done <Dockerfile

try
make -C /ids uninstall
try -o "dynamic_library_path=\$libdir:/volume/lib" -o "extension_control_path=\$system:/volume/share"
