"""Daily totals of another product: what figures include them, what figures say so, and what undo leaves."""

import io
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from analytics_box.app import jobs
from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase
from analytics_box.query.imported import ImportedDays
from analytics_box.query.ranges import DayRange
from tests.inprocess import WholeBox, whole_box
from tests.products.imports.world import archive, ask, call, imported, sheet, status, undo, uploaded

DAYS = ("2025-01-10", "2025-01-11")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def plausible(days: tuple[str, ...] = DAYS) -> bytes:
    """An export of two days: 30 page views of 20 visitors on each."""
    end = "20250101_20250131.csv"
    return archive(
        {
            f"imported_visitors_{end}": sheet(
                "date,visitors,pageviews,bounces,visits,visit_duration", [(day, 20, 30, 5, 25, 1000) for day in days]
            ),
            f"imported_pages_{end}": sheet(
                "date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,"
                "total_time_on_page,total_time_on_page_visits",
                [
                    (day, "shop.example", page, n, n, n + 3, 0, 0, 0, 0)
                    for day in days
                    for page, n in (("/", 18), ("/a", 6))
                ],
            ),
            f"imported_sources_{end}": sheet(
                "date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,"
                "visit_duration,bounces",
                [(day, "Google", "google.com", "", "", "", "", "", 20, 12, 15, 500, 3) for day in days]
                + [(day, "", "", "", "", "", "", "", 10, 8, 10, 500, 2) for day in days],
            ),
            f"imported_locations_{end}": sheet(
                "date,country,region,city,visitors,visits,visit_duration,bounces,pageviews",
                [(day, "DE", "DE-BE", "2950159", 20, 25, 1000, 5, 30) for day in days],
            ),
            f"imported_custom_props_{end}": sheet(
                "date,property,value,visitors,events", [(DAYS[0], "plan", "pro", 1, 1)]
            ),
        }
    )


def test_totals_are_added_to_unfiltered_figures(box: WholeBox) -> None:
    import_id = imported(box, plausible())
    shown = status(box, import_id)
    assert (shown["provider"], shown["version"], shown["kind"]) == ("plausible", "2", "totals")
    assert (shown["pageviews"], shown["visitors"], shown["firstDate"], shown["lastDate"]) == (60, 40, *DAYS)
    assert [one["reason"] for one in shown["refused"]] == ["property"]

    totals, days, pages, sources, countries = ask(
        box, "summary_totals", "summary_metrics", "top_pages", "traffic_sources", "country"
    )
    (row,) = totals["data"]
    assert (row["pageviews"], row["visitors"], row["sessions"], row["bounce_rate"]) == (60, 40, 50, 20)
    assert totals["imported"] == {"days": 2, "first": DAYS[0], "last": DAYS[1], "included": True}
    by_day = {one["date"]: one["pageviews"] for one in days["data"] if one["pageviews"]}
    assert by_day == {"2025-01-10": 30, "2025-01-11": 30}
    assert [(one["name"], one["visitors"], one["pageviews"]) for one in pages["data"]] == [
        ("/", 36, 42),
        ("/a", 12, 18),
    ]
    assert {one["name"]: one["visitors"] for one in sources["data"]} == {"Google": 24, "Direct": 16}
    (referrers,) = ask(box, "top_referrers")
    assert [(one["name"], one["visitors"]) for one in referrers["data"]] == [("Google", 24)]
    assert [(one["name"], one["visitors"]) for one in countries["data"]] == [("Germany", 40)]


def test_totals_of_a_local_day_belong_to_that_day_in_every_zone(box: WholeBox) -> None:
    imported(box, plausible())
    for zone in ("America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati"):
        query = {"parameters": ["summary_metrics"], "startDate": "2025-01-11", "endDate": "2025-01-12"}
        answer = box.post(f"/v1/query?website_id={box.sites['shop']}&timezone={zone}", query, key="all")
        assert [row["pageviews"] for row in answer.json["data"][0]["data"]] == [30, 0], zone


def test_filtered_and_hourly_figures_leave_totals_out_and_say_so(box: WholeBox) -> None:
    imported(box, plausible())
    filters = [{"field": "country", "op": "eq", "value": "DE"}]
    (filtered,) = ask(box, "summary_totals", filters=filters)
    assert filtered["data"][0]["pageviews"] == 0
    assert filtered["imported"]["included"] is False
    (hourly,) = ask(box, "summary_metrics", granularity="hour", endDate="2025-01-11")
    assert sum(row["pageviews"] for row in hourly["data"]) == 0
    assert hourly["imported"]["included"] is False
    (other,) = ask(box, "summary_totals", startDate="2025-02-01", endDate="2025-02-03")
    assert "imported" not in other


