#!/bin/bash
# The install script: each type's own SQL with the blocks that all types share at their marker lines.
#   TYPES="ulid ..." test/tools/install_script.sh write   assembles it from src
#   TYPES="ulid ..." test/tools/install_script.sh check   is it fresh?
# A released script does not change: databases have its objects already.
set -euo pipefail

script=sql/ids--$(sed -n "s/^default_version = '\(.*\)'/\1/p" ids.control).sql

assemble() {
  echo '\echo Use "CREATE EXTENSION ids" to load this file. \quit'
  echo; cat src/type/range_domains.sql; echo; cat src/generator/generator.sql
  for type in $TYPES; do
    echo
    sed -e '/^--@ io$/ { r src/type/io.sql.in' -e 'd }' \
        -e '/^--@ type$/ { r src/type/type.sql.in' -e 'd }' "src/$type/$type.sql" | sed "s/@T@/$type/g"
  done
  for file in install/complete_upgrade partitions/partitions monitor/problems install/privileges install/name_conflicts; do
    echo; cat "src/$file.sql"
  done
}

if assemble | cmp -s - "$script"; then
  exit
elif grep -qsF " $script" sql/released.sha256; then
  echo "$script is released and stays as it is, but src makes another: see how a version begins in \"A release\" of CONTRIBUTING.md"
  exit 1
elif [ "$1" = check ]; then
  echo "$script is stale: run \"make sql\""
  exit 1
fi
assemble >"$script"
