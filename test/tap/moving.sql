-- Every kind of object that can use an identifier, for the type @T@. test/tap/moving.pl moves these objects.

CREATE DOMAIN @T@_of_century AS @T@ CHECK (VALUE >= '2017-01-01 00:00:00+00'::timestamptz AND VALUE <@ tstzrange('2017-01-01 00:00:00+00', '2086-01-01 00:00:00+00'));
CREATE TYPE @T@_pair AS (one @T@, other @T@_of_century);

CREATE FUNCTION own_@T@_age(id @T@) RETURNS interval LANGUAGE SQL IMMUTABLE RETURN '2086-01-01 00:00:00+00'::timestamptz - id::timestamptz;
CREATE FUNCTION @T@_younger(id @T@, other @T@ DEFAULT @T@_first('2020-01-01 00:00:00+00')) RETURNS @T@ LANGUAGE plpgsql IMMUTABLE
	AS 'BEGIN RETURN greatest(id, other); END';
CREATE AGGREGATE @T@_youngest(@T@) (SFUNC = @T@_younger, STYPE = @T@);

CREATE TABLE @T@_item (
	id @T@ PRIMARY KEY DEFAULT gen_@T@(),
	n int,
	parent @T@ REFERENCES @T@_item,
	exclusive @T@ DEFAULT gen_@T@(),
	young @T@_of_century,
	several @T@[],
	pair @T@_pair,
	at timestamptz GENERATED ALWAYS AS (@T@_extract_timestamp(id)) STORED,
	key text COLLATE "C" GENERATED ALWAYS AS (codokey(@T@_extract_timestamp(id), 'second', 1970, 2100)) STORED,
	EXCLUDE USING hash (exclusive WITH =),
	CONSTRAINT @T@_time CHECK (id >= '2017-01-01 00:00:00+00'::timestamptz),
	CONSTRAINT @T@_range CHECK (id <@ tstzrange('2017-01-01 00:00:00+00', NULL)),
	CONSTRAINT @T@_key CHECK (codokey_is_valid(key, 1970, 2100))
);
ALTER TABLE @T@_item CLUSTER ON @T@_item_pkey;

CREATE TABLE @T@_seed AS
	SELECT n, gen_@T@('2020-01-01 00:00:00+00'::timestamptz + n * interval '1 day') AS id FROM generate_series(1, 1000) n;
INSERT INTO @T@_item (id, n, parent, exclusive, young, several, pair)
	SELECT id, n, lag(id, 7) OVER (ORDER BY n), gen_@T@(), id, ARRAY[id, NULL, @T@_last(id::timestamptz)], ROW(@T@_first('-infinity'), id)::@T@_pair
	FROM @T@_seed ORDER BY n;

CREATE INDEX @T@_btree ON @T@_item (n, id DESC) INCLUDE (parent);
CREATE INDEX @T@_hash ON @T@_item USING hash (id);
CREATE INDEX @T@_minmax ON @T@_item USING brin (id) WITH (pages_per_range = 1);
CREATE INDEX @T@_multi ON @T@_item USING brin (id @T@_minmax_multi_ops (values_per_range = 16)) WITH (pages_per_range = 1);
CREATE INDEX @T@_bloom ON @T@_item USING brin (id @T@_bloom_ops (n_distinct_per_range = 100)) WITH (pages_per_range = 1);
CREATE INDEX @T@_expression ON @T@_item ((id::timestamptz), own_@T@_age(id));
CREATE INDEX @T@_gin ON @T@_item USING gin (several);
CREATE INDEX @T@_domain ON @T@_item (young, several, pair);
CREATE INDEX @T@_partial ON @T@_item (n) WHERE id >= '2021-01-01 00:00:00+00'::timestamptz;
CREATE UNIQUE INDEX @T@_partial_range ON @T@_item (id DESC NULLS LAST) WHERE id <@ tstzrange('2021-01-01 00:00:00+00', '2022-01-01 00:00:00+00');
CREATE INDEX @T@_key_index ON @T@_item (key);

CREATE STATISTICS @T@_dependent (ndistinct, dependencies, mcv) ON id, n, parent FROM @T@_item;
CREATE STATISTICS @T@_of_expressions ON (id::timestamptz), (own_@T@_age(id)), codokey(id::timestamptz) FROM @T@_item;

CREATE VIEW @T@_of_time AS SELECT * FROM @T@_item WHERE id >= '2021-06-01 00:00:00+00'::timestamptz AND '2022-01-01 00:00:00+00'::timestamptz > id;
CREATE VIEW @T@_of_range AS SELECT id, n FROM @T@_item WHERE id <@ tstzrange('2021-01-01 00:00:00+00', '2021-02-01 00:00:00+00') OR tstzrange(now() - interval '1 hour', now() + interval '1 hour') @> id;
CREATE VIEW @T@_of_window AS SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN interval '3 days' PRECEDING AND CURRENT ROW) FROM @T@_item;
CREATE MATERIALIZED VIEW @T@_months AS
	SELECT codokey(id::timestamptz, 'month') AS month, min(id), max(id), @T@_youngest(id), count(*) FROM @T@_item WHERE id < '2022-01-01 00:00:00+00'::timestamptz GROUP BY 1;
