// ids with node-postgres. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import pg from 'pg'
import copy from 'pg-copy-streams'

// ---- How to ----

// An id is a string even without this. But an array would be a string, too: '{...}'.
async function registerIds(client) {
  const parseTextArray = pg.types.getTypeParser(1009)
  const types = await client.query("SELECT typarray FROM pg_type WHERE typname IN ('ulid', 'scru160', 'tbsl', 'snowflake')")
  for (const { typarray } of types.rows) client.setTypeParser(typarray, parseTextArray)
}

const client = new pg.Client()
await client.connect()
await client.query(`
  CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
  CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])`)
await registerIds(client)

const rows = async (text, values) => (await client.query({ text, values, rowMode: 'array' })).rows

// The server makes the id; RETURNING fetches it.
const [[ada]] = await rows("INSERT INTO customer (name) VALUES ('Ada') RETURNING id")
const [[first]] = await rows('INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id', ['first', ada])
const [[second]] = await rows('INSERT INTO item (name, customer) VALUES ($1, $2) RETURNING id', ['second', null])

// By id, and by several ids.
const one = await rows('SELECT name FROM item WHERE id = $1', [second])
await client.query('UPDATE item SET related = $1 WHERE id = $2', [[first, second], first])
const both = await rows('SELECT id, customer, related FROM item WHERE id = ANY ($1) ORDER BY id', [[second, first]])

// In binary: a Buffer of the id's bytes. Read them with a cast, because node-postgres garbles results in binary.
const [[bytes]] = await rows('SELECT id::bytea FROM item WHERE id = $1', [first])
const back = await rows('SELECT id, name FROM item WHERE id = $1::bytea::ulid', [bytes])

// Many at once: an array of each column, or COPY by pg-copy-streams.
const [names, customers] = [['third', 'fourth'], [ada, null]]
await client.query('INSERT INTO item (name, customer) SELECT * FROM unnest($1::text[], $2::ulid[])', [names, customers])
const copyIn = client.query(copy.from('COPY item (id, name) FROM STDIN'))
await pipeline(Readable.from(['01AN4Z07BY79KA1307SR9X4MV3\tcopied\n']), copyIn)
const out = await text(client.query(copy.to('COPY (SELECT id FROM item ORDER BY id) TO STDOUT')))

// The rows of a time range, and the page after an id.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await rows('SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id', [july])
const within = await rows('SELECT name, id::timestamptz FROM item WHERE id <@ tstzrange($1, $2)', [june, july])
const page = await rows('SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 2', [first])

// ---- Expected results ----

assert.equal(first.length, 26)
assert(first < second)
assert.deepEqual(one, [['second']])
assert.deepEqual(both, [[first, ada, [first, second]], [second, null, null]])
assert.equal(bytes.length, 16)
assert.deepEqual(back, [[first, 'first']])
assert.deepEqual(out.split('\n').slice(0, 3), ['01AN4Z07BY79KA1307SR9X4MV3', first, second])
assert.deepEqual(after, [['first'], ['second'], ['third'], ['fourth']])
assert.deepEqual(page, [['second'], ['third']])
assert.deepEqual(within, [['copied', new Date('2016-06-13T13:25:20.894Z')]])

for (const [type, id, hex] of [
  ['ulid', '01AN4Z07BY79KA1307SR9X4MV3', '015549f01d7e3a66a08c07ce13d25363'],
  ['scru160', '05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6', '017bdf6431bb33750751eb63beb3c3f8c5969d86'],
  ['tbsl', '25BF6196C8D6107ABCDE', '25bf6196c8d6107abcde'],
  ['snowflake', 'c4vj2LY9GrT', '8c9e2481003a3001'],
]) {
  const bytes = Buffer.from(hex, 'hex')
  assert.deepEqual(await rows(`SELECT $1::${type}, ARRAY[$1::${type}]`, [bytes]), [[id, [id]]])
  const sent = await buffer(client.query(copy.to(`COPY (SELECT ${type} '${id}') TO STDOUT (FORMAT binary)`)))
  assert(sent.includes(bytes))
}

await assert.rejects(rows('SELECT name FROM item WHERE id = $1', ['01AN4Z07BY79KA1307SR9X4MVU']), { code: '22P02' })
await assert.rejects(rows('INSERT INTO item (customer) VALUES ($1)', [first]), { code: '23503' })

await client.end()
const { version } = createRequire(import.meta.url)('pg/package.json')
console.log('node-postgres', version)
