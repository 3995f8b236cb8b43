"""The visit that a payment belongs to: by session, person, visitor or customer, whatever arrives first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.products.revenue import attribution
from tests.ingest.rows import rows
from tests.inprocess import NOON, FixedClock, WholeBox, whole_box
from tests.products.revenue.test_webhooks import CHARGE
from tests.products.revenue.world import add_provider, send, stripe_event


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", clock=FixedClock(NOON)) as made:
        yield made


def view(box: WholeBox, source: str, *, back: int = 0, **event: Any) -> None:
    body = {
        **{
            "name": "screen_view",
            "path": f"https://shop.example/{source}?utm_source={source}",
            "websiteId": box.sites["shop"],
        },
        **{"timestamp": box.clock.now() - back, "anonymizeVisitorIds": False},
    }
    answer = box.post("/track", body | event, key="all")
    assert answer.status == 200, answer.body


def pay(box: WholeBox, number: int = 1, metadata: dict[str, str] | None = None, customer: str = "cus_1") -> None:
    ids = {"id": f"ch_{number}", "payment_intent": f"pi_{number}", "customer": customer, "metadata": metadata or {}}
    path = getattr(box, "path", None) or add_provider(box)
    box.path = path  # type: ignore[attr-defined]  # the provider is added once
    assert send(box, path, stripe_event("charge.succeeded", box.clock.now(), **CHARGE | ids)).status == 200


def attribute(box: WholeBox, *, elsewhere: bool = False) -> None:
    events = box.box.events
    numbers = events.intake.ledger.numbers
    box.run(attribution.attribute(events.db, numbers, box.clock.now(), elsewhere=elsewhere))


def attributed(box: WholeBox) -> list[tuple[Any, ...]]:
    return rows(box, "transactions", "attribution", "source", "first_source", "unmatched_reason")


@pytest.mark.parametrize(
    ("metadata", "method"),
    [({"session_id": "s2"}, "session"), ({"profileId": "p1"}, "profile"), ({"anonymousId": "ada"}, "anonymous")],
)
def test_payment_belongs_to_the_last_visit_before_it(box: WholeBox, metadata: dict[str, str], method: str) -> None:
    view(box, "news", back=3 * DAY, anonymousId="ada", sessionId="s1", profileId="p1")
    view(box, "mail", back=HOUR, anonymousId="ada", sessionId="s2", profileId="p1")
    view(box, "other", back=MINUTE, anonymousId="bob", sessionId="s3")
    pay(box, metadata=metadata)
    attribute(box)
    assert attributed(box) == [(method, "mail", "news", "")]


def test_webhook_before_the_events_of_its_visitor_is_attributed_later(box: WholeBox) -> None:
    pay(box, metadata={"session_id": "s1"})
    attribute(box)
    assert attributed(box) == [("unmatched", "", "", "pending")]
    box.clock.advance(seconds=60)
    view(box, "mail", back=2 * MINUTE, anonymousId="ada", sessionId="s1")
    attribute(box)
    assert attributed(box) == [("session", "mail", "mail", "")]


def test_later_payment_of_a_customer_belongs_to_the_earlier_visit(box: WholeBox) -> None:
    view(box, "mail", back=HOUR, anonymousId="ada", sessionId="s1")
    pay(box, metadata={"session_id": "s1"})
    attribute(box)
    box.clock.advance(seconds=DAY // 1000)
    pay(box, 2)
    pay(box, 3, customer="cus_2")
    attribute(box)
    assert [method for method, *_ in attributed(box)] == ["session", "customer", "unmatched"]


@pytest.mark.parametrize(("customer", "reason"), [("cus_1", "not_found"), ("", "no_identifier")])
def test_payment_without_a_visit_stays_unmatched_and_says_why(box: WholeBox, customer: str, reason: str) -> None:
    pay(box, customer=customer)
    box.clock.advance(seconds=4 * DAY // 1000)
    attribute(box)
    assert attributed(box) == [("unmatched", "", "", reason if customer else "no_identifier")]
    assert rows(box, "transactions", "pending") == [(0,)] or not customer


@pytest.mark.parametrize(("customer", "reason"), [("cus_1", "several_machines"), ("", "no_identifier")])
def test_payment_whose_visits_are_on_other_machines_says_so_and_is_not_matched_again(
    box: WholeBox, customer: str, reason: str
) -> None:
    pay(box, customer=customer)
    attribute(box, elsewhere=True)
    box.clock.advance(seconds=11 * MINUTE // 1000)
    attribute(box, elsewhere=True)
    assert attributed(box) == [("unmatched", "", "", reason)]
    view(box, "mail", back=HOUR, anonymousId="ada")
    attribute(box, elsewhere=True)
    assert rows(box, "transactions", "pending", "unmatched_reason") == [(0, reason)]


def test_primary_that_takes_events_attributes_payments_to_its_visits(box: WholeBox) -> None:
    view(box, "mail", back=HOUR, anonymousId="ada", sessionId="s1")
    pay(box, metadata={"session_id": "s1"})
    attribute(box, elsewhere=True)
    assert attributed(box) == [("session", "mail", "mail", "")]


def test_payment_of_the_browser_has_its_visit_and_the_first_one(box: WholeBox) -> None:
    view(box, "news", back=2 * DAY, anonymousId="ada")
    view(box, "mail", back=MINUTE, anonymousId="ada")
    body = {"name": "purchase", "properties": {"revenue": 5, "currency": "EUR"}, "anonymousId": "ada"}
    box.post("/track", body | {"anonymizeVisitorIds": False, "websiteId": box.sites["shop"]}, key="all")
    attribute(box)
    assert attributed(box) == [("session", "mail", "news", "")]
