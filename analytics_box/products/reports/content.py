"""The content of a report as it is stored and sent: numbers with their words. Pure."""

from collections.abc import Collection
from datetime import date
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import Metric
from analytics_box.figures.periods import period_text
from analytics_box.figures.tiles import TileChange, change_of
from analytics_box.query.ranges import DayRange
from analytics_box.web.page.dates import WEEKDAYS, Formats

Tone = Literal["good", "bad", "neutral"]
_ARROWS = {"up": "↑", "down": "↓", "same": "="}


class ReportFigure(Struct, frozen=True):
    """A number with its name, in words, and against the period before: `change` is empty if that is unknown."""

    name: str
    value: str
    number: float | None = None
    before: float | None = None
    change: str = ""
    tone: Tone = "neutral"


class ReportBar(Struct, frozen=True):
    """A day of the chart: its visitors, the height of its bar in pixels, and whether the website was down."""

    day: str
    label: str
    visitors: int
    height: int
    down: bool = False


class ReportTable(Struct, frozen=True):
    """A list. `section` names it for programs; `counted` is what its numbers count. Members with access to selected
    resources do not get a list `of_organization`."""

    section: str
    title: str
    counted: str
    rows: tuple[ReportFigure, ...]
    empty: str = ""
    of_organization: bool = False


class ExportLink(Struct, frozen=True):
    """The address of the files of a report, which works until `expires_at` (UTC ms) without an account."""

    url: str
    name: str
    size: int
    expires_at: int


class ReportRemark(Struct, frozen=True):
    """A note, or an outage, which has no text. Instants are UTC ms; a note about whole `days` has those of UTC."""

    at: int
    until: int | None
    text: str = ""
    days: bool = False


class ReportContent(Struct, frozen=True, kw_only=True):
    """A report on a period: local days of its time zone, both included. `url` is the dashboard with the same days.

    `lead` sums the period up in one line, by its `visitors`; `moved` says their `difference`. `remarks` are outages and
    notes, as `noted`. `export` says where the files are, `imported` whether the figures include imported totals, those
    of the days `imported_first` to `imported_last`. `others` are the same about further websites.
    """

    report: str
    website: str
    domain: str
    website_id: str
    kind: str
    first_day: str
    last_day: str
    time_zone: str
    period: str
    compared: str
    url: str
    lead: str = ""
    filtered: bool = False
    figures: tuple[ReportFigure, ...] = ()
    bars: tuple[ReportBar, ...] = ()
    moved: str = ""
    movers: tuple[ReportFigure, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    remarks: tuple[str, ...] = ()
    export: str = ""
    imported: str = ""
    compared_first: str = ""
    compared_last: str = ""
    imported_first: str = ""
    imported_last: str = ""
    visitors: ReportFigure | None = None
    difference: str = ""
    noted: tuple[ReportRemark, ...] = ()
    others: tuple["ReportContent", ...] = ()

    @property
    def websites(self) -> tuple["ReportContent", ...]:
        """The report about each website."""
        return (self, *self.others)


def in_reach(content: ReportContent, resources: Collection[str] | None) -> ReportContent | None:
    """The part of a report that a member with access to these resources can see, None for nothing; without resources,
    all of it. The files are of all websites, so that they go with whole reports only."""
    if resources is None:
        return content
    shown = [
        replace(one, others=(), tables=tuple(table for table in one.tables if not table.of_organization))
        for one in content.websites
        if one.website_id in resources
    ]
    if not shown:
        return None
    is_whole = len(shown) == len(content.websites)
    return replace(shown[0], others=tuple(shown[1:]), export=content.export if is_whole else "")


def period_words(first_day: str, last_day: str, formats: Formats, *, weekday: bool = True) -> str:
    """A period in words, such as "16 – 22 Nov 2026", or "Mon 16 Nov 2026" for one day."""
    first, last = date.fromisoformat(first_day), date.fromisoformat(last_day)
    text = period_text(DayRange(first, last), formats)
    return f"{WEEKDAYS[first.weekday()]} {text}" if weekday and first == last else text


def change_text(change: TileChange | None) -> tuple[str, Tone]:
    """A change in words, such as "↑ 10.1 %", and its tone."""
    if change is None:
        return "", "neutral"
    amount = _("No change") if change.direction == "same" else change.amount
    return f"{_ARROWS[change.direction]}{figures.NBSP}{amount}".rstrip(), change.tone


def count_row(name: str, now: float, before: float | None, *, fair: bool = True) -> ReportFigure:
    """A count against the one before; `before` is None if that is unknown, and zero for what is new."""
    metric = Metric("count", "")
    text, tone = change_text(change_of(metric, now, before, fair=fair))
    if before == 0 and now:
        text, tone = _("new"), "good"
    return ReportFigure(figures.visible(name), figures.count(now), now, before, text, tone)


def rate_row(name: str, value: str, now: float | None, before: float | None, metric: Metric) -> ReportFigure:
    """A rate or another metric against the one before."""
    text, tone = change_text(change_of(metric, now, before))
    return ReportFigure(figures.visible(name), value, now, before, text, tone)