def test_a_day_with_own_events_is_left_out_and_named(box: WholeBox) -> None:
    event = {"name": "screen_view", "path": "/", "timestamp": 1736503200000, "anonymousId": "a"}  # 2025-01-10
    sent = box.post("/track", event | {"websiteId": box.sites["shop"]}, key="all")
    assert sent.status == 200
    shown = status(box, imported(box, plausible()))
    own = next(one for one in shown["refused"] if one["reason"] == "own")
    assert own["examples"] == [DAYS[0]]
    (totals,) = ask(box, "summary_totals")
    assert totals["data"][0]["pageviews"] == 31


def test_days_of_another_import_are_left_out(box: WholeBox) -> None:
    imported(box, plausible(DAYS[:1]))
    shown = status(box, imported(box, plausible(DAYS)))
    assert [one["examples"] for one in shown["refused"] if one["reason"] == "taken"] == [[DAYS[0]]]
    assert ask(box, "summary_totals")[0]["data"][0]["pageviews"] == 60


def test_the_same_file_is_imported_once(box: WholeBox) -> None:
    content = plausible()
    imported(box, content)
    again = status(box, uploaded(box, content))
    assert again["state"] == "failed"
    assert "already imported" in again["error"]


def test_undo_leaves_nothing(box: WholeBox) -> None:
    before = ask(box, "summary_totals", "summary_metrics", "top_pages", "top_referrers")
    import_id = imported(box, plausible())
    undo(box, import_id)
    assert ask(box, "summary_totals", "summary_metrics", "top_pages", "top_referrers") == before
    counts = "select (select count(*) from imported_days) + (select count(*) from import_progress)"
    assert box.box.events.db.read_now(lambda db: db.execute(counts).fetchall())[0][0] == 0
    assert not any((box.box.settings.data_dir / "imports").iterdir())
    imported(box, plausible())  # and it can be imported again


def test_dashboard_has_a_line_about_imported_totals(box: WholeBox) -> None:
    imported(box, plausible())
    page = f"/sites/{box.sites['shop']}?range=custom&from=2025-01-01&to=2025-01-31"

    def shown(more: str = "") -> str:
        return box.get(f"{page}{more}", cookie=box.cookie, accept="text/html").body.decode()

    assert "Figures include imported daily totals from 10 Jan 2025 to 11 Jan 2025." in shown()
    assert "Imported daily totals from 10 Jan 2025 to 11 Jan 2025 are left out" in shown("&country=DE")
    page = f"/sites/{box.sites['shop']}?range=custom&from=2025-02-01&to=2025-02-28"
    assert "daily totals" not in shown()


