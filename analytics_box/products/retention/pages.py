"""The retention of a website: cohorts as a table and a curve, the activity of its visitors, and how many are known."""

import asyncio
from collections.abc import Sequence
from datetime import date
from functools import partial
from math import ceil
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import export, page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.breakdowns import (
    BREAKDOWNS,
    USUAL_BREAKDOWN,
    breakdown_choices,
    breakdown_of,
    value_text,
)
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.view import read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.retention.figures import (
    PARAMETERS,
    Average,
    RetentionRows,
    ask,
    averages,
    averages_before,
    period_of,
)
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import percent_of
from analytics_box.query.ranges import Granularity
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.dates import Formats, short_day_text
from analytics_box.web.page.visit import Answer, Next, Visitor

_PERIODS: Final = {"day": _("by day"), "week": _("by week"), "month": _("by month")}
_TITLES: Final = {"day": _("Daily cohorts"), "week": _("Weekly cohorts"), "month": _("Monthly cohorts")}
_COLUMNS: Final = {"day": _("Day {number}"), "week": _("Week {number}"), "month": _("Month {number}")}
_LATE: Final = 4
MOST_PARTS: Final = 8
MOST_EVENTS: Final = 100
_LEVELS: Final = 9
_HEIGHT, _WIDTH = 200, 1000


class CohortCell(Struct, frozen=True):
    """A share of a cohort: `shade` is its class, `note` the numbers in words. An unfinished period is `so_far`."""

    text: str
    shade: str
    note: str
    so_far: bool = False


class CohortLine(Struct, frozen=True):
    """A cohort in the table, with as many `blanks` as periods that have not begun."""

    name: str
    size: str
    cells: tuple[CohortCell, ...]
    blanks: int


class RetentionTile(Struct, frozen=True):
    """A figure of the page, and the numbers that it comes from."""

    label: str
    value: str
    note: str


class RetentionPart(Struct, frozen=True):
    """Returning visitors of one value of the breakdown."""

    name: str
    numbers: str
    rate: str
    width: str


class PeriodBars(Struct, frozen=True):
    """A period of the lifecycle: heights of its bars in percent of the highest, as classes, and the numbers."""

    name: str
    fresh: str
    returning: str
    resurrected: str
    dormant: str
    numbers: tuple[str, ...]
    so_far: bool


class RetentionBoard(Struct, frozen=True):
    """All that is drawn. `curve`, that of the compared range and `activity` are points of lines (SVG)."""

    tiles: tuple[RetentionTile, ...]
    columns: tuple[str, ...]
    lines: tuple[CohortLine, ...]
    whole: CohortLine
    curve: str
    curve_before: str
    curve_names: tuple[str, ...]
    parts: tuple[RetentionPart, ...]
    periods: tuple[PeriodBars, ...]
    activity: str
    most_active: str
    is_unfinished: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/retention. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/retention", visit.request.query_params, WEBSITE, PARAMETERS)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    view = board.view
    split = breakdown_of(view)
    period = period_of(asking, view)
    content: dict[str, Any] = {"failed": "", "drawn": None, "known": None, "events": ()}
    try:
        rows, earlier = await asyncio.gather(ask(asking, view, split), averages_before(asking, view))
        (named,) = await asking.everything.rows(("custom_events",), limit=MOST_EVENTS)
    except UnansweredQuery as failed:
        content["failed"] = _("These figures could not be found: {why}").format(why=failed)
    else:
        content["known"] = known = RetentionTile(
            _("With a lasting ID"),
            figures.percent(percent_of(rows.lasting, rows.visitors)) if rows.visitors else "–",
            _part_of(rows.lasting, rows.visitors),
        )
        chosen = (view.own_value("activation"), view.own_value("return"))
        content["events"] = dict.fromkeys((*(one for one in chosen if one), *(str(row["name"]) for row in named)))
        if any(row["cohort_size"] for row in rows.cohorts):
            content["drawn"] = _board(rows, earlier, known, period, split, asking.formats)
    return visit.pages.show(
        "retention.html",
        shell=site_shell(visit, "retention", website),
        site=website,
        board=board,
        title=_TITLES[period],
        period=period,
        periods=_PERIODS,
        split=BREAKDOWNS[split],
        splits=breakdown_choices(view),
        **content,
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/retention/export/{form}: the tables of the page. Raises NotFound, RateLimited or Unavailable."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/retention", visit.request.query_params, WEBSITE, PARAMETERS)

    async def sheet(name: str, asking: PageQuery) -> ExportSheet:
        rows = await ask(asking, view, USUAL_BREAKDOWN)
        found = {"retention": rows.cohorts, "lifecycle": rows.lifecycle, "stickiness": rows.activity}[name]
        return ExportSheet(name, tuple(output.name for output in TYPES[name].outputs), found)

    names = ("retention", "lifecycle", "stickiness")
    return await export.file(visit, website.site, view, names, form, own={name: partial(sheet, name) for name in names})


def _part_of(part: int, whole: int) -> str:
    visitors = ngettext("1 visitor", "{count} visitors", whole).format(count=figures.count(whole))
    return _("{part} of {whole}").format(part=figures.count(part), whole=visitors)


