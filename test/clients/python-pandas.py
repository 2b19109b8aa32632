# ids with pandas. PGHOST, PGDATABASE ... say which server and database.

from datetime import datetime, timezone

import pandas
from psycopg2.extras import DateTimeTZRange
from sqlalchemy import create_engine
from sqlalchemy.exc import DataError, IntegrityError

# ---- How to ----

engine = create_engine("postgresql+psycopg2://")
with engine.begin() as connection:
    connection.exec_driver_sql(
        """CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
           CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer)"""
    )


def append(table, rows):
    """Appends to an existing table: a table that pandas makes has text columns for ids."""
    pandas.DataFrame(rows).to_sql(table, engine, if_exists="append", index=False)


def read(sql, **parameters):
    return pandas.read_sql(sql, engine, params=parameters)


# An id is a str. The server makes the ids of rows that have none.
append("customer", [{"name": "Ada"}])
[ada] = read("SELECT * FROM customer").id
append("item", [{"name": "first", "customer": ada}, {"name": "second"}])
append("item", [{"id": "01AN4Z07BY79KA1307SR9X4MV3", "name": "given"}])

# By id, and by several ids: a list needs a cast. The page after an id.
items = read("SELECT * FROM item ORDER BY id").set_index("id")
given, first, second = items.index
one = read("SELECT name FROM item WHERE id = %(id)s", id=first)
both = read("SELECT name FROM item WHERE id = ANY (%(ids)s::ulid[]) ORDER BY id", ids=[second, first])
page = read("SELECT name FROM item WHERE id > %(id)s ORDER BY id LIMIT 2", id=given)
joined = items.join(read("SELECT * FROM customer").set_index("id"), on="customer", rsuffix="_of_customer")

# The rows of a time range.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
after = read("SELECT name FROM item WHERE id >= ulid_first(%(since)s) ORDER BY id", since=july)
within = read("SELECT name, id::timestamptz AS at FROM item WHERE id <@ %(june)s", june=DateTimeTZRange(june, july))

# ---- Expected results ----

assert len(first) == 26 and first < second
assert list(items.name) == ["given", "first", "second"]
assert list(one.name) == ["first"]
assert list(both.name) == ["first", "second"]
assert list(page.name) == ["first", "second"]
assert joined.name_of_customer[first] == "Ada" and pandas.isna(joined.name_of_customer[second])
assert list(after.name) == ["first", "second"]
assert list(within["at"]) == [pandas.Timestamp("2016-06-13 13:25:20.894Z")]

for error, action in (
    (DataError, lambda: read("SELECT FROM item WHERE id = %(id)s", id="01AN4Z07BY79KA1307SR9X4MVU")),
    (IntegrityError, lambda: append("item", [{"customer": first}])),
):
    try:
        action()
        assert False, "an invalid id was accepted"
    except error:
        pass

print("pandas", pandas.__version__)
