"""Pages of websites: the list, adding one, the overview with its parts, and who is there now."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box import errors
from analytics_box.clock import Clock
from analytics_box.errors import BadRequest, Conflict
from analytics_box.http.pages import Pages, field_errors, form_of, go
from analytics_box.identity import Identity, Person
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import Queries
from analytics_box.settings import Settings
from analytics_box.store.db import Db
from analytics_box.websites import figures, overview, rows, settings_form
from analytics_box.websites.asking import Asking, Unanswered, ask_figures, ask_list, ask_week
from analytics_box.websites.create import create
from analytics_box.websites.directory import Directory
from analytics_box.websites.overview import PANELS, Overview
from analytics_box.websites.rules import Website
from analytics_box.websites.shell import shell, website_shown
from analytics_box.websites.site_list import SiteCard, site_card
from analytics_box.websites.view import View, days_of, read_view

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

BUDGET_SECONDS = 0.25  # how long a page waits for its parts before it is sent without the slower ones
CARDS_AT_ONCE = 4
MANAGERS = {"admin", "owner"}
FIRST_EVENT = {"HX-Trigger": "first-event"}  # tells a page that waits to become the overview


async def site_list(
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    websites: NamedDependency[Directory],
    queries: NamedDependency[Queries],
    presence: NamedDependency[Presence],
    box_db: NamedDependency[Db],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /sites: a card per website, with its last seven days, and the deleted ones that can be restored."""
    person = _person(identity)
    zone, now = ranges.zone(person.time_zone), clock.now()
    days = ranges.of_preset("last_7d", now, zone)
    own = websites.of(person.organization_id)
    sites = tuple(website.site for website in own)
    begun, online = await presence.begun(sites), await presence.online(sites, now)
    slots = asyncio.Semaphore(CARDS_AT_ONCE)

    async def card(website: Website) -> SiteCard:
        if website.site not in begun:
            return site_card(website, per_day=(), visitors=0, online=0, waiting=True)
        here = online[website.site]
        try:
            async with slots:
                totals, per_day = await ask_week(Asking(queries, website.site, days, zone, now))
        except Unanswered:
            return site_card(website, per_day=(), visitors=None, online=here)
        return site_card(website, per_day=[row.visitors for row in per_day], visitors=totals.visitors, online=here)

    cards = await asyncio.gather(*(card(website) for website in own))
    gone = await box_db.read(lambda db: rows.deleted(db, person.organization_id))
    deleted = settings_form.restorable(gone, settings.grace_days, now, zone) if person.role in MANAGERS else []
    return pages.show("sites.html", shell=shell(person, "sites"), sites=cards, deleted=deleted)


async def new_site_form(identity: NamedDependency[Identity], pages: NamedDependency[Pages]) -> Page:
    """GET /sites/new."""
    return _new_site_page(pages, _person(identity))


