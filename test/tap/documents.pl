# The documents' examples give the output that the documents show, their links have a target, the lines of the log that they
# quote exist, and the reference has every object of the extension.
#
# In a block of SQL, a comment with hyphens after a statement or on the lines below it is the statement's
# exact output. Remarks stand before a statement, after an empty line or in /* */. A statement without
# output must succeed; in the reference, its output must also be empty. Each section has its own database, but doc/reading.md has one,
# which its first statement finds empty.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Rows of every hour of October and November.
my $hours = q{'2026-10-01 00:00:00+00', '2026-11-30 23:00:00+00', interval '1 hour'};
my $log = q{
	CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id);
	CALL ids_create_partitions('log', '1 month', '2026-10-01 00:00:00+00', '2026-12-01 00:00:00+00');
	INSERT INTO log VALUES ('01M6A6FSZZ0000000000000001', 'the last of October'), (gen_ulid('2026-11-15 00:00:00+00'), 'November')};
my $item = q{
	CREATE TABLE item (id ulid PRIMARY KEY, n int);
	INSERT INTO item VALUES ('01M6A9XNM00000000000000001', 1), ('01M6ADBH800000000000000002', 2), (gen_ulid('2026-11-02 12:00:00+00'), 3)};

my $event = q{
	CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text);
	INSERT INTO event (message) VALUES ('first'), ('second')};

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
	'A column created_at' => $item,
	'Milliseconds and JSON' => $item,
	'What to write instead' => $item,
	'Old rows' => q{
		CREATE TABLE event (id ulid PRIMARY KEY, n int) PARTITION BY RANGE (id);
		CALL ids_create_partitions('event', '1 month', '2026-11-01 00:00:00+00', '2026-12-01 00:00:00+00');
		CREATE TABLE old_event (n int, created_at timestamptz);
		INSERT INTO old_event VALUES (2, '2026-11-01 12:00'), (3, '2026-11-01 12:00'), (1, '2026-11-01 11:00')},
	'A repeatable back-fill' => q{
		CREATE TABLE old_ticket (id bigint, created_at timestamptz);
		INSERT INTO old_ticket VALUES (41, '2026-11-01 11:00+00'), (26, '2026-11-01 11:00+00')},
	'Ids from clients' => $item,
	'Public ids without a time' => q{
		CREATE TABLE ticket (id ulid PRIMARY KEY DEFAULT gen_ulid(), title text);
		INSERT INTO ticket (title) VALUES ('Printer on fire')},
	'Rows that belong to another row' => q{
		CREATE TABLE message (id ulid PRIMARY KEY DEFAULT gen_ulid(), ticket ulid) PARTITION BY RANGE (id);
		CALL ids_create_partitions('message', '1 month', '2026-08-01 00:00:00+00', '2027-01-01 00:00:00+00')},
	'An archived month' => $log,
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
		CREATE TABLE event_old PARTITION OF event FOR VALUES FROM (MINVALUE) TO (ulid_first('2026-12-01 00:00:00+00'));
		INSERT INTO event SELECT gen_ulid(at), 'message' FROM generate_series($hours) at},
	'Draining a default partition' => qq{
		$log;
		CREATE TABLE log_rest PARTITION OF log DEFAULT;
		CREATE TABLE note (log ulid CONSTRAINT note_log_fkey REFERENCES log ON DELETE CASCADE);
		INSERT INTO note SELECT id FROM log;
		INSERT INTO log VALUES (gen_ulid('2026-12-24 00:00:00+00'), 'December'), (gen_ulid('2027-06-01 00:00:00+00'), 'June')},
	'Dropping old rows without blocking' => $log,
	'Leaving' => "$log; DROP TABLE log_20261001;" . slurp_file("$ENV{TESTDIR}/doc/managed.sql"),
	'Monitoring' => q{
		CREATE TABLE log (id ulid PRIMARY KEY) PARTITION BY RANGE (id);
		CALL ids_create_partitions('log', '1 month', now(), now() + interval '3 months')},
	'Time ranges' => 'CREATE TABLE item (id ulid PRIMARY KEY)',
	'Times' => 'CREATE TABLE item (id ulid PRIMARY KEY)',
	'Tools with a closed list of types' => q{
		CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
		INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3', 'first');
		INSERT INTO item (name) VALUES ('second')},
	'Read new rows' => 'CREATE TABLE item (id ulid PRIMARY KEY)',
	'From text' => q{
		CREATE TABLE note (id text PRIMARY KEY DEFAULT 'none');
		INSERT INTO note VALUES ('01an4z07by79ka1307sr9x4mv3');
		CREATE TABLE topic (id char(26) PRIMARY KEY DEFAULT gen_ulid()::text);
		CREATE TABLE reply (topic char(26) CONSTRAINT reply_topic_fkey REFERENCES topic);
		INSERT INTO topic SELECT FROM generate_series(1, 10);
		INSERT INTO reply SELECT id FROM topic},
	'From bigint' => q{
		CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT now(), parent bigint);
		CREATE TABLE order_line (order_id bigint REFERENCES orders, line int, PRIMARY KEY (order_id, line));
		INSERT INTO orders (parent) VALUES (NULL), (1);
		INSERT INTO order_line SELECT id, 1 FROM orders},
	'From names of devices' => q{
		CREATE TABLE device (id int, name text PRIMARY KEY DEFAULT 'none');
		CREATE TABLE reading (device text CONSTRAINT reading_device_fkey REFERENCES device);
		INSERT INTO device VALUES (1, 'C4VJ2ly9gRt');
		INSERT INTO reading VALUES ('C4VJ2ly9gRt')},
	'Other forms' => q{
		CREATE TABLE thing AS SELECT ulid::bytea AS ulid_bytes, ulid_to_base(ulid, 62) AS ulid_base62, scru160_hex(scru160) AS scru160_text,
			scru160::bytea AS scru160_bytes, tbsl::text::char(20) AS tbsl_char, tbsl::bytea AS tbsl_bytes, tbsl_to_base(tbsl, 62) AS tbsl_base62,
			'05VI5OJPM1UC7664RG60O1PPHS======' AS uuid_base32hex, 'AVVJ8B1-OmagjAfOE9JTYw' AS base64url,
			'urn:uuid:015549f0-1d7e-3a66-a08c-07ce13d25363' AS urn, '036z951mhjikzik2gsl81gr7l' AS scru128 FROM gen_ulid() ulid, gen_scru160() scru160, gen_tbsl() tbsl},
	'Ids of Twitter and Discord' => q{
		CREATE TABLE tweet (id bigint);
		INSERT INTO tweet VALUES (1585341984679469056), (20)},
	'A large table' => q{
		CREATE TABLE payment (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
		INSERT INTO payment SELECT FROM generate_series(1, 20001);
		CREATE TABLE refund (id bigserial PRIMARY KEY, payment bigint NOT NULL REFERENCES payment);
		INSERT INTO refund (payment) SELECT id FROM payment},
	# citext stands for pgx_ulid: its type reads and writes text, too.
	'From another type ulid' => q{
		CREATE EXTENSION citext;
		ALTER TYPE citext RENAME TO ulid;
		UPDATE pg_extension SET extname = 'pgx_ulid' WHERE extname = 'citext';
		CREATE TABLE item (id ulid PRIMARY KEY DEFAULT 'none');
		INSERT INTO item VALUES ('01AN4Z07BY79KA1307SR9X4MV3')},
	'A column of random uuids' => 'CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid())',
	'Managed servers' => slurp_file("$ENV{TESTDIR}/doc/managed.sql") . 'CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_uuidv7())',
	'A growing integer' => 'CREATE TABLE invoice (number bigint GENERATED ALWAYS AS IDENTITY)',
	'New rows by transaction' => $event,
	'An effect after its cause' => $event,
	'From uuid' => q{
		CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
		CREATE TABLE product (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
		CREATE TABLE line (product uuid CONSTRAINT line_product_fkey REFERENCES product);
		INSERT INTO item DEFAULT VALUES;
		WITH made AS (INSERT INTO product DEFAULT VALUES RETURNING id) INSERT INTO line SELECT id FROM made});

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('template1', 'CREATE EXTENSION ids');

# The statements of a document by section: [ heading, { line, code, output } ... ].
sub sections
{
	my ($document) = @_;
	my @sections = [ $document ];
	my ($block, $statement);    # inside a block; the statement that the line continues or gives output of
	my $number = 0;
	foreach my $line (split /\n/, slurp_file("$ENV{TESTDIR}/$document"))
	{
		$number++;
		if (!defined $block)
		{
			push @sections, [$1] if $line =~ /^##? (.*)/ && $document ne 'doc/reading.md';
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
	my ($database, @statements) = @_;
	my $end = 'end of a statement';
	my $script = join '', map { "$_->{code}\\echo $end\n" } @statements;
	local @ENV{ 'PGTZ', 'PGDATESTYLE' } = ('UTC', 'ISO');
	IPC::Run::run([ 'psql', '-XAtq', '-v', 'SHOW_CONTEXT=never', '-d', $node->connstr($database) ], '<', \$script, '>&', \my $output);
	$output =~ s/^LINE \d+: .*\n *\^\n//mg;
	return split /^$end\n/m, $output, -1;
}

my $databases = 0;
foreach my $document ('README.md', map { "doc/$_.md" } qw(reference guarantees reading cookbook migration uuidv7 clients codokey))
{
	my @sections = sections($document);
	ok(scalar(grep { defined $_->{output} } map { @$_[ 1 .. $#$_ ] } @sections), "$document has examples with output");
	foreach (@sections)
	{
		my ($heading, @statements) = @$_;
		my $database = 'section_' . ++$databases;
		my $template = (grep { $_->{code} =~ /CREATE EXTENSION ids/ } @statements) ? 'template0' : 'template1';
		$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE $template");
		$node->safe_psql($database, $setup{$heading}) if $document ne 'doc/reference.md' && $setup{$heading};

		my @output = run_section($database, @statements);
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
				unlike($output, qr/^(ERROR|FATAL|PANIC):/m, $where);
			}
		}
		next unless grep { $_->{code} =~ /ALTER SYSTEM/ } @statements;
		$node->safe_psql('postgres', 'ALTER SYSTEM RESET ALL');
		$node->reload;
	}
}

# The tables of expressions that are refused, and of what to write instead. Newer versions of PostgreSQL have some of them.
$node->safe_psql('postgres', "CREATE DATABASE refused");
$node->safe_psql('refused', "$item; ALTER TABLE item ADD uuid uuid, ADD name text");
my %instead = map { slurp_file("$ENV{TESTDIR}/doc/$_.md") =~ /^\| `(.*?)` \| `(.*?)` \|$/mg } 'cookbook', 'migration';
cmp_ok(scalar(keys %instead), '>', 20, 'the cookbook and the page on migration say what to write instead');
foreach my $refused (sort keys %instead)
{
	my $select = $refused =~ /_agg/ ? 'SELECT %s FROM item' : 'SELECT (%s) IS NULL FROM item';
	isnt($node->psql('refused', sprintf $select, $refused), 0, "refused: $refused") unless $node->pg_version >= ($refused =~ /^uuid_extract/ ? 17 : 18) && $refused =~ /^uuidv7|^uuid_extract/;
	is($node->psql('refused', sprintf $select, $instead{$refused}), 0, "instead: $instead{$refused}");
}

# The views of texts for tools with a closed list of types search by their index, and need no sort.
my @views = slurp_file("$ENV{TESTDIR}/doc/clients.md") =~ /^((?:CREATE INDEX|CREATE VIEW|SELECT name) .*?;)/mg;
$node->safe_psql('refused', join "\n", grep { /^CREATE/ } @views);
my @plans = map { $node->safe_psql('refused', "SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN (COSTS OFF) $_") } grep { /^SELECT/ } @views;
is(scalar @plans, 2, 'clients.md searches by text');
ok(/Index Cond: .*::text/ && !/Sort|Filter/, "by an index: $_") foreach @plans;

# A position of the year 10889 goes back with the generators: new ids are above it, also in the same millisecond.
my ($note, $back) = slurp_file("$ENV{TESTDIR}/doc/several-servers.md") =~ /^(SELECT ulid_first\(date_trunc.*?) AS back.*^(UPDATE position SET id = least.*?;)/ms;
$back =~ s/'\w+'/:'back'/;
my $ids = join '', map { "UPDATE position SET id = ulid_first('infinity');\n$note AS back \\gset\n$back\nSELECT gen_ulid() > id FROM position;\n" } 1 .. 100;
is($node->safe_psql('refused', "CREATE TABLE position AS SELECT gen_ulid() AS id;\n$ids") =~ tr/t//, 100, 'ids after a position that has gone back');

# Rows per hour, per day and of today, in every time zone, on the days around its changes in 2026 and on one more day, against a
# count by hand, which goes by the local time that the server shows.
my $cookbook = slurp_file("$ENV{TESTDIR}/doc/cookbook.md");
my ($per_hour, $per_day, $today) = map { $cookbook =~ /^(SELECT $_.*?);$/ms } 'hour', 'day', 'count\(\*\) AS events';
$today =~ s/now\(\)/timestamptz '2026-10-25 12:00 Europe\/Berlin'/g;
$today .= " AND id < timestamptz '2026-10-27 Europe/Berlin'";    # the future
s/2026-10-(\d\d)/{$1}/g foreach $per_hour, $per_day, $today;    # the day is {25}
$node->safe_psql('postgres', 'CREATE DATABASE zones');
my $errors = $node->safe_psql('zones', qq{
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
		('days', counted(\$q\$$per_day\$q\$, zone, day), by_hand(zone, day - 1, day + 1, false)),
		('today', counted(\$q\$$today\$q\$, zone, day), by_hand(zone, day, day, false))) c (what, counts, right_ones)
	WHERE counts IS DISTINCT FROM right_ones ORDER BY 1;
	SELECT 'too few: ' || count(*) FROM checked HAVING count(*) < 1000});
is($errors, '', 'rows per hour, per day and of today in every time zone');

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
	is($node->safe_psql('refused', "SELECT '$digits'::ulid::uuid, '$prefix' || lower('$uuid_of{$typeid}'::uuid::ulid::text)"),
		"$uuid_of{$typeid}|$typeid", "TypeID $typeid");
}
# For TypeID's invalid examples, the cookbook's expression gives NULL.
my ($read_back) = slurp_file("$ENV{TESTDIR}/doc/cookbook.md") =~ /FROM '\^cus_(\(.*?\))\$'\)::ulid/;
foreach my $typeid (
	'PREFIX_00000000000000000000000000', '_00000000000000000000000000', '_', 'prefix_1234567890123456789012345',
	'prefix_123456789012345678901234567', 'prefix_1234567890123456789012345 ', 'prefix_0123456789ABCDEFGHJKMNPQRS',
	'prefix_123456789-123456789-123456', 'prefix_ooooooiiiiiiuuuuuuulllllll', 'prefix_i23456789ol23456789oi23456',
	'prefix_123456789-0123456789-0123456', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'prefix__00000000000000000000000000')
{
	is($node->safe_psql('refused', "SELECT substring('$typeid' FROM '^prefix_$read_back\$')::ulid IS NULL"), 't', "TypeID '$typeid' is invalid");
}
is($node->safe_psql('refused', "SELECT substring('prefix_7zzzzzzzzzzzzzzzzzzzzzzzzz' FROM '^prefix_$read_back\$')::ulid"),
	'7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'the greatest TypeID is valid');

# Links between the documents lead to existing headings, by the anchors that GitHub makes of them.
my %documents = map { $_ => slurp_file("$ENV{TESTDIR}/$_") } 'README.md', map { s{.*/(doc/)}{$1}r } glob "$ENV{TESTDIR}/doc/*.md";
my %anchors;
foreach my $document (keys %documents)
{
	$documents{$document} =~ s/^```.*?^```$//msg;
	$anchors{$document}{lc s/[^\w -]//gr =~ s/ /-/gr} = 1 foreach $documents{$document} =~ /^#+ (.*)/mg;
}
my @dead;
foreach my $document (sort keys %documents)
{
	foreach my $link ($documents{$document} =~ /\]\(([^():]*)\)/g)
	{
		my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		my $target = $path eq '' ? $document : $document =~ m{^doc/} ? "doc/$path" =~ s{^doc/\.\./}{}r : $path;
		next unless $target =~ /^(README|doc\/.*)\.md$/;
		push @dead, "$document: $link" unless $anchors{$target} && ($anchor eq '' || $anchors{$target}{$anchor});
	}
}
is(join("\n", @dead), '', 'every link between the documents has a target');

# A line of the server's log that a document quotes is one that the library writes.
my %text = map { $_ => slurp_file("$ENV{TESTDIR}/$_") } keys %documents;
my $library = slurp_file("$ENV{IDS_LIBDIR}/ids.so");
my @lines = map { s/\s+/ /gr =~ s/[\d.]+/%.3f/r =~ s/"\w+"/"%s"/r } map { /`(the clock is [^`]*)`/g } values %text;
cmp_ok(scalar @lines, '>', 0, 'the documents quote the log');
ok($library =~ /\0\Q$_\E\0/, "the library logs: $_") foreach @lines;

# The reference names every object of the extension, as code, in the form made here, where T may stand for the name of any
# identifier type, except functions that other objects call. Every function, operator and operator class that it names exists.
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
my $objects = $node->safe_psql('postgres', q{
	LOAD 'ids';
	SELECT CASE WHEN classid = 'pg_proc'::regclass AND EXISTS (SELECT FROM pg_depend WHERE refclassid = d.classid AND refobjid = d.objid)
		THEN 'called: ' ELSE '' END || CASE classid
		WHEN 'pg_proc'::regclass THEN (
			SELECT CASE WHEN prokind = 'p' THEN 'CALL ' ELSE '' END || proname || '(' || pg_get_function_arguments(oid) || ')'
				|| coalesce(' → ' || pg_get_function_result(oid), '')
			FROM pg_proc WHERE oid = objid)
		WHEN 'pg_operator'::regclass THEN (
			SELECT format('%s %s %s → %s', oprleft::regtype, oprname, oprright::regtype, oprresult::regtype)
			FROM pg_operator WHERE oid = objid)
		WHEN 'pg_cast'::regclass THEN (SELECT format('%s::%s', castsource::regtype, casttarget::regtype) FROM pg_cast WHERE oid = objid)
		WHEN 'pg_opclass'::regclass THEN (SELECT format('USING %s (id %s)', amname, opcname) FROM pg_opclass
			JOIN pg_am ON pg_am.oid = opcmethod WHERE pg_opclass.oid = objid)
		WHEN 'pg_opfamily'::regclass THEN (SELECT format('USING %s (id %s)', amname, opfname) FROM pg_opfamily
			JOIN pg_am ON pg_am.oid = opfmethod WHERE pg_opfamily.oid = objid)
		WHEN 'pg_type'::regclass THEN (SELECT typname FROM pg_type WHERE oid = objid)
		ELSE pg_describe_object(classid, objid, objsubid) END
	FROM pg_depend d WHERE refclassid = 'pg_extension'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'ids') AND deptype = 'e'
		AND NOT EXISTS (SELECT FROM pg_proc WHERE classid = 'pg_proc'::regclass AND oid = objid AND pronamespace = 'ids_internal'::regnamespace)
		-- without array types and row types
		AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory = 'A' OR typtype = 'c' FROM pg_type WHERE oid = objid))
	UNION SELECT name FROM pg_settings WHERE name LIKE 'ids.%'});
$objects =~ s/timestamp with time zone/timestamptz/g;
$objects =~ s/timestamp without time zone/timestamp/g;
$objects =~ s/character varying/varchar/g;
$objects =~ s/(DEFAULT '\w+')::\w+/$1/g;
$objects =~ s/DEFAULT '(-\d+)'::integer/DEFAULT $1/g;
$objects =~ s/\bIN //g;
my @needed = grep { !/^called: / } split /\n/, $objects;
my %objects = map { s/^called: //r => 1 } split /\n/, $objects;
cmp_ok(scalar @needed, '>', 100, 'the extension has objects');

my $reference = slurp_file("$ENV{TESTDIR}/doc/reference.md");
$reference =~ s/^```.*?^```$//msg;
my %described;
foreach my $code ($reference =~ /`([^`\n]+)`/g)
{
	foreach my $type (@types)
	{
		(my $of_type = $code) =~ s/(?<![A-Za-z])T(?![A-Za-z])/$type/g;
		$described{$of_type} = 1;
	}
}
is(join("\n", grep { !$described{$_} } sort @needed), '', 'doc/reference.md has every object of the extension');
foreach my $document ('README.md', 'doc/reference.md')
{
	is(join("\n", grep { $text{$document} !~ /$_/m } map { my $size = $node->safe_psql('postgres', "SELECT typlen FROM pg_type WHERE typname = '$_'"); "^\\| `$_` \\| $size \\| " } @types), '', "$document has every type, with its size");
}
delete @described{ grep { /_skipsupport\(/ } keys %described } if $node->pg_version < 18;
is(join("\n", grep { / → |^USING / && !$objects{$_} } sort keys %described), '', 'doc/reference.md has no other object');

$node->stop;
done_testing();
