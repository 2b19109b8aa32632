# Citus: a coordinator and two workers, set up by the statements of doc/citus.md, and a third worker that is added later.
needs citus.control
node() {
  server "$1" 'shared_preload_libraries = citus' 'wal_level = logical' 'max_connections = 300' 'max_prepared_transactions = 300' "citus.node_conninfo = 'sslmode=prefer'" \
    'citus.enable_statistics_collection = off' "ids.node_id = $2"
  sql -c 'CREATE EXTENSION citus'
}
add() { sql -c "SELECT FROM citus_add_node('127.0.0.1', $(port_of "$1"))"; }
on_all() { sql -c "SELECT string_agg(DISTINCT result, ' ') FROM run_command_on_all_nodes(\$command\$$1\$command\$)"; }
plan() { sql -c 'SET citus.propagate_set_commands = local' -c 'BEGIN' -c 'SET LOCAL enable_seqscan = off' -c "EXPLAIN (COSTS OFF) $1"; }
node worker_1 1
node worker_2 2
node worker_3 3
node coordinator 0
version=$(version_of citus)
sed -n '/^```sql$/,/^```$/ { /^```/! p }' doc/citus.md |
  sed "s/'coordinator', 5432/'127.0.0.1', $PGPORT/; s/'worker-1', 5432/'127.0.0.1', $(port_of worker_1)/; s/'worker-2', 5432/'127.0.0.1', $(port_of worker_2)/" |
  sql >"$directory/citus.out"

is 'the extension is on all nodes' "$(on_all "SELECT extversion FROM pg_extension WHERE extname = 'ids'")" "$(version_of ids)"
add worker_3
sql -c "SELECT rebalance_table_shards('customer', shard_transfer_mode => 'block_writes')" >/dev/null 2>&1
is 'and on a worker that is added later' "$(on_all "SELECT extversion FROM pg_extension WHERE extname = 'ids'")" "$(version_of ids)"
is 'each has its node id' "$(on_all 'SHOW ids.node_id')" '0 1 2 3'

# Shards, and the queries that are sent to them.
sql <<'SQL'
CREATE TABLE made (tenant int, id ulid DEFAULT gen_ulid(), number snowflake DEFAULT gen_snowflake(), short tbsl DEFAULT gen_tbsl(), PRIMARY KEY (tenant, id));
CREATE TABLE visit (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), customer ulid);
SELECT FROM create_distributed_table('made', 'tenant');
SELECT FROM create_distributed_table('visit', 'id');
INSERT INTO visit (customer) SELECT id FROM customer;
SQL
is 'shards are on all workers' "$(sql -c "SELECT count(DISTINCT nodename || nodeport) FROM citus_shards WHERE table_name = 'customer'::regclass")" 3
is 'a join of co-located and reference tables' "$(sql -c 'SELECT count(*), sum(amount) FROM customer c JOIN invoice i ON i.customer = c.id JOIN country ON country.id = c.country')" '20000|20000'
one=$(sql -c 'SELECT id FROM customer LIMIT 1')
is 'a query for one customer goes to one shard' "$(plan "SELECT FROM customer c JOIN invoice i ON i.customer = c.id WHERE c.id = '$one' AND i.id >= now() - interval '1 hour'" |
  grep -oE 'Task Count: 1$|Index Cond: .*ulid_first.*')" "Task Count: 1
Index Cond: ((customer = '$one'::ulid) AND (id >= ulid_first((now() - '01:00:00'::interval))))"
for time in "id >= '2026-11-01 00:00:00+00'::timestamptz" "id >= now() - interval '1 hour'" "id <@ tstzrange(now() - interval '1 hour', now())"; do
  is "on the shards, $time is an index condition" "$(plan "SELECT count(*) FROM customer WHERE $time" | grep -c 'Index Cond: ((*id >= ')" 1
done
is 'so are the boundaries of a uuid' "$(plan "SELECT count(*) FROM visit WHERE id >= uuidv7_first(now() - interval '1 hour')" | grep -c 'Index Cond: (id >= uuidv7_first')" 1

