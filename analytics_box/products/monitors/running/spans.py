"""The timeline of a monitor: spans without gaps or overlaps, of which the last one is open. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from analytics_box.base.facts.uptime import DEGRADED, DOWN, STATES, UNKNOWN, UP, Span

BASES: Final = frozenset((UP, DEGRADED, DOWN))  # what checks say; all others lie over it
NEW: Final = BASES | {UNKNOWN}  # and what is shown of a new monitor before they have said anything
_ALL: Final = frozenset(STATES)


class Stroke(NamedTuple):
    """From `at` (UTC ms) on a monitor is in this state: whatever it was, or only where it was one of `instead_of`."""

    monitor: int
    at: int
    state: int
    instead_of: frozenset[int] = _ALL


def painted(tail: Sequence[Span], stroke: Stroke) -> list[Span]:
    """What the last spans of a monitor become, oldest first. They must reach back to the time of the stroke.

    A stroke over everything begins no earlier than the open span: the clock may have been set back.
    """
    if not tail:
        return [Span(stroke.state, stroke.at)]
    if stroke.instead_of == _ALL:
        at, last = max(stroke.at, tail[-1].start), tail[-1]
        return joined([*tail[:-1], Span(last.state, last.start, at), Span(stroke.state, at)])
    made: list[Span] = []
    for span in tail:
        if span.state not in stroke.instead_of or 0 < span.until <= stroke.at:
            made.append(span)
        else:
            at = max(stroke.at, span.start)
            made += (Span(span.state, span.start, at), Span(stroke.state, at, span.until))
    return joined(made)


def joined(spans: Sequence[Span]) -> list[Span]:
    """These spans without empty ones, and neighbours of one state as one."""
    made: list[Span] = []
    for span in spans:
        if span.until and span.until <= span.start:
            continue
        if made and made[-1].state == span.state:
            made[-1] = Span(span.state, made[-1].start, span.until)
        else:
            made.append(span)
    return made
