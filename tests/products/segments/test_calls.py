"""segments.* over RPC: what comes back, who sees what, and what becomes of segments with their website."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import each
from tests.inprocess import KeyName, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of

GERMANY = [{"field": "country", "op": "eq", "value": "Germany"}]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("segments") / "data") as whole:
        yield whole


@pytest.fixture(autouse=True)
def empty(box: WholeBox) -> None:
    box.box.box_db.write_now(lambda db: db.execute("delete from segments").fetchall())


def call(box: WholeBox, verb: str, key: KeyName | None = "all", cookie: str = "", **given: Any) -> Any:
    who = {"cookie": cookie} if cookie else {}
    answer = box.post(f"/rpc/segments/{verb}", {"json": given}, key=None if cookie else key, **who)
    return answer.json["json"] if answer.status == 200 else (answer.status, answer.json["json"]["message"])


def make(box: WholeBox, name: str = "Germans", filters: Any = GERMANY, **given: Any) -> Any:
    usual: dict[str, Any] = {"websiteId": box.sites["shop"], "isShared": True, "name": name, "filters": filters}
    return call(box, "create", **usual | given)


def names(box: WholeBox, **given: Any) -> Any:
    found = call(box, "list", websiteId=box.sites["shop"], **given)
    return [one["name"] for one in found] if isinstance(found, list) else found


def test_a_segment_is_saved_changed_listed_and_deleted(box: WholeBox) -> None:
    made = make(box, " Germans \n on  phones ")
    assert made == made | {"name": "Germans on phones", "isShared": True, "filters": GERMANY}
    assert made["createdAt"] == "2026-06-17T12:00:00.000Z"
    assert call(box, "getById", id=made["id"]) == made
    other = [{"any": [{"field": "channel", "op": "is_set"}, {"field": "path", "op": "starts_with", "value": ["/a"]}]}]
    changed = call(box, "update", id=made["id"], name="Others", filters=other)
    assert (changed["name"], changed["filters"], changed["isShared"]) == ("Others", other, True)
    assert names(box) == ["Others"]
    assert call(box, "delete", id=made["id"]) == {"success": True}
    assert call(box, "getById", id=made["id"]) == (404, "There is no segment with this id")


def test_a_segment_is_no_store_of_texts(box: WholeBox) -> None:
    long = [{"field": "path", "op": "in", "value": [f"/{number}" + "x" * 999 for number in range(30)]}]
    status, said = make(box, "Long", filters=long)
    assert (status, "can have up to 20,000 bytes" in said) == (400, True)


def test_somebodys_own_is_theirs_alone(box: WholeBox) -> None:
    ada, bob = cookie_of(box, "member"), cookie_of(box, "admin")
    mine = make(box, "Mine", cookie=ada, isShared=False)
    ours = make(box, "Ours", cookie=ada)
    assert (names(box, cookie=ada), names(box, cookie=bob), names(box)) == (["Mine", "Ours"], ["Ours"], ["Ours"])
    for verb in ("getById", "update", "delete"):
        assert call(box, verb, cookie=bob, id=mine["id"])[0] == 404
    assert call(box, "update", cookie=bob, id=ours["id"], name="All of us")["name"] == "All of us"
    alone = call(box, "update", cookie=bob, id=ours["id"], isShared=False)
    assert alone == (400, "Only its creator can make it private")
    assert call(box, "update", cookie=ada, id=mine["id"], isShared=True)["isShared"] is True
    assert names(box, cookie=bob) == ["All of us", "Mine"]


@each(
    ("name", "filters", "given", "wrong"),
    [
        ("a", [], {}, "Add a filter"),
        ("a\u202eb", GERMANY, {}, "Enter a name with visible characters"),
        (" \n", GERMANY, {}, "Enter a name with visible characters"),
        ("x" * 101, GERMANY, {}, "A name can have up to 100 characters"),
        ("a", GERMANY, {"isShared": False}, "API keys can only save shared segments"),
        ("a", [{"field": "session_id", "op": "eq", "value": "1"}], {}, "A segment cannot be filtered by session_id"),
        ("a", [{"field": "path", "op": "regex", "value": "("}], {}, "Invalid pattern: missing ): ("),
        ("a", [{"field": "scroll", "op": "eq", "value": 101}], {}, "scroll is a whole number from 1 to 100"),
        ("a", [{"all": GERMANY}], {}, "Use filters and groups with any"),
        ("a", [{"field": "path", "op": "not_starts_with", "value": "a"}], {}, "Use filters and groups"),
    ],
)
def test_invalid_segment_is_refused(box: WholeBox, name: str, filters: Any, given: dict[str, Any], wrong: str) -> None:
    status, message = make(box, name, filters, **given)
    assert status == 400
    assert wrong in message


def test_a_name_is_taken_once(box: WholeBox) -> None:
    first, second = make(box, "One"), make(box, "خانه\u200cها")  # with a non-joiner, as Persian writes it
    assert make(box, "ONE") == (409, "A segment with this name already exists")
    assert call(box, "update", id=second["id"], name="one")[0] == 409
    assert call(box, "update", id=first["id"], name="ONE")["name"] == "ONE"


@each(
    ("key", "reads", "writes"),
    [("reading", 200, 403), ("tracking", 403, 403), ("elsewhere", 404, 403), ("foreign", 404, 404), (None, 401, 401)],
)
def test_keys_need_their_scopes(box: WholeBox, key: KeyName | None, reads: int, writes: int) -> None:
    make(box)
    found = call(box, "list", key, websiteId=box.sites["shop"])
    assert (200 if isinstance(found, list) else found[0]) == reads
    assert make(box, "Other", key=key)[0] == writes


def test_viewers_read(box: WholeBox) -> None:
    viewer = cookie_of(box, "viewer")
    make(box)
    assert names(box, cookie=viewer) == ["Germans"]
    assert make(box, "Other", cookie=viewer, isShared=False)[0] == 403


def test_segments_go_with_their_website(box: WholeBox) -> None:
    made = make(box, websiteId=box.sites["idle"])
    assert box.post("/websites/delete", {"id": box.sites["idle"]}, key="all").status == 200
    assert call(box, "getById", id=made["id"])[0] == 404
    assert box.post("/websites/restore", {"id": box.sites["idle"]}, key="all").status == 200
    assert call(box, "getById", id=made["id"])["name"] == "Germans"
