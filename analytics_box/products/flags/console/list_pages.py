"""The list of flags of an organization and its websites, under /flags."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, get_args
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, FlagType, Status
from analytics_box.products.flags.page_frame import (
    HOME,
    STATUS_LABELS,
    TYPE_LABELS,
    done_message,
    flag_title,
    frame,
    owners,
)
from analytics_box.products.flags.scope import FlagScope
from analytics_box.products.flags.sentences import Sentence, flag_sentence
from analytics_box.products.flags.usage.reading import FlagUsage, used
from analytics_box.web.call import Parts
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Page, PageRequest, Visitor

_STALE = {
    "never_evaluated": _("Stale: nobody asks for it"),
    "constant": _("Stale: the same for everybody"),
    "one_outcome": _("Stale: everybody got the same"),
}


AT_ONCE: Final = 50  # flags on a page
MOST_NAMES: Final = 200  # folders and environments to choose from
STALE: Final = "stale"  # in an address: flags that could go
NONE: Final = "-"  # in an address: no folder, no environment


_STATUSES: Final[Mapping[str, tuple[Status, ...]]] = {"": ("active", "inactive"), STALE: ("active",)}


class FlagListRequest(Struct, frozen=True):
    """?search= &of= &status= &type= &environment= &folder= &page=."""

    search: str = ""
    of: str = ""
    status: str = ""
    type: str = ""
    environment: str = ""
    folder: str = ""
    page: int = 1

    @property
    def narrowed(self) -> bool:
        """Whether it leaves out flags that are usually shown."""
        return self != FlagListRequest(page=self.page)

    def link(self, **changes: object) -> str:
        """The URL of this list with some of it changed, for templates."""
        wanted = replace(self, **changes)
        given = {name: getattr(wanted, name) for name in wanted.__struct_fields__ if name != "page"}
        given["page"] = str(wanted.page) if wanted.page > 1 else ""
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{HOME}?{query}" if query else HOME


class FlagListItem(Struct, frozen=True):
    """A flag in the list. `decides` is the default rule in words, `before` a summary of the rules."""

    name: str
    key: str
    href: str
    mark: str
    label: str
    type: str
    owner: str
    environment: str
    folder: str
    before: str
    decides: Sentence
    last: str = ""
    stale: str = ""


async def flag_list(visit: Visitor) -> Page:
    """GET /flags."""
    asked, named = read_asked(visit), owners(visit)
    scopes = {scope.id: scope for scope in visit.parts[Flags].of(visit.person.organization_id)}
    own = [flag for scope in scopes.values() for flag in scope.flags]
    found = sorted(select_flags(own, asked), key=lambda flag: (flag.definition.name or flag.key).casefold())
    if asked.status == STALE:
        all_uses = await _uses(visit.parts, scopes, found)
        found = [flag for flag in found if all_uses[flag.id].stale is not None]
    first = (asked.page - 1) * AT_ONCE
    shown = found[first : first + AT_ONCE]
    uses = await _uses(visit.parts, scopes, shown)
    return visit.pages.show(
        "flags.html",
        shell=frame(visit.person),
        asked=asked,
        any=bool(own),
        lines=[_line(flag, named, uses[flag.id], visit.person) for flag in shown],
        counted=_count_text(asked, len(shown), len(found)),
        owners=list(named.items()),
        environments=_names({flag.environment for flag in own if flag.environment}, _("No environment")),
        folders=_names({flag.definition.folder for flag in own if flag.definition.folder}, _("No folder")),
        later=asked.link(page=asked.page + 1) if first + AT_ONCE < len(found) else "",
        earlier=asked.link(page=asked.page - 1) if asked.page > 1 else "",
        editable=visit.person.may("member"),
        done=done_message(visit),
        status_labels=STATUS_LABELS,
        type_labels=TYPE_LABELS,
    )


def read_asked(visit: PageRequest) -> FlagListRequest:
    """The request in the URL. Pages are forgiving: invalid values are left out."""
    page = visit.asked("page")
    return FlagListRequest(
        search=visit.asked("search").strip()[:255],
        of=visit.asked("of")[:64],
        status=next((one for one in (*get_args(Status), STALE) if one == visit.asked("status")), ""),
        type=next((one for one in get_args(FlagType) if one == visit.asked("type")), ""),
        environment=visit.asked("environment")[:64],
        folder=visit.asked("folder")[:100],
        page=int(page) if page.isascii() and page.isdecimal() and len(page) < 6 and int(page) else 1,
    )


def select_flags(flags: Iterable[Flag], asked: FlagListRequest) -> list[Flag]:
    """The flags that the URL asks for, but for how they are used; archived ones only by their status."""
    sought = asked.search.casefold()
    return [
        flag
        for flag in flags
        if flag.definition.status in _STATUSES.get(asked.status, (asked.status,))
        and asked.of in {"", flag.scope}
        and asked.type in {"", flag.definition.type}
        and asked.environment in {"", flag.environment or NONE}
        and (not asked.folder or f"{flag.definition.folder or NONE}/".startswith(f"{asked.folder}/"))
        and (not sought or any(sought in text.casefold() for text in _texts(flag)))
    ]


def last_evaluated_text(used: FlagUsage, person: SignedInPerson) -> str:
    """The last evaluation of a flag, in words."""
    return (
        _("Evaluated {when}").format(when=dates.moment(used.last_at, person))
        if used.last_at is not None
        else _("Never evaluated")
    )


def stale_text(used: FlagUsage, person: SignedInPerson) -> str:
    """The reason why a flag is stale, in words; empty if it is not."""
    stale = used.stale
    if stale is None:
        return ""
    return _("{what} since {day}").format(what=_STALE[stale.reason], day=dates.day(stale.since, person))


async def _uses(parts: Parts, scopes: Mapping[str, FlagScope], flags: list[Flag]) -> dict[str, FlagUsage]:
    """The usage of these flags, by their ids."""
    found: dict[str, FlagUsage] = {}
    for scope_id in dict.fromkeys(flag.scope for flag in flags):
        found |= await used(parts, scopes[scope_id], [flag for flag in flags if flag.scope == scope_id])
    return found


def _texts(flag: Flag) -> tuple[str, ...]:
    return (flag.key, flag.definition.name, flag.definition.description)


def _line(flag: Flag, named: Mapping[str, str], uses: FlagUsage, person: SignedInPerson) -> FlagListItem:
    given = flag.definition
    count = len(given.rules) + len(given.targetGroupIds)
    environment = figures.visible(flag.environment or "")
    return FlagListItem(
        name=flag_title(flag),
        key=flag.key,
        href=f"{HOME}/{flag.id}",
        mark=f"flag-{given.status}",
        label=STATUS_LABELS[given.status],
        type=TYPE_LABELS[given.type],
        owner=named.get(flag.scope, ""),
        environment=", ".join((environment, _("for one user"))) if flag.user_id else environment,
        folder=figures.visible(given.folder),
        before=ngettext("1 rule, else ", "{count} rules, else ", count).format(count=figures.count(count))
        if count
        else "",
        decides=flag_sentence(flag),
        last=last_evaluated_text(uses, person) if given.status == "active" or uses.last_at is not None else "",
        stale=stale_text(uses, person),
    )


def _names(names: Collection[str], none: str) -> list[tuple[str, str]]:
    """Names to choose from, and "none"; empty if there are no names."""
    found = [(name, figures.visible(name)) for name in sorted(names, key=str.casefold)[:MOST_NAMES]]
    return [*found, (NONE, none)] if found else []


def _count_text(asked: FlagListRequest, shown: int, total: int) -> str:
    """The number of flags, and the range on this page."""
    if total <= AT_ONCE and asked.page == 1:
        return ngettext("1 flag", "{count} flags", total).format(count=figures.count(total))
    first = (asked.page - 1) * AT_ONCE + 1
    return _("{first}–{last} of {count}").format(
        first=figures.count(first), last=figures.count(first + shown - 1), count=figures.count(total)
    )
