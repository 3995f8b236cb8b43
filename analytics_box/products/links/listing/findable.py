"""Short links in the palette."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from analytics_box.products.links import list_rows
from analytics_box.products.links.list_rows import LinkSelection
from analytics_box.products.links.page_frame import HOME
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

_SHORTEST: Final = 2  # letters, of which nearly every link has one
_LOOKED_AT: Final = 200  # links with the longest word, newest first


async def links(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Links by name, slug and target, the newest first."""
    person, longest = call.identity.person, max(asked.words, key=len, default="")
    if person is None or len(longest) < _SHORTEST:
        return ()
    selection = LinkSelection(organization_id=person.organization_id, search=longest, limit=_LOOKED_AT)
    found = await call.read(partial(list_rows.links, selection=selection))
    return [
        PaletteHit("link", link.name or link.slug, f"{HOME}/{link.id}", "link", f"{link.domain}/{link.slug}")
        for link in found
        if asked.fits(link.name, link.domain, link.slug, link.target_url)
    ]
