"""The page of the program itself: what it keeps, and which engine answers queries."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import analytics_box
from tests.inprocess import WholeBox, whole_box


@pytest.fixture(params=["off", "on"])
def box(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[WholeBox]:
    with whole_box(tmp_path, adjust=lambda given: replace(given, columnar=request.param)) as made:
        yield made


def test_the_page_says_what_answers_queries(box: WholeBox) -> None:
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    assert analytics_box.__version__ in page
    assert "SQLite" in page
    assert "Rows in it" not in page
    box.run(box.box.events.engines.maintain())
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    if box.box.settings.columnar == "on":
        assert "DuckDB" in page
        assert "Rows in it" in page
        assert (box.box.settings.data_dir / "columns.duckdb").exists()
    else:
        assert "SQLite" in page


def test_the_page_says_how_long_the_logs_are(box: WholeBox) -> None:
    box.box.events.db.write_now(lambda db: db.execute("create table filler as select randomblob(700000)").fetchall())
    page = box.get("/settings/box", cookie=box.cookie).body.decode()
    shown = re.search(r"Events</th>.*?Write-ahead log\">([0-9.]+) MB", page)
    assert shown is not None
    assert 0.7 <= float(shown[1]) < 1.5


def test_answers_do_not_depend_on_the_engine(box: WholeBox) -> None:
    asked = {"parameters": ["summary_totals", "top_pages"], "preset": "today"}
    sent = {"name": "screen_view", "path": "https://example.com/a", "anonymousId": "a"}
    for _ in range(2):
        box.post(f"/track?website_id={box.sites['shop']}", sent)
        box.run(box.box.events.engines.maintain())
    answer = box.query("shop", asked)
    assert answer.json["data"][0]["data"][0]["pageviews"] == 2, answer.json
    compiled = box.post(f"/v1/query/compile?website_id={box.sites['shop']}", asked, key="all")
    assert compiled.json["engine"] == ("duckdb" if box.box.settings.columnar == "on" else "sqlite")
