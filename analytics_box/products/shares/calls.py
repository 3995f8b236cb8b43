"""The procedures `shares.*`. Keys need manage:websites; people have to be admins, as for everything that publishes."""

from typing import Any

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.products.segments.menu import filters_of_segment
from analytics_box.products.shares import change
from analytics_box.products.shares.directory import OwnedShare, ShareDirectory
from analytics_box.products.shares.share import (
    SHARES,
    ChangedShare,
    ListShares,
    NewShare,
    NewShareLogo,
    OneShare,
    ShareLink,
    ShareShown,
)
from analytics_box.resource.fields import answer_of, values_of
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.organizations import image
from analytics_box.tenants.organizations.image import Picture
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import own, own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call


async def list_shares(call: Call, given: ListShares) -> list[ShareShown]:
    """shares.list: list the share links of a website, oldest first. Raises NotFound."""
    return [share_answer(call, one) for one in await of_website(call, own(call, given.websiteId))]


async def create(call: Call, given: NewShare) -> ShareShown:
    """shares.create: create a share link. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    filters = await filters_of_segment(call, website, given.segmentId) if given.segmentId is not None else ()
    zone = call.identity.person.time_zone if call.identity.person is not None else "UTC"
    values = await _values(call, given, website)
    made = await call.parts.box_db.write(
        lambda db: change.create(db, call.by, website, values, filters, zone), adds=True
    )
    call.parts[ShareDirectory].remember(OwnedShare(made, website.organization_id))
    return share_answer(call, made)


async def update(call: Call, given: ChangedShare) -> ShareShown:
    """shares.update: change a share link. Raises NotFound, BadRequest or Conflict."""
    website, _share = await find_share(call, given.id)
    values = await _values(call, given, website)
    changed = await call.write(lambda db: change.update(db, call.by, website, given.id, values))
    call.parts[ShareDirectory].remember(OwnedShare(changed, website.organization_id))
    return share_answer(call, changed)


async def update_logo(call: Call, given: NewShareLogo) -> ShareShown:
    """shares.updateLogo: replace or remove the logo of a share link. Raises NotFound or BadRequest."""
    await find_share(call, given.id)
    picture = None if given.image is None else image.picture(image.decode(given.image))
    return await put_logo(call, given.id, picture)


async def put_logo(call: Call, share_id: str, picture: Picture | None) -> ShareShown:
    """Replace the logo of a share link, or delete it. Raises NotFound."""
    website, _share = await find_share(call, share_id)
    changed = await call.write(lambda db: change.put_logo(db, call.by, website, share_id, picture))
    call.parts[ShareDirectory].remember(OwnedShare(changed, website.organization_id))
    return share_answer(call, changed)


async def delete(call: Call, given: OneShare) -> Success:
    """shares.delete: delete a share link, which stops working immediately. Raises NotFound."""
    website, _share = await find_share(call, given.id)
    await call.write(lambda db: SHARES.remove(db, call.by, website.organization_id, SHARES.existing(db, given.id)))
    call.parts[ShareDirectory].forget(given.id)
    return Success()


async def of_website(call: Call, website: Website) -> list[ShareLink]:
    """The share links of a website, oldest first."""
    return await call.read(lambda db: SHARES.all(db, "website_id = ? order by created_at, id", website.id))


async def find_share(call: Call, share_id: str, website_id: str | None = None) -> tuple[Website, ShareLink]:
    """A share link of one of the caller's websites, or of this one. Raises NotFound."""
    return await own_row(call, SHARES.find, "share", share_id, website_id)


def share_answer(call: Call, share: ShareLink) -> ShareShown:
    """A share link for an answer."""
    settings = call.parts.settings
    host = f"{'https' if settings.secure else 'http'}://{share.domain}"
    url = f"{settings.public_url}/share/{share.slug}" if share.domain is None else host
    more = {"hasPassword": share.password is not None, "isFiltered": bool(share.filters), "hasLogo": bool(share.logo)}
    return answer_of(ShareShown, share, url=url, **more)


async def _values(call: Call, given: NewShare | ChangedShare, website: Website) -> dict[str, Any]:
    """The values of a message, checked, with the password hashed. Raises BadRequest or Conflict."""
    values = values_of(given, ShareLink)
    slug = values.get("slug", "")
    if slug != website.id and call.parts[Directory].find(slug) is not None:
        # A public website has its dashboard there.
        raise errors.Conflict.about("slug", _("A website has this ID. Enter another address"))
    if values.get("password") is not None:
        values["password"] = await call.parts[Passwords].hash(values["password"])
    return values
