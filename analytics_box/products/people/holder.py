"""The owner of profiles: a website, or an organization for events without a website. Pure."""

from msgspec import Struct

from analytics_box.tenants.websites.rules import Website


class Holder(Struct, frozen=True):
    """The owner of profiles. `website_id` is empty for an organization's own events."""

    site: int
    organization_id: str
    website_id: str = ""


def holder_of(website: Website) -> Holder:
    """A website as a holder of profiles."""
    return Holder(website.site, website.organization_id, website.id)
