// UUIDs of version 7 by doc/managed.sql in PGlite, which is PostgreSQL in JavaScript and cannot load this extension.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'

// ---- How to ----

const db = new PGlite()
await db.exec(readFileSync(process.argv[2], 'utf8'))
await db.exec('CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), name text)')

const { rows: [first] } = await db.query('INSERT INTO item (name) VALUES ($1) RETURNING id', ['first'])
await db.query('INSERT INTO item (name) SELECT n::text FROM generate_series(1, 1000) n')
await db.query('INSERT INTO item (id, name) VALUES (gen_uuidv7($1), $2)', [new Date('2026-03-14T12:00:00Z'), 'of March'])

// The rows of a time range, and the page after an id.
const { rows: march } = await db.query('SELECT name FROM item WHERE id >= uuidv7_first($1) AND id < uuidv7_first($2)',
  [new Date('2026-03-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')])
const { rows: page } = await db.query('SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2', [first.id])

// New rows: first up to where to read, then the rows, from the last one that was read.
async function newRows(after) {
  const { rows: [{ settled }] } = await db.query('CALL uuidv7_settled()')
  return (await db.query('SELECT id, name FROM item WHERE id > $1 AND id < $2 ORDER BY id LIMIT 1000', [after, settled])).rows
}
const batch = await newRows(first.id)
const rest = await newRows(batch.at(-1).id)

// ---- Expected results ----

assert.deepEqual(march, [{ name: 'of March' }])
assert.deepEqual(page, [{ name: '1' }, { name: '2' }])
assert.equal(batch.length, 1000)
assert.deepEqual(rest, [])
const { rows: [order] } = await db.query(`SELECT count(*)::int AS count, bool_and(id > before) AS rises
  FROM (SELECT id, lag(id) OVER (ORDER BY name::int) AS before FROM item WHERE name ~ '^[0-9]+$') item`)
assert.deepEqual(order, { count: 1000, rises: true })

const { rows: [{ version }] } = await db.query('SELECT version()')
console.log(`pglite ${version.match(/PGlite ([\d.]+)/)[1]}, PostgreSQL ${version.match(/PostgreSQL ([\d.]+)/)[1]}`)
