"""QR codes: `links.getQr`, and the picture as a file. Keys need read:links."""

import base64
import io
from typing import Annotated, Any, Final, Literal

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.messages import Id
from analytics_box.products.links.slugs import short_url
from analytics_box.web.call import Call

Form = Literal["svg", "png"]
TYPES: Final[dict[Form, str]] = {"svg": "image/svg+xml", "png": "image/png"}
MOST_SCALE: Final = 40  # pixels of a module


def qr_picture(url: str, form: Form, *, scale: int = 8) -> bytes:
    """A QR code, black on white with its quiet zone of four modules; a tenth of it may be dirty (level M).

    `scale` is how many pixels a module has.
    """
    import segno  # noqa: PLC0415  1.4 MB for pictures that are seldom wanted

    code = segno.make(url, micro=False, error="m")
    file = io.BytesIO()
    if form == "svg":
        code.save(file, kind="svg", scale=scale, border=4, dark="#000", light="#fff", xmldecl=True)
    else:
        code.save(file, kind="png", scale=scale, border=4, dark="#000", light="#fff")
    return file.getvalue()


class GivenQr(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.getQr. `scale` is pixels a module."""

    id: Id
    format: Literal["svg", "png"] = "svg"
    scale: Annotated[int, Meta(ge=1, le=MOST_SCALE)] = 8
    organizationId: Id | None = None


class QrShown(Struct, frozen=True):
    """A QR code; `content` is text for svg and base64 for png."""

    url: str
    type: str
    content: str


async def get_qr(call: Call, given: GivenQr) -> QrShown:
    """links.getQr: get a short link as a QR code. Raises Forbidden or NotFound."""
    link = await find_link(call, given.id, given.organizationId)
    url = short_url(link.domain, link.slug, call.parts.settings)
    picture = qr_picture(url, given.format, scale=given.scale)
    content = picture.decode() if given.format == "svg" else base64.b64encode(picture).decode()
    return QrShown(url, TYPES[given.format], content)


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
    kind: Form = "svg" if form == "svg" else "png"
    if form not in TYPES:
        raise errors.NotFound(_("Download the QR code as svg or png"))
    link = await find_link(call, link_id)
    scale = request.query_params.get("scale", "8")
    if not (scale.isascii() and scale.isdecimal() and 1 <= int(scale) <= MOST_SCALE):
        raise errors.BadRequest(_("Enter a scale of 1 to {most}").format(most=MOST_SCALE))
    picture = qr_picture(short_url(link.domain, link.slug, call.parts.settings), kind, scale=int(scale))
    how = "attachment" if request.query_params.get("download") else "inline"
    headers = {**_PICTURE, "content-disposition": f'{how}; filename="{link.slug}.{kind}"'}
    return Response(picture, media_type=TYPES[kind], headers=headers)
