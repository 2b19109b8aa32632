# What doc/migration.md recommends holds beyond the output that it shows: ids in other forms are read as the same id, ids of other times are
# found, and what refers to rows of a table refers to the same rows afterwards, whatever step fails (see Recipes.pm) and whoever writes meanwhile.
use strict;
use warnings;
use Databases;
use Digest::MD5 ();
use IPC::Run;
use Math::BigInt;
use MIME::Base64 ();
use Pages;
use Recipes;
use Test::More;

# Ids in other forms, written here by another implementation, which use every digit: each is read as the uuid that it was made of.
begin('forms');
my $page = page('doc/migration.md');
sub in_base
{
	my ($number, $digits) = @_;
	my ($left, $text) = ($number->copy, '');
	while (!$left->is_zero) { ($left, my $digit) = $left->copy->bdiv(length $digits); $text = substr($digits, $digit->numify, 1) . $text }
	return $text;
}
my ($lower, $upper) = (join('', 'a' .. 'z'), join('', 'A' .. 'Z'));
my %digits = (ulid_base62 => "0123456789$upper$lower", lower_base62 => "0123456789$lower$upper", flickr_base58 => '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ');
my (%used, @forms);
foreach my $hex ('01a22230b05c744b96931911499f3e12', map { '0' . substr Digest::MD5::md5_hex($_), 1 } 1 .. 40)
{
	my $number = Math::BigInt->from_hex("0x$hex");
	my %form = map { $_ => in_base($number, $digits{$_}) } keys %digits;
	$used{$_} .= $form{$_} foreach keys %digits;
	is($form{lower_base62}, '355qC7F8cf7dRf4hvPrRo', 'an example of base-x') if !@forms;
	push @forms, join ', ', "'\\x$hex'::bytea AS ulid_bytes", "'" . MIME::Base64::encode_base64url(pack 'H*', $hex) . "' AS base64url", "'$hex'::uuid AS uuid",
		'lower(tbsl::text)::char(20) AS tbsl_char, tbsl_to_base(tbsl, 62) AS tbsl_base62, tbsl', map { "'$form{$_}' AS $_" } sort keys %digits;
}
foreach my $form (keys %digits) { is(scalar(keys %{ { map { $_ => 1 } split //, $used{$form} } }), length $digits{$form}, "$form: all digits") }
sql('CREATE TABLE thing AS SELECT * FROM (' . join("\nUNION ALL ", map { "SELECT $_ FROM gen_tbsl() tbsl" } @forms) . ') form');
sql(block('doc/migration.md', 'Other forms', 'lower_base62'));
is(sql(q{SELECT count(*) FROM thing WHERE tbsl_char = tbsl AND tbsl_base62 = tbsl
	AND uuid = ALL (ARRAY[ulid_bytes, ulid_base62, lower_base62, flickr_base58, base64url]::uuid[])}), 41, 'all forms are the same id');

# The check of times finds what was read as another id, and nothing among ids of ours and imported rows.
my ($by_row, $by_year) = statements('doc/migration.md', 'Check the times', 'abs');
sql(q{CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), created_at timestamptz DEFAULT now());
	INSERT INTO item DEFAULT VALUES;
	INSERT INTO item SELECT gen_ulid(at), at FROM generate_series(timestamptz '2024-01-01', '2024-02-01', '1 hour') at});
is(sql($by_row), '', 'no id of ours has another time');
is(scalar(split /\n/, sql($by_year)), 2, 'nor another year');
is(sql($by_year =~ s/ GROUP/ WHERE id < ulid_first('2025-01-01') GROUP/r), sql(q{SELECT 2024, 745, min(id), max(id) FROM item WHERE id < ulid_first('2025-01-01')}), 'the ids of a year');
is(sql("CREATE TABLE others AS SELECT id::uuid FROM item; " . $by_year =~ s/id::timestamptz/id::ulid::timestamptz/r =~ s/item/others/r) =~ tr/\n//, 1, 'of a uuid, too');
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
	CREATE TABLE refund (id bigserial, payment_id bigint REFERENCES payment ON DELETE CASCADE);
	CREATE TABLE stranger (id bigserial); CREATE VIEW payments AS SELECT id FROM payment;
	CREATE FUNCTION greatest_payment() RETURNS bigint RETURN (SELECT max(id) FROM payment);
	CREATE POLICY own ON refund USING (payment_id > 0);
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
	CREATE INDEX ON refund (payment_id);
	GRANT SELECT (id) ON payment TO ordinary;
	COMMENT ON COLUMN payment.id IS 'its number'; COMMENT ON CONSTRAINT payment_pkey ON payment IS 'of a constraint'; COMMENT ON INDEX payment_pkey IS 'of its index'; COMMENT ON INDEX refund_payment_id_idx IS 'of an index';
	ALTER TABLE refund CLUSTER ON refund_payment_id_idx; ALTER TABLE payment REPLICA IDENTITY USING INDEX payment_pkey, CLUSTER ON payment_pkey, ALTER id SET (n_distinct = -0.5);
	ALTER TABLE payment ALTER id SET STATISTICS 1000});
my ($uses_column) = statements('doc/migration.md', 'What uses a column', 'used by');
my ($uses, $uses_table) = map { sql($_) } $uses_column, $uses_column =~ s/ AND attname = col//gr;
like($uses_table, qr/$_/, "what uses a table: $_") foreach 'default value for column n', 'trigger on_row', 'publication whole_tables';
like($uses, qr/$_/, "what uses a column: $_") foreach 'trigger on_row', 'rule no_delete', 'policy every', 'view number_of_payments', 'table child', 'publication whole_tables', 'constraint payment_pkey', 'CHECK', 'column twice', 'default value for column id', 'ON DELETE CASCADE', 'view payments', 'greatest_payment', 'policy own', 'on_change', 'on_some',
	'publication some_columns', 'statistics object both_columns', 'index refund_payment_id_idx', 'sequence payment_id_seq', 'payment\|id\|privileges.*ordinary=r', 'n_distinct=-0.5', 'its number; 1000', 'of a constraint; of its index; REPLICA IDENTITY USING INDEX; CLUSTER ON', 'of an index; CLUSTER ON';
unlike($uses, qr/column n\b|stranger|^refund.*REPLICA|[| ]-1$/m, 'and nothing else');
my %times; $times{s/\|[^|]*$//r}++ foreach split /\n/, $uses;
is(join(', ', grep { $times{$_} > 1 } sort keys %times), '', 'each once');

# Each recipe, as people paste it. What is the same before and after: foreign keys, primary keys, columns that are NOT NULL, and more.
my $shape = q{SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE contype IN ('f', 'p') AND connamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND attnotnull AND attnum > 0 AND relkind = 'r'};
my @blocks = $page =~ /^((?:DO \$\$|BEGIN;).*?^(?:END|COMMIT))/msg;
is(join("\n", scalar @blocks, grep { !/BEGIN;?\n *SET LOCAL lock_timeout = '1100ms';\n/ } @blocks), scalar(() = $page =~ /SET LOCAL lock_timeout/g), 'no block has others wait long');
recipe('From uuid', block('doc/migration.md', 'From uuid', 'item'), use => ['item (n) VALUES (9)'], rows => "SELECT concat_ws(' ', n, id::uuid) FROM item UNION ALL $shape",
	setup => 'CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int); INSERT INTO item (n) VALUES (1), (2)');
my $new_line = 'line (n, product) VALUES (9, (SELECT id FROM product LIMIT 1))';
recipe('From uuid, with a foreign key', block('doc/migration.md', 'From uuid', 'product'), use => [ 'product (n) VALUES (9)', $new_line ],
	rows => "SELECT concat_ws(' ', p.n, p.id::uuid, line.n) FROM product p LEFT JOIN line ON product = p.id UNION ALL $shape",
	setup => q{CREATE TABLE product (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int); INSERT INTO product (n) VALUES (1), (2);
	CREATE TABLE line (n int, product uuid CONSTRAINT line_product_fkey REFERENCES product); INSERT INTO line SELECT n, id FROM product});
recipe('From text', block('doc/migration.md', 'From text', 'ALTER TABLE'), use => ['note (n) VALUES (9)'], rows => "SELECT concat_ws(' ', n, upper(id::text)) FROM note UNION ALL $shape",
	setup => q{CREATE TABLE note (id char(26) PRIMARY KEY DEFAULT lower(gen_ulid()::text), n int); INSERT INTO note (n) VALUES (1), (2)});
recipe('From names of devices', block('doc/migration.md', 'From names of devices', 'uid DROP DEFAULT'), use => ['device (id) VALUES (9)'], rows => q{SELECT id::text, name FROM device UNION ALL SELECT '', pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'u'},
	setup => q{CREATE TABLE device (id int PRIMARY KEY, name text NOT NULL UNIQUE DEFAULT 'C4VJ2ly9gRt'); INSERT INTO device VALUES (1, 'C4VJ2ly9gRs')});
recipe('Leaving', block('doc/migration.md', 'Leaving', 'DETACH') =~ s/DROP EXTENSION ids;//r, use => ['log (n) VALUES (9)'], rows => "SELECT concat_ws(' ', n, id::uuid) FROM log UNION ALL $shape",
	setup => q{CREATE FUNCTION public.gen_uuidv7() RETURNS uuid RETURN pg_catalog.gen_uuidv7(); CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), n int) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', '2026-11-01 00:00+00', now() + interval '1 month');
	INSERT INTO log SELECT gen_ulid(at), 1 FROM generate_series(timestamptz '2026-11-01 00:00+00', '2026-11-28', '5 days') at});

# The statements before recipes find what cannot be an id, and what changes.
begin('unfit');
sql(q{CREATE TABLE note AS SELECT unnest('{01AN4Z07BY79KA1307SR9X4MV3,01an4z07by79ka1307sr9x4mv3,81AN4Z07BY79KA1307SR9X4MV3}'::text[]) AS id; CREATE TABLE device AS SELECT unnest('{C4VJ2ly9gRt,C4VJ2ly9gR-}'::text[]) AS name});
is(sql(join ';', map { /^ *SELECT .* FROM (?:note|device) WHERE.*/m ? $& : () } statements('doc/migration.md', 'From text', 'ALTER TABLE'), statements('doc/migration.md', 'From names of devices', 'uid DROP DEFAULT')), "81AN4Z07BY79KA1307SR9X4MV3\n01an4z07by79ka1307sr9x4mv3\nC4VJ2ly9gR-", 'unfit ids');

# What only the partitioned table has is not dropped with it in silence.
foreach ([ 'a trigger', q{CREATE TRIGGER act BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION act()} ], [ 'a policy', q{CREATE POLICY own ON log USING (true)} ],
	[ 'row security', 'ALTER TABLE log ENABLE ROW LEVEL SECURITY' ], [ 'a publication', 'CREATE PUBLICATION logs FOR TABLE log' ], [ 'a rule', 'CREATE RULE no_delete AS ON DELETE TO log DO INSTEAD NOTHING' ],
	[ 'a foreign key', 'ALTER TABLE log ADD of int REFERENCES other' ])
{
	my ($what, $made) = @$_;
	recipe("Leaving, with $what", block('doc/migration.md', 'Leaving', 'DETACH') =~ s/DROP EXTENSION ids;//r, use => ['log (id) VALUES (DEFAULT)'], refused => qr/log is used/,
		setup => qq{CREATE FUNCTION public.gen_uuidv7() RETURNS uuid RETURN pg_catalog.gen_uuidv7(); CREATE TABLE other (id int PRIMARY KEY);
		CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'; CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid()) PARTITION BY RANGE (id);
		CALL ids_create_partitions('log', '1 month', '2026-11-01 00:00+00', now() + interval '1 month'); $made});
}

# A partition that is being detached is not listed, and is not dropped with the table.
begin('pending'); sql(q{CREATE FUNCTION public.gen_uuidv7() RETURNS uuid RETURN pg_catalog.gen_uuidv7(); CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', '2026-11-01 00:00+00', '2027-01-01 00:00+00'); INSERT INTO log SELECT ulid_first(lower(times)) FROM ids_partitions('log');
	SET allow_system_table_mods = on; UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'log_20261201'::regclass});
like(($node->psql($database, block('doc/migration.md', 'Leaving', 'DETACH')))[2], qr/log is used/, 'a partition that is being detached: an error');
is(sql('SELECT count(*) FROM log_20261201'), 1, 'its rows stay');

# From numbers, in a table that refers to itself and has a trigger: the page says how. Rows of the same time keep their order. A link to
# no row is an error.
my $itself = join '', map { /ALTER TABLE order_line/ ? ($_, s/order_line_order_id/orders_parent/r =~ s/order_line/orders/r =~ s/\border_id/parent/gr) : $_ } split /^/, block('doc/migration.md', 'From bigint', 'order_ids');
my $numbers = q{CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now(), parent bigint CONSTRAINT orders_parent_fkey REFERENCES orders, n serial, changes int DEFAULT 0);
	CREATE TABLE order_line (order_id bigint REFERENCES orders, line int);
	INSERT INTO orders (created_at, parent) SELECT timestamptz '2026-01-01' + n / 5 * interval '1 day', nullif(n / 2, 0) FROM generate_series(1, 19) n;
	UPDATE orders SET n = n WHERE id % 5 = 1; INSERT INTO order_line SELECT id, 1 FROM orders, generate_series(2, id);
	CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.changes := old.changes + 1; RETURN new; END';
	CREATE TRIGGER count_change BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION count_change();};
