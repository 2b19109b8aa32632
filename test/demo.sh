#!/bin/bash
# The main job, shown on the server that PGHOST, PGPORT ... name.
set -euo pipefail

export PGOPTIONS='-c client_min_messages=warning'
psql -X --quiet -v ON_ERROR_STOP=1 --echo-queries <<'SQL'
CREATE EXTENSION ids;

CREATE TABLE item (
  id      ulid PRIMARY KEY DEFAULT gen_ulid(),
  session int DEFAULT pg_backend_pid()
);

SQL

echo "Two sessions insert at once, five rows each ..."
pgbench --no-vacuum --client=2 --jobs=2 --transactions=5 \
  --file=<(echo 'INSERT INTO item DEFAULT VALUES;') >/dev/null 2>&1
echo

psql -X --quiet -v ON_ERROR_STOP=1 --echo-queries <<'SQL'
SELECT id, id::timestamptz AS "time", session FROM item ORDER BY id;

SELECT count(*) AS "rows of the last minute" FROM item WHERE id >= now() - interval '1 minute';

EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id <@ tstzrange(now() - interval '1 minute', now());

-- The other types work the same way.
SELECT gen_scru160() AS scru160, gen_tbsl() AS tbsl, gen_snowflake() AS snowflake FROM generate_series(1, 3);

SELECT * FROM scru160_parts(gen_scru160());
SELECT * FROM tbsl_parts(gen_tbsl());
SELECT * FROM snowflake_parts(gen_snowflake());

-- Codokeys are dates as text, the newest first.
SELECT codokey(date '2022-12-31'), gen_codokey('second') AS now;

SELECT * FROM ids_generators();
SQL
