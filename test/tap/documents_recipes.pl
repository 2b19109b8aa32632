# What the documents recommend holds beyond the output that they show: expressions that are refused and those to write instead, views for
# tools, positions of the far future, rows per hour in every time zone, the format of TypeID, and what recipes refuse by their own
# statements: a second worker waits, a tenant does not see another one's rows, and a stranger does not read public ids.
use strict;
use warnings;
use Databases;
use IPC::Run;
use Pages;
use Recipes;
use Test::More;

# The tables of expressions that are refused, and of what to write instead. Newer versions of PostgreSQL have some of them.
my $cookbook = page('doc/cookbook.md');
begin('refused');
sql('CREATE TABLE item (id ulid PRIMARY KEY, n int, uuid uuid, name text); INSERT INTO item VALUES (gen_ulid(), 1)');
my %instead = $cookbook =~ /^\| `(.*?)` \| `(.*?)` \|$/mg;
cmp_ok(scalar(keys %instead), '>', 12, 'the cookbook says what to write instead');
foreach my $refused (sort keys %instead)
{
	my $select = $refused =~ /_agg/ ? 'SELECT %s FROM item' : 'SELECT (%s) IS NULL FROM item';
	isnt($node->psql($database, sprintf $select, $refused), 0, "refused: $refused") unless $node->pg_version >= ($refused =~ /^uuid_extract/ ? 17 : 18) && $refused =~ /^uuidv7|^uuid_extract/;
	is($node->psql($database, sprintf $select, $instead{$refused}), 0, "instead: $instead{$refused}");
}

# The views of texts for tools with a closed list of types search by their index, and need no sort.
my @views = page('doc/clients.md') =~ /^((?:CREATE INDEX|CREATE VIEW|SELECT name) .*?;)/mg;
sql(join "\n", grep { /^CREATE/ } @views);
my @plans = map { sql("SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN (COSTS OFF) $_") } grep { /^SELECT/ } @views;
is(scalar @plans, 2, 'clients.md searches by text');
ok(/Index Cond: .*::text/ && !/Sort|Filter/, "by an index: $_") foreach @plans;

