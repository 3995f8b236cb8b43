"""The page of revenue: one currency at a time, what is not verified, its files, and what it says without payments."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from html import unescape
from typing import Any, Literal

import pytest

from analytics_box.figures.tiles import TileChange
from analytics_box.products.revenue import board_pages
from analytics_box.products.revenue.board_pages import changes_of
from analytics_box.products.revenue.reports import reason_text
from tests.cases import each
from tests.inprocess import WholeBox, whole_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("revenue") / "data") as inside:
        site = inside.sites["shop"]
        view = {"name": "screen_view", "path": "https://shop.example/?utm_source=news&utm_campaign=spring"}
        for who in ("ann", "bea"):
            sent = {"websiteId": site, "anonymousId": who, **view}
            assert inside.post("/track", sent, key="all").status == 200
        pay(inside, "ann", revenue="12.30", currency="EUR", orderId="1", productName="Book")
        pay(inside, "bea", revenue="0.10", currency="EUR", orderId="2", productName="Pen")
        pay(inside, "bea", revenue="500", currency="JPY", orderId="3")
        pay(inside, "ann", revenue="-2.30", currency="EUR", orderId="1")
        yield inside


def pay(box: WholeBox, who: str, **properties: Any) -> None:
    sent = {"websiteId": box.sites["shop"], "anonymousId": who, "name": "purchase", "properties": properties}
    assert box.post("/track", {**sent, "path": "https://shop.example/thanks"}, key="all").status == 200


def get(box: WholeBox, address: str = "", site: Literal["shop", "blog"] = "shop") -> str:
    answer = box.get(f"/sites/{box.sites[site]}/revenue{address}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body[:500]
    return unescape(answer.body.decode())


def test_page_shows_the_currency_of_most_orders_and_never_adds_others(box: WholeBox) -> None:
    shown = get(box, "?range=today")
    assert "€12.40" in shown
    assert "€10.10" in shown  # After the refund.
    assert "¥500" in shown  # The tab that selects the other currency.
    assert "512.40" not in shown


def test_address_selects_a_currency(box: WholeBox) -> None:
    shown = get(box, "?range=today&currency=JPY")
    assert '<dd class="funnel-value">¥500</dd>' in shown
    assert '<dd class="funnel-value">€12.40</dd>' not in shown


def test_unknown_currency_or_breakdown_in_the_address_shows_the_usual_one(box: WholeBox) -> None:
    assert "€12.40" in get(box, "?range=today&currency=XXX&split=nothing&touch=never")


def test_breakdown_names_the_campaign_and_filters_the_page_by_it(box: WholeBox) -> None:
    shown = get(box, "?range=today&split=campaign")
    assert "<bdi>spring</bdi>" in shown
    assert "utm_campaign=spring" in shown
    assert "€12.40" in get(box, "?range=today&utm_campaign=spring")
    assert "No payment matches these filters" in get(box, "?range=today&utm_campaign=other")


def test_website_without_payments_says_how_to_get_them(box: WholeBox) -> None:
    shown = get(box, site="blog")
    assert "No revenue in this range" in shown
    assert "Stripe or Paddle" in shown
    address = f"/sites/{box.sites['blog']}/settings/revenue"
    assert f'href="{address}"' in shown
    assert box.get(address, cookie=box.cookie, accept="text/html").status == 200


def test_page_needs_a_session_of_the_organization(box: WholeBox) -> None:
    answer = box.get(f"/sites/{box.sites['shop']}/revenue", accept="text/html")
    assert answer.status in {302, 303, 401, 404}


def test_amounts_of_the_api_are_exact_json_numbers(box: WholeBox) -> None:
    body = {"parameters": ["revenue_overview", "recent_transactions"], "preset": "today"}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", body, key="all")
    text = answer.body.decode()
    assert '"total_revenue":12.40' in text
    assert '"refund_amount":2.30' in text
    assert '"amount":-2.30' in text
    assert '"total_revenue":500,' in text


def test_export_has_all_currencies_and_transactions(box: WholeBox) -> None:
    answer = box.get(f"/sites/{box.sites['shop']}/revenue/export/csv?range=today", cookie=box.cookie)
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        tables = {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    assert "EUR,12.40" in tables["revenue_overview.csv"]
    assert "JPY,500" in tables["revenue_overview.csv"]
    assert tables["recent_transactions.csv"].count("\r\n") == 5
    answer = box.get(f"/sites/{box.sites['shop']}/revenue/export/json?range=today", cookie=box.cookie)
    rows = json.loads(answer.body)["revenue_overview"]
    assert {row["currency"]: row["total_revenue"] for row in rows} == {"EUR": 12.4, "JPY": 500}


_NOW = {
    "currency": "EUR",
    "total_revenue": Decimal("1111.00"),
    "net_revenue": Decimal("900.00"),
    "total_transactions": 69,
    "average_order_value": Decimal("16.10"),
    "unique_customers": 55,
}


def test_tiles_compare_amounts_and_counts_like_the_tiles_of_other_dashboards() -> None:
    then = {**_NOW, "total_revenue": Decimal("965.00"), "net_revenue": Decimal("1000.00"), "total_transactions": 55}
    changes = changes_of(_NOW, then, so_far=True, fair=True)
    assert changes["total_revenue"] == TileChange("up", "good", "15.1\N{NO-BREAK SPACE}%", "€965.00", so_far=True)
    assert changes["net_revenue"].tone == "bad"
    assert changes["net_revenue"].direction == "down"
    assert changes["total_transactions"].before == "55"
    assert changes["unique_customers"].direction == "same"


def test_period_without_payments_in_the_currency_is_compared_as_zero() -> None:
    changes = changes_of(_NOW, None, so_far=False, fair=True)
    assert changes["total_revenue"] == TileChange("up", "good", "", "€0.00")
    assert "average_order_value" not in changes


def test_range_of_another_length_is_compared_without_a_percentage() -> None:
    then = {**_NOW, "total_revenue": Decimal("965.00")}
    assert changes_of(_NOW, then, so_far=False, fair=False)["total_revenue"].amount == ""


@each(
    ("reason", "text"),
    [
        ("insufficient_funds", "Insufficient funds"),
        ("generic_decline", "Declined without a reason"),
        ("declined", "Declined"),
        ("Card refused by ACME_Bank", "Card refused by ACME_Bank"),
        ("Unknown", "Unknown"),
    ],
)
def test_failure_codes_are_shown_as_words_and_sentences_stay_unchanged(reason: str, text: str) -> None:
    assert reason_text(reason) == text


def test_transactions_name_their_reporter_instead_of_its_code(box: WholeBox) -> None:
    assert "<bdi>Server</bdi>" in get(box, "?range=today")
    breakdown = get(box, "?range=today&split=provider")
    assert "<bdi>Server</bdi>" in breakdown
    assert "<bdi>server</bdi>" not in breakdown


@each(("currency", "affixes"), [("EUR", ["€", ""]), ("JPY", ["¥", ""])])
def test_axis_of_the_chart_has_the_currency(box: WholeBox, currency: str, affixes: list[str]) -> None:
    drawn = re.search("data-chart='(.*?)'", get(box, f"?range=today&currency={currency}"))
    assert drawn is not None
    assert json.loads(drawn[1])["affixes"] == affixes


def test_page_says_when_exports_do_not_have_all_transactions(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Exports have the latest" not in get(box, "?range=today")
    monkeypatch.setattr(board_pages, "MOST_EXPORTED", 3)
    assert "Exports have the latest 3 of 4 transactions." in get(box, "?range=today")


def test_rates_add_up_all_currencies_and_name_what_has_none(box: WholeBox) -> None:
    assert "All currencies in" not in get(box, "?range=today")
    pay(box, "ann", revenue="3", currency="GBP", orderId="rates")
    rate = {"date": "2020-01-01", "currency": "JPY", "rate": "0.00625"}
    assert box.post("/revenue/setRates", {"target": "EUR", "rates": [rate]}, key="all").status == 200
    try:
        shown = get(box, "?range=today")
        # 500 JPY are 3.125 EUR, which is rounded only with the rest.
        assert "All currencies in EUR: €15.53 revenue, €13.23 net revenue." in shown
        assert "1 JPY = 0.00625 EUR (2020-01-01)" in shown
        assert "Not included, because no rate applies: £3.00." in shown
    finally:
        box.post("/revenue/deleteRate", {"date": "2020-01-01", "currency": "JPY", "target": "EUR"}, key="all")
