"""Answers about flags in the shapes that SDKs know (wire 6.1), and the memory of recent ones.

Two generations: answers without a request since the last turn are dropped together. The total number of bytes is
limited.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest, BoxError, RateLimited, WrongTypes
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.serving.asked import EvaluationRequest
from analytics_box.web import render

Asking = Literal["evaluate", "bulk"]
HeaderList = list[tuple[bytes, bytes]]

# What any page may read: these answers are for browsers on all sites, and never look at cookies.
OPEN: Final = (
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        b"ETag, Retry-After, X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
    ),
    (b"vary", b"Origin"),
)
PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PATCH, DELETE, OPTIONS"),
    (b"access-control-allow-headers", b"*, authorization, content-type, if-none-match, last-event-id, x-api-key"),
    (b"access-control-max-age", b"86400"),
)
SHARED: Final = (b"cache-control", b"public, max-age=15, s-maxage=30, stale-while-revalidate=15")
NOT_STORED: Final = (b"cache-control", b"private, no-store")
JSON: Final = (b"content-type", b"application/json")

HEALTH: Final = b'{"service":"flags","status":"ok","version":"1.0.0"}'
NOT_FOUND: Final = b'{"enabled":false,"value":false,"payload":null,"reason":"FLAG_NOT_FOUND"}'
NO_FLAGS: Final = b'{"flags":{},"count":0}'
FAILED: Final = "EVALUATION_ERROR"
_OFF: Final[Mapping[str, Any]] = {"enabled": False, "value": False, "payload": None}


def bulk(outcomes: Iterable[Outcome]) -> bytes:
    """The body of an answer to GET /bulk."""
    entries = [_key_prefix(outcome.key) + outcome.encoded for outcome in outcomes]
    return b'{"flags":{%b},"count":%d}' % (b",".join(entries), len(entries))


def refusal(asking: Asking, error: BoxError, request_id: str) -> bytes:
    """The body of a refusal: as every refusal of the API, and in the shape that SDKs read."""
    shape: Mapping[str, Any] = _OFF
    if asking == "bulk":
        shape = {"flags": []} if isinstance(error, RateLimited) else {"flags": {}, "count": 0}
    told = msgspec.json.decode(render.api_body(error, request_id))
    return msgspec.json.encode({**shape, **told, "reason": error.reason or _reason(error)})


def refusal_headers(error: BoxError) -> HeaderList:
    """The headers of a refusal."""
    return [*_without_cache(render.header_list(error)), NOT_STORED, *OPEN]


def _reason(error: BoxError) -> str:
    if isinstance(error, RateLimited):
        return "RATE_LIMITED"
    if isinstance(error, BadRequest | WrongTypes):
        return "INVALID_REQUEST"
    return FAILED if error.status >= 500 else error.code


def _without_cache(headers: HeaderList) -> HeaderList:
    return [(name, value) for name, value in headers if name != NOT_STORED[0]]


@lru_cache(maxsize=10_000)
def _key_prefix(key: str) -> bytes:
    """A flag's key before its result, as JSON."""
    return msgspec.json.encode(key) + b":"


MOST_BYTES: Final = 16_000_000
_OVERHEAD: Final = 1_500  # Bytes of an entry in addition to its texts.
_OF_QUERY: Final = (
    5  # Bytes in memory for each byte of a query: as received, and decoded with up to four per character.
)
_OF_KEY: Final = 80  # Bytes of a requested key in addition to its characters.
_OF_OUTCOME: Final = 8  # Bytes of a reference: outcomes are shared.


class CachedEvaluation(Struct, frozen=True, gc=False):
    """An answer to a request, with its outcomes and its tag. It is valid as long as the flags are in this state.

    `asked` does not contain the user: a context of small values has many times the bytes of its query string.
    """

    asked: EvaluationRequest
    state: bytes
    tag: bytes
    body: bytes
    outcomes: tuple[Outcome, ...]


class EvaluationCache:
    """Cached answers by the name of the route and the query string."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._half = most_bytes // 2
        self._recent: dict[tuple[str, bytes], CachedEvaluation] = {}
        self._older: dict[tuple[str, bytes], CachedEvaluation] = {}
        self._bytes = 0  # The size of the recent generation.

    def find(self, route: str, query: bytes) -> CachedEvaluation | None:
        """The last answer to this request; its state shows whether it is still valid."""
        key = (route, query)
        found = self._recent.get(key)
        if found is None:
            found = self._older.get(key)
            if found is not None:
                self.keep(route, query, found)
        return found

    def keep(self, route: str, query: bytes, given: CachedEvaluation) -> None:
        """Keep an answer instead of an earlier one; very large ones are not kept."""
        size = _OVERHEAD + _OF_QUERY * len(query) + len(given.body) + _OF_OUTCOME * len(given.outcomes)
        size += _OF_KEY * len(given.asked.keys or ())
        if size > self._half // 8:
            return
        if self._bytes + size > self._half:
            self._older, self._recent, self._bytes = self._recent, {}, 0
        self._recent[route, query] = given
        self._bytes += size  # A replaced entry counts twice, so the generation ends a little earlier.

    def forget(self) -> None:
        """Forget all answers, with what was asked."""
        self._recent, self._older, self._bytes = {}, {}, 0

    def __len__(self) -> int:
        return len(self._recent.keys() | self._older.keys())
