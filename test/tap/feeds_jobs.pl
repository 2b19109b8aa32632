# A table of jobs, by the statements of "Many workers" in doc/cookbook.md. Eight sessions write, three distribute and eight work; they and
# the server are killed; work fails at random, for one event until its cause is gone. Every event is done once, in the order of its
# customer. Without the bound events are lost, without lanes they are out of order. The environment variable SECONDS makes it longer.
use strict;
use warnings;
use IPC::Run;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SECONDS} // 6;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "log_statement = none\nautovacuum_naptime = 1s\nmax_connections = 60\n");
$node->start;
sub sql { return join "\n", map { $node->safe_psql('postgres', $_) } @_ }

my $recipe = block('doc/cookbook.md', 'Many workers', 'CREATE TABLE mail_job');
my ($register, $create, $distribute, $take, $execute, $do) =
  $recipe =~ /^(INSERT INTO position.*?;\n)(CREATE TABLE.*?;\n).*^(WITH last.*?;\n).*^(PREPARE.*?;\n)^(EXECUTE.*?\n).*^(WITH done.*?;\n)/ms or die;
my ($waiting, $redo) = map { "$_;" } statements('doc/cookbook.md', 'Many workers', 'SET tries = 0');
sub for_consumer { return map { s/\bmail\b/$_[0]/gr =~ s/mail_job/$_[0]_job/gr } @_[ 1 .. $#_ ] }

# A consumer by the recipe, a consumer without the bound, and one with a lane for each event. The work is to insert into a table that
# would show an event that is done twice.
sql(q{CREATE EXTENSION ids;
	CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), customer text, message text);
	CREATE TABLE cause (message text);
	INSERT INTO cause VALUES ('bad');
	CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF random() < 0.05 OR EXISTS (SELECT FROM cause WHERE message = new.text) THEN RAISE 'failed'; END IF;
		RETURN new;
	END $$},
	'CREATE TABLE position (feed text, consumer text, id ulid NOT NULL, PRIMARY KEY (feed, consumer))');

