"""profiles.list, getById, export and delete: who may, what is answered, and what is left (wire 4.5, security)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.products.people import calls
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, KeyName, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as made:
        yield made


def ask(
    box: WholeBox, procedure: str, given: dict[str, Any], *, key: KeyName | None = "all", cookie: str = ""
) -> Answer:
    given = {"websiteId": box.sites["shop"], **given}
    return box.post(f"/profiles/{procedure}", given, key=key, cookie=cookie)


def identify(box: WholeBox, profile_id: str, **said: Any) -> None:
    box.clock.advance(seconds=1)
    body = {"profileId": profile_id, "websiteId": box.sites["shop"], **said}
    assert box.post("/identify", body, key="all").status == 200


def track(box: WholeBox, name: str, **fields: Any) -> None:
    event = {"name": name, "websiteId": box.sites["shop"], "timestamp": box.clock.now(), **fields}
    assert box.post("/track", event, key="all").status == 200


def names(answer: Answer) -> list[str]:
    return [person["profileId"] for person in answer.json["profiles"]]


def test_people_are_listed_the_latest_first(box: WholeBox) -> None:
    for number in range(5):
        identify(box, f"p{number}", traits={"name": f"Person {number}"})
    first = ask(box, "list", {"limit": 2})
    assert (names(first), first.json["more"]) == (["p4", "p3"], True)
    rest = ask(box, "list", {"limit": 10, "offset": 2})
    assert (names(rest), rest.json["more"]) == (["p2", "p1", "p0"], False)
    assert first.json["profiles"][0]["displayName"] == "Person 4"


def test_a_person_is_found_by_id_or_by_the_whole_address(box: WholeBox) -> None:
    identify(box, "customer-1", traits={"email": "Ada@Example.com"})
    identify(box, "customer-2", traits={"email": "eve@example.com"})
    identify(box, "other_%", traits={"email": None})
    found = {
        "customer-": ["customer-2", "customer-1"],
        "customer-1": ["customer-1"],
        " ADA@example.com ": ["customer-1"],
        "ada@example": [],
        "other_%": ["other_%"],
        "%": [],
        "stomer": [],
        "/": [],
    }
    assert {search: names(ask(box, "list", {"search": search})) for search in found} == found
    identify(box, "customer-1", traits={"email": "new@example.com"})
    assert names(ask(box, "list", {"search": "ada@example.com"})) == []
    assert names(ask(box, "list", {"search": "new@example.com"})) == ["customer-1"]


def test_export_contains_everything_about_a_visitor(box: WholeBox) -> None:
    shop = box.sites["shop"]
    track(box, "before", anonymousId="anon_1", path="/pricing?x=1", properties={"deep": {"a": [1]}}, sessionId="s1")
    identify(box, "ada", anonymousId="anon_1", traits={"plan": "pro"})
    track(box, "server side", profileId="ada")
    track(box, "somebody else", anonymousId="anon_2")
    vital = {"metricName": "LCP", "metricValue": 1234.5, "anonymousId": "anon_1", "path": "/pricing"}
    assert box.post(f"/vitals?client_id={shop}", [vital], origin="https://shop.example").status == 200

    exported = ask(box, "export", {"profileId": "ada"}).json
    assert exported["profile"]["traits"] == {"plan": "pro"}
    assert len(exported["visitors"]) == 2
    assert exported["nextCursor"] is None
    first, second = exported["items"]["events"]
    assert (first["name"], first["path"], first["query_string"]) == ("before", "/pricing", "x=1")
    assert first["properties"] == {"deep": {"a": [1]}}
    assert (first["time"], first["client_session"]) == ("2026-06-17T12:00:00.000Z", "s1")
    assert first["visitor"] in {visit["visitorId"] for visit in exported["visitors"]}
    assert (second["name"], second["profile"]) == ("server side", "ada")
    (measured,) = exported["items"]["vitals"]
    assert (measured["metric"], measured["value"]) == ("LCP", 1234.5)
    assert "somebody else" not in json.dumps(exported)


def test_an_export_comes_in_parts(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "ITEMS", 3)
    monkeypatch.setattr("analytics_box.products.people.traces.PIECE", 2)
    for number in range(8):
        track(box, f"e{number}", profileId="ada")
    found: list[str] = []
    cursor, parts = None, 0
    while True:
        answer = ask(box, "export", {"profileId": "ada", "cursor": cursor}).json
        found += [item["name"] for item in answer["items"].get("events", [])]
        cursor, parts = answer["nextCursor"], parts + 1
        if cursor is None:
            break
    assert found == [f"e{number}" for number in range(8)]
    assert parts == 3


def test_a_deleted_person_is_gone_everywhere(box: WholeBox) -> None:
    track(box, "mine", anonymousId="anon_1")
    identify(box, "ada", anonymousId="anon_1", traits={"email": "ada@example.com"})
    track(box, "not mine", anonymousId="anon_2")
    done = ask(box, "delete", {"profileId": "ada"}).json
    assert (done["success"], done["rowsRemoved"]) == (True, 1)
    assert ask(box, "getById", {"profileId": "ada"}).status == 404
    assert names(ask(box, "list", {})) == names(ask(box, "list", {"search": "ada@example.com"})) == []
    assert ask(box, "delete", {"profileId": "ada"}).status == 404
    totals = {"parameters": ["custom_events"], "preset": "today"}
    rows = box.query("shop", totals).json["data"][0]["data"]
    assert [row["name"] for row in rows] == ["not mine"]


def test_a_device_is_exported_and_deleted_by_its_id(box: WholeBox) -> None:
    track(box, "mine", anonymousId="anon_1")
    track(box, "not mine", anonymousId="anon_2")
    exported = ask(box, "export", {"anonymousId": "anon_1"}).json
    assert exported["profile"] is None
    assert [item["name"] for item in exported["items"]["events"]] == ["mine"]
    assert ask(box, "delete", {"anonymousId": "anon_1"}).json["rowsRemoved"] == 1
    assert ask(box, "export", {"anonymousId": "anon_1"}).json["items"] == {}


def test_audit_log_has_exports_and_deletions_without_the_visitor(box: WholeBox) -> None:
    identify(box, "ada", traits={"email": "ada@secret.example"})
    ask(box, "export", {"profileId": "ada"})
    done = ask(box, "delete", {"profileId": "ada"}).json
    rows = box.box.box_db.read_now(
        lambda db: db.execute(
            "select action, subject, subject_id, detail from audit where subject like 'person%' order by id"
        ).fetchall()
    )
    assert [(row[0], row[1]) for row in rows] == [("created", "person_export"), ("deleted", "person")]
    assert rows[1][2] == done["deletionId"]
    assert "ada" not in json.dumps([row[3] for row in rows])


@each(
    ("procedure", "given", "field"),
    [
        ("getById", {}, "profileId"),
        ("getById", {"profileId": ""}, "profileId"),
        ("list", {"limit": 101}, "limit"),
        ("list", {"limit": 0}, "limit"),
        ("list", {"offset": -1}, "offset"),
        ("export", {}, "profileId"),
        ("export", {"profileId": "a", "anonymousId": "b"}, "profileId"),
        ("export", {"profileId": "a", "cursor": "sqlite_master.1"}, "cursor"),
        ("export", {"profileId": "a", "cursor": "events.-1"}, "cursor"),
        ("delete", {}, "profileId"),
        ("delete", {"profileId": "a", "anonymousId": "b"}, "profileId"),
    ],
)
def test_invalid_request_is_refused(box: WholeBox, procedure: str, given: dict[str, Any], field: str) -> None:
    answer = ask(box, procedure, given)
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert field in json.dumps(answer.json["details"])


READ, DELETE = ("list", "getById", "export"), ("delete",)
_ADA = {"profileId": "ada"}
GIVEN: dict[str, dict[str, Any]] = {"list": {}, "getById": _ADA, "export": _ADA, "delete": _ADA}


@pytest.mark.parametrize(
    ("key", "site", "allowed", "otherwise"),
    [
        ("reading", "shop", READ, 403),
        ("restricted", "shop", READ, 403),
        ("tracking", "shop", (), 403),
        ("linking", "shop", (), 403),
        ("elsewhere", "shop", (), 404),
        ("foreign", "shop", (), 404),
        ("restricted", "blog", (), 404),
        ("revoked", "shop", (), 401),
        (None, "shop", (), 401),
        (None, "blog", (), 401),  # a public website
    ],
)
def test_keys_read_people_only_with_their_scope_where_they_reach(
    box: WholeBox, key: KeyName | None, site: Any, allowed: tuple[str, ...], otherwise: int
) -> None:
    box.post("/identify", {"profileId": "ada", "websiteId": box.sites[site], "traits": {"plan": "yearly"}}, key="all")
    for procedure, given in GIVEN.items():
        answer = ask(box, procedure, {**given, "websiteId": box.sites[site]}, key=key)
        expected = 200 if procedure in allowed else otherwise
        if procedure == "delete" and key in {"elsewhere", "restricted"}:
            expected = 403  # these keys lack manage:websites
        assert answer.status == expected, (procedure, answer.body)
        if answer.status != 200:
            assert b"yearly" not in answer.body


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("viewer", ()), ("member", READ), ("admin", (*READ, *DELETE)), ("owner", (*READ, *DELETE))],
)
def test_members_read_people_and_admins_remove_them(box: WholeBox, role: Any, allowed: tuple[str, ...]) -> None:
    identify(box, "ada", traits={"plan": "pro"})
    cookie = cookie_of(box, role)
    for procedure, given in GIVEN.items():
        answer = ask(box, procedure, given, key=None, cookie=cookie)
        assert answer.status == (200 if procedure in allowed else 403), (procedure, answer.body)


def test_people_of_events_without_a_website_are_the_organizations(box: WholeBox) -> None:
    assert box.post("/track", {"name": "paid", "profileId": "ada", "anonymousId": "a"}, key="all").status == 200
    track(box, "of the shop", profileId="ada")
    given = {"profileId": "ada"}
    exported = box.post("/profiles/export", given, key="all").json
    assert [item["name"] for item in exported["items"]["events"]] == ["paid"]
    assert names(box.post("/profiles/list", {"search": "ad"}, key="reading")) == ["ada"]
    assert box.post("/profiles/list", {}, key="restricted").status == 403
    assert box.post("/profiles/delete", given, key="reading").status == 403
    assert box.post("/profiles/delete", given, key="foreign").status == 404
    assert box.post("/profiles/delete", given, key="all").json["rowsRemoved"] == 1
    assert box.post("/profiles/getById", given, key="all").status == 404
    assert ask(box, "getById", given).status == 200
