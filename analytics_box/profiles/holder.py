"""Whose people are meant: a website's, or an organization's own, where events name no website. Pure."""

from msgspec import Struct

from analytics_box.websites.rules import Website


class Holder(Struct, frozen=True):
    """Who knows people. `website_id` is empty for an organization's own events."""

    site: int
    organization_id: str
    website_id: str = ""


def holder_of(website: Website) -> Holder:
    """A website as one who knows people."""
    return Holder(website.site, website.organization_id, website.id)