# A position of the year 10889 goes back with the generators: new ids are above it, also in the same millisecond.
my ($note, $back) = page('doc/several-servers.md') =~ /`(SELECT ulid_first\(date_trunc.*?)`.*^ *(UPDATE position SET id = least\(.*?\))/ms;
$back =~ s/'\w+'/:'back'/;
my $ids = join '', map { "UPDATE position SET id = ulid_first('infinity');\n$note AS back \\gset\n$back;\nSELECT gen_ulid() > id FROM position;\n" } 1 .. 100;
is(sql("CREATE TABLE position AS SELECT gen_ulid() AS id;\n$ids") =~ tr/t//, 100, 'ids after a position that has gone back');

# Rows per hour and per day, in every time zone, on the days around its changes in 2026 and on one more day, where the days of the
# second query begin with one of these or end before one, against a count by hand, which goes by the local time that the server shows.
my ($per_hour, $per_day) = map { $cookbook =~ /^(SELECT $_.*?);$/ms } 'hour', 'day';
s/2026-10-(\d\d)/{$1}/g foreach $per_hour, $per_day;    # the day is {25}
begin('zones');
my $errors = sql(qq{
	SET client_min_messages = warning;
	SET timezone = 'UTC';
	CREATE TABLE event (id ulid PRIMARY KEY);
	INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2025-12-28', '2027-01-04', '15 minutes') at;
	INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2010-11-04', '2010-11-12', '15 minutes') at;
	ANALYZE event;
	CREATE TABLE checked AS
		SELECT DISTINCT name AS zone, (at AT TIME ZONE name)::date + n AS day, n * 2 + 1 AS shift
		FROM pg_timezone_names, generate_series(timestamptz '2026-01-02', '2026-12-31', '1 day') at, generate_series(-1, 0) n
		WHERE name !~ '^posix/' AND (at = '2026-07-01' OR (at AT TIME ZONE name) - (at - interval '1 day') AT TIME ZONE name <> '1 day')
		UNION ALL VALUES ('America/St_Johns', date '2010-11-06', 0), ('America/St_Johns', '2010-11-07', 1);    -- where a minute after midnight came the hour before
	CREATE FUNCTION counted(statement text, zone text, day date) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		FOR n IN 24 .. 27 LOOP statement := replace(statement, '{' || n || '}', (day + n - 25)::text); END LOOP;
		EXECUTE 'SELECT string_agg(events::text, '' '') FROM (' || replace(statement, 'Europe/Berlin', zone) || ') counted' INTO statement;
		RETURN statement;
	END \$\$;
	CREATE FUNCTION by_hand(of_zone text, since date, until date, by_hour boolean) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE counts text;
	BEGIN
		PERFORM set_config('timezone', of_zone, true);
		SELECT string_agg(n::text, ' ' ORDER BY first) INTO counts FROM (
			SELECT count(*) AS n, min(at) AS first
			FROM (SELECT at, to_char(at, 'YYYY-MM-DD') AS day, to_char(at, '"00:"MI')::interval AS minutes
				FROM generate_series(since::timestamptz - interval '3 hours', until::timestamptz + interval '27 hours', '15 minutes') at) local
			WHERE day BETWEEN since::text AND until::text GROUP BY day, CASE WHEN by_hour THEN at - minutes END) counted;
		PERFORM set_config('timezone', 'UTC', true);
		RETURN counts;
	END \$\$;
	SELECT format('%s %s %s: %s, by hand %s', zone, day, what, counts, right_ones)
	FROM checked, LATERAL (VALUES ('hours', counted(\$q\$$per_hour\$q\$, zone, day), by_hand(zone, day, day, true)),
		('days', counted(\$q\$$per_day\$q\$, zone, day + shift), by_hand(zone, day + shift - 1, day + shift + 1, false))) c (what, counts, right_ones)
	WHERE counts IS DISTINCT FROM right_ones ORDER BY 1;
	SELECT 'too few: ' || count(*) FROM checked HAVING count(*) < 1000});
is($errors, '', 'rows per hour and per day in every time zone');

# The loop runs its statement in each database that has the extension, and nothing that a database's owner has put into its path.
sql(qq{CREATE DATABASE " an 'other host=evil"});
$node->safe_psql(q{ an 'other host=evil}, q{
	CREATE SCHEMA evil; CREATE TABLE evil.robbed (who name);
	CREATE FUNCTION evil.rob() RETURNS name LANGUAGE plpgsql AS $$ BEGIN INSERT INTO evil.robbed VALUES (current_user); RETURN 'ids'; END $$;
	CREATE VIEW evil.pg_extension AS SELECT evil.rob() AS extname;
	ALTER DATABASE " an 'other host=evil" SET search_path = evil, pg_catalog});
my $has = sql('SELECT count(*) FROM pg_database WHERE datallowconn') - 1;    # not in postgres
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
IPC::Run::run([ 'sh', '-c', block('doc/cookbook.md', 'Many databases', 'datname') ], '>&', \my $looped);
like($looped, qr/^(?:SET\n(?:NOTICE:  version "\S+" of extension "ids" is already installed\nALTER EXTENSION\n)?)+$/, 'the loop over all databases');
is($node->safe_psql(q{ an 'other host=evil}, 'SELECT count(*) FROM evil.robbed'), 0, 'it runs no code of an owner');
is(() = $looped =~ /NOTICE/g, $has, 'each that has the extension');

# TypeID's published examples: after the prefix, a TypeID is a ulid in lower case, and its uuid has the same bytes.
my %uuid_of = (
	'00000000000000000000000000' => '00000000-0000-0000-0000-000000000000', '00000000000000000000000001' => '00000000-0000-0000-0000-000000000001',
	'0000000000000000000000000a' => '00000000-0000-0000-0000-00000000000a', '0000000000000000000000000g' => '00000000-0000-0000-0000-000000000010',
	'00000000000000000000000010' => '00000000-0000-0000-0000-000000000020', '7zzzzzzzzzzzzzzzzzzzzzzzzz' => 'ffffffff-ffff-ffff-ffff-ffffffffffff',
	'prefix_0123456789abcdefghjkmnpqrs' => '0110c853-1d09-52d8-d73e-1194e95b5f19', 'prefix_01h455vb4pex5vsknk084sn02q' => '01890a5d-ac96-774b-bcce-b302099a8057',
	'pre_fix_00000000000000000000000000' => '00000000-0000-0000-0000-000000000000');
foreach my $typeid (sort keys %uuid_of)
{
	my ($prefix, $digits) = $typeid =~ /^(.*?)([^_]*)$/;
	is(sql("SELECT '$digits'::ulid::uuid, '$prefix' || lower('$uuid_of{$typeid}'::uuid::ulid::text)"), "$uuid_of{$typeid}|$typeid", "TypeID $typeid");
}
# For TypeID's invalid examples, the cookbook's expression gives NULL.
my ($read_back) = $cookbook =~ /FROM '\^cus_(\(.*?\))\$'\)::ulid/;
foreach my $typeid (
	'PREFIX_00000000000000000000000000', '_00000000000000000000000000', '_', 'prefix_1234567890123456789012345',
	'prefix_123456789012345678901234567', 'prefix_1234567890123456789012345 ', 'prefix_0123456789ABCDEFGHJKMNPQRS',
	'prefix_123456789-123456789-123456', 'prefix_ooooooiiiiiiuuuuuuulllllll', 'prefix_i23456789ol23456789oi23456',
	'prefix_123456789-0123456789-0123456', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'prefix__00000000000000000000000000')
{
	is(sql("SELECT substring('$typeid' FROM '^prefix_$read_back\$')::ulid IS NULL"), 't', "TypeID '$typeid' is invalid");
}
is(sql("SELECT substring('prefix_7zzzzzzzzzzzzzzzzzzzzzzzzz' FROM '^prefix_$read_back\$')::ulid"), '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'the greatest TypeID is valid');

# A consumer's position is locked before its batch is read.
begin('consumer');
sql($_) foreach 'CREATE TABLE event (id ulid)', block('doc/reading.md', 'A consumer', 'CREATE TABLE position');
sql(q{INSERT INTO position SELECT feed, unnest(ARRAY['mail', 'audit']), ulid_first('-infinity') FROM (VALUES ('event'), ('other')) v (feed)});
my ($lock) = block('doc/reading.md', 'A consumer', 'WITH batch') =~ /^(BEGIN;.*?)^WITH batch/ms;
my $first = $node->background_psql($database, on_error_stop => 1);
$first->query_safe($lock);
my ($waits, @elsewhere) = run_all(map { "\\set VERBOSITY sqlstate\nSET lock_timeout = '100ms'; $_; ROLLBACK;" } $lock, $lock =~ s/'mail'/'audit'/gr, $lock =~ s/'event'/'other'/gr);
like($waits->[1], qr/ERROR:  55P03/, 'a second worker with the name waits');
unlike($_->[1], qr/ERROR/, 'a worker with another name or feed does not') foreach @elsewhere;
$first->quit;

# With its maker's rights, a function of a page reads no table that the caller has made.
my @makers = map { /SECURITY DEFINER(.*)/g } page('doc/migration.md'), $cookbook;
cmp_ok(scalar @makers, '>', 3, 'functions with the rights of their maker');
is(join("\n", grep { !/^ SET search_path = (?:pg_catalog|secret), pg_temp\b/ } @makers), '', 'temporary tables are found last');

# Milliseconds since 1970, with a fraction of a second, which a division of integers would lose.
begin('milliseconds');
my ($to_ms, $of_ms) = block('doc/cookbook.md', 'Milliseconds', 'unix_ms') =~ /^(SELECT.*?;)/mg;
is(sql(qq{CREATE TABLE item AS SELECT gen_ulid(to_timestamp(1793620800 + n / 1e3)) AS id, n FROM generate_series(1, 5) n; $to_ms @{[ $of_ms =~ s/000 /003 /r ]}}), "1793620800003\n3\n4\n5", 'milliseconds');

# Public ids, which the application alone masks and reads.
begin('masked');
sql(q{CREATE TABLE ticket (id ulid PRIMARY KEY DEFAULT gen_ulid(), title text); INSERT INTO ticket (title) VALUES ('Printer on fire')});
is(sql(block('doc/cookbook.md', 'Public ids without a time', 'mask_ticket')), 'Printer on fire', 'a row is found by its public id');
is(ask('someone', $_), '42501', "a stranger: $_") foreach 'SELECT mask_ticket(gen_ulid())', 'SELECT unmask_ticket(gen_random_uuid())', 'SELECT key FROM secret.key';
sql('GRANT EXECUTE ON FUNCTION mask_ticket, unmask_ticket TO ordinary');
is(sql(q{INSERT INTO secret.key VALUES ('other'); SELECT count(DISTINCT key), min(length(key)), max(length(key)) FROM secret.key}), '2|16|16', 'another table has another key');
like(sql('SET enable_seqscan = off; EXPLAIN SELECT FROM ticket WHERE id = unmask_ticket($$015549f0-1d7e-3a66-a08c-07ce13d25363$$)'), qr/Index Cond/, 'a row is found by the index');
my ($mask, $unmask) = $cookbook =~ /write `(mask_ticket\(.*?)` and `(unmask_ticket\(.*?)`/;
is(sql("SELECT " . $unmask =~ s/\.\.\./$mask/r . " = id, mask_ticket(id::ulid)::uuid <> id FROM (SELECT gen_uuidv7() AS id OFFSET 0) made"), 't|t', 'and a uuid by its own');
is(ask('ordinary', 'SELECT unmask_ticket(mask_ticket(id)) = id FROM (SELECT gen_ulid() AS id OFFSET 0) made'), 't', 'the application reads them');

# Each recipe that writes, as people paste it: see Recipes.pm. When an old table becomes a partition, nothing that uses it is forgotten.
my $book = 'doc/cookbook.md';
sub whole { return join "\n", section(@_) }
my @event = map { "event (id, message) VALUES (gen_ulid('$_'), 'new')" } '2026-11-30', '2026-12-30';
my $event = q{CREATE TABLE customer (id int PRIMARY KEY); INSERT INTO customer VALUES (7);
	CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text CHECK (message <> ''), n int GENERATED ALWAYS AS IDENTITY, m serial,
		customer int DEFAULT 7 CONSTRAINT of_customer REFERENCES customer);
	CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.message := new.message || 1; RETURN new; END';
	CREATE VIEW messages WITH (security_invoker) AS SELECT message FROM event;
	INSERT INTO event SELECT gen_ulid(at), 'message' FROM generate_series(timestamptz '2026-11-20', '2026-11-29', '1 day') at;
	CREATE TRIGGER touch BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION touch();
	ALTER TABLE event ENABLE ROW LEVEL SECURITY; GRANT SELECT (message), UPDATE (message, n) ON event TO ordinary; GRANT SELECT ON event TO someone;};
my ($before, $after) = block($book, 'Partitioning an existing table', 'before_december') =~ /(.*PARTITION BY RANGE \(id\);\n)(.*)/s;
my ($sequences) = block($book, 'Identity, serial and generated columns', 'setval') =~ /BEGIN\n(.*)END/s;
my @others = ($sequences, 'DROP TRIGGER touch ON event_old; CREATE TRIGGER touch BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION touch();',
	'ALTER TABLE event ADD CONSTRAINT of_customer FOREIGN KEY (customer) REFERENCES customer;',
	'CREATE OR REPLACE VIEW messages WITH (security_invoker) AS SELECT message FROM event;', 'ALTER TABLE event ENABLE ROW LEVEL SECURITY;',
	'GRANT UPDATE (n, message), SELECT (message) ON event TO ordinary;', 'GRANT SELECT ON event TO someone;');
foreach my $forgotten (0 .. $#others)
{
	recipe("Partitioning, without $others[$forgotten]", "$before@others[ grep { $_ != $forgotten } 0 .. $#others ]\n$after", setup => $event, use => [ $event[0] ],
		refused => qr/event_old is used|identity column|event lacks/);
}
recipe('Partitioning', "$before@others\n$after", busy => 1, setup => $event, use => [ $event[0] ], later => [ $event[1] ],
	effect => [ q{INSERT INTO event (id, message) VALUES (gen_ulid('2026-12-15'), '') RETURNING message, n > 10, m > 10, customer; SELECT message FROM messages LIMIT 1; SELECT count(*) FROM pg_index WHERE indrelid = 'event'::regclass}, '1\|t\|t\|7 message 1' ]);
begin('attached');
sql("GRANT ALL ON SCHEMA public TO owner; SET ROLE owner; $event");
$ENV{PGTZ} = 'America/New_York';
my $says = Recipes::psql($database, 'owner', "\\set ECHO all\nSET client_min_messages = debug1;\n$before@others\n$after");
like($says, qr/VALIDATE CONSTRAINT before_december;\n\S*DEBUG:  verifying table "event".*"event_old" is implied by existing constraints/s, 'while others write, the table is read once');
delete $ENV{PGTZ};
my $log = q{CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text, more text) PARTITION BY RANGE (id);
	CREATE TABLE log_rest (more text, message text, id ulid NOT NULL);
	ALTER TABLE log ATTACH PARTITION log_rest DEFAULT;
	INSERT INTO log SELECT gen_ulid(at), 'message', 'more' FROM generate_series(timestamptz '2026-11-20', '2027-01-10', '5 days') at;};
my $with_notes = "$log CREATE TABLE note (log ulid CONSTRAINT note_log_fkey REFERENCES log ON DELETE CASCADE); INSERT INTO note SELECT id FROM log;";
my @log = map { s/event/log/r } @event;
my ($drain, $with_note) = section($book, 'Draining a default partition');
my ($inner) = $drain =~ /BEGIN\n(.*)END/s;
my $partitions = 'SELECT tableoid::regclass, count(*) FROM log GROUP BY 1 ORDER BY 1';
recipe('Draining', $drain, busy => 1, setup => $log, use => \@log, effect => [ $partitions, 'log_rest\|5 log_20261201\|6' ]);
recipe('Draining, with foreign keys', $with_note =~ s{/\* the statements above \*/\n}{$inner}r, setup => $with_notes, use => \@log,
	effect => [ "$partitions; SELECT convalidated FROM pg_constraint WHERE conrelid = 'note'::regclass AND conparentid = 0; DELETE FROM log; SELECT count(*) FROM note", 'log_rest\|5 log_20261201\|6 t 0' ]);
recipe('Draining, though rows refer to it', $drain, setup => $with_notes, use => \@log, refused => qr/violates foreign key/);
my ($split) = section($book, 'Splitting a partition');
recipe('Splitting', $drain =~ s/log_rest/log_old/gr =~ s/log(?=\b|_)/event/gr =~ s/2026-12/2026-11/gr =~ s/2027-01/2026-12/gr =~ s/_202612/_202611/gr =~ s/^ALTER.*DEFAULT;\n/$split/mr,
	setup => q{CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
		CREATE TABLE event_old (message text, id ulid NOT NULL);
		ALTER TABLE event ATTACH PARTITION event_old FOR VALUES FROM (MINVALUE) TO (ulid_first('2026-12-01 00:00:00+00'));
		INSERT INTO event SELECT gen_ulid(at), 'message' FROM generate_series(timestamptz '2026-10-20', '2026-11-29', '5 days') at;},
	use => [ $event[0] ], effect => [ $partitions =~ s/log/event/r, 'event_old\|3 event_20261101\|6' ]);
recipe('Dropping without blocking', whole($book, 'Dropping old rows without blocking'), setup => q{
	CREATE TABLE log (id ulid PRIMARY KEY, message text) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', '2026-10-01 00:00+00', '2026-12-01 00:00+00');
	INSERT INTO log VALUES ('01M6A6FSZZ0000000000000001', 'the last of October'), (gen_ulid('2026-11-01 00:00+00'), 'November')},
	use => [ $log[0] ], goes => qr/October/, effect => [ "$partitions; TABLE log_20261001", 'log_20261101\|1 01M6A6FSZZ0000000000000001\|the last of October' ]);

my $item = q{CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int); INSERT INTO item SELECT gen_ulid(), n FROM generate_series(1, 9) n;};
my @item = ('item (id, n) VALUES (gen_ulid(), 10)');
recipe('A column created_at', whole($book, 'A column created_at'), setup => $item, use => \@item, effect => [ 'SELECT count(*) FROM item WHERE id::timestamptz = created_at', 9 ]);
recipe('Old rows', whole($book, 'Old rows'), effect => [ q{SET timezone = 'UTC'; SELECT string_agg(n::text, ' ' ORDER BY id), min(id)::timestamptz, max(id)::timestamptz FROM event; SELECT partition FROM ids_partitions('log')},
		'4 12 9 10 11 6 7 8 3 4 5 1 2\|2026-11-01 11:00:00\+00\|2026-12-01 00:00:00\+00 log_20261101 log_20261201' ], use => [ 'event (id, n) VALUES (gen_ulid($$2026-11-09$$), 9)' ],
	setup => q{CREATE TABLE event (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id);
		CALL ids_create_partitions('event', '1 month', '2026-11-01 00:00:00+00', '2027-01-01 00:00:00+00');
		CREATE TABLE old_event (n int, created_at timestamptz);
		INSERT INTO old_event SELECT n, '2026-12-01 00:00+00'::timestamptz - n / 3 * interval '6 days' FROM generate_series(12, 1, -1) n});
recipe('Ids from clients', whole($book, 'Ids from clients'), setup => $item, use => \@item, effect => [ 'SELECT count(*) FROM item WHERE id < gen_ulid()', 11 ]);
recipe('Public ids with a prefix', whole($book, 'Public ids with a prefix'), later => [ q{customer (id, name) VALUES (gen_ulid(), 'Bo')} ], effect => [ 'SELECT public_id FROM customer', 'cus_01h455vb4pex5vsknk084sn02q' ]);
recipe('Public ids', whole($book, 'Public ids without a time'), by => '', setup => q{CREATE TABLE ticket (id ulid PRIMARY KEY DEFAULT gen_ulid(), title text);
	INSERT INTO ticket (title) VALUES ('Printer on fire')}, use => [ q{ticket (id, title) VALUES (gen_ulid(), 'new')} ], effect => [ 'SELECT unmask_ticket(mask_ticket(id)) = id, mask_ticket(id)::ulid = id FROM ticket', 't\|f' ]);
recipe('By transaction', whole($book, 'New rows by transaction'), setup => $item =~ s/item/event/gr, use => [ 'event (id, n) VALUES (gen_ulid(), 10)' ], effect => [ 'INSERT INTO event DEFAULT VALUES; SELECT count(*), count(DISTINCT added) FROM event WHERE added <= pg_current_xact_id()', '10\|2' ]);
recipe('A growing integer', whole($book, 'A growing integer'), setup => q{CREATE TABLE invoice (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
	INSERT INTO invoice (name) SELECT 'old' FROM generate_series(1, 41)}, later => [ q{invoice (number, name) VALUES (DEFAULT, 'new')} ], effect => [ 'INSERT INTO invoice DEFAULT VALUES; SELECT max(number) > 41, count(*) FROM invoice', 't\|42' ]);
recipe('postgres_fdw', whole('doc/servers.md', 'postgres_fdw'), setup => $item =~ s/ DEFAULT gen_ulid\(\)//r, use => \@item, later => [ 'item (id, n) VALUES (NULL, 10)' ]);
# Ids of every half hour around now, of which the statements of a page find some.
sub found { my ($table, @queries) = @_; return "INSERT INTO $table (id) SELECT gen_uuidv7(now() + (n + 0.5) * interval '30 minutes') FROM generate_series(-100, 99) n;" .
	  join ';', map { "SELECT count(*), extract(epoch FROM max(uuidv7_extract_timestamp(id)) - now())::int / 600 FROM ($_) x" =~ s/uuidv7_extract_timestamp\(id\), name/*/r } @queries }
my ($uuidv7, $random) = map { whole('doc/uuidv7.md', $_) } 'UUID version 7', 'A column of random uuids';
recipe('Random uuids', $random, setup => 'CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int); INSERT INTO item (n) VALUES (1)',
	use => [ 'item (id) VALUES (DEFAULT)' ], effect => [ found('item', $random =~ /^(SELECT.*?);/mg) . '; INSERT INTO item DEFAULT VALUES RETURNING uuidv7_extract_timestamp(id) > now() - interval $$1 day$$', '50\|4 1\|4 t' ]);
recipe("uuidv7.md: $$_[0]", whole('doc/uuidv7.md', $$_[0]), later => [ $$_[1] ], effect => $$_[2])
  foreach [ 'UUID version 7', 'account (id) VALUES (DEFAULT)', [ found('account', ($uuidv7 =~ /^(SELECT.*?);/mg)[ 0, 1 ]), '148\|298 10\|298' ] ], [ 'ULIDs in a uuid column', 'parcel (id) VALUES (DEFAULT)' ],
  [ 'Times and partitions', 'visit (id) VALUES (DEFAULT)', [ "SELECT count(*) FROM ids_partitions('visit')", '4' ] ];
my $keys = whole('doc/codokey.md', 'Codokey: dates as text, newest first');
my ($newest, $december, $month) = $keys =~ /^(SELECT \* FROM documents.*?);/msg;
recipe('codokey.md', $keys, later => [ 'report (title) VALUES (1)', 'documents (created_at) VALUES (now())' ], effect => [ qq{SET timezone = 'UTC'; SELECT length(key) FROM report;
	INSERT INTO documents SELECT generate_series('2022-11-20', '2023-01-20', interval '6 hours') UNION ALL SELECT generate_series(now() - interval '2 months', now() + interval '2 months', '6 hours');
	SELECT count(*), max(created_at) = (SELECT max(created_at) FROM documents) FROM ($newest) x;
	SELECT count(*), min(created_at), max(created_at) FROM ($december) x;
	SELECT count(*) = (SELECT count(*) FROM documents WHERE to_char(created_at, 'YYYY-MM') = to_char(now(), 'YYYY-MM')) FROM ($month) x}, '9 10\|t 124\|2022-12-01 00:00:00\+00\|2022-12-31 18:00:00\+00 t' ]);
my $domain = join("\n", section('doc/codokey.md', 'A context in one place')) =~ s/^INSERT INTO file VALUES.*\n//mr;
recipe('A context in one place', $domain, later => [ 'file (name) VALUES (1)' ], effect => [ q{SELECT count(*), max(file_key_time(key)) = '2026-11-30 23:00+00' FROM file WHERE name = 'made then'; SELECT count(key) FROM file WHERE name = 'made now';
	SELECT count(*) FROM pg_proc WHERE proname ~ '^file_key_' AND provolatile = 'i' AND proparallel = 's'; SET timezone = 'UTC';
	INSERT INTO file SELECT file_key_at(at, 'split') FROM unnest('{2000-01-01,2099-12-31 23:59:59.999}'::timestamptz[]) at RETURNING file_key_time(key);
	SELECT file_key_at('1999-12-31'); SELECT file_key_time('2s'); SELECT '2s'::file_key; INSERT INTO file SELECT upper(key) FROM file}, '720\|t 1 2 2000-01-01 00:00:00\+00 2099-12-31 23:59:59.999\+00 (ERROR.*){3}file_key_check.*' ]);
recipe('Another context', whole('doc/codokey.md', 'Moving a table to another context') =~ s/1970, 2069/1970, 3000/gr, setup => q{CREATE TABLE items (key text COLLATE "C" PRIMARY KEY, n int);
	INSERT INTO items VALUES ('yj0000000', 1)}, goes => qr/yj0000000/, later => [ 'items (n) VALUES (2)' ], effect => [ 'SELECT codokey_extract_timestamp(key, 1970, 3000, 999) = $$2022-12-31 23:59:59+00$$ FROM items', 't' ]);

$node->stop;
done_testing();
