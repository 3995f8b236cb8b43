"""Status pages over RPC (wire 9.3). Scopes: read:status_pages, write:status_pages."""

from datetime import datetime
from functools import partial
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, UnsetType

from analytics_box.base import errors, ids
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.fences import member_of
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.status_pages import page, pictures
from analytics_box.products.status_pages.access import find_reachable_page, find_viewable_page, save
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.editing import change
from analytics_box.products.status_pages.editing.change import Pictures
from analytics_box.products.status_pages.editing.messages import (
    CreateStatusPage,
    StatusPageId,
    StatusPageOrganizationInput,
    TransferStatusPage,
    UpdateStatusPage,
)
from analytics_box.products.status_pages.editing.shown import (
    StatusPageAnswer,
    StatusPageDetailAnswer,
    StatusPageListItem,
    page_list_item,
    page_shown,
    whole_shown,
)
from analytics_box.products.status_pages.page import FileKind, Id, StatusPage
from analytics_box.products.status_pages.pictures import FIELDS, GOOD_FOR, PagePicture, Upload, token_of
from analytics_box.resource.fields import Values, values_of
from analytics_box.resource.reach import check, reach
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.organizations.image import MOST_BYTES
from analytics_box.tenants.tenancy.messages import Success, date
from analytics_box.web.call import Call

FETCHES: Final = 20  # pictures that one caller can have fetched in 60 s


async def prepare_values(
    call: Call, organization_id: str, given: CreateStatusPage | UpdateStatusPage, before: StatusPage | None = None
) -> tuple[Values, Pictures]:
    """The values and images of an authorized input, with the work that is too slow for a transaction. Raises BadRequest
    or RateLimited."""
    values = values_of(given, StatusPage, before)
    wanted = {"logo": given.logo_url, "favicon": given.favicon_url}
    fetched: dict[FileKind, PagePicture | None] = {}
    for kind in FIELDS:
        url = wanted[kind]
        if not isinstance(url, UnsetType) and not _has_picture(call, before, kind, url):
            fetched[kind] = await _fetch_picture(call, organization_id, url, kind) if url else None
    if values.get("password"):
        values["password"] = await call.parts[Passwords].hash(values["password"])
    return values, fetched


def _has_picture(call: Call, before: StatusPage | None, kind: FileKind, url: str | None) -> bool:
    """Whether the page already has the picture of this URL, as `get` returns it or as it is served."""
    if before is None:
        return False
    settings = call.parts.settings
    digest: str = getattr(before, kind)
    served = pictures.served_url(before, digest, settings) if digest else None
    return (url or None) in {pictures.url_of(before, kind, settings), served} if digest else not url


async def _fetch_picture(call: Call, organization_id: str, url: str, kind: FileKind) -> PagePicture:
    try:
        address = page.url(url) or ""
    except errors.BadRequest as wrong:
        raise errors.BadRequest.about(FIELDS[kind], wrong.message) from wrong
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
    known = reversed(call.parts[StatusPages].of(own.organization_id))
    return [page_list_item(call, whole) for whole in known if own.covers(whole.page)]


async def get(call: Call, given: StatusPageId) -> StatusPageDetailAnswer:
    """statusPage.get: get a page with its monitors, components and groups. Raises NotFound or Forbidden."""
    return whole_shown(call, await find_viewable_page(call, given.statusPageId))


async def create(call: Call, given: CreateStatusPage) -> StatusPageAnswer:
    """statusPage.create: create a status page, which is public immediately. Raises Forbidden, NotFound, BadRequest,
    Conflict or RateLimited."""
    own = reach(call, given.organization_id)
    await call.read(lambda db: check(db, own, "member"))
    values, fetched = await prepare_values(call, own.organization_id, given)
    work = partial(change.create, own=own, values=values, fetched=fetched, monitor_ids=given.uptime_schedule_ids)
    whole = await call.parts.box_db.write(work, adds=True)
    call.parts[StatusPages].remember(whole)
    return page_shown(call, whole.page)


async def update(call: Call, given: UpdateStatusPage) -> StatusPageAnswer:
    """statusPage.update: update a status page. Raises Forbidden, NotFound, BadRequest, Conflict or RateLimited.

    Omitted fields keep their values.
    """
    own, before = find_reachable_page(call, given.status_page_id)
    await call.read(lambda db: check(db, own, "member"))
    page_id = given.status_page_id
    values, fetched = await prepare_values(call, own.organization_id, given, before.page)
    work = partial(change.update, own=own, page_id=page_id, values=values, fetched=fetched)
    await save(call.parts, page_id, work, adds=bool(fetched))
    stored = call.parts[StatusPages].find(page_id)
    if stored is None:  # deleted in the meantime
        raise errors.NotFound.of("statusPage", page_id)
    return page_shown(call, stored.page)


async def delete(call: Call, given: StatusPageId) -> Success:
    """statusPage.delete: delete a status page with its incidents and subscribers. Raises Forbidden or NotFound."""
    own, _whole = find_reachable_page(call, given.statusPageId)
    await call.write(lambda db: change.delete(db, own, given.statusPageId))
    call.parts[StatusPages].forget(given.statusPageId)
    return Success()


async def transfer(call: Call, given: TransferStatusPage) -> StatusPageTransferAnswer:
    """statusPage.transfer: transfer a page to another of the caller's organizations. Raises NotFound, Forbidden,
    BadRequest or Conflict.

    The domain stays. Monitors are transferred unless they belong to a website or to other pages.
    """
    if call.identity.person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    own, _whole = find_reachable_page(call, given.statusPageId)
    done = await call.write(partial(change.transfer, tools=call.parts[MonitorTools], own=own, given=given))
    for moved in done.moved:
        call.parts[Monitors].move(moved.monitor, readable=moved.readable)
    call.parts[StatusPages].remember(done.whole)
    return StatusPageTransferAnswer(any(moved.secrets_left_out for moved in done.moved))


class CreateUploadUrl(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.createAssetUploadUrl. Size (bytes) and type may be said before; the bytes decide."""

    statusPageId: Id
    asset: FileKind
    contentLength: Annotated[int, Meta(ge=1, le=MOST_BYTES)] | None = None
    contentType: Literal["image/png", "image/jpeg", "image/webp"] | None = None
    organizationId: Id | None = None


class UploadUrlAnswer(Struct, frozen=True, rename="camel"):
    """The address for the picture's bytes (PUT), and when it expires. An uploaded picture is on the
    page immediately."""

    upload_url: str
    expires_at: datetime
    method: Literal["PUT"] = "PUT"


async def create_asset_upload_url(call: Call, given: CreateUploadUrl) -> UploadUrlAnswer:
    """statusPage.createAssetUploadUrl: create an upload URL for a logo or favicon. Raises NotFound or Forbidden.

    Accepts PNG, JPEG or WebP up to 512 KB.
    """
    own, _rest = find_reachable_page(call, given.statusPageId)
    await call.read(lambda db: check(db, own, "member"))
    until = call.now + GOOD_FOR
    upload = Upload(
        own.organization_id, given.statusPageId, given.asset, own.by.actor, own.by.user_id, until, ids.base62(16)
    )
    token = token_of(call.parts[Seal], upload)
    return UploadUrlAnswer(f"{call.parts.settings.public_url}/status-pages/uploads/{token}", date(until))
