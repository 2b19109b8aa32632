# A time stands for its unit, so a row that was just made is found by the time before it, and windows by a job, in the habitual forms, have
# each row once; a control compares microseconds with the ids' units.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# One session: what it has just made. A condition on id, with t0 before and t1 after it was made, in 500 tries.
my %misses;
foreach my $generator (grep { $_ ne 'scru160_us' } @generators)
{
	my ($type, $uuid) = ($type_of{$generator}, $generator eq 'uuidv7');
	my %form = $uuid
	  ? ('id >= t0' => 'id >= uuidv7_first(t0)', 'id > t0' => 'id > uuidv7_last(t0)', 'id <= t1' => 'id <= uuidv7_last(t1)',
		'id < t1' => 'id < uuidv7_first(t1)', '[t0,t1]' => q{uuidv7_within(id, tstzrange(t0, t1, '[]'))})
	  : ((map { $_ => $_ } 'id >= t0', 'id > t0', 'id <= t1', 'id < t1'), '[t0,t1]' => q{id <@ tstzrange(t0, t1, '[]')});
	my @forms = sort keys %form;
	my $count = join ', ', map { "count(*) FILTER (WHERE NOT ($form{$_}))" } @forms;
	my @missed = split /\|/, $node->safe_psql('postgres', qq{
		CREATE TABLE $generator (id $type, t0 timestamptz, t1 timestamptz);
		DO \$\$
		DECLARE t0 timestamptz; made $type;
		BEGIN
			FOR i IN 1 .. 500 LOOP
				t0 := clock_timestamp(); made := gen_$generator();
				INSERT INTO $generator VALUES (made, t0, clock_timestamp());
			END LOOP;
		END \$\$;
		SELECT $count FROM $generator});
	my %missed = map { $forms[$_] => $missed[$_] } 0 .. $#forms;
	is("$missed{'id >= t0'} $missed{'id <= t1'} $missed{'[t0,t1]'}", '0 0 0', "$generator: >=, <= and [] include the unit");
	cmp_ok($missed{$_}, '>', 400, "$generator: $_ leaves the unit out: $missed{$_} of 500") foreach $type eq 'tbsl' ? () : ('id > t0', 'id < t1');
}

# A row every 100 us, and a reader of windows from the time of the last one until now, 5 ms each, whose ends lie within a millisecond. A
# row is missed if no window has it.
my %windows = (
	'[ )' => 'id >= since AND id < now', '( ]' => 'id > since AND id <= now', 'BETWEEN' => 'id BETWEEN ulid_first(since) AND ulid_last(now)',
	'created_at' => 'at >= since AND at < now',
	'microseconds' => q{id >= ulid_first(since + interval '999 us') AND id < ulid_first(now + interval '999 us')});
my $read = join "\nUNION ALL ", map { "SELECT '$_', id FROM event WHERE $windows{$_}" } sort keys %windows;
$node->safe_psql('postgres', qq{
	CREATE TABLE event (id ulid PRIMARY KEY, at timestamptz);
	CREATE TABLE had (form text, id ulid);
	DO \$\$
	DECLARE since timestamptz := '2026-01-01 00:00:00.0003Z'; now timestamptz;
	BEGIN
		FOR i IN 1 .. 100 LOOP
			now := since + interval '5 ms';
			INSERT INTO event SELECT gen_ulid(at), at FROM generate_series(since, now - interval '1 us', '100 us') at;
			INSERT INTO had $read;
			since := now;
		END LOOP;
		now := since + interval '1 s';
		INSERT INTO had $read;
	END \$\$});
my (%missed, %twice);
foreach (split /\n/, $node->safe_psql('postgres', 'SELECT form, 5000 - count(DISTINCT id), count(*) - count(DISTINCT id) FROM had GROUP BY 1'))
{
	my ($form, $missed, $twice) = split /\|/;
	($missed{$form}, $twice{$form}) = ($missed, $twice);
}
is($missed{$_}, 0, "windows $_ miss no row that is committed at once") foreach '[ )', 'created_at', 'BETWEEN';
cmp_ok($missed{microseconds}, '>', 0, 'windows that compare microseconds with units miss rows');
cmp_ok($missed{'( ]'}, '>', 0, 'and so do windows of units by > AND <=');
is("$twice{'[ )'} $twice{'( ]'}", '0 0', 'no row is in two windows');
cmp_ok($twice{BETWEEN}, '>', 0, 'by BETWEEN some are');
$node->stop;

done_testing();
