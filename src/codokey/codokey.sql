-- codokey: a date as text that counts down, so that a newer date sorts first

CREATE FUNCTION codokey(at timestamptz, unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME'                      LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey(at timestamp,   unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME', 'codokey_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey(at date,        unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME', 'codokey_date'      LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gen_codokey(            unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME'                      LANGUAGE C VOLATILE  STRICT PARALLEL SAFE;
COMMENT ON FUNCTION codokey(timestamptz, text, integer, integer, integer) IS 'codokey of a time, in UTC; sorts newest first under COLLATE "C"';
COMMENT ON FUNCTION codokey(timestamp, text, integer, integer, integer)   IS 'codokey of a timestamp that is taken as UTC';
COMMENT ON FUNCTION codokey(date, text, integer, integer, integer)        IS 'codokey of a date, as in codokey(date ''2022-12-31'')';
COMMENT ON FUNCTION gen_codokey(text, integer, integer, integer)          IS 'generate codokey of the current time; not unique';

CREATE FUNCTION codokey_extract_timestamp(key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_range(            key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS tstzrange   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_unit(             key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_is_valid(         key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS boolean     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION codokey_extract_timestamp(text, integer, integer, integer) IS 'extract start of period from codokey';
COMMENT ON FUNCTION codokey_range(text, integer, integer, integer)             IS 'period that a codokey stands for';
COMMENT ON FUNCTION codokey_unit(text, integer, integer, integer)              IS 'unit of a codokey: year, month, day, hour, minute, second or split';
COMMENT ON FUNCTION codokey_is_valid(text, integer, integer, integer)          IS 'test whether text is a codokey of the context';
