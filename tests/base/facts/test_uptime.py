"""Uptime of spans: whatever the buckets, they sum to the whole, and downtime is never rounded away."""

from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from analytics_box.base.facts.uptime import (
    DOWN,
    MAINTENANCE,
    STATES,
    UP,
    UptimeSpan,
    WindowUptime,
    percentage,
    uptime,
    uptimes,
)
from tests.cases import each

STEPS = st.lists(st.tuples(st.sampled_from(sorted(STATES)), st.integers(1, 50)), max_size=8)


def timeline(begins: int, steps: list[tuple[int, int]], *, is_open: bool) -> list[UptimeSpan]:
    edges = list(accumulate((lasts for _, lasts in steps), initial=begins))
    spans = [UptimeSpan(state, *edge) for (state, _), edge in zip(steps, pairwise(edges), strict=True)]
    return [*spans[:-1], spans[-1]._replace(until=0)] if is_open and spans else spans


@given(
    st.integers(1, 60),
    STEPS,
    st.booleans(),
    st.lists(st.integers(0, 300), min_size=2, max_size=9, unique=True),
    st.integers(0, 400),
)
def test_each_instant_counts_once_in_its_bucket_until_now(
    begins: int, steps: list[tuple[int, int]], is_open: bool, edges: list[int], now: int
) -> None:
    edges.sort()
    spans = timeline(begins, steps, is_open=is_open)
    found = uptimes(spans[::-1], edges, now)
    for (start, end), bucket in zip(pairwise(edges), found, strict=True):
        told = dict.fromkeys(STATES.values(), 0)
        for instant in range(start, min(end, now)):
            for span in spans:
                if span.start <= instant < (span.until or now):
                    told[STATES[span.state]] += 1
        assert asdict(bucket) == told | {"window": max(min(end, now) - min(start, now), 0)}
        assert bucket == uptime(spans, start, end, now)
    whole = asdict(uptime(spans, edges[0], edges[-1], now))
    assert whole == {name: sum(asdict(one)[name] for one in found) for name in whole}


@each(
    ("up", "down", "percent"),
    [
        (0, 0, None),
        (1, 0, 100.0),
        (0, 1, 0.0),
        (10**9, 1, 99.99),
        (99_994, 6, 99.99),
        (2, 1, 66.67),
        (1, 2, 33.33),
        (12_345, 87_655, 12.35),
    ],
)
def test_downtime_is_never_rounded_away(up: int, down: int, percent: float | None) -> None:
    assert percentage(up, down) == percent


def test_a_ratio_knows_no_maintenance_and_coverage_does() -> None:
    spans = [UptimeSpan(UP, 0, 60), UptimeSpan(DOWN, 60, 80), UptimeSpan(MAINTENANCE, 80, 100)]
    found = uptime(spans, 0, 200, 200)
    assert (found.ratio, found.percentage, found.coverage) == (0.75, 75.0, 0.5)
    assert (WindowUptime(0).ratio, WindowUptime(0).coverage, WindowUptime(0).percentage) == (None, None, None)
