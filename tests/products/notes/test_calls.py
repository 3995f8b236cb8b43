"""annotations.* over RPC: what comes back, who may, and what becomes of notes with their website."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from analytics_box.app.jobs import purge_websites
from analytics_box.base.clock import DAY
from tests.cases import each
from tests.inprocess import FixedClock, KeyName, SiteName, WholeBox, whole_box

NOON = "2026-06-17T12:00:00"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path, clock=FixedClock()) as whole:
        yield whole


def call(box: WholeBox, name: str, key: KeyName | None = "all", **given: Any) -> Any:
    answer = box.post(f"/rpc/annotations/{name}", {"json": given}, key=key)
    return answer.json["json"] if answer.status == 200 else answer.status


def note(box: WholeBox, text: str = "Version 2", site: SiteName = "shop", **given: Any) -> Any:
    return call(box, "create", websiteId=box.sites[site], text=text, **given)


def texts(box: WholeBox, site: SiteName = "shop", key: KeyName | None = "all", **given: Any) -> Any:
    found = call(box, "list", key, websiteId=box.sites[site], **given)
    return found if isinstance(found, int) else [one["text"] for one in found]


def test_a_text_is_enough_for_a_note_of_now(box: WholeBox) -> None:
    answer = box.post("/annotations/create", {"websiteId": box.sites["shop"], "text": "Version 2"}, key="all")
    assert (answer.status, answer.json["text"]) == (200, "Version 2")
    assert answer.json["xValue"].startswith(NOON)
    assert (answer.json["xEndValue"], answer.json["annotationType"], answer.json["wholeDays"]) == (None, "point", False)
    assert (answer.json["color"], answer.json["isPublic"], answer.json["tags"]) == ("#3B82F6", False, [])
    assert answer.json["createdBy"].startswith("apikey:")


def test_fields_of_wire_clients_are_returned_unchanged(box: WholeBox) -> None:
    chart = {"dateRange": {"start_date": "2026-06-01", "end_date": "2026-06-17", "granularity": "daily"}}
    made = note(
        box,
        "Sale",
        chartType="metrics",
        chartContext=chart,
        annotationType="range",
        xValue="2026-06-01",
        xEndValue="2026-06-03",
        yValue=12.5,
        tags=["sale"],
        color="#ff0000",
        isPublic=True,
    )
    assert call(box, "getById", id=made["id"]) == made
    assert made["chartContext"]["dateRange"] == chart["dateRange"]
    assert (made["xValue"][:10], made["xEndValue"][:10], made["wholeDays"]) == ("2026-06-01", "2026-06-03", True)
    assert (made["yValue"], made["tags"], made["color"], made["isPublic"]) == (12.5, ["sale"], "#FF0000", True)


def test_notes_are_listed_latest_first_and_by_days(box: WholeBox) -> None:
    note(box, "range", xValue="2026-06-01", xEndValue="2026-06-10")
    note(box, "point", xValue="2026-06-12T23:59:59Z")
    note(box, "elsewhere", site="blog")
    assert texts(box) == ["point", "range"]
    assert texts(box, limit=1) == ["point"]
    assert texts(box, startDate="2026-06-10", endDate="2026-06-11") == ["range"]
    assert texts(box, startDate="2026-06-12", endDate="2026-06-12") == ["point"]
    assert texts(box, startDate="2026-06-13") == []
    assert texts(box, startDate="13 June") == 400


def test_changes_keep_what_is_not_given(box: WholeBox) -> None:
    made = note(box, tags=["a"], xValue="2026-06-01")
    box.clock.advance(seconds=60)
    changed = call(box, "update", id=made["id"], text="Version 3")
    assert (changed["text"], changed["tags"], changed["xValue"]) == ("Version 3", ["a"], made["xValue"])
    assert changed["updatedAt"] > made["updatedAt"]
    ranged = call(box, "update", id=made["id"], xEndValue="2026-06-02")
    assert (ranged["annotationType"], ranged["xEndValue"][:10]) == ("range", "2026-06-02")
    point = call(box, "update", id=made["id"], xEndValue=None)
    assert (point["annotationType"], point["xEndValue"]) == ("point", None)
    assert call(box, "update", id=made["id"], xEndValue="2026-05-01") == 400
    assert call(box, "delete", id=made["id"]) == {"success": True}
    assert (call(box, "getById", id=made["id"]), call(box, "delete", id=made["id"]), texts(box)) == (404, 404, [])


def test_each_change_is_in_the_audit_log(box: WholeBox) -> None:
    made = note(box)
    call(box, "update", id=made["id"], text="Version 3")
    call(box, "update", id=made["id"], text="Version 3")
    call(box, "delete", id=made["id"])
    found = box.box.box_db.read_now(
        lambda db: db.execute(
            """
            select action, coalesce(detail -> 'text' ->> 'after', detail ->> 'text') from audit
            where subject = 'annotation' order by rowid
            """
        ).fetchall()
    )
    assert found == [("created", "Version 2"), ("updated", "Version 3"), ("deleted", "Version 3")]


class Asked(NamedTuple):
    """Who asks for what, and the status."""

    key: KeyName | None
    name: str
    site: SiteName
    status: int


CALLERS = (
    Asked("all", "list", "shop", 200),
    Asked("reading", "list", "shop", 200),
    Asked("restricted", "list", "shop", 200),
    Asked("restricted", "list", "local", 404),
    Asked("foreign", "list", "shop", 404),
    Asked("tracking", "list", "shop", 403),
    Asked(None, "list", "shop", 401),
    Asked(None, "list", "blog", 200),
    Asked("foreign", "list", "blog", 200),
    Asked("reading", "create", "shop", 403),
    Asked("restricted", "create", "shop", 403),
    Asked("foreign", "create", "shop", 404),
    Asked("foreign", "create", "blog", 404),
    Asked(None, "create", "blog", 401),
)


@each("case", CALLERS)
def test_permissions_to_read_and_write_notes(box: WholeBox, case: Asked) -> None:
    given = {"websiteId": box.sites[case.site]} | ({"text": "x"} if case.name == "create" else {})
    answer = box.post(f"/rpc/annotations/{case.name}", {"json": given}, key=case.key)
    assert answer.status == case.status


def test_anonymous_callers_see_only_public_notes_of_public_websites(box: WholeBox) -> None:
    hidden, shown = note(box, "hidden", site="blog"), note(box, "shown", site="blog", isPublic=True)
    closed = note(box, "closed", isPublic=True)
    for key in (None, "foreign"):
        assert texts(box, "blog", key) == ["shown"]
        found = call(box, "getById", key, id=shown["id"])
        assert (found["text"], found["createdBy"]) == ("shown", None)
        for note_id in (hidden["id"], closed["id"], "no-such-note"):
            assert call(box, "getById", key, id=note_id) == (401 if key is None else 404)
    assert call(box, "update", "foreign", id=shown["id"], text="mine") == 404
    assert call(box, "delete", "foreign", id=shown["id"]) == 404


def test_notes_go_with_their_website_and_come_back_with_it(box: WholeBox) -> None:
    made, website = note(box), {"id": box.sites["shop"]}
    box.post("/rpc/websites/delete", {"json": website}, key="all")
    assert (texts(box), call(box, "getById", id=made["id"])) == (404, 404)
    box.post("/rpc/websites/restore", {"json": website}, key="all")
    assert texts(box) == ["Version 2"]
    box.post("/rpc/websites/delete", {"json": website}, key="all")
    box.clock.advance(seconds=31 * DAY / 1000)
    box.run(purge_websites(box.box))
    assert box.box.box_db.read_now(lambda db: db.execute("select count(*) from annotations").fetchall()) == [(0,)]


def test_website_at_its_limit_of_notes_refuses_more(box: WholeBox) -> None:
    made = note(box)
    box.box.box_db.write_now(
        lambda db: db.execute(
            """insert into annotations
            with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 4999)
            select 'filled-' || n, website_id, at, until, content, created_by, created_at, updated_at
            from annotations, numbers where id = ?""",
            (made["id"],),
        ).fetchall()
    )
    assert note(box) == 409
    assert len(texts(box)) == 1_000


def test_a_note_keeps_a_chart_and_no_more(box: WholeBox) -> None:
    much = {"filters": [{"field": "path", "operator": "eq", "value": "x" * 200}] * 30}
    assert note(box, chartContext=much) == 400
    assert note(box, tags=["\u202egat"]) == 400
    assert texts(box) == []
