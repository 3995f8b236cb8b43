"""The protocol between granian and the box, as plain types.

The front adds two keys to every HTTP scope: `request_id`, and `address`, the client's address as text. Whoever counts
a request under a limit leaves its `allowance` there, and the front tells the client of it. What the front refuses it
leaves to event routes as `refused`. They also get `headers_by_name`, where the last of equal names counts, and those of
a forwarding header are one. `proxy_fault` says that the header of a proxy has no effect (http.address).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Headers = tuple[tuple[bytes, bytes], ...]  # of an answer
Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def names_tag(known: bytes, tag: bytes) -> bool:
    """Return whether an If-None-Match header names a tag, weak or not (RFC 9110 13.1.2).

    A tag has its quotes, so none contains another. A list of thousands is searched, not taken apart.
    """
    return tag in known or known.strip() == b"*"


def client_has(scope: Scope, tag: bytes) -> bool:
    """Return whether a request names this tag as one of an answer that the client has."""
    for name, value in scope["headers"]:  # noqa: SIM110  a generator takes twice as long
        if name == b"if-none-match" and names_tag(value, tag):
            return True
    return False


async def respond(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> None:
    """Send a whole answer."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


# Browsers keep fewer cookies for a site.
_MOST = 500


def cookie(header: str, name: str) -> str:
    """The value of one cookie, of several with this name the first; empty where it is not sent."""
    for pair in header.split(";", _MOST)[:_MOST]:
        found, _, value = pair.partition("=")
        if found.strip() == name:
            return value.strip()
    return ""


class BuiltLater:
    """An application that is built when the first request for it comes.

    That takes 0.2 s and 15 MB, so it happens in a thread, and events are answered in the meantime.
    """

    def __init__(self, build: Callable[[], App]) -> None:
        self._build = build
        self._building = asyncio.Lock()
        self._built: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        built = self._built or await self._build_once()
        await built(scope, receive, send)

    async def _build_once(self) -> App:
        async with self._building:
            if self._built is None:
                self._built = await asyncio.to_thread(self._build)
            return self._built
