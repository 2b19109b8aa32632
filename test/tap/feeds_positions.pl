# What readers keep as their position, by the statements of doc/reading.md and the cookbook: the time before ids_reset_clock() for
# several databases, a row for each feed that no habit moves past what is settled, and a growing integer. Each row is read once; where
# the pages warn, rows are missed.
use strict;
use warnings;
use Pages;
use Roles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $nothing = '0' x 26;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "max_connections = 40\nmax_prepared_transactions = 2\nlog_statement = none\n");
$node->start;
my $database = 'postgres';
sub sql { return join "\n", map { $node->safe_psql($database, $_) } @_ }
sub ids { return map { /^([0-9A-Z]{26})/ } split /\n/, join "\n", @_ }

# Two databases with a consumer each that follows its feed; the clock was an hour ahead. Between the two resets a row comes into the
# second feed. Returns how many of the last rows the second consumer reads.
my $read = block('doc/reading.md', 'Reading new rows', 'SELECT * FROM event');
my ($note_time) = page('doc/several-servers.md') =~ /`(SELECT ulid_first\(date_trunc.*?)`/;
my ($reset_one) = block('doc/several-servers.md', 'A clock that was ahead', 'ids_reset_clock') =~ /PERFORM (\S+ids_reset_clock.*?;)/;
my ($set_back) = block('doc/several-servers.md', 'A clock that was ahead', 'UPDATE position') =~ /(UPDATE.*)/;
$note_time .= " AS back \\gset\n";
$reset_one = "SELECT $reset_one\n" . $set_back =~ s/'\w+'/:'back'/r . ";\n";
sub reset_two_databases
{
	my ($script) = @_;
	foreach my $name ('one', 'two')
	{
		$node->safe_psql('postgres', "CREATE DATABASE $name");
		$database = $name;
		sql('CREATE EXTENSION ids; CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid());
			SELECT ids_advance_clock(clock_timestamp() + $$1 hour$$); INSERT INTO event DEFAULT VALUES;
			CREATE TABLE position AS SELECT max(id) AS id FROM event');
	}
	my $between = "\\connect two\nINSERT INTO event DEFAULT VALUES;\nSELECT pg_sleep(0.01);\n";
	sql("\\connect one\n" . $script->($between) . "\nINSERT INTO event DEFAULT VALUES;");
	my ($position) = ids(sql('SELECT id FROM position'));
	my $seen = ids(sql($read =~ s/$nothing/$position/r));
	$node->safe_psql('postgres', "DROP DATABASE $_") foreach 'one', 'two';
	$database = 'postgres';
	return $seen;
}
is(reset_two_databases(sub { "$note_time$reset_one$_[0]$note_time$reset_one" }), 1, 'a time noted at each reset: the row between them is missed');
is(reset_two_databases(sub { "$note_time$reset_one$_[0]$reset_one" }), 2, 'one time, noted before the first reset: no row is missed');

sql('CREATE EXTENSION ids');

# A consumer of another table's feed has not read anything for a long time. Any other name may be one for this feed: misspelt, of a view, of
# what contains the table, or of a table of the same name elsewhere.
my ($drop) = block('doc/cookbook.md', 'Dropping what all have read', 'ids_drop_partitions') =~ s/'log'/'event'/gr =~ /^(DO .*\$\$;)/ms;
my @create = (q{CREATE TABLE event (id ulid PRIMARY KEY) PARTITION BY RANGE (id)},
	q{CALL ids_create_partitions('event', '1 month', '2020-01-01 00:00:00+00', '2020-03-01 00:00:00+00')});
my $register = q{INSERT INTO position VALUES ('event', 'mail', ulid_first('-infinity'))};
my @keep = (block('doc/reading.md', 'A consumer', 'CREATE TABLE position'), $register);
# How many partitions are kept
sub kept { my ($dropping) = @_; $node->psql($database, $dropping); return sql(q{SELECT count(*) FROM ids_partitions('event')}) }
sql($_) foreach 'CREATE TABLE other (); CREATE TABLE "odd name" (); CREATE SCHEMA app; CREATE TABLE app.event (); CREATE TABLE app.other (); CREATE ROLE keeper; GRANT ALL ON SCHEMA public TO keeper',
	map { "SET ROLE keeper; $_" } @create, @keep;
sql('CREATE VIEW new_event AS TABLE event; CREATE MATERIALIZED VIEW copy AS TABLE event; CREATE TABLE whole (id ulid NOT NULL) PARTITION BY RANGE (id);
	ALTER TABLE whole ATTACH PARTITION event FOR VALUES FROM (MINVALUE) TO (MAXVALUE); UPDATE position SET id = ulid_settled()');
sub slow { return qq{INSERT INTO position VALUES ('$_[0]', 'slow', ulid_first('-infinity'))} }
sql(map { slow($_) =~ s/'slow'/'idle'/r } 'other', '"odd name"', 'app.other');
is(kept($drop =~ s/WHERE feed NOT IN.*?\)\)\);/;/sr), 2, 'the positions of all feeds keep partitions that have been read');
is(kept($drop =~ s/'event'/'evnt'/gr), 2, 'a feed whose name is misspelt is an error');
foreach ('event', 'Event', 'evnt', 'odd name', '"', 'new_event', 'copy', 'whole', 'event_20200101', 'app.event', 'public.event', 'new.event')
{
	sql(slow($_));
	is(kept($drop), 2, "what a consumer of $_ has not read is kept");
	sql(q{DELETE FROM position WHERE consumer = 'slow'});
}
# Hidden from the owner, who runs the job
sql(slow('event'), q{ALTER TABLE position FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY; CREATE POLICY quick ON position USING (consumer <> 'slow')});
is(kept("SET ROLE keeper; $drop"), 2, 'what a consumer whose position is hidden has not read is kept');
sql('CREATE TABLE settled (server text, id ulid); GRANT ALL ON settled TO keeper');
foreach ([ 'From several servers', 'LOCK TABLE position' ], [ 'A failover or a restore', 'UPDATE position' ], [ 'A clock that was ahead', 'UPDATE position' ])
{
	my ($off, @statements) = statements('doc/several-servers.md', @$_);
	is(ask($node, 'postgres', join '; ', 'SET ROLE keeper', $off, grep { /position/ } @statements), '42501', "$_->[0]: hidden positions are an error");
}
sql('ALTER TABLE event FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY; DROP POLICY quick ON position; ALTER TABLE position DISABLE ROW LEVEL SECURITY',
	q{DELETE FROM position WHERE consumer = 'slow'});
