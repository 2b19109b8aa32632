# ids with Active Record, the models of Ruby on Rails. PGHOST, PGDATABASE ... say which server and database.

require "active_record"

# ---- How to ----

# The initializer, config/initializers/ids.rb: columns of these types in migrations and in schema.rb; strings in Ruby.
require "active_record/connection_adapters/postgresql_adapter"
IDS = %i[ulid scru160 tbsl snowflake]
adapter, postgresql = ActiveRecord::ConnectionAdapters::PostgreSQLAdapter, ActiveRecord::ConnectionAdapters::PostgreSQL
IDS.each { |type| adapter::NATIVE_DATABASE_TYPES[type] = { name: type.to_s } }
postgresql::TableDefinition.send(:define_column_methods, *IDS)
(adapter.respond_to?(:initialize_type_map) ? adapter.singleton_class : adapter).prepend(Module.new do
  define_method(:initialize_type_map) do |map = type_map|
    super(map)
    IDS.each { |type| map.register_type(type.to_s, postgresql::OID::SpecializedString.new(type)) }
  end
end)

ActiveRecord::Base.establish_connection(
  adapter: "postgresql", host: ENV["PGHOST"], port: ENV["PGPORT"], username: ENV["PGUSER"], password: ENV["PGPASSWORD"], database: ENV["PGDATABASE"]
)

class CreateShop < ActiveRecord::Migration[6.1]
  def change
    create_table :customers, id: :ulid, default: -> { "gen_ulid()" } do |t|
      t.text :name
    end
    create_table :items, id: :ulid, default: -> { "gen_ulid()" } do |t|
      t.text :name
      t.references :customer, type: :ulid, foreign_key: true
      t.ulid :related, array: true
    end
  end
end

ActiveRecord::Migration.verbose = false
CreateShop.migrate(:up)

class Customer < ActiveRecord::Base
  has_many :items
end

class Item < ActiveRecord::Base
  belongs_to :customer, optional: true
  scope :since, ->(time) { where("id >= ulid_first(?)", time) }
  scope :before, ->(time) { where("id < ulid_first(?)", time) }
end

# The server makes the id.
ada = Customer.create!(name: "Ada")
first = ada.items.create!(name: "first")
second = Item.create!(name: "second", related: [first.id])
made = Item.insert_all([{ name: "third" }, { name: "fourth" }], returning: :id).rows.flatten
Item.create!(id: "01AN4Z07BY79KA1307SR9X4MV3", name: "given")

# By id, by several ids, by the ids in an array, and the page after an id.
one = Item.find(second.id)
both = Item.where(id: [second.id, first.id]).order(:id).to_a
relating = Item.where("related @> ARRAY[?]::ulid[]", [first.id]).to_a
page = Item.where("id > ?", first.id).order(:id).limit(2).pluck(:name)
batches = Item.find_in_batches(batch_size: 2).map { |batch| batch.map(&:name) }

# The rows of a time range.
june, july = Time.utc(2016, 6, 1), Time.utc(2016, 7, 1)
after = Item.since(july).order(:id).pluck(:name)
within = Item.since(june).before(july).pluck(:name, Arel.sql("id::timestamptz AS at"))

# What rails db:schema:dump writes.
schema = StringIO.new
source = ActiveRecord.version < Gem::Version.new("7.2") ? ActiveRecord::Base.connection : ActiveRecord::Base.connection_pool
ActiveRecord::SchemaDumper.dump(source, schema)

# ---- Expected results ----

def expect(got, wanted)
  raise "got #{got.inspect} instead of #{wanted.inspect}" unless got == wanted
end

expect first.id.length, 26
expect first.id < second.id, true
expect [one, one.related, one.customer], [second, [first.id], nil]
expect first.reload.customer, ada
expect both, [first, second]
expect relating, [second]
expect page, %w[second third]
expect batches, [%w[given first], %w[second third], %w[fourth]]
expect after, %w[first second third fourth]
expect made, Item.where(name: %w[third fourth]).order(:id).pluck(:id)
expect within, [["given", Time.utc(2016, 6, 13, 13, 25, 20, 894000)]]
expect schema.string[/create_table "items".*?\n  end/m], <<-RUBY.chomp
create_table "items", id: :ulid, default: -> { "gen_ulid()" }, force: :cascade do |t|
    t.text "name"
    t.ulid "customer_id"
    t.ulid "related", array: true
    t.index ["customer_id"], name: "index_items_on_customer_id"
  end
RUBY

begin
  Item.find("01AN4Z07BY79KA1307SR9X4MVU")
  raise "an invalid id was accepted"
rescue ActiveRecord::StatementInvalid => error
  expect error.cause.class, PG::InvalidTextRepresentation
end
begin
  Item.create!(customer_id: first.id)
  raise "an unknown customer was accepted"
rescue ActiveRecord::InvalidForeignKey
end

puts "Active Record #{ActiveRecord.version}"
