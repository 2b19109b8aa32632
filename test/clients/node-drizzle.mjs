// ids with Drizzle. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { arrayContains, desc, eq, inArray, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { customType, pgTable, text } from 'drizzle-orm/pg-core'
import { npmVersion } from 'drizzle-orm/version'
import pg from 'pg'

// ---- How to ----

// A column of the type ulid; a string in JavaScript. The other types alike.
const ulid = customType({ dataType: () => 'ulid' })

const item = pgTable('item', {
  id: ulid('id').primaryKey().default(sql`gen_ulid()`),
  name: text('name'),
  related: ulid('related').array(),
})

const client = new pg.Client()
await client.connect()
const db = drizzle(client)
await db.execute(sql`CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, related ulid[])`)

// The server makes the id, returning brings it.
const [first] = await db.insert(item).values({ name: 'first' }).returning()
const [second] = await db.insert(item).values({ name: 'second', related: [first.id] }).returning()
await db.insert(item).values({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' })

// By id, by several, by what is in an array.
const one = await db.select().from(item).where(eq(item.id, second.id))
const both = await db.select().from(item).where(inArray(item.id, [first.id, second.id])).orderBy(desc(item.id))
const relating = await db.select().from(item).where(arrayContains(item.related, [first.id]))

// The rows of a time range. gte(item.id, ...) would take the time for an id.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await db.select().from(item).where(sql`${item.id} >= ulid_first(${july})`).orderBy(item.id)
const within = await db
  .select({ name: item.name, at: sql`${item.id}::timestamptz`.mapWith((at) => new Date(at)) })
  .from(item)
  .where(sql`${item.id} <@ tstzrange(${june}, ${july})`)

// ---- What it must give ----

assert.equal(first.id.length, 26)
assert(first.id < second.id)
assert.equal(first.related, null)
assert.deepEqual(second.related, [first.id])
assert.deepEqual(one, [second])
assert.deepEqual(both, [second, first])
assert.deepEqual(relating, [second])
assert.deepEqual(after, [first, second])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

await assert.rejects(
  db.select().from(item).where(eq(item.id, '01AN4Z07BY79KA1307SR9X4MVU')),
  (error) => (error.cause ?? error).code === '22P02'
)

await client.end()
console.log('Drizzle', npmVersion)
