# pg_partman refuses our types. From 5.2 on it accepts a uuid, if it is told how to read its time.
needs pg_partman.control pg_cron.control
server main
sql -c 'CREATE EXTENSION ids' -c 'CREATE SCHEMA partman' -c 'CREATE EXTENSION pg_partman SCHEMA partman'
version=$(version_of pg_partman)
if printf '5.2\n%s\n' "$version" | sort -VC; then
  sql <<'SQL'
CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE visit (id uuid PRIMARY KEY DEFAULT gen_uuidv7()) PARTITION BY RANGE (id);
SELECT FROM partman.create_parent('public.visit', p_control => 'id', p_interval => '1 month',
  p_time_encoder => 'uuidv7_first', p_time_decoder => 'partman.uuid7_time_decoder', p_start_partition => (now() - interval '6 months')::text);
INSERT INTO visit SELECT gen_uuidv7(now() - i * interval '1 day') FROM generate_series(0, 150) i;
INSERT INTO visit DEFAULT VALUES;
UPDATE partman.part_config SET premake = 6, retention = '3 months', retention_keep_table = false;
SELECT FROM partman.run_maintenance();
SQL
  is 'refuses a ulid' "$(sql -c "SELECT partman.create_parent('public.log', 'id', '1 month')" 2>&1 | grep -c '^ERROR')" 1
  is 'creates partitions ahead, drops old ones' "$(sql -c "SELECT min(lower(times)) BETWEEN now() - interval '5 months' AND now() - interval '3 months',
    max(upper(times)) > now() + interval '6 months' FROM ids_partitions('visit') WHERE times IS NOT NULL")" 't|t'
  is 'rows are in the partitions of their times' "$(sql -c "SELECT count(*) FILTER (WHERE tableoid = 'visit_default'::regclass), count(*) > 90 FROM visit")" '0|t'
  is 'partition_data_time refuses a uuid before 5.3' "$(sql -c "SELECT partman.partition_data_time('public.visit')" 2>&1 | grep -c '^ERROR')" \
    "$(printf '5.3\n%s\n' "$version" | sort -VC; echo $?)"
  # As doc/managed.md has it, with the script in place of the extension. The last statement there is a job of pg_cron, for every hour.
  server rented 'shared_preload_libraries = pg_cron' 'cron.database_name = postgres' 'cron.use_background_workers = on' 'max_worker_processes = 40'
  sql -1 -f doc/managed.sql -c 'CREATE SCHEMA partman' -c 'CREATE EXTENSION pg_partman SCHEMA partman' -c 'CREATE EXTENSION pg_cron'
  sed -n '/^## Partitions/,/^## /{/^```$/,/^```$/{/^```/d;p}}' doc/managed.md | sql >/dev/null
  sql -c 'INSERT INTO visit DEFAULT VALUES' -c 'UPDATE partman.part_config SET premake = 6' -c "SELECT cron.alter_job(jobid, '* * * * *') FROM cron.job" >/dev/null
  await "SELECT status, return_message FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')" 'succeeded|CALL'
  is 'the job creates partitions' "$(sql -c "SELECT to_regclass(to_char(date_trunc('month', now()) + interval '6 months', '\"visit_p\"YYYYMM01'))")" "visit_p$(date -d "$(date +%Y-%m-15) 6 months" +%Y%m01)"
  is 'with the script, rows are in the partitions of their times' "$(sql -c "SELECT tableoid::regclass::text = to_char(now(), '\"visit_p\"YYYYMM01') FROM visit")" t
else
  sql -c 'CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)'
  is 'refuses a ulid' "$(sql -c "SELECT partman.create_parent('public.log', 'id', 'native', 'monthly')" 2>&1 | grep -c '^ERROR')" 1
fi
