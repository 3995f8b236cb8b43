"""The funnels of a website: the list with rates, and one funnel with its steps, sources and times."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import page, suggesting
from analytics_box.figures.asking import PageQuery
from analytics_box.figures.narrowing import Narrowing
from analytics_box.figures.view import View, read_view
from analytics_box.products.funnels import lookup
from analytics_box.products.funnels.figures import (
    BY,
    DIMENSIONS,
    TOTALS,
    TREND,
    FunnelFigures,
    FunnelQuery,
    duration_text,
    figures_of,
    rate_of,
)
from analytics_box.products.funnels.form import home, limit_text, order_text
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.products.funnels.lookup import find_funnel
from analytics_box.products.funnels.rules import sessions_without, step_text, steps_of
from analytics_box.products.goals.goal import WRITER
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.catalog.funnels import REACHED
from analytics_box.query.catalog.types import Record
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, PageRequest, Visitor

_DONE = {
    "created": _("Funnel created."),
    "saved": _("Funnel saved."),
    "deleted": _("Funnel deleted."),
}
_SPLITS: Final = {"source": _("Sources"), "device": _("Devices"), "country": _("Countries"), "entry": _("Entry pages")}
_COLUMNS: Final = {"source": _("Source"), "device": _("Device"), "country": _("Country"), "entry": _("Entry page")}
_TIMES: Final = ("<10 s", "10–30 s", "30–60 s", "1–2 m", "2–5 m", "5–10 m", "10–30 m", "30–60 m", "1–24 h", ">1 d")
MOST_ROWS: Final = 10
# Limits of the list: funnels that are counted at the same time, and the time for all of them.
AT_ONCE: Final = 4
MOST_SECONDS: Final = 30.0
_HEIGHT, _WIDTH = 120, 600


class FunnelLine(Struct, frozen=True):
    """A funnel in the list."""

    name: str
    text: str
    href: str
    edit: str
    entered: str
    completed: str
    rate: str
    width: str
    is_active: bool
    failed: str = ""


class StepShown(Struct, frozen=True):
    """A step as a bar: what visitors do, the share of the first step, and how many were lost before it. `without` is
    the address of the sessions with all steps before and without this one, or empty."""

    number: int
    name: str
    text: str
    share: str
    size: str
    count: str
    lost: str
    time: str
    is_worst: bool
    without: str = ""


class FigureTile(Struct, frozen=True):
    """A figure of a funnel, and below it what it is of or what it was before."""

    label: str
    value: str
    note: str


class PartShown(Struct, frozen=True):
    """The part of a funnel with one value."""

    name: str
    entered: str
    completed: str
    rate: str
    width: str


class TimeShown(Struct, frozen=True):
    """A range of times to convert, with how many converted in it."""

    label: str
    count: str
    size: str


class SplitChoice(Struct, frozen=True):
    """A breakdown to choose."""

    label: str
    href: str
    selected: bool


class FunnelBoard(Struct, frozen=True):
    """All that is drawn of a funnel. `trend` are the points of a line (SVG), with the range of rates."""

    tiles: tuple[FigureTile, ...]
    steps: tuple[StepShown, ...]
    finding: str
    parts: tuple[PartShown, ...]
    more_parts: str
    times: tuple[TimeShown, ...]
    trend: str
    trend_most: str
    is_empty: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/funnels: the funnels with their conversion rates. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(home(website), visit.request.query_params, WEBSITE)
    asking, board = await page.empty(visit, website.site, view)
    funnels = await visit.call.read(lambda db: lookup.of_website(db, website.id))
    return visit.pages.show(
        "funnels.html",
        shell=site_shell(visit, "funnels", website),
        site=website,
        home=home(website),
        board=board,
        funnels=await _lines(visit, asking, website, funnels),
        may_edit=visit.person.may(WRITER),
        done=_DONE.get(visit.asked("done"), ""),
    )


async def show_one(visit: Visitor, website_id: FromPath[str], funnel_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/funnels/{funnel}. Raises NotFound."""
    website, funnel = await find_funnel(visit.call, funnel_id, website_id)
    here = f"{home(website)}/{funnel.id}"
    view = read_view(here, visit.request.query_params, WEBSITE, ("split",))
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    split = next((name for name in DIMENSIONS if name == view.own_value("split")), DIMENSIONS[0])
    asking, board = await page.empty(visit, website.site, view)
    drawn = await _board(visit, asking, board.view, website, funnel, split)
    return visit.pages.show(
        "funnel.html",
        shell=site_shell(visit, "funnels", website),
        site=website,
        name=figures.visible(funnel.name),
        description=figures.visible(funnel.description),
        home=home(website),
        board=board,
        funnel=drawn if isinstance(drawn, FunnelBoard) else None,
        failed=drawn if isinstance(drawn, str) else "",
        counting=f"{order_text(funnel.definition)}, {limit_text(funnel.definition)}",
        is_active=funnel.is_active,
        split=_COLUMNS[split],
        splits=[SplitChoice(label, board.view.choose(split=name), name == split) for name, label in _SPLITS.items()],
        edit=f"{here}/edit" if visit.person.may(WRITER) else "",
        done=_DONE.get(visit.asked("done"), ""),
    )


