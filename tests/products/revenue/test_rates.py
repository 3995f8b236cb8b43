"""Currency rates: what is stored and refused, and conversion next to decimal arithmetic with many digits."""

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.money import CURRENCIES
from analytics_box.products.revenue.rates import Converter, CurrencyRate, DatedSum, read_lines
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box

USD = {"date": "2026-06-01", "currency": "USD", "rate": "0.92"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def put(box: WholeBox, *rates: dict[str, Any], target: str = "EUR") -> Answer:
    return box.post("/revenue/setRates", {"target": target, "rates": list(rates)}, key="all")


def listed(box: WholeBox, **chosen: Any) -> list[dict[str, str]]:
    found: list[dict[str, str]] = box.post("/revenue/listRates", chosen, key="all").json
    return found


def entries(box: WholeBox) -> list[Any]:
    statement = "select action, detail from audit where subject = 'currency rates' order by id"
    return box.box.box_db.read_now(lambda db: db.execute(statement).fetchall())


def test_rates_are_listed_exactly_as_they_were_sent_newest_first(box: WholeBox) -> None:
    later = {"date": "2026-06-02", "currency": "jpy", "rate": "0.006123456789"}
    assert put(box, USD, later).json == {"changed": 2}
    assert listed(box) == [later | {"currency": "JPY", "target": "EUR"}, USD | {"target": "EUR"}]
    assert listed(box, currency="usd", limit=1) == [USD | {"target": "EUR"}]
    assert listed(box, target="GBP") == []


def test_rate_of_the_same_day_is_replaced_and_only_changes_are_audited(box: WholeBox) -> None:
    put(box, USD)
    assert put(box, USD | {"rate": "00.9200"}).json == {"changed": 0}
    assert put(box, USD | {"rate": "0.93"}).json == {"changed": 1}
    assert [one["rate"] for one in listed(box)] == ["0.93"]
    assert [action for action, _detail in entries(box)] == ["updated", "updated"]


def test_deleted_rate_is_gone_and_audited(box: WholeBox) -> None:
    put(box, USD)
    one = {"date": USD["date"], "currency": "USD", "target": "EUR"}
    assert box.post("/revenue/deleteRate", one, key="all").status == 200
    assert listed(box) == []
    assert entries(box)[-1][0] == "deleted"
    assert box.post("/revenue/deleteRate", one, key="all").status == 404


@each(
    ("change", "field"),
    [
        ({"rate": "0.000"}, "rates[0].rate"),
        ({"rate": "-1"}, "rates[0].rate"),
        ({"rate": "1e3"}, "rates[0].rate"),
        ({"rate": "Infinity"}, "rates[0].rate"),
        ({"rate": "٣"}, "rates[0].rate"),
        ({"rate": "0.1234567890123"}, "rates[0].rate"),
        ({"rate": "0,92"}, "rates[0].rate"),
        ({"rate": 0.92}, "rates[0].rate"),
        ({"currency": "XYZ"}, "rates[0].currency"),
        ({"currency": "EUR"}, "rates[0].currency"),
        ({"date": "2026-02-30"}, "rates[0].date"),
        ({"date": "2026-W22-1"}, "rates[0].date"),
    ],
)
def test_wrong_rate_is_refused_by_its_field_and_nothing_is_stored(
    box: WholeBox, change: dict[str, Any], field: str
) -> None:
    refused = put(box, USD | change, USD | {"currency": "GBP"})
    assert refused.status == 400, refused.body
    assert field in refused.body.decode()
    assert listed(box) == []


def test_limit_of_rates_refuses_more_and_stores_none_of_the_request(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analytics_box.products.revenue.rates.MOST_RATES", 2)
    put(box, USD, USD | {"currency": "GBP"})
    refused = put(box, USD | {"rate": "2"}, USD | {"currency": "JPY"})
    assert refused.status == 409
    assert [one["rate"] for one in listed(box)] == ["0.92", "0.92"]
    assert put(box, USD | {"rate": "2"}).json == {"changed": 1}


def test_pasted_lines_are_read_with_and_without_names_of_columns() -> None:
    lines = '2026-06-01, usd ,0.92\r\n\r\n2026-06-02,"GBP",1.17'
    assert read_lines("\ufeffdate,Currency,rate\n" + lines) == read_lines(lines)
    assert [one.currency for one in read_lines(lines)] == ["usd", "GBP"]


@each(
    ("text", "message"),
    [
        (" \n", "Enter a line"),
        ("2026-06-01,USD,1\n2026-06-01,USD", "Line 2: enter date,currency,rate"),
        ("01.06.2026,USD,1", "Line 1: enter date,currency,rate"),
        ("date,currency,rate\n2026-06-01,XXX,1", "Line 2: Enter a currency code"),
        ("2026-06-01,USD,nan", "Line 1: Enter a positive decimal number"),
        ('2026-06-01,"USD', "Enter a line"),
        ("2026-06-01,USD,1\n" * 1_001, "Enter up to 1000 rates at a time"),
    ],
)
def test_pasted_text_that_is_no_list_of_rates_is_refused_by_its_line(text: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        read_lines(text)


def rate(currency: str, day: str, value: str, target: str = "EUR") -> CurrencyRate:
    return CurrencyRate(currency, target, day, value)


def test_rate_is_the_latest_one_on_or_before_the_day() -> None:
    converter = Converter("EUR", [rate("USD", "2026-06-10", "0.5"), rate("USD", "2026-06-01", "2")])
    sums = [DatedSum("USD", f"2026-06-{day}", 100) for day in ("01", "09", "10", "30")]
    assert [converter.convert([one]).amount for one in sums] == [200, 200, 50, 50]


def test_sums_without_a_rate_are_named_and_not_part_of_the_total() -> None:
    converter = Converter("EUR", [rate("USD", "2026-06-10", "0.5"), rate("GBP", "2026-01-01", "1", "CHF")])
    early, other = DatedSum("USD", "2026-06-09", 100), DatedSum("GBP", "2026-06-10", 100)
    found = converter.convert([early, other, DatedSum("EUR", "2026-06-10", 7), DatedSum("USD", "2026-06-10", 100)])
    assert (found.amount, found.missing) == (57, (early, other))
    assert found.rates == (rate("USD", "2026-06-10", "0.5"),)


def test_halves_are_rounded_away_from_zero_once_and_not_per_sum() -> None:
    converter = Converter("EUR", [rate("USD", "2026-06-10", "0.5")])
    one = DatedSum("USD", "2026-06-10", 1)
    lost = DatedSum("USD", "2026-06-10", -1)
    assert [converter.convert(sums).amount for sums in ([one], [lost], [one, one], [one, lost])] == [1, -1, 1, 0]


DAYS = st.integers(1, 28).map(lambda day: f"2026-02-{day:02}")
CODES = st.sampled_from(["USD", "JPY", "KWD", "CLF", "EUR"])


@given(
    target=CODES,
    known=st.dictionaries(
        st.tuples(CODES, DAYS), st.decimals("0.000000000001", "999999999999", places=12), max_size=12
    ),
    sums=st.lists(st.builds(DatedSum, CODES, DAYS, st.integers(-(10**15), 10**15)), max_size=12),
)
def test_conversion_is_that_of_decimal_arithmetic(
    target: str, known: dict[tuple[str, str], Decimal], sums: list[DatedSum]
) -> None:
    rates = [rate(code, day, f"{value:f}", target) for (code, day), value in known.items() if code != target]
    found = Converter(target, rates).convert(sums)
    with localcontext(prec=200):
        total, missing = Decimal(0), []
        for one in sums:
            days = [day for code, day in known if code == one.currency and day <= one.day]
            if one.currency != target and not days:
                missing.extend([one] if one.amount else [])
                continue
            factor = Decimal(1) if one.currency == target else known[one.currency, max(days)]
            total += Decimal(one.amount).scaleb(-CURRENCIES[one.currency]) * factor
        expected = total.scaleb(CURRENCIES[target]).quantize(Decimal(1), ROUND_HALF_UP)
    assert (found.amount, list(found.missing)) == (int(expected), missing)
