"""The overview of a website, its parts as fragments, and who is there now."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from litestar.params import FromPath

from analytics_box import errors
from analytics_box.http.dates import formats_of
from analytics_box.http.visit import Page, Visit, Visitor
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import Queries
from analytics_box.websites import figures, overview, panels
from analytics_box.websites.asking import Asking, Unanswered, ask_errors, ask_figures, ask_list, ask_vitals
from analytics_box.websites.chips import chips
from analytics_box.websites.compact import COMPACT, compact_panel
from analytics_box.websites.late_parts import BUDGET_SECONDS, LateParts
from analytics_box.websites.lists import PANELS
from analytics_box.websites.measured import kinds_measured
from analytics_box.websites.overview import Overview
from analytics_box.websites.reach import own
from analytics_box.websites.rules import Website
from analytics_box.websites.shell import site_shell, website_shown
from analytics_box.websites.view import View, days_of, read_view

PARTS = ("figures", *PANELS, *COMPACT)
FIRST_EVENT = {"HX-Trigger": "first-event"}  # tells a page that waits to become the overview


async def site(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}: the overview, or the snippet while nothing has arrived.

    Parts that are not ready within the budget are fetched by the page itself; a swap by htmx waits for all of them,
    because the old numbers stay until then.
    """
    website, parts, now = own(visit.call, website_id), visit.parts, visit.call.now
    view = read_view(f"/sites/{website.id}", visit.request.query_params)
    online, begun, measured = await asyncio.gather(
        parts[Presence].online((website.site,), now),
        parts[Presence].begun((website.site,)),
        kinds_measured(parts[Queries].events, website.site),
    )
    shown = None
    if begun:
        asking = _asking(visit, website, view)
        names = ("figures", *PANELS, *measured)
        tasks = {name: asyncio.create_task(_part(asking, view, name)) for name in names}
        patient = view.wait or "hx-request" in visit.request.headers
        _, slow = await asyncio.wait(tasks.values(), timeout=None if patient else BUDGET_SECONDS)
        for name, task in tasks.items():
            if task in slow:
                visit.parts[LateParts].keep(_name(asking, view, name), task)
        shown = _overview(asking, view, {name: task for name, task in tasks.items() if task not in slow}, measured)
    return visit.pages.show(
        "overview.html",
        shell=site_shell(visit, "overview", website),
        site=website_shown(
            website,
            online=online[website.site],
            script=f"{parts.settings.tracker_url}/script.js",
        ),
        overview=shown,
    )


async def site_part(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /sites/{id}/parts/{name}: one part of the overview that was not ready in time."""
    website = own(visit.call, website_id)
    if name not in PARTS:
        raise errors.NotFound("The overview has no such part")
    view = read_view(f"/sites/{website.id}", visit.request.query_params)
    asking = _asking(visit, website, view)
    task = visit.parts[LateParts].take(_name(asking, view, name)) or asyncio.create_task(_part(asking, view, name))
    await asyncio.wait((task,))
    shown = _overview(asking, view, {name: task}, (name,) if name in COMPACT else ())
    return visit.pages.show("part.html", overview=shown, name=name)


async def site_live(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/live: who is there now; says as a header when there has been a first event."""
    website, presence = own(visit.call, website_id), visit.parts[Presence]
    headers = FIRST_EVENT if await presence.begun((website.site,)) else {}
    online = await presence.online((website.site,), visit.call.now)
    return visit.pages.show("live.html", headers=headers, online=figures.count(online[website.site]))


def _overview(
    asking: Asking, view: View, answered: dict[str, "asyncio.Task[Any]"], measured: tuple[str, ...]
) -> Overview:
    """An overview of the parts that are answered; the others are left to be fetched."""
    failed = {name for name, task in answered.items() if isinstance(task.exception(), Unanswered)}
    ready = {name: task.result() for name, task in answered.items() if name not in failed}
    return Overview(
        view=view,
        zone=asking.zone.key,
        range=overview.range_shown(view, asking.days, asking.wall.date(), asking.formats),
        figures=ready.get("figures"),
        panels=tuple(panels.panel(view, name, ready.get(name), failed=name in failed) for name in PANELS),
        figures_failed="figures" in failed,
        chips=chips(view),
        compact=tuple(compact_panel(view, name, ready.get(name), failed=name in failed) for name in measured),
    )


def _part(asking: Asking, view: View, name: str) -> Coroutine[Any, Any, Any]:
    match name:
        case "figures":
            return ask_figures(asking, view)
        case "errors":
            return ask_errors(asking)
        case "vitals":
            return ask_vitals(asking)
        case _:
            return ask_list(asking, view, name)


def _asking(visit: Visit, website: Website, view: View) -> Asking:
    zone, now = ranges.zone(view.zone or visit.person.time_zone), visit.call.now
    return Asking(
        visit.parts[Queries],
        website.site,
        days_of(view, now, zone),
        zone,
        now,
        formats=formats_of(visit.person),
        filters=view.filters,
    )


def _name(asking: Asking, view: View, name: str) -> tuple[object, ...]:
    """All that the content of a part depends on but the instant."""
    return asking.site, asking.days, asking.zone.key, asking.formats, view, name
