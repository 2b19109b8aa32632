# ids_problems() returns a row exactly for the trouble that there is, which what the row says ends; also for who may only monitor. The other
# statement of "Monitoring" in the cookbook finds partitions that should be gone.
use strict;
use warnings;
use Databases;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Utils;
use Test::More;

begin('monitored');
$node->append_conf('postgresql.conf', 'max_prepared_transactions = 5');
$node->restart;
sql('CREATE ROLE monitor LOGIN IN ROLE pg_monitor');
my ($path, $problems, $old) = statements('doc/cookbook.md', 'Monitoring', 'ids_problems');
my $create = q{CALL ids_create_partitions('log', '1 day', now(), now() + interval '7 days')};
my $insert = 'INSERT INTO log DEFAULT VALUES';
sql("CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid()) PARTITION BY RANGE (id); $create; $insert");

# The problems and their objects, which a superuser and a member of pg_monitor see alike.
sub problems
{
	my ($ahead) = @_;
	my @seen = map { ask($_, ($problems =~ s/\*/concat_ws(': ', problem, object)/r) =~ s/\(\)/'(' . ($ahead \/\/ '') . ')'/er) } 'postgres', 'monitor';
	is($seen[1], $seen[0], 'a member of pg_monitor sees the same');
	return $seen[0];
}
sub remedy { return sql("SELECT remedy FROM ids_problems()") }
sub ends_by_remedy
{
	my ($what) = @_;
	sql(remedy());
	is(problems(), '', "$what: what the row says ends it");
}
is(problems(), '', 'a server in order, with daily partitions for a week');

# Partitions of ids of each kind: none, the current one, one in the middle, one that is half a unit away.
foreach my $type ('ulid', 'tbsl', 'snowflake', 'scru160', 'uuid')
{
	sql("CREATE TABLE kind (id $type) PARTITION BY RANGE (id)");
	is(problems(), 'a partition is missing: table public.kind', "$type: a table without partitions");
	ends_by_remedy("$type: a table without partitions");
	sql('DROP TABLE kind');
}
my @missing = ('a partition is missing: table public.log');
sub drop { sql(join ' ', map { "DROP TABLE $_;" } split /\n/, sql("SELECT partition FROM ids_partitions('log') WHERE $_[0]")) }
drop('times @> now()');
isnt($node->psql($database, $insert), 0, 'inserts fail while the current partition is missing');
is(problems(), "@missing", 'the current partition');
ends_by_remedy('the current partition');
sql($insert);
drop(q{times @> now() + interval '4 days'});
is(problems(), '', 'one after the day ahead');
is(problems(q{'10 days'}), '', 'half a unit ahead at most');
drop('lower(times) > now()');
is(problems(), $node->safe_psql($database, q{SELECT CASE WHEN extract(hour FROM now() AT TIME ZONE 'UTC') >= 12 THEN 'a partition is missing: table public.log' ELSE '' END}), 'the next one, from noon on');
is(problems(q{'0 s'}), '', 'not if nothing ahead is asked for');
sql($create);

