"""The values that a field has on a page of figures, most frequent first: for suggestions, and for what people type."""

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.figures.asking import PageQuery
from analytics_box.figures.board import Board, FigureList, Rows, ValueSource
from analytics_box.web.call import Call

MOST_VALUES = 1_000  # of one field
KEPT_SECONDS = 300.0
MOST_KEPT = 100  # lists of values
MOST_LETTERS = 2_000_000  # of all that is kept: what strangers call their pages may be long
SHOWN = 12


class Value(Struct, frozen=True):
    """A value as the facts know it, as the page writes it, what tells it apart, and how often it is there."""

    name: str
    label: str
    detail: str = ""
    count: float = 0


class KnownValues(Struct, frozen=True):
    """Values of fields that no query lists, by field: those of the website with this number that the caller can see and
    that match the typed text."""

    of: Mapping[str, Callable[[Call, int, str], Awaitable[Sequence[Value]]]]


class KeptValues:
    """Lists of values that were asked for within the last minutes: people type faster than facts change."""

    def __init__(self, clock: Clock) -> None:
        self.lists: BoundedCache[Hashable, Sequence[Value]] = BoundedCache(
            MOST_KEPT,
            most_weight=MOST_LETTERS,
            weigh=lambda _, values: sum(len(value.name) + len(value.label) + len(value.detail) for value in values),
            largest=MOST_LETTERS,
            seconds=KEPT_SECONDS,
            clock=clock,
        )


def list_of(of: Board, field: str) -> FigureList | None:
    """The list that shows the values of a field; none where no list does."""
    return next((listed for listed in of.lists.values() if field and listed.field == field), None)


async def values(asking: PageQuery, kept: KeptValues, field: str) -> Sequence[Value]:
    """The values of a field in the range of a page, whatever it is filtered by. Raises Unanswered."""
    listed, source = list_of(asking.of, field), asking.of.suggested.get(field)
    wanted = listed or source
    if wanted is None:
        return ()
    key = asking.of.subject, asking.number, asking.days, asking.zone.key, field
    found = kept.lists.get(key)
    if found is None:
        (rows,) = await asking.everything.rows([wanted.type], limit=MOST_VALUES)
        found = (
            _distinct_values(listed, rows, field)
            if listed is not None
            else _count_values(source, rows)
            if source
            else ()
        )
        kept.lists.put(key, found)
    return found


def _distinct_values(listed: FigureList, rows: Rows, field: str) -> Sequence[Value]:
    """The values as a list shows them, each once."""
    merged: dict[str, Value] = {}
    for row in rows:
        name = row[listed.shown] or ""
        if name and name not in merged:
            detail = row["country"] if listed.places and field != "country" else ""
            label = figures.visible(listed.label(name))
            merged[name] = Value(name, label, figures.visible(detail or ""), row[listed.counted])
    return tuple(merged.values())


def _count_values(source: ValueSource, rows: Rows) -> Sequence[Value]:
    """The values in these rows; what is in several is counted together."""
    counts: Counter[str] = Counter()
    for row in rows:
        for name in source.names(row):
            counts[name] += row[source.counted]
    return tuple(Value(name, figures.visible(name), "", count) for name, count in counts.most_common() if name)


def like(found: Sequence[Value], typed: str, codes: Sequence[str] = ()) -> Sequence[Value]:
    """The values that what is typed may mean: first those that begin with it, then those that have it somewhere.

    `codes` are names that it stands for, as "DE" does for Germany; they come first.
    """
    wanted = typed.strip().casefold()
    if not wanted:
        return found[:SHOWN]

    def rank(value: Value) -> int:
        label, name = value.label.casefold(), value.name.casefold()
        if value.name in codes or wanted in {label, name}:
            return 0
        if label.startswith(wanted) or name.startswith(wanted):
            return 1
        return 2 if wanted in label or wanted in name else 3

    ranked = sorted(((rank(value), at) for at, value in enumerate(found)))
    return [found[at] for place, at in ranked if place < 3][:SHOWN]


def matching_values(found: Sequence[Value], typed: str) -> tuple[str, ...]:
    """The values that are called as someone typed, in any case; several where a name says less than they do, as
    "German" does of the German of several countries. What is typed itself where there is none."""
    wanted = typed.strip().casefold()
    if any(value.name == typed for value in found):
        return (typed,)
    exact = tuple(value.name for value in found if wanted in {value.name.casefold(), value.label.casefold()})
    kinds = tuple(value.name for value in found if value.label.casefold().startswith(f"{wanted} ("))
    return (*exact, *(name for name in kinds if name not in exact)) or (typed,)
