"""Recovery after a restart: the state of the monitors before the box ended, and the time in which
nothing was watched."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from analytics_box.base.facts.uptime import PAUSED, UNKNOWN, UptimeSpan
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.rows import StoredStates, Transition
from analytics_box.products.monitors.running.states import MonitorStanding, waiting_longer, without_row
from analytics_box.products.monitors.running.watched import WatchedDraft, WatchedMonitor

log = logging.getLogger(__name__)

GAP: Final = 15_000  # ms without a sign of life that are none yet


class RecoveredState(NamedTuple):
    """Transitions that were not passed on before the box ended, and the time of the last answer of a canary (UTC ms; 0
    for never).

    `seen_until` is the time until which changes of maintenance windows were handled; later ones must be looked up.
    """

    untold: list[Transition]
    canaries_at: int
    seen_until: int


async def recover(events: Db, monitors: Mapping[int, WatchedMonitor], now: int) -> RecoveredState:
    """Bring monitors to where they were, and write down a gap before now.

    No check is replayed, and what is told is based on no gap: rows of checks begin again, and who waits to be told gets
    the gap as extra time. Raises Unavailable.
    """
    drafts, recovered = await events.write(partial(_recover, monitors=dict(monitors), now=now))
    for number, draft in drafts.items():
        if number in monitors:
            monitors[number].draft = draft
    return recovered


def _recover(
    db: Connection, monitors: Mapping[int, WatchedMonitor], now: int
) -> tuple[dict[int, WatchedDraft], RecoveredState]:
    stored = rows.load_states(db)
    since = now if stored.alive_at is None else stored.alive_at
    is_gap = now - since > GAP
    if is_gap:
        log.info("Monitors: no checks for %.0f s", (now - since) / 1000)
        rows.gap(db, since)
        stored = rows.load_states(db)
    last = rows.last_results(db, [number for number in monitors if number in stored.standings])
    drafts, extended = {}, {}
    for number, watched in monitors.items():
        draft = drafts[number] = _draft(stored, number, watched.monitor, is_gap=is_gap)
        draft.last = last.get(number)
        standing = waiting_longer(watched.monitor, draft.standing, since, now)
        if standing is not draft.standing:
            extended[number] = draft.standing = standing
    rows.save(db, extended)
    rows.alive(db, now)
    return drafts, RecoveredState(rows.untold(db), stored.canaries_at, now if is_gap else min(since, now))


def _draft(stored: StoredStates, number: int, monitor: Monitor, *, is_gap: bool) -> WatchedDraft:
    span = stored.open_spans.get(number, UptimeSpan(0, 0))
    standing = without_row(stored.standings.get(number, MonitorStanding()))
    return WatchedDraft(
        standing=standing,
        shown=span.state,
        shown_since=span.start,
        is_unknown=span.state == UNKNOWN and (is_gap or standing.base != "new"),
        is_paused=span.state == PAUSED or (monitor.is_paused and not span.state),
        seen=span.start,
    )
