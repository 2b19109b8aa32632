# The mark, above which identifiers go on after a restart: how far it puts them ahead of the clock, who can change it, what
# happens when it is damaged, and how ids_reset_clock() lowers it.
use strict;
use warnings;
use Clocks;
use Generators;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $list = join ', ', map { "gen_$_()" } @generators;
my $node = create_server('main');

sub lead_is_small
{
	my ($what) = @_;
	is($node->safe_psql('postgres', q{SELECT count(*), max(lead) < '200 ms' FROM ids_generators()}), @generators . '|t', $what);
}

# Many short connections.
my $script = $node->basedir . '/generate.sql';
append_to_file($script, 'SELECT ' . join(', ', map { "gen_$_()" } grep { !waits($_) } @generators) . ";\n");
ok(IPC::Run::run([ 'pgbench', '-n', '-C', '-c', 1, '-t', 200, '-f', $script, $node->connstr('postgres') ], '>', \my $out, '2>', \my $err), '200 short connections');
$node->safe_psql('postgres', "SELECT $list");
lead_is_small('short connections do not push identifiers ahead of the clock');
foreach my $end ('fast', 'immediate')
{
	$node->stop($end);
	start_server($node);
	$node->safe_psql('postgres', "SELECT $list");
	lead_is_small("a restart after stop -m $end does not push identifiers ahead of the clock");
}

# Only superusers can change it, even if default privileges give others rights on everything that a superuser makes.
$node->safe_psql('postgres', 'CREATE ROLE ordinary; CREATE ROLE owner; CREATE ROLE "My Role"; CREATE DATABASE owned OWNER owner');
$node->safe_psql('owned', "ALTER DEFAULT PRIVILEGES GRANT ALL ON $_ TO PUBLIC, ordinary, owner, \"My Role\"") foreach ('SCHEMAS', 'TABLES', 'FUNCTIONS');
$node->safe_psql('owned', "SET SESSION AUTHORIZATION owner; CREATE EXTENSION ids; SELECT $list");
my $mark = 'SELECT unix_us, boot, relpersistence FROM ids_internal.mark, pg_class WHERE oid = $$ids_internal.mark$$::regclass';
my $unchanged = $node->safe_psql('owned', $mark);
foreach my $change (
	q{SELECT setval('ids_internal.mark', 1)}, 'REFRESH MATERIALIZED VIEW ids_internal.mark', 'REFRESH MATERIALIZED VIEW ids_internal.mark WITH NO DATA',
	'UPDATE ids_internal.mark SET unix_us = 1', 'DELETE FROM ids_internal.mark', 'TRUNCATE ids_internal.mark', 'SELECT ids_internal.kept_mark()',
	'ALTER MATERIALIZED VIEW ids_internal.mark RENAME TO other', 'CREATE INDEX ON ids_internal.mark (boot)',
	'ALTER MATERIALIZED VIEW ids_internal.mark SET SCHEMA public', 'ALTER MATERIALIZED VIEW ids_internal.mark OWNER TO CURRENT_USER',
	'LOCK TABLE ids_internal.mark', 'GRANT ALL ON TABLE ids_internal.mark TO CURRENT_USER',
	'ALTER EXTENSION ids DROP MATERIALIZED VIEW ids_internal.mark', 'DROP MATERIALIZED VIEW ids_internal.mark', 'ALTER SCHEMA ids_internal RENAME TO other',
	'DROP SCHEMA ids_internal CASCADE', 'CREATE TABLE ids_internal.other (n int)', 'SELECT ids_reset_clock()', 'SELECT ids_advance_clock(now())', 'SELECT ids_complete_upgrade()')
{
	foreach my $role ('ordinary', 'owner')
	{
		like(($node->psql('owned', "SET SESSION AUTHORIZATION $role; BEGIN; $change; COMMIT"))[2],
			qr/ERROR:  (permission denied|must be owner|cannot change sequence|cannot lock relation|cannot alter .* sequence)/, "$role cannot: $change");
	}
}
is($node->safe_psql('owned', $mark), $unchanged, 'the mark is unchanged');
is($node->safe_psql('owned', q{SELECT count(*) FROM pg_class CROSS JOIN aclexplode(relacl) WHERE oid = 'ids_internal.mark'::regclass AND grantee <> relowner}), '0', 'nobody has rights on it');
$node->safe_psql('owned', "SET SESSION AUTHORIZATION $_; SELECT $list") foreach ('ordinary', 'owner');

# A superuser can damage it. Then every generator raises an error, in a session that has generated before and in another. The
# statement in the hint repairs it.
$node->safe_psql('postgres', q{
	CREATE FUNCTION attempts() RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		told text;
		messages text;
	BEGIN
		FOREACH told IN ARRAY string_to_array('} . join(' ', @generators) . q{', ' ') LOOP
			BEGIN
				EXECUTE format('SELECT gen_%s()', told);
				told := 'made';
			EXCEPTION WHEN OTHERS THEN
				told := SQLSTATE || ': ' || SQLERRM;
			END;
			messages := concat_ws(E'\n', messages, told);
		END LOOP;
		RETURN messages;
	END $$});
