"""POST /identify: what is taken, what is refused and why, and what is known then (wire 4.5, 4.6, 4.8)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec
import pytest

from analytics_box.app.box import open_box
from analytics_box.base.settings import Settings
from analytics_box.base.store.schema import EVENTS_FILE
from analytics_box.ingest.visitors import by_client_id, cookieless
from analytics_box.products.people.reading import Profiles
from analytics_box.products.people.rules import holder_of
from analytics_box.tenants.websites.directory import Directory
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import BROWSER, Answer, FixedClock, KeyName, RunningBox, SiteName, WholeBox, whole_box

ORIGIN = "https://shop.example"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as made:
        yield made


def from_page(box: WholeBox, body: Any, *, site: SiteName = "shop", **headers: str) -> Answer:
    sent: dict[str, Any] = {"origin": f"https://{site}.example", **headers}
    return box.post(f"/identify?client_id={box.sites[site]}", body, **sent)


def read(box: WholeBox, sql: str) -> list[tuple[Any, ...]]:
    return box.box.events.db.read_now(lambda db: list(db.execute(sql).fetchall()))


def known(box: WholeBox, profile_id: str, site: SiteName = "shop") -> Any:
    answer = box.post("/profiles/getById", {"websiteId": box.sites[site], "profileId": profile_id}, key="all")
    assert answer.status == 200, answer.body
    return answer.json


class Case(NamedTuple):
    """`key` and `named` say who asks and which website the body names; `{shop}` is a website's id."""

    section: str
    body: Any
    status: int
    reason: str = ""
    field: str = ""
    key: KeyName | None = None
    target: str = "/identify?client_id={shop}"
    origin: str = ORIGIN


