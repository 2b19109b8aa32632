# Replication: a physical standby generates too and goes on when promoted; logical replication
# carries identifiers as text and in binary, as replica identity, and from several nodes to one.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 'logical');
$primary->append_conf('postgresql.conf', "ids.node_id = 11\n");
$primary->start;
my $defaults = join ', ', map { "$_ $_ UNIQUE DEFAULT gen_$_()" } @types;
$primary->safe_psql('postgres', "CREATE EXTENSION ids; CREATE TABLE item (n serial, $defaults); INSERT INTO item SELECT FROM generate_series(1, 10000)");
$primary->safe_psql('postgres', 'CREATE TABLE place AS SELECT * FROM item; ' . join '', map { "CREATE INDEX place_$_ ON place USING gist ($_);" } @types);

# Physical
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->safe_psql('postgres', 'INSERT INTO item SELECT FROM generate_series(1, 10000); CREATE TABLE log (id ulid) PARTITION BY RANGE (id)');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
my $greater = 'SELECT ' . join(', ', map { sprintf '%s > max(%s)', key_of($_, "gen_$_()"), key_of($_, $_) } @types) . ' FROM item';
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'the standby is in recovery');
is($standby->safe_psql('postgres', $greater), join('|', ('t') x @types), 'a standby makes identifiers in read-only queries, greater than all replicated ones');
like(($standby->psql('postgres', "\\set VERBOSITY verbose\nSELECT ids_advance_clock(now())"))[2], qr/ERROR:  25006: cannot execute ids_advance_clock\(\) during recovery.*HINT:/s, 'a standby does not advance the clock');
is($standby->psql('postgres', 'SELECT ids_reset_clock()'), 0, 'a standby lets its clock follow the server\'s again');
like(($standby->psql('postgres', q{CALL ids_create_partitions('log', '1 day', '2026-01-01', '2026-01-02')}))[2], qr/ERROR:  cannot execute ids_create_partitions in a read-only transaction/,
	'a standby creates no partitions');
$primary->safe_psql('postgres', 'INSERT INTO place SELECT * FROM item WHERE n > 10000');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
foreach my $type (@types)
{
	my $sum = "SELECT count(*), sum(hashtext($type\::text)) FROM place WHERE $type <> ${type}_first('-infinity')";
	my $index = 'SET enable_seqscan = off; SET enable_bitmapscan = off;';
	like($standby->safe_psql('postgres', "$index EXPLAIN $sum"), qr/Index Only Scan using place_$type/, "$type: a GiST index on the standby");
	is($standby->safe_psql('postgres', "$index $sum"), $primary->safe_psql('postgres', "SET enable_indexonlyscan = off; SET enable_indexscan = off; SET enable_bitmapscan = off; $sum"), "$type: the index on the standby has all rows");
}
$primary->safe_psql('postgres', 'INSERT INTO item SELECT FROM generate_series(1, 10000)');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
my $read = $standby->safe_psql('postgres', 'SELECT ' . join(', ', map { "gen_$_()" } @types));
my $last = $standby->safe_psql('postgres', 'SELECT max(n) FROM item');
$primary->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres', 'INSERT INTO item SELECT FROM generate_series(1, 10000)');
is($standby->safe_psql('postgres', 'SELECT ' . join(', ', map { my $key = key_of($_, $_); "min($key) FILTER (WHERE n > $last) > max($key) FILTER (WHERE n <= $last)" } @types) . ' FROM item'),
	join('|', ('t') x @types), 'after the promotion, new identifiers are above all replicated ones');
my @read = split /[|]/, $read;
is($standby->safe_psql('postgres', 'SELECT ' . join(', ', map { sprintf 'min(%s) FILTER (WHERE n > %d) > %s', key_of($_, $_), $last, key_of($_, "'" . shift(@read) . "'::$_") } @types) . ' FROM item'),
	join('|', ('t') x @types), 'after the promotion, new identifiers are above those made as a standby');
$standby->stop;
$primary->start;

# Logical: each type is the key of a table, which is its replica identity.
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical');
$subscriber->append_conf('postgresql.conf', "ids.node_id = 33\n");
$subscriber->start;
$subscriber->safe_psql('postgres', 'CREATE EXTENSION ids');
foreach my $type (@types)
{
	$primary->safe_psql('postgres', "CREATE TABLE by_$type (id $type PRIMARY KEY DEFAULT gen_$type(), n int, other $type DEFAULT gen_$type()); INSERT INTO by_$type (n) SELECT generate_series(1, 1000)");
}
$primary->safe_psql('postgres', 'CREATE PUBLICATION keyed FOR TABLE ' . join(', ', map { "by_$_" } @types));
foreach my $binary ('false', 'true')
{
	$subscriber->safe_psql('postgres', "CREATE TABLE by_$_ (id $_ PRIMARY KEY, n int, other $_)") foreach @types;
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION keyed CONNECTION '" . $primary->connstr . " dbname=postgres' PUBLICATION keyed WITH (binary = $binary)");
	$subscriber->wait_for_subscription_sync($primary, 'keyed');
	foreach my $type (@types)
	{
		$primary->safe_psql('postgres', qq{
			INSERT INTO by_$type (n) SELECT generate_series(1001, 2000);
			UPDATE by_$type SET n = -n, other = gen_$type() WHERE n % 3 = 0;
			UPDATE by_$type SET id = gen_$type() WHERE n % 5 = 0;
			DELETE FROM by_$type WHERE n % 7 = 0;
		});
	}
	$primary->wait_for_catchup('keyed');
	foreach my $type (@types)
	{
		my $rows = "SELECT count(*), md5(string_agg(concat_ws(' ', id, id::bytea, n, other, other::bytea), ',' ORDER BY id)) FROM by_$type";
		my $expected = $primary->safe_psql('postgres', $rows);
		is($subscriber->safe_psql('postgres', $rows), $expected, "$type, binary = $binary: the same rows");
		like($expected, qr/^[1-9]\d{2,}[|]/, "$type, binary = $binary: there are rows");
	}
	unlike(slurp_file($subscriber->logfile), qr/ERROR/, "binary = $binary: without an error");
	$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION keyed; ' . join(' ', map { "DROP TABLE by_$_;" } @types));
	if ($binary eq 'false')
	{
		$primary->safe_psql('postgres', "TRUNCATE by_$_; INSERT INTO by_$_ (n) SELECT generate_series(1, 1000)") foreach @types;
	}
}

