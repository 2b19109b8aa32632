# The types and generators of the extension, and how some generators differ from the others.
package Generators;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(@types @generators @settled %type_of %node_id_in first_of key_of waits ordered_at call_at_once);

# private.sh reads them from the extension by generators.sql.
our @types = split ' ', $ENV{IDS_TYPES};
our %type_of = map { split /=/ } split ' ', $ENV{IDS_GENERATORS};
our @generators = sort keys %type_of;
our @settled = split ' ', $ENV{IDS_SETTLED};
die 'no types or no generators' unless @types && @generators && @settled;

# The types with a node id, and the part that holds it.
our %node_id_in = (scru160 => 'random16', snowflake => 'random', tbsl => 'machine_id');

# The function that returns the first id of a time.
sub first_of
{
	my ($generator) = @_;
	return ($type_of{$generator} eq 'uuid' ? $generator : $type_of{$generator}) . '_first';
}

# An id as a value that has max(): PostgreSQL has no max(uuid) before 18, but a ulid is the same bytes.
sub key_of
{
	my ($generator, $id) = @_;
	return $type_of{$generator} eq 'uuid' ? "$id\::ulid" : $id;
}

# Has clients call a function at once, as that user, each with another statement after every 1000 calls. Returns how many calls
# they made, how many distinct ids these returned, how many ids were not above all that any client had received when their call
# began, and more that is asked of the calls. The key is the id as a value that has max().
sub call_at_once
{
	my ($node, $call, $type, $key, %params) = @_;
	my $database = $params{database} // 'postgres';
	$node->safe_psql($database, "CREATE UNLOGGED TABLE call (before timestamptz, id $type, after timestamptz); GRANT INSERT ON call TO PUBLIC");
	my $script = $node->basedir . '/call.sql';
	append_to_file($script, "INSERT INTO call SELECT clock_timestamp(), $call, clock_timestamp() FROM generate_series(1, 1000);\n" . ($params{then} // ''));
	$node->command_ok([ 'pgbench', '-n', '-c', $params{clients}, '-j', 2, '-t', $params{calls} / 1000, '-f', $script,
			$node->connstr($database) . ($params{user} ? " user=$params{user}" : '') ],
		"$params{clients} clients x $params{calls} calls of $call");
	unlink $script;
	# For the beginning of each call, the greatest id returned so far.
	return split /\|/, $node->safe_psql($database, 'SELECT ' . join(', ', 'count(*)', 'count(DISTINCT id)', qq{(
			SELECT count(*) FROM (
				SELECT kind, key, max(key) FILTER (WHERE kind = 'after') OVER (ORDER BY at, kind DESC ROWS UNBOUNDED PRECEDING) AS given
				FROM (SELECT before AS at, 'before' AS kind, $key AS key FROM call UNION ALL SELECT after, 'after', $key FROM call) event
			) call WHERE kind = 'before' AND NOT key > given)}, @{ $params{more} // [] }) . ' FROM call; DROP TABLE call');
}

# Whether a generator waits for the clock when its counter is used up and it is a unit ahead; the others do not wait.
sub waits
{
	my ($generator) = @_;
	return $generator eq 'snowflake';
}

# Whether a session's ids of one given time are in order.
sub ordered_at
{
	my ($generator) = @_;
	return $generator !~ /^(snowflake|tbsl)$/;
}

1;
