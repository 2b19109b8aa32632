# A worker that reads new rows in the order of their ids and misses none, with psycopg (3). Here it is killed and started again
# while other sessions insert. PGHOST, PGDATABASE ... say which server and database.

import os
import random
import signal
import subprocess
import sys
import threading
import time
from select import select

import psycopg

# ---- How to ----


def work(deliver):
    """Delivers each row at least once, in the order of the ids."""
    notified = []
    with psycopg.connect("", autocommit=True) as connection:
        connection.add_notify_handler(notified.append)
        connection.execute("LISTEN event")
        while True:
            notified.clear()
            with connection.transaction():
                [last] = connection.execute("SELECT id FROM position WHERE consumer = 'worker' FOR UPDATE").fetchone()
                rows = connection.execute(
                    "SELECT id, message FROM event WHERE id > %s AND id < ulid_settled() ORDER BY id LIMIT 100", [last]
                ).fetchall()
                for id, message in rows:
                    deliver(id, message)
                if rows:
                    connection.execute("UPDATE position SET id = %s WHERE consumer = 'worker'", [rows[-1][0]])
            if not rows and not notified:
                select([connection], [], [], 1)  # until somebody notifies, or for a second


# ---- Expected results ----


def deliver(id, message):
    """To standard output, for this test."""
    print(id, message, flush=True)


def deliver_or_die(id, message):
    """Is sometimes killed during its work."""
    if random.random() < 0.01:
        os.kill(os.getpid(), signal.SIGKILL)
    deliver(id, message)


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


def run(how):
    return subprocess.Popen([sys.executable, __file__, how], stdout=subprocess.PIPE, text=True)


if "die" in sys.argv:
    work(deliver_or_die)
if "work" in sys.argv:
    work(deliver)

with psycopg.connect("") as connection:
    connection.execute(
        """CREATE TABLE event (id ulid PRIMARY KEY DEFAULT gen_ulid(), message text);
           CREATE TABLE position (consumer text PRIMARY KEY, id ulid NOT NULL);
           INSERT INTO position VALUES ('worker', ulid_first('-infinity'));
           CREATE FUNCTION notify_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NOTIFY event; RETURN NULL; END $$;
           CREATE TRIGGER notify AFTER INSERT ON event EXECUTE FUNCTION notify_event()"""
    )

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
worker.kill()
printed.join()

runs = [[line.split() for line in output.splitlines()] for output in delivered]
expected = {message for rows in committed for message in rows}
received = {message for lines in runs for _, message in lines}
assert len(expected) > 100
assert received == expected, (expected - received, received - expected)
for lines in runs:
    ids = [id for id, _ in lines]
    assert ids == sorted(set(ids)), "within a run, each once and in order"

print("worker with psycopg", psycopg.__version__)
