# Waiting for a server that restarts itself after a crash.
package Recovery;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(takes_connections);

# Waits until the server accepts connections; returns false if it does not do so in time. A refused psql would end before the test
# has written its query, which would end the test.
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
