"""What all pages of links share: their frame, who may change something, and the question before something goes."""

from analytics_box import errors
from analytics_box.http.page.shell import Shell
from analytics_box.http.page.visit import Page, Visit
from analytics_box.identity import Person
from analytics_box.links.access import found
from analytics_box.texts import Links, Question, figures
from analytics_box.websites.shell import shell

HOME = "/links"
LONGEST_IN_BUTTON = 40  # characters


def frame(person: Person) -> Shell:
    """The frame of all pages of links."""
    return shell(person, "links")


def may_edit(person: Person) -> bool:
    """Whether somebody may create and change links."""
    return person.role != "viewer"


async def link_number(visit: Visit, link_id: str) -> int:
    """What the facts know a link by. Raises NotFound."""
    return (await found(visit.call, link_id)).number


def short_name(name: str) -> str:
    """A name as buttons have it: of a very long one the beginning."""
    shown = figures.visible(name)
    return shown if len(shown) <= LONGEST_IN_BUTTON else f"{shown[:LONGEST_IN_BUTTON].rstrip()}…"


def ask(
    visit: Visit,
    question: Question,
    name: str,
    *,
    action: str,
    back: str,
    fields: dict[str, str] | None = None,
    **said: str,
) -> Page:
    """Are you sure? As a page that names what it is about; `said` fills in what the question says of it."""
    return visit.pages.show(
        "link_confirm.html",
        shell=frame(visit.person),
        title=question.title.format(name=figures.visible(name)),
        text=question.text.format(**said),
        submit=question.submit.format(name=short_name(name)),
        action=action,
        back=back,
        fields=fields or {},
    )


def links_in_words(count: int) -> str:
    """How many links there are."""
    return Links.counted[count == 1].format(count=figures.count(count))


def nothing_there() -> errors.NotFound:
    """There is no such page."""
    return errors.NotFound("There is nothing at this address")
