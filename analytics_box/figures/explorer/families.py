"""The query types family by family, with an example of each: what the reference and the form list.

The examples are a file that tests/figures/explorer/example_answers.py makes: real answers to the requests next to them,
from a few fixed visits.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.query.catalog.registry import TYPES, QueryType

_FAMILIES = {
    "CustomEvents": _("Custom events"),
    "Mcp": _("MCP"),
    "Links": _("Outgoing links"),
    "Vitals": _("Web vitals"),
    "LinkShortener": _("Short links"),
}


FILE = "examples.json"


class TypeExample(Struct, frozen=True):
    """A request, and the entry of its answer that is about the type."""

    request: dict[str, Any]
    answer: dict[str, Any]


class Family(Struct, frozen=True):
    """Types that belong together."""

    name: str
    slug: str
    title: str
    types: tuple[QueryType, ...]


def _families() -> tuple[Family, ...]:
    by_name: dict[str, list[QueryType]] = {}
    for query_type in TYPES.values():
        by_name.setdefault(query_type.family, []).append(query_type)
    return tuple(Family(name, name.lower(), _FAMILIES.get(name, name), tuple(found)) for name, found in by_name.items())


FAMILIES: tuple[Family, ...] = _families()
OF_WEBSITES: tuple[Family, ...] = tuple(
    family for family in FAMILIES if any(one.subject == "website" for one in family.types)
)


@cache
def examples() -> dict[str, TypeExample]:
    """The examples by type."""
    content = files("analytics_box.figures.explorer").joinpath(FILE).read_bytes()
    return msgspec.json.decode(content, type=dict[str, TypeExample])
