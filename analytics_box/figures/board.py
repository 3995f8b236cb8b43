"""A page of figures as data: what it counts, what it lists, and what it can be filtered by. Pure."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.figures.shading import Shading
from analytics_box.query.catalog.types import QueryType, Record, SubjectName
from analytics_box.web.page.dates import USUAL, Formats

OPERATOR_LABELS = {
    "is": _("is"),
    "not": _("is not"),
    "contains": _("contains"),
    "lacks": _("does not contain"),
    "starts": _("starts with"),
    "ends": _("ends with"),
    "matches": _("matches the pattern"),
    "set": _("is set"),
    "unset": _("is not set"),
}


Rows = Sequence[Record]
Filters = Mapping[str, str]  # by their fields
Unit = Literal["count", "percent", "seconds", "ms", "uptime"]  # uptime is a percentage that is never rounded up
ColumnUnit = Literal[
    "count", "percent", "seconds", "ms", "score", "moment"
]  # a moment is text in UTC, as answers have it


class Metric(Struct, frozen=True):
    """A tile. Its number is a field of the one row of the type `total`, by its own name unless `field` says another.

    One with a `series` is drawn, from the field of its own name, and compared with the period before. A rate or a
    duration is unknown where its row `needs` a field that is zero. `value` takes the number from the rows, for these
    filters of the page, where that is more than a field.
    """

    name: str
    total: str
    series: str = ""
    field: str = ""
    unit: Unit = "count"
    needs: str = ""
    fewer_is_better: bool = False
    value: Callable[[Rows, Filters], float] | None = None
    help: str = ""

    def total_of(self, rows: Rows, filters: Filters) -> float | None:
        """Its number in the whole range; None if that is unknown."""
        if self.value is not None:
            return self.value(rows, filters)
        return self.of(rows[0], self.field or self.name)

    def of(self, row: Record, field: str = "") -> float | None:
        """Its number in a row, such as a bucket of its series; None if that is unknown."""
        if self.needs and not row[self.needs]:
            return None
        value = row[field or self.name]
        return None if value is None else float(value)


class FigureColumn(Struct, frozen=True):
    """A figure in the table of a list: a field of its rows, or of those next to them. It is unknown in a row whose
    field `needs` is zero. `called` is its name on the page where that of the field says something else."""

    name: str
    unit: ColumnUnit = "count"
    needs: str = ""
    called: str = ""

    @property
    def known_as(self) -> str:
        """Its name on the page, in addresses and in files."""
        return self.called or self.name


class JoinedType(Struct, frozen=True):
    """Another query type that knows more of the rows of a list, joined by what names these.

    `named` are the fields of its rows that say the same as the list's `shown` and `within`, in their order.
    """

    type: QueryType
    columns: tuple[FigureColumn, ...]
    named: tuple[str, ...] = ("name",)


class FigureList(Struct, frozen=True):
    """A list: its query type, the field of a row that names it and the one that counts it.

    `field` is the filter (wire 2.2) that a click on a row sets; empty if no filter tells such rows apart.
    `places` lists name their country by its code, and a click filters by the country as well, because places of
    different countries share names. `label` is how a name is written, `detail` what tells rows apart next to their
    names. `apart` lists count something else than the page: no heading says what, their shares are of the rows that
    are shown, and they leave out the row of the name in `without`. Its table has `columns` more, of its own type
    and of those `beside` it; the column `order`, the largest first, is what it is sorted by at first, without one
    its count; `within` are the fields that name a row together with `shown`. One of countries may `look` like a map
    above bars: those of the lists `below`, the widest places first, whose tables are its own.
    """

    type: str
    field: str = ""
    shown: str = "name"
    counted: str = "visitors"
    places: bool = False
    label: Callable[[str], str] = str
    detail: Callable[[Record], str] | None = None
    icon: str = ""
    apart: bool = False
    without: str = ""
    columns: tuple[FigureColumn, ...] = ()
    beside: tuple[JoinedType, ...] = ()
    order: str = ""
    within: tuple[str, ...] = ()
    look: Literal["bars", "map"] = "bars"
    below: tuple[str, ...] = ()


class Explanation(Struct, frozen=True):
    """A list whose rows explain changes of a figure: the field of a row that counts it, and the type and field of the
    whole. `overlap` names the part that rows do not explain, because visitors can be in several rows or in none; empty
    if the rows sum to the whole."""

    listed: str
    counted: str
    total: tuple[str, str]
    overlap: str = ""


class PanelPlace(Struct, frozen=True):
    """The place of an extra panel: the filters of the page, the address of the page with others added, the metric that
    colour
    shows, and the date formats.
    """

    filters: Filters
    narrowed: Callable[[Filters], str]
    shading: Shading
    formats: Formats = USUAL


class ValueSource(Struct, frozen=True):
    """The source of a field's values if no list shows them: a query type, the values in a row, and their count."""

    type: str
    names: Callable[[Record], tuple[str, ...]]
    counted: str


