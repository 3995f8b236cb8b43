"""The page of what happens on a website right now."""

from typing import Any

from litestar.params import FromPath

from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.products.overview import realtime
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.overview.live import PREFIX, Watching, online_text
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Page, PageRequest, Visitor


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
    (velocity,) = await asking.rows((realtime.VELOCITY,))
    types = (realtime.FEED, *(of[0] for of in realtime.LISTS.values()))
    feed, *rest = await asking.rows(types, limit=realtime.MOST + 1)
    return {
        "failed": False,
        "zone": zone.key,
        "minutes": realtime.minutes(velocity, zone, person.time_format),
        "drawing": (realtime.MINUTES * realtime.STEP, realtime.HEIGHT, realtime.WIDTH),
        "feed": realtime.feed(feed, zone, person.time_format),
        "more": len(feed) > realtime.MOST,
        "lists": realtime.lists(dict(zip(realtime.LISTS, rest, strict=True)), f"/sites/{website.id}"),
    }
