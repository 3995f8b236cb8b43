"""The funnels of a website: the list with rates, and one funnel with its steps, sources and times."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures import export, page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.breakdowns import BREAKDOWNS, BreakdownChoice, breakdown_choices, breakdown_of
from analytics_box.figures.earnings import earnings_text
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.goals import with_goals
from analytics_box.figures.narrowing import EVERYTHING, Segment
from analytics_box.figures.narrowing_question import question_filters
from analytics_box.figures.page import Dashboard
from analytics_box.figures.segmented import with_segment
from analytics_box.figures.view import View, read_view
from analytics_box.products.funnels import lookup
from analytics_box.products.funnels.drawing import FigureTile, FunnelBoard, SegmentTable, draw, rate_text, shown_segment
from analytics_box.products.funnels.figures import (
    BY,
    TOTALS,
    TREND,
    FunnelFigures,
    FunnelQuery,
    figures_of,
    rate_of,
)
from analytics_box.products.funnels.form import home, limit_text, order_text
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.products.funnels.lookup import find_funnel
from analytics_box.products.funnels.rules import steps_of
from analytics_box.products.goals.goal import WRITER
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.catalog.funnels import REACHED
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.plan import TIME_EDGES
from analytics_box.query.ranges import DayRange
from analytics_box.query.request import QueryFilterInput
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Next, PageRequest, Visitor

# The parameters of a funnel's page: the breakdown, and the segments to compare (ids with commas).
PARAMETERS: Final = ("split", "segments")
MOST_SEGMENTS: Final = 4
STEP_COLUMNS: Final = tuple(output.name for output in TYPES["funnel"].outputs)
_DONE = {
    "created": _("Funnel created."),
    "saved": _("Funnel saved."),
    "deleted": _("Funnel deleted."),
}
# Limits of the list: funnels that are counted at the same time, and the time for all of them.
AT_ONCE: Final = 4
MOST_SECONDS: Final = 30.0


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
    view = read_view(here, visit.request.query_params, WEBSITE, PARAMETERS)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    drawn = await _board(visit, asking, board, website, funnel)
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
        split=BREAKDOWNS[breakdown_of(board.view)],
        splits=breakdown_choices(board.view),
        edit=f"{here}/edit" if visit.person.may(WRITER) else "",
        done=_DONE.get(visit.asked("done"), ""),
    )


async def file(visit: Visitor, website_id: FromPath[str], funnel_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/funnels/{funnel}/export/{form}: the tables of the page. Raises NotFound, RateLimited or
    Unavailable."""
    website, funnel = await find_funnel(visit.call, funnel_id, website_id)
    view = read_view(f"{home(website)}/{funnel.id}", visit.request.query_params, WEBSITE, PARAMETERS)

    async def steps(asking: PageQuery) -> ExportSheet:
        (known,) = _require_figures(await _totals([_query(visit, asking, website, funnel)], asking.days))
        return ExportSheet("steps", STEP_COLUMNS, known.steps)

    async def times(asking: PageQuery) -> ExportSheet:
        (known,) = _require_figures(await _totals([_query(visit, asking, website, funnel)], asking.days))
        edges = (0, *(edge // 1000 for edge in TIME_EDGES))
        counted = [{"seconds_from": edge, "converted": count} for edge, count in zip(edges, known.times, strict=True)]
        return ExportSheet("times", ("seconds_from", "converted"), counted)

    async def counts(name: str, asking: PageQuery) -> ExportSheet:
        query = _query(visit, asking, website, funnel)
        of, key = (TREND, "date") if name == "trend" else (BY[breakdown_of(view)], breakdown_of(view))
        found = await query.rows(asking.days, [of], asking.steps)
        if isinstance(found, str):
            raise UnansweredQuery(found)
        number = len(query.steps.names)
        counted = [
            {
                key: row[key],
                "started": row[REACHED[0]],
                "converted": row[f"step_{number}"],
                "conversion_rate": rate_of(row, number),
            }
            for row in found[0]
        ]
        return ExportSheet(name, (key, "started", "converted", "conversion_rate"), counted)

    async def segments(asking: PageQuery) -> ExportSheet:
        chosen = await _chosen_segments(visit, website, view)
        queries = [_query(visit, asking, website, funnel, filters) for _segment, filters in chosen]
        found = _require_figures(await _totals(queries, asking.days))
        lines = [
            {"segment": segment.name, **step}
            for (segment, _filters), known in zip(chosen, found, strict=True)
            for step in known.steps
        ]
        return ExportSheet("segments", ("segment", *STEP_COLUMNS), lines)

    sheets: dict[str, Callable[[PageQuery], Awaitable[ExportSheet]]] = {
        "steps": steps,
        "breakdown": partial(counts, "breakdown"),
        "times": times,
        "trend": partial(counts, "trend"),
    }
    if view.own_value("segments"):
        sheets["segments"] = segments
    return await export.file(visit, website.site, view, tuple(sheets), form, own=sheets)


def _require_figures(known: Sequence[FunnelFigures | str]) -> list[FunnelFigures]:
    """The figures, if all are known. Raises UnansweredQuery."""
    for one in known:
        if isinstance(one, str):
            raise UnansweredQuery(one)
    return [one for one in known if not isinstance(one, str)]


def _query(
    visit: PageRequest,
    asking: PageQuery,
    website: Website,
    funnel: Funnel,
    filters: Sequence[QueryFilterInput] = (),
) -> FunnelQuery:
    """The question about a funnel in the range of a page, with its filters and more of them."""
    queries, narrowed = visit.parts[QueryRunner], (*asking.filters, *filters)
    return FunnelQuery(queries, website.site, steps_of(funnel.definition), asking.zone, asking.now, narrowed)


async def _totals(queries: Sequence[FunnelQuery], days: DayRange) -> list[FunnelFigures | str]:
    """The figures of several funnels, which have MOST_SECONDS together; those that are late say so."""
    slots, until = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop().time() + MOST_SECONDS

    async def one(query: FunnelQuery) -> FunnelFigures | str:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(until), slots:
                found = await query.rows(days, [TOTALS])
                return found if isinstance(found, str) else figures_of(found[0][0], query.steps.names)
        return _("The funnels took too long. Choose a shorter range")

    return await asyncio.gather(*map(one, queries))


async def _lines(
    visit: PageRequest, asking: PageQuery, website: Website, funnels: Sequence[Funnel]
) -> list[FunnelLine]:
    """The funnels with their figures."""
    queries = [_query(visit, asking, website, funnel) for funnel in funnels]
    found = await _totals(queries, asking.days)
    return [_line(website, *of) for of in zip(funnels, queries, found, strict=True)]


def _line(website: Website, funnel: Funnel, query: FunnelQuery, found: FunnelFigures | str) -> FunnelLine:
    known = None if isinstance(found, str) else found
    here = f"{home(website)}/{funnel.id}"
    return FunnelLine(
        name=figures.visible(funnel.name),
        text=figures.visible(" → ".join(query.steps.names)),
        href=here,
        edit=f"{here}/edit",
        entered=figures.count(known.starts) if known else "–",
        completed=figures.count(known.conversions) if known else "–",
        rate=rate_text(known),
        width=figures.bar_width(known.rate, 100) if known else "w0",
        is_active=funnel.is_active,
        failed=_("These figures could not be loaded: {why}").format(why=found) if isinstance(found, str) else "",
    )


async def _board(
    visit: PageRequest, asking: PageQuery, board: Dashboard, website: Website, funnel: Funnel
) -> FunnelBoard | str:
    """The funnel, or why its figures are unknown."""
    view, query = board.view, _query(visit, asking, website, funnel)
    found = await query.rows(asking.days, [TOTALS, BY[breakdown_of(view)], TREND], asking.steps)
    if isinstance(found, str):
        return found
    (measured,), parts, trend = found
    known = figures_of(measured, query.steps.names)
    before = None
    if asking.compared is not None and not asking.compared.nothing:
        (earlier,) = await _totals([query], asking.compared.days)
        before = None if isinstance(earlier, str) else earlier
    segments = await _segments(visit, asking, board, website, funnel, known)
    drawn = draw(view, funnel, known, before, parts, trend)
    earned = earnings_text(await query.payments(asking.days))
    tiles = (*drawn.tiles, FigureTile(_("Revenue"), earned, _("of those who converted"))) if earned else drawn.tiles
    return replace(drawn, tiles=tiles, segments=segments)


async def _segments(
    visit: PageRequest, asking: PageQuery, board: Dashboard, website: Website, funnel: Funnel, known: FunnelFigures
) -> SegmentTable | None:
    """The segments that the address compares, below all sessions of the page; none where none can be chosen."""
    if board.segments is None or not board.segments.choices:
        return None
    chosen = await _chosen_segments(visit, website, board.view)
    found = await _totals(
        [_query(visit, asking, website, funnel, filters) for _segment, filters in chosen], asking.days
    )
    ids = [segment.id for segment, _filters in chosen]

    def toggle(segment_id: str) -> str:
        kept = [one for one in ids if one != segment_id] if segment_id in ids else [*ids, segment_id]
        return board.view.choose(segments=",".join(kept))

    lines = [
        shown_segment(figures.visible(segment.name), one)
        for (segment, _filters), one in zip(chosen, found, strict=True)
    ]
    return SegmentTable(
        names=tuple(figures.visible(str(step["step_name"])) for step in known.steps),
        lines=(shown_segment(_("All sessions"), known), *lines) if lines else (),
        choices=tuple(
            BreakdownChoice(one.name, toggle(one.id), one.id in ids)
            for one in board.segments.choices
            if one.id in ids or len(ids) < MOST_SEGMENTS
        ),
    )


async def _chosen_segments(
    visit: PageRequest, website: Website, view: View
) -> list[tuple[Segment, list[QueryFilterInput]]]:
    """The segments that the address compares, with their filters; those that do not exist are left out."""
    chosen = []
    for segment_id in dict.fromkeys(view.own_value("segments").split(",")[:MOST_SEGMENTS]):
        alone = replace(view, filters=EVERYTHING, segment=Segment(segment_id), goal=None, goals=None)
        alone = await with_goals(visit, website.site, await with_segment(visit, website.site, alone))
        if alone.segment is not None and alone.segment.name:
            chosen.append((alone.segment, question_filters(alone.segment.filters, alone.goal_ids)))
    return chosen