def _query(visit: PageRequest, asking: PageQuery, website: Website, funnel: Funnel) -> FunnelQuery:
    queries = visit.parts[QueryRunner]
    return FunnelQuery(queries, website.site, steps_of(funnel.definition), asking.zone, asking.now, asking.filters)


async def _lines(
    visit: PageRequest, asking: PageQuery, website: Website, funnels: Sequence[Funnel]
) -> list[FunnelLine]:
    """The funnels with their figures, which have MOST_SECONDS together; those that are late say so."""
    slots, until = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop().time() + MOST_SECONDS

    async def line(funnel: Funnel) -> FunnelLine:
        query = _query(visit, asking, website, funnel)
        found: list[list[Record]] | str = _("The funnels took too long. Choose a shorter range")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(until), slots:
                found = await query.rows(asking.days, [TOTALS])
        return _line(website, funnel, query, found)

    return await asyncio.gather(*(line(funnel) for funnel in funnels))


def _line(website: Website, funnel: Funnel, query: FunnelQuery, found: list[list[Record]] | str) -> FunnelLine:
    known = None if isinstance(found, str) else figures_of(found[0][0], query.steps.names)
    here = f"{home(website)}/{funnel.id}"
    return FunnelLine(
        name=figures.visible(funnel.name),
        text=figures.visible(" → ".join(query.steps.names)),
        href=here,
        edit=f"{here}/edit",
        entered=figures.count(known.starts) if known else "–",
        completed=figures.count(known.conversions) if known else "–",
        rate=_rate(known),
        width=figures.bar_width(known.rate, 100) if known else "w0",
        is_active=funnel.is_active,
        failed=_("These figures could not be loaded: {why}").format(why=found) if isinstance(found, str) else "",
    )


def _rate(known: FunnelFigures | None) -> str:
    return figures.percent(known.rate) if known is not None and known.starts else "–"


async def _board(
    visit: PageRequest, asking: PageQuery, view: View, website: Website, funnel: Funnel, split: str
) -> FunnelBoard | str:
    """The funnel, or why its figures are unknown."""
    query = _query(visit, asking, website, funnel)
    found = await query.rows(asking.days, [TOTALS, BY[split], TREND], asking.steps)
    if isinstance(found, str):
        return found
    (measured,), parts, trend = found
    known = figures_of(measured, query.steps.names)
    before = None
    if asking.compared is not None and not asking.compared.nothing:
        earlier = await query.rows(asking.compared.days, [TOTALS])
        before = None if isinstance(earlier, str) else figures_of(earlier[0][0], query.steps.names)
    number = len(query.steps.names)
    rates = [rate_of(row, number) for row in trend]
    most = max(rates, default=0.0)
    return FunnelBoard(
        tiles=_tiles(funnel, known, before),
        steps=tuple(_step(view, funnel, known, place) for place in range(number)),
        finding=_finding(known),
        parts=_parts(parts[:MOST_ROWS], number),
        more_parts=_("Showing the {count} largest.").format(count=MOST_ROWS) if len(parts) > MOST_ROWS else "",
        times=_times(known),
        trend=_points(rates, most),
        trend_most=figures.percent(most),
        is_empty=not known.starts,
    )


def who_count(funnel: Funnel, count: int) -> str:
    """The number of those who are counted, with its unit."""
    shown = figures.count(count)
    if funnel.definition.window_unit == "days":
        return ngettext("1 visitor", "{count} visitors", count).format(count=shown)
    return ngettext("1 session", "{count} sessions", count).format(count=shown)


