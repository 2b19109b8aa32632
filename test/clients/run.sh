#!/bin/bash
# Runs each client against the server in PGHOST, PGPORT ..., each in a database of its own, because all of them make a table
# item. It connects as the database's owner, who is not a superuser and has created the extension. A client prints its name and
# version, and exits with 0 if all results are right; otherwise its output is shown. A client that lacks a package is left out
# with a message. CLIENTS="psycopg rails" runs only these.
#   test/clients/run.sh packages      only prints the packages that are missing
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=${1:-run}
build=build/test/clients
failed=0

# Whether there is a package of Debian, its command, or its module for Debian's Python; or a package of npm, as npm:PACKAGE;
# or a library of Elixir, as elixir:LIBRARY, in a folder that ERL_LIBS names; or a class of Java, as java:CLASS, in CLASSPATH.
has() {
  case $1 in
    npm:*) cmp -s test/clients/package-lock.json $build/package-lock.json && [ -d "$build/node_modules/${1#npm:}" ] ;;
    elixir:*) command -v elixir >/dev/null && elixir -e ":ok = Application.load(:${1#elixir:})" 2>/dev/null ;;
    java:*) command -v javap >/dev/null && javap "${1#java:}" >/dev/null 2>&1 ;;
    rustc | cargo) [ -x "/usr/bin/$1" ] ;;
    python3-*) /usr/bin/python3 -c "import ${1#python3-}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null || dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed ;;
  esac
}

