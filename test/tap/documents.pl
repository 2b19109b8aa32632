# The statements in the documents give the output that the documents show.
#
# In a block of SQL, a comment with hyphens after a statement or on the lines below it is the statement's exact output. Remarks stand
# before a statement, after an empty line or in /* */. A statement without output must succeed; in the reference, its output must also
# be empty. Each section has its own database, but doc/reading.md and doc/managed.md have one each. What it creates refers to no
# object of a stranger that fits better: see Trap.pm.
use strict;
use warnings;
use Databases;
use IPC::Run;
use Pages;
use Test::More;
use Trap;

# Rows of every hour of October and November.
my $hours = q{'2026-10-01 00:00:00+00', '2026-11-30 23:00:00+00', interval '1 hour'};
my $log = q{
	CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', '2026-10-01 00:00:00+00', '2026-12-01 00:00:00+00');
	INSERT INTO log VALUES ('01M6A6FSZZ0000000000000001', 'the last of October'), (gen_ulid('2026-11-15 00:00:00+00'), 'November')};
my $item = q{
	CREATE TABLE item (id ulid PRIMARY KEY, n int);
	INSERT INTO item VALUES ('01M6A9XNM00000000000000001', 1), ('01M6ADBH800000000000000002', 2), (gen_ulid('2026-11-02 12:00:00+00'), 3)};

my $event = 'CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text)';

