-- The table result as ratios to the built-in type in the same repetition: median (least to greatest).
\set QUIET on
\pset footer off
\pset null ''
CREATE TEMPORARY VIEW ratio AS
SELECT measurement, r.name || ' / ' || b.name AS versus, c.n AS place, min(r.n) AS n,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY r.value / b.value) AS median, min(r.value / b.value) AS least, max(r.value / b.value) AS greatest
FROM comparison c JOIN result r ON r.name = c.name JOIN result b USING (measurement, repetition)
WHERE b.value > 0 AND b.name = c.built_in
GROUP BY measurement, r.name, b.name, c.n;
CREATE TEMPORARY VIEW built_in AS
SELECT measurement, name AS versus, array_position(names, name) - 10 AS place, min(n) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median
FROM result, (VALUES (ARRAY['uuid', 'bigint', 'timestamptz', 'date text'])) b (names) WHERE name = ANY (names) GROUP BY measurement, name, names;
\pset format aligned
\pset border 2
\pset linestyle old-ascii
SELECT measurement, versus, cell FROM (
  SELECT measurement, versus, place, n, CASE WHEN median < 10 THEN round(median::numeric, 1) ELSE round(median::numeric) END::text AS cell FROM built_in
  UNION ALL
  SELECT measurement, versus, place, n, round(median::numeric, 2) || CASE WHEN least < greatest THEN format(' (%s-%s)', round(least::numeric, 2), round(greatest::numeric, 2)) ELSE '' END FROM ratio) cells
WINDOW w AS (PARTITION BY measurement) ORDER BY min(n) OVER w, place
\crosstabview
