# ids with asyncpg. PGHOST, PGDATABASE ... say which server and database.

import asyncio
from datetime import datetime, timezone
from uuid import UUID

import asyncpg

# ---- How to ----

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid_of_bytes(data):
    number = int.from_bytes(data, "big")
    return "".join(DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


async def connect():
    """An id is a str even without this. But COPY, which asyncpg does in binary, needs a codec for the binary format. The server
    accepts the text there as well, so only received ids have to be decoded. The other types work alike."""
    connection = await asyncpg.connect()
    await connection.set_type_codec("ulid", schema="pg_catalog", encoder=str.encode, decoder=ulid_of_bytes, format="binary")
    return connection


async def main():
    plain = await asyncpg.connect()
    await plain.execute(
        """CREATE TABLE customer (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text);
           CREATE TABLE item (id ulid PRIMARY KEY DEFAULT gen_ulid(), name text, customer ulid REFERENCES customer, related ulid[])"""
    )
    connection = await connect()

    # The server makes the id; RETURNING fetches it.
    customer = await connection.fetchval("INSERT INTO customer (name) VALUES ('Ada') RETURNING id")
    first = await connection.fetchval("INSERT INTO item (name, customer) VALUES ('first', $1) RETURNING id", customer)
    second = await connection.fetchval("INSERT INTO item (name, customer) VALUES ('second', $1) RETURNING id", None)

    # By id, and by several ids, with and without the codec.
    one = await connection.fetchval("SELECT name FROM item WHERE id = $1", second)
    one_plain = await plain.fetchval("SELECT id FROM item WHERE id = $1", second)
    await connection.execute("UPDATE item SET related = $1 WHERE id = $2", [first, second], first)
    both = await connection.fetch("SELECT id, related, customer FROM item WHERE id = ANY ($1) ORDER BY id", [second, first])
    both_plain = await plain.fetch("SELECT id, related, customer FROM item WHERE id = ANY ($1) ORDER BY id", [second, first])

    # The bytes of a library's own ULID, and a UUID: name the type, then cast it.
    uuid = UUID("015549f0-1d7e-3a66-a08c-07ce13d25363")
    cast = [await plain.fetchval("SELECT $1::bytea::ulid", uuid.bytes), await plain.fetchval("SELECT $1::uuid::ulid", uuid)]

    # Many at once: executemany, or COPY.
    await connection.executemany("INSERT INTO item (id, name) VALUES ($1, $2)", [("01AN4Z07BY79KA1307SR9X4MV3", "many")])
    await connection.copy_records_to_table("item", records=[("01AN4Z07BY79KA1307SR9X4MV4", "copied")], columns=["id", "name"])

    # The rows of a time range, and the page after an id.
    june, july = datetime(2016, 6, 1, tzinfo=timezone.utc), datetime(2016, 7, 1, tzinfo=timezone.utc)
    after = await connection.fetch("SELECT name FROM item WHERE id >= ulid_first($1) ORDER BY id", july)
    within = await connection.fetch("SELECT name, id::timestamptz FROM item WHERE id <@ tstzrange($1, $2) ORDER BY id", june, july)
    page = await connection.fetch("SELECT id FROM item WHERE id > $1 ORDER BY id LIMIT 2", "01AN4Z07BY79KA1307SR9X4MV4")

    # ---- Expected results ----

    time = datetime(2016, 6, 13, 13, 25, 20, 894000, timezone.utc)
    assert len(first) == 26 and first < second
    assert cast == ["01AN4Z07BY79KA1307SR9X4MV3"] * 2
    assert one == "second" and one_plain == second
    assert [tuple(row) for row in both] == [(first, [first, second], customer), (second, None, None)]
    assert both == both_plain
    assert [row["name"] for row in after] == ["first", "second"]
    assert [tuple(row) for row in within] == [("many", time), ("copied", time)]
    assert [row["id"] for row in page] == [first, second]

    # A whole row, a composite: with the codec only.
    whole = ["SELECT item FROM item WHERE id = $1", "SELECT (id, related) FROM item WHERE id = $1"]
    rows = [await connection.fetchval(query, first) for query in whole]
    assert rows[0]["id"] == first and rows[0]["related"] == [first, second] and tuple(rows[1]) == (first, [first, second])
    for query in whole:
        try:
            assert (await plain.fetchval(query, first))[0] != first
        except (asyncpg.exceptions.UnsupportedClientFeatureError, asyncpg.exceptions.InternalClientError, UnicodeDecodeError):
            pass

    for use in plain, connection:
        try:
            await use.fetch("SELECT name FROM item WHERE id = $1", "01AN4Z07BY79KA1307SR9X4MVU")
            assert False, "an invalid id was accepted"
        except asyncpg.exceptions.InvalidTextRepresentationError:
            pass
    for id in uuid.bytes, uuid:
        try:
            await plain.fetch("SELECT name FROM item WHERE id = $1", id)
            assert False, "an id needs no cast"
        except asyncpg.exceptions.DataError:
            pass
    try:
        await connection.execute("INSERT INTO item (customer) VALUES ($1)", first)
        assert False, "an unknown customer was accepted"
    except asyncpg.exceptions.ForeignKeyViolationError:
        pass

    print("asyncpg", asyncpg.__version__)


asyncio.run(main())
