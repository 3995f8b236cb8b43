"""The timeline has no gap and no overlap, whatever is painted on it and in whichever order."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, PAUSED, STATES, UNKNOWN, UP, UptimeSpan
from analytics_box.products.monitors.running import rows
from analytics_box.products.monitors.running.states import BASES, NEW, Stroke, merge_spans, paint_spans
from tests.cases import each
from tests.products.monitors.running.world import World

ALL = frozenset(STATES)
STROKES = st.lists(
    st.tuples(st.integers(1, 40), st.sampled_from(sorted(STATES)), st.sampled_from((ALL, ALL, BASES, NEW))), max_size=12
)


@each(
    ("before", "stroke", "after"),
    [
        ([], (5, UP, ALL), [(UP, 5, 0)]),
        ([(UP, 1, 0)], (5, DOWN, ALL), [(UP, 1, 5), (DOWN, 5, 0)]),
        ([(UP, 1, 0)], (5, UP, ALL), [(UP, 1, 0)]),
        ([(UP, 5, 0)], (5, DOWN, ALL), [(DOWN, 5, 0)]),
        ([(UP, 1, 5), (DOWN, 5, 0)], (5, UP, ALL), [(UP, 1, 0)]),
        ([(UP, 8, 0)], (5, DOWN, ALL), [(DOWN, 8, 0)]),  # the clock was set back
        ([(UP, 1, 0)], (5, DOWN, BASES), [(UP, 1, 5), (DOWN, 5, 0)]),
        (
            [(UP, 1, 6), (MAINTENANCE, 6, 9), (UP, 9, 0)],
            (5, DOWN, BASES),
            [(UP, 1, 5), (DOWN, 5, 6), (MAINTENANCE, 6, 9), (DOWN, 9, 0)],
        ),
        ([(UP, 1, 6), (PAUSED, 6, 0)], (5, DOWN, BASES), [(UP, 1, 5), (DOWN, 5, 6), (PAUSED, 6, 0)]),
        ([(UNKNOWN, 1, 0)], (5, UP, BASES), [(UNKNOWN, 1, 0)]),
        ([(UNKNOWN, 1, 0)], (5, UP, NEW), [(UNKNOWN, 1, 5), (UP, 5, 0)]),
        ([(UP, 1, 4), (DEGRADED, 4, 0)], (2, DOWN, BASES), [(UP, 1, 2), (DOWN, 2, 0)]),
    ],
)
def test_a_stroke(
    before: list[tuple[int, int, int]], stroke: tuple[int, int, frozenset[int]], after: list[tuple[int, int, int]]
) -> None:
    assert paint_spans([UptimeSpan(*one) for one in before], Stroke(1, *stroke)) == [UptimeSpan(*one) for one in after]


@given(STROKES)
def test_the_timeline_is_whole_and_says_what_was_painted(strokes: list[tuple[int, int, frozenset[int]]]) -> None:
    spans: list[UptimeSpan] = []
    seconds: dict[int, int] = {}
    for at, state, instead_of in strokes:
        spans = paint_spans(spans, Stroke(1, at, state, instead_of))
        if not seconds:
            seconds = dict.fromkeys(range(at, 60), state)
        elif instead_of == ALL:
            opened = next(second for second in range(60) if len({seconds.get(one) for one in range(second, 60)}) == 1)
            seconds |= dict.fromkeys(range(max(at, opened), 60), state)
        else:
            seconds |= {one: state for one, was in seconds.items() if one >= at and was in instead_of}
    assert all(one.until == following.start for one, following in pairwise(spans))
    assert all(one.state != following.state for one, following in pairwise(spans))
    assert [span.until for span in spans[-1:]] == [0] * bool(spans)
    told = {second: span.state for span in spans for second in range(span.start, span.until or 60)}
    assert told == seconds
    assert merge_spans(spans) == spans


def test_stored_spans_match_the_drawn_ones(world: World) -> None:
    strokes = [(1, UP, ALL), (10, MAINTENANCE, ALL), (20, UP, ALL), (5, DOWN, BASES), (30, UP, BASES), (1, UP, BASES)]
    spans: list[UptimeSpan] = []
    for at, state, instead_of in strokes:
        stroke = Stroke(1, at, state, instead_of)
        spans = paint_spans(spans, stroke)
        world.db.write_now(lambda db, stroke=stroke: rows.paint(db, [Stroke(2, 7, UP), stroke]))  # type: ignore[misc]  # a lambda with a default
        assert world.spans() == spans
    assert world.spans(2) == [UptimeSpan(UP, 7)]
