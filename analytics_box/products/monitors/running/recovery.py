"""Where the box goes on: what became of the monitors before it ended, and the time in which nobody watched."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from analytics_box.base.facts.uptime import PAUSED, UNKNOWN, Span
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.rows import Stored, Transition
from analytics_box.products.monitors.running.states import Standing, waiting_longer, without_row
from analytics_box.products.monitors.running.watched import Draft, Watched

log = logging.getLogger(__name__)

GAP: Final = 15_000  # ms without a sign of life that are none yet


class Recovered(NamedTuple):
    """What was not told before the box ended, and when a canary last answered (UTC ms; 0 for never).

    `seen_until` is from when on it is to be looked what lies over the checks: the last time it was.
    """

    untold: list[Transition]
    canaries_at: int
    seen_until: int


async def recover(events: Db, monitors: Mapping[int, Watched], now: int) -> Recovered:
    """Bring monitors to where they were, and write down a gap before now.

    No check is replayed, and what is told is based on no gap: rows of checks begin anew, and who waits to be told gets
    the gap as extra time. Raises Unavailable.
    """
    drafts, recovered = await events.write(partial(_recover, monitors=dict(monitors), now=now))
    for number, draft in drafts.items():
        if number in monitors:
            monitors[number].draft = draft
    return recovered


def _recover(db: Connection, monitors: Mapping[int, Watched], now: int) -> tuple[dict[int, Draft], Recovered]:
    stored = rows.stored(db)
    since = now if stored.alive_at is None else stored.alive_at
    is_gap = now - since > GAP
    if is_gap:
        log.info("Monitors: nothing was watched for %.0f s", (now - since) / 1000)
        rows.gap(db, since)
        stored = rows.stored(db)
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
    return drafts, Recovered(rows.untold(db), stored.canaries_at, now if is_gap else min(since, now))


def _draft(stored: Stored, number: int, monitor: Monitor, *, is_gap: bool) -> Draft:
    span = stored.open_spans.get(number, Span(0, 0))
    standing = without_row(stored.standings.get(number, Standing()))
    return Draft(
        standing=standing,
        shown=span.state,
        shown_since=span.start,
        is_unknown=span.state == UNKNOWN and (is_gap or standing.base != "new"),
        is_paused=span.state == PAUSED or (monitor.is_paused and not span.state),
        seen=span.start,
    )
