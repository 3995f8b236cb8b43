"""A client of a stream of server-sent events: what it was sent, and how it leaves."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

Message = dict[str, Any]


class Listener:
    """A client of a stream: what it was sent, and how it leaves."""

    def __init__(self) -> None:
        self.scope: Message = {}
        self.status = 0
        self.headers: dict[str, str] = {}
        self.chunks: list[bytes] = []
        self.reads = asyncio.Event()  # cleared: it takes nothing more
        self.reads.set()
        self.breaks = False
        self.sends = b""  # a body without end, in pieces of these bytes
        self._news = asyncio.Event()
        self._left = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def begin(self, serve: Callable[["Listener"], Coroutine[Any, Any, None]]) -> None:
        """Be answered by this."""
        self.task = asyncio.ensure_future(serve(self))

    async def receive(self) -> Message:
        if self.sends:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": self.sends, "more_body": True}
        await self._left.wait()
        if self.breaks:
            raise asyncio.CancelledError  # as granian does at times
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        await self.reads.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.chunks.append(message["body"])
        self._news.set()

    @property
    def events(self) -> list[dict[str, Any]]:
        """The data of all events so far, each with its id if it has one."""
        found = []
        for chunk in self.chunks:
            fields = dict(line.split(": ", 1) for line in chunk.decode().strip().split("\n") if ": " in line)
            if "data" in fields:
                assert fields.get("event", "message") == "message"
                named = {"id": fields["id"]} if "id" in fields else {}
                found.append({**named, **json.loads(fields["data"])})
        return found

    async def until(self, enough: Callable[[], object]) -> None:
        """Return once it was sent enough."""
        async with asyncio.timeout(30):
            while not enough():
                self._news.clear()
                await self._news.wait()

    async def first(self) -> None:
        """Return once the first event came; also without one where it is refused."""
        await self.until(lambda: self.events or self.status > 200)

    async def heard(self, state: str) -> None:
        """Return once the latest event is of this state."""
        await self.until(lambda: self.events and self.events[-1]["id"] == state)

    def leave(self) -> None:
        """The client is gone."""
        self._left.set()

    async def ended(self) -> None:
        """Return once the answer has ended."""
        assert self.task is not None
        async with asyncio.timeout(30):
            await self.task