async def add_site(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /sites/new: make the website and show its snippet."""
    person = _person(identity)
    form = await form_of(request, settings)
    try:
        website = await box_db.write(
            lambda db: create(
                db,
                organization_id=person.organization_id,
                name=form.get("name", ""),
                domain=form.get("domain", ""),
                actor=identity.limit_name,
                now=clock.now(),
            )
        )
    except BadRequest as wrong:
        return _new_site_page(pages, person, code=400, values=form, wrong=field_errors(wrong))
    except Conflict as taken:
        return _new_site_page(pages, person, code=409, values=form, wrong={"domain": taken.message})
    websites.remember(website)
    return go(f"/sites/{website.id}")


def _new_site_page(
    pages: Pages,
    person: Person,
    *,
    code: int = 200,
    values: dict[str, str] | None = None,
    wrong: dict[str, str] | None = None,
) -> Page:
    frame = shell(person, "add")
    return pages.show("site_new.html", code=code, shell=frame, values=values or {}, errors=wrong or {}, general="")


async def site(
    request: AnyRequest,
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    websites: NamedDependency[Directory],
    queries: NamedDependency[Queries],
    presence: NamedDependency[Presence],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /sites/{id}: the overview, or the snippet while nothing has arrived.

    Parts that are not ready within the budget are fetched by the page itself; a swap by htmx waits for all of them,
    because the old numbers stay until then.
    """
    person = _person(identity)
    website = _own(websites, website_id, person)
    view = read_view(f"/sites/{website.id}", request.query_params)
    shown = None
    now = clock.now()
    online = await presence.online((website.site,), now)
    if await presence.begun((website.site,)):
        asking = _asking(queries, website, view, person, now)
        patient = view.wait or "hx-request" in request.headers
        shown = await _overview(asking, view, ("figures", *PANELS), seconds=None if patient else BUDGET_SECONDS)
    return pages.show(
        "overview.html",
        shell=shell(person, "overview", website=website, websites=websites.of(person.organization_id)),
        site=website_shown(
            website,
            online=online[website.site],
            script=f"{settings.tracker_url}/script.js",
        ),
        overview=shown,
    )


async def site_part(
    request: AnyRequest,
    website_id: FromPath[str],
    name: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    websites: NamedDependency[Directory],
    queries: NamedDependency[Queries],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /sites/{id}/parts/{name}: one part of the overview that was not ready in time."""
    person = _person(identity)
    website = _own(websites, website_id, person)
    if name not in ("figures", *PANELS):
        raise errors.NotFound("The overview has no such part")
    view = read_view(f"/sites/{website.id}", request.query_params)
    asking = _asking(queries, website, view, person, clock.now())
    shown = await _overview(asking, view, (name,), seconds=None)
    return pages.show("part.html", overview=shown, name=name)


async def site_live(
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    websites: NamedDependency[Directory],
    presence: NamedDependency[Presence],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /sites/{id}/live: who is there now; says as a header when there has been a first event."""
    website = _own(websites, website_id, _person(identity))
    headers = FIRST_EVENT if await presence.begun((website.site,)) else {}
    online = await presence.online((website.site,), clock.now())
    return pages.show("live.html", headers=headers, online=figures.count(online[website.site]))


async def _overview(asking: Asking, view: View, parts: tuple[str, ...], *, seconds: float | None) -> Overview:
    """These parts of an overview, as far as they are ready in time; the others are left to be fetched."""
    tasks = {name: asyncio.create_task(_part(asking, view, name)) for name in parts}
    _, late = await asyncio.wait(tasks.values(), timeout=seconds)
    for task in late:
        task.cancel()
    ready: dict[str, Any] = {}
    failed = set()
    for name, task in tasks.items():
        if task in late:
            continue
        if isinstance(task.exception(), Unanswered):
            failed.add(name)
        else:
            ready[name] = task.result()
    return Overview(
        view=view,
        zone=asking.zone.key,
        range=overview.range_shown(view, asking.days, asking.wall.date()),
        figures=ready.get("figures"),
        panels=tuple(overview.panel(view, name, ready.get(name), failed=name in failed) for name in PANELS),
        figures_failed="figures" in failed,
    )


def _part(asking: Asking, view: View, name: str) -> Coroutine[Any, Any, Any]:
    return ask_figures(asking, view) if name == "figures" else ask_list(asking, view, name)


def _asking(queries: Queries, website: Website, view: View, person: Person, now: int) -> Asking:
    zone = ranges.zone(view.zone or person.time_zone)
    return Asking(queries, website.site, days_of(view, now, zone), zone, now)


def _person(identity: Identity) -> Person:
    if identity.person is None:
        raise errors.AuthRequired("Sign in to see this page")
    return identity.person


def _own(websites: Directory, website_id: str, person: Person) -> Website:
    """A website of the person's organization. Raises NotFound, also for those of others."""
    website = websites.find(website_id)
    if website is None or website.organization_id != person.organization_id:
        raise errors.NotFound("There is no such website")
    return website
