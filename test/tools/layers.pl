#!/usr/bin/perl
# Checks what the files of src include and call: only what is in their own folder and in the folders below it. They never include
# each other in a circle. The object files show the calls. There is room in shared memory for each generator, and a column of its own.
use strict;
use warnings;

my %below = (
    core => [],
    pg => [],
    generator => ['core', 'pg'],
    planner => ['core', 'pg'],
    type => ['core', 'pg', 'planner'],
    partitions => ['core', 'pg', 'planner'],
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

# Whether files of the room with that ending may use another room.
sub may_use {
    my ($folder, $ending, $other) = @_;
    return grep { $_ eq $other } $folder, @{ $below{ room($folder, $ending) } };
}

my (%includes, %taken, @generators, @wrong);
for my $file (glob 'src/*.[ch]pp src/*/*.[ch]pp') {
    next if $file eq 'src/pg/postgres.hpp';
    my ($folder, $name, $ending) = $file =~ m{(\w+)/(\w+)\.(\w+)$};
    open my $source, '<', $file or die "$file: $!\n";
    while (<$source>) {
        push @generators, "$file:$." if /TickLayout kLayout\b/;
        push @wrong, "$file:$.: column $1 has another generator" if /kColumn = (\d+)/ && $taken{$1}++;
        my ($header) = /^#include "(.*)"/ or next;
        my ($room) = $header =~ m{^(\w+)/};
        push @wrong, "$file:$.: $header is not one of our headers, with its folder; include PostgreSQL's headers by pg/postgres.hpp"
            if !-f "src/$header";
        push @wrong, "$file:$.: $header is not below" if !may_use($folder, $ending, $room // '');
        # A header and the source file of that name are one.
        $includes{"$folder/$name"}{ $header =~ s/\.hpp$//r } = 1 if $header ne "$folder/$name.hpp";
    }
}

open my $state, '<', 'src/generator/shared_state.hpp' or die "shared_state.hpp: $!\n";
my ($room) = join('', <$state>) =~ /kGenerators = (\d+);/ or die "shared_state.hpp has no kGenerators\n";
push @wrong, "$generators[$room]: shared memory has room for $room generators" if @generators > $room;

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

my (%room_of, @calls);
for my $object (glob 'src/*.o src/*/*.o') {
    my ($folder) = $object =~ m{(\w+)/\w+\.o$};
    open my $symbols, '-|', 'nm', '-PC', $object or die "nm: $!\n";
    while (<$symbols>) {
        my ($symbol, $kind) = /^(.*?) ([A-Za-z])\b[ 0-9a-f]*$/ or next;
        $room_of{$symbol} = $folder if $kind =~ /[BDRT]/;
        push @calls, [ $object, $folder, $symbol ] if $kind eq 'U';
    }
}
die "Nothing is built yet: run make\n" if !@calls;
for (@calls) {
    my ($object, $folder, $symbol) = @$_;
    my $room = $room_of{$symbol} // next;
    push @wrong, "$object: $symbol is in $room, which is not below" if !may_use($folder, 'cpp', $room);
}

print STDERR map { "$_\n" } @wrong;
exit(@wrong ? 1 : 0);
