"""QR codes over RPC: `links.getQr`."""

import base64
from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.messages import Id
from analytics_box.products.links.qr import picture as qr
from analytics_box.products.links.short_url import short_url
from analytics_box.web.call import Call


class GivenQr(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.getQr. `scale` is pixels a module."""

    id: Id
    format: Literal["svg", "png"] = "svg"
    scale: Annotated[int, Meta(ge=1, le=qr.MOST_SCALE)] = 8
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
    picture = qr.picture(url, given.format, scale=given.scale)
    content = picture.decode() if given.format == "svg" else base64.b64encode(picture).decode()
    return QrShown(url, qr.TYPES[given.format], content)
