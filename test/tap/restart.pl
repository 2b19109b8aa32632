# The clock is turned back while a server is down, however it was stopped: identifiers continue above all that were committed.
use strict;
use warnings;
use Clocks;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = create_server('main');

sub crash { $node->stop('immediate') }
# No commit flushes the mark here; the WAL writer does, soon.
sub wait_for_wal_writer
{
	foreach (1 .. 300) { sleep 0.1; last if $node->safe_psql('postgres', 'SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()') eq 't' }
}

sub crash_at_work
{
	my $clients = start_clients($node);
	crash();
	$clients->finish;
}

check_across('a clean restart', $node, sub { $node->stop('fast') });
check_across('a crash while clients insert', $node, \&crash_at_work);

sub kill_backend
{
	my $clients = start_clients($node);
	kill 'KILL', $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query LIKE 'INSERT%' LIMIT 1});
	$clients->finish;
}
check_across('a killed backend', $node, \&kill_backend);

check_across('a crash within a bulk load', $node, sub {
	my $load = IPC::Run::start([ 'psql', '-X', '-d', $node->connstr('postgres'), '-c', 'INSERT INTO made SELECT FROM generate_series(1, 10000000)' ],
		'>', \my $out, '2>', \my $err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my $loads = 'FROM made_n_seq WHERE (SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE $$%10000000)$$ AND state = $$active$$)';
	ok($node->poll_query_until('postgres', "SELECT last_value > $_ $loads"), 'a bulk load') foreach last_row($node) + 10_000;
	insert_rows($node);
	ok($node->poll_query_until('postgres', "SELECT last_value > $_ $loads"), 'a bulk load goes on') foreach last_row($node) + 10_000;
	crash();
	$load->finish;
});

check_across('a crash right after a switch of the WAL segment', $node, sub {
	$node->safe_psql('postgres', 'SELECT pg_switch_wal()');
	crash();
});

# A server makes its first identifier only after a checkpoint, and the next one after another crash.
check_across('a first identifier after a checkpoint', $node, sub {
	crash();
	start_server($node, -5);
	$node->safe_psql('postgres', 'CHECKPOINT');
	insert_and_check($node, 'after a checkpoint of the new run');
	crash();
});

# A server only reads: that, too, moves the mark above what it finds.
check_across('a run of the server that only asked what is settled', $node, sub {
	crash();
	start_server($node, -5);
	$node->safe_psql('postgres', 'SELECT ulid_settled(); CHECKPOINT');
	crash();
});

# A reader polls an idle server. No new identifier is below what it was told, even if nothing was committed since.
my @bounds = map { key_of($_, "${_}_settled()") } @settled;
{
	turn_clock($node, +10);
	insert_rows($node);
	my $poll = 'SELECT ' . join ', ', @bounds;
	my @told = split /[|]/, (split /\n/, $node->safe_psql('postgres', "$poll, pg_sleep(0.001);\n" x 500))[-1];
	wait_for_wal_writer();
	crash();
	start_server($node, -5);
	is($node->safe_psql('postgres', 'SELECT ' . join ', ', map { key_of($settled[$_], "gen_$settled[$_]()") . " >= '$told[$_]'" } 0 .. $#settled),
		join('|', ('t') x @settled), 'idle polls: no identifier is below an answer');
}

# A transaction that cannot write is the first to generate, and another one commits its identifiers.
check_across('a first identifier in a read-only transaction', $node, sub {
	crash();
	start_server($node, -5);
	my $list = join ', ', map { "gen_$_()" } @generators;
	my $given = $node->safe_psql('postgres', "BEGIN READ ONLY; SELECT $list; COMMIT");
	$node->safe_psql('postgres', 'INSERT INTO made (' . join(', ', @generators) . ') VALUES (' . join(', ', map { "'$_'" } split /[|]/, $given) . ')');
	crash();
});

check_across('a first identifier in a subtransaction that is rolled back', $node, sub {
	crash();
	start_server($node, -5);
	my $before = last_row($node);
	my $session = $node->background_psql('postgres');
	$session->query_safe('BEGIN');
	$session->query_safe('SAVEPOINT s');
	$session->query_safe('INSERT INTO made DEFAULT VALUES');
	$session->query_safe('ROLLBACK TO s');
	insert_in_turn($session);
	$session->query_safe('COMMIT');
	insert_in_turn($session);
	check_ids_since($node, $before, 'in the session itself');
	$session->quit;
	crash();
});

# Many sessions have taken a first identifier before one of them reads in the mark that these are too low. When the others read
# the mark, it has already been moved.
turn_clock($node, +10);
insert_rows($node);
crash();
start_server($node, -5);
{
	my $before = last_row($node);
	my $lock = $node->background_psql('postgres');
	$lock->query_safe('BEGIN');
	$lock->query_safe('REFRESH MATERIALIZED VIEW ids_internal.mark');
	my $clients = start_clients($node, 100);
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 4 FROM pg_locks WHERE relation = 'ids_internal.mark'::regclass AND NOT granted}), 'sessions begin at once');
	$lock->query_safe('COMMIT');
	$lock->quit;
	$clients->finish;
	check_ids_since($node, $before, 'many first identifiers at once', at_once => 1);
}

