// ids with TypeORM. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Between, DataSource, EntitySchema, In, MoreThan, Raw } from 'typeorm'

// ---- How to ----

const { PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env

// An id is a string. With decorators: @PrimaryColumn({ type: 'ulid', default: () => 'gen_ulid()' }).
const id = { type: 'ulid', primary: true, default: () => 'gen_ulid()' }
const Customer = new EntitySchema({ name: 'customer', columns: { id, name: { type: 'text' } } })
const Item = new EntitySchema({
  name: 'item',
  columns: { id, name: { type: 'text' }, related: { type: 'ulid', array: true, nullable: true } },
  relations: { customer: { type: 'many-to-one', target: 'customer', joinColumn: true, nullable: true } },
})

const source = new DataSource({
  type: 'postgres',
  host: PGHOST,
  port: +PGPORT,
  username: PGUSER,
  password: PGPASSWORD,
  database: PGDATABASE,
  entities: [Customer, Item],
})
// TypeORM must know that these types exist.
source.driver.supportedDataTypes.push('ulid', 'scru160', 'tbsl', 'snowflake')
await source.initialize()
await source.synchronize()
const left = await source.driver.createSchemaBuilder().log()
const customers = source.getRepository(Customer)
const items = source.getRepository(Item)

// Arrays are parsed once pg knows their type.
const [type] = await source.query("SELECT typarray FROM pg_type WHERE typname = 'ulid'")
const { types } = source.driver.postgres
types.setTypeParser(type.typarray, types.getTypeParser(1009)) // as text[]

// The server makes the id.
const ada = await customers.save({ name: 'Ada' })
const first = await items.save({ name: 'first', customer: ada })
const [second, third] = await items.save([{ name: 'second', related: [first.id] }, { name: 'third' }])
await items.insert({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' })

// By id, by several ids, and the page after an id.
const one = await items.findOne({ where: { id: first.id }, relations: { customer: true } })
const both = await items.find({ where: { id: In([second.id, first.id]) }, order: { id: 'ASC' }, relations: { customer: true } })
const page = await items.find({ where: { id: MoreThan(first.id) }, order: { id: 'ASC' }, take: 2 })

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const since = (time) => Raw((column) => `${column} >= ulid_first(:time)`, { time })
const during = (from, upto) => Raw((column) => `${column} <@ tstzrange(:from, :upto)`, { from, upto })
const after = await items.find({ where: { id: since(july) }, order: { id: 'ASC' } })
const within = await items.find({ where: { id: during(june, july) } })

// ---- Expected results ----

const names = (found) => found.map(({ name }) => name)
assert.deepEqual(left.upQueries, [])
assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(one.customer.name, 'Ada')
assert.deepEqual(names(both), ['first', 'second'])
assert.deepEqual(both[1].related, [first.id])
assert.equal(both[1].customer, null)
assert.deepEqual(names(page), ['second', 'third'])
assert.deepEqual(names(after), ['first', 'second', 'third'])
assert.deepEqual(names(within), ['given'])

await assert.rejects(items.findOneBy({ id: '01AN4Z07BY79KA1307SR9X4MVU' }), { code: '22P02' })
await assert.rejects(items.insert({ name: 'of nobody', customer: { id: first.id } }), { code: '23503' })

await source.destroy()
console.log('TypeORM', JSON.parse(readFileSync(new URL('node_modules/typeorm/package.json', import.meta.url))).version)
