# Databases of several encodings: every type, and every function of text, refuses characters that are not
# ASCII, also if the text comes in binary format, with messages that the client can read.
use strict;
use warnings;
use Encode qw(from_to);
use Generators;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The tests write what they send and expect in UTF-8: characters of two, three and four bytes.
my %characters = (
	UTF8 => [ 'é', 'あ', '😀' ],
	LATIN1 => ['é'],
	EUC_JP => [ 'あ', '漢' ],
	SQL_ASCII => [ 'é', '😀' ]);

my %perl_name = (utf8 => 'UTF-8', latin1 => 'ISO-8859-1', euc_jp => 'EUC-JP');

# Functions of a text: the call, what the message says is invalid, and the digits it wants.
my @functions = (
	[ q{tbsl_from_base('%s', 36)}, 'input syntax for type tbsl', 'base 36 digit' ],
	[ q{tbsl_from_base('%s', 58)}, 'input syntax for type tbsl', 'base 58 digit' ],
	[ q{ids_base62_decode('%s')}, 'input syntax for base 62 number', 'base 62 digit' ],
	[ q{codokey_extract_timestamp('%s')}, 'codokey', 'base 36 digit' ],
	[ q{codokey_range('%s')}, 'codokey', 'base 36 digit' ],
	[ q{codokey_unit('%s')}, 'codokey', 'base 36 digit' ]);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# A client of SQL_ASCII sends and gets the bytes of the database.
sub converts
{
	my ($database, $client) = @_;
	return $client eq 'SQL_ASCII' && $database ne 'sql_ascii';
}

# The error message of an expression or a COPY, for a client with the database's encoding or UTF-8.
my %session;
sub message
{
	my ($database, $client, $query) = @_;
	local $ENV{PGCLIENTENCODING} = $client;
	my $session = $session{"$database $client"} //= $node->background_psql($database, on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	my $converts = converts($database, $client);
	from_to($query, 'UTF-8', $perl_name{$database}) if $converts;
	$session->{stderr} = '';
	$session->query($query =~ /^COPY/ ? $query : "SELECT $query");
	my $message = $session->{stderr};
	from_to($message, $perl_name{$database}, 'UTF-8') if $converts;
	$message =~ s/^psql:<stdin>:\d+: //;
	return $message;
}

# The same for bytes that are sent in binary format as an id of the type.
sub message_of_binary
{
	my ($database, $client, $type, $bytes) = @_;
	my $file = $node->basedir . '/binary';
	open(my $handle, '>:raw', $file) or die "$file: $!";
	print $handle "PGCOPY\n\xff\r\n\0", pack('NN n N/a n', 0, 0, 1, $bytes, 0xffff);
	close $handle;
	return message($database, $client, "COPY received_$type FROM '$file' (FORMAT binary)");
}

# The length of each type's text and of its bytes, and what it calls its digits.
my (%size, %bytes, %digit);
$node->safe_psql('postgres', 'CREATE EXTENSION ids');
foreach my $type (@types)
{
	$size{$type} = $node->safe_psql('postgres', "SELECT length(gen_$type()::text)");
	$bytes{$type} = $node->safe_psql('postgres', "SELECT length(gen_$type()::bytea)");
	($digit{$type}) = message('postgres', 'UTF8', "overlay(gen_$type()::text PLACING '?' FROM 1)::$type") =~ /"\?" at position 1 is not a (.*)\.\n/;
}

