// ids with Postgres.js. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'

// ---- How to ----

// An id is a string, and a list of ids is an array: a parameter has the type that the server infers.
const sql = postgres({ onnotice: () => {} })
await sql`CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)`
await sql`CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])`

// The server makes the id; RETURNING fetches it.
const [customer] = await sql`INSERT INTO customer (name) VALUES ('Ada') RETURNING id`
const [first] = await sql`INSERT INTO item ${sql({ name: 'first', customer: customer.id })} RETURNING id`
const [second, third] = await sql`INSERT INTO item ${sql([{ name: 'second' }, { name: 'third' }])} RETURNING id, customer`

// By id, and by several ids.
const one = await sql`SELECT name FROM item WHERE id = ${second.id}`
await sql`UPDATE item SET related = ${[first.id, second.id]} WHERE id = ${first.id}`
const both = await sql`SELECT id, related FROM item WHERE id = ANY (${[second.id, first.id]}) ORDER BY id`
const either = await sql`SELECT id FROM item WHERE id IN ${sql([second.id, first.id])} ORDER BY id`

// The bytes of a library's own ULID, and a UUID: name the type, then cast it.
const bytes = Buffer.from('015549f01d7e3a66a08c07ce13d25363', 'hex')
const cast = await sql`SELECT ${bytes}::bytea::ulid AS of_bytes, ${'015549f0-1d7e-3a66-a08c-07ce13d25363'}::uuid::ulid AS of_uuid`

// Many at once, by COPY.
await pipeline(Readable.from(['01AN4Z07BY79KA1307SR9X4MV3\tcopied\n']), await sql`COPY item (id, name) FROM STDIN`.writable())

// The rows of a time range, and the page after an id.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await sql`SELECT name FROM item WHERE id >= ulid_first(${july}) ORDER BY id`
const within = await sql`SELECT name, id::timestamptz AS at FROM item WHERE id <@ tstzrange(${june}, ${july})`
const page = await sql`SELECT name FROM item WHERE id > ${first.id} ORDER BY id LIMIT 2`

// ---- Expected results ----

assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(second.customer, null)
assert.deepEqual([...one], [{ name: 'second' }])
assert.deepEqual([...both], [{ id: first.id, related: [first.id, second.id] }, { id: second.id, related: null }])
assert.deepEqual([...either], [{ id: first.id }, { id: second.id }])
assert.deepEqual([...cast], [{ of_bytes: '01AN4Z07BY79KA1307SR9X4MV3', of_uuid: '01AN4Z07BY79KA1307SR9X4MV3' }])
assert.deepEqual([...after], [{ name: 'first' }, { name: 'second' }, { name: 'third' }])
assert.deepEqual([...within], [{ name: 'copied', at: new Date('2016-06-13T13:25:20.894Z') }])
assert.deepEqual([...page], [{ name: 'second' }, { name: 'third' }])

await assert.rejects(sql`SELECT name FROM item WHERE id = ${'01AN4Z07BY79KA1307SR9X4MVU'}`, { code: '22P02' })
await assert.rejects(sql`SELECT name FROM item WHERE id = ${bytes}`, { code: '42883' })
await assert.rejects(sql`INSERT INTO item (customer) VALUES (${first.id})`, { code: '23503' })

await sql.end()
console.log('Postgres.js', JSON.parse(readFileSync(new URL('node_modules/postgres/package.json', import.meta.url))).version)
