// ids with Sequelize. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { Op, Sequelize } from 'sequelize'

// ---- How to ----

const { PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE } = process.env
const sequelize = new Sequelize(PGDATABASE, PGUSER, PGPASSWORD, { dialect: 'postgres', host: PGHOST, port: PGPORT, logging: false })

// An id is a string. Arrays are parsed once pg knows their type.
const [[type]] = await sequelize.query("SELECT typarray FROM pg_type WHERE typname = 'ulid'")
pg.types.setTypeParser(type.typarray, pg.types.getTypeParser(1009)) // as text[]

// The type of a column is its name as a string.
const id = { type: 'ulid', primaryKey: true, defaultValue: Sequelize.literal('gen_ulid()') }
const options = { timestamps: false, freezeTableName: true }
const Customer = sequelize.define('customer', { id, name: Sequelize.TEXT }, options)
const Item = sequelize.define('item', { id, name: Sequelize.TEXT, related: 'ulid[]' }, options)
Item.belongsTo(Customer)
await sequelize.sync()

// The server makes the id.
const ada = await Customer.create({ name: 'Ada' })
const first = await Item.create({ name: 'first', customerId: ada.id })
const [second, third] = await Item.bulkCreate([{ name: 'second' }, { name: 'third' }], { returning: true })
await second.update({ related: [first.id] })
await Item.create({ id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' })

// By id, by several ids, and the page after an id.
const one = await Item.findByPk(first.id, { include: Customer })
const both = await Item.findAll({ where: { id: [second.id, first.id] }, order: ['id'] })
const page = await Item.findAll({ where: { id: { [Op.gt]: first.id } }, order: ['id'], limit: 2 })

// The rows of a time range.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const ulidFirst = (time) => Sequelize.fn('ulid_first', time)
const after = await Item.findAll({ where: { id: { [Op.gte]: ulidFirst(july) } }, order: ['id'] })
const within = await Item.findAll({
  where: { id: { [Op.gte]: ulidFirst(june), [Op.lt]: ulidFirst(july) } },
  attributes: ['name', [Sequelize.literal('id::timestamptz'), 'at']],
  raw: true,
})

// ---- Expected results ----

const names = (found) => found.map(({ name }) => name)
assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(one.customer.name, 'Ada')
assert.deepEqual(names(both), ['first', 'second'])
assert.deepEqual(both[1].related, [first.id])
assert.equal(both[1].customerId, null)
assert.deepEqual(names(page), ['second', 'third'])
assert.deepEqual(names(after), ['first', 'second', 'third'])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

const fails = (code) => (error) => error.parent.code === code
await assert.rejects(Item.findByPk('01AN4Z07BY79KA1307SR9X4MVU'), fails('22P02'))
await assert.rejects(Item.create({ name: 'of nobody', customerId: first.id }), fails('23503'))

await sequelize.close()
console.log('Sequelize', JSON.parse(readFileSync(new URL('node_modules/sequelize/package.json', import.meta.url))).version)
