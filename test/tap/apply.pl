# The apply worker of logical replication runs the defaults, checks and triggers of a subscriber's tables: the role that it runs
# them as, and that its identifiers are in order, and settled like the identifiers of any other session.
use strict;
use warnings;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($publisher, $subscriber) = map { PostgreSQL::Test::Cluster->new($_) } 'publisher', 'subscriber';
foreach my $node ($publisher, $subscriber)
{
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "log_statement = none\nlogical_decoding_work_mem = 64kB\nmax_prepared_transactions = 2\n");
	$node->start;
	$node->safe_psql('postgres', q{
		CREATE EXTENSION ids;
		CREATE ROLE hostile LOGIN;
		CREATE SCHEMA app AUTHORIZATION hostile;
		SET ROLE hostile;
		CREATE TABLE app.event (n int PRIMARY KEY);
		CREATE TABLE app.log (id ulid PRIMARY KEY) PARTITION BY RANGE (id)});
}

# Each row of an event gets identifiers on the subscriber. So does an outbox, which a reader follows.
my $superuser = $subscriber->safe_psql('postgres', 'SELECT current_user');
$subscriber->safe_psql('postgres', q{
	SET ROLE hostile;
	ALTER TABLE app.event } . join(', ', map { "ADD $_ $type_of{$_} DEFAULT gen_$_() UNIQUE" } @generators) . q{;
	CREATE TABLE app.outbox (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int);
	CREATE FUNCTION app.publish() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		RAISE LOG 'trap: % as %', TG_TABLE_NAME, current_user;
		IF TG_TABLE_NAME = 'event' THEN
			INSERT INTO app.outbox (n) VALUES (NEW.n);
			PERFORM pg_advisory_xact_lock(1) WHERE NEW.n < 0;
		END IF;
		RETURN NEW;
	END $$;
	CREATE FUNCTION app.ok(ulid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
	BEGIN
		RAISE LOG 'trap: check as %', current_user;
		RETURN gen_ulid() > $1;
	END $$;
	ALTER TABLE app.log ADD CHECK (app.ok(id));
	CREATE TRIGGER publish AFTER INSERT ON app.event FOR EACH ROW EXECUTE FUNCTION app.publish();
	CREATE TRIGGER publish AFTER INSERT ON app.log FOR EACH ROW EXECUTE FUNCTION app.publish();
	ALTER TABLE app.event ENABLE ALWAYS TRIGGER publish;
	ALTER TABLE app.log ENABLE ALWAYS TRIGGER publish;
	CALL ids_create_partitions('app.log', '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00')});
$publisher->safe_psql('postgres', q{
	SET ROLE hostile;
	CALL ids_create_partitions('app.log', '1 day', '2026-01-30 00:00:00+00', '2026-02-03 00:00:00+00');
	RESET ROLE;
	CREATE PUBLICATION app FOR TABLE app.event, app.log WITH (publish_via_partition_root = true)});
my $log = 0;

# The code that was run since the previous call, and the role that ran it.
sub traps
{
	my %seen = map { $_ => 1 } slurp_file($subscriber->logfile, $log) =~ /trap: (.*)/g;
	$log = -s $subscriber->logfile;
	return join ', ', sort keys %seen;
}
my $events = 0;

# Publishes that many more events, and a log entry every two hours.
sub publish
{
	my ($count) = @_;
	$publisher->safe_psql('postgres', "BEGIN; INSERT INTO app.event SELECT $events + generate_series(1, $count);"
		. q{INSERT INTO app.log SELECT gen_ulid('2026-01-30 00:00:00+00'::timestamptz + i * interval '2 hours') FROM generate_series(1, 40) i; COMMIT});
	$events += $count;
}
sub settled { return $subscriber->safe_psql('postgres', "SELECT coalesce(string_agg(n::text, ' ' ORDER BY id), '') FROM app.outbox WHERE id < ulid_settled() AND n IN ($_[0])") }

foreach my $options ('streaming = off', 'streaming = on', $subscriber->pg_version >= 16 ? ('streaming = parallel', 'streaming = on, run_as_owner = true') : ())
{
	# Before 16, the apply worker runs everything as the owner of the subscription.
	my $user = $subscriber->pg_version >= 16 && $options !~ /run_as_owner/ ? 'hostile' : $superuser;
	my $traps = join ', ', map { "$_ as $user" } 'check', 'event', 'log_20260101', 'log_20260201';
	$_->safe_psql('postgres', 'TRUNCATE app.event, app.log') foreach $publisher, $subscriber;
	$subscriber->safe_psql('postgres', 'TRUNCATE app.outbox');
	$events = 0;
	publish(10);
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION app CONNECTION '" . $publisher->connstr . " dbname=postgres' PUBLICATION app WITH (two_phase = true, $options)");
	$subscriber->wait_for_subscription_sync($publisher, 'app');
	is(traps(), $traps, "$options: the role that runs the owner's code in the initial copy");
	publish(10);
	$publisher->wait_for_catchup('app');
	is(traps(), $traps, "$options: the role in a small transaction");
	publish(2000);
	$publisher->wait_for_catchup('app');
	is(traps(), $traps, "$options: the role in a large transaction");
	my @ordered = grep { !waits($_) } @generators;
	is($subscriber->safe_psql('postgres', 'SELECT ' . join(', ', map { "bool_and($_ > before_$_)" } @ordered)
			. ' FROM (SELECT *, ' . join(', ', map { "lag($_) OVER (ORDER BY n) AS before_$_" } @ordered) . ' FROM app.event WHERE n > 10) e'),
		join('|', ('t') x @ordered), 'identifiers are in the order in which rows are applied');
	is($subscriber->safe_psql('postgres', q{SELECT tableoid::regclass, count(*) FROM app.log GROUP BY 1 ORDER BY 1}), "app.log_20260101|69\napp.log_20260201|51", "the subscriber's own partitions");
	is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM app.outbox JOIN app.event USING (n) WHERE id < ulid_settled()'), '2020', 'all identifiers are settled');

	# An open transaction of the apply worker.
	my $session = $subscriber->background_psql('postgres');
	$session->query_safe('SELECT pg_advisory_lock(1)');
	$publisher->safe_psql('postgres', 'INSERT INTO app.event VALUES (-1)');
	$subscriber->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	$session->query_safe('INSERT INTO app.outbox (n) VALUES (-2)');
	is($subscriber->safe_psql('postgres', q{SELECT backend_type ~ '^logical', generator FROM ids_unsettled() JOIN pg_stat_activity USING (pid) ORDER BY generator}), join("\n", map { "t|$_" } @settled), 'ids_unsettled() shows an open transaction');
	is(settled('-1, -2'), '', 'an open transaction holds back the identifiers above its first one');
	$session->query_safe('SELECT pg_advisory_unlock(1)');
	$publisher->wait_for_catchup('app');
	is(settled('-1, -2'), '-1 -2', 'they are settled when it has committed');
	$session->quit;

	# A prepared transaction.
	$publisher->safe_psql('postgres', q{BEGIN; INSERT INTO app.event VALUES (0); PREPARE TRANSACTION 'prepared'});
	$publisher->wait_for_catchup('app');
	$subscriber->safe_psql('postgres', 'INSERT INTO app.outbox (n) VALUES (-3)');
	is($subscriber->safe_psql('postgres', q{SELECT pid, gid ~ '^pg_gid_', generator FROM ids_unsettled() ORDER BY generator}), join("\n", map { "|t|$_" } @settled), 'ids_unsettled() shows a prepared transaction');
	is(settled('0, -3'), '', 'a prepared transaction holds back the identifiers above its first one');
	$publisher->safe_psql('postgres', q{COMMIT PREPARED 'prepared'});
	$publisher->wait_for_catchup('app');
	is(settled('0, -3'), '0 -3', 'they are settled when it has been committed');
	is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM ids_unsettled()'), '0', 'ids_unsettled() shows no transaction');
	traps();
	$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION app');
}

$_->stop foreach $subscriber, $publisher;
done_testing();
