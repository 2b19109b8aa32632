// ids with Bookshelf. PGHOST, PGDATABASE ... say which server and database. Migrations: node-knex.mjs.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import Bookshelf from 'bookshelf'
import Knex from 'knex'

// ---- How to ----

const knex = Knex({ client: 'pg', connection: {} })
const bookshelf = Bookshelf(knex)
await knex.raw(`CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
  CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer_id ulid REFERENCES customer)`)
const Customer = bookshelf.model('Customer', { tableName: 'customer', items() { return this.hasMany('Item') } })
const Item = bookshelf.model('Item', { tableName: 'item', customer() { return this.belongsTo('Customer') } })

// The server makes the id. Save a model with a given id by method: insert, or it is an update.
const ada = await new Customer({ name: 'Ada' }).save()
const first = await ada.related('items').create({ name: 'first' })
const second = await new Item({ name: 'second' }).save()
await new Item({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' }).save(null, { method: 'insert' })

// By id, by several ids, with related rows, and the page after an id.
const one = await Item.where({ id: first.id }).fetch({ withRelated: ['customer'] })
const both = await Item.where('id', 'in', [second.id, first.id]).orderBy('id').fetchAll()
const page = await Item.where('id', '>', first.id).orderBy('id').fetchPage({ limit: 2 })

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await Item.where('id', '>=', knex.raw('ulid_first(?)', [july])).orderBy('id').fetchAll()
const within = await Item.query((items) => items.whereRaw('id <@ tstzrange(?, ?)', [june, july])).fetchAll()

// ---- Expected results ----

assert.equal(first.id.length, 26)
assert.equal(one.related('customer').get('name'), 'Ada')
assert.deepEqual(both.pluck('id'), [first.id, second.id])
assert.deepEqual(page.pluck('id'), [second.id])
assert.deepEqual(after.pluck('name'), ['first', 'second'])
assert.deepEqual(within.pluck('name'), ['given'])

await assert.rejects(Item.where({ id: '01AN4Z07BY79KA1307SR9X4MVU' }).fetch(), { code: '22P02' })
await assert.rejects(new Item({ customer_id: first.id }).save(), { code: '23503' })

await knex.destroy()
console.log('Bookshelf', JSON.parse(readFileSync(new URL('node_modules/bookshelf/package.json', import.meta.url))).version)
