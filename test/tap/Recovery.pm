# Waiting for a server that restarts itself after a crash.
package Recovery;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(takes_connections);

# Whether the server takes connections again in time. A psql that it refused would end before its query is written to it,
# which ends the test.
sub takes_connections
{
	my ($node) = @_;
	my $late = time + $PostgreSQL::Test::Utils::timeout_default;
	while (time < $late)
	{
		return 1 if IPC::Run::run([ 'pg_isready', '-q', '-d', $node->connstr('postgres') ]);
		sleep 0.1;
	}
	return 0;
}

1;
