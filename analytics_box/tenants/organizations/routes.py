"""The address of a logo, for members of its organization."""

from typing import Any, Final

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box.base import errors
from analytics_box.base.identity import Identity
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import logos
from analytics_box.web.call import Call

# Nothing in a picture may do anything, even when it is opened as a page. With the digest in the address
# it never changes.
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "content-disposition": "inline",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, max-age=31536000, immutable",
}


async def logo(
    request: Request[Any, Any, Any],
    organization_id: FromPath[str],
    digest: FromPath[str],
    call: NamedDependency[Call],
) -> Response[bytes]:
    """GET /logos/{organization}/{digest}. Raises NotFound, also for pictures of organizations of others."""
    if not _belongs(call.identity, organization_id):
        raise errors.NotFound(_("This image does not exist"))
    tag = f'"{digest}"'
    picture = await call.read(lambda db: logos.find(db, organization_id, digest))
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers={**_HEADERS, "etag": tag})
    return Response(picture.content, media_type=picture.type, headers={**_HEADERS, "etag": tag})


def _belongs(identity: Identity, organization_id: str) -> bool:
    if identity.key is not None:
        return identity.key.organization_id == organization_id
    return identity.person is not None and identity.person.role_in(organization_id) is not None
