"""The list of an organization's monitors under /monitors. It does what the procedures do."""

from collections import Counter
from collections.abc import Collection
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors.access import visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.listing import rows
from analytics_box.products.monitors.listing.lines import DAYS, MonitorLine, line
from analytics_box.products.monitors.monitor import HOME, LONGEST_GROUP, LONGEST_TAG, Monitor
from analytics_box.products.monitors.page_frame import DONE, STATE_LABELS, frame, state_name
from analytics_box.products.monitors.selection import MonitorSelection, select_monitors
from analytics_box.query.run import QueryRunner
from analytics_box.web.page.visit import Page, PageRequest, Visitor

# What needs somebody first.
ORDER: Final[tuple[State, ...]] = ("down", "verifying", "degraded", "unknown", "new", "maintenance", "up", "paused")


class MonitorListState(Struct, frozen=True):
    """?search= &state= &group= &tag= &page=."""

    search: str = ""
    state: str = ""
    group: str = ""
    tag: str = ""
    page: int = 1

    @property
    def narrowed(self) -> bool:
        """Whether it leaves out monitors."""
        return bool(self.search or self.state or self.group or self.tag)

    @property
    def selection(self) -> MonitorSelection:
        """The monitors that it asks for, in whatever state."""
        return MonitorSelection(
            search=self.search, tags=(self.tag,) if self.tag else (), group=self.group or None, sort="state"
        )

    def link(self, **changes: object) -> str:
        """The URL of this list with some of it changed, for templates."""
        wanted = msgspec.structs.replace(self, **changes)
        given = {
            "search": wanted.search,
            "state": wanted.state,
            "group": wanted.group,
            "tag": wanted.tag,
            "page": str(wanted.page) if wanted.page > 1 else "",
        }
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{HOME}?{query}" if query else HOME


AT_ONCE = 50  # monitors on a page
MOST_NAMES = 200  # groups and tags to choose from


class MonitorStateCount(Struct, frozen=True):
    """The number of monitors in a state; the link filters by it, or removes that filter."""

    state: str
    label: str
    count: str
    href: str
    selected: bool


class MonitorGroup(Struct, frozen=True):
    """Monitors of one group; the group without a name has those of none."""

    name: str
    lines: tuple[MonitorLine, ...]


async def monitor_list(visit: Visitor) -> Page:
    """GET /monitors."""
    asked, known = read_asked(visit), visit.parts[Monitors]
    own = [visible(visit.call, one) for one in known.of(visit.person.organization_id)]
    found = select_monitors(own, asked.selection, known)
    states = {one.number: state_name(known.state_of(one)) for one in found}
    wanted = [one for one in found if not asked.state or states[one.number] == asked.state]
    wanted.sort(key=lambda one: (not one.group, one.group.casefold()))
    total, first = len(wanted), (asked.page - 1) * AT_ONCE
    shown = wanted[first : first + AT_ONCE]
    return visit.pages.show(
        "monitors.html",
        shell=frame(visit.person),
        asked=asked,
        summary=_summary(asked, Counter(states.values())),
        groups=await _groups(visit, known, shown),
        counted=_count_text(asked, len(shown), total),
        group_names=_names({one.group for one in own if one.group}),
        tags=_names({tag for one in own for tag in one.tags} | ({asked.tag} if asked.tag else set())),
        later=asked.link(page=asked.page + 1) if first + AT_ONCE < total else "",
        earlier=asked.link(page=asked.page - 1) if asked.page > 1 else "",
        editable=visit.person.may("member"),
        done=DONE.get(visit.asked("done"), ""),
        state_labels=STATE_LABELS,
    )


def read_asked(visit: PageRequest) -> MonitorListState:
    """The list state from the URL. Invalid values are ignored."""
    page = visit.asked("page")
    return MonitorListState(
        search=visit.asked("search").strip()[:255],
        state=next((state for state in ORDER if state == visit.asked("state")), ""),
        group=visit.asked("group")[:LONGEST_GROUP],
        tag=visit.asked("tag")[:LONGEST_TAG],
        page=int(page) if page.isascii() and page.isdecimal() and int(page[:6]) > 0 and len(page) < 6 else 1,
    )


async def _groups(visit: PageRequest, known: Monitors, shown: list[Monitor]) -> list[MonitorGroup]:
    now, events = visit.call.now, visit.parts[QueryRunner].events
    numbers = [monitor.number for monitor in shown]
    spans, responses = await events.read(
        lambda db: (rows.spans(db, numbers, now - DAYS * DAY), rows.responses(db, numbers, now - DAY))
    )
    made = [
        (one.group, line(one, known.state_of(one), spans[one.number], responses.get(one.number), now)) for one in shown
    ]
    return [
        MonitorGroup(figures.visible(name), tuple(each for _rest, each in some))
        for name, some in groupby(made, key=lambda pair: pair[0])
    ]


def _summary(asked: MonitorListState, counts: Counter[str]) -> list[MonitorStateCount]:
    return [
        MonitorStateCount(
            state=state,
            label=STATE_LABELS[state],
            count=figures.count(counts[state]),
            href=asked.link(state="" if asked.state == state else state, page=1),
            selected=asked.state == state,
        )
        for state in ORDER
        if counts[state] or asked.state == state
    ]


def _names(names: Collection[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in sorted(names, key=str.casefold)[:MOST_NAMES]]


def _count_text(asked: MonitorListState, shown: int, total: int) -> str:
    """The number of monitors, and the range on this page."""
    if total <= AT_ONCE and asked.page == 1:
        return ngettext("1 monitor", "{count} monitors", total).format(count=figures.count(total))
    first = (asked.page - 1) * AT_ONCE + 1
    return _("{first}–{last} of {count}").format(
        first=figures.count(first), last=figures.count(first + shown - 1), count=figures.count(total)
    )
