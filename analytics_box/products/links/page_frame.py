"""What all pages of links share: their frame, and who may change something."""

from analytics_box.base import errors
from analytics_box.base.identity import Person
from analytics_box.base.texts import Links, figures
from analytics_box.products.links.access import found
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Visit

HOME = "/links"


def frame(person: Person) -> Shell:
    """The frame of all pages of links."""
    return shell(person, "links")


async def link_number(visit: Visit, link_id: str) -> int:
    """What the facts know a link by. Raises NotFound."""
    return (await found(visit.call, link_id)).number


def links_in_words(count: int) -> str:
    """How many links there are."""
    return Links.counted[count == 1].format(count=figures.count(count))


def nothing_there() -> errors.NotFound:
    """There is no such page."""
    return errors.NotFound("There is nothing at this address")