# The clock was wrong by a minute, and is right again: the identifiers keep its lead.
turn_clock($node, +65);
insert_rows($node);
turn_clock($node, -60);
insert_and_check($node, 'a minute ahead');
foreach my $end ('fast', 'immediate')
{
	$node->stop($end);
	start_server($node);
	insert_and_check($node, "a minute ahead and after stop -m $end");
}
turn_clock($node, +60);

# A loss of power.
{
	my $copy = PostgreSQL::Test::Cluster->new('copy');
	turn_clock($node, +10);
	my $clients = start_clients($node);
	copy_as_after_power_loss($node, 'power_loss');
	$clients->kill_kill;
	$copy->init_from_backup($node, 'power_loss');
	start_server($copy, clock_lead($node) - 5);
	insert_and_check($copy, 'a loss of power');
	$copy->stop;
}

# Two databases of a server share its ticks but have a mark each: the database that generates first raises the ticks to its own
# mark only.
$node->safe_psql('template1', 'CREATE DATABASE other TEMPLATE postgres');
turn_clock($node, +10);
insert_rows($node);
foreach my $crash (1 .. 2)
{
	crash();
	start_server($node, -5);
	insert_and_check($node, "two databases, crash $crash: the other", 'other');
	insert_and_check($node, "two databases, crash $crash: the first", 'postgres');
	insert_and_check($node, "two databases, crash $crash: the other again", 'other');
}
turn_clock($node, +10);

# The extension is dropped and created again while identifiers are kept as text. A session that knows the old mark is the only
# one that generates before the crash; the clock is behind, so that the mark it knows is not outdated.
{
	turn_clock($node, +10);
	my $session = $node->background_psql('other');
	insert_in_turn($session);
	turn_clock($node, -5);
	insert_in_turn($session);
	my $before = last_row($node, 'other');
	$node->safe_psql('other', join '; ',
		'ALTER TABLE made ' . join(', ', map { "ALTER $_ DROP DEFAULT, ALTER $_ TYPE text" } @generators),
		'DROP EXTENSION ids', 'CREATE EXTENSION ids',
		'ALTER TABLE made ' . join(', ', map { "ALTER $_ TYPE $type_of{$_} USING $_\::$type_of{$_}, ALTER $_ SET DEFAULT gen_$_()" } @generators));
	insert_in_turn($session);
	check_ids_since($node, $before, 'after DROP and CREATE EXTENSION', database => 'other');
	$session->quit;
	crash();
	start_server($node, -5);
	insert_and_check($node, 'after DROP and CREATE EXTENSION and a crash', 'other');
	turn_clock($node, +5);
}

# A session knows the mark of an extension whose creation is rolled back.
{
	turn_clock($node, +10);
	my $list = join ', ', map { "gen_$_()" } @generators;
	my $session = $node->background_psql('postgres');
	insert_in_turn($session);
	$session->query_safe('BEGIN');
	$session->query_safe('SET LOCAL client_min_messages = warning');
	$session->query_safe('DROP EXTENSION ids CASCADE');
	$session->query_safe('CREATE EXTENSION ids');
	sleep 0.2;
	$session->query_safe("SELECT $list");
	turn_clock($node, -5);
	$session->query_safe('ROLLBACK');
	insert_in_turn($session);
	$session->quit;
	crash();
	start_server($node, -5);
	insert_and_check($node, 'a rolled back DROP and CREATE EXTENSION and a crash');
	turn_clock($node, +5);
}

