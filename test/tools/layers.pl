#!/usr/bin/perl
# Checks what the files of src include: only files of their own folder and of the folders below it, and never in a circle.
use strict;
use warnings;

my %below = (
    core => [],
    pg => ['core'],
    generator => ['core', 'pg'],
    planner => ['core', 'pg'],
    type => ['core', 'pg', 'planner'],
    partitions => ['core', 'pg', 'planner', 'type', 'uuidv7'],
    # Every other folder belongs to a type: a codec, and functions that use it.
    codec => ['core'],
    functions => ['core', 'pg', 'planner', 'type', 'generator'],
    # The files in src itself.
    module => ['pg', 'generator'],
);

sub room {
    my ($folder, $ending) = @_;
    return 'module' if $folder eq 'src';
    return $folder if $below{$folder};
    return $ending eq 'hpp' ? 'codec' : 'functions';
}

my (%includes, @wrong);
for my $file (glob 'src/*.[ch]pp src/*/*.[ch]pp') {
    next if $file eq 'src/pg/postgres.hpp';
    my ($folder, $name, $ending) = $file =~ m{(\w+)/(\w+)\.(\w+)$};
    open my $source, '<', $file or die "$file: $!\n";
    while (<$source>) {
        my ($header) = /^#include "(.*)"/ or next;
        my ($room) = $header =~ m{^(\w+)/};
        push @wrong, "$file:$.: $header is not one of our headers, with its folder; include PostgreSQL's headers by pg/postgres.hpp"
            if !-f "src/$header";
        push @wrong, "$file:$.: $header is not below" if !grep { $_ eq ($room // '') } $folder, @{ $below{ room($folder, $ending) } };
        # A header and the source file of that name are one.
        $includes{"$folder/$name"}{ $header =~ s/\.hpp$//r } = 1 if $header ne "$folder/$name.hpp";
    }
}

my %done;
sub find_circle {
    my ($file, @way) = @_;
    if (grep { $_ eq $file } @way) {
        push @wrong, 'a circle: ' . join(' includes ', @way, $file);
        return;
    }
    return if $done{$file};
    find_circle($_, @way, $file) for sort keys %{ $includes{$file} // {} };
    $done{$file} = 1;
}
find_circle($_) for sort keys %includes;

print STDERR map { "$_\n" } @wrong;
exit(@wrong ? 1 : 0);
