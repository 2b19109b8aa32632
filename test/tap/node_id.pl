# The setting ids.node_id: no ordinary user can change or remove the server's value, and no value that was set gets lost
# silently.
use strict;
use warnings;
use Generators;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Roles;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

my $super = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres', q{
	CREATE EXTENSION ids;
	CREATE ROLE ordinary LOGIN;
	CREATE ROLE owner LOGIN;
	CREATE DATABASE owned OWNER owner;
	CREATE TABLE number AS SELECT i FROM generate_series(1, 1000) i;
	CREATE TABLE item AS SELECT '01AN4Z07BY79KA1307SR9X4MV3'::ulid AS id, i FROM number;
	GRANT SELECT ON number, item TO PUBLIC;
	CREATE FUNCTION try(call text DEFAULT 'gen_tbsl()') RETURNS text LANGUAGE plpgsql AS
		'BEGIN EXECUTE ''SELECT '' || call; RETURN ''made''; EXCEPTION WHEN others THEN RETURN SQLSTATE; END';
	CREATE FUNCTION node_id() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
		'BEGIN RETURN (SELECT random FROM snowflake_parts(gen_snowflake())); END';
	CREATE FUNCTION node_7() RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET ids.node_id = 7 AS
		'BEGIN RETURN node_id(); END';
	CREATE FUNCTION worker() RETURNS int PARALLEL SAFE LANGUAGE plpgsql AS
		'BEGIN PERFORM ulid_first(now()); RETURN pg_backend_pid(); END';
});
# The value in force.
my $value = 'SELECT (snowflake_parts(gen_snowflake())).random';
# The first use of the library, which makes the setting known to the session.
my $load = "SELECT ulid_first(now()) IS NULL \\g /dev/null\n";
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;';
# The first use during a parallel query: in the leader, which writes an id, and in workers.
my $late_leader = "$parallel SELECT id FROM item WHERE i = 1 \\g /dev/null\n";
my $in_workers = "$parallel SELECT (SELECT min(worker()) FROM number) <> pg_backend_pid()";

# Where a user's first use of the library may be.
my @first_uses = ('', $load, "$parallel SELECT min(worker()) FROM number \\g /dev/null\n");
# 15.9, 16.5 and later allow some settings there.
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
if ($version >= 160005 || $version >= 150009 && $version < 160000)
{
	push @first_uses, $late_leader;
}
else
{
	diag('This minor release refuses settings in parallel queries: a first use of the library in their leader is not tested.');
}

