"""The dashboard of a website, its parts as fragments, its lists as tables and files, and its current visitors."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import export, page, suggesting, tables
from analytics_box.figures.asking import NotePage, PageQuery, SubjectFacts
from analytics_box.figures.page import Dashboard
from analytics_box.figures.panels import BarRow
from analytics_box.figures.segmented import SavedSegments
from analytics_box.figures.view import View, read_view
from analytics_box.figures.watched import WatchedWebsites
from analytics_box.ingest.dropped import FOLDED, DroppedTraffic
from analytics_box.ingest.reasons import is_quarantined, words
from analytics_box.ingest.refusals import REASON, Refusals, RefusedOrigin
from analytics_box.products.goals.lookup import active_goals
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.products.overview.board import TABLES_ALONE, WEBSITE
from analytics_box.products.overview.compact import uptime_rows
from analytics_box.products.overview.goal_rates import parts_of, rates, sheet
from analytics_box.products.overview.live import PREFIX, Watching, online_text
from analytics_box.products.sample_data.site import DOMAIN
from analytics_box.query.presence import Presence
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import MANAGER, Website
from analytics_box.tenants.websites.shell import site_shell, website_shown
from analytics_box.web.page.shell import Here
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor

DAYS: Final = 2  # UTC days back, today included: a user may wait at midnight
MOST: Final = 3  # reasons


class MissedTraffic(Struct, frozen=True):
    """A reason why something does not count, in words, and the page of the website where that can be changed."""

    text: str
    explanation: str
    leads: str
    label: str


class WaitingWebsite(Struct, frozen=True):
    """`allowed` is the origin that was just allowed, or empty."""

    website: Website
    origins: list[RefusedOrigin]
    others: list[MissedTraffic]
    may_allow: bool
    allowed: str


async def waiting(visit: PageRequest, website: Website) -> WaitingWebsite:
    """The traffic of this website that does not count, the most frequent reason first."""
    dropped = await visit.parts[DroppedTraffic].of(website.site, days=DAYS)
    origins = visit.parts[Refusals].of(website.site)
    allowed = visit.asked("allowed") if visit.asked("allowed") in website.tracking.allowedOrigins else ""
    counts: dict[str, int] = {}
    for one in dropped:
        if one.reason != FOLDED and not (one.reason == REASON and (origins or allowed)):
            counts[one.reason] = counts.get(one.reason, 0) + one.times
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    return WaitingWebsite(
        website=website,
        origins=origins,
        others=[_missed_traffic(reason, times) for reason, times in ranked],
        may_allow=visit.person.may("member"),
        allowed=allowed,
    )


def _missed_traffic(reason: str, times: int) -> MissedTraffic:
    label, explanation = words(reason)
    said = ngettext("1 event was excluded: {reason}.", "{count} events were excluded: {reason}.", times)
    leads, link = ("bots", _("Bots")) if is_quarantined(reason) else ("not-counted", _("Dropped traffic"))
    return MissedTraffic(said.format(count=figures.count(times), reason=label), explanation, leads, link)


async def site(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}: the overview, or the snippet while nothing has arrived. A filter that a form adds leads to the
    address that has it."""
    website, parts = own(visit.call, website_id), visit.parts
    view = _view(visit, website)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    heard = parts[Watching].heard(website.site)
    online, begun, measured = await asyncio.gather(
        parts[Presence].online((website.site,), visit.call.now),
        parts[Presence].begun((website.site,)),
        parts[Presence].kinds(website.site),
    )
    return visit.pages.show(
        "overview.html",
        shell=site_shell(visit, "overview", website),
        site=website_shown(
            website,
            online=online_text(online[website.site]),
            script=f"{parts.settings.tracker_url}/script.js",
        ),
        stream=f"{PREFIX}{website.id}",
        heard=heard,
        quiet=not online[website.site],
        waiting=None if begun else await waiting(visit, website),
        board=await _board(visit, website, view, measured) if begun else None,
        monitor=parts[WatchedWebsites].page(website.id),
        is_member=visit.person.may("member"),
        offers_example=not begun and _may_add_example(visit),
    )


