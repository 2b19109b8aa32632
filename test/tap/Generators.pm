# The types and generators of the extension, and how some generators differ from the others.
package Generators;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(@types @generators %type_of %node_id_in key_of waits);

# private.sh reads them from the extension by generators.sql.
our @types = split ' ', $ENV{IDS_TYPES};
our %type_of = map { split /=/ } split ' ', $ENV{IDS_GENERATORS};
our @generators = sort keys %type_of;
die 'no types or no generators' unless @types && @generators;

# The types with a node id, and the part that holds it.
our %node_id_in = (scru160 => 'random16', snowflake => 'random', tbsl => 'machine_id');

# An id as a value that has max(): PostgreSQL has no max(uuid) before 18, but a ulid is the same bytes.
sub key_of
{
	my ($generator, $id) = @_;
	return $type_of{$generator} eq 'uuid' ? "$id\::ulid" : $id;
}

# Whether a generator waits for the clock when its counter is used up and it is a unit ahead; the others do not wait.
sub waits
{
	my ($generator) = @_;
	return $generator eq 'snowflake';
}

1;