# Where ids are made, and that no two are equal.
sql -c 'INSERT INTO made SELECT i % 100 FROM generate_series(1, 100000) i' -c "\\copy made (tenant) FROM PROGRAM 'seq 100000'"
is 'the coordinator makes the ids of rows that it sends' "$(sql -c "SELECT string_agg(DISTINCT (snowflake_parts(number)).random::text, ' ') FROM made")" 0
sql -c 'INSERT INTO made SELECT tenant FROM made'
is 'the workers make the ids of rows that they read' "$(sql -c "SELECT string_agg(DISTINCT (snowflake_parts(number)).random::text, ' ' ORDER BY (snowflake_parts(number)).random::text) FROM made")" '0 1 2 3'
is 'each id once' "$(sql -c 'SELECT count(*), count(DISTINCT id), count(DISTINCT number), count(DISTINCT short) FROM made')" '400000|400000|400000|400000'
sql -c 'ALTER DATABASE postgres SET ids.node_id = 9'
is 'a setting of the database is the same on all nodes' "$(on_all 'SHOW ids.node_id')" 9
sql -c 'INSERT INTO made (tenant) SELECT tenant FROM made'
is 'with the same node id, there are duplicate snowflakes' "$(sql -c 'SELECT count(*), count(DISTINCT id), count(DISTINCT number) < count(*) FROM made')" '800000|800000|t'
sql -c 'ALTER DATABASE postgres RESET ids.node_id'

# Partitions: a default partition, rows, a foreign key to the table, another owner, a distributed schema.
sql -v password="$PGPASSWORD" <<'SQL'
CREATE TABLE log_rest PARTITION OF log DEFAULT;
CALL ids_create_partitions('log', '1 month', '2025-01-01', '2025-03-01');
INSERT INTO log (id) SELECT gen_ulid('2025-01-01'::timestamptz + i * interval '1 hour') FROM generate_series(1, 2000) i;
CREATE TABLE measure (tenant int, id uuid DEFAULT gen_uuidv7(), PRIMARY KEY (tenant, id)) PARTITION BY RANGE (id);
CREATE TABLE detail (tenant int, measure uuid, FOREIGN KEY (tenant, measure) REFERENCES measure);
SELECT FROM create_distributed_table('measure', 'tenant');
SELECT FROM create_distributed_table('detail', 'tenant', colocate_with => 'measure');
CREATE ROLE regress_ids_user LOGIN PASSWORD :'password';
ALTER TABLE detail OWNER TO regress_ids_user;
GRANT CREATE ON SCHEMA public TO regress_ids_user;
ALTER TABLE measure OWNER TO regress_ids_user;
CALL ids_create_partitions('measure', '1 month', '2025-01-01', now());
CALL ids_drop_partitions('measure', '2025-02-01');
CALL ids_drop_partitions('measure', '2025-03-01', detach => true);
SET citus.enable_schema_based_sharding = on;
CREATE SCHEMA one_tenant;
CREATE TABLE one_tenant.log (id ulid PRIMARY KEY DEFAULT gen_ulid()) PARTITION BY RANGE (id);
CALL ids_create_partitions('one_tenant.log', '1 month', '2025-01-01', now());
CALL ids_drop_partitions('one_tenant.log', '2025-02-01');
SQL
is 'rows are in their partitions, the rest in the default' "$(sql -c 'SELECT (SELECT count(*) FROM log_20250101), (SELECT count(*) FROM log_20250201), (SELECT count(*) FROM log_rest)')" '743|672|585'
is 'a time is read from its partition' "$(plan "SELECT count(*) FROM log WHERE id <@ '[2025-01-01, 2025-02-01)'" | grep -oE 'log_[0-9]{8}' | sort -u)" log_20250101
is 'partitions of the other owner, of the schema' "$(sql -c "SELECT min(partition::text), count(*) > 20 FROM ids_partitions('measure') UNION ALL SELECT min(partition::text), count(*) > 20 FROM ids_partitions('one_tenant.log')")" 'measure_20250301|t
one_tenant.log_20250201|t'
is 'they belong to that owner' "$(sql -c "SELECT DISTINCT relowner::regrole FROM ids_partitions('measure') JOIN pg_class ON oid = partition")" regress_ids_user
is 'they are on the workers, too' "$(on_all "SELECT count(*) > 20 FROM ids_partitions('one_tenant.log')" | tr -d ' ' )" t

# What Citus refuses or does differently.
refused() { is "$1" "$(sql -c "$2" 2>&1 | sed -n 's/^ERROR: *//p')" "$3"; }
refused 'an update by a generator' 'UPDATE customer SET name = gen_ulid()' 'functions used in UPDATE queries on distributed tables must not be VOLATILE'
refused 'another type for the distribution column' 'ALTER TABLE customer ALTER id TYPE uuid' 'cannot execute ALTER TABLE command involving partition column'
for merge in 'customer USING invoice i ON customer.id = i.customer WHEN NOT MATCHED THEN INSERT (id) VALUES (gen_ulid())' \
  'invoice USING customer c ON c.id = customer WHEN NOT MATCHED THEN INSERT (customer) VALUES (c.id)' \
  'invoice USING customer c ON c.id = customer AND c.id >= now() WHEN MATCHED THEN UPDATE SET amount = 2'; do
  refused "MERGE INTO $merge" "MERGE INTO $merge" 'non-IMMUTABLE functions are not yet supported in MERGE sql with distributed tables'
