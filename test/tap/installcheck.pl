# The regression tests on a server that others use: a writer and a reader in another database lose nothing, whose clock stays right,
# and the tests pass again.
use strict;
use warnings;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $late = 4 * $PostgreSQL::Test::Utils::timeout_default;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "log_statement = none\nstatement_timeout = 300000    # a hang fails");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids; CREATE TABLE log (id ulid DEFAULT gen_ulid() PRIMARY KEY, made timestamptz DEFAULT clock_timestamp()); '
	. 'CREATE TABLE seen (id ulid); CREATE TABLE reader (position ulid); INSERT INTO reader VALUES (ulid_first($$-infinity$$))');
my $read = 'WITH now AS MATERIALIZED (SELECT ulid_settled() AS below), new AS (INSERT INTO seen SELECT id FROM log, reader, now WHERE id >= position AND id < below) '
	. 'UPDATE reader SET position = greatest(position, below) FROM now';

sub run_forever
{
	my ($name, $sql) = @_;
	my $script = $node->basedir . "/$name.sql";
	append_to_file($script, "$sql;\n\\sleep 10 ms\n");
	return IPC::Run::start([ 'pgbench', '-n', '-T', $late, '-f', $script, $node->connstr('postgres') ], '>', \my $out, '2>', \my $err, IPC::Run::timeout($late));
}
my @others = (run_forever('write', 'INSERT INTO log DEFAULT VALUES'), run_forever('read', $read));
$node->poll_query_until('postgres', 'SELECT count(*) > 10 FROM seen') or die;

# Once all of them, and then those again that show the clock.
my @tests = grep { !/^ids--/ } map { m{^sql/(.*)\.sql$} } sort glob 'sql/*.sql';
foreach my $tests (\@tests, ['generators'], ['generators'])
{
	command_ok([ $ENV{PG_REGRESS}, '--inputdir=.', '--outputdir=' . $node->basedir, '--bindir=', '--dbname=contrib_regression', '--load-extension=ids',
			'--host=' . $node->host, '--port=' . $node->port, @$tests ],
		"pg_regress @$tests");
	diag(slurp_file($_)) foreach grep { -s } $node->basedir . '/regression.diffs';
}

$_->kill_kill(grace => 0) foreach @others;
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'}) or die;
$node->safe_psql('postgres', $read);
is($node->safe_psql('postgres', 'SELECT count(*) FROM log LEFT JOIN seen USING (id) WHERE seen.id IS NULL'), 0, 'the reader has missed none');
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM seen'), 0, 'the reader has read none twice');
is($node->safe_psql('postgres', q{SELECT count(*) FROM log WHERE abs(extract(epoch FROM id::timestamptz - made)) > 60}), 0, 'no id is of another time');
is($node->safe_psql('postgres', q{SELECT bool_and(lead < '1 s') FROM ids_generators()}), 't', 'the clock of the server is right');

$node->stop;
done_testing();
