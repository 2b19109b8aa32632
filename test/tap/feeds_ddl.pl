# A feed is read while partitions are attached, split and drained, by the statement of doc/reading.md for a partitioned feed and by
# the cookbook's recipes. It reads each row once; statements without the lock or the snapshot that it begins with miss rows.
use strict;
use warnings;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

my $nothing = '0' x 26;
my $select = block('doc/reading.md', 'Reading new rows', 'SELECT * FROM event');
my $repeatable_read = 'BEGIN ISOLATION LEVEL REPEATABLE READ;';

# How a batch is read after an id: statements of a session, some of which come once before.
my %readers = (
	'as the page says' => [ block('doc/reading.md', 'A partitioned feed', 'LOCK TABLE') ],
	'READ COMMITTED' => [$select],
	'REPEATABLE READ' => ["$repeatable_read $select COMMIT;"],
	'EXECUTE' => [ q{EXECUTE next('00000000000000000000000000');}, 'PREPARE next(ulid) AS ' . $select =~ s/'$nothing'/\$1/r ],
	'a STABLE function' => [
		"SELECT * FROM next('$nothing');",
		'CREATE OR REPLACE FUNCTION next(ulid) RETURNS SETOF ulid STABLE LANGUAGE plpgsql AS $f$BEGIN RETURN QUERY '
		  . $select =~ s/\*/id/r =~ s/'$nothing'/\$1/r . ' END$f$' ]);

# Waits until so many sessions wait for a lock.
sub wait_for_locks
{
	my ($sessions) = @_;
	$node->poll_query_until('postgres', "SELECT count(DISTINCT pid) = $sessions FROM pg_locks WHERE NOT granted") or die 'nobody waits for a lock';
}

# Reads a feed to its end. The first batch begins while another session holds a lock by some statements, and ends after that session
# has let it go. Returns how many rows it missed and how many it read twice.
sub read_meanwhile
{
	my ($how, $hold, $let_go) = @_;
	my ($batch, $once) = @{ $readers{$how} };
	my ($session, $holder) = map { $node->background_psql('postgres') } 1 .. 2;
	$session->query_safe($once) if $once;
	$holder->query_safe($hold);
	my (%count, $last);
	$last = $nothing;
	foreach my $round (0 .. 9)
	{
		my $statements = $batch =~ s/'$nothing'/'$last'/r;
		my @ids;
		if ($round == 0)
		{
			$session->query_until(qr/reading/, "\\echo reading\n$statements\n");
			wait_for_locks(1);
			$let_go->($holder);
			@ids = map { /^([0-9A-Z]{26})/ } split /\n/, $session->query_safe('SELECT');
		}
		else { @ids = map { /^([0-9A-Z]{26})/ } split /\n/, $session->query_safe($statements); }
		last if $round && !@ids;
		$count{$_}++ foreach @ids;
		$last = $ids[-1] if @ids;
	}
	$_->quit foreach $session, $holder;
	my $missed = grep { !$count{$_} } split /\n/, $node->safe_psql('postgres', 'SELECT id FROM event');
	return ($missed, scalar grep { $_ > 1 } values %count);
}

# What each reader gives while something happens. The page's statement reads each row once, and the others that are named miss some.
sub compare
{
	my ($what, $create, $hold, $let_go, @miss) = @_;
	foreach my $how (sort keys %readers)
	{
		$node->safe_psql('postgres', "SET client_min_messages = warning; SET timezone = 'UTC'; DROP TABLE IF EXISTS event CASCADE; $create");
		my ($missed, $twice) = read_meanwhile($how, $hold, $let_go);
		note("$what, $how: $missed rows missed, $twice twice");
		if ($how eq 'as the page says') { is("$missed missed, $twice twice", '0 missed, 0 twice', "$what, $how: each row once"); }
		elsif (grep { $_ eq $how } @miss) { cmp_ok($missed, '>', 0, "$what, $how: rows are missed"); }
	}
}

# A partition is attached, empty, while the statement waits for another partition: the list of partitions has been read by then. The
# first row of the new partition comes before the last row of the other one.
my $row = 'INSERT INTO event (tenant) VALUES';
my %attach = (
	'a list of tenants' => [
		'CREATE TABLE event (id ulid NOT NULL DEFAULT gen_ulid(), tenant int) PARTITION BY LIST (tenant);
		CREATE TABLE one PARTITION OF event FOR VALUES IN (1)',
		'CREATE TABLE two (LIKE event INCLUDING ALL); ALTER TABLE event ATTACH PARTITION two FOR VALUES IN (2)' ],
	'children' => [
		'CREATE TABLE event (id ulid NOT NULL DEFAULT gen_ulid(), tenant int); CREATE TABLE one () INHERITS (event)',
		'CREATE TABLE two (LIKE event INCLUDING ALL); ALTER TABLE two INHERIT event' ]);