# The same if the library is preloaded.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'ids'\n");
$node->enable_archiving;
check_across('a restart, now preloaded', $node, sub { $node->stop });
check_across('a killed backend, preloaded', $node, \&kill_backend);

# Archiving, and point-in-time recovery.
check_across('a crash right after a switch of the WAL segment, with archiving', $node, sub {
	my $segment = $node->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
	$node->poll_query_until('postgres', "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver");
	crash();
});
{
	turn_clock($node, +10);
	$node->backup('base');
	insert_rows($node);
	my $last = last_row($node);
	$node->safe_psql('postgres', q{SELECT pg_create_restore_point('here')});
	insert_rows($node);
	my $segment = $node->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
	$node->poll_query_until('postgres', "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver");
	my $recovered = PostgreSQL::Test::Cluster->new('recovered');
	$recovered->init_from_backup($node, 'base', standby => 0, has_restoring => 1);
	$recovered->append_conf('postgresql.conf', "archive_mode = off\nrecovery_target_name = 'here'\nrecovery_target_action = promote\n");
	start_server($recovered, clock_lead($node) - 5);
	$recovered->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
	is(last_row($recovered), $last, 'recovered up to a point');
	insert_and_check($recovered, 'recovery up to a point');
	$recovered->stop;
}

# The extension is created and used in one transaction. With wal_level = minimal, the tables of such a transaction are not
# logged: at its end they are written to disk or, below a threshold, logged as a whole.
$node->stop;
$node->append_conf('postgresql.conf', "archive_mode = off\nwal_level = minimal\nmax_wal_senders = 0\n");
foreach my $threshold (0, '1GB')
{
	my $database = "minimal_$threshold";
	$node->append_conf('postgresql.conf', "wal_skip_threshold = $threshold\n");
	$node->start;
	$node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
	$node->safe_psql($database, 'BEGIN; CREATE EXTENSION ids; ' . create_table_sql() . '; COMMIT');
	crash();
	start_server($node, -5 - clock_lead($node));
	insert_and_check($node, "wal_level = minimal, wal_skip_threshold = $threshold", $database);
	$node->stop;
}

# Identifiers that were shown, but that no transaction has committed: the WAL writer soon writes a mark that nobody flushes. The
# server is started with the clock that is a minute ahead, because a step of the clock would let it write the WAL for other reasons;
# and so would hint bits.
$node->append_conf('postgresql.conf', "wal_writer_delay = 10ms\nwal_log_hints = off\n");
my $list = join ', ', map { "gen_$_()" } @generators;
my @show = (
	[ 'before ROLLBACK' => [ 'BEGIN', "SELECT $list", 'ROLLBACK' ], [] ],
	[ 'before an error' => [ 'BEGIN', "SELECT $list", 'SELECT 1 / 0' ], [] ],
	[ 'in an open transaction' => [ 'BEGIN', "SELECT $list" ], [] ],
	[ 'beside an open transaction that has moved the mark' => [ 'BEGIN', "SELECT $list" ], ["SELECT $list"] ]);
foreach my $show (@show)
{
	my ($where, @statements) = @$show;
	start_server($node, +60);
	my @sessions = map { $node->background_psql('minimal_0', on_error_stop => 0) } @statements;
	my @shown = map { my $session = $sessions[$_]; grep { /[|]/ } map { $session->query($_) } @{ $statements[$_] } } 0 .. $#sessions;
	@shown = split /[|]/, $shown[-1];
	wait_for_wal_writer();
	crash();
	eval { $_->quit } foreach @sessions;
	start_server($node, -60);
	is($node->safe_psql('minimal_0', 'SELECT ' . join(', ', map { key_of($generators[$_], "gen_$generators[$_]()") . ' > ' . key_of($generators[$_], "'$shown[$_]'::$type_of{$generators[$_]}") } 0 .. $#generators)),
		join('|', ('t') x @generators), "identifiers that were shown $where, and a crash: new ones are above them");
	$node->stop;
}

done_testing();
