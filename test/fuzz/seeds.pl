# Writes the vectors as files for the fuzzers: seeds.pl TO makes TO/TARGET/NUMBER. A target gets the vectors of the type whose
# header it includes, each field as text and, if it is a number, as bytes.
use strict;
use warnings;

my ($to) = @ARGV;

# A field and, if it is a number, its bytes in the forms that recv and the input accept.
sub forms
{
	my ($text) = @_;
	my @hex = ($text =~ /^([0-9a-f]{2})+$/i ? $text : (), $text =~ /^[1-9][0-9]{0,19}$/ ? sprintf('%016x', $text) : ());
	return ($text, map { (pack('H*', $_), "\\x$_") } @hex);
}

# The rows of a file as hashes; nulls are left out.
sub rows
{
	my ($name) = @_;
	my %escape = (t => "\t", n => "\n", r => "\r");
	open(my $handle, '<:raw', $name) or die "$name: $!";
	my ($names, @rows) = map { [ split /\t/, s/\n$//r, -1 ] } <$handle>;
	return map {
		my %row;
		@row{@$names} = map { s/\\(.)/$escape{$1} \/\/ $1/ger } map { $_ eq '\N' ? '' : $_ } @$_;
		\%row;
	} @rows;
}

# Codokey's keys and times follow their context.
sub codokey
{
	my ($row) = @_;
	my $context = pack('l>3', @$row{qw(since_year until_year until_split)});
	return ($context . ($row->{key} // ''), length($row->{unix_s} // '') ? $context . pack('q>l>', $row->{unix_s} * 32768, $row->{nanos}) : ());
}

foreach my $source (<test/fuzz/*.cpp>)
{
	my ($target) = $source =~ /(\w+)\.cpp$/;
	open(my $handle, '<', $source) or die "$source: $!";
	my ($type) = join('', <$handle>) =~ m{^#include "(\w+)/\1\.hpp"}m or die "$source includes no type";
	my %seed;
	foreach my $row (map { rows($_) } grep { /\/${type}[._]/ } <test/vectors/*.tsv>)
	{
		$seed{$_} = 1 foreach $type eq 'codokey' ? codokey($row) : map { forms($_) } grep { length $_ <= 64 } values %$row;
	}
	mkdir "$to/$target";
	my $count = 0;
	foreach my $seed (sort keys %seed)
	{
		open(my $file, '>:raw', "$to/$target/" . ++$count) or die "$to/$target: $!";
		print $file $seed;
		close $file or die "$to/$target: $!";
	}
}
