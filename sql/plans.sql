-- Plans of comparisons and time predicates, for a type passed by value and one passed by reference. The types
-- are made from one template, so the others have the same; sanity.sql shows that they lack nothing.
SET TIME ZONE 'Europe/Berlin';
SET DateStyle = 'ISO';
\set T snowflake
\i test/regress/plans.psql
\set T ulid
\i test/regress/plans.psql
