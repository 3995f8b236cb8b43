"""The page of what changed, and its files: each number is one that the API says of one of the two ranges."""

import csv
import html
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.inprocess import WholeBox, whole_box

DAY = 86_400
RANGE = "range=custom&from=2026-06-14&to=2026-06-17"
NOW, BEFORE = ("2026-06-14", "2026-06-17"), ("2026-06-10", "2026-06-13")
COUNTED = {
    "sources": ("traffic_sources", "visitors"),
    "pages": ("top_pages", "pageviews"),
    "events": ("custom_events", "total_events"),
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """Two visitors in the week before, one of them from two sources; six visitors now, with one page for each."""
    with whole_box(tmp_path_factory.mktemp("changes") / "data") as inside:
        noon = inside.clock.now()
        visits = [
            (30, "z", "/", "https://www.google.com/"),
            (6, "a", "/", "https://www.google.com/"),
            (6, "b", "/", "https://www.google.com/"),
            *((1, who, f"/{who}", "https://github.com/") for who in "cdefg"),
            (1, "h", "/", "https://www.google.com/"),
            (1, "h", "/x", "https://github.com/"),
        ]
        for days, who, path, referrer in visits:
            inside.clock.advance(seconds=(noon - inside.clock.now()) / 1000 - days * DAY)
            session = f"{who}{path}"
            page = {"name": "screen_view", "path": f"https://shop.example{path}", "referrer": referrer}
            for event in (page, {"name": "buy", "path": f"https://shop.example{path}"} if who < "f" else page):
                sent = {**event, "anonymousId": who, "sessionId": session}
                assert inside.post(f"/?client_id={inside.sites['shop']}", sent).status == 200
        inside.clock.advance(seconds=(noon - inside.clock.now()) / 1000)
        yield inside


def shown(box: WholeBox, rest: str, status: int = 200) -> str:
    answer = box.get(f"/sites/{box.sites['shop']}/changes{rest}", cookie=box.cookie, accept="text/html")
    assert answer.status == status
    return html.unescape(answer.body.decode("utf-8-sig"))


def said(box: WholeBox, type_name: str, counted: str, days: tuple[str, str]) -> dict[str, int]:
    asked = {"parameters": [type_name], "startDate": days[0], "endDate": days[1], "limit": 1000}
    return {row["name"]: row[counted] for row in box.query("shop", asked).json["data"][0]["data"]}


def exported(box: WholeBox, rest: str = RANGE) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(shown(box, f"/export/json?{rest}"))["rows"]
    return rows


def test_every_row_has_the_counts_of_the_api_in_both_ranges(box: WholeBox) -> None:
    rows = exported(box)
    for name, (type_name, counted) in COUNTED.items():
        now, before = (said(box, type_name, counted, days) for days in (NOW, BEFORE))
        found = {
            one["name"]: (one["before"], one["now"]) for one in rows if one["list"] == name and one["now"] is not None
        }
        moved = {key: (before.get(key, 0), now.get(key, 0)) for key in {*now, *before}}
        assert found == {key: counts for key, counts in moved.items() if counts[0] != counts[1]}, name


def test_visitor_from_two_sources_is_told_apart_from_other_sources(box: WholeBox) -> None:
    overlap = [one for one in exported(box) if one["list"] == "sources" and one["now"] is None]
    assert [(one["name"], one["change"]) for one in overlap] == [("From several sources", -1)]


def test_parts_of_each_list_sum_to_the_difference(box: WholeBox) -> None:
    sums: dict[str, int] = {}
    for one in exported(box):
        sums[one["list"]] = sums.get(one["list"], 0) + one["change"]
    assert sums == {"sources": 4, "pages": 9, "countries": 4, "devices": 4, "utm_campaign": 4, "events": 1}


def test_page_and_sheet_have_the_same_rows(box: WholeBox) -> None:
    page = shown(box, f"?{RANGE}")
    assert "GitHub" in page
    assert "+6" in page
    sheet = csv.DictReader(io.StringIO(shown(box, f"/export/csv?{RANGE}")))
    assert [(one["list"], one["name"]) for one in sheet] == [(one["list"], one["name"]) for one in exported(box)]
    assert shown(box, f"/export/pdf?{RANGE}", status=404)


def test_list_that_the_page_is_narrowed_to_is_left_out(box: WholeBox) -> None:
    assert "sources" not in {one["list"] for one in exported(box, f"{RANGE}&referrer=GitHub")}


def test_page_says_why_nothing_can_be_compared(box: WholeBox) -> None:
    assert "Nothing to compare with" in shown(box, f"?{RANGE}&compare=off")
    assert "4 days" in shown(box, f"?{RANGE}&compare=own&cfrom=2026-06-01&cto=2026-06-02")
    assert "No data before" in shown(box, "?range=all&compare=own&cfrom=2020-01-01&cto=2020-01-02")


def test_quiet_ranges_have_no_changes(box: WholeBox) -> None:
    assert "Nothing changed" in shown(box, "?range=custom&from=2026-06-08&to=2026-06-08")


def test_dashboard_leads_to_all_changes_of_its_range(box: WholeBox) -> None:
    page = box.get(f"/sites/{box.sites['shop']}?wait=all&{RANGE}", cookie=box.cookie, accept="text/html").body.decode()
    assert f"/sites/{box.sites['shop']}/changes?range=custom" in html.unescape(page)