WHO = {"profileId": "p1"}
CASES = (
    Case("4.5", WHO, 200),
    Case("4.5", {"profileId": "p" * 128, "anonymousId": "a" * 128}, 200),
    Case("4.5", {**WHO, "anonymousId": None, "traits": None, "websiteId": None, "more": 1}, 200),
    Case("4.5", {**WHO, "traits": {f"t{n}": n for n in range(50)}}, 200),
    Case("4.5", {**WHO, "traits": {"a": "x" * 255, "b": 1.5, "c": True, "d": None}}, 200),
    Case("4.5", {**WHO, "anonymizeVisitorIds": "auto", "anonymousId": "a"}, 200),
    Case("4.5", {}, 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", {"profileId": ""}, 400, "INVALID_EVENT_SCHEMA", "profileId"),
    Case("4.5", {"profileId": " \u0007 "}, 400, "INVALID_EVENT_SCHEMA", "profileId"),
    Case("4.5", {"profileId": "p" * 129}, 400, "INVALID_EVENT_SCHEMA", "profileId"),
    Case("4.5", {"profileId": 7}, 400, "INVALID_EVENT_SCHEMA", "profileId"),
    Case("4.5", {**WHO, "anonymousId": "a" * 129}, 400, "INVALID_EVENT_SCHEMA", "anonymousId"),
    Case("4.5", {**WHO, "anonymizeVisitorIds": "never"}, 400, "INVALID_EVENT_SCHEMA", "anonymizeVisitorIds"),
    Case("4.5", {**WHO, "traits": []}, 400, "INVALID_EVENT_SCHEMA", "traits"),
    Case("4.5", {**WHO, "traits": {"a": {}}}, 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", {**WHO, "traits": {"a": [1]}}, 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", {**WHO, "traits": {"a": "x" * 256}}, 400, "INVALID_EVENT_SCHEMA", "traits.a"),
    Case("4.5", {**WHO, "traits": {f"t{n}": n for n in range(51)}}, 400, "INVALID_EVENT_SCHEMA", "traits"),
    Case("4.5", {**WHO, "traits": {f"t{n}": "x" * 250 for n in range(9)}}, 400, "INVALID_EVENT_SCHEMA", "traits"),
    Case("4.5", [WHO], 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", b"{", 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", b'{"profileId": "\xff"}', 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", b'{"profileId": "p", "traits": {"n": NaN}}', 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", b'{"profileId": "p", "traits": {"n": 1e999}}', 400, "INVALID_EVENT_SCHEMA"),
    Case("4.5", b"[" * 100_000, 400, "INVALID_EVENT_SCHEMA"),
    Case("4.6", WHO, 400, "INGEST_MISSING_CLIENT_ID", target="/identify"),
    Case("4.6", WHO, 400, "INGEST_INVALID_CLIENT_ID", target="/identify?client_id=nothing"),
    Case("4.6", WHO, 400, "INGEST_INVALID_CLIENT_ID", target="/identify?client_id={idle}"),
    Case("4.6", WHO, 403, "INGEST_ORIGIN_NOT_AUTHORIZED", origin="https://evil.example"),
    Case("4.6", WHO, 200, origin=""),
    Case("4.5", {**WHO, "websiteId": "{shop}"}, 200, key="tracking", target="/identify"),
    Case("4.5", {**WHO, "websiteId": "{shop}"}, 200, key="restricted", target="/identify"),
    Case("4.8", WHO, 400, "IDENTIFY_MISSING_WEBSITE_ID", key="tracking"),
    Case("4.8", {**WHO, "websiteId": "nothing"}, 404, "TRACK_WEBSITE_NOT_FOUND", key="tracking"),
    Case("4.8", {**WHO, "websiteId": "{idle}"}, 404, "TRACK_WEBSITE_NOT_FOUND", key="tracking"),
    Case("4.8", {**WHO, "websiteId": "{foreign}"}, 403, "TRACK_WEBSITE_SCOPE_MISMATCH", key="tracking"),
    Case("4.8", {**WHO, "websiteId": "{blog}"}, 403, "TRACK_WEBSITE_SCOPE_MISMATCH", key="restricted"),
    Case("4.8", {**WHO, "websiteId": "{shop}"}, 403, "TRACK_MISSING_SCOPE", key="reading"),
    Case("4.8", {**WHO, "websiteId": "{shop}"}, 401, "TRACK_MISSING_CREDENTIALS", key="revoked"),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made


@each("case", CASES, ids=lambda case: f"{case.section} {str(case.body)[:60]} {case.key} {case.status}")
def test_identify_call_is_accepted_or_refused_with_its_reason(shared: WholeBox, case: Case) -> None:
    box = shared
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("websiteId"), str):
        body = {**body, "websiteId": body["websiteId"].format(**box.sites)}
    headers = {"origin": case.origin} if case.origin and case.key is None else {}
    before = read(box, "select count(*) from profiles")
    answer = box.post(case.target.format(**box.sites), body, key=case.key, **headers)
    assert answer.status == case.status, answer.body
    if case.status == 200:
        assert answer.json == {"status": "success", "type": "identify", "requestId": answer.headers["x-request-id"]}
        assert answer.headers["x-analytics-box"] == "stored=1"
        return
    refused = answer.json
    assert (refused["success"], refused["status"], refused["reason"]) == (False, "error", case.reason)
    assert refused["retryable"] is False
    assert refused["message"]
    if case.field:
        assert [error["field"] for error in refused["errors"]] == [case.field]
    assert read(box, "select count(*) from profiles") == before


def test_traits_are_merged_and_null_deletes(box: WholeBox) -> None:
    from_page(box, {**WHO, "traits": {"email": "Ada@Example.com", "name": "Ada L.", "plan": "pro", "seats": 3}})
    box.clock.advance(seconds=1)
    from_page(box, {**WHO, "traits": {"plan": None, "seats": 4.5, "username": "ada", "trial": False}})
    person = known(box, "p1")["profile"]
    assert person["traits"] == {
        "email": "Ada@Example.com",
        "name": "Ada L.",
        "seats": 4.5,
        "username": "ada",
        "trial": False,
    }
    assert (person["email"], person["displayName"]) == ("ada@example.com", "ada")
    assert (person["createdAt"], person["updatedAt"]) == ("2026-06-17T12:00:00.000Z", "2026-06-17T12:00:01.000Z")
    from_page(box, {**WHO, "traits": {"username": None, "email": None}})
    person = known(box, "p1")["profile"]
    assert (person["email"], person["displayName"]) == ("", "Ada L.")


def test_an_identify_without_traits_leaves_them(box: WholeBox) -> None:
    from_page(box, {**WHO, "traits": {"plan": "pro"}})
    from_page(box, WHO)
    from_page(box, {**WHO, "traits": {}})
    assert known(box, "p1")["profile"]["traits"] == {"plan": "pro"}


def test_a_person_that_is_filled_up_is_refused_clearly(box: WholeBox) -> None:
    for start in (0, 50):
        from_page(box, {**WHO, "traits": {f"t{start + n}": n for n in range(50)}})
    answer = from_page(box, {**WHO, "traits": {"one more": 1}})
    assert (answer.status, answer.json["reason"]) == (400, "INVALID_EVENT_SCHEMA")
    assert "null" in answer.json["message"]
    assert len(known(box, "p1")["profile"]["traits"]) == 100


def test_the_websites_know_different_people(box: WholeBox) -> None:
    from_page(box, {**WHO, "traits": {"plan": "pro"}})
    from_page(box, {**WHO, "traits": {"plan": "free"}}, site="blog")
    assert known(box, "p1")["profile"]["traits"] == {"plan": "pro"}
    assert known(box, "p1", "blog")["profile"]["traits"] == {"plan": "free"}


def visitors(box: WholeBox) -> set[int]:
    return {visitor for (visitor,) in read(box, "select visitor from visitor_profiles")}


def test_a_client_id_links_its_ids_of_today_and_yesterday(box: WholeBox) -> None:
    from_page(box, {**WHO, "anonymousId": "anon_1"})
    salts, site = box.box.events.salts.current(box.clock.now()), box.numbers["shop"]
    assert visitors(box) == {by_client_id(salt, site, "anon_1") for salt in (salts.today, salts.yesterday)}


def test_a_client_id_that_is_not_anonymized_links_the_lasting_id(box: WholeBox) -> None:
    from_page(box, {**WHO, "anonymousId": "anon_1", "anonymizeVisitorIds": False})
    assert visitors(box) == {by_client_id(b"", box.numbers["shop"], "anon_1")}


def test_an_id_that_lasts_is_linked_where_the_device_uses_it(box: WholeBox) -> None:
    """The SDK's identify does not say whether ids are anonymized; its events do."""
    event = {"name": "paid", "websiteId": box.sites["shop"], "anonymousId": "anon_1", "anonymizeVisitorIds": False}
    assert box.post("/track", event, key="tracking").status == 200
    said = {"profileId": "p1", "anonymousId": "anon_1", "websiteId": box.sites["shop"]}
    assert box.post("/identify", said, key="tracking").status == 200
    lasting = by_client_id(b"", box.numbers["shop"], "anon_1")
    assert lasting in visitors(box)
    assert box.post("/identify", {**said, "anonymousId": "anon_2"}, key="tracking").status == 200
    assert by_client_id(b"", box.numbers["shop"], "anon_2") not in visitors(box)
    exported = box.post("/profiles/export", {"websiteId": box.sites["shop"], "profileId": "p1"}, key="all").json
    assert [item["name"] for item in exported["items"]["events"]] == ["paid"]


def test_a_caller_without_a_client_id_is_the_visitor_that_its_events_are(box: WholeBox) -> None:
    from_page(box, WHO)
    box.post(f"/batch?client_id={box.sites['shop']}", [{"name": "screen_view", "path": f"{ORIGIN}/"}], origin=ORIGIN)
    salts, site = box.box.events.salts.current(box.clock.now()), box.numbers["shop"]
    assert visitors(box) == {cookieless(salt, site, "203.0.113.7", BROWSER) for salt in (salts.today, salts.yesterday)}
    assert {visitor for (visitor,) in read(box, "select visitor from events")} < visitors(box)


def test_server_without_a_client_id_links_no_visitor(box: WholeBox) -> None:
    box.post("/identify", {**WHO, "websiteId": box.sites["shop"]}, key="tracking")
    assert visitors(box) == set()
    assert known(box, "p1")["visitors"] == []


def test_website_without_client_ids_links_the_cookieless_visitor(box: WholeBox) -> None:
    settings = {"id": box.sites["shop"], "settings": {"visitorIdMode": "cookieless"}}
    assert box.post("/websites/updateSettings", settings, key="all").status == 200
    from_page(box, {**WHO, "anonymousId": "anon_1"})
    salts, site = box.box.events.salts.current(box.clock.now()), box.numbers["shop"]
    assert visitors(box) == {cookieless(salt, site, "203.0.113.7", BROWSER) for salt in (salts.today, salts.yesterday)}
    box.post("/identify", {"profileId": "p2", "anonymousId": "anon_1", "websiteId": box.sites["shop"]}, key="all")
    assert known(box, "p2")["visitors"] == []


def test_yesterday_is_linked_with_today_over_midnight(box: WholeBox) -> None:
    view = {"name": "screen_view", "path": f"{ORIGIN}/", "anonymousId": "anon_1"}
    box.post(f"/batch?client_id={box.sites['shop']}", [view], origin=ORIGIN)
    box.clock.advance(seconds=86_400)
    from_page(box, {**WHO, "anonymousId": "anon_1"})
    ((visitor,),) = read(box, "select visitor from events")
    assert str(visitor) in [each["visitorId"] for each in known(box, "p1")["visitors"]]


def test_events_that_name_a_person_link_their_visitor(box: WholeBox) -> None:
    event = {"name": "paid", "websiteId": box.sites["shop"], "anonymousId": "anon_1", "profileId": "p1"}
    assert box.post("/track", event, key="tracking").status == 200
    salts, site = box.box.events.salts.current(box.clock.now()), box.numbers["shop"]
    assert visitors(box) == {by_client_id(salt, site, "anon_1") for salt in (salts.today, salts.yesterday)}
    assert known(box, "p1")["profile"]["traits"] == {}


def test_bot_identifies_no_visitor(box: WholeBox) -> None:
    answer = from_page(box, WHO, user_agent="Googlebot/2.1 (+http://www.google.com/bot.html)")
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["x-analytics-box"].startswith("dropped=1; reason=")
    assert read(box, "select 1 from profiles") == []


def test_ignored_call_is_acknowledged_and_not_stored(box: WholeBox) -> None:
    settings = {"id": box.sites["shop"], "settings": {"ignoredIps": ["203.0.113.7"]}}
    assert box.post("/websites/updateSettings", settings, key="all").status == 200
    answer = from_page(box, WHO)
    assert answer.json["status"] == "success"
    assert answer.headers["x-analytics-box"] == "dropped=1; reason=ignored_address"
    assert read(box, "select 1 from profiles") == []


@pytest.mark.parametrize(("key", "limit"), [(None, 60), ("tracking", 600)])
def test_so_many_a_minute(tmp_path: Path, key: KeyName | None, limit: int) -> None:
    with whole_box(
        tmp_path / "data",
        adjust=lambda settings: msgspec.structs.replace(unlimited(settings), limit_identify=60, limit_track=600),
    ) as box:
        body = {**WHO, "websiteId": box.sites["shop"]}
        target = "/identify" if key else f"/identify?client_id={box.sites['shop']}"
        wrong = {**body, "profileId": 1}  # refused for its shape, and counted all the same
        for _ in range(limit):
            assert box.post(target, wrong, key=key).status == 400
        refused = box.post(target, body, key=key)
        assert (refused.status, refused.json["code"], refused.json["reason"]) == (
            429,
            "RATE_LIMITED",
            "IDENTIFY_RATE_LIMITED",
        )
        assert refused.json["retryable"] is True
        assert int(refused.headers["retry-after"]) >= 1
        if key is None:
            other = box.ask(
                "POST",
                target,
                headers={"content_type": "application/json"},
                body=b'{"profileId":"x"}',
                address="198.51.100.1",
            )
            assert other.status == 200


def test_beacons_may_send_it_as_text(box: WholeBox) -> None:
    assert from_page(box, WHO, content_type="text/plain;charset=UTF-8").status == 200


def test_traits_are_never_stored_in_plain_text(tmp_path: Path) -> None:
    traits = {"email": "Ada@Secret.example", "name": "Ada Secret", "phone": "+43 660 1234567"}
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        from_page(box, {**WHO, "traits": traits})
        from_page(box, {**WHO, "traits": {"plan": "secret plan"}})
        assert known(box, "p1")["profile"]["traits"] == {**traits, "plan": "secret plan"}
        wal = (tmp_path / "data" / f"{EVENTS_FILE}-wal").read_bytes()
    everything = wal + b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir() if file.is_file())
    assert b"p1" in everything
    for text in ("ada@secret.example", "ada secret", "1234567", "secret plan"):
        assert text.encode() not in everything.lower()
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o777 == 0o600


def test_without_its_key_a_person_is_not_overwritten(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        from_page(box, {**WHO, "traits": {"plan": "pro"}})
    key = (tmp_path / "data" / "secret.key").read_bytes()
    (tmp_path / "data" / "secret.key").write_bytes(bytes(32))

    def opened() -> RunningBox:
        return RunningBox(open_box(unlimited(Settings(data_dir=tmp_path / "data")), FixedClock()), FixedClock(), {})

    wrong = opened()
    (client_id,) = [site.client_id for site in wrong.box.parts[Directory].all() if site.domain == "shop.example"]
    said = {**WHO, "traits": {"plan": "free"}}
    answer = wrong.post(f"/identify?client_id={client_id}", said)
    assert (answer.status, answer.json["retryable"]) == (503, True)
    assert wrong.post(f"/identify?client_id={client_id}", WHO).status == 200  # who it is can still be said
    wrong.close()
    (tmp_path / "data" / "secret.key").write_bytes(key)
    right = opened()
    assert right.post(f"/identify?client_id={client_id}", {**WHO, "traits": {"seats": 1}}).status == 200
    site = next(site for site in right.box.parts[Directory].all() if site.domain == "shop.example")
    person = right.run(right.box.parts[Profiles].find(holder_of(site), "p1"))
    assert person is not None
    assert person.traits == {"plan": "pro", "seats": 1}
    right.close()


def test_identities_survive_a_restart(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        from_page(box, {**WHO, "anonymousId": "anon_1", "traits": {"plan": "pro"}})
    db = apsw.Connection(str(tmp_path / "data" / EVENTS_FILE))
    assert db.execute("select count(*) from profiles").fetchall() == [(1,)]
    assert db.execute("select count(*) from visitor_profiles").fetchall() == [(2,)]
    db.close()
