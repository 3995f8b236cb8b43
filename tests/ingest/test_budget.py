"""A website that has used up its budget of the hour: events count, and only what is new in their texts is "(other)"."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics_box.base.settings import Settings
from analytics_box.base.store.strings import OTHER
from analytics_box.base.translation import _
from tests.contract.conftest import unlimited
from tests.ingest.rows import rows
from tests.inprocess import BROWSER, Answer, SiteName, WholeBox, whole_box

SHOP = "https://shop.example"
HOUR = 3_600


def small(settings: Settings) -> Settings:
    return msgspec.structs.replace(unlimited(settings), budget_texts=200)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=small) as made:
        yield made


def send(box: WholeBox, body: Any, *, path: str = "/", site: SiteName = "shop", user_agent: str = BROWSER) -> Answer:
    """Send as a page does."""
    return box.post(f"{path}?client_id={box.sites[site]}", body, user_agent=user_agent)


def view(path: str, **more: Any) -> dict[str, Any]:
    return {"name": "screen_view", "path": f"{SHOP}{path}", **more}


def use_up(box: WholeBox) -> None:
    """Send new texts until the budget is over."""
    for number in range(100):
        said = send(box, {"name": f"spent {number}", "anonymousId": "spender"}).headers["x-analytics-box"]
        if said != "stored=1":
            assert said == "stored=1, folded=1; reason=hourly_budget"
            return
    raise AssertionError("the budget has no end")


def paths(box: WholeBox) -> list[str]:
    return [path for path, name in rows(box, "events", "path", "name") if name in {"screen_view", "page_exit"}]


def totals(box: WholeBox) -> dict[str, Any]:
    asked = {"parameters": ["summary_metrics"], "startDate": "2026-06-17", "endDate": "2026-06-17"}
    found: dict[str, Any] = box.query("shop", asked).json["data"][0]["data"][0]
    return found


def test_new_texts_are_other_and_those_that_were_there_stay(box: WholeBox) -> None:
    send(box, view("/known", title="Known", referrer="https://news.example/a", anonymousId="a"))
    use_up(box)
    again = view("/known", title="Known", referrer="https://news.example/a", anonymousId="b")
    assert send(box, again).headers["x-analytics-box"] == "stored=1", "what is known costs nothing"
    new = view(
        "/new?x=1",
        title="New",
        referrer="https://other.example/b",
        utm_source="letter",
        utm_campaign="june",
        anonymousId="c",
        language="sv",
    )
    assert send(box, new).headers["x-analytics-box"] == "stored=1, folded=1; reason=hourly_budget"
    columns = ("path", "query_string", "title", "entry", "referrer", "source", "utm_source", "utm_campaign", "utm_term")
    assert rows(box, "events", *columns)[-2:] == [
        ("/known", "", "Known", "/known", "https://news.example/a", "news.example", "", "", ""),
        (OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, ""),
    ]


def test_fields_with_few_values_stay_exact_over_budget(box: WholeBox) -> None:
    use_up(box)
    phone = (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1"
    )
    mail = view("/", utm_source="letter", utm_medium="email", timezone="Asia/Tokyo", anonymousId="a")
    assert send(box, mail, user_agent=phone).status == 200
    columns = ("name", "kind", "device", "channel", "time_zone", "browser_version")
    assert rows(box, "events", *columns)[-1] == ("screen_view", 1, "mobile", "Email", "Asia/Tokyo", OTHER)


def test_events_visitors_and_sessions_count_as_ever(tmp_path: Path) -> None:
    found = []
    for budget in (0, 100):
        with whole_box(
            tmp_path / str(budget),
            adjust=lambda settings, budget=budget: msgspec.structs.replace(unlimited(settings), budget_texts=budget),  # type: ignore[misc]  # a lambda with a default
        ) as box:
            for number in range(60):
                visitor = f"visitor {number % 12}"
                page = f"/page {number}"
                send(box, view(page, anonymousId=visitor, sessionId=f"session {number % 12}"))
                box.clock.advance(seconds=20)
                send(box, {**view(page, anonymousId=visitor, sessionId=f"session {number % 12}"), "name": "page_exit"})
            found.append(totals(box))
            folded = paths(box).count(OTHER)
            assert folded == 0 if budget == 0 else folded > 60
    assert found[0] == found[1]
    assert found[0]["pageviews"] == 60
    assert found[0]["sessions"] == 12


def test_a_new_session_id_or_person_is_left_out_so_that_not_all_become_one(box: WholeBox) -> None:
    send(box, view("/", anonymousId="a", sessionId="before", profileId="ada"))
    use_up(box)
    for who in ("a", "b", "c"):
        send(box, view("/", anonymousId=who, sessionId=f"new {who}", profileId=f"person {who}"))
    send(box, view("/", anonymousId="a", sessionId="before", profileId="ada"))
    found = rows(box, "events", "client_session", "profile", "session")
    before, (b, c), after = found[0], found[-3:-1], found[-1]
    assert before == after, "the session that was there goes on"
    assert [one[:2] for one in (b, c)] == [("", ""), ("", "")]
    assert len({b[2], c[2], before[2], 0}) == 4


def test_a_beacon_finds_the_view_of_a_page_that_was_folded(box: WholeBox) -> None:
    use_up(box)
    send(box, view("/new", anonymousId="a"))
    box.clock.advance(seconds=40 * 60 - 1)  # by its path alone it belongs there
    send(box, {**view("/new", anonymousId="a"), "name": "page_exit", "time_on_page": 2_399})
    view_row, exit_row = rows(box, "events", "path", "session", "engaged")[-2:]
    assert view_row[:2] == exit_row[:2]
    assert exit_row == (OTHER, view_row[1], 2_399)


@pytest.mark.parametrize(
    ("path", "body", "table", "columns", "stored"),
    [
        (
            "/errors",
            [{"message": "new message", "stack": "new stack", "filename": "new.js"}],
            "errors",
            ("message", "stack", "filename"),
            (OTHER, OTHER, OTHER),
        ),
        ("/engagement", [{"exitType": "hidden", "rageClickTarget": "#new"}], "engagement", ("exit_type", "rage_target"),
         ("hidden", OTHER)),
        ("/", {"type": "outgoing_link", "href": "https://new.example/x", "text": "New"}, "outgoing_links",
         ("href", "text", "domain"), (OTHER, OTHER, OTHER)),
        ("/events", [{"eventName": "$flag_evaluated", "properties": {"flag": "new", "value": True}}], "flag_exposures",
         ("flag", "variant"), (OTHER, OTHER)),
    ],
)  # fmt: skip
def test_errors_engagement_links_and_flags_are_folded_over_budget(
    box: WholeBox, path: str, body: Any, table: str, columns: tuple[str, ...], stored: tuple[str, ...]
) -> None:
    use_up(box)
    assert send(box, body, path=path).headers["x-analytics-box"] == "stored=1, folded=1; reason=hourly_budget"
    assert rows(box, table, *columns) == [stored]


def test_the_next_hour_is_another_one(box: WholeBox) -> None:
    use_up(box)
    send(box, view("/new", anonymousId="a", utm_source="x", utm_medium="y"))
    box.clock.advance(seconds=HOUR)
    assert send(box, view("/new", anonymousId="a", utm_source="x", utm_medium="y")).headers["x-analytics-box"] == (
        "stored=1"
    )
    assert paths(box) == [OTHER, "/new"]
    assert [row[0] for row in rows(box, "events", "utm_source")][-2:] == [OTHER, "x"]


def test_restart_resets_the_hour(box: WholeBox) -> None:
    use_up(box)
    box.reopen()
    send(box, view("/new"))
    assert paths(box) == ["/new"]


def test_every_website_has_a_budget_of_its_own_and_keys_have_none(box: WholeBox) -> None:
    use_up(box)
    assert send(box, {"name": "elsewhere"}, site="local").headers["x-analytics-box"] == "stored=1"
    events = [{"name": f"by key {number}", "websiteId": box.sites["shop"]} for number in range(100)]
    assert box.post("/track", events, key="all").headers["x-analytics-box"] == "stored=100"
    assert (OTHER,) not in rows(box, "events", "name")[-100:]


def test_single_address_uses_a_fifth_and_does_not_affect_others(box: WholeBox) -> None:
    use_up(box)
    body = json.dumps(view("/new", title="New")).encode()
    target, headers = f"/?client_id={box.sites['shop']}", {"content_type": "application/json"}
    answer = box.ask("POST", target, headers=headers, body=body, address="198.51.100.9")
    assert answer.headers["x-analytics-box"] == "stored=1"
    assert rows(box, "events", "path", "title")[-1] == ("/new", "New")


def test_properties_are_folded_when_the_bytes_are_used_up(tmp_path: Path) -> None:
    def five_megabytes(settings: Settings) -> Settings:
        return msgspec.structs.replace(unlimited(settings), budget_mb=5)

    with whole_box(tmp_path / "data", adjust=five_megabytes) as box:
        event = {"name": "bought", "properties": {"note": "x" * 20_000, "price": 7}}
        said = [send(box, event).headers["x-analytics-box"] for _rest in range(60)]
        folded = said.count("stored=1, folded=1; reason=hourly_budget")
        assert folded == 60 - 50
        stored = [json.loads(row[0]) for row in rows(box, "events", "properties")]
        assert stored[:50] == [event["properties"]] * 50
        assert stored[50:] == [{OTHER: OTHER}] * folded
        assert send(box, {"name": "bought"}).headers["x-analytics-box"] == "stored=1"


def test_an_owner_raises_it_and_that_acts_at_once(box: WholeBox) -> None:
    use_up(box)
    raised = {"id": box.sites["shop"], "settings": {"hourlyTexts": 1_000}}
    assert box.post("/websites/updateSettings", raised, key="all").status == 200
    assert send(box, view("/new")).headers["x-analytics-box"] == "stored=1"
    assert paths(box) == ["/new"]


def test_the_owner_sees_why_and_the_total_has_only_what_does_not_count(box: WholeBox) -> None:
    use_up(box)
    send(box, [view(f"/{number}", eventId="once") for number in range(3)], path="/batch")
    found = box.post("/websites/listDropped", {"websiteId": box.sites["shop"]}, key="all").json
    assert found["total"] == 2
    assert {one["reason"]: (one["count"], one["counted"]) for one in found["reasons"]} == {
        "hourly_budget": (2, True),
        "duplicate": (2, False),
    }
    page = box.get(f"/sites/{box.sites['shop']}/not-counted", cookie=box.cookie).body.decode()
    assert (
        (
            _("Folded into (other)"),
            _(
                "These events count. But more new paths, titles, names or other texts came in "
                "an hour than this website takes, or from one address more than a fifth of "
                "that, and what was new in them is stored as (other). If they are yours, raise "
                "its budget under Tracking; if not, somebody sends made-up events: a new "
                "client id stops that."
            ),
        )
    )[0] in page
    assert "Counted" in page
    assert f"{2} in {30} days" in page


def test_people_that_a_page_names_are_told_to_wait_for_the_next_hour(tmp_path: Path) -> None:
    def five_megabytes(settings: Settings) -> Settings:
        return msgspec.structs.replace(unlimited(settings), budget_mb=5)

    with whole_box(tmp_path / "data", adjust=five_megabytes) as box:
        for _rest in range(50):
            send(box, {"name": "x", "properties": {"note": "x" * 20_000}})
        who = {"profileId": "ada", "traits": {"plan": "pro"}}
        refused = send(box, who, path="/identify")
        assert (refused.status, refused.json["reason"]) == (429, "IDENTIFY_RATE_LIMITED")
        assert int(refused.headers["retry-after"]) == HOUR
        by_key = box.post("/identify", {**who, "websiteId": box.sites["shop"]}, key="all")
        assert by_key.status == 200
        box.clock.advance(seconds=HOUR)
        assert send(box, who, path="/identify").status == 200
