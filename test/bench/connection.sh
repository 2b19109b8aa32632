#!/bin/bash
# What the first statement of a connection costs: page faults and CPU time, medians of 30 connections, by turns.
#   test/tools/private.sh server test/bench/connection.sh [STATEMENT...]     other statements to compare with
# A function of pg_trgm, which also defines settings, shows what PostgreSQL takes to load any library.
set -euo pipefail

psql -XqAt -v ON_ERROR_STOP=1 >/dev/null <<'SQL'
CREATE EXTENSION ids;
CREATE EXTENSION pg_trgm;
CREATE TABLE random_uuid (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid());
CREATE TABLE event (at timestamptz PRIMARY KEY);
SELECT gen_ulid();
SQL
statements=("SELECT 2" "SELECT gen_random_uuid()" "SELECT similarity('a', 'b')" "SELECT ids_version()" "SELECT gen_ulid()"
  "INSERT INTO random_uuid DEFAULT VALUES" "INSERT INTO item DEFAULT VALUES"
  "SELECT FROM event WHERE at >= now() - interval '1 day'" "SELECT FROM item WHERE id >= now() - interval '1 day'" "$@")
for _ in {1..30}; do
  for i in "${!statements[@]}"; do
    psql -XqAt -c 'SET client_min_messages = log; SET log_statement_stats = on' -c "${statements[i]}" 2>&1 >/dev/null |
      sed -nE "s/.*\t([0-9.]+) s user, ([0-9.]+) s system.*/$i cpu_ms \1 \2/p; s/.*\t[0-9]+\/([0-9]+) \[.*page faults.*/$i faults \1/p"
  done
done | awk -v OFS='\t' '{ print $1, $2, $2 == "cpu_ms" ? ($3 + $4) * 1000 : $3 }' | sort -k1,1n -k2,2 -k3,3n |
  awk -F '\t' '{ key = $1 FS $2; value[key, ++n[key]] = $3 } END { for (k in n) print k FS value[k, int((n[k] + 1) / 2)] }' | sort -k1,1n -k2,2 |
  while IFS=$'\t' read -r i what median; do printf '%-55s %-7s %s\n' "${statements[i]}" "$what" "$median"; done
