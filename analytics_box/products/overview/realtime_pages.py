"""The page of what happens on a website right now: its last minutes as bars, its latest events, and the current pages.

The figures are those of the query types of `query/catalog/realtime.py`.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import TimeFormat
from analytics_box.base.translation import _
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.board import Rows
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.overview.live import PREFIX, Watching, online_text
from analytics_box.query import ranges
from analytics_box.query.catalog.types import Record
from analytics_box.query.presence import Presence
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.dates import second_text, time_text
from analytics_box.web.page.visit import Page, PageRequest, Visitor

_LISTS = {"pages": _("Pages"), "sources": _("Sources"), "countries": _("Countries"), "cities": _("Cities")}


MINUTES: Final = 30
STEP, WIDTH, HEIGHT = 20, 14, 120  # of a minute's bar, and how high the highest is
LEAST = 2  # how high a bar of anybody at all is
MOST: Final = 20  # rows of a list, and of the feed
PAGE_VIEW: Final = "screen_view"

# A list: its query type, the field that names a row, and the filters of the overview that a row leads to.
LISTS: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "pages": ("realtime_pages", "path", ("path",)),
    "sources": ("realtime_referrers", "referrer", ("referrer",)),
    "countries": ("realtime_countries", "name", ("country",)),
    "cities": ("realtime_cities", "city", ("country", "city")),
}
FEED, VELOCITY = "realtime_feed", "realtime_velocity"
_OWN: Final = {"path": "path", "referrer": "referrer", "country": "name", "city": "city"}


class Minute(Struct, frozen=True):
    """A minute: when it began, its figures in words, and its bar within a drawing of `HEIGHT`."""

    time: str
    visitors: str
    pageviews: str
    title: str
    x: int
    y: int
    height: int
    current: bool


class RealtimeRow(Struct, frozen=True):
    """A row of a list; `href` is the overview of today narrowed to it, empty if nothing tells it apart."""

    label: str
    detail: str
    value: str
    width: str
    href: str


class List(Struct, frozen=True):
    """A list of those who are there now."""

    name: str
    title: str
    rows: tuple[RealtimeRow, ...]


class FeedEvent(Struct, frozen=True):
    """An event of the feed."""

    time: str
    what: str
    page_view: bool
    path: str
    about: str


def minutes(rows: Rows, zone: ZoneInfo, form: TimeFormat) -> tuple[Minute, ...]:
    """The last thirty minutes, oldest first; the last one is not over."""
    shown = rows[-MINUTES:]
    most = max((row["visitors"] for row in shown), default=0)
    return tuple(
        _minute(row, index, most, time_text(_local(row["minute"], zone), form), current=index == len(shown) - 1)
        for index, row in enumerate(shown)
    )


def lists(answers: Mapping[str, Rows], home: str) -> tuple[List, ...]:
    """The lists by what the engine answered for each; `home` is the path of the overview."""
    return tuple(List(name, _LISTS[name], _rows(name, answers[name], home)) for name in LISTS)


def feed_events(rows: Rows, zone: ZoneInfo, form: TimeFormat) -> tuple[FeedEvent, ...]:
    """The latest events, newest first."""
    return tuple(
        FeedEvent(
            time=second_text(_local(row["timestamp"], zone), form),
            what=_("Page view") if row["event_name"] == PAGE_VIEW else figures.visible(row["event_name"]),
            page_view=row["event_name"] == PAGE_VIEW,
            path=figures.visible(row["path"] or ""),
            about=", ".join(figures.visible(row[name]) for name in ("country", "browser_name") if row[name]),
        )
        for row in rows[:MOST]
    )


def _minute(row: Record, index: int, most: float, time: str, *, current: bool) -> Minute:
    visitors, pageviews = row["visitors"], row["pageviews"]
    height = max(LEAST, round(HEIGHT * visitors / most)) if visitors else 0
    words = _("{time}: visitors {visitors}, page views {pageviews}").format(
        time=time, visitors=figures.count(visitors), pageviews=figures.count(pageviews)
    )
    return Minute(
        time=time,
        visitors=figures.count(visitors),
        pageviews=figures.count(pageviews),
        title=", ".join((words, _("so far"))) if current else words,
        x=index * STEP,
        y=HEIGHT - height,
        height=height,
        current=current,
    )


def _rows(name: str, rows: Rows, home: str) -> tuple[RealtimeRow, ...]:
    _rest, shown, fields = LISTS[name]
    most = max((row["visitors"] for row in rows), default=0)
    return tuple(
        RealtimeRow(
            label=figures.visible(row[shown] or "") or _("Unknown"),
            detail=figures.visible(row["country"] or "") if name == "cities" else "",
            value=figures.count(row["visitors"]),
            width=figures.bar_width(row["visitors"], most),
            href=_with_filter(home, row, fields) if row[shown] else "",
        )
        for row in rows[:MOST]
    )


def _with_filter(home: str, row: Record, fields: Sequence[str]) -> str:
    named = {field: row.get(field) or row.get(_OWN[field]) or "" for field in fields}
    return f"{home}?{urlencode({'range': 'today', **named}, safe='/,')}"


def _local(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC).astimezone(zone)


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/realtime. Raises NotFound."""
    website = own(visit.call, website_id)
    heard = visit.parts[Watching].heard(website.site)
    online = (await visit.parts[Presence].online((website.site,), visit.call.now))[website.site]
    try:
        content = await _content(visit, website)
    except UnansweredQuery:
        content = {"failed": True}
    return visit.pages.show(
        "realtime.html",
        shell=site_shell(visit, "realtime", website),
        site=website,
        home=f"/sites/{website.id}",
        stream=f"{PREFIX}{website.id}",
        heard=heard,
        online=online_text(online),
        quiet=not online,
        **content,
    )


async def _content(visit: PageRequest, website: Website) -> dict[str, Any]:
    """The template's values for the last minutes. Raises UnansweredQuery."""
    person, now = visit.person, visit.call.now
    zone = ranges.zone(person.time_zone)
    days = ranges.of_preset("today", now, zone)
    asking = PageQuery(visit.parts[QueryRunner], website.site, WEBSITE, days, zone, now)
    (velocity,) = await asking.rows((VELOCITY,))
    types = (FEED, *(of[0] for of in LISTS.values()))
    feed, *rest = await asking.rows(types, limit=MOST + 1)
    return {
        "failed": False,
        "zone": zone.key,
        "minutes": minutes(velocity, zone, person.time_format),
        "drawing": (MINUTES * STEP, HEIGHT, WIDTH),
        "feed": feed_events(feed, zone, person.time_format),
        "more": len(feed) > MOST,
        "lists": lists(dict(zip(LISTS, rest, strict=True)), f"/sites/{website.id}"),
    }
