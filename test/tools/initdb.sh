#!/bin/bash
# In place of initdb for the tests, of which each server would need a second: copies what initdb has made before with the same options.
set -euo pipefail

options=()
while [ $# -gt 0 ]; do
  case $1 in
    -D | --pgdata) data=$2; shift ;;
    *) options+=("$1") ;;
  esac
  shift
done
template=$TESTDATADIR/initdb${options[*]//[!a-zA-Z0-9]/_}
exec 9>"$template.lock"
flock 9
if [ ! -d "$template" ]; then
  "$IDS_INITDB" -D "$template" "${options[@]}"
  # Some tests name a superuser, but initdb gives its own the name of whoever runs the tests.
  [ "$(id -un)" = postgres ] ||
    "${IDS_INITDB%initdb}postgres" --single -D "$template" postgres <<<'CREATE ROLE postgres LOGIN SUPERUSER' >/dev/null
fi
cp -RPp "$template" "$data"
