"""All rows of a list as a table and as files: they say what the API says, searched, sorted and page by page."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from analytics_box.figures import details as table
from analytics_box.figures import export
from analytics_box.figures.detail_view import TableState
from analytics_box.products.overview.board import LISTS, TABLES_ALONE
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box

VISITS = (
    ("ann", "/", "de", "https://www.google.com/"),
    ("ann", "/blog", "de", ""),
    ("bea", "/", "en", ""),
    ("cid", "/blog", "en", "https://news.example/"),
    ("cid", "/=pricing", "en", ""),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A website with three visitors: one reads two pages, one leaves at once, one reads two pages for long."""
    with whole_box(tmp_path_factory.mktemp("details") / "data") as inside:
        for who, path, language, referrer in VISITS:
            page = {"anonymousId": who, "path": f"https://shop.example{path}", "websiteId": inside.sites["shop"]}
            send(inside, {"name": "screen_view", **page, "language": language, "referrer": referrer})
            if who != "bea":
                send(inside, {"name": "page_exit", **page, "time_on_page": 40, "scroll_depth": 80})
        yield inside


def send(box: WholeBox, content: dict[str, Any]) -> None:
    assert box.post("/track", content, key="all").status == 200


def details(box: WholeBox, rest: str) -> Answer:
    return box.get(f"/sites/{box.sites['shop']}/details/{rest}", cookie=box.cookie, accept="text/html")


def rows_of(box: WholeBox, name: str, query: str = "") -> list[dict[str, Any]]:
    answer = details(box, f"{name}/json?range=today{query}")
    assert answer.status == 200
    return list(json.loads(answer.body)["rows"])


def asked(box: WholeBox, name: str, *filters: dict[str, str]) -> list[dict[str, Any]]:
    content = {"parameters": [name], "preset": "today", "filters": list(filters)}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", content, key="all")
    found = json.loads(answer.body)
    return list(found["data"][0]["data"])


TABLES = [name for name, listed in LISTS.items() if listed.look != "map"]


@each("name", TABLES)
def test_every_list_has_a_table_and_files(box: WholeBox, name: str) -> None:
    page = details(box, f"{name}?range=today")
    assert page.status == 200
    assert 'id="details"' in page.body.decode()
    assert details(box, f"{name}/csv?range=today").status == 200


def test_the_map_leads_to_the_table_of_countries_and_has_none_of_its_own(box: WholeBox) -> None:
    page = box.get(f"/sites/{box.sites['shop']}?range=today&wait=all&tab=map", cookie=box.cookie, accept="text/html")
    assert (
        f'href="/sites/{box.sites["shop"]}/details/countries?range=today&amp;tab=map&amp;wait=all"'
        in page.body.decode()
    )
    assert details(box, "map?range=today").status == 404
    assert "/details/map" not in details(box, "countries?range=today").body.decode()


def test_columns_are_those_of_the_api(box: WholeBox) -> None:
    found = {row["path"]: row for row in rows_of(box, "pages")}
    views = {row["path"]: row["pageviews"] for row in asked(box, "top_pages")}
    times = {row["name"]: row["median_time_on_page"] for row in asked(box, "page_time_analysis")}
    depths = {row["name"]: row["avg_scroll_depth"] for row in asked(box, "page_scroll_performance")}
    assert {path: row["pageviews"] for path, row in found.items()} == views
    assert {path: row["median_time_on_page"] for path, row in found.items()} == times
    assert {path: row["avg_scroll_depth"] for path, row in found.items()} == depths


@each(
    ("name", "field", "shown"),
    [
        ("languages", "language", "name"),
        ("sources", "referrer", "name"),
        ("devices", "device_type", "name"),
        ("channels", "channel", "name"),
    ],
)
def test_the_sessions_of_a_row_are_those_that_its_filter_selects(
    box: WholeBox, name: str, field: str, shown: str
) -> None:
    rows = rows_of(box, name)
    assert rows
    for row in rows:
        (totals,) = asked(box, "summary_totals", {"field": field, "op": "eq", "value": row[shown]})
        same = ("visitors", "sessions", "bounce_rate", "median_session_duration")
        assert {column: row[column] for column in same} == {column: totals[column] for column in same}


