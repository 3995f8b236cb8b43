"""What a message about a page needs before box.db is asked: its pictures, fetched, and the hash of its password."""

from typing import Final

from msgspec import UnsetType

from analytics_box.base.outgoing.askers import member_of
from analytics_box.base.outgoing.client import Clients
from analytics_box.products.status_pages.editing.change import Prepared
from analytics_box.products.status_pages.editing.draft import clean_url
from analytics_box.products.status_pages.editing.messages import ChangedPage, NewPage
from analytics_box.products.status_pages.files import pictures
from analytics_box.products.status_pages.files.pictures import FIELDS, Fetched
from analytics_box.products.status_pages.page import FileKind, Page
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.web.call import Call

FETCHES: Final = 20  # pictures by one caller per 60 s


async def prepared(
    call: Call, organization_id: str, given: NewPage | ChangedPage, before: Page | None = None
) -> Prepared:
    """What takes time of a message by somebody who may send it. Raises BadRequest or RateLimited."""
    wanted = {"logo": given.logo_url, "favicon": given.favicon_url}
    found: dict[FileKind, Fetched | None] = {}
    for kind in FIELDS:
        url = wanted[kind]
        if not isinstance(url, UnsetType) and not _is_there(call, before, kind, url):
            found[kind] = await _fetched(call, organization_id, url, kind) if url else None
    if isinstance(given.password, UnsetType):
        return Prepared(pictures=found)
    password = await call.parts[Passwords].hash(given.password) if given.password else ""
    return Prepared(password, found)


def _is_there(call: Call, before: Page | None, kind: FileKind, url: str | None) -> bool:
    """Whether the page has the picture of this URL already, as `get` tells it, or as it is served."""
    if before is None:
        return False
    settings = call.parts.settings
    digest: str = getattr(before, kind)
    served = pictures.served(before, digest, settings) if digest else None
    return (url or None) in {pictures.url_of(before, kind, settings), served} if digest else not url


async def _fetched(call: Call, organization_id: str, url: str, kind: FileKind) -> Fetched:
    address = clean_url(url, FIELDS[kind])
    call.parts.limits.take("status page pictures", call.identity.limit_name, FETCHES)
    return await pictures.fetched(call.parts[Clients].of(member_of(organization_id)), address, kind)
