# wal2json writes ids as strings.
[ -e "$libdir/wal2json.so" ] || exit 77
version=$(dpkg-query -W -f '${Version}' "postgresql-$major-wal2json" 2>/dev/null | sed 's/-.*//')
server main 'wal_level = logical'
sql -c 'CREATE EXTENSION ids' -c 'CREATE TABLE item (id ulid PRIMARY KEY, at tbsl)' -c "SELECT FROM pg_create_logical_replication_slot('wal2json', 'wal2json')" \
  -c "INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3', '25BF6196C8D6107ABCDE'); DELETE FROM item"
is 'ids are strings' "$(sql -c "SELECT c ->> 'action', c -> 'columns' -> 0 ->> 'value', c -> 'columns' -> 1 ->> 'value', c -> 'identity' -> 0 ->> 'value'
  FROM pg_logical_slot_get_changes('wal2json', NULL, NULL, 'format-version', '2') g, LATERAL (SELECT g.data::jsonb) d (c) WHERE c ->> 'action' IN ('I', 'D')")" \
  "I|01AN4Z07BY79KA1307SR9X4MV3|25BF6196C8D6107ABCDE|
D|||01AN4Z07BY79KA1307SR9X4MV3"