def test_sessions_of_a_page_are_those_that_began_there_and_of_none_there_is_no_rate(box: WholeBox) -> None:
    for name in ("pages", "entry"):
        found = {row["path"]: (row["sessions"], row["bounce_rate"]) for row in rows_of(box, name)}
        assert found == {"/": (2, 50.0), "/blog": (1, 0.0), **({"/=pricing": (0, None)} if name == "pages" else {})}


def test_a_session_without_a_page_view_began_on_no_page(box: WholeBox) -> None:
    for who, path, name in (("ann", "/", "screen_view"), ("ann", "/x", "screen_view"), ("eve", "/x", "signup")):
        page = {"anonymousId": who, "path": f"https://blog.example{path}", "websiteId": box.sites["blog"]}
        send(box, {"name": name, **page})
    answer = box.get(f"/sites/{box.sites['blog']}/details/pages/json?range=today", cookie=box.cookie)
    assert {row["path"]: row["sessions"] for row in answer.json["rows"]} == {"/": 1, "/x": 0}


@each(("query", "paths"), [
    ("", ["/", "/blog", "/=pricing"]),
    ("&q=BLOG", ["/blog"]),
    ("&q=nowhere", []),
    ("&sort=name&order=asc", ["/", "/=pricing", "/blog"]),
    ("&sort=visitors&order=asc", ["/=pricing", "/", "/blog"]),
    ("&sort=bounce_rate&order=asc", ["/blog", "/", "/=pricing"]),
    ("&sort=nonsense&page=7", ["/", "/blog", "/=pricing"]),
    ("&language=de", ["/", "/blog"]),
])  # fmt: skip
def test_a_file_has_the_rows_that_are_searched_for_in_their_order(box: WholeBox, query: str, paths: list[str]) -> None:
    assert [row["path"] for row in rows_of(box, "pages", query)] == paths


def test_rows_are_found_by_their_names_on_the_page_and_in_answers(box: WholeBox) -> None:
    for search in ("german", "de"):
        assert [row["name"] for row in rows_of(box, "languages", f"&q={search}")] == ["de"], search


def test_a_file_of_the_page_knows_as_much_of_its_rows_as_their_table(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST_ROWS", 1)  # fewer than pages that have a time
    (row,) = json.loads(whole_page(box, "json", "").body)["pages"]
    assert row == rows_of(box, "pages")[0]
    assert (row["path"], row["median_time_on_page"]) == ("/", 40)


def test_values_of_partially_read_rows_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"name": "en", "visitors": 2, "pageviews": 3, "percentage": 100.0}
    counted, unknown = 0, None
    for most, expected in ((2, counted), (1, unknown)):
        monkeypatch.setattr(table, "MAX_LIMIT", most)
        beside = [{"name": "de", "sessions": 9, "bounce_rate": 0.0, "median_session_duration": 1.0}]
        (line,) = table.lines(LISTS["languages"], [row], [beside], 2)
        assert line.figures["sessions"] is expected


def test_csv_is_safe_to_open_and_has_the_same_rows(box: WholeBox) -> None:
    answer = details(box, "pages/csv?range=today&sort=name&order=asc")
    assert answer.headers["content-disposition"] == 'attachment; filename="pages-2026-06-17-2026-06-17.csv"'
    heading, *lines = csv.reader(io.StringIO(answer.body.decode("utf-8-sig"), newline=""))
    assert heading[:3] == ["path", "visitors", "share"]
    assert [line[:2] for line in lines] == [["/", "2"], ["/=pricing", "1"], ["/blog", "2"]]


@each(
    ("query", "said"),
    [
        ("path=/blog", " · Page <strong><bdi>/blog</bdi></strong><br>"),
        (
            "path=/&1.language=de&1.country=France",
            " · Page <strong><bdi>/</bdi></strong> · Country <strong><bdi>France</bdi></strong>"
            " or Language <strong><bdi>German</bdi></strong><br>",
        ),
        ("segment=gone", "<bdi>gone</bdi></strong> (Not applied: this segment no longer exists)<br>"),
    ],
)
def test_a_table_says_what_it_is_narrowed_to(box: WholeBox, query: str, said: str) -> None:
    answer = details(box, f"pages?range=today&{query}")
    assert answer.status == 200
    assert said in answer.body.decode()


