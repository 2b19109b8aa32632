-- The catalogs, in the spirit of opr_sanity: most queries look for objects of the extension that break a rule, and must
-- return no rows. They cover every type, including new ones.
\pset footer off \pset format unaligned \pset fieldsep ' | '
CREATE VIEW member AS SELECT classid, objid FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids')
  AND deptype = 'e';
CREATE VIEW identifier_type AS SELECT t.* FROM pg_type t JOIN member ON objid = t.oid AND classid = 'pg_type'::regclass
  AND typtype = 'b' AND typcategory <> 'A';
SELECT count(*) > 0 AS there_are_types FROM identifier_type;

-- objects without a comment, or with one that is too long for a line of psql; operator classes have none, as
-- PostgreSQL's own
SELECT pg_describe_object(classid, objid, 0) FROM member
WHERE coalesce(length(obj_description(objid, (SELECT relname FROM pg_class WHERE oid = classid))), 0)
    NOT BETWEEN 1 AND 70
  AND classid NOT IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass)
  AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory = 'A' OR typtype = 'c' FROM pg_type WHERE oid = objid))
ORDER BY 1;

-- functions that are not parallel safe, except DDL; generators that a parallel worker could run, since ids made below a
-- Gather Merge do not follow the query's ORDER BY
SELECT oid::regprocedure, proparallel FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
WHERE proparallel <> CASE WHEN proname ~ '^gen_|_settled$' AND proname <> 'gen_codokey' THEN 'r'
    WHEN proname IN ('ids_complete_upgrade', 'ids_problems', 'generator_error') THEN 'u' ELSE 's' END AND prokind <> 'p'
ORDER BY oid::regprocedure::text;

-- functions whose volatility is not what it should be
SELECT oid::regprocedure, provolatile FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
WHERE provolatile <> (CASE WHEN pronamespace = 'ids_internal'::regnamespace THEN 'v'
    WHEN proname ~ '^(gen_|ids_(?!base62|settled_support))' THEN 'v'
    WHEN proname ~ '_(in_range|ineq(join)?sel|settled)$' THEN 's' ELSE 'i' END) ORDER BY oid::regprocedure::text;

-- C functions that are not strict, except T_settled(), to which the planner adds an argument
SELECT oid::regprocedure FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
WHERE NOT proisstrict AND prokind <> 'p' AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')
  AND proname !~ '_settled$' ORDER BY oid::regprocedure::text;

-- generators with a T_settled() that have no column of their own in the records of transactions
BEGIN;
CREATE VIEW settled AS SELECT substring(proname FROM '(.*)_settled$') AS generator FROM pg_proc
  JOIN member ON objid = oid AND classid = 'pg_proc'::regclass WHERE proname ~ '_settled$';
DO $$ DECLARE name text; BEGIN FOR name IN TABLE settled LOOP EXECUTE format('SELECT gen_%s()', name); END LOOP; END $$;
SELECT count(*) > 0 AS there_are_columns FROM settled;
TABLE settled EXCEPT SELECT generator FROM ids_unsettled() WHERE pid = pg_backend_pid();
ROLLBACK;

-- functions of operators, of what the planner makes of time predicates, and of hashes that are not leakproof
SELECT oid::regprocedure FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
WHERE NOT proleakproof AND (oid IN (SELECT oprcode FROM pg_operator)
    OR proname ~ '_(cmp|hash|hash_extended|smaller|larger|first|last)$') ORDER BY oid::regprocedure::text;

-- C functions whose symbol is not their SQL name. An overload may append _at or its first argument's type; a cast's
-- function that is named after the target type has the symbol SOURCE_to_TARGET.
SELECT oid::regprocedure, prosrc FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND prosrc <> proname AND prosrc <> proname || '_at'
  AND (pronargs = 0 OR prosrc <> proname || '_' || (SELECT typname FROM pg_type WHERE oid = proargtypes[0]))
  AND oid NOT IN (SELECT castfunc FROM pg_cast
    WHERE proname = casttarget::regtype::text AND prosrc = format('%s_to_%s', castsource::regtype, proname))
ORDER BY oid::regprocedure::text;

-- operators without commutator, or negator, or estimators
SELECT o.oid::regoperator, oprcom::regoperator, oprnegate::regoperator, oprrest, oprjoin FROM pg_operator o
  JOIN member ON objid = o.oid AND classid = 'pg_operator'::regclass
WHERE oprcom = 0 OR (oprnegate = 0 AND oprname NOT IN ('<@', '@>')) OR oprrest = 0 OR oprjoin = 0
ORDER BY o.oid::regoperator::text;

