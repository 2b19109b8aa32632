// ids with Knex. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import Knex from 'knex'
import pg from 'pg'

// ---- How to ----

// An id is a string. Arrays are parsed once pg knows their type.
const knex = Knex({ client: 'pg', connection: {} })
const type = await knex('pg_type').where({ typname: 'ulid' }).first('typarray')
pg.types.setTypeParser(type.typarray, pg.types.getTypeParser(1009)) // as text[]

// A migration; in a project it is a file of its own.
const createShop = {
  up: (knex) =>
    knex.schema
      .createTable('customer', (table) => {
        table.specificType('id', 'ulid').primary().defaultTo(knex.raw('gen_ulid()'))
        table.text('name')
      })
      .createTable('item', (table) => {
        table.specificType('id', 'ulid').primary().defaultTo(knex.raw('gen_ulid()'))
        table.text('name')
        table.specificType('customer', 'ulid').references('customer.id')
        table.specificType('related', 'ulid[]')
      }),
  down: (knex) => knex.schema.dropTable('item').dropTable('customer'),
}
const migrationSource = {
  getMigrations: async () => ['create_shop'],
  getMigrationName: (name) => name,
  getMigration: async () => createShop,
}
await knex.migrate.latest({ migrationSource })

// The server makes the id; returning fetches it.
const [customer] = await knex('customer').insert({ name: 'Ada' }).returning('id')
const [first] = await knex('item').insert({ name: 'first', customer: customer.id }).returning('id')
const [second, third] = await knex('item').insert([{ name: 'second' }, { name: 'third' }]).returning(['id', 'customer'])
await knex('item').where({ id: first.id }).update({ related: [first.id, second.id] })
await knex.batchInsert('item', [{ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' }])

// By id, by several ids, and the page after an id.
const one = await knex('item').where({ id: first.id }).first('related')
const both = await knex('item').whereIn('id', [second.id, first.id]).orderBy('id').pluck('id')
const page = await knex('item').where('id', '>', first.id).orderBy('id').limit(2).pluck('name')

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await knex('item').where('id', '>=', knex.raw('ulid_first(?)', [july])).orderBy('id').pluck('name')
const within = await knex('item').whereRaw('id <@ tstzrange(?, ?)', [june, july]).select('name', knex.raw('id::timestamptz AS at'))

// ---- Expected results ----

assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(second.customer, null)
assert.deepEqual(one, { related: [first.id, second.id] })
assert.deepEqual(both, [first.id, second.id])
assert.deepEqual(page, ['second', 'third'])
assert.deepEqual(after, ['first', 'second', 'third'])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

await assert.rejects(knex('item').where({ id: '01AN4Z07BY79KA1307SR9X4MVU' }), { code: '22P02' })
await assert.rejects(knex('item').insert({ customer: first.id }), { code: '23503' })

await knex.destroy()
console.log('Knex', JSON.parse(readFileSync(new URL('node_modules/knex/package.json', import.meta.url))).version)
