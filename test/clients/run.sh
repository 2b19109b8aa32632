#!/bin/bash
# Runs each client against the server in PGHOST, PGPORT ... and in a database of its own, as they all make a table item.
# A client prints its name and version, and leaves with 0 if all went as it should; else what it says is shown.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=0
client() {
  createdb "$1"
  psql -qd "$1" -c 'CREATE EXTENSION ids'
  if output=$(PGDATABASE=$1 "${@:2}" 2>&1); then
    echo "$output: ok"
  else
    printf '%s: FAILED\n%s\n' "$1" "$output"
    failed=1
  fi
}

# Node looks for modules beside the file that imports them, and they are not to be in the source tree.
cp test/clients/*.mjs build/test/clients

# Debian's Python, as that is the one that sees Debian's packages.
client psycopg2 /usr/bin/python3 test/clients/python-psycopg2.py
client psycopg /usr/bin/python3 test/clients/python-psycopg.py
client sqlalchemy /usr/bin/python3 test/clients/python-sqlalchemy.py
client node-postgres node build/test/clients/node-postgres.mjs
client drizzle node build/test/clients/node-drizzle.mjs
client jdbc java -ea -cp /usr/share/java/postgresql.jar test/clients/Jdbc.java
exit $failed
