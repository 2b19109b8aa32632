#!/usr/bin/perl
# Do the tests notice defects? Changes, drops or moves one line of src at a time, as a slip would, then builds and tests a copy in
# build/mutants, from the cheapest tests to the dearest, until one fails. A copy without a change must pass them all first.
# "make mutants" runs it; MUTANTS, SEED and FOLDERS choose the lines.
use strict;
use warnings;
use File::Basename;
use File::Path qw(make_path remove_tree);
use List::Util qw(shuffle sum0 uniq);
use Time::HiRes qw(time);

my ($mutants, $seed, $folders) = @ENV{qw(MUTANTS SEED FOLDERS)};
my $silent = 600;    # seconds without a line of output: the mutant hangs, which counts as noticed
my $home = 'build/mutants';
my ($tree, $pristine) = map { "$ENV{PWD}/$home/$_" } 'tree', 'pristine';
my $temporary = "/tmp/mutants.$$";    # short: the names of sockets in it are limited
$| = 1;

# What a change replaces, and by what. A line that several match has one of them, at one place.
my $statement = qr/\s+(?!return|throw|else|if|for|while|const|static|using)[\w:.>\[\]-]+(?:\(.*\)| \S?= .*);/;
my @in_code = (
    (map { my ($from, $to) = @$_; [ qr/(?<= )\Q$from\E(?= )/, sub { $to } ] }
        [ '<', '<=' ], [ '<=', '<' ], [ '>', '>=' ], [ '>=', '>' ], [ '==', '!=' ], [ '!=', '==' ], [ '&&', '||' ], [ '||', '&&' ],
        [ '+', '-' ], [ '-', '+' ], [ '<<', '>>' ], [ '>>', '<<' ], [ '&', '|' ], [ '|', '&' ], [ '+=', '-=' ], [ '-=', '+=' ]),
    [ qr/(?<![\w.'])\d+(?![\w.'])/, sub { $_[0] + 1 } ],
    [ qr/(?<![\w.'])[1-9]\d*(?![\w.'])/, sub { $_[0] - 1 } ],
    [ qr/\btrue\b/, sub { 'false' } ], [ qr/\bfalse\b/, sub { 'true' } ],
    [ qr/(?<=[ (])!(?=[\w(])/, sub { '' } ],
    [ qr/\b(?:std::min|Min)\(/, sub { $_[0] =~ s/min/max/r =~ s/Min/Max/r } ], [ qr/\b(?:std::max|Max)\(/, sub { $_[0] =~ s/max/min/r =~ s/Max/Min/r } ],
    [ qr/\?(?= )[^:?]+(?= ):[^:?;]+(?=;)/, sub { $_[0] =~ /^\? (.*) : (.*)$/ ? "? $2 : $1" : $_[0] } ],
    # An argument for another, half of the bits, a branch or a statement left out.
    [ qr/(?<=\()[\w.>-]+, [\w.>-]+(?=\))/, sub { join ', ', reverse split /, /, $_[0] } ],
    [ qr/\bu?int64_t\b/, sub { $_[0] =~ s/64/32/r } ], [ qr/\bUint128\b/, sub { 'std::uint64_t' } ],
    [ qr/\bif \((?=.*\) (?:\{|\S.*;)$)/, sub { 'if (false && ' } ],
    [ qr/^$statement$/, sub { ';' } ],
    # What other sessions may see meanwhile.
    [ qr/\bpg_(?:memory|read|write)_barrier\(\)/, sub { 'pg_compiler_barrier()' } ],
    [ qr/\bLW_EXCLUSIVE\b/, sub { 'LW_SHARED' } ], [ qr/\bBUFFER_LOCK_EXCLUSIVE\b/, sub { 'BUFFER_LOCK_SHARE' } ],
    [ qr/\b(\w+)ExclusiveLock\b/, sub { 'AccessShareLock' } ]);
my @in_sql = (
    [ qr/\bIMMUTABLE\b/, sub { 'STABLE' } ], [ qr/\bSTABLE\b/, sub { 'VOLATILE' } ], [ qr/\bVOLATILE\b/, sub { 'STABLE' } ],
    [ qr/ (?:STRICT|LEAKPROOF|HASHES|MERGES)\b/, sub { '' } ],
    [ qr/\bPARALLEL SAFE\b/, sub { 'PARALLEL RESTRICTED' } ], [ qr/\bPARALLEL (?:RESTRICTED|UNSAFE)\b/, sub { 'PARALLEL SAFE' } ],
    [ qr/, (?:COMMUTATOR|NEGATOR|RESTRICT|JOIN) = [^,)]+/, sub { '' } ], [ qr/ SUPPORT \S+(?=;)/, sub { '' } ],
    [ qr/\b(?:GRANT|REVOKE) .*;$/, sub { '' } ],
    [ qr/\bOPERATOR \d [^ ,;]+/, sub { $_[0] =~ /(.*)(<=|>=|<|>)$/ ? "$1$2" =~ s/<=$|>=$|<$|>$/{ '<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>' }->{$&}/er : "$_[0]$_[0]" } ],
    [ qr/^\s+FUNCTION \d+ .*?,$/, sub { '' } ],
    [ qr/ AS (?:IMPLICIT|ASSIGNMENT)\b/, sub { '' } ], [ qr/\b(?:WHERE|AND|OR|ON|IF) [^=<>]*\K(?: = | <> )/, sub { $_[0] eq ' = ' ? ' <> ' : ' = ' } ],
    [ qr/ AND /, sub { ' OR ' } ], [ qr/\bNOT /, sub { '' } ], [ qr/\bSET search_path[^;]*?(?= AS|;|$)/, sub { '' } ]);

sub slurp { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/ = undef; return scalar <$in> }
sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!\n"; print $out $text; close $out }

# The forms of a line that is changed. Comments and what is quoted stay as they are.
sub changes {
    my ($line, $operators, $comment) = @_;
    return if $line =~ /^\s*(?:#|$comment|static_assert|COMMENT)|\b(?:errmsg|errdetail|errhint|template|operator)\b/;
    (my $code = $line) =~ s/("|')((?:\\.|(?!\1).)*)\1/$1 . ('"' x length $2) . $1/ge;
    $code =~ s/$comment.*//;
    my @changes;
    for (@$operators) {
        my ($from, $to) = @$_;
        while ($code =~ /$from/g) {
            my ($at, $length) = ($-[0], $+[0] - $-[0]);
            my $new = $to->(substr $line, $at, $length);
            push @changes, substr($line, 0, $at) . $new . substr $line, $at + $length if $new ne substr $line, $at, $length;
        }
    }
    return @changes;
}

# A change for each line that carries a decision, in random order.
sub sample {
    my @lines;
    for my $file (sort glob 'src/*.[ch]pp src/*/*.[ch]pp src/*/*.sql src/*/*.sql.in') {
        my $folder = basename dirname $file;
        next if $folders && !grep { $_ eq $folder || "src/$folder" eq $_ || $file eq $_ } split ' ', $folders;
        my ($operators, $comment) = $file =~ /sql/ ? (\@in_sql, '--') : (\@in_code, '//');
        my @text = split /(?<=\n)/, slurp($file);
        for my $number (0 .. $#text) {
            chomp(my $line = $text[$number]);
            my @changes = changes($line, $operators, $comment);
            push @changes, "$text[ $number + 1 ]$line" if $operators == \@in_code && join("\n", $line, $text[ $number + 1 ] // "") =~ /^$statement\n$statement\n$/;
            push @lines, { file => $file, folder => $folder, number => $number, from => $line, to => $changes[ rand @changes ] } if @changes;
        }
    }
    return shuffle @lines;
}

# The tests of each folder, by the table "Where to look"; T is a type.
sub tests_of_folders {
    my %tests;
    my ($table) = slurp('CONTRIBUTING.md') =~ /^## Where to look\n(.*?)^## /ms;
    for (split /\n/, $table) {
        my (undef, undef, $where, $tested_by) = split /\|/ or next;
        push @{ $tests{$_} }, ($tested_by // '') =~ /`([^`]+)`/g for uniq(($where // '') =~ m{src/(\w+)}g);
    }
    return %tests;
}

# Runs a command in the copy, whose processes all end with it. Returns what failed, or '' if nothing did: the command stops at the
# first line of its output that tells it.
sub failure {
    my ($told_by, @command) = @_;
    remove_tree($temporary);
    make_path($temporary);
    chmod 01777, $temporary;
    my $pid = open(my $output, '-|') // die "fork: $!\n";
    if (!$pid) {
        chdir $tree or die "$tree: $!\n";
        delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS MUTANTS SEED FOLDERS)};
        $ENV{TMPDIR} = $temporary;
        open STDERR, '>&', \*STDOUT;
        open STDIN, '<', '/dev/null';
        exec 'unshare', ($> ? ('--user', '--map-current-user') : ()), qw(--pid --ipc --fork --kill-child --mount-proc), @command;
    }
    my ($told, $failed) = ('', '');
    while (!$failed) {
        vec(my $ready = '', fileno $output, 1) = 1;
        if (!select $ready, undef, undef, $silent) { $failed = 'hangs' }
        elsif (!sysread $output, $told, 65536, length $told) { last }
        elsif ($told =~ $told_by) { $failed = $1 // $& }
    }
    kill 'KILL', $pid if $failed;
    close $output;
    spew("$home/log", $told);
    remove_tree($temporary);
    return $failed || ($? ? 'fails' : '');
}

my @make = qw(make with_llvm=no);
my %of_folder = tests_of_folders();
my @all = map { basename $_ } sort glob 'test/tap/*.pl';

sub tests_for { my ($folder) = @_; return @{ $of_folder{ -f "sql/$folder.sql" ? 'T' : $folder } // [] } }

# The regression tests of a folder that run first. A row of the table that has T may be about a folder that is no type's, too.
sub first_regress {
    my ($folder) = @_;
    my @names = map { m{^(?:sql/)?(\w+)\.sql$} ? $1 eq 'T' ? $folder : $1 : m{regress/plans} ? 'plans' : () } tests_for($folder);
    return join ' ', grep { -f "sql/$_.sql" } uniq @names;
}

# How the mutant ends: the layer that noticed it, and which of its tests.
sub verdict {
    my ($mutant) = @_;
    my ($file, $folder) = @$mutant{qw(file folder)};
    if ($file =~ /sql/) {
        return ('does not build', '') if failure(qr/^$/, @make, '-s', 'sql');
    } else {
        my $failed = failure(qr/(static assertion failed)|\berror:/, @make, qw(-s -j2 all test-libraries WERROR=-Werror));
        return $failed =~ /static/ ? ('compiler', $failed) : ('does not build', '') if $failed;
        return ('same code', '') if !system 'cmp', '-s', "$tree/ids.so", "$pristine/ids.so";
    }
    my $noticed;
    return ('unit', $noticed) if $file =~ /hpp$/ && ($noticed = failure(qr/^(.* FAILED):?$|(static assertion failed)/m, @make, 'unit'));
    for my $names (grep { $_ } first_regress($folder), ' ') {
        return ('regress', $noticed) if $noticed = failure(qr/^test (\w+) .*FAILED|^not ok.* (\w+)/m, @make, 'regress', $names eq ' ' ? () : "REGRESS=$names");
    }
    my @tap = grep { /\.pl$/ && -f "test/tap/$_" } uniq((map { basename $_ } map { glob 'test/tap/' . basename $_ } tests_for($folder)), @all);
    return ('servers', $noticed) if $noticed = failure(qr{^#\s+at test/tap/(\w+\.pl) line|^Dubious.*}m, @make, 'tap', 'TESTS=' . join ' ', map { "test/tap/$_" } @tap);
    return ('survives', '');
}

srand $seed;
my @sample = sample();
splice @sample, $mutants if @sample > $mutants;
printf "%d mutants; SEED=%s repeats them\n", scalar @sample, $seed;

remove_tree($home);
make_path("$home/pristine");
# Without the digests of the released scripts: a mutant of SQL makes other ones.
system("tar --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.bc' --exclude='*.d' --exclude='*.so' --exclude=released.sha256 "
    . "-cf - . | tar -C '$pristine' -xf -") == 0 or die "no copy\n";
rename $pristine, $tree or die;
failure(qr/^$/, @make, @$_) && die slurp("$home/log") for [ qw(-s -j2 all test-libraries WERROR=-Werror) ], [qw(unit)],
  (map { [ 'regress', "REGRESS=$_" ] } uniq grep { $_ } map { first_regress($_->{folder}) } @sample), [qw(regress)], [qw(tap)];
rename $tree, $pristine or die;

my @verdicts = ('compiler', 'unit', 'regress', 'servers', 'survives', 'same code', 'does not build');
my (%count, $survivors);
for my $mutant (@sample) {
    my $began = time;
    remove_tree($tree);
    system('cp', '-a', $pristine, $tree) == 0 or die "no copy\n";
    my @lines = split /(?<=\n)/, slurp("$tree/$mutant->{file}");
    splice @lines, $mutant->{number}, 1 + $mutant->{to} =~ tr/\n//, "$mutant->{to}\n";
    spew("$tree/$mutant->{file}", join '', @lines);
    my ($verdict, $by) = verdict($mutant);
    ++$count{ $mutant->{folder} }{$verdict};
    my $diff = sprintf "%s:%d\n-%s\n+%s\n", $mutant->{file}, $mutant->{number} + 1, @$mutant{qw(from to)};
    printf "%s%s %s, %d s\n\n", $diff, $verdict, $by, time - $began;
    $survivors .= "$diff\n" if $verdict eq 'survives';
}
remove_tree($tree);

printf "\nSurvivors:\n\n%s", $survivors // '';
printf '%-12s' . ' %14s' x @verdicts . "%10s\n", 'folder', @verdicts, 'noticed';
for my $folder (sort keys %count) {
    my ($noticed, $survived) = (sum0(map { $_ // 0 } @{ $count{$folder} }{ @verdicts[ 0 .. 3 ] }), $count{$folder}{survives} // 0);
    printf '%-12s' . ' %14d' x @verdicts . "%9s%%\n", $folder, (map { $_ // 0 } @{ $count{$folder} }{@verdicts}),
      $noticed + $survived ? int 100 * $noticed / ($noticed + $survived) : '-';
}
