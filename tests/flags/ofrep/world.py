"""What tests of OFREP do: ask, and listen to a stream of changes."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from analytics_box.flags.ofrep.serve import Ofrep
from analytics_box.flags.ofrep.streams import Streams
from tests.flags.world import World
from tests.inprocess import Answer

BASE = "ofrep/v1/evaluate/flags"
Message = dict[str, Any]


def scope(
    rest: str, *, method: str = "GET", headers: Mapping[str, str] | None = None, address: str = "203.0.113.7"
) -> Message:
    """A request as the front hands it on."""
    path, _, query = rest.partition("?")
    return {
        "type": "http",
        "method": "GET" if method == "HEAD" else method,
        **({"head": True} if method == "HEAD" else {}),
        "path": f"/public/v1/flags/x/{path}",
        "query_string": query.encode(),
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in (headers or {}).items()],
        "address": address,
        "request_id": "req",
    }


def ask(
    world: World,
    rest: str = BASE,
    content: object = None,
    *,
    client: str = "",
    method: str = "POST",
    address: str = "203.0.113.7",
    **headers: str,
) -> Answer:
    """One request; header names are given with underscores."""
    body = content if isinstance(content, bytes) else b"" if content is None else json.dumps(content).encode()
    asked = scope(rest, method=method, headers=headers, address=address)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    world.box.run(world.box.box.parts[Ofrep].answer(client or world.shop, rest.partition("?")[0], asked, receive, send))
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], told, b"".join(one["body"] for one in sent[1:]))


def about(key: str = "u1", **more: Any) -> dict[str, Any]:
    """A body that asks for somebody."""
    return {"context": {"targetingKey": key, **more}}


class Listener:
    """A client of a stream: what it was sent, and how it leaves."""

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
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
        """The data of all events so far, each with its id."""
        found = []
        for chunk in self.chunks:
            if chunk.startswith(b"id: "):
                told, kind, data = chunk.decode().strip().split("\n")
                assert kind == "event: message"
                found.append({"id": told.removeprefix("id: "), **json.loads(data.removeprefix("data: "))})
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


def listen(
    world: World, rest: str = "ofrep/v1/streams", *, address: str = "203.0.113.7", body: bytes = b"", **headers: str
) -> Listener:
    """A stream that is asked for now."""
    ofrep, streams = world.box.box.parts[Ofrep], world.box.box.parts[Streams]
    listener = Listener(streams)
    listener.sends = body
    listener.scope = asked = scope(rest, headers=headers, address=address)
    listener.begin(lambda one: ofrep.answer(world.shop, "ofrep/v1/streams", asked, one.receive, one.send))
    return listener