async def _board(visit: PageRequest, website: Website, view: View, measured: Collection[str]) -> Dashboard:
    """The figures, with the menu of segments."""
    told = await _subject_facts(visit, website, view)
    board = await page.whole(visit, website.site, view, parts_of(view, (*measured, *told.own)), told)
    return replace(board, segments=await visit.parts[SavedSegments].menu(visit, website.site, board.view))


def _may_add_example(visit: PageRequest) -> bool:
    person = visit.person
    has_one = any(one.domain == DOMAIN for one in visit.parts[Directory].of(person.organization_id))
    return person.may(MANAGER) and not has_one


async def site_part(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /sites/{id}/parts/{name}: parts of the overview that were not ready in time. Raises NotFound."""
    website = own(visit.call, website_id)
    view = _view(visit, website)
    return visit.pages.show(
        "part.html",
        board=await page.parts(visit, website.site, view, name, await _subject_facts(visit, website, view)),
    )


async def site_values(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/values: values of a field that a filter may take. Raises NotFound."""
    website = own(visit.call, website_id)
    return await suggesting.suggested_values(visit, website.site, _view(visit, website))


async def site_live(visit: Visitor, website_id: FromPath[str]) -> Next:
    """GET /sites/{id}/live: what a stream would tell, once; for pages that cannot have one. Raises NotFound."""
    now = await visit.parts[Watching].now(own(visit.call, website_id).site)
    headers = {"cache-control": "no-store"}
    return Response(msgspec.json.encode(now), media_type="application/json", headers=headers)


async def _subject_facts(visit: PageRequest, website: Website, view: View) -> SubjectFacts:
    """Facts about a website from other rooms."""
    goals = await active_goals(visit.parts.box_db, website.id)
    watched = visit.parts[WatchedWebsites]
    monitors = watched.count(website)

    async def uptimes(asking: PageQuery) -> Sequence[BarRow]:
        return uptime_rows(await watched.uptimes(website, asking.window, asking.now))

    own_panels = {
        "goals": partial(rates, view=view, goals=goals) if goals else None,
        "uptime": uptimes if monitors else None,
    }
    return SubjectFacts(
        partial(watched.outages, website.id),
        on_charts(visit, website),
        own={name: content for name, content in own_panels.items() if content is not None},
        rows={"goals": len(goals), "uptime": monitors},
        noting=NotePage(f"/sites/{website.id}/notes", visit.person.may("member"), website.is_public),
    )


def _view(visit: PageRequest, website: Website) -> View:
    return read_view(f"/sites/{website.id}", visit.request.query_params, WEBSITE)


# The navigation entries of tables that no panel shows, by the first table of each group.
HERE: Final[Mapping[str, Here]] = {"errors": "errors", "performance": "performance", "attention": "engagement"}


async def site_details(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /sites/{id}/details/{list}: all rows of a list. Raises NotFound."""
    website = own(visit.call, website_id)
    home = f"/sites/{website.id}"
    group = next((names[0] for names in TABLES_ALONE if name in names), "")
    return await tables.show(
        visit,
        website.site,
        read_view(f"{home}/details/{name}", visit.request.query_params, WEBSITE),
        name,
        home=home,
        shell=site_shell(visit, HERE.get(group, "overview"), website),
        subject=website.name,
    )


async def site_details_file(
    visit: Visitor, website_id: FromPath[str], name: FromPath[str], form: FromPath[str]
) -> Next:
    """GET /sites/{id}/details/{list}/{form}: the same rows as csv or json. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/details/{name}", visit.request.query_params, WEBSITE)
    return await tables.file(visit, website.site, view, name, form)


async def site_export(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/export/{form}: the overview of a range as csv or json. Raises NotFound, or RateLimited."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}", visit.request.query_params, WEBSITE)
    measured = await visit.parts[Presence].kinds(website.site)
    goals = await active_goals(visit.parts.box_db, website.id)
    names = (*parts_of(view, measured), *(("goals",) if goals else ()))
    own_parts: export.Own = {"goals": partial(sheet, view=view, goals=goals)}
    return await export.file(visit, website.site, view, names, form, own=own_parts)
