"""Intervals and probabilities against values that others have published or that can be worked out by hand."""

import math
from itertools import product

from analytics_box.query.catalog.flags import (
    chance_of_difference,
    chance_of_shares,
    interval_of_difference,
    interval_of_rate,
)
from tests.cases import each


@each(
    ("part", "whole", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17, 857-872, table I: method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_an_interval_of_a_rate_is_as_published(part: int, whole: int, low: float, high: float) -> None:
    found = interval_of_rate(part, whole)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@each(
    ("one", "other", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17, 873-890, table II: method 10.
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_an_interval_of_a_difference_is_as_published(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    found = interval_of_difference(*one, *other)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    back = interval_of_difference(*other, *one)
    assert back is not None
    assert (round(back.low, 4), round(back.high, 4)) == (-high, -low)


def test_of_nothing_nothing_is_said() -> None:
    assert interval_of_rate(0, 0) is None
    assert interval_of_difference(0, 0, 1, 2) is None
    assert chance_of_difference(1, 2, 0, 0) is None
    assert chance_of_difference(0, 9, 0, 9) is None
    assert chance_of_difference(9, 9, 9, 9) is None
    assert chance_of_shares([], []) is None
    assert chance_of_shares([10], [1]) is None
    assert chance_of_shares([4, 5], [1, 1]) is None, "too few to say"
    assert chance_of_shares([9, 0], [100, 0]) is None


@each(
    ("counts", "weights", "chance"),
    [
        # What tables of the chi-square distribution say of 4 with one degree of freedom, and so on.
        ((60, 40), (1, 1), 0.0455),
        ((100, 100), (50, 50), 1.0),
        ((821_588, 815_482), (50, 50), 1.8e-06),  # Fabijan et al. 2019, sample ratio mismatch
        ((90, 110, 100), (1, 1, 1), math.exp(-1)),
        ((25, 75), (25, 75), 1.0),
        ((30, 30, 20, 20), (25, 25, 25, 25), 0.2615),
        ((30, 20, 30, 20, 25), (1, 1, 1, 1, 1), 0.4060),
    ],
)
def test_probability_of_shares_matches_reference_values(
    counts: tuple[int, ...], weights: tuple[float, ...], chance: float
) -> None:
    found = chance_of_shares(counts, weights)
    assert found is not None
    assert math.isclose(found, chance, rel_tol=2e-2, abs_tol=1e-12)


def test_a_difference_is_as_probable_as_the_test_of_shares_says() -> None:
    """Of two rates the z test is the chi-square test of the four counts."""
    for part, other in product((10, 30, 49), (12, 30, 50)):
        found = chance_of_difference(part, 100, other, 200)
        both = (part + other) / 300
        expected = (100 * both, 100 * (1 - both), 200 * both, 200 * (1 - both))
        square = sum(
            (count - wanted) ** 2 / wanted
            for count, wanted in zip((part, 100 - part, other, 200 - other), expected, strict=True)
        )
        assert found is not None
        assert math.isclose(found, math.erfc(math.sqrt(square / 2)), rel_tol=1e-9)


def test_an_interval_holds_its_promise() -> None:
    """For each true rate the intervals of all outcomes that have it inside come in about 95 % of the cases."""
    for rate in (0.05, 0.2, 0.5):
        inside = 0.0
        for part in range(101):
            found = interval_of_rate(part, 100)
            assert found is not None
            if found.low <= rate <= found.high:
                inside += math.comb(100, part) * rate**part * (1 - rate) ** (100 - part)
        assert 0.93 < inside < 0.975, rate
