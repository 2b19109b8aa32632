# pg_cron runs both procedures, each as a job.
needs pg_cron.control
server main 'shared_preload_libraries = pg_cron' 'cron.database_name = postgres' 'cron.use_background_workers = on' 'max_worker_processes = 40'
sql <<'SQL'
CREATE EXTENSION ids;
CREATE EXTENSION pg_cron;
CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
CALL ids_create_partitions('log', '1 month', '2020-01-01', '2020-03-01');
SQL
# The jobs of doc/servers.md, every minute
sed -n "/cron.schedule/,/;\$/ { s/'[05] \*/'* */; p }" doc/servers.md | sql >/dev/null
is 'two jobs' "$(sql -c 'SELECT count(*) FROM cron.job')" 2
version=$(version_of pg_cron)
await "SELECT count(DISTINCT jobid) FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')" 2
is 'jobs' "$(sql -c "SELECT DISTINCT status, return_message FROM cron.job_run_details WHERE status <> 'running' ORDER BY 1")" 'succeeded|CALL'
is 'partitions' "$(sql -c "SELECT count(*) BETWEEN 4 AND 5, bool_and(upper(times) > now()) FROM ids_partitions('log')")" 't|t'
