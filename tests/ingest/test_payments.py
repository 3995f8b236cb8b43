"""Custom events that carry an amount of money leave a row of transactions beside their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, FixedClock, WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as made:
        yield made


def buy(box: WholeBox, properties: dict[str, Any], *, key: bool = False, status: int = 200, **event: Any) -> Any:
    body = {"name": "purchase", "properties": properties, **event}
    if key:
        answer = box.post("/track", body | {"websiteId": box.sites["shop"]}, key="all")
    else:
        answer = box.post(f"/track?client_id={box.sites['shop']}", body | {"anonymousId": "ada"})
    assert answer.status == status, answer.body
    return answer


def paid(box: WholeBox) -> list[Any]:
    return rows(box, "transactions", "amount", "currency", "payment_type", "provider", "verified")


@each(
    ("properties", "amount", "currency", "payment_type"),
    [
        ({"revenue": "12.30", "currency": "EUR"}, 1230, "EUR", "sale"),
        ({"revenue": 12.3, "currency": "eur"}, 1230, "EUR", "sale"),
        ({"revenue": 0.1 + 0.2, "currency": "USD"}, 30, "USD", "sale"),
        ({"amount": 1230, "currency": "JPY"}, 1230, "JPY", "sale"),
        ({"value": "1.2345", "currency": "BHD"}, 1235, "BHD", "sale"),
        ({"revenue": -5, "currency": "EUR"}, -500, "EUR", "refund"),
        ({"revenue": "9", "currency": "EUR", "subscriptionId": "s1"}, 900, "EUR", "subscription"),
        ({"revenue": "9999999999999.99", "currency": "EUR"}, 999_999_999_999_999, "EUR", "sale"),
    ],
)
def test_amount_of_an_event_is_stored_in_minor_units(
    properties: dict[str, Any], amount: int, currency: str, payment_type: str, tmp_path: Path
) -> None:
    with whole_box(tmp_path / f"{amount}{currency}", clock=FixedClock(NOON)) as box:
        buy(box, properties)
        assert paid(box) == [(amount, currency, payment_type, "tracker", 0)]
        assert count(box, "events") == 1


@each(
    "properties",
    [
        {"revenue": "12.30"},
        {"value": 3},
        {"amount": "5"},
        {"revenue": 0, "currency": "EUR"},
        {"revenue": "many", "currency": "EUR"},
        {"revenue": True, "currency": "EUR"},
        {"revenue": "NaN", "currency": "EUR"},
        {"revenue": "1_000", "currency": "EUR"},
        {"revenue": "1e-999999999", "currency": "EUR"},
        {"revenue": 5, "currency": "XXX"},
        {"revenue": 5, "currency": ["EUR"]},
        {"currency": "EUR"},
    ],
)
def test_event_without_a_readable_amount_and_currency_is_only_an_event(
    properties: dict[str, Any], tmp_path: Path
) -> None:
    with whole_box(tmp_path / str(abs(hash(str(properties)))), clock=FixedClock(NOON)) as box:
        buy(box, properties)
        assert (count(box, "events"), paid(box)) == (1, [])


@pytest.mark.parametrize("revenue", ["1e15", "1e400", "99999999999999999999", 10**30, 1e300])
def test_excessive_amount_is_refused(box: WholeBox, revenue: Any) -> None:
    answer = buy(box, {"revenue": revenue, "currency": "EUR"}, status=400)
    assert b"1,000,000,000,000,000 minor units" in answer.body
    assert count(box, "events") == 0


def test_order_is_stored_once_though_its_page_is_reloaded(box: WholeBox) -> None:
    for _ in range(2):
        buy(box, {"revenue": "12.30", "currency": "EUR", "orderId": "1001"})
    assert (count(box, "events"), len(paid(box))) == (2, 1)


def test_report_of_the_server_replaces_that_of_the_browser_and_keeps_its_visit(box: WholeBox) -> None:
    buy(box, {"revenue": "999", "currency": "EUR", "orderId": "1001"}, path="https://shop.example/thanks")
    buy(box, {"revenue": "12.30", "currency": "EUR", "orderId": "1001"}, key=True)
    buy(box, {"revenue": "777", "currency": "EUR", "orderId": "1001"})
    assert paid(box) == [(1230, "EUR", "sale", "server", 1)]
    ((session, attribution),) = rows(box, "transactions", "session", "attribution")
    assert session
    assert attribution == "session"


def test_refunds_of_an_order_are_stored_one_by_one(box: WholeBox) -> None:
    buy(box, {"revenue": "30", "currency": "EUR", "orderId": "1001"}, key=True)
    for refund in ("r1", "r2", "r2"):
        buy(box, {"revenue": "-5", "currency": "EUR", "orderId": "1001", "transactionId": refund}, key=True)
    assert [amount for amount, *_ in paid(box)] == [3000, -500, -500]
    assert len({*rows(box, "transactions", "payment")}) == 1


def test_payment_of_a_bot_is_not_counted(box: WholeBox) -> None:
    body = {"name": "purchase", "properties": {"revenue": 5, "currency": "EUR"}}
    box.post(f"/track?client_id={box.sites['shop']}", body, user_agent="Googlebot/2.1")
    assert count(box, "transactions") == 0
