# Links between the documents have a target, their contents are those of the page, and the lines of the log that they quote exist.
use strict;
use warnings;
use Pages;
use PostgreSQL::Test::Utils;
use Test::More;

# The contents of a page name its sections, by the anchors that GitHub makes of headings; of equal ones, the first gets it.
my %documents = map { $_ => page($_) } 'README.md', map { s{.*/(doc/)}{$1}r } glob "$ENV{TESTDIR}/doc/*.md";
my %anchors;
foreach my $document (sort keys %documents)
{
	$documents{$document} =~ s/^```.*?^```$//msg;
	my @anchors = grep { !$anchors{$document}{s/^#*-//r}++ } map { lc s/[^\w #-]//gr =~ s/ /-/gr } $documents{$document} =~ /^#(#* .*)/mg;
	my @contents = map { /\(#(.*?)\)/g } $documents{$document} =~ /^\| \| \|\n(.*?\n)\n/ms or next;
	my $listed = join '|', @contents;
	is(join("\n", @contents), join("\n", map { s/^#*-//r } grep { /^#-|^#*-(?:$listed)$/ } @anchors), "$document: the contents are those of the page");
}

my @dead;
foreach my $document (sort keys %documents)
{
	foreach my $link ($documents{$document} =~ /\]\(([^():]*)\)/g)
	{
		my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
		my $target = $path eq '' ? $document : $document =~ m{^doc/} ? "doc/$path" =~ s{^doc/\.\./}{}r : $path;
		next unless $target =~ /^(README|doc\/.*)\.md$/;
		push @dead, "$document: $link" unless $anchors{$target} && ($anchor eq '' || $anchors{$target}{$anchor});
	}
}
is(join("\n", @dead), '', 'every link between the documents has a target');

# A line of the server's log that a document quotes is one that the library writes.
my $library = slurp_file("$ENV{IDS_LIBDIR}/ids.so");
my @lines = map { s/\s+/ /gr =~ s/[\d.]+/%.3f/r =~ s/"\w+"/"%s"/r } map { /`(the clock is \d[^`]*)`/g } values %documents;
cmp_ok(scalar @lines, '>', 0, 'the documents quote the log');
ok($library =~ /\0\Q$_\E\0/, "the library logs: $_") foreach @lines;

# The words of the index of errors are those of the library, of PostgreSQL or of a page's trigger, which have a format in place of names and numbers.
my ($index) = $documents{'doc/reference.md'} =~ /^## Errors\n(.*?)^## /ms or die 'no index of errors';
my @words = map { /`([^`]+)`/g } $index =~ /^- (`.*?)\s\(/msg;
cmp_ok(scalar @words, '>', 20, 'the index has words');
my ($bindir) = run_command([ $ENV{PG_CONFIG} // 'pg_config', '--bindir' ]);
my $server = slurp_file("$bindir/postgres") . 'generation expression uses user-defined function' . join '', page('doc/reading.md'), map { slurp_file($_) } glob "$ENV{TESTDIR}/sql/ids--*.sql";    # PostgreSQL 18; its trigger; the monitor
my @unknown = grep { my $text = join '[^\0]*', map { quotemeta } split /\.\.\.|"[\w.]+"|=\w+|\w+\(\w*\)|\b(?:ulid|uuid)\b/; "$library$server" !~ $text } @words;
is(join("\n", @unknown), '', 'errors have the words of the index');

# A section that a hint names stands on the page that it names.
my @named = $library =~ /"([^"\0]+)" in (doc\/[\w-]+\.md)/g or die 'no hint names a section';
while (my ($section, $document) = splice @named, 0, 2) { like($documents{$document}, qr/^#+ .*\Q$section\E/m, "$document has $section"); }

# CONTRIBUTING.md says that a script of test/tap begins with its promise.
is(join(' ', grep { slurp_file($_) !~ /\A# [[:alpha:]].*\n/ } glob "$ENV{TESTDIR}/test/tap/*.pl"), '', 'each script of test/tap begins with its promise');

done_testing();
