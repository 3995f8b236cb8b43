"""The least that a durable event costs on this stack: raw ASGI, one writer thread, group commit, synchronous=FULL.

python -m tests.benchmarks.minimal FILE PORT
"""

import asyncio
import signal
import sys
from functools import partial
from pathlib import Path

import apsw
import msgspec
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server

from analytics_box.base.store.db import Connection, Db
from analytics_box.web.asgi import Receive, Scope, Send, respond

_DECODE = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_HEADERS = [(b"content-type", b"application/json")]


class Minimal:
    """Takes anything that is a JSON object and stores its body."""

    def __init__(self, db: Db) -> None:
        self._db = db

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        message = await receive()
        body = message["body"]
        if scope["method"] == "POST":
            _DECODE(body)
            await self._db.write(partial(_store, body))
        await respond(send, 200, _HEADERS, b'{"status":"success"}')


def _prepare(db: Connection) -> None:
    db.execute("create table if not exists bodies (body blob)")


def _store(body: bytes, db: Connection) -> None:
    db.execute("insert into bodies values (?)", (body,))


async def main(file: Path, port: int) -> None:
    """Serve until SIGTERM."""
    db = Db(file, readers=1)
    db.write_now(_prepare)
    app = Minimal(db)
    server = Server(app, port=port, interface=Interfaces.ASGI, websockets=False, backlog=2048, log_enabled=False)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.stop)
    await server.serve()
    db.close()


if __name__ == "__main__":
    print(apsw.sqlitelibversion(), file=sys.stderr)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        file = Path(sys.argv[1])
        file.touch()
        runner.run(main(file, int(sys.argv[2])))
