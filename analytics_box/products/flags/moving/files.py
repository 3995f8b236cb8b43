"""The text of a file of flags as plain values, and the product it comes from."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.moving import flagd, growthbook, launchdarkly, own, unleash
from analytics_box.products.flags.moving.wanted import Source, SourceFile

_ODD: Final = "The file cannot be read: a value has an unexpected type"
_UNKNOWN: Final = (
    "This is not a file of flags. Send an export of this box, Unleash, GrowthBook, LaunchDarkly or "
    "flagd, and set source to one of them"
)
_READERS: Final[dict[Source, Callable[[Mapping[str, Any], str | None], SourceFile]]] = {
    "analytics-box": own.read_file,
    "unleash": unleash.read_file,
    "growthbook": growthbook.read_file,
    "launchdarkly": launchdarkly.read_file,
    "flagd": flagd.read_file,
    "flagd-v3": flagd.read_v3,
}
_LOOKS: Final[tuple[tuple[Source, Callable[[Mapping[str, Any]], bool]], ...]] = (
    ("analytics-box", own.is_own),
    ("flagd", flagd.is_flagd),
    ("launchdarkly", launchdarkly.is_launchdarkly),
    ("unleash", unleash.is_unleash),
    ("growthbook", growthbook.is_growthbook),
)


def read_file(content: str, source: Source | None = None, environment: str | None = None) -> tuple[Source, SourceFile]:
    """The flags that a file defines in one of its environments, and the product it comes from. Raises BadRequest."""
    given = _mapping(content)
    found = source or next((name for name, looks_so in _LOOKS if looks_so(given)), None)
    if found is None:
        raise BadRequest(_UNKNOWN)
    reader = flagd.read_unsure if source is None and found == "flagd" else _READERS[found]
    try:
        return found, reader(given, environment)
    except (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError) as odd:
        raise BadRequest(_ODD) from odd


def format_json(value: object) -> str:
    """Indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def _mapping(content: str) -> dict[str, Any]:
    text = content.removeprefix("\ufeff")
    if not text.strip():
        raise BadRequest("The file is empty")
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as broken:
        raise BadRequest(f"This is not JSON: {broken}") from broken
    if isinstance(found, list):
        is_launchdarkly = any(isinstance(one, dict) and "variations" in one for one in found)
        return {"items" if is_launchdarkly else "features": found}
    if not isinstance(found, dict):
        raise BadRequest("This file does not contain flags. It must be a JSON object")
    return found