# What runs before the statements of a section outside the reference.
my %setup = (
	'Moving a table to another context' => q{CREATE TABLE items (key text COLLATE "C" PRIMARY KEY); INSERT INTO items VALUES ('yj0000000')},
	'Rows per hour' => qq{
		CREATE TABLE event (id ulid PRIMARY KEY);
		INSERT INTO event SELECT gen_ulid(at) FROM generate_series($hours) at},
	'Pages of rows' => q{
		CREATE TABLE orders (id ulid PRIMARY KEY, customer int, n int);
		INSERT INTO orders SELECT (left(ulid_first('2026-11-01 00:00:00+00'::timestamptz + n * interval '1 hour')::text, 25) || n)::ulid,
			2 - n % 2, n FROM generate_series(1, 9) n},
	(map { $_ => $item } 'A column created_at', 'Milliseconds', 'What to write instead', 'Ids from clients'),
	'Old rows' => q{
		CREATE TABLE event (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id);
		CALL ids_create_partitions('event', '1 month', '2026-11-01 00:00:00+00', '2026-12-01 00:00:00+00');
		CREATE TABLE old_event (n int, created_at timestamptz);
		INSERT INTO old_event VALUES (2, '2026-11-01 12:00'), (3, '2026-11-01 12:00'), (1, '2026-11-01 11:00')},
	'Public ids without a time' => q{
		CREATE TABLE ticket (id ulid PRIMARY KEY DEFAULT gen_ulid(), title text);
		INSERT INTO ticket (title) VALUES ('Printer on fire')},
	'Public ids with a prefix' => q{
		CREATE TABLE invoice (id text PRIMARY KEY);
		INSERT INTO invoice SELECT 'inv_' || lower(gen_ulid()::text) FROM generate_series(1, 10)},
	'Partitioning an existing table' => qq{
		CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text CHECK (message <> ''));
		INSERT INTO event SELECT gen_ulid(at), 'message' FROM generate_series($hours) at},
	# In the transaction, after CREATE TABLE
	'Identity, serial and generated columns' => qq{
		CREATE TABLE event_old (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text, n int GENERATED ALWAYS AS IDENTITY, m serial,
			shown text GENERATED ALWAYS AS (id::text) STORED);
		ALTER SEQUENCE event_old_m_seq RENAME TO event_m_seq;
		INSERT INTO event_old (message) VALUES ('first'), ('second');
		CREATE TABLE event (LIKE event_old INCLUDING ALL) PARTITION BY RANGE (id);
		CALL ids_create_partitions('event', '1 month', now(), now() + interval '1 month')},
	'Splitting a partition' => qq{
		CREATE TABLE event (id ulid PRIMARY KEY, message text) PARTITION BY RANGE (id);
		CREATE TABLE event_old (LIKE event INCLUDING ALL)},
	'Draining a default partition' => qq{
		$log;
		CREATE TABLE log_rest PARTITION OF log DEFAULT;
		CREATE TABLE note (log ulid CONSTRAINT note_log_fkey REFERENCES log ON DELETE CASCADE);
		INSERT INTO note SELECT id FROM log;
		INSERT INTO log VALUES (gen_ulid('2026-12-24 00:00:00+00'), 'December'), (gen_ulid('2027-06-01 00:00:00+00'), 'June')},
	'Dropping old rows without blocking' => $log,
	'Dropping what all have read' => q{
		CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
		CALL ids_create_partitions('log', '1 month', now() - interval '3 months', now() + interval '1 month');
		CREATE TABLE position (feed text, consumer text, id ulid NOT NULL, PRIMARY KEY (feed, consumer));
		INSERT INTO position VALUES ('log', 'search', ulid_settled())},
	'Leaving' => "$log; DROP SCHEMA trap CASCADE; DROP TABLE log_20261001;" . page('doc/managed.sql'),
	'Monitoring' => q{
		CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
		CALL ids_create_partitions('log', '1 month', now(), now() + interval '3 months')},
	(map { $_ => 'CREATE TABLE item (id ulid PRIMARY KEY)' } 'Time ranges', 'Read new rows'),
	'Tools with a closed list of types' => q{
		CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
		INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3', 'first');
		INSERT INTO item (name) VALUES ('second')},
	'From text' => q{
		CREATE TABLE note (id text PRIMARY KEY DEFAULT 'none');
		INSERT INTO note VALUES ('01an4z07by79ka1307sr9x4mv3')},
	'From bigint' => q{
		CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now(), parent bigint);
		CREATE TABLE order_line (order_id bigint REFERENCES orders, line int, PRIMARY KEY (order_id, line));
		INSERT INTO orders (parent) VALUES (NULL), (1);
		INSERT INTO order_line SELECT id, 1 FROM orders},
	'From names of devices' => q{
		CREATE TABLE device (id int, name text PRIMARY KEY DEFAULT 'none');
		INSERT INTO device VALUES (1, 'C4VJ2ly9gRt')},
	'Other forms' => q{
		CREATE TABLE thing AS SELECT ulid::bytea AS ulid_bytes, ulid_to_base(ulid, 62) AS ulid_base62, tbsl::text::char(20) AS tbsl_char,
			tbsl_to_base(tbsl, 62) AS tbsl_base62, '1' AS lower_base62, '1' AS flickr_base58, 'AVVJ8B1-OmagjAfOE9JTYw' AS base64url FROM gen_ulid() ulid, gen_tbsl() tbsl},
	'A large table' => q{
		CREATE TABLE payment (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
		INSERT INTO payment SELECT FROM generate_series(1, 20001);
		CREATE TABLE refund (id bigserial PRIMARY KEY, payment_id bigint NOT NULL REFERENCES payment);
		INSERT INTO refund (payment_id) SELECT id FROM payment},
	# citext stands for pgx_ulid: its type reads and writes text, too.
	'From another type ulid' => q{
		CREATE EXTENSION citext;
		ALTER TYPE citext RENAME TO ulid;
		UPDATE pg_extension SET extname = 'pgx_ulid' WHERE extname = 'citext';
		CREATE TABLE item (id ulid PRIMARY KEY DEFAULT 'none');
		INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3')},
	'A column of random uuids' => 'CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid())',
	'doc/managed.md' => page('doc/managed.sql') . (page('doc/managed.md') =~ /psql -c '(CREATE TABLE event .*)'$/m)[0],
	'Many workers' => q{
		CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), customer int, message text);
		CREATE TABLE position (feed text, consumer text, id ulid NOT NULL, PRIMARY KEY (feed, consumer));
		CREATE TABLE mail (event ulid PRIMARY KEY, text text);
		INSERT INTO position VALUES ('event', 'mail', ulid_first('-infinity'));
		INSERT INTO event (customer, message) VALUES (7, 'first'), (7, 'second')},
	'A growing integer' => 'CREATE TABLE invoice (number bigint GENERATED ALWAYS AS IDENTITY)',
	(map { $_ => $event } 'New rows by transaction', 'An effect after its cause'),
	'Check the times' => 'CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), created_at timestamptz DEFAULT now()); INSERT INTO item DEFAULT VALUES',
	'What uses a column' => 'CREATE TABLE payment (id bigserial PRIMARY KEY); CREATE TABLE refund (payment_id bigint REFERENCES payment)',
	'From uuid' => q{
		CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
		CREATE TABLE product (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
		CREATE TABLE line (product uuid CONSTRAINT line_product_fkey REFERENCES product);
		INSERT INTO item DEFAULT VALUES;
		WITH made AS (INSERT INTO product DEFAULT VALUES RETURNING id) INSERT INTO line SELECT id FROM made});

