"""A custom event or a goal on its own page: figures over a chart, next to the notes of its website.

For an event: how often, of how many visitors, with which properties, on which pages, and beside other events.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.base.facts.event import EXPOSURE
from analytics_box.base.translation import _
from analytics_box.figures import export, page
from analytics_box.figures.asking import PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.board import Board, BoardSubject, Metric, Words
from analytics_box.figures.breakdowns import BreakdownChoice
from analytics_box.figures.converting import CONVERSIONS
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.narrowing import Narrow, Narrowing
from analytics_box.figures.view import View, read_view
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures, rate_text, revenue_text
from analytics_box.products.goals.form import goal_text
from analytics_box.products.goals.goal import WRITER, address, home
from analytics_box.products.goals.lookup import find_goal
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.products.overview.board import TOTALS, WEBSITE
from analytics_box.query import named
from analytics_box.query.catalog.types import Record
from analytics_box.query.request import QueryFilterInput
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Next, Page, PageRequest, Visitor

_SUMMARY, _BY_DATE = "custom_events_summary", "custom_events_trends"
EVENT_NAME: Final = "event_name"
_NAMES: Final = {
    "total_events": _("Times"),
    "unique_users": _("Visitors"),
    "unique_sessions": _("Sessions"),
}

# A goal: its conversions first, then all visitors.
GOAL: Final = replace(
    WEBSITE,
    metrics=(*WEBSITE.converting, WEBSITE.metrics[0]),
    lists={},
    panels={},
    extras={},
    further=(),
    segmented=False,
    explained_by=(),
)

# A custom event, which its address names as a filter.
EVENT: Final = Board(
    subject="website",
    metrics=tuple(Metric(name, _SUMMARY, _BY_DATE) for name in _NAMES),
    lists={},
    panels={},
    further=(EVENT_NAME,),
    about=lambda _: BoardSubject(_NAMES, lambda query_type: query_type),
    words=Words(
        tabs={},
        empty={"": ""},
        filters={EVENT_NAME: _("A custom event")},
        anchors=dict.fromkeys(_NAMES, WEBSITE.words.anchors["events"]),
        shares={"": ""},
        columns={},
    ),
)


# The parameter with the names of the other events, with commas between.
SERIES: Final = "series"
MOST_OTHERS: Final = 3
MOST_OFFERED: Final = 12
_HEIGHT, _WIDTH = 200, 1000


class SeriesLine(Struct, frozen=True):
    """An event of the drawing: the points of its line (SVG), and its numbers."""

    name: str
    times: str
    visitors: str
    points: str


class EventSeries(Struct, frozen=True):
    """The events of the drawing, the page's own first; `choices` are those that can be added or removed."""

    lines: tuple[SeriesLine, ...]
    most: str
    choices: tuple[BreakdownChoice, ...]


def chosen_events(view: View, name: str) -> list[str]:
    """The event of the page, then those that its address compares it with."""
    others = [part for part in view.own_value(SERIES).split(",") if part and part != name]
    return [name, *dict.fromkeys(others[:MOST_OTHERS])]


async def daily_rows(asking: PageQuery, names: Sequence[str]) -> list[Record]:
    """A row for each step of the range, with the times of each event. Raises UnansweredQuery."""
    only = replace(asking, filters=[QueryFilterInput(EVENT_NAME, "in", [*names])], plain={})
    steps, counted = await only.rows(("custom_events_trends", "custom_events_trends_by_event"))
    times = {(row["date"], row["event_name"]): row["total_events"] for row in counted}
    return [{"date": row["date"], **{name: times.get((row["date"], name), 0) for name in names}} for row in steps]


async def event_series(asking: PageQuery, view: View, name: str) -> EventSeries:
    """The events that the address compares. Raises UnansweredQuery."""
    (offered,) = await replace(asking, filters=asking.told.only, plain={}).rows(("custom_events",), limit=100)
    known = {row["name"]: row for row in offered if row["name"] != EXPOSURE}
    names = chosen_events(view, name)

    def toggle(other: str) -> str:
        kept = [one for one in names[1:] if one != other] + ([] if other in names else [other])
        return view.choose(series=",".join(kept))

    choices = tuple(
        BreakdownChoice(figures.visible(other), toggle(other), other in names)
        for other in [*known][:MOST_OFFERED]
        if other != name and "," not in other and (other in names or len(names) <= MOST_OTHERS)
    )
    if len(names) == 1:
        return EventSeries((), "", choices)
    rows = await daily_rows(asking, names)
    most = max((row[one] for row in rows for one in names), default=0)
    lines = tuple(
        SeriesLine(
            figures.visible(one),
            figures.count(known[one]["total_events"] if one in known else 0),
            figures.count(known[one]["unique_users"] if one in known else 0),
            _points([row[one] for row in rows], most),
        )
        for one in names
    )
    return EventSeries(lines, figures.count(most), choices)