def _board(
    rows: RetentionRows,
    earlier: Sequence[Average],
    known: RetentionTile,
    period: Granularity,
    split: str,
    formats: Formats,
) -> RetentionBoard:
    whole = averages(rows.cohorts)
    rates = [percent_of(one.returned, one.started) for one in whole]
    found: dict[str, list[Record]] = {}
    for row in rows.cohorts:
        found.setdefault(row["cohort_date"], []).append(row)
    number = max(len(own) for own in found.values())
    active = [row["stickiness"] for row in rows.activity if row["is_complete"]]
    most = max(active, default=0.0)
    parts = [row for row in rows.parts if row["started"]][:MOST_PARTS]
    best = max((percent_of(row["returned"], row["started"]) for row in parts), default=0.0)
    return RetentionBoard(
        tiles=(*_tiles(whole, earlier, period), _sticky(rows), known),
        columns=tuple(_COLUMNS[period].format(number=at) for at in range(number)),
        lines=tuple(_line(day, own, number, formats) for day, own in found.items()),
        whole=_whole(whole, rows.cohorts, number),
        curve=_points(rates, 100),
        curve_before=_points([percent_of(one.returned, one.started) for one in earlier[: len(rates)]], 100, len(rates)),
        curve_names=tuple(figures.share(rate) for rate in rates),
        parts=tuple(_part(row, split, best) for row in parts),
        periods=_bars(rows.lifecycle, formats),
        activity=_points(active, most),
        most_active=figures.percent(most),
        is_unfinished=any(not row["is_complete"] for row in rows.cohorts),
    )


def _tiles(whole: Sequence[Average], earlier: Sequence[Average], period: Granularity) -> list[RetentionTile]:
    """The returns after one period, and after four or as many as there are."""
    last = min(_LATE, len(whole) - 1)
    found = []
    for number in dict.fromkeys((1, max(2, last))):
        one = whole[number] if number < len(whole) else Average(0, 0)
        note = _part_of(one.returned, one.started)
        if number < len(earlier):
            value = figures.percent(percent_of(earlier[number].returned, earlier[number].started))
            note = _("{part}, before: {value}").format(part=note, value=value)
        found.append(
            RetentionTile(
                _after(number, period),
                figures.percent(percent_of(one.returned, one.started)) if one.started else "–",
                note if one.started else _("not over yet"),
            )
        )
    return found


def _after(number: int, period: Granularity) -> str:
    match period:
        case "day":
            text = ngettext("Return after 1 day", "Return after {count} days", number)
        case "week":
            text = ngettext("Return after 1 week", "Return after {count} weeks", number)
        case _other:
            text = ngettext("Return after 1 month", "Return after {count} months", number)
    return text.format(count=number)


def _sticky(rows: RetentionRows) -> RetentionTile:
    """Daily of monthly active visitors, on average over the days that are over."""
    over = [row for row in rows.activity if row["is_complete"]]
    daily, monthly = (sum(row[name] for row in over) for name in ("daily", "monthly"))
    return RetentionTile(
        _("Daily / monthly"), figures.percent(percent_of(daily, monthly)) if monthly else "–", _("active visitors")
    )


def _line(day: str, cells: Sequence[Record], number: int, formats: Formats) -> CohortLine:
    size = cells[0]["cohort_size"]
    return CohortLine(
        short_day_text(date.fromisoformat(day), formats.date),
        figures.count(size),
        tuple(_cell(row) for row in cells) if size else (),
        number - len(cells) if size else number,
    )


def _cell(row: Record) -> CohortCell:
    rate = row["retention_rate"]
    note = _part_of(row["visitors"], row["cohort_size"])
    shade = "cohort-full" if rate >= 100 else f"cohort-{min(_LEVELS, ceil(rate / 5))}"
    return CohortCell(
        figures.percent(rate) if rate < 100 else "100 %",
        shade,
        note,
        so_far=row["period"] > 0 and not row["is_complete"],
    )


def _whole(whole: Sequence[Average], cohorts: Sequence[Record], number: int) -> CohortLine:
    size = sum(row["cohort_size"] for row in cohorts if not row["period"])
    cells = tuple(
        CohortCell(
            figures.percent(percent_of(one.returned, one.started)),
            "cohort-full" if not at else "",
            _part_of(one.returned, one.started),
        )
        for at, one in enumerate(whole)
    )
    return CohortLine(_("All"), figures.count(size), cells, number - len(cells))


def _part(row: Record, split: str, best: float) -> RetentionPart:
    rate = percent_of(row["returned"], row["started"])
    return RetentionPart(
        value_text(split, row[split]),
        _("{part} of {whole}").format(part=figures.count(row["returned"]), whole=figures.count(row["started"])),
        figures.share(rate),
        figures.bar_width(rate, best),
    )


def _bars(lifecycle: Sequence[Record], formats: Formats) -> tuple[PeriodBars, ...]:
    most = max((max(row["visitors"], row["dormant"] or 0) for row in lifecycle), default=0)
    return tuple(_period(row, most, formats) for row in lifecycle)


def _period(row: Record, most: int, formats: Formats) -> PeriodBars:
    names = ("new", "returning", "resurrected", "dormant")
    fresh, returning, resurrected, dormant = (figures.bar_width(row[name] or 0, most) for name in names)
    return PeriodBars(
        short_day_text(date.fromisoformat(row["date"]), formats.date),
        fresh,
        returning,
        resurrected,
        dormant,
        tuple("–" if row[name] is None else figures.count(row[name]) for name in names),
        not row["is_complete"],
    )


def _points(values: Sequence[float], most: float, number: int = 0) -> str:
    """The points of a line in a drawing, as SVG has them; of one that is as wide as `number` values."""
    if len(values) < 2 or not most:
        return ""
    wide = _WIDTH / ((number or len(values)) - 1)
    return " ".join(f"{at * wide:.1f},{_HEIGHT - value * _HEIGHT / most:.1f}" for at, value in enumerate(values))
