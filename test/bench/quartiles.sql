-- Prints the table result as CSV: the quartiles of each figure of a built-in type, and of each ratio to it in the same repetition.
\set QUIET on
\pset format csv
SELECT subject, measurement, name, built_in, round(q[1]::numeric, 3) AS lower_quartile, round(q[2]::numeric, 3) AS median,
  round(q[3]::numeric, 3) AS upper_quartile
FROM (
  SELECT subject, measurement, min(n) OVER (PARTITION BY subject, measurement) AS n, name, built_in, place, q
  FROM (
    SELECT subject, measurement, min(n) AS n, name, NULL AS built_in, array_position(names, name) AS place,
      percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY value) AS q
    FROM result, (VALUES (ARRAY['uuid', 'bigint', 'uuidv7', 'timestamptz', 'date text', 'SELECT 1'])) b (names)
    WHERE name = ANY (names) GROUP BY subject, measurement, name, names
    UNION ALL
    SELECT r.subject, measurement, min(r.n), r.name, c.built_in, 100 + c.n,
      percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY r.value / b.value)
    FROM comparison c JOIN result r ON r.name = c.name JOIN result b USING (subject, measurement, repetition)
    WHERE b.value > 0 AND b.name = c.built_in
    GROUP BY r.subject, measurement, r.name, c.built_in, c.n
  ) figure
) figure ORDER BY min(n) OVER (PARTITION BY subject), n, place;
