# ids with ODBC: psqlodbc, here by pyodbc. PGHOST, PGDATABASE ... say which server and database.

from datetime import datetime
from os import environ

import pyodbc

# ---- How to ----

# An id is a string. A list of ids is sent and read as the text of an array. A time without a zone is in the session's time zone.
server = "Driver={{PostgreSQL Unicode}};Server={PGHOST};Port={PGPORT};Database={PGDATABASE};Uid={PGUSER};Pwd={PGPASSWORD}"
connection = pyodbc.connect(server.format(**environ), autocommit=True)
cursor = connection.cursor()


def array(ids):
    return "{" + ",".join(ids) + "}"


cursor.execute("SET timezone = 'UTC'")
cursor.execute("CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text)")
cursor.execute(
    "CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])"
)

# The server makes the id; RETURNING fetches it.
customer = cursor.execute("INSERT INTO customer (name) VALUES ('Ada') RETURNING id").fetchval()
insert = "INSERT INTO item (name, customer) VALUES (?, ?) RETURNING id"
first = cursor.execute(insert, "first", customer).fetchval()
second = cursor.execute(insert, "second", None).fetchval()

# By id, and by several ids.
one = cursor.execute("SELECT name FROM item WHERE id = ?", second).fetchval()
cursor.execute("UPDATE item SET related = ? WHERE id = ?", array([first, second]), first)
both = "SELECT id, related, customer FROM item WHERE id = ANY (?) ORDER BY id"
both = [tuple(row) for row in cursor.execute(both, array([second, first]))]

# Many at once.
cursor.fast_executemany = True
cursor.executemany("INSERT INTO item (id, name) VALUES (?, ?)", [("01AN4Z07BY79KA1307SR9X4MV3", "given")])

# The rows of a time range, and the page after an id.
june, july = datetime(2016, 6, 1), datetime(2016, 7, 1)
after = cursor.execute("SELECT name FROM item WHERE id >= ulid_first(?) ORDER BY id", july).fetchall()
within = cursor.execute("SELECT name, id::timestamptz FROM item WHERE id <@ tstzrange(?, ?)", june, july).fetchall()
page = cursor.execute("SELECT name FROM item WHERE id > ? ORDER BY id LIMIT 1", first).fetchall()

# ---- Expected results ----

assert len(first) == 26 and first < second
assert one == "second"
assert both == [(first, array([first, second]), customer), (second, None, None)]
assert [name for name, in after] == ["first", "second"]
assert [tuple(row) for row in within] == [("given", datetime(2016, 6, 13, 13, 25, 20, 894000))]
assert [name for name, in page] == ["second"]
assert [(column.type_name, column.column_def) for column in cursor.columns(table="item")][0] == ("ulid", "gen_ulid()")

for statement, state in [
    ("SELECT name FROM item WHERE id = '01AN4Z07BY79KA1307SR9X4MVU'", "22P02"),
    (f"INSERT INTO item (customer) VALUES ('{first}')", "23503"),
]:
    try:
        cursor.execute(statement)
        assert False, "a wrong id was taken"
    except pyodbc.Error as error:
        assert error.args[0] == state

print("psqlodbc", connection.getinfo(pyodbc.SQL_DRIVER_VER))