my @damages = (
	[ dropped => 'ALTER EXTENSION ids DROP MATERIALIZED VIEW ids_internal.mark; DROP MATERIALIZED VIEW ids_internal.mark', 'is missing' ],
	[ replaced => 'ALTER EXTENSION ids DROP MATERIALIZED VIEW ids_internal.mark; DROP MATERIALIZED VIEW ids_internal.mark; CREATE TABLE ids_internal.mark (unix_us bigint)', 'is another relation',
		'ALTER TABLE ids_internal.mark RENAME TO other' ],
	[ damaged => q{CREATE TABLE damage AS SELECT generate_series(1, 2);
		UPDATE pg_class SET relfilenode = (SELECT relfilenode FROM pg_class WHERE relname = 'damage') WHERE oid = 'ids_internal.mark'::regclass}, 'is empty or damaged' ],
	[ emptied => 'REFRESH MATERIALIZED VIEW ids_internal.mark WITH NO DATA', 'is empty or damaged' ]);
turn_clock($node, +10);
foreach my $damage (@damages)
{
	my ($name, $do, $told, $before) = @$damage;
	my $message = join "\n", ("55000: materialized view \"ids_internal.mark\" of extension \"ids\" $told") x @generators;
	$node->safe_psql('template1', "CREATE DATABASE $name TEMPLATE postgres");
	my $session = $node->background_psql($name);
	insert_in_turn($session);
	$node->safe_psql($name, $do);
	is($session->query_safe('SELECT attempts()'), $message, "$name: an error in a session that has generated");
	is($node->safe_psql($name, 'SELECT attempts()'), $message, "$name: an error in another session");
	$node->safe_psql($name, $before) if $before;
	my ($hint) = ($node->psql($name, 'SELECT gen_ulid()'))[2] =~ /^HINT:  As a superuser, .*?: (.*;)$/m;
	$node->safe_psql($name, $hint);
	is($node->safe_psql($name, q{SELECT deptype FROM pg_depend WHERE objid = 'ids_internal.mark'::regclass AND refclassid = 'pg_extension'::regclass}),
		'e', "$name: repaired, it belongs to the extension, and no dump has it");
	insert_in_turn($session);
	$session->quit;
}
lead_is_small('no damage moves the clock of the server');

# The generators continue above a mark that was set, each from its next unit of time.
$node->safe_psql('postgres', q{
	SELECT date_trunc('milliseconds', clock_timestamp()) + interval '2.000999 s' AS mark \gset
	SELECT pg_catalog.ids_advance_clock(:'mark') \gset
	CREATE TABLE continued AS SELECT timestamptz :'mark' AS mark, } . join(', ', map { "gen_$_() AS $_" } @generators));
foreach my $generator (@generators)
{
	my $last = $type_of{$generator} eq 'uuid' ? 'uuidv7_last' : "$type_of{$generator}_last";
	is($node->safe_psql('postgres', "SELECT $generator > $last(mark), $generator <= $last(mark + interval '200 ms') FROM continued"), 't|t', "$generator: right above the mark");
}

# The first reset of a run continues above a mark that is hardly ahead of the clock.
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
insert_rows($node);
my $known = last_row($node);
$node->stop;
start_server($node, -60);
turn_clock($node, $node->safe_psql('postgres', 'SELECT unix_us / 1e6 - extract(epoch FROM clock_timestamp()) - 2 FROM ids_internal.mark'));
$node->safe_psql('postgres', q{
	DO $$
	BEGIN
		PERFORM pg_sleep(unix_us / 1e6 - extract(epoch FROM clock_timestamp()) - 0.5) FROM ids_internal.mark;
		PERFORM ids_reset_clock();
		INSERT INTO made SELECT FROM generate_series(1, 100);
	END $$});
check_ids_since($node, $known, 'the first reset of a run');
# They continue right above a time, and after a reset with the clock, each in a unit of its own with a random counter.
$node->safe_psql('postgres', q{
	DO $$
	DECLARE
		ahead timestamptz := date_trunc('milliseconds', clock_timestamp()) + interval '1 hour 600 us';
		id ulid;
		guessed int := 0;
	BEGIN
		FOR i IN 1 .. 100 LOOP
			PERFORM ids_advance_clock(ahead);
			ASSERT gen_ulid()::timestamptz = ahead + interval '400 us', 'a gap';
			PERFORM ids_reset_clock();
			id := gen_ulid();
			ASSERT id::timestamptz <= clock_timestamp(), 'ahead of the clock';
			guessed := guessed + (substr(id::bytea, 7, 2) = '\x0001')::int;
		END LOOP;
		ASSERT guessed < 5, 'the counter goes on';
	END $$});
