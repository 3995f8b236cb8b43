"""The list of all websites: searched, sorted, and quick however many there are."""

import asyncio

from analytics_box.base.texts import Sites, figures
from analytics_box.products.overview import listing
from analytics_box.products.overview.listing import OF_A_PAGE, SORTS, Listing, WebsiteFigures, read_listing
from analytics_box.products.overview.site_list import SiteCard, site_card
from analytics_box.products.overview.weeks import compare_weeks, series
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites import settings_form
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import restorable
from analytics_box.tenants.websites.rules import MANAGER, Website
from analytics_box.web.page.shell import frame
from analytics_box.web.page.visit import Page, PageRequest, Visitor


async def site_list(visit: Visitor) -> Page:
    """GET /sites: a card per website, with its last seven days, and the deleted ones that can be restored.

    `?moved=` names the organization that a website was just transferred to.
    """
    person, parts = visit.person, visit.parts
    own = parts[Directory].of(person.organization_id)
    manages = person.may(MANAGER)
    deleted = await restorable(visit.call) if manages else []
    moved = visit.asked("moved")
    view = read_listing(visit.request.query_params)
    known = await _website_figures(visit, own)
    found = listing.in_order(listing.search_websites(own, view.search), view.sort, known)
    pages = max(1, -(-len(found) // OF_A_PAGE))
    number = min(view.page, pages)
    return visit.pages.show(
        "sites.html",
        shell=frame(person, "sites"),
        sites=await _cards(visit, found[(number - 1) * OF_A_PAGE : number * OF_A_PAGE], known),
        count=_count(view, len(found), len(own)),
        total=len(own),
        view=view,
        sorts=[(sort, Sites.sorts[sort]) for sort in SORTS],
        earlier=view.link(page=number - 1) if number > 1 else "",
        later=view.link(page=number + 1) if number < pages else "",
        deleted=settings_form.restorable(deleted, parts.settings.grace_days, person),
        may_add=manages,
        moved=next((one for one in person.memberships if one.organization_id == moved), None),
    )


async def _website_figures(visit: PageRequest, websites: list[Website]) -> WebsiteFigures:
    """The figures of all websites, since any of them may sort first."""
    parts, now = visit.parts, visit.call.now
    sites = tuple(website.site for website in websites)
    beginnings, online = await asyncio.gather(parts[Presence].beginnings(sites), parts[Presence].online(sites, now))
    begun = [site for site in sites if site in beginnings]
    return WebsiteFigures(
        await compare_weeks(parts[QueryRunner], begun, ranges.zone(visit.person.time_zone), now), online, beginnings
    )


async def _cards(visit: PageRequest, websites: list[Website], known: WebsiteFigures) -> list[SiteCard]:
    begun = [website.site for website in websites if website.site in known.beginnings]
    days = await series(visit.parts[QueryRunner], begun, ranges.zone(visit.person.time_zone), visit.call.now)
    return [site_card(website, None if days is None else days.get(website.site), known) for website in websites]


def _count(view: Listing, found: int, total: int) -> str:
    """The number of websites on the page, in words."""
    if view.search:
        return Sites.found.format(found=figures.count(found), total=figures.count(total))
    return Sites.total.format(total=figures.count(total))