def _points(values: Sequence[int], most: int) -> str:
    """The points of a line in the drawing, as SVG has them."""
    wide = _WIDTH / max(1, len(values) - 1)
    return " ".join(
        f"{at * wide:.1f},{_HEIGHT - value * _HEIGHT / max(1, most):.1f}" for at, value in enumerate(values)
    )


LONGEST_NAME: Final = 1_000
MOST_KEYS: Final = 50  # properties, those of the commonest values
MOST_VALUES: Final = 10  # of a property
MOST_PAGES: Final = 10
_TYPES: Final = (
    TOTALS,
    "custom_events_summary",
    "custom_event_properties",
    "custom_events_property_numbers",
    "custom_events_by_path",
)


class EventBar(Struct, frozen=True):
    """A value or a page: how often it came, and its share. `href` is the dashboard of the sessions with it."""

    label: str
    count: str
    share: str
    width: str
    href: str


class PropertyShown(Struct, frozen=True):
    """A property with its commonest values, whether there are others, and the figures of those that are numbers."""

    key: str
    values: tuple[EventBar, ...]
    more: bool
    numbers: str


class EventLists(Struct, frozen=True):
    """The lists below the chart: the share of all visitors in words, the properties, and the pages; both lists may be
    cut.
    """

    share: str = ""
    properties: tuple[PropertyShown, ...] = ()
    pages: tuple[EventBar, ...] = ()
    more_pages: bool = False
    more_properties: bool = False
    failed: str = ""


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/events?event_name=…, or `name`. Raises NotFound."""
    website = own(visit.call, website_id)
    name, view = _event_view(visit, website)
    asking, board = await page.alone(visit, website.site, view, SubjectFacts(notes=on_charts(visit, website)))
    on_overview = replace(view, path=f"/sites/{website.id}", of=WEBSITE, metric=WEBSITE.default, beside="")
    only = Narrowing((Narrow("event", "is", (name,)),))
    try:
        series = await event_series(asking, board.view, name)
    except UnansweredQuery:
        series = None
    return visit.pages.show(
        "event.html",
        shell=site_shell(visit, "goals", website),
        site=website,
        name=figures.visible(name),
        home=home(website),
        board=board,
        lists=await _lists(asking, on_overview, only),
        series=series,
        overview=on_overview.link(filters=only),
        new_goal=address(f"{home(website)}/new", event=name) if visit.person.may(WRITER) else "",
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/events/export/{form}?event_name=…: the figures, and the events that the page compares. Raises
    NotFound, RateLimited or Unavailable."""
    website = own(visit.call, website_id)
    name, view = _event_view(visit, website)
    names = chosen_events(view, name)

    async def sheet(asking: PageQuery) -> ExportSheet:
        rows = await daily_rows(asking, names)
        return ExportSheet("compared", ("date", *names), rows)

    return await export.file(visit, website.site, view, ("compared",), form, own={"compared": sheet})


def _event_view(visit: PageRequest, website: Website) -> tuple[str, View]:
    """The name of the event, and the state of its page. Raises NotFound."""
    name = (visit.asked(EVENT_NAME) or visit.asked("name"))[:LONGEST_NAME]
    if not name:
        raise errors.NotFound(_("There is nothing at this address"))
    view = read_view(f"/sites/{website.id}/events", visit.request.query_params, EVENT, (SERIES,))
    return name, replace(view, filters=Narrowing((Narrow(EVENT_NAME, "is", (name,)),)))


