"""Shared parts of all pages of flags: their frame, the head of a flag with its tabs, and flags in the palette."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.flags.access import visible_flag
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, FlagScope, TargetGroup
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import all_own
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.call import Call
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Again, Page, PageRequest
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

TYPE_LABELS = {"boolean": _("On or off"), "rollout": _("Percentage rollout"), "multivariant": _("Variants")}
_TABS = {
    "now": _("Targeting"),
    "rollout": _("Rollout"),
    "test": _("Test"),
    "results": _("Results"),
    "history": _("History"),
    "code": _("Code"),
}
STATUS_LABELS = {"active": _("Active"), "inactive": _("Inactive"), "archived": _("Archived")}
DONE = {
    "created": _("Flag created. Apps receive it within 30 seconds."),
    "created-inactive": _(
        "Flag created. It is inactive because a required flag is not active. Activate the required flag first."
    ),
    "saved": _("Flag saved. Apps receive the change within 30 seconds."),
    "stays-inactive": _(
        "Flag saved. It is inactive because a required flag is not active. Activate the required flag first."
    ),
    "active": _("Flag activated. Apps receive it within 30 seconds."),
    "inactive": _("Flag deactivated. Within 30 seconds, apps receive its off value or use the default in their code."),
    "archived": _("Flag archived. To see it in the list, filter by the status “Archived”."),
    "needed": _("The flag is no longer active. The flags below require it and are now off for all users."),
    "deleted": _("Flag deleted. Within 30 seconds, apps use the default in their code."),
    "restored": _("Version restored. Apps receive it within 30 seconds."),
    "copied": _("Flag copied. The copy is inactive until you activate it."),
    "group-created": _("Target group created. Select it in a flag to use its rules."),
    "group-saved": _("Target group saved. Flags that use it change within 30 seconds."),
    "group-deleted": _("Target group deleted."),
    "folder-renamed": _("Folder renamed."),
    "folder-deleted": _("Folder deleted. Its flags moved one level up."),
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
    """The head of every page about a flag. `mark` is the style class of its status; `notes` distinguish it from other
    flags with its name.
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
        return self.visit.show(
            template,
            frame(self.visit.person),
            again,
            head=self._head(tab),
            editable=self.editable,
            **{"done": done_message(self.visit), **context},
        )

    def _head(self, tab: Tab) -> FlagPageHead:
        flag = self.flag
        notes = [owner_name(self.visit, flag.scope), TYPE_LABELS[flag.definition.type]]
        if flag.environment is not None:
            notes.append(_("Environment: {name}").format(name=figures.visible(flag.environment)))
        if flag.definition.folder:
            notes.append(_("Folder: {name}").format(name=figures.visible(flag.definition.folder)))
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
    """The flag in the URL. Raises NotFound or Forbidden."""
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
    return found | {one.id: figures.visible(one.name) for one in all_own(visit.call)}


def owner_name(visit: PageRequest, scope_id: str) -> str:
    """The name of the website or organization that owns a flag."""
    website = visit.parts[Directory].find(scope_id)
    if website is not None:
        return figures.visible(website.name)
    return _organization(next((one.name for one in visit.person.memberships if one.organization_id == scope_id), ""))


def _organization(name: str) -> str:
    return _("{name} (organization)").format(name=figures.visible(name))


async def flag_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Flags of the organization and its websites by name and key; of several environments each."""
    person = call.identity.person
    if person is None or not asked.words:
        return ()
    return [
        PaletteHit(
            "flag", flag.definition.name or flag.key, f"{HOME}/{flag.id}", "flag", _detail(flag.key, flag.environment)
        )
        for scope in call.parts[Flags].of(person.organization_id)
        for flag in scope.flags
        if asked.fits(flag.definition.name, flag.key, flag.environment or "")
        and call.identity.reaches(flag.id, flag.website_id)
    ]


def _detail(key: str, environment: str | None) -> str:
    return f"{key} · {environment}" if environment else key