-- operators whose commutator or negator does not point back, or whose estimators do not match the operator
SELECT o.oid::regoperator FROM pg_operator o JOIN member ON objid = o.oid AND classid = 'pg_operator'::regclass
  LEFT JOIN pg_operator c ON c.oid = o.oprcom LEFT JOIN pg_operator n ON n.oid = o.oprnegate
WHERE c.oprcom <> o.oid OR n.oprnegate <> o.oid OR o.oprjoin::text <> replace(o.oprrest::text, 'sel', 'joinsel')
  OR o.oprname || ' ' || o.oprrest <> ALL (CASE WHEN o.oprleft = o.oprright
    THEN ARRAY['= eqsel', '<> neqsel', format('< %s_ineqsel', o.oprleft::regtype),
      format('<= %s_ineqsel', o.oprleft::regtype), format('> %s_ineqsel', o.oprleft::regtype),
      format('>= %s_ineqsel', o.oprleft::regtype)]
    ELSE ARRAY['< scalarltsel', '<= scalarlesel', '> scalargtsel', '>= scalargesel', '<@ areasel', '@> areasel'] END)
ORDER BY o.oid::regoperator::text;

-- time predicates without their type's support function, or whose function's name does not follow the pattern
SELECT o.oid::regoperator FROM pg_operator o JOIN member ON objid = o.oid AND classid = 'pg_operator'::regclass
  JOIN pg_proc p ON p.oid = oprcode
  JOIN pg_type l ON l.oid = oprleft JOIN pg_type r ON r.oid = oprright
  JOIN identifier_type t ON t.oid IN (l.oid, r.oid)
WHERE oprleft <> oprright AND (prosupport <> to_regproc(t.typname || '_support') OR proname <>
  format(CASE WHEN t.oid = l.oid THEN '%s_%s_%s' ELSE '%3$s_%2$s_%1$s' END, t.typname,
    CASE oprname WHEN '<' THEN 'lt' WHEN '<=' THEN 'le' WHEN '>' THEN 'gt' WHEN '>=' THEN 'ge'
      WHEN '<@' THEN 'contained_by' WHEN '@>' THEN 'contains' END,
    CASE WHEN oprname IN ('<@', '@>') THEN 'tstzrange' ELSE 'timestamptz' END)) ORDER BY o.oid::regoperator::text;

-- equality that does not hash or merge
SELECT o.oid::regoperator FROM pg_operator o JOIN member ON objid = o.oid AND classid = 'pg_operator'::regclass
WHERE oprname = '=' AND oprleft = oprright AND NOT (oprcanhash AND oprcanmerge) ORDER BY o.oid::regoperator::text;

-- types without I/O in both formats, an operator class of each access method, min and max, casts,
-- functions of their own, or time predicates
SELECT typname FROM identifier_type WHERE typreceive = 0 OR typsend = 0 OR typlen < 0 OR
  typalign <> CASE WHEN typbyval THEN 'd' ELSE 'c' END OR typispreferred OR typcategory <> 'U' ORDER BY 1;
SELECT typname, amname FROM identifier_type, pg_am WHERE amname IN ('btree', 'hash', 'brin', 'gist')
  AND NOT EXISTS (SELECT FROM pg_opclass WHERE opcintype = identifier_type.oid AND opcmethod = pg_am.oid AND opcdefault)
  ORDER BY 1, 2;
SELECT typname, name FROM identifier_type, unnest(ARRAY['min', 'max']) name
  WHERE NOT EXISTS (SELECT FROM pg_proc p JOIN pg_aggregate a ON aggfnoid = p.oid
    WHERE proname = name AND proargtypes[0] = identifier_type.oid AND aggsortop <> 0 AND aggcombinefn = aggtransfn
    AND proparallel = 's') ORDER BY 1, 2;
SELECT typname, target FROM identifier_type, unnest(ARRAY['bytea', 'text', 'timestamptz']::regtype[]) target
  WHERE NOT EXISTS (SELECT FROM pg_cast WHERE castsource = identifier_type.oid AND casttarget = target)
  ORDER BY typname, target::text;

SELECT typname, name FROM identifier_type, unnest(ARRAY['gen_%s', '%s_parts', '%s_from_parts']) name
  WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = format(name, typname)) ORDER BY 1, 2;
SELECT typname, class FROM identifier_type, unnest(ARRAY['minmax', 'minmax_multi', 'bloom']) class
  WHERE NOT EXISTS (SELECT FROM pg_opclass WHERE opcintype = identifier_type.oid
    AND opcname = typname || '_' || class || '_ops' AND opcdefault = (class = 'minmax')) ORDER BY 1, 2;
