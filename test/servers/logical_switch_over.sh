# A subscriber whose clock is five minutes behind takes over, in the steps of doc/servers.md: first a subscriber that was made by
# CREATE SUBSCRIPTION and, from PostgreSQL 17 on, one that was made by pg_createsubscriber.
faketime=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null) || exit 77
version=$("$bin/postgres" --version | sed 's/.*) //; s/ .*//')
behind() { LD_PRELOAD=$faketime FAKETIME=-300s DONT_FAKE_MONOTONIC=1 TZ=UTC "$@"; }
insert() { sql -c 'INSERT INTO item SELECT FROM generate_series(1, 1000)'; }
server old 'wal_level = logical' 'ids.node_id = 1'
sql <<'SQL'
CREATE EXTENSION ids;
CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), short tbsl DEFAULT gen_tbsl(), number snowflake DEFAULT gen_snowflake(), visit uuid DEFAULT gen_uuidv7());
SQL

for how in 'CREATE SUBSCRIPTION' pg_createsubscriber; do
  use old
  insert
  case $how in
    'CREATE SUBSCRIPTION')
      server subscriber 'wal_level = logical' 'ids.node_id = 2'
      control subscriber stop
      behind control subscriber start
      (use old && "$bin/pg_dump" --schema-only) | sql >"$directory/restore.log"
      (use old && sql -c 'CREATE PUBLICATION item FOR TABLE item')
      sql -c "CREATE SUBSCRIPTION item CONNECTION 'host=127.0.0.1 port=$(port_of old) user=postgres password=$PGPASSWORD dbname=postgres' PUBLICATION item"
      await "SELECT DISTINCT srsubstate FROM pg_subscription_rel" r
      new=subscriber
      ;;
    pg_createsubscriber)
      if [ ! -x "$bin/pg_createsubscriber" ]; then
        echo '  pg_createsubscriber: not installed; PostgreSQL 17 and later have it'
        continue
      fi
      copy standby --write-recovery-conf
      conf standby 'max_logical_replication_workers = 8' 'max_worker_processes = 16'
      behind as_postgres "$bin/pg_createsubscriber" -D "$directory/standby" -P "host=127.0.0.1 port=$PGPORT user=postgres password=$PGPASSWORD dbname=postgres" \
        -d postgres -s "$directory" --subscription=item2 --replication-slot=item2 --publication=item2 >"$directory/pg_createsubscriber.log" 2>&1
      behind control standby start
      new=standby
      ;;
  esac

  # 1 and 2: the writers have stopped, and everything has arrived
  use old
  insert
  before=$(sql -c 'SELECT count(*) FROM item')
  await "SELECT bool_and(confirmed_flush_lsn >= pg_current_wal_lsn()) FROM pg_replication_slots" t
  use "$new"
  is "$how: all tables are copied" "$(sql -c "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel")" t
  is "$how: all rows exist" "$(sql -c 'SELECT count(*) FROM item')" "$before"
  # 3
  sql -c "DROP SUBSCRIPTION $(sql -c 'SELECT subname FROM pg_subscription')"
  is "$how: new ids would be below" "$(sql -c 'SELECT gen_ulid() < max(id), gen_tbsl() < max(short), gen_snowflake() < max(number) FROM item')" 't|t|t'
  # 4 and 5
  sql -c 'CREATE TABLE replicated AS SELECT * FROM item' -c 'SELECT ids_advance_clock((SELECT max(id)::timestamptz FROM item))' >/dev/null
  insert
  is "$how: after ids_advance_clock() they are above" "$(sql -c 'SELECT min(i.id) > max(r.id), min(i.short) > max(r.short), min(i.number) > max(r.number), min(i.visit::ulid) > max(r.visit::ulid)
    FROM (SELECT * FROM item EXCEPT TABLE replicated) i, (SELECT max(id) AS id, max(short) AS short, max(number) AS number, max(visit::ulid)::uuid AS visit FROM replicated) r')" 't|t|t|t'
  is "$how: and no id twice" "$(sql -c 'SELECT count(*) - count(DISTINCT id), count(*) - count(DISTINCT short), count(*) - count(DISTINCT number), count(*) - count(DISTINCT visit) FROM item')" '0|0|0|0'
done