# The statements of a document by section: [ heading, { line, code, output } ... ].
sub sections
{
	my ($document) = @_;
	my @sections = [ $document ];
	my ($block, $statement);    # inside a block; the statement that the line continues or gives output of
	my $number = 0;
	foreach my $line (split /\n/, page($document))
	{
		$number++;
		if (!defined $block)
		{
			push @sections, [$1] if $line =~ /^##? (.*)/ && $document !~ /(reading|managed)\.md/;
			$block = $1 if $line =~ /^```(.*)/;
			undef $statement;
		}
		elsif ($line eq '```')
		{
			die "$document:$number: the block ends within a statement" if $statement && !$statement->{complete};
			undef $block;
		}
		elsif ($block !~ /sql/i || $line eq '' && (!$statement || $statement->{complete}))
		{
			undef $statement;
		}
		elsif ($statement && $statement->{complete} && $line =~ /^--(?: (.*))?$/)
		{
			$statement->{output} .= ($1 // '') . "\n";
		}
		else
		{
			if (!$statement || $statement->{complete})
			{
				$statement = { line => $number, code => '' };
				push @{ $sections[-1] }, $statement;
			}
			my ($code, $output) = $line =~ /^(.*;) +-- (.*)$/ ? ($1, "$2\n") : ($line);
			$statement->{code} .= "$code\n";
			# A semicolon within a dollar-quoted body does not end a statement, nor does the one before the rows of COPY.
			$statement->{complete} = $code =~ m{; *(/\*.*\*/)?$} && $code !~ /FROM STDIN;$/ && (() = $statement->{code} =~ /\$\w*\$/g) % 2 == 0
				|| $code =~ /^\\\.$|\\gexec$/;
			$statement->{output} = $output;
		}
	}
	die "$document: a block has no end" if defined $block;
	return grep { @$_ > 1 } @sections;
}

# Runs the statements of a section in one session. Returns their output and errors, without the lines that point to the error's
# position.
sub run_section
{
	my $end = 'end of a statement';
	my $script = join '', map {
		my ($before, $after) = $_->{code} =~ /^ *(?:CREATE|ALTER) (?!EXTENSION)/m ? ("SET search_path = public, trap;\n", "RESET search_path;\n") : ('', '');
		"$before$_->{code}$after\\echo $end\n" } @_;
	local @ENV{ 'PGTZ', 'PGDATESTYLE' } = ('UTC', 'ISO');
	IPC::Run::run([ 'psql', '-XAtq', '-v', 'SHOW_CONTEXT=never', '-d', $node->connstr($database) ], '<', \$script, '>&', \my $output);
	$output =~ s/^LINE \d+: .*\n *\^\n//mg;
	return split /^$end\n/m, $output, -1;
}

begin('trapped');
$node->safe_psql('template1', trap('trap', 'int,bigint,numeric,float8,text,oid,regclass,timestamptz,date,interval,uuid,ulid', qw(to_timestamp lower upper encode substring coalesce)));
my $strays = q{SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, 0) FROM pg_depend WHERE classid <> 'pg_operator'::regclass
	AND (refclassid, refobjid) IN (SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = 'trap'::regnamespace
		UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = 'trap'::regnamespace)};
my $unanalyzed = q{SELECT DISTINCT attrelid::regclass, attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
	WHERE indrelid >= 16384 AND NOT EXISTS (SELECT FROM pg_statistic WHERE (starelid, staattnum) = (attrelid, attnum))
		AND (SELECT relkind = 'r' FROM pg_class WHERE oid = indrelid) AND pg_relation_size(indrelid) > 0};
my $databases = 0;
# doc/several-servers.md and doc/citus.md run elsewhere.
begin('several_servers');
sql("$event; SET search_path = public, trap;" . block('doc/several-servers.md', 'On a standby', 'announce_settled'));
is(sql($strays), '', 'doc/several-servers.md refers to no object of a stranger');
foreach my $document ('README.md', map { "doc/$_.md" } qw(reference guarantees reading cookbook migration uuidv7 managed clients codokey))
{
	my @sections = sections($document);
	my @all = map { @$_[ 1 .. $#$_ ] } @sections;
	ok(scalar(grep { defined $_->{output} } @all), "$document has examples with output");
	is(join('', grep { !/(?:settled|_snapshot_xmin|new_item).*\sORDER BY [\w, ]+$/s } map { $_->{code} =~ /(.*) LIMIT 1000/s } @all), '', "$document: new rows are read in order, below a bound");
	foreach (@sections)
	{
		my ($heading, @statements) = @$_;
		begin('section_' . ++$databases, (grep { $_->{code} =~ /CREATE EXTENSION ids/ } @statements) ? 'TEMPLATE template0' : '');
		sql($setup{$heading}) if $document ne 'doc/reference.md' && $setup{$heading};

		my @output = run_section(@statements);
		is(scalar @output, @statements + 1, "$document: $heading: every statement has run");
		foreach my $statement (@statements)
		{
			my $output = shift @output // '';
			my $where = "$document:$statement->{line}: $heading";
			if (defined $statement->{output} || $document eq 'doc/reference.md')
			{
				is($output, $statement->{output} // '', $where);
			}
			else
			{
				unlike($output, qr/^(ERROR|FATAL|PANIC|WARNING):/m, $where);
			}
		}
		unlike(sql("SET enable_seqscan = off; EXPLAIN $_->{code}"), qr/Seq Scan/, "$document:$_->{line}: by the index") foreach grep { $_->{code} =~ /by the index/ } @statements;
		is(sql(q{SELECT attrelid::regclass FROM pg_attribute WHERE attname = 'key' AND attrelid >= 16384 AND attcollation <> '"C"'::regcollation}), '', "$document: $heading: keys under COLLATE C") if $document eq 'doc/codokey.md';
		is(sql($unanalyzed), '', "$document: $heading: the columns of all rows have statistics") if $document eq 'doc/migration.md' && sql(q{SELECT to_regnamespace('ids_internal')}) && grep { $_->{code} =~ /ALTER TABLE.* (?:TYPE (?!text)|RENAME)/s } @statements;
		is(sql($strays), '', "$document: $heading: nothing refers to a stranger's object") if sql(q{SELECT to_regnamespace('trap')});
		next unless grep { $_->{code} =~ /ALTER SYSTEM/ } @statements;
		sql('ALTER SYSTEM RESET ALL');
		$node->reload;
	}
}

$node->stop;
done_testing();
