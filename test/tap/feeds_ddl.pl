# A feed of several tables is read by the statement of doc/reading.md while partitions are attached, split, drained and rewritten. It
# reads each row once; statements without the lock or the snapshot that it begins with miss rows.
use strict;
use warnings;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);    # REPACK (CONCURRENTLY) decodes WAL
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

my $nothing = '0' x 26;
my $select = block('doc/reading.md', 'Reading new rows', 'SELECT * FROM event');
my $repeatable_read = 'BEGIN ISOLATION LEVEL REPEATABLE READ;';

# How a batch of some tables is read after an id: statements of a session, some of which come once before.
sub readers
{
	my ($select, $tables, $column) = @_;
	my $as_the_page_says = block('doc/reading.md', 'A feed of several tables', 'LOCK TABLE');
	$as_the_page_says =~ s{^/\* read here .*\n}{$select}m or die;
	$as_the_page_says =~ s/TABLE event/TABLE $tables/ or die;
	my ($query) = $select =~ /(.*);/s;
	my $parameter = $select =~ s/'$nothing'/\$1/gr;
	return (
		'as the page says' => [$as_the_page_says],
		'READ COMMITTED' => [$select],
		'REPEATABLE READ' => ["$repeatable_read $select COMMIT;"],
		'EXECUTE' => [ "EXECUTE next('$nothing');", "PREPARE next(ulid) AS $parameter" ],
		'COPY' => ["COPY ($query) TO STDOUT;"],
		'DECLARE CURSOR' => ["BEGIN; DECLARE batch CURSOR FOR $query; FETCH ALL FROM batch; COMMIT;"],
		'CREATE TABLE AS' => ["CREATE TEMP TABLE batch AS $query; SELECT * FROM batch; DROP TABLE batch;"],
		'a STABLE function' => [
			"SELECT * FROM next('$nothing');",
			"CREATE OR REPLACE FUNCTION next(ulid) RETURNS SETOF ulid STABLE LANGUAGE plpgsql AS \$f\$BEGIN RETURN QUERY
				SELECT $column FROM (" . $parameter =~ s/;\s*\z//r . ') batch; END$f$' ]);
}
my %readers = readers($select, 'event', 'id');
my $all = 'SELECT id FROM event';

# Waits until so many sessions wait for a lock.
sub wait_for_locks
{
	my ($sessions) = @_;
	$node->poll_query_until('postgres', "SELECT count(DISTINCT pid) = $sessions FROM pg_locks WHERE NOT granted") or die 'nobody waits for a lock';
}

my $begins_after = $nothing;
# Reads a feed to its end. The first batch begins while another session holds a lock by some statements, and ends after that session
# has let it go. Returns how many rows it missed and how many it read twice.
sub read_meanwhile
{
	my ($how, $hold, $let_go) = @_;
	my ($batch, $once) = @{ $readers{$how} };
	my ($session, $holder) = map { $node->background_psql('postgres') } 1 .. 2;
	$session->query_safe($once) if $once;
	ref $hold ? $hold->($holder) : $holder->query_safe($hold);
	my (%count, $last);
	$last = $begins_after;
	foreach my $round (0 .. 9)
	{
		my $statements = $batch =~ s/'$nothing'/'$last'/gr;
		my @ids;
		if ($round == 0)
		{
			$session->query_until(qr/reading/, "\\echo reading\n$statements\n");
			wait_for_locks(ref $hold ? 2 : 1);
			$let_go->($holder);
			@ids = map { /^([0-9A-Z]{26})/ } split /\n/, $session->query_safe('SELECT');
		}
		else { @ids = map { /^([0-9A-Z]{26})/ } split /\n/, $session->query_safe($statements); }
		last if $round && !@ids;
		$count{$_}++ foreach @ids;
		$last = $ids[-1] if @ids;
	}
	$_->quit foreach $session, $holder;
	my $missed = grep { !$count{$_} } split /\n/, $node->safe_psql('postgres', $all);
	return ($missed, scalar grep { $_ > 1 } values %count);
}

# What each reader gives while something happens. The page's statement reads each row once, and the others that are named miss some.
sub compare
{
	my ($what, $create, $hold, $let_go, @miss) = @_;
	foreach my $how (sort keys %readers)
	{
		$node->safe_psql('postgres', "SET client_min_messages = warning; SET timezone = 'UTC'; DROP TABLE IF EXISTS event, customer, customer_gone CASCADE; $create");
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
	return "BEGIN; $recipe";
}
my $commit = sub { $_[0]->query_safe('COMMIT') };
my $drain = recipe('Draining a default partition', 'DELETE FROM log_rest', 'log');
my $split = $drain =~ s/2016-12/2016-11/gr =~ s/2017-01/2016-12/gr =~ s/event_rest/event_old/gr
  =~ s/^ALTER.*DEFAULT;\n/block('doc\/cookbook.md', 'Splitting a partition', 'event_old') =~ s{2026}{2016}r/emr;
my $november = q{INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2016-11-05', '2016-11-25', '10 days') at};
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
	# Plans leave out the partition that the rows have left.
	$begins_after = $node->safe_psql('postgres', q{SELECT ulid_first('2016-11-01 00:00:00+00')});
	compare($what, @{ $recipes{$what} }, $commit, 'REPEATABLE READ', 'EXECUTE', 'COPY', 'a STABLE function');
}

$begins_after = $nothing;

# A partition is rewritten: to old snapshots it looks empty, and they read later rows of the other partition.
my @all_but_read_committed = grep { $_ ne 'READ COMMITTED' && $_ ne 'as the page says' } keys %readers;
my $two = q{CREATE TABLE event (id ulid DEFAULT gen_ulid(), tenant int, PRIMARY KEY (id, tenant)) PARTITION BY LIST (tenant);
	CREATE TABLE one PARTITION OF event FOR VALUES IN (1); CREATE TABLE two PARTITION OF event FOR VALUES IN (2);
	INSERT INTO event (tenant) VALUES (1), (2)};
compare('a partition becomes unlogged', $two, 'BEGIN; ALTER TABLE one SET UNLOGGED', $commit, @all_but_read_committed);
if ($node->pg_version->major >= 19)
{
	my $repack;
	compare(
		'REPACK (CONCURRENTLY)',
		$two,
		sub {
			$_[0]->query_safe('BEGIN; LOCK TABLE one IN ACCESS SHARE MODE');
			$repack = $node->background_psql('postgres');
			$repack->query_until(qr/begins/, "\\echo begins\nREPACK (CONCURRENTLY) one;\n");
			wait_for_locks(1);
		},
		sub {
			$_[0]->query_safe('COMMIT');
			$repack->quit;
		},
		@all_but_read_committed);
}

# Rows that change are two tables.
my ($follow, $changes) = split /^(?=SELECT changed)/m, block('doc/cookbook.md', 'Rows that change', 'UNION ALL'), 2;
%readers = readers($changes, 'customer, customer_gone', 'changed');
$all = 'SELECT changed FROM customer UNION ALL SELECT changed FROM customer_gone';
compare(
	'a column with a volatile default',
	$follow =~ s/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/gr . q{INSERT INTO customer VALUES (1), (2), (3); DELETE FROM customer WHERE id = 3},
	'BEGIN; ALTER TABLE customer ADD token uuid DEFAULT gen_random_uuid()',
	$commit, 'REPEATABLE READ', 'EXECUTE', 'COPY', 'a STABLE function');
%readers = readers($select, 'event', 'id');

# A consumer that begins so. A second worker waits, fails, and reads the rest when it tries again.
my ($begin) = $readers{'as the page says'}[0] =~ /^(BEGIN.*\nLOCK.*\n)/;
my $consumer = block('doc/reading.md', 'A consumer', 'WITH batch') =~ s/^BEGIN;.*\n/$begin/r =~ s/^SELECT string_agg.*//mr;
$node->safe_psql('postgres', "SET client_min_messages = warning; DROP TABLE IF EXISTS event; @{ $attach{'a list of tenants'} }[0]; ALTER TABLE event ADD message text");
$node->safe_psql('postgres', $_) foreach block('doc/reading.md', 'A consumer', 'CREATE TABLE position'), "$row (1)";
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
