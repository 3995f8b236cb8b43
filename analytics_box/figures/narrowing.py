"""Filters of a page of figures, with operators and groups. Pure.

Filters have one order and one spelling, so that a state of a page has one address.

country=Germany      country=Germany&country=France (one of them)      country.not=Germany      path.contains=/blog
    match=any (one filter is enough)      1.country=Germany&1.channel=Direct (a group: one of them is enough; with
    match=any all of them)      field=country&op=not&value=Germany&with=0 (a form adds one, with `with` to that part)

What cannot be read is no filter.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.query.request import MAX_FILTERS

MOST_VALUES = 100  # of one filter

Op = Literal["is", "not", "contains", "lacks", "starts", "ends", "matches", "set", "unset"]
Match = Literal["all", "any"]
OPS: Final[tuple[Op, ...]] = get_args(Op)
WITHOUT_VALUE: Final = frozenset[Op](("set", "unset"))
SET: Final = "yes"  # what an address says of an operator that takes no value


class Narrow(Struct, frozen=True):
    """A filter that matches any of its values. `group` is 0 for one that is in no group."""

    field: str
    op: Op = "is"
    values: tuple[str, ...] = ()
    group: int = 0

    @property
    def name(self) -> str:
        """Its parameter in an address."""
        group = f"{self.group}." if self.group else ""
        return f"{group}{self.field}" if self.op == "is" else f"{group}{self.field}.{self.op}"

    @property
    def is_exactly(self) -> str | None:
        """The only value that it lets through, if there is just one."""
        return self.values[0] if self.op == "is" and len(self.values) == 1 else None


Alternative = tuple[Narrow, ...]  # a filter that stands alone, or those of a group


class Narrowing(Struct, frozen=True):
    """All filters of a page, in their order. `match` says whether all must hold or any; within a group the other."""

    items: tuple[Narrow, ...] = ()
    match: Match = "all"

    @property
    def plain(self) -> dict[str, str]:
        """Filters that hold for the whole page and let one value through, by field."""
        alone = (item for item in self.items if not item.group) if self.match == "all" else ()
        return {item.field: value for item in alone if (value := item.is_exactly) is not None}

    @property
    def parts(self) -> tuple[Alternative, ...]:
        """The filters that stand alone, each by itself, then the groups."""
        groups: dict[int, list[Narrow]] = {}
        for item in self.items:
            if item.group:
                groups.setdefault(item.group, []).append(item)
        return (*((item,) for item in self.items if not item.group), *(tuple(group) for group in groups.values()))

    def without(self, *removed: Narrow) -> "Narrowing":
        """The filters except some of them."""
        return normal([item for item in self.items if item not in removed], self.match)

    def matching(self, match: Match) -> "Narrowing":
        """The filters, combined the other way (all or any)."""
        return normal(self.items, match)

    def added(self, item: Narrow, beside: int) -> "Narrowing":
        """The filters and another one, which joins the part of this number, or is in no group if there is none."""
        if not 0 <= beside < len(self.parts):
            return normal((*self.items, item), self.match)
        return join_parts((part if at != beside else (*part, item) for at, part in enumerate(self.parts)), self.match)

    def holds(self, wanted: Mapping[str, str]) -> bool:
        """Whether nothing but these values gets through."""
        alike = [Narrow(field, "is", (value,)) for field, value in wanted.items()]
        ways = self.parts if self.match == "any" else (tuple(item for item in self.items if not item.group),)
        return bool(ways) and all(item in [replace(other, group=0) for other in way] for way in ways for item in alike)

    def toggled(self, wanted: Mapping[str, str]) -> "Narrowing":
        """The filters with those of a click: exactly these values, or without them if they are there.

        If any filter is enough, a click narrows each of them.
        """
        held = self.holds(wanted)
        if self.match == "all":
            left = [item for item in self.items if item.group or item.field not in wanted or item.op != "is"]
            return normal((*left, *(() if held else _exact(wanted))), "all")
        parts = [part for part in self.parts if part]
        if not held and all(len(part) == 1 for part in parts):
            return join_parts((tuple(item for (item,) in parts), *((item,) for item in _exact(wanted))), "all")
        left_of = [tuple(item for item in part if item.field not in wanted or item.op != "is") for part in parts]
        if held and not all(left_of):
            return normal((), "all")  # one alternative lets everything through
        return join_parts((part if held else (*part, *_exact(wanted)) for part in left_of), "any")

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Their part of an address."""
        named = [(item.name, value) for item in self.items for value in item.values or (SET,)]
        return [*named, ("match", "any")] if self.match == "any" else named


EVERYTHING: Final = Narrowing()


def normal(items: Iterable[Narrow], match: Match = "all") -> Narrowing:
    """Filters in their order and spelling: those of one field and operator are one, and groups are counted from 1."""
    merged: dict[tuple[int, str, Op], Narrow] = {}
    for item in items:
        key = item.group, item.field, item.op
        known = merged[key].values if key in merged else ()
        merged[key] = replace(item, values=tuple(dict.fromkeys((*known, *item.values)))[:MOST_VALUES])
    return _group_parts(sorted(merged.values(), key=_place)[:MAX_FILTERS], match)


def _group_parts(items: list[Narrow], match: Match) -> Narrowing:
    """A group of one stands alone, unless another of its field and operator does; one part alone is no choice."""
    parts = Narrowing(tuple(items)).parts
    if match == "any" and len(parts) <= 1:
        return Narrowing(tuple(sorted((replace(item, group=0) for item in items), key=_place)))
    alone = [part[0] for part in parts if not part[0].group]
    groups = []
    for part in parts[len(alone) :]:
        lone = part[0] if len(part) == 1 else None
        if lone is None or any((other.field, other.op) == (lone.field, lone.op) for other in alone):
            groups.append(part)
        else:
            alone.append(replace(lone, group=0))
    numbered = [replace(item, group=at) for at, part in enumerate(groups, start=1) for item in part]
    return Narrowing(tuple(sorted((*alone, *numbered), key=_place)), match)


def _place(item: Narrow) -> tuple[int, str, int]:
    return item.group, item.field, OPS.index(item.op)


def join_parts(parts: Iterable[Alternative], match: Match) -> Narrowing:
    """The filters of these parts, each its own group unless it is one filter."""
    counted = enumerate(parts, start=1)
    return normal((replace(item, group=at) for at, part in counted for item in part), match)


def _exact(wanted: Mapping[str, str]) -> list[Narrow]:
    return [Narrow(field, "is", (value,)) for field, value in wanted.items()]


class Segment(Struct, frozen=True):
    """Filters saved under a name. Without a name the segment does not exist, or no longer."""

    id: str
    name: str = ""
    filters: Narrowing = EVERYTHING


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
