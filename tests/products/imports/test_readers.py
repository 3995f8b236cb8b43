"""Exports of other products, in the shapes of at least two of their versions, become the figures that they had."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.products.imports.records import json_entries
from tests.inprocess import WholeBox, whole_box
from tests.products.imports.world import archive, ask, imported, sheet, status, uploaded

DAY = "2025-01-10"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def named(entry: Any, measure: str = "visitors") -> dict[str, int]:
    return {row["name"]: row[measure] for row in entry["data"]}


def totals(box: WholeBox) -> tuple[int, int, int]:
    (row,) = ask(box, "summary_totals")[0]["data"]
    return row["visitors"], row["sessions"], row["pageviews"]


# Fathom


def fathom(date: str, visitors: str) -> dict[str, str]:
    """The files of Custom Export: a day with 40 page views of 25 visitors."""
    time = f"{DAY} 00:00:00"
    return {
        "pageviews-site-totals.csv": sheet(
            f"{date},{visitors},pageviews,avg_duration,bounce_rate", [(time, 25, 40, "30.0", "0.4")]
        ),
        "pageviews-page.csv": sheet(
            f"{date},hostname,pathname,uniques,pageviews",
            [(time, "https://shop.example", "/", 20, 28), (time, "https://shop.example", "/blog", 9, 12)],
        ),
        "pageviews-country.csv": sheet(
            f"{date},country_code,uniques,pageviews", [(time, "DE", 15, 22), (time, "FR", 10, 18)]
        ),
        "pageviews-device (1).csv": sheet(
            f"{date},device_type,uniques,pageviews", [(time, "Desktop", 18, 30), (time, "Phone", 7, 10)]
        ),
        "pageviews-browser.csv": sheet(f"{date},browser,uniques,pageviews", [(time, "Chrome", 25, 40)]),
        "pageviews-referrer.csv": sheet(
            f"{date},referrer_hostname,utm_campaign,uniques,pageviews",
            [(time, "https://www.google.com", "", 15, 25), (time, "", "", 10, 15)],
        ),
        "pageviews-everything.csv": sheet(f"{date},pathname,browser,uniques,pageviews", [(time, "/", "Chrome", 1, 1)]),
    }


@pytest.mark.parametrize(("date", "visitors", "version"), [("datetime", "uniques", "2"), ("timestamp", "visits", "1")])
def test_custom_exports_of_fathom_are_totals(box: WholeBox, date: str, visitors: str, version: str) -> None:
    shown = status(box, imported(box, archive(fathom(date, visitors))))
    assert (shown["provider"], shown["version"], shown["kind"]) == ("fathom", version, "totals")
    assert [(one["reason"], one["examples"]) for one in shown["refused"]] == [
        ("dimension", ["pageviews-everything.csv"])
    ]
    assert totals(box) == (25, 25, 40)
    pages, countries, devices, browsers, sources = ask(
        box, "top_pages", "country", "device_types", "browser_name", "traffic_sources"
    )
    assert named(pages) == {"/": 20, "/blog": 9}
    assert named(countries) == {"Germany": 15, "France": 10}
    assert named(devices) == {"Desktop": 18, "Mobile": 7}
    assert named(browsers) == {"Chrome": 25}
    assert named(sources) == {"Google": 15, "Direct": 10}
    (row,) = ask(box, "summary_totals")[0]["data"]
    assert row["bounce_rate"] == 40


# Simple Analytics


def simple_rows(*, with_session: bool) -> str:
    """Two visitors with three page views, one with an event; a robot."""
    columns = (
        "added_iso,path,query,is_unique,is_robot,document_referrer,country_code,browser_name,device_type,datapoint"
    )
    rows: list[list[str]] = [
        [f"{DAY}T10:00:00.000Z", "/", "?utm_source=news", "true", "false", "", "DE", "Chrome", "desktop", ""],
        [f"{DAY}T10:01:00.000Z", "/pricing", "", "false", "false", "", "DE", "Chrome", "desktop", ""],
        [f"{DAY}T10:01:30.000Z", "/pricing", "", "", "false", "", "DE", "Chrome", "desktop", "signup"],
        [f"{DAY}T11:00:00.000Z", "/", "", "true", "false", "https://www.google.com/", "FR", "Safari", "mobile", ""],
        [f"{DAY}T11:30:00.000Z", "/wp-login.php", "", "true", "true", "", "US", "", "desktop", ""],
    ]
    if with_session:
        sessions = ("a", "a", "a", "b", "c")
        return sheet(
            f"{columns},session_id,metadata.plan_text,metadata.seats_int",
            [[*one, s, "pro", 3] for one, s in zip(rows, sessions, strict=True)],
        )
    return sheet(columns, rows)


@pytest.mark.parametrize(("with_session", "version"), [(True, "2"), (False, "1")])
def test_data_points_of_simple_analytics_are_events(box: WholeBox, version: str, *, with_session: bool) -> None:
    content = simple_rows(with_session=with_session).encode()
    shown = status(box, imported(box, content, "export.csv"))
    assert (shown["provider"], shown["version"], shown["kind"]) == ("simple-analytics", version, "events")
    assert [(one["reason"], one["rows"]) for one in shown["refused"]] == [("bot", 1)]
    assert totals(box) == (2, 2, 3)
    pages, sources, countries, events, properties = ask(
        box, "top_pages", "traffic_sources", "country", "custom_events", "custom_events_property_top_values"
    )
    assert named(pages) == {"/": 2, "/pricing": 1}
    assert named(sources).keys() == {"news", "Google"}
    assert named(countries) == {"Germany": 1, "France": 1}
    assert [(one["name"], one["total_events"]) for one in events["data"]] == [("signup", 1)]
    assert bool(properties["data"]) == with_session


# Matomo


def matomo_visits(version: str) -> list[dict[str, Any]]:
    """Two visits: by a campaign with an event and a link that leaves; by a search engine."""
    shared = {"idSite": "1", "languageCode": "de-de", "resolution": "1920x1080"}
    if version == "4":
        shared |= {"fingerprint": "f1"}
    return [
        shared
        | {
            "idVisit": "11",
            "visitorId": "aa01",
            "firstActionTimestamp": 1736503200,
            "referrerType": "campaign",
            "referrerName": "spring",
            "referrerKeyword": "shoes",
            "referrerUrl": None,
            "browserName": "Chrome Mobile",
            "browserVersion": "120.0",
            "operatingSystemName": "Android",
            "deviceType": "Smartphone",
            "countryCode": "de",
            "region": "Berlin",
            "city": "Berlin",
            "actionDetails": [
                {"type": "action", "url": "https://shop.example/", "pageTitle": 'Home "[{', "timestamp": 1736503200},
                {"type": "action", "url": "https://shop.example/a", "pageTitle": "A", "timestamp": 1736503230},
                {
                    "type": "event",
                    "url": "https://shop.example/a",
                    "eventCategory": "form",
                    "eventAction": "signup",
                    "eventValue": 3,
                    "timestamp": 1736503240,
                },
                {"type": "outlink", "url": "https://other.example/", "timestamp": 1736503250},
                {"type": "media", "url": "", "timestamp": 1736503260},
            ],
        },
        shared
        | {
            "idVisit": "12",
            "visitorId": "aa02",
            "serverTimestamp": 1736510000,
            "referrerType": "search",
            "referrerName": "Google",
            "referrerUrl": "https://www.google.com/",
            "browserName": "Microsoft Edge",
            "operatingSystemName": "GNU/Linux",
            "deviceType": "Desktop",
            "countryCode": "xx",
            "city": False,
            "actionDetails": [{"type": "action", "url": "https://shop.example/a", "timestamp": 1736510000}],
        },
    ]


@pytest.mark.parametrize("version", ["3", "4"])
def test_visits_of_matomo_are_events(box: WholeBox, version: str) -> None:
    content = json.dumps(matomo_visits(version)).encode()
    shown = status(box, imported(box, content, "visits.json"))
    assert (shown["provider"], shown["version"], shown["rows"]) == ("matomo", version, 5)
    assert [(one["reason"], one["rows"]) for one in shown["refused"]] == [("dimension", 1)]
    assert totals(box) == (2, 2, 3)
    pages, sources, campaigns, cities, browsers, systems, devices, events = ask(
        box,
        "top_pages",
        "traffic_sources",
        "utm_campaigns",
        "city",
        "browser_name",
        "os_name",
        "device_types",
        "custom_events",
    )
    assert named(pages) == {"/": 1, "/a": 2}
    assert "Google" in named(sources)
    assert named(campaigns) == {"spring": 1}
    assert named(cities)["Berlin"] == 1
    assert named(browsers) == {"Chrome": 1, "Edge": 1}
    assert named(systems) == {"Android": 1, "Linux": 1}
    assert named(devices) == {"Mobile": 1, "Desktop": 1}
    assert {one["name"] for one in events["data"]} == {"signup", "outgoing_link"}


def matomo_reports(unique: str) -> bytes:
    counts = {"nb_visits": 30, "bounce_count": 6, "sum_visit_length": 900}
    pages = [
        {"label": "/index", "nb_hits": 35, "nb_visits": 25, unique: 20, "entry_nb_visits": 22},
        {"label": "/blog/index", "nb_hits": 15, "nb_visits": 10, unique: 9, "entry_nb_visits": 8},
    ]
    return archive(
        {
            "API.get.json": json.dumps({DAY: counts | {"nb_uniq_visitors": 22, "nb_pageviews": 50, "nb_actions": 60}}),
            "VisitsSummary.get.json": json.dumps({DAY: counts | {"nb_uniq_visitors": 22, "nb_actions": 60}}),
            "Actions.getPageUrls.json": json.dumps({DAY: pages, "2025-01-11": []}),
            "Actions.getEntryPageUrls.json": json.dumps({DAY: pages}),
            "shop - UserCountry.getCountry - 2025.json": json.dumps(
                {DAY: [{"label": "Germany", "code": "de", "nb_visits": 30, unique: 22, "nb_actions": 60}]}
            ),
            "Referrers.getAll.json": json.dumps(
                {
                    DAY: [
                        {"label": "Direct Entry", "referer_type": 1, "nb_visits": 10, unique: 8},
                        {"label": "Google", "referer_type": 2, "nb_visits": 20, unique: 14},
                    ]
                }
            ),
            "Goals.get.json": json.dumps({DAY: {"nb_conversions": 2}}),
        }
    )


@pytest.mark.parametrize("unique", ["nb_uniq_visitors", "sum_daily_nb_uniq_visitors"])
def test_reports_of_matomo_are_totals(box: WholeBox, unique: str) -> None:
    shown = status(box, imported(box, matomo_reports(unique)))
    assert (shown["provider"], shown["kind"]) == ("matomo-reports", "totals")
    assert [one["examples"] for one in shown["refused"]] == [["Goals.get.json", "VisitsSummary.get.json"]]
    assert totals(box) == (22, 30, 50)
    pages, entries, countries, sources = ask(box, "top_pages", "entry_pages", "country", "traffic_sources")
    assert named(pages) == {"/": 20, "/blog/": 9}
    assert named(entries) == {"/": 22, "/blog/": 8}
    assert named(countries) == {"Germany": 22}
    assert named(sources) == {"Direct": 8, "Google": 14}


# JSON


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_entries_of_a_json_file_are_found_in_pieces_of_any_size(size: int) -> None:
    entries = {"a": [1, {"b": ']}\\"'}], "c\u00e4": {"d": []}, "skipped": 5, "e": []}
    text = json.dumps(entries, ensure_ascii=False)
    pieces = (text[at : at + size] for at in range(0, len(text), size))
    assert list(json_entries(pieces)) == [(key, value) for key, value in entries.items() if key != "skipped"]
    listed = (text[at : at + size] for text in (json.dumps([{"x": '"{'}, [], 7]),) for at in range(0, len(text), size))
    assert [value for _key, value in json_entries(listed)] == [{"x": '"{'}, []]


BROKEN = {
    "no end": '[{"a": 1}',
    "no end of a text": '[{"a": "b',
    "no value": "[{]",
    "too many ends": "[]]",
    "too deep": "[" * 100_000,
    "a giant entry": '[{"a": "' + "x" * 5_000_000 + '"}]',
    "wrong text": '[{"a": "\\x"}]',
}


@pytest.mark.parametrize("text", list(BROKEN.values()), ids=list(BROKEN))
def test_broken_json_is_refused(text: str) -> None:
    with pytest.raises(BadRequest):
        list(json_entries(text[at : at + 65_536] for at in range(0, len(text), 65_536)))


WRONG: dict[str, tuple[bytes, str]] = {
    "visits that are no objects": (b'[{"idVisit": 1, "actionDetails": 5}, 7, []]', "visits.json"),
    "visits with wrong values": (
        b'[{"idVisit": [], "actionDetails": [1, {"type": {}, "timestamp": "x"}], "serverTimestamp": 1e300}]',
        "visits.json",
    ),
    "data points with wrong values": (b"added_iso,path\n2025-99-99,/\n\xff,,\n", "points.csv"),
    "Fathom with wrong values": (
        b"datetime,pageviews,uniques,bounce_rate\nx,y,z,w\n2025-01-10,-1,1e999,nan\n",
        "f.csv",
    ),
}


@pytest.mark.parametrize(("content", "name"), list(WRONG.values()), ids=list(WRONG))
def test_rows_with_wrong_values_are_named_and_nothing_is_stored(box: WholeBox, content: bytes, name: str) -> None:
    shown = status(box, uploaded(box, content, name))
    assert shown["state"] in {"checked", "failed"}, shown
    assert shown["refused"] or shown["error"]
    assert totals(box) == (0, 0, 0)
