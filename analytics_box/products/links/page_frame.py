"""Shared parts of all pages of links: their frame, and the permission to change something."""

from analytics_box.base import errors, figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.links.access import find_link
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import PageRequest

DONE = {
    "deleted": _("The link is deleted, and its clicks with it."),
    "created": _("The link works now."),
    "saved": _("Saved. The next click uses the new settings."),
    "folder-made": _("The folder is created."),
    "folder-named": _("The folder has its new name."),
    "folder-deleted": _("The folder is deleted. Its links are kept, in no folder."),
    "domain-added": _("Links can live on this domain now."),
    "domain-saved": _("Saved."),
    "domain-removed": _("Short links are no longer served on this domain."),
}


HOME = "/links"


def frame(person: SignedInPerson) -> Shell:
    """The frame of all pages of links."""
    return shell(person, "links")


async def link_number(visit: PageRequest, link_id: str) -> int:
    """The number of a link in the facts. Raises NotFound."""
    return (await find_link(visit.call, link_id)).number


def links_in_words(count: int) -> str:
    """The number of links, in words."""
    return ngettext("1 link", "{count} links", count).format(count=figures.count(count))


def nothing_there() -> errors.NotFound:
    """This page does not exist."""
    return errors.NotFound("There is nothing at this address")