# What an ordinary user may try, with nothing set for the server and with 5.
sub try_to_set
{
	my ($preloaded) = @_;
	my @first_uses = $preloaded ? '' : @first_uses;
	foreach my $server ('nothing', 5)
	{
		my $what = ($preloaded ? 'preloaded' : 'not preloaded') . ", server has $server";
		$node->append_conf('postgresql.conf', "ids.node_id = $server") if $server eq 5;
		$node->restart;
		is(ask($node, 'ordinary', "$load SHOW ids.node_id"), $server eq 5 ? 5 : -1, "$what: shown");
		foreach (@first_uses)
		{
			is(ask($node, 'ordinary', $_ . ($server eq 5 ? $value : "$value IS NOT NULL")), $server eq 5 ? 5 : 't', "$what: used after '$_'");
		}
		foreach my $try (9, -1)
		{
			is(ask($node, 'ordinary', "$load SET ids.node_id = $try"), '42501', "$what: SET to $try");
			is(ask($node, 'ordinary', "ALTER ROLE ordinary SET ids.node_id = $try"), '42501', "$what: ALTER ROLE to $try");
			is(ask($node, 'ordinary', "CREATE FUNCTION pg_temp.own() RETURNS int LANGUAGE sql SET ids.node_id = $try RETURN 1"), '42501', "$what: SET to $try by a function");
			is(ask($node, 'owner', "ALTER DATABASE owned SET ids.node_id = $try"), '42501', "$what: ALTER DATABASE to $try");
		}
		is(ask($node, 'ordinary', "$load RESET ids.node_id"), '42501', "$what: RESET");
		foreach my $try (9, -1, 70000, 'abc', '')
		{
			# Before the library is loaded, PostgreSQL accepts any value, which it refuses afterwards.
			my $refused = $preloaded ? qr/^(42501|22023)$/ : qr/^22023$/;
			my $lost = !$preloaded && $server eq 5 ? qr/^5$/ : $refused;
			foreach (@first_uses)
			{
				like(ask($node, 'ordinary', "SET ids.node_id = '$try'; $_ $value"), $lost, "$what: SET to '$try', then '$_'");
				like(ask($node, 'ordinary', "$_ $value", options => "-c ids.node_id=$try"), $refused, "$what: PGOPTIONS with '$try', then '$_'");
			}
			like(ask($node, 'ordinary', "SET ids.node_id = '$try'; SELECT node_id()"), $lost, "$what: SET to '$try', first use by a superuser's function");
			like(ask($node, 'ordinary', 'SELECT node_id()', options => "-c ids.node_id=$try"), $refused, "$what: PGOPTIONS with '$try', first use by a superuser's function");
			next if $preloaded;
			# The first use comes while another value is in force, or in a transaction that is rolled back.
			is(ask($node, 'ordinary', 'SELECT node_7(); SELECT try()', options => "-c ids.node_id=$try"), "7\n22023", "$what: PGOPTIONS with '$try', first use with another");
			my $then = $server eq 5 ? 'made' : '22023';
			is(ask($node, 'ordinary', "BEGIN; SET LOCAL ids.node_id = '$try'; SELECT try(); ROLLBACK; SELECT try()"), "$then\n$then", "$what: SET LOCAL to '$try' and ROLLBACK after the first use");
			is(ask($node, 'ordinary', "BEGIN; SAVEPOINT a; SET ids.node_id = '$try'; SELECT try(); ROLLBACK TO a; SELECT try(); COMMIT; SELECT try()"), "$then\n$then\n$then", "$what: SET to '$try' and ROLLBACK TO after the first use");
			is(ask($node, 'ordinary', "SELECT try(); DISCARD ALL; SELECT try()", options => "-c ids.node_id=$try"), "22023\n22023", "$what: PGOPTIONS with '$try', DISCARD ALL");
			# A session with a refused value can still run parallel queries.
			is(ask($node, 'ordinary', "$_ $in_workers", options => "-c ids.node_id=$try"), 't', "$what: PGOPTIONS with '$try', parallel query after '$_'") foreach '', $load;
		}
		next if $preloaded;
		# A value that was reset before the library was loaded does not count.
		my $back = $server eq 5 ? "$value = 5" : "$value >= 0";
		foreach my $try (9, '')
		{
			is(ask($node, 'ordinary', "SET ids.node_id = '$try'; RESET ids.node_id; $back"), 't', "$what: SET to '$try' and RESET at first");
			is(ask($node, 'ordinary', "SET ids.node_id = '$try'; DISCARD ALL; $back"), 't', "$what: SET to '$try' and DISCARD ALL at first");
			is(ask($node, 'ordinary', "BEGIN; SET LOCAL ids.node_id = '$try'; ROLLBACK; $back"), 't', "$what: SET to '$try' and ROLLBACK at first");
		}
	}
}
try_to_set(0);

# The server has 5, and a role another value. If a client's value overrode it, a reload does not replace it by 5.
is(ask($node, 'ordinary', "SELECT ulid_first(now()) IS NULL; SHOW ids.node_id", options => '-c ids.node_id=9'), "f\nrefused", 'a refused value is not shown');
$node->safe_psql('postgres', 'ALTER ROLE ordinary SET ids.node_id = 6');
is(ask($node, 'ordinary', $value), 6, 'a value of the role');
{
	local $ENV{PGOPTIONS} = '-c ids.node_id=9';
	my $session = $node->background_psql('postgres', extra_params => [ '-U', 'ordinary' ]);
	$session->query_safe('SET client_min_messages = error');
	like($session->query_safe('SELECT try()'), qr/^22023$/m, 'lost to PGOPTIONS');
	my $reloaded = $node->safe_psql('postgres', 'SELECT pg_conf_load_time()');
	$node->reload;
	$node->poll_query_until('postgres', "SELECT pg_conf_load_time() > '$reloaded'");
	# A session that exists reads the configuration before its next command.
	like($session->query_safe('SELECT try()'), qr/^22023$/m, 'is not replaced by the value in postgresql.conf');
	$session->quit;
}
$node->safe_psql('postgres', 'ALTER ROLE ordinary RESET ids.node_id');

# The library may be loaded as the session starts.
$node->safe_psql('postgres', q{ALTER ROLE ordinary SET session_preload_libraries = 'ids'});
is(ask($node, 'ordinary', $value), 5, 'session_preload_libraries');
is(ask($node, 'ordinary', $value, options => '-c ids.node_id=9'), '22023', 'session_preload_libraries: PGOPTIONS');
is(ask($node, 'ordinary', "SET ids.node_id = 9"), '42501', 'session_preload_libraries: SET');
$node->safe_psql('postgres', 'ALTER ROLE ordinary RESET session_preload_libraries');
my ($kept) = page('doc/servers.md') =~ /keep them, as in `(.*?)`/;
my $preload = block('doc/servers.md', 'pgbouncer', 'ALTER DATABASE') =~ s/DATABASE app/DATABASE postgres/r =~ s/'ids'/$kept/r;
$node->safe_psql('postgres', $preload);
is(ask($node, 'ordinary', 'SET ids.node_id = 9'), '42501', 'session_preload_libraries: two');
is(ask($node, $super, 'SHOW session_preload_libraries; SHOW auto_explain.log_min_duration'), "auto_explain, ids\n-1", 'both are loaded');
$node->safe_psql('postgres', 'ALTER DATABASE postgres RESET session_preload_libraries');

