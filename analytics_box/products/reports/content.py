"""The content of a report as it is stored and sent: numbers with their words. Pure."""

from typing import Literal

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import Metric
from analytics_box.figures.tiles import TileChange, change_of

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


class ReportContent(Struct, frozen=True, kw_only=True):
    """A report on a period: local days of its time zone, both included. `url` is the dashboard with the same days.

    `lead` sums the period up in one line. `remarks` are outages and notes. `export` says where the
    CSV files are.
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
    lead: str
    url: str
    filtered: bool = False
    figures: tuple[ReportFigure, ...] = ()
    bars: tuple[ReportBar, ...] = ()
    moved: str = ""
    movers: tuple[ReportFigure, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    remarks: tuple[str, ...] = ()
    export: str = ""


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
