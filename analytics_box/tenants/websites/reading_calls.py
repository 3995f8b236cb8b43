"""Looking at websites over RPC (wire 10.3). Keys need read:data."""

from analytics_box.base import errors
from analytics_box.tenants.tenancy.messages import OrganizationInput
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.messages import WebsiteId
from analytics_box.tenants.websites.reach import all_own, is_own
from analytics_box.tenants.websites.shown import PublicWebsite, WebsiteAnswer, public_website, website_answer
from analytics_box.web.call import Call


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
        return public_website(website)
    if call.identity.anonymous:
        raise errors.AuthRequired("Authentication required")
    raise errors.NotFound.of("website", given.id)


async def get_public_summary(call: Call, given: WebsiteId) -> PublicWebsite:
    """websites.getPublicSummary: get the public fields of a public website. Raises NotFound for any other."""
    website = call.parts[Directory].find(given.id)
    if website is None or not website.is_public:
        raise errors.NotFound.of("website", given.id)
    return public_website(website)
