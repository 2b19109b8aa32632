# A recipe of a document, as people paste it: one of its statements fails and psql goes on, with ON_ERROR_ROLLBACK or without BEGIN; it runs
# twice; policies hide rows from the owner who runs it; dates are written in another order and zone; a superuser runs it who has a schema
# of the same name. After each, no row is lost or altered. The tables can be used as before, and as the recipe promises if it said no error.
package Recipes;
use strict;
use warnings;
use Databases;
use Exporter 'import';
use IPC::Run;
use Test::More;

our @EXPORT = qw(recipe);

# What psql prints for a script in which errors do not end it.
sub psql
{
	my ($name, $role, $script) = @_;
	IPC::Run::run([ 'psql', '-XAt', '-v', 'SHOW_CONTEXT=never', $role ? ('-U', $role) : (), '-d', $node->connstr($name) ], '<', \$script, '>&', \my $told);
	return $told =~ s/^(psql:<stdin>:\d+: )?WARNING: .*\n//gmr;
}

# The statements of a script, each with what stands before it.
sub split_script
{
	my ($script) = @_;
	my $token = qr{'[^']*'|"[^"]*"|\$(\w*)\$.*?\$\g{-1}\$|/\*.*?\*/|--[^\n]*|/(?!\*)|-(?!-)|[^;\\'"\$/-]|\$(?!\w*\$)}s;
	my @statements;
	push @statements, $1 while $script =~ m{\G((?:$token)*?(?:(?<=FROM STDIN);\n.*?^\\\.\n|;|\\g(?:exec|set)[^\n]*))}gsm;
	my $rest = substr $script, length join '', @statements;
	die "not a statement: $rest" if $rest !~ m{\A(?:\s|--[^\n]*\n|/\*.*?\*/)*\z}s;
	return @statements;
}

# Rows that are lost or altered, though columns may come; partitions of which the owner or the schema is not that of their table; views
# that show what their maker may see.
my $lost = q{SELECT 'lost', b.* FROM (TABLE kept.before EXCEPT SELECT * FROM kept.rows()) b
	WHERE NOT EXISTS (SELECT FROM kept.rows() a WHERE a.in_table = b.in_table AND a.kept @> b.kept);
SELECT 'strange', inhrelid::regclass FROM pg_inherits JOIN pg_class p ON p.oid = inhparent JOIN pg_class c ON c.oid = inhrelid
	WHERE (p.relowner, p.relnamespace) <> (c.relowner, c.relnamespace);
SELECT 'strange', oid::regclass FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace AND coalesce(reloptions::text, '') !~ 'security_invoker=true'};
my $rows = q{DECLARE t regclass; BEGIN
	FOR t IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace LOOP
		RETURN QUERY EXECUTE format('SELECT %L, to_jsonb(t) FROM %s t', t, t);
	END LOOP; END};
my $hide = q{SELECT format('CREATE POLICY hide ON %1$s USING (hashtext(%2$I::text) %% 2 = 0) WITH CHECK (true); ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
	oid::regclass, relname) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace \gexec};

