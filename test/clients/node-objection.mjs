// ids with Objection. PGHOST, PGDATABASE ... say which server and database. Migrations: node-knex.mjs.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import Knex from 'knex'
import { Model, raw } from 'objection'

// ---- How to ----

const knex = Knex({ client: 'pg', connection: {} })
Model.knex(knex)
await knex.schema
  .createTable('customer', (table) => {
    table.specificType('id', 'ulid').primary().defaultTo(knex.raw('gen_ulid()'))
    table.text('name')
  })
  .createTable('item', (table) => {
    table.specificType('id', 'ulid').primary().defaultTo(knex.raw('gen_ulid()'))
    table.text('name')
    table.specificType('customerId', 'ulid').references('customer.id')
  })

class Customer extends Model {
  static tableName = 'customer'
  static relationMappings = () => ({
    items: { relation: Model.HasManyRelation, modelClass: Item, join: { from: 'customer.id', to: 'item.customerId' } },
  })
}

class Item extends Model {
  static tableName = 'item'
  static jsonSchema = { type: 'object', properties: { id: { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' }, name: { type: 'string' } } }
}

// The server makes the ids, also those of a graph, and Objection puts them into the keys.
const ada = await Customer.query().insertGraph({ name: 'Ada', items: [{ name: 'first' }, { name: 'second' }] })
const [first, second] = ada.items
const third = await Item.query().insert({ name: 'third' }).returning('*')
await Item.query().insert({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' })

// By id, by several ids, with related rows, and the page after an id.
const one = await Item.query().findById(second.id)
const both = await Item.query().findByIds([second.id, first.id]).orderBy('id')
const related = await Customer.query().findById(ada.id).withGraphFetched('items(byId)').modifiers({ byId: (items) => items.orderBy('id') })
const page = await Item.query().where('id', '>', first.id).orderBy('id').limit(2)

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await Item.query().where('id', '>=', raw('ulid_first(?)', [july])).orderBy('id')
const within = await Item.query().whereRaw('id <@ tstzrange(?, ?)', [june, july]).select('name', raw('id::timestamptz').as('at'))

// ---- Expected results ----

const names = (items) => items.map(({ name }) => name)
assert.equal(first.id.length, 26)
assert.equal(first.customerId, ada.id)
assert.equal(third.customerId, null)
assert.equal(one.name, 'second')
assert.deepEqual(names(both), ['first', 'second'])
assert.deepEqual(names(related.items), ['first', 'second'])
assert.deepEqual(names(page), ['second', 'third'])
assert.deepEqual(names(after), ['first', 'second', 'third'])
assert.deepEqual(within.map((item) => item.toJSON()), [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

const code = (code) => (error) => (error.nativeError ?? error).code === code
await assert.rejects(Item.query().insert({ id: '01AN4Z07BY79KA1307SR9X4MVU' }), { type: 'ModelValidation' })
await assert.rejects(Item.query().findById('01AN4Z07BY79KA1307SR9X4MVU'), code('22P02'))
await assert.rejects(Item.query().insert({ customerId: first.id }), code('23503'))

await knex.destroy()
console.log('Objection', JSON.parse(readFileSync(new URL('node_modules/objection/package.json', import.meta.url))).version)