async def _lists(asking: PageQuery, dashboard: View, only: Narrowing) -> EventLists:
    """The lists of an event; `only` selects its sessions on the dashboard."""
    try:
        (whole,), (event,), properties, numbers, pages = await asking.rows(_TYPES)
    except UnansweredQuery as failed:
        return EventLists(failed=_("These figures could not be loaded: {why}").format(why=failed))

    def sessions_with(property_prefix: str, value: str) -> str:
        field = "event_property" if property_prefix else "viewed_page"
        more = (Narrow(field, "is", (property_prefix + value,)),) if value else ()
        return dashboard.link(filters=Narrowing((*only.items, *more)))

    reached, times = GoalFigures(int(whole["visitors"]), int(event["unique_users"])), int(event["total_events"])
    share = _("{rate} of all {visitors} visitors sent it.").format(
        rate=rate_text(reached), visitors=figures.count(reached.visitors)
    )
    return EventLists(
        share,
        _properties(properties, {row["property_key"]: row for row in numbers}, times, sessions_with),
        _bars(pages[:MOST_PAGES], ("name", "total_events"), times, partial(sessions_with, "")),
        len(pages) > MOST_PAGES,
        len({row["property_key"] for row in properties}) > MOST_KEYS,
    )


def _properties(
    found: Sequence[Record], numbers: Mapping[str, Record], events: int, sessions_with: Callable[[str, str], str]
) -> tuple[PropertyShown, ...]:
    """By key; the values of each are in the order of the answer, the commonest first."""
    keys: dict[str, list[Record]] = {}
    for row in found:
        keys.setdefault(row["property_key"], []).append(row)

    return tuple(
        PropertyShown(
            figures.visible(key),
            _bars(own[:MOST_VALUES], ("property_value", "count"), events, partial(sessions_with, f"{key}=")),
            len(own) > MOST_VALUES,
            _numbers_text(numbers.get(key)),
        )
        for key, own in islice(keys.items(), MOST_KEYS)
    )


def _numbers_text(row: Record | None) -> str:
    """The figures of the numbers of a property; empty if it has none."""
    if row is None:
        return ""
    shown = {name: f"{row[name]:,.2f}".rstrip("0").rstrip(".") for name in ("sum", "average", "median", "p90")}
    return _("Sum {sum} · average {average} · median {median} · 90th percentile {p90}").format(**shown)


def _bars(
    found: Sequence[Record], names: tuple[str, str], whole: int, address_of: Callable[[str], str]
) -> tuple[EventBar, ...]:
    label, count = names
    largest = max((row[count] for row in found), default=0)
    return tuple(
        EventBar(
            figures.visible(row[label]) or _("No page"),
            figures.count(row[count]),
            figures.percent(100 * row[count] / whole) if whole else "",
            figures.bar_width(row[count], largest),
            address_of(row[label]),
        )
        for row in found
    )


async def show_goal(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/goal?goal=…: what became of a goal. Raises NotFound."""
    website, goal = await find_goal(visit.call, visit.asked("goal"), website_id)
    view = read_view(f"/sites/{website.id}/goal", visit.request.query_params, GOAL)
    told = SubjectFacts(notes=on_charts(visit, website))
    asking, board = await page.alone(visit, website.site, view, told)
    on_overview = replace(board.view, path=f"/sites/{website.id}", of=WEBSITE, metric=CONVERSIONS, beside="")
    only = Narrowing((Narrow(named.GOAL, "is", (goal.id,)),))
    period = GoalPeriod(asking.days, asking.zone, asking.now)
    (known,) = await goal_figures(visit.parts[QueryRunner], website.site, [goal.definition], period, paid=True)
    revenue = revenue_text(known) if isinstance(known, GoalFigures) else ""
    writes = visit.person.may(WRITER)
    return visit.pages.show(
        "goal.html",
        shell=site_shell(visit, "goals", website),
        site=website,
        name=figures.visible(goal.name),
        said=goal_text(goal.definition),
        description=figures.visible(goal.description),
        is_active=goal.is_active,
        board=board,
        sum=_("Revenue: {sum}").format(sum=revenue) if revenue else "",
        home=home(website),
        overview=on_overview.link(),
        only=replace(on_overview.without_goal(), filters=only).link(),
        edit=f"{home(website)}/{goal.id}" if writes else "",
        funnel=f"/sites/{website.id}/funnels/new?goal={goal.id}" if writes else "",
    )


async def goal_file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/goal/export/{form}?goal=…: the figures of a goal. Raises NotFound, RateLimited or Unavailable."""
    website, _goal = await find_goal(visit.call, visit.asked("goal"), website_id)
    view = read_view(f"/sites/{website.id}/goal", visit.request.query_params, GOAL)
    return await export.file(visit, website.site, view, (), form)
