"""Amounts of money, in minor units and as texts."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.money import CURRENCIES, LARGEST, AmountError, amount_text, major, marks_of, minor
from tests.cases import each


@given(st.integers(-LARGEST, LARGEST), st.sampled_from(sorted(CURRENCIES)))
def test_an_amount_survives_being_written_and_read(amount: int, currency: str) -> None:
    assert minor(format(major(amount, currency), "f"), currency) == amount


@each(
    ("text", "currency", "amount"),
    [
        ("12.30", "EUR", 1230),
        ("12.3", "EUR", 1230),
        ("-3", "USD", -300),
        ("1e3", "JPY", 1000),
        ("1.234", "BHD", 1234),
        ("0.1", "CLF", 1000),
        (" 5 ", "EUR", 500),
        ("0.070", "EUR", 7),
    ],
)
def test_a_decimal_number_is_its_minor_units(text: str, currency: str, amount: int) -> None:
    assert minor(text, currency) == amount


@pytest.mark.parametrize("text", ["", "free", "12.345", "nan", "inf", "-inf", "1e40", "12,30", "1e-400", "9" * 400])
def test_text_that_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(AmountError):
        minor(text, "EUR")


@each(
    ("amount", "currency", "text"),
    [
        (123_050, "USD", "$1,230.50"),
        (-300, "EUR", "−€3.00"),
        (123_000, "SEK", "1,230.00\N{NO-BREAK SPACE}SEK"),
        (1_230, "JPY", "¥1,230"),
        (1_234, "BHD", "1.234\N{NO-BREAK SPACE}BHD"),
        (Decimal("7.5"), "GBP", "£7.50"),
    ],
)
def test_an_amount_is_shown_with_its_currency(amount: int | Decimal, currency: str, text: str) -> None:
    assert amount_text(amount, currency) == text


def test_currencies_have_up_to_four_decimal_places() -> None:
    assert {*CURRENCIES.values()} == {0, 2, 3, 4}


def test_an_unknown_currency_has_two_decimal_places() -> None:
    assert major(5, "XXX") == Decimal("0.05")


@pytest.mark.parametrize("currency", sorted(CURRENCIES))
def test_texts_around_a_number_make_the_amount_of_pages(currency: str) -> None:
    before, after = marks_of(currency)
    assert amount_text(5, currency) == f"{before}{major(5, currency)}{after}"
