# ids with SQLModel. PGHOST, PGDATABASE ... say which server and database. python-sqlalchemy.py has more.

from datetime import datetime, timezone
from typing import List, Optional

import sqlmodel
from psycopg2.extras import DateTimeTZRange
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.types import UserDefinedType
from sqlmodel import Column, Field, ForeignKey, Relationship, Session, SQLModel, cast, create_engine, func, select, text

# ---- How to ----


class Ulid(UserDefinedType):
    """A column of the type ulid; a str in Python. The other types work alike."""

    cache_ok = True

    def get_col_spec(self):
        return "ulid"


# A column belongs to one table, so each has its own.
def id_column():
    return Field(default=None, sa_column=Column(Ulid, primary_key=True, server_default=text("gen_ulid()")))


class Customer(SQLModel, table=True):
    id: Optional[str] = id_column()
    name: str
    items: List["Item"] = Relationship(back_populates="customer")


class Item(SQLModel, table=True):
    id: Optional[str] = id_column()
    name: str
    customer_id: Optional[str] = Field(default=None, sa_column=Column(ForeignKey("customer.id")))
    customer: Optional[Customer] = Relationship(back_populates="items")


engine = create_engine("postgresql+psycopg2://")
SQLModel.metadata.create_all(engine)
session = Session(engine)

# The server makes the id.
first = Item(name="first", customer=Customer(name="Ada"))
session.add(first)
session.flush()
second = Item(name="second")
session.add(second)
session.add(Item(id="01AN4Z07BY79KA1307SR9X4MV3", name="given"))
session.commit()

# By id, and by several ids; and the page after an id.
one = session.get(Item, first.id)
both = session.exec(select(Item).where(Item.id.in_([second.id, first.id])).order_by(Item.id)).all()
page = session.exec(select(Item.name).where(Item.id > first.id).order_by(Item.id).limit(2)).all()

# The rows of a time range.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
after = session.exec(select(Item.name).where(Item.id >= func.ulid_first(july)).order_by(Item.id)).all()
within = session.exec(select(Item.name, cast(Item.id, sqlmodel.DateTime(timezone=True))).where(Item.id.op("<@")(DateTimeTZRange(june, july)))).all()

# ---- Expected results ----

assert len(first.id) == 26 and first.id < second.id
assert one.customer.name == "Ada" and one.customer.items == [first]
assert both == [first, second]
assert page == ["second"]
assert after == ["first", "second"]
assert [tuple(row) for row in within] == [("given", datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc))]

session.commit()
for error, action in (
    (DataError, lambda: session.get(Item, "01AN4Z07BY79KA1307SR9X4MVU")),
    (IntegrityError, lambda: session.add(Item(name="of nobody", customer_id=one.id)) or session.flush()),
):
    try:
        action()
        assert False, "an invalid id was accepted"
    except error:
        session.rollback()

print("SQLModel", sqlmodel.__version__)
