# The reference names every object of the extension, as code, in the form made here, where T may stand for the name of any
# identifier type and context for the arguments that the section "Codokey" gives, except functions that other objects call. Every
# function, operator and operator class that it names exists.
use strict;
use warnings;
use Databases;
use Generators;
use Pages;
use Test::More;

begin('objects');
my $objects = sql(q{
	LOAD 'ids';
	SELECT CASE WHEN classid = 'pg_proc'::regclass AND EXISTS (SELECT FROM pg_depend WHERE refclassid = d.classid AND refobjid = d.objid)
		THEN 'called: ' ELSE '' END || CASE classid
		WHEN 'pg_proc'::regclass THEN (
			SELECT CASE WHEN prokind = 'p' THEN 'CALL ' ELSE '' END || proname || '(' || pg_get_function_arguments(oid) || ')'
				|| coalesce(' → ' || pg_get_function_result(oid), '')
			FROM pg_proc WHERE oid = objid)
		WHEN 'pg_operator'::regclass THEN (
			SELECT format('%s %s %s → %s', oprleft::regtype, oprname, oprright::regtype, oprresult::regtype)
			FROM pg_operator WHERE oid = objid)
		WHEN 'pg_cast'::regclass THEN (SELECT format('%s::%s', castsource::regtype, casttarget::regtype) FROM pg_cast WHERE oid = objid)
		WHEN 'pg_opclass'::regclass THEN (SELECT format('USING %s (id %s)', amname, opcname) FROM pg_opclass
			JOIN pg_am ON pg_am.oid = opcmethod WHERE pg_opclass.oid = objid)
		WHEN 'pg_opfamily'::regclass THEN (SELECT format('USING %s (id %s)', amname, opfname) FROM pg_opfamily
			JOIN pg_am ON pg_am.oid = opfmethod WHERE pg_opfamily.oid = objid)
		WHEN 'pg_type'::regclass THEN (SELECT typname FROM pg_type WHERE oid = objid)
		ELSE regexp_replace(pg_describe_object(classid, objid, objsubid), '^(schema|materialized view) ', '') END
	FROM pg_depend d WHERE refclassid = 'pg_extension'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids') AND deptype = 'e'
		AND NOT EXISTS (SELECT FROM pg_proc WHERE classid = 'pg_proc'::regclass AND oid = objid AND pronamespace = 'ids_internal'::regnamespace)
		-- without array types and row types
		AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory = 'A' OR typtype = 'c' FROM pg_type WHERE oid = objid))
	UNION SELECT name FROM pg_settings WHERE name LIKE 'ids.%'});
$objects =~ s/timestamp with time zone/timestamptz/g;
$objects =~ s/timestamp without time zone/timestamp/g;
$objects =~ s/character varying/varchar/g;
$objects =~ s/(DEFAULT '[\w ]+')::\w+/$1/g;
$objects =~ s/DEFAULT '(-\d+)'::integer/DEFAULT $1/g;
$objects =~ s/\bIN //g;
my @needed = grep { !/^called: / } split /\n/, $objects;
my %objects = map { s/^called: //r => 1 } split /\n/, $objects;
cmp_ok(scalar @needed, '>', 100, 'the extension has objects');

my %described;
my $reference = page('doc/reference.md') =~ s/^```.*?^```$//msgr;
my ($context) = $reference =~ /`context` stands for\s`([^`]+)`/ or die 'the reference does not say what context stands for';
foreach my $code ($reference =~ s/, context\)/, $context)/gr =~ /`([^`\n]+)`/g)
{
	$described{ $code =~ s/(?<![A-Za-z])T(?![A-Za-z])/$_/gr } = 1 foreach @types;
}
is(join("\n", grep { !$described{$_} } sort @needed), '', 'doc/reference.md has every object of the extension');
foreach my $document ('README.md', 'doc/reference.md')
{
	my $lines = join '|', map { "\\| `$_` \\| " . sql("SELECT typlen FROM pg_type WHERE typname = '$_'") . ' \\| ' } @types;
	is(scalar(() = page($document) =~ /^(?:$lines)/mg), scalar @types, "$document has every type, with its size");
}
delete @described{ grep { /_skipsupport\(/ } keys %described } if $node->pg_version < 18;
is(join("\n", grep { / → |^USING / && !$objects{$_} } sort keys %described), '', 'doc/reference.md has no other object');

$node->stop;
done_testing();
