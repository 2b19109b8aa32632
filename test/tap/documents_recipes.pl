# What the documents recommend holds beyond the output that they show: expressions that are refused and those to write instead, views for
# tools, positions of the far future, rows per hour in every time zone, the format of TypeID, and what recipes refuse by their own
# statements: a second worker waits, a tenant does not see another one's rows, and a stranger does not read public ids.
use strict;
use warnings;
use Databases;
use IPC::Run;
use Pages;
use Math::BigInt;
use MIME::Base64 ();
use Test::More;

# The tables of expressions that are refused, and of what to write instead. Newer versions of PostgreSQL have some of them.
my $cookbook = page('doc/cookbook.md');
begin('refused');
sql('CREATE TABLE item (id ulid PRIMARY KEY, n int, uuid uuid, name text); INSERT INTO item VALUES (gen_ulid(), 1)');
my %instead = map { page("doc/$_.md") =~ /^\| `(.*?)` \| `(.*?)` \|$/mg } 'cookbook', 'migration';
cmp_ok(scalar(keys %instead), '>', 20, 'the cookbook and the page on migration say what to write instead');
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
my ($note, $back) = page('doc/several-servers.md') =~ /^(SELECT ulid_first\(date_trunc.*?) AS back.*^(UPDATE position SET id = least.*?;)/ms;
$back =~ s/'\w+'/:'back'/;
my $ids = join '', map { "UPDATE position SET id = ulid_first('infinity');\n$note AS back \\gset\n$back\nSELECT gen_ulid() > id FROM position;\n" } 1 .. 100;
is(sql("CREATE TABLE position AS SELECT gen_ulid() AS id;\n$ids") =~ tr/t//, 100, 'ids after a position that has gone back');

# Rows per hour and per day, in every time zone, on the days around its changes in 2026 and on one more day, against a
# count by hand, which goes by the local time that the server shows.
my ($per_hour, $per_day) = map { $cookbook =~ /^(SELECT $_.*?);$/ms } 'hour', 'day';
s/2026-10-(\d\d)/{$1}/g foreach $per_hour, $per_day;    # the day is {25}
begin('zones');
my $errors = sql(qq{
	SET client_min_messages = warning;
	SET timezone = 'UTC';
	CREATE TABLE event (id ulid PRIMARY KEY);
	INSERT INTO event SELECT gen_ulid(at) FROM generate_series(timestamptz '2025-12-28', '2027-01-04', '15 minutes') at;
	ANALYZE event;
	CREATE TABLE checked AS
		SELECT DISTINCT name AS zone, (at AT TIME ZONE name)::date + n AS day
		FROM pg_timezone_names, generate_series(timestamptz '2026-01-02', '2026-12-31', '1 day') at, generate_series(-1, 0) n
		WHERE name !~ '^posix/' AND (at = '2026-07-01' OR (at AT TIME ZONE name) - (at - interval '1 day') AT TIME ZONE name <> '1 day');
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
		('days', counted(\$q\$$per_day\$q\$, zone, day), by_hand(zone, day - 1, day + 1, false))) c (what, counts, right_ones)
	WHERE counts IS DISTINCT FROM right_ones ORDER BY 1;
	SELECT 'too few: ' || count(*) FROM checked HAVING count(*) < 1000});
is($errors, '', 'rows per hour and per day in every time zone');

# The loop runs its statement in each database that has the extension, and nothing that a database's owner has put into its path.
sql(qq{CREATE DATABASE " an 'other"});
$node->safe_psql(q{ an 'other}, q{
	CREATE SCHEMA evil; CREATE TABLE evil.robbed (who name);
	CREATE FUNCTION evil.rob() RETURNS name LANGUAGE plpgsql AS $$ BEGIN INSERT INTO evil.robbed VALUES (current_user); RETURN 'ids'; END $$;
	CREATE VIEW evil.pg_extension AS SELECT evil.rob() AS extname;
	ALTER DATABASE " an 'other" SET search_path = evil, pg_catalog});
my $has = sql('SELECT count(*) FROM pg_database WHERE datallowconn') - 1;    # not in postgres
local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
IPC::Run::run([ 'sh', '-c', block('doc/cookbook.md', 'Many databases', 'datname') ], '>&', \my $looped);
like($looped, qr/^(?:SET\n(?:NOTICE:  version "\S+" of extension "ids" is already installed\nALTER EXTENSION\n)?)+$/, 'the loop over all databases');
is($node->safe_psql(q{ an 'other}, 'SELECT count(*) FROM evil.robbed'), 0, 'it runs no code of an owner');
is(() = $looped =~ /NOTICE/g, $has, 'each that has the extension');

# TypeID's published examples: after the prefix, a TypeID is a ulid in lower case, and its uuid has the same bytes.
my %uuid_of = (
	'00000000000000000000000000' => '00000000-0000-0000-0000-000000000000',
	'00000000000000000000000001' => '00000000-0000-0000-0000-000000000001',
	'0000000000000000000000000a' => '00000000-0000-0000-0000-00000000000a',
	'0000000000000000000000000g' => '00000000-0000-0000-0000-000000000010',
	'00000000000000000000000010' => '00000000-0000-0000-0000-000000000020',
	'7zzzzzzzzzzzzzzzzzzzzzzzzz' => 'ffffffff-ffff-ffff-ffff-ffffffffffff',
	'prefix_0123456789abcdefghjkmnpqrs' => '0110c853-1d09-52d8-d73e-1194e95b5f19',
	'prefix_01h455vb4pex5vsknk084sn02q' => '01890a5d-ac96-774b-bcce-b302099a8057',
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

# Ids in other forms, written here by another implementation, are all read as one uuid. In another alphabet they would be other ids.
begin('forms');
my $uuid = '01a22230-b05c-744b-9693-1911499f3e12';
my $number = Math::BigInt->from_hex('0x' . $uuid =~ s/-//gr);
sub in_base
{
	my ($digits) = @_;
	my ($left, $text) = ($number->copy, '');
	while (!$left->is_zero) { ($left, my $digit) = $left->copy->bdiv(length $digits); $text = substr($digits, $digit->numify, 1) . $text }
	return $text;
}
my %forms = (ulid_bytes => "'\\x" . $uuid =~ s/-//gr . "'::bytea", base64url => q{'} . MIME::Base64::encode_base64url(pack 'H*', $uuid =~ s/-//gr) . q{'}, urn => "'urn:uuid:$uuid'",
	tbsl_char => q{'27E18D0C04DFFFFFFFFF'}, tbsl_base62 => q{'0'}, uuid_base32hex => q{'05VI5OJPM1UC7664RG60O1PPHS======'}, ulid_base62 => q{'} . in_base(join '', 0 .. 9, 'A' .. 'Z', 'a' .. 'z') . q{'}, lower_base62 => q{'355qC7F8cf7dRf4hvPrRo'},
	flickr_base58 => q{'} . in_base('123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ') . q{'}, ripple_base58 => q{'} . in_base('rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz') . q{'});
is($forms{lower_base62}, q{'} . in_base(join '', 0 .. 9, 'a' .. 'z', 'A' .. 'Z') . q{'}, 'the example');
sql('CREATE TABLE thing AS SELECT ' . join ', ', map { "$forms{$_} AS $_" } sort keys %forms);
sql(block('doc/migration.md', 'Other forms', 'lower_base62'));
is(sql(qq{SELECT count(*) FROM thing, unnest(ARRAY[ulid_bytes, ulid_base62, lower_base62, flickr_base58, ripple_base58, base64url, urn]) id WHERE id::uuid = '$uuid'}), '7', 'all forms are the same id');
isnt(sql(q{SELECT ulid_from_base('355qC7F8cf7dRf4hvPrRo', 62)::uuid}), $uuid, 'without translate() it is another one');

# The check of times finds what was read as another id, and nothing among ids of ours and imported rows.
my ($by_row, $by_year) = statements('doc/migration.md', 'Check the times', 'abs');
sql(q{CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), created_at timestamptz DEFAULT now());
	INSERT INTO item DEFAULT VALUES;
	INSERT INTO item SELECT gen_ulid(at), at FROM generate_series(timestamptz '2024-01-01', '2024-02-01', '1 hour') at});
is(sql($by_row), '', 'no id of ours has another time');
is(scalar(split /\n/, sql($by_year)), 2, 'nor another year');
my %others = ('another alphabet' => q{ulid_from_base('355qC7F8cf7dRf4hvPrRo', 62)}, 'hexadecimal digits' => q{'0028956dfe2c832fc84d658100'::ulid},
	'a reversed time' => q{ulid_from_parts(to_timestamp(281474976710.655 - extract(epoch FROM now())), '\x00000000000000000000')}, 'seconds' => q{ulid_from_parts(to_timestamp(extract(epoch FROM now()) / 1000), '\x00000000000000000000')},
	'no time' => q{'00000000-0000-7000-8000-000000000000'::uuid::ulid}, 'bytes of .NET' => q{'f0495501-7e1d-663a-a08c-07ce13d25363'::uuid::ulid});
foreach (sort keys %others)
{
	sql("INSERT INTO item VALUES ($others{$_}, '2026-11-28 12:00+00')");
	like(sql($by_row), qr/^\w{26}\|/, "found by its time: $_");
	is(scalar(split /\n/, sql($by_year)), 3, "found by its year: $_") unless /alphabet/;
	sql("DELETE FROM item WHERE id = $others{$_}") unless /time|seconds/;
	sql(q{DELETE FROM item WHERE created_at = '2026-11-28 12:00+00'});
}
is(sql(q{SELECT ulid_is_valid('0ujtsYcgvSTl8PAuAdqWYSMnLOv')}), 'f', 'a KSUID is refused by its length');

# What uses a column, by which a recipe must make it anew.
begin('uses');
sql(q{CREATE TABLE payment (id bigserial PRIMARY KEY CHECK (id > 0), twice bigint GENERATED ALWAYS AS (id * 2) STORED, n int DEFAULT 1);
	CREATE TABLE refund (id bigserial, payment bigint REFERENCES payment ON DELETE CASCADE);
	CREATE VIEW payments AS SELECT id FROM payment;
	CREATE FUNCTION greatest_payment() RETURNS bigint RETURN (SELECT max(id) FROM payment);
	CREATE POLICY own ON refund USING (payment > 0);
	CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
	CREATE TRIGGER on_change BEFORE UPDATE OF id ON payment FOR EACH ROW EXECUTE FUNCTION act();
	CREATE TRIGGER on_some BEFORE UPDATE ON payment FOR EACH ROW WHEN (new.id > 5) EXECUTE FUNCTION act();
	CREATE TRIGGER on_row BEFORE UPDATE ON payment FOR EACH ROW EXECUTE FUNCTION act();
	CREATE RULE no_delete AS ON DELETE TO payment DO INSTEAD NOTHING;
	CREATE POLICY every ON payment USING (true);
	CREATE VIEW number_of_payments AS SELECT count(*) FROM payment;
	CREATE TABLE child () INHERITS (payment);
	CREATE PUBLICATION some_columns FOR TABLE payment (id);
	CREATE PUBLICATION whole_tables FOR TABLE refund;
	CREATE STATISTICS both_columns ON id, n FROM payment;
	CREATE INDEX ON refund (payment);
	GRANT SELECT (id) ON payment TO ordinary;
	COMMENT ON COLUMN payment.id IS 'its number';
	ALTER TABLE payment ALTER id SET STATISTICS 1000});
my ($uses_column) = statements('doc/migration.md', 'What uses a column', 'used by');
my ($uses, $uses_table) = map { sql($_) } $uses_column, $uses_column =~ s/ AND attname = col//gr;
like($uses_table, qr/$_/, "what uses a table: $_") foreach 'default value for column n', 'trigger on_row', 'publication whole_tables';
like($uses, qr/$_/, "what uses a column: $_") foreach 'trigger on_row', 'rule no_delete', 'policy every', 'view number_of_payments', 'table child', 'publication whole_tables', 'constraint payment_pkey', 'CHECK', 'column twice', 'default value for column id', 'ON DELETE CASCADE', 'view payments', 'greatest_payment', 'policy own', 'on_change', 'on_some',
	'publication some_columns', 'statistics object both_columns', 'index refund_payment_idx', 'sequence payment_id_seq', 'ordinary=r', 'its number; 1000';

# From numbers to ids, with a table that refers to itself: its statements stand where the page says. All links stay, and a trigger that
# counts the changes of a row sees none.
begin('numbers');
my $links = q{SELECT string_agg(concat_ws(' ', %1$s, (SELECT %1$s FROM orders p WHERE p.id = orders.parent), (SELECT count(*) FROM order_line WHERE order_id = id), changes), ',' ORDER BY %1$s) FROM orders};
sql(q{CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz, parent bigint CONSTRAINT orders_parent_fkey REFERENCES orders, changes int DEFAULT 0);
	CREATE TABLE order_line (order_id bigint REFERENCES orders, line int);
	INSERT INTO orders (created_at, parent) SELECT now() - n * interval '1 day', nullif(n / 2, 0) FROM generate_series(1, 9) n;
	INSERT INTO order_line SELECT id, 1 FROM orders, generate_series(2, id);
	CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.changes := old.changes + 1; RETURN new; END';
	CREATE TRIGGER count_change BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION count_change()});
my $linked = sql(sprintf $links, 'id');
my ($place) = page('doc/migration.md') =~ /^\*\*A table that refers to itself.*?write this before\s`(.*?)`/ms;
my $itself = block('doc/migration.md', 'From bigint', 'new_parent');
my $numbers = block('doc/migration.md', 'From bigint', 'new_order_id') =~ s/^(?=.*\Q$place\E)/$itself/mr =~ s/BEGIN;\K/ ALTER TABLE orders DROP CONSTRAINT orders_parent_fkey;/r;
foreach ([ 'INSERT INTO order_line VALUES (77)', 'DELETE FROM order_line WHERE order_id = 77', qr/"no order 77"/ ],
	[ 'INSERT INTO orders VALUES (10, now(), 77)', 'DELETE FROM orders WHERE id = 10', qr/check constraint "orders_check".* is violated by some row/ ])
{
	my ($lost, $gone, $error) = @$_;
	sql("SET session_replication_role = replica; $lost");
	like(($node->psql($database, $numbers))[2], $error, "a link to no row is found: $lost");
	sql($gone);
}
sql($numbers);
is(sql(sprintf $links, 'old_id'), $linked, 'numbers become ids, and refer to the same rows');

# A large table, to which some rows refer and others do not. A batch left one row out: the recipe finds it, and then keeps all links.
begin('large');
sql(q{CREATE TABLE payment (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now());
	CREATE TABLE refund (id bigint, payment bigint REFERENCES payment);
	INSERT INTO payment SELECT FROM generate_series(1, 9);
	INSERT INTO refund SELECT n, nullif(n, 5) FROM generate_series(0, 9) n WHERE n > 0 UNION SELECT 0, 3});
my @steps = map { block('doc/migration.md', 'A large table', $_) } 'payment_new_id ON', 'set_new_payment()', 'DROP TRIGGER';
my ($nullable) = $steps[1] =~ m{/\* if payment may be NULL: (CHECK \(.*\)), and} or die 'migration.md does not say how NULL is kept';
$steps[1] =~ s/CHECK \(new_payment IS NOT NULL\)/$nullable/;
$steps[2] =~ s/^.* SET NOT NULL;\n//m;
sql($steps[0]);
my ($fill, $validate) = $steps[1] =~ /(.*)^(ALTER TABLE refund VALIDATE.*)/ms;
sql($fill);
like(($node->psql($database, $validate))[2], qr/check constraint "new_payment_not_null" of relation "refund" is violated by some row/, 'a row that no batch has filled is found');
sql(q{CREATE FUNCTION next_payment() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.payment := new.payment + 1; RETURN new; END';
	CREATE TRIGGER write_payment BEFORE INSERT ON refund FOR EACH ROW EXECUTE FUNCTION next_payment();
	INSERT INTO refund VALUES (10, 3)});
sql($_) foreach 'UPDATE refund SET id = id WHERE new_payment IS NULL', $validate, $steps[2];
is(sql(q{SELECT count(*), count(p), count(*) FILTER (WHERE old_id = old_payment) FROM refund LEFT JOIN payment p ON p.id = payment}), '11|10|10', 'all links are kept, also of rows that a trigger changes');

# Prefixed text: what has another prefix is an error.
begin('prefixed');
my ($without_prefix) = page('doc/migration.md') =~ /^`(.*)::ulid`\. If other tables/m or die 'migration.md does not say how a prefix goes';
sql(q{CREATE TABLE customer (id text PRIMARY KEY); INSERT INTO customer VALUES ('cus_01h455vb4pex5vsknk084sn02q'), ('inv_01h455vb4pex5vsknk084sn02r')});
my $unprefix = "ALTER TABLE customer ALTER id TYPE ulid USING $without_prefix\::ulid";
like(($node->psql($database, $unprefix))[2], qr/invalid input syntax for type ulid: "inv_01h455vb4pex5vsknk084sn02r"/, 'an id of another kind is refused');
is(sql("DELETE FROM customer WHERE id LIKE 'inv%'; $unprefix; SELECT id FROM customer"), '01H455VB4PEX5VSKNK084SN02Q', 'and the others are read');

# A consumer's position is locked before its batch is read.
begin('consumer');
sql($_) foreach 'CREATE TABLE event (id ulid)', block('doc/reading.md', 'A consumer', 'CREATE TABLE position');
sql(q{INSERT INTO position SELECT 'event', unnest(ARRAY['mail', 'audit']), ulid_first('-infinity')});
my ($lock) = block('doc/reading.md', 'A consumer', 'WITH batch') =~ /^(BEGIN;.*?)^WITH batch/ms;
my $first = $node->background_psql($database, on_error_stop => 1);
$first->query_safe($lock);
my ($waits, $other) = run_all(map { "\\set VERBOSITY sqlstate\nSET lock_timeout = '100ms'; $_; ROLLBACK;" } $lock, $lock =~ s/'mail'/'audit'/gr);
like($waits->[1], qr/ERROR:  55P03/, 'a second worker with the name waits');
unlike($other->[1], qr/ERROR/, 'a worker with another name does not');
$first->quit;

# Rows of tenants: the one that made them sees them, nobody else does.
begin('tenants');
sql(block('doc/cookbook.md', 'Tenants', 'CREATE ROLE desk'));
sql(block('doc/cookbook.md', 'Tenants', 'INSERT INTO tenant'));
my ($acme, $globex) = split /\n/, sql('SELECT id FROM tenant ORDER BY name');
foreach ([ 'ticket', 'tenant', "'$acme'" ], [ 'message', 'tenant, ticket', "'$acme', gen_ulid()" ])
{
	my ($table, $columns, $values) = @$_;
	my %rows = map { $_ => sql("SET ROLE desk; SET app.tenant = '$_'; SELECT count(*) FROM $table") } $acme, $globex, '';
	is("@rows{$acme, $globex, ''}", '1 0 0', "$table: the tenant's row, which another one and none do not see");
	is(sql("SET ROLE desk; SET app.tenant = '$globex'; WITH gone AS (DELETE FROM $table RETURNING 1) SELECT count(*) FROM gone"), 0, "$table: nor delete");
	my ($error) = ($node->psql($database, "SET ROLE desk; SET app.tenant = '$globex'; INSERT INTO $table ($columns) VALUES ($values)"))[2];
	like($error, qr/new row violates row-level security policy for table "$table"/, "$table: nor insert for it");
}
is(sql('SET ROLE worker; SELECT count(*) FROM message'), 1, 'a reader of new rows sees the messages of all');

# Public ids, which the application alone masks and reads.
begin('masked');
sql(q{CREATE TABLE ticket (id ulid PRIMARY KEY DEFAULT gen_ulid(), title text); INSERT INTO ticket (title) VALUES ('Printer on fire')});
is(sql(block('doc/cookbook.md', 'Public ids without a time', 'mask_ticket')), 'Printer on fire', 'a row is found by its public id');
is(ask('someone', $_), '42501', "a stranger: $_") foreach 'SELECT mask_ticket(gen_ulid())', 'SELECT unmask_ticket(gen_random_uuid())', 'SELECT key FROM secret.key';
sql('GRANT EXECUTE ON FUNCTION mask_ticket, unmask_ticket TO ordinary');
is(ask('ordinary', 'SELECT unmask_ticket(mask_ticket(id)) = id FROM (SELECT gen_ulid() AS id OFFSET 0) made'), 't', 'the application reads them');

$node->stop;
done_testing();
