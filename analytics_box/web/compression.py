"""Answers in fewer bytes, where that gives nothing away.

The length of a compressed answer reveals whether a text that an attacker puts into it also appears elsewhere in it
(BREACH). So only these are compressed: files and documents that are the same for everyone; reading pages, and answers
to queries, when no cookie says who asks or when the browser itself says that no other site made it ask. What sets up
accounts, shows a secret or answers a form is never compressed.
"""

import asyncio
import gzip
from functools import cache, lru_cache

from analytics_box.web.asgi import Message, Scope, Send

try:
    import brotli  # what the extra `brotli` installs
except ImportError:
    brotli = None

_READING = ("/sites", "/links", "/docs")
_LISTS = {"/monitors", "/flags", "/status-pages"}  # what is below them may show a secret
_QUERIES = "/v1/"
_OUR_OWN = {b"same-origin", b"none"}
_TYPES = (b"text/", b"application/json")
_WORTH_IT = 1_000  # bytes; less fits into one packet anyway
_IN_A_THREAD = 200_000  # bytes, from which on others would notice
LONGEST = 500  # characters of an Accept-Encoding that are read: browsers send some 30
_LEVEL = 5  # of gzip: nearly as small as 9, in a third of the time


def accepted_codings(header: str) -> frozenset[str]:
    """The codings that a client takes, by its Accept-Encoding (RFC 9110 12.5.3); none if that is very long."""
    return _known_codings(header) if len(header) <= LONGEST else frozenset()


@lru_cache(maxsize=256)
def _known_codings(header: str) -> frozenset[str]:
    parts = (part.strip().lower().partition(";") for part in header.split(","))
    return frozenset(name.strip() for name, _, weight in parts if weight.replace(" ", "") not in _NEVER)


_NEVER = {"q=0", "q=0.0", "q=0.00", "q=0.000"}


@cache
def compress_file(content: bytes, coding: str) -> bytes:
    """A file as small as it gets; done once, when someone first asks. Raises KeyError for an unknown coding."""
    return _PACK[coding](content)


_PACK = {"gzip": lambda content: gzip.compress(content, 9, mtime=0)}
if brotli is not None:
    _PACK["br"] = brotli.compress


def best(header: str) -> str:
    """The coding in which a file is smallest, of those that a client takes; empty for none."""
    taken = accepted_codings(header)
    return next((coding for coding in ("br", "gzip") if coding in taken and coding in _PACK), "")


def may_compress(scope: Scope) -> bool:
    """Whether the answer to this request gives nothing away by its length, and is wanted compressed."""
    path, read = scope["path"], scope["method"] == "GET"
    if not (path.startswith(_QUERIES) or (read and (path.startswith(_READING) or path in _LISTS))):
        return False
    wanted = cookie = ours = False
    for name, value in scope["headers"]:
        if name == b"accept-encoding":
            wanted = "gzip" in accepted_codings(value.decode("latin-1"))
        elif name == b"cookie":
            cookie = True
        elif name == b"sec-fetch-site":
            ours = value in _OUR_OWN
    return wanted and (ours or not cookie)


def compressing(send: Send) -> Send:
    """Wrap `send` so that a complete answer is compressed; a stream passes unchanged."""
    start: Message | None = None

    async def squeeze(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            start = message
            return
        if start is not None:
            content = message.get("body", b"")
            if not message.get("more_body") and len(content) >= _WORTH_IT and _is_plain(start):
                content = await _gzip(content)
                message = {**message, "body": content}
                start["headers"] = _vary_header(start, len(content))
            await send(start)
            start = None
        await send(message)

    return squeeze


async def _gzip(content: bytes) -> bytes:
    if len(content) < _IN_A_THREAD:
        return gzip.compress(content, _LEVEL, mtime=0)
    return await asyncio.to_thread(gzip.compress, content, _LEVEL, mtime=0)


def _is_plain(start: Message) -> bool:
    """Whether an answer is a success, and of a type that gets smaller."""
    headers = dict(start["headers"])
    kind: bytes = headers.get(b"content-type", b"")
    return start["status"] == 200 and kind.startswith(_TYPES) and b"content-encoding" not in headers


def _vary_header(start: Message, length: int) -> list[tuple[bytes, bytes]]:
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    told = (b"content-encoding", b"gzip"), (b"vary", b"accept-encoding"), (b"content-length", b"%d" % length)
    return [*headers, *told]
