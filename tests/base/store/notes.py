"""A file with one table of notes, and a few writes to it."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from analytics_box.base.store.db import Db

Write = Callable[[apsw.Connection], int]

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
PATIENCE = 20.0  # seconds after which a test that waits for another thread gives up


class Refusal(Exception):
    """What a write raises when it does not want to go through."""


def make_file(path: Path) -> None:
    """An empty file of notes."""
    connection = apsw.Connection(str(path))
    connection.execute("create table notes (id integer primary key, text text not null unique) strict")
    connection.close()


def note(text: str) -> Write:
    """A write that adds this note and returns its id."""

    def work(connection: apsw.Connection) -> int:
        connection.execute("insert into notes (text) values (?)", (text,))
        return connection.last_insert_rowid()

    return work


def refused(text: str) -> Write:
    """A write that adds this note, then thinks better of it."""

    def work(connection: apsw.Connection) -> int:
        note(text)(connection)
        raise Refusal(text)

    return work


def texts(connection: apsw.Connection) -> list[str]:
    """All notes, in the order of their ids."""
    return [str(text) for (text,) in connection.execute("select text from notes order by id").fetchall()]


def endless(connection: apsw.Connection) -> int:
    """A read that never ends by itself."""
    return int(str(connection.execute(ENDLESS).get))


def texts_in(path: Path) -> list[str]:
    """All notes of a file that nobody has open; its structure is checked on the way."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert connection.pragma("integrity_check") == "ok"
        return texts(connection)
    finally:
        connection.close()


class Gate:
    """Work that holds its thread until it is opened, so that a test can queue more behind it."""

    def __init__(self) -> None:
        self._entered = threading.Event()
        self._open = threading.Event()

    def __call__(self, _connection: apsw.Connection) -> None:
        self._entered.set()
        assert self._open.wait(PATIENCE), "the test never opened its gate"

    def wait_until_entered(self) -> None:
        """Return once the work has begun."""
        assert self._entered.wait(PATIENCE), "the work behind the gate never began"

    def open(self) -> None:
        """Let the work end."""
        self._open.set()


async def behind_gate(db: Db, *works: Callable[[apsw.Connection], Any]) -> list[Any]:
    """Run these writes as one group, queued while the writer is busy; their results or exceptions, in order."""
    gate = Gate()
    busy = asyncio.create_task(db.write(gate))
    await asyncio.to_thread(gate.wait_until_entered)
    waiting = [asyncio.create_task(db.write(work)) for work in works]
    await asyncio.sleep(0)  # lets every task enqueue its write
    gate.open()
    await busy
    return await asyncio.gather(*waiting, return_exceptions=True)
