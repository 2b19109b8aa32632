# TimescaleDB: a uuid of version 7 needs nothing; a ulid needs a function that reads its time.
needs timescaledb.control
server main 'shared_preload_libraries = timescaledb' 'timescaledb.telemetry_level = off'
sql <<'SQL'
CREATE EXTENSION ids;
CREATE EXTENSION timescaledb;
CREATE TABLE visit (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), n int);
CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int);
SELECT FROM create_hypertable('visit', 'id', chunk_time_interval => interval '1 day');
SELECT FROM create_hypertable('log', 'id', chunk_time_interval => interval '1 day', time_partitioning_func => 'ulid_extract_timestamp');
INSERT INTO visit SELECT gen_uuidv7(now() - i * interval '1 minute'), i % 10 FROM generate_series(1, 18000) i;
INSERT INTO log SELECT gen_ulid(now() - i * interval '1 minute'), i % 10 FROM generate_series(1, 18000) i;
INSERT INTO visit SELECT gen_uuidv7(now() - interval '3 days' + i * interval '1 ms'), i % 10 FROM generate_series(1, 100000) i;
INSERT INTO log SELECT gen_ulid(now() - interval '3 days' + i * interval '1 ms'), i % 10 FROM generate_series(1, 100000) i;
ANALYZE;
SQL
version=$(version_of timescaledb)
refused() { is "$1" "$(sql -c "$2" 2>&1 | sed -n 's/^ERROR: *//p')" "$3"; }
chunks() { sql -c "SELECT count(*) FROM show_chunks('$1')"; }
read_chunks() { sql -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM $1 WHERE $2" | grep -v 'never executed' | grep -cE '(Scan|ColumnarScan).* on _hyper'; }

# Which chunks a query reads: the last two days are in three.
of_visit=$(chunks visit) of_log=$(chunks log)
is 'chunks' "$((of_visit >= 13)) $((of_log >= 13))" '1 1'
is 'uuid: a constant excludes chunks' "$(read_chunks visit "id >= uuidv7_first('$(sql -c "SELECT now() - interval '2 days'")')")" 3
is 'uuid: so does now()' "$(read_chunks visit "id >= uuidv7_first(now() - interval '2 days')")" 3
is 'ulid: a constant excludes chunks' "$(read_chunks log "id >= '$(sql -c "SELECT now() - interval '2 days'")'::timestamptz")" 3
is 'ulid: now() excludes none' "$(read_chunks log "id >= now() - interval '2 days'")" "$of_log"
is 'ulid: but the cast does' "$(read_chunks log "id::timestamptz >= now() - interval '2 days'")" 3
both="id::timestamptz >= now() - interval '3 minutes' AND id >= now() - interval '3 minutes'"
is 'ulid: both exclude chunks and use the index' "$(($(read_chunks log "$both") <= 2)) $(sql -c 'SET enable_seqscan = off' -c "EXPLAIN SELECT FROM log WHERE $both" | grep -m 1 -c 'Index Cond: (id >= ')" '1 1'

# Continuous aggregates
sql -c "CREATE MATERIALIZED VIEW per_day WITH (timescaledb.continuous) AS SELECT time_bucket('1 day', id) AS day, count(*) FROM visit GROUP BY 1" \
  -c 'INSERT INTO visit DEFAULT VALUES' -c "CALL refresh_continuous_aggregate('per_day', NULL, NULL)"
is 'uuid: a continuous aggregate' "$(sql -c 'SELECT sum(count) FROM per_day')" 118001
refused 'ulid: no continuous aggregate' "CREATE MATERIALIZED VIEW log_per_day WITH (timescaledb.continuous) AS SELECT time_bucket('1 day', id::timestamptz) AS day, count(*) FROM log GROUP BY 1" \
  'custom partitioning functions not supported with continuous aggregates'

# Old chunks and compression
for table in visit log; do
  is "$table: drop_chunks" "$(sql -c "SELECT count(*) > 0 FROM drop_chunks('$table', older_than => now() - interval '10 days')")" t
  before=$(chunks $table)
  sql <<<"SELECT add_retention_policy('$table', drop_after => interval '5 days') AS job \\gset
CALL run_job(:job);"
  is "$table: retention" "$(($(chunks $table) < before))" 1
  rows=$(sql -c "SELECT count(*), md5(string_agg(id || ' ' || n, ',' ORDER BY id)) FROM $table") size=$(sql -c "SELECT hypertable_size('$table')")
  sql -c "ALTER TABLE $table SET (timescaledb.compress, timescaledb.compress_orderby = 'id')" -c "SELECT count(compress_chunk(c)) FROM show_chunks('$table') c" >/dev/null
  is "$table: the same rows, compressed" "$(sql -c "SELECT count(*), md5(string_agg(id || ' ' || n, ',' ORDER BY id)) FROM $table")" "$rows"
  is "$table: less than a third of the size" "$(sql -c "SELECT hypertable_size('$table') < $size / 3")" t
  echo "  $table: $size bytes, compressed $(sql -c "SELECT hypertable_size('$table')")"
  sql -c "INSERT INTO $table DEFAULT VALUES" -c "SELECT FROM add_compression_policy('$table', compress_after => interval '1 day')"
done
is 'ulid: compressed blocks are skipped by their smallest and greatest id' \
  "$(sql -c "EXPLAIN SELECT count(*) FROM log WHERE id >= now() - interval '2 days'" | grep -m 1 -c '_ts_meta_max_1 >= ulid_first')" 1
