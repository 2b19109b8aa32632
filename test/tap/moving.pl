# Tables move: by pg_dump and pg_restore with every kind of object that uses the types, as a superuser and as the owner of the
# database; from uuid to ulid; and by pg_upgrade from version 1.0 of the extension.
use strict;
use warnings;
use Catalogs;
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $objects = slurp_file("$ENV{TESTDIR}/test/tap/moving.sql");

# Fills a new database with the objects; they and the extension, of that version, belong to the role.
sub create_objects
{
	my ($node, $database, $role, $version) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER $role");
	$node->safe_psql($database, 'CREATE EXTENSION amcheck');
	my @as = (extra_params => [ '-U', $role ]);
	$node->safe_psql($database, 'CREATE EXTENSION ids' . ($version ? " VERSION '$version'" : ''), @as);
	$node->safe_psql($database, $objects =~ s/\@T\@/$_/gr, @as) foreach @types;
	$node->safe_psql($database, q{
		CREATE DOMAIN day_key AS text COLLATE "C" CHECK (codokey_unit(VALUE) = 'day');
		CREATE TABLE document (
			key text COLLATE "C" PRIMARY KEY DEFAULT gen_codokey('split', 1970, 2069, 999999),
			day day_key DEFAULT gen_codokey(),
			period tstzrange GENERATED ALWAYS AS (codokey_range(key, 1970, 2069, 999999)) STORED,
			EXCLUDE USING gist (period WITH &&)
		);
		CREATE INDEX ON document (codokey(codokey_extract_timestamp(key, 1970, 2069, 999999), 'year'));
		CREATE INDEX ON document (day) WHERE codokey_is_valid(day) AND day ^@ codokey(date '2020-02-01', 'month');
		INSERT INTO document SELECT codokey(at, 'split', 1970, 2069, 999999), codokey(at)
			FROM generate_series('2020-01-01 00:00:00+00'::timestamptz, '2020-12-31 00:00:00+00', '1 day') at;
		CREATE MATERIALIZED VIEW document_month AS SELECT left(day, 3) AS month, count(*) FROM document GROUP BY 1;
	}, @as);
}

# Count and digest of the rows of every table and view.
sub rows
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, q{
		SELECT format($$SELECT '%1$s', count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text COLLATE "C")) FROM %1$s t$$, oid::regclass)
		FROM pg_class WHERE relkind IN ('r', 'p', 'm', 'v') AND relnamespace = 'public'::regnamespace ORDER BY relname COLLATE "C"
		\gexec
	});
}

# A dump as text, without the lines that differ between any two dumps.
sub definitions
{
	my ($node, $database) = @_;
	my ($dump, $error) = run_command([ 'pg_dump', '--schema-only', $node->connstr($database) ]);
	die $error unless length $dump;
	$dump =~ s/^(\\(un)?restrict|-- Dumped from database version) .*\n//mg;
	return $dump;
}

# Checks that btree indexes are sound, and that a query that uses an index, of any kind, finds its rows.
sub check_indexes
{
	my ($node, $database, $what) = @_;
	my $checked = $node->safe_psql($database, q{
		SELECT count(bt_index_parent_check(indexrelid, heapallindexed => true)::text || '.')
		FROM pg_index JOIN pg_class c ON c.oid = indexrelid
		WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'btree') AND relkind = 'i' AND relnamespace = 'public'::regnamespace});
	cmp_ok($checked, '>=', @types * 20, "$what: btree indexes hold every row in order");
	foreach my $type (@types)
	{
		my $ids = $node->safe_psql($database, "SELECT id FROM ${type}_item WHERE n IN (100, 500, 600) ORDER BY n");
		my ($old, $id, $middle) = split /\n/, $ids;
		my $expected = '';
		my $script = q{SET timezone = 'UTC'; SET enable_seqscan = off;};
		foreach (
			[ "${type}_item_pkey", "id <@ tstzrange('2021-02-01', '2021-03-01')", 28 ],
			[ "${type}_btree", "n = 500 AND id > '$old'", 1 ],
			[ "${type}_hash", "id = '$id'", 1 ],
			[ "${type}_minmax", "id >= '2021-02-01'::timestamptz AND id < '2021-03-01'::timestamptz", 28 ],
			[ "${type}_multi", "id IN ('$id', '$middle')", 2 ],
			[ "${type}_bloom", "id = '$middle'", 1 ],
			[ "${type}_expression", "id::timestamptz >= '2021-02-01' AND id::timestamptz < '2021-03-01'", 28 ],
			[ "${type}_gin", "several \@> ARRAY['$id'::$type]", 1 ],
			[ "${type}_domain", "young = '$middle'", 1 ],
			[ "${type}_partial", "id >= '2021-01-01'::timestamptz AND n < 500", 134 ],
			[ "${type}_partial_range", "id <@ tstzrange('2021-01-01', '2022-01-01') AND id = '$id'", 1 ],
			[ "${type}_key_index", "key ^@ codokey('2021-03-01', 'month', 1970, 2100)", 31 ],
			[ "${type}_item_exclusive_excl", "exclusive = (SELECT exclusive FROM ${type}_item WHERE n = 9)", 1 ])
		{
			my ($index, $condition, $count) = @$_;
			$expected .= "$index: $count used\n";
			# The planner sees no other index.
			$script .= qq{
				BEGIN;
				UPDATE pg_index SET indisvalid = (indexrelid = '$index'::regclass) WHERE indrelid = '${type}_item'::regclass;
				SELECT pg_temp.tried('$index', \$\$FROM ${type}_item WHERE $condition\$\$);
				ROLLBACK;
			};
		}
		my $found = $node->safe_psql($database, q{
			CREATE FUNCTION pg_temp.tried(index text, query text) RETURNS text LANGUAGE plpgsql AS $$
				DECLARE rows text; line text; used text := 'unused'; BEGIN
					EXECUTE 'SELECT count(*) ' || query INTO rows;
					FOR line IN EXECUTE 'EXPLAIN SELECT * ' || query LOOP
						IF line ~ ('\m' || index || '\M') THEN used := 'used'; END IF;
					END LOOP;
					RETURN index || ': ' || rows || ' ' || used;
				END $$;
			} . $script);
		is("$found\n", $expected, "$what: $type: every index is used and finds its rows");
	}
}

