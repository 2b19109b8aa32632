#!/bin/bash
# Measures the identifier types against the built-in ones on the server that PGHOST, PGPORT ... name, and writes
# doc/benchmarks.md and its plots. BENCH_ROWS (1,000,000) and BENCH_REPETITIONS (3) say how much.
set -euo pipefail

rows=${BENCH_ROWS:-1000000}
repetitions=${BENCH_REPETITIONS:-3}
directory=$(mktemp -d -t ids.bench.XXXXXX)
trap 'rm -rf "$directory"' EXIT
chmod 777 "$directory"
export PGOPTIONS='-c client_min_messages=warning'
sql() { psql -X -q -At -v ON_ERROR_STOP=1 "$@"; }

sql -c 'CREATE EXTENSION ids'
psql -X -v rows="$rows" -v repetitions="$repetitions" -v directory="$directory" -f test/bench/bench.sql

note() { # measurement name repetition value
  sql -c "INSERT INTO result (measurement, name, repetition, value) VALUES ('$1', '$2', $3, $4)"
}
# Transactions a second: sessions mode seconds script
tps() {
  pgbench -n -c "$1" -j "$1" -M "$2" -T "$3" -f "$4" | sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

echo '... several sessions'
mapfile -t names < <(sql -c 'SELECT name FROM identifier ORDER BY n')
for repetition in $(seq "$repetitions"); do
  for name in "${names[@]}"; do
    sql -c "SELECT format('SELECT count(%s) FROM generate_series(1, 100000);', generator) FROM identifier WHERE name = '$name'" >"$directory/script"
    one=$(tps 1 simple 1 "$directory/script")
    two=$(tps 2 simple 1 "$directory/script")
    note 'ids a second in 2 sessions over 1' "$name" "$repetition" "$two / $one"
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
    note 'point lookups a second' "$name" "$repetition" "$(tps 1 prepared 2 "$directory/script")"
  done
done

psql -X -f test/bench/report.sql >"$directory/report"
cat "$directory/report"

{
  cat <<EOF
# Benchmarks

Measured by \`make bench\` with $rows rows and $repetitions repetitions, on
$(sql -c "SELECT 'PostgreSQL ' || current_setting('server_version')"), $(uname -sm),
$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores.

Each figure is the CPU time of the backend, in ns per row for the built-in types and as a ratio to them for ours, in the same
repetition: the median and, in brackets, the least and the greatest. The types take turns within a repetition. Sizes are in bytes per
row; lookups, sessions, joins and planning are measured in elapsed time. \`uuid\` is made by \`gen_random_uuid()\`, \`bigint\` by
\`nextval\`, \`uuidv7\` by that of PostgreSQL 18; a date as text by \`to_char\` and read by \`to_timestamp\`.

\`\`\`
$(cat "$directory/report")
\`\`\`

![Cost of generating an id](cost.svg)

![Inserts with a primary key: rows a second and size of the index](insert.svg)
EOF
} >doc/benchmarks.md

median() { # measurement
  sql -F ' ' -c "SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM result WHERE measurement = '$1' GROUP BY name ORDER BY 2"
}
median 'generate: net of count(1)' >"$directory/cost"
sql -F ' ' -c "SELECT name, 1e6 / percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FILTER (WHERE measurement = 'insert with primary key'),
    max(value) FILTER (WHERE measurement = 'size of its index, bytes per row')
  FROM result GROUP BY name HAVING max(value) FILTER (WHERE measurement = 'size of its index, bytes per row') IS NOT NULL ORDER BY 2 DESC" >"$directory/insert"
gnuplot <<EOF
set terminal svg noenhanced size 720,360 font 'sans-serif,12' background 'white'
set style fill solid 0.8 noborder
set boxwidth 0.6
set grid ytics
set output 'doc/cost.svg'
set title 'Cost of generating an id (CPU time, net of the query)'
set ylabel 'ns'
set yrange [0:*]
set offsets graph 0, graph 0, graph 0.1, graph 0
plot '$directory/cost' using 0:2:xtic(1) with boxes notitle linecolor '#336791', '' using 0:2:(sprintf('%.0f', \$2)) with labels offset 0,0.7 notitle
unset offsets
set output 'doc/insert.svg'
set title 'Inserts with a primary key'
set ylabel 'thousand rows per CPU second'
set y2label 'bytes of index per row'
set ytics nomirror
set y2tics
set y2range [0:*]
set key outside top center horizontal
set boxwidth 0.35
plot '$directory/insert' using (\$0-0.2):2:xtic(1) with boxes title 'rows' linecolor '#336791', '' using (\$0+0.2):3 axes x1y2 with boxes title 'index' linecolor '#b0c4de'
EOF
echo 'wrote doc/benchmarks.md, doc/cost.svg and doc/insert.svg'
