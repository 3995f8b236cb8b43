"""Token buckets (wire 0): capacity, even refill, memory."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics_box.base.errors import RateLimited
from analytics_box.base.limits import WINDOW, TokenBuckets
from tests.inprocess import NOON, FixedClock


def taken(limits: TokenBuckets, limit: int, identity: str = "a", endpoint: str = "track") -> bool:
    try:
        limits.take(endpoint, identity, limit)
    except RateLimited:
        return False
    return True


def test_caller_without_tokens_waits_until_they_are_refilled() -> None:
    clock = FixedClock()
    limits = TokenBuckets(clock)
    assert taken(limits, 6)
    limits.owe("track", "a", 6, 9)
    assert not taken(limits, 6), "it has 5 and owes 9"
    clock.advance(seconds=49)
    assert not taken(limits, 6)
    clock.advance(seconds=1)
    assert taken(limits, 6), "a token grows in ten seconds"
    limits.owe("track", "nobody", 6, 9)
    assert taken(limits, 6, "nobody"), "who was not let in owes nothing"


@settings(max_examples=100, derandomize=True)
@given(limit=st.integers(1, 20), waits=st.lists(st.integers(0, 30_000), max_size=60))
def test_a_bucket_gives_what_a_bucket_in_milliseconds_gives(limit: int, waits: list[int]) -> None:
    clock = FixedClock()
    limits = TokenBuckets(clock)
    drops, drop = limit * 60_000, 60_000  # a token is 60,000 drops, and `limit` drops fall in each millisecond
    for wait in waits:
        clock.advance(seconds=wait / 1000)
        drops = min(limit * drop, drops + wait * limit)
        # Between a hair under and a hair over a whole token, floating point may see either.
        if abs(drops - drop) > 1:
            assert taken(limits, limit) == (drops >= drop)
        else:
            taken(limits, limit)
            return
        if drops >= drop:
            drops -= drop


@settings(max_examples=60, derandomize=True)
@given(limit=st.integers(1, 1_000), wait=st.integers(0, 59_000))
def test_caller_that_waits_as_told_is_admitted(limit: int, wait: int) -> None:
    clock = FixedClock()
    limits = TokenBuckets(clock)
    for _ in range(limit):
        assert taken(limits, limit)
    clock.advance(seconds=wait / 1000)
    while taken(limits, limit):
        pass
    with pytest.raises(RateLimited) as refused:
        limits.take("track", "a", limit)
    assert refused.value.retry_after >= 1
    assert clock.now() < refused.value.reset <= clock.now() + WINDOW * 1000
    clock.advance(seconds=refused.value.retry_after)
    assert taken(limits, limit)


def test_refill_time_of_a_bucket_is_reported() -> None:
    clock = FixedClock()
    limits = TokenBuckets(clock)
    for _ in range(6):
        limits.take("track", "a", 6)
    with pytest.raises(RateLimited) as refused:
        limits.take("track", "a", 6)
    assert refused.value.reset == NOON + 60_000
    assert refused.value.retry_after == math.ceil(60 / 6)


def test_buckets_that_are_full_again_are_forgotten() -> None:
    clock = FixedClock()
    limits = TokenBuckets(clock)
    taken(limits, 5, "early")
    for _ in range(2):
        clock.advance(seconds=60)
        limits.sweep()
    assert len(limits) == 0


def test_only_full_buckets_are_forgotten() -> None:
    clock = FixedClock()
    limits = TokenBuckets(clock)
    for second in range(30):
        if second == 20:
            assert [taken(limits, 2) for _ in range(3)] == [True, True, False]
        clock.advance(seconds=1)
        limits.sweep()
    assert not taken(limits, 2)


def test_strangers_cannot_fill_the_memory() -> None:
    limits = TokenBuckets(FixedClock(), capacity=100)
    for number in range(1_000):
        taken(limits, 5, f"stranger {number}")
    assert len(limits) <= 100


def test_a_limit_of_zero_is_no_limit_and_costs_nothing() -> None:
    limits = TokenBuckets(FixedClock())
    assert all(taken(limits, 0) for _ in range(1_000))
    assert len(limits) == 0
