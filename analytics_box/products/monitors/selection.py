"""Filtering and sorting of lists of monitors, in memory, so that 10,000 are quick."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

from msgspec import Struct

from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Kind, Monitor

Order = Literal["newest", "oldest", "name-asc", "name-desc", "state"]

_WORST: Final[dict[str, int]] = {  # what people should look at first
    "down": 0,
    "verifying": 1,
    "degraded": 2,
    "unknown": 3,
    "maintenance": 4,
    "new": 5,
    "up": 6,
    "paused": 7,
}


class MonitorSelection(Struct, frozen=True, kw_only=True):
    """A filter of monitors; None and empty values match any. A monitor must have all `tags`."""

    search: str = ""
    tags: tuple[str, ...] = ()
    group: str | None = None
    state: State | None = None
    kind: Kind | None = None
    website_id: str | None = None
    sort: Order = "newest"


def select_monitors(found: Iterable[Monitor], asked: MonitorSelection, monitors: Monitors) -> list[Monitor]:
    """The monitors that match, in the requested order."""
    words = asked.search.casefold().split()
    fitting = [
        one
        for one in found
        if (asked.group is None or one.group == asked.group)
        and (asked.kind is None or one.kind == asked.kind)
        and (asked.website_id is None or one.website_id == asked.website_id)
        and all(tag in one.tags for tag in asked.tags)
        and (not words or _has(one, words))
        and (asked.state is None or state_of(one, monitors) == asked.state)
    ]
    return sorted(fitting, key=_key(asked.sort, monitors), reverse=asked.sort in {"newest", "name-desc"})


def state_of(monitor: Monitor, monitors: Monitors) -> State | None:
    """The current state of a monitor; for one that is not run, only whether it is paused."""
    live = monitors.state_of(monitor)
    if live is None:
        return "paused" if monitor.is_paused else None
    return live.state


def tags_of(found: Iterable[Monitor]) -> list[tuple[str, int]]:
    """The tags of these monitors by name, each with how many have it."""
    counted = Counter(tag for one in found for tag in one.tags)
    return sorted(counted.items(), key=lambda one: (one[0].casefold(), one[0]))


def _has(monitor: Monitor, words: list[str]) -> bool:
    text = "\n".join((monitor.name or "", monitor.url, monitor.group, *monitor.tags)).casefold()
    return all(word in text for word in words)


def _key(order: Order, monitors: Monitors) -> Callable[[Monitor], Any]:
    match order:
        case "newest" | "oldest":
            return lambda one: one.number
        case "state":
            return lambda one: (_WORST.get(state_of(one, monitors) or "", 8), one.called.casefold(), one.number)
        case _:
            return lambda one: (one.called.casefold(), one.number)
