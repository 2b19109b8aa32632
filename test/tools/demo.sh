#!/bin/bash
# Shows what the extension is for, in 20 seconds. It crashes the throw-away server that test/tools/private.sh has started for
# it, and turns the clock of that server.
set -euo pipefail

export PGOPTIONS='-c client_min_messages=warning -c TimeZone=UTC'
cluster=$PG_CLUSTER_CONF_ROOT/$PGVERSION/regress
generators=('gen_ulid()' 'gen_uuidv7()' 'gen_random_uuid()')
[ "$PGVERSION" -lt 18 ] || generators+=('uuidv7()')

step() { printf -- "--- %s\n" "$@"; }
sql() { psql -X -q -v ON_ERROR_STOP=1 -P footer=off "$@"; }
# The server may read the file at any moment, so it is replaced atomically.
turn_clock() { echo "$1" >"$cluster/clock.new" && mv "$cluster/clock.new" "$cluster/clock"; }
server() { pg_ctlcluster --skip-systemctl-redirect "$PGVERSION" regress "$@"; }
four_sessions_insert() {
  pgbench --no-vacuum --client=4 --jobs=2 --transactions="$1" --file=<(
    for generator in "${generators[@]}"; do
      echo "INSERT INTO made VALUES (nextval('moment'), '$generator', $generator, nextval('moment'));"
    done) >/dev/null 2>&1
}

sql <<'SQL'
CREATE EXTENSION ids;
CREATE SEQUENCE moment;
CREATE TABLE made (asked bigint, generator text, id text COLLATE "C", given bigint);

-- An id is out of order if a greater one had been given before it was asked for.
CREATE VIEW disorder AS
SELECT generator, format('%s of %s out of order', count(*) FILTER (WHERE id < greatest_given), count(*)) AS ids
FROM (
  SELECT *, max(id) FILTER (WHERE moment = given) OVER (PARTITION BY generator ORDER BY moment) AS greatest_given
  FROM made, LATERAL (VALUES (asked), (given)) AS moments (moment)
) AS moments
WHERE moment = asked
GROUP BY generator
ORDER BY count(*) FILTER (WHERE id < greatest_given), generator LIKE 'gen_random%', generator;

-- The nanoseconds that a call takes in the fastest of five runs, its share of the scan included.
CREATE FUNCTION cost(generator text) RETURNS float8 LANGUAGE plpgsql SET jit = off AS $$
DECLARE
  ten_calls text := array_to_string(array_fill(generator, '{10}'), ', ');
  fastest float8 := 'Infinity';
  began timestamptz;
BEGIN
  FOR run IN 1 .. 5 LOOP
    began := clock_timestamp();
    EXECUTE format('SELECT FROM generate_series(1, 10000) WHERE num_nulls(%s) > 0', ten_calls);
    fastest := least(fastest, extract(epoch FROM clock_timestamp() - began) * 1e9 / 100000);
  END LOOP;
  RETURN fastest;
END $$;
SQL

echo
step 'Four sessions make 1000 ids each, at once: how many are smaller than one made earlier?'
four_sessions_insert 1000
sql -c 'TABLE disorder'

step 'What an id costs, in nanoseconds:'
sql -v generators="$(IFS=,; echo "${generators[*]}")" <<'SQL'
SELECT generator, round(cost) AS ns, repeat('#', ceil(70 * cost / max(cost) OVER ())::int) AS " "
FROM string_to_table(:'generators', ',') AS generator, cost(generator) ORDER BY cost;
SQL

step 'The server crashes and starts again. Then its clock steps back by an hour. New ids are above the old ones.'
sql -e <<'SQL'
CREATE TABLE item (
  id          ulid PRIMARY KEY DEFAULT gen_ulid(),
  event       text,
  "the clock" time(3) DEFAULT clock_timestamp()
);
INSERT INTO item (event) VALUES ('before the crash');
SQL
# From now on libfaketime turns the server's clock by what this file says.
turn_clock +0
printf "%s = '%s'\n" LD_PRELOAD "$(echo /usr/lib/*/faketime/libfaketime.so.1)" FAKETIME_TIMESTAMP_FILE "$cluster/clock" \
  FAKETIME_NO_CACHE 1 FAKETIME_DONT_FAKE_MONOTONIC 1 DONT_FAKE_MONOTONIC 1 >>"$cluster/environment"
server stop -m immediate
server start
sql -c "INSERT INTO item (event) VALUES ('after the crash')"
sql -c 'TRUNCATE made'
four_sessions_insert 500
turn_clock -1h
sql -c "INSERT INTO item (event) VALUES ('an hour back')"
sql -e -c 'SELECT event, "the clock", id, id::timestamptz::time(3) AS "its time" FROM item ORDER BY id;'

step 'The four sessions made 500 ids each before the clock stepped back, and now make 500 more:'
four_sessions_insert 500
turn_clock +0
sql -c 'TABLE disorder'

step 'A year of rows, one every five minutes. The primary key finds the rows of a day: no column with the time is needed.'
sql -e <<'SQL'
TRUNCATE item;
INSERT INTO item
SELECT gen_ulid(at) FROM generate_series('2026-01-01', '2026-12-31', interval '5 minutes') AS at;
VACUUM ANALYZE item;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT id FROM item WHERE id <@ '[2026-03-14, 2026-03-15)';
SQL

step 'A time stands for its whole millisecond: an id that is made after a time is not below it.'
sql -e <<'SQL'
WITH clock AS MATERIALIZED (SELECT gen_ulid() AS first, clock_timestamp() AS now), new AS (SELECT now, gen_ulid() AS id FROM clock)
SELECT now::time, id::timestamptz::time(3) AS "the id's time", id >= now AS "id >= now" FROM new;
SQL

step 'The same rows, with a partition for each month: the query reads one of the twelve.'
sql -e <<'SQL'
CREATE TABLE log (id ulid PRIMARY KEY, message text) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2026-01-01', '2027-01-01');
INSERT INTO log SELECT id FROM item;
VACUUM ANALYZE log;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT id FROM log WHERE id <@ '[2026-03-14, 2026-03-15)';
SQL

step 'Four sessions insert, and commit up to 20 ms later. Two consumers go on from the last id that they have read.'
sql <<'SQL'
CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid());
CREATE TABLE consumer (condition text, read bigint);

CREATE PROCEDURE consume(condition text) LANGUAGE plpgsql AS $$
DECLARE
  last ulid := ulid_first('-infinity');
  newest ulid;
  rows bigint;
  read bigint := 0;
BEGIN
  FOR poll IN 1 .. 300 LOOP
    EXECUTE format('SELECT max(id), count(*) FROM event WHERE %s', condition) INTO newest, rows USING last;
    last := coalesce(newest, last);
    read := read + rows;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  INSERT INTO consumer VALUES (condition, read);
END $$;
SQL
for condition in 'id > $1' 'id > $1 AND id < ulid_settled()'; do sql -c "CALL consume('$condition')" & done
pgbench --no-vacuum --client=4 --jobs=2 --time=2 --file=<(
  printf '%s\n' '\set us random(0, 20000)' 'BEGIN;' 'INSERT INTO event DEFAULT VALUES;' '\sleep :us us' 'COMMIT;') >/dev/null 2>&1
wait
sql -c 'SELECT condition, read, (SELECT count(*) FROM event) - read AS missed FROM consumer ORDER BY missed DESC'

step 'What next: README.md says how to install and which type to use; "make check" runs all tests.'
