-- The install script refuses if another schema has an object of the same name, which pg_catalog would hide
\pset footer off \pset format unaligned \pset fieldsep ' | '
\set SHOW_CONTEXT never
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE regress_ids_install LOCATION '';
BEGIN;
DROP EXTENSION ids;
SAVEPOINT without;

-- types, and routines of any kind with any arguments
CREATE SCHEMA "My.Ids";
CREATE DOMAIN "My.Ids".ulid AS text;
CREATE TYPE public.tbsl AS (a int);
CREATE FUNCTION public.gen_ulid(int, text[]) RETURNS int LANGUAGE sql RETURN 1;
CREATE PROCEDURE "My.Ids".ids_create_partitions(p text) LANGUAGE plpgsql AS 'BEGIN END';
CREATE PROCEDURE public.uuidv7_settled(INOUT settled uuid DEFAULT NULL) LANGUAGE plpgsql AS 'BEGIN END';
CREATE AGGREGATE public.ulid_larger(int) (SFUNC = int4larger, STYPE = int);
CREATE FUNCTION public.scru160(text, int DEFAULT 1) RETURNS text LANGUAGE sql RETURN 'before';
CREATE FUNCTION public.tbsl(text) RETURNS text LANGUAGE sql RETURN 'before';
SELECT scru160('a literal');
SAVEPOINT conflicts;
CREATE EXTENSION ids;
ROLLBACK TO conflicts;
-- its context does not repeat the script
DO $$
DECLARE
  context text;
BEGIN
  CREATE EXTENSION ids;
EXCEPTION WHEN duplicate_object THEN
  GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
  RAISE NOTICE 'long: %', length(context) > 600;
END $$;
ROLLBACK TO without;

-- no conflict: a table's row type, of which it warns, a function that no cast hides, names that PostgreSQL has, too,
-- temporary objects
CREATE TABLE ulid (tbsl int);
CREATE VIEW snowflake AS SELECT 1 AS n;
CREATE TEMP TABLE scru160 ();
CREATE FUNCTION public.max(text) RETURNS int LANGUAGE sql RETURN 1;
CREATE FUNCTION public.text(boolean[]) RETURNS text LANGUAGE sql RETURN 'x';
CREATE FUNCTION public.ulid() RETURNS int LANGUAGE sql RETURN 1;
CREATE DOMAIN public.unrelated AS int;
ALTER EXTENSION plpgsql ADD DOMAIN public.unrelated;
CREATE DOMAIN pg_temp.snowflake AS text;
CREATE FUNCTION pg_temp.gen_snowflake() RETURNS int LANGUAGE sql RETURN 1;
CREATE EXTENSION ids;
ROLLBACK TO without;

-- a member of another extension must not be renamed
CREATE DOMAIN public.ulid AS text;
CREATE DOMAIN public.tbsl AS text;
ALTER EXTENSION plpgsql ADD DOMAIN public.ulid;
CREATE EXTENSION ids;
ROLLBACK TO without;

-- while pg_restore runs, only members of another extension are no conflict: in the dumped database, they came later
SET LOCAL row_security = off;
CREATE DOMAIN public.ulid AS text;
CREATE EXTENSION ids;
ROLLBACK TO without;
SET LOCAL row_security = off;
CREATE DOMAIN public.ulid AS text;
ALTER EXTENSION plpgsql ADD DOMAIN public.ulid;
CREATE EXTENSION ids;
SELECT gen_ulid() IS NULL AS generates;
ROLLBACK TO without;

-- the object that the error names is renamed
CREATE DOMAIN public.ulid AS text;
CREATE TABLE item (id public.ulid);
INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3');
ALTER TYPE public.ulid RENAME TO other_ulid;
CREATE EXTENSION ids;
ALTER TABLE item ALTER id TYPE ulid USING id::text::ulid;
SELECT id, pg_typeof(id) FROM item;
ROLLBACK;

-- the mark is in the tablespace of the database, whatever default_tablespace says
BEGIN;
DROP EXTENSION ids;
SET LOCAL default_tablespace = regress_ids_install;
CREATE EXTENSION ids;
SELECT spcname FROM pg_class LEFT JOIN pg_tablespace t ON t.oid = reltablespace
WHERE pg_class.oid = 'ids_internal.mark'::regclass;
SHOW default_tablespace;
ROLLBACK;
DROP TABLESPACE regress_ids_install;

-- the extension can only be in pg_catalog
CREATE EXTENSION ids SCHEMA public;
ALTER EXTENSION ids SET SCHEMA public;
