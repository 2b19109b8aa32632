# The types and generators of the extension, and in what some generators differ from the others.
package Generators;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(@types @generators %type_of %node_id_in key_of follows waits);

# As the extension has them: private.sh asks it by generators.sql.
our @types = split ' ', $ENV{IDS_TYPES};
our %type_of = map { split /=/ } split ' ', $ENV{IDS_GENERATORS};
our @generators = sort keys %type_of;
die 'no types or no generators' unless @types && @generators;

# The types with a node id, and which of their parts has it.
our %node_id_in = (scru160 => 'random16', snowflake => 'random', tbsl => 'machine_id');

# What a generator puts in order, of an id. The random bits of a snowflake are above its counter, so that only its time
# is in order.
sub key_of
{
	my ($generator, $id) = @_;
	return "$id\::timestamptz" if $generator eq 'snowflake';
	# PostgreSQL has no max(uuid) before 18, but a ulid is the same bytes.
	return "$id\::ulid" if $type_of{$generator} eq 'uuid';
	return $id;
}

# The operator between the key of an id and that of an id before it.
sub follows
{
	my ($generator) = @_;
	return $generator eq 'snowflake' ? '>=' : '>';
}

# Whether a generator waits for the clock when its counter is used up; the others go ahead of it.
sub waits
{
	my ($generator) = @_;
	return $generator eq 'snowflake';
}

1;
