// ids with PostGraphile, a GraphQL server. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import pg from 'pg'
import { postgraphile } from 'postgraphile'

// ---- How to ----

// The rows of a time range: a function of two times, which becomes a field of the query.
const pool = new pg.Pool()
await pool.query(`CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
  CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[]);
  CREATE INDEX ON item (customer);
  CREATE FUNCTION items_between(since timestamptz, until timestamptz) RETURNS SETOF item STABLE LANGUAGE sql AS
    'SELECT * FROM item WHERE id >= ulid_first(since) AND id < ulid_first(until) ORDER BY id'`)

const server = createServer(postgraphile(pool, 'public', { disableQueryLog: true })).listen(0, '127.0.0.1')
await once(server, 'listening')

async function graphql(query) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(errors[0].message)
  return data
}

// The server makes the id.
const create = async (item) =>
  (await graphql(`mutation { createItem(input: { item: ${item} }) { item { id } } }`)).createItem.item.id
const { createCustomer: { customer: ada } } = await graphql(`mutation {
  createCustomer(input: { customer: { name: "Ada" } }) { customer { id } } }`)
const first = await create(`{ name: "first", customer: "${ada.id}" }`)
const second = await create(`{ name: "second", related: ["${first}"] }`)
await create('{ id: "01AN4Z07BY79KA1307SR9X4MV3", name: "given" }')

// By id, with related rows, by a condition, and the page after an id.
const found = await graphql(`{ one: itemById(id: "${first}") { name customerByCustomer { name } }
  filtered: allItems(condition: { customer: "${ada.id}" }) { nodes { id related } }
  relating: allItems(condition: { related: ["${first}"] }) { nodes { id related } } }`)
const { allItems: { pageInfo: { endCursor } } } = await graphql('{ allItems(first: 1) { pageInfo { endCursor } } }')
const page = await graphql(`{ allItems(first: 2, after: "${endCursor}") { nodes { name } } }`)

const range = (since, until) => graphql(`{ itemsBetween(since: "${since}", until: "${until}") { nodes { name } } }`)
const within = await range('2016-06-01T00:00:00Z', '2016-07-01T00:00:00Z')
const outside = await range('2016-07-01T00:00:00Z', '2016-08-01T00:00:00Z')

// ---- Expected results ----

assert.equal(first.length, 26)
assert(first < second)
assert.deepEqual(found.one, { name: 'first', customerByCustomer: { name: 'Ada' } })
assert.deepEqual(found.filtered.nodes, [{ id: first, related: null }])
assert.deepEqual(found.relating.nodes, [{ id: second, related: [first] }])
assert.deepEqual(page.allItems.nodes, [{ name: 'first' }, { name: 'second' }])
assert.deepEqual(within.itemsBetween.nodes, [{ name: 'given' }])
assert.deepEqual(outside.itemsBetween.nodes, [])

await assert.rejects(graphql('{ itemById(id: "01AN4Z07BY79KA1307SR9X4MVU") { id } }'), /invalid input syntax for type ulid/)
await assert.rejects(create(`{ customer: "${first}" }`), /violates foreign key constraint/)

server.close()
await pool.end()
console.log('PostGraphile', JSON.parse(readFileSync(new URL('node_modules/postgraphile/package.json', import.meta.url))).version)
