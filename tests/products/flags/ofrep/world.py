"""What tests of OFREP do: ask, and listen to a stream of changes."""

import json
from collections.abc import Mapping
from typing import Any

from analytics_box.products.flags.ofrep.serve import Ofrep
from tests.inprocess import Answer
from tests.listening import Listener
from tests.products.flags.world import World

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


def listen(
    world: World, rest: str = "ofrep/v1/streams", *, address: str = "203.0.113.7", body: bytes = b"", **headers: str
) -> Listener:
    """A stream that is asked for now."""
    ofrep, listener = world.box.box.parts[Ofrep], Listener()
    listener.sends = body
    listener.scope = asked = scope(rest, headers=headers, address=address)
    listener.begin(lambda one: ofrep.answer(world.shop, "ofrep/v1/streams", asked, one.receive, one.send))
    return listener
