# Writes the inputs of test/vectors as files for the fuzzers: seeds.pl FROM TO makes TO/TARGET/NUMBER.
use strict;
use warnings;

my ($from, $to) = @ARGV;
my %count;

sub seed
{
	my ($target, $bytes) = @_;
	mkdir "$to/$target";
	my $file = "$to/$target/" . ++$count{$target};
	open(my $handle, '>:raw', $file) or die "$file: $!";
	print $handle $bytes;
	close $handle or die "$file: $!";
}

# An id's bytes as recv and as the input take them.
sub bytes
{
	my ($target, $hex) = @_;
	seed($target, pack('H*', $hex));
	seed($target, "\\x$hex");
}

# Calls $use with each row of a file as a hash; nulls are undefined.
sub rows
{
	my ($name, $use) = @_;
	my %escape = (t => "\t", n => "\n", r => "\r");
	open(my $handle, '<:raw', "$from/$name.tsv") or die "$from/$name.tsv: $!";
	my @names = split /\t/, <$handle> =~ s/\n$//r;
	while (<$handle>)
	{
		my %row;
		@row{@names} = map { $_ eq '\N' ? undef : s/\\(.)/$escape{$1} \/\/ $1/ger } split /\t/, s/\n$//r, -1;
		$use->(\%row);
	}
}

rows('ulid_parse', sub { seed('ulid', $_[0]{input}) });
rows('ulid_encode', sub { bytes('ulid', $_[0]{bytes_hex}) if $_[0]{bytes_hex} });
rows('scru160_parse', sub { seed('scru160', $_[0]{input}) });
rows('scru160_encode', sub { bytes('scru160', $_[0]{hex}); seed('scru160', $_[0]{base32hex}) });
rows('tbsl_parse', sub { seed('tbsl', $_[0]{input}) });
rows('tbsl', sub { bytes('tbsl', $_[0]{text}) if $_[0]{text} });
rows('tbsl_base', sub { seed('tbsl_base', $_[0]{encoded}) });
rows('snowflake_decode', sub { seed('snowflake', $_[0]{input}); seed('base62', $_[0]{input}) });
rows('snowflake', sub { bytes('snowflake', sprintf '%016x', $_[0]{uint64}) if $_[0]{uint64} });
rows('snowflake_base62', sub { seed('base62', $_[0]{base62}); seed('base62', $_[0]{base62_upper_first}) });
rows('codokey_decode', sub { seed('codokey', pack('l>3a*', @{ $_[0] }{qw(since_year until_year until_split key)})) });
rows('codokey_encode', sub {
	seed('codokey', pack('l>3q>l>', @{ $_[0] }{qw(since_year until_year until_split)}, $_[0]{unix_s} * 32768, $_[0]{nanos}));
});
