"""Logos over RPC (wire 10.4)."""

import base64
import binascii
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.resource.reach import acting
from analytics_box.tenants.organizations import image, logos
from analytics_box.tenants.organizations.shown import OrganizationAnswer, organization_answer
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success
from analytics_box.web.call import Call


class NewLogo(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of organizations.uploadLogo. `image` is a PNG, JPEG or WebP picture of at most 512 KB in base64.

    It may be a whole data: URL. Its type follows from its bytes alone.
    """

    image: Annotated[str, Meta(min_length=1)]
    organizationId: Annotated[str, Meta(max_length=255)] | None = None


async def upload(call: Call, given: NewLogo) -> OrganizationAnswer:
    """organizations.uploadLogo: upload a logo, replacing the previous one. Raises Forbidden or BadRequest."""
    organization_id, by = acting(call, given.organizationId)
    picture = image.picture(_decode_image(given.image))
    stored = await call.write(lambda db: logos.replace_logo(db, organization_id, by, picture))
    person = call.identity.person
    return organization_answer(call, stored, person.role_in(organization_id) if person else None)


async def delete(call: Call, given: OrganizationInput) -> Success:
    """organizations.deleteLogo: delete the logo. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: logos.remove(db, organization_id, by))
    return Success()


def _decode_image(text: str) -> bytes:
    """The bytes of base64 text, or of a data: URL. Raises BadRequest."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as wrong:
        raise BadRequest.about("image", _("Send the image as base64")) from wrong