# As it is written: a job that is taken is nobody else's, at once and for 10 s, 40 s ..., and lanes take turns. Events of before are done, too.
sql(q{INSERT INTO event (customer, message) VALUES ('8', 'third'), ('7', 'first'), ('7', 'second'), ('', 'fourth')}, "$register$create$distribute");
my $another = $node->background_psql('postgres');
like($another->query_safe("${take}BEGIN; EXECUTE take ('')"), qr/fourth/, 'a job without a customer');
sub taken { return sql("SET lock_timeout = '1s'; ${take}EXECUTE take ('$_[0]')") =~ s/.*\|//r }
is(join(' ', map { taken($_) } '', '7', '8', ''), 'first third  ', 'the first job of each other lane, once');
$another->query_safe('COMMIT');
is(sql($waiting, $redo, q{DELETE FROM mail_job WHERE message = 'first'}) . taken('7'), "\n\n", 'no job waits, and the lane of the last job comes last');
is(sql($take . join '', map { "BEGIN; EXECUTE take (''); SELECT next - now() FROM mail_job WHERE message = 'second'; UPDATE mail_job SET next = now() WHERE message = 'second'; COMMIT;" } 1 .. 5)
	=~ s/^.*second\n//gmr, "00:00:10\n00:00:40\n00:02:40\n00:10:40\n00:42:40", 'the delays');
is(taken('') . sql($waiting, 'UPDATE mail_job SET next = now() WHERE tries = 1', $waiting, $redo) =~ s/\w{26}|[^|]*$//gr, "7|1\n\n7|1\n7||second|0|", 'five tries');
unlike(sql("SET enable_seqscan = off; ${take}EXPLAIN EXECUTE take ('')"), qr/Sort|Seq Scan/, 'by the primary key');
sql(q{INSERT INTO event (customer, message) VALUES ('9', 'last')});
$another->query_safe("BEGIN; $distribute");
sql("SET lock_timeout = '1s'; $distribute");
$another->query_safe("COMMIT; DELETE FROM mail_job WHERE message = 'last'");
$another->quit;
is(sql($distribute, 'SELECT count(*) FROM mail_job; DROP TABLE mail_job; DELETE FROM position'), "\n3", 'events are distributed once, by whoever comes first');

$take =~ s/'10 s' \* 4/'0.1 s' * 2/ or die;
$execute =~ s/''/:'last'/ or die;
my @consumers = ('mail', 'unbound', 'laneless');
foreach my $consumer (@consumers)
{
	sql(for_consumer($consumer, "$create CREATE TABLE mail (event ulid, text text, n bigserial);
		CREATE TRIGGER fail BEFORE INSERT ON mail FOR EACH ROW EXECUTE FUNCTION fail();
		$register"));
}
my %distribute = map { $_ => for_consumer($_, $distribute) } @consumers;
$distribute{unbound} =~ s/ AND id < ulid_settled\(\)// or die;
$distribute{laneless} =~ s/nullif\(customer.*?\), // or die;

# A session that runs a script again and again, and is started again when it is killed.
my %session;
sub start
{
	my ($name, $script, $once) = @_;
	my $file = $session{$name}{file} = $node->basedir . "/$name";
	append_to_file($_, '') foreach $file, "$file.goes_on";
	my $loop = q{while test -e "$0.goes_on"; do { echo "$2"; exec yes "$3"; } | psql -Xq -d "$1" & echo $! >"$0"; wait; sleep 0.1; done};
	my @bash = ('bash', '-c', $loop, $file, $node->connstr('postgres') . " application_name=$name", $once // '', $script);
	$session{$name}{run} = IPC::Run::start(\@bash, '>', '/dev/null', '2>', '/dev/null');
}
sub end
{
	my @names = grep { /$_[0]/ } keys %session;
	unlink map { "$session{$_}{file}.goes_on" } @names;
	foreach my $name (@names)
	{
		my $run = (delete $session{$name})->{run};
		while ($run->pumpable)    # again for one that was connecting
		{
			sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '$name'");
			sleep 0.05;
		}
		$run->finish;
	}
}
sub start_worker
{
	my ($consumer, $n) = @_;
	my ($my_take, $my_do) = for_consumer($consumer, $take, $do);
	start("${consumer}_$n", "\\unset lane
$execute\\if :{?lane}
\\set last :lane
SELECT pg_sleep(0.2) WHERE random() < 0.01;    -- it hangs until another one takes the job
$my_do\\else
\\set last ''
SELECT pg_sleep(0.02);
\\endif", "\\set last ''\n$my_take");
}
# Lost without the bound
my $late = $node->background_psql('postgres');
$late->query_safe('BEGIN; INSERT INTO event SELECT FROM generate_series(1, 100)');
sql(q{INSERT INTO event (customer, message) VALUES (1, 'bad'), (1, 'waits')}, $distribute{unbound});
$late->query_safe('COMMIT');
$late->quit;
start("writer_$_", q{BEGIN;
	INSERT INTO event (customer) SELECT CASE WHEN random() < 0.9 THEN (2 + random() * 20)::int::text WHEN random() < 0.5 THEN '' END FROM generate_series(1, 3);
	SELECT pg_sleep(random() * 0.05);
	COMMIT;}) foreach 1 .. 8;
foreach my $consumer (@consumers)
{
	start("distributor_${consumer}_$_", "$distribute{$consumer}; SELECT pg_sleep(0.02);") foreach 1 .. ($consumer eq 'mail' ? 3 : 1);
}
start_worker('mail', $_) foreach 1 .. 8;
start_worker('laneless', $_) foreach 1 .. 3;

my ($terminated, $killed, $crashes) = (0, 0, 0);
my $began = time;
while ((my $passed = time - $began) < $seconds)
{
	sleep 0.2;
	my ($pid) = slurp_file($session{ (grep { /mail/ } keys %session)[ rand 11 ] }{file}) =~ /(\d+)/;
	$killed++ if $pid && kill 'KILL', $pid;
	$terminated += sql(q{SELECT count(pg_terminate_backend(pid)) FROM
		(SELECT pid FROM pg_stat_activity WHERE application_name ~ 'mail' ORDER BY random() LIMIT 1) one});
	next if $passed < ($crashes + 1) * $seconds / 3;
	$node->stop('immediate');
	$node->start;
	$crashes++;
}
end('writer');
# Waits until all events have been distributed, and jobs of these lanes are done.
sub finish_jobs
{
	my ($consumer, $lanes) = (@_, 'true');
	my ($try_again) = for_consumer($consumer, $redo =~ s/WHERE/WHERE $lanes AND/r =~ s/;\s*\z//r);
	$node->poll_query_until('postgres', "WITH again AS ($try_again) SELECT id = (SELECT max(id) FROM event) AND NOT EXISTS (SELECT FROM ${consumer}_job WHERE $lanes)
		FROM position WHERE consumer = '$consumer'") or die "$consumer: jobs are left";
}
finish_jobs('mail', "lane <> '1'");
$node->poll_query_until('postgres', q{SELECT tries = 5 AND next <= now() FROM mail_job WHERE message = 'bad'}) or die;
is(sql('SELECT message, tries FROM mail_job JOIN event USING (id, message) ORDER BY id'), "bad|5\nwaits|0", 'a job that always fails waits, and the next one of its customer');
is(sql($waiting), '1|2', 'the lane shows, with both');
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM laneless WHERE text = 'waits'}) or die;
is(sql(q{UPDATE mail_job SET next = now() + interval '1 hour' WHERE tries = 5}, $redo, $waiting), "\n\n", 'a job whose fifth try goes on is not given to another worker');
sql(q{UPDATE mail_job SET next = now() WHERE tries = 5}, 'DELETE FROM cause', $redo);
finish_jobs($_) foreach 'mail', 'laneless';
end('.');
note(sql(q{SELECT 'the table of jobs and its index: ' || pg_size_pretty(pg_total_relation_size('mail_job'))}));

sub done
{
	my ($consumer) = @_;
	return sql("SELECT count(*) FILTER (WHERE mail.event IS NULL) || ' lost, ' || count(mail.event) - count(DISTINCT mail.event) || ' twice, '
		|| count(*) FILTER (WHERE late AND customer <> '') || ' out of order' FROM event LEFT JOIN (
			SELECT mail.event, mail.event < max(mail.event) OVER (PARTITION BY customer ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS late
			FROM ${consumer} mail JOIN event ON id = mail.event) mail ON event = id");
}
my ($events, $tries) = split /[|]/, sql(q{SELECT count(*), (SELECT last_value FROM mail_n_seq) FROM event});
note("$events events, $tries tries of work, $terminated workers or distributors terminated, $killed killed, $crashes crashes");
is(done('mail'), '0 lost, 0 twice, 0 out of order', "each of $events events is done once, in the order of its customer");
like(done('laneless'), qr/^0 lost, 0 twice, [1-9]/, 'without lanes: out of order');
cmp_ok(sql('SELECT count(*) FROM event WHERE id NOT IN (SELECT id FROM unbound_job)'), '>=', 100, 'without the bound: events are lost');
cmp_ok(sql('SELECT count(*) FROM event WHERE ulid_hash(id) % 3 NOT IN (0, 1, 2)'), '>', 0, 'divided by a remainder of the hash: events are lost');

# A position is set back over ten jobs and ten that are done. The jobs stand; what is done is done again, which a key makes harmless.
sql(q{ALTER TABLE mail ADD PRIMARY KEY (event); DROP TRIGGER fail ON mail; INSERT INTO event (customer) SELECT 7 FROM generate_series(1, 10)},
	$distribute, q{UPDATE position SET id = (SELECT id FROM event ORDER BY id DESC LIMIT 1 OFFSET 20) WHERE consumer = 'mail'});
like(($node->psql('postgres', $distribute =~ s/ ON CONFLICT DO NOTHING//r))[2], qr/duplicate key value/, 'without ON CONFLICT, jobs that stand are an error');
is(sql($distribute, $distribute, 'SELECT count(*) FROM mail_job'), "\n\n20", 'events after a position that is set back are jobs');
start_worker('mail', 1);
finish_jobs('mail');
end('.');
is(done('mail'), '0 lost, 0 twice, 0 out of order', 'the key of what is done keeps them from being done twice');

$node->stop;
done_testing();
