"""Deleting websites over RPC, and bringing them back while their grace lasts. Keys need manage:websites."""

from analytics_box.base.clock import DAY
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success
from analytics_box.tenants.websites import change
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.messages import WebsiteId
from analytics_box.tenants.websites.reach import is_own, own, restorable
from analytics_box.tenants.websites.shown import DeletedWebsite, WebsiteAnswer, deleted_website_answer, website_answer
from analytics_box.web.call import Call


async def delete(call: Call, given: WebsiteId) -> Success:
    """websites.delete: delete a website. Raises NotFound.

    It stops accepting events immediately. `websites.restore` undoes this for `grace_days` days; then its events are
    erased.
    """
    website = own(call, given.id)
    await call.write(lambda db: change.delete(db, website, call.by))
    call.parts[Directory].forget(website.id)
    return Success()


async def list_deleted(call: Call, given: OrganizationInput) -> list[DeletedWebsite]:
    """websites.listDeleted: list deleted websites that can be restored, with their deadline, oldest first."""
    grace = call.parts.settings.grace_days * DAY
    return [deleted_website_answer(website, grace) for website in await restorable(call, given.organizationId)]


async def restore(call: Call, given: WebsiteId) -> WebsiteAnswer:
    """websites.restore: restore a deleted website within its grace period. Raises NotFound or Conflict."""
    grace = call.parts.settings.grace_days * DAY
    website = await call.write(
        lambda db: change.restore(db, given.id, call.by, lambda found: is_own(call, found), grace=grace)
    )
    call.parts[Directory].remember(website)
    return website_answer(website, call.now)
