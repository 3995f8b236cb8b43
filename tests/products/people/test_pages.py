"""The pages about people: search, one person, the file with everything, removal with its question; who sees what."""

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.contract.conftest import unlimited
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as inside:
        yield inside


def href(box: WholeBox, rest: str = "") -> str:
    return f"/sites/{box.sites['shop']}/visitors{rest}"


def seen(box: WholeBox, rest: str = "", *, cookie: str = "") -> Answer:
    return box.get(href(box, rest), cookie=cookie or box.cookie, accept="text/html")


def page(box: WholeBox, rest: str = "") -> str:
    answer = seen(box, rest)
    assert answer.status == 200, answer.body
    return html.unescape(answer.body.decode())


def identify(box: WholeBox, profile_id: str, **traits: Any) -> None:
    box.clock.advance(seconds=1)
    body = {
        "profileId": profile_id,
        "websiteId": box.sites["shop"],
        "anonymousId": f"of {profile_id}",
        "traits": traits,
    }
    assert box.post("/identify", body, key="all").status == 200


def track(box: WholeBox, name: str, **fields: Any) -> None:
    event = {"name": name, "websiteId": box.sites["shop"], **fields}
    assert box.post("/track", event, key="all").status == 200


def remove(box: WholeBox, fields: dict[str, str], *, cookie: str = "") -> Answer:
    headers = {"cookie": cookie or box.cookie, **FORM, "accept": "text/html"}
    return box.ask("POST", href(box, "/delete"), headers=headers, body=urlencode(fields).encode())


def test_without_identified_visitors_the_page_explains_itself_and_has_no_search(box: WholeBox) -> None:
    shown = page(box)
    assert "analyticsBox.identify" in shown
    assert 'name="search"' not in shown
    assert 'name="search"' in page(box, "?search=ada")


def test_people_are_listed_and_lead_to_their_page(box: WholeBox) -> None:
    identify(box, "a/b?c&d", name="Ada", email="ada@example.com", seats=3, trial=True)
    text = page(box)
    assert "Ada" in text
    assert "ada@example.com" in text
    target = f"/profile?profile={quote('a/b?c&d', safe='')}"
    assert target in text
    person = page(box, target)
    for shown in ("Ada", "a/b?c&d", "ada@example.com", "seats", "3", "trial", "yes", "17 Jun 2026, 12:00"):
        assert shown in person
    assert "2 visitor IDs are linked" in person


def test_page_of_a_person_has_payments_and_their_lifetime_value(box: WholeBox) -> None:
    identify(box, "ada")
    assert "Lifetime value" not in page(box, "/profile?profile=ada")
    for paid in ("20.50", "4", "-2.50"):
        properties = {"revenue": paid, "currency": "EUR", "product": "Book"}
        track(box, "purchase", profileId="ada", anonymousId="of ada", properties=properties)
    track(box, "purchase", profileId="bea", anonymousId="of bea", properties={"revenue": "99", "currency": "EUR"})
    track(box, "purchase", profileId="ada", anonymousId="of ada", properties={"revenue": "300", "currency": "JPY"})
    person = page(box, "/profile?profile=ada")
    assert "¥300, €22.00" in person
    assert "Refund · Book" in person
    assert "99.00" not in person


def test_a_search_finds_by_id_and_address(box: WholeBox) -> None:
    identify(box, "customer-1", email="ada@example.com")
    identify(box, "customer-2", email="eve@example.com")
    assert "customer-2" not in page(box, "?search=ADA%40example.com")
    assert "customer-1" in page(box, "?search=ADA%40example.com")
    assert "customer-2" in page(box, "?search=customer")
    assert "No matching visitors" in page(box, "?search=nobody")
    assert 'value="nobody"' in page(box, "?search=nobody")


