"""The readers: each recognizes the versions of its format, and its rows become what the source would count."""

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest

from tests.cases import each
from tests.inprocess import WholeBox, whole_box
from tests.products.imports.test_events import umami, usual
from tests.products.imports.test_totals import plausible
from tests.products.imports.world import archive, ask, imported, sheet, status, undo, uploaded

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
GOATS = (
    "Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,"
    "Date"
)


def goats(version: str) -> bytes:
    rows = [
        (
            "/",
            "Home",
            "false",
            "",
            "Firefox 128",
            "Linux",
            "s1",
            "0",
            "Google",
            "g",
            "1920,1080,1",
            "DE-BE",
            "true",
            "2025-01-10T10:00:00Z",
        ),
        (
            "/a",
            "A",
            "false",
            "",
            "Firefox 128",
            "Linux",
            "s1",
            "0",
            "",
            "",
            "1920,1080,1",
            "DE-BE",
            "true",
            "2025-01-10T10:01:00Z",
        ),
        (
            "/",
            "Home",
            "false",
            "",
            "Safari 17",
            "iOS 17.1",
            "s2",
            "0",
            "blog.example/post",
            "h",
            "390,844,3",
            "FR",
            "true",
            "2025-01-11T10:00:00Z",
        ),
        (
            "signup",
            "",
            "true",
            "",
            "Safari 17",
            "iOS 17.1",
            "s2",
            "0",
            "",
            "",
            "390,844,3",
            "FR",
            "true",
            "2025-01-11T10:02:00Z",
        ),
        ("/", "Home", "false", "", "", "", "s3", "6", "", "", "", "US", "true", "2025-01-11T10:02:00Z"),
    ]
    return sheet(f"{version}{GOATS}", rows).encode()


def goat_statistics() -> bytes:
    def lines(*rows: dict[str, Any]) -> str:
        return "".join(json.dumps(row) + "\n" for row in rows)

    return archive(
        {
            "info.json": json.dumps({"export_version": "1.0", "created_for": "shop"}),
            "paths.jsonl": lines(
                {"id": 1, "path": "/", "title": "Home", "event": False},
                {"id": 2, "path": "click", "title": "", "event": True},
            ),
            "refs.jsonl": lines({"id": 1, "ref": "", "ref_scheme": ""}, {"id": 2, "ref": "Google", "ref_scheme": "g"}),
            "browsers.jsonl": lines({"id": 1, "name": "Firefox", "version": "128"}),
            "hit_stats.jsonl": lines(
                {"hour": "2025-01-10T10:00:00Z", "path_id": 1, "ref_id": 1, "count": 1},
                {"hour": "2025-01-10T11:00:00Z", "path_id": 1, "ref_id": 2, "count": 1},
                {"hour": "2025-01-11T11:00:00Z", "path_id": 1, "ref_id": 2, "count": 1},
                {"hour": "2025-01-11T11:00:00Z", "path_id": 2, "ref_id": 1, "count": 9},
            ),
            "browser_stats.jsonl": lines({"day": "2025-01-10", "path_id": 1, "browser_id": 1, "count": 2}),
            "location_stats.jsonl": lines({"day": "2025-01-10", "path_id": 1, "location": "DE-BE", "count": 2}),
        }
    )


def combined() -> bytes:
    def line(
        address: str, time: str, request: str, status: int = 200, referrer: str = "-", agent: str = FIREFOX
    ) -> str:
        return f'{address} - - [{time} +0100] "{request} HTTP/1.1" {status} 512 "{referrer}" "{agent}"\n'

    return "".join(
        (
            line("84.128.0.1", "10/Jan/2025:11:00:00", "GET /", referrer="https://www.google.com/"),
            line("84.128.0.1", "10/Jan/2025:11:00:01", "GET /style.css"),
            line("84.128.0.1", "10/Jan/2025:11:05:00", "GET /a?x=1"),
            line("84.128.0.1", "10/Jan/2025:11:06:00", "GET /gone", 404),
            line("84.128.0.1", "10/Jan/2025:11:07:00", "POST /form"),
            line("84.128.0.2", "11/Jan/2025:11:00:00", "GET /"),
            line("84.128.0.3", "11/Jan/2025:11:00:00", "GET /", agent="Mozilla/5.0 (compatible; Googlebot/2.1)"),
            "nonsense\n",
        )
    ).encode()


def _json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def caddy() -> bytes:
    def line(address: str, stamp: float, uri: str) -> dict[str, Any]:
        headers = {"User-Agent": [FIREFOX], "Referer": ["https://www.google.com/"] if uri == "/" else []}
        request = {"remote_ip": address, "client_ip": address, "method": "GET", "host": "shop.example", "uri": uri}
        return {
            "level": "info",
            "ts": stamp,
            "logger": "http.log.access",
            "request": {**request, "headers": headers},
            "status": 200,
        }

    times = (1736503200.5, 1736503500.25, 1736589600.0)
    return _json_lines(
        [line("84.128.0.1", times[0], "/"), line("84.128.0.1", times[1], "/a"), line("84.128.0.2", times[2], "/")]
    )


