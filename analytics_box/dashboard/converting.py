"""A goal on a page of figures: how many of each row's visitors did it. Whoever keeps goals says who did. Pure."""

from collections.abc import Hashable, Mapping, Sequence

from msgspec import Struct

from analytics_box.dashboard.board import Listed, Rows
from analytics_box.query.catalog.types import Record
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.texts import Panels, figures


class Target(Struct, frozen=True):
    """A goal that an address names. What was found of it has a name, and the filters that select who did it."""

    id: str
    name: str = ""
    filters: tuple[Filter | FilterGroup, ...] = ()


class Converted(Struct, frozen=True):
    """What a row shows of the goal."""

    conversions: str
    rate: str


Reached = Mapping[Hashable, int]  # conversions by rows


def reached_in(listed: Listed, rows: Rows) -> Reached:
    """The visitors of the rows of those who did it."""
    return {_key(listed, row): _visitors(listed, row) for row in rows}


def converted(listed: Listed, row: Record, reached: Reached) -> Converted:
    """The conversions of a row, and their share of its visitors."""
    return shown(reached.get(_key(listed, row), 0), _visitors(listed, row))


def shown(conversions: int, visitors: int) -> Converted:
    """Conversions of so many visitors; nobody has no rate."""
    rate = figures.percent(100 * conversions / visitors) if visitors else Panels.no_rate
    return Converted(figures.count(conversions), rate)


def _visitors(listed: Listed, row: Record) -> int:
    """Types of events and links count visitors by another name."""
    return int(next(row[name] for name in ("visitors", "unique_users", listed.counted) if name in row))


def _key(listed: Listed, row: Record) -> Sequence[object]:
    """What tells the rows of a list apart."""
    country = row.get("country_code") if listed.places else None
    return row[listed.shown], country, listed.detail(row) if listed.detail is not None else None