def test_a_row_leads_to_the_overview_of_it_alone(box: WholeBox) -> None:
    text = details(box, "pages?range=today&q=blog&sort=name").body.decode()
    assert f'href="/sites/{box.sites["shop"]}?range=today&amp;path=/blog"' in text
    assert "/=pricing" not in text
    assert 'aria-sort="descending"' in text


@each("rest", ["secrets", "secrets/csv", "pages/xml", "pages/csv/more"])
def test_there_is_nothing_else(box: WholeBox, rest: str) -> None:
    assert details(box, rest).status == 404


def test_a_page_has_figures_of_its_own(box: WholeBox) -> None:
    text = box.get(
        f"/sites/{box.sites['shop']}?range=today&path=/blog&wait=all", cookie=box.cookie, accept="text/html"
    ).body.decode()
    panel = text.partition('id="panel-page"')[2].partition("</section>")[0].replace("\N{NO-BREAK SPACE}", " ")
    facts = re.findall(r'<strong class="number">([^<]*)</strong> ([^<]*)<', panel)
    assert facts == [
        ("40 s", "time on page"),
        ("80.0 %", "scroll depth"),
        ("1", "sessions began here"),
        ("1", "ended here"),
    ]
    assert re.findall(r'class="bar-link"[^>]*href="([^"]*)"', panel) == [
        f"/sites/{box.sites['shop']}?range=today&amp;wait=all&amp;path=/%3Dpricing"
    ]
    assert 'id="panel-page"' not in box.get(f"/sites/{box.sites['shop']}", cookie=box.cookie).body.decode()


def whole_page(box: WholeBox, form: str, query: str = "&language=de") -> Answer:
    return box.get(f"/sites/{box.sites['shop']}/export/{form}?range=today{query}", cookie=box.cookie)


def test_a_whole_page_is_a_file(box: WholeBox) -> None:
    found = json.loads(whole_page(box, "json").body)
    assert found["address"] == f"/sites/{box.sites['shop']}?range=today&language=de"
    assert {row["figure"]: row["value"] for row in found["figures"]}["pageviews"] == 2
    assert sum(row["pageviews"] for row in found["series"]) == 2
    assert found["pages"] == rows_of(box, "pages", "&language=de")
    shown = {"startDate", "endDate", "timeZone", "address", "figures", "series"}
    assert set(found) - shown == {*TABLES, "hour_of_week"} - {"flags"} - {
        name for names in TABLES_ALONE for name in names
    }
    with zipfile.ZipFile(io.BytesIO(whole_page(box, "csv").body)) as archive:
        assert {name.removesuffix(".csv") for name in archive.namelist()} == {
            *("figures", "series", "hour_of_week", *TABLES)
        } - {"flags"} - {name for names in TABLES_ALONE for name in names}
        assert archive.read("pages.csv") == details(box, "pages/csv?range=today&language=de").body
    assert whole_page(box, "xml").status == 404


def test_errors_and_performance_have_tables_that_the_navigation_and_their_panels_lead_to(box: WholeBox) -> None:
    site = f"/sites/{box.sites['shop']}"
    for name, tabs in (("errors", TABLES_ALONE[0]), ("performance", TABLES_ALONE[1])):
        page = box.get(f"{site}/details/{name}", cookie=box.cookie, accept="text/html").body.decode()
        assert f'<a href="{site}/{name}" aria-current="page">' in page
        for tab in tabs:
            assert f'href="{site}/details/{tab}?range=today"' in page
            shown = box.get(f"{site}/details/{tab}/json", cookie=box.cookie)
            assert (shown.status, shown.json["list"]) == (200, tab)


def test_table_of_performance_begins_with_the_slowest_page() -> None:
    listed = LISTS["performance"]
    figures = {"p75_inp": 90.0, "p50_cls": 0.1, "p50_fcp": 800.0, "measurements": 5}
    rows = [{"name": name, "visitors": 9, "p75_lcp": lcp, **figures} for name, lcp in (("/a", 900.0), ("/b", 4000.0))]
    shown = table.select_lines(table.lines(listed, rows, (), None), TableState(), listed)
    assert [one.label for one in shown] == ["/b", "/a"]
