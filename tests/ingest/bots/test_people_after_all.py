"""A program can be called people: what is held of it counts, and what comes next; and that can be taken back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.jobs import purge_websites
from analytics_box.base.clock import DAY, MINUTE
from analytics_box.web.recognition import bots
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, Answer, FixedClock, KeyName, WholeBox, whole_box

KIOSK = "Mozilla/5.0 (X11; Linux x86_64) Kiosk-Monitor/3.1"  # people stand before it
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
SECONDS = 1_000


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path, clock=FixedClock()) as whole:
        yield whole


def send(box: WholeBox, user_agent: str = KIOSK, *, address: str = "198.51.100.7", site: Any = "shop") -> Answer:
    domain = {"shop": "shop.example", "blog": "blog.example"}[site]
    body = json.dumps({"name": "screen_view", "path": f"https://{domain}/{box.clock.now()}"}).encode()
    given = {"databuddy_client_id": box.sites[site], "user_agent": user_agent}
    return box.ask("POST", "/", headers=given, body=body, address=address)


def call(box: WholeBox, name: str, key: KeyName = "all", **given: Any) -> Any:
    answer = box.post(f"/rpc/websites/{name}", {"json": {"websiteId": box.sites["shop"], **given}}, key=key)
    return answer.json["json"] if answer.status == 200 else answer.status


def sessions(box: WholeBox) -> list[int]:
    found = [session for (session,) in rows(box, "events", "session")]
    order = list(dict.fromkeys(number for number in found if number))
    return [order.index(number) + 1 if number else 0 for number in found]


def visits(box: WholeBox) -> tuple[int, int, int]:
    """Page views, visitors and sessions as the API counts them."""
    asked = {"parameters": ["summary_metrics"], "startDate": "2026-06-17", "endDate": "2026-06-17"}
    (entry,) = box.query("shop", asked).json["data"]
    (row,) = entry["data"]
    return row["pageviews"], row["visitors"], row["sessions"]


def test_programs_are_listed_by_name_with_counts_and_the_last_time(box: WholeBox) -> None:
    for user_agent in (GOOGLEBOT, KIOSK, KIOSK, "x"):
        send(box, user_agent)
        box.clock.advance(seconds=60)
    send(box, GOOGLEBOT, site="blog")
    found = call(box, "listBots")
    assert (found["days"], found["total"], found["people"], found["flagDataCentres"]) == (30, 4, [], False)
    assert [(one["reason"], one["agent"], one["count"]) for one in found["programs"]] == [
        (bots.KNOWN, "Kiosk-Monitor", 2),
        (bots.SHORT, "x", 1),
        (bots.KNOWN, "Googlebot", 1),
    ]
    assert found["programs"][0]["lastSeen"].startswith("2026-06-17T12:02:00")
    assert visits(box) == (0, 0, 0)


def test_people_after_all_count_with_their_sessions_from_the_first_event_on(box: WholeBox) -> None:
    send(box)
    box.clock.advance(seconds=600)
    send(box)
    send(box, GOOGLEBOT)
    box.clock.advance(seconds=600)
    assert call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor") == {"success": True, "counted": 2}
    answer = send(box)
    assert (answer.status, answer.headers["x-analytics-box"]) == (200, "stored=1")
    assert visits(box) == (3, 1, 1)
    assert rows(box, "events", "bot", "agent") == [(bots.KNOWN, "Googlebot"), ("", ""), ("", ""), ("", "")]
    found = call(box, "listBots")
    assert [one["agent"] for one in found["programs"]] == ["Googlebot"]
    assert [(one["reason"], one["agent"]) for one in found["people"]] == [(bots.KNOWN, "Kiosk-Monitor")]


MEASURED: tuple[tuple[str, Any], ...] = (
    ("/vitals", [{"metricName": "LCP", "metricValue": 1_200.5}]),
    ("/errors", [{"message": "x is no function", "lineno": 3, "errorType": "TypeError"}]),
    ("/engagement", [{"timeOnPage": 30_000, "exitType": "unload", "lastFormField": "email"}]),
    ("/", {"type": "outgoing_link", "href": "https://partner.example/a", "text": "Partner"}),
)


def measure(box: WholeBox, user_agent: str) -> list[str]:
    """Send facts of all kinds about a page; return the answer to each."""
    given = {"databuddy_client_id": box.sites["shop"], "user_agent": user_agent}
    said = []
    for path, items in MEASURED:
        page = {"path": "https://shop.example/a", "eventId": "e1"}
        body = [{**page, **one} for one in items] if isinstance(items, list) else {**page, **items}
        answer = box.ask("POST", path, headers=given, body=json.dumps(body).encode(), address="198.51.100.7")
        said.append(answer.headers["x-analytics-box"])
    return said


def measured(box: WholeBox) -> list[list[tuple[Any, ...]]]:
    return [
        rows(box, "vitals", "metric", "value", "session <> 0", "path"),
        rows(box, "errors", "type", "message", "line", "session <> 0", "path"),
        rows(box, "engagement", "exit_type", "time_on_page", "last_field", "active_time", "session <> 0"),
        rows(box, "outgoing_links", "href", "text", "domain", "session <> 0"),
    ]


def test_measurements_of_an_allowed_bot_count_as_if_they_had_never_been_quarantined(tmp_path: Path) -> None:
    found = []
    for user_agent in (KIOSK, CHROME):
        with whole_box(tmp_path / user_agent[-4:], clock=FixedClock()) as box:
            send(box, user_agent)
            said = measure(box, user_agent)
            if user_agent == KIOSK:
                assert said == [f"held=1; reason={bots.KNOWN}"] * 4
                assert measured(box) == [[], [], [], []]
                assert call(box, "listBots")["programs"][0]["count"] == 5
                assert call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")["counted"] == 5
                assert call(box, "listBots")["programs"] == []
            assert visits(box) == (1, 1, 1)
            assert count(box, "events") == 1
            found.append(measured(box))
    assert found[0] == found[1]
    assert all(len(one) == 1 for one in found[0])


PAID: tuple[dict[str, Any], ...] = (
    {"revenue": "12.30", "currency": "EUR", "orderId": "o1", "customerId": "ada", "product": "Lamp"},
    {"revenue": 5, "orderId": "o2"},
    {"revenue": 5, "orderId": "o2"},
    {"amount": -3, "currency": "EUR", "orderId": "o1"},
    {"plan": "pro"},
)
PAYMENT = (
    *("amount", "currency", "payment_type", "provider", "verified", "product_name", "reference"),
    *("customer <> 0", "attribution", "session <> 0", "entry", "path"),
)


def pay(box: WholeBox, user_agent: str, *properties: dict[str, Any]) -> None:
    given = {"databuddy_client_id": box.sites["shop"], "user_agent": user_agent}
    for one in properties:
        event = {"name": "purchase", "properties": one, "path": "https://shop.example/paid"}
        answer = box.ask("POST", "/track", headers=given, body=json.dumps(event).encode(), address="198.51.100.7")
        assert answer.status in {200, 204}, answer.body


def set_revenue(box: WholeBox, **settings: Any) -> None:
    body = {"id": box.sites["shop"], "settings": settings}
    assert box.post("/websites/updateSettings", body, key="all").status == 200


def test_payments_of_an_allowed_bot_count_as_if_they_had_never_been_quarantined(tmp_path: Path) -> None:
    found = []
    for user_agent in (KIOSK, CHROME):
        with whole_box(tmp_path / user_agent[-4:], clock=FixedClock()) as box:
            set_revenue(box, defaultCurrency="USD")
            send(box, user_agent)
            pay(box, user_agent, *PAID)
            if user_agent == KIOSK:
                assert count(box, "transactions") == 0
                pay(box, KIOSK, {"revenue": 10**15, "currency": "EUR"})
                assert call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")["counted"] == 7
            found.append(rows(box, "transactions", *PAYMENT))
    assert found[0] == found[1]
    assert [row[:5] for row in found[0]] == [
        (1230, "EUR", "sale", "tracker", 0),
        (500, "USD", "sale", "tracker", 0),
        (-300, "EUR", "refund", "tracker", 0),
    ]
    assert {row[8:10] for row in found[0]} == {("session", 1)}


def test_payments_of_an_allowed_bot_stay_out_if_the_website_refuses_revenue_from_browsers(box: WholeBox) -> None:
    pay(box, KIOSK, *PAID)
    set_revenue(box, browserRevenue=False)
    assert call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")["counted"] == len(PAID)
    assert count(box, "transactions") == 0


TIMED: tuple[dict[str, Any], ...] = (
    {"properties": {"plan": "pro", "$timings": [1]}, "load_time": 900, "ttfb": 120.5, "dom_ready_time": 0},
    {"load_time": 1_200, "render_time": -1},
    {"name": "page_exit", "properties": {"plan": "free"}, "request_time": 40},
    {"properties": {"plan": None}},
)


def test_page_load_timings_of_an_allowed_bot_count_as_if_they_had_never_been_quarantined(tmp_path: Path) -> None:
    found = []
    for user_agent in (KIOSK, CHROME):
        with whole_box(tmp_path / user_agent[-4:], clock=FixedClock()) as box:
            given = {"databuddy_client_id": box.sites["shop"], "user_agent": user_agent}
            for more in TIMED:
                body = json.dumps({"name": "screen_view", "path": "https://shop.example/a", **more}).encode()
                box.ask("POST", "/", headers=given, body=body, address="198.51.100.7")
            if user_agent == KIOSK:
                assert (count(box, "events"), count(box, "vitals")) == (4, 0)
                assert call(box, "listBots")["programs"][0]["count"] == 4
                assert call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")["counted"] == 4
            vitals = sorted(rows(box, "vitals", "metric", "value", "session <> 0", "path", "time"))
            found.append((vitals, sorted(rows(box, "events", "kind", "coalesce(properties, '-')", "session <> 0"))))
            assert set(rows(box, "vitals", "session")) == set(rows(box, "events", "session"))
    assert found[0] == found[1]
    assert [(metric, value) for metric, value, *_ in found[0][0]] == [
        (11, 900.0),
        (11, 1_200.0),
        (12, 0.0),
        (14, 120.5),
        (19, 40.0),
    ]


def test_release_applies_to_one_website_and_one_bot(box: WholeBox) -> None:
    call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")
    assert send(box, site="blog").status == 204
    assert send(box, GOOGLEBOT).status == 204
    assert send(box, KIOSK.replace("Kiosk", "Tower")).status == 204
    assert send(box).status == 200


def test_release_survives_a_restart_and_an_interrupted_recount_is_completed(box: WholeBox) -> None:
    send(box)
    call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")
    box.box.events.db.write_now(
        lambda db: db.execute(
            "update stored_events set session = 0, since_start = 0, bot = (select id from strings where value = ?), "
            "agent = (select id from strings where value = ?)",
            (bots.KNOWN, "Kiosk-Monitor"),
        ).fetchall()
    )
    box.reopen()
    assert send(box).status == 200
    assert visits(box)[0] == 1
    box.run(box.box.events.quarantine.count_all())
    assert visits(box) == (2, 1, 1)


def test_taking_it_back_holds_what_comes_and_leaves_what_was_counted(box: WholeBox) -> None:
    send(box)
    call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")
    assert call(box, "refuseBot", reason=bots.KNOWN, agent="Kiosk-Monitor") == {"success": True}
    assert send(box).status == 204
    assert visits(box)[0] == 1
    assert call(box, "refuseBot", reason=bots.KNOWN, agent="Kiosk-Monitor") == 404


def test_every_decision_is_in_the_audit_log(box: WholeBox) -> None:
    call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")
    call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")  # is so already
    call(box, "refuseBot", reason=bots.KNOWN, agent="Kiosk-Monitor")
    call(box, "updateBotOptions", flagDataCentres=True)
    details = box.box.box_db.read_now(
        lambda db: db.execute("select detail from audit where subject = 'website' and action = 'updated'").fetchall()
    )
    named = "Kiosk-Monitor (known_bot_user_agent)"
    assert [json.loads(str(detail)) for (detail,) in details] == [
        {"countedAsPeople": {"before": None, "after": named}},
        {"countedAsPeople": {"before": named, "after": None}},
        {"flagDataCentres": {"before": False, "after": True}},
    ]


@pytest.mark.parametrize("name", ["listBots", "allowBot", "refuseBot", "updateBotOptions"])
def test_permissions_to_view_and_decide_about_bots(box: WholeBox, name: str) -> None:
    send(box)
    given = {} if name in {"listBots", "updateBotOptions"} else {"reason": bots.KNOWN, "agent": "Kiosk-Monitor"}
    keys: tuple[KeyName, ...] = ("reading", "tracking", "foreign", "elsewhere", "revoked")
    assert [call(box, name, key, **given) for key in keys if not (name == "listBots" and key == "reading")] == [
        *([403] if name != "listBots" else []),
        403,
        404,
        404 if name == "listBots" else 403,
        401,
    ]
    assert count(box, "events") == 1
    assert sessions(box) == [0]


def test_nonsense_is_refused(box: WholeBox) -> None:
    assert call(box, "allowBot", reason="because", agent="x") == 400
    assert call(box, "allowBot", reason=bots.KNOWN, agent="x" * 129) == 400
    for number in range(100):
        call(box, "allowBot", reason=bots.KNOWN, agent=f"Program {number}")
    assert call(box, "allowBot", reason=bots.KNOWN, agent="one more") == 409


def test_quarantined_events_are_removed_after_30_days(box: WholeBox) -> None:
    send(box)
    send(box, CHROME)
    box.clock.advance(seconds=29 * DAY / SECONDS)
    send(box)
    assert box.run(box.box.events.quarantine.forget()) == 0
    box.clock.advance(seconds=(DAY + MINUTE) / SECONDS)
    assert box.run(box.box.events.quarantine.forget()) == 1
    assert [time for (time,) in rows(box, "events", "time")] == [NOON, NOON + 29 * DAY]


CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
AMAZON, HOME = "52.95.110.1", "81.2.69.142"


def test_data_centres_are_programs_where_a_website_wants_that(box: WholeBox) -> None:
    assert send(box, CHROME, address=AMAZON).status == 200
    call(box, "updateBotOptions", flagDataCentres=True)
    assert send(box, CHROME, address=AMAZON).headers["x-analytics-box"] == "held=1; reason=data_centre"
    assert send(box, CHROME, address=HOME).status == 200
    assert send(box, CHROME, address=AMAZON, site="blog").status == 200
    event = {"name": "bought", "websiteId": box.sites["shop"], "anonymousId": "anon"}
    assert (
        box.ask(
            "POST",
            "/track",
            headers={"x_api_key": box.keys["all"], "user_agent": "curl/8"},
            body=json.dumps(event).encode(),
            address=AMAZON,
        ).headers["x-analytics-box"]
        == "stored=1"
    )
    assert [(one["reason"], one["agent"]) for one in call(box, "listBots")["programs"]] == [
        (bots.DATA_CENTRE, "Amazon AWS")
    ]
    assert call(box, "allowBot", reason=bots.DATA_CENTRE, agent="Amazon AWS")["counted"] == 1
    assert send(box, CHROME, address=AMAZON).status == 200
    assert call(box, "updateBotOptions") == {"success": True}
    assert call(box, "listBots")["flagDataCentres"] is True
    call(box, "updateBotOptions", flagDataCentres=False)
    assert call(box, "listBots")["flagDataCentres"] is False


def test_the_rules_of_a_website_that_is_gone_go_with_it(box: WholeBox) -> None:
    call(box, "allowBot", reason=bots.KNOWN, agent="Kiosk-Monitor")
    call(box, "updateBotOptions", flagDataCentres=True)
    assert box.post("/rpc/websites/delete", {"json": {"id": box.sites["shop"]}}, key="all").status == 200
    box.clock.advance(seconds=8 * DAY / SECONDS)
    box.run(purge_websites(box.box))
    left = box.box.box_db.read_now(
        lambda db: db.execute(
            "select (select count(*) from people_rules), (select count(*) from bot_options), "
            "(select count(*) from websites where id = ?)",
            (box.sites["shop"],),
        ).fetchall()
    )
    assert [tuple(row) for row in left] == [(0, 0, 0)]
