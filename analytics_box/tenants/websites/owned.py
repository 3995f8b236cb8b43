"""Things that belong to websites, in the palette: found by their own name and by that of their website."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

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