recipe('From bigint', $itself, setup => $numbers, use => [ 'orders (n) VALUES (99)', 'order_line (line, order_id) VALUES (9, (SELECT id FROM orders LIMIT 1))' ],
	rows => qq{SELECT concat_ws(' ', o.n, p.n, line, o.changes) FROM orders o LEFT JOIN orders p ON p.id = o.parent LEFT JOIN order_line ON order_id = o.id
	UNION ALL SELECT string_agg(n::text, ' ' ORDER BY id) FROM orders UNION ALL $shape
	UNION ALL SELECT concat_ws(' ', n, CASE pg_typeof(id) WHEN 'ulid'::regtype THEN (id::text::ulid)::timestamptz ELSE created_at END) FROM orders});
begin('numbers');
sql("$numbers SET session_replication_role = replica; INSERT INTO order_line VALUES (77)");
like(($node->psql($database, $itself))[2], qr/"no order 77"/, 'a link to no row is found');

# An order that another transaction inserts meanwhile has a new id, too.
begin('meanwhile'); sql($numbers);
my $writer = IPC::Run::start([ 'psql', '-Xqc', 'BEGIN', '-c', 'INSERT INTO orders (id) VALUES (78)', '-c', 'SELECT pg_sleep(0.5)', '-c', 'COMMIT', $node->connstr($database) ], '>', \my $nothing);
$node->poll_query_until($database, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND pid <> pg_backend_pid()}) or die;
unlike(($node->psql($database, $itself))[2], qr/no order/, 'a row that is inserted meanwhile');
$writer->finish;

