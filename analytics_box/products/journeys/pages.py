"""The journeys of a website: from or to a page or event, step by step, as a drawing and as a list."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import export, page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.view import View, read_view
from analytics_box.products.journeys.flow import FlowBand, FlowDrawing, FlowNode, Key, draw, node_sizes
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import percent_of
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Next, Visitor

# The parameters of the page: from or to, what begins or ends it, the number of steps, patterns with commas, and events.
PARAMETERS: Final = ("way", "anchor", "name", "steps", "collapse", "events")
WAYS: Final = {"from": _("From"), "to": _("To")}
ANCHORS: Final = {"": _("the first page"), "page": _("the page"), "event": _("the event")}
STEPS: Final = ("3", "4", "5", "6")
_USUAL: Final = "4"
_NODES: Final = "8"
MOST_PATTERNS: Final = 10
# The filter that selects the sessions with a node.
_FIELDS: Final = {"page": "viewed_page", "event": "event"}
_KINDS: Final = {"page": "page", "event": "event", "pattern": "page"}
MOST_LISTED: Final = 6


class JourneyNode(Struct, frozen=True):
    """A node: its drawing, its name, and where it leads: journeys from or to it, this page with only the sessions
    that have it, or a funnel of the way to it. `earlier` is its share in the range that this one is compared with."""

    drawn: FlowNode
    name: str
    sessions: str
    share: str
    earlier: str
    ended: str
    href: str
    only: str
    funnel: str
    ways: tuple[str, ...]


class JourneyBand(Struct, frozen=True):
    """A band with what it says."""

    path: str
    text: str


class JourneyBoard(Struct, frozen=True):
    """All that is drawn."""

    columns: tuple[tuple[JourneyNode, ...], ...]
    titles: tuple[str, ...]
    bands: tuple[JourneyBand, ...]
    sessions: str
    is_backwards: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/journeys. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/journeys", visit.request.query_params, WEBSITE, PARAMETERS)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    view = board.view
    content: dict[str, Any] = {"failed": "", "drawn": None}
    try:
        rows, earlier = await asyncio.gather(_ask(asking, view), _ask_before(asking, view))
    except UnansweredQuery as failed:
        content["failed"] = _("These figures could not be found: {why}").format(why=failed)
    else:
        content["drawn"] = _board(rows, earlier, view, website) if rows else None
    return visit.pages.show(
        "journeys.html",
        shell=site_shell(visit, "journeys", website),
        site=website,
        board=board,
        ways=WAYS,
        anchors=ANCHORS,
        steps=STEPS,
        usual=_USUAL,
        **content,
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/journeys/export/{form}: the steps as a table. Raises NotFound, RateLimited or Unavailable."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/journeys", visit.request.query_params, WEBSITE, PARAMETERS)

    async def sheet(asking: PageQuery) -> ExportSheet:
        columns = tuple(output.name for output in TYPES["journeys"].outputs)
        return ExportSheet("journeys", columns, await _ask(asking, view))

    return await export.file(visit, website.site, view, ("journeys",), form, own={"journeys": sheet})


def _settings(view: View) -> dict[str, str | list[str]]:
    """The filters that make the question of the address; wrong values are left out."""
    way = "to" if view.own_value("way") == "to" else "from"
    anchor, name = view.own_value("anchor"), view.own_value("name")
    steps = view.own_value("steps")
    patterns = [text for part in view.own_value("collapse").split(",") if (text := part.strip())]
    found: dict[str, str | list[str]] = {"steps": steps if steps in STEPS else _USUAL, "nodes": _NODES}
    if anchor in {"page", "event"} and name:
        found[f"{way}_{anchor}"] = name
    elif way == "to":
        found["direction"] = "backwards"
    if patterns:
        found["collapse"] = patterns[:MOST_PATTERNS]
    if view.own_value("events"):
        found["events"] = "true"
    return found


async def _ask(asking: PageQuery, view: View) -> Sequence[Record]:
    """The rows of the page. Raises UnansweredQuery."""
    settings = [
        QueryFilterInput(
            field=name,
            op="in" if isinstance(value, list) else "eq",
            value=[*value] if isinstance(value, list) else value,
        )
        for name, value in _settings(view).items()
    ]
    narrowed = replace(asking, filters=(*asking.filters, *settings), step="day")
    (rows,) = await narrowed.rows((), derived=(TYPES["journeys"],))
    return rows


async def _ask_before(asking: PageQuery, view: View) -> Sequence[Record]:
    """The rows of the range that this one is compared with; none without a comparison, or if they are unknown."""
    if asking.compared is None or asking.compared.nothing:
        return ()
    try:
        return await _ask(replace(asking, days=asking.compared.days), view)
    except UnansweredQuery:
        return ()


def _board(rows: Sequence[Record], earlier: Sequence[Record], view: View, website: Website) -> JourneyBoard:
    backwards = view.own_value("way") == "to"
    drawing = draw(rows, backwards=backwards)
    before = _commonest(drawing)
    whole = max(sum(node.sessions for node in column) for column in drawing.columns)
    sizes, _ended = node_sizes(earlier)
    most = max((sum(size for key, size in sizes.items() if key[0] == step) for step, _kind, _name in sizes), default=0)
    shares = {key: figures.share(percent_of(size, most)) for key, size in sizes.items()}
    none = figures.share(0) if most else ""
    numbers = range(len(drawing.columns))
    titles = [_("Step {number}").format(number=number + 1) for number in numbers]
    if backwards:
        titles = [_("{number} before").format(number=len(titles) - 1 - number) for number in numbers]
        titles[-1] = _("End")
    return JourneyBoard(
        columns=tuple(
            tuple(
                _node(node, drawing, before, view, website, whole, shares.get((node.step, node.type, node.name), none))
                for node in column
            )
            for column in drawing.columns
        ),
        titles=tuple(titles),
        bands=tuple(
            JourneyBand(band.path, f"{_name(*band.start[1:])} → {_name(*band.end[1:])}: {figures.count(band.sessions)}")
            for band in drawing.bands
        ),
        sessions=ngettext("1 session", "{count} sessions", whole).format(count=figures.count(whole)),
        is_backwards=backwards,
    )


def _commonest(drawing: FlowDrawing) -> Mapping[Key, Key]:
    """The node that most sessions of each node come from."""
    found: dict[Key, FlowBand] = {}
    for band in drawing.bands:
        if band.end not in found or band.sessions > found[band.end].sessions:
            found[band.end] = band
    return {end: band.start for end, band in found.items()}


def _node(
    node: FlowNode,
    drawing: FlowDrawing,
    before: Mapping[Key, Key],
    view: View,
    website: Website,
    whole: int,
    earlier: str,
) -> JourneyNode:
    key = (node.step, node.type, node.name)
    out = sorted((band for band in drawing.bands if band.start == key), key=lambda band: -band.sessions)
    ways = [f"{_name(band.end[1], band.end[2])}: {figures.count(band.sessions)}" for band in out[:MOST_LISTED]]
    if node.ended:
        text = _("Start of the session: {count}") if view.own_value("way") == "to" else _("End of the session: {count}")
        ways.append(text.format(count=figures.count(node.ended)))
    return JourneyNode(
        drawn=node,
        name=_name(node.type, node.name),
        sessions=figures.count(node.sessions),
        share=figures.share(percent_of(node.sessions, whole)),
        earlier=_("before: {value}").format(value=earlier) if earlier else "",
        ended=_end_share(node, view) if node.ended else "",
        href=view.choose(anchor=node.type, name=node.name) if node.type in {"page", "event"} else "",
        only=view.narrowed({_FIELDS[node.type]: node.name}).link() if node.type in _FIELDS else "",
        funnel=_funnel(key, before, view, website),
        ways=tuple(ways),
    )


def _end_share(node: FlowNode, view: View) -> str:
    """The share of sessions that end at a node; backwards, those that begin there."""
    text = _("{share} begin here") if view.own_value("way") == "to" else _("{share} end here")
    return text.format(share=figures.percent(percent_of(node.ended, node.sessions)))


def _funnel(key: Key, before: Mapping[Key, Key], view: View, website: Website) -> str:
    """The form of a funnel with the commonest way to a node; empty where a step of it is no page or event."""
    way = [key]
    while way[-1] in before:
        way.append(before[way[-1]])
    if view.own_value("way") != "to":
        way.reverse()
    if len(way) < 2 or any(kind not in _KINDS for _, kind, _name in way):
        return ""
    fields: dict[str, str] = {}
    for number, (_step, kind, name) in enumerate(way):
        fields |= {f"kind-{number}": _KINDS[kind], f"target-{number}": name}
    return f"/sites/{website.id}/funnels/new?{urlencode(fields)}"


def _name(kind: str, name: str) -> str:
    return _("Other pages") if kind == "other" else figures.visible(name)
