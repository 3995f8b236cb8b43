"""What is suggested for what somebody types, and what they mean by it."""

import pytest

from analytics_box.figures.values import KEPT_SECONDS, MOST_KEPT, MOST_LETTERS, KeptValues, Value, like, matching_values
from tests.inprocess import FixedClock

LANGUAGES = tuple(
    Value(name, label)
    for name, label in (
        ("en-US", "English (United States)"),
        ("de-DE", "German (Germany)"),
        ("de", "German"),
        ("de-AT", "German (Austria)"),
        ("nds", "Low German"),
    )
)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("german", ("de", "de-DE", "de-AT")),
        ("German (Austria)", ("de-AT",)),
        ("de-de", ("de-DE",)),
        ("de", ("de",)),
        ("Klingon", ("Klingon",)),
        ("low", ("low",)),
    ],
)
def test_a_name_stands_for_all_that_are_called_so(typed: str, names: tuple[str, ...]) -> None:
    assert matching_values(LANGUAGES, typed) == names


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("german", ["de", "de-DE", "de-AT", "nds"]),
        ("aus", ["de-AT"]),
        ("zz", []),
        ("", ["en-US", "de-DE", "de", "de-AT", "nds"]),
    ],
)
def test_values_that_begin_so_are_suggested_first(typed: str, names: list[str]) -> None:
    assert [value.name for value in like(LANGUAGES, typed)] == names


def test_typed_value_can_be_a_country_code() -> None:
    countries = (Value("Andes", "Andes"), Value("Germany", "Germany"))
    assert [value.name for value in like(countries, "de", ("Germany",))] == ["Germany", "Andes"]


def test_lists_are_kept_for_some_minutes_and_not_without_end() -> None:
    clock = FixedClock()
    kept = KeptValues(clock).lists
    kept.put("first", LANGUAGES)
    assert kept.get("first") == LANGUAGES
    for number in range(MOST_KEPT):
        kept.put(number, ())
    assert kept.get("first") is None
    clock.advance(seconds=KEPT_SECONDS)
    assert kept.get(MOST_KEPT - 1) is None


def test_long_values_are_kept_of_fewer_lists() -> None:
    kept = KeptValues(FixedClock()).lists
    long = [Value("x" * 1_000, "x" * 1_000)] * (MOST_LETTERS // 10_000)
    for number in range(20):
        kept.put(number % 10, long)
    assert [number for number in range(10) if kept.get(number)] == [5, 6, 7, 8, 9]
    kept.put("all", [Value("x" * MOST_LETTERS, "x")])
    assert (kept.get("all"), kept.get(9)) == (None, long)
