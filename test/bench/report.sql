-- Prints the table result as one Markdown table per subject. Ratios are to the built-in type in the same repetition: the median
-- and, in brackets, the quartiles. A figure whose quartiles are further apart than half of it is too uncertain, and is left out.
\set QUIET on
\pset footer off
CREATE FUNCTION pg_temp.figure(value float8) RETURNS text LANGUAGE sql AS
  $$SELECT CASE WHEN value < 10 THEN round(value::numeric, 2)
      WHEN value < 100 THEN round(value::numeric, 1) ELSE round(value::numeric) END::text$$;
CREATE FUNCTION pg_temp.cell(q float8[], is_ratio boolean) RETURNS text LANGUAGE sql AS $$
  SELECT CASE
    WHEN q[2] <= 0 OR q[3] - q[1] > q[2] / 2 THEN NULL
    WHEN is_ratio AND q[1] < q[3] THEN format('%s (%s-%s)', round(q[2]::numeric, 2), round(q[1]::numeric, 2), round(q[3]::numeric, 2))
    WHEN is_ratio THEN round(q[2]::numeric, 2)::text
    ELSE pg_temp.figure(q[2]) END
$$;
CREATE TEMPORARY VIEW cell AS
  SELECT r.subject, measurement, r.name || ' / ' || b.name AS versus, 100 + c.n AS place, min(r.n) AS n,
    pg_temp.cell(percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY r.value / b.value), true) AS text
  FROM comparison c JOIN result r ON r.name = c.name JOIN result b USING (subject, measurement, repetition)
  WHERE b.value > 0 AND b.name = c.built_in
  GROUP BY r.subject, measurement, r.name, b.name, c.n
  UNION ALL
  SELECT subject, measurement, name, array_position(names, name), min(n),
    pg_temp.cell(percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY value), false)
  FROM result, (VALUES (ARRAY['uuid', 'bigint', 'uuidv7', 'timestamptz', 'date text', 'SELECT 1'])) b (names)
  WHERE name = ANY (names) GROUP BY subject, measurement, name, names;
CREATE TEMPORARY VIEW line AS
  WITH heading AS (
    SELECT subject, versus, place FROM cell GROUP BY subject, versus, place HAVING count(text) > 0
  ), measured AS (
    SELECT subject, measurement, min(n) AS n FROM cell GROUP BY subject, measurement HAVING count(text) > 0
  ), subjects AS (
    SELECT subject, min(n) AS n FROM measured GROUP BY subject
  )
  SELECT n AS subject_n, 0 AS part, 0 AS n, format(E'\n## %s\n', subject) AS line FROM subjects
  UNION ALL
  SELECT s.n, 1, 0, '| | ' || string_agg(versus, ' | ' ORDER BY place) || E' |\n|---|' || repeat('---|', count(*)::int)
  FROM subjects s JOIN heading USING (subject) GROUP BY s.n
  UNION ALL
  SELECT s.n, 2, m.n, '| ' || measurement || ' | ' || string_agg(coalesce(c.text, ''), ' | ' ORDER BY h.place) || ' |'
  FROM subjects s JOIN measured m USING (subject) JOIN heading h USING (subject) LEFT JOIN cell c USING (subject, measurement, versus)
  GROUP BY s.n, m.n, measurement;
\pset tuples_only on
\pset format unaligned
SELECT line FROM line ORDER BY subject_n, part, n;