# After a reset, a snowflake of the same millisecond has other random bits, and a tbsl of the same microsecond another suffix.
my $randoms = q{
	SELECT date_trunc('minute', clock_timestamp() + interval '1 hour') AS hour \gset
	} . join "\n", map { qq{SELECT ids_advance_clock(:'hour'::timestamptz + interval '$_ minutes') \\g /dev/null
	SELECT (snowflake_parts(gen_snowflake())).random, gen_tbsl();} } 1 .. 5;
my @before = split /[|\n]/, $node->safe_psql('postgres', $randoms);
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
my @after = split /[|\n]/, $node->safe_psql('postgres', $randoms);
my %same = map { $_ => 1 } @before;
cmp_ok(scalar(grep { $same{$_} } @after), '<', 3, 'after a reset, snowflakes and tbsls of the same units of time have other random bits');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');

# A session waits for the mark while another session drops it.
$node->safe_psql('template1', 'CREATE DATABASE anew');
$node->safe_psql('anew', 'CREATE EXTENSION ids');
foreach my $how ([ 'CREATE EXTENSION ids' => qr/^f$/ ], [ 'SELECT 1' => qr/ERROR:  55000: extension "ids" was dropped/ ])
{
	my ($then, $answer) = @$how;
	my $dropper = $node->background_psql('anew');
	$dropper->query_safe($_) foreach 'BEGIN', 'DROP EXTENSION ids', $then;
	my $generator = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('anew'), '-c', 'SELECT gen_ulid() IS NULL' ], '>', \my $got, '2>&1');
	ok($node->poll_query_until('anew', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted'), 'a generator waits');
	$dropper->query_safe('COMMIT');
	$dropper->quit;
	$generator->finish;
	like($got, $answer, "DROP EXTENSION ids; $then");
}
$node->stop('immediate');
start_server($node, -5);
insert_and_check($node, "$_->[0], repaired, and a crash", $_->[0]) foreach @damages;

# The clock was wrong by five minutes, and a session remembers the mark of that time.
turn_clock($node, +310);
my $session = $node->background_psql('postgres');
$session->query_safe("SELECT $list");
turn_clock($node, -300);
is($node->safe_psql('postgres', q{SELECT bool_and(lead > '100 s') FROM ids_generators()}), 't', 'minutes ahead');
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
sleep 0.3;
insert_in_turn($session);
lead_is_small('after ids_reset_clock() they follow the clock again');
$session->quit;
$node->stop('immediate');
start_server($node, -5);
insert_and_check($node, 'ids_reset_clock(), a session that knew the old mark, and a crash');
$node->stop;
start_server($node, +6);
$node->safe_psql('postgres', "SELECT $list");
lead_is_small('the mark is lowered too');

# A generator that is first used after the reset does not begin above the old mark.
turn_clock($node, +60);
$node->safe_psql('postgres', "SELECT $list");
$node->stop;
start_server($node, -60);
$node->safe_psql('postgres', $_) foreach 'SELECT gen_ulid()', 'SELECT ids_reset_clock()', "SELECT $list";
lead_is_small('generators that are first used after the reset follow the clock');

# A transaction has made identifiers while the clock was ahead, and goes on after the reset.
turn_clock($node, +60);
my ($writer, $other) = map { $node->background_psql('postgres') } 1 .. 2;
$_->query_safe("SELECT $list") foreach $writer, $other;
$writer->query_safe('BEGIN');
$writer->query_safe('INSERT INTO made SELECT');
turn_clock($node, -60);
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
sleep 0.3;
my $low = $writer->query_safe('INSERT INTO made SELECT RETURNING ulid');
$other->query_safe('INSERT INTO made SELECT');
is($node->safe_psql('postgres', "SELECT ulid_settled() <= '$low'"), 't', 'after ids_reset_clock(), nothing is settled above what an open transaction makes');
$writer->query_safe('COMMIT');
is($node->safe_psql('postgres', "SELECT ulid_settled() > '$low'"), 't', 'when that transaction has ended, its identifiers are settled');
$_->quit foreach $writer, $other;

# The greatest mark is no damage: when the clock is right again, it can be reset.
turn_clock($node, +281474976710 - time - 7200);
$node->safe_psql('postgres', q{SELECT ids_advance_clock('10889-08-02 05:31:50.655+00')});
is($node->safe_psql('postgres', 'SELECT unix_us FROM ids_internal.mark'), 281474976710655999, 'the greatest mark');
like(($node->psql('postgres', 'SELECT gen_ulid()'))[2], qr/ERROR:  the server's clock is out of range for generator "ulid"\nHINT:  .* a superuser can call pg_catalog\.ids_reset_clock\(\)/, 'there is no id above it');
turn_clock($node, -281474976710 + time + 7200);
$node->safe_psql('postgres', 'SELECT ids_reset_clock()');
lead_is_small('the greatest mark is lowered');

$node->stop;
done_testing();
