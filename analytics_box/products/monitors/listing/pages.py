"""The list of an organization's monitors under /monitors: monitors that need attention, then groups."""

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import groupby
from typing import Final, Literal
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.clock import DAY
from analytics_box.base.facts.spans import read_spans
from analytics_box.base.translation import _, ngettext
from analytics_box.products.alerts import telling
from analytics_box.products.alerts.alert_rule import monitor_subject
from analytics_box.products.monitors import outages
from analytics_box.products.monitors.calls import reachable_monitors
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.listing.lines import (
    DAYS,
    URGENT,
    DowntimeSummary,
    MonitorLine,
    downtime_summary,
    line,
    trouble,
)
from analytics_box.products.monitors.monitor import HOME, LONGEST_GROUP, LONGEST_TAG, Monitor
from analytics_box.products.monitors.page_frame import DONE, STATE_LABELS, Reporting, frame, state_name
from analytics_box.products.monitors.selection import MonitorSelection, select_monitors
from analytics_box.query import ranges
from analytics_box.query.ranges import Preset
from analytics_box.query.run import QueryRunner
from analytics_box.web.page.visit import Page, PageRequest, Visitor

# The worst state first.
ORDER: Final[tuple[State, ...]] = ("down", "verifying", "degraded", "unknown", "new", "maintenance", "up", "paused")


# The ranges of the downtime summary.
RANGE_LABELS: Final[Mapping[Preset, str]] = {
    "this_month": _("This month"),
    "last_month": _("Last month"),
    "last_30d": _("Last 30 days"),
    "this_year": _("This year"),
}


class MonitorListState(Struct, frozen=True):
    """?search= &state= &group= &tag= &page= &downtime=; an empty `downtime` is this month, folded up."""

    search: str = ""
    state: str = ""
    group: str = ""
    tag: str = ""
    page: int = 1
    downtime: Preset | Literal[""] = ""

    @property
    def narrowed(self) -> bool:
        """Return whether it leaves out monitors."""
        return bool(self.search or self.state or self.group or self.tag)

    @property
    def selection(self) -> MonitorSelection:
        """The filter without the state, which is applied after the monitors of each state are counted."""
        return MonitorSelection(
            search=self.search, tags=(self.tag,) if self.tag else (), group=self.group or None, sort="state"
        )

    def link(self, **changes: object) -> str:
        """The URL of this list with some of it changed, for templates."""
        wanted = replace(self, **changes)
        given = {
            "search": wanted.search,
            "state": wanted.state,
            "group": wanted.group,
            "tag": wanted.tag,
            "page": str(wanted.page) if wanted.page > 1 else "",
            "downtime": wanted.downtime,
        }
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{HOME}?{query}" if query else HOME


AT_ONCE = 50  # monitors on a page
MOST_NAMES = 200  # groups and tags to choose from
# With fewer monitors, the list has no search and no filters.
SEARCHED = 12


class MonitorGroup(Struct, frozen=True):
    """The rows of a group, and how many of its monitors are up; the group without a name has those of none."""

    name: str
    up: str
    lines: tuple[MonitorLine, ...]


async def monitor_list(visit: Visitor) -> Page:
    """GET /monitors."""
    asked, known = read_asked(visit), visit.parts[Monitors]
    own = await reachable_monitors(visit.call, None)
    found = select_monitors(own, asked.selection, known)
    states = {one.number: state_name(known.state_of(one)) for one in found}
    wanted = [one for one in found if not asked.state or states[one.number] == asked.state]
    wanted.sort(key=lambda one: _place(one, states[one.number]))
    total, first = len(wanted), (asked.page - 1) * AT_ONCE
    shown = wanted[first : first + AT_ONCE]
    lines = await _lines(visit, known, shown)
    urgent = [one for one in shown if states[one.number] in URGENT]
    calm = shown[len(urgent) :]
    return visit.pages.show(
        "monitors.html",
        shell=frame(visit.person),
        asked=asked,
        urgent=await _urgent(visit, known, urgent, lines),
        groups=_groups(calm, lines, _up_by_group(found, states)),
        downtime=await _downtime(visit, found, asked.downtime or "this_month"),
        range_labels=RANGE_LABELS,
        count=len(own),
        searched=len(own) >= SEARCHED or asked.narrowed,
        totals=_totals(Counter(states.values())),
        counted=_count_text(asked, len(shown), total),
        group_names=_names({one.group for one in own if one.group}),
        tags=_names({tag for one in own for tag in one.tags} | ({asked.tag} if asked.tag else set())),
        later=asked.link(page=asked.page + 1) if first + AT_ONCE < total else "",
        earlier=asked.link(page=asked.page - 1) if asked.page > 1 else "",
        editable=visit.person.may_create,
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
        downtime=next((one for one in RANGE_LABELS if one == visit.asked("downtime")), ""),
    )


