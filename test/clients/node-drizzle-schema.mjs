// Tables for Drizzle and drizzle-kit.

import { relations, sql } from 'drizzle-orm'
import { customType, pgTable, text } from 'drizzle-orm/pg-core'

// A column of the type ulid; a string in JavaScript. The other types work alike.
const ulid = customType({ dataType: () => 'ulid' })

export const customer = pgTable('customer', {
  id: ulid('id').primaryKey().default(sql`gen_ulid()`),
  name: text('name'),
})

export const item = pgTable('item', {
  id: ulid('id').primaryKey().default(sql`gen_ulid()`),
  name: text('name'),
  customer: ulid('customer').references(() => customer.id),
  related: ulid('related').array(),
})

export const customerRelations = relations(customer, ({ many }) => ({ items: many(item) }))
export const itemRelations = relations(item, ({ one }) => ({
  buyer: one(customer, { fields: [item.customer], references: [customer.id] }),
}))
