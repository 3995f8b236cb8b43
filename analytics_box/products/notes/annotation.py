"""A note on the charts of a website. Pure."""

from typing import Final, Literal

from msgspec import Struct

Kind = Literal["point", "line", "range"]
MOST_NOTES: Final = 5_000  # of a website
LONGEST_TEXT: Final = 500  # characters
MOST_TAGS, LONGEST_TAG = 20, 50
MOST_OF_CHART: Final = 4_096  # bytes of the chart that a note was written on, as JSON
USUAL_COLOR: Final = "#3B82F6"  # of notes whose writer chose none (wire 10.5)


class DateRange(Struct, frozen=True):
    """The range of the chart that a note was written on."""

    start_date: str = ""
    end_date: str = ""
    granularity: str = ""


class ChartFilter(Struct, frozen=True):
    """A filter of the chart that a note was written on."""

    field: str
    operator: str
    value: str


class ChartContext(Struct, frozen=True, omit_defaults=True):
    """The chart that a note was written on, as its writer told it. It is kept and decides nothing."""

    dateRange: DateRange | None = None
    filters: tuple[ChartFilter, ...] = ()
    metrics: tuple[str, ...] = ()
    tabId: str | None = None


class Content(Struct, frozen=True, omit_defaults=True):
    """The content of a note, as it is stored.

    `days` marks a note about whole days: then its times are midnights in UTC and mean these calendar days in every time
    zone.
    `public` notes are visible to all who can see a public website. `height` is a value on the other axis.
    """

    text: str
    kind: Kind = "point"
    days: bool = False
    tags: tuple[str, ...] = ()
    color: str = USUAL_COLOR
    public: bool = False
    chart: ChartContext | None = None
    height: float | None = None


class Annotation(Struct, frozen=True):
    """A note of an instant, or from `at` until `until`. Times are UTC ms; `created_by` is an actor of the audit log."""

    id: str
    website_id: str
    at: int
    until: int | None
    content: Content
    created_by: str
    created_at: int
    updated_at: int
