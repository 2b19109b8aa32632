# The library in several databases, in an old and a new file at once, and in a folder of its own.
use strict;
use warnings;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION ids');

# Sessions in turn; true if each identifier is greater than the one before.
sub in_order
{
	my @sessions = @_;
	my $previous = '';
	foreach my $turn (1 .. 100)
	{
		my $id = $sessions[ $turn % @sessions ]->query_safe('SELECT gen_ulid()');
		chomp $id;
		return 0 unless $id =~ /^[0-9A-Z]{26}$/ && $id gt $previous;
		$previous = $id;
	}
	return 1;
}

# Databases of one server share one order.
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION ids');
my $here = $node->background_psql('postgres');
my $there = $node->background_psql('other');
ok(in_order($here, $there), 'two databases share one order');

# A new library file: sessions that have it work beside sessions that have the old one.
my $library = "$ENV{IDS_LIBDIR}/ids.so";
copy($library, "$library.new") or die $!;
PostgreSQL::Test::Utils::append_to_file("$library.new", "\0");
chmod 0755, "$library.new";
rename("$library.new", $library) or die $!;
my $newer = $node->background_psql('postgres');
$newer->query_safe('SELECT gen_ulid()');
my $pid = $here->query_safe('SELECT pg_backend_pid()');
chomp $pid;
like(slurp_file("/proc/$pid/maps"), qr/\Qids.so (deleted)\E/, 'a session has the old file');
$pid = $newer->query_safe('SELECT pg_backend_pid()');
chomp $pid;
unlike(slurp_file("/proc/$pid/maps"), qr/\Qids.so (deleted)\E/, 'a session has the new file');
ok(in_order($here, $newer), 'sessions of both files share one order');
$_->quit foreach ($here, $there, $newer);
$node->stop;

# An extension in a folder of its own is found by extension_control_path, but its library only by dynamic_library_path.
if ($node->pg_version >= 18)
{
	my $elsewhere = PostgreSQL::Test::Cluster->new('elsewhere');
	$elsewhere->init;
	$elsewhere->append_conf('postgresql.conf', q{dynamic_library_path = '$libdir'});
	$elsewhere->start;
	SKIP:
	{
		skip('ids is installed', 1) if -e $elsewhere->config_data('--pkglibdir') . '/ids.so';
		my (undef, undef, $error) = $elsewhere->psql('postgres', 'CREATE EXTENSION ids');
		like($error, qr{could not access file "(\$libdir/)?ids"}, 'extension_control_path without dynamic_library_path');
	}
	$elsewhere->stop;
}

done_testing();
