# What doc/migration.md recommends holds beyond the output that it shows: ids in other forms are read as the same id, ids of other times are
# found, and what refers to rows of a table refers to the same rows afterwards.
use strict;
use warnings;
use Databases;
use Pages;
use Math::BigInt;
use MIME::Base64 ();
use Test::More;

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

$node->stop;
done_testing();