SELECT typname, operator FROM identifier_type, unnest(ARRAY['<', '<=', '>', '>=', '<@', '@>']) operator
  WHERE operator <> '@>' AND NOT EXISTS (SELECT FROM pg_operator
    WHERE oprname = operator AND oprleft = identifier_type.oid
    AND oprright IN ('timestamptz'::regtype, 'ids_tstzrange'::regtype))
     OR operator <> '<@' AND NOT EXISTS (SELECT FROM pg_operator
       WHERE oprname = operator AND oprright = identifier_type.oid
       AND oprleft IN ('timestamptz'::regtype, 'ids_tstzrange'::regtype)) ORDER BY 1, 2;

-- types whose length is not the length of their bytes
SELECT string_agg(format('SELECT %L AS typname WHERE octet_length(%I_first(''infinity'')::bytea) <> %s', typname,
      typname, typlen), ' UNION ALL ') FROM identifier_type
\set ECHO none
\gexec
\set ECHO all

-- support functions that a class lacks: sortsupport, in_range, equalimage and, from 18 on, skipsupport; extended hash;
-- distance or hash; all of GiST, from 18 on for temporal keys too
SELECT opcname, amname, n FROM pg_opclass JOIN member ON objid = pg_opclass.oid AND classid = 'pg_opclass'::regclass
  JOIN pg_am ON pg_am.oid = opcmethod,
  unnest(CASE amname
    WHEN 'btree' THEN ARRAY[1, 2, 3, 4] || CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 6 END
    WHEN 'hash' THEN ARRAY[1, 2]
    WHEN 'brin' THEN ARRAY[1, 2, 3, 4] || CASE WHEN opcdefault THEN NULL ELSE ARRAY[5, 11] END
    WHEN 'gist' THEN ARRAY[1, 2, 3, 5, 6, 7, 9, 11]
      || CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 12 END
  END) n
WHERE NOT EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = opcfamily AND amprocnum = n
    AND amproclefttype = CASE WHEN amname = 'gist' AND n = 12 THEN '"any"'::regtype ELSE opcintype END)
  AND n IS NOT NULL ORDER BY 1, 2, 3;

-- operators that a class lacks
SELECT opcname, amname, operator FROM pg_opclass
  JOIN member ON objid = pg_opclass.oid AND classid = 'pg_opclass'::regclass JOIN pg_am ON pg_am.oid = opcmethod,
  unnest(CASE WHEN amname = 'hash' OR opcname ~ 'bloom' THEN ARRAY['=']
    WHEN amname = 'gist' THEN ARRAY['=', '<>', '<', '<=', '>', '>='] ELSE ARRAY['=', '<', '<=', '>', '>='] END) operator
WHERE NOT EXISTS (SELECT FROM pg_amop JOIN pg_operator o ON o.oid = amopopr
    WHERE amopfamily = opcfamily AND amoplefttype = opcintype AND amoprighttype = opcintype AND oprname = operator)
  ORDER BY 1, 2, 3;

-- classes that are not valid
SELECT opcname, amname FROM pg_opclass JOIN member ON objid = pg_opclass.oid AND classid = 'pg_opclass'::regclass
  JOIN pg_am ON pg_am.oid = opcmethod
WHERE NOT amvalidate(pg_opclass.oid) ORDER BY 1, 2;

-- casts that are not explicit; only casts to and from text may be used in assignments
SELECT castsource::regtype, casttarget::regtype FROM pg_cast
  JOIN member ON objid = pg_cast.oid AND classid = 'pg_cast'::regclass
WHERE castcontext <> CASE WHEN casttarget = 'text'::regtype OR castsource IN ('text'::regtype, 'varchar'::regtype)
  THEN 'a' ELSE 'e' END ORDER BY castsource::regtype::text, casttarget::regtype::text;

