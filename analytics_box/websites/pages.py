"""Pages of all websites: the list, adding one, and bringing a deleted one back."""

import asyncio

from litestar.params import FromPath

from analytics_box.http.templates import go
from analytics_box.http.visit import Again, Answer, Next, Page, Visit, Visitor
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import Queries
from analytics_box.websites import calls as procedures
from analytics_box.websites import deletion_calls, settings_form
from analytics_box.websites.asking import Asking, Unanswered, ask_week
from analytics_box.websites.directory import Directory
from analytics_box.websites.messages import ById, NewWebsite
from analytics_box.websites.rules import MANAGERS, Website
from analytics_box.websites.shell import shell
from analytics_box.websites.site_list import SiteCard, site_card

CARDS_AT_ONCE = 4


async def site_list(visit: Visitor) -> Page:
    """GET /sites: a card per website, with its last seven days, and the deleted ones that can be restored.

    `?moved=` names the organization that a website was just transferred to.
    """
    person, parts = visit.person, visit.parts
    own = parts[Directory].of(person.organization_id)
    manages = person.role in MANAGERS
    deleted = await deletion_calls.restorable(visit.call) if manages else []
    moved = visit.asked("moved")
    return visit.pages.show(
        "sites.html",
        shell=shell(person, "sites"),
        sites=await _cards(visit, own),
        deleted=settings_form.restorable(deleted, parts.settings.grace_days, person),
        may_add=manages,
        moved=next((one for one in person.memberships if one.organization_id == moved), None),
    )


async def _cards(visit: Visit, websites: list[Website]) -> list[SiteCard]:
    parts, now = visit.parts, visit.call.now
    zone = ranges.zone(visit.person.time_zone)
    days = ranges.of_preset("last_7d", now, zone)
    sites = tuple(website.site for website in websites)
    begun, online = await parts[Presence].begun(sites), await parts[Presence].online(sites, now)
    slots = asyncio.Semaphore(CARDS_AT_ONCE)

    async def card(website: Website) -> SiteCard:
        if website.site not in begun:
            return site_card(website, per_day=(), visitors=0, online=0, waiting=True)
        here = online[website.site]
        try:
            async with slots:
                totals, per_day = await ask_week(Asking(parts[Queries], website.site, days, zone, now))
        except Unanswered:
            return site_card(website, per_day=(), visitors=None, online=here)
        return site_card(website, per_day=[row.visitors for row in per_day], visitors=totals.visitors, online=here)

    return await asyncio.gather(*(card(website) for website in websites))


async def new_site_form(visit: Visitor) -> Page:
    """GET /sites/new."""
    return await _new_site_page(visit, Again())


async def add_site(visit: Visitor) -> Answer:
    """POST /sites/new: make the website and show its snippet."""
    form = await visit.form()

    async def save() -> str:
        wanted = NewWebsite(form.get("name", ""), form.get("domain", ""))
        return f"/sites/{(await procedures.create(visit.call, wanted)).id}"

    return await visit.submit(save, _new_site_page, values=form)


async def _new_site_page(visit: Visit, again: Again) -> Page:
    return visit.pages.show(
        "site_new.html",
        code=again.code,
        shell=shell(visit.person, "add"),
        values=again.values,
        errors=again.wrong,
        general=again.general,
    )


async def restore(visit: Visitor, website_id: FromPath[str]) -> Next:
    """POST /sites/{id}/restore: bring a deleted website back. Raises NotFound or Conflict."""
    website = await deletion_calls.restore(visit.call, ById(website_id))
    return go(f"/sites/{website.id}")
