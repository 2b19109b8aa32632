// ids with Kysely. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'

// ---- How to ----

// An id is a string: in TypeScript Generated<string>. Arrays are parsed once pg knows their type.
const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) })
const { rows: [type] } = await sql`SELECT typarray FROM pg_type WHERE typname = 'ulid'`.execute(db)
pg.types.setTypeParser(type.typarray, pg.types.getTypeParser(1009)) // as text[]

// A migration; in a project it is a file of its own.
const createShop = {
  async up(db) {
    await db.schema
      .createTable('customer')
      .addColumn('id', sql`ulid`, (column) => column.primaryKey().defaultTo(sql`gen_ulid()`))
      .addColumn('name', 'text')
      .execute()
    await db.schema
      .createTable('item')
      .addColumn('id', sql`ulid`, (column) => column.primaryKey().defaultTo(sql`gen_ulid()`))
      .addColumn('name', 'text')
      .addColumn('customer', sql`ulid`, (column) => column.references('customer.id'))
      .addColumn('related', sql`ulid[]`)
      .execute()
  },
}
const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ create_shop: createShop }) } })
const { error, results } = await migrator.migrateToLatest()

// The server makes the id; returning fetches it.
const customer = await db.insertInto('customer').values({ name: 'Ada' }).returning('id').executeTakeFirstOrThrow()
const first = await db.insertInto('item').values({ name: 'first', customer: customer.id }).returningAll().executeTakeFirstOrThrow()
const [second, third] = await db.insertInto('item').values([{ name: 'second' }, { name: 'third' }]).returningAll().execute()
await db.updateTable('item').set({ related: [first.id, second.id] }).where('id', '=', first.id).execute()
await db.insertInto('item').values({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' }).execute()

// By id, by several ids, and the page after an id.
const one = await db.selectFrom('item').select('related').where('id', '=', first.id).execute()
const both = await db.selectFrom('item').select('id').where('id', 'in', [second.id, first.id]).orderBy('id').execute()
const page = await db.selectFrom('item').select('name').where('id', '>', first.id).orderBy('id').limit(2).execute()

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await db.selectFrom('item').select('name').where('id', '>=', sql`ulid_first(${july})`).orderBy('id').execute()
const within = await db
  .selectFrom('item')
  .select(['name', sql`id::timestamptz`.as('at')])
  .where(sql`id <@ tstzrange(${june}, ${july})`)
  .execute()

// ---- Expected results ----

assert.ifError(error)
assert.equal(results[0].status, 'Success')
assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(second.customer, null)
assert.deepEqual(one, [{ related: [first.id, second.id] }])
assert.deepEqual(both, [{ id: first.id }, { id: second.id }])
assert.deepEqual(page, [{ name: 'second' }, { name: 'third' }])
assert.deepEqual(after, [{ name: 'first' }, { name: 'second' }, { name: 'third' }])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

const bad = db.selectFrom('item').selectAll().where('id', '=', '01AN4Z07BY79KA1307SR9X4MVU')
await assert.rejects(bad.execute(), { code: '22P02' })
await assert.rejects(db.insertInto('item').values({ customer: first.id }).execute(), { code: '23503' })

await db.destroy()
console.log('Kysely', JSON.parse(readFileSync(new URL('node_modules/kysely/package.json', import.meta.url))).version)
