# ids with psycopg2. PGHOST, PGDATABASE ... say which server and database.

import io
import sys
from datetime import datetime, timezone
from uuid import UUID

import psycopg2
from psycopg2.extensions import new_array_type, register_type
from psycopg2.extras import DateTimeTZRange, execute_values, register_uuid

# ---- How to ----


def register_ids(connection):
    """An id is a str even without this. But an array would be a str, too: '{...}'."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT typname, typarray FROM pg_type WHERE typname IN ('ulid', 'scru160', 'tbsl', 'snowflake')")
        for name, array_oid in cursor:
            register_type(new_array_type((array_oid,), name + "[]", psycopg2.STRING), connection)


connection = psycopg2.connect("")
register_ids(connection)
cursor = connection.cursor()


def rows(sql, parameters=()):
    cursor.execute(sql, parameters)
    return cursor.fetchall()


cursor.execute(
    """CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
       CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])"""
)

# The server makes the id; RETURNING fetches it.
[(ada,)] = rows("INSERT INTO customer (name) VALUES ('Ada') RETURNING id")
[(first,)] = rows("INSERT INTO item (name, customer) VALUES (%s, %s) RETURNING id", ["first", ada])
[(second,)] = rows("INSERT INTO item (name, customer) VALUES (%s, %s) RETURNING id", ["second", None])

# By id, and by several ids. A list is sent as text[], so it needs a cast; a tuple after IN does not.
one = rows("SELECT name FROM item WHERE id = %s", [second])
cursor.execute("UPDATE item SET related = %s::ulid[] WHERE id = %s", [[first, second], first])
both = rows("SELECT id, customer, related FROM item WHERE id = ANY (%s::ulid[]) ORDER BY id", [[second, first]])
either = rows("SELECT id FROM item WHERE id IN %s ORDER BY id", [(second, first)])

# The bytes of a library's own ULID, and a UUID: name the type, then cast it.
register_uuid()
uuid = UUID("015549f0-1d7e-3a66-a08c-07ce13d25363")
cast = rows("SELECT %s::bytea::ulid, %s::uuid::ulid", [uuid.bytes, uuid])

# Many at once: execute_values, or COPY.
made = execute_values(cursor, "INSERT INTO item (name, customer) VALUES %s RETURNING id", [("third", ada), ("fourth", None)], fetch=True)
cursor.copy_expert("COPY item (id, name) FROM STDIN", io.StringIO("01AN4Z07BY79KA1307SR9X4MV3\tcopied\n"))
out = io.StringIO()
cursor.copy_expert("COPY (SELECT id FROM item ORDER BY id) TO STDOUT", out)

# The rows of a time range, a datetime or a range of them; and the page after an id.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
after = rows("SELECT name FROM item WHERE id >= ulid_first(%s) ORDER BY id", [july])
within = rows("SELECT name, id::timestamptz FROM item WHERE id <@ %s", [DateTimeTZRange(june, july)])
page = rows("SELECT name FROM item WHERE id > %s ORDER BY id LIMIT 2", [first])

# With doc/managed.sql in place of the extension: new rows in two statements.
cursor.execute(open(sys.argv[1]).read())
cursor.execute("CREATE TABLE event (id uuid PRIMARY KEY DEFAULT public.gen_uuidv7(), name text)")
connection.commit()


def new_rows(last):
    [(settled,)] = rows("CALL public.uuidv7_settled()")
    return rows("SELECT id, name FROM event WHERE id > %s AND id < %s ORDER BY id LIMIT 1000", [last, settled])


other = psycopg2.connect("")
late = other.cursor()
late.execute("INSERT INTO event (name) VALUES ('late')")
cursor.execute("INSERT INTO event (name) VALUES ('early')")
connection.commit()
meanwhile = new_rows(UUID(int=0))
other.commit()
afterwards = new_rows(UUID(int=0))

# ---- Expected results ----

assert len(first) == 26 and first < second
assert one == [("second",)]
assert both == [(first, ada, [first, second]), (second, None, None)]
assert either == [(first,), (second,)]
assert out.getvalue().split() == ["01AN4Z07BY79KA1307SR9X4MV3", first, second] + [id for id, in made]
assert cast == [("01AN4Z07BY79KA1307SR9X4MV3",) * 2]
assert meanwhile == []
assert [name for _, name in afterwards] == ["late", "early"]
assert after == [("first",), ("second",), ("third",), ("fourth",)]
assert page == [("second",), ("third",)]
assert within == [("copied", datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc))]

for name, length in ("ulid", 26), ("scru160", 32), ("tbsl", 20), ("snowflake", 11):
    [(ids,)] = rows(f"SELECT ARRAY[gen_{name}(), gen_{name}()]")
    assert [len(id) for id in ids] == [length, length]
    assert rows(f"SELECT %s::{name}[]", [ids]) == [(ids,)]

connection.commit()
for id in uuid.bytes, uuid:
    try:
        rows("SELECT name FROM item WHERE id = %s", [id])
        assert False, "an id needs no cast"
    except psycopg2.errors.UndefinedFunction:
        connection.rollback()
try:
    rows("SELECT name FROM item WHERE id = %s", ["01AN4Z07BY79KA1307SR9X4MVU"])
    assert False, "an invalid id was accepted"
except psycopg2.errors.InvalidTextRepresentation:
    connection.rollback()
try:
    rows("INSERT INTO item (customer) VALUES (%s)", [first])
    assert False, "an unknown customer was accepted"
except psycopg2.errors.ForeignKeyViolation:
    pass

print("psycopg2", psycopg2.__version__.split()[0])
