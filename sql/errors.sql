-- The SQLSTATEs of errors, as far as one session gets them. Other tests have the texts.
\pset footer off \pset format unaligned \pset fieldsep ' | '
CREATE FUNCTION sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
CREATE TEMP TABLE plain AS SELECT gen_ulid() AS id;
CREATE TEMP TABLE parted (id ulid) PARTITION BY RANGE (id);
CREATE TEMP TABLE parted_20260103 (id ulid);
CREATE TEMP TABLE parted_other PARTITION OF parted FOR VALUES FROM (ulid_first('2026-02-01 12:00Z'))
  TO (ulid_first('2026-02-02 12:00Z'));

SELECT sqlstate_of(statement) AS sqlstate, statement FROM unnest(ARRAY[
  -- values
  $$SELECT '0'::ulid$$,
  $$SELECT codokey_unit('!')$$,
  $$SELECT tbsl_from_base('!', 62)$$,
  $$SELECT ids_base62_decode('!')$$,
  $$SELECT '\x00'::bytea::ulid$$,
  $$SELECT ulid_from_parts(now(), '\x00')$$,
  $$SELECT '\xffffffffffffffffffff'::bytea::tbsl$$,
  $$SELECT gen_snowflake('2016-12-31')$$,
  $$SELECT snowflake_from_parts('2016-12-31', 0, 0)$$,
  $$SELECT codokey(date '1969-12-31')$$,
  $$SELECT 1::bigint::snowflake$$,
  $$SELECT scru160_from_parts(now(), -1, 0, '\x00000000000000000000')$$,
  $$SELECT gen_tbsl_machine(100)$$,
  $$SELECT tbsl_to_base(gen_tbsl(), 3)$$,
  $$SELECT gen_codokey('week')$$,
  $$SELECT gen_codokey(since_year => 9999)$$,
  $$SET ids.node_id = 65536$$,
  $$SET ids.node_id = 4096; SELECT gen_snowflake()$$,
  $$SELECT ids_advance_clock('9999-12-31')$$,
  $$SELECT count(*) OVER (ORDER BY id RANGE BETWEEN '-1 s' PRECEDING AND CURRENT ROW) FROM plain$$,
  -- partitions
  $$CALL ids_create_partitions('parted', NULL, '2026-01-01', '2026-01-02')$$,
  $$CALL ids_create_partitions('parted', '1 month 1 day', '2026-01-01', '2026-01-02')$$,
  $$CALL ids_create_partitions('parted', '1 day', '2026-01-02', '2026-01-01')$$,
  $$CALL ids_create_partitions('parted', '1 day', '2026-01-01', 'infinity')$$,
  $$CALL ids_create_partitions('parted', '10000000 years', '2026-01-01', '2026-01-02')$$,
  $$CALL ids_create_partitions('plain', '1 day', '2026-01-01', '2026-01-02')$$,
  $$CALL ids_create_partitions(1, '1 day', '2026-01-01', '2026-01-02')$$,
  $$CALL ids_create_partitions('parted', '1 day', '2026-02-01', '2026-02-02')$$,
  $$CALL ids_create_partitions('parted', '1 day', '2026-01-03 00:00Z', '2026-01-04 00:00Z')$$,
  $$CALL ids_create_partitions('parted', '1 minute', '2026-01-01', '2027-01-01')$$,
  $$CALL ids_drop_partitions('parted', NULL)$$,
  $$CALL ids_drop_partitions('parted', 'infinity')$$]) statement;
DROP FUNCTION sqlstate_of;
