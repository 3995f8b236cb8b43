"""What belongs to websites, in the palette: found by its own name, and by that of its website beside it."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from analytics_box.base.identity import Person
from analytics_box.base.store.db import Connection
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import Hit, Wanted

MOST: Final = 50  # hits of a kind, as many as the palette's page shows

Fits = Callable[[str, str], bool]  # whether what has this name, of the website with this id, is looked for
Read = Callable[[Connection, Person, Fits], Sequence[tuple[str, Hit]]]


async def found(call: Call, asked: Wanted, read: Read) -> Sequence[Hit]:
    """What `read` finds of the person's organization: ids of websites with hits, which get the website's name beside
    theirs. Deleted websites have none, and without words there is nothing."""
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
