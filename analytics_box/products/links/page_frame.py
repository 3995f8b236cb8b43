"""Shared parts of all pages of links: their frame, and the permission to change something."""

from analytics_box.base import errors, figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.links.lookup import find_link
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import PageRequest

DONE = {
    "deleted": _("Link deleted."),
    "created": _("Link created."),
    "saved": _("Link saved. Changes apply to the next click."),
    "folder-made": _("Folder created."),
    "folder-named": _("Folder renamed."),
    "folder-deleted": _("Folder deleted. Its links are kept."),
    "domain-added": _("Domain added. You can create links on it now."),
    "domain-saved": _("Domain saved."),
    "domain-removed": _("Domain removed."),
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
    return errors.NotFound(_("There is nothing at this address"))
