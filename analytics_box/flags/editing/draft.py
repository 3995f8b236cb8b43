"""A flag as it would be with what somebody says of it: every field in its one spelling. Pure.

What has to fit together is held by evaluation.checking.
"""

import re
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from analytics_box import names
from analytics_box.errors import BadRequest
from analytics_box.flags.editing.messages import GivenFields
from analytics_box.flags.flag import LONGEST_ENVIRONMENT, Definition

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")
_BLANK: Final = Definition()
_TEXTS: Final = frozenset(("name", "description"))


def applied(before: Definition, given: GivenFields) -> Definition:
    """The definition with what is given; what is not given stays, null empties. Raises BadRequest."""
    fields: dict[str, Any] = {}
    for name in Definition.__struct_fields__:
        value = getattr(given, name)
        if value is not UNSET:
            fields[name] = getattr(_BLANK, name) if value is None else _clean(name, value)
    return replace(before, **fields)


def clean_key(key: str) -> str:
    """The key of a flag. Raises BadRequest."""
    if not _KEY.match(key):
        raise BadRequest.about("key", "A key has 1 to 128 letters, digits, hyphens and underscores")
    return key


def clean_environment(given: str | None) -> str | None:
    """The name of an environment; None for an empty one. Raises BadRequest."""
    name = (given or "").strip()
    if not names.is_visible(name) or len(name) > LONGEST_ENVIRONMENT:
        raise BadRequest.about(
            "environment", f"An environment has up to {LONGEST_ENVIRONMENT} letters that can be seen"
        )
    return name or None


def clean_folder(given: str, field: str = "folder") -> str:
    """The path of a folder, as "checkout/payment"; empty for none. Raises BadRequest."""
    folder = "/".join(part for part in (names.one_line(each) for each in given.split("/")) if part)
    if not names.is_visible(folder):
        raise BadRequest.about(field, "Write a folder of letters that can be seen")
    return folder


def _clean(name: str, value: Any) -> Any:
    if name == "folder":
        return clean_folder(value)
    if name in _TEXTS:
        return _words(name, value)
    return tuple(dict.fromkeys(value)) if name in {"dependencies", "targetGroupIds"} else value


def _words(name: str, value: str) -> str:
    """A text without what nobody sees; a description keeps its lines. Raises BadRequest."""
    text = "\n".join(" ".join(line.split()) for line in value.strip().splitlines())
    text = text if name == "description" else " ".join(text.split())
    if not names.is_visible(text.replace("\n", "")):
        raise BadRequest.about(name, f"Write a {name} of letters that can be seen")
    return text
