-- Prints doc/benchmarks.csv as Markdown tables, without the quartiles. A figure whose quartiles are further apart
-- than half of it is too uncertain, and is left out. chosen: whether to print only the subjects and types by which people choose.
\set QUIET on
CREATE TEMPORARY TABLE quartiles (
  n int GENERATED ALWAYS AS IDENTITY, subject text, measurement text, name text, built_in text, low float8, median float8, high float8);
\copy quartiles (subject, measurement, name, built_in, low, median, high) FROM doc/benchmarks.csv (FORMAT csv, HEADER)
-- What people choose a type by, and what the figures mean for them.
CREATE TEMPORARY TABLE meaning (subject text, text text);
INSERT INTO meaning VALUES
  ('Generating', NULL),
  ('Sorting and indexing', NULL),
  ('Joining and grouping', NULL),
  ('Inserting', NULL),
  ('Times', 'If a condition with a time uses an index, ids cost as much as a column of timestamptz. If each row is compared, ids cost a sixth more.'),
  ('Planning with partitions', 'If each day of a year has a partition, a plan costs about the same as with a column of timestamptz.'),
  ('Text, JSON and COPY', 'JSON with a ulid costs a third more than with a uuid, because PostgreSQL looks for a cast of each id: write `id::text`, which is cheaper.');
-- Two figures of built-in types and two comparisons stand in the CSV only.
CREATE TEMPORARY VIEW cell AS
  SELECT n, subject, measurement, heading,
    array_position(ARRAY['uuid', 'timestamptz', 'ulid / uuid', 'ulid / bigint', 'gen_uuidv7 / uuidv7'], heading) AS place,
    CASE
      WHEN median <= 0 OR high - low > median / 2 THEN NULL
      WHEN built_in IS NOT NULL OR median < 10 THEN round(median::numeric, 2)
      WHEN median < 100 THEN round(median::numeric, 1)
      ELSE round(median::numeric) END AS figure
  FROM (SELECT *, concat_ws(' / ', name, built_in) AS heading FROM quartiles) q
  WHERE heading NOT IN ('bigint', 'uuidv7', 'gen_uuidv7 / uuid', 'uuidv7 / uuid') AND NOT (:chosen AND name IN ('scru160', 'tbsl', 'snowflake'));
CREATE TEMPORARY VIEW line AS
  WITH heading AS (
    SELECT subject, heading, place, min(n) AS n FROM cell GROUP BY subject, heading, place HAVING count(figure) > 0
  ), measured AS (
    SELECT subject, measurement, min(n) AS n FROM cell
    WHERE NOT :chosen OR measurement NOT IN ('to_jsonb of an id', 'COPY out, binary', 'COPY in, binary', 'leaf density of the primary key, %')
    GROUP BY subject, measurement HAVING count(figure) > 0
  ), subjects AS (
    SELECT subject, m.n, string_agg(heading, ' | ' ORDER BY place, h.n) AS headings, count(*)::int AS columns
    FROM (SELECT subject, min(n) AS n FROM measured WHERE NOT :chosen OR subject IN (SELECT subject FROM meaning) GROUP BY subject) m
    JOIN heading h USING (subject) GROUP BY subject, m.n
  ), tables AS (   -- subjects with the same columns share one
    SELECT headings, columns, min(n) AS n, CASE WHEN count(*) = 1 THEN min(subject) WHEN headings ~ 'timestamptz' THEN 'Beside timestamptz' ELSE 'Beside uuid and bigint' END AS title,
      string_agg(text, E'\n\n' ORDER BY n) AS text
    FROM subjects LEFT JOIN meaning USING (subject) GROUP BY headings, columns
  )
  SELECT n AS subject_n, 0 AS part, 0 AS n, concat_ws(E'\n', E'\n## ' || title, E'\n' || text, '',
    '| | ' || headings || E' |\n|---|' || repeat('---|', columns)) AS line FROM tables
  UNION ALL
  SELECT t.n, 1, m.n, '| ' || measurement || ' | ' || string_agg(coalesce(c.figure::text, ''), ' | ' ORDER BY h.place, h.n) || ' |'
  FROM subjects s JOIN tables t USING (headings) JOIN measured m USING (subject) JOIN heading h USING (subject) LEFT JOIN cell c USING (subject, measurement, heading)
  GROUP BY t.n, m.n, measurement;
\pset tuples_only on
\pset format unaligned
SELECT line FROM line ORDER BY subject_n, part, n;
