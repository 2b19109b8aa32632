-- The range that <@ and @> take. It is a domain, so that PostgreSQL's own operators, which take any range, keep working: an operator
-- of tstzrange itself would match better, and make "tstzrange @> unknown" ambiguous.
CREATE DOMAIN ids_tstzrange AS tstzrange;
COMMENT ON DOMAIN ids_tstzrange IS 'operand of <@ and @>; in tables, write tstzrange';
