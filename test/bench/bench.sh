#!/bin/bash
# Measures the identifier types against the built-in ones on the server that PGHOST, PGPORT ... name, and writes
# doc/benchmarks.md, doc/benchmarks.csv and the pictures. BENCH_ROWS (500,000) and BENCH_REPETITIONS (3) say how much to measure, and
# BENCH_SECONDS (10) how long to repeat a measurement whose values still spread.
set -euo pipefail

rows=${BENCH_ROWS:-500000}
repetitions=${BENCH_REPETITIONS:-3}
seconds=${BENCH_SECONDS:-10}
directory=$(mktemp -d -t ids.bench.XXXXXX)
trap 'rm -rf "$directory"' EXIT
chmod 777 "$directory"
export PGOPTIONS='-c client_min_messages=warning'
sql() { psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }

sql -c 'CREATE EXTENSION ids'
psql -X -v rows="$rows" -v repetitions="$repetitions" -v seconds="$seconds" -v directory="$directory" -f test/bench/bench.sql

note() { # subject measurement name repetition value
  sql -v subject="$1" -v measurement="$2" -v name="$3" -v repetition="$4" -v value="$5" <<<"INSERT INTO result (subject, measurement, name, repetition, value) VALUES (:'subject', :'measurement', :'name', :repetition, :value)"
}
# Transactions a second: the options of pgbench
tps() {
  pgbench -n "$@" | sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

echo '... several sessions'
mapfile -t names < <(sql -c 'SELECT name FROM identifier ORDER BY n')
for repetition in $(seq "$repetitions"); do
  for name in "${names[@]}"; do
    sql -c "SELECT format('SELECT count(%s) FROM generate_series(1, 100000);', generator) FROM identifier WHERE name = '$name'" >"$directory/script"
    one=$(tps -T 1 -f "$directory/script")
    two=$(tps -c 2 -j 2 -T 1 -f "$directory/script")
    note 'Sessions' 'ids a second in 2 sessions over 1' "$name" "$repetition" "$two / $one"
  done
done

echo '... point lookups'
for name in "${names[@]}"; do
  sql -c "CREATE INDEX ON ordered_$name (i)" -c "CREATE INDEX ON ordered_$name (id)" -c "VACUUM ANALYZE ordered_$name"
done
for repetition in $(seq "$repetitions"); do
  for name in "${names[@]}"; do
    {
      echo "\\set i random(1, $((2 * rows)))"
      echo "SELECT id FROM ordered_$name WHERE i = :i \\gset"
      echo "SELECT i FROM ordered_$name WHERE id = :id;"
    } >"$directory/script"
    note 'Sessions' 'point lookups a second' "$name" "$repetition" "$(tps -M prepared -T 2 -f "$directory/script")"
  done
done

echo '... the first id of a session'
# The CPU time of the sessions that have ended, in clock ticks.
ended() { awk '{print $16 + $17}' "/proc/$postmaster/stat"; }
postmaster=$(sql -c "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")
connections=300
for repetition in $(seq $((3 * repetitions))); do
  for query in 'SELECT 1' "nextval('numbers')" 'gen_random_uuid()' 'gen_ulid()'; do
    echo "SELECT ${query#SELECT };" >"$directory/script"
    before=$(ended)
    tps -C -t "$connections" -f "$directory/script" >/dev/null
    note 'The first id of a session' 'a connection with one query: CPU time of its session, us' "${query/\'numbers\'/}" "$repetition" "($(ended) - $before) * 1e6 / $(getconf CLK_TCK) / $connections"
  done
done

echo '... many sessions that insert'
sql <<'EOF'
CREATE TABLE insertion (sessions int, name text, repetition int, tps float8);
CREATE TABLE waiting (sessions int, name text, event text);
CREATE TABLE writer AS SELECT n, name, type, generator, false AS hashed FROM identifier WHERE name IN ('uuid', 'bigint', 'ulid', 'uuidv7')
  UNION ALL SELECT 100, 'ulid in 8 partitions', type, generator, true FROM identifier WHERE name = 'ulid';
SELECT format('CREATE TABLE busy_%s (id %s PRIMARY KEY DEFAULT %s, payload int) %s', n, type, generator, CASE WHEN hashed THEN 'PARTITION BY HASH (id)' END) FROM writer \gexec
SELECT format('CREATE TABLE busy_%s_%s PARTITION OF busy_%1$s FOR VALUES WITH (MODULUS 8, REMAINDER %2$s)', n, i) FROM writer, generate_series(0, 7) i WHERE hashed \gexec
EOF
for repetition in $(seq "$repetitions"); do
  for sessions in 1 8 32 64; do
    while IFS='|' read -r n name; do
      sql -c "TRUNCATE busy_$n"
      echo "INSERT INTO busy_$n (payload) VALUES (1);" >"$directory/script"
      {
        echo "INSERT INTO waiting SELECT $sessions, '$name', wait_event FROM pg_stat_activity WHERE application_name = 'pgbench' AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'"
        echo '\watch 0.05'
      } >"$directory/sampler"
      psql -X -q -f "$directory/sampler" >/dev/null 2>&1 & sampler=$!
      rate=$(PGOPTIONS='-c synchronous_commit=off' tps -c "$sessions" -j 2 -M prepared -t $((20000 / sessions)) -f "$directory/script")
      kill "$sampler" || true
      wait "$sampler" || true
      sql -c "INSERT INTO insertion VALUES ($sessions, '$name', $repetition, $rate)"
    done < <(sql -c 'SELECT n, name FROM writer ORDER BY n')
  done
done
sql >"$directory/contention" <<'EOF'
SELECT '| sessions | ' || string_agg(name, ' | ' ORDER BY n) || E' |\n|---|' || repeat('---|', count(*)::int) FROM writer;
SELECT format('| %s | ', sessions) || string_agg(format('%s (%s %%)', round(tps::numeric), round(100 * coalesce(w.share, 0))), ' | ' ORDER BY n) || ' |'
FROM writer
  JOIN (SELECT sessions, name, percentile_cont(0.5) WITHIN GROUP (ORDER BY tps) AS tps FROM insertion GROUP BY 1, 2) i USING (name)
  LEFT JOIN (SELECT sessions, name, avg((event = 'BufferContent')::int) AS share
    FROM (SELECT sessions, name, coalesce(event, '') AS event FROM waiting) e GROUP BY 1, 2) w USING (sessions, name)
GROUP BY sessions ORDER BY sessions;
EOF
echo '... the waits'
sql -c "SELECT sessions, name, coalesce(event, 'running'), round(100.0 * count(*) / sum(count(*)) OVER (PARTITION BY sessions, name), 1) AS percent FROM waiting GROUP BY 1, 2, 3 ORDER BY 1, 2, 4 DESC"

# Rows that a reader misses if it reads on from the greatest id, with and without ulid_settled(): writers commit up to that
# many ms after they have made an id, and the reader reads every 10 ms.
if [ -n "$(sql -c "SELECT to_regprocedure('ulid_settled()')")" ]; then
  echo '... rows that a reader misses'
  sql <<'EOF'
CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), payload int);
CREATE TABLE seen (reader text, id ulid);
CREATE TABLE missed (delay int, reader text, repetition int, missed float8, written float8);
CREATE PROCEDURE follow(reader text, bound text, duration interval) LANGUAGE plpgsql AS $$
DECLARE
  last ulid := ulid_first('-infinity');
  until timestamptz := clock_timestamp() + duration;