def _place(monitor: Monitor, state: str) -> tuple[bool, int, bool, str]:
    """The place of a monitor in the list: the worst state first, then groups by name, then monitors without a group."""
    urgent = state in URGENT
    return not urgent, URGENT.index(state) if urgent else 0, not urgent and not monitor.group, monitor.group.casefold()


async def _lines(visit: PageRequest, known: Monitors, shown: list[Monitor]) -> dict[int, MonitorLine]:
    now, events = visit.call.now, visit.parts[QueryRunner].events
    numbers = [monitor.number for monitor in shown]
    spans, responses = await events.read(
        lambda db: (
            read_spans(db, "monitor_spans", numbers, now - DAYS * DAY),
            outages.responses(db, numbers, now - DAY),
        )
    )
    return {
        one.number: line(one, known.state_of(one), spans[one.number], responses.get(one.number), now) for one in shown
    }


async def _downtime(visit: Visitor, found: list[Monitor], preset: Preset) -> DowntimeSummary:
    """The downtime of all listed monitors in a range of the person's calendar."""
    now, tz = visit.call.now, ranges.zone(visit.person.time_zone)
    window = ranges.cut(ranges.window(ranges.of_preset(preset, now, tz), tz), now)
    numbers = [one.number for one in found]
    events = visit.parts[QueryRunner].events
    downtimes = await events.read(lambda db: outages.downtimes(db, numbers, window.start, window.end))
    return downtime_summary(found, downtimes)


async def _urgent(
    visit: Visitor, known: Monitors, urgent: list[Monitor], lines: Mapping[int, MonitorLine]
) -> list[MonitorLine]:
    """The rows of monitors that need attention, each with its cause."""
    if not urgent:
        return []
    person, now, reports = visit.person, visit.call.now, visit.parts[Reporting]
    subjects = {one.number: monitor_subject(one.id) for one in urgent}
    notices = await visit.call.read(lambda db: telling.notices(db, person.organization_id, tuple(subjects.values())))
    return [
        replace(
            lines[one.number],
            trouble=trouble(
                live,
                notices.get(subjects[one.number]),
                reports.of(visit.call, one.id, one.organization_id),
                person,
                now,
            ),
        )
        for one in urgent
        if (live := known.state_of(one)) is not None
    ]


def _groups(
    calm: list[Monitor], lines: Mapping[int, MonitorLine], up: Mapping[str, tuple[int, int]]
) -> list[MonitorGroup]:
    return [
        MonitorGroup(
            figures.visible(name),
            _("{up} of {count} up").format(up=figures.count(up[name][0]), count=figures.count(up[name][1])),
            tuple(lines[one.number] for one in some),
        )
        for name, some in groupby(calm, key=lambda one: one.group)
    ]


def _up_by_group(found: Collection[Monitor], states: Mapping[int, str]) -> dict[str, tuple[int, int]]:
    """For each group the number of monitors that are up, and of all. Degraded monitors are up."""
    total = Counter(one.group for one in found)
    up = Counter(one.group for one in found if states[one.number] in {"up", "degraded"})
    return {name: (up[name], count) for name, count in total.items()}


def _totals(counts: Counter[str]) -> str:
    """The number of monitors, and of those in each state, such as "11 monitors: 1 down, 10 up"."""
    total = sum(counts.values())
    parts = (f"{figures.count(counts[state])} {STATE_LABELS[state].lower()}" for state in ORDER if counts[state])
    said = ngettext("1 monitor", "{count} monitors", total).format(count=figures.count(total))
    return f"{said}: {', '.join(parts)}" if total else said


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
