"""The commands `website …`: the procedures of websites, called by the command line."""

from msgspec.structs import replace

from analytics_box.app.admin.asking import acting_in, organization_of
from analytics_box.app.admin.given.websites import EditedWebsite, OneWebsite, SomeWebsites, WebsiteAddOptions
from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.messages import OrganizationInput
from analytics_box.tenants.websites import calls, deletion_calls, reading_calls
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.messages import ChangedSettings, ChangedWebsite, Publicity, WebsiteId
from analytics_box.tenants.websites.messages import CreateWebsite as Made
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shown import DeletedWebsite, WebsiteAnswer, deleted_website_answer, website_answer
from analytics_box.tenants.websites.tracking import GivenTracking
from analytics_box.web.call import Parts


async def website_list(parts: Parts, given: SomeWebsites) -> list[WebsiteAnswer | DeletedWebsite]:
    """website list: oldest first, one organization after the other. Raises NotFound."""
    found: list[WebsiteAnswer | DeletedWebsite] = []
    for organization_id in _organizations(parts, given.organization):
        call = acting_in(parts, organization_id)
        wanted = OrganizationInput(organizationId=organization_id)
        look = deletion_calls.list_deleted if given.deleted else reading_calls.list_websites
        found += await look(call, wanted)
    return found


async def website_show(parts: Parts, given: OneWebsite) -> WebsiteAnswer:
    """website show. Raises NotFound, or BadRequest for a domain of several websites."""
    return website_answer(website_of(parts, given.website), parts.clock.now())


async def website_create(parts: Parts, given: WebsiteAddOptions) -> WebsiteAnswer:
    """website create. Raises BadRequest, NotFound, or Conflict for a domain that is measured already."""
    organization = organization_of(parts, given.organization)
    return await calls.create(acting_in(parts, organization.id), Made(name=given.name, domain=given.domain))


async def website_edit(parts: Parts, given: EditedWebsite) -> WebsiteAnswer:
    """website edit. Raises BadRequest, NotFound or Conflict; what came before the refusal is done."""
    website = website_of(parts, given.website)
    call = acting_in(parts, website.organization_id)
    if given.settings != GivenTracking():
        await calls.update_settings(call, ChangedSettings(website.id, given.settings))
    if given.name is not None or given.domain is not None:
        await calls.update(call, ChangedWebsite(website.id, name=given.name, domain=given.domain))
    if given.public is not None or given.public_values is not None:
        public = website.is_public if given.public is None else given.public
        await calls.toggle_public(call, Publicity(website.id, public, given.public_values))
    return website_answer(website_of(parts, website.id), parts.clock.now())


async def website_delete(parts: Parts, given: OneWebsite) -> DeletedWebsite:
    """website delete: it takes no events any more, and can be restored for `grace_days`. Raises NotFound."""
    website = website_of(parts, given.website)
    call = acting_in(parts, website.organization_id)
    await deletion_calls.delete(call, WebsiteId(website.id))
    return deleted_website_answer(replace(website, deleted_at=call.now), parts.settings.grace_days * DAY)


async def website_restore(parts: Parts, given: OneWebsite) -> WebsiteAnswer:
    """website restore. Raises NotFound, or Conflict when the domain is measured anew."""
    gone = [
        one
        for one in await website_list(parts, SomeWebsites(deleted=True))
        if given.website == one.id or given.website.lower() == one.domain
    ]
    if not gone:
        raise errors.NotFound(f"There is no deleted website {given.website} that can still be restored")
    _refuse_several(given.website, [one.id for one in gone])
    return await deletion_calls.restore(acting_in(parts, gone[0].organizationId), WebsiteId(gone[0].id))


def website_of(parts: Parts, given: str) -> Website:
    """The website with this id or domain. Raises NotFound, or BadRequest for a domain of several websites."""
    directory = parts[Directory]
    if (found := directory.find(given)) is not None:
        return found
    same = [website for website in directory.all() if website.domain == given.strip().lower()]
    if not same:
        raise errors.NotFound(f"There is no website {given}")
    _refuse_several(given, [website.id for website in same])
    return same[0]


def _refuse_several(given: str, ids: list[str]) -> None:
    if len(ids) > 1:
        raise errors.BadRequest(f"{given} is the domain of several websites; name one by its id: {', '.join(ids)}")


def _organizations(parts: Parts, given: str | None) -> list[str]:
    if given is not None:
        return [organization_of(parts, given).id]
    return [each.id for each in sorted(parts[OrganizationDirectory].all(), key=lambda each: each.slug)]
