"""The form with an organization's logo."""

from analytics_box.base.errors import BadRequest, PayloadTooLarge
from analytics_box.tenants.organizations import image, logos
from analytics_box.tenants.organizations.settings_page import HOME, organization_page
from analytics_box.web.page.visit import Answer, Next, Visitor


async def upload_logo(visit: Visitor) -> Answer:
    """POST /settings/organization/logo: a picture as multipart/form-data."""

    async def save() -> str:
        try:
            sent = await visit.upload("image", limit=image.MOST_BYTES)
        except PayloadTooLarge as large:
            raise BadRequest.about("image", image.TOO_LARGE) from large
        picture = image.picture(sent)
        own, by = visit.person.organization_id, visit.call.by
        await visit.call.write(lambda db: logos.replace_logo(db, own, by, picture))
        return f"{HOME}?done=logo"

    return await visit.submit(save, organization_page)


async def delete_logo(visit: Visitor) -> Next:
    """POST /settings/organization/logo/delete. Raises Forbidden."""
    own, by = visit.person.organization_id, visit.call.by
    await visit.call.write(lambda db: logos.remove(db, own, by))
    return visit.go(f"{HOME}?done=logo-deleted")