is(kept("SET ROLE keeper; $drop"), 0, 'partitions that the consumers of their feed have read are dropped, by their owner');
sql("SET ROLE keeper; $create[1]", q{DELETE FROM position WHERE consumer = 'mail'});
is(kept($drop), 2, 'nothing is dropped for a feed without a position');
is(kept($drop =~ s/min\(least\((.*?), (now.*?)\)\)/least(min($1), $2)/r), 0, 'with least() outside, all is');
sql('DROP TABLE whole, position, mail, settled CASCADE; DROP FUNCTION refuse_position; DROP SCHEMA app CASCADE; DROP OWNED BY keeper; DROP ROLE keeper');

my ($consume) = block('doc/reading.md', 'A consumer', 'WITH batch') =~ /(.*COMMIT;)/s;
sql($_) foreach 'CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text)', @keep;
sql(q{INSERT INTO event (message) SELECT 'good' FROM generate_series(1, 21)});

# Two workers that do not wait for each other read the same rows: the key of what they do turns that into an error.
sub work_twice
{
	my ($lock) = @_;
	sql($_) foreach 'DELETE FROM position; DELETE FROM mail', $register;
	my $careless = $consume =~ s/^INSERT INTO position.*\n//mr =~ s/FOR UPDATE/$lock/r;    # that would wait, too
	my ($first, $second) = map { $node->background_psql($database, on_error_stop => 0) } 1 .. 2;
	$first->query($careless =~ s/COMMIT;//r);
	$second->query_until(qr/reads/, "\\echo reads\n$careless\n");
	$node->poll_query_until($database, 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted') or die;
	$first->query('COMMIT');
	$second->query('ROLLBACK');
	$_->quit foreach $first, $second;
	return sql('SELECT count(*) - count(DISTINCT event) FROM mail') . ' twice';
}
is(work_twice('FOR UPDATE'), '0 twice', 'two workers that wait for each other');
is(work_twice('FOR UPDATE SKIP LOCKED'), '0 twice', 'SKIP LOCKED: the key of what they do holds');
sql('ALTER TABLE mail DROP CONSTRAINT mail_pkey');
is(work_twice('FOR UPDATE SKIP LOCKED'), '21 twice', 'without a key, rows are done twice');

# A table that takes the name, by whatever recipe, goes on where the other one was. With a regclass, its rows would not be read, or all again.
sql('DELETE FROM mail');
my $swap = block('doc/cookbook.md', 'Partitioning an existing table', 'before_december');
sql($swap =~ s/202[67]-(\d\d)-01 00:00:00/2999-$1-01 00:00:00/gr =~ s/2999-03/3000-03/r);
sql(q{INSERT INTO event (message) VALUES ('good')}, $consume);
is(sql('SELECT count(*) FROM mail'), 1, 'a table that is partitioned goes on');
sql('DROP TABLE event; CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text)');
sql(q{INSERT INTO event (message) VALUES ('good')}, $consume);
is(sql('SELECT count(*) FROM mail'), 2, 'a table that is made anew goes on');
sql('CREATE SCHEMA app; ALTER TABLE event SET SCHEMA app; SET search_path = app, public; INSERT INTO event (message) VALUES ($$good$$)', "SET search_path = app, public; $consume");
is(sql('SELECT count(*) FROM mail'), 3, 'a table in another schema goes on');
sql('ALTER TABLE app.event SET SCHEMA public');

# A position above what is settled, as after a restore without ids_advance_clock(), shows. A consumer without a position does not, nor does it read.
my $behind = block('doc/reading.md', 'Running it', 'behind');
my $ahead = q{SET session_replication_role = replica; SELECT gen_ulid(); UPDATE position SET id = gen_ulid();};    # by the length of this transaction
is(join(' ', map { sql("BEGIN; $_ $behind ROLLBACK") =~ /([tf])$/m } '', $ahead), 'f t', 'a position that misses rows shows');
is(sql('DELETE FROM position', $consume =~ s/^INSERT INTO position.*\n//mr, 'SELECT count(*) FROM mail', $behind), "\n\n3\n", 'a consumer without its row reads nothing');

# A position that is set back: the consumer does its rows once. Its role needs each right that the page names, and no other.
sql(q{ALTER TABLE mail ADD PRIMARY KEY (event); CREATE ROLE mailer}, $register);
my ($needs) = page('doc/reading.md') =~ /The consumer's role needs (.*?)\.\n/;
my @grants = map { my ($rights, $table) = @$_; map { "GRANT $_ ON $table TO mailer" } $rights =~ /[A-Z]+/g } map { [ /(.*?) on `(\w+)`/ ] } $needs =~ /([A-Z].*?`\w+`)/g;
is(scalar @grants, 5, 'five rights');
foreach my $left_out (@grants)
{
	sql('DROP OWNED BY mailer', grep { $_ ne $left_out } @grants);
	is(ask($node, 'postgres', "SET ROLE mailer; $consume"), '42501', "not without $left_out");
}
sql($grants[$#grants], block('doc/reading.md', 'Tools whose SQL is not ours', 'CREATE VIEW'), 'GRANT SELECT ON new_event TO mailer; REVOKE SELECT ON event FROM mailer');
is(ask($node, 'postgres', 'SET ROLE mailer; TABLE new_event'), '42501', 'nor by the view');
sql($grants[0], 'DROP VIEW new_event');
is(ask($node, 'postgres', "SET ROLE mailer; $consume"), '', 'a consumer with all of them');
is(sql('SELECT count(*), count(DISTINCT event) FROM mail; DROP OWNED BY mailer; DROP ROLE mailer'), '3|3', 'goes on after its position was set back');
sql('UPDATE position SET id = (SELECT max(id) FROM event)');
is(sql(q{SELECT id = (SELECT max(id) FROM event) FROM position}), 't', 'to where it was');

# At least once: a worker that dies after its work does it again; one that has stored the position before has not done it.
my (undef, $get, $store) = statements('doc/reading.md', 'A consumer', 'FOR UPDATE \gset');
my $last = sql('SELECT max(id) FROM event');
$store =~ s/'0+'/'$last'/ or die;
$get =~ s/\* FROM event/id FROM event/ or die;
foreach ([ "BEGIN; $get;", "BEGIN; $get; $store; COMMIT;", '2 2 0' ], [ "$store;", "BEGIN; $get; $store; COMMIT;", '0 0 0' ])
{
	my ($dies, $works, $rows) = @$_;
	sql(q{UPDATE position SET id = ulid_first('-infinity')});
	is(join(' ', map { scalar ids(sql($_)) } $dies, $works, $works), $rows, 'the rows of a worker that dies, and of the next ones');
}
my $working = $node->background_psql($database);
$working->query_safe("BEGIN; $get");
is(ask($node, 'postgres', "SET lock_timeout = '100ms'; BEGIN; $get"), '55P03', 'a second worker waits');
$working->quit;

# Who may insert only the other columns gives no id, also by COPY.
my ($grant) = page('doc/reading.md') =~ /`(GRANT INSERT [^`]*)`/;
sql('ALTER TABLE event RENAME TO event_before; CREATE ROLE app; CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), customer int, message text)', $grant);
is(ask($node, 'postgres', "SET ROLE app; $_"), '42501', "refused: $_") foreach q{INSERT INTO event VALUES (gen_ulid(), 1)}, 'COPY event FROM STDIN';
is(ask($node, 'postgres', "SET ROLE app; INSERT INTO event (customer, message) VALUES (7, 'its own')"), '', 'allowed without the id');
sql('DROP TABLE event; DROP ROLE app; ALTER TABLE event_before RENAME TO event');

# The guard of positions refuses what a habit would miss, of each type, at each level, by each statement: an open transaction has made an id,
# and others later ones. Without the guard that row is never read. Once it has ended, the same position is allowed.
my ($guard) = $keep[0] =~ /(.*?)^CREATE TABLE mail/ms;
my %type = (ulid => 'ulid', uuidv7 => 'uuid', tbsl => 'tbsl', snowflake => 'snowflake', scru160 => 'scru160');
sub guard { my ($name) = @_; return $guard =~ s/\bulid\b/$type{$name}/gr =~ s/\bulid_/${name}_/gr }
sql('DROP TABLE position; DROP FUNCTION refuse_position; CREATE SCHEMA evil');
foreach my $name (sort keys %type)
{
	my $first = "${name}_first('-infinity')";
	sql(qq{CREATE TABLE row_$name (id $type{$name} PRIMARY KEY DEFAULT gen_$name()); @{[ guard($name) ]} INSERT INTO position VALUES ('row', 'mail', $first);
		CREATE TABLE bare (id $type{$name}); INSERT INTO bare VALUES ($first); CREATE FUNCTION evil.${name}_settled() RETURNS $type{$name} RETURN ${name}_last('infinity')});
	my %habit = ('no bound' => "(SELECT id FROM row_$name ORDER BY id DESC LIMIT 1)", 'now()' => "${name}_last(now())", 'a new id' => "gen_$name()", 'a second ago' => "${name}_last(clock_timestamp() - interval '0.1 s')");
	my $late = $node->background_psql($database);
	my $id = $late->query_safe("BEGIN; INSERT INTO row_$name DEFAULT VALUES RETURNING id");
	sql("INSERT INTO row_$name DEFAULT VALUES; SELECT pg_sleep(0.3)");
	foreach my $habit (sort keys %habit)
	{
		my $value = $habit{$habit};
		my ($update, $insert) = ("UPDATE position SET id = $value", "INSERT INTO position VALUES ('row', %s, $value)");
		my %write = ((map { $_ => "BEGIN ISOLATION LEVEL $_; $update; COMMIT" } 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'),
			'a path with another function' => "SET search_path = evil, pg_catalog, public; $update", INSERT => sprintf($insert, q{'search'}),
			'ON CONFLICT' => sprintf($insert, q{'mail'}) . ' ON CONFLICT (feed, consumer) DO UPDATE SET id = excluded.id',
			COPY => "COPY position FROM STDIN;\nrow\tsearch\t" . sql("SELECT $value") . "\n\\.\n");
		is(ask($node, 'postgres', $write{$_}), '23514', "$name, $_: the guard refuses $habit") foreach sort keys %write;
		sql("UPDATE bare SET id = $value");
		is(sql("SELECT '$id' > id FROM bare"), 'f', "$name: without it, the row would be missed");
	}
	is(ask($node, 'postgres', "UPDATE position SET id = ${name}_settled(); INSERT INTO position VALUES ('row', 'search', ${name}_settled()); UPDATE position SET id = least(id, $first)"), '', "$name: not what is settled, nor what is set back");
	like(($node->psql('postgres', "UPDATE position SET id = gen_$name()"))[2], qr/ERROR:  position \S+ is above what is settled\nHINT:  Read below ${name}_settled\(\)/, "$name: it says what to do");
	$late->query_safe('COMMIT');
	$late->quit;
	sql("SELECT gen_$name()");
	is(ask($node, 'postgres', "UPDATE position SET id = $habit{'no bound'}"), '', "$name: afterwards the reader goes on");
	sql("DROP TABLE row_$name, position, bare; DROP FUNCTION refuse_position");
}
like(page('doc/reference.md'), qr/^- `position \.\.\. is above what is settled` \(23514\)/m, 'the index of errors has it');

# If the open transaction ends before the position is stored, a reader without the bound misses its row, and the guard does not notice at
# READ COMMITTED. With the bound there is nothing to notice.
sql(guard('ulid'));
foreach ([ 'READ COMMITTED', '', '', 1 ], [ 'REPEATABLE READ', '', '23514', 0 ], [ 'READ COMMITTED', 'with the bound', '', 0 ])
{
	my ($level, $bound, $error, $misses) = @$_;
	sql(q{TRUNCATE event, position; INSERT INTO position VALUES ('event', 'mail', ulid_first('-infinity'))});
	my ($late, $reader) = map { $node->background_psql($database, on_error_stop => 0) } 1 .. 2;
	my ($id) = ids($late->query_safe('BEGIN; INSERT INTO event DEFAULT VALUES RETURNING id'));
	sql('INSERT INTO event DEFAULT VALUES');
	my $read = $bound ? $get : $get =~ s/ AND id < ulid_settled\(\)//r;
	my ($last) = reverse ids($reader->query_safe("BEGIN ISOLATION LEVEL $level; $read"));
	$late->query_safe('COMMIT');
	$reader->query("\\set VERBOSITY sqlstate\nUPDATE position SET id = '" . ($last // $nothing) . q{'});
	like($reader->{stderr}, $error ? qr/ERROR:  $error/ : qr/^(?!.*ERROR)/s, "$level $bound: what the guard notices");
	$reader->query('COMMIT');
	$_->quit foreach $late, $reader;
	is(scalar(grep { $_ eq $id } ids(sql($read))), 1 - $misses, "$level $bound: whether the row is read next");
}

# After a restart beside a prepared transaction, what is settled is not known.
sql('TRUNCATE position', q{BEGIN; INSERT INTO event DEFAULT VALUES; PREPARE TRANSACTION 'left'});
$node->restart;
is(join(' ', map { ask($node, 'postgres', "INSERT INTO position VALUES ('event', 'mail', $_)") } '(SELECT min(id) FROM event)', q{ulid_first('-infinity')}), '23514 ', 'while nothing is known, the guard allows the smallest id');
sql(q{ROLLBACK PREPARED 'left'});

# A materialized view is older than the bound of its reader: it needs a bound of its own.
sub seen_by_view
{
	my ($query) = @_;
	sql("CREATE MATERIALIZED VIEW copy AS $query");
	my $late = $node->background_psql($database);
	my ($id) = ids($late->query_safe('BEGIN; INSERT INTO event DEFAULT VALUES RETURNING id'));
	sql('INSERT INTO event DEFAULT VALUES; REFRESH MATERIALIZED VIEW copy');
	$late->query_safe('COMMIT');
	$late->quit;
	my ($position) = reverse ids(sql($read =~ s/event/copy/r));
	sql('REFRESH MATERIALIZED VIEW copy');
	my @seen = ids(sql($read =~ s/event/copy/r =~ s/$nothing/$position/r));
	sql('DROP MATERIALIZED VIEW copy');
	return scalar grep { $_ eq $id } @seen;
}
is(seen_by_view('SELECT * FROM event'), 0, 'by a materialized view of all rows a row is missed');
is(seen_by_view('SELECT * FROM event WHERE id < ulid_settled()'), 1, 'by one with the bound inside it is not');
sql('DROP TABLE event, position, mail');

# A growing integer: an existing column goes on with numbers of ids. A row comes late, for certain.
my ($function, $alter, $by_number) = split /\n\n|^(?=SELECT)/m, block('doc/cookbook.md', 'A growing integer', 'number_of');
sql(q{CREATE TABLE invoice (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
	INSERT INTO invoice (name) SELECT 'old' FROM generate_series(1, 41)});
sql($_) foreach $function, $alter;
my $naive = $by_number =~ s/ AND number < \S+//r;
my %position = ($by_number => 41, $naive => 41);
my %numbers;
sub read_numbers
{
	foreach my $statement (keys %position)
	{
		my @numbers = map { /^(\d+)/ } split /\n/, sql($statement =~ s/> 41/> $position{$statement}/r);
		$numbers{$statement}{$_}++ foreach @numbers;
		$position{$statement} = $numbers[-1] if @numbers;
	}
}
my $late = $node->background_psql('postgres');
$late->query_safe(q{BEGIN; INSERT INTO invoice (name) VALUES ('late')});
sql(q{INSERT INTO invoice (name) VALUES ('early')});
read_numbers();
$late->query_safe('COMMIT');
$late->quit;
sql(q{INSERT INTO invoice (name) SELECT 'new' FROM generate_series(1, 10)});
read_numbers() foreach 1 .. 2;
my @new = split /\n/, sql(q{SELECT number FROM invoice WHERE name <> 'old'});
is(scalar(grep { ($numbers{$by_number}{$_} // 0) == 1 } @new), 12, 'by a number below that of ulid_settled(), each row is read once');
is(scalar(grep { !$numbers{$naive}{$_} } @new), 1, 'without it a row is missed');
like(sql("SET enable_seqscan = off; EXPLAIN $by_number"), qr/Index Cond: \(\(number > 41\) AND \(number < .*ulid_settled/, 'an index serves both bounds');
# By four sessions at once
my $script = $node->basedir . '/numbers.sql';
append_to_file($script, "INSERT INTO made SELECT gen_ulid() FROM generate_series(1, 100);\n");
sql('CREATE TABLE made (id ulid)');
$node->command_ok([ 'pgbench', '-n', '-c', 4, '-t', 100, '-f', $script, $node->connstr('postgres') ], 'four sessions make ids');
is(sql('SELECT count(*), count(*) FILTER (WHERE number_of(id) > before) FROM (SELECT id, lag(number_of(id), 1, 0::bigint) OVER (ORDER BY id) AS before FROM made) made'),
	'40000|40000', 'the numbers of ids differ, and have their order');
cmp_ok(sql('SELECT count(DISTINCT number_of(gen_ulid(now()))) FROM generate_series(1, 100)'), '<', 100, 'ids of a given time have equal numbers');

# A fail-over loses rows and a transaction that is open. A position that is kept elsewhere passes over the new rows below it; with the
# timeline beside it nothing is read until both have been set.
sql('CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text)');
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
sql('INSERT INTO event DEFAULT VALUES');
my ($of_timeline) = page('doc/several-servers.md') =~ /`(AND \(SELECT left\(pg_walfile_name.*?)`/ or die;
my $kept = sql('SELECT ulid_first($$-infinity$$)');
my $with_timeline = $read =~ s{ORDER.*}{$of_timeline ORDER BY id}r;
sub read_on { return ids(sql($_[0] =~ s/$nothing/$kept/r)) }
$late = $node->background_psql('postgres');
$late->query_safe('BEGIN; INSERT INTO event DEFAULT VALUES');
sql('BEGIN; INSERT INTO event DEFAULT VALUES; ROLLBACK');
$node->wait_for_catchup('standby');
sql('CREATE ROLE ordinary; GRANT SELECT ON event TO ordinary');
cmp_ok(scalar(ids(sql("SET ROLE ordinary; $with_timeline"))), '>', 0, 'before a fail-over a reader with a timeline reads');
# The reader has read more than the standby has received.
$standby->stop;
$kept = sql('SELECT gen_ulid(clock_timestamp() + interval $$1 min$$)');
$node->stop('immediate');
eval { $late->quit };
$standby->start;
$standby->promote;
$node = $standby;
my $inserted = join ' ', map { ids(sql('INSERT INTO event DEFAULT VALUES RETURNING id')) } 1 .. 5;
is(scalar(read_on($read)), 0, 'by a position that is kept elsewhere, all are missed');
sql("SELECT ids_advance_clock(clock_timestamp() + interval '61 s'); INSERT INTO event DEFAULT VALUES");
is(scalar(read_on($read)), 1, 'silently: it goes on with later ones');
is(scalar(read_on($with_timeline)), 0, 'with the timeline of the old primary, nothing is read');
my ($promoted) = block('doc/several-servers.md', 'A failover or a restore', 'pg_ls_waldir') =~ /(SELECT ulid_first.*?;)/s;
$kept = sql($promoted);
my ($timeline) = $of_timeline =~ /\((SELECT left.*)\) =/;
$with_timeline =~ s/'00000001'/"'" . sql($timeline) . "'"/e;
is(scalar(grep { index("$inserted ", $_) >= 0 } read_on($with_timeline)), 5, 'when both are set, each new row is read');

$node->stop;
done_testing();
