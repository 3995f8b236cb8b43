"""A link's own page: what it is, and who follows it; its parts as fragments."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.http import dates
from analytics_box.http.dates import formats_of
from analytics_box.http.visit import Page, Visit, Visitor
from analytics_box.links.editing import calls as procedures
from analytics_box.links.editing.shown import LinkShown
from analytics_box.links.folders.names import folder_names
from analytics_box.links.listing.lines import line, millis
from analytics_box.links.lists import LISTS, PANELS
from analytics_box.links.messages import OneLink
from analytics_box.links.page_frame import HOME, frame, link_number, may_edit, nothing_there
from analytics_box.links.panels import (
    ClickRow,
    Landing,
    LinkFigures,
    ListRow,
    Totals,
    chart,
    metric_names,
    panel,
    rows_wanted,
    tiles,
)
from analytics_box.links.targeting.apps import APPS
from analytics_box.links.view import NAMES, Choice, chips, facts_of, kind_of, kinds, read_link_view
from analytics_box.query import ranges
from analytics_box.query.request import GivenParameter
from analytics_box.query.run import Queries
from analytics_box.texts import LinkForm, Links, LinkStats
from analytics_box.websites import figures, overview
from analytics_box.websites.asking import Asking, Unanswered, read
from analytics_box.websites.chips import Chip
from analytics_box.websites.late_parts import BUDGET_SECONDS, LateParts
from analytics_box.websites.overview import RangeShown
from analytics_box.websites.panels import Panel
from analytics_box.websites.view import View, days_of

LONE_PANEL = "kinds"  # what may have come to a link that nobody has followed yet


class Stats(Struct, frozen=True):
    """Everything below the header of the page, with its parts as far as they are ready."""

    view: View
    zone: str
    range: RangeShown
    figures: LinkFigures | None
    panels: tuple[Panel, ...]
    figures_failed: bool = False
    chips: tuple[Chip, ...] = ()
    kinds: tuple[Choice, ...] = ()
    names: Mapping[str, str] = {}


class Fact(Struct, frozen=True):
    """Something that a link is, in words; `parts` stand below each other."""

    name: str
    parts: tuple[str, ...]


async def link_page(visit: Visitor, link_id: FromPath[str]) -> Page:
    """GET /links/{id}. Parts that are not ready within the budget are fetched by the page itself. Raises NotFound."""
    link = await procedures.get(visit.call, OneLink(link_id))
    number = await link_number(visit, link_id)
    view = read_link_view(f"{HOME}/{link.id}", visit.request.query_params)
    asking = _asking(visit, number, view)
    fresh = not link.clicks and not view.filters
    panels = (LONE_PANEL,) if fresh else _panels(link)
    names = panels if fresh else ("figures", *panels)
    tasks = {name: asyncio.create_task(_part(asking, view, name)) for name in names}
    patient = view.wait or "hx-request" in visit.request.headers
    _, slow = await asyncio.wait(tasks.values(), timeout=None if patient else BUDGET_SECONDS)
    for name, task in tasks.items():
        if task in slow:
            visit.parts[LateParts].keep(_name(asking, view, name), task)
    ready = {name: task for name, task in tasks.items() if task not in slow}
    folders = await folder_names(visit)
    return visit.pages.show(
        "link.html",
        shell=frame(visit.person),
        link=line(link, folders, visit.person, visit.call.now),
        facts=_facts(visit, link, folders),
        stats=_stats(asking, view, ready, panels),
        fresh=fresh,
        editable=may_edit(visit.person),
        done=Links.done.get(visit.asked("done"), ""),
    )


async def link_part(visit: Visitor, link_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /links/{id}/parts/{name}: one part of the page that was not ready in time. Raises NotFound."""
    if name != "figures" and name not in PANELS:
        raise nothing_there()
    number = await link_number(visit, link_id)
    view = read_link_view(f"{HOME}/{link_id}", visit.request.query_params)
    asking = _asking(visit, number, view)
    task = visit.parts[LateParts].take(_name(asking, view, name)) or asyncio.create_task(_part(asking, view, name))
    await asyncio.wait((task,))
    panels = () if name == "figures" else (name,)
    return visit.pages.show("link_part.html", stats=_stats(asking, view, {name: task}, panels), name=name)


def _panels(link: LinkShown) -> tuple[str, ...]:
    """The lists of a link's page: rules and variants only where it has some."""
    leaves_out = set()
    if not link.variants:
        leaves_out.add("variants")
    if not (link.rules or link.ios_url or link.android_url):
        leaves_out.add("rules")
    return tuple(name for name in PANELS if name not in leaves_out)


