"""Saved items in the palette."""

from collections.abc import Callable, Sequence

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.tenants.saved import rows
from analytics_box.tenants.saved.kept import Content, SavedItem, SavedKind
from analytics_box.tenants.websites.owned import MOST, Fits, owned_hits
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def saved_hits(
    call: Call, asked: PaletteSearch, kind: SavedKind[Content], icon: str, address: Callable[[SavedItem[Content]], str]
) -> Sequence[PaletteHit]:
    """The caller's own and shared ones by name, the latest changed first; each leads to its `address`."""

    def read(db: Connection, person: SignedInPerson, fits: Fits) -> list[tuple[str, PaletteHit]]:
        return [
            (one.website_id, PaletteHit(kind.noun, one.name, address(one), icon))
            for one in rows.fitting(db, kind, person.organization_id, person.user_id, fits, MOST)
        ]

    return await owned_hits(call, asked, read)
