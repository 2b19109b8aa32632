// ids with Prisma's client and its adapter for pg. PGHOST, PGDATABASE ... say which server and database. The models are in
// node-prisma.prisma; "prisma generate" has made the client from them. Prisma's migration engine is not used: it makes a String
// a column of text, so you would have to change its migration to the statements below.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PrismaPg } from '@prisma/adapter-pg'
import { Prisma, PrismaClient } from './prisma/index.js'

// ---- How to ----

const prisma = new PrismaClient({ adapter: new PrismaPg({}) })
await prisma.$executeRaw`CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)`
await prisma.$executeRaw`CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer)`

// The server makes the id.
const ada = await prisma.customer.create({ data: { name: 'Ada' } })
const first = await prisma.item.create({ data: { name: 'first', customerId: ada.id } })
const [second, third] = await prisma.item.createManyAndReturn({ data: [{ name: 'second' }, { name: 'third' }] })
await prisma.item.create({ data: { id: '01AN4Z07BY79KA1307SR9X4MV3', name: 'given' } })

// By id, by several ids, and the page after an id.
const one = await prisma.item.findUnique({ where: { id: first.id }, include: { customer: true } })
const both = await prisma.item.findMany({ where: { id: { in: [second.id, first.id] } }, orderBy: { id: 'asc' } })
const page = await prisma.item.findMany({ where: { id: { gt: first.id } }, orderBy: { id: 'asc' }, take: 2 })
const next = await prisma.item.findMany({ cursor: { id: second.id }, skip: 1, orderBy: { id: 'asc' } })

// The rows of a time range: the boundaries are ids.
const [june, july] = [new Date('2016-06-01T00:00:00Z'), new Date('2016-07-01T00:00:00Z')]
const boundary = async (time) => (await prisma.$queryRaw`SELECT ulid_first(${time})::text AS id`)[0].id
const after = await prisma.item.findMany({ where: { id: { gte: await boundary(july) } }, orderBy: { id: 'asc' } })
const within = await prisma.$queryRaw`SELECT name, id::timestamptz AS at FROM item WHERE id <@ tstzrange(${june}, ${july})`

// ---- Expected results ----

const names = (found) => found.map(({ name }) => name)
assert.equal(first.id.length, 26)
assert(first.id < second.id && second.id < third.id)
assert.equal(one.customer.name, 'Ada')
assert.deepEqual(names(both), ['first', 'second'])
assert.equal(both[1].customerId, null)
assert.deepEqual(names(page), ['second', 'third'])
assert.deepEqual(names(next), ['third'])
assert.deepEqual(names(after), ['first', 'second', 'third'])
assert.deepEqual(within, [{ name: 'given', at: new Date('2016-06-13T13:25:20.894Z') }])

await assert.rejects(prisma.item.findUnique({ where: { id: '01AN4Z07BY79KA1307SR9X4MVU' } }), /22P02|invalid input syntax for type ulid/)
await assert.rejects(prisma.item.create({ data: { customerId: first.id } }), { code: 'P2003' })

await prisma.$disconnect()
console.log('Prisma', Prisma.prismaVersion.client)