done
sql -c "MERGE INTO invoice USING customer c ON c.id = customer WHEN MATCHED AND c.id >= '2020-01-01'::timestamptz THEN UPDATE SET amount = 2"
is 'a merge with a constant time' "$(sql -c 'SELECT sum(amount) FROM invoice')" 40000
for query in 'timestamptz) AS SELECT count(*) FROM customer WHERE id >= ' 'tstzrange) AS SELECT count(*) FROM customer WHERE id <@ ' \
  'ulid) AS SELECT count(*) FROM customer WHERE id > ' 'int) AS SELECT count(*) FROM made WHERE tenant > '; do
  refused "a generic plan for a parameter of several shards: $query" "SET plan_cache_mode = force_generic_plan; PREPARE query ($query\$1; EXECUTE query (NULL)" \
    'could not create distributed plan'
done
for _ in $(seq 7); do echo 'EXECUTE query (now() - $$1 hour$$::interval);'; done >"$directory/execute.sql"
is 'without force_generic_plan it works' "$(sql -c 'PREPARE query (timestamptz) AS SELECT count(*) FROM customer WHERE id >= $1' -f "$directory/execute.sql" | sort -u)" 1000
sql -c 'ALTER TABLE country ADD code ulid DEFAULT gen_ulid()'
is 'a new column of a reference table has different values on each node' "$(on_all 'SELECT min(code) FROM country' | wc -w)" 4

# A reader of new rows while 16 clients write through all machines.
cat >"$directory/write.sql" <<'SQL'
\set wait random(0, 30)
\set how random(1, 5)
BEGIN;
INSERT INTO event SELECT FROM generate_series(1, 100);
SAVEPOINT one;
\if :how < 3
INSERT INTO event SELECT gen_ulid() FROM country;
\endif
\sleep :wait ms
\if :how = 1
ROLLBACK;
\elif :how = 2
ROLLBACK TO one;
COMMIT;
\else
COMMIT;
\endif
INSERT INTO event DEFAULT VALUES;
SQL
announce() {
  background psql -X -q -c 'CALL announce_settled()' 2>/dev/null
  announcer=${processes[0]}
}
stop_announcing() {
  sql -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'CALL announce_settled%'" >/dev/null
  wait "$announcer" || true
}
# read_new FILE CONDITION: goes on from the last id in the file.
read_new() {
  local last
  last=$(tail -n 1 "$1")
  sql -c "SELECT id FROM event WHERE id > '${last:-00000000000000000000000000}' AND $2 ORDER BY id" >>"$1"
}
below='id < (SELECT min(id) FROM settled)'
touch "$directory/read" "$directory/naive"
# Above all ids that exist.
all_settled() { await "SELECT id > (SELECT max(id) FROM event) FROM settled" t; }
announce
for name in coordinator worker_1 worker_2 worker_3; do
  PGOPTIONS="$PGOPTIONS -c citus.max_adaptive_executor_pool_size=2" "$bin/pgbench" -p "$(port_of "$name")" -n -c 4 -T 10 -f "$directory/write.sql" postgres >"$directory/pgbench_$name.log" 2>&1 &
  writers+=($!)
done
while kill -0 "${writers[@]}" 2>/dev/null; do
  read_new "$directory/read" "$below"
  read_new "$directory/naive" true
done
for writer in "${writers[@]}"; do wait "$writer"; done
all_settled
read_new "$directory/read" "$below"
read_new "$directory/naive" true
rows=$(sql -c 'SELECT count(*) FROM event')
echo "  new rows: $rows, of which a reader by id > last misses $((rows - $(wc -l <"$directory/naive")))"
is 'a reader of new rows misses none' "$(wc -l <"$directory/read")" "$rows"
is 'and reads none twice' "$(sort -uc "$directory/read" && echo in order)" 'in order'
is 'a reader by id > last misses some' "$([ "$(wc -l <"$directory/naive")" -lt "$rows" ] && echo some)" some
is 'the bound is computed once, and is an index condition on the shards' "$(plan "SELECT FROM event WHERE $below" |
  grep -oE 'Distributed Subplan|Index Cond: .*' | sed 's/Subplan.*/Subplan/')" "Distributed Subplan
