"""POST /v1/query/compile, answers as CSV and POST /v1/export/data (spec 4, wire 3.7 and 3.8)."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.query.catalog import registry
from analytics_box.tenants.websites.directory import Directory
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import KeyName, WholeBox, whole_box
from tests.query.facts_of_all_kinds import of_assistants, visit
from tests.tenants.keys.world import cookie_of

COMPILE = "/v1/query/compile"
VALUES = {"session_id": "s1", "horizon_days": "7", "observation_end": "2026-06-17"}  # of the filters that types need


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box whose shop has facts of every kind."""
    with whole_box(tmp_path_factory.mktemp("compiled") / "data", adjust=unlimited) as box:
        website = box.box.parts[Directory].find(box.sites["shop"])
        assert website is not None
        ledger, facts = Ledger(Strings(), LiveSessions()), visit(website.site, box.clock.now())
        facts += of_assistants(website.site, box.clock.now())[:2]  # the requests
        box.box.events.db.write_now(lambda db: ledger.append(db, facts))
        steps = [{"type": "PAGE_VIEW", "target": path} for path in ("/", "/a")]
        given = {"websiteId": website.id, "name": "Funnel", "steps": steps}
        made = box.post("/funnels/create", given, key="all")
        VALUES["funnel"] = made.json["id"]
        yield box


def compiled(box: WholeBox, body: dict[str, Any], **headers: Any) -> Any:
    return box.post(f"{COMPILE}?website_id={box.sites['shop']}", body, **({"key": "all"} | headers))


def rows_of(box: WholeBox, statement: dict[str, Any]) -> list[Any]:
    """What a statement finds when somebody runs it."""
    return box.box.events.db.read_now(lambda db: db.execute(statement["sql"], statement["params"]).fetchall())


def asked(box: WholeBox, **more: Any) -> dict[str, Any]:
    return {"projectId": box.sites["shop"], "type": "top_pages", "from": "2026-06-17", "to": "2026-06-17"} | more


def asked_of(name: str) -> dict[str, Any]:
    """A query of this type, with the filter that it needs."""
    needs = registry.TYPES[name].full_needs
    filters = [{"field": need, "op": "eq", "value": VALUES.get(need, "ben")} for need in needs]
    return {"parameters": [name], "preset": "today", "filters": filters}


