# Operators and functions of somebody else, which fit many calls better than PostgreSQL's own, and raise an error. Who creates a view, a
# function with RETURN, a default or the like while the search_path has their schema may bind the new object to them for ever.
package Trap;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(trap);

# The SQL that fills a schema: the operators of these types, also those that PostgreSQL has, and functions of these names with another type
# for their first argument.
sub trap
{
	my ($schema, $types, @names) = @_;
	my $names = join ',', @names;
	return qq{
	CREATE SCHEMA "$schema";
	SET search_path = "$schema";
	CREATE DOMAIN text AS pg_catalog.text CHECK (false);
	DO \$do\$
	DECLARE
		types regtype[] := '{$types}';
		body pg_catalog.text := 'LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION ''astray as %'', current_user; END\$\$';
		o record;
	BEGIN
		FOR o IN SELECT l, r FROM unnest(types) l, unnest(types) r LOOP
			EXECUTE format('CREATE FUNCTION same(%s, %s) RETURNS %1\$s ', o.l, o.r) || body;
			EXECUTE format('CREATE FUNCTION truth(%s, %s) RETURNS boolean ', o.l, o.r) || body;
		END LOOP;
		FOR o IN SELECT op, l, r FROM unnest('{+,-,*,/,%,^,&,<<,>>,||,~,=,<>,<,<=,>,>=}'::pg_catalog.text[]) op, unnest(types) l, unnest(types) r LOOP
			EXECUTE format('CREATE OPERATOR %s (FUNCTION = %s, LEFTARG = %s, RIGHTARG = %s)', o.op, CASE WHEN o.op ~ '^([<>]?=|[<>~]|<>)\$' THEN 'truth' ELSE 'same' END, o.l, o.r);
		END LOOP;
		FOR o IN SELECT DISTINCT p.proname, arguments, CASE WHEN prorettype = 'anyelement'::regtype THEN 'timestamptz' ELSE prorettype::regtype::pg_catalog.text END AS result
				FROM pg_proc p, unnest(types) one, pg_catalog.replace(oidvectortypes(proargtypes), 'anyrange', 'tstzrange') given,
					unnest(CASE WHEN given ~ 'any' OR pronargs NOT IN (1, 2) THEN ARRAY[given] ELSE ARRAY[given, regexp_replace(given, '^[^,]+', one::pg_catalog.text)] END) arguments
				WHERE proname = ANY ('{$names}') AND prokind = 'f' AND given !~ 'any|internal|cstring' AND pronamespace = 'pg_catalog'::regnamespace LOOP
			BEGIN
				EXECUTE format('CREATE FUNCTION %I(%s) RETURNS %s ', o.proname, o.arguments, o.result) || body;
			EXCEPTION WHEN duplicate_function OR invalid_function_definition THEN
			END;
		END LOOP;
	END \$do\$;
	RESET search_path;};
}

1;