def _tiles(funnel: Funnel, known: FunnelFigures, before: FunnelFigures | None) -> tuple[FigureTile, ...]:
    worst = known.biggest_drop
    lost = known.starts and worst["dropoffs"]
    earlier = _("before: {value}")
    return (
        FigureTile(_("Conversion rate"), _rate(known), earlier.format(value=_rate(before)) if before else ""),
        FigureTile(
            _("Converted"),
            figures.count(known.conversions),
            _("of {count}").format(count=who_count(funnel, known.starts)),
        ),
        FigureTile(
            _("Median time"),
            duration_text(known.median),
            earlier.format(value=duration_text(before.median))
            if before
            else _("90% within {time}").format(time=duration_text(known.p90))
            if known.p90 is not None
            else "",
        ),
        FigureTile(
            _("Biggest drop"),
            figures.percent(worst["dropoff_rate"]) if lost else "–",
            _("before step {number}").format(number=worst["step_number"]) if lost else "",
        ),
    )


def _step(view: View, funnel: Funnel, known: FunnelFigures, place: int) -> StepShown:
    step = known.steps[place]
    lost = _("{count} dropped, {rate}").format(
        count=figures.count(step["dropoffs"]), rate=figures.percent(step["dropoff_rate"])
    )
    text = step_text(funnel.definition.steps[place])
    return StepShown(
        number=place + 1,
        name=figures.visible(step["step_name"]),
        text="" if text == step["step_name"] else figures.visible(text),
        share=figures.percent(step["conversion_rate"]),
        size=figures.bar_width(step["conversion_rate"], 100),
        count=who_count(funnel, step["users"]),
        lost=lost if place else _("Start of the funnel"),
        time=_("{time} after the previous step").format(time=duration_text(1000 * step["avg_time_to_complete"]))
        if place and step["users"]
        else "",
        without=_without(view, funnel, place) if step["dropoffs"] else "",
        is_worst=place > 0 and step is known.biggest_drop and step["dropoffs"] > 0,
    )


def _without(view: View, funnel: Funnel, place: int) -> str:
    missed = sessions_without(funnel.definition, place)
    if missed is None or view.filters.match != "all":
        return ""
    return replace(view, filters=Narrowing((*view.filters.items, *missed.items))).page_link("sessions")


def _finding(known: FunnelFigures) -> str:
    """The finding in one sentence; empty without drop-offs."""
    worst = known.biggest_drop
    if not worst["dropoffs"]:
        return ""
    before = known.steps[worst["step_number"] - 2]
    return _("{rate} dropped out between “{before}” and “{after}”.").format(
        rate=figures.percent(worst["dropoff_rate"]),
        before=figures.visible(before["step_name"]),
        after=figures.visible(worst["step_name"]),
    )


def _parts(found: Sequence[Record], steps: int) -> tuple[PartShown, ...]:
    best = max((rate_of(row, steps) for row in found), default=0.0)
    return tuple(_part(row, steps, best) for row in found)


def _part(row: Record, steps: int, best: float) -> PartShown:
    dimension = next(name for name in row if name not in REACHED)
    rate = rate_of(row, steps)
    return PartShown(
        figures.visible(row[dimension]) or _("Unknown"),
        figures.count(row[REACHED[0]]),
        figures.count(row[f"step_{steps}"]),
        figures.percent(rate),
        figures.bar_width(rate, best),
    )


def _times(known: FunnelFigures) -> tuple[TimeShown, ...]:
    """The ranges of times, from the first to the last with a conversion."""
    there = [place for place, count in enumerate(known.times) if count]
    if not there:
        return ()
    most = max(known.times)
    return tuple(
        TimeShown(_TIMES[place], figures.count(known.times[place]), figures.bar_width(known.times[place], most))
        for place in range(there[0], there[-1] + 1)
    )


def _points(rates: Sequence[float], most: float) -> str:
    """The points of the line of rates in a drawing, as SVG has them."""
    if len(rates) < 2 or not most:
        return ""
    wide, high = _WIDTH / (len(rates) - 1), _HEIGHT / most
    return " ".join(f"{number * wide:.1f},{_HEIGHT - rate * high:.1f}" for number, rate in enumerate(rates))
