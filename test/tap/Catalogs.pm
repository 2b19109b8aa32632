# The extension's rows in the catalogs of a database, as text that is equal in two databases if their objects are equal.
package Catalogs;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(catalogs difference);

# The rows of a catalog that belong to the extension.
my $member = q{IN (
	SELECT objid FROM pg_depend
	WHERE classid = 'CATALOG'::regclass AND deptype = 'e' AND refclassid = 'pg_extension'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids'))};
my $family = "IN (SELECT oid FROM pg_opfamily WHERE oid $member)" =~ s/CATALOG/pg_opfamily/r;
my @catalogs = (
	(map { [ $_, "oid $member" =~ s/CATALOG/$_/r ] }
		qw(pg_proc pg_operator pg_type pg_cast pg_opclass pg_opfamily pg_class pg_namespace)),
	[ pg_amop => "amopfamily $family" ],
	[ pg_amproc => "amprocfamily $family" ],
	[ pg_aggregate => "aggfnoid::oid $member" =~ s/CATALOG/pg_proc/r ],
	[ pg_sequence => "seqrelid $member" =~ s/CATALOG/pg_class/r ],
	[ pg_constraint => "contypid $member" =~ s/CATALOG/pg_type/r ],
);

# Columns that depend on where and when an object was made.
my @place = qw(oid relfilenode relfrozenxid relminmxid relpages reltuples relallvisible relallfrozen);

# One line for each row: its columns as JSON, with references to other objects as their descriptions, and its comment and
# initial privileges.
sub catalogs
{
	my ($node, $database) = @_;
	my $lines = '';
	foreach (@catalogs)
	{
		my ($catalog, $condition) = @$_;
		my $columns = $node->safe_psql($database, qq{
			SELECT string_agg(format('%L, ', attname) || CASE
				WHEN fkcols IS NULL THEN attname
				WHEN is_array THEN format('(SELECT array_agg(pg_describe_object(%s, object, 0) ORDER BY place)'
					' FROM unnest(%I::oid[]) WITH ORDINALITY AS o (object, place))', pktable::oid, attname)
				ELSE format('pg_describe_object(%s, %I::oid, 0)', pktable::oid, attname) END, ', ' ORDER BY attnum)
			FROM pg_attribute
				LEFT JOIN pg_get_catalog_foreign_keys() k ON fktable = attrelid AND fkcols = ARRAY[attname]::text[]
			WHERE attrelid = '$catalog'::regclass AND attnum > 0 AND atttypid <> 'pg_node_tree'::regtype
				AND attname <> ALL ('{@{[join ',', @place]}}')});
		# A tree of nodes contains positions in the script, so it is compared as SQL.
		my $text = {
			pg_proc => "concat_ws(' ', pg_get_function_arguments(oid), pg_get_function_sqlbody(oid))",
			pg_constraint => 'pg_get_constraintdef(oid)',
		}->{$catalog} // "''";
		my $object = $catalog =~ /pg_(sequence|aggregate)/ ? "''" : 'pg_describe_object(tableoid, oid, 0)';
		my $about = $catalog =~ /pg_(sequence|aggregate)/ ? "''" : qq{concat_ws(' ', obj_description(oid, '$catalog'),
			(SELECT initprivs FROM pg_init_privs WHERE classoid = t.tableoid AND objoid = t.oid AND objsubid = 0))};
		my $query = "SELECT '$catalog', $object, $text, $about, jsonb_build_object($columns) FROM $catalog t WHERE $condition";
		$lines .= $node->safe_psql($database, qq{SELECT l::text FROM ($query) l ORDER BY l::text COLLATE "C"}) . "\n";
	}
	return $lines;
}

# The lines that only one of two texts has.
sub difference
{
	my ($before, $after) = @_;
	my %lines = map { $_ => 1 } split /\n/, $after;
	my %before = map { $_ => 1 } split /\n/, $before;
	return join "\n", (map { "- $_" } grep { !$lines{$_} } sort keys %before), (map { "+ $_" } grep { !$before{$_} } sort keys %lines);
}

1;
