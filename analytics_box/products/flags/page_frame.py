"""Shared parts of all pages of flags: their frame, and the head of a flag with its tabs."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.flags.access import visible_flag
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, TargetGroup
from analytics_box.products.flags.scope import FlagScope
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Again, Page, PageRequest

TYPE_LABELS = {"boolean": _("On or off"), "rollout": _("Rollout"), "multivariant": _("Variants")}
_TABS = {
    "now": _("What it does"),
    "rollout": _("Rollout"),
    "test": _("Try it"),
    "results": _("Results"),
    "history": _("History"),
    "code": _("Code"),
}
STATUS_LABELS = {"active": _("Active"), "inactive": _("Inactive"), "archived": _("Archived")}
DONE = {
    "created": _("The flag is created. Apps get it within 30 seconds."),
    "created-inactive": _(
        "The flag is created, but inactive, because a flag that it needs is not active. Activate that one first."
    ),
    "saved": _("Saved. Apps get the change within 30 seconds."),
    "stays-inactive": _(
        "Saved, but the flag is inactive, because a flag that it needs is not active. Activate that one first."
    ),
    "active": _("The flag is active. Apps get it within 30 seconds."),
    "inactive": _("The flag is inactive. Apps get its off value, or the default in their code, within 30 seconds."),
    "archived": _("The flag is archived. You find it in the list with the status “Archived”."),
    "needed": _("The flag is not active any more. Flags that need it (you see them below) are off for everybody now."),
    "deleted": _("The flag is deleted. Apps use what they have in their code, within 30 seconds."),
    "restored": _("The flag is as it was in that version. Apps get it within 30 seconds."),
    "copied": _("This is the copy. It is inactive, so that you can change it before anybody gets it."),
    "group-created": _("The target group is created. Choose it in a flag, and its rules decide there."),
    "group-saved": _("Saved. All flags that use the group follow it within 30 seconds."),
    "group-deleted": _("The target group is deleted."),
    "folder-renamed": _("The folder has its new name."),
    "folder-deleted": _("The folder is gone. Its flags are in no folder now."),
}


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


class FlagTab(Struct, frozen=True):
    """A part of the pages about a flag."""

    name: Tab
    label: str
    href: str


class FlagPageHead(Struct, frozen=True):
    """The head of every page about a flag. `mark` is the style class of its status; `notes` tell it from other flags of
    its name.
    """

    name: str
    key: str
    href: str
    mark: str
    label: str
    notes: tuple[str, ...]
    tab: Tab
    tabs: tuple[FlagTab, ...]


class FlagPageView(Struct, frozen=True):
    """A flag with its scope, for a user who may see it."""

    visit: PageRequest
    flag: Flag
    scope: FlagScope

    @property
    def href(self) -> str:
        """The path of its pages."""
        return f"{HOME}/{self.flag.id}"

    @property
    def editable(self) -> bool:
        """Return whether the user may change the flag."""
        return self.visit.person.may("member")

    @property
    def groups(self) -> tuple[TargetGroup, ...]:
        """The target groups that it can use."""
        return self.scope.groups

    def show(self, template: str, tab: Tab, *, again: Again | None = None, **context: Any) -> Page:
        """Render a page about the flag; `values`, `errors` and `general` are those of a refused form."""
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
            **{"done": done_message(self.visit), **context},
        )

    def _head(self, tab: Tab) -> FlagPageHead:
        flag = self.flag
        notes = [owner_name(self.visit, flag.scope), TYPE_LABELS[flag.definition.type]]
        if flag.environment is not None:
            notes.append(_("Environment") + ": " + figures.visible(flag.environment))
        if flag.definition.folder:
            notes.append(_("Folder") + ": " + figures.visible(flag.definition.folder))
        status = flag.definition.status
        tabs = tuple(FlagTab(name, _TABS[name], f"{self.href}{_PATHS[name]}") for name in get_args(Tab))
        return FlagPageHead(
            flag_title(flag), flag.key, self.href, f"flag-{status}", STATUS_LABELS[status], tuple(notes), tab, tabs
        )


def frame(person: SignedInPerson) -> Shell:
    """The frame of all pages of flags."""
    return shell(person, "flags")


def done_message(visit: PageRequest) -> str:
    """The confirmation of the last action, by the `done` parameter of the address."""
    return DONE.get(visit.asked("done"), "")


async def open_flag(visit: PageRequest, flag_id: str) -> FlagPageView:
    """The flag that an address names. Raises NotFound or Forbidden."""
    flag = await visible_flag(visit.call, flag_id)
    scope = visit.parts[Flags].scope(flag.scope)
    return FlagPageView(visit, flag, scope or FlagScope(flag.scope, flag.organization_id, flag.website_id))


def flag_title(flag: Flag) -> str:
    """The title of a flag: its name, else its key."""
    return figures.visible(flag.definition.name or flag.key)


def owners(visit: PageRequest) -> Mapping[str, str]:
    """The possible owners of flags in the user's organization: names by scope, the organization first."""
    person = visit.person
    named = {one.organization_id: one.name for one in person.memberships}
    found = {person.organization_id: _organization(named.get(person.organization_id, ""))}
    return found | {one.id: figures.visible(one.name) for one in visit.parts[Directory].of(person.organization_id)}


def owner_name(visit: PageRequest, scope_id: str) -> str:
    """The name of the website or organization that owns a flag."""
    website = visit.parts[Directory].find(scope_id)
    if website is not None:
        return figures.visible(website.name)
    return _organization(next((one.name for one in visit.person.memberships if one.organization_id == scope_id), ""))


def _organization(name: str) -> str:
    return _("{name} (organization)").format(name=figures.visible(name))
