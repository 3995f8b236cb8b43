"""Websites, and things that belong to them, in the palette: found by name, domain and page."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from analytics_box.base.identity import Role, SignedInPerson, at_least
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.settings_area import TABS
from analytics_box.web.call import Call
from analytics_box.web.page.shell import OF_WEBSITE
from analytics_box.web.palette.hit import Kind, PaletteHit, PaletteSearch


class SitePage(NamedTuple):
    """A page of a website behind its path, and the least role that sees it; `of` is the page that it is a part of."""

    path: str
    label: str
    icon: str
    least: Role = "viewer"
    of: str = ""


PAGES: Final = (
    *(
        SitePage(entry.href, entry.label, entry.icon, entry.least)
        for entry in OF_WEBSITE
        if entry.here != "site-settings"
    ),
    SitePage("/realtime", _("Realtime"), "pulse"),
    SitePage("/notes", _("Notes"), "flag"),
    SitePage("/segments", _("Segments"), "tune"),
    *(SitePage(tab.path, tab.label, "tune", tab.least, _("Website settings")) for tab in TABS),
)
_SAID: Final = tuple((page, f"{page.label} {page.of}".casefold()) for page in PAGES)


async def websites(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """The websites that fit, by name, and pages of those that some of the words fit; those of the page that asks
    also without a question."""
    person = call.identity.person
    if person is None:
        return ()
    own = sorted(call.parts[Directory].of(person.organization_id), key=lambda one: one.name.casefold())
    here = next((one for one in own if asked.here.startswith(f"/sites/{one.id}")), None)
    found = list(_pages(here, asked, person.role, "here")) if here is not None else []
    for website in own:
        if asked.fits(website.name, website.domain):
            found.append(PaletteHit("website", website.name, f"/sites/{website.id}", "globe", website.domain))
        elif len(asked.words) > 1:
            found += _pages(website, asked, person.role, "website")
    return found


def _pages(website: Website, asked: PaletteSearch, role: Role, kind: Kind) -> Iterator[PaletteHit]:
    """Pages of a website that fit; of a website by its name, the name has to have a part in it."""
    name = f"{website.name} {website.domain}".casefold()
    left = [word for word in asked.words if word not in name]
    if kind == "website" and len(left) == len(asked.words):
        return
    for page, words in _SAID:
        if all(word in words for word in left) and at_least(role, page.least):
            label = page.label if kind == "here" else f"{website.name}: {page.label}"
            detail = page.of or (website.name if kind == "here" else website.domain)
            yield PaletteHit(kind, label, f"/sites/{website.id}{page.path}", page.icon, detail)


MOST: Final = 50  # hits of a kind, as many as the palette's page shows

Fits = Callable[[str, str], bool]  # whether what has this name, of the website with this id, is looked for
Read = Callable[[Connection, SignedInPerson, Fits], Sequence[tuple[str, PaletteHit]]]


async def owned_hits(call: Call, asked: PaletteSearch, read: Read) -> Sequence[PaletteHit]:
    """The hits of `read` in the person's organization: website ids with hits, which get the website's name added.
    Deleted
    websites have none, and a search without words has no hits.
    """
    person, directory = call.identity.person, call.parts[Directory]
    if person is None or not asked.words:
        return ()

    def fits(name: str, website_id: str) -> bool:
        folded = name.casefold()
        if not any(word in folded for word in asked.words):
            return False
        website = directory.find(website_id)
        return website is not None and asked.fits(name, website.name, website.domain)

    hits = await call.read(lambda db: read(db, person, fits))
    return [
        replace(hit, detail=website.name)
        for website_id, hit in hits
        if (website := directory.find(website_id)) is not None
    ]
