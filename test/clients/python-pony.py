# ids with Pony. PGHOST, PGDATABASE ... say which server and database.

from datetime import datetime, timezone

import pony
from pony.orm import Database, DataError, IntegrityError, Optional, PrimaryKey, Required, Set, commit, db_session, raw_sql, select

# ---- How to ----

database = Database()


# An id is a str; the server makes it. A foreign key has its type.
class Customer(database.Entity):
    id = PrimaryKey(str, sql_type="ulid", sql_default="gen_ulid()")
    name = Required(str)
    items = Set("Item")


class Item(database.Entity):
    id = PrimaryKey(str, sql_type="ulid", sql_default="gen_ulid()")
    name = Required(str)
    customer = Optional(Customer)


database.bind(provider="postgres")
database.generate_mapping(create_tables=True)

with db_session:
    ada = Customer(name="Ada")
    first = Item(name="first", customer=ada)
    commit()
    second, given = Item(name="second"), Item(id="01AN4Z07BY79KA1307SR9X4MV3", name="given")
    commit()
    ids = [first.id, second.id]

# By id, by several ids, by a related row, and the page after an id.
with db_session:
    one = Item[ids[0]].to_dict("name customer")
    both = select(item.name for item in Item if item.id in ids).order_by(1)[:]
    related = [item.name for item in Customer.get(name="Ada").items]
    page = select(item for item in Item if item.id > given.id).order_by(Item.id)[:2]
    names = [item.name for item in page]

# The rows of a time range.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
with db_session:
    after = select(item.name for item in Item if raw_sql("item.id >= ulid_first($july)"))[:]
    within = select((item.name, raw_sql("item.id::timestamptz")) for item in Item if raw_sql("item.id <@ tstzrange($june, $july)"))[:]

# ---- Expected results ----

assert len(ids[0]) == 26 and ids[0] < ids[1]
assert one == {"name": "first", "customer": ada.id}
assert list(both) == ["first", "second"]
assert related == ["first"]
assert names == ["first", "second"]
assert sorted(after) == ["first", "second"]
assert list(within) == [("given", datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc))]
with db_session:
    types = database.select("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'item'::regclass AND attnum > 0 ORDER BY 1")
assert types == ["text", "ulid", "ulid"]

try:
    with db_session:
        Item["01AN4Z07BY79KA1307SR9X4MVU"].name
    assert False, "an invalid id was accepted"
except DataError:
    pass
try:
    with db_session:
        database.execute("INSERT INTO item (name, customer) VALUES ('of nobody', $(ids[0]))")
    assert False, "an unknown customer was accepted"
except IntegrityError:
    pass

print("Pony", pony.__version__)
