-- Measures the identifier types against the built-in ones in one run, by the CPU time of the backend. The variables rows and
-- repetitions say how much to measure, seconds how long a measurement may be repeated; the results go to the table result.
\set QUIET on
\set ON_ERROR_STOP on
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET work_mem = '1GB';
SET maintenance_work_mem = '1GB';
SET client_min_messages = warning;
SET TIME ZONE 'UTC';
CREATE EXTENSION pgstattuple;

CREATE SEQUENCE numbers;
-- past makes an id of the time at. Ids that were made in one burst would have the same first bytes, unlike the ids of a year.
CREATE TABLE identifier (n int GENERATED ALWAYS AS IDENTITY, name text, generator text, past text, type text);
INSERT INTO identifier (name, generator, past, type) VALUES
  ('uuid', 'gen_random_uuid()', 'gen_random_uuid()', 'uuid'),
  ('bigint', 'nextval(''numbers'')', 'nextval(''numbers'')', 'bigint');
-- Ours: the first generator of each type, with the name of the type if that is ours, too.
INSERT INTO identifier (name, generator, past, type)
  SELECT CASE proname WHEN 'gen_' || typname THEN typname ELSE proname END, proname || '()', proname || '(at)', typname FROM (
    SELECT DISTINCT ON (prorettype) p.oid, proname, typname
    FROM pg_extension e JOIN pg_depend ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
      JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_type t ON prorettype = t.oid
    WHERE extname = 'ids' AND proname ~ '^gen_' AND pronargs = 0
    ORDER BY prorettype, p.oid) generator
  ORDER BY oid;
INSERT INTO identifier (name, generator, past, type)
  SELECT 'uuidv7', 'uuidv7()', 'uuidv7(at - now())', 'uuid' WHERE current_setting('server_version_num')::int >= 180000;

-- The comparisons, in the order of the report: each type against the built-in type that is passed in the same way.
CREATE TABLE comparison (n int GENERATED ALWAYS AS IDENTITY, name text, built_in text);
INSERT INTO comparison (name, built_in)
  SELECT name, CASE WHEN typbyval THEN 'bigint' ELSE 'uuid' END FROM identifier JOIN pg_type t ON t.oid = type::regtype
  WHERE name NOT IN ('uuid', 'bigint') ORDER BY typbyval, identifier.n;
INSERT INTO comparison (name, built_in) VALUES ('gen_uuidv7', 'uuidv7'), ('ulid', 'bigint');
INSERT INTO comparison (name, built_in) SELECT name, 'timestamptz' FROM identifier WHERE name = type AND past ~ 'at\)' ORDER BY n;
INSERT INTO comparison (name, built_in) VALUES
  ('codokey', 'date text'), ('nextval()', 'SELECT 1'),
  ('gen_random_uuid()', 'SELECT 1'), ('gen_ulid()', 'SELECT 1');

CREATE TABLE contestant AS SELECT name, generator, past, type FROM identifier ORDER BY n;
SET bench.subject = 'Generating';
CREATE TABLE result (
  n int GENERATED ALWAYS AS IDENTITY, subject text DEFAULT current_setting('bench.subject'),
  measurement text, name text, repetition int, value float8);
-- How far the middle half of the values spreads, over their median.
CREATE VIEW spread AS
  SELECT subject, measurement, name, (q[3] - q[1]) / nullif(abs(q[2]), 0) AS spread
  FROM (SELECT subject, measurement, name, percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY value) AS q
    FROM result GROUP BY subject, measurement, name) quartiles;

CREATE FUNCTION cpu_ns() RETURNS float8 LANGUAGE sql VOLATILE AS
  $$SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 100), ' ', 1)::float8$$;