def test_retention_removes_totals_of_earlier_days(box: WholeBox) -> None:
    import_id = imported(box, plausible())
    events, shop = box.box.events.db, box.numbers["shop"]
    noon_of_second_day = 1736596800000  # 2025-01-11
    removed = {"imported_days": 8}
    dry = box.run(erase.count_before(events, shop, instant=noon_of_second_day - DAY // 2))
    assert {table: rows for table, rows in dry.items() if rows} == removed
    box.run(erase.older(events, shop, days=0, now=noon_of_second_day))
    totals, pages = ask(box, "summary_totals", "top_pages")
    assert (totals["data"][0]["pageviews"], totals["imported"]["first"]) == (30, DAYS[1])
    assert [one["pageviews"] for one in pages["data"]] == [21, 9]

    box.run(erase.older(events, shop, days=0, now=noon_of_second_day + DAY))
    (totals,) = ask(box, "summary_totals")
    assert totals["data"][0]["pageviews"] == 0
    assert "imported" not in totals
    assert events.read_now(lambda db: db.execute("select count(*) from imported_days").fetchall()) == [(0,)]
    undo(box, import_id)


def test_a_website_that_is_removed_leaves_no_totals(box: WholeBox) -> None:
    imported(box, plausible())
    imported(box, plausible(), site="blog")
    box.run(erase.site(box.box.events.db, box.numbers["shop"]))
    left = "select site from imported_days union select site from import_progress"
    assert box.box.events.db.read_now(lambda db: db.execute(left).fetchall()) == [(box.numbers["blog"],)]


def test_median_duration_is_that_of_measured_visits_and_unknown_for_totals_alone(box: WholeBox) -> None:
    imported(box, plausible())
    totals, days, events_by_date = ask(box, "summary_totals", "summary_metrics", "events_by_date")
    assert totals["data"][0]["median_session_duration"] is None
    for series in (days, events_by_date):
        medians = {row["date"]: row["median_session_duration"] for row in series["data"]}
        assert {day: median for day, median in medians.items() if median != 0} == dict.fromkeys(DAYS)
    page = f"/sites/{box.sites['shop']}?range=custom&from=2025-01-01&to=2025-01-31&metric=median_session_duration"
    assert box.get(page, cookie=box.cookie, accept="text/html").status == 200
    (ordered,) = ask(box, "summary_metrics", sortBy="median_session_duration", sortOrder="desc")
    assert len(ordered["data"]) == 31

    for second in (0, 40):  # A visit of 40 s on a day without totals
        event = {"name": "screen_view", "path": "/", "timestamp": 1736956800000 + second * 1000, "anonymousId": "a"}
        assert box.post("/track", event | {"websiteId": box.sites["shop"]}, key="all").status == 200
    totals, days = ask(box, "summary_totals", "summary_metrics")
    assert totals["data"][0]["median_session_duration"] == 40
    medians = {row["date"]: row["median_session_duration"] for row in days["data"]}
    assert (medians[DAYS[0]], medians["2025-01-15"], medians["2025-01-16"]) == (None, 40, 0)


def test_import_page_names_its_days_once(box: WholeBox) -> None:
    import_id = imported(box, plausible())
    settings = f"/sites/{box.sites['shop']}"
    page = box.get(f"{settings}/imports/{import_id}", cookie=box.cookie, accept="text/html").body.decode()
    assert "Page views, 10 – 11 Jan 2025" in page
    assert "2 GB" in box.get(f"{settings}/settings/import", cookie=box.cookie, accept="text/html").body.decode()


def test_exports_shared_dashboards_and_reports_have_the_line_of_the_dashboard(box: WholeBox) -> None:
    imported(box, plausible())
    line = "Figures include imported daily totals from 10 Jan 2025 to 11 Jan 2025."
    january = "range=custom&from=2025-01-01&to=2025-01-31"
    site = f"/sites/{box.sites['shop']}"
    with zipfile.ZipFile(io.BytesIO(box.get(f"{site}/export/csv?{january}", cookie=box.cookie).body)) as archive:
        assert line in archive.read("remarks.csv").decode()
    assert line in box.get(f"{site}/export/json?{january}", cookie=box.cookie).json["remarks"][0]["remark"]
    with zipfile.ZipFile(io.BytesIO(box.get(f"{site}/export/csv?range=today", cookie=box.cookie).body)) as archive:
        assert "remarks.csv" not in archive.namelist()

    share = box.post("/shares/create", {"websiteId": box.sites["shop"], "name": "Partners"}, key="all")
    assert share.status == 200, share.json
    shared = box.get(f"/share/{share.json['slug']}?{january}", accept="text/html").body.decode()
    assert line in shared


def test_upload_to_a_nearly_full_disk_is_refused_and_leaves_nothing(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = call(box, "createUpload", {"websiteId": box.sites["shop"], "fileName": "export.zip", "provider": ""})
    path = "/" + created["uploadUrl"].split("/", 3)[3]
    little = SimpleNamespace(total=1 << 40, used=1 << 39, free=1 << 20)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: little)
        answer = box.ask("PUT", path, headers={"x_api_key": box.keys["all"]}, body=plausible())
    assert (answer.status, answer.json["error"]) == (400, "The server's disk has too little space to import this file")
    assert not list((box.box.settings.data_dir / "imports").rglob("file"))


def test_totals_that_retention_removed_are_no_longer_asked_for(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        imported(box, plausible())
        given = {"id": box.sites["shop"], "settings": {"dataRetentionDays": 30}}
        assert box.post("/websites/updateSettings", given, key="all").status == 200
        days = DayRange(date(2025, 1, 1), date(2025, 1, 31))
        known, site = box.box.parts[ImportedDays], box.numbers["shop"]
        assert known.overlap((site,), days)
        box.run(jobs.retain_events(box.box))
        assert not known.overlap((site,), days)
