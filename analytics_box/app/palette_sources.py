"""The sources of the palette in one table: a function for each room that can be searched."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from analytics_box.app.docs.manual import ManualPages
from analytics_box.base.identity import Role
from analytics_box.base.translation import _
from analytics_box.figures.explorer.findable import questions
from analytics_box.products.flags.page_frame import flag_hits
from analytics_box.products.funnels.lookup import funnels
from analytics_box.products.goals.lookup import goal_hits
from analytics_box.products.links.listing.lines import link_hits
from analytics_box.products.monitors.listing.lines import monitor_hits
from analytics_box.products.reports.lookup import report_hits
from analytics_box.products.segments.menu import segment_hits
from analytics_box.products.status_pages.console.frame import status_page_hits
from analytics_box.tenants.websites.findable import websites
from analytics_box.web.call import Call
from analytics_box.web.page.settings_area import visible_groups
from analytics_box.web.page.shell import PRODUCTS
from analytics_box.web.palette.hit import Kind, PaletteHit, PaletteSearch, Source


async def manual(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Pages of the manual by title, first sentence and synonyms."""
    if not asked.words:
        return ()
    return [
        PaletteHit("manual", cover.title, f"/docs/{cover.name}", "help")
        for cover in call.parts[ManualPages].covers
        if asked.fits(cover.title, cover.lead, cover.terms)
    ]


class PalettePlace(NamedTuple):
    """A page, or what can be done on it, with other words for it that are searched as well. Those `of_organization` are
    for members with access to all of it.
    """

    kind: Kind
    label: str
    href: str
    icon: str
    least: Role = "viewer"
    also: str = ""
    of_organization: bool = True


PLACES: Final = (
    PalettePlace("action", _("Add website"), "/sites/new", "plus", "admin", _("new add create make")),
    PalettePlace("action", _("Create link"), "/links/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Import links"), "/links/bulk", "upload", "member"),
    PalettePlace("action", _("Create monitor"), "/monitors/new", "plus", "member", _("new add create make")),
    PalettePlace(
        "action", _("Schedule maintenance"), "/monitors/maintenance/new", "plus", "member", _("new add create make")
    ),
    PalettePlace("action", _("Create status page"), "/status-pages/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create flag"), "/flags/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create target group"), "/flags/groups/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create API key"), "/settings/keys/new", "plus", "member", _("new add create make")),
    PalettePlace("action", _("Create alert rule"), "/alerts/new", "plus", "admin", _("new add create make")),
    PalettePlace("action", _("Invite a member"), "/settings/members", "user", "admin", _("new add create make")),
    PalettePlace(
        "action", _("Switch theme"), "/settings/profile#theme", "tune", "viewer", _("light dark mode colours"), False
    ),
    *(
        PalettePlace("page", entry.label, entry.href, entry.icon, entry.least, of_organization=False)
        for entry in PRODUCTS
    ),
    PalettePlace("page", _("Folders of links"), "/links/folders", "folder"),
    PalettePlace("page", _("Domains of links"), "/links/domains", "globe"),
    PalettePlace("page", _("Maintenance"), "/monitors/maintenance", "calendar"),
    PalettePlace("page", _("Target groups"), "/flags/groups", "user"),
    PalettePlace("page", _("Manual and API"), "/docs", "help", of_organization=False),
    PalettePlace("page", _("API reference"), "/docs/api", "help", of_organization=False),
)


async def places(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Pages and actions. Without a question the actions and the products."""
    person = call.identity.person
    if person is None:
        return ()
    found = [
        PaletteHit(place.kind, place.label, place.href, place.icon)
        for place in PLACES
        if person.may(place.least) and asked.fits(place.label, place.also)
        if person.resources is None or not place.of_organization
    ]
    if asked.words:
        found += [
            PaletteHit("page", entry.label, entry.href, "settings", group.place)
            for group in visible_groups(person.role, person.is_administrator, restricted=person.resources is not None)
            for entry in group.entries
            if asked.fits(entry.label, group.place)
        ]
    return found


SOURCES: Final[tuple[Source, ...]] = (
    websites,
    goal_hits,
    funnels,
    report_hits,
    segment_hits,
    questions,
    link_hits,
    monitor_hits,
    status_page_hits,
    flag_hits,
    places,
    manual,
)