def traefik() -> bytes:
    def line(address: str, time: str, path: str) -> dict[str, Any]:
        return {
            "ClientHost": address,
            "RequestMethod": "GET",
            "RequestPath": path,
            "DownstreamStatus": 200,
            "StartUTC": time,
            "request_User-Agent": FIREFOX,
            "request_Referer": "https://www.google.com/" if path == "/" else "",
        }

    rows = [line("84.128.0.1", "2025-01-10T10:00:00.123456789Z", "/"), line("84.128.0.1", "2025-01-10T10:05:00Z", "/a")]
    return _json_lines([*rows, line("84.128.0.2", "2025-01-11T10:00:00Z", "/")])


def nginx() -> bytes:
    def line(address: str, time: str, path: str) -> dict[str, Any]:
        referrer = "https://www.google.com/" if path == "/" else ""
        return {
            **{"time_iso8601": time, "remote_addr": address, "request": f"GET {path} HTTP/2.0", "status": "200"},
            **{"http_referer": referrer, "http_user_agent": FIREFOX},
        }

    rows = [line("84.128.0.1", "2025-01-10T11:00:00+01:00", "/"), line("84.128.0.1", "2025-01-10T11:05:00+01:00", "/a")]
    return _json_lines([*rows, line("84.128.0.2", "2025-01-11T11:00:00+01:00", "/")])


def bigquery() -> bytes:
    def event(name: str, person: str, session: int, stamp: int, url: str, **params: Any) -> dict[str, Any]:
        texts = {"page_location": url, "page_title": "Home", **params}
        given = [{"key": key, "value": {"string_value": value}} for key, value in texts.items()]
        return {
            "event_date": "20250110",
            "event_timestamp": str(stamp * 1_000_000),
            "event_name": name,
            "event_params": [*given, {"key": "ga_session_id", "value": {"int_value": str(session)}}],
            "user_pseudo_id": person,
            "device": {
                "category": "desktop",
                "operating_system": "Linux",
                "web_info": {"browser": "Firefox", "browser_version": "128.0"},
            },
            "geo": {"country": "Germany", "region": "(not set)", "city": "Berlin"},
        }

    return _json_lines(
        [
            event("session_start", "p1", 1, 1736503200, "https://shop.example/"),
            event("page_view", "p1", 1, 1736503200, "https://shop.example/", page_referrer="https://www.google.com/"),
            event("page_view", "p1", 1, 1736503260, "https://shop.example/a"),
            event("sign_up", "p1", 1, 1736503270, "https://shop.example/a", method="email"),
            event("page_view", "p2", 2, 1736589600, "https://shop.example/"),
        ]
    )


def ga4_reports(comments: str) -> bytes:
    return archive(
        {
            "overview.csv": comments
            + sheet("Date,Active users,Sessions,Views", [("20250110", 1, 1, 2), ("20250111", 1, 1, 1)]),
            "pages.csv": comments
            + sheet(
                "Date,Page path and screen class,Views,Active users",
                [("20250110", "/", 1, 1), ("20250110", "/a", 1, 1), ("20250111", "/", 1, 1)],
            ),
            "sources.csv": comments
            + sheet(
                "Date,Session source / medium,Sessions,Active users",
                [("20250110", "google / organic", 1, 1), ("20250111", "(direct) / (none)", 1, 1)],
            ),
            "ages.csv": comments + sheet("Date,Age,Active users", [("20250110", "25-34", 1)]),
        }
    )