# Roles with the granted right set it like superusers.
$node->safe_psql('postgres', 'GRANT SET ON PARAMETER ids.node_id TO ordinary');
foreach my $role ('ordinary', $super)
{
	is(ask($node, $role, "SET ids.node_id = 9; $_ $value"), 9, "$role, granted: SET, then '$_'") foreach @first_uses;
	is(ask($node, $role, "$_ SET ids.node_id = 9; $value"), 9, "$role, granted: '$_', then SET") foreach @first_uses;
	is(ask($node, $role, "$_ $value", options => '-c ids.node_id=9'), 9, "$role, granted: PGOPTIONS, then '$_'") foreach @first_uses;
	is(ask($node, $role, "SET ids.node_id = -1; SELECT try()"), 'made', "$role, granted: SET to none");
	is(ask($node, $role, "SET ids.node_id = 9; SELECT try(); RESET ids.node_id; $value"), "made\n5", "$role, granted: RESET");
	is(ask($node, $role, "$load BEGIN; SET ids.node_id = 9; SAVEPOINT a; SET LOCAL ids.node_id = 8; $value; ROLLBACK TO a; $value; ROLLBACK; $value"), "8\n9\n5", "$role, granted: ROLLBACK");
	is(ask($node, $role, "BEGIN; SET ids.node_id = 9; SAVEPOINT a; SET LOCAL ids.node_id = 8; $value; ROLLBACK TO a; $value; ROLLBACK; $value"), "8\n9\n5", "$role, granted: ROLLBACK of what was set at first");
	is(ask($node, $role, "$load SET ids.node_id = '$_'"), '22023', "$role, granted: SET to '$_'") foreach 65536, -2, 'abc', '';
	is(ask($node, $role, 'SELECT try(); RESET ids.node_id; SELECT try()', options => '-c ids.node_id=abc'), "22023\n22023", "$role, granted: PGOPTIONS with abc");
}
$node->safe_psql('postgres', 'REVOKE SET ON PARAMETER ids.node_id FROM ordinary');
$node->adjust_conf('postgresql.conf', 'ids.node_id', undef);
$node->restart;

