-- The generators' clocks, as a DBA and as an ordinary user sees them
SELECT count(gen_ulid()) FROM generate_series(1, 10);
SELECT generator, abs(extract(epoch FROM last_timestamp - clock_timestamp())) < 60 AS recent, lead < '1 s' AS near, clock_rollbacks FROM ids_generators() WHERE generator = 'ulid';
\df ids_generators
SELECT ids_reset_clock();
SELECT gen_ulid() > gen_ulid() AS greater_before, gen_ulid() < gen_ulid() AS greater_after;
CREATE ROLE ids_user;
SET ROLE ids_user;
SELECT count(*) > 0 AS visible FROM ids_generators();
SELECT ids_reset_clock();
SELECT gen_ulid() < gen_ulid() AS generates;
RESET ROLE;
DROP ROLE ids_user;