# The same from uuids, and from an identity column to uuids, as the page says.
my $plain = block('doc/migration.md', 'From bigint', 'order_ids');
foreach ([ 'uuid DEFAULT gen_random_uuid()', 'ulid', $plain =~ s/bigint/uuid/gr ],
	[ 'bigint GENERATED ALWAYS AS IDENTITY', 'uuid', $plain =~ s/gen_ulid/gen_uuidv7/gr =~ s/\bulid\b/uuid/gr =~ s/ALTER id DROP DEFAULT, //r =~ s/^  LOCK.*\n\K/ALTER TABLE orders ALTER id DROP IDENTITY;\n/mr ])
{
	my ($from, $to, $script) = @$_;
	begin("numbers_$to");
	sql("CREATE TABLE orders (id $from PRIMARY KEY, created_at timestamptz DEFAULT now(), n int); CREATE TABLE order_line (order_id @{ [ $from =~ /^(\w+)/ ] } REFERENCES orders, n int);
		INSERT INTO orders (n) VALUES (1), (2), (3); INSERT INTO order_line SELECT id, n FROM orders; $script INSERT INTO orders (n) VALUES (4)");
	is(sql('SELECT pg_typeof(id), o.n, line.n FROM orders o JOIN order_ids ON new_id = id LEFT JOIN order_line line ON order_id = id ORDER BY o.n'), join("\n", map { "$to|$_|$_" } 1 .. 3), "from $from");
	like(($node->psql($database, 'DELETE FROM orders'))[2], qr/still referenced from table "order_line"/, 'the foreign key stays');
	is(sql(q{SELECT indisprimary FROM pg_index WHERE indrelid = 'order_ids'::regclass}), 't', 'old numbers are found by an index');
}

# From another type of the name, for which citext stands: all or nothing.
begin('another', 'TEMPLATE template0');
sql(q{CREATE EXTENSION citext; ALTER TYPE citext RENAME TO ulid; UPDATE pg_extension SET extname = 'pgx_ulid' WHERE extname = 'citext';
	CREATE TABLE item (id ulid PRIMARY KEY DEFAULT '01an4z07by79ka1307sr9x4mv3', n int); INSERT INTO item (n) VALUES (1); CREATE VIEW uses AS SELECT 'a'::ulid AS id});
my $another = block('doc/migration.md', 'From another type ulid', 'pgx_ulid');
my ($told) = run_all("\\set ON_ERROR_ROLLBACK on\n$another");
like($told->[1], qr/cannot drop extension pgx_ulid because other objects depend on it/, 'what uses the other type is named');
is(sql('DELETE FROM item WHERE n = 1; INSERT INTO item (n) VALUES (2) RETURNING id'), '01an4z07by79ka1307sr9x4mv3', 'and nothing has changed');
is(sql("DROP VIEW uses; $another INSERT INTO item (n) VALUES (3); SELECT n FROM item ORDER BY id"), "2\n3", 'without it, the column is one of ids');

# A large table. Its writers have rights to columns alone, and no path; or a table, an operator and a function of the same names in a
# schema of their own; or policies hide the payments. Another trigger moves refunds. They write between all statements. An older transaction is open.
begin('large');
sub large { return map { block('doc/migration.md', 'A large table', $_) } 'payment_new_id ON', 'CREATE TRIGGER', 'DROP TRIGGER' }
my ($nullable) = $page =~ m{/\* if payment_id may be NULL: (CHECK \(.*\)), and} or die 'migration.md does not say how NULL is kept';
my @large = map { s/CHECK \(new_payment_id IS NOT NULL\)/$nullable/r =~ s/^.* SET NOT NULL;\n//mr =~ s/REFERENCES payment \(new_id\)/$& ON DELETE CASCADE/r } large();
sql(q{CREATE TABLE payment (id bigint PRIMARY KEY, created_at timestamptz DEFAULT now());
	CREATE TABLE refund (id bigint PRIMARY KEY, payment_id bigint REFERENCES payment ON DELETE CASCADE, moved boolean);
	CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.payment_id := 2; RETURN new; END';
	CREATE TRIGGER zy_move BEFORE UPDATE OF moved ON refund FOR EACH ROW EXECUTE FUNCTION move();
	INSERT INTO payment SELECT hashint8extended(n, 0) FROM generate_series(1, 50000) n;
	INSERT INTO refund SELECT id, nullif(id, hashint8extended(5, 0)) FROM payment;
	ALTER TABLE payment ENABLE ROW LEVEL SECURITY;
	CREATE POLICY wrote ON payment FOR INSERT WITH CHECK (true); CREATE POLICY sees ON payment FOR SELECT TO ordinary, hostile USING (true);
	GRANT INSERT (id), SELECT (id) ON payment TO ordinary; GRANT INSERT (id, payment_id), UPDATE (payment_id), SELECT (id) ON refund TO ordinary;
	GRANT ALL ON payment, refund TO hostile, someone;
	CREATE SCHEMA own AUTHORIZATION hostile; CREATE TABLE own.payment AS SELECT n AS id, gen_ulid() AS new_id FROM generate_series(1, 9) n; GRANT ALL ON own.payment TO hostile;
	CREATE FUNCTION own.always(bigint, bigint) RETURNS boolean RETURN true; CREATE OPERATOR own.= (FUNCTION = own.always, LEFTARG = bigint, RIGHTARG = bigint)});
my %path = (ordinary => q{''}, hostile => 'own, pg_catalog, public', someone => 'public');
my ($n, $lock_timeout, @failed) = (0, '');
sub write_all
{
	foreach (sort keys %path)
	{
		$n++;
		push @failed, grep { $_ } error_of($_, "SET search_path = $path{$_}; INSERT INTO public.payment (id) VALUES ($n); INSERT INTO public.refund (id, payment_id) VALUES ($n, $n);
			UPDATE public.refund SET payment_id = 1 WHERE id OPERATOR(pg_catalog.=) $n");
	}
	sql("UPDATE refund SET moved = true WHERE id = $n; SET session_replication_role = replica; INSERT INTO payment VALUES (-$n); INSERT INTO refund VALUES (-$n, -$n)");
}
sub run_large
{
	my ($reader, @statements) = @_;
	foreach my $statement (@statements)
	{
		$lock_timeout = $statement if $statement =~ /SET lock_timeout/ && $statement !~ /LOCAL/;
		my $older = $reader && $statement =~ /payment_new_id ON/ && IPC::Run::start([ 'psql', '-Xqc', 'BEGIN ISOLATION LEVEL REPEATABLE READ', '-c', 'SELECT FROM own.payment', '-c', 'SELECT pg_sleep(2)', $node->connstr($database) ], '>', \my $nothing);
		$node->poll_query_until($database, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND pid <> pg_backend_pid()}) or die if $older;
		my $error = ($node->psql($database, "$lock_timeout\nSET statement_timeout = '60s'; SET client_min_messages = debug1;\n$statement"))[2];
		push @failed, $error if $error =~ /ERROR/ || $statement !~ /^ALTER TABLE \w+ VALIDATE|CONCURRENTLY/m && $error =~ /verifying table|rewriting table|building index|validating foreign key/;
		$older->finish if $older;
		write_all() if $reader && $statement !~ /DROP TRIGGER|ANALYZE/;
	}
}
run_large(1, map { Recipes::split_script($_) } @large[ 0, 1 ]);
is("@failed", '', 'the statements and the writers beside them');
my ($stranger) = run_all(q{SET ROLE hostile; CREATE TABLE own.refund (payment_id bigint, new_payment_id ulid);
	CREATE TRIGGER get BEFORE INSERT ON own.refund FOR EACH ROW EXECUTE FUNCTION public.set_new_payment_id()});
like($stranger->[1], qr/permission denied for function .*set_new_payment_id/, 'a stranger does not read ids by a trigger of his own');
my $verified = ($node->psql($database, "SET client_min_messages = debug1; $large[2]"))[2];
like($verified, qr/existing constraints|will rename index/, 'the last step');
unlike($verified, qr/verifying table|rewriting table|building index|ERROR/, 'reads no table');
is(sql(sprintf q{SELECT count(*) - %d, count(p), count(*) FILTER (WHERE old_id <> old_payment_id OR old_id IS NULL) FROM refund LEFT JOIN payment p ON p.id = payment_id}, 50_000 + $n * 4 / 3),
	'0|' . (49_999 + $n * 4 / 3) . '|1', 'all links are kept');
is(sql(q{SELECT indisunique FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] WHERE attrelid = 'payment'::regclass AND attname = 'old_id'}), 't', 'old links are found by an index');
is(sql(q{SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid IN ('payment'::regclass, 'refund'::regclass) UNION ALL SELECT proname FROM pg_proc WHERE proname ~ 'set_new'}), '', 'nothing is left over');
is(sql('DELETE FROM payment WHERE old_id = 1; SELECT count(*) FROM refund WHERE old_payment_id = 1'), 0, 'the new foreign key does what the old one did');

recipe('A large table', join("\n", large()), use => [ 'payment (n) VALUES (99)', 'refund (n, payment_id) VALUES (9, (SELECT id FROM payment LIMIT 1))' ],
	rows => "SELECT concat_ws(' ', p.n, refund.n) FROM payment p LEFT JOIN refund ON payment_id = p.id UNION ALL SELECT string_agg(n::text, ' ' ORDER BY id) FROM payment UNION ALL $shape",
	setup => q{CREATE TABLE payment (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now(), n serial);
	CREATE TABLE refund (id bigserial PRIMARY KEY, payment_id bigint NOT NULL REFERENCES payment, n int);
	INSERT INTO payment SELECT FROM generate_series(1, 9); UPDATE payment SET n = n WHERE id = 2; INSERT INTO refund (payment_id, n) SELECT id, 1 FROM payment});

# Links of a partitioned table, as the page says: from the foreign key on, each partition comes first, then the table, which reads nothing.
begin('partitioned'); @failed = ();
like($page, qr/^- \*\*If `refund` is partitioned\*\*/m, 'the page says what to do with a partitioned table of links');
sql(q{CREATE TABLE payment (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now());
	CREATE TABLE refund (id bigserial, payment_id bigint REFERENCES payment ON DELETE CASCADE, month int) PARTITION BY LIST (month);
	CREATE TABLE refund_1 PARTITION OF refund FOR VALUES IN (1); CREATE TABLE refund_2 PARTITION OF refund FOR VALUES IN (2);
	INSERT INTO payment SELECT FROM generate_series(1, 99); INSERT INTO refund (payment_id, month) SELECT nullif(id, 5), id % 2 + 1 FROM payment});
my ($fill, $constrain) = $large[1] =~ /(.*?gexec\n)(.*)/s;
run_large(0, map { Recipes::split_script($_) } $large[0], $fill, map { $constrain =~ s/refund_new_payment //r =~ s/refund/refund_$_/gr } 1, 2);
my $attached = ($node->psql($database, 'SET client_min_messages = debug1;' . $constrain =~ s/ NOT VALID| CONCURRENTLY//gr))[2];
unlike($attached, qr/verifying table|validating foreign key|building index|ERROR/, 'the table takes over what its partitions have');
run_large(0, $large[2]);
is("@failed", '', 'a partitioned table of links');
is(sql('SELECT count(*), count(p), count(*) FILTER (WHERE old_id <> old_payment_id) FROM refund LEFT JOIN payment p ON p.id = payment_id'), '99|98|0', 'its links are kept');
is(sql('DELETE FROM payment WHERE old_id = 1; SELECT count(*) FROM refund WHERE old_payment_id = 1'), 0, 'and its foreign key');

# If batches have failed, rows without new ids can still be written.
begin('unfilled');
sql('CREATE TABLE payment (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now(), n int); INSERT INTO payment (n) VALUES (1)');
my ($unfilled) = run_all($large[0] =~ s/^SELECT format.*?\\gexec//msr);
like($unfilled->[1], qr/run the batches again/, 'batches that have failed are told');
like($large[0], qr/^  ASSERT.*\n.* NOT VALID;/m, 'by a statement that reads the table, before others wait');
is(sql('UPDATE payment SET n = 2 RETURNING n'), 2, 'before writers fail');

# A table that refers to itself, with an identity column, as the page says. A row refers to a row that comes later, and one to itself.
begin('itself'); @failed = ();
my ($case) = $page =~ /`(CASE WHEN new.parent.*)`/ or die 'migration.md does not say how a row refers to itself';
my ($of_parent) = $page =~ /(\(SELECT new_id FROM .*?\))/;
my @itself = map { s/\Q$of_parent\E/$case =~ s{\(.*\)}{$of_parent}r/er =~ s/payment_id/parent/gr =~ s/refund/payment/gr =~ s/ALTER id DROP DEFAULT/ALTER id DROP IDENTITY/r } @large;
sql('CREATE TABLE payment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, created_at timestamptz DEFAULT now(), parent bigint REFERENCES payment); INSERT INTO payment (parent) VALUES (2), (NULL), (1), (4)');
run_large(0, map { Recipes::split_script($_) } @itself[ 0, 1 ], 'INSERT INTO payment (parent) VALUES (5);', $itself[2]);
is("@failed", '', 'a large table that refers to itself');
is(sql('SELECT p.old_id FROM payment LEFT JOIN payment p ON p.id = payment.parent ORDER BY payment.old_id'), "2\n\n1\n4\n5", 'all its links are kept');

# Rows that change, of which the cookbook keeps the deleted keys, whoever deletes. A reader who does not see all rows is told.
begin('changes');
my ($follow, $changes) = split /^(?=SET row_security)/m, block('doc/cookbook.md', 'Rows that change', 'keep_key');
sql("$follow INSERT INTO customer VALUES (1), (2), (3); GRANT ALL ON customer TO ordinary, hostile; GRANT SELECT ON customer, customer_gone TO someone");
is(error_of('ordinary', q{SET search_path = ''; DELETE FROM public.customer WHERE id = 1; UPDATE public.customer SET name = 'new'}), '', 'written with another path');
is(error_of('hostile', 'CREATE TEMPORARY TABLE customer_gone (id bigint, changed ulid); DELETE FROM customer WHERE id = 2'), '', 'and beside a table of the name');
is(sql(q{SELECT string_agg(id::text, ' ' ORDER BY id) FROM customer_gone}), '1 2', 'the keys are kept');
like(error_of('hostile', 'CREATE TEMPORARY TABLE mine (id bigint); CREATE TRIGGER keep AFTER DELETE ON mine FOR EACH ROW EXECUTE FUNCTION keep_key()'), qr/permission denied for function/, 'by the trigger alone');
sql('INSERT INTO customer VALUES (1)');
is(sql($changes) =~ s/^\w{26}\|//gmr, "3|new|f\n2||t\n1||f", 'rows that have changed, and keys that are gone, but not one that came back');
is(sql('DELETE FROM customer WHERE id = 1') . sql($changes) =~ s/^\w{26}\|//gmr, "1||t\n3|new|f\n2||t\n1||t", 'until it goes again');
unlike(sql("SET enable_seqscan = off; " . $changes =~ s/^(?=SELECT changed)/EXPLAIN /mr), qr/Seq Scan/, 'by indexes');
sql('ALTER TABLE customer ENABLE ROW LEVEL SECURITY');
like(error_of('someone', $changes), qr/query would be affected by row-level security policy for table "customer"/, 'hidden rows are an error');

# Prefixed text: what has another prefix is an error.
begin('prefixed');
my ($without_prefix) = page('doc/migration.md') =~ /^`(.*)::ulid`\. If other tables/m or die 'migration.md does not say how a prefix goes';
sql(q{CREATE TABLE customer (id text PRIMARY KEY); INSERT INTO customer VALUES ('cus_01h455vb4pex5vsknk084sn02q'), ('inv_01h455vb4pex5vsknk084sn02r')});
my $unprefix = "ALTER TABLE customer ALTER id TYPE ulid USING $without_prefix\::ulid";
like(($node->psql($database, $unprefix))[2], qr/invalid input syntax for type ulid: "inv_01h455vb4pex5vsknk084sn02r"/, 'an id of another kind is refused');
is(sql("DELETE FROM customer WHERE id LIKE 'inv%'; $unprefix; SELECT id FROM customer"), '01H455VB4PEX5VSKNK084SN02Q', 'and the others are read');

$node->stop;
done_testing();
