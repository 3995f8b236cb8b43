"""The timeline of a monitor: spans without gaps or overlaps, of which the last one is open. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from analytics_box.base.facts.uptime import DEGRADED, DOWN, STATES, UNKNOWN, UP, UptimeSpan

BASES: Final = frozenset((UP, DEGRADED, DOWN))  # what checks say; all others lie over it
NEW: Final = BASES | {UNKNOWN}  # and what is shown of a new monitor before they have said anything
_ALL: Final = frozenset(STATES)


class Stroke(NamedTuple):
    """From `at` (UTC ms) on a monitor is in this state: whatever it was, or only where it was one of `instead_of`."""

    monitor: int
    at: int
    state: int
    instead_of: frozenset[int] = _ALL


def paint_spans(tail: Sequence[UptimeSpan], stroke: Stroke) -> list[UptimeSpan]:
    """The last spans of a monitor after a stroke, oldest first. They must reach back to the time of the stroke.

    A stroke over everything begins no earlier than the open span: the clock may have been set back.
    """
    if not tail:
        return [UptimeSpan(stroke.state, stroke.at)]
    if stroke.instead_of == _ALL:
        at, last = max(stroke.at, tail[-1].start), tail[-1]
        return merge_spans([*tail[:-1], UptimeSpan(last.state, last.start, at), UptimeSpan(stroke.state, at)])
    made: list[UptimeSpan] = []
    for span in tail:
        if span.state not in stroke.instead_of or 0 < span.until <= stroke.at:
            made.append(span)
        else:
            at = max(stroke.at, span.start)
            made += (UptimeSpan(span.state, span.start, at), UptimeSpan(stroke.state, at, span.until))
    return merge_spans(made)


def merge_spans(spans: Sequence[UptimeSpan]) -> list[UptimeSpan]:
    """The spans without empty ones, with neighbours of one state merged."""
    made: list[UptimeSpan] = []
    for span in spans:
        if span.until and span.until <= span.start:
            continue
        if made and made[-1].state == span.state:
            made[-1] = UptimeSpan(span.state, made[-1].start, span.until)
        else:
            made.append(span)
    return made
