"""What all pages about flags share: their frame, and the head of a flag with its parts."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from analytics_box.base.identity import Person
from analytics_box.base.texts import FlagList, FlagPage, figures
from analytics_box.products.flags.access import seen
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, TargetGroup
from analytics_box.products.flags.scope import Scope
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Again, Page, Visit

HOME: Final = "/flags"
Tab = Literal["now", "rollout", "test", "results", "history", "code"]
_PATHS: Final[dict[Tab, str]] = {
    "now": "",
    "rollout": "/rollout",
    "test": "/test",
    "results": "/results",
    "history": "/history",
    "code": "/code",
}


class TabShown(Struct, frozen=True):
    """A part of the pages about a flag."""

    name: Tab
    label: str
    href: str


class Head(Struct, frozen=True):
    """What stands above every page about a flag. `mark` is how it is, as styles call it; `notes` say which it is."""

    name: str
    key: str
    href: str
    mark: str
    label: str
    notes: tuple[str, ...]
    tab: Tab
    tabs: tuple[TabShown, ...]


class Opened(Struct, frozen=True):
    """A flag with those beside it, for somebody who may see it."""

    visit: Visit
    flag: Flag
    scope: Scope

    @property
    def href(self) -> str:
        """The path of its pages."""
        return f"{HOME}/{self.flag.id}"

    @property
    def editable(self) -> bool:
        """Whether who looks may change it."""
        return self.visit.person.may("member")

    @property
    def groups(self) -> tuple[TargetGroup, ...]:
        """The target groups that it can use."""
        return self.scope.groups

    def show(self, template: str, tab: Tab, *, again: Again | None = None, **context: Any) -> Page:
        """A page about it; `values`, `errors` and `general` are those of a form that came back."""
        again = again or Again()
        return self.visit.pages.show(
            template,
            code=again.code,
            shell=frame(self.visit.person),
            head=self._head(tab),
            values=again.values,
            errors=again.wrong,
            general=again.general,
            editable=self.editable,
            **{"done": done(self.visit), **context},
        )

    def _head(self, tab: Tab) -> Head:
        flag, words = self.flag, FlagList
        notes = [owner_name(self.visit, flag.scope), words.types[flag.definition.type]]
        if flag.environment is not None:
            notes.append(f"{words.environment}: {figures.visible(flag.environment)}")
        if flag.definition.folder:
            notes.append(f"{words.folder}: {figures.visible(flag.definition.folder)}")
        status = flag.definition.status
        tabs = tuple(TabShown(name, FlagPage.tabs[name], f"{self.href}{_PATHS[name]}") for name in get_args(Tab))
        return Head(
            called(flag), flag.key, self.href, f"flag-{status}", words.statuses[status], tuple(notes), tab, tabs
        )


def frame(person: Person) -> Shell:
    """The frame of all pages of flags."""
    return shell(person, "flags")


def done(visit: Visit) -> str:
    """What was just done, as the address says."""
    return FlagList.done.get(visit.asked("done"), "")


async def opened(visit: Visit, flag_id: str) -> Opened:
    """The flag that an address names. Raises NotFound or Forbidden."""
    flag = await seen(visit.call, flag_id)
    scope = visit.parts[Flags].scope(flag.scope)
    return Opened(visit, flag, scope or Scope(flag.scope, flag.organization_id, flag.website_id))


def called(flag: Flag) -> str:
    """What a flag is called: by its name, else by its key."""
    return figures.visible(flag.definition.name or flag.key)


def owners(visit: Visit) -> Mapping[str, str]:
    """Whose flags there can be in the organization of who looks: names by scope, its own first."""
    person = visit.person
    named = {one.organization_id: one.name for one in person.memberships}
    found = {person.organization_id: _organization(named.get(person.organization_id, ""))}
    return found | {one.id: figures.visible(one.name) for one in visit.parts[Directory].of(person.organization_id)}


def owner_name(visit: Visit, scope_id: str) -> str:
    """Whose a flag is, by name."""
    website = visit.parts[Directory].find(scope_id)
    if website is not None:
        return figures.visible(website.name)
    return _organization(next((one.name for one in visit.person.memberships if one.organization_id == scope_id), ""))


def _organization(name: str) -> str:
    return FlagList.whole_organization.format(name=figures.visible(name))
