# What doc/reading.md says beside its statements: readers that it warns of miss rows; its check names what is doubtful in a table, and
# nothing else; readers are woken when a row can be read, not when it is inserted.
use strict;
use warnings;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "log_statement = none\nautovacuum = off\n");
$node->start;
sub sql { return join "\n", map { $node->safe_psql('postgres', $_) } @_ }
sub ids { return map { /^([0-9A-Za-z-]{26,36})\b/ } split /\n/, join "\n", @_ }

my ($table) = block('doc/reading.md', 'Reading new rows', 'CREATE TABLE event') =~ /^(CREATE.*?;)/;
my $nothing = '0' x 26;
my $read = block('doc/reading.md', 'Reading new rows', 'SELECT * FROM event') =~ s/\*/id/r;
my $insert = 'INSERT INTO event DEFAULT VALUES';
sql(q{CREATE EXTENSION ids; CREATE EXTENSION postgres_fdw}, $table);

# A row that is committed after one with a greater id. While the reader has its first batch, which may begin by waiting for the lock,
# the row is committed. Returns how many rows it misses; each batch is ids after a position.
sub missed
{
	my ($batch, $other_session) = @_;
	sql('TRUNCATE event');
	my ($late, $gate) = map { $node->background_psql('postgres') } 1 .. 2;
	$late->query_safe("BEGIN; $insert");
	sql($insert);
	$gate->query_safe('SELECT pg_advisory_lock(1)');
	my ($position, $committed, %read) = ($nothing);
	my $commit = sub {
		return if $committed++;
		$late->query_safe('COMMIT');
		$gate->query_safe('SELECT pg_advisory_unlock(1)');
	};
	foreach (1 .. 3)
	{
		my @ids = $batch->($position, $commit);
		$commit->();
		@read{@ids} = ();
		$position = $ids[-1] if @ids;
	}
	$_->quit foreach $late, $gate;
	return scalar grep { !exists $read{$_} } ids(sql('SELECT id FROM event'));
}
sub by_statement { my ($statement) = @_; return sub { return ids(sql($statement =~ s/$nothing/$_[0]/r)) } }
# In a session that waits for the lock after its snapshot
sub while_it_waits
{
	my ($statement) = @_;
	return sub {
		my ($position, $commit) = @_;
		my $reader = $node->background_psql('postgres');
		$reader->query_until(qr/reads/, "\\echo reads\n" . $statement =~ s/$nothing/$position/r . "\n");
		$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE state = 'active'
			AND backend_type = 'client backend' AND wait_event IS DISTINCT FROM 'advisory' AND pid <> pg_backend_pid()}) or die;
		$commit->();
		my @ids = ids($reader->query_safe('SELECT'));
		$reader->quit;
		return @ids;
	};
}
is(missed(by_statement($read)), 0, 'the statement of the page misses no row');
is(missed(by_statement($read =~ s/ AND id < \S+//r)), 1, 'without the bound it does');
is(missed(sub {
	my ($position, $commit) = @_;
	my @ids = ids(sql($read =~ s/$nothing/$position/r =~ s/ AND id < \S+//r));
	$commit->();
	my $bound = sql('SELECT ulid_settled()');
	return grep { $_ lt $bound } @ids;
}), 1, 'who asks for the bound after the rows misses one');
foreach ([ 'STABLE', 0 ], [ 'VOLATILE', 1 ])
{
	my ($volatility, $misses) = @$_;
	sql("CREATE OR REPLACE FUNCTION bound() RETURNS ulid $volatility LANGUAGE plpgsql AS
		\$\$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN ulid_settled(); END \$\$");
	is(missed(while_it_waits($read =~ s/ulid_settled\(\)/bound()/r)), $misses, "a bound by a $volatility function");
}
foreach ([ 'FOR UPDATE', 0 ], [ 'FOR UPDATE SKIP LOCKED', 1 ])
{
	my ($lock, $misses) = @$_;
	sql('TRUNCATE event', $insert, $insert);
	my $other = $node->background_psql('postgres');
	$other->query_safe('BEGIN; SELECT FROM event ORDER BY id LIMIT 1 FOR UPDATE');
	my @first = ids(($node->psql('postgres', q{SET lock_timeout = '100ms'; } . $read =~ s/;/ $lock;/r))[1]);
	$other->query_safe('COMMIT');
	$other->quit;
	my @second = ids(sql($read =~ s/$nothing/$first[-1] \/\/ $nothing/er));
	is(2 - @first - @second, $misses, "rows that another session has locked, $lock");
}
sql('TRUNCATE event', $insert, $insert, 'CREATE TABLE line (event ulid, n int); INSERT INTO line SELECT id, n FROM event, generate_series(1, 3) n');
foreach ([ 'FROM event JOIN line ON event = id', 2 ], [ "FROM ($read) event JOIN line ON event = id ORDER BY id", 0 ])
{
	my ($from, $misses) = @$_;
	my $joined = ($from =~ /SELECT/ ? "SELECT id $from" : $read =~ s/FROM event/$from/r) =~ s/;//r =~ s/LIMIT 1000/@{[ $misses ? 'LIMIT 4' : 'LIMIT 1' ]}/r;
	my ($position, $lines) = ($nothing, 0);
	while (my @ids = ids(sql($joined =~ s/$nothing/$position/r))) { $position = $ids[-1]; $lines += @ids; }
	is(6 - $lines, $misses, $misses ? 'the limit of a join misses rows' : 'but not a join with the rows of a batch');
}

# The rows of one transaction, beside another one that is open
my ($add, $by_transaction) = split /^(?=SELECT \*)/m, block('doc/cookbook.md', 'New rows by transaction', 'xid8');
sql('TRUNCATE event', $add);
my ($one, $other) = map { $node->background_psql('postgres') } 1 .. 2;
$one->query_safe("BEGIN; $insert");
$other->query_safe("BEGIN; $insert");
$one->query_safe("$insert; COMMIT");
is(scalar ids(sql($read)) . ' ' . ids(sql($by_transaction)), '1 2', 'one of two rows by id, both by transaction');
$other->query_safe('COMMIT');
$_->quit foreach $one, $other;

# Readers are woken when the first row can be read, also if it came while nobody called the procedure.
sql('TRUNCATE event', block('doc/reading.md', 'A consumer', 'CREATE PROCEDURE wake_readers'), $insert);
my ($late, $reader) = map { $node->background_psql('postgres') } 1 .. 2;
my $woken = '';
sub is_woken { foreach (1 .. 100) { last if ($woken = $reader->query_safe('SELECT')) =~ /notification/; sleep 0.1; } like($woken, qr/"event"/, shift) }
$reader->query_safe('LISTEN event');
my $waking = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c', 'CALL wake_readers()' ], '>&', \my $out);
is_woken('a row from before wakes readers');
$late->query_safe('BEGIN; SELECT gen_ulid()');
sql('INSERT INTO event (id) SELECT ulid_settled()');    # as a snowflake's can be, while the clock is behind
sleep 0.5;
unlike($reader->query_safe('SELECT'), qr/notification/, 'a row that cannot be read yet wakes nobody');
$late->query_safe('COMMIT');
is_woken('it does when it can be read');
sleep 0.5;
unlike($reader->query_safe('SELECT'), qr/notification/, 'once');
$late->query_safe('BEGIN; LOCK TABLE event');
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted') or die;
$late->query_safe("$insert; COMMIT");
is_woken('a row that comes while the procedure looks');
$_->quit foreach $late, $reader;
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^CALL'});
$waking->finish;

# Each reader gets the first rows above its own position, in their order, and moves this position alone. The greatest id is stored first.
sql('DROP TABLE event', 'CREATE TABLE event (id ulid, message int)', block('doc/reading.md', 'A consumer', 'CREATE TABLE position'),
	q{INSERT INTO event SELECT gen_ulid(now() - n * interval '24 hours'), n FROM generate_series(1, 5) n; CREATE VIEW all_settled AS SELECT ulid_last('infinity') AS id;
	INSERT INTO position VALUES ('event', 'mail', ulid_first('-infinity')), ('event', 'audit', ulid_first('-infinity')), ('other', 'mail', ulid_first('-infinity'))});
my @all = ids(sql('SELECT id FROM event ORDER BY id'));
is(join(' ', ids(sql(s/1000/2/r))), "@all[ 0, 1 ]", "in order: $_") foreach $read, block('doc/several-servers.md', 'On a standby', 'SELECT * FROM event');
my ($consume, $by_psql) = map { s/LIMIT 1000/LIMIT 2/r } block('doc/reading.md', 'A consumer', 'WITH batch') =~ /(.*COMMIT;)/s, block('doc/reading.md', 'A consumer', 'FOR UPDATE \gset');
my $done = q{WITH done AS (DELETE FROM mail RETURNING *) SELECT string_agg(text, ' ' ORDER BY event) FROM done};
my $moved = q{SELECT string_agg(feed || consumer, ' ') FROM position WHERE id > ulid_first('-infinity')};
is(join('|', map { (split /\n/, sql($consume, $done))[-1] // '' } 1 .. 4), '5 4|3 2|1|', 'a consumer works on each row once, in order');
is(sql($moved, q{UPDATE position SET id = ulid_first('-infinity')}), "eventmail\n", 'and moves its position');
is(join('|', map { my $last = $_; join ' ', sql($by_psql =~ s/'0+'/'$last'/r) =~ /\|(\d)/g } @all[ 1, 3, 4 ]), '5 4|3 2|1', 'a consumer whose work is elsewhere gets each row once, in order');
is(sql($moved), 'eventmail', 'and moves its position');
my $behind = block('doc/reading.md', 'Running it', 'behind') =~ s/;//r;
sql("INSERT INTO position VALUES ('event', 'new', ulid_settled()), ('event', 'search', '$all[2]')");
is(sql("SELECT consumer, rows, extract(day FROM behind), misses_rows FROM ($behind) b ORDER BY 1"), "audit|5|5|f\nmail|0||f\nnew|0||f\nsearch|2|2|f", 'how far behind each consumer is');

# What the check names
my $check = block('doc/reading.md', 'What is not covered', 'WITH RECURSIVE feed');
sub doubts
{
	my ($type, @statements) = @_;
	my ($isolation) = map { /^BEGIN/ ? $_ : () } @statements;
	sql('DROP TABLE IF EXISTS event CASCADE', grep { !/^BEGIN/ } @statements);
	return sql(($isolation // 'BEGIN;') . $check =~ s/gen_ulid/gen_$type/r);
}
my $list = 'CREATE TABLE event (id ulid DEFAULT gen_ulid(), n int DEFAULT 1) PARTITION BY LIST (n); CREATE TABLE event_1 PARTITION OF event FOR VALUES IN (1)';
my $snapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ;';
sub with_default { return "CREATE TABLE event (id $_[0])" }
is(doubts('ulid', $table), '', 'the table of the page');
is(doubts('uuidv7', with_default('uuid DEFAULT gen_uuidv7()')), '', 'another type');
my $default = 'event|another default';
is(doubts('ulid', with_default('ulid')), $default, 'no default');
is(doubts('ulid', with_default('ulid DEFAULT gen_ulid(clock_timestamp())')), $default, 'ids of a time');
is(doubts('uuidv7', with_default('uuid DEFAULT gen_ulid()::uuid')), $default, 'uuids that are ulids, read below uuidv7_settled()');
is(doubts('scru160', with_default('scru160 DEFAULT gen_scru160_us()')), $default, 'the other generator of scru160');
is(doubts('ulid', $list), 'event|children, without REPEATABLE READ', 'partitions');
is(doubts('ulid', $list, $snapshot), '', 'partitions, with REPEATABLE READ');
is(doubts('ulid', "$list PARTITION BY LIST (n); CREATE TABLE event_11 (n int, id ulid); ALTER TABLE event_1 ATTACH PARTITION event_11 DEFAULT", $snapshot), 'event_11|another default', 'a partition of a partition without the default');
sql('CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw');
is(doubts('ulid', "$list; CREATE FOREIGN TABLE event_2 PARTITION OF event FOR VALUES IN (2) SERVER there", $snapshot), 'event_2|a foreign table', 'a foreign partition');
is(doubts('ulid', "$table; ALTER TABLE event ENABLE ROW LEVEL SECURITY"), 'event|a policy that may hide rows', 'policies');
sql('DROP TABLE event', $list, q{CREATE SUBSCRIPTION feed CONNECTION '' PUBLICATION feed WITH (connect = false)});
sql(q{INSERT INTO pg_subscription_rel SELECT oid, 'event_1'::regclass, 'r' FROM pg_subscription});
is(sql("$snapshot $check"), 'event_1|rows of a subscription', 'a subscription');
sql(q{ALTER SUBSCRIPTION feed SET (slot_name = NONE); DROP SUBSCRIPTION feed});
sql('DROP TABLE event CASCADE', $table, 'ALTER TABLE event ALTER id SET DEFAULT gen_uuidv7()::ulid');
is(missed(sub { sql('SELECT gen_ulid()'); sleep 0.01; return by_statement($read)->(@_) }), 1, 'ids of gen_uuidv7() in a column of ulid: a reader below ulid_settled() misses a row');
if ($node->pg_version >= 18)
{
	is(doubts('uuidv7', with_default('uuid DEFAULT uuidv7()')), $default, q{PostgreSQL's uuidv7()});
	my $by_uuid = $read =~ s/ulid_settled/uuidv7_settled/r =~ s/$nothing/00000000-0000-0000-0000-000000000000/r;
	$nothing = '00000000-0000-0000-0000-000000000000';
	is(missed(sub { sql('SELECT gen_uuidv7()'); sleep 0.01; return by_statement($by_uuid)->(@_) }), 1, 'a reader below uuidv7_settled() misses its row');
}

$node->stop;
done_testing();
