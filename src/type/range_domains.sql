-- The operands of <@ and @>. They are domains, so that PostgreSQL's own operators, which take any range, keep working: an operator
-- of tstzrange itself would match better, and make "tstzrange @> unknown" ambiguous.
CREATE DOMAIN ids_tstzrange      AS tstzrange;
CREATE DOMAIN ids_tstzmultirange AS tstzmultirange;

COMMENT ON DOMAIN ids_tstzrange      IS 'operand of <@ and @>; in tables, write tstzrange';
COMMENT ON DOMAIN ids_tstzmultirange IS 'operand of <@ and @>; in tables, write tstzmultirange';
