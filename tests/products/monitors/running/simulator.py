"""Uptime told plainly: what a monitor was in each second, by a log of what happened.

Written after the design alone. It knows no spans: for each second it is asked anew what holds.
"""

from typing import Literal, NamedTuple

BLINK = 15  # seconds without a sign of life that are no gap yet

What = Literal["pass", "warn", "fail", "pause", "resume", "off", "on"]


class Log(NamedTuple):
    """What happened, in order: each with its second. `off` is when the box last watched, `on` when it began again.

    `maintenance` are pairs: from which second on, and before which. The log goes until before `ends`.
    """

    begins: int
    ends: int
    happened: list[tuple[What, int]]
    maintenance: list[tuple[int, int]]
    failures: int
    successes: int


def simulate(log: Log) -> list[str]:
    """The state in each second: up, degraded, down, unknown, maintenance, paused; empty until there is one."""
    believed, off, paused = _believed(log), _blind(log), _between(log, "pause", "resume")
    states: list[str] = []
    for second in range(log.begins, log.ends):
        has_begun = bool((states and states[-1]) or believed[second - log.begins])
        if second in paused:
            state = "paused"
        elif second in off:
            state = "unknown" if has_begun else ""
        elif any(start <= second < end for start, end in log.maintenance):
            state = "maintenance"
        else:
            state = believed[second - log.begins] or ("unknown" if has_begun else "")
        states.append(state)
    return states


def _between(log: Log, first: What, last: What) -> set[int]:
    """The seconds from each `first` on until before the `last` after it."""
    seconds: set[int] = set()
    since: int | None = None
    for what, at in log.happened:
        if what == first:
            since = at
        elif what == last and since is not None:
            seconds |= {*range(since, at)}
            since = None
    return seconds | ({*range(since, log.ends)} if since is not None else set())


def _blind(log: Log) -> set[int]:
    """The seconds in which the box was off for longer than a blink, and those until its first check after that."""
    seconds: set[int] = set()
    blind_since: int | None = None
    last_seen = log.begins
    for what, at in log.happened:
        if what == "off":
            last_seen = at
        elif what == "on" and at - last_seen > BLINK and blind_since is None:
            blind_since = last_seen
        elif what in ("pass", "warn", "fail") and blind_since is not None:
            seconds |= {*range(blind_since, at)}
            blind_since = None
    return seconds | ({*range(blind_since, log.ends)} if blind_since is not None else set())


def _believed(log: Log) -> list[str]:
    """What the checks say of each second: what turns a state holds from the first check of its row on."""
    states = [""] * (log.ends - log.begins)
    state, row, first = "", 0, 0
    for what, at in log.happened:
        if what in ("pause", "on"):
            row = 0
        if what not in ("pass", "warn", "fail"):
            continue
        good = "degraded" if what == "warn" else "up"
        turns = (what != "fail") if state == "down" else (what == "fail")
        if not turns and state == "down":
            row = 0
            continue
        first = first if row else at
        row += 1
        if turns and row < (log.successes if state == "down" else log.failures):
            continue
        since = first if turns or not state else at
        state, row = ("down" if what == "fail" else good), 0
        states[since - log.begins :] = [state] * (log.ends - since)
    return states
