# Patroni with etcd and three members, all with the node id of the shared configuration: failovers while clients write, to a member
# whose clock is behind. With synchronous replication, a reader by ulid_settled() loses nothing. The rows that an asynchronous
# failover loses are counted and printed.
needs patroni etcd pkill
faketime=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null) || exit 77
version=$(patroni --version | sed 's/^patroni //')

# The clock of a member is turned by its file clock.
turn() { echo "$2" >"$directory/$1.new" && mv "$directory/$1.new" "$directory/clock_$1"; }
mkdir "$directory/bin" "$directory/etcd"
chown --reference="$directory" "$directory/etcd"
chmod 700 "$directory/etcd"
ln -s "$bin"/* "$directory/bin"
rm "$directory/bin/postgres"
cat >"$directory/bin/postgres" <<SH
#!/bin/sh
[ -z "\$MEMBER" ] || export LD_PRELOAD=$faketime FAKETIME_TIMESTAMP_FILE=$directory/clock_\$MEMBER FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1 TZ=UTC
exec $bin/postgres "\$@"
SH
chmod 755 "$directory/bin" "$directory/bin/postgres"

client=$(free_port)
background etcd --data-dir="$directory/etcd" --listen-client-urls="http://127.0.0.1:$client" --advertise-client-urls="http://127.0.0.1:$client" \
  --listen-peer-urls="http://127.0.0.1:$(free_port)" >"$directory/etcd.log" 2>&1

declare -A port rest patroni
# member NAME: starts the member's Patroni, which creates or starts its server.
member() {
  turn "$1" +0
  MEMBER=$1 background patroni "$directory/$1.yml" >>"$directory/$1.log" 2>&1
  patroni[$1]=${processes[0]}
}
for name in one two three; do
  port[$name]=$(free_port) rest[$name]=$(free_port)
  {
    cat <<YML
scope: ids
name: $name
restapi: {listen: '127.0.0.1:${rest[$name]}', connect_address: '127.0.0.1:${rest[$name]}'}
etcd3: {host: '127.0.0.1:$client'}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 5
    postgresql:
      use_pg_rewind: true
      parameters:
        ids.node_id: 7
        fsync: off
        wal_keep_size: 1GB
        unix_socket_directories: ''
YML
    for setting in "${settings[@]}"; do echo "        ${setting/ = /: }"; done
    cat <<YML
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, no-sync]
  pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256']
postgresql:
  listen: 127.0.0.1:${port[$name]}
  connect_address: 127.0.0.1:${port[$name]}
  data_dir: $directory/member_$name
  bin_dir: $directory/bin
  pgpass: $directory/pgpass_$name
  authentication:
    superuser: {username: postgres, password: $PGPASSWORD}
    replication: {username: replicator, password: $PGPASSWORD}
YML
  } >"$directory/$name.yml"
done

# Waits until one of these members is the leader.
await_leader() {
  for _ in $(seq 600); do
    for leader; do
      PGPORT=${port[$leader]} && export PGPORT
      if [ "$(sql -c 'SELECT NOT pg_is_in_recovery()' 2>/dev/null)" = t ]; then return; fi
    done
    sleep 0.1
  done
  echo "none of these became the leader: $*" && exit 1
}
# Waits until the leader has two standbys, then turns their clocks back, by more than a failover takes.
await_standbys() {
  await "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name IN ('one', 'two', 'three')" 2
  for name in one two three; do [ "$name" = "$leader" ] || turn "$name" "$1"; done
}
# A client that writes to whichever member is the leader, and stores the ulids that it knows to be committed. While it inserts, others
# commit greater ids than its first.
write() {
  while [ ! -e "$directory/enough" ]; do
    while [ ! -e "$directory/enough" ]; do echo 'INSERT INTO made SELECT FROM generate_series(1, 10) i, pg_sleep(i * 0.002) RETURNING ulid;'; done |
      PGHOST=$hosts PGPORT=$ports PGTARGETSESSIONATTRS=read-write sql 2>/dev/null || sleep 0.1
  done >"$directory/acknowledged_$1"
}
# A reader of the leader's rows in the order of their ids. It never goes back below the last row that it has read.
read_settled() {
  local last=00000000000000000000000000 final=
  until [ -n "$final" ]; do
    [ ! -e "$directory/all_written" ] || final=yes
    sql -c "SELECT ulid FROM made WHERE ulid > '$last' AND ulid < ulid_settled() ORDER BY ulid" >"$directory/rows" 2>/dev/null || final=
    cat "$directory/rows" >>"$directory/read"
    last=$(tail -n 1 "$directory/read")
  done
}
# Kills the leader and its Patroni while clients write: failover OTHERS...
failover() {
  rm -f "$directory/enough" "$directory/all_written" "$directory/read"
  PGHOST=$hosts PGPORT=$ports PGTARGETSESSIONATTRS=read-write read_settled &
  reader=$!
  for writer in 1 2 3; do write "$writer" & writers[writer]=$!; done
  sleep 3
  killed=$leader
  pkill -KILL -P "${patroni[$killed]}"
  as_postgres "$bin/pg_ctl" -D "$directory/member_$killed" -s stop -m immediate
  await_leader "$@"
  sleep 3
  touch "$directory/enough"
  wait "${writers[@]}"
  touch "$directory/all_written"
  wait "$reader"
  is "rows of the new leader, and its node id" "$(sql -c "SELECT count(*) > 100, min((snowflake_parts(snowflake)).random), max((snowflake_parts(snowflake)).random)
    FROM made WHERE timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8)")" 't|7|7'
  is 'no id is below an id of an earlier leader' "$(sql <<'SQL'
SELECT count(*) FROM (SELECT ulid <= max(ulid) OVER earlier AS ulid, scru160 <= max(scru160) OVER earlier AS scru160, tbsl <= max(tbsl) OVER earlier AS tbsl,
    uuidv7::ulid <= max(uuidv7::ulid) OVER earlier AS uuidv7, snowflake <= max(snowflake) OVER earlier AS snowflake
  FROM made WINDOW earlier AS (ORDER BY timeline GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) made
WHERE ulid OR scru160 OR tbsl OR uuidv7 OR snowflake
SQL
)" 0
  is 'no id occurs twice' "$(sql -c 'SELECT count(*) - count(DISTINCT ulid), count(*) - count(DISTINCT scru160), count(*) - count(DISTINCT tbsl),
    count(*) - count(DISTINCT uuidv7), count(*) - count(DISTINCT snowflake) FROM made')" '0|0|0|0|0'
  lost=$(sql <<SQL
CREATE TEMP TABLE acknowledged (ulid ulid);
CREATE TEMP TABLE were_read (ulid ulid);
\copy acknowledged FROM PROGRAM 'cat $directory/acknowledged_*'
\copy were_read FROM $directory/read
SELECT format('%s acknowledged rows are not there, nor are %s that were read; %s rows were not read, %s twice',
  (SELECT count(*) FROM acknowledged LEFT JOIN made USING (ulid) WHERE made IS NULL), (SELECT count(*) FROM were_read LEFT JOIN made USING (ulid) WHERE made IS NULL),
  (SELECT count(*) FROM made LEFT JOIN were_read r USING (ulid) WHERE r IS NULL), (SELECT count(*) - count(DISTINCT ulid) FROM were_read));
SQL
)
}

hosts=127.0.0.1,127.0.0.1,127.0.0.1 ports=${port[one]},${port[two]},${port[three]}
member one
await_leader one
sql <<'SQL'
CREATE EXTENSION ids;
CREATE TABLE made (timeline text DEFAULT left(pg_walfile_name(pg_current_wal_lsn()), 8), ulid ulid PRIMARY KEY DEFAULT gen_ulid(), scru160 scru160 DEFAULT gen_scru160(),
  tbsl tbsl DEFAULT gen_tbsl(), uuidv7 uuid DEFAULT gen_uuidv7(), snowflake snowflake DEFAULT gen_snowflake());
INSERT INTO made SELECT FROM generate_series(1, 10000);
SQL
member two
member three
await_standbys -120
is 'one node id for all' "$(for name in one two three; do PGPORT=${port[$name]} sql -c 'SHOW ids.node_id'; done | sort -u)" 7
failover two three
echo "  asynchronous: $lost"

patronictl -c "$directory/one.yml" edit-config --force -s synchronous_mode=true >"$directory/patronictl.log"
member "$killed"
await_standbys -300
await "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'" 1
failover $(printf '%s\n' one two three | grep -vx "$leader")
is 'synchronous' "$lost" '0 acknowledged rows are not there, nor are 0 that were read; 0 rows were not read, 0 twice'