client() { # name packages command
  local name=$1 missing=() package output
  [[ -z ${CLIENTS:-} || " $CLIENTS " == *" $name "* ]] || return 0
  for package in $2; do has "$package" || missing+=("$package"); done
  if [ "$mode" = packages ]; then
    printf '%s\n' ${missing[@]+"${missing[@]}"}
  elif [ ${#missing[@]} -gt 0 ]; then
    echo "$name: left out, because these packages are missing: ${missing[*]}"
  else
    createdb -O "$owner" "$name"
    PGUSER=$owner psql -qd "$name" -c 'CREATE EXTENSION ids'
    if output=$(PGUSER=$owner PGDATABASE=$name "${@:3}" 2>&1); then
      echo "$output: ok"
    else
      printf '%s: FAILED\n%s\n' "$name" "$output"
      failed=1
    fi
  fi
}

# Go takes Debian's modules, and lib/pq refuses a variable that pg_virtualenv sets.
go_run() {
  env -u PGSYSCONFDIR GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$PWD/$build/go" go run "test/clients/$1"
}

# Rust takes Debian's crates. SQLx checks SQL at compile time, in the database of DATABASE_URL.
rust_run() { # client dependencies
  local project=$build/rust/$1
  mkdir -p "$project/src" "$project/.cargo"
  cp "test/clients/rust-$1.rs" "$project/src/main.rs"
  printf '%s\n' '[package]' "name = \"$1\"" 'version = "0.0.0"' 'edition = "2021"' '[dependencies]' "${@:2}" >"$project/Cargo.toml"
  printf '%s\n' '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' 'directory = "/usr/share/cargo/registry"' \
    '[build]' 'target-dir = "../target"' >"$project/.cargo/config.toml"
  (cd "$project" && DATABASE_URL="postgres://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT/$PGDATABASE" PATH=/usr/bin:$PATH cargo run --quiet --offline)
}

# JPA and Hibernate find classes by their names.
java_run() { # class path
  local classes=$build/java/$1
  mkdir -p "$classes"
  javac -proc:none -nowarn -d "$classes" -cp "$2" "test/clients/$1.java" && java -ea -cp "$2:$classes" "$1"
}

jpa_run() {
  local jars=/usr/share/java
  mkdir -p $build/java/Jpa/META-INF
  cat >$build/java/Jpa/META-INF/persistence.xml <<'END'
<persistence xmlns="http://xmlns.jcp.org/xml/ns/persistence" version="2.1">
  <persistence-unit name="shop"><class>Customer</class><class>Item</class><class>Jpa$Ids</class></persistence-unit>
</persistence>
END
  java_run Jpa $jars/postgresql.jar:$jars/eclipselink.jar:$jars/eclipselink-jpa-2.1-spec.jar:$jars/org.eclipse.persistence.jpa.jpql.jar
}

haskell_run() {
  mkdir -p $build/haskell
  ghc -v0 -O0 -outputdir $build/haskell -o "$build/haskell/${1%.hs}" "test/clients/$1" && "$build/haskell/${1%.hs}"
}

cpp_run() {
  g++ -std=c++17 -Wno-deprecated-declarations -o $build/libpqxx test/clients/cpp-libpqxx.cpp -lpqxx -lpq && $build/libpqxx
}

# The variables keep Prisma from downloading engines that the client does without.
prisma_run() {
  (cd $build && CHECKPOINT_DISABLE=1 PRISMA_SCHEMA_ENGINE_BINARY=/bin/true PRISMA_QUERY_ENGINE_LIBRARY=/bin/true \
    npx prisma generate --schema node-prisma.prisma) >$build/prisma.log 2>&1 || { cat $build/prisma.log; return 1; }
  node $build/node-prisma.mjs
}

# With a standby of the server, and its connection string in STANDBY.
with_standby() {
  local directory port bin as=() status=0
  bin=$("${PG_CONFIG:-pg_config}" --bindir)
  directory=$(mktemp -d -t ids.standby.XXXXXX)
  port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
  if [ "$(id -u)" = 0 ]; then
    as=(runuser -u postgres --)
    chown postgres "$directory"
  fi
  PGUSER=$superuser ${as[@]+"${as[@]}"} "$bin/pg_basebackup" -D "$directory/data" --write-recovery-conf --no-sync --checkpoint=fast
  PGUSER=$superuser psql -XAtq -c "SELECT format('%s = %L', name, setting) FROM pg_settings
    WHERE name ~ '^max_(connections|worker_processes|wal_senders|prepared_transactions|locks_per_transaction)$'
    OR name IN ('dynamic_library_path', 'extension_control_path', 'extension_destdir')" >"$directory/data/postgresql.conf"
  printf '%s\n' "port = $port" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" >>"$directory/data/postgresql.conf"
  echo 'host all all 127.0.0.1/32 scram-sha-256' >"$directory/data/pg_hba.conf"
  touch "$directory/data/pg_ident.conf"
  ${as[@]+"${as[@]}"} "$bin/pg_ctl" -w -s -D "$directory/data" -l "$directory/log" start || { cat "$directory/log"; status=1; }
  [ $status != 0 ] || STANDBY="host=127.0.0.1 port=$port" "$@" || status=$?
  ${as[@]+"${as[@]}"} "$bin/pg_ctl" -w -s -D "$directory/data" stop -m immediate
  rm -rf "$directory"
  return $status
}

superuser=${PGUSER:-}
owner=app
if [ "$mode" = run ]; then psql -q -v password="$PGPASSWORD" <<<"CREATE ROLE $owner LOGIN PASSWORD :'password'"; fi

# Node looks for modules beside the file that imports them, and they must not be in the source tree.
mkdir -p $build
cp test/clients/*.mjs test/clients/*.prisma $build

# Debian's Python, because another one does not find Debian's packages.
client psycopg2 'python3-psycopg2' /usr/bin/python3 test/clients/python-psycopg2.py "$PWD/doc/managed.sql"
client psycopg 'python3-psycopg' /usr/bin/python3 test/clients/python-psycopg.py
client worker 'python3-psycopg' /usr/bin/python3 test/clients/python-worker.py
client worker-standby 'python3-psycopg' with_standby /usr/bin/python3 test/clients/python-worker.py
client sqlalchemy 'python3-sqlalchemy python3-alembic python3-psycopg2' /usr/bin/python3 test/clients/python-sqlalchemy.py
client asyncpg 'python3-asyncpg' /usr/bin/python3 test/clients/python-asyncpg.py
client sqlmodel 'python3-sqlmodel python3-psycopg2' /usr/bin/python3 test/clients/python-sqlmodel.py
client peewee 'python3-peewee python3-psycopg2' /usr/bin/python3 test/clients/python-peewee.py
client pony 'python3-pony python3-psycopg2' /usr/bin/python3 test/clients/python-pony.py
client pandas 'python3-pandas python3-sqlalchemy python3-psycopg2' /usr/bin/python3 test/clients/python-pandas.py
client django 'python3-django python3-psycopg2' /usr/bin/python3 test/clients/python-django.py
client rails 'ruby ruby-activerecord ruby-pg' ruby test/clients/ruby-rails.rb
client sequel 'ruby ruby-sequel ruby-pg' ruby test/clients/ruby-sequel.rb
# A superuser sees all objects of the extension; the tool must not want to drop one.
owner=${PGUSER:-} client doctrine 'php-cli php-pgsql php-doctrine-orm php-symfony-cache' php test/clients/php-doctrine.php
client eloquent 'php-cli php-pgsql php-illuminate-database php-doctrine-dbal' php test/clients/php-eloquent.php
client node-postgres 'nodejs npm npm:pg npm:pg-copy-streams' node $build/node-postgres.mjs
client postgresjs 'nodejs npm npm:postgres' node $build/node-postgresjs.mjs
client pg-promise 'nodejs npm npm:pg-promise' node $build/node-pg-promise.mjs
client slonik 'nodejs npm npm:slonik' node $build/node-slonik.mjs
client drizzle 'nodejs npm npm:drizzle-orm npm:drizzle-kit' node $build/node-drizzle.mjs
client kysely 'nodejs npm npm:kysely' node $build/node-kysely.mjs
client knex 'nodejs npm npm:knex' node $build/node-knex.mjs
client objection 'nodejs npm npm:objection npm:knex' node $build/node-objection.mjs
client bookshelf 'nodejs npm npm:bookshelf npm:knex' node $build/node-bookshelf.mjs
client sequelize 'nodejs npm npm:sequelize' node $build/node-sequelize.mjs
client typeorm 'nodejs npm npm:typeorm' node $build/node-typeorm.mjs
client mikroorm 'nodejs npm npm:@mikro-orm/postgresql' node $build/node-mikroorm.mjs
client prisma 'nodejs npm npm:prisma npm:@prisma/adapter-pg' prisma_run
# PostGraphile calls pg in a way that pg will no longer allow.
client postgraphile 'nodejs npm npm:postgraphile' node --no-deprecation $build/node-postgraphile.mjs
client validators 'nodejs npm npm:pg npm:uuid npm:zod4 npm:validator npm:typeid-js' node $build/node-validators.mjs
# PostgreSQL in the client itself.
client pglite 'nodejs npm npm:@electric-sql/pglite' node $build/node-pglite.mjs "$PWD/doc/managed.sql"
client jdbc 'default-jdk-headless libpostgresql-jdbc-java' java -ea -cp /usr/share/java/postgresql.jar test/clients/Jdbc.java
client jpa 'default-jdk-headless libpostgresql-jdbc-java libeclipselink-java' jpa_run
client hibernate 'default-jdk-headless libpostgresql-jdbc-java java:org.hibernate.Session' \
  java_run Hibernate "/usr/share/java/postgresql.jar:${CLASSPATH:-}"
client pgx 'golang-go golang-github-jackc-pgx-v4-dev' go_run go-pgx.go
client pq 'golang-go golang-github-lib-pq-dev' go_run go-pq.go
client gorm 'golang-go golang-gorm-gorm-dev golang-gorm-driver-postgres-dev golang-github-lib-pq-dev' go_run go-gorm.go
client libpqxx 'g++ libpqxx-dev' cpp_run
tokio='tokio = { version = "1", features = ["macros", "rt-multi-thread"] }'
client tokio-postgres 'rustc cargo librust-tokio-postgres-dev' rust_run tokio-postgres "$tokio" 'tokio-postgres = "0.7"'
client sqlx 'rustc cargo librust-sqlx-dev librust-sqlx-postgres-dev librust-chrono-dev' rust_run sqlx "$tokio" 'chrono = "0.4"' \
  'sqlx = { version = ">= 0.8", default-features = false, features = ["postgres", "runtime-tokio", "macros", "chrono"] }'
client diesel 'rustc cargo librust-diesel-dev librust-pq-sys-dev librust-chrono-dev' rust_run diesel 'chrono = "0.4"' \
  'diesel = { version = "2", features = ["postgres", "chrono"] }'
client dbi 'libdbd-pg-perl' perl test/clients/perl-dbi.pl
client odbc 'odbc-postgresql python3-pyodbc' /usr/bin/python3 test/clients/python-odbc.py
client r 'r-base-core r-cran-rpostgresql' Rscript test/clients/r-postgresql.R
client haskell 'ghc libghc-postgresql-simple-dev' haskell_run haskell-postgresql-simple.hs
client ecto 'elixir:ecto_sql elixir:postgrex' elixir test/clients/elixir-ecto.exs
exit $failed
