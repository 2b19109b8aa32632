#!/usr/bin/perl
# Checks META.json against PGXN's specification 1.0.0 (https://pgxn.org/meta/spec.txt), that the files it names exist, that the
# versions and figures in all files agree, that the scripts of releases are unchanged, and that each release can be upgraded to the
# next. "make release-ready" names the archive for PGXN, too: then it checks whether the commit can be released.
use strict;
use warnings;
use Digest::SHA;
use JSON::PP;
use Time::Piece;

my $text = qr/.*\S.*/;
my $term = qr{[^\s/\\[:cntrl:]]{2,}};
my $number = qr/(?:0|[1-9]\d*)/;
my $version = qr/$number\.$number\.$number/;

# The fields that we use; a new field needs its rule from the specification here.
my @rules = (
    [qr{name}, $term],
    [qr{version}, $version],
    [qr{abstract|description|maintainer}, $text],
    [qr{license}, qr/postgresql/],
    [qr{release_status}, qr/stable|testing|unstable/],
    [qr{tags/\d+}, qr{[^/\\[:cntrl:]]{1,256}}],
    [qr{provides/$term/version}, $version],
    [qr{provides/$term/abstract}, $text],
    [qr{provides/$term/(?:doc)?file}, $text],
    [qr{resources/repository/(?:url|web|type)}, $text],
    [qr{prereqs/runtime/requires/$term}, $version],
    [qr{meta-spec/version}, qr/1\.0\.0/],
    [qr{meta-spec/url}, qr{https://pgxn\.org/meta/spec\.txt}],
);
my @required = qw(name version abstract maintainer license provides/ids/file provides/ids/version meta-spec/version);

# {a => [{b => 1}]} as (a/0/b => 1)
sub flat {
    my ($value, @way) = @_;
    return map { flat($value->{$_}, @way, $_) } keys %$value if ref $value eq 'HASH';
    return map { flat($value->[$_], @way, $_) } keys @$value if ref $value eq 'ARRAY';
    return (join('/', @way) => $value // '');
}

# The version of the SQL objects, which is the first two numbers of a release's version.
sub of_extension { return $_[0] =~ /\A(\d+\.\d+)/ ? $1 : '' }

sub by_numbers {
    my ($major, $minor, $other_major, $other_minor) = map { split /\./ } @_;
    return $major <=> $other_major || $minor <=> $other_minor;
}

sub found {
    my ($name, $pattern) = @_;
    open my $file, '<', $name or die "$name: $!\n";
    my $content = do { local $/; <$file> };
    return $content =~ $pattern ? $1 : '';
}

my @wrong;
my %meta = flat(decode_json(found('META.json', qr/(.*)/s)));
for my $field (sort keys %meta) {
    my ($rule) = grep { $field =~ /\A(?:$_->[0])\z/ } @rules;
    push @wrong, "META.json: $field is unknown" if !$rule;
    push @wrong, "META.json: $field is malformed: $meta{$field}" if $rule && $meta{$field} !~ /\A(?:$rule->[1])\z/;
    push @wrong, "META.json: $field does not exist: $meta{$field}" if $field =~ /file\z/ && !-f $meta{$field};
}
push @wrong, map { "META.json: $_ is missing" } grep { !exists $meta{$_} } @required;

my $release = $meta{version} // '';
my $extension = of_extension($release);
my ($least, $oldest) = ($meta{'prereqs/runtime/requires/PostgreSQL'} // '') =~ /\A((\d+)\.\d+)/;
my @majors = found('test/tools/matrix.sh', qr/^\[ \$# -gt 0 \] \|\| set -- (.*)$/m) =~ /\d+/g;
my %figure = map { $_ => found('doc/benchmarks.csv', qr/,"size of the primary key, bytes a row",$_,[^,]*,([\d.]+),/) }
    'uuid,', 'ulid,uuid', 'ulid,bigint';
my ($address) = ($meta{maintainer} // '') =~ /<(.+)>/;
my $ulid = $figure{'uuid,'} * $figure{'ulid,uuid'};
my @agreeing = (
    ['META.json: the file', $meta{'provides/ids/file'} // '', "sql/ids--$extension.sql"],
    ['META.json: the version provided', $meta{'provides/ids/version'} // '', $release],
    ['debian/changelog: the version', found('debian/changelog', qr/\A\S+ \((.*)-\d+\)/), $release],
    ['debian/changelog: the address', found('debian/changelog', qr/\A.*?^ -- .*<(.*)>/ms), $address // 'ids@localhost'],
    ['debian/control.in: the address', found('debian/control.in', qr/^Maintainer: .*<(.*)>/m), $address // 'ids@localhost'],
    ['SECURITY.md: the address', found('SECURITY.md', qr/<(\S+@\S+)>/), $address // ''],
    ['CHANGELOG.md: the version', found('CHANGELOG.md', qr/^## \[(.*)\]/m), $release],
    ['README.md: the version', found('README.md', qr/^Version (\d+\.\d+\.\d+)[.,]/m), $release],
    ['ids.control: the version', found('ids.control', qr/^default_version = '(.*)'/m), $extension],
    ['debian/pgversions: the oldest PostgreSQL', found('debian/pgversions', qr/(\d+)\+/), $oldest],
    ['README.md: the oldest PostgreSQL', found('README.md', qr/For PostgreSQL (\d+\.\d+) and later/), $least],
    ['README.md: the versions of PostgreSQL tested', found('README.md', qr/tested with ([\d, and]+) on/), join(', ', @majors[0 .. $#majors - 1]) . " and $majors[-1]"],
    ['README.md: the bytes of a uuid in an index', found('README.md', qr/Random uuids take (\d+) bytes/), sprintf('%.0f', $figure{'uuid,'})],
    ['README.md: the bytes of a ulid in an index', found('README.md', qr/Its index takes (\d+) bytes/), sprintf('%.0f', $ulid)],
    ['README.md: the bytes of a bigint in an index', found('README.md', qr/, bigints (\d+)\./), sprintf('%.0f', $ulid / $figure{'ulid,bigint'})],
);

# A script of a release does not change any more: databases have its objects, and are upgraded from them. Nor do values that they keep.
my $released = 'sql/released.sha256';
my %digest = -f $released ? map { reverse split ' ' } split /\n/, found($released, qr/(.*)/s) : ();
for my $script (sort keys %digest) {
    push @wrong, "$script is not the released one, whose digest is in $released: restore it. SQL objects change by a new version and "
        . 'a script that upgrades to it: see "A release" in CONTRIBUTING.md'
        if !-f $script || Digest::SHA->new(256)->addfile($script)->hexdigest ne $digest{$script};
}
my %versions = map { $_ => 1 } $extension, map { m{--(\d+\.\d+)\.sql\z} } keys %digest;
my @steps = sort { by_numbers($a, $b) } keys %versions;
push @wrong, map { "sql/ids--$steps[$_]--$steps[$_ + 1].sql is missing" }
    grep { !-f "sql/ids--$steps[$_]--$steps[$_ + 1].sql" } 0 .. $#steps - 1;

# The library works with the objects of all releases, so a symbol keeps its arguments and results.
my %signature;
for my $script (sort glob 'sql/ids--*.sql') {
    my $content = found($script, qr/(.*)/s);
    while ($content =~ /^CREATE FUNCTION (?:\w+\.)?(\w+)(\(.*\).*?) +AS 'MODULE_PATHNAME'(?:, '(\w+)')? +LANGUAGE C/mg) {
        my ($symbol, $found) = ($3 // $1, $2);
        $found =~ s/ +/ /g;
        push @wrong, "$script: with other arguments or results, symbol $symbol needs another name" if ($signature{$symbol} //= $found) ne $found;
    }
}

# A script that upgrades begins with a line for psql, and ends with the check for names of others.
my $first = qq{\\echo Use "ALTER EXTENSION ids UPDATE" to load this file. \\quit\n};
my $last = found('src/install/name_conflicts.sql', qr/(.*)/s);
push @wrong, map { "$_ does not begin and end as \"A release\" in CONTRIBUTING.md says" }
    grep { !$digest{$_} && !found($_, qr/\A(\Q$first\E.*\Q$last\E)\z/s) } glob 'sql/ids--*--*.sql';

if (my ($archive) = @ARGV) {
    my $changes = found('CHANGELOG.md', qr/^## \[\Q$release\E\]([^\n]*\n.*?)(?=^## |\z)/ms);
    my ($date) = $changes =~ /\A - (\d{4}-\d\d-\d\d)\n/;
    my $day = $date ? Time::Piece->strptime($date, '%Y-%m-%d')->strftime('%a, %d %b %Y') : 'none';
    push @agreeing, ['META.json: release_status', $meta{release_status} // '', 'stable'],
        ['README.md: what follows the version', found('README.md', qr/^Version [\d.]+\d([.,] \w+)/m), '. For'],
        ['debian/changelog: the distribution', found('debian/changelog', qr/\A\S+ \(\S+\) (\S+);/), 'unstable'],
        ['debian/changelog: the day', found('debian/changelog', qr/^ -- .*>  (.*) [\d:]+ /m), $day];
    push @wrong, "CHANGELOG.md: the heading of $release has no date" if !$date;
    push @wrong, "v$release is the tag of another commit" if qx(git tag --list v$release --no-contains HEAD);
    push @wrong, "CHANGELOG.md: $release has more than 30 lines" if (() = $changes =~ /^.*\S/mg) > 31;
    push @wrong, map { "$_ has no digest in $released" } grep { !$digest{$_} } glob 'sql/ids--*.sql expected/values*.out';
    push @wrong, "not committed: $_" for split /\n/, qx(git status --porcelain);

    # All files are in the archive, except those that serve only a clone; their names begin with a dot.
    my $layout = qr/\A\.(?:clang-|dockerignore)/;    # "make lint" and the Dockerfile need these
    my %committed = map { $_ => 1 } grep { !/\A\./ || /$layout/ } split /\n/, qx(git ls-files);
    my %packed = map { s{\Aids-\Q$release\E/}{}r => 1 } grep { !m{/\z} } split /\n/, qx(unzip -Z1 '$archive');
    push @wrong, map { "$archive: $_ is missing" } grep { !$packed{$_} } sort keys %committed;
    push @wrong, map { "$archive: $_ should not be there" } grep { !$committed{$_} } sort keys %packed;
}

push @wrong, map { "$_->[0] is \"$_->[1]\", not \"$_->[2]\"" } grep { $_->[1] ne $_->[2] } @agreeing;
print STDERR map { "$_\n" } @wrong;
exit 1 if @wrong;
exit if !@ARGV;
print "$release is ready\n";
print "Only an owner can fill in the address for reports: META.json, in \"maintainer\"; then the files that \"make lint\" names\n" if !$address;
print "Only an owner can name the repository: META.json, in \"resources\", as PGXN's specification says\n" if !$meta{'resources/repository/url'};