# If a superuser has set a value that is not a node id, generators raise an error.
sub refuse
{
	my ($what, $bad) = @_;
	# The others have no node id.
	my %refused = ((map { ("gen_$_()" => $node_id_in{ $type_of{$_} }) } @generators), map { ("gen_$_('2026-01-01')" => $node_id_in{$_}) } @types);
	my @calls = sort keys %refused;
	is(ask($node, 'ordinary', join ';', map { "SELECT try(\$\$$_\$\$)" } @calls), join("\n", map { $refused{$_} ? '22023' : 'made' } @calls), "$what: @calls");
	is(ask($node, 'ordinary', "$load SHOW ids.node_id"), $bad, "$what: shown");
	is(ask($node, 'ordinary', "$_ $value"), '22023', "$what: after '$_'") foreach $what =~ /^preloaded/ ? '' : @first_uses;
	is(ask($node, 'ordinary', "$_ $in_workers"), 't', "$what: parallel query after '$_'") foreach '', $load;
	# Also if another value was in force when the library was loaded.
	is(ask($node, 'ordinary', 'SELECT node_7(); SELECT try()'), "7\n22023", "$what: after a function with another");
	like(ask($node, 'ordinary', "SET ids.node_id = -1; $value"), qr/^(22023|42501)$/, "$what: no ordinary user may change that by SET");
	like(ask($node, 'ordinary', $value, options => '-c ids.node_id=-1'), qr/^(22023|42501)$/, "$what: no ordinary user may change that by PGOPTIONS");
	return if $what =~ /ROLE ordinary/; # the superuser does not have this value
	is(ask($node, $super, "BEGIN; SET LOCAL ids.node_id = 7; SELECT try(); COMMIT; SELECT try()"), "made\n22023", "$what: after a transaction with another");
	is(ask($node, $super, "SET ids.node_id = 7; SELECT try(); RESET ids.node_id; SELECT try()"), "made\n22023", "$what: after another was reset");
}
foreach my $bad ('70000', 'abc', '')
{
	$node->append_conf('postgresql.conf', "ids.node_id = '$bad'");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT current_setting('ids.node_id') = '$bad'");
	refuse("postgresql.conf has '$bad'", $bad);
	is(ask($node, $super, "SET ids.node_id = 7; $value"), '7', 'a superuser can set another node id');
	is(ask($node, $super, "SET ids.node_id = -1; SELECT gen_tbsl() IS NULL"), 'f', 'a superuser can set none');
	my $session = $node->background_psql('postgres', extra_params => [ '-U', 'ordinary' ]);
	like($session->query_safe('SELECT try()'), qr/^22023$/m, "a session with '$bad'");
	$node->append_conf('postgresql.conf', 'ids.node_id = 5');
	$node->reload;
	$node->poll_query_until('postgres', q{SELECT current_setting('ids.node_id') = '5'});
	is(ask($node, 'ordinary', $value), 5, 'corrected in postgresql.conf');
	like($session->query_safe($value), qr/^5$/m, 'corrected in postgresql.conf: for an open session, too');
	$session->quit;
	foreach my $whom ('ROLE ordinary', 'DATABASE postgres', 'SYSTEM')
	{
		my $reload = $whom eq 'SYSTEM' ? "SELECT pg_reload_conf();" : '';
		$node->safe_psql('postgres', "ALTER $whom SET ids.node_id = '$bad'; $reload");
		refuse("ALTER $whom to '$bad'", $bad);
		$node->safe_psql('postgres', "ALTER $whom SET ids.node_id = 6; $reload");
		is(ask($node, 'ordinary', $value), 6, "ALTER $whom to 6");
		$node->safe_psql('postgres', "ALTER $whom RESET ids.node_id; $reload");
	}
	is(ask($node, 'ordinary', $value), 5, 'after ALTER ... RESET');
	$node->adjust_conf('postgresql.conf', 'ids.node_id', undef);
	$node->reload;
	$node->poll_query_until('postgres', q{SELECT coalesce(current_setting('ids.node_id', true), '') = ''});
	is(ask($node, $super, "SET ids.node_id = '$bad'; BEGIN; SET LOCAL ids.node_id = 6; SELECT try(); ROLLBACK; SELECT try();
			BEGIN; SET ids.node_id = 7; ROLLBACK; ALTER ROLE ordinary SET ids.node_id = 7; ALTER ROLE ordinary RESET ids.node_id; SELECT try();
			BEGIN; SET ids.node_id = -1; SELECT try(); ROLLBACK; SELECT try(); RESET ids.node_id; SELECT try()"),
		"made\n22023\n22023\nmade\n22023\nmade", "SET to '$bad' counts until another value is set, or it is reset");
}

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'ids'");
try_to_set(1);
foreach my $bad ('70000', 'abc')
{
	is(ask($node, $super, "ALTER $_ SET ids.node_id = '$bad'"), '22023', "preloaded: ALTER $_ to $bad") foreach ('ROLE ordinary', 'DATABASE postgres', 'SYSTEM');
	$node->append_conf('postgresql.conf', "ids.node_id = $bad");
	$node->restart;
	refuse("preloaded: postgresql.conf has $bad", $bad);
	my $session = $node->background_psql('postgres');
	like($session->query_safe('SELECT try()'), qr/^22023$/m, "a session with '$bad'");
	$node->append_conf('postgresql.conf', 'ids.node_id = -1');
	$node->reload;
	$node->poll_query_until('postgres', q{SELECT setting = '-1' FROM pg_settings WHERE name = 'ids.node_id'});
	like($session->query_safe('SELECT try()'), qr/^made$/m, 'corrected to -1');
	$session->quit;
}
$node->append_conf('postgresql.conf', "ids.node_id = 65535");
$node->restart;
is(ask($node, 'ordinary', 'SELECT (scru160_parts(gen_scru160())).random16'), 65535, 'the greatest node id of scru160');
is(ask($node, 'ordinary', $value), '22023', 'the greatest node id of scru160 is too large for snowflake');
is(ask($node, 'ordinary', 'SELECT gen_tbsl()'), '22023', 'the greatest node id of scru160 is too large for tbsl');
$node->append_conf('postgresql.conf', 'ids.node_id = abc');
$node->reload;
$node->poll_query_until('postgres', q{SELECT error IS NOT NULL FROM pg_file_settings WHERE name = 'ids.node_id' ORDER BY seqno DESC LIMIT 1});
is(ask($node, 'ordinary', 'SELECT (scru160_parts(gen_scru160())).random16'), 65535, 'a value that the server refuses leaves the old one in force');

$node->stop;
done_testing();