-- operators and functions of PostgreSQL that resolve an untyped operand or argument to another type than without the
-- extension
CREATE FUNCTION meaning(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE types text;
BEGIN
  EXECUTE 'PREPARE meaning AS ' || query;
  SELECT parameter_types INTO STRICT types FROM pg_prepared_statements WHERE name = 'meaning';
  DEALLOCATE meaning;
  RETURN types;
EXCEPTION WHEN others THEN RETURN SQLERRM;
END $$;
CREATE TABLE query AS
  SELECT format(form, oprname, t) AS text FROM (SELECT DISTINCT oprname FROM pg_operator
    JOIN member ON objid = oid AND classid = 'pg_operator'::regclass) o,
    (SELECT oid::regtype AS t FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype NOT IN ('p', 'c')
      AND oid < 16384) t,
    unnest(ARRAY['SELECT $1 %1$s NULL::%2$s', 'SELECT NULL::%2$s %1$s $1', 'SELECT $1 %1$s ANY (NULL::%2$s[])',
        'SELECT NULL::%2$s %1$s ANY ($1)', 'SELECT NULL::text %1$s NULL::%2$s',
        'SELECT NULL::%2$s %1$s NULL::text']) form
  UNION SELECT format(form, oid::regtype) FROM pg_type,
    unnest(ARRAY['SELECT ARRAY[$1, NULL::%s]', 'SELECT CASE WHEN true THEN $1 ELSE NULL::%s END',
        'SELECT coalesce($1, NULL::%s)', 'SELECT $1 UNION ALL SELECT NULL::%s', 'VALUES ($1), (NULL::%s)']) form
    WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype NOT IN ('p', 'c') AND oid < 16384
  UNION SELECT format('SELECT %I($1)', p.proname) FROM pg_proc p
  JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
    JOIN pg_proc o ON o.proname = p.proname AND o.oid < 16384;
CREATE TABLE answer (query text, was text, became text);
DO $$
DECLARE
  queries text[] := ARRAY(SELECT text FROM query ORDER BY text COLLATE "C");
  was text[];
BEGIN
  BEGIN
    DROP EXTENSION ids CASCADE;
    SELECT array_agg(meaning(q) ORDER BY n) INTO was FROM unnest(queries) WITH ORDINALITY u(q, n);
    RAISE EXCEPTION USING ERRCODE = 'triggered_action_exception';
  EXCEPTION WHEN triggered_action_exception THEN NULL;
  END;
  INSERT INTO answer SELECT q, was[n], meaning(q) FROM unnest(queries) WITH ORDINALITY u(q, n);
END $$;
SELECT count(*) > 1000 AS queries, count(*) FILTER (WHERE was ~ '^{') > 100 AS understood FROM answer;
SELECT * FROM answer WHERE was <> became ORDER BY 1;
DROP FUNCTION meaning;
DROP TABLE query, answer;

-- objects outside pg_catalog, the schema that every search_path includes
SELECT pg_describe_object(classid, objid, 0) AS object FROM member, pg_identify_object(classid, objid, 0)
WHERE schema <> 'pg_catalog' AND pg_describe_object(classid, objid, 0) !~ 'ids_internal' ORDER BY 1;

-- type resolution of literals, parameters and texts by operators, arrays and all that finds a common type: the types of
-- the parameters and of the result, or the error; the same for every type T
CREATE TABLE form (i serial, form text, op text);
INSERT INTO form (form, op) SELECT form, op
  FROM unnest(ARRAY['id OP $1', '$1 OP id', 'id OP ''DIGITS''', '''DIGITS'' OP id', 'id OP t', 't OP id', 'id OP v',
      'id OP ''DIGITS''::text', 'id OP at', 'at OP id', 't OP $1', '$1 OP at',
    'id OP ANY ($1)', '$1 OP ANY (ids)', 'id OP ANY (ids)', 'id OP ANY (''{DIGITS}'')', 'id OP ANY (ARRAY[$1])',
    'id OP ANY (ARRAY[''DIGITS''])', 'id OP ANY (ARRAY[t])', 't OP ANY (ids)', 'id OP (SELECT $1)',
    'ROW(id, 1) OP ROW($1, 2)']) WITH ORDINALITY f (form, i),
  unnest(ARRAY['=', '<>', '<', '<=', '>', '>=']) WITH ORDINALITY o (op, j) ORDER BY f.i, j;
INSERT INTO form (form)
  SELECT unnest(ARRAY['id <@ $1', '$1 @> id', 'id <@ r', 'r @> id', 'id <@ m', 'm @> id', 'id <@ ''[2026-11-01,)''',
      '''[2026-11-01,)'' @> id', 'id <@ ANY ($1)', 'id <@ ANY (ARRAY[r])', 'id <@ ANY (ARRAY[m])',
  'id <@ ANY (''{"[2026-11-01,)"}'')', 'm @> $1', '$1 <@ m', 'at <@ m', 'm @> at', 'm @> ''2026-11-01''', 'm @> r',
  'r <@ m', 'r @> $1', '$1 <@ r', 'at <@ $1', 'r @> ''2026-11-01''',
    'ids @> $1', 'ids && ARRAY[$1]', 'ids @> ARRAY[''DIGITS'']', 'ids @> ARRAY[t]', 'ids || $1', 'ids || id',
    'ids || t', 'array_position(ids, $1)', 'ARRAY[id, $1]', 'ARRAY[''DIGITS'', id]', 'ARRAY[id, t]',
    'id IN ($1, $2)', 'id IN (''DIGITS'', $1)', '$1 IN (id)', 'id IN (t)', 'id IN (SELECT t)', 'id BETWEEN $1 AND $2',
    'id BETWEEN at AND at', 'id IS DISTINCT FROM $1', 'id IS DISTINCT FROM t', 'nullif(id, $1)', 'nullif($1, id)',
    'coalesce(id, $1)', 'coalesce($1, id)', 'coalesce(id, ''DIGITS'')', 'coalesce(id, t)', 'coalesce(t, id)',
    'greatest(id, $1)', 'least(''DIGITS'', id)',
    'CASE WHEN true THEN id ELSE $1 END', 'CASE WHEN true THEN ''DIGITS'' ELSE id END',
    'CASE WHEN true THEN id ELSE t END', 'CASE id WHEN $1 THEN 1 END', 'CASE $1 WHEN id THEN 1 END',
    'CASE id WHEN t THEN 1 END',
    '(SELECT id UNION ALL SELECT $1 LIMIT 1)', '(SELECT $1 UNION ALL SELECT id LIMIT 1)',
    '(SELECT id UNION ALL SELECT ''DIGITS'' LIMIT 1)', '(SELECT id UNION ALL SELECT t LIMIT 1)',
    '(SELECT c FROM (VALUES (id), ($1)) v (c) LIMIT 1)', '(SELECT c FROM (VALUES (''DIGITS''), (id)) v (c) LIMIT 1)',
    '(SELECT c FROM (VALUES (id), (t)) v (c) LIMIT 1)',
    'id || ''''', 'id || $1', 't || id', 'id LIKE $1', 'id::text = $1', '$1::T = id', 'T($1)', 'length(id)',
    'upper(id)', 'T_first($1)', 'T_is_valid($1)', 'date_trunc(''day'', id)', 'extract(epoch FROM id)']);
CREATE FUNCTION meaning(form text, id regtype) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  digits text;
  parameters text := (SELECT '(' || string_agg(DISTINCT 'NULL', ', ') || CASE WHEN form LIKE '%$2%' THEN ', NULL'
      ELSE '' END || ')' FROM regexp_matches(form, '[$]\d', 'g') m);
  types text;
  result text;
BEGIN
  EXECUTE format('SELECT %s_first(''2026-11-01'')', id) INTO digits;
  EXECUTE format('PREPARE meaning AS SELECT pg_typeof(%s) FROM (
      SELECT NULL::%2$s AS id, NULL::%2$s[] AS ids, NULL::text AS t, NULL::varchar AS v,
        now() AS at, NULL::tstzrange AS r, NULL::tstzmultirange AS m) s',
    regexp_replace(replace(form, 'DIGITS', digits), '\mT(?=_|\M)', id::text, 'g'), id);
  SELECT parameter_types INTO STRICT types FROM pg_prepared_statements WHERE name = 'meaning';
  EXECUTE 'EXECUTE meaning' || coalesce(parameters, '') INTO result;
  DEALLOCATE meaning;
  RETURN types || ' ' || result;
EXCEPTION WHEN SQLSTATE '42000' OR undefined_function OR datatype_mismatch OR ambiguous_function
  OR indeterminate_datatype OR cannot_coerce OR invalid_text_representation THEN RETURN SQLERRM;
END $$;
SELECT form, string_agg(op, ' ' ORDER BY i) AS operators, meaning FROM (
    SELECT min(i) AS i, form, op,
    string_agg(DISTINCT replace(regexp_replace(meaning(replace(form, 'OP', coalesce(op, '')), oid),
          '\m' || typname || '(?=_|\M)', 'T', 'g'), coalesce(' ' || op || ' ', ''), ' OP '), '; ') AS meaning
          FROM form, identifier_type GROUP BY form, op) m
  GROUP BY form, meaning ORDER BY min(i);
DROP FUNCTION meaning;
DROP TABLE form;

-- objects that PUBLIC may not execute or read: only those for superusers
SELECT oid::regprocedure FROM pg_proc JOIN member ON objid = oid AND classid = 'pg_proc'::regclass
WHERE NOT has_function_privilege('public', oid, 'execute')
ORDER BY oid::regprocedure::text;
SELECT oid::regclass FROM pg_class JOIN member ON objid = oid AND classid = 'pg_class'::regclass
WHERE NOT has_table_privilege('public', oid, 'select') ORDER BY oid::regclass::text;

DROP VIEW identifier_type, member;
