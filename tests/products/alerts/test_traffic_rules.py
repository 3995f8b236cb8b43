"""When traffic is unusual: the rules alone."""

from collections.abc import Sequence

from analytics_box.products.alerts.traffic import rules
from analytics_box.products.alerts.traffic.rules import Sessions, Terms, Verdict
from tests.cases import each

EXPECTED: tuple[tuple[Sequence[int], float | None], ...] = (
    ((), None),
    ((0, 0, 0, 0), None),
    ((0, 0, 0, 40), None),
    ((0, 0, 40, 60), 50),
    ((40, 0, 0, 0), 0),  # it was measured, and nobody came
    ((10, 1000, 20, 30), 25),  # one odd week changes little
)


@each(("earlier", "expected"), EXPECTED)
def test_usual_number_is_the_median_of_earlier_windows(earlier: Sequence[int], expected: float | None) -> None:
    assert rules.expected_value(earlier) == expected


SPIKES: tuple[tuple[int, float, Verdict], ...] = (
    (200, 100, "begins"),
    (199, 100, "lasts"),
    (150, 100, "lasts"),
    (149, 100, "ends"),
    (29, 1, "lasts"),  # too few to say anything
    (30, 0, "begins"),
    (0, 0, "lasts"),
)


@each(("visitors", "usual", "verdict"), SPIKES)
def test_a_spike_is_many_more_visitors_than_usual(visitors: int, usual: float, verdict: Verdict) -> None:
    assert rules.spike(visitors, usual, Terms(100, 60, 30, 0)) == verdict


def test_random_variation_is_no_spike_and_no_drop() -> None:
    assert rules.spike(45, 30, Terms(50, 60, 30, 0)) == "lasts"  # three times the root of 30 is 16.4
    assert rules.spike(47, 30, Terms(50, 60, 30, 0)) == "begins"
    assert rules.drop(15, 30, Terms(50, 60, 30, 0)) == "lasts"
    assert rules.drop(13, 30, Terms(50, 60, 30, 0)) == "begins"


DROPS: tuple[tuple[int, float, Verdict], ...] = (
    (50, 100, "begins"),
    (51, 100, "lasts"),
    (75, 100, "lasts"),
    (76, 100, "ends"),
    (0, 29, "lasts"),  # at night few come
    (0, 30, "begins"),
)


@each(("visitors", "usual", "verdict"), DROPS)
def test_a_drop_is_far_fewer_visitors_than_usual(visitors: int, usual: float, verdict: Verdict) -> None:
    assert rules.drop(visitors, usual, Terms(50, 60, 30, 0)) == verdict


RATES: tuple[tuple[int, int, Verdict], ...] = (
    (100, 6, "begins"),
    (100, 5, "lasts"),
    (100, 3, "lasts"),
    (100, 2, "ends"),
    (29, 29, "lasts"),
    (0, 0, "lasts"),
)


@each(("sessions", "failing", "verdict"), RATES)
def test_an_error_rate_is_the_share_of_sessions_with_an_error(sessions: int, failing: int, verdict: Verdict) -> None:
    assert rules.error_rate(Sessions(sessions, failing), Terms(5, 60, 30, 0)) == verdict
