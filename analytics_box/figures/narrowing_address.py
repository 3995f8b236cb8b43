"""Filters in an address. Pure.

    country=Germany      country=Germany&country=France (one of them)      country.not=Germany      path.contains=/blog
    match=any (one filter is enough)      1.country=Germany&1.channel=Direct (a group: one of them is enough; with
    match=any all of them)      field=country&op=not&value=Germany&with=0 (a form adds one, with `with` to that part)

What cannot be read is no filter.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from analytics_box.figures.narrowing import MOST_VALUES, OPS, WITHOUT_VALUE, Match, Narrow, Narrowing, Op, normal

LONGEST_VALUE = 2_048  # characters
EXACT: Final = frozenset[Op](("is", "not"))
_NAME = re.compile(r"(?:(?P<group>[1-9]\d?)\.)?(?P<field>[a-z_]+)(?:\.(?P<op>[a-z]+))?")

# The value of a field as the facts know it, of what was typed; empty for what is none.
Known = Callable[[str, str], str]


def read_narrowing(query: Mapping[str, str], fields: Iterable[str], known: Known) -> Narrowing:
    """The filters of an address, and the one that a form adds. Never raises."""
    named = frozenset(fields)
    items = (_parse_parameter(name, values_of(query, name), named, known) for name in dict.fromkeys(query))
    match: Match = "any" if query.get("match") == "any" else "all"
    taken = [item for item in items if item is not None]
    op = query.get("op", "is")
    values = [value.strip() for value in values_of(query, "value")]
    typed = _parse_parameter(f"{query.get('field', '')}.{op}", values, named, known)
    beside = query.get("with", "")
    if typed is None:
        return normal(taken, match)
    if beside.isdecimal() and len(beside) <= 2:
        return normal(taken, match).added(typed, int(beside))
    return normal([*taken, typed], match)


def _parse_parameter(name: str, values: list[str], fields: frozenset[str], known: Known) -> Narrow | None:
    """The filter of a parameter's name; None for what is none."""
    found = _NAME.fullmatch(name)
    if found is None or found["field"] not in fields:
        return None
    op = next((op for op in OPS if op == (found["op"] or "is")), None)
    if op is None:
        return None
    group = int(found["group"] or 0)
    if op in WITHOUT_VALUE:
        return Narrow(found["field"], op, (), group)
    cut = [value[:LONGEST_VALUE] for value in values]
    taken = tuple(known(found["field"], value) for value in cut) if op in EXACT else tuple(cut)
    kept = tuple(dict.fromkeys(value for value in taken if value))[:MOST_VALUES]
    return Narrow(found["field"], op, kept, group) if kept else None


def values_of(query: Mapping[str, str], name: str) -> list[str]:
    """All values that an address has of this name."""
    every: Callable[[str], list[str]] | None = getattr(query, "getall", None)
    if every is None:
        return [query[name]] if name in query else []
    return [*every(name)] if name in query else []
