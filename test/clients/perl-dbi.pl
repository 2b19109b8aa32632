# ids with DBI and DBD::Pg. PGHOST, PGDATABASE ... say which server and database.

use v5.32;
use warnings;
use DBI;
use DBD::Pg;
use Test::More;
Test::More->builder->output(\my $passed);

# ---- How to ----

# An id is a string. Send a list of ids as a reference to an array; SELECT related::text[] returns such a reference.
my $db = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0, PrintWarn => 0 });

$db->do('CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)');
$db->do('CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])');

# The server makes the id; RETURNING fetches it.
my ($customer) = $db->selectrow_array("INSERT INTO customer (name) VALUES ('Ada') RETURNING id");
my $insert = $db->prepare('INSERT INTO item (name, customer) VALUES (?, ?) RETURNING id');
my ($first) = $db->selectrow_array($insert, undef, 'first', $customer);
my ($second) = $db->selectrow_array($insert, undef, 'second', undef);

# By id, and by several ids.
my ($one) = $db->selectrow_array('SELECT name FROM item WHERE id = ?', undef, $second);
$db->do('UPDATE item SET related = ? WHERE id = ?', undef, [$first, $second], $first);
my $both = $db->selectall_arrayref('SELECT id, related::text[], customer FROM item WHERE id = ANY (?) ORDER BY id', undef, [$second, $first]);

# Many at once, by COPY.
$db->do('COPY item (id, name) FROM STDIN');
$db->pg_putcopydata("01AN4Z07BY79KA1307SR9X4MV3\tcopied\n");
$db->pg_putcopyend;

# The rows of a time range, and the page after an id.
my @months = ('2016-06-01 00:00Z', '2016-07-01 00:00Z');
my $after = $db->selectcol_arrayref('SELECT name FROM item WHERE id >= ulid_first(?) ORDER BY id', undef, $months[1]);
my $within = $db->selectall_arrayref('SELECT name, extract(epoch FROM id::timestamptz) FROM item WHERE id <@ tstzrange(?, ?)', undef, @months);
my $page = $db->selectcol_arrayref('SELECT name FROM item WHERE id > ? ORDER BY id LIMIT 1', undef, $first);

# ---- Expected results ----

ok length $first == 26 && $first lt $second;
is $one, 'second';
is_deeply $both, [[$first, [$first, $second], $customer], [$second, undef, undef]];
is_deeply $after, ['first', 'second'];
is_deeply $within, [['copied', '1465824320.894000']];
is_deeply $page, ['second'];

ok !eval { $db->selectrow_array('SELECT name FROM item WHERE id = ?', undef, '01AN4Z07BY79KA1307SR9X4MVU') };
is $db->state, '22P02';
ok !eval { $db->do('INSERT INTO item (customer) VALUES (?)', undef, $first) };
is $db->state, '23503';

done_testing;
say "DBD::Pg $DBD::Pg::VERSION";
