// ids with Slonik. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createPool, createTypeParserPreset, ForeignKeyIntegrityConstraintViolationError, InvalidInputError, sql } from 'slonik'

// ---- How to ----

const { PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env

// An id is a string. Arrays need a parser named as the server names their type.
const ids = { name: '_ulid', parse: (text) => text.slice(1, -1).split(',').filter(Boolean) }
const pool = await createPool(`postgres://${PGUSER}:${PGPASSWORD}@${PGHOST}:${PGPORT}/${PGDATABASE}`, {
  typeParsers: [...createTypeParserPreset(), ids],
})

await pool.query(sql.unsafe`CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)`)
await pool.query(sql.unsafe`CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text,
  customer ulid REFERENCES customer, related ulid[])`)

// The server makes the id; RETURNING fetches it.
const ada = await pool.oneFirst(sql.unsafe`INSERT INTO customer (name) VALUES ('Ada') RETURNING id`)
const first = await pool.oneFirst(sql.unsafe`INSERT INTO item (name, customer) VALUES ('first', ${ada}) RETURNING id`)
const second = await pool.oneFirst(sql.unsafe`INSERT INTO item (name, related)
  VALUES ('second', ${sql.array([first], 'ulid')}) RETURNING id`)
await pool.query(sql.unsafe`INSERT INTO item (name, customer)
  SELECT * FROM ${sql.unnest([['third', ada], ['fourth', null]], ['text', 'ulid'])}`)
await pool.query(sql.unsafe`INSERT INTO item (id, name) VALUES ('01AN4Z07BY79KA1307SR9X4MV3', 'given')`)

// By id, and by several ids; and the page after an id.
const one = await pool.one(sql.unsafe`SELECT name, related FROM item WHERE id = ${second}`)
const both = await pool.anyFirst(sql.unsafe`SELECT name FROM item WHERE id = ANY (${sql.array([second, first], 'ulid')}) ORDER BY id`)
const page = await pool.anyFirst(sql.unsafe`SELECT name FROM item WHERE id > ${first} ORDER BY id LIMIT 2`)

// The rows of a time range.
const [june, july] = [sql.timestamp(new Date('2016-06-01T00:00:00Z')), sql.timestamp(new Date('2016-07-01T00:00:00Z'))]
const after = await pool.anyFirst(sql.unsafe`SELECT name FROM item WHERE id >= ulid_first(${july}) ORDER BY id`)
const within = await pool.any(sql.unsafe`SELECT name, id::timestamptz AS at FROM item WHERE id <@ tstzrange(${june}, ${july})`)

// ---- Expected results ----

assert.equal(first.length, 26)
assert.deepEqual(one, { name: 'second', related: [first] })
assert.deepEqual(both, ['first', 'second'])
assert.deepEqual(page, ['second', 'third'])
assert.deepEqual(after, ['first', 'second', 'third', 'fourth'])
assert.deepEqual(within, [{ name: 'given', at: Date.parse('2016-06-13T13:25:20.894Z') }])

await assert.rejects(pool.any(sql.unsafe`SELECT FROM item WHERE id = ${'01AN4Z07BY79KA1307SR9X4MVU'}`), InvalidInputError)
await assert.rejects(pool.any(sql.unsafe`INSERT INTO item (customer) VALUES (${first})`), ForeignKeyIntegrityConstraintViolationError)

await pool.end()
console.log('Slonik', JSON.parse(readFileSync(new URL('node_modules/slonik/package.json', import.meta.url))).version)
