-- For test/tap/Generators.pm: the types of the extension, and its generators of new ids, each with the type of its ids,
-- such as scru160_us=scru160, and those that have a T_settled(). From 17 on, array types are members of an extension, too.
CREATE EXTENSION ids;

SELECT 'IDS_TYPES=' || string_agg(typname, ' ')
FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND typtype = 'b' AND typcategory <> 'A';

SELECT 'IDS_GENERATORS=' || string_agg(format('%s=%s', substr(proname, 5), prorettype::regtype), ' ')
FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND proname LIKE 'gen\_%' AND pronargs = 0;

SELECT 'IDS_SETTLED=' || string_agg(substring(proname FROM '(.*)_settled'), ' ' ORDER BY proname)
FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND proname LIKE '%\_settled' AND pronargs = 0;
