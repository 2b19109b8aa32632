# Recovery to a point in time, from a base backup and archived WAL, on a server whose clock is five minutes behind. The old server goes
# on. A reader by ulid_settled() keeps its position in the database, another one keeps it elsewhere.
faketime=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null) || exit 77
version=$("$bin/postgres" --version | sed 's/.*) //; s/ .*//')
behind() { LD_PRELOAD=$faketime FAKETIME=-300s DONT_FAKE_MONOTONIC=1 TZ=UTC "$@"; }
insert() { sql -c 'INSERT INTO item SELECT FROM generate_series(1, 1000)'; }
# Reads new rows and stores the ids that it has read, in one transaction.
consume() {
  sql -c 'WITH batch AS (INSERT INTO read SELECT ulid FROM item WHERE ulid > (SELECT id FROM position) AND ulid < ulid_settled() RETURNING id)
    UPDATE position SET id = greatest(id, (SELECT max(id) FROM batch))'
}
is_read() { is "$1" "$(sql -c 'SELECT count(*) FILTER (WHERE read IS NULL), count(read) - count(DISTINCT ulid) FILTER (WHERE read IS NOT NULL) FROM item LEFT JOIN read ON id = ulid')" "$2"; }

as_postgres mkdir "$directory/archive"
server old 'archive_mode = on' "archive_command = 'cp %p $directory/archive/%f'" 'max_prepared_transactions = 2' 'ids.node_id = 1'
sql <<'SQL'
CREATE EXTENSION ids;
CREATE TABLE item (n bigserial PRIMARY KEY, ulid ulid DEFAULT gen_ulid(), scru160 scru160 DEFAULT gen_scru160(), tbsl tbsl DEFAULT gen_tbsl(),
  snowflake snowflake DEFAULT gen_snowflake(), uuidv7 uuid DEFAULT gen_uuidv7());
CREATE TABLE read (id ulid);
CREATE TABLE position AS SELECT ulid_first('-infinity') AS id;
SQL

# Before the point: 3,000 rows, of which 2,000 were read, because a prepared transaction holds the reader back
insert
copy recovered
insert
consume
sql -c 'BEGIN' -c 'INSERT INTO item DEFAULT VALUES' -c "PREPARE TRANSACTION 'left'"
insert
consume
is_read 'a prepared transaction holds the reader back' '1000|0'
point=$(sql -c 'SELECT clock_timestamp()')
# After it
sql -c "COMMIT PREPARED 'left'"
insert
consume
is_read 'the old server' '0|0'
elsewhere=$(sql -c 'SELECT id FROM position')
segment=$(sql -c 'SELECT pg_walfile_name(pg_switch_wal())')
await "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver" t
insert

conf recovered 'archive_mode = off' "restore_command = 'cp $directory/archive/%f %p'" "recovery_target_time = '$point'" \
  'recovery_target_action = promote' 'ids.node_id = 2'
as_postgres touch "$directory/recovered/recovery.signal"
behind control recovered start
use recovered
await 'SELECT pg_is_in_recovery()' f
is 'recovered up to the point' "$(sql -c 'SELECT count(*) FROM item')" 3000
is 'a prepared transaction stops readers' "$(sql -c "SELECT settled = ulid_first('-infinity'), gid FROM ulid_settled() settled, ids_unsettled() WHERE generator = 'ulid'")" 't|left'
sql -c "COMMIT PREPARED 'left'"
is 'a position that is kept elsewhere is ahead' "$(sql -c "SELECT '$elsewhere' > ulid_settled(), '$elsewhere' > gen_ulid()")" 't|t'
sql -c 'CREATE TABLE recovered AS SELECT * FROM item'
insert
consume
# Asked late, by the statement of doc/several-servers.md
above=$(sed -n '/^ *SELECT .* FROM pg_ls_waldir()/,/;/p' doc/several-servers.md | sql)
kept=$(sql -c "SELECT least('$elsewhere', '$above')")
is_read 'a position in the database' '0|0'
is 'a position that is kept elsewhere, set back and not' "$(sql -c "SELECT count(*) FILTER (WHERE ulid > '$kept'), count(*) FILTER (WHERE ulid > '$elsewhere')
  FROM (TABLE item EXCEPT TABLE recovered) new")" '1000|0'

columns='ulid scru160 tbsl snowflake uuidv7::ulid'
for column in $columns; do
  is "$column: new ones are above the recovered ones" "$(sql -c "SELECT count(*), min($column) > (SELECT max($column) FROM recovered) FROM (TABLE item EXCEPT TABLE recovered) new")" '1000|t'
done
sql -c 'CREATE TABLE old (LIKE item)'
(use old && sql -c 'COPY item TO STDOUT') | sql -c 'COPY old FROM STDIN'
for column in $columns; do
  is "$column: no id twice on both servers" "$(sql -c "SELECT count(*) - count(DISTINCT id) FROM (
    SELECT $column AS id FROM old UNION ALL SELECT $column FROM (TABLE item EXCEPT TABLE old) new) id")" 0
done
