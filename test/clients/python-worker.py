# A worker that reads new rows in the order of their ids and misses none, with psycopg (3). Here it is killed and started again
# while other sessions insert. PGHOST, PGDATABASE ... say which server and database. If STANDBY is the connection string of a
# standby of that server, the worker reads there.

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from select import select

import psycopg

# ---- How to ----


def work(deliver, standby=""):
    """Delivers each row at least once, in the order of the ids. What is delivered by the connection is delivered exactly once."""
    mine = "(feed, consumer) = ('event', 'worker')"
    notified = []
    settled = "(SELECT id FROM all_settled)" if standby else "ulid_settled()"
    with psycopg.connect("", autocommit=True) as connection, psycopg.connect(standby, autocommit=True) as source:
        connection.add_notify_handler(notified.append)
        connection.execute("LISTEN event")
        while True:
            notified.clear()
            with connection.transaction():
                [last] = connection.execute(f"SELECT id FROM position WHERE {mine} FOR UPDATE").fetchone()
                rows = source.execute(
                    f"SELECT id, message FROM event WHERE id > %s AND id < {settled} ORDER BY id LIMIT 100", [last]
                ).fetchall()
                for id, message in rows:
                    deliver(connection, id, message)
                if rows:
                    connection.execute(f"UPDATE position SET id = %s WHERE {mine}", [rows[-1][0]])
            if not rows and not notified:
                select([connection], [], [], 1)  # until somebody notifies, or for a second


# ---- Expected results ----


def deliver(connection, id, message):
    """To standard output and to a table, for this test."""
    print(id, message, flush=True)
    connection.execute("INSERT INTO delivered VALUES (%s, %s)", [id, message])


def deliver_or_die(connection, id, message):
    """Is sometimes killed during its work."""
    if random.random() < 0.01:
        os.kill(os.getpid(), signal.SIGKILL)
    deliver(connection, id, message)


def insert(number, rows, stop):
    """Long and short transactions, some of them rolled back, so that commits are in another order than ids."""
    with psycopg.connect("") as connection:
        while not stop.is_set():
            message = f"{number}-{len(rows)}"
            connection.execute("INSERT INTO event (message) VALUES (%s)", [message])
            time.sleep(random.choice([0, 0, 0.01, 0.1]))
            if random.random() < 0.1:
                connection.rollback()
                continue
            connection.commit()
            rows.append(message)


def call(procedure, page, begins):
    """Keeps a procedure running that a block of a page creates."""
    page = open(os.path.join(os.path.dirname(__file__), "../../doc", page)).read()
    with psycopg.connect("", autocommit=True) as connection:
        connection.execute(re.search(begins + r".*?(?=\n```)", page, re.DOTALL)[0])
    return subprocess.Popen(["psql", "-Xq", "-c", f"CALL {procedure}()"], stderr=subprocess.DEVNULL)


def run(how):
    return subprocess.Popen([sys.executable, __file__, how], stdout=subprocess.PIPE, text=True)


standby = os.environ.get("STANDBY", "")
if "die" in sys.argv:
    work(deliver_or_die, standby)
if "work" in sys.argv:
    work(deliver, standby)

with psycopg.connect("") as connection:
    connection.execute(
        """CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text);
           CREATE TABLE delivered (id ulid PRIMARY KEY, message text);
           CREATE TABLE position (feed text, consumer text, id ulid NOT NULL, PRIMARY KEY (feed, consumer));
           INSERT INTO position VALUES ('event', 'worker', ulid_first('-infinity'))"""
    )

services = [call("wake_readers", "reading.md", "CREATE PROCEDURE wake_readers")]
if standby:
    services.append(call("announce_settled", "several-servers.md", "CREATE TABLE settled"))
    # until the standby has it
    with psycopg.connect(standby, autocommit=True) as connection:
        while connection.execute("SELECT to_regclass('all_settled') IS NULL").fetchone()[0]:
            time.sleep(0.1)

stop = threading.Event()
committed = [[] for _ in range(8)]
writers = [threading.Thread(target=insert, args=(number, rows, stop)) for number, rows in enumerate(committed)]
for writer in writers:
    writer.start()

# The last run reads the rest.
delivered = [run("die").communicate()[0] for _ in range(10)]
stop.set()
for writer in writers:
    writer.join()
worker = run("work")
# Meanwhile somebody must read what it prints: a full pipe would stop it.
printed = threading.Thread(target=lambda: delivered.append(worker.communicate()[0]))
printed.start()
with psycopg.connect("", autocommit=True) as connection:
    while not connection.execute(
        "SELECT NOT EXISTS (SELECT FROM event, position WHERE event.id > position.id)"
    ).fetchone()[0]:
        time.sleep(0.1)
    # With the lock of the position, its last batch has ended.
    with connection.transaction():
        connection.execute("SELECT FROM position FOR UPDATE")
        stored = [message for [message] in connection.execute("SELECT message FROM delivered")]
worker.kill()
printed.join()
for service in services:
    service.send_signal(signal.SIGINT)
    service.wait()

runs = [[line.split() for line in output.splitlines()] for output in delivered]
expected = {message for rows in committed for message in rows}
received = {message for lines in runs for _, message in lines}
assert len(expected) > 100
assert received == expected, (expected - received, received - expected)
assert sorted(stored) == sorted(expected), "exactly once, where the work is in the same transaction"
for lines in runs:
    ids = [id for id, _ in lines]
    assert ids == sorted(set(ids)), "within a run, each once and in order"

print("worker on a standby" if standby else "worker", "with psycopg", psycopg.__version__)
