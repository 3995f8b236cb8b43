"""Preparation of a change of a page before box.db is locked: fetched pictures, and the hash of the password."""

from typing import Final

from msgspec import UnsetType

from analytics_box.base.outgoing.askers import member_of
from analytics_box.base.outgoing.client import Clients
from analytics_box.products.status_pages.editing.change import PreparedFields
from analytics_box.products.status_pages.editing.draft import clean_url
from analytics_box.products.status_pages.editing.messages import CreateStatusPage, UpdateStatusPage
from analytics_box.products.status_pages.files import pictures
from analytics_box.products.status_pages.files.pictures import FIELDS, PagePicture
from analytics_box.products.status_pages.page import FileKind, StatusPage
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.web.call import Call

FETCHES: Final = 20  # pictures by one caller per 60 s


async def prepare_fields(
    call: Call, organization_id: str, given: CreateStatusPage | UpdateStatusPage, before: StatusPage | None = None
) -> PreparedFields:
    """The slow parts of an authorized change. Raises BadRequest or RateLimited."""
    wanted = {"logo": given.logo_url, "favicon": given.favicon_url}
    found: dict[FileKind, PagePicture | None] = {}
    for kind in FIELDS:
        url = wanted[kind]
        if not isinstance(url, UnsetType) and not _is_there(call, before, kind, url):
            found[kind] = await _fetch_picture(call, organization_id, url, kind) if url else None
    if isinstance(given.password, UnsetType):
        return PreparedFields(pictures=found)
    password = await call.parts[Passwords].hash(given.password) if given.password else ""
    return PreparedFields(password, found)


def _is_there(call: Call, before: StatusPage | None, kind: FileKind, url: str | None) -> bool:
    """Whether the page has the picture of this URL already, as `get` tells it, or as it is served."""
    if before is None:
        return False
    settings = call.parts.settings
    digest: str = getattr(before, kind)
    served = pictures.served_url(before, digest, settings) if digest else None
    return (url or None) in {pictures.url_of(before, kind, settings), served} if digest else not url


async def _fetch_picture(call: Call, organization_id: str, url: str, kind: FileKind) -> PagePicture:
    address = clean_url(url, FIELDS[kind])
    call.parts.limits.take("status page pictures", call.identity.limit_name, FETCHES)
    return await pictures.fetch_picture(call.parts[Clients].of(member_of(organization_id)), address, kind)