def _stats(asking: Asking, view: View, answered: Mapping[str, "asyncio.Task[Any]"], names: tuple[str, ...]) -> Stats:
    failed = {name for name, task in answered.items() if isinstance(task.exception(), Unanswered)}
    ready = {name: task.result() for name, task in answered.items() if name not in failed}
    return Stats(
        view=view,
        zone=asking.zone.key,
        range=overview.range_shown(view, asking.days, asking.wall.date(), asking.formats),
        figures=ready.get("figures"),
        panels=tuple(panel(view, name, ready.get(name), failed=name in failed) for name in names),
        figures_failed="figures" in failed,
        chips=chips(view),
        kinds=kinds(view),
        names=NAMES,
    )


def _part(asking: Asking, view: View, name: str) -> Coroutine[Any, Any, Any]:
    return _figures(asking, view) if name == "figures" else _list(asking, view, name)


async def _figures(asking: Asking, view: View) -> LinkFigures:
    """Raises Unanswered."""
    wanted = [GivenParameter(name) for name in ("link_total_clicks", "link_clicks_by_day", "link_landings")]
    wanted.append(GivenParameter("link_kinds"))
    if view.compare:
        earlier = asking.days.previous()
        first, last = earlier.first.isoformat(), earlier.last.isoformat()
        wanted += [
            GivenParameter("link_total_clicks", id="total before", start_date=first, end_date=last),
            GivenParameter("link_clicks_by_day", id="clicks before", start_date=first, end_date=last),
        ]
    totals, rows, landing, kinds, *before = await asking.rows(wanted)
    one_day = asking.days.length == 1 and asking.days.last == asking.wall.date()
    return LinkFigures(
        tiles(
            view,
            read(totals, Totals)[0],
            read(before[0], Totals)[0] if before else None,
            read(landing, Landing)[0] if not asking.kind else Landing(),  # only people land
            read(kinds, ListRow),
            unfinished=one_day,
        ),
        chart(
            view,
            read(rows, ClickRow),
            read(before[1], ClickRow) if before else None,
            now=asking.wall,
            formats=asking.formats,
        ),
        metric_names(view)[view.metric],
    )


async def _list(asking: Asking, view: View, name: str) -> list[ListRow]:
    """Raises Unanswered."""
    wanted = GivenParameter(LISTS[view.list_of(name)].type)
    (rows,) = await asking.rows([wanted], limit=rows_wanted(view, name))
    return read(rows, ListRow)


def _asking(visit: Visit, number: int, view: View) -> Asking:
    zone, now = ranges.zone(view.zone or visit.person.time_zone), visit.call.now
    return Asking(
        visit.parts[Queries],
        number,
        days_of(view, now, zone),
        zone,
        now,
        formats=formats_of(visit.person),
        filters=facts_of(view),
        subject="link",
        kind=kind_of(view),
    )


def _name(asking: Asking, view: View, name: str) -> tuple[object, ...]:
    """All that the content of a part depends on but the instant."""
    return "link", asking.site, asking.days, asking.zone.key, asking.formats, view, name


def _facts(visit: Visit, link: LinkShown, folders: Mapping[str, str]) -> list[Fact]:
    """What a link is, as far as it is more than a target."""
    person = visit.person
    app = APPS.get(link.deep_link_app or "")
    given: dict[str, tuple[str, ...]] = {
        "target": (link.target_url,),
        "rules": tuple(f"{rule.name} → {rule.targetUrl}" for rule in link.rules),
        "variants": tuple(f"{one.name} ({one.weight}) → {one.targetUrl}" for one in link.variants),
        "ios": (link.ios_url or "",),
        "android": (link.android_url or "",),
        "app": (app.name if app is not None else "",),
        "utm": tuple(f"{name}={value}" for name, value in link.utm.parameters),
        "forwarding": (LinkForm.forwardings[link.query_forwarding] if link.query_forwarding != "none" else "",),
        "status": (str(link.redirect_status) if link.redirect_status != 302 else "",),
        "expires": (dates.moment(millis(link.expires_at), person) if link.expires_at is not None else "",),
        "most": (figures.count(link.max_clicks) if link.max_clicks is not None else "",),
        "expired": (link.expired_url or "",),
        "password": (LinkStats.asked if link.has_password else "",),
        "folder": (folders.get(link.folder_id or "", ""),),
        "tags": (", ".join(link.tags),),
        "external": (link.external_id or "",),
        "created": (dates.moment(millis(link.created_at), person),),
        "changed": (dates.moment(millis(link.updated_at), person) if link.updated_at != link.created_at else "",),
    }
    return [
        Fact(LinkStats.facts[name], tuple(figures.visible(part) for part in parts))
        for name, parts in given.items()
        if any(parts)
    ]