# A uuid becomes a ulid, on the publisher first: a subscription stops in text mode, and goes on in binary mode, with either type.
my $moved = 'CREATE TABLE moved (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), n int)';
$_->safe_psql('postgres', $moved) foreach $primary, $subscriber;
$primary->safe_psql('postgres', 'CREATE PUBLICATION moved FOR TABLE moved');
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION moved CONNECTION '" . $primary->connstr . " dbname=postgres' PUBLICATION moved");
$subscriber->wait_for_subscription_sync($primary, 'moved');
my $to_ulid = 'ALTER TABLE moved ALTER id DROP DEFAULT, ALTER id TYPE ulid USING id::ulid, ALTER id SET DEFAULT gen_ulid()';
$primary->safe_psql('postgres', "INSERT INTO moved (n) VALUES (1); $to_ulid; INSERT INTO moved (n) VALUES (2)");
$subscriber->wait_for_log(qr/invalid input syntax for type uuid/);
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION moved SET (binary = true)');
$primary->wait_for_catchup('moved');
my $bytes = q{SELECT string_agg(n || ' ' || id::text::TYPE::uuid, ',' ORDER BY n) FROM moved};
is($subscriber->safe_psql('postgres', $bytes =~ s/TYPE/uuid/r), $primary->safe_psql('postgres', $bytes =~ s/TYPE/ulid/r), 'a ulid is received as a uuid in binary mode');
$subscriber->safe_psql('postgres', $to_ulid);
$primary->safe_psql('postgres', 'INSERT INTO moved (n) VALUES (3)');
$primary->wait_for_catchup('moved');
is($subscriber->safe_psql('postgres', 'TABLE moved ORDER BY n'), $primary->safe_psql('postgres', 'TABLE moved ORDER BY n'), 'then as a ulid');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION moved');

# Two nodes that insert at once feed a third, which inserts too.
my $other = PostgreSQL::Test::Cluster->new('other');
$other->init(allows_streaming => 'logical');
$other->append_conf('postgresql.conf', "ids.node_id = 22\n");
$other->start;
$other->safe_psql('postgres', 'CREATE EXTENSION ids');
my $fed = 'CREATE TABLE fed (source int, ' . join(', ', map { "$_ $_ UNIQUE DEFAULT gen_$_()" } @types) . ', PRIMARY KEY (snowflake))';
$_->safe_psql('postgres', $fed) foreach ($primary, $other, $subscriber);
foreach my $node ($primary, $other)
{
	$node->safe_psql('postgres', 'CREATE PUBLICATION fed FOR TABLE fed');
	my $name = 'from_' . $node->name;
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '" . $node->connstr . " dbname=postgres' PUBLICATION fed WITH (binary = true)");
	$subscriber->wait_for_subscription_sync($node, $name);
}
my @sessions;
my %ids = (11 => $primary, 22 => $other, 33 => $subscriber);
foreach my $id (sort keys %ids)
{
	my $script = $ids{$id}->basedir . '/insert.sql';
	append_to_file($script, "INSERT INTO fed (source) SELECT $id FROM generate_series(1, 100);\n");
	push @sessions, IPC::Run::start([ 'pgbench', '-n', '-c', 2, '-t', 50, '-f', $script, $ids{$id}->connstr('postgres') ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
}
ok($_->finish, 'a node inserts') foreach @sessions;
$primary->wait_for_catchup('from_primary');
$other->wait_for_catchup('from_other');
is($subscriber->safe_psql('postgres', q{
	SELECT source, count(*), } . join(', ', map { "count(DISTINCT $_) = count(*) AND bool_and((${_}_parts($_)).$node_id_in{$_} = source)" } sort keys %node_id_in) . q{
	FROM fed GROUP BY source ORDER BY source}),
	join("\n", map { join '|', $_, 10000, ('t') x keys %node_id_in } 11, 22, 33), 'the ids show their node, and there is no conflict');
unlike(slurp_file($subscriber->logfile), qr/duplicate key|conflict/, 'the log has no conflict');

$_->stop foreach ($subscriber, $other, $primary);
done_testing();