Index Cond: (id < \$0)"
refused 'ulid_settled() in a query on a distributed table' 'SELECT FROM event WHERE id < ulid_settled()' 'function pg_catalog.ulid_settled(oid) does not exist'

# A transaction is committed on the coordinator, but a worker has lost its connection before it heard of that.
sql -c "ALTER SYSTEM SET synchronous_standby_names = 'none'" -c 'ALTER SYSTEM SET citus.recover_2pc_interval = -1' -c 'SELECT FROM pg_reload_conf()'
sql -c 'INSERT INTO event SELECT FROM generate_series(1, 100)' 2>/dev/null &
writer=$!
await 'SELECT count(*) > 0 FROM pg_prepared_xacts' t -p "$(port_of worker_2)"
await "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'" t
sql -p "$(port_of worker_2)" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'PREPARE TRANSACTION%'" >/dev/null
sql -c 'ALTER SYSTEM RESET synchronous_standby_names' -c 'SELECT FROM pg_reload_conf()'
wait "$writer"
sql -c 'INSERT INTO event DEFAULT VALUES'
sleep 3
is 'some of its rows are below all answers, but not yet visible' "$(sql -c "SELECT count(*) BETWEEN $rows + 1 AND $rows + 99 FROM event
  WHERE id < (SELECT min(result::ulid) FROM run_command_on_all_nodes('SELECT ulid_settled()'))")" t
read_new "$directory/read" "$below"
is 'a reader reads none of them' "$(wc -l <"$directory/read")" "$rows"
is 'the transaction is completed' "$(sql -c 'SELECT recover_prepared_transactions() > 0')" t
all_settled
read_new "$directory/read" "$below"
is 'and then read as a whole' "$(wc -l <"$directory/read")" "$((rows + 101))"
stop_announcing
writers=()

# A shard moves, with all that is co-located, while clients write.
for writer in 1 2; do
  until [ -e "$directory/enough" ]; do echo "INSERT INTO invoice (customer) VALUES ('$one') RETURNING id;"; done | sql >"$directory/written_$writer" &
  writers[writer]=$!
done
sleep 1
sql <<SQL
SELECT shardid, nodename, nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('customer', '$one') \gset
SELECT nodename AS to, nodeport AS to_port FROM citus_get_active_worker_nodes() n (nodename, nodeport) WHERE nodeport <> :nodeport LIMIT 1 \gset
SELECT FROM citus_move_shard_placement(:shardid, :'nodename', :nodeport, :'to', :to_port, 'force_logical');
SQL
touch "$directory/enough"
for writer in 1 2; do
  status=0 && wait "${writers[writer]}" || status=$?
  is 'no write has failed' "$status" 0
done
written=$(cat "$directory"/written_* | wc -l)
is 'all rows exist, each once' "$(sql -c "SELECT count(*) - 20, count(DISTINCT id) - 20 FROM invoice WHERE customer = '$one'")" "$written|$written"

# Two million rows.
for key in 'ulid gen_ulid()' 'bigint nextval($$numbers$$)' 'uuid gen_random_uuid()'; do
  read -r type default <<<"$key"
  sql -c 'CREATE SEQUENCE IF NOT EXISTS numbers' -c "CREATE TABLE by_$type (id $type PRIMARY KEY DEFAULT $default, n int)" -c "SELECT FROM create_distributed_table('by_$type', 'id')"
  began=$(date +%s%N)
  sql -c "\\copy by_$type (n) FROM PROGRAM 'seq 2000000'"
  echo "  $type: $((2000000 * 1000 / (($(date +%s%N) - began) / 1000000))) rows a second"
  is "$type: 2 million rows" "$(sql -c "SELECT count(*) FROM by_$type")" 2000000
done

# If the extension was created before Citus, a new worker gets it with the first table that uses it.
for name in worker_1 coordinator; do
  use "$name"
  sql -c 'CREATE DATABASE later'
  [ "$name" = worker_1 ] || sql -d later -c 'CREATE EXTENSION ids'
  sql -d later -c 'CREATE EXTENSION citus'
done
export PGDATABASE=later
add worker_1
is 'created before Citus: not on the worker' "$(sql -c "SELECT result FROM run_command_on_workers('SELECT count(*) FROM pg_extension WHERE extname = ''ids''')")" 0
sql -c 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid())' -c "SELECT FROM create_distributed_table('item', 'id')" -c 'INSERT INTO item SELECT FROM generate_series(1, 100)'
is 'but with the first table' "$(sql -c "SELECT result FROM run_command_on_workers('SELECT count(*) FROM pg_extension WHERE extname = ''ids''')")" 1
