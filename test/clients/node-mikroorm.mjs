// ids with MikroORM. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { EntitySchema, MikroORM, raw } from '@mikro-orm/postgresql'

// ---- How to ----

const { PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env

// An id is a string. With decorators: @PrimaryKey({ type: 'string', columnType: 'ulid', defaultRaw: 'gen_ulid()' }).
const id = { type: 'string', columnType: 'ulid', primary: true, defaultRaw: 'gen_ulid()' }
const Customer = new EntitySchema({
  name: 'Customer',
  properties: { id, name: { type: 'text' }, items: { kind: '1:m', entity: () => 'Item', mappedBy: 'customer' } },
})
const Item = new EntitySchema({
  name: 'Item',
  properties: {
    id,
    name: { type: 'text' },
    customer: { kind: 'm:1', entity: () => 'Customer', nullable: true },
    related: { type: 'array', columnType: 'ulid[]', nullable: true },
  },
})
const orm = await MikroORM.init({
  host: PGHOST,
  port: +PGPORT,
  user: PGUSER,
  password: PGPASSWORD,
  dbName: PGDATABASE,
  entities: [Customer, Item],
})

// The schema, from the entities; afterwards the tool finds nothing to change.
await orm.schema.createSchema()
const left = await orm.schema.getUpdateSchemaSQL()

// The server makes the ids in flush().
const em = orm.em.fork()
const ada = em.create('Customer', { name: 'Ada', items: [{ name: 'first' }, { name: 'second' }] })
await em.flush()
const [first, second] = ada.items
second.related = [first.id]
em.create('Item', { name: 'third' })
em.create('Item', { id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' })
await em.flush()
em.clear()

// By id, by several ids, with related rows, and the page after an id.
const one = await em.findOne('Item', second.id, { populate: ['customer'] })
const both = await em.find('Item', [second.id, first.id], { orderBy: { id: 'asc' } })
const relating = await em.find('Item', { related: { $contains: [first.id] } })
const page = await em.find('Item', { id: { $gt: first.id } }, { orderBy: { id: 'asc' }, limit: 2 })

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const after = await em.find('Item', { id: { $gte: raw('ulid_first(?)', [july]) } }, { orderBy: { id: 'asc' } })
const within = await em.find('Item', { [raw('id <@ tstzrange(?, ?)', [june, july])]: [] })

// ---- Expected results ----

const names = (items) => items.map(({ name }) => name)
assert.equal(left, '')
assert.equal(first.id.length, 26)
assert(first.id < second.id)
assert.deepEqual([one.name, one.customer.name, one.related], ['second', 'Ada', [first.id]])
assert.deepEqual(names(both), ['first', 'second'])
assert.deepEqual(names(relating), ['second'])
assert.deepEqual(names(page), ['second', 'third'])
assert.deepEqual(names(after), ['first', 'second', 'third'])
assert.deepEqual(names(within), ['given'])

await assert.rejects(em.fork().findOne('Item', '01AN4Z07BY79KA1307SR9X4MVU'), { code: '22P02' })
await assert.rejects(em.fork().insert('Item', { name: 'of nobody', customer: first.id }), { code: '23503' })

await orm.close()
console.log('MikroORM', JSON.parse(readFileSync(new URL('node_modules/@mikro-orm/core/package.json', import.meta.url))).version)
