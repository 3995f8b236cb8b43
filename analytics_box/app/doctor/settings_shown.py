"""Settings without what may be a secret or name somebody: numbers and choices as they are, of texts their shape."""

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from msgspec import Struct

from analytics_box.base.settings import Settings, table
from analytics_box.base.urls import url_parts


class SettingValue(Struct, frozen=True):
    """A setting, and whether it has its default."""

    value: object
    default: bool


def setting_values(settings: Settings) -> dict[str, SettingValue]:
    """All settings."""
    return {
        row.name: SettingValue(
            _value(row.type, getattr(settings, row.name)), getattr(settings, row.name) == row.default
        )
        for row in table()
    }


def _value(annotated: Any, value: object) -> object:
    if isinstance(value, int | float) or _is_choice(annotated):
        return value
    if isinstance(value, tuple):
        return f"{len(value)} entries"
    if isinstance(value, Path):
        return "a path"
    return _shape(str(value))


def _is_choice(annotated: Any) -> bool:
    kind = get_args(annotated)[0]
    return get_origin(kind) is Literal or any(get_origin(one) is Literal for one in get_args(kind))


def _shape(text: str) -> str:
    if not text:
        return ""
    if text.startswith(("https://", "http://")):
        parsed = url_parts(text)
        return f"{parsed.scheme}://…{' with a path' if parsed.path.strip('/') else ''}"
    return "is set"
