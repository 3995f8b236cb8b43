"""The figures of a report are those of the dashboard and of the API for the same days."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base import figures
from tests.products.imports.world import archive, imported, sheet
from tests.products.overview.filtered import seen, visitors
from tests.products.reports.world import World, world_in


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(Path(tmp_path_factory.mktemp("reports"))) as world:
        world.box.clock.advance(seconds=5 * 86_400)
        yield world


def preview(here: World, **given: object) -> dict[str, object]:
    made = here.report(**given)
    found: dict[str, object] = here.call("reports.preview", id=made["id"])
    return found


def test_numbers_are_those_of_the_api_for_the_same_days(here: World) -> None:
    content = preview(here, sections=["figures", "sources", "pages", "events"])["report"]
    assert isinstance(content, dict)
    days = {"startDate": content["first_day"], "endDate": content["last_day"], "timeZone": content["time_zone"]}
    names = ["summary_totals", "top_pages", "custom_events", "events_by_date"]
    found = here.box.query("shop", {"parameters": names, **days}).json["data"]
    answers = {one["parameter"]: one["data"] for one in found}
    totals = {one["name"]: one for one in content["figures"]}
    (whole,) = answers["summary_totals"]
    assert totals["Visitors"]["number"] == whole["visitors"] > 0
    assert totals["Page views"]["value"] == figures.count(whole["pageviews"])
    tables = {one["section"]: one for one in content["tables"]}
    pages = {row["name"]: row["visitors"] for row in answers["top_pages"]}
    assert {row["name"]: row["number"] for row in tables["pages"]["rows"]} == pages
    assert [bar["visitors"] for bar in content["bars"]] == [row["visitors"] for row in answers["events_by_date"]]


def test_numbers_are_those_of_the_dashboard_with_its_comparison(here: World) -> None:
    content = preview(here)["report"]
    assert isinstance(content, dict)
    path = content["url"].removeprefix("http://localhost:8000")
    page = seen(here.box, f"{path}&zone=UTC&wait=all")
    assert content["figures"][0]["number"] == visitors(page)
    assert f"{content['figures'][0]['before']:.0f}" in page
    assert content["figures"][0]["change"].split("\N{NO-BREAK SPACE}", 1)[1] in page


def test_parts_of_what_changed_sum_to_the_whole(here: World) -> None:
    content = preview(here)["report"]
    assert isinstance(content, dict)
    whole = content["figures"][0]["number"] - content["figures"][0]["before"]
    assert sum(one["number"] for one in content["movers"]) == whole > 0
    assert content["moved"] == f"{figures.difference(whole)} visitors"


def test_segment_limits_a_report_to_its_visits(here: World) -> None:
    only = [{"field": "country", "op": "eq", "value": "Germany"}]
    given = {"websiteId": here.box.sites["shop"], "name": "Germans", "filters": only, "isShared": True}
    segment = here.call("segments.create", **given)["id"]
    content = preview(here, segmentId=segment)["report"]
    assert isinstance(content, dict)
    assert content["figures"][0]["number"] == 1
    assert content["filtered"]
    here.call("segments.delete", id=segment)


def test_report_has_the_chosen_sections_only(here: World) -> None:
    found = preview(here, sections=["pages"])
    content = found["report"]
    assert isinstance(content, dict)
    assert not content["figures"]
    assert not content["bars"]
    assert not content["movers"]
    assert [one["section"] for one in content["tables"]] == ["pages"]
    assert "Sources" not in str(found["text"])


def test_report_says_that_its_figures_include_imported_totals(here: World) -> None:
    assert "imported daily totals" not in str(preview(here))
    header = "date,visitors,pageviews,bounces,visits,visit_duration"
    days = [("2026-06-20", 20, 30, 5, 25, 1000), ("2026-06-21", 20, 30, 5, 25, 1000)]
    imported(here.box, archive({"imported_visitors_20260620_20260621.csv": sheet(header, days)}))
    shown = preview(here)
    for kind in ("text", "html"):
        assert "Figures include imported daily totals from 20 Jun 2026 to 21 Jun 2026." in str(shown[kind]), shown
