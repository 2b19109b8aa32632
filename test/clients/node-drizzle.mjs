// ids with Drizzle. PGHOST, PGDATABASE ... say which server and database. The tables are in node-drizzle-schema.mjs.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { arrayContains, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { npmVersion } from 'drizzle-orm/version'
import pg from 'pg'
import * as schema from './node-drizzle-schema.mjs'

// ---- How to ----

// drizzle-kit makes the tables; afterwards it finds nothing to change. Without the filter it would drop the partitions of log, which
// is not in its schema because it does not see partitioned tables.
const { PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env
const url = `postgres://${PGUSER}:${PGPASSWORD}@${PGHOST}:${PGPORT}/${PGDATABASE}`
const push = () =>
  execFileSync(
    'npx',
    ['drizzle-kit', 'push', '--verbose', '--dialect', 'postgresql', '--schema', 'node-drizzle-schema.mjs', '--tablesFilter', '!log_*', '--url', url],
    { cwd: new URL('.', import.meta.url), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  )
const client = new pg.Client()
await client.connect()

const made = push()
await client.query('CREATE TABLE log (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text) PARTITION BY RANGE (id)')
await client.query("CALL ids_create_partitions('log', '1 month', now(), now() + interval '3 months')")
const left = push()
const { customer, item } = schema
const db = drizzle(client, { schema })

// The server makes the id; returning fetches it.
const [ada] = await db.insert(customer).values({ name: 'Ada' }).returning()
const [first] = await db.insert(item).values({ name: 'first', customer: ada.id }).returning()
const [second, third] = await db
  .insert(item)
  .values([{ name: 'second', customer: ada.id, related: [first.id] }, { name: 'third' }])
  .returning()
await db.insert(item).values({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' })

// By id, by several ids, by the ids in an array, and the page after an id.
const one = await db.select().from(item).where(eq(item.id, second.id))
const both = await db.select().from(item).where(inArray(item.id, [second.id, first.id])).orderBy(asc(item.id))
const relating = await db.select().from(item).where(arrayContains(item.related, [first.id]))
const bought = await db.select({ name: item.name }).from(item).innerJoin(customer, eq(item.customer, customer.id)).orderBy(item.id)
const withItems = await db.query.customer.findFirst({ with: { items: { orderBy: item.id } } })
const page = await db.select().from(item).where(gt(item.id, first.id)).orderBy(asc(item.id)).limit(2)

// The rows of a time range. With gte(item.id, ...) the server would read the time as an id.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await db.select().from(item).where(sql`${item.id} >= ulid_first(${july})`).orderBy(item.id)
const within = await db
  .select({ name: item.name, at: sql`${item.id}::timestamptz`.mapWith((at) => new Date(at)) })
  .from(item)
  .where(sql`${item.id} <@ tstzrange(${june}, ${july})`)

// ---- Expected results ----

assert.doesNotMatch(made, /DROP/)
assert.match(left, /No changes detected/)
assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(first.related, null)
assert.equal(third.customer, null)
assert.deepEqual(second.related, [first.id])
assert.deepEqual(one, [second])
assert.deepEqual(both, [first, second])
assert.deepEqual(relating, [second])
assert.deepEqual(bought, [{ name: 'first' }, { name: 'second' }])
assert.deepEqual(withItems, { ...ada, items: [first, second] })
assert.deepEqual(page, [second, third])
assert.deepEqual(after, [first, second, third])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

const fails = (code) => (error) => (error.cause ?? error).code === code
await assert.rejects(db.select().from(item).where(eq(item.id, '01AN4Z07BY79KA1307SR9X4MVU')), fails('22P02'))
await assert.rejects(db.insert(item).values({ customer: first.id }), fails('23503'))

await client.end()
console.log('Drizzle', npmVersion)
