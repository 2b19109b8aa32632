# ids with Peewee. PGHOST, PGDATABASE ... say which server and database.

import os
from datetime import datetime, timezone

from peewee import SQL, Field, ForeignKeyField, IntegrityError, DataError, Model, TextField, __version__, fn
from playhouse.postgres_ext import ArrayField, PostgresqlExtDatabase
from psycopg2 import STRING
from psycopg2.extensions import new_array_type, register_type
from psycopg2.extras import DateTimeTZRange

# ---- How to ----


class UlidField(Field):
    """A column of the type ulid; a str in Python. The other types work alike."""

    field_type = "ulid"
    # Without it, bulk_create inserts NULL. With it, the server makes all ids of bulk_create, even in place of given ones.
    auto_increment = True


database = PostgresqlExtDatabase(os.environ["PGDATABASE"])


class Base(Model):
    id = UlidField(primary_key=True, constraints=[SQL("DEFAULT gen_ulid()")])
    name = TextField()

    class Meta:
        database = database


class Customer(Base):
    pass


class Item(Base):
    customer = ForeignKeyField(Customer, backref="items", null=True)
    related = ArrayField(UlidField, null=True)


database.create_tables([Customer, Item])

# Arrays are lists once psycopg2 knows their type.
[(array_oid,)] = database.execute_sql("SELECT typarray FROM pg_type WHERE typname = 'ulid'")
register_type(new_array_type((array_oid,), "ulid[]", STRING))

# The server makes the id.
ada = Customer.create(name="Ada")
first = Item.create(name="first", customer=ada)
second = Item.create(name="second", related=[first.id])
made = [Item(name="third"), Item(name="fourth")]
Item.bulk_create(made)
Item.create(id="01AN4Z07BY79KA1307SR9X4MV3", name="given")

# By id, by several ids, by the ids in an array, and the page after an id.
one = Item.get_by_id(second.id)
both = list(Item.select().where(Item.id.in_([second.id, first.id])).order_by(Item.id))
relating = list(Item.select().where(Item.related.contains(first.id)))
page = list(Item.select().where(Item.id > first.id).order_by(Item.id).limit(2))

# The rows of a time range.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
after = list(Item.select().where(Item.id >= fn.ulid_first(july)).order_by(Item.id))
within = list(Item.select(Item.name, Item.id.cast("timestamptz").alias("at")).where(SQL("id <@ %s", [DateTimeTZRange(june, july)])).tuples())

# ---- Expected results ----

assert len(first.id) == 26 and first.id < second.id
assert (one.name, one.customer, one.related) == ("second", None, [first.id])
assert both == [first, second] and both[0].customer == ada
assert list(ada.items) == [first]
assert relating == [second]
assert page == [second, made[0]]
assert after == [first, second, *made]
assert within == [("given", datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc))]

for error, action in (
    (DataError, lambda: Item.get_by_id("01AN4Z07BY79KA1307SR9X4MVU")),
    (IntegrityError, lambda: Item.create(name="of nobody", customer=first.id)),
):
    try:
        with database.atomic():
            action()
        assert False, "an invalid id was accepted"
    except error:
        pass

print("Peewee", __version__)