# Yearly partitions of this year; ends without a bound, before and after a gap; archives; parts of parts; keys at random places.
sub year { return "ulid_first(date_trunc('year', now(), 'UTC') + interval '$_[0] years')" }
my $in_a_year = sql(q{SELECT now() < date_trunc('year', now() + interval '1 day', 'UTC')});
foreach (
	[ 'yearly, up to now', 'ulid', [ year(0), year(1) ], $in_a_year eq 't' ],
	[ 'no upper bound', 'ulid', [ year(-1), 'MAXVALUE' ], 0 ],
	[ 'an end without a bound, beyond a gap', 'ulid', [ year(-3), year(-2) ], [ year(2), 'MAXVALUE' ], 1 ],
	[ 'from MINVALUE', 'ulid', [ 'MINVALUE', year(-1) ], 1 ],
	[ 'a failed job', 'ulid', [ year(-1), year(0) ], 1 ],
	[ 'an archive', 'ulid', [ year(-3), year(-2) ], 0 ],
	[ 'an old gap', 'ulid', [ year(-5), year(-4) ], [ year(-1), year(2) ], 0 ],
	[ 'half of all uuids', 'uuid', [ q{'00000000-0000-0000-0000-000000000000'}, q{'80000000-0000-0000-0000-000000000000'} ], 0 ],
	[ 'a domain', 'item_id', [ year(-1), year(0) ], 1 ])
{
	my ($what, $type, @bounds) = @$_;
	my $expected = pop @bounds;
	my $n = 0;
	sql("CREATE DOMAIN item_id AS ulid; CREATE TABLE kind (id $type) PARTITION BY RANGE (id);" . join '', map { $n++; "CREATE TABLE kind_$n PARTITION OF kind FOR VALUES FROM ($_->[0]) TO ($_->[1]);" } @bounds);
	is(problems(), $expected ? 'a partition is missing: table public.kind' : '', $what);
	sql('DROP TABLE kind; DROP DOMAIN item_id');
}
# The parts of a partition need not reach beyond it; those of another table are seen, those of a list are not tables by time.
sql('CREATE TABLE kind (tenant int, id ulid) PARTITION BY LIST (tenant); CREATE TABLE kind_1 PARTITION OF kind DEFAULT PARTITION BY RANGE (id);
	CREATE TABLE kind_2 PARTITION OF kind_1 FOR VALUES FROM (' . year(0) . ') TO (' . year(2) . ') PARTITION BY RANGE (id);
	CREATE TABLE kind_3 PARTITION OF kind_2 FOR VALUES FROM (' . year(0) . ') TO (ulid_first(now()))');
is(problems(), 'a partition is missing: table public.kind_2', 'a part of a part is missing');
sql("DROP TABLE kind_3; CREATE TABLE kind_3 PARTITION OF kind_2 FOR VALUES FROM (MINVALUE) TO (" . year(2) . ')');
is(problems(q{'3 years'}), '', 'no part is missing beyond its table');
sql('DROP TABLE kind');

# A default partition: none is missing. It has rows, is emptied by DELETE, has parts of its own.
sql('CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE kind_rest PARTITION OF kind DEFAULT');
is(problems(), '', 'a default partition');
sql('INSERT INTO kind VALUES (gen_ulid())');
is(problems(), 'a default partition has rows: table public.kind_rest', 'with a row');
like(remedy(), qr{^see "Draining a default partition" in doc/cookbook.md$}, 'the page says how to move it');
sql('DELETE FROM kind');
is(problems(), '', 'emptied by DELETE');
sql('DROP TABLE kind_rest; CREATE TABLE kind_rest PARTITION OF kind DEFAULT PARTITION BY HASH (id); CREATE TABLE kind_rest_0 PARTITION OF kind_rest FOR VALUES WITH (MODULUS 1, REMAINDER 0); INSERT INTO kind VALUES (gen_ulid())');
is(problems(), 'a default partition has rows: table public.kind_rest', 'one with parts');
sql('DROP TABLE kind');

# The current partition is half detached: it takes no rows, and is not created anew before it is detached.
my $holder = $node->background_psql($database);
$holder->query_safe('BEGIN; SELECT count(*) FROM log');
my ($current) = sql('SELECT partition FROM ids_partitions($$log$$) WHERE times @> now()');
isnt($node->psql($database, "SET lock_timeout = '100ms'; ALTER TABLE log DETACH PARTITION $current CONCURRENTLY"), 0, 'DETACH CONCURRENTLY is cancelled');
$holder->quit;
is(problems(), "a partition is half detached: table public.$current", 'the current partition is half detached');
sql(remedy());
is(problems(), "@missing", 'then it is missing');
sql("ALTER TABLE $current RENAME TO log_detached");
ends_by_remedy('the detached partition');

# Clocks: ids are ahead; another database has reset them, so that the mark here still is.
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
sql("SELECT ids_advance_clock(now() + interval '1 hour'); $insert");
is(problems(), 'the clock is behind the last id: generator ulid', 'ids are ahead of the clock');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
is(problems(), 'the mark is ahead of the clock: database monitored', 'the mark stays ahead in another database');
like(remedy(), qr{^see "When the clock is wrong" in doc/guarantees.md$}, 'the page says how to set it back');
sql(block('doc/guarantees.md', 'When the clock is wrong', 'ids_reset_clock'));
is(problems(), '', 'all follow the clock');

# Readers: an open transaction, and a prepared one, also after a crash. Five minutes are not waited for.
my $at_once = q{SELECT pg_get_functiondef('ids_problems(interval)'::regprocedure)};
my $now = sql($at_once) =~ s/FUNCTION pg_catalog\./FUNCTION public./r =~ s/ids_problems/held_back/gr =~ s/'00:05:00'::interval/'0 s'::interval/r;
sql($now);
my $held_back = q{SELECT concat_ws(': ', problem, object, since IS NOT NULL) FROM held_back()};
my $session = $node->background_psql($database);
my $pid = $session->query_safe("BEGIN; SELECT pg_backend_pid(); $insert; SELECT gen_uuidv7() IS NULL") =~ s/\n.*//sr;
is(problems(), '', 'it has not been open for long');
is(ask('monitor', $held_back), "readers of new rows wait: process $pid, ulid, uuidv7: t", 'an open transaction that has made ids');
sql(sql('SELECT remedy FROM held_back()'));
is(sql($held_back), '', 'it is ended');
$session->quit;
sql("BEGIN; $insert; PREPARE TRANSACTION 'forgotten'");
$node->stop('immediate');
$node->start;
sql("$insert; SELECT ulid_settled()");
like(sql($held_back), qr/^readers of new rows wait: prepared transaction 'forgotten', .*ulid/, 'a prepared transaction that has outlived a crash');
sql(sql('SELECT remedy FROM held_back()') =~ s/,.*//r);
is(sql($held_back), '', 'it is ended');

# SQL objects that are not of the library's version; the support functions that pg_upgrade leaves out.
is(sql('SELECT ids_version()'), (page('README.md') =~ /^Version ([\d.]+\d)/m)[0], 'the release of the library');
my $set_version = q{UPDATE pg_extension SET extversion = 'VERSION' WHERE extname = 'ids' RETURNING 1};
my $version = sql(q{SELECT extversion FROM pg_extension WHERE extname = 'ids'});
sql($set_version =~ s/VERSION/0.9/r);
is(problems(), 'an update is not complete: database monitored', 'ALTER EXTENSION was not run');
is(remedy(), 'ALTER EXTENSION ids UPDATE', 'which ends it');
sql($set_version =~ s/VERSION/$version/r);
is(problems(), '', 'a database that was updated');
SKIP:
{
	skip 'PostgreSQL 18 has them first', 4 if $node->pg_version < 18;
	sql('ALTER OPERATOR FAMILY ulid_ops USING btree DROP FUNCTION 6 (ulid, ulid); ALTER OPERATOR FAMILY ulid_ops USING gist DROP FUNCTION 12 ("any", "any"); ALTER EXTENSION ids DROP FUNCTION ulid_skipsupport(internal); DROP FUNCTION ulid_skipsupport');
	is(problems(), 'pg_upgrade is not complete: database monitored', 'operator classes as an older PostgreSQL has them');
	ends_by_remedy('pg_upgrade');
}

# Partitions that should be gone. Nobody waits for who looks.
is(sql("$path; $old"), '', 'no old partition');
sql(q{CALL ids_create_partitions('log', '1 hour', now() - interval '2 years', now() - interval '2 years' + interval '50 hours')});
cmp_ok(scalar(split /\n/, sql("$path; $old")), '>=', 50, 'a job that drops has failed');
is(problems(), '', 'that is not known to be wrong');
my $reader = $node->background_psql($database);
$reader->query_safe('BEGIN; SELECT count(*) FROM ids_problems()');
is(sql('SELECT count(*) FROM pg_locks WHERE granted AND relation IS NOT NULL AND mode NOT IN ($$AccessShareLock$$, $$RowExclusiveLock$$) AND pid <> pg_backend_pid()'), 0, 'no lock that others wait for');
$reader->quit;

# It waits for nobody, either: a table that its owner keeps locked is not looked at, nor are tables that come and go a reason for an error.
sql('CREATE TABLE kind (id ulid) PARTITION BY RANGE (id); CREATE TABLE other (id ulid) PARTITION BY RANGE (id); CREATE TABLE other_rest PARTITION OF other DEFAULT; INSERT INTO other VALUES (gen_ulid())');
my $lock = $node->background_psql($database);
$lock->query_safe('BEGIN; LOCK TABLE kind, other_rest');
is(problems(), '', 'tables that are locked');
$lock->quit;
sql('DROP TABLE kind, other');
my $swap = join '', map { "CREATE TABLE come_$_ (id ulid) PARTITION BY RANGE (id); CREATE TABLE come_${_}_rest PARTITION OF come_$_ DEFAULT; DROP TABLE come_$_;" } 1 .. 20;
append_to_file($node->basedir . '/swap.sql', $swap);
append_to_file($node->basedir . '/look.sql', 'SELECT count(*) FROM ids_problems();');
my %told;
my %run = map { my $file = $_; $told{$file} = ''; ($file => IPC::Run::start([ 'pgbench', '-n', '-T', 3, '-f', $node->basedir . "/$file.sql", $node->connstr($database) ], '>', '/dev/null', '2>', \$told{$file})) } 'swap', 'look';
$_->finish foreach values %run;
is(join('', values %told) =~ s/pgbench: pgbench .*\n//gr, '', 'tables that come and go');

# All headings that remedies and hints in the install script name are on their pages.
my %headings = map { $_ => 1 } slurp_file("$ENV{TESTDIR}/sql/ids--$version.sql") =~ /("[^"\n]+" in doc\/[\w-]+\.md)/g;
cmp_ok(scalar keys %headings, '>=', 4, 'headings');
foreach (sort keys %headings) { my ($section, $document) = /"(.*)" in (.*)/; like(page($document), qr/^#+ .*\Q$section\E/m, "$document has $section") }

$node->stop;
done_testing();