def test_many_people_are_shown_a_page_at_a_time(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.products.people.pages.PER_PAGE", 2)
    for number in range(5):
        identify(box, f"person-{number}")
    assert "?page=1" in page(box)
    last = page(box, "?page=2")
    assert "person-0" in last
    assert "person-4" not in last
    assert "?page=1" in last
    assert "?page=3" not in last
    assert seen(box, "?page=-1").status == seen(box, "?page=x").status == seen(box, "?page=99999999").status == 200


def test_traits_from_strangers_are_escaped(box: WholeBox) -> None:
    identify(box, HOSTILE, name=HOSTILE, email=HOSTILE, **{HOSTILE: HOSTILE})
    query = urlencode({"profile": HOSTILE})
    for rest in ("", f"/profile?{query}", f"/delete?{query}", f"/delete?{urlencode({'device': HOSTILE})}"):
        answer = seen(box, rest)
        assert answer.status == 200
        assert b"<script>alert" not in answer.body
        assert b"&lt;script&gt;alert" in answer.body


def test_the_file_has_everything_of_a_person_and_nothing_of_others(box: WholeBox) -> None:
    identify(box, "ada", name="Ada")
    track(box, "bought", anonymousId="of ada", properties={"amount": 3})
    track(box, "paid", profileId="ada")
    track(box, "something else", anonymousId="somebody else")
    vital = {"metricName": "LCP", "metricValue": 12, "anonymousId": "of ada"}
    box.post(f"/vitals?client_id={box.sites['shop']}", [vital], origin="https://shop.example")
    answer = seen(box, "/export?profile=ada")
    assert answer.headers["content-disposition"] == 'attachment; filename="person.json"'
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == ("application/json", "no-store")
    found = answer.json
    assert found["profile"]["traits"] == {"name": "Ada"}
    assert found["website"] == {"id": box.sites["shop"], "domain": "shop.example"}
    assert [(event["name"], event.get("properties")) for event in found["events"]] == [
        ("bought", {"amount": 3}),
        ("paid", None),
    ]
    assert [vital["metric"] for vital in found["vitals"]] == ["LCP"]
    assert "else" not in json.dumps(found)


def test_the_file_is_whole_however_many_pieces_it_has(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.products.people.traces.PIECE", 2)
    for number in range(7):
        track(box, f"e{number}", profileId="ada")
        track(box, "of others")
    assert [event["name"] for event in seen(box, "/export?profile=ada").json["events"]] == [f"e{n}" for n in range(7)]


def test_visitor_without_events_has_a_profile_page(box: WholeBox) -> None:
    identify(box, "ada")
    found = seen(box, "/export?profile=ada").json
    assert (found["profile"]["profileId"], "events" in found) == ("ada", False)
    assert seen(box, "/export?device=x").json["profile"] is None


def test_removal_asks_first_and_then_removes(box: WholeBox) -> None:
    identify(box, "ada", name="Ada", email="ada@example.com")
    track(box, "bought", anonymousId="of ada")
    question = page(box, "/delete?profile=ada")
    assert "Remove Ada?" in question
    assert 'name="profile" value="ada"' in question
    assert seen(box, "/profile?profile=ada").status == 200  # asking alone removes nobody
    answer = remove(box, {"profile": "ada"})
    assert answer.status == 303
    after = html.unescape(box.get(answer.headers["location"], cookie=box.cookie, accept="text/html").body.decode())
    assert "removed (1 rows)" in after
    assert ">Ada<" not in after
    assert seen(box, "/profile?profile=ada").status == 404
    assert remove(box, {"profile": "ada"}).status == 404


def test_a_device_is_removed_by_its_id(box: WholeBox) -> None:
    track(box, "bought", anonymousId="anon_1")
    assert "Delete the data of anon_1?" in page(box, "/delete?device=anon_1")
    assert "rows=1" in remove(box, {"device": " anon_1 "}).headers["location"]
    assert "events" not in seen(box, "/export?device=anon_1").json
    assert "Enter the id." in html.unescape(seen(box, "/delete?device=").body.decode())
    assert remove(box, {}).status == 404


def test_the_audit_log_shows_both_in_words(box: WholeBox) -> None:
    identify(box, "ada-secret")
    seen(box, "/export?profile=ada-secret")
    remove(box, {"profile": "ada-secret"})
    log = html.unescape(box.get("/settings/audit", cookie=box.cookie, accept="text/html").body.decode())
    assert "created visitor data export" in log
    assert "deleted visitor data" in log
    assert "ada-secret" not in log


PLACES = ("", "/profile?profile=ada", "/export?profile=ada", "/delete?profile=ada")


@pytest.mark.parametrize(
    ("role", "statuses"),
    [("viewer", (403, 403, 403, 403)), ("member", (200, 200, 200, 403)), ("admin", (200, 200, 200, 200))],
)
def test_viewers_see_no_visitors_and_only_admins_remove_them(
    box: WholeBox, role: Any, statuses: tuple[int, ...]
) -> None:
    identify(box, "ada", email="ada@secret.example")
    cookie = cookie_of(box, role)
    answers = [seen(box, place, cookie=cookie) for place in PLACES]
    assert tuple(answer.status for answer in answers) == statuses
    for answer in answers:
        assert answer.status == 200 or b"secret" not in answer.body
    if role != "admin":
        assert remove(box, {"profile": "ada"}, cookie=cookie).status == 403
        assert seen(box, "/profile?profile=ada").status == 200
    if role == "viewer":
        overview = box.get(f"/sites/{box.sites['shop']}", cookie=cookie, accept="text/html").body
        assert b"/visitors" not in overview
    if role == "member":
        assert b"/visitors/delete" not in answers[1].body


def test_visitors_are_hidden_from_other_organizations(box: WholeBox) -> None:
    identify(box, "ada")
    cookie = cookie_of(box, "owner", organization_id=box.foreign_organization_id)
    assert {seen(box, place, cookie=cookie).status for place in PLACES} == {404}
    assert remove(box, {"profile": "ada"}, cookie=cookie).status == 404
    assert box.get(href(box), accept="text/html").status == 303  # strangers sign in first
