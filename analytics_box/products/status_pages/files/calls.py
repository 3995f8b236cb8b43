"""The procedure that gives the upload address of a picture of a status page (wire 9.3)."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.base import ids
from analytics_box.base.store.seal import Seal
from analytics_box.products.status_pages.access import find_reachable_page
from analytics_box.products.status_pages.files.uploads import GOOD_FOR, Upload, token_of
from analytics_box.products.status_pages.page import FileKind, Id
from analytics_box.resource.reach import check
from analytics_box.tenants.organizations.image import MOST_BYTES
from analytics_box.tenants.tenancy.messages import date
from analytics_box.web.call import Call


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
