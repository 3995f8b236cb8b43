"""What is kept under a name, in the palette."""

from collections.abc import Callable, Sequence

from analytics_box.base.identity import Person
from analytics_box.base.store.db import Connection
from analytics_box.tenants.saved import rows
from analytics_box.tenants.saved.kept import Content, Kept, Kind
from analytics_box.tenants.websites.owned import MOST, Fits, found
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import Hit, Wanted


async def kept(
    call: Call, asked: Wanted, kind: Kind[Content], icon: str, address: Callable[[Kept[Content]], str]
) -> Sequence[Hit]:
    """The caller's own and shared ones by name, the latest changed first; each leads to its `address`."""

    def read(db: Connection, person: Person, fits: Fits) -> list[tuple[str, Hit]]:
        return [
            (one.website_id, Hit(kind.noun, one.name, address(one), icon))
            for one in rows.fitting(db, kind, person.organization_id, person.user_id, fits, MOST)
        ]

    return await found(call, asked, read)
