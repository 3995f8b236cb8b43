"""A custom event on its own page: how often, of how many visitors, when, with which properties, on which pages."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.base.translation import _
from analytics_box.figures import export, page
from analytics_box.figures.asking import PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.narrowing import Narrow, Narrowing
from analytics_box.figures.view import View, read_view
from analytics_box.products.goals.figures import GoalFigures, rate_text
from analytics_box.products.goals.goal import WRITER, address, home
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.products.overview.board import TOTALS, WEBSITE
from analytics_box.products.overview.event_series import SERIES, chosen_events, daily_rows, event_series
from analytics_box.products.overview.one_chart import EVENT, EVENT_NAME
from analytics_box.query.catalog.types import Record
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Next, Page, PageRequest, Visitor

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
