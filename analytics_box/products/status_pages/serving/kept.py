"""Cached answers with their headers, compressed once for all visitors.

A browser that has the current version gets 304. The number of cached bytes is bounded; the least recently used go.
"""

import gzip
import hashlib
from functools import lru_cache
from typing import Final, NamedTuple

from analytics_box.base.cache import BoundedCache
from analytics_box.web.asgi import Send, names_tag
from analytics_box.web.compression import LONGEST, best

try:
    import brotli  # what the extra `brotli` installs
except ImportError:
    brotli = None

MOST_BYTES, MOST_ANSWERS = 32_000_000, 2_000
LARGEST: Final = 1_000_000  # bytes of an answer that is kept
Key = tuple[str, str, str]  # of an answer: page, base path, path
HeaderList = list[tuple[bytes, bytes]]
_WORTH_IT: Final = 1_000  # bytes; less fits into one packet anyway
_GZIP_LEVEL, _BROTLI_QUALITY = 6, 5  # a few milliseconds at most: pages are rebuilt every ten seconds
_UNCHANGED: Final = {"type": "http.response.body", "body": b"", "more_body": False}


class RenderedAnswer(NamedTuple):
    """An answer as it is made: its body, its type and further headers."""

    body: bytes
    type: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()


class EncodedAnswer(NamedTuple):
    """An answer in one coding: its tag, its headers, those of a 304, and its body."""

    tag: bytes
    headers: HeaderList
    unchanged: HeaderList
    body: bytes


class CachedAnswer:
    """An answer with every coding that someone asked for."""

    __slots__ = ("_codings", "_hash", "made", "size", "state")

    def __init__(self, made: RenderedAnswer, state: str) -> None:
        self.made = made
        self.state = state  # of the page that it was made of
        self._hash = hashlib.blake2b(made.body, digest_size=8).hexdigest()
        self._codings: dict[str, EncodedAnswer] = {}
        self.size = len(made.body)

    def coded(self, accepted: bytes) -> EncodedAnswer:
        """The smallest answer that this Accept-Encoding allows."""
        coding = _coding(accepted) if len(accepted) <= LONGEST else ""
        return self._codings.get(coding) or self._code(coding)

    def _code(self, coding: str) -> EncodedAnswer:
        packs = bool(coding) and len(self.made.body) >= _WORTH_IT
        tag = f'"{self._hash}{coding[:1]}"'.encode()
        lasting = [(b"etag", tag), (b"vary", b"accept-encoding"), *self.made.headers]
        headers = [(b"content-type", self.made.type), *lasting]
        body = self.made.body
        if packs:
            headers.append((b"content-encoding", coding.encode()))
            body = _pack(body, coding)
            self.size += len(body)
        self._codings[coding] = made = EncodedAnswer(tag, headers, lasting, body)
        return made


class Shelf:
    """The answers that are kept, by page, base path and path. Very large ones are made each time."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_answers: int = MOST_ANSWERS) -> None:
        self._kept: BoundedCache[Key, CachedAnswer] = BoundedCache(
            most_answers, most_weight=most_bytes, weigh=lambda _, kept: kept.size, largest=LARGEST
        )

    def find(self, key: Key, state: str) -> CachedAnswer | None:
        """The answer of this path, as long as the page is in the state that it was made of."""
        found = self._kept.get(key)
        return found if found is not None and found.state == state else None

    def keep(self, key: Key, made: RenderedAnswer, state: str) -> CachedAnswer:
        """Keep a new answer. One that is the same as before stays, compressed as it is."""
        before = self._kept.get(key)
        if before is not None and before.made == made:
            before.state = state
            return before
        kept = CachedAnswer(made, state)
        # Some were compressed since.
        self._kept.weigh_again()
        self._kept.put(key, kept)
        return kept

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """The number of cached bytes."""
        self._kept.weigh_again()
        return self._kept.weight


async def send_kept(send: Send, kept: CachedAnswer, accepted: bytes, known: bytes | None) -> None:
    """Answer with 200, or 304 to a client that has it. `accepted` and `known` are headers of the request."""
    found = kept.coded(accepted)
    if known is not None and names_tag(known, found.tag):
        await send({"type": "http.response.start", "status": 304, "headers": found.unchanged})
        await send(_UNCHANGED)
        return
    await send({"type": "http.response.start", "status": 200, "headers": found.headers})
    await send({"type": "http.response.body", "body": found.body, "more_body": False})


@lru_cache(maxsize=256)
def _coding(accepted: bytes) -> str:
    return best(accepted.decode("latin-1"))


def _pack(body: bytes, coding: str) -> bytes:
    if coding == "br":
        return bytes(brotli.compress(body, quality=_BROTLI_QUALITY))
    return gzip.compress(body, _GZIP_LEVEL, mtime=0)
