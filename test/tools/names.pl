#!/usr/bin/perl
# Checks that no hint, and no statement that the documents give to a superuser or a scheduler, looks for an object of the extension
# in search_path, where somebody may have put another one of the same name.
use strict;
use warnings;

sub text_of {
    my ($file) = @_;
    open my $handle, '<', $file or die "$file: $!\n";
    local $/;
    return <$handle>;
}

my $script = join '', map { text_of($_) } grep { !/--.*--/ } glob 'sql/ids--*.sql';
my $routine = join '|', '%s_\w+', $script =~ /^CREATE (?:FUNCTION|PROCEDURE) (\w+)/mg;
my $type = join '|', '%s(?!::)', $script =~ /^CREATE (?:TYPE|DOMAIN) (\w+)/mg;
my $for_superusers = join '|', $script =~ /^REVOKE EXECUTE ON FUNCTION (\w+)/mg;
my $unqualified = qr/(?<![.\w])(?:$routine)\(|::(?:$type)\b/;

my (%places, @wrong);
sub check {
    my ($place, $text, $pattern) = @_;
    $places{$place}++;
    push @wrong, "$place: write pg_catalog. before the name: $&" if $text =~ $pattern;
}

# Hints in the sources, where a string may be continued on the next line, and those that users see.
for my $file (glob 'src/*.cpp src/*/*.[ch]pp') {
    my $source = text_of($file) =~ s/"\s*\n\s*"//gr;
    check($file, $1, $unqualified) while $source =~ /(?<!errmsg\()(?<!errdetail\()"([^"\n]*)"/g;
}
for my $file (glob 'expected/*.out README.md doc/*.md') {
    my $text = text_of($file);
    check("$file: hint", $1, $unqualified) while $text =~ /HINT:  (.*)/g;
    check("$file: job", $1, $unqualified) while $text =~ /cron\.schedule\((.*?)\);/gs;
    check("$file: monitoring", $1, $unqualified) if $text =~ /^## Monitoring\n+```sql\n(.*?)^```/ms;
    check("$file: for superusers", $text, qr/(?:SELECT|PERFORM) (?:$for_superusers)\(/) if $file =~ /md$/;
}
for my $expected ('src/type/error.cpp', 'expected/ulid.out: hint', 'doc/servers.md: job', 'doc/cookbook.md: monitoring') {
    push @wrong, "$expected: nothing found to check" if !$places{$expected};
}

print map { "$_\n" } @wrong;
exit !!@wrong;