foreach my $layout (sort keys %attach)
{
	my ($create, $attach) = @{ $attach{$layout} };
	my ($one, $two) = map { $layout eq 'children' ? "INSERT INTO $_->[0] (tenant) VALUES ($_->[1])" : "$row ($_->[1])" } [ 'one', 1 ], [ 'two', 2 ];
	compare(
		"a partition is attached to $layout",
		"$create; $one",
		'BEGIN; LOCK TABLE one IN ACCESS EXCLUSIVE MODE',
		sub {
			my ($holder) = @_;
			$node->safe_psql('postgres', $_) foreach $attach, $two;
			$holder->query_safe("$one; COMMIT");
		},
		'READ COMMITTED');
}

# The cookbook's recipes, with times that have passed. They move rows while the statement waits; later rows stay where they are.
sub recipe
{
	my ($heading, $text, $table) = @_;
	my $recipe = block('doc/cookbook.md', $heading, $text) =~ s/\b$table(?=\b|_)/event/gr;
	$recipe =~ s/'202(\d)-/'201$1-/g;
	$recipe =~ s/COMMIT;\n\z// or die "no COMMIT in $heading";
	return $recipe;
}
my $split = recipe('Splitting a partition', 'DETACH PARTITION event_old', 'event');
my $drain = recipe('Draining a default partition', 'DELETE FROM log_rest', 'log');
my $november = q{INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2016-10-05', '2016-11-25', '10 days') at};
my $later = q{INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2017-06-01', '2017-07-01', '10 days') at};
my $december = q{INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2016-12-05', '2016-12-25', '10 days') at};
my $create = q{CREATE TABLE event (id ulid PRIMARY KEY, message text) PARTITION BY RANGE (id);
	CREATE TABLE event_old PARTITION OF event FOR VALUES FROM (MINVALUE) TO (ulid_first('2016-12-01 00:00:00+00'))};
my %recipes = (
	'a partition is split' => [ "$create;
		CREATE TABLE event_later PARTITION OF event FOR VALUES FROM (ulid_first('2016-12-01 00:00:00+00')) TO (MAXVALUE);
		$november; $later", $split ],
	'a default partition is drained' => [ "$create;
		CREATE TABLE event_later PARTITION OF event FOR VALUES FROM (ulid_first('2017-01-01 00:00:00+00')) TO (MAXVALUE);
		CREATE TABLE event_rest PARTITION OF event DEFAULT;
		$december; $later", $drain ]);
foreach my $what (sort keys %recipes)
{
	compare($what, @{ $recipes{$what} }, sub { $_[0]->query_safe('COMMIT') }, 'REPEATABLE READ', 'EXECUTE', 'a STABLE function');
}

# A consumer that begins so. A second worker waits, fails, and reads the rest when it tries again.
my ($begin) = $readers{'as the page says'}[0] =~ /^(BEGIN.*\nLOCK.*\n)/;
my $consumer = block('doc/reading.md', 'A consumer', 'WITH batch') =~ s/^BEGIN;\n/$begin/r =~ s/^SELECT string_agg.*//mr;
$node->safe_psql('postgres', "SET client_min_messages = warning; DROP TABLE event; @{ $attach{'a list of tenants'} }[0]; ALTER TABLE event ADD message text");
$node->safe_psql('postgres', $_) foreach 'CREATE TABLE mail (event ulid, text text)', split /^(?=INSERT)/m, block('doc/reading.md', 'A consumer', 'CREATE TABLE position');
$node->safe_psql('postgres', "$row (1)");
my ($first, $second) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
$first->query_safe($consumer =~ s/COMMIT;\n*\z//r);
$second->query_until(qr/reading/, "\\echo reading\n$consumer\n");
wait_for_locks(1);
$node->safe_psql('postgres', "$row (1)");
$first->query_safe('COMMIT');
$second->query('ROLLBACK');
like($second->{stderr}, qr/could not serialize access/, 'a second worker fails');
$second->{stderr} = '';
$second->query_safe($consumer);
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT event) FROM mail'), '2|2', 'it reads the rest when it tries again');
$_->quit foreach $first, $second;

$node->stop;
done_testing();
