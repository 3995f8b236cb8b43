"""Revenue of goals and funnels: exact payments of the sessions that reached a goal or completed a funnel."""

from html import unescape

import pytest

from tests.products.flags.world import World
from tests.products.goals.conftest import ANA, BEN, track
from tests.products.goals.test_calls import make
from tests.products.goals.test_pages import page

EUROS = {"currency": "EUR", "revenue": 12.4, "transactions": 2}
YEN = {"currency": "JPY", "revenue": 500, "transactions": 1}
DOLLARS = {"currency": "USD", "revenue": 7, "transactions": 1}


@pytest.fixture(scope="module")
def shop(shared: World) -> World:
    """Ana buys, and pays in two currencies. Ben only looks at the prices, and pays in dollars."""
    for who, amount, currency in ((ANA, "12.30", "EUR"), (ANA, "0.10", "EUR"), (ANA, "500", "JPY"), (BEN, "7", "USD")):
        track(shared, who, "/pay", name="paid", properties={"revenue": amount, "currency": currency})
    return shared


def test_goal_has_the_exact_payments_of_the_sessions_that_reached_it(shop: World) -> None:
    bought, seen = make(shop, "purchase", name="Bought"), make(shop, "/pricing", "PAGE_VIEW", name="Seen")
    nothing = make(shop, "/nothing", "PAGE_VIEW", name="Nothing")
    amounts = make(shop, "purchase", name="Amounts", revenueProperty="amount")
    ids = [goal["id"] for goal in (bought, seen, nothing, amounts)]
    answer = shop.box.post("/goals/bulkAnalytics", {"goalIds": ids, "websiteId": shop.shop}, key="all")
    assert b'{"currency":"EUR","revenue":12.40,"transactions":2}' in answer.body
    known = [answer.json[goal_id] for goal_id in ids]
    assert [one["payments"] for one in known] == [[YEN, EUROS], [DOLLARS], [], [YEN, EUROS]]
    assert [one["revenue"] for one in known] == [None, None, None, 24.5]
    shown = unescape(page(shop, "/goals"))
    for cell in ("¥500 and €12.40", "$7.00", "–", "24.50"):
        assert f'<td class="number">{cell}</td>' in shown
    assert "Revenue: ¥500 and €12.40" in unescape(page(shop, f"/goal?goal={bought['id']}&range=today"))
    for goal_id in ids:
        shop.good("goals/delete", id=goal_id)


def test_sum_of_amounts_is_exact_beyond_the_digits_of_floats(shared: World) -> None:
    for amount in ("900000000000000.01", "0.02"):
        track(shared, BEN, "/", name="donation", properties={"sum": amount})
    goal = make(shared, "donation", revenueProperty="sum")
    body = {"goalId": goal["id"], "websiteId": shared.shop}
    assert b'"revenue":900000000000000.03,' in shared.box.post("/goals/getAnalytics", body, key="all").body
    assert "900,000,000,000,000.03" in page(shared, "/goals")
    shared.good("goals/delete", id=goal["id"])


def test_funnel_has_the_payments_of_the_sessions_that_completed_it(shop: World) -> None:
    steps = [{"type": "PAGE_VIEW", "target": "/"}, {"type": "EVENT", "target": "purchase"}]
    funnels = [
        shop.good("funnels/create", websiteId=shop.shop, name=name, steps=taken)["id"]
        for name, taken in (("Sale", steps), ("None", [*steps, {"type": "PAGE_VIEW", "target": "/nothing"}]))
    ]
    completed, nobody = (
        shop.good("funnels/getAnalytics", funnelId=funnel, websiteId=shop.shop)["payments"] for funnel in funnels
    )
    assert completed == [YEN, EUROS]
    assert nobody == []
    shown = unescape(page(shop, f"/funnels/{funnels[0]}?range=today"))
    assert '<dd class="funnel-value">¥500 and €12.40</dd>' in shown
    assert "of those who converted" not in page(shop, f"/funnels/{funnels[1]}?range=today")
    assert "¥500 and €12.40" not in unescape(page(shop, f"/funnels/{funnels[0]}?range=today&country=Nowhere"))
    for funnel in funnels:
        shop.good("funnels/delete", id=funnel)
