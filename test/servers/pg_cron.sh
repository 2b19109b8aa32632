# pg_cron runs both procedures, each as a job, and the announcer of doc/managed.md in a database without the extension.
needs pg_cron.control
server main 'shared_preload_libraries = pg_cron' 'cron.database_name = postgres' 'cron.use_background_workers = on' 'max_worker_processes = 40'
sql <<'SQL'
CREATE EXTENSION ids;
CREATE EXTENSION pg_cron;
CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2020-01-01', '2020-03-01');
SQL
sql -c 'CREATE DATABASE rented TEMPLATE template0'
{ cat doc/managed.sql && sed -n '/^CREATE TABLE settled/,/^END/p' doc/managed.md; } | sql -d rented
sql -c "SELECT FROM cron.schedule_in_database('announce', '* * * * *', 'CALL announce_settled()', 'rented')"
# The jobs of doc/servers.md, every minute
sed -n "/cron.schedule/,/;\$/ { s/'[05] \*/'* */; p }" doc/servers.md | sql >/dev/null
is 'three jobs' "$(sql -c 'SELECT count(*) FROM cron.job')" 3
version=$(version_of pg_cron)
await "SELECT count(DISTINCT jobid) FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')" 3
is 'jobs' "$(sql -c "SELECT DISTINCT status, return_message FROM cron.job_run_details WHERE status <> 'running' ORDER BY 1")" 'succeeded|CALL'
is 'partitions' "$(sql -c "SELECT count(*) BETWEEN 4 AND 5, bool_and(upper(times) > now()) FROM ids_partitions('log')")" 't|t'
is 'announced' "$(sql -d rented -c 'SELECT count(*) FROM settled')" 1
