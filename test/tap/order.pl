# Eight clients at once: no identifier is made twice, and each is greater than every identifier that any client had received
# when the call began. With a library whose sessions do not share their state, this must fail.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %at_once = (clients => 8, calls => 20_000);
my $all = $at_once{clients} * $at_once{calls};
my $node;

# Returns how many of these calls were out of order. An id of a given time need not be in order.
sub call
{
	my ($call, $generator, %params) = @_;
	my ($made, $distinct, $late) = call_at_once($node, $call, $type_of{$generator}, key_of($generator, 'id'), %at_once, %params);
	is("$made made, $distinct different", "$all made, $all different", "$call: every call returned another identifier");
	return $late;
}

foreach my $preloaded (0, 1)
{
	$node = PostgreSQL::Test::Cluster->new("preloaded_$preloaded");
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'ids'") if $preloaded;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ids');
	is(call("gen_$_()", $_), 0, "gen_$_(), preloaded: $preloaded; none smaller than one returned before the call began")
	  foreach $preloaded ? $generators[0] : @generators;
	$node->stop if $preloaded;
	next if $preloaded;

	# A unit's random counter begins in the lower half, so that a burst has room before it carries into the next unit.
	is($node->safe_psql('postgres', q{
		SELECT bit_or(get_bit(gen_ulid()::bytea, 55)), bit_or(get_bit(gen_scru160()::bytea, 55)), bit_or(get_bit(uuid_send(gen_uuidv7()), 69))
		FROM generate_series(1, 40) i, pg_sleep(0.002 + 0 * i)}), '0|0|0', 'the upper bit of a new counter is clear');

	# The increment of a snowflake runs on across milliseconds, also from the greatest one to 0: the carry is not added to the time.
	is($node->safe_psql('postgres', q{
		CREATE FUNCTION follows() RETURNS boolean LANGUAGE plpgsql AS $$
		DECLARE last snowflake; next snowflake;
		BEGIN
			FOR i IN 1 .. 1024 LOOP
				last := gen_snowflake();
				EXIT WHEN increment = 1023 FROM snowflake_parts(last);
			END LOOP;
			PERFORM pg_sleep(0.003);
			next := gen_snowflake();
			RETURN increment = 0 AND next > last AND at <= clock_timestamp() FROM snowflake_parts(next);
		END $$;
		SELECT bool_and(follows()) FROM generate_series(1, 20)}), 't', 'after the last increment of a snowflake comes 0, in the clock\'s millisecond');

	# The few random bits of short ids would repeat.
	call("gen_$_('2026-01-01Z')", $_) foreach grep { !ordered_at($_) } @types;
	is(call('gen_ulid()', 'ulid', then => "SELECT count(ids_reset_clock()) FROM generate_series(1, 2000);\n"), 0,
		'none smaller if the clock is reset although it is right');

	$node->safe_psql('postgres', "CREATE FUNCTION unshared() RETURNS snowflake AS '$ENV{IDS_UNSHARED}', 'gen_snowflake' LANGUAGE C VOLATILE");
	my ($distinct, $late);
	foreach (1 .. 20)
	{
		(undef, $distinct, $late) = call_at_once($node, 'unshared()', 'snowflake', 'id', %at_once);
		last if $late > 0 && $distinct < $all;
	}
	cmp_ok($late, '>', 0, "without shared state the order is broken: $late times");
	cmp_ok($distinct, '<', $all, "without shared state some ids repeat: $distinct are different");
	$node->stop;
}

done_testing();
