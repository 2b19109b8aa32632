# ids with SQLAlchemy (1.4 or 2). PGHOST, PGDATABASE ... say which server and database.

from datetime import datetime, timezone

import sqlalchemy
from alembic.autogenerate import produce_migrations
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Column, ForeignKey, Text, cast, create_engine, event, func, text
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.orm import Session, declarative_base, relationship
from sqlalchemy.types import TypeDecorator, UserDefinedType

# ---- How to ----


class Ulid(UserDefinedType):
    """A column of the type ulid; a str in Python. The other types work alike."""

    cache_ok = True

    def get_col_spec(self, **_):
        return "ulid"

    def coerce_compared_value(self, op, value):
        """Lets an id be compared with a time."""
        return TIMESTAMP(timezone=True) if isinstance(value, datetime) else self


class UlidArray(TypeDecorator):
    """A column of the type ulid[]. The cast is for drivers that send a list of str as text[]."""

    impl = ARRAY(Ulid)
    cache_ok = True

    def bind_expression(self, value):
        return cast(value, self)


# For reflection, as by Alembic.
ischema_names["ulid"] = Ulid

engine = create_engine("postgresql+psycopg2://")


@event.listens_for(engine, "connect")
def register_ids(connection, _):
    """psycopg2 must know the array type; see python-psycopg2.py."""
    from psycopg2.extensions import UNICODE, new_array_type, register_type

    with connection.cursor() as cursor:
        cursor.execute("SELECT typarray FROM pg_type WHERE typname = 'ulid'")
        register_type(new_array_type(cursor.fetchone(), "ulid[]", UNICODE), connection)


Base = declarative_base()


class Customer(Base):
    __tablename__ = "customer"

    id = Column(Ulid, primary_key=True, server_default=text("gen_ulid()"))
    name = Column(Text)


class Item(Base):
    __tablename__ = "item"

    # The server makes the id; SQLAlchemy fetches it by RETURNING.
    id = Column(Ulid, primary_key=True, server_default=text("gen_ulid()"))
    name = Column(Text)
    customer_id = Column(Ulid, ForeignKey("customer.id"))
    customer = relationship(Customer)
    related = Column(UlidArray)


class Log(Base):
    __tablename__ = "log"
    __table_args__ = {"postgresql_partition_by": "RANGE (id)"}

    id = Column(Ulid, primary_key=True, server_default=text("gen_ulid()"))
    message = Column(Text)


def migrate():
    """What "alembic revision --autogenerate" and "alembic upgrade" do. Without Alembic: Base.metadata.create_all(engine)."""
    with engine.begin() as connection:
        partitions = set(connection.scalars(text("SELECT relname FROM pg_class WHERE relispartition")))

        # In env.py: context.configure(..., include_name=include_name). Alembic would drop the partitions.
        def include_name(name, type_, _):
            return type_ != "table" or name not in partitions

        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": include_name})
        upgrade = produce_migrations(context, Base.metadata).upgrade_ops
        for operation in upgrade.ops:
            Operations(context).invoke(operation)
        return upgrade.ops


made = migrate()
with engine.begin() as connection:
    connection.execute(text("CALL ids_create_partitions('log', '1 month', now(), now() + interval '3 months')"))
left = migrate()
session = Session(engine)

first = Item(name="first", customer=Customer(name="Ada"))
session.add(first)
session.flush()
second = Item(name="second", related=[first.id])
session.add(second)
session.flush()
session.add_all([Item(name="third"), Item(name="fourth")])
session.add(Item(id="01AN4Z07BY79KA1307SR9X4MV3", name="given"))
session.commit()

# By id, by several ids, by the ids in an array; and the page after an id.
one = session.get(Item, second.id)
both = session.query(Item.name).filter(Item.id.in_([first.id, second.id])).order_by(Item.id).all()
page = session.query(Item.name).filter(Item.id > first.id).order_by(Item.id).limit(1).all()
relating = session.query(Item.name).filter(Item.related.contains([first.id])).all()

# The rows of a time range.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
time = cast(Item.id, TIMESTAMP(timezone=True))
after = session.query(Item.name).filter(Item.id >= july).order_by(Item.id).all()
within = session.query(Item.name, time).filter(Item.id.op("<@")(func.tstzrange(june, july))).all()

# ---- Expected results ----

session.expire_all()
assert len(made) == 3 and not left
assert len(first.id) == 26 and first.id < second.id
assert one.name == "second" and one.related == [first.id] and first.related is None
assert first.customer.name == "Ada" and second.customer_id is None
assert both == [("first",), ("second",)]
assert relating == [("second",)]
assert page == [("second",)]
assert [name for name, in after[:2]] == ["first", "second"] and {name for name, in after[2:]} == {"third", "fourth"}
assert within == [("given", datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc))]

try:
    session.get(Item, "01AN4Z07BY79KA1307SR9X4MVU")
    assert False, "an invalid id was accepted"
except sqlalchemy.exc.DataError:
    session.rollback()
try:
    session.add(Item(customer_id="01AN4Z07BY79KA1307SR9X4MV3"))
    session.flush()
    assert False, "an unknown customer was accepted"
except sqlalchemy.exc.IntegrityError:
    pass

print("SQLAlchemy", sqlalchemy.__version__)
