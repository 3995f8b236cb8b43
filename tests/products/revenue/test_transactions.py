"""Transactions over the API: recorded once by their id, and listed page by page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import HOUR
from tests.cases import each
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, Answer, FixedClock, KeyName, WholeBox, whole_box
from tests.products.revenue.test_attribution import attribute, attributed, view


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as made:
        yield made


def record(box: WholeBox, number: str = "t1", key: KeyName = "all", **given: Any) -> Answer:
    body = {"websiteId": box.sites["shop"], "transactionId": number, "amount": "12.30", "currency": "EUR"}
    return box.post("/revenue/recordTransaction", body | given, key=key)


def listed(box: WholeBox, key: KeyName = "all", **given: Any) -> Any:
    answer = box.post("/revenue/listTransactions", {"websiteId": box.sites["shop"], **given}, key=key)
    return answer.json if answer.status == 200 else answer.status


def test_transaction_is_recorded_once_and_verified(box: WholeBox) -> None:
    assert [record(box).json for _ in range(2)] == [{"stored": True}, {"stored": False}]
    assert rows(box, "transactions", "amount", "currency", "payment_type", "provider", "verified") == [
        (1230, "EUR", "sale", "server", 1)
    ]
    assert count(box, "events") == 0


def test_transaction_and_the_event_of_the_same_order_count_once(box: WholeBox) -> None:
    event = {"name": "purchase", "properties": {"revenue": 9, "currency": "EUR", "orderId": "t1"}}
    box.post(f"/track?client_id={box.sites['shop']}", event | {"anonymousId": "ada"})
    record(box)
    assert rows(box, "transactions", "amount", "verified", "session <> 0") == [(1230, 1, 1)]


def test_recorded_transaction_is_attributed_by_its_session(box: WholeBox) -> None:
    view(box, "mail", back=HOUR, anonymousId="ada", sessionId="s1")
    record(box, sessionId="s1")
    attribute(box)
    assert attributed(box) == [("session", "mail", "mail", "")]


@each(
    "given",
    [
        {"amount": 0},
        {"amount": "many"},
        {"currency": "XXX"},
        {"currency": None},
        {"amount": "99999999999999999"},
        {"number": ""},
        {"unknown": 1},
    ],
)
def test_transaction_that_events_could_not_report_is_refused(box: WholeBox, given: dict[str, Any]) -> None:
    assert record(box, **given).status == 400
    assert count(box, "transactions") == 0


def test_recording_requires_the_scope_for_events(box: WholeBox) -> None:
    assert record(box, key="reading").status == 403
    assert record(box, key="foreign").status == 404
    assert record(box, key="tracking").json == {"stored": True}
    assert listed(box, key="tracking") == 403


def test_transactions_are_listed_latest_first_by_page_and_filter(box: WholeBox) -> None:
    for number, currency, amount in (("t1", "EUR", "12.30"), ("t2", "JPY", "500"), ("t3", "EUR", "-2.5")):
        record(box, number, currency=currency, amount=amount, productName="Lamp")
        box.clock.advance(seconds=60)
    assert [one["transactionId"] for one in listed(box)] == ["t3", "t2", "t1"]
    assert [one["transactionId"] for one in listed(box, limit=2, page=2)] == ["t1"]
    only = [{"field": "currency", "op": "eq", "value": "JPY"}]
    (found,) = listed(box, filters=only)
    assert (found["amount"], found["currency"], found["type"]) == ("500", "JPY", "sale")
    assert [one["amount"] for one in listed(box, startDate="2026-06-17", endDate="2026-06-17")] == [
        "-2.50",
        "500",
        "12.30",
    ]
    assert listed(box, limit=0) == 400
