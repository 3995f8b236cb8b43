"""Deleting websites over RPC, and bringing them back while their grace lasts. Keys need manage:websites."""

from analytics_box.clock import DAY
from analytics_box.http.call import Call
from analytics_box.websites import change, rows
from analytics_box.websites.directory import Directory
from analytics_box.websites.messages import ById, OfOrganization, Success
from analytics_box.websites.reach import by, is_own, own
from analytics_box.websites.rules import Website
from analytics_box.websites.shown import DeletedWebsite, WebsiteShown, deleted, shown


async def delete(call: Call, given: ById) -> Success:
    """websites.delete: it takes no events and answers no questions from now on. Raises NotFound.

    `websites.restore` undoes it for the days of `grace_days`; then its events are removed.
    """
    website = own(call, given.id)
    await call.write(lambda db: change.delete(db, website, by(call)))
    call.parts[Directory].forget(website.id)
    return Success()


async def list_deleted(call: Call, given: OfOrganization) -> list[DeletedWebsite]:
    """websites.listDeleted: the deleted websites that can still be restored, and until when; oldest website first."""
    grace = call.parts.settings.grace_days * DAY
    return [deleted(website, grace) for website in await restorable(call, given.organizationId)]


async def restorable(call: Call, organization_id: str | None = None) -> list[Website]:
    """The caller's deleted websites whose grace is not over. Raises Forbidden for another organization."""
    organization_id, grace = call.organization(organization_id), call.parts.settings.grace_days * DAY
    gone = await call.read(lambda db: rows.deleted(db, organization_id))
    return [each for each in gone if is_own(call, each) and call.now < (each.deleted_at or 0) + grace]


async def restore(call: Call, given: ById) -> WebsiteShown:
    """websites.restore: undo a deletion whose grace period is not over. Raises NotFound or Conflict."""
    grace = call.parts.settings.grace_days * DAY
    website = await call.write(
        lambda db: change.restore(db, given.id, by(call), lambda found: is_own(call, found), grace=grace)
    )
    call.parts[Directory].remember(website)
    return shown(website, call.now)
