#!/usr/bin/perl
# Checks META.json against PGXN's specification 1.0.0 (https://pgxn.org/meta/spec.txt), that the files it names exist, that all
# files that contain the version of the release agree, that the install scripts of tagged releases are unchanged, and that each
# release can be upgraded to the next.
use strict;
use warnings;
use JSON::PP;

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
push @wrong, "META.json: the file is not sql/ids--$extension.sql: $meta{'provides/ids/file'}"
    if ($meta{'provides/ids/file'} // '') ne "sql/ids--$extension.sql";
my @versions = (
    ['META.json, provides', $meta{'provides/ids/version'} // '', $release],
    ['debian/changelog', found('debian/changelog', qr/\A\S+ \((.*)-\d+\)/), $release],
    ['CHANGELOG.md', found('CHANGELOG.md', qr/^## \[(.*)\]/m), $release],
    ['README.md', found('README.md', qr/^Version ([\d.]+),/m), $release],
    ['ids.control', found('ids.control', qr/^default_version = '(.*)'/m), $extension],
);
push @wrong, map { "$_->[0]: version is \"$_->[1]\", not \"$_->[2]\" as in META.json" } grep { $_->[1] ne $_->[2] } @versions;

# A released script must not change: databases have its objects, and are upgraded from them.
my %released = map { /\Av(.*)/ ? (of_extension($1) => $_) : () } split /\n/, qx(git tag --list 'v*.*.*' --sort=v:refname 2>/dev/null);
print "no release is tagged yet: there is no upgrade to check\n" if !%released;
for my $version (keys %released) {
    my $script = "sql/ids--$version.sql";
    my $now = -f $script ? found($script, qr/(.*)/s) : '';
    push @wrong, "$script has changed since its release $released{$version}" if $now ne qx(git show $released{$version}:$script);
}
my @steps = sort { by_numbers($a, $b) } keys %{{%released, $extension => 1}};
push @wrong, map { "sql/ids--$steps[$_]--$steps[$_ + 1].sql is missing" }
    grep { !-f "sql/ids--$steps[$_]--$steps[$_ + 1].sql" } 0 .. $#steps - 1;

print STDERR map { "$_\n" } @wrong;
exit(@wrong ? 1 : 0);
