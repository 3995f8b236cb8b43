"""questions.* over RPC and on the page: what comes back, what is refused, and what the page and the API share."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import each
from tests.inprocess import KeyName, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of

PAGES = {"parameters": ["top_pages"], "preset": "last_7d", "limit": 5}
ONE = {"field": "country", "op": "eq", "value": "Germany"}
TWO = {"field": "browser_name", "op": "in", "value": ["Firefox", "Safari"]}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("saved") / "data") as inside:
        yield inside


@pytest.fixture(autouse=True)
def empty(box: WholeBox) -> None:
    box.box.box_db.write_now(lambda db: db.execute("delete from saved_questions").fetchall())


def call(box: WholeBox, verb: str, key: KeyName | None = "all", cookie: str = "", **given: Any) -> Any:
    who = {"cookie": cookie} if cookie else {}
    answer = box.post(f"/rpc/questions/{verb}", {"json": given}, key=None if cookie else key, **who)
    return answer.json["json"] if answer.status == 200 else (answer.status, answer.json["json"]["message"])


def make(box: WholeBox, name: str = "Pages", query: Any = PAGES, **given: Any) -> Any:
    usual: dict[str, Any] = {"websiteId": box.sites["shop"], "isShared": True, "name": name, "query": query}
    return call(box, "create", **usual | given)


def test_a_question_is_saved_changed_listed_and_deleted(box: WholeBox) -> None:
    made = make(box)
    assert made == made | {"name": "Pages", "isShared": True, "query": PAGES}
    assert made["url"].endswith(f"/sites/{box.sites['shop']}/queries?type=top_pages&limit=5")
    assert call(box, "getById", id=made["id"]) == made
    other = {"parameters": ["custom_events"], "startDate": "2026-06-01", "endDate": "2026-06-10", "timeZone": "UTC"}
    changed = call(box, "update", id=made["id"], query=other)
    assert (changed["name"], changed["query"]) == ("Pages", other)
    assert call(box, "list", websiteId=box.sites["shop"]) == [changed]
    assert call(box, "delete", id=made["id"]) == {"success": True}
    assert call(box, "getById", id=made["id"]) == (404, "There is no question with this id")


@each(
    ("given", "kept"),
    [
        ({"filters": [ONE, TWO]}, {"filters": [ONE, TWO]}),
        ({"filters": [{"any": [ONE, TWO]}]}, {"filters": [{"any": [ONE, TWO]}]}),
        ({"filters": [{"all": [ONE, TWO]}]}, {"filters": [ONE, TWO]}),
        ({"filters": [{"any": [ONE]}]}, {"filters": [ONE]}),
        ({"sortBy": "visitors", "sortOrder": "asc", "page": 3}, {"sortBy": "visitors", "sortOrder": "asc"}),
        ({"granularity": "day", "comparison": "previous_period"}, {"comparison": "previous_period"}),
    ],
)
def test_saved_question_runs_the_same_query(box: WholeBox, given: Any, kept: Any) -> None:
    made = make(box, query=PAGES | given)
    assert made["query"] == PAGES | kept
    assert box.post(f"/v1/query?website_id={box.sites['shop']}", made["query"], key="all").status == 200
    call(box, "delete", id=made["id"])


@each(
    ("given", "wrong"),
    [
        ({"parameters": ["top_page"]}, "Unknown query type: top_page"),
        ({"parameters": ["top_pages", "custom_events"]}, "it has one type, by its name"),
        ({"parameters": [{"name": "top_pages", "id": "mine"}]}, "it has one type, by its name"),
        ({"parameters": ["link_total_clicks"]}, "link_total_clicks is not a query type of websites"),
        ({"preset": None}, "startDate"),
        ({"limit": 0}, "Limit must be at least 1"),
        ({"filters": [{"all": [{"any": [ONE, TWO]}]}]}, "it has at most 10 filters, all or any of them"),
        ({"filters": [ONE] * 11}, "it has at most 10 filters"),
        ({"filters": [{**TWO, "value": ["a,b"]}]}, "it has one value, and several without commas"),
        ({"filters": [{**ONE, "value": ["a", "b"]}]}, "it has one value, and several without commas"),
        ({"filters": [{**ONE, "value": "x" * 501}]}, "it has one value"),
    ],
)
def test_question_that_the_explorer_cannot_show_is_refused(box: WholeBox, given: Any, wrong: str) -> None:
    status, message = make(box, query={name: value for name, value in (PAGES | given).items() if value is not None})
    assert status == 400
    assert wrong in message


def test_viewers_and_keys_see_shared_ones_and_only_members_save(box: WholeBox) -> None:
    ada, eve = cookie_of(box, "member"), cookie_of(box, "viewer")
    make(box, "Mine", cookie=ada, isShared=False)
    make(box, "Ours", cookie=ada)
    who: Any
    for who in ({"cookie": eve}, {"key": "reading"}):
        assert [one["name"] for one in call(box, "list", websiteId=box.sites["shop"], **who)] == ["Ours"]
        assert make(box, "Theirs", **who)[0] == 403


def test_the_audit_log_has_names_of_shared_questions_only(box: WholeBox) -> None:
    ada = cookie_of(box, "member")
    secret = make(box, "a secret", cookie=ada, isShared=False)
    made = make(box, "told", cookie=ada)
    found = box.box.box_db.write_now(
        lambda db: db.execute("select subject_id, detail from audit where subject = 'question'").fetchall()
    )
    told = {str(subject): json.loads(str(detail)) for subject, detail in found}
    website = {"websiteId": box.sites["shop"]}
    assert (told[secret["id"]], told[made["id"]]) == (website, {"name": "told", **website})


def test_they_go_with_their_website(box: WholeBox) -> None:
    made = make(box, websiteId=box.sites["idle"])
    assert box.post("/websites/delete", {"id": box.sites["idle"]}, key="all").status == 200
    assert call(box, "getById", id=made["id"])[0] == 404
