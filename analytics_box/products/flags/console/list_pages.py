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
from analytics_box.products.flags.flag import Flag, FlagScope, FlagType, Status
from analytics_box.products.flags.page_frame import (
    HOME,
    STATUS_LABELS,
    TYPE_LABELS,
    done_message,
    flag_title,
    frame,
    owners,
)
from analytics_box.products.flags.sentences import default_percentage, percent
from analytics_box.products.flags.usage.counts import FlagUsage, used
from analytics_box.web.call import Parts
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Page, PageRequest, Visitor

_STALE = {
    "never_evaluated": _("not evaluated since {day}"),
    "constant": _("all users get the same value since {day}"),
    "one_outcome": _("all users got the same value since {day}"),
}


AT_ONCE: Final = 50  # Flags on a page.
# With fewer flags, the list has no search and no filters.
SEARCHED: Final = 12
MOST_NAMES: Final = 200  # Folders and environments to choose from.
STALE: Final = "stale"  # In an address: flags that can be removed from the code.
# The owners of flags are the organization and its only website.
ONE_WEBSITE: Final = 2
NONE: Final = "-"  # In an address: no folder or environment.


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
        """Return whether a search or a filter is set."""
        return self != FlagListRequest(page=self.page)

    def link(self, **changes: object) -> str:
        """The URL of this list with some of it changed, for templates."""
        wanted = replace(self, **changes)
        given = {name: getattr(wanted, name) for name in wanted.__struct_fields__ if name != "page"}
        given["page"] = str(wanted.page) if wanted.page > 1 else ""
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{HOME}?{query}" if query else HOME


class FlagListItem(Struct, frozen=True):
    """A flag in the list. `bar` is the CSS class of its rollout bar, empty for a flag with variants; `share` is the
    rollout in words, and `rules` the number of rules that are evaluated before it.
    """

    name: str
    key: str
    href: str
    mark: str
    label: str
    notes: tuple[str, ...]
    folder: str
    bar: str
    share: str
    rules: str
    last: str
    last_exact: str
    stale: str


async def flag_list(visit: Visitor) -> Page:
    """GET /flags."""
    asked, named = read_asked(visit), owners(visit)
    scopes = {scope.id: scope for scope in visit.parts[Flags].of(visit.person.organization_id)}
    reaches = visit.call.identity.reaches
    own = [flag for scope in scopes.values() for flag in scope.flags if reaches(flag.id, flag.website_id)]
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
        count=len(own),
        searched=len(own) >= SEARCHED or asked.narrowed,
        lines=[_line(flag, named, uses[flag.id], visit) for flag in shown],
        counted=_count_text(asked, len(shown), len(found)),
        owners=list(named.items()),
        environments=_names({flag.environment for flag in own if flag.environment}, _("No environment")),
        folders=_names({flag.definition.folder for flag in own if flag.definition.folder}, _("No folder")),
        archived=any(flag.definition.status == "archived" for flag in own),
        later=asked.link(page=asked.page + 1) if first + AT_ONCE < len(found) else "",
        earlier=asked.link(page=asked.page - 1) if asked.page > 1 else "",
        editable=visit.person.may_create,
        done=done_message(visit),
        status_labels=STATUS_LABELS,
        type_labels=TYPE_LABELS,
    )


def read_asked(visit: PageRequest) -> FlagListRequest:
    """The filters in the URL; invalid values are ignored."""
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
    """The flags that match the filters; archived flags only if that status is selected."""
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


def stale_text(used: FlagUsage, person: SignedInPerson) -> str:
    """The reason why a flag is stale, in words; empty if it is not."""
    stale = used.stale
    return _STALE[stale.reason].format(day=dates.day(stale.since, person)) if stale is not None else ""


async def _uses(parts: Parts, scopes: Mapping[str, FlagScope], flags: list[Flag]) -> dict[str, FlagUsage]:
    """The usage of these flags, by their ids."""
    found: dict[str, FlagUsage] = {}
    for scope_id in dict.fromkeys(flag.scope for flag in flags):
        found |= await used(parts, scopes[scope_id], [flag for flag in flags if flag.scope == scope_id])
    return found


def _texts(flag: Flag) -> tuple[str, ...]:
    return (flag.key, flag.definition.name, flag.definition.description)


def _line(flag: Flag, named: Mapping[str, str], uses: FlagUsage, visit: PageRequest) -> FlagListItem:
    given, name = flag.definition, flag_title(flag)
    count = len(given.rules) + len(given.targetGroupIds)
    rollout = default_percentage(given)
    notes = (
        named.get(flag.scope, "") if len(named) > ONE_WEBSITE else "",
        figures.visible(flag.environment or ""),
        _("One user") if flag.user_id else "",
    )
    return FlagListItem(
        name=name,
        key=flag.key,
        href=f"{HOME}/{flag.id}",
        mark=f"flag-{given.status}",
        label=STATUS_LABELS[given.status],
        notes=tuple(note for note in notes if note),
        folder=figures.visible(given.folder),
        bar=figures.bar_width(rollout, 100) if rollout is not None else "",
        share=percent(rollout)
        if rollout is not None
        else ngettext("1 variant", "{count} variants", len(given.variants)).format(
            count=figures.count(len(given.variants))
        ),
        rules=ngettext("1 rule", "{count} rules", count).format(count=figures.count(count)) if count else "",
        last=dates.ago(uses.last_at, visit.call.now) if uses.last_at is not None else _("Never"),
        last_exact=dates.moment(uses.last_at, visit.person) if uses.last_at is not None else "",
        stale=stale_text(uses, visit.person),
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
