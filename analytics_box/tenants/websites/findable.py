"""Websites, and things that belong to them, in the palette: found by name, domain and page."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, Protocol, TypeVar

from analytics_box.base.identity import Role, at_least
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import all_own
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
    own = sorted(all_own(call, person.organization_id), key=lambda one: one.name.casefold())
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


class NamedRow(Protocol):
    """A row of a website that has a name."""

    @property
    def website_id(self) -> str:
        """The website."""

    @property
    def name(self) -> str:
        """The name."""


NamedRow_co = TypeVar("NamedRow_co", bound=NamedRow, covariant=True)


class NamedTable(Protocol[NamedRow_co]):
    """A table of such rows."""

    name: str

    def find(self, db: Connection, row_id: str, /) -> NamedRow_co | None:
        """The row with this id."""


async def owned_hits(
    call: Call,
    asked: PaletteSearch,
    table: NamedTable[NamedRow_co],
    kind: Kind,
    icon: str,
    address: Callable[[NamedRow_co], str],
    visible: str = "true",
) -> Sequence[PaletteHit]:
    """The rows of the person's websites that match by name, the latest changed first, each with its website's name.

    `visible` is a condition in SQL on `kept` and `:user_id`. Deleted websites have no hits, and a search without words
    has none. Only rows that match are read whole.
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

    def read(db: Connection) -> list[NamedRow_co]:
        found = db.execute(
            f"""
            -- palette.owned
            select kept.id, kept.website_id, kept.name
            from {table.name} as kept join websites on websites.id = kept.website_id
            where websites.organization_id = :organization_id and ({visible})
            order by kept.updated_at desc, kept.id
            """,
            {"organization_id": person.organization_id, "user_id": person.user_id},
        )
        wanted = islice((str(row_id) for row_id, website_id, name in found if fits(str(name), str(website_id))), MOST)
        return [row for row_id in list(wanted) if (row := table.find(db, row_id)) is not None]

    return [
        PaletteHit(kind, row.name, address(row), icon, website.name)
        for row in await call.read(read)
        if (website := directory.find(row.website_id)) is not None
    ]