foreach my $encoding (sort keys %characters)
{
	my $database = lc $encoding;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	$node->safe_psql($database, 'CREATE EXTENSION ids');
	my $expected = sub {
		my ($invalid, $text, $before, $character, $digit) = @_;
		my $name = $encoding eq 'SQL_ASCII' ? sprintf('Byte 0x%02x', ord $character) : qq{Character "$character"};
		my $detail = sprintf '%s at position %d is not a %s.', $name, $before + 1, $digit;
		return qr/^ERROR:  22P02: invalid \Q$invalid\E: "\Q$text\E"\n.*DETAIL:  \Q$detail\E\n/s;
	};
	my $legible = sub {
		my ($what, $query, @expected) = @_;
		like(message($database, $_, $query), $expected->(@expected), "$encoding, $_ client: $what") foreach ('UTF8', 'SQL_ASCII');
	};
	$node->safe_psql($database, "CREATE TABLE received_$_ (id $_)") foreach keys %size;

	foreach my $character (@{ $characters{$encoding} })
	{
		my $bytes = length $character;
		foreach my $type (sort keys %size)
		{
			# As long in characters or in bytes as a value, or shorter.
			foreach my $place ([ 0, $size{$type} - 1 ], [ 5, $size{$type} - 5 - $bytes ], [ 3, 0 ])
			{
				my ($before, $after) = @$place;
				my $text = '0' x $before . $character . '0' x $after;
				$legible->("$type, $before digits before $bytes bytes", "('$text')::text::$type", "input syntax for type $type", $text, $before, $character, $digit{$type});
			}
			# In binary format, as long in the client's bytes as a text, or as \\x and the hexadecimal digits.
			foreach my $client ('UTF8', 'SQL_ASCII')
			{
				my $sent = $character;
				from_to($sent, 'UTF-8', $perl_name{$database}) if converts($database, $client);
				foreach my $form ([ '00000', $size{$type}, $digit{$type} ], [ '\x000', 2 + 2 * $bytes{$type}, 'hexadecimal digit' ])
				{
					my ($before, $length, $digit) = @$form;
					my $after = '0' x ($length - length($before . $sent));
					# In the database's encoding the length may be different.
					from_to(my $stored = $character, 'UTF-8', $perl_name{$database} // 'UTF-8');
					$digit = $digit{$type} if length $stored != length $sent;
					like(message_of_binary($database, $client, $type, "$before$sent$after"),
						$expected->("input syntax for type $type", "$before$character$after", length $before, $character, $digit),
						"$encoding, $client client: $type in binary, $length bytes");
				}
			}
			my $text = "1$character$character";
			$legible->("$type, two characters", "('$text')::text::$type", "input syntax for type $type", $text, 1, $character, $digit{$type});
		}
		foreach my $function (@functions)
		{
			my ($call, $invalid, $digit) = @$function;
			my $text = "z$character";
			$text .= '1' if $call =~ /codokey/;
			# SQL_ASCII has no characters, so the error is about the key's length in bytes.
			$legible->("$call", sprintf($call, $text), $invalid, $text, 1, $character, $digit) unless $encoding eq 'SQL_ASCII' && $call =~ /codokey/ && length $text > 5;
		}
		like(message($database, 'UTF8', "codokey(now(), '$character')"), qr/^ERROR:  22023: invalid codokey unit: "\Q$character\E"\n/, "$encoding: codokey, unit");
		is($node->safe_psql($database, "SET client_encoding = 'UTF8'; SELECT codokey_is_valid('yj$character')"), 'f', "$encoding: codokey_is_valid");
	}

	# Bytes that are not a character in the client's encoding: the same error as for a type of PostgreSQL itself.
	my ($ours) = message($database, 'UTF8', "E'0\\xff0'::ulid") =~ /^(ERROR:  \w+)/;
	my ($theirs) = message($database, 'UTF8', "E'0\\xff0'::uuid") =~ /^(ERROR:  \w+)/;
	is($ours, $theirs, "$encoding: a byte that is not a character") unless $encoding eq 'LATIN1';
	foreach my $type (sort keys %size)
	{
		my ($binary) = message_of_binary($database, 'UTF8', $type, "0\xff" . '0' x ($size{$type} - 2)) =~ /^(ERROR:  \w+)/;
		is($binary, 'ERROR:  22021', "$encoding: $type in binary with a byte that is not a character");
		($binary) = message_of_binary($database, 'UTF8', $type, "\0" x $size{$type}) =~ /^(ERROR:  \w+)/;
		is($binary, 'ERROR:  22021', "$encoding: $type in binary with bytes of zero");
	}
}

$_->quit foreach values %session;
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'no crash');
done_testing();