def packed(name: str, content: bytes) -> bytes:
    """An archive with one file."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        opened.writestr(name, content)
    return written.getvalue()


def bigquery_parquet() -> bytes:
    """The same events as BigQuery exports them to Parquet: whole numbers are numbers."""
    with TemporaryDirectory() as folder:
        rows, file = Path(folder, "rows.json"), Path(folder, "rows.parquet")
        rows.write_bytes(bigquery())
        number = "struct_pack(string_value := v.value.string_value, int_value := try_cast(v.value.int_value as bigint))"
        duckdb.sql(
            f"""
            copy (
              select * replace (
                event_timestamp::bigint as event_timestamp,
                [struct_pack(key := v.key, value := {number}) for v in event_params] as event_params)
              from read_json('{rows}', format = 'newline_delimited')
            ) to '{file}' (format parquet)
            """
        )
        return file.read_bytes()


# Events of Umami's tables: of which website, session and visit, the path, the source, the kind, its name, the time.
UMAMI_EVENTS = (
    ("w1", "s1", "v1", "e1", "2025-01-10 10:00:00+00", "/", "google.com", 1, None),
    ("w1", "s1", "v1", "e2", "2025-01-10 10:01:00+00", "/a", "", 1, None),
    ("w1", "s1", "v1", "e3", "2025-01-10 10:01:10+00", "/a", "", 2, "sign;up's"),
    ("w1", "s2", "v2", "e4", "2025-01-11 10:00:00+00", "/", "", 1, None),
    ("w2", "s3", "v3", "e5", "2025-01-11 10:00:00+00", "/", "", 1, None),
)
UMAMI_TABLES: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = {
    "event_data": (
        "event_data_id, website_id, website_event_id, data_key, string_value, number_value, date_value, data_type",
        (("d1", "w1", "e3", "plan", "pro", None, None, 1),),
    ),
    "session": (
        "session_id, website_id, browser, os, device, screen, language, country, region, city, created_at",
        tuple(
            (one, "w1", "firefox", "Linux", "desktop", "1920x1080", "de-DE", "DE", "DE-BE", "Berlin", None)
            for one in ("s1", "s2")
        ),
    ),
    "website": ("website_id, name, domain", (("w2", "Blog", "blog.other"), ("w1", "Shop", "www.shop.example"))),
    "website_event": (
        "website_id, session_id, visit_id, event_id, created_at, url_path, referrer_domain, event_type, event_name",
        UMAMI_EVENTS,
    ),
}


def postgres_dump() -> bytes:
    lines = ["--\n-- PostgreSQL database dump\n--", "set client_encoding = 'UTF8';"]
    for table, (columns, rows) in UMAMI_TABLES.items():
        lines.append(f"create table public.{table} ({', '.join(f'{one} text' for one in columns.split(', '))});")
        lines.append(f"COPY public.{table} ({columns}) FROM stdin;")
        lines += ["\t".join("\\N" if value is None else str(value) for value in row) for row in rows]
        lines.append("\\.\n")
    return "\n".join(lines).encode()


def mysql_dump() -> bytes:
    def text(value: Any) -> str:
        return "NULL" if value is None else f"'{value}'".replace("n;up's", "n;up\\'s") if value != 1 else "1"

    lines = ["-- MySQL dump 10.13"]
    for table, (columns, rows) in UMAMI_TABLES.items():
        lines.append(
            f"CREATE TABLE `{table}` (\n" + ",\n".join(f"  `{one}` text" for one in columns.split(", ")) + ");"
        )
        values = ",".join(f"({','.join(map(text, row))})" for row in rows).replace("+00'", "'")
        lines.append(f"INSERT INTO `{table}` VALUES {values};")
    return "\n".join(lines).encode()


# The file, its name, the provider and the version that are recognized, visitors of both days, and rows left out.
# Each source has page views of / and /a on 10 January, and of / on 11 January.
FORMATS: dict[str, tuple[bytes, str, str, str, int, dict[str, int]]] = {
    "goatcounter 2": (goats("2"), "goatcounter-export.csv", "goatcounter", "2", 2, {"bot": 1}),
    "goatcounter 1": (goats("1"), "goatcounter-export.csv", "goatcounter", "1", 2, {"bot": 1}),
    "combined": (combined(), "access.log", "weblogs", "combined", 2, {"asset": 3, "bot": 1, "row": 1}),
    "caddy": (caddy(), "access.json", "weblogs", "json", 2, {}),
    "traefik": (traefik(), "access.json", "weblogs", "json", 2, {}),
    "nginx": (nginx(), "access.json", "weblogs", "json", 2, {}),
    "bigquery": (bigquery(), "events.json", "ga4-events", "1", 2, {"dimension": 1}),
    "bigquery parquet": (bigquery_parquet(), "events.parquet", "ga4-events", "parquet", 2, {"dimension": 1}),
    "bigquery parquet in an archive": (
        packed("events-000.parquet", bigquery_parquet()),
        "events.zip",
        "ga4-events",
        "parquet",
        2,
        {"dimension": 1},
    ),
    "umami on postgresql": (postgres_dump(), "umami.sql", "umami", "dump", 2, {"website": 1}),
    "umami on mysql": (gzip.compress(mysql_dump()), "umami.sql.gz", "umami", "dump", 2, {"website": 1}),
    "ga4 reports": (
        ga4_reports("# ----\n# Start date: 20250110\n# ----\n\n"),
        "ga4.zip",
        "ga4-reports",
        "reports",
        2,
        {"dimension": 1},
    ),
    "ga4 explorations": (ga4_reports(""), "ga4.zip", "ga4-reports", "explorations", 2, {"dimension": 1}),
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("readers") / "data") as inside:
        yield inside


@each("name", FORMATS)
def test_format_is_recognized_and_its_figures_are_those_of_the_source(name: str, box: WholeBox) -> None:
    content, file_name, provider, version, visitors, refused = FORMATS[name]
    import_id = imported(box, content, file_name)
    shown = status(box, import_id)
    assert (shown["provider"], shown["version"]) == (provider, version)
    assert {one["reason"]: one["rows"] for one in shown["refused"]} == refused
    totals, pages, sources = ask(box, "summary_totals", "top_pages", "traffic_sources")
    assert totals["data"][0]["pageviews"] == 3
    assert totals["data"][0]["visitors"] == visitors
    assert {one["name"]: one["pageviews"] for one in pages["data"]} == {"/": 2, "/a": 1}
    assert "Google" in {one["name"] for one in sources["data"]}
    undo(box, import_id)
    assert ask(box, "summary_totals")[0]["data"][0]["pageviews"] == 0


def test_statistics_of_goatcounter_count_visits_by_page(box: WholeBox) -> None:
    import_id = imported(box, goat_statistics(), "goatcounter.zip")
    assert status(box, import_id)["provider"] == "goatcounter-json"
    totals, sources, browsers = ask(box, "summary_totals", "traffic_sources", "browser_name")
    assert (totals["data"][0]["pageviews"], totals["data"][0]["visitors"]) == (3, 3)
    assert {one["name"]: one["visitors"] for one in sources["data"]} == {"Direct": 1, "Google": 2}
    assert [(one["name"], one["visitors"]) for one in browsers["data"]] == [("Firefox", 2)]
    undo(box, import_id)


def test_older_exports_of_umami_and_plausible_are_recognized(box: WholeBox) -> None:
    events = (
        "event_id,website_id,session_id,created_at,url_path,url_query,referrer_domain,page_title,event_type,event_name,"
        "visit_id"
    )
    sessions = (
        "session_id,website_id,hostname,browser,os,device,screen,language,country,subdivision1,subdivision2,city,"
        "created_at"
    )
    old = archive(
        {
            "website_event.csv": sheet(
                events, [("e1", "w", "s1", "2025-01-10 10:00:00", "/", "", "google.com", "Home", "1", "", "v1")]
            ),
            "session.csv": sheet(
                sessions, [("s1", "w", "", "firefox", "Linux", "desktop", "1x1", "de", "DE", "", "", "Berlin", "")]
            ),
        }
    )
    import_id = imported(box, old)
    assert (status(box, import_id)["provider"], status(box, import_id)["version"]) == ("umami", "1")
    (browsers,) = ask(box, "browser_name")
    assert [one["name"] for one in browsers["data"]] == ["Firefox"]
    undo(box, import_id)
    pages = sheet(
        "date,hostname,page,visits,visitors,pageviews,exits,time_on_page", [("2025-01-10", "", "/", 1, 1, 2, 1, 9)]
    )
    visitors = sheet("date,visitors,pageviews,bounces,visits,visit_duration", [("2025-01-10", 1, 2, 0, 1, 9)])
    end = "20250110_20250110.csv"
    import_id = imported(box, archive({f"imported_pages_{end}": pages, f"imported_visitors_{end}": visitors}))
    assert (status(box, import_id)["provider"], status(box, import_id)["version"]) == ("plausible", "1")
    undo(box, import_id)


def test_a_file_of_another_product_than_the_chosen_one_is_refused(box: WholeBox) -> None:
    for content, provider in ((umami(usual()), "plausible"), (plausible(), "umami")):
        shown = status(box, uploaded(box, content, provider=provider))
        assert shown["state"] == "failed"
        assert "not an export of" in shown["error"]


def test_dumps_and_parquet_files_that_are_broken_end_with_a_clear_error(box: WholeBox) -> None:
    dump, table = postgres_dump(), bigquery_parquet()
    files = {
        "cut.parquet": table[: len(table) // 2],
        "end.parquet": b"PAR1" + b"\xff" * 5_000 + b"PAR1",
        "other.sql": b"-- PostgreSQL database dump\ncreate table other (id integer);\n",
        "cut.sql.gz": gzip.compress(dump)[:-300],
    }
    for name, content in files.items():
        shown = status(box, uploaded(box, content, name))
        assert shown["state"] == "failed", name
        assert shown["error"], name
        assert "damaged" not in shown["error"] or name == "cut.sql.gz", shown["error"]


def test_properties_of_custom_events_come_from_a_dump(box: WholeBox) -> None:
    import_id = imported(box, mysql_dump(), "umami.sql")
    events, browsers = ask(box, "custom_events", "browser_name")
    assert [one["name"] for one in events["data"]] == ["sign;up's"]
    assert [one["name"] for one in browsers["data"]] == ["Firefox"]
    stored = "select properties from stored_events where properties <> ''"
    assert box.box.events.db.read_now(lambda db: db.execute(stored).fetchall()) == [('{"plan":"pro"}',)]
    undo(box, import_id)
