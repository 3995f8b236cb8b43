"""What was not counted: counted by website, day and reason, and told to whoever may see the website."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics_box.app import jobs
from analytics_box.base.clock import DAY
from analytics_box.base.identity import Role
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.base.store.schema import EVENTS_FILE
from analytics_box.ingest import dropped, happened
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.ingest.reasons import REASON_TEXTS, words
from analytics_box.web.recognition import bots
from tests.inprocess import FixedClock, WholeBox, whole_box
from tests.tenants.organizations.world import World as People

VIEW = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "a"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def send(box: WholeBox, body: Any = VIEW, *, path: str = "/", **headers: str) -> str:
    """Send as a page of the shop does; what the answer says happened."""
    given = {"content_type": "application/json", "origin": "https://shop.example", **headers}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = box.ask("POST", f"{path}?client_id={box.sites['shop']}", headers=given, body=content)
    return answer.headers["x-analytics-box"]


def listed(box: WholeBox, *, days: int = 30) -> dict[str, int]:
    asked = {"websiteId": box.sites["shop"], "days": days}
    found = box.post("/websites/listDropped", asked, key="all").json
    assert (
        found["total"] == sum(one["count"] for one in found["reasons"]) == sum(one["count"] for one in found["daily"])
    )
    return {one["reason"]: one["count"] for one in found["reasons"]}


def test_every_way_of_not_counting_is_counted_under_its_reason(box: WholeBox) -> None:
    bot = {"user_agent": "Googlebot/2.1 (+http://www.google.com/bot.html)"}
    assert send(box) == "stored=1"
    assert listed(box) == {}
    assert send(box, origin="https://evil.example") == "dropped=1; reason=origin_not_authorized"
    assert send(box, {"name": 7}) == "dropped=1; reason=invalid_schema"
    assert send(box, b"{") == "dropped=1; reason=invalid_schema"
    assert send(box, {**VIEW, "type": "llm"}) == "dropped=1; reason=unknown_event_type"
    assert send(box, b"x" * 1_100_000) == "dropped=1; reason=payload_too_large"
    assert send(box, [VIEW] * 101, path="/batch") == "dropped=1; reason=batch_too_large"
    assert send(box, [VIEW, 7, VIEW], path="/batch") == "stored=2, dropped=1; reason=invalid_schema"
    assert send(box, [{**VIEW, "eventId": "e"}] * 3, path="/batch") == "stored=1, dropped=2; reason=duplicate"
    assert send(box, **bot).startswith("held=1; reason=")
    assert send(box, [{"message": "x"}] * 2, path="/errors", **bot).startswith("held=2; reason=")
    assert listed(box) == {
        "origin_not_authorized": 1,
        "invalid_schema": 3,
        "unknown_event_type": 1,
        "payload_too_large": 1,
        "batch_too_large": 1,
        "duplicate": 2,
        "known_bot_user_agent": 3,
    }


def test_ignored_events_are_counted(box: WholeBox) -> None:
    ignoring = {
        "ignoredPaths": ["/admin*"],
        "ignoredIps": ["198.51.100.9"],
        "ignoredTrackingOrigins": ["https://old.shop.example"],
    }
    changed = {"id": box.sites["shop"], "settings": ignoring}
    assert box.post("/websites/updateSettings", changed, key="all").status == 200
    admin = {**VIEW, "path": "https://shop.example/admin/users"}
    assert send(box, [admin, VIEW], path="/batch") == "stored=1, dropped=1; reason=ignored_path"
    assert send(box, origin="https://old.shop.example") == "dropped=1; reason=ignored_origin"
    asked = box.ask(
        "POST",
        f"/?client_id={box.sites['shop']}",
        headers={"content_type": "application/json"},
        body=b'{"name":"x"}',
        address="198.51.100.9",
    )
    assert (asked.status, asked.headers["x-analytics-box"]) == (200, "dropped=1; reason=ignored_address")
    assert listed(box) == {"ignored_path": 1, "ignored_origin": 1, "ignored_address": 1}


def test_a_website_with_allowed_origins_and_addresses_says_who_was_not_let_in(box: WholeBox) -> None:
    settings = {"allowedOrigins": ["https://app.example"], "allowedIps": ["203.0.113.0/24"]}
    assert (
        box.post("/websites/updateSettings", {"id": box.sites["shop"], "settings": settings}, key="all").status == 200
    )
    assert send(box, origin="") == "dropped=1; reason=origin_missing"
    asked = box.ask(
        "POST",
        f"/?client_id={box.sites['shop']}",
        headers={"content_type": "application/json", "origin": "https://app.example"},
        body=b'{"name":"x"}',
        address="198.51.100.9",
    )
    assert (asked.status, asked.headers["x-analytics-box"]) == (403, "dropped=1; reason=ip_not_authorized")
    assert listed(box) == {"origin_missing": 1, "ip_not_authorized": 1}


def test_rate_limited_events_are_counted(tmp_path: Path) -> None:
    def few(settings: Settings) -> Settings:
        return msgspec.structs.replace(settings, limit_track=2)

    with whole_box(tmp_path / "data", adjust=few) as box:
        assert [send(box) for _ in range(4)] == ["stored=1"] * 2 + ["dropped=1; reason=rate_limited"] * 2
        assert listed(box) == {"rate_limited": 2}


def test_unknown_websites_are_not_counted_and_leave_no_row(box: WholeBox) -> None:
    for number in range(50):
        answer = box.post(f"/?client_id=nobody-{number}", VIEW)
        assert answer.headers["x-analytics-box"] == "dropped=1; reason=invalid_client_id"
    assert box.post("/", VIEW).headers["x-analytics-box"] == "dropped=1; reason=missing_client_id"
    box.run(box.box.events.dropped.write())
    assert box.box.events.db.read_now(lambda db: db.execute("select count(*) from drops").fetchall()) == [(0,)]


def test_a_refusal_that_loses_nothing_is_no_drop(box: WholeBox) -> None:
    answer = box.post("/track", VIEW)
    assert (answer.status, answer.headers["x-analytics-box"]) == (401, "stored=0; reason=track_missing_credentials")
    assert box.ask("GET", "/track").headers["x-analytics-box"] == "stored=0; reason=method_not_allowed"
    assert listed(box) == {}


def test_days_are_utc_days_and_ninety_of_them_are_kept(box: WholeBox) -> None:
    send(box, {"name": 7})
    box.clock.advance(seconds=86_400)
    send(box, {"name": 7})
    send(box, origin="https://evil.example")
    asked = {"websiteId": box.sites["shop"]}
    daily = box.post("/websites/listDropped", asked, key="all").json["daily"]
    assert [(one["date"], one["reason"], one["count"]) for one in daily] == [
        ("2026-06-18", "invalid_schema", 1),
        ("2026-06-18", "origin_not_authorized", 1),
        ("2026-06-17", "invalid_schema", 1),
    ]
    assert listed(box, days=1) == {"invalid_schema": 1, "origin_not_authorized": 1}
    box.clock.advance(seconds=90 * 86_400)
    box.run(jobs.forget_drops(box.box))
    left = box.box.events.db.read_now(lambda db: db.execute("select day, reason from drops order by reason").fetchall())
    assert left == [
        ((box.clock.now() - 90 * DAY) // DAY, reason) for reason in ("invalid_schema", "origin_not_authorized")
    ]


def test_counts_are_written_at_most_once_a_second_and_at_the_end(tmp_path: Path) -> None:
    assert next(job.seconds for job in jobs.JOBS if job.name == "write drops") == 1
    with whole_box(tmp_path / "data") as box:
        for _ in range(5):
            send(box, {"name": 7})
        written = box.box.events.db.read_now(lambda db: db.execute("select count(*) from drops").fetchall())
        assert written == [(0,)], "nothing is written for a single refusal"
        site, directory = box.numbers["shop"], tmp_path / "data"
    db = Db(directory / EVENTS_FILE, readers=1)
    try:
        assert db.read_now(lambda connection: dropped.counts_since(connection, site, 0))[0][1:] == ("invalid_schema", 5)
    finally:
        db.close()


def test_memory_is_bounded(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        drops = DroppedTraffic(box.box.events.db, FixedClock(), capacity=3)
        for number in range(10):
            drops.note(box.numbers["shop"], f"reason-{number}")
            drops.note(box.numbers["shop"], "reason-0")
        found = box.run(drops.of(box.numbers["shop"], days=1))
        assert {one.reason: one.times for one in found} == {"reason-0": 11, "reason-1": 1, "reason-2": 1}


def test_permissions_to_read_dropped_events(box: WholeBox) -> None:
    asked = {"websiteId": box.sites["shop"]}
    assert box.post("/websites/listDropped", asked, key="reading").status == 200
    assert box.post("/websites/listDropped", asked, key="tracking").status == 403
    assert box.post("/websites/listDropped", asked, key="elsewhere").status == 404
    assert box.post("/websites/listDropped", asked, key="foreign").status == 404
    assert box.post("/websites/listDropped", asked).status == 401
    assert box.post("/websites/listDropped", {**asked, "days": 91}, key="reading").status in {400, 422}


@pytest.mark.parametrize("role", ["viewer", "member", "admin"])
def test_every_member_can_read_dropped_events(box: WholeBox, role: Role) -> None:
    people = People(box)
    people.add("bob", role)
    send(box, origin="https://evil.example")
    page = people.see("bob", f"/sites/{box.sites['shop']}/not-counted")
    assert page.status == 200
    settings = f"/sites/{box.sites['shop']}/settings/tracking"
    assert (f'class="button" href="{settings}"' in page.body.decode()) is (role != "viewer"), (
        "who may not change it is not sent there"
    )
    assert people.call("bob", "websites.listDropped", websiteId=box.sites["shop"]).json["total"] == 1


def test_the_page_says_why_and_what_to_do(box: WholeBox) -> None:
    href = f"/sites/{box.sites['shop']}/not-counted"
    nothing = box.get(href, cookie=box.cookie)
    assert nothing.status == 200
    assert "No dropped events" in nothing.body.decode()
    send(box, origin="https://evil.example")
    send(box, user_agent="curl/8.5.0 and more")
    page = box.get(f"{href}?days=7", cookie=box.cookie).body.decode()
    for reason in ("origin_not_authorized", "known_bot_user_agent"):
        label, explanation = REASON_TEXTS[reason]
        assert label in page
        assert explanation.partition("'")[0] in page
    assert "Quarantined for 30 days" in page
    assert f"/sites/{box.sites['shop']}/settings/tracking" in page
    assert box.get(f"/sites/{box.sites['foreign']}/not-counted", cookie=box.cookie).status == 404
    assert box.get(href).status in {302, 303}


def test_every_reason_has_words() -> None:
    known = {*happened.REASONS.values(), "rate_limited", "payload_too_large", "origin_missing"}
    known |= {"hourly_budget", "ignored_origin", "ignored_address", "ignored_path", "duplicate", "referrer_spam"}
    known |= set(bots.REASONS)
    nobody = {"missing_client_id", "invalid_client_id"}  # there is no website to tell
    assert known - nobody <= set(REASON_TEXTS)
    assert words("something_new") == ("Something new", "See the manual for this reason.")
