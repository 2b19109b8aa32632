-- The table result as ratios to the built-in type in the same repetition: median (least to greatest).
\set QUIET on
\pset footer off
\pset null ''
CREATE TEMPORARY VIEW ratio AS
SELECT measurement, r.name || ' / ' || b.name AS versus, min(r.n) AS n,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY r.value / b.value) AS median, min(r.value / b.value) AS least, max(r.value / b.value) AS greatest
FROM result r JOIN result b USING (measurement, repetition)
WHERE b.value > 0 AND (r.name, b.name) IN (('ulid', 'uuid'), ('scru160', 'uuid'), ('tbsl', 'uuid'), ('gen_uuidv7', 'uuid'), ('uuidv7', 'uuid'), ('gen_uuidv7', 'uuidv7'), ('ulid', 'bigint'), ('gen_uuidv7', 'bigint'), ('snowflake', 'bigint'), ('ulid', 'timestamptz'), ('codokey', 'date text'))
GROUP BY measurement, r.name, b.name;
CREATE TEMPORARY VIEW built_in AS
SELECT measurement, name AS versus, min(n) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median FROM result WHERE name IN ('uuid', 'bigint', 'timestamptz', 'date text') GROUP BY measurement, name;
\pset format aligned
\pset border 2
\pset linestyle old-ascii
SELECT measurement, versus, cell FROM (
  SELECT measurement, versus, n, CASE WHEN median < 10 THEN round(median::numeric, 1) ELSE round(median::numeric) END::text AS cell FROM built_in
  UNION ALL
  SELECT measurement, versus, n, round(median::numeric, 2) || CASE WHEN least < greatest THEN format(' (%s-%s)', round(least::numeric, 2), round(greatest::numeric, 2)) ELSE '' END FROM ratio) cells
WINDOW w AS (PARTITION BY measurement) ORDER BY min(n) OVER w, array_position(ARRAY['uuid', 'bigint', 'timestamptz', 'date text', 'ulid / uuid', 'scru160 / uuid', 'tbsl / uuid', 'gen_uuidv7 / uuid', 'uuidv7 / uuid', 'gen_uuidv7 / uuidv7', 'snowflake / bigint', 'ulid / bigint', 'gen_uuidv7 / bigint', 'ulid / timestamptz', 'codokey / date text'], versus)
\crosstabview
