"""A note on the charts of a website: its fields, declared once. Pure."""

import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, Stamp, date

_COLOR: Final = re.compile(r"#[0-9A-Fa-f]{6}\Z")

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


def clean_text(given: str) -> str:
    """The text of a note, on one line. Raises BadRequest."""
    said = names.one_line(given)
    if not said or not names.is_visible(said):
        raise BadRequest(_("Enter a text with visible characters"))
    if len(said) > LONGEST_TEXT:
        raise BadRequest(_("Use up to {longest} characters").format(longest=LONGEST_TEXT))
    return said


def clean_tags(given: Sequence[str]) -> tuple[str, ...]:
    """Tags without those said twice. Raises BadRequest."""
    found = tuple(dict.fromkeys(one for tag in given if (one := names.one_line(tag))))
    if len(found) > MOST_TAGS or not all(names.is_name(tag, LONGEST_TAG) for tag in found):
        raise BadRequest(
            _("Use up to {most} tags of {longest} visible characters").format(most=MOST_TAGS, longest=LONGEST_TAG)
        )
    return found


def clean_chart(given: ChartContext | None) -> ChartContext | None:
    """The chart that a note was written on. Raises BadRequest for one that takes too much to keep."""
    if given is not None and len(msgspec.json.encode(given)) > MOST_OF_CHART:
        raise BadRequest(_("At most {most:,} bytes").format(most=MOST_OF_CHART))
    return given


def clean_color(given: str) -> str:
    """A colour as #RRGGBB. Raises BadRequest."""
    if not _COLOR.match(given):
        raise BadRequest(_("Enter a color such as #3B82F6"))
    return given.upper()


class Content(Struct, frozen=True, omit_defaults=True):
    """The content of a note, as it is stored.

    `days` marks a note about whole days: then its times are midnights in UTC and mean these calendar days in every time
    zone.
    `public` notes are visible to all who can see a public website. `height` is a value on the other axis.
    """

    text: Annotated[str, Field(clean=clean_text)]
    kind: Annotated[Kind, Field(name="annotationType")] = "point"
    days: Annotated[bool, Field(name="wholeDays", given=False)] = False
    tags: Annotated[tuple[str, ...], Field(clean=clean_tags)] = ()
    color: Annotated[str, Field(clean=clean_color)] = USUAL_COLOR
    public: Annotated[bool, Field(name="isPublic")] = False
    chart: Annotated[ChartContext | None, Field(name="chartContext", clean=clean_chart)] = None
    height: Annotated[float | None, Field(name="yValue")] = None


def _logged_time(instant: int | None) -> str | None:
    return None if instant is None else date(instant).isoformat(timespec="seconds")


class Annotation(Struct, frozen=True, rename="camel"):
    """A note of an instant, or from `at` until `until`. Times are UTC ms; `created_by` is an actor of the audit log."""

    id: str
    website_id: str
    at: Annotated[int, Field(name="xValue", given=False, shown=date, audited=_logged_time)]
    until: Annotated[int | None, Field(name="xEndValue", given=False, shown=date, audited=_logged_time)]
    content: Content
    created_by: str
    created_at: Stamp
    updated_at: Stamp
