"""Values in a JSON answer: by pointer (RFC 6901), by path, or those that tell of health (wire 8.4). Pure."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from analytics_box.products.monitors.monitor import JsonParsing

LONGEST: Final = 1_048_576  # bytes of an answer that is read as JSON
_TELLING: Final = frozenset(
    (
        *(
            "status",
            "state",
            "health",
            "healthy",
            "ok",
            "up",
            "alive",
            "ready",
            "message",
            "error",
            "version",
            "uptime",
        ),
        *("latency", "latency_ms", "latencyms", "response_time", "response_time_ms", "responsetime", "responsetimems"),
        *("duration", "duration_ms", "durationms", "elapsed", "elapsed_ms", "ping"),
    )
)
_DEPTH, _MOST, _LONGEST_VALUE, _LONGEST_DATA = 3, 20, 200, 4_000

MISSING: Final = msgspec.UNSET


class NotJson(Exception):
    """Raised when a body is not usable as JSON, with the reason."""


def parse_json(body: bytes, *, complete: bool) -> Any:
    """The JSON of a body. Raises NotJson."""
    if len(body) > LONGEST or not complete:
        raise NotJson(f"the answer is larger than {LONGEST // 1_048_576} MB")
    try:
        return msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise NotJson("the answer is not JSON") from wrong


def at(document: Any, path: str) -> Any:
    """The value at a pointer like /a/0/b or a path like a.0.b; MISSING if there is none."""
    if path.startswith("/"):
        steps = [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
    else:
        steps = path.removeprefix("$.").split(".") if path not in {"", "$"} else []
    for step in steps:
        document = _step(document, step)
        if document is MISSING:
            break
    return document


def _step(document: Any, step: str) -> Any:
    if isinstance(document, dict):
        return document.get(step, MISSING)
    if isinstance(document, list) and step.isascii() and step.isdecimal() and len(step) < 10:
        return document[int(step)] if int(step) < len(document) else MISSING
    return MISSING


def as_text(value: Any) -> str:
    """A text as it is, everything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def extract_values(document: Any, wanted: JsonParsing) -> str | None:
    """JSON text of the values that are to be kept, by their paths; None if there is none of them."""
    if wanted.mode == "manual":
        found = {path: value for path in wanted.fields if (value := at(document, path)) is not MISSING}
    else:
        found = dict(_telling(document, "", _DEPTH))
    shown: dict[str, Any] = {}
    for path, value in list(found.items())[:_MOST]:
        shown[path] = (
            value if isinstance(value, (int, float, bool)) or value is None else as_text(value)[:_LONGEST_VALUE]
        )
        if len(msgspec.json.encode(shown)) > _LONGEST_DATA:
            del shown[path]
            break
    return msgspec.json.encode(shown).decode() if shown else None


def _telling(document: Any, before: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Fields whose names tell of status or latency, from the outside in."""
    if not isinstance(document, dict):
        return
    for name, value in document.items():
        if name.lower() in _TELLING and not isinstance(value, (dict, list)):
            yield before + name, value
    if depth > 1:
        for name, value in list(document.items())[:_MOST]:
            yield from _telling(value, f"{before}{name}.", depth - 1)
