"""The definition of a query type."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct

from analytics_box.query.catalog.values import SortableValue, Value
from analytics_box.query.filters import FilterCondition
from analytics_box.query.plan import DerivedKey, Key, PlanOrder, Source, names_of
from analytics_box.query.ranges import Granularity, TimeWindow

Visualization = Literal["table", "timeseries", "bar", "pie", "metric", "area", "line"]
StudyName = Literal["", "retention", "stickiness", "lifecycle", "profiles", "journeys"]
SubjectName = Literal["website", "link", "monitor"]
FieldType = Literal["string", "number", "boolean", "date", "datetime", "json"]
Record = dict[str, Any]


class Output(Struct, frozen=True, omit_defaults=True):
    """A field of the answer's rows."""

    name: str
    type: FieldType
    description: str = ""
    unit: str = ""


class OutputColumn(Struct, frozen=True):
    """An output with where it comes from: a function of what was measured, else the measure of the same name."""

    output: Output
    value: Value | None = None
    sort: Key = ""  # what engines sort by for this field; empty if they cannot


class ScanRequest(Struct, frozen=True):
    """A scan that a type needs. All names are those of the plan's source.

    `group` are dimensions, `measures` are measured in each group; or `columns` of single rows. `present` names
    dimensions that must not be empty. `where` applies in addition to the request's filters. `per` keeps the best rows
    of each group of all dimensions but the last ones: (number of dimensions of a group, number of rows of each).
    `timed` takes events with more than the first and less than the second number of engaged seconds, `metrics` the
    vitals of these names, `least` the groups in which a measure reaches a number. With `back` the scan begins this
    many ms before the range, and ignores the filters of the request.
    """

    source: Source
    measures: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    present: tuple[str, ...] = ()
    where: tuple[FilterCondition, ...] = ()
    share_of: str = ""
    share_within: tuple[str, ...] = ()
    order: tuple[PlanOrder, ...] = ()
    per: tuple[int, int] = (0, 0)
    bots: bool = False
    timed: tuple[int, int] = (0, 0)
    metrics: tuple[str, ...] = ()
    least: tuple[str, int] = ("", 0)
    back: int = 0


class Follow(Struct, frozen=True):
    """A second look: what else is known of the sessions, visitors or pages that the type's ask has found."""

    ask: ScanRequest
    key: Literal["session", "visitor", "path"]


Shape = Callable[[Sequence[list[Record]], TimeWindow], list[Record]]


class QueryType(Struct, frozen=True):
    """A query type as data.

    A `series` has a row per bucket; its asks are measured by bucket, those of single rows are not, and put together, by
    its `shape` if it has one. `by` are the widths of the buckets that it knows, `usual` what a request gets that names
    none and is short enough for it. A type whose ask groups or lists
    has a row per group or row, ordered and paged by the engine; `follows` look up more about them. `shape` makes the
    rows of an answer from those of the asks and follows; a type with a shape and no follows is paged afterwards. Any
    other type is one row of all measures.

    `recent` types look at the last so many ms instead of the request's range, `today` ones at the day so far; both
    are never cached. `needs` are filters of which one must be there, as eq; with `needs_one` exactly one, with one
    value. Filters in `alone` are conditions of their own, with eq or in, each once at most. `organization` types also
    count an organization's events that belong to no website; `personal` ones say who someone is. `values` types show
    what events carried: of a public website they are public only where its owner publishes that too. `gated` ones are
    not part of the plan free (wire 3.4). `subject` is what a query has to name for it: asked of something else, a type
    finds nothing (wire 1.1). The `shape` of a `weighed` type also gets how the flag splits its visitors.
    A `study` has the filters in `alone` as its settings, and needs all of `needs` (query/studies.py).
    """

    name: str
    family: str
    title: str
    description: str
    columns: tuple[OutputColumn, ...]
    asks: tuple[ScanRequest, ...]
    follows: tuple[Follow, ...] = ()
    series: bool = False
    by: tuple[Granularity, ...] = ("hour", "day")
    usual: Granularity = "day"
    shape: Shape | None = None
    recent: int = 0
    today: bool = False
    filters: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    needs_one: bool = False
    alone: tuple[str, ...] = ()
    weighed: bool = False
    study: StudyName = ""
    having: tuple[str, ...] = ()
    customizable: bool = False
    public: bool = False
    gated: bool = False
    organization: bool = False
    personal: bool = False
    values: bool = False
    subject: SubjectName = "website"
    default_limit: int = 100
    visualization: Visualization = "table"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The fields of the rows, in their order."""
        return tuple(column.output for column in self.columns)

    def is_public(self, *, values: bool) -> bool:
        """Whether strangers may ask it of a public website; `values` is whether that publishes what events carried."""
        return self.public and (values or not self.values)

    @property
    def full_needs(self) -> tuple[str, ...]:
        """Filters with which a question is complete: all that a study needs, the first of those that others need."""
        return self.needs if self.study else self.needs[:1]

    @property
    def granularities(self) -> tuple[str, ...]:
        """The bucket widths that this type knows."""
        return self.by if self.series else ()

    @property
    def paged_by_engine(self) -> bool:
        """Whether order, limit and page are the engine's work."""
        listed = bool(self.asks[0].group or self.asks[0].columns)
        return not self.series and listed and (self.shape is None or bool(self.follows))

    @property
    def sortable(self) -> tuple[str, ...]:
        """The fields by which an answer can be sorted: all but JSON. Where the engine pages, those that it can make of
        what the first scan finds; what a second look adds comes too late."""
        if not self.paged_by_engine:
            return tuple(output.name for output in self.outputs if output.type != "json")
        ask = self.asks[0]
        found = {*ask.group, *ask.measures, *ask.columns, *(("whole",) if ask.share_of else ())}
        return tuple(one.output.name for one in self.columns if one.sort and found.issuperset(names_of(one.sort)))


def column(
    name: str,
    kind: FieldType,
    description: str,
    value: SortableValue | Value | None = None,
    *,
    unit: str = "",
    sort: Key = "",
) -> OutputColumn:
    """A column. One whose value is its own function says what it is sorted by, or is not sorted by engines."""
    made = value.value if isinstance(value, SortableValue) else value
    known = value.key if isinstance(value, SortableValue) else name if value is None else ""
    key = sort or known
    if kind == "string" and key and isinstance(key, str):
        key = DerivedKey("text", (key,))
    return OutputColumn(Output(name, kind, description, unit), made, "" if kind == "json" else key)
