"""The picture of a QR code. Keys need read:links."""

from typing import Any, Final

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box.base import errors
from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.qr import calls
from analytics_box.products.links.short_url import short_url
from analytics_box.web.call import Call

_PICTURE: Final = {
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-cache",
}


async def qr_code(
    request: Request[Any, Any, Any],
    link_id: FromPath[str],
    form: FromPath[str],
    call: NamedDependency[Call],
) -> Response[bytes]:
    """GET /links/{link}/qr/{svg or png}, with ?scale= (pixels a module) and ?download=1.

    Raises NotFound or BadRequest.
    """
    kind: calls.Form = "svg" if form == "svg" else "png"
    if form not in calls.TYPES:
        raise errors.NotFound("Download the QR code as svg or png")
    link = await find_link(call, link_id)
    scale = request.query_params.get("scale", "8")
    if not (scale.isascii() and scale.isdecimal() and 1 <= int(scale) <= calls.MOST_SCALE):
        raise errors.BadRequest(f"Enter a scale of 1 to {calls.MOST_SCALE}")
    picture = calls.qr_picture(short_url(link.domain, link.slug, call.parts.settings), kind, scale=int(scale))
    how = "attachment" if request.query_params.get("download") else "inline"
    headers = {**_PICTURE, "content-disposition": f'{how}; filename="{link.slug}.{kind}"'}
    return Response(picture, media_type=calls.TYPES[kind], headers=headers)
