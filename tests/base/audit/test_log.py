"""The audit log: who changed what, for owners and admins; append-only; nothing per request."""

from collections.abc import Iterator
from typing import Any

import apsw
import pytest

from analytics_box.base import audit
from analytics_box.base.acting import By
from tests.contract.conftest import unlimited
from tests.inprocess import NOON, WholeBox, whole_box


@pytest.fixture
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made


def call(box: WholeBox, name: str, given: dict[str, Any], cookie: str | None = None) -> Any:
    answer = box.post(f"/{name.replace('.', '/')}", given, cookie=cookie or box.cookie)
    assert answer.status == 200, answer.body
    return answer.json


def log(box: WholeBox, **filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call(box, "audit.list", filters)["entries"]
    return found


def count(box: WholeBox) -> int:
    return box.box.box_db.read_now(lambda db: len(db.execute("select id from audit").fetchall()))


def make_website(box: WholeBox, domain: str) -> str:
    return str(call(box, "websites.create", {"name": "New", "domain": domain})["id"])


def test_a_change_is_there_with_who_what_and_when(box: WholeBox) -> None:
    box.clock.advance(seconds=60)
    website_id = make_website(box, "new.example")
    newest = log(box)[0]
    assert newest["actor"] == f"user:{box.user_id}"
    assert newest["actorName"] == "ada@example.com"
    assert (newest["action"], newest["subject"], newest["subjectId"]) == ("created", "website", website_id)
    assert newest["time"] == "2026-06-17T12:01:00.000Z"
    assert newest["detail"]["domain"] == "new.example"


def test_every_action_on_a_key_is_written_and_no_secret(box: WholeBox) -> None:
    cookie = box.cookie
    made = call(box, "apikeys.create", {"name": "Report", "scopes": ["read:data"]}, cookie)
    secrets = [made["secret"]]
    call(box, "apikeys.update", {"id": made["id"], "name": "Weekly report"}, cookie)
    secrets.append(call(box, "apikeys.rotate", {"id": made["id"]}, cookie)["secret"])
    call(box, "apikeys.revoke", {"id": made["id"]}, cookie)
    call(box, "apikeys.delete", {"id": made["id"]}, cookie)
    found = [entry for entry in log(box) if entry["subjectId"] == made["id"]]
    assert [entry["action"] for entry in found] == ["deleted", "revoked", "rotated", "updated", "created"]
    assert not any(secret in str(found) for secret in secrets)


def test_filters_narrow_it(box: WholeBox) -> None:
    box.clock.advance(seconds=60)
    website_id = make_website(box, "new.example")
    call(box, "websites.update", {"id": website_id, "name": "Newer"})
    assert {entry["subject"] for entry in log(box, subject="website")} == {"website"}
    assert [entry["subjectId"] for entry in log(box, action="updated")] == [website_id]
    assert {entry["actor"] for entry in log(box, actor="test")} == {"test"}
    assert [entry["action"] for entry in log(box, **{"from": "2026-06-17T12:01:00Z"})] == ["updated", "created"]
    assert website_id not in str(log(box, to="2026-06-17T12:01:00Z"))
    assert log(box, actor="nobody") == []


def test_pages_follow_each_other_without_gaps_and_repeats(box: WholeBox) -> None:
    everything = [entry["id"] for entry in log(box, limit=200)]
    seen: list[int] = []
    cursor: int | None = None
    while True:
        page = call(box, "audit.list", {"limit": 3} | ({"cursor": cursor} if cursor else {}))
        seen += [entry["id"] for entry in page["entries"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == everything


def test_entries_are_in_order_of_time_when_the_clock_has_jumped(box: WholeBox) -> None:
    def write(db: Any) -> None:
        for minutes in (3, 1, 2):
            by = By("demo", box.clock.now() - minutes * 60_000)
            audit.record(db, by, box.organization_id, "created", "annotation", f"note-{minutes}")

    box.box.box_db.write_now(write)
    assert [entry["subjectId"] for entry in log(box, limit=200) if entry["subject"] == "annotation"] == [
        "note-1",
        "note-2",
        "note-3",
    ]


@pytest.mark.parametrize("cursor", [0, -1, 2**53, 2**63, 10**30, "1", 1.5])
def test_a_cursor_that_none_could_be_is_refused(box: WholeBox, cursor: object) -> None:
    assert box.post("/audit/list", {"cursor": cursor}, cookie=box.cookie).status == 400


def test_another_organizations_entries_are_not_there(box: WholeBox) -> None:
    assert box.sites["foreign"] not in str(log(box, limit=200))
    answer = box.post("/audit/list", {"organizationId": box.foreign_organization_id}, cookie=box.cookie)
    assert answer.status in {403, 404}


@pytest.mark.parametrize("role", ["member", "viewer"])
def test_only_owners_and_admins_read_it(box: WholeBox, role: str) -> None:
    cookie = box.cookie
    box.box.box_db.write_now(lambda db: db.execute("update members set role = ?", (role,)) and None)
    assert box.post("/audit/list", {}, cookie=cookie).status == 403
    assert box.get("/settings/audit", cookie=cookie).status == 403


def test_keys_and_strangers_do_not_read_it(box: WholeBox) -> None:
    assert box.post("/audit/list", {}, key="all").status == 403
    assert box.post("/audit/list", {}).status == 401
    assert box.get("/settings/audit").status == 303


@pytest.mark.parametrize(
    "statement",
    [
        "update audit set actor = 'nobody'",
        "delete from audit",
        "replace into audit (id, time, actor, action, subject, subject_id) values (1, 0, 'x', 'created', 'x', 'x')",
    ],
)
def test_an_entry_can_be_neither_changed_nor_removed(box: WholeBox, statement: str) -> None:
    before = count(box)
    with pytest.raises(apsw.ConstraintError):
        box.box.box_db.write_now(lambda db: db.execute(statement) and None)
    assert count(box) == before


def test_requests_leave_no_entry(box: WholeBox) -> None:
    before = count(box)
    box.query("shop", {"parameters": ["summary_totals"], "preset": "last_7d"})
    box.query("foreign", {"parameters": ["summary_totals"], "preset": "last_7d"})
    box.get("/v1/query/websites", x_api_key=box.keys["revoked"])
    box.post("/track", {"name": "signup", "websiteId": box.sites["shop"]}, key="tracking")
    box.post("/websites/list", {}, key="all")
    box.get("/settings/audit", cookie=box.cookie)
    assert count(box) == before


def test_the_page_says_it_in_words(box: WholeBox) -> None:
    make_website(box, "new.example")
    call(box, "apikeys.create", {"name": "<b>Newer</b>", "scopes": ["read:data"]})
    page = box.get("/settings/audit", cookie=box.cookie).body.decode()
    assert "ada@example.com" in page
    assert "created website" in page
    assert "&lt;b&gt;Newer" in page
    assert "<b>Newer" not in page


def test_the_page_keeps_its_filters_and_says_when_nothing_matches(box: WholeBox) -> None:
    page = box.get("/settings/audit?action=rotated&from=2026-06-01&to=2026-06-30", cookie=box.cookie).body.decode()
    assert "No change matches these filters." in page
    assert '<option value="rotated" selected>' in page
    assert 'value="2026-06-01"' in page
    for nonsense in ("?from=yesterday", "?to=9999-99-99", "?before=-1", "?action=drunk", "?before=" + "9" * 40):
        assert box.get(f"/settings/audit{nonsense}", cookie=box.cookie).status == 200


def test_the_page_leads_to_older_entries(box: WholeBox) -> None:
    box.box.box_db.write_now(
        lambda db: (
            db.executemany(
                "insert into audit (time, organization_id, actor, action, subject, subject_id) "
                "values (?, ?, 'test', 'updated', 'thing', ?)",
                [(NOON, box.organization_id, str(number)) for number in range(60)],
            )
            and None
        )
    )
    first = box.get("/settings/audit?actor=test", cookie=box.cookie).body.decode()
    assert first.count('class="audit-line"') == 50
    address = first.partition('href="/settings/audit?actor=test&amp;before=')[2].partition('"')[0]
    older = box.get(f"/settings/audit?actor=test&before={address}", cookie=box.cookie).body.decode()
    assert 0 < older.count('class="audit-line"') <= 50
    assert ">Newest</a>" in older
