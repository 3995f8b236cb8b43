"""Flag exposures of visitors: custom events that the SDK sends when a flag is evaluated. Pure."""

from typing import Any, Final

import msgspec

from analytics_box.base.facts.event import EXPOSURE
from analytics_box.web.recognition.paths import clean

NAME: Final = EXPOSURE
_LONGEST_FLAG, _LONGEST_VARIANT = 128, 128  # characters
_EMPTY, _LONG, _NONE = "(empty)", "(value)", "(none)"


def of(properties: dict[str, Any] | None) -> tuple[str, str] | None:
    """The flag and its variant; None if the event names no flag.

    The variant is the one that was given, else the value as text: true, false, a number, a short text or short JSON.
    """
    given = properties or {}
    flag, variant = given.get("flag"), given.get("variant")
    key = clean(flag, _LONGEST_FLAG) if isinstance(flag, str) else ""
    if not key:
        return None
    named = clean(variant, _LONGEST_VARIANT) if isinstance(variant, str) else ""
    return key, named or _value(given.get("value", given.get("enabled")))


def _value(value: Any) -> str:
    if value is None:
        return _NONE
    if isinstance(value, str):
        return clean(value, _LONGEST_VARIANT) or _EMPTY
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST_VARIANT else _LONG
