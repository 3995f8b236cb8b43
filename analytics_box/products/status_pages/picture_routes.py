"""The upload of pictures of status pages. An address works once, within some minutes."""

from typing import Any, cast

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, PayloadTooLarge
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.status_pages import pictures
from analytics_box.products.status_pages.access import save
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.pictures import UNKNOWN, PagePicture, Upload, upload_of
from analytics_box.resource.reach import Reach, check
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.organizations import image
from analytics_box.web import body
from analytics_box.web.answer import RequestId, id_of, json_answer
from analytics_box.web.asgi import Receive, Scope
from analytics_box.web.call import Call

UPLOADS = 30  # by one address per 60 s


class UploadedPicture(Struct, frozen=True):
    """The new address of a picture."""

    url: str
    requestId: RequestId


async def upload(request: Request[Any, Any, Any], token: FromPath[str], call: NamedDependency[Call]) -> Response[bytes]:
    """PUT /status-pages/uploads/{token}: the bytes of a picture.

    Raises NotFound, Forbidden, BadRequest, PayloadTooLarge or RateLimited.
    """
    parts = call.parts
    parts.limits.take("status page uploads", call.identity.address, UPLOADS)
    allowed = upload_of(parts[Seal], token, call.now)
    known = parts[StatusPages].find(allowed.page_id)
    if known is None or known.page.organization_id != allowed.organization_id or not _may_still(call, allowed):
        raise errors.NotFound(UNKNOWN)
    own = Reach(allowed.organization_id, By(allowed.actor, call.now, allowed.user_id))
    await call.read(lambda db: check(db, own, "member"))  # before a body is read
    try:
        sent = await body.read_body(
            cast(Scope, request.scope),
            cast(Receive, request.receive),
            limit=image.MOST_BYTES,
            seconds=parts.settings.body_seconds,
        )
    except PayloadTooLarge as large:
        raise PayloadTooLarge(image.TOO_LARGE) from large
    if not sent:
        raise BadRequest(_("Send the image as the body"))
    given = PagePicture(image.picture(sent))
    page = await save(parts, allowed.page_id, lambda db: pictures.upload(db, own, allowed, given), adds=True)
    url = pictures.served_url(page, getattr(page, allowed.kind), parts.settings)
    return json_answer(UploadedPicture(url, id_of(request)))


def _may_still(call: Call, allowed: Upload) -> bool:
    """Return whether the API key that requested the address can still write. Roles of members are checked later."""
    kind, _rest, id_ = allowed.actor.partition(":")
    if kind != "apikey":
        return True
    found = next((key for key in call.parts[KeyRing].all() if key.id == id_), None)
    return found is not None and found.usable(call.now) and "write:status_pages" in found.scopes
