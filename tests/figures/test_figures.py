"""How numbers and strangers' texts are written."""

from operator import itemgetter

import pytest

from analytics_box.base import figures


def plain(text: str) -> str:
    """Without the no-break spaces, which keep a number and its unit on one line."""
    return text.replace(figures.NBSP, " ")


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0"), (0.5, "1"), (2.5, "3"), (999, "999"), (31482, "31,482"), (1234567, "1,234,567"), (-5, "−5")],
)
def test_counts_have_thousands_separators(value: float, expected: str) -> None:
    assert figures.count(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((0, "0.0 %"), (41.33, "41.3 %"), (100, "100.0 %"), (1340.8, "1,340.8 %"), (-2.25, "−2.3 %")),
        *((0.25, "0.3 %"), (0.35, "0.4 %")),  # halves go up, whatever numbers machines have for them
        *((0.001, "<0.1 %"), (0.05, "0.1 %"), (99.94, "99.9 %"), (99.95, ">99.9 %"), (100.01, "100.0 %")),
    ],
)
def test_percentages_have_one_decimal_and_something_is_never_nothing(value: float, expected: str) -> None:
    assert plain(figures.percent(value)) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 s"),
        (0.4, "0 s"),
        (12, "12 s"),
        (59.6, "1 m"),
        (2_700, "45 m"),
        (7_200, "2 h"),
        *((0.5, "1 s"), (1.5, "2 s"), (2.5, "3 s"), (61.5, "1 m 2 s"), (-2.5, "−3 s"), (-0.2, "0 s")),
        (72, "1 m 12 s"),
        (3599, "59 m 59 s"),
        (7500, "2 h 5 m"),
    ],
)
def test_durations_are_said_in_their_two_largest_units(seconds: float, expected: str) -> None:
    assert plain(figures.duration(seconds)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.4, "<1 ms"), (0.5, "1 ms"), (84.5, "85 ms"), (1_245, "1.25 s"), (9_994, "9.99 s"), (12_450, "12.5 s")],
)
def test_response_times_are_rounded_half_up(value: float, expected: str) -> None:
    assert plain(figures.milliseconds(value)) == expected


def test_a_number_never_parts_from_its_unit() -> None:
    assert " " not in figures.percent(41.3) + figures.duration(72) + figures.duration(7500)


@pytest.mark.parametrize(
    ("value", "largest", "expected"),
    [(0, 10, "w0"), (10, 10, "w100"), (1, 3, "w33"), (1, 1_000_000, "w1"), (5, 0, "w0"), (0, 0, "w0")],
)
def test_a_bar_is_as_wide_as_its_share_of_the_longest_and_never_nothing(
    value: float, largest: float, expected: str
) -> None:
    assert figures.bar_width(value, largest) == expected


UNSEEN = [
    ("right-to-left override", "\u202egnp.exe", "\\u202egnp.exe"),
    ("isolates", "a\u2066b\u2069", "a\\u2066b\\u2069"),
    ("zero width space", "\u200b", "\\u200b"),
    ("control characters", "a\x00b\nc", "a\\u0000b\\u000ac"),
    ("a lone surrogate", "\ud800", "\\ud800"),
    ("spaces at the ends", "  /docs ", "/docs"),
    ("an emoji of several", "👩\u200d💻", "👩\u200d💻"),
    ("another script", "مرحبا", "مرحبا"),
    ("markup is left to escaping", "<script>", "<script>"),
]


@pytest.mark.parametrize(("what", "text", "expected"), UNSEEN, ids=map(itemgetter(0), UNSEEN))
def test_invisible_characters_are_spelled_out(what: str, text: str, expected: str) -> None:
    assert figures.visible(text) == expected


def test_a_text_of_a_stranger_is_cut() -> None:
    assert len(figures.visible("x" * 100_000)) == figures.LONGEST_TEXT
