# Each statement of "Monitoring" in the cookbook returns rows exactly if it has found its trouble.
use strict;
use warnings;
use Databases;
use Pages;
use Test::More;

my ($path, @statements) = statements('doc/cookbook.md', 'Monitoring', 'ids_unsettled');
my ($clock, $unsettled, $missing, $upgrade) = map { "$path; $_" } @statements;
is(scalar @statements, 4, 'four statements');
my $at_once = $unsettled =~ s/5 minutes/0 s/r;

begin('monitored');
$node->append_conf('postgresql.conf', 'max_prepared_transactions = 5');
$node->restart;
my $partitions = q{CALL ids_create_partitions('log', '1 month', now(), now() + interval '3 months')};
my $month = q{to_char(now() AT TIME ZONE 'UTC', '"log_"YYYYMM"01"')};
sql("CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid()) PARTITION BY RANGE (id); $partitions; INSERT INTO log DEFAULT VALUES");
sub troubles { return join ' ', map { sql($_) eq '' ? 'no' : 'yes' } $clock, $unsettled, $missing, $upgrade }
is(troubles(), 'no no no no', 'a server in order');

# Partitions: none at all, the current one, one in the middle, the last ones, one below all.
my $insert = 'INSERT INTO log DEFAULT VALUES';
sql('CREATE TABLE none (id ulid PRIMARY KEY) PARTITION BY RANGE (id)');
isnt(sql($missing =~ s/public\.log/public.none/r), '', 'a table without partitions');
sql("DO \$\$ BEGIN EXECUTE 'DROP TABLE ' || $month; END \$\$");
isnt($node->psql($database, $insert), 0, 'inserts fail while the current partition is missing');
is(troubles(), 'no no yes no', 'the first partition, which is the current one, is missing');
sql("$partitions; $insert; CREATE TABLE log_2016 PARTITION OF log FOR VALUES FROM (MINVALUE) TO (ulid_first('2016-01-01 00:00:00+00'))");
like(sql($missing), qr/^\["2016-01-01 /, 'a gap after a partition from MINVALUE');
sql('DROP TABLE log_2016');
sql(q{SELECT ids_advance_clock(now() + interval '1 hour')});
is(troubles(), 'yes no no no', 'ids are ahead of the clock');
sql('SELECT ids_reset_clock()');
sql('DROP TABLE ' . join ', ', split /\n/, sql(q{SELECT partition FROM ids_partitions('log') LIMIT 2}));
is(troubles(), 'no no yes no', 'the partitions of this month and the next are missing');
sql($partitions);
is(troubles(), 'no no no no', 'the job mends that');

# Readers: an open transaction; a prepared one, also after a crash.
my $session = $node->background_psql($database);
$session->query_safe("BEGIN; $insert;");
isnt(sql($at_once), '', 'an open transaction that has made an id');
is(sql($unsettled), '', 'it has not been open for long');
$session->quit;
is(sql($at_once), '', 'nobody holds readers back');
sql("BEGIN; $insert; PREPARE TRANSACTION 'forgotten'");
like(sql($at_once), qr/^\|forgotten\|ulid\|/, 'a prepared transaction');
$node->stop('immediate');
$node->start;
sql($insert);
sql('SELECT ulid_settled()');
like(sql($at_once), qr/^\|forgotten\|/m, 'a prepared transaction that has outlived a crash');
sql(q{COMMIT PREPARED 'forgotten'});
is(sql($at_once), '', 'it has ended');

# The support functions that pg_upgrade leaves out.
SKIP:
{
	skip 'PostgreSQL 18 has them first', 2 if $node->pg_version < 18;
	sql('ALTER OPERATOR FAMILY ulid_ops USING btree DROP FUNCTION 6 (ulid, ulid); ALTER OPERATOR FAMILY ulid_ops USING gist DROP FUNCTION 12 ("any", "any"); ALTER EXTENSION ids DROP FUNCTION ulid_skipsupport(internal); DROP FUNCTION ulid_skipsupport');
	is(troubles(), 'no no no yes', 'operator classes as an older PostgreSQL has them');
	sql('SELECT ids_complete_upgrade()');
	is(troubles(), 'no no no no', 'complete');
}
$node->stop;

done_testing();
