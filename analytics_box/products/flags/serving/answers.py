"""Answers about flags in the shapes that SDKs know (wire 6.1)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from analytics_box.base.errors import BadRequest, BoxError, RateLimited, WrongTypes
from analytics_box.products.flags.evaluation.outcome import Outcome
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
