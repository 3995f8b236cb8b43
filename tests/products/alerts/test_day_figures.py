"""Alerts on figures of whole days: each is judged by what the pages of the website show of it."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.notify.message import Message
from analytics_box.products.alerts.traffic.day_figures import DayFigure, FigureWatch, judge
from analytics_box.products.alerts.traffic.rules import Terms
from tests.inprocess import NOON, FixedClock, WholeBox, whole_box

VISITORS = 20
DESTINATION = {"type": "webhook", "identifier": "https://hooks.example.com/a"}


def call(box: WholeBox, procedure: str, **given: Any) -> Any:
    answer = box.post(f"/{procedure.replace('.', '/')}", given, key="all")
    assert answer.status == 200, answer.body
    return answer.json


def day_of_calls(box: WholeBox, *, failed: int, duration: int) -> None:
    """A day with a hundred calls of an MCP server, of which some fail."""
    call_of = {"tool": "find", "durationMs": duration, "websiteId": box.sites["shop"]}
    calls = [call_of | ({"error": "Timeout"} if number < failed else {}) for number in range(100)]
    assert box.post("/mcp", calls, key="tracking").status == 200


def day_of_visits(box: WholeBox, *, converted: int, missing: int, lcp: int) -> None:
    """A day with twenty visitors, of whom some sign up."""
    client = f"client_id={box.sites['shop']}"
    for number in range(VISITORS):
        address = f"198.51.100.{number + 1}"
        who = {"anonymousId": f"visitor {number}", "path": "https://shop.example/"}
        box.post(f"/?{client}", {"name": "screen_view", **who}, key=None, x_forwarded_for=address)
        box.post(
            f"/vitals?{client}", [{"metricName": "LCP", "metricValue": lcp, **who}], key=None, x_forwarded_for=address
        )
        if number < converted:
            pay(box, f"visitor {number}", revenue="10.50", currency="EUR")
            box.post(f"/?{client}", {"name": "signup", **who}, key=None, x_forwarded_for=address)
        if number < missing:
            box.post(
                f"/?{client}",
                {"name": "not_found", "properties": {"referrer": ""}, **who},
                key=None,
                x_forwarded_for=address,
            )


def pay(box: WholeBox, who: str, **properties: Any) -> None:
    paid = {"websiteId": box.sites["shop"], "anonymousId": who, "name": "purchase", "properties": properties}
    assert box.post("/track", paid, key="all").status == 200


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """Four usual weeks, and a bad day before today."""
    clock = FixedClock(NOON - 29 * DAY)
    with whole_box(
        tmp_path_factory.mktemp("figures") / "data",
        clock=clock,
        adjust=lambda given: replace(given, trusted_proxies=("203.0.113.7/32",)),
    ) as made:
        for _week in range(4):
            day_of_visits(made, converted=12, missing=1, lcp=1_000)
            day_of_calls(made, failed=2, duration=100)
            clock.advance(seconds=7 * DAY / 1000)
        day_of_visits(made, converted=1, missing=20, lcp=3_000)
        day_of_calls(made, failed=15, duration=400)
        clock.advance(seconds=DAY / 1000)
        yield made


def alerts(box: WholeBox, trigger: str, **conditions: Any) -> list[Message]:
    """The messages of a rule about the shop."""
    given = {"minVisitors": 10, **conditions}
    rule = call(
        box,
        "alarms.create",
        name="Figures",
        triggerType=trigger,
        triggerConditions=given,
        websiteId=box.sites["shop"],
        destinations=[DESTINATION],
    )
    before = messages(box)
    for _again in range(2):
        box.run(box.box.parts[FigureWatch].run(box.box.parts))
    call(box, "alarms.delete", alarmId=rule["id"])
    return messages(box)[len(before) :]


def messages(box: WholeBox) -> list[Message]:
    found = box.box.box_db.read_now(lambda db: db.execute("select message from deliveries order by number").fetchall())
    return [msgspec.json.decode(str(text), type=Message) for (text,) in found]


def test_drop_of_a_goal_rate_is_one_alert_with_both_rates(box: WholeBox) -> None:
    goal = call(box, "goals.create", websiteId=box.sites["shop"], type="EVENT", target="signup", name="Sign-up")
    (message,) = alerts(box, "traffic_drop", figure="goal_rate", figureId=goal["id"])
    assert message.title == "Goal rate lower than usual: Shop"
    assert "5.0\N{NO-BREAK SPACE}%" in message.text
    assert "Usual on this weekday: 60.0\N{NO-BREAK SPACE}%" in message.text
    assert alerts(box, "traffic_spike", figure="goal_rate", figureId=goal["id"]) == []


def test_drop_of_a_funnel_is_an_alert(box: WholeBox) -> None:
    steps = [{"type": "PAGE_VIEW", "target": "/"}, {"type": "EVENT", "target": "signup"}]
    funnel = call(box, "funnels.create", websiteId=box.sites["shop"], name="Sign-ups", steps=steps)
    (message,) = alerts(box, "traffic_drop", figure="funnel_rate", figureId=funnel["id"])
    assert message.title == "Funnel conversion rate lower than usual: Shop"


def test_many_missing_pages_and_slow_pages_are_alerts(box: WholeBox) -> None:
    (missing,) = alerts(box, "traffic_spike", figure="not_found_views")
    assert dict(missing.fields) == {"404 views": "20", "Usual": "1"}
    (slow,) = alerts(box, "traffic_spike", figure="lcp_p75")
    assert dict(slow.fields) == {"LCP (75th percentile)": "3.00\N{NO-BREAK SPACE}s", "Usual": "1.00\N{NO-BREAK SPACE}s"}
    assert alerts(box, "traffic_spike", figure="inp_p75") == [], "nothing was measured"


def test_failing_and_slow_mcp_tools_are_alerts(box: WholeBox) -> None:
    (failing,) = alerts(box, "traffic_spike", figure="mcp_error_rate", minVisitors=50)
    assert failing.title == "MCP error rate higher than usual: Shop"
    assert dict(failing.fields) == {
        "MCP error rate": "15.0\N{NO-BREAK SPACE}%",
        "Usual": "2.0\N{NO-BREAK SPACE}%",
    }
    (slow,) = alerts(box, "traffic_spike", figure="mcp_p95", minVisitors=50)
    assert dict(slow.fields)["MCP duration (95th percentile)"] == "400\N{NO-BREAK SPACE}ms"
    assert alerts(box, "traffic_spike", figure="mcp_p95", minVisitors=101) == [], "fewer calls than the rule wants"


def test_drop_of_revenue_is_an_alert_in_the_currency_of_most_orders(box: WholeBox) -> None:
    pay(box, "visitor 1", revenue="900000", currency="JPY")  # One order in another currency changes nothing.
    (message,) = alerts(box, "traffic_drop", figure="revenue")
    assert message.title == "Revenue lower than usual: Shop"
    assert dict(message.fields) == {"Revenue": "€10.50", "Usual": "€126.00"}
    assert alerts(box, "traffic_spike", figure="revenue") == []


def test_failed_payments_rise_above_chance() -> None:
    wanted = Terms(threshold=30, minutes=1_440, least=10, silence_hours=0)
    assert judge("failed_payments", DayFigure(9, 500), 4, wanted, is_spike=True) == "lasts"
    assert judge("failed_payments", DayFigure(12, 500), 4, wanted, is_spike=True) == "begins"
    assert judge("failed_payments", DayFigure(40, 5), 4, wanted, is_spike=True) == "lasts", "too few visitors"
    assert judge("revenue", DayFigure(0, 500, "EUR"), 120, wanted, is_spike=False) == "begins"


def test_goal_of_another_website_is_refused(box: WholeBox) -> None:
    goal = call(box, "goals.create", websiteId=box.sites["blog"], type="EVENT", target="signup", name="Blog")
    conditions = {"figure": "goal_rate", "figureId": goal["id"]}
    given = {"name": "x", "triggerType": "traffic_drop", "triggerConditions": conditions, "destinations": [DESTINATION]}
    assert box.post("/alarms/create", {**given, "websiteId": box.sites["shop"]}, key="all").status == 400
    assert box.post("/alarms/create", {**given, "websiteId": box.sites["blog"]}, key="all").status == 200


@pytest.mark.parametrize(
    "conditions",
    [
        {"figure": "goal_rate"},
        {"figureId": "some-goal"},
        {"figure": "lcp_p75", "figureId": "some-goal"},
        {"figure": "goal_rate", "figureId": "unknown-goal"},
        {"figure": "funnel_rate", "figureId": "unknown-funnel"},
        {"figure": "lcp_p75", "minutes": 60},
        {"figure": "profit"},
        {"figure": "revenue", "figureId": "EUR"},
    ],
    ids=str,
)
def test_figure_without_its_goal_or_with_a_window_is_refused(box: WholeBox, conditions: dict[str, Any]) -> None:
    given = {"name": "x", "triggerType": "traffic_drop", "triggerConditions": conditions, "destinations": [DESTINATION]}
    assert box.post("/alarms/create", given, key="all").status == 400


def test_form_keeps_a_figure_whose_goal_is_no_longer_active(box: WholeBox) -> None:
    site = box.sites["shop"]
    goal = call(box, "goals.create", websiteId=site, type="EVENT", target="signup", name="Old")["id"]
    conditions = {"figure": "goal_rate", "figureId": goal}
    given = {"triggerType": "traffic_drop", "triggerConditions": conditions, "destinations": [DESTINATION]}
    rule = call(box, "alarms.create", name="Old", websiteId=site, **given)
    path = f"/alerts/{rule['id']}"
    assert "Goal rate: Old (Shop)" in box.get(path, cookie=box.cookie, accept="text/html").body.decode()
    call(box, "goals.delete", id=goal)
    page = box.get(path, cookie=box.cookie, accept="text/html").body.decode()
    assert f'<option value="goal_rate:{goal}" selected>Deleted or inactive goal or funnel' in page


WANTED = Terms(threshold=30, minutes=0, least=100, silence_hours=0)


@pytest.mark.parametrize(
    ("now", "usual", "verdict"),
    [
        (DayFigure(2.0, 1_000), 4.0, "begins"),
        (DayFigure(3.9, 1_000), 4.0, "ends"),
        (DayFigure(3.3, 1_000), 4.0, "lasts"),
        (DayFigure(2.0, 100), 4.0, "lasts"),
        (DayFigure(0.0, 99), 60.0, "lasts"),
    ],
    ids=str,
)
def test_rate_has_to_differ_by_the_threshold_and_by_more_than_chance(
    now: DayFigure, usual: float, verdict: str
) -> None:
    assert judge("goal_rate", now, usual, WANTED, is_spike=False) == verdict
