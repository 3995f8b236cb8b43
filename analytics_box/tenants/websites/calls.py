"""The procedures of websites (wire 10.3). Keys need read:data to read, manage:websites to change."""

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _
from analytics_box.resource.reach import refuse_restricted
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success
from analytics_box.tenants.websites import change
from analytics_box.tenants.websites.change import create as create_website
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.messages import (
    ChangedSettings,
    ChangedWebsite,
    CreateWebsite,
    DeletedWebsite,
    Publicity,
    PublicWebsite,
    TransferWebsite,
    WebsiteAnswer,
    WebsiteId,
    deleted_website_answer,
    website_answer,
)
from analytics_box.tenants.websites.reach import all_own, is_own, own, restorable
from analytics_box.tenants.websites.reach import change as change_own
from analytics_box.web.call import Call


async def create(call: Call, given: CreateWebsite) -> WebsiteAnswer:
    """websites.create: add a website. Raises BadRequest, or Conflict for a domain that is measured already."""
    organization_id = call.organization(given.organizationId)
    refuse_restricted(call)
    website = await call.write(
        lambda db: create_website(
            db,
            organization_id=organization_id,
            name=given.name,
            domain=given.domain,
            by=call.by,
        )
    )
    call.parts[Directory].remember(website)
    return website_answer(website, call.now)


async def update(call: Call, given: ChangedWebsite) -> WebsiteAnswer:
    """websites.update: update a website's name or domain. Raises NotFound, BadRequest or Conflict."""
    changed = await change_own(
        call, given.id, lambda db, website, by: change.details(db, website, by, name=given.name, domain=given.domain)
    )
    return website_answer(changed, call.now)


async def toggle_public(call: Call, given: Publicity) -> WebsiteAnswer:
    """websites.togglePublic: make a website's dashboard public or private. Raises NotFound or BadRequest."""
    changed = await change_own(
        call,
        given.id,
        lambda db, website, by: change.publicity(db, website, by, public=given.isPublic, values=given.publicValues),
    )
    return website_answer(changed, call.now)


async def update_settings(call: Call, given: ChangedSettings) -> WebsiteAnswer:
    """websites.updateSettings: update tracking settings. Raises NotFound or BadRequest."""
    changed = await change_own(call, given.id, lambda db, website, by: change.settings(db, website, by, given.settings))
    return website_answer(changed, call.now)


async def rotate_tracking(call: Call, given: WebsiteId) -> WebsiteAnswer:
    """websites.rotateTracking: replace the client id. Raises NotFound, or Conflict when too many old ones are still
    accepted.

    The old one is accepted for `client_id_grace_days` days.
    """
    days = call.parts.settings.client_id_grace_days
    changed = await change_own(call, given.id, lambda db, website, by: change.rotate(db, website, by, grace_days=days))
    return website_answer(changed, call.now)


async def transfer(call: Call, given: TransferWebsite) -> WebsiteAnswer:
    """websites.transfer: transfer a website to another organization that the caller manages. Raises NotFound, Forbidden
    or Conflict.

    Also available as `websites.transferToOrganization`.
    """
    person = call.identity.person
    if person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    moved = await change_own(
        call,
        given.websiteId,
        lambda db, website, by: change.transfer(
            db, website, by, user_id=person.user_id, organization_id=given.organizationId
        ),
    )
    return website_answer(moved, call.now)


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


async def list_websites(call: Call, given: OrganizationInput) -> list[WebsiteAnswer]:
    """websites.list: list the websites that the caller can read, oldest first."""
    return [website_answer(website, call.now) for website in all_own(call, given.organizationId)]


async def get_by_id(call: Call, given: WebsiteId) -> WebsiteAnswer | PublicWebsite:
    """websites.getById: get a website. Raises AuthRequired for anonymous callers, else NotFound.

    Callers without access get the public fields of a public website.
    """
    website = call.parts[Directory].find(given.id)
    if website is not None and is_own(call, website):
        return website_answer(website, call.now)
    if website is not None and website.is_public:
        return PublicWebsite(website.id, website.domain, website.name, website.is_public)
    if call.identity.anonymous:
        raise errors.AuthRequired(_("Authentication required"))
    raise errors.NotFound.of("website", given.id)


async def get_public_summary(call: Call, given: WebsiteId) -> PublicWebsite:
    """websites.getPublicSummary: get the public fields of a public website. Raises NotFound for any other."""
    website = call.parts[Directory].find(given.id)
    if website is None or not website.is_public:
        raise errors.NotFound.of("website", given.id)
    return PublicWebsite(website.id, website.domain, website.name, website.is_public)
