// ids with pg-promise. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import pgPromise from 'pg-promise'

// ---- How to ----

// An id is a string. Arrays are parsed once pg knows their type.
const pgp = pgPromise()
const db = pgp({})
const { typarray } = await db.one("SELECT typarray FROM pg_type WHERE typname = 'ulid'")
pgp.pg.types.setTypeParser(typarray, pgp.pg.types.getTypeParser(1009)) // as text[]

await db.none(`CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
  CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])`)

// The server makes the id; RETURNING fetches it.
const ada = await db.one('INSERT INTO customer (name) VALUES ($1) RETURNING id', 'Ada')
const first = await db.one('INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id', ['first', ada.id])
const second = await db.one('INSERT INTO item (name) VALUES ($1) RETURNING id', 'second')

// By id, and by several ids. pg-promise writes an array as text[], so a comparison needs a cast; a list after IN does not.
await db.none('UPDATE item SET related = $1 WHERE id = $2', [[first.id, second.id], first.id])
const both = await db.any('SELECT id, related FROM item WHERE id = ANY ($1::ulid[]) ORDER BY id', [[second.id, first.id]])
const either = await db.any('SELECT id FROM item WHERE id IN ($1:csv) ORDER BY id', [[second.id, first.id]])

// Many at once, by the helpers. An update of many compares ids, so it needs a cast.
const columns = new pgp.helpers.ColumnSet(['name', 'customer'], { table: 'item' })
await db.none(pgp.helpers.insert([{ name: 'third', customer: ada.id }, { name: 'fourth', customer: null }], columns))
const keyed = new pgp.helpers.ColumnSet([{ name: 'id', cnd: true, cast: 'ulid' }, 'name'], { table: 'item' })
await db.none(pgp.helpers.update([{ id: second.id, name: '2nd' }], keyed) + ' WHERE v.id = t.id')
await db.none('INSERT INTO item (id, name) VALUES ($1, $2)', ['01AN4Z07BY79KA1307SR9X4MV3', 'given'])

// The rows of a time range, and the page after an id.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await db.map('SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id', [july], (row) => row.name)
const within = await db.any('SELECT name, id::timestamptz AS at FROM item WHERE id <@ tstzrange($1, $2)', [june, july])
const page = await db.map('SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2', [first.id], (row) => row.name)

// ---- Expected results ----

assert.equal(first.id.length, 26)
assert.deepEqual(both, [{ id: first.id, related: [first.id, second.id] }, { id: second.id, related: null }])
assert.deepEqual(either, [first, second])
assert.deepEqual(after, ['first', '2nd', 'third', 'fourth'])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])
assert.deepEqual(page, ['2nd', 'third'])

await assert.rejects(db.any('SELECT FROM item WHERE id = ANY ($1)', [[first.id]]), { code: '42883' })
await assert.rejects(db.any('SELECT FROM item WHERE id = $1', '01AN4Z07BY79KA1307SR9X4MVU'), { code: '22P02' })
await assert.rejects(db.none('INSERT INTO item (customer) VALUES ($1)', first.id), { code: '23503' })

pgp.end()
console.log('pg-promise', JSON.parse(readFileSync(new URL('node_modules/pg-promise/package.json', import.meta.url))).version)
