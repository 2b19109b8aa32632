# The cookbook's recipes that move rows, beside publications: the subscriber keeps all rows, each once, and goes on.
use strict;
use warnings;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($publisher, $subscriber) = map { PostgreSQL::Test::Cluster->new($_) } 'publisher', 'subscriber';
foreach my $node ($publisher, $subscriber)
{
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "log_statement = none\nwal_retrieve_retry_interval = 100ms\n");
	$node->start;
	$node->safe_psql('template1', 'CREATE EXTENSION ids');
}

my $rows = q{INSERT INTO %s (id) SELECT gen_ulid(at) FROM generate_series(timestamptz '2026-10-05', '2026-11-25', '10 days') at};
my $add = q{INSERT INTO %s (id) SELECT gen_ulid(at) FROM (VALUES (timestamptz '2026-10-30'), ('2026-11-30')) v (at)};
my $by_range = 'PARTITION BY RANGE (id)';
my $old = q{CREATE TABLE event_old PARTITION OF event FOR VALUES FROM (MINVALUE) TO (ulid_first('2026-12-01 00:00:00+00'))};
my $drain = block('doc/cookbook.md', 'Draining a default partition', 'DELETE FROM log_rest') =~ s/2026-12/2026-11/gr =~ s/2027-01/2026-12/gr;
my $split = $drain =~ s/log_rest/event_old/gr =~ s/log(?=\b|_)/event/gr =~ s/_202612/_202611/gr
  =~ s/^ALTER.*DEFAULT;\n/block('doc\/cookbook.md', 'Splitting a partition', 'event_old')/emr;
my %recipes = (
	'split' => [ 'event', "CREATE TABLE event (id ulid PRIMARY KEY, message text) $by_range; $old",
		$split, 'event_20261101' ],
	'drain' => [ 'log', "CREATE TABLE log (id ulid PRIMARY KEY, message text) $by_range; CREATE TABLE log_rest PARTITION OF log DEFAULT",
		$drain, 'log_20261201' ]);
my $moved_by_insert = q{BEGIN; ALTER TABLE event DETACH PARTITION event_old;
	CALL ids_create_partitions('event', '1 month', '2026-10-01 00:00:00+00', '2026-12-01 00:00:00+00');
	INSERT INTO event SELECT * FROM event_old; DROP TABLE event_old; COMMIT};

my $n = 0;
# What the subscriber has in the end: "same" rows, or an error.
sub replicated
{
	my ($recipe, $publication, %more) = @_;
	my ($table, $create, $statements) = @{ $recipes{$recipe} };
	$statements = $more{statements} if $more{statements};
	my $name = 'd' . ++$n;
	foreach my $node ($publisher, $subscriber)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $name; ALTER DATABASE $name SET timezone = 'UTC'");
		$node->safe_psql($name, $create);
	}
	$publisher->safe_psql($name, sprintf "$rows; CREATE PUBLICATION feed $publication", $table, $table);
	my $connection = $publisher->connstr($name) =~ s/'/''/gr;
	$subscriber->safe_psql($name, "CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION feed");
	$subscriber->wait_for_subscription_sync($publisher, $name, $name);
	my $log = -s $subscriber->logfile;
	$subscriber->safe_psql($name, $more{before}) if $more{before};
	$publisher->safe_psql($name, $statements);
	$subscriber->safe_psql($name, "ALTER SUBSCRIPTION $name REFRESH PUBLICATION") if $more{refresh};
	$publisher->safe_psql($name, sprintf $add, $table);
	my $all = "SELECT count(*), sum(hashtext(id::text)) FROM $table";
	my $expected = $publisher->safe_psql($name, $all);
	my ($error, $is);
	foreach (1 .. 100)
	{
		($error) = slurp_file($subscriber->logfile, $log) =~ /ERROR:  (.*)/;
		$is = $subscriber->safe_psql($name, $all);
		last if $error || $is eq $expected;
		select undef, undef, undef, 0.1;
	}
	$subscriber->safe_psql($name, "DROP SUBSCRIPTION $name");
	return $error // ($is eq $expected ? 'same' : "$is, not $expected");
}

my $via_root = 'WITH (publish_via_partition_root)';
my ($root, $each, $all) = map { "FOR $_" } "TABLE %s $via_root", 'TABLE %s', "ALL TABLES $via_root";
like(replicated('split', $root, statements => $moved_by_insert), qr/duplicate key|insert_exists/, 'rows that are moved by INSERT INTO the table');
foreach my $recipe (sort keys %recipes)
{
	my ($table, undef, $statements, $partition) = @{ $recipes{$recipe} };
	is(replicated($recipe, $root), 'same', "$recipe: via the root");
	like(replicated($recipe, $all), qr/"public.$partition" does not exist/, "$recipe: a publication of all tables stops the subscription");
	is(replicated($recipe, $all, before => "CREATE TABLE $partition (LIKE $table INCLUDING ALL)"), 'same', 'unless the table is there');
	is(replicated($recipe, $each, before => "$statements; TRUNCATE $partition", refresh => 1), 'same', "$recipe: each partition");
}

$_->stop foreach $subscriber, $publisher;
done_testing();