CREATE FUNCTION cost(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE before float8 := cpu_ns();
BEGIN
  EXECUTE statement;
  RETURN cpu_ns() - before;
END $$;

-- Fills in {T}, the contestant's name, {type}, {gen} and {past}.
CREATE FUNCTION filled(template text, c contestant) RETURNS text LANGUAGE sql AS
  $$SELECT replace(replace(replace(replace(template, '{T}', c.name), '{type}', c.type),
      '{gen}', c.generator), '{past}', coalesce(c.past, ''))$$;

-- Runs the two statements for each contestant in turn, and notes by how many ns per row the first takes longer than less. This is
-- done repetitions times, and then until the values of each contestant spread by less than a twentieth or the seconds are over.
CREATE PROCEDURE measure(what text, rows float8, repetitions int, statement text,
  less text DEFAULT 'SELECT', setup text DEFAULT 'SELECT')
  LANGUAGE plpgsql AS $$
DECLARE
  c contestant;
  ns float8;
  repetition int := 0;
  until timestamptz := clock_timestamp() + current_setting('bench.seconds')::int * interval '1 second';
BEGIN
  LOOP
    repetition := repetition + 1;
    FOR c IN SELECT * FROM contestant LOOP
      EXECUTE filled(setup, c);
      ns := cost(filled(statement, c)) - cost(filled(less, c));
      INSERT INTO result (measurement, name, repetition, value) VALUES (what, c.name, repetition, ns / rows);
      COMMIT;
    END LOOP;
    EXIT WHEN repetition >= repetitions AND (clock_timestamp() > until OR NOT EXISTS (
      SELECT FROM spread WHERE measurement = what AND subject = current_setting('bench.subject') AND spread > 0.05));
  END LOOP;
END $$;
SET bench.seconds = :seconds;

\echo '... cost of generating'
SELECT format('SELECT count(*) FROM generate_series(1, %s) WHERE ', :rows / 2) AS scan \gset
CALL measure('generate: marginal cost of a call', :rows / 2 * 7, :repetitions,
  :'scan' || 'num_nonnulls(' || repeat('{gen}, ', 7) || '{gen}) < 0',
  :'scan' || 'num_nonnulls({gen}) < 0');

\echo '... making tables'
-- A row every 10 ms.
SELECT format($$CREATE UNLOGGED TABLE ordered_%1$s AS SELECT i, %2$s AS id
  FROM (SELECT i, '2026-01-01'::timestamptz + i * interval '10 ms' AS at FROM generate_series(1, %3$s) i) s$$,
    name, past, 2 * :rows) FROM contestant \gexec
SELECT format($$CREATE UNLOGGED TABLE shuffled_%1$s AS SELECT id, id::text AS text FROM ordered_%1$s ORDER BY hashint4(i)$$,
  name) FROM contestant \gexec
SELECT format($$CREATE UNLOGGED TABLE copied_%s (id %s)$$, name, type) FROM contestant \gexec
VACUUM ANALYZE;

\echo '... text and JSON'
SET bench.subject = 'Text, JSON and COPY';
-- Eight conversions a row, so that the other work for a row does not hide them.
SELECT format('SELECT count(*) FROM (SELECT * FROM shuffled_{T} LIMIT %s) s WHERE ', :rows / 2) AS scan \gset
CALL measure('text out', :rows / 2 * 8, :repetitions,
  :'scan' || 'num_nonnulls(' || repeat('id::text, ', 7) || 'id::text) < 0',
  :'scan' || 'num_nonnulls(' || repeat('id, ', 7) || 'id) < 0');
CALL measure('text in', :rows / 2 * 8, :repetitions,
  :'scan' || 'num_nonnulls(' || repeat('text::{type}, ', 7) || 'text::{type}) < 0',
  :'scan' || 'num_nonnulls(' || repeat('text, ', 7) || 'text) < 0');
CALL measure('row_to_json of a row with an id', :rows, :repetitions,
  format('SELECT count(row_to_json(s)) FROM (SELECT id FROM shuffled_{T} LIMIT %s) s', :rows));
CALL measure('to_jsonb of an id', :rows, :repetitions,
  format('SELECT count(to_jsonb(id)) FROM (SELECT id FROM shuffled_{T} LIMIT %s) s', :rows));

\echo '... COPY'
CALL measure('COPY out, text', 2 * :rows, :repetitions, 'COPY shuffled_{T} (id) TO ''/dev/null''');
CALL measure('COPY out, binary', 2 * :rows, :repetitions, 'COPY shuffled_{T} (id) TO ''/dev/null'' (FORMAT binary)');
SELECT format($$COPY shuffled_%1$s (id) TO '%2$s/%1$s.text'$$, name, :'directory') FROM contestant \gexec
SELECT format($$COPY shuffled_%1$s (id) TO '%2$s/%1$s.binary' (FORMAT binary)$$, name, :'directory') FROM contestant \gexec
CALL measure('COPY in, text', 2 * :rows, :repetitions,
  format('COPY copied_{T} FROM ''%s/{T}.text''', :'directory'), setup => 'TRUNCATE copied_{T}');
CALL measure('COPY in, binary', 2 * :rows, :repetitions,
  format('COPY copied_{T} FROM ''%s/{T}.binary'' (FORMAT binary)', :'directory'), setup => 'TRUNCATE copied_{T}');

\echo '... sorting and indexing'
SET bench.subject = 'Sorting and indexing';
CALL measure('ORDER BY, shuffled', 2 * :rows, :repetitions, 'SELECT count(*) FROM (SELECT id FROM shuffled_{T} ORDER BY id OFFSET 0) s');
CALL measure('ORDER BY, ordered', 2 * :rows, :repetitions, 'SELECT count(*) FROM (SELECT id FROM ordered_{T} ORDER BY id OFFSET 0) s');
CALL measure('CREATE INDEX, shuffled', 2 * :rows, :repetitions,
  'CREATE INDEX made ON shuffled_{T} (id)', setup => 'DROP INDEX IF EXISTS made');
CALL measure('CREATE INDEX, ordered', 2 * :rows, :repetitions,
  'CREATE INDEX made ON ordered_{T} (id)', setup => 'DROP INDEX IF EXISTS made');
DROP INDEX made;

\echo '... GiST, with btree_gist for the built-in types'
SET bench.subject = 'GiST, with btree_gist for the built-in types';
CREATE EXTENSION btree_gist;
CALL measure('CREATE INDEX, shuffled', 2 * :rows, :repetitions,
  'CREATE INDEX made ON shuffled_{T} USING gist (id)', setup => 'DROP INDEX IF EXISTS made');
CALL measure('CREATE INDEX, ordered', 2 * :rows, :repetitions,
  'CREATE INDEX made ON ordered_{T} USING gist (id)', setup => 'DROP INDEX IF EXISTS made');
DROP INDEX made;
SELECT format('CREATE INDEX gist_%1$s ON ordered_%1$s USING gist (id)', name) FROM contestant \gexec
INSERT INTO result (measurement, name, repetition, value)
  SELECT 'size of the index, bytes a row', name, 1, pg_relation_size(format('gist_%s', name)) / (2.0 * :rows) FROM contestant;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT format('SELECT count(*) FROM (SELECT id FROM shuffled_{T} LIMIT %s) s WHERE id IS NOT NULL', :rows / 5) AS wanted \gset
CALL measure('lookup', :rows / 5, :repetitions,
  :'wanted' || ' AND EXISTS (SELECT FROM ordered_{T} o WHERE o.id = s.id OFFSET 0)', :'wanted');
RESET enable_seqscan; RESET enable_bitmapscan;
SELECT format('DROP INDEX gist_%s', name) FROM contestant \gexec

\echo '... joining and grouping'
SET bench.subject = 'Joining and grouping';
SET enable_mergejoin = off; SET enable_nestloop = off;
CALL measure('hash join', 2 * :rows, :repetitions, 'SELECT count(*) FROM ordered_{T} a JOIN shuffled_{T} b USING (id)');
RESET enable_mergejoin; RESET enable_nestloop;
SET enable_sort = off;
CALL measure('hash aggregate', 2 * :rows, :repetitions, 'SELECT count(*) FROM (SELECT FROM shuffled_{T} GROUP BY id) g');
RESET enable_sort;

\echo '... inserting with a primary key'
SET bench.subject = 'Inserting';
CREATE FUNCTION pg_temp.make(name text, type text, generator text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS item_%s', name);
  EXECUTE format('CREATE TABLE item_%s (id %s PRIMARY KEY DEFAULT %s, payload int)', name, type, generator);
END $$;
CALL measure('insert with a primary key', :rows, :repetitions,
  format('INSERT INTO item_{T} (payload) SELECT generate_series(1, %s)', :rows),
  setup => 'SELECT pg_temp.make(''{T}'', ''{type}'', $g${gen}$g$)');
INSERT INTO result (measurement, name, repetition, value)
  SELECT 'size of the primary key, bytes a row', name, 1,
  pg_relation_size(format('item_%s_pkey', name)) / :rows::float8 FROM contestant;
INSERT INTO result (measurement, name, repetition, value)
  SELECT 'leaf density of the primary key, %', name, 1, avg_leaf_density FROM contestant, pgstatindex(format('item_%s_pkey', name));
-- Each contestant's statement, on a new table.
CREATE PROCEDURE wal(what text, rows int, statement text) LANGUAGE plpgsql AS $$
DECLARE c contestant; before pg_lsn;
BEGIN
  FOR c IN SELECT * FROM contestant LOOP
    PERFORM pg_temp.make(c.name, c.type, c.generator);
    COMMIT;
    CHECKPOINT;
    before := pg_current_wal_insert_lsn();
    EXECUTE filled(statement, c);
    INSERT INTO result (measurement, name, repetition, value)
      VALUES (what || ', bytes a row', c.name, 1, (pg_current_wal_insert_lsn() - before) / rows::float8);
    COMMIT;
  END LOOP;
END $$;
CALL wal('WAL', :rows, format('INSERT INTO item_{T} (payload) SELECT generate_series(1, %s)', :rows));
SELECT format($$COPY item_%1$s TO '%2$s/%1$s.items'$$, name, :'directory') FROM contestant
  UNION ALL SELECT format($$COPY item_uuid (payload) TO '%s/payloads'$$, :'directory') \gexec
CALL wal('WAL of COPY, ids by DEFAULT', :rows, format('COPY item_{T} (payload) FROM ''%s/payloads''', :'directory'));
CALL wal('WAL of COPY, ids in the file', :rows, format('COPY item_{T} FROM ''%s/{T}.items''', :'directory'));
SELECT format('DROP TABLE item_%s, copied_%1$s', name) FROM contestant \gexec
VACUUM ANALYZE;

\echo '... three tables with foreign keys'
SET bench.subject = 'Three tables with foreign keys';
-- Customers with three invoices of four lines each. Each customer is read with its invoices and lines, changed, and loses a line.
CREATE PROCEDURE make_mixed(c contestant) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP SCHEMA IF EXISTS mixed_%s CASCADE', c.name);
  EXECUTE format('CREATE SCHEMA mixed_%s', c.name);
  EXECUTE format('SET LOCAL search_path = mixed_%s, public', c.name);
  EXECUTE format('CREATE TABLE customer (id %s PRIMARY KEY DEFAULT %s, name text)', c.type, c.generator);
  EXECUTE format('CREATE TABLE invoice (id %s PRIMARY KEY DEFAULT %s, customer %1$s NOT NULL REFERENCES customer, total int)',
    c.type, c.generator);
  EXECUTE format('CREATE TABLE line (id %s PRIMARY KEY DEFAULT %s, invoice %1$s NOT NULL REFERENCES invoice, price int)',
    c.type, c.generator);
  CREATE INDEX ON invoice (customer);
  CREATE INDEX ON line (invoice);
  EXECUTE format($f$
    CREATE FUNCTION work(customers int) RETURNS void LANGUAGE plpgsql SET search_path = mixed_%s, public AS $w$
    DECLARE new_customer %s; last_line %2$s;
    BEGIN
      FOR i IN 1 .. customers LOOP
        INSERT INTO customer (name) VALUES ('somebody') RETURNING id INTO new_customer;
        INSERT INTO invoice (customer, total) SELECT new_customer, 0 FROM generate_series(1, 3);
        INSERT INTO line (invoice, price) SELECT invoice.id, n FROM invoice, generate_series(1, 4) n WHERE customer = new_customer;
        UPDATE invoice SET total = 10 WHERE customer = new_customer;
        SELECT line.id INTO last_line FROM customer JOIN invoice ON customer = customer.id JOIN line ON invoice = invoice.id
          WHERE customer.id = new_customer ORDER BY line.id DESC LIMIT 1;
        DELETE FROM line WHERE id = last_line;
        PERFORM FROM customer WHERE id = new_customer;
      END LOOP;
    END $w$ $f$, c.name, c.type);
END $$;
CREATE PROCEDURE mix(customers int, repetitions int) LANGUAGE plpgsql AS $$
DECLARE c contestant; before pg_lsn; ns float8;
BEGIN
  FOR repetition IN 1 .. repetitions LOOP
    FOR c IN SELECT * FROM contestant LOOP
      CALL make_mixed(c);
      COMMIT;
      before := pg_current_wal_insert_lsn();
      ns := cost(format('SELECT mixed_%s.work(%s)', c.name, customers));
      INSERT INTO result (measurement, name, repetition, value) VALUES
        ('CPU time, us a customer', c.name, repetition, ns / customers / 1000),
        ('WAL, bytes a customer', c.name, repetition, (pg_current_wal_insert_lsn() - before) / customers::float8);
      INSERT INTO result (measurement, name, repetition, value)
        SELECT 'tables and indexes, bytes a customer', c.name, repetition, sum(pg_total_relation_size(oid)) / customers
        FROM pg_class WHERE relnamespace = format('mixed_%s', c.name)::regnamespace AND relkind = 'r';
      COMMIT;
    END LOOP;
  END LOOP;
END $$;
CHECKPOINT;
CALL mix(:rows / 100, :repetitions);
SELECT format('DROP SCHEMA mixed_%s CASCADE', name) FROM contestant \gexec

\echo '... times'
SET bench.subject = 'Times';
-- Each type beside an indexed timestamptz, over the last 28 hours.
SELECT string_agg(format('%s_first(at) AS %1$s', name), ', ' ORDER BY n) AS ids FROM comparison WHERE built_in = 'timestamptz' \gset
CREATE UNLOGGED TABLE timed AS SELECT i, at, :ids
  FROM (SELECT i, now() - i * interval '100800 seconds' / (2 * :rows) AS at FROM generate_series(2 * :rows, 1, -1) i) s;
SELECT format('CREATE INDEX ON timed (%I)', name) FROM comparison WHERE built_in = 'timestamptz'
  UNION ALL SELECT 'CREATE INDEX ON timed (at)' \gexec
CREATE TABLE span AS SELECT tstzrange(at, at + interval '10 minutes') AS r FROM timed WHERE i % (:rows / 50) = 0;
VACUUM ANALYZE timed, span;
DELETE FROM contestant;
INSERT INTO contestant (name, generator, type) VALUES ('timestamptz', 'at', 'at >= lower(r) AND at < upper(r)');
INSERT INTO contestant (name, generator, type) SELECT name, name, name || ' <@ r' FROM comparison WHERE built_in = 'timestamptz' ORDER BY n;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
CALL measure('the last hour without an index, per row read', 2 * :rows, :repetitions,
  $$SELECT count(*) FROM timed WHERE {gen} >= now() - interval '1 hour'$$);
CALL measure('the last hour as a range without an index, per row read', 2 * :rows, :repetitions,
  $$SELECT count(*) FROM timed WHERE {gen} <@ tstzrange(now() - interval '1 hour', now())$$);
RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan;
SET enable_seqscan = off;
CALL measure('the last 14 hours by the index, per row found', :rows, :repetitions,
  $$SELECT count(*) FROM timed WHERE {gen} >= now() - interval '14 hours'$$);
CALL measure('join with 100 ranges of 10 minutes, per row found', 2 * :rows / 28.0 / 6 * 100, :repetitions,
  'SELECT count(*) FROM span JOIN timed ON {type}');
RESET enable_seqscan;

\echo '... date keys'
SET bench.subject = 'Date keys';
CREATE UNLOGGED TABLE dated AS SELECT at, to_char(at, 'YYYYMMDD') AS day, codokey(at) AS key FROM timed;
DROP TABLE timed, span;
VACUUM ANALYZE dated;
DELETE FROM contestant;
INSERT INTO contestant (name, generator, type) VALUES
  ('date text', 'to_char(at, ''YYYYMMDD'')', 'to_timestamp(day, ''YYYYMMDD'')'),
  ('codokey', 'codokey(at)', 'codokey_extract_timestamp(key)');
CALL measure('made', 2 * :rows, :repetitions, 'SELECT count({gen}) FROM dated', 'SELECT count(at) FROM dated');
CALL measure('read', 2 * :rows, :repetitions, 'SELECT count({type}) FROM dated', 'SELECT count(at) FROM dated');
DROP TABLE dated;

\echo '... a day among a year'
SET bench.subject = 'BRIN';
-- Ten times the rows over 350 days; the built-in is a uuid of the same bytes.
CREATE UNLOGGED TABLE aged AS SELECT
  ulid_first('2026-01-01'::timestamptz + i * (interval '8400 hours' / (10 * :rows))) AS ulid
  FROM generate_series(1, 10 * :rows) i;
ALTER TABLE aged ADD uuid uuid GENERATED ALWAYS AS (ulid::uuid) STORED;
CREATE INDEX ON aged USING brin (ulid);
CREATE INDEX ON aged USING brin (uuid);
VACUUM ANALYZE aged;
DELETE FROM contestant;
INSERT INTO contestant (name, generator, type) VALUES
  ('uuid', 'uuid >= ulid_first(%1$L)::uuid AND uuid < ulid_first(%2$L)::uuid', ''),
  ('ulid', 'ulid <@ tstzrange(%1$L, %2$L)', '');
CREATE FUNCTION pg_temp.plan(condition text, since text, until text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT FROM aged WHERE ' || format(condition, since, until) INTO plan;
  RETURN plan -> 0 -> 'Plan';
END $$;
INSERT INTO result (measurement, name, repetition, value)
  SELECT 'BRIN, one day of 350: pages read, %', name, 1,
    100 * ((plan ->> 'Lossy Heap Blocks')::float8 + (plan ->> 'Exact Heap Blocks')::float8) * 8192 / pg_relation_size('aged')
  FROM contestant, pg_temp.plan(generator, '2026-06-01', '2026-06-02') plan;
DROP TABLE aged;

\echo '... the planner'
SET bench.subject = 'Planning';
-- Three times the rows, from 2026 until now: queries about the present are at the end of the statistics, as in a live
-- table.
CREATE UNLOGGED TABLE planned AS SELECT i, i % 5000 AS k, at, ulid_first(at) AS id, gen_random_uuid() AS uuid
  FROM (SELECT i, '2026-01-01'::timestamptz + i * ((now() - '2026-01-01') / (3 * :rows)) AS at FROM generate_series(1, 3 * :rows) i) s;
CREATE INDEX ON planned (at);
CREATE INDEX ON planned (id);
CREATE INDEX ON planned (uuid);
CREATE INDEX ON planned (k);
VACUUM ANALYZE planned;
CREATE FUNCTION pg_temp.explain(options text, query text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE format('EXPLAIN (%s, FORMAT json) %s', options, query) INTO plan;
  RETURN plan -> 0;
END $$;
DELETE FROM contestant;
INSERT INTO contestant (name, generator, type) VALUES
  ('timestamptz', '%1$sat >= %2$L AND %1$sat < %3$L', ''), ('ulid', '%1$sid >= %2$L::timestamptz AND %1$sid < %3$L::timestamptz', '');
INSERT INTO result (measurement, name, repetition, value)
  SELECT format('rows of %s: worst estimate of 20, off by a factor of', width), name, 1, max(greatest(expected / really, really / expected))
  FROM unnest(ARRAY['1 minute', '1 hour', '1 day', '7 days', '30 days']) WITH ORDINALITY w (width, n),
    generate_series(0, 19) place, contestant,
    LATERAL (SELECT '2026-01-02 03:07'::timestamptz + place * interval '15 days' AS since) s,
    LATERAL (SELECT pg_temp.explain('ANALYZE, TIMING off',
      'SELECT FROM planned WHERE ' || format(generator, '', since, since + width::interval)) -> 'Plan' AS plan) p,
    LATERAL (SELECT (plan ->> 'Plan Rows')::float8 AS expected, greatest((plan ->> 'Actual Rows')::float8, 1) AS really) r
  GROUP BY n, width, name ORDER BY n, name;
INSERT INTO result (measurement, name, repetition, value)
  SELECT format('join of two windows of %s: ms', width), name, repetition, (plan ->> 'Execution Time')::float8
  FROM unnest(ARRAY['1 day', '2 days']) WITH ORDINALITY w (width, n), generate_series(1, 3 * :repetitions) repetition, contestant,
    pg_temp.explain('ANALYZE, TIMING off', format('SELECT /* %s */ FROM planned a JOIN planned b USING (k) WHERE %s AND %s', repetition,
      format(generator, 'a.', '2026-03-01', '2026-03-01'::timestamptz + width::interval),
      format(generator, 'b.', '2026-07-01', '2026-07-01'::timestamptz + width::interval))) plan
  ORDER BY n, repetition, name;
CREATE FUNCTION pg_temp.planning_us(query text, times int) RETURNS float8 LANGUAGE sql AS
  $$SELECT 1000 * avg((pg_temp.explain('SUMMARY', query) ->> 'Planning Time')::float8) FROM generate_series(1, times)$$;
INSERT INTO result (measurement, name, repetition, value)
  SELECT measurement, name, repetition, pg_temp.planning_us('SELECT FROM planned WHERE ' || condition, 1000)
  FROM (VALUES
    (1, 'planning of a lookup: us', 'uuid', $$uuid = '01234567-89ab-cdef-0123-456789abcdef'$$),
    (2, 'planning of a lookup: us', 'ulid', $$id = '01M6A6FT000000000000000000'$$),
    (3, 'planning of a window: us', 'timestamptz', $$at >= '2026-03-01' AND at < '2026-03-02'$$),
    (4, 'planning of a window: us', 'ulid', $$id >= timestamptz '2026-03-01' AND id < timestamptz '2026-03-02'$$),
    (5, 'planning of a window from now(): us', 'timestamptz', $$at >= now() - interval '1 day' AND at < now()$$),
    (6, 'planning of a window from now(): us', 'ulid', $$id >= now() - interval '1 day' AND id < now()$$),
    (7, 'planning of a range from now(): us', 'timestamptz', $$at >= now() - interval '1 day' AND at < now()$$),
    (8, 'planning of a range from now(): us', 'ulid', $$id <@ tstzrange(now() - interval '1 day', now())$$)
  ) q (n, measurement, name, condition),
    generate_series(1, 3 * :repetitions) repetition
  ORDER BY (n + 1) / 2, repetition, n;
DROP TABLE planned;

\echo '... planning with partitions'
SET bench.subject = 'Planning with partitions';
-- One for each day of 2026. Those that a window from now() does not need are pruned when it is run, the others when it is planned.
CREATE TABLE by_at (at timestamptz PRIMARY KEY) PARTITION BY RANGE (at);
CREATE TABLE by_id (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE by_at_%s PARTITION OF by_at FOR VALUES FROM (%L) TO (%L)', i, at, at + interval '1 day')
  FROM generate_series(0, 364) i, LATERAL (SELECT '2026-01-01'::timestamptz + i * interval '1 day' AS at) s \gexec
CALL ids_create_partitions('by_id', '1 day', '2026-01-01', '2027-01-01');
INSERT INTO by_at SELECT generate_series('2026-01-01', '2026-12-31', interval '10 minutes');
INSERT INTO by_id SELECT ulid_first(at) FROM by_at;
VACUUM ANALYZE by_at, by_id;
INSERT INTO result (measurement, name, repetition, value)
  SELECT measurement, name, repetition, pg_temp.planning_us(query, times)
  FROM (VALUES
    (1, 'planning of a day among 365 partitions: us', 'timestamptz', 500, $$SELECT FROM by_at WHERE at >= '2026-03-01' AND at < '2026-03-02'$$),
    (2, 'planning of a day among 365 partitions: us', 'ulid', 500, $$SELECT FROM by_id WHERE id >= timestamptz '2026-03-01' AND id < timestamptz '2026-03-02'$$),
    (3, 'planning of a month: us', 'timestamptz', 50, $$SELECT FROM by_at WHERE at >= '2026-03-01' AND at < '2026-04-01'$$),
    (4, 'planning of a month: us', 'ulid', 50, $$SELECT FROM by_id WHERE id >= timestamptz '2026-03-01' AND id < timestamptz '2026-04-01'$$),
    (5, 'planning of a day until now(): us', 'timestamptz', 5, $$SELECT FROM by_at WHERE at >= now() - interval '1 day' AND at < now()$$),
    (6, 'planning of a day until now(): us', 'ulid', 5, $$SELECT FROM by_id WHERE id >= now() - interval '1 day' AND id < now()$$)
  ) q (n, measurement, name, times, query),
    generate_series(1, 3 * :repetitions) repetition
  ORDER BY (n + 1) / 2, repetition, n;
DROP TABLE by_at, by_id;