class Extra(Struct, frozen=True):
    """Its own small panel making: the types that it asks for, and what it shows of their rows, as `look` says.

    `counted` is what its numbers are, `empty` what it says without any. It stands `before` the panel of that name, or
    after all lists. One that `needs` a filter is about its value. Without `content` the page provides it (asking.py:
    SubjectFacts). Rows of the types in `keyed` get conversions of the goal that is chosen (converting.py),
    distinguished by their keys. The table of the list `more`
    has all of it. Colour shows what is `shaded`, unless a figure of that goal is chosen.
    """

    types: tuple[str, ...]
    content: Callable[[Sequence[Rows], PanelPlace], Any] | None
    look: Literal["facts", "vitals", "bars", "week", "goals"]
    counted: str
    empty: str
    limit: int = 0
    needs: str = ""
    more: str = ""
    before: str = ""
    keyed: Mapping[str, Callable[[Record], Hashable]] = {}
    shaded: str = "visitors"


class BoardSubject(Struct, frozen=True):
    """The subject of a state of the page: names of what is counted, and the parameters of its query types.

    Unless it is `judged`, more is neither good nor bad.
    """

    names: Mapping[str, str]
    asks: Callable[[QueryType], QueryType]
    judged: bool = True


class Kinds(Struct, frozen=True):
    """Other things that a page can be about, as a filter `field` that no query type has: names by value.

    `usual` is what it is about without, as a value that addresses leave out and a name.
    """

    field: str
    title: str
    names: Mapping[str, str]
    usual: tuple[str, str]
    chip: str


class Words(Struct, frozen=True):
    """Texts of a page by the names of what they are about: tabs, choices within a tab, what an empty list says (that of
    "" for those not named), the filters, the anchors of definitions, what shares are of by what is counted (that of ""
    for lists apart; {whole} is its number), the columns of tables, and the operators of
    filters. `codes` stand for marks in empty lists."""

    tabs: Mapping[str, str]
    empty: Mapping[str, str]
    filters: Mapping[str, str]
    anchors: Mapping[str, str]
    shares: Mapping[str, str]
    columns: Mapping[str, str]
    choices: Mapping[str, str] = {}
    codes: Mapping[str, str] = {}
    operators: ClassVar[Mapping[str, str]] = OPERATOR_LABELS


class Board(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """A page of figures. The first of its charted metrics is drawn unless its address says another.

    `panels` are its lists side by side, each called like the first of them; those in `sharing` share one tab. A share
    of a count in `wholes` is one of that type and field, because the same visitor may be in several rows (semantics
    22). `values` are names of values that the facts know by others; a filter can be typed as either. `stored` finds
    what the facts know for what is typed into a field, such as a country's code. `further` are fields that no list
    shows; values of some are `suggested`. Where it is `segmented`, filters can be saved. `ghosts` is how many bars
    stand for a list that is not there yet. Where a goal can be chosen, `converting` are its metrics.
    Panels that are `folded` are shown below the others once they are opened. The first list that changes are
    `explained_by` is shown as movers (movers.py). Lists that have a table, but no panel, are grouped in `tables_alone`.
    Lists lead to tables of all their rows where it `has_tables`.
    """

    subject: SubjectName
    metrics: tuple[Metric, ...]
    lists: Mapping[str, FigureList]
    panels: Mapping[str, tuple[str, ...]]
    words: Words
    about: Callable[[Filters], BoardSubject]
    sharing: tuple[str, ...] = ()
    wholes: Mapping[str, tuple[str, str]] = {}
    extras: Mapping[str, Extra] = {}
    values: Mapping[str, Mapping[str, str]] = {}
    stored: Mapping[str, Callable[[str], str]] = {}
    further: tuple[str, ...] = ()
    suggested: Mapping[str, ValueSource] = {}
    segmented: bool = False
    converting: tuple[Metric, ...] = ()
    kinds: Kinds | None = None
    ghosts: int = 6
    folded: tuple[str, ...] = ()
    explained_by: tuple[Explanation, ...] = ()
    tables_alone: tuple[tuple[str, ...], ...] = ()
    has_tables: bool = True

    @cached_property
    def charted(self) -> dict[str, Metric]:
        """The metrics that can be drawn, by name."""
        return {metric.name: metric for metric in self.metrics if metric.series}

    @cached_property
    def filtered(self) -> tuple[str, ...]:
        """The fields that facts are filtered by."""
        own = self.kinds.field if self.kinds is not None else ""
        listed = (listed.field for listed in self.lists.values())
        return (*dict.fromkeys(field for field in listed if field and field != own), *self.further)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the page can be filtered by."""
        return (*self.filtered, *((self.kinds.field,) if self.kinds is not None else ()))

    def called(self, field: str, value: str) -> str:
        """The display name of a field's value: as its list shows it, if that is unambiguous without a detail."""
        own = self.values.get(field, {}).get(value)
        listed = next((one for one in self.lists.values() if one.field == field and one.detail is None), None)
        return own or (listed.label(value) if listed is not None else "") or value

    @cached_property
    def panel_of(self) -> dict[str, str]:
        """The panel of each list."""
        return {name: panel for panel, names in self.panels.items() for name in names}

    def tables(self, name: str) -> tuple[str, ...]:
        """The lists next to this one that have their own table: all but maps of others."""
        groups = (*self.panels.values(), *self.tables_alone)
        return tuple(one for names in groups if name in names for one in names if self.lists[one].look != "map")

    @property
    def default(self) -> str:
        """The metric that is drawn unless the address says another."""
        return next(iter(self.charted))

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """All parts that can be fetched alone, in their order on the page."""
        before = {place: [name for name, one in self.extras.items() if one.before == place] for place in self.panels}
        last = [name for name, one in self.extras.items() if not one.before]
        return ("figures", *(name for panel in self.panels for name in (*before[panel], panel)), *last)
