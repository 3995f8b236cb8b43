"""Signed webhooks: what is refused, and what is stored once however often and in whatever order it is reported."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stripe
from paddle_billing.Notifications import PaddleSignature, Secret

from analytics_box.base.clock import MINUTE
from tests.cases import each
from tests.ingest.rows import rows
from tests.inprocess import NOON, FixedClock, WholeBox, whole_box
from tests.products.revenue.world import SECRET, add_provider, deliver, paddle_event, send, signed, stored, stripe_event

PAID = {"id": "pi_1", "amount_received": 1230, "currency": "eur", "customer": "cus_1", "latest_charge": "ch_1"}
CHARGE = {
    **{"id": "ch_1", "payment_intent": "pi_1", "amount": 1230, "amount_captured": 1230, "captured": True},
    **{"currency": "eur", "customer": "cus_1"},
}
INVOICE = {
    **{"id": "in_1", "amount_paid": 1230, "currency": "eur", "customer": "cus_1"},
    "billing_reason": "subscription_cycle",
    "parent": {"subscription_details": {"subscription": "sub_1", "metadata": {"session_id": "s1"}}},
    "lines": {
        "data": [
            {"amount": 200, "description": "Seat", "pricing": {"price_details": {"product": "prod_2"}}},
            {"amount": 1030, "description": "Plan", "pricing": {"price_details": {"product": "prod_1"}}},
        ]
    },
}
CHECKOUT = {
    **{"id": "cs_1", "payment_status": "paid", "mode": "subscription", "amount_total": 1230, "currency": "eur"},
    **{"customer": "cus_1", "invoice": "in_1", "subscription": "sub_1", "client_reference_id": "ada"},
}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as made:
        yield made


def test_signature_of_the_library_of_stripe_is_accepted(box: WholeBox) -> None:
    path, body = add_provider(box), json.dumps(stripe_event("charge.succeeded", NOON, **CHARGE))
    header = stripe.WebhookSignature.generate_signature_header(body, SECRET, timestamp=NOON // 1000)
    assert box.post(path, body.encode(), stripe_signature=header).status == 200
    assert stored(box) == [("sale", "completed", "", 1230, "EUR")]


def test_signature_that_the_library_of_paddle_accepts_is_accepted(box: WholeBox) -> None:
    path = add_provider(box, "paddle")
    event = paddle_event("transaction.completed", "2026-06-17T12:00:00.5Z", **TRANSACTION)
    body = json.dumps(event)
    headers = signed("paddle", body.encode(), NOON // 1000)
    assert PaddleSignature().verify(headers["paddle_signature"], body, Secret(SECRET))
    assert deliver(box, path, body.encode(), headers).status == 200
    assert stored(box) == [("subscription", "completed", "renewal", 1100, "JPY")]
    assert rows(box, "transactions", "product_id", "product_name") == [("pro_1", "Plan")]


TRANSACTION: dict[str, Any] = {
    **{"id": "txn_1", "status": "completed", "customer_id": "ctm_1", "subscription_id": "sub_1"},
    **{"origin": "subscription_recurring", "currency_code": "JPY", "custom_data": {"sessionId": "s1"}},
    "details": {
        "totals": {"total": "1100", "grand_total": "1100"},
        "line_items": [
            {"product": {"id": "pro_2", "name": "Seat"}, "totals": {"total": "100"}},
            {"product": {"id": "pro_1", "name": "Plan"}, "totals": {"total": "1000"}},
        ],
    },
}


@each(
    ("headers", "status", "reason"),
    [
        ({}, 400, "WEBHOOK_MISSING_SIGNATURE"),
        ({"stripe_signature": "v1=00"}, 400, "WEBHOOK_MISSING_SIGNATURE"),
        ({"stripe_signature": "t=x,v1=00"}, 400, "WEBHOOK_MISSING_SIGNATURE"),
        ({"stripe_signature": f"t={NOON // 1000},v1=00"}, 401, "WEBHOOK_INVALID_SIGNATURE"),
        ({"stripe_signature": f"t={NOON // 1000}," + "v1=00," * 400}, 401, "WEBHOOK_INVALID_SIGNATURE"),
        (signed("stripe", b"{}", NOON // 1000, "whsec_of another"), 401, "WEBHOOK_INVALID_SIGNATURE"),
        (signed("stripe", b"{}", NOON // 1000 - 301), 401, "WEBHOOK_INVALID_SIGNATURE"),
        (signed("stripe", b"{}", NOON // 1000 + 301), 401, "WEBHOOK_INVALID_SIGNATURE"),
        (signed("stripe", b"{}", NOON // 1000), 400, "WEBHOOK_INVALID_PAYLOAD"),
    ],
)
def test_request_without_a_fresh_signature_is_refused(
    headers: dict[str, str], status: int, reason: str, tmp_path: Path
) -> None:
    name = f"{status}{abs(hash(str(headers)))}"
    with whole_box(tmp_path / name, clock=FixedClock(NOON)) as box:
        answer = deliver(box, add_provider(box), b"{}", headers)
        assert (answer.status, answer.json["reason"]) == (status, reason)
        assert stored(box) == []
        (shown,) = box.post("/revenue/listProviders", {"websiteId": box.sites["shop"]}, key="all").json
        assert (shown["failures"], shown["lastFailure"], shown["deliveries"]) == (1, reason, 0)


def test_unknown_address_answers_404(box: WholeBox) -> None:
    path = add_provider(box)
    for wrong in (path[:-1], path.replace("stripe", "paddle"), "/webhooks/other/x", f"/webhooks/stripe/{'x' * 500}"):
        answer = box.post(wrong, b"{}")
        assert answer.status == 404
        assert answer.json.get("reason") in {"WEBHOOK_ENDPOINT_NOT_FOUND", None}


def test_body_beyond_a_megabyte_is_refused(box: WholeBox) -> None:
    path, body = add_provider(box), b" " * 1_048_577
    assert deliver(box, path, body, signed("stripe", body, NOON // 1000)).status == 413


@pytest.mark.parametrize(
    "data",
    [
        CHARGE | {"currency": "doge"},
        CHARGE | {"currency": 7},
        CHARGE | {"amount_captured": 10**18},
        CHARGE | {"amount_captured": 12.5},
        CHARGE | {"amount_captured": True},
        CHARGE | {"amount_captured": "1" * 4_000},
        {"id": "ch_1"},
    ],
)
def test_event_with_impossible_money_is_refused(box: WholeBox, data: dict[str, Any]) -> None:
    answer = send(box, add_provider(box), stripe_event("charge.succeeded", NOON, **data))
    assert (answer.status, answer.json["reason"]) == (400, "WEBHOOK_INVALID_PAYLOAD")
    assert stored(box) == []


def test_event_of_an_unknown_type_is_accepted_and_counted(box: WholeBox) -> None:
    path = add_provider(box)
    assert send(box, path, stripe_event("account.updated", NOON, id="acct_1")).status == 200
    (shown,) = box.post("/revenue/listProviders", {"websiteId": box.sites["shop"]}, key="all").json
    assert (shown["deliveries"], shown["ignored"], shown["lastEvent"]) == (1, 1, "account.updated")


def test_invoice_with_many_products_is_read_up_to_a_limit(box: WholeBox) -> None:
    lines = {"data": [{"amount": 1, "description": f"Item {number}"} for number in range(15_000)]}
    assert send(box, add_provider(box), stripe_event("invoice.paid", NOON, **INVOICE | {"lines": lines})).status == 200
    assert len(stored(box)) == 1


REPORTS = [
    stripe_event("invoice.paid", NOON, **INVOICE),
    stripe_event("charge.succeeded", NOON - 2_000, **CHARGE),
    stripe_event("payment_intent.succeeded", NOON - 1_000, **PAID),
    stripe_event("invoice.payment_succeeded", NOON, **INVOICE),
]


@pytest.mark.parametrize("linked", [False, True])
def test_payment_is_stored_once_in_whatever_order_it_is_reported(tmp_path: Path, linked: bool) -> None:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as box:
        path = add_provider(box)
        for order in itertools.permutations(range(len(REPORTS))):
            box.box.events.db.write_now(lambda db: db.execute("delete from stored_transactions"))
            for place in order:
                event = json.loads(json.dumps(REPORTS[place]))
                if linked and "invoice" in event["type"]:
                    event["data"]["object"] |= {"payment_intent": "pi_1", "charge": "ch_1"}
                assert send(box, path, event).status == 200
            assert stored(box) == [("subscription", "completed", "renewal", 1230, "EUR")], order
            assert rows(box, "transactions", "product_name", "client_session") == [("Plan", "s1")], order


def test_checkout_of_a_subscription_is_its_invoice(box: WholeBox) -> None:
    path = add_provider(box)
    send(box, path, stripe_event("checkout.session.completed", NOON, **CHECKOUT))
    send(box, path, stripe_event("invoice.paid", NOON, **INVOICE | {"billing_reason": "subscription_create"}))
    send(box, path, stripe_event("charge.succeeded", NOON, **CHARGE))
    assert stored(box) == [("subscription", "completed", "new", 1230, "EUR")]
    assert rows(box, "transactions", "profile", "client_session") == [("ada", "s1")]


def test_two_payments_of_a_customer_are_two(box: WholeBox) -> None:
    path = add_provider(box)
    for number in (1, 2):
        ids = {"id": f"ch_{number}", "payment_intent": f"pi_{number}"}
        send(box, path, stripe_event("charge.succeeded", NOON + number * MINUTE, **CHARGE | ids))
    assert [amount for *_, amount, _ in stored(box)] == [1230, 1230]


def test_partial_refunds_count_once_by_either_event(box: WholeBox) -> None:
    path = add_provider(box)
    send(box, path, stripe_event("charge.succeeded", NOON, **CHARGE))
    for total, refund in ((300, "re_1"), (700, "re_2")):
        send(box, path, stripe_event("charge.refunded", NOON, **CHARGE | {"amount_refunded": total}))
        one = {"id": refund, "amount": 300 if refund == "re_1" else 400, "currency": "eur", "status": "succeeded"}
        for kind in ("refund.created", "refund.updated"):
            send(box, path, stripe_event(kind, NOON, **one, charge="ch_1", payment_intent="pi_1"))
    assert [amount for *_, amount, _ in stored(box)] == [1230, -300, -400]
    failed = {"id": "re_2", "amount": 400, "currency": "eur", "status": "failed", "payment_intent": "pi_1"}
    send(box, path, stripe_event("refund.failed", NOON, **failed))
    assert [amount for *_, amount, _ in stored(box)] == [1230, -300, 0]


def test_refund_before_its_payment_belongs_to_it(box: WholeBox) -> None:
    path = add_provider(box)
    refund = {"id": "re_1", "amount": 300, "currency": "eur", "status": "succeeded", "payment_intent": "pi_1"}
    send(box, path, stripe_event("refund.created", NOON, **refund))
    send(box, path, stripe_event("charge.succeeded", NOON, **CHARGE))
    assert sorted(amount for *_, amount, _ in stored(box)) == [-300, 1230]
    assert len({*rows(box, "transactions", "payment")}) == 1


def test_dispute_withdraws_money_and_gives_it_back(box: WholeBox) -> None:
    path, dispute = add_provider(box), {"id": "dp_1", "amount": 1230, "currency": "eur", "payment_intent": "pi_1"}
    for kind in ("charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated"):
        send(box, path, stripe_event(kind, NOON, **dispute))
    assert [amount for *_, amount, _ in stored(box)] == [-1230, 1230]


@each(
    ("currency", "amount", "minor"),
    [
        *(("jpy", 500, 500), ("isk", 50_000, 500), ("ugx", 50_000, 500), ("huf", 50_000, 50_000), ("twd", 900, 900)),
        *(("bhd", 1_230, 1_230), ("mga", 5, 500), ("usd", 1_230, 1_230)),
    ],
)
def test_amounts_of_stripe_become_minor_units_of_the_currency(
    currency: str, amount: int, minor: int, tmp_path: Path
) -> None:
    with whole_box(tmp_path / currency, clock=FixedClock(NOON)) as box:
        data = CHARGE | {"currency": currency, "amount": amount, "amount_captured": amount}
        send(box, add_provider(box), stripe_event("charge.succeeded", NOON, **data))
        assert [row[3:] for row in stored(box)] == [(minor, currency.upper())]


@each(
    ("kind", "data", "row"),
    [
        ("created", {"status": "trialing"}, ("subscription_event", "completed", "trial", 0, "EUR")),
        ("created", {"status": "active"}, ("subscription_event", "completed", "new", 0, "EUR")),
        ("trial_will_end", {"status": "trialing"}, ("subscription_event", "completed", "trial_ending", 0, "EUR")),
        ("deleted", {"status": "canceled"}, ("subscription_event", "canceled", "churn", 0, "EUR")),
    ],
)
def test_changes_of_a_subscription_are_stored(
    kind: str, data: dict[str, Any], row: tuple[Any, ...], tmp_path: Path
) -> None:
    with whole_box(tmp_path / f"{kind}{data['status']}", clock=FixedClock(NOON)) as box:
        one = {"id": "sub_1", "customer": "cus_1", "currency": "eur", **data}
        path = add_provider(box)
        for _ in range(2):
            send(box, path, stripe_event(f"customer.subscription.{kind}", NOON, **one))
        assert stored(box) == [row]


def test_failed_attempts_are_stored_with_their_reason(box: WholeBox) -> None:
    path = add_provider(box)
    error = {"charge": "ch_0", "code": "card_declined", "decline_code": "insufficient_funds"}
    intent = {"id": "pi_1", "amount": 1230, "currency": "eur", "last_payment_error": error}
    send(box, path, stripe_event("payment_intent.payment_failed", NOON, **intent))
    failed = {"id": "ch_0", "payment_intent": "pi_1", "amount": 1230, "currency": "eur"}
    send(box, path, stripe_event("charge.failed", NOON, **failed, outcome={"reason": "insufficient_funds"}))
    send(box, path, stripe_event("charge.succeeded", NOON, **CHARGE))
    assert [row[:2] for row in stored(box)] == [("sale", "failed"), ("sale", "completed")]
    assert rows(box, "transactions", "failure_reason")[0] == ("insufficient_funds",)
    assert len({*rows(box, "transactions", "payment")}) == 1


def test_refunds_and_chargebacks_of_paddle_are_stored(box: WholeBox) -> None:
    path = add_provider(box, "paddle")
    send(box, path, paddle_event("transaction.completed", "2026-06-17T12:00:00Z", **TRANSACTION))
    base = {"transaction_id": "txn_1", "currency_code": "JPY", "totals": {"total": "300"}}
    for action, status in (("refund", "pending_approval"), ("refund", "approved"), ("chargeback", "approved")):
        data = base | {"id": f"adj_{action}", "action": action, "status": status}
        send(box, path, paddle_event("adjustment.updated", "2026-06-17T12:00:00Z", **data))
    assert [amount for *_, amount, _ in stored(box)] == [1100, -300, -300]


def test_deleted_provider_answers_404_and_keeps_its_payments(box: WholeBox) -> None:
    path = add_provider(box)
    send(box, path, stripe_event("charge.succeeded", NOON, **CHARGE))
    (shown,) = box.post("/revenue/listProviders", {"websiteId": box.sites["shop"]}, key="all").json
    assert SECRET not in json.dumps(shown)
    box.post("/revenue/deleteProvider", {"id": shown["id"]}, key="all")
    assert send(box, path, stripe_event("charge.succeeded", NOON, **CHARGE)).status == 404
    assert len(stored(box)) == 1


def test_rotated_secret_replaces_the_one_before(box: WholeBox) -> None:
    path = add_provider(box)
    (shown,) = box.post("/revenue/listProviders", {"websiteId": box.sites["shop"]}, key="all").json
    other = SECRET[::-1]
    box.post("/revenue/rotateProvider", {"id": shown["id"], "secret": other}, key="all")
    body = json.dumps(stripe_event("charge.succeeded", NOON, **CHARGE)).encode()
    assert deliver(box, path, body, signed("stripe", body, NOON // 1000)).status == 401
    assert deliver(box, path, body, signed("stripe", body, NOON // 1000, other)).status == 200


def test_stored_secret_is_encrypted(box: WholeBox) -> None:
    add_provider(box)
    rows_of = "select instr(secret, ?) from revenue_providers"
    found = box.box.box_db.read_now(lambda db: db.execute(rows_of, (SECRET.encode(),)).fetchall())
    assert found == [(0,)]


def test_websites_setting_decides_whether_browsers_report_revenue(box: WholeBox) -> None:
    event = {"name": "purchase", "properties": {"revenue": 5}, "anonymousId": "ada"}
    changes = (
        ({"defaultCurrency": "eur"}, 1),
        ({"defaultCurrency": None}, 1),
        ({"defaultCurrency": "EUR", "browserRevenue": False}, 1),
    )
    for settings, count in changes:
        answer = box.post("/websites/updateSettings", {"id": box.sites["shop"], "settings": settings}, key="all")
        assert answer.status == 200, answer.body
        box.post(f"/track?client_id={box.sites['shop']}", event)
        assert len(stored(box)) == count
