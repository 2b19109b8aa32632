# What recipes of the documents refuse, by their own statements: a second worker waits, a tenant does not see another one's rows, and
# a stranger does not read public ids.
use strict;
use warnings;
use Databases;
use Pages;
use Test::More;

# A consumer's position is locked before its batch is read.
begin('consumer');
sql($_) foreach 'CREATE TABLE event (id ulid)', split /^(?=INSERT)/m, block('doc/reading.md', 'A consumer', 'CREATE TABLE position');
sql(q{INSERT INTO position VALUES ('event', 'audit', ulid_first('-infinity'))});
my ($lock) = block('doc/reading.md', 'A consumer', 'WITH batch') =~ /^(BEGIN;\n.*?)^WITH batch/ms;
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
