# ids with Sequel. PGHOST, PGDATABASE ... say which server and database.

require "sequel"

# ---- How to ----

DB = Sequel.postgres(host: ENV["PGHOST"], port: ENV["PGPORT"], user: ENV["PGUSER"], password: ENV["PGPASSWORD"], database: ENV["PGDATABASE"])

# An id is a String. Arrays are parsed with this.
DB.extension :pg_array
DB.register_array_type "ulid"
Sequel.extension :pg_array_ops

# A migration; in a project it is a file of its own.
SHOP = <<-RUBY
  Sequel.migration do
    change do
      create_table(:customers) do
        column :id, :ulid, primary_key: true, default: Sequel.function(:gen_ulid)
        String :name
      end
      create_table(:items) do
        column :id, :ulid, primary_key: true, default: Sequel.function(:gen_ulid)
        String :name
        foreign_key :customer_id, :customers, type: :ulid
        column :related, "ulid[]"
      end
    end
  end
RUBY
Sequel.extension :migration
eval(SHOP).apply(DB, :up)

class Customer < Sequel::Model
  one_to_many :items, order: :id
end

class Item < Sequel::Model
  many_to_one :customer
  unrestrict_primary_key
end

# The server makes the id.
ada = Customer.create(name: "Ada")
first = Item.create(name: "first", customer: ada)
second = Item.create(name: "second", related: Sequel.pg_array([first.id], :ulid))
made = DB[:items].multi_insert([{ name: "third" }, { name: "fourth" }], return: :primary_key)
Item.create(id: "01AN4Z07BY79KA1307SR9X4MV3", name: "given")

# By id, by several ids, by the ids in an array, and the page after an id.
one = Item[second.id]
both = Item.where(id: [second.id, first.id]).order(:id).all
relating = Item.where(Sequel.pg_array_op(:related).contains(Sequel.pg_array([first.id], :ulid))).all
page = Item.where { id > first.id }.order(:id).limit(2).select_map(:name)

# The rows of a time range.
june, july = Time.utc(2016, 6, 1), Time.utc(2016, 7, 1)
after = Item.where { id >= ulid_first(july) }.select_order_map(:id)
within = DB[:items].where(Sequel.lit("id <@ tstzrange(?, ?)", june, july)).select_map([:name, Sequel.cast(:id, :timestamptz).as(:at)])

# The migration that Sequel writes from the database. Without same_db ids would be Strings.
DB.extension :schema_dumper
dump = DB.dump_table_schema(:items, same_db: true).gsub(/^ +$/, "")

# ---- Expected results ----

def expect(got, wanted)
  raise "got #{got.inspect} instead of #{wanted.inspect}" unless got == wanted
end

expect first.id.length, 26
expect first.id < second.id, true
expect [one, one.related.to_a, one.customer], [second, [first.id], nil]
expect ada.items, [first]
expect both, [first, second]
expect relating, [second]
expect page, %w[second third]
expect after, [first.id, second.id, *made]
expect within, [["given", Time.utc(2016, 6, 13, 13, 25, 20, 894000)]]
expect dump, <<-RUBY.chomp
create_table(:items) do
  column :id, "ulid", :default=>Sequel::LiteralString.new("gen_ulid()"), :null=>false
  column :name, "text"
  foreign_key :customer_id, :customers, :type=>"ulid", :key=>[:id]
  column :related, "ulid[]"

  primary_key [:id]
end
RUBY

def fails(with)
  yield
  raise "an invalid id was accepted"
rescue with
end
fails(Sequel::DatabaseError) { Item["01AN4Z07BY79KA1307SR9X4MVU"] }
fails(Sequel::ForeignKeyConstraintViolation) { Item.create(customer_id: first.id) }

puts "Sequel #{Sequel.version}"