BEGIN
  WHILE clock_timestamp() < until LOOP
    EXECUTE format('WITH new AS (SELECT id FROM event WHERE id > $1 %s),
        kept AS (INSERT INTO seen SELECT $2, id FROM new)
      SELECT greatest(max(id), $1) FROM new', bound) INTO last USING last, reader;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$;
EOF
  for repetition in $(seq "$repetitions"); do
    for delay in 1 10 50; do
      sql -c 'TRUNCATE event, seen'
      {
        echo "\\set delay random(0, $((1000 * delay)))"
        printf '%s\n' 'BEGIN;' 'INSERT INTO event (payload) VALUES (1);' '\sleep :delay us' 'COMMIT;'
      } >"$directory/script"
      sql -c "CALL follow('id > last', '', '6 s')" & by_id=$!
      sql -c "CALL follow('id > last AND id < ulid_settled()', 'AND id < ulid_settled()', '6 s')" & settled=$!
      pgbench -n -c 16 -j 2 -T 4 -f "$directory/script" >/dev/null
      wait "$by_id" "$settled"
      sql -c "INSERT INTO missed SELECT $delay, reader, $repetition, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM seen WHERE seen.reader = r.reader AND seen.id = event.id)), count(*)
        FROM event, (VALUES ('id > last'), ('id > last AND id < ulid_settled()')) r (reader) GROUP BY reader"
    done
  done
  sql >"$directory/missed.table" <<'EOF'
SELECT E'| the longest transaction, ms | rows written | missed by `id > last` | with `AND id < ulid_settled()` |\n|---|---|---|---|';
SELECT format('| %s | %s | %s | %s |', delay, sum(written) FILTER (WHERE reader = 'id > last'),
  sum(missed) FILTER (WHERE reader = 'id > last'), sum(missed) FILTER (WHERE reader <> 'id > last')) FROM missed GROUP BY delay ORDER BY delay;
EOF
fi

psql -X -f test/bench/quartiles.sql >doc/benchmarks.csv
psql -X -v chosen=false -f test/bench/report.sql
cat "$directory/contention"

machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(sql -c "SELECT 'PostgreSQL ' || substring(version() FROM '[0-9][^ ]*')"), ids $(sql -c "SELECT extversion FROM pg_extension WHERE extname = 'ids'")"
{
  cat <<EOF
# Benchmarks

Measured by \`make bench\` with $rows rows, on $machine, $(uname -sm).

The [README](../README.md) shows the pictures. A ratio such as \`ulid / uuid\` compares a type with a built-in one: below 1 it costs less.
It is the median over at least $repetitions repetitions, in which the types took turns. Unless a row says otherwise, the figure of a
built-in type is the CPU time of the backend in ns per row. \`uuid\` is made by \`gen_random_uuid()\`, \`bigint\` by \`nextval()\`,
\`uuidv7\` by PostgreSQL 18's own \`uuidv7()\`. The quartiles and more figures are in [benchmarks.csv](benchmarks.csv).
$(psql -X -v chosen=true -f test/bench/report.sql)

## Many sessions that insert

Many sessions insert ulids about as fast as random uuids, although all of them append to the index. Single-row inserts a second with
\`synchronous_commit = off\`; in brackets the share of samples in which a session waited for a page (\`BufferContent\`).

$(cat "$directory/contention")
EOF
  [ ! -f "$directory/missed.table" ] || cat <<EOF

## Rows that a reader misses

16 sessions insert one row per transaction and commit after a random time. Every 10 ms a reader asks for the rows above the greatest id
that it has seen. With \`ulid_settled()\` it misses none.

$(cat "$directory/missed.table")
EOF
} >doc/benchmarks.md

# What to draw: label, median, quartiles, 1 for ours.
label="CASE name WHEN 'bigint' THEN 'nextval()' WHEN 'uuidv7' THEN 'uuidv7() of 18' ELSE generator END"
ours="(generator ~ '^gen_' AND name <> 'uuid')::int"
drawn() { # measurement expression
  sql -F '|' -c "SELECT $label, q[2], least(q[1], q[3]), greatest(q[1], q[3]), $ours FROM identifier JOIN
    (SELECT name, percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY $2) AS q FROM result WHERE measurement = '$1' GROUP BY name) m USING (name) ORDER BY q[2] DESC"
}
drawn 'generate: marginal cost of a call' value >"$directory/cost"
drawn 'insert with a primary key' '1e6 / value' >"$directory/rows"
drawn 'size of the primary key, bytes a row' value >"$directory/size"
pictures=(cost insert)
if [ -f "$directory/missed.table" ]; then
  sql -F '|' -c "SELECT format('%s, commits within %s ms', reader, delay), q[2], q[1], q[3], (reader <> 'id > last')::int FROM (
    SELECT reader, delay, percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY 100 * missed / written) AS q FROM missed GROUP BY 1, 2) m ORDER BY q[2] DESC, delay DESC, reader" >"$directory/settled"
  pictures+=(settled)
fi
MACHINE=$machine gnuplot -c test/bench/pictures.gp "$directory"
for picture in "${pictures[@]}"; do
  title=$(sed -n "s|.*!\[\(.*\)\](doc/$picture.svg)|\1|p" README.md)
  sed -e "s|<title>Gnuplot</title>|<title>$title</title>|" -e 's|<title>data [^<]*</title>||; /<desc>/d' "$directory/$picture.svg" >"doc/$picture.svg"
done
echo 'wrote doc/benchmarks.md, doc/benchmarks.csv and the pictures'
