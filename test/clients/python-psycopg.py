# ids with psycopg (3). PGHOST, PGDATABASE ... say which server and database.

from datetime import datetime, timezone
from uuid import UUID

import psycopg
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.range import Range

# ---- How to ----


def register_ids(connection):
    """An id is a str even without this. But an array would be a str, too: '{...}'."""
    for name in "ulid", "scru160", "tbsl", "snowflake":
        TypeInfo.fetch(connection, name).register(connection)


class Ulid(str):
    """Only for the binary format, with register_binary_ulid."""

    DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class UlidBinaryDumper(Dumper):
    format = Format.BINARY

    def dump(self, ulid):
        number = 0
        for digit in ulid:
            number = number << 5 | Ulid.DIGITS.index(digit)
        return number.to_bytes(16, "big")


class UlidBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        number = int.from_bytes(data, "big")
        return Ulid("".join(Ulid.DIGITS[number >> shift & 31] for shift in range(125, -1, -5)))


def register_binary_ulid(connection):
    """Without this, a binary cursor or COPY returns an id as its 16 bytes."""
    info = TypeInfo.fetch(connection, "ulid")
    dumper = type("UlidBinaryDumper", (UlidBinaryDumper,), {"oid": info.oid})
    connection.adapters.register_dumper(Ulid, dumper)
    connection.adapters.register_loader(info.oid, UlidBinaryLoader)


connection = psycopg.connect("")
register_ids(connection)
register_binary_ulid(connection)


def rows(sql, parameters=(), binary=False):
    return connection.execute(sql, parameters, binary=binary).fetchall()


connection.execute(
    """CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
       CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])"""
)

# The server makes the id; RETURNING fetches it.
[(ada,)] = rows("INSERT INTO customer (name) VALUES ('Ada') RETURNING id")
[(first,)] = rows("INSERT INTO item (name, customer) VALUES (%s, %s) RETURNING id", ["first", ada])
[(second,)] = rows("INSERT INTO item (name, customer) VALUES (%s, %s) RETURNING id", ["second", None])

# By id, and by several ids.
one = rows("SELECT name FROM item WHERE id = %s", [second])
connection.execute("UPDATE item SET related = %s WHERE id = %s", [[first, second], first])
both = rows("SELECT id, customer, related FROM item WHERE id = ANY (%s) ORDER BY id", [[second, first]])

# The same in binary.
one_binary = rows("SELECT name FROM item WHERE id = %b", [Ulid(second)])
both_binary = rows("SELECT id, customer, related FROM item WHERE id = ANY (%b) ORDER BY id", [[Ulid(first), Ulid(second)]], binary=True)

# The bytes of a library's own ULID, and a UUID: name the type, then cast it.
uuid = UUID("015549f0-1d7e-3a66-a08c-07ce13d25363")
cast = rows("SELECT %s::bytea::ulid, %s::uuid::ulid", [uuid.bytes, uuid])

# Many at once: executemany, or COPY, as text and in binary.
connection.cursor().executemany("INSERT INTO item (name, customer) VALUES (%s, %s)", [("third", ada), ("fourth", None)])
with connection.cursor().copy("COPY item (id, name) FROM STDIN") as copy:
    copy.write_row(["01AN4Z07BY79KA1307SR9X4MV3", "copied"])
with connection.cursor().copy("COPY item (id, name) FROM STDIN (FORMAT binary)") as copy:
    copy.set_types(["ulid", "text"])
    copy.write_row([Ulid("01AN4Z07BY79KA1307SR9X4MV4"), "copied in binary"])
with connection.cursor().copy("COPY (SELECT id, name FROM item ORDER BY id LIMIT 2) TO STDOUT (FORMAT binary)") as copy:
    copy.set_types(["ulid", "text"])
    out = list(copy.rows())

# The rows of a time range, a datetime or a range of them; and the page after an id.
june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
after = rows("SELECT name FROM item WHERE id >= ulid_first(%s) ORDER BY id", [july])
within = rows("SELECT name, id::timestamptz FROM item WHERE id <@ %s ORDER BY id", [Range(june, july)])
page = rows("SELECT name FROM item WHERE id > %s ORDER BY id LIMIT 2", [first])

# ---- Expected results ----

time = datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc)
assert len(first) == 26 and first < second
assert one == one_binary == [("second",)]
assert both == both_binary == [(first, ada, [first, second]), (second, None, None)]
assert out == [("01AN4Z07BY79KA1307SR9X4MV3", "copied"), ("01AN4Z07BY79KA1307SR9X4MV4", "copied in binary")]
assert cast == [("01AN4Z07BY79KA1307SR9X4MV3",) * 2]
assert after == [("first",), ("second",), ("third",), ("fourth",)]
assert page == [("second",), ("third",)]
assert within == [("copied", time), ("copied in binary", time)]

for name, length in ("ulid", 26), ("scru160", 32), ("tbsl", 20), ("snowflake", 11):
    [(ids,)] = rows(f"SELECT ARRAY[gen_{name}(), gen_{name}()]")
    assert [len(id) for id in ids] == [length, length]
    assert rows(f"SELECT %s::{name}[]", [ids]) == [(ids,)]

# For the other types, binary results are bytes, and bytes can be sent with a cast.
for name, text in ("scru160", "05TTUP1HNCPNA1QHTDHRTCU3V32PD7C6"), ("tbsl", "25BF6196C8D6107ABCDE"), ("snowflake", "c4vj2LY9GrT"):
    [(data, cast)] = rows(f"SELECT %s::{name}, %s::{name}::bytea", [text, text], binary=True)
    assert data == cast and rows(f"SELECT %s::{name}", [data]) == [(text,)]

connection.commit()
for id in uuid.bytes, uuid:
    try:
        rows("SELECT name FROM item WHERE id = %s", [id])
        assert False, "an id needs no cast"
    except psycopg.errors.UndefinedFunction:
        connection.rollback()
try:
    rows("SELECT name FROM item WHERE id = %s", ["01AN4Z07BY79KA1307SR9X4MVU"])
    assert False, "an invalid id was accepted"
except psycopg.errors.InvalidTextRepresentation:
    connection.rollback()
try:
    rows("INSERT INTO item (customer) VALUES (%s)", [first])
    assert False, "an unknown customer was accepted"
except psycopg.errors.ForeignKeyViolation:
    pass

print("psycopg", psycopg.__version__)
