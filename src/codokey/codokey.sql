-- codokey: a date as text that counts down, so that a newer date sorts first

CREATE FUNCTION codokey(at timestamptz, unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME'                      LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey(at timestamp,   unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME', 'codokey_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey(at date,        unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME', 'codokey_date'      LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gen_codokey(            unit text DEFAULT 'day', since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text AS 'MODULE_PATHNAME'                      LANGUAGE C VOLATILE  STRICT PARALLEL SAFE;

COMMENT ON FUNCTION codokey(timestamptz, text, integer, integer, integer) IS
	'codokey of the year, month, day, hour, minute, second or split of a second that a time is in, in UTC; under COLLATE "C" the newest sorts first. since_year (from 0), until_year (to 294275) and until_split (9 tenths, 99, 999 milliseconds ... 999999999) are the key''s context, without which it cannot be read';
COMMENT ON FUNCTION codokey(timestamp, text, integer, integer, integer) IS
	'codokey of a time that is taken as UTC, whatever TimeZone says';
COMMENT ON FUNCTION codokey(date, text, integer, integer, integer) IS
	'codokey of the first instant of a date in UTC; write codokey(date ''2022-12-31''), for without a type the literal is a timestamptz, in the session''s TimeZone';
COMMENT ON FUNCTION gen_codokey(text, integer, integer, integer) IS
	'codokey of the current time; keys made within one unit are equal';

CREATE FUNCTION codokey_extract_timestamp(key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS timestamptz AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_range(            key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS tstzrange   AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_unit(             key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS text        AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION codokey_is_valid(         key text, since_year integer DEFAULT 1970, until_year integer DEFAULT 3265, until_split integer DEFAULT 9) RETURNS boolean     AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION codokey_extract_timestamp(text, integer, integer, integer) IS
	'first instant of a codokey''s period; of a key finer than a microsecond, which only other programs make, the microsecond it is in';
COMMENT ON FUNCTION codokey_range(text, integer, integer, integer) IS
	'a codokey''s period, from its first instant up to the next period; of a key finer than a microsecond, the microsecond it is in';
COMMENT ON FUNCTION codokey_unit(text, integer, integer, integer) IS
	'unit of a codokey: year, month, day, hour, minute, second or split';
COMMENT ON FUNCTION codokey_is_valid(text, integer, integer, integer) IS
	'whether a text is a codokey of the context; a context that is none is an error';