# Checks that defaults, partitions and constraints still work.
sub check_use
{
	my ($node, $database, $what) = @_;
	foreach my $type (@types)
	{
		is($node->safe_psql($database, qq{
			BEGIN;
			INSERT INTO ${type}_item (n) VALUES (0);
			SELECT n, id >= now() - interval '1 minute' FROM ${type}_item ORDER BY id DESC LIMIT 1;
			SELECT count(*) FROM ${type}_of_range WHERE n = 0;
			CALL ids_create_partitions('${type}_log', '1 month', '2017-01-01', '2017-03-01');
			SELECT count(*) FROM pg_inherits WHERE inhparent = '${type}_log'::regclass;
			ROLLBACK;
		}), "0|t\n1\n15", "$what: $type: the default, the view and the partitions still work");
		my ($code, undef, $error) = $node->psql($database, "INSERT INTO ${type}_item (young) VALUES (${type}_last('infinity'))");
		like($error, qr/value for domain ${type}_of_century violates check constraint/, "$what: $type: the check of the domain still works");
	}
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# By a superuser, and by the owner of the database, who has no rights beyond it.
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
my $super = $node->safe_psql('postgres', 'SELECT current_user');
foreach my $role ($super, 'owner')
{
	my $source = $role eq 'owner' ? 'owned' : 'usual';
	create_objects($node, $source, $role);
	my ($rows, $dump) = (rows($node, $source), definitions($node, $source));
	cmp_ok(scalar(split /\n/, $rows), '>', @types * 24, "$source: tables and views");
	foreach my $format ('plain', 'custom', 'directory')
	{
		next if $source eq 'owned' && $format eq 'directory';
		my $what = "$source, $format";
		my $file = $node->basedir . "/$source.$format";
		my $target = "${source}_$format";
		# amcheck is not trusted: only a superuser can create it, and it is there already for the owner.
		my @without = $source eq 'owned' ? ('-e', 'ids', '-e', 'plpgsql') : ();
		$node->command_ok([ 'pg_dump', '-U', $role, '-F', $format, @without, ($format eq 'directory' ? ('-j', '2') : ()), '-f', $file, $source ], "$what: dump");
		$node->safe_psql('postgres', "CREATE DATABASE $target OWNER $role");
		$node->safe_psql($target, 'CREATE EXTENSION amcheck') if $source eq 'owned';
		$node->command_ok(
			$format eq 'plain'
			? [ 'psql', '-U', $role, '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-o', '/dev/null', $target ]
			: [ 'pg_restore', '-U', $role, '-e', ($format eq 'directory' ? ('-j', '2') : ()), '-d', $target, $file ], "$what: restore");
		is(rows($node, $target), $rows, "$what: the same rows");
		is(definitions($node, $target), $dump, "$what: the same dump");
		next if $format eq 'custom' && $source eq 'usual';
		check_indexes($node, $target, $what);
		check_use($node, $target, $what);
	}
}

# From uuid: the heap stays as it is, and so do the bytes.
$node->safe_psql('usual', 'CREATE TABLE legacy (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int); INSERT INTO legacy (n) SELECT generate_series(1, 1000)');
my $bytes = q{SELECT md5(string_agg(encode(%s, 'hex'), ',' ORDER BY n)) FROM legacy};
my $file = $node->safe_psql('usual', q{SELECT pg_relation_filenode('legacy')});
my $before = $node->safe_psql('usual', sprintf($bytes, 'uuid_send(id)'));
$node->safe_psql('usual', 'ALTER TABLE legacy ALTER id DROP DEFAULT, ALTER id TYPE ulid USING id::ulid, ALTER id SET DEFAULT gen_ulid()');
is($node->safe_psql('usual', q{SELECT pg_relation_filenode('legacy')}), $file, 'uuid to ulid does not rewrite the heap');
is($node->safe_psql('usual', sprintf($bytes, 'id::bytea')), $before, 'uuid to ulid does not change a byte');
is($node->safe_psql('usual', 'INSERT INTO legacy (n) VALUES (0) RETURNING id IS NOT NULL'), 't', 'new rows get ulids');

$node->stop;

# An older server is upgraded in place. Its catalogs keep the objects that the extension's script made there.
SKIP:
{
	my $from = $ENV{IDS_UPGRADE_FROM};
	skip 'IDS_UPGRADE_FROM does not name the pg_config of an older PostgreSQL: pg_upgrade is not tested', 1 unless $from;
	my ($old_bindir) = run_command([ $from, '--bindir' ]);
	my ($new_bindir) = run_command([ $ENV{PG_CONFIG} // 'pg_config', '--bindir' ]);
	my ($new_libdir) = run_command([ "$new_bindir/pg_config", '--pkglibdir' ]);
	# pg_upgrade has the new server load '$libdir/ids', which from 18 on is searched for nowhere else.
	skip "pg_upgrade to 18 or later needs the extension installed: $new_libdir/ids.so is missing", 1
		if $node->pg_version >= 18 && !-e "$new_libdir/ids.so";
	my $table_name = qr/\b(?:\w+_item|\w+_constructs|document)\.(?=\w)/;
	my @options = ('--data-checksums', '--locale=C', '--encoding=UTF8');

	my $old = PostgreSQL::Test::Cluster->new('old', install_path => $old_bindir =~ s{/bin$}{}r);
	{
		local $ENV{TEMP_CONFIG} = "$ENV{TESTDIR}/older/ids.conf";
		$old->init(extra => [@options]);
	}
	$old->start;
	my $what = 'upgraded from ' . $old->safe_psql('postgres', 'SHOW server_version');
	$old->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
	create_objects($old, 'moved', $old->safe_psql('postgres', 'SELECT current_user'), '1.0');
	create_objects($old, 'moved_too', 'owner', '1.0');
	my %rows = map { $_ => rows($old, $_) } ('moved', 'moved_too');
	my %definitions = map { $_ => definitions($old, $_) } ('moved', 'moved_too');
	my %mark = map { $_ => $old->safe_psql($_, 'SELECT unix_us FROM ids_internal.mark') } ('moved', 'moved_too');
	$old->stop;

	my $new = PostgreSQL::Test::Cluster->new('new');
	$new->init(extra => [@options]);
	command_ok(
		[ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $old_bindir, '-B', $new_bindir,
			'-s', $new->host, '-p', $old->port, '-P', $new->port ],
		"$what: pg_upgrade");
	$new->start;
	$new->safe_psql('postgres', 'CREATE EXTENSION ids');
	foreach my $database ('moved', 'moved_too')
	{
		$new->safe_psql($database, $_) foreach 'SELECT ids_complete_upgrade()', 'ALTER EXTENSION ids UPDATE', 'SELECT ids_complete_upgrade()';
		# pg_dump names the columns in the bodies of functions.
		is(difference(map { s/ AS text$//gmr } catalogs($new, 'postgres'), catalogs($new, $database)), '', "$what: the objects of a new installation");
		$new->safe_psql($database, "CREATE TABLE ${_}_temporal (id $_, during tstzrange, PRIMARY KEY (id, during WITHOUT OVERLAPS)); DROP TABLE ${_}_temporal")
			foreach $new->pg_version >= 18 ? @types : ();
		is($new->safe_psql($database, 'SELECT unix_us FROM ids_internal.mark'), $mark{$database}, "$what: ids continue where they were");
		is(rows($new, $database), $rows{$database}, "$what: the same rows");
		# Before 16 views name the table of every column.
		is(definitions($new, $database) =~ s/$table_name//gr, $definitions{$database} =~ s/$table_name//gr, "$what: the same dump");
		check_indexes($new, $database, $what);
		check_use($new, $database, $what);
		is($new->safe_psql($database, q{
			SELECT count(*) > 0, bool_and(amvalidate(objid)) FROM pg_depend JOIN pg_extension e ON e.oid = refobjid AND extname = 'ids'
			WHERE classid = 'pg_opclass'::regclass AND deptype = 'e'}), 't|t', "$what: the operator classes are valid");
		$new->safe_psql($database, "REINDEX DATABASE $database");
		check_indexes($new, $database, "$what, with rebuilt indexes");
	}
	$new->command_ok([ 'pg_amcheck', '--all', '--heapallindexed' ], "$what: pg_amcheck finds nothing");
	$new->stop;
}

done_testing();
