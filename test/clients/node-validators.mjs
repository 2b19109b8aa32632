// Which ids libraries accept that check UUIDs, ULIDs and TypeIDs. PGHOST, PGDATABASE ... say which server and database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { TypeID } from 'typeid-js'
import * as uuid from 'uuid'
import validator from 'validator'
import { z } from 'zod4'

// ---- How to ----

// One id for all three: a column of uuid with ids of version 7, shown as a UUID, a ULID and a TypeID.
const client = new pg.Client()
await client.connect()
await client.query('CREATE TABLE item (id uuid PRIMARY KEY DEFAULT gen_uuidv7(), n int)')
await client.query('INSERT INTO item (n) SELECT generate_series(1, 1000)')
const shown = "id, id::ulid AS ulid, 'cus_' || lower(id::ulid::text) AS typeid"
const { rows: ids } = await client.query(`SELECT ${shown} FROM item WHERE id < uuidv7_settled() ORDER BY id`)

// Ulids, and what hides their time, are given out as the text of ulids: as UUIDs, most have no valid version.
const { rows: ulids } = await client.query(`SELECT ${shown} FROM (SELECT gen_ulid()::uuid AS id FROM generate_series(1, 1000)) made`)
await client.query('CREATE EXTENSION pgcrypto')
const { rows: masked } = await client.query(`SELECT ${shown} FROM (SELECT
  encrypt(gen_ulid()::bytea, 'sixteen bytes of', 'aes-ecb/pad:none')::ulid::uuid AS id FROM generate_series(1, 1000)) made`)

// ---- Expected results ----

const count = (rows, check) => rows.filter(check).length
const asUuid = [(row) => uuid.validate(row.id), (row) => z.uuid().safeParse(row.id).success, (row) => validator.isUUID(row.id),
  (row) => { try { return TypeID.fromString(row.typeid).toUUID() === row.id } catch { return false } }]
const asText = [(row) => z.ulid().safeParse(row.ulid).success, (row) => validator.isULID(row.ulid), (row) => TypeID.fromString(row.typeid)]
for (const rows of [ids, ulids, masked]) assert.deepEqual(asText.map((check) => count(rows, check)), [1000, 1000, 1000])
assert.deepEqual(asUuid.map((check) => count(ids, check)), [1000, 1000, 1000, 1000])
// At least one in two is refused; on average three of four ulids, and seven of eight of the others.
for (const rows of [ulids, masked]) assert(asUuid.every((check) => count(rows, check) < 500))

await client.end()
const version = (name) => `${name} ${JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version}`
console.log(['uuid', 'zod4', 'validator', 'typeid-js'].map(version).join(', '))
