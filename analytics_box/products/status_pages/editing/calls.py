"""Status pages over RPC (wire 9.3). Scopes: read:status_pages, write:status_pages."""

from functools import partial
from typing import Final

from msgspec import Struct, UnsetType

from analytics_box.base import errors
from analytics_box.base.outgoing.askers import member_of
from analytics_box.base.outgoing.client import Clients
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.status_pages.access import find_reachable_page, find_viewable_page
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.editing import change
from analytics_box.products.status_pages.editing.change import PreparedFields
from analytics_box.products.status_pages.editing.draft import clean_url
from analytics_box.products.status_pages.editing.messages import CreateStatusPage, TransferStatusPage, UpdateStatusPage
from analytics_box.products.status_pages.editing.shown import (
    StatusPageAnswer,
    StatusPageDetailAnswer,
    StatusPageListItem,
    page_list_item,
    page_shown,
    whole_shown,
)
from analytics_box.products.status_pages.files import pictures
from analytics_box.products.status_pages.files.pictures import FIELDS, PagePicture
from analytics_box.products.status_pages.messages import StatusPageId, StatusPageOrganizationInput
from analytics_box.products.status_pages.page import FileKind, StatusPage
from analytics_box.products.status_pages.saving import save
from analytics_box.resource.reach import check, reach
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.tenancy.messages import Success
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
    """Whether the page already has the picture of this URL, as `get` returns it or as it is served."""
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


class StatusPageTransferAnswer(Struct, frozen=True, rename="camel"):
    """Whether headers, bodies and credentials of monitors were left out."""

    secrets_left_out: bool
    success: bool = True


async def list_pages(call: Call, given: StatusPageOrganizationInput) -> list[StatusPageListItem]:
    """statusPage.list: list status pages, newest first. Raises Forbidden."""
    own = reach(call, given.organizationId)
    await call.read(lambda db: check(db, own, "viewer"))
    return [page_list_item(call, whole) for whole in reversed(call.parts[StatusPages].of(own.organization_id))]


async def get(call: Call, given: StatusPageId) -> StatusPageDetailAnswer:
    """statusPage.get: get a page with its monitors, components and groups. Raises NotFound or Forbidden."""
    return whole_shown(call, await find_viewable_page(call, given.statusPageId))


async def create(call: Call, given: CreateStatusPage) -> StatusPageAnswer:
    """statusPage.create: create a status page, which is public immediately. Raises Forbidden, NotFound, BadRequest,
    Conflict or RateLimited."""
    own = reach(call, given.organization_id)
    await call.read(lambda db: check(db, own, "member"))
    ready = await prepare_fields(call, own.organization_id, given)
    whole = await call.parts.box_db.write(lambda db: change.create(db, own, given, ready), adds=True)
    call.parts[StatusPages].remember(whole)
    return page_shown(call, whole.page)


async def update(call: Call, given: UpdateStatusPage) -> StatusPageAnswer:
    """statusPage.update: update a status page. Raises Forbidden, NotFound, BadRequest, Conflict or RateLimited.

    Omitted fields keep their values.
    """
    own, before = find_reachable_page(call, given.status_page_id)
    await call.read(lambda db: check(db, own, "member"))
    ready = await prepare_fields(call, own.organization_id, given, before.page)
    adds = bool(ready.pictures)
    await save(call.parts, given.status_page_id, lambda db: change.update(db, own, given, ready), adds=adds)
    return page_shown(call, _page(call, given.status_page_id))


async def delete(call: Call, given: StatusPageId) -> Success:
    """statusPage.delete: delete a status page with its incidents and subscribers. Raises Forbidden or NotFound."""
    own, _ = find_reachable_page(call, given.statusPageId)
    await call.write(lambda db: change.delete(db, own, given.statusPageId))
    call.parts[StatusPages].forget(given.statusPageId)
    return Success()


async def transfer(call: Call, given: TransferStatusPage) -> StatusPageTransferAnswer:
    """statusPage.transfer: transfer a page to another of the caller's organizations. Raises NotFound, Forbidden,
    BadRequest or Conflict.

    The domain stays. Monitors are transferred unless they belong to a website or to other pages.
    """
    if call.identity.person is None:
        raise errors.Forbidden("Sign in to do this. API keys are not accepted")
    own, _ = find_reachable_page(call, given.statusPageId)
    done = await call.write(partial(change.transfer, tools=call.parts[MonitorTools], own=own, given=given))
    for moved in done.moved:
        call.parts[Monitors].move(moved.monitor, readable=moved.readable)
    call.parts[StatusPages].remember(done.whole)
    return StatusPageTransferAnswer(any(moved.secrets_left_out for moved in done.moved))


def _page(call: Call, page_id: str) -> StatusPage:
    """A page as it is now. Raises NotFound where it was deleted meanwhile."""
    found = call.parts[StatusPages].find(page_id)
    if found is None:
        raise errors.NotFound.of("statusPage", page_id)
    return found.page
