#!/bin/sh
# Runs an install(1) so that each file gets its name only when it is whole: sessions open it at any time.
#   test/tools/replace.sh install -m 644 FILE... TARGET      a folder, or a file in one
set -eu
for target; do :; done
folder=$target name=
[ -d "$target" ] || { folder=${target%/*}; name=${target##*/}; }
whole=$(mktemp -d "$folder/.ids.XXXXXX")
trap 'rm -rf "$whole"' EXIT
trap 'exit 1' HUP INT TERM
left=$#
for argument; do
  shift
  left=$((left - 1))
  [ $left != 0 ] || argument=$whole/$name
  set -- "$@" "$argument"
done
"$@"
mv -f "$whole"/* "$folder"
