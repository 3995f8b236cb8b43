"""Events of another product: figures equal the source's numbers, sessions are its own, undo leaves nothing."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.products.imports import history, worker
from analytics_box.products.imports.worker import HistoryImports, StoppedImport
from tests.examples import examples
from tests.inprocess import WholeBox, whole_box
from tests.products.imports.world import archive, ask, call, imported, sheet, status, undo, uploaded, work
from tests.query.clickhouse.served import needs_chdb, serving

HEADER = (
    "website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,"
    "url_query,utm_source,utm_medium,utm_campaign,utm_content,utm_term,referrer_path,referrer_query,referrer_domain,"
    "page_title,gclid,fbclid,msclkid,ttclid,li_fat_id,twclid,event_type,event_name,tag,distinct_id,created_at,job_id"
)
FIGURES = (
    "summary_totals",
    "summary_metrics",
    "top_pages",
    "entry_pages",
    "traffic_sources",
    "country",
    "custom_events",
)
COUNTS = (
    "select (select count(*) from stored_events), (select count(*) from imported_days),"
    " (select count(*) from import_progress)"
)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def row(number: int, session: str, visit: str, path: str, time: str, **more: str) -> list[str]:
    values = {
        "website_id": "w1",
        "session_id": session,
        "visit_id": visit,
        "event_id": f"e{number}",
        "hostname": "shop.example",
        "browser": "edge-chromium",
        "os": "Windows 10",
        "device": "laptop",
        "screen": "1920x1080",
        "language": "de-DE",
        "country": "DE",
        "url_path": path,
        "event_type": "1",
        "created_at": time,
        **more,
    }
    return [values.get(name, "") for name in HEADER.split(",")]


def umami(rows: list[list[str]]) -> bytes:
    return archive(
        {
            "website_event.csv": sheet(HEADER, rows),
            "event_data.csv": sheet(
                "website_id,session_id,event_id,url_path,event_name,data_key,string_value,number_value,date_value,"
                "data_type,created_at,job_id",
                [("w1", "s1", "e3", "/a", "signup", "seats", "5.0000", "5.0000", "", "2", "", "")],
            ),
        }
    )


def usual(days: int = 2) -> list[list[str]]:
    """Each day three visits of two visitors, with five page views and a custom event; rows are in no order."""
    rows = []
    for day in range(days):
        date = f"2025-01-{10 + day}"
        rows += [
            row(1, "s1", f"v1{day}", "/a", f"{date} 10:02:00"),
            row(2, "s1", f"v1{day}", "/", f"{date} 10:00:00", referrer_domain="www.google.com", referrer_path="/"),
            row(3, "s1", f"v1{day}", "/a", f"{date} 10:03:00", event_type="2", event_name="signup"),
            row(4, "s2", f"v2{day}", "/", f"{date} 11:00:00", country="FR", utm_source="newsletter"),
            row(5, "s1", f"v3{day}", "/b", f"{date} 18:00:00"),
            row(6, "s1", f"v3{day}", "/a", f"{date} 18:00:30"),
        ]
    return rows


def counts(box: WholeBox) -> Any:
    return box.box.events.db.read_now(lambda db: db.execute(COUNTS).fetchall())[0]


def test_imported_events_are_counted_like_the_source_counts_them(box: WholeBox) -> None:
    shown = status(box, imported(box, umami(usual())))
    assert (shown["provider"], shown["kind"], shown["rows"], shown["pageviews"]) == ("umami", "events", 12, 10)
    totals, days, pages, entries, sources, countries, events = ask(box, *FIGURES)
    (figures,) = totals["data"]
    assert (figures["pageviews"], figures["visitors"], figures["sessions"]) == (10, 2, 6)
    assert figures["total_events"] == 12
    assert "imported" not in totals
    assert {one["date"]: one["sessions"] for one in days["data"] if one["sessions"]} == {
        "2025-01-10": 3,
        "2025-01-11": 3,
    }
    assert {one["name"]: one["pageviews"] for one in pages["data"]} == {"/": 4, "/a": 4, "/b": 2}
    assert {one["name"]: one["pageviews"] for one in entries["data"]} == {"/": 4, "/b": 2}
    assert {one["name"]: one["visitors"] for one in sources["data"]}.keys() == {"Google", "newsletter", "Direct"}
    assert {one["name"]: one["visitors"] for one in countries["data"]} == {"Germany": 1, "France": 1}
    assert [(one["name"], one["total_events"]) for one in events["data"]] == [("signup", 2)]


def test_imported_events_can_be_filtered_like_others(box: WholeBox) -> None:
    imported(box, umami(usual()))
    (totals,) = ask(box, "summary_totals", filters=[{"field": "browser_name", "op": "eq", "value": "Edge"}])
    assert totals["data"][0]["pageviews"] == 10
    (totals,) = ask(box, "summary_totals", filters=[{"field": "utm_source", "op": "eq", "value": "newsletter"}])
    assert totals["data"][0]["pageviews"] == 2


def test_a_check_stores_nothing_and_shows_the_days(box: WholeBox) -> None:
    import_id = uploaded(box, umami(usual()))
    shown = status(box, import_id)
    assert (shown["state"], shown["rows"], shown["firstDate"], shown["lastDate"]) == (
        "checked",
        12,
        "2025-01-10",
        "2025-01-11",
    )
    assert tuple(counts(box)) == (0, 0, 0)
    undo(box, import_id)
    assert not any((box.box.settings.data_dir / "imports").iterdir())


def test_rows_that_cannot_be_taken_are_named(box: WholeBox) -> None:
    rows = [*usual(1), row(7, "s1", "v9", "/c", "not a time"), row(8, "s1", "v9", "/c", "2031-01-01 00:00:00")]
    rows += [row(9, "s1", "v9", "/c", "2025-01-10 00:00:00", event_type="5"), ["w1", "too", "few"]]
    rows += [row(10, "s1", "v9", "/", "2025-01-10 00:00:00", website_id="w2")]
    refused = {one["reason"]: one["rows"] for one in status(box, uploaded(box, umami(rows)))["refused"]}
    assert refused == {"time": 2, "dimension": 1, "row": 1, "website": 1}


def test_an_import_that_was_broken_off_goes_on_without_doubles(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "TOGETHER", 5)
    content = umami(usual(4))
    whole = imported(box, content)
    expected, rows = ask(box, *FIGURES), sorted(stored(box))
    undo(box, whole)

    import_id = uploaded(box, content)
    pieces = []

    def break_off(*given: Any, **more: Any) -> None:
        pieces.append(1)
        if len(pieces) == 3:
            raise StoppedImport
        history_store(*given, **more)

    history_store = history.store_events
    monkeypatch.setattr(history, "store_events", break_off)
    call(box, "start", {"id": import_id})
    work(box)
    assert status(box, import_id)["state"] == "running"
    assert 0 < counts(box)[0] < 24
    monkeypatch.undo()
    box.reopen()
    work(box)
    assert status(box, import_id)["state"] == "done"
    assert ask(box, *FIGURES) == expected
    assert sorted(stored(box)) == rows


def stored(box: WholeBox) -> list[Any]:
    """The events but for their numbers, sessions numbered from 1."""
    statement = """
        select time, kind, visitor, dense_rank() over (order by session), since_start, path, referral, place, properties
        from stored_events
    """
    return [tuple(map(str, one)) for one in box.box.events.db.read_now(lambda db: db.execute(statement).fetchall())]


def test_undo_leaves_only_what_was_measured(box: WholeBox) -> None:
    event = {"name": "screen_view", "path": "/own", "timestamp": 1737000000000, "anonymousId": "a"}  # 2025-01-16
    assert box.post("/track", event | {"websiteId": box.sites["shop"]}, key="all").status == 200
    before = ask(box, *FIGURES)
    import_id = imported(box, umami(usual()))
    assert ask(box, *FIGURES) != before
    undo(box, import_id)
    assert ask(box, *FIGURES) == before
    assert tuple(counts(box)) == (1, 0, 0)


def test_an_import_that_runs_is_cancelled_and_removed(box: WholeBox) -> None:
    import_id = uploaded(box, umami(usual()))
    call(box, "start", {"id": import_id})
    undo(box, import_id)
    assert tuple(counts(box)) == (0, 0, 0)


_EVENTS = st.lists(
    st.tuples(
        st.sampled_from(("s1", "s2", "s3")),
        st.integers(0, 5),
        st.sampled_from(("/", "/a", "/b?x=1")),
        st.integers(0, 3 * 86_400 - 1),
        st.booleans(),
    ),
    min_size=1,
    max_size=40,
)


@given(_EVENTS)
@examples(20)
def test_figures_equal_those_of_the_rows_and_undo_restores_what_was_before(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int, str, int, bool]]
) -> None:
    rows = []
    for number, (session, visit, path, second, custom) in enumerate(drawn):
        day, rest = divmod(second, 86_400)
        time = f"2025-01-{10 + day} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
        more = {"event_type": "2", "event_name": "deed"} if custom else {}
        url, _, query = path.partition("?")
        rows.append(row(number, session, f"{session}{visit}{day}", url, time, url_query=query, **more))
    with whole_box(tmp_path_factory.mktemp("box") / "data") as box:
        before = ask(box, *FIGURES)
        import_id = imported(box, umami(rows))
        totals, days, *_rest = ask(box, *FIGURES)
        views = [one for one in drawn if not one[4]]
        assert totals["data"][0]["pageviews"] == len(views)
        assert totals["data"][0]["total_events"] == len(drawn)
        assert totals["data"][0]["visitors"] == len({one[0] for one in drawn})
        assert totals["data"][0]["sessions"] == len({(one[0], one[1], one[3] // 86_400) for one in drawn})
        assert sum(one["pageviews"] for one in days["data"]) == len(views)
        undo(box, import_id)
        assert ask(box, *FIGURES) == before
        assert tuple(counts(box)) == (0, 0, 0)


def test_hostile_files_end_with_a_clear_error(box: WholeBox) -> None:
    files = {
        "text": b"hello",
        "nothing": b"\0" * 1000,
        "truncated.zip": umami(usual())[:300],
        "truncated.gz": gzip.compress(sheet(HEADER, usual(9)).encode())[:200],
        "line.csv": f"{HEADER}\n".encode() + b"a" * (3 << 20),
        "columns.csv": b"session_id,url_path,event_type,created_at," + b"x," * 5_000 + b"\n1\n",
        "empty.zip": archive({}),
    }
    for name, content in files.items():
        shown = status(box, uploaded(box, content, name))
        assert shown["state"] == "failed", name
        assert shown["error"], name
    assert box.run(box.box.parts[HistoryImports].stop()) is None


def test_a_zip_bomb_is_not_unpacked(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.products.imports.files.UNPACKED", 0.001)
    bomb = archive({"website_event.csv": HEADER + "\n" + ("x" * 1000 + "\n") * 5_000})
    shown = status(box, uploaded(box, bomb))
    assert shown["state"] == "failed"
    assert "unpacks to more than" in shown["error"]


def test_upload_of_a_larger_file_answers_413(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=lambda settings: replace(settings, import_bytes=1_000_000)) as box:
        created = call(box, "createUpload", {"websiteId": box.sites["shop"], "fileName": "a.csv"})
        path = "/" + created["uploadUrl"].split("/", 3)[3]
        answer = box.ask("PUT", path, headers={"x_api_key": box.keys["all"]}, body=b"x" * 1_000_001)
        assert answer.status == 413
        assert not [*(box.box.settings.data_dir / "imports").rglob("file")]


@needs_chdb
def test_undo_removes_the_events_from_clickhouse(tmp_path: Path) -> None:
    with serving() as served:
        url = served.new_database()

        def shipped(box: WholeBox) -> int:
            for _ in range(3):
                box.run(box.box.events.engines.maintain())
            assert box.box.events.engines.name == "clickhouse"
            return int(served.ask("select count() from events", url))

        def adjust(settings: Settings) -> Settings:
            return replace(settings, columnar="clickhouse", clickhouse_url=url)

        with whole_box(tmp_path / "data", adjust=adjust) as box:
            before = ask(box, *FIGURES)
            import_id = imported(box, umami(usual()))
            assert shipped(box) == 12
            assert ask(box, *FIGURES) != before
            undo(box, import_id)
            assert shipped(box) == 0
            assert ask(box, *FIGURES) == before