# Runs the blocks of a recipe. setup: SQL of the owner before it. use: rows that can be inserted afterwards, and then updated, read and
# deleted, each as 'table (key, ...) VALUES ...'; later: the same, once the recipe has ended. rows: a query of what must be the same before
# and after, otherwise all rows of all tables. goes: what may be lost. busy: no statement may wait long for a reader. effect: a query of
# what the recipe makes, and its result whenever no error is said. refused: the error that it is to say. by: the role that runs it, a superuser if it is ''.
my $recipes = 0;
sub recipe
{
	my ($name, $script, %recipe) = @_;
	my @statements = split_script($script);
	my @plain = map { s{\A(\s|--[^\n]*\n|/\*.*?\*/)*(?:BEGIN|COMMIT)\b[^;]*;\z}{}rs } @statements;
	my $by = $recipe{by} // 'owner';
	begin('recipe_' . ++$recipes);
	sql("GRANT ALL ON SCHEMA public TO owner; GRANT CREATE ON DATABASE $database TO owner");
	my $told = psql($database, 'owner', $recipe{setup} // '');
	die "$name: $told" if $told =~ /ERROR/;
	my $body = $recipe{rows} ? "BEGIN RETURN QUERY EXECUTE \$q\$SELECT '', to_jsonb(x) FROM ($recipe{rows}) x\$q\$; END" : $rows;
	sql("CREATE SCHEMA kept; CREATE FUNCTION kept.rows() RETURNS TABLE (in_table text, kept jsonb) LANGUAGE plpgsql AS \$\$ $body \$\$;
		CREATE TABLE kept.before AS SELECT * FROM kept.rows()");

	my @variations = ([ 'untouched', '' ], [ 'as written', @statements ], [ 'without BEGIN', @plain ], [ 'twice', @statements ], [ 'other settings', @statements ],
		[ 'hidden rows', @statements ], [ 'a superuser', @statements ]);    # the last two need tables of before
	splice @variations, 5 unless $recipe{setup};
	push @variations, [ 'beside a reader', "SET statement_timeout = '20s';\n", @statements ] if $recipe{busy};
	splice @variations, 2, $recipe{refused} ? @variations - 2 : 1 if $recipe{refused} || "@plain" eq "@statements";
	my @ways = [ 'no BEGIN', '', @plain ];
	push @ways, [ 'ON_ERROR_ROLLBACK', "\\set ON_ERROR_ROLLBACK on\n", @statements ] if "@plain" ne "@statements";
	foreach my $n ($recipe{refused} || !$recipe{setup} ? () : 0 .. $#statements)
	{
		foreach (@ways)
		{
			my ($how, @script) = @$_;
			my ($what) = $statements[$n] =~ /(\S[^\n]*)\n*\z/;
			$script[ $n + 1 ] = "\nSELECT 1 / 0;";
			push @variations, [ "$how, and this fails: $what", @script ] if $plain[$n];
		}
	}
	my %roles = map { $_ => 1 } split /\n/, sql('SELECT rolname FROM pg_roles');
	my (%usable, %may_go);
	foreach (@variations)
	{
		my ($variation, @script) = @$_;
		my $script = join '', @script, "\n";
		my $role = $variation eq 'a superuser' ? '' : $by;
		$node->safe_psql('postgres', "CREATE DATABASE pasted TEMPLATE $database");
		psql('pasted', '', $hide) if $variation eq 'hidden rows';
		psql('pasted', '', 'CREATE SCHEMA AUTHORIZATION CURRENT_USER; CREATE SCHEMA AUTHORIZATION owner') if $variation eq 'a superuser';
		my $reader = $variation eq 'beside a reader' && $node->background_psql('pasted');
		$reader->query_safe("BEGIN; TABLE $1 LIMIT 1") if $reader && $recipe{use}[0] =~ /^(\S+)/;
		{
			local @ENV{ 'PGTZ', 'PGDATESTYLE' } = $variation eq 'other settings' ? ('Asia/Kolkata', 'SQL, DMY') : ('UTC', 'ISO');
			$told = psql('pasted', $role, $script);
			if ($variation eq 'twice')
			{
				psql('pasted', '', 'TRUNCATE kept.before; INSERT INTO kept.before SELECT * FROM kept.rows()');
				$told .= psql('pasted', $role, $script);
			}
		}
		$reader->quit if $reader;
		my @wrong = grep { !$may_go{$_} } split /\n/, psql('pasted', '', $lost);
		push @wrong, 'it waits' if $told =~ /statement timeout/;
		if ($variation =~ /as written|a superuser/)
		{
			%may_go = map { $_ => 1 } grep { $recipe{goes} && /$recipe{goes}/ } @wrong;
			my @errors = $told =~ /^ERROR:  .*/mg;
			push @wrong, $recipe{refused} ? (grep { !/$recipe{refused}/ } $errors[0] // 'not refused') : @errors;
			@wrong = grep { !$may_go{$_} } @wrong;
		}
		if ($recipe{effect} && $variation !~ /untouched|twice/ && $told !~ /ERROR/)
		{
			my $is = psql('pasted', '', "\\set QUIET\n$recipe{effect}[0]") =~ s/\n/ /gr;
			push @wrong, "the effect is $is" if $is !~ /^$recipe{effect}[1] ?$/;
		}
		foreach my $use (@{ $recipe{use} // [] }, @{ $recipe{later} // [] })
		{
			my ($table, $key) = $use =~ /^(\S+) \((\w+)/ or die "not understood: $use";
			my $used = psql('pasted', $variation eq 'hidden rows' ? '' : 'owner', "INSERT INTO $use RETURNING $key AS made \\gset
				UPDATE $table SET $key = $key WHERE $key = :'made'; SELECT count(*) FROM $table WHERE $key = :'made'; DELETE FROM $table WHERE $key = :'made';");
			my $works = $used =~ /^INSERT 0 1\nUPDATE 1\n1\nDELETE 1$/;
			$usable{$use} = $works if $variation eq 'untouched' && grep { $_ eq $use } @{ $recipe{use} // [] };
			push @wrong, "cannot be used: $use: $used" if !$works && ($usable{$use} || $variation eq 'twice' || $told !~ /ERROR/);
		}
		is(join("\n", @wrong), '', "$name: $variation") or diag $told if $variation ne 'untouched';
		$node->safe_psql('postgres', 'DROP DATABASE pasted WITH (FORCE)');
		$node->safe_psql('postgres', "DROP ROLE $_") foreach grep { !$roles{$_} } split /\n/, sql('SELECT rolname FROM pg_roles');
	}
}

1;