CREATE UNIQUE INDEX ON @T@_months (min, month);

CREATE TABLE @T@_log (id @T@ PRIMARY KEY DEFAULT gen_@T@(), item @T@ NOT NULL REFERENCES @T@_item) PARTITION BY RANGE (id);
CALL ids_create_partitions('@T@_log', '1 month', '2020-01-01 00:00:00+00', '2021-01-01 00:00:00+00');
CREATE TABLE @T@_log_rest PARTITION OF @T@_log DEFAULT;
CREATE INDEX ON @T@_log USING brin (id);
INSERT INTO @T@_log SELECT id, id FROM @T@_seed ORDER BY n;
CREATE TABLE @T@_hashed (id @T@ DEFAULT gen_@T@(), n int) PARTITION BY HASH (id);
CREATE TABLE @T@_hashed_0 PARTITION OF @T@_hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE @T@_hashed_1 PARTITION OF @T@_hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO @T@_hashed SELECT id, n FROM @T@_seed ORDER BY n;
CREATE TABLE @T@_listed (id @T@) PARTITION BY LIST (id);
CREATE TABLE @T@_listed_first PARTITION OF @T@_listed FOR VALUES IN (@T@_first('-infinity'), NULL);
INSERT INTO @T@_listed VALUES (@T@_first('-infinity')), (NULL);

-- Constructs that are written without an operator. PostgreSQL finds it by the search_path, which is empty in a dump.
CREATE VIEW @T@_constructs AS SELECT id, n, CASE id WHEN a.parent THEN 1 ELSE 2 END AS b, id IS DISTINCT FROM a.parent AS c, nullif(id, a.parent) AS d
	FROM @T@_item a JOIN @T@_seed b USING (id, n);
CREATE MATERIALIZED VIEW @T@_constructed AS SELECT * FROM @T@_constructs WHERE b = 2 AND c AND d = id;
CREATE TABLE @T@_constructing (
	id @T@ PRIMARY KEY DEFAULT gen_@T@(),
	other @T@,
	b int GENERATED ALWAYS AS (CASE other WHEN id THEN 1 ELSE 2 END) STORED,
	c boolean GENERATED ALWAYS AS (id IS DISTINCT FROM other) STORED,
	d @T@ GENERATED ALWAYS AS (nullif(id, other)) STORED,
	CHECK (CASE other WHEN id THEN 1 ELSE 2 END = 2),
	CHECK (id IS DISTINCT FROM other),
	CHECK (nullif(id, other) = id)
);
INSERT INTO @T@_constructing (id, other) SELECT id, @T@_first(id::timestamptz - interval '1 day') FROM @T@_seed;
CREATE INDEX ON @T@_constructing ((nullif(id, other)), (CASE other WHEN id THEN 1 ELSE 2 END), (id IS DISTINCT FROM other));
CREATE INDEX ON @T@_constructing (c) WHERE id IS DISTINCT FROM other AND CASE other WHEN id THEN 1 ELSE 2 END = 2 AND nullif(id, other) = id;
ALTER TABLE @T@_constructing ENABLE ROW LEVEL SECURITY;
CREATE POLICY @T@_policy ON @T@_constructing USING (id IS DISTINCT FROM other AND EXISTS (SELECT FROM @T@_seed JOIN @T@_hashed USING (id)))
	WITH CHECK (nullif(id, other) = id AND CASE other WHEN id THEN 1 ELSE 2 END = 2);
CREATE FUNCTION @T@_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = ''
	AS 'BEGIN new.other := CASE WHEN new.id > new.other AND new.id >= ''2020-01-01''::timestamptz THEN gen_@T@(''2020-01-01'') END; RETURN new; END';
CREATE TRIGGER @T@_changing BEFORE UPDATE ON @T@_constructing FOR EACH ROW
	WHEN (old.id IS DISTINCT FROM new.other AND CASE new.id WHEN old.other THEN 1 ELSE 2 END = 2 AND nullif(new.id, old.other) = old.id) EXECUTE FUNCTION @T@_changed();
CREATE FUNCTION @T@_newest() RETURNS @T@ LANGUAGE sql STABLE SET search_path = '' AS 'SELECT max(id) FROM public.@T@_item WHERE id < now() AND id IS DISTINCT FROM @T@_first(now())';

ALTER TABLE @T@_hashed ENABLE ROW LEVEL SECURITY;
CREATE POLICY @T@_recent ON @T@_hashed USING (id >= now() - interval '1 day') WITH CHECK (id <@ tstzrange(now() - interval '1 day', NULL));
CREATE RULE @T@_rule AS ON DELETE TO @T@_of_time WHERE old.id < '2021-07-01 00:00:00+00'::timestamptz DO INSTEAD NOTHING;
COMMENT ON COLUMN @T@_item.id IS 'an identifier';
ANALYZE @T@_item, @T@_log, @T@_hashed, @T@_constructing;