def ran(box: WholeBox, body: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The statements that the box runs for this query, with their parameters, in their order."""
    seen: list[tuple[str, dict[str, Any]]] = []

    def note(_cursor: Any, sql: str, values: Any) -> bool:
        if sql.startswith("-- query."):
            seen.append((sql, dict(values)))
        return True

    readers = box.box.events.db._readers
    taken = [readers._connections.get() for _ in range(readers._count)]
    for reader in taken:
        reader.exec_trace = note
        readers._connections.put(reader)
    box.box.events.db.write_now(lambda _db: None)  # nothing is answered from memory
    answer = box.query("shop", body)
    assert answer.status == 200, answer.json
    assert answer.json["data"][0]["success"], answer.json
    for reader in taken:
        reader.exec_trace = None
    return seen


def check_same(compiled_ones: list[dict[str, Any]], seen: list[tuple[str, dict[str, Any]]]) -> None:
    """What was compiled is what ran, at once or one after the other, but for what was not known before."""
    assert sorted(one["sql"] for one in compiled_ones) == sorted(sql for sql, _ in seen)
    left = list(seen)  # some have one text with different values, and which of them runs first is up to the readers
    for one in compiled_ones:
        unknown = dict.fromkeys(one.get("open", []))
        same = [which for which in left if which[0] == one["sql"] and which[1] | unknown == one["params"]]
        assert same, (one["params"], [values for sql, values in left if sql == one["sql"]])
        assert all(same[0][1][name] is not None for name in unknown)
        left.remove(same[0])


@each("name", sorted(registry.TYPES))
def test_the_statements_are_those_that_run(box: WholeBox, name: str) -> None:
    answer = compiled(box, asked_of(name))
    assert answer.status == 200
    assert answer.json["engine"] == "sqlite"
    (entry,) = answer.json["data"]
    assert entry["success"], entry
    check_same(entry["statements"], ran(box, asked_of(name)))
    assert len(entry["statements"]) == len(registry.TYPES[name].asks) + len(registry.TYPES[name].follows)
    assert answer.json["sql"] == entry["sql"]
    for statement in entry["statements"]:
        assert isinstance(rows_of(box, statement), list)


@pytest.mark.parametrize("name", ["summary_metrics", "top_pages", "profile_sessions", "realtime_pages"])
def test_comparison_is_compiled_like_the_query(box: WholeBox, name: str) -> None:
    body = asked_of(name) | {"comparison": "previous_period"}
    (entry,) = compiled(box, body).json["data"]
    if name == "profile_sessions":  # nobody was there yesterday, so that there is nobody to look up
        later = entry["statements"][5:]
        assert [one["follows"] for one in later[1:]] == [6] * 4
        assert all("2026-06-16 to 2026-06-16" in one["note"] for one in later)
        check_same(entry["statements"][:6], ran(box, body))
    else:
        assert len(entry["statements"]) == len(registry.TYPES[name].asks) * (1 if name.startswith("realtime") else 2)
        check_same(entry["statements"], ran(box, body))


def test_a_second_look_names_the_parameters_that_the_first_one_fills(box: WholeBox) -> None:
    (entry,) = compiled(box, asked_of("session_list")).json["data"]
    first, second = entry["statements"]
    assert set(first) == {"sql", "params", "engine", "why"}
    assert second["follows"] == 1
    assert second["open"]
    assert {second["params"][name] for name in second["open"]} == {None}
    for name in second["open"]:
        assert f":{name}" in second["sql"]
        assert f":{name}" in second["note"]
        assert entry["params"][f"q2_{name}"] is None
        assert f":q2_{name}" in entry["sql"].split(";")[1].splitlines()[2]
    assert "statement 1 finds" in second["note"]


def test_people_with_a_trait_are_not_looked_for(box: WholeBox) -> None:
    trait = {"field": "trait:plan", "op": "eq", "value": "pro"}
    (entry,) = compiled(box, asked_of("top_pages") | {"filters": [trait]}).json["data"]
    (statement,) = entry["statements"]
    assert statement["open"]
    assert "people" in statement["note"]
    check_same([statement], ran(box, asked_of("top_pages") | {"filters": [trait]}))
    (entry,) = compiled(box, asked_of("country") | {"filters": [trait]}).json["data"]
    assert (entry["success"], entry["error"]) == (False, "Trait filters are not supported for country")


def test_a_day_that_a_zone_has_left_out_is_not_looked_into(box: WholeBox) -> None:
    body = {"parameters": ["events_by_date"], "startDate": "2011-12-30", "endDate": "2011-12-30"}
    answer = compiled(box, body | {"timeZone": "Pacific/Apia"})
    assert answer.status == 200
    assert answer.json["data"][0]["statements"] == ran(box, body | {"timeZone": "Pacific/Apia"}) == []


def test_filters_that_a_type_drops_are_named(box: WholeBox) -> None:
    body = asked_of("country") | {"filters": [{"field": "href", "op": "eq", "value": "x"}]}
    (entry,) = compiled(box, body).json["data"]
    assert entry["ignoredFilters"] == ["href"]
    assert "ignoredFilters" not in compiled(box, asked_of("country")).json["data"][0]


def test_the_wires_body_gives_one_statement_and_runs_nothing(box: WholeBox) -> None:  # wire 3.7
    answer = compiled(
        box, asked(box, filters=[{"field": "country", "op": "eq", "value": "Germany"}], limit=7, offset=3)
    )
    assert answer.status == 200
    assert set(answer.json) == {"success", "requestId", "engine", "sql", "params", "statements"}
    assert "events" in answer.json["sql"]
    assert answer.json["params"]["limit"] == 7
    assert answer.json["params"]["offset"] == 3
    assert json.dumps(["Germany"], separators=(",", ":")) in {
        str(value).replace(" ", "") for value in answer.json["params"].values()
    }
    assert "Germany" not in answer.json["sql"]


@pytest.mark.parametrize(
    ("group", "order", "columns"),
    [(["country"], "pageviews desc", 4), (["date", "browser_name"], None, 5), (["utm_source", "device_type"], None, 5)],
)
def test_groups_take_the_place_of_the_types_own(
    box: WholeBox, group: list[str], order: str | None, columns: int
) -> None:
    answer = compiled(box, asked(box, groupBy=group, orderBy=order))
    assert answer.status == 200, answer.json
    rows = rows_of(box, answer.json)
    assert rows
    assert all(len(row) == columns for row in rows)


@pytest.mark.parametrize("unit", ["minute", "hour", "day", "week", "month"])
def test_time_units_make_buckets(box: WholeBox, unit: str) -> None:
    answer = compiled(box, asked(box, type="summary_metrics", timeUnit=unit))
    assert answer.status == 200
    assert len(answer.json["statements"]) == 2


REFUSED = (
    ({"type": "nonsense"}, 422, "VALIDATION"),
    ({"type": 5}, 422, "VALIDATION"),
    ({"timeUnit": "year"}, 422, "VALIDATION"),
    ({"limit": 1001}, 422, "VALIDATION"),
    ({"offset": -1}, 422, "VALIDATION"),
    ({"from": "2026-13-01"}, 400, "VALIDATION_ERROR"),
    ({"from": "2026-06-18"}, 400, "VALIDATION_ERROR"),
    ({"type": "summary_metrics", "timeUnit": "hour", "from": "2026-01-01"}, 400, "VALIDATION_ERROR"),
    ({"groupBy": ["visitor"]}, 400, "COMPILATION_ERROR"),
    ({"groupBy": ["message"]}, 400, "COMPILATION_ERROR"),
    ({"type": "recent_errors", "groupBy": ["country"]}, 400, "COMPILATION_ERROR"),
    ({"orderBy": "random()"}, 400, "COMPILATION_ERROR"),
    ({"orderBy": "visitors sideways"}, 400, "COMPILATION_ERROR"),
    ({"filters": [{"field": "href", "op": "eq", "value": "x"}]}, 400, "COMPILATION_ERROR"),
    ({"type": "session_events"}, 400, "COMPILATION_ERROR"),
    ({"projectId": "another-website"}, 400, "COMPILATION_ERROR"),
)


@pytest.mark.parametrize(("wrong", "status", "code"), REFUSED)
def test_invalid_query_is_refused_with_its_reason(box: WholeBox, wrong: dict[str, Any], status: int, code: str) -> None:
    answer = compiled(box, asked(box) | wrong)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.json["success"] is False
    assert answer.json["error"]


@pytest.mark.parametrize("name", ["session_list", "profile_list", "interesting_sessions"])
def test_wire_body_includes_follow_up_lookups(box: WholeBox, name: str) -> None:
    answer = compiled(box, asked(box, type=name, limit=7, offset=3))
    first, *others = answer.json["statements"]
    assert (first["params"]["limit"], first["params"]["offset"]) == (7, 3)
    assert [one["follows"] for one in others] == [1] * len(registry.TYPES[name].follows)
    assert {one["params"]["offset"] for one in others} == {0}


def test_compiling_needs_the_same_rights_as_asking(box: WholeBox) -> None:
    assert compiled(box, asked(box), key=None).status == 401
    assert compiled(box, asked(box), key="tracking").status == 403
    body = {"parameters": ["top_pages"], "preset": "today"}
    assert box.post(f"{COMPILE}?website_id=unknown-id", body, key="all").status == 403


# CSV


def test_an_answer_comes_as_csv_when_asked_for(box: WholeBox) -> None:
    body = {"parameters": ["top_pages"], "preset": "today"}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", body, key="all", accept="text/csv")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert [(row["name"], row["pageviews"]) for row in rows] == [("/", "2"), ("/a", "1")]


def test_several_parameters_are_tables_under_their_names(box: WholeBox) -> None:
    body = {"parameters": ["top_pages", {"name": "os_name", "id": "=systems"}], "preset": "today"}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", body, key="all", accept="text/csv")
    text = answer.body.decode()
    assert text.startswith("# top_pages\r\n")
    assert "\r\n\r\n# '=systems\r\n" in text


def test_a_failed_parameter_fails_the_sheet(box: WholeBox) -> None:
    body = {"parameters": ["top_pages", "nonsense"], "preset": "today"}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", body, key="all", accept="text/csv")
    assert (answer.status, answer.json["code"]) == (400, "VALIDATION_ERROR")


# Export


def exported(box: WholeBox, key: Any = "all", **more: Any) -> Any:
    return box.post("/v1/export/data", {"website_id": box.sites["shop"]} | more, key=key)


def test_an_export_has_all_facts_but_those_of_bots(box: WholeBox) -> None:
    answer = exported(box)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        names = {"events.csv", "vitals.csv", "errors.csv", "outgoing_links.csv", "engagement.csv", "flag_exposures.csv"}
        names |= {"ai_requests.csv", "mcp_calls.csv", "transactions.csv"}
        assert set(archive.namelist()) == names
        rows = {name: list(csv.DictReader(io.StringIO(archive.read(name).decode()))) for name in names}
    assert [row["name"] for row in rows["events.csv"]] == [
        "screen_view",
        "screen_view",
        "buy",
        "$flag_evaluated",
        "page_exit",
        "screen_view",
        "buy",
    ]
    assert rows["events.csv"][0]["country"] == "Germany"
    assert json.loads(rows["events.csv"][6]["properties"]) == {"plan": "free", "n": 4.5}
    assert {row["metric"] for row in rows["vitals.csv"]} == {"LCP", "CLS", "load_time"}
    assert len(rows["engagement.csv"]) == 6


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_an_export_as_json_says_the_same(box: WholeBox, form: str) -> None:
    with zipfile.ZipFile(io.BytesIO(exported(box, format=form).body)) as archive:
        text = archive.read(f"events.{form}").decode()
    rows = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
    assert [row["path"] for row in rows] == ["/", "/a", "/a", "/a", "/a", "/", "/a"]
    assert rows[2]["properties"] == {"plan": "pro", "n": 3, "ok": True, "o": {"x": 1}}


@pytest.mark.parametrize("size", [1, 300])
def test_an_export_is_the_same_however_few_bytes_are_read_at_once(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    whole = exported(box, format="ndjson").body
    monkeypatch.setattr("analytics_box.query.exported.PIECE_BYTES", size)
    pieces = exported(box, format="ndjson").body
    with zipfile.ZipFile(io.BytesIO(whole)) as before, zipfile.ZipFile(io.BytesIO(pieces)) as after:
        assert after.namelist() == before.namelist()
        for name in before.namelist():
            assert after.read(name) == before.read(name)


def test_an_empty_export_is_whole(box: WholeBox) -> None:
    answer = exported(box, format="json", start_date="2026-01-01", end_date="2026-01-02")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert json.loads(archive.read("events.json")) == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"website_id": None}, 400, "MISSING_WEBSITE_ID"),
        ({"website_id": "unknown-id"}, 403, "FORBIDDEN"),
        ({"format": "proto"}, 400, "INVALID_FORMAT"),
        ({"start_date": "yesterday"}, 400, "INVALID_DATE_RANGE"),
        ({"start_date": "2026-06-18", "end_date": "2026-06-17"}, 400, "INVALID_DATE_RANGE"),
        ({"start_date": "2025-06-01", "end_date": "2026-06-17"}, 400, "INVALID_DATE_RANGE"),
        ({"start_date": "2023-06-01", "end_date": "2023-07-01"}, 400, "INVALID_DATE_RANGE"),
        ({"format": 5}, 422, "VALIDATION"),
    ],
)
def test_an_impossible_export_is_refused(box: WholeBox, body: dict[str, Any], status: int, code: str) -> None:
    answer = exported(box, **body)
    assert (answer.status, answer.json["code"]) == (status, code)


def test_an_export_needs_the_right_to_read(box: WholeBox) -> None:
    assert exported(box, key=None).status == 401
    assert exported(box, key="tracking").status == 403
    assert exported(box, key="restricted", website_id=box.sites["blog"]).status in {200, 403}


@pytest.mark.parametrize(("role", "seen"), [("member", True), ("viewer", False)])
def test_viewers_export_figures_without_the_names_of_people(box: WholeBox, role: Any, *, seen: bool) -> None:
    sent = {"name": "buy", "profileId": "ada@secret.example"}
    assert box.post(f"/track?website_id={box.sites['blog']}", sent).status == 200
    answer = box.post(
        "/v1/export/data",
        {"website_id": box.sites["blog"]},
        cookie=cookie_of(box, role),
        sec_fetch_site="same-origin",
    )
    assert answer.status == 200
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        text = archive.read("events.csv").decode()
    assert "buy" in text
    assert ("ada@secret.example" in text) is seen


def test_tables_of_one_label_keep_their_own_columns(box: WholeBox) -> None:
    body = {"parameters": [{"name": "country", "id": "same"}, {"name": "top_pages", "id": "same"}], "preset": "today"}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", body, key="all", accept="text/csv")
    assert answer.status == 200
    first, second = answer.body.decode().split("\r\n\r\n")
    assert first.startswith("# same\r\n")
    assert "country_code" in first.splitlines()[1]
    assert "path" in second.splitlines()[1]


@pytest.mark.parametrize("key", ["all", None])
def test_statements_that_say_long_values_again_and_again_have_a_bound(box: WholeBox, key: KeyName | None) -> None:
    wanted = {"field": "path", "op": "in", "value": [f"/{number:03}".ljust(1_000, "x") for number in range(50)]}
    body = {"parameters": ["top_pages"] * 50, "preset": "today", "filters": [wanted]}
    answer = box.post(f"/v1/query/compile?website_id={box.sites['blog']}", body, key=key)
    assert (answer.status, answer.json["code"]) == (400, "LIMIT_EXCEEDED")
    assert "fewer parameters" in answer.json["error"]
    fewer = body | {"parameters": ["top_pages"]}
    assert box.post(f"/v1/query/compile?website_id={box.sites['blog']}", fewer, key=key).status == 200
