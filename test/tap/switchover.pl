# A logical subscriber whose clock is behind takes over: after ids_advance_clock() its new identifiers are above the replicated
# ones, also after a crash, and above the given time in every session that generates meanwhile.
use strict;
use warnings;
use Clocks;
use Generators;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $list = join ', ', map { "gen_$_()" } @generators;

my $publisher = create_server('publisher', "wal_level = logical\n");
my $subscriber = create_server('subscriber', "wal_level = logical\n");
$subscriber->safe_psql('postgres', 'TRUNCATE made');
turn_clock($publisher, +300);
insert_rows($publisher);
$publisher->safe_psql('postgres', 'CREATE PUBLICATION made FOR TABLE made');
# While a table has not been copied, the page's statement for the old server is true, and that for the new one is not.
my %arrived = map { /(srsubstate|flush)/ ? ("$1" => s/'app'/'postgres'/r) : () } page('doc/servers.md') =~ /`(SELECT [^`]*)`/g;
my $holder = $subscriber->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK TABLE made IN SHARE MODE');
$subscriber->safe_psql('postgres', q{CREATE SUBSCRIPTION made CONNECTION '} . $publisher->connstr . q{ dbname=postgres' PUBLICATION made});
ok($publisher->poll_query_until('postgres', $arrived{flush}), 'the slot is where the log ends');
is($subscriber->safe_psql('postgres', $arrived{srsubstate}), 'f', 'but a table has not been copied');
$holder->quit;
$subscriber->wait_for_subscription_sync($publisher, 'made');
is($subscriber->safe_psql('postgres', $arrived{srsubstate}), 't', 'then it has');
is($subscriber->safe_psql('postgres', "BEGIN; UPDATE pg_subscription_rel SET srsubstate = '$_'; $arrived{srsubstate}"), 'f', "not in the state $_") foreach qw(i d f);
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION made DISABLE');
$publisher->poll_query_until('postgres', 'SELECT NOT active FROM pg_replication_slots') or die;
insert_rows($publisher);
is($publisher->safe_psql('postgres', $arrived{flush}), 'f', 'what has not arrived');
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION made ENABLE');
$publisher->wait_for_catchup('made');
$publisher->stop;
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION made DISABLE; ALTER SUBSCRIPTION made SET (slot_name = NONE); DROP SUBSCRIPTION made');

# The greatest time, by the statement of doc/servers.md, whichever table has it, also among random uuids, in a session whose times are read
# differently elsewhere; hidden rows are an error.
my $greatest = block('doc/servers.md', 'Logical switch-over', 'greatest');
my ($advance, $above) = page('doc/servers.md') =~ /`(SELECT pg_catalog\.ids_advance_clock\(.*?)`.*?`(SELECT gen_ulid\(\) > .*?)`/s;
$subscriber->safe_psql('postgres', q{CREATE TABLE customer AS SELECT ulid AS id FROM made; CREATE TABLE position AS SELECT tbsl AS id FROM made WHERE n < 0;
	CREATE TABLE visit AS SELECT uuidv7 AS id FROM made UNION SELECT gen_random_uuid() FROM generate_series(1, 100) UNION
		SELECT overlay(uuidv7_first(now() + interval '5 hours')::text PLACING '4' FROM 15 FOR 1)::uuid; CREATE ROLE keeper});
my $last = $subscriber->safe_psql('postgres', qq{SET DateStyle = 'SQL, DMY'; SET timezone = 'Asia/Kolkata'; $greatest});
foreach ([ customer => 'ulid' ], [ position => 'tbsl' ], [ visit => 'uuidv7' ])
{
	my ($table, $type) = @$_;
	is($subscriber->safe_psql('postgres', "BEGIN; INSERT INTO $table SELECT ${type}_first(now() + interval '1 hour') UNION SELECT ${type}_first('2020-01-01'); CREATE TEMP TABLE expected AS SELECT ulid_first(now() + interval '1 hour') AS id;
		CREATE TEMP TABLE found AS @{[ $greatest =~ s/.*?(?=SELECT)//sr ]} SELECT ulid_first = id FROM found, expected"), 't', "the greatest time is in $table");
	$subscriber->safe_psql('postgres', "ALTER TABLE $_ OWNER TO keeper") foreach qw(customer position visit);
	$subscriber->safe_psql('postgres', "ALTER TABLE $table FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY");
	like(($subscriber->psql('postgres', "SET ROLE keeper; $greatest"))[2], qr/query would be affected by row-level security policy for table "$table"/, "hidden rows of $table");
	$subscriber->safe_psql('postgres', "ALTER TABLE $table DISABLE ROW LEVEL SECURITY");
}
my $replicated = last_row($subscriber);
$last = $subscriber->safe_psql('postgres', "SELECT '$last'::ulid::timestamptz");
is($subscriber->safe_psql('postgres', "SELECT timestamptz '$last' > clock_timestamp() + interval '4 minutes'"), 't', 'the replicated identifiers are minutes ahead');
$subscriber->safe_psql('postgres', "SELECT setval('made_n_seq', $replicated)");
my $session = $subscriber->background_psql('postgres');
insert_in_turn($session);
is($subscriber->safe_psql('postgres', "SELECT bool_and(ulid < (SELECT max(ulid) FROM made WHERE n <= $replicated)) FROM made WHERE n > $replicated"),
	't', 'without ids_advance_clock() the subscriber makes identifiers below them');
$subscriber->safe_psql('postgres', "DELETE FROM made WHERE n > $replicated");
is($subscriber->safe_psql('postgres', "$advance; $above"), "\nf", 'the page notices that its own time was given');

# A time that has passed changes nothing, and neither does null.
my $lead = q{SELECT bool_and(lead < '200 ms') FROM ids_generators()};
my $mark = 'SELECT unix_us FROM ids_internal.mark';
my $before = $subscriber->safe_psql('postgres', $mark);
$subscriber->safe_psql('postgres', "SELECT ids_advance_clock(clock_timestamp() - interval '1 hour'), ids_advance_clock('1900-01-01'), ids_advance_clock(NULL)");
is($subscriber->safe_psql('postgres', $mark), $before, 'a time that has passed leaves the mark alone');
$subscriber->safe_psql('postgres', "SELECT $list");
is($subscriber->safe_psql('postgres', $lead), 't', 'a time that has passed leaves the generators alone');

# The mark is on disk when the call returns: no later commit flushes it. Neither does the WAL writer here, which sleeps for ten
# seconds, nor the flush of an earlier record.
$subscriber->append_conf('postgresql.conf', 'wal_writer_delay = 10s');
$subscriber->reload;
sleep 1;
$subscriber->safe_psql('postgres', 'CHECKPOINT');
$subscriber->safe_psql('postgres', $advance =~ s/'\w+'::ulid/'$last'/r);
$subscriber->stop('immediate');
eval { $session->quit };
start_server($subscriber);
is($subscriber->safe_psql('postgres', $above), 't', 'and that the greatest time was');
insert_and_check($subscriber, 'ids_advance_clock() and a crash, in generators that are claimed again');

# In generators that are in use, with sessions that know the mark.
$subscriber->safe_psql('postgres', 'SELECT ids_reset_clock(); DELETE FROM made WHERE n > ' . $replicated);
$session = $subscriber->background_psql('postgres');
$session->query_safe("SELECT $list");
is($subscriber->safe_psql('postgres', $lead), 't', 'the generators follow the clock again');
$subscriber->safe_psql('postgres', "SELECT ids_advance_clock('$last')");
$before = last_row($subscriber);
insert_in_turn($session);
check_ids_since($subscriber, $before, 'ids_advance_clock() in a session that generates');
insert_and_check($subscriber, 'ids_advance_clock() in other sessions');
$session->quit;

# As the first call after a crash, for a time below the mark.
$subscriber->stop('immediate');
start_server($subscriber);
$subscriber->safe_psql('postgres', q{SELECT ids_advance_clock(clock_timestamp() - interval '1 hour')});
insert_and_check($subscriber, 'a crash and ids_advance_clock() for an earlier time');

# The given time may be an identifier's, to the millisecond, and other identifiers of that millisecond may have later
# microseconds. New identifiers are above the greatest of that millisecond.
$subscriber->safe_psql('postgres', 'SELECT ids_reset_clock()');
is($subscriber->safe_psql('postgres', q{
	SELECT date_trunc('milliseconds', clock_timestamp()) + interval '10 s' AS at \gset
	SELECT ids_advance_clock(:'at') \gset
	SELECT } . join(', ', map { $type_of{$_} eq 'uuid' ? "gen_$_() > uuidv7_last(timestamptz :'at' + interval '999 us')" : "gen_$_() > $type_of{$_}_last(timestamptz :'at' + interval '999 us')" } @generators)),
	join('|', ('t') x @generators), 'new identifiers are above the whole millisecond');

# Called again and again while eight sessions generate. A statement that sees the call's row began after the call.
$subscriber->safe_psql('postgres', 'SELECT ids_reset_clock(); CREATE TABLE advanced (at timestamptz); CREATE TABLE raced (client int, n bigserial, at timestamptz, '
	. join(', ', map { "$_ $type_of{$_} DEFAULT gen_$_()" } @generators) . ')');
my $script = $subscriber->basedir . '/race.sql';
append_to_file($script, "INSERT INTO raced (client, at) SELECT :client_id, (SELECT max(at) FROM advanced) FROM generate_series(1, 10);\n");
my $clients = IPC::Run::start([ 'pgbench', '-n', '-c', 8, '-T', 3600, '-f', $script, $subscriber->connstr('postgres') ],
	'>', \my $out, '2>', \my $err, IPC::Run::timeout(2 * $PostgreSQL::Test::Utils::timeout_default));
$subscriber->poll_query_until('postgres', 'SELECT count(DISTINCT client) = 8 FROM raced') or die;
foreach my $advance (1 .. 15)
{
	$subscriber->safe_psql('postgres', qq{
		SELECT clock_timestamp() + interval '$advance s' AS at \\gset
		SELECT ids_advance_clock(:'at');
		INSERT INTO advanced VALUES (:'at')});
}
ok($subscriber->poll_query_until('postgres', 'SELECT count(DISTINCT at) > 5 FROM raced'), 'calls while eight sessions generate');
$clients->kill_kill(grace => 0);
is($err, '', 'the sessions go on to the end');
$subscriber->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'}) or die;
foreach my $generator (@generators)
{
	my $key = key_of($generator, $generator);
	my $last = $type_of{$generator} eq 'uuid' ? 'uuidv7_last' : "$type_of{$generator}_last";
	is($subscriber->safe_psql('postgres', qq{
		SELECT count(*) FILTER (WHERE NOT $generator > $last(at)), count(*) FILTER (WHERE NOT $key > before), count(*) - count(DISTINCT $generator)
		FROM (SELECT *, lag($key) OVER (PARTITION BY client ORDER BY n) AS before FROM raced) raced}),
		'0|0|0', "$generator: none is below the time of an earlier call, none out of order, none twice");
}

$subscriber->stop;
done_testing();
