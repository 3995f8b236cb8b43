"""A monitor at work: what is in memory of it while the box runs."""

import asyncio
from typing import Literal, Protocol
from urllib.parse import urlsplit

from msgspec import Struct

from analytics_box.facts.uptime import MAINTENANCE, PAUSED, STATES, UNKNOWN
from analytics_box.monitors.monitor import Monitor
from analytics_box.monitors.result import Result
from analytics_box.monitors.running.states import Standing

Shown = Literal["new", "up", "degraded", "verifying", "down", "unknown", "maintenance", "paused"]


class Windows(Protocol):
    """The maintenance windows of one monitor. Instants are UTC ms."""

    def in_maintenance(self, instant: int) -> bool:
        """Whether one of them holds then."""

    def next_change(self, instant: int) -> int | None:
        """The first instant after that at which this changes; None where it never does."""


class Live(Struct, frozen=True):
    """How a monitor is now. `since` is when its state began, `next_at` when it is checked next (UTC ms)."""

    state: Shown
    since: int | None = None
    last: Result | None = None
    next_at: int | None = None
    is_flapping: bool = False


class Draft(Struct):
    """What follows commits: how a monitor stands, which span is open (0: none), and what lies over its checks."""

    standing: Standing = Standing()
    shown: int = 0
    shown_since: int = 0
    is_unknown: bool = False
    is_paused: bool = False
    last: Result | None = None
    seen: int = 0  # when it was last heard of, so that nothing is told out of order


class Watched(Struct):
    """A monitor and its draft. A check of it under way has a `ticket`; `version` says which monitor it is of."""

    monitor: Monitor
    windows: Windows | None
    draft: Draft
    host: str
    ticket: int = 0
    is_running: bool = False
    version: int = 0
    waiting: list[asyncio.Future[Result]] | None = None

    def in_maintenance(self, instant: int) -> bool:
        """Whether it is in a maintenance window then."""
        return self.windows is not None and self.windows.in_maintenance(instant)

    def next_change(self, instant: int) -> int | None:
        """When that changes next."""
        return self.windows.next_change(instant) if self.windows is not None else None


def host_of(monitor: Monitor) -> str:
    """What many monitors may have in common, and is not to be asked by all of them at once."""
    try:
        return urlsplit(monitor.url).hostname or monitor.url
    except ValueError:
        return monitor.url


def live(watched: Watched, next_at: int | None) -> Live:
    """How it is now."""
    draft, standing = watched.draft, watched.draft.standing
    state: Shown
    if watched.monitor.is_paused:
        state = "paused"
    elif draft.shown in (UNKNOWN, MAINTENANCE, PAUSED):
        state = STATES[draft.shown]  # type: ignore[assignment]  # one of three words
    else:
        state = "verifying" if standing.is_verifying else standing.base
    since = {"verifying": standing.turned, "new": 0}.get(state, draft.shown_since)
    return Live(state, since or None, draft.last, None if watched.monitor.is_paused else next_at, standing.flapping)
