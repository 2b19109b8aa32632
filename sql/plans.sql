-- Plans of comparisons and time predicates, for a type passed by value and one passed by reference. All types are made
-- from one template, so the others have the same plans; sanity.sql checks that no type lacks an object.
SET TIME ZONE 'Europe/Berlin';
SET DateStyle = 'ISO';
\set T snowflake
\i test/regress/plans.psql
\set T ulid
\i test/regress/plans.psql
