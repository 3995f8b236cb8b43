"""GoatCounter's exports: CSV with every page view (versions 1 and 2), and a ZIP archive of JSON with statistics."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.records import (
    DayTotal,
    ExportReader,
    HistoryEvent,
    ImportRecord,
    Locate,
    RowRefusal,
    day_of,
    identity,
    instant,
    json_lines,
    key_of,
    rows_of,
)
from analytics_box.web.recognition import agent, countries
from analytics_box.web.recognition.channel import channel
from analytics_box.web.recognition.known_sources import DIRECT, known_sources
from analytics_box.web.recognition.source import host_of, name_of_host

_CSV_HEADER: Final = {"title", "event", "browser", "session", "bot", "firstvisit", "date"}
_HITS: Final = "hit_stats.jsonl"
_MOBILE, _TABLET = 600, 1_024
# Statistics by day that have a counterpart: the file, its values and the roll-up. Others count with each page.
_MOST_PATHS: Final = 500_000


def _columns(line: str) -> list[str]:
    return [name.strip('" \ufeff\r').lower() for name in line.split(",")]


def _recognize_csv(files: ImportFiles) -> str:
    columns = _columns(files.first_line(files.names[0])) if files.names else []
    version, is_path = (columns[0][:1], columns[0][1:] == "path") if columns and columns[0] else ("", False)
    return version if is_path and version in {"1", "2"} and set(columns) >= _CSV_HEADER else ""


def _read_csv(files: ImportFiles, version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for row in rows_of(files.lines(files.names[0])):
        yield row if isinstance(row, RowRefusal) else _event_of(row, version)


def _event_of(row: dict[str, str], version: str) -> ImportRecord:
    path, time = row[f"{version}path"], instant(row["date"])
    if row["bot"] not in {"", "0"}:
        return RowRefusal("bot", path)
    if time is None:
        return RowRefusal("time", f"{row['date']} {path}")
    session = row["session"] or path
    browser, browser_version = split_version(row["browser"])
    system, system_version = split_version(row["system"])
    width = row.get("screen size", "").replace("x", ",").split(",")[0]
    is_event = row["event"].lower() in {"true", "1"}
    scheme, referrer = row.get("referrer scheme", ""), row.get("referrer", "")
    return HistoryEvent(
        time=time,
        visitor=identity("goatcounter", str(time // 86_400_000), session, lasting=False),
        visit=key_of("goatcounter", session),
        url="/" if is_event else path or "/",
        name=path if is_event else "",
        title=row["title"],
        referrer=_referrer(scheme, referrer),
        browser=browser,
        browser_version=browser_version,
        system=system,
        system_version=system_version,
        device=device_by_width(width),
        country=row.get("location", "").partition("-")[0],
        utm=(referrer, "", "", "", "") if scheme == "c" else (),
    )


def _referrer(scheme: str, text: str) -> str:
    """A referrer as an address: GoatCounter names some, such as Hacker News, instead of their pages."""
    if scheme == "h" and text:
        return text if "://" in text else f"https://{text}"
    domain = known_sources().domains.get(text, "") if scheme in {"g", "o"} else ""
    return f"https://{domain}/" if domain else ""


def split_version(text: str) -> tuple[str, str]:
    """A name and its version, such as Firefox 128."""
    name, _, version = text.rpartition(" ")
    return (name, version) if name and version[:1].isdigit() else (text, "")


def device_by_width(width: str) -> str:
    """The kind of device of a screen with this width; a desktop if it is unknown."""
    if not width.isdecimal() or int(width[:6]) == 0:
        return "desktop"
    return "mobile" if int(width[:6]) < _MOBILE else "tablet" if int(width[:6]) < _TABLET else "desktop"


def _recognize_json(files: ImportFiles) -> str:
    if not {"info.json", "paths.jsonl", _HITS} <= {*files.names}:
        return ""
    try:
        info = msgspec.json.decode(files.head("info.json"), type=dict[str, Any])
    except msgspec.DecodeError:
        return ""
    return str(info.get("export_version", ""))[:8]


def _read_json(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    """Statistics are visits by page, so that page views are visits. Events are left out."""
    paths: dict[Any, str] = {}
    for one in _objects(files, "paths.jsonl"):
        if len(paths) < _MOST_PATHS and not one.get("event"):
            paths[one.get("id")] = str(one.get("path", ""))
    named = {name: _by_id(files, f"{name}s.jsonl") for name in ("ref", "browser", "system")}
    for one in _objects(files, _HITS):
        path = paths.get(one.get("path_id"))
        counted = _count(one, str(one.get("hour", ""))[:10])
        if path is None or isinstance(counted, RowRefusal):
            yield counted if isinstance(counted, RowRefusal) else RowRefusal("dimension", str(one))
            continue
        source = _source_of(named["ref"].get(one.get("ref_id"), {}))
        group = channel(name=source, medium="", campaign="", click_id="", tag="")
        for roll, value in (("total", ""), ("path", path), ("source", source), ("channel", group)):
            yield _total(counted, roll, value)
    statistics: tuple[tuple[str, Callable[[dict[str, Any]], tuple[str, str]]], ...] = (
        ("browser_stats.jsonl", lambda one: ("browser", _name_of(agent.BROWSERS, named["browser"], one, "browser_id"))),
        ("system_stats.jsonl", lambda one: ("system", _name_of(agent.SYSTEMS, named["system"], one, "system_id"))),
        (
            "location_stats.jsonl",
            lambda one: ("country", countries.name_of(str(one.get("location", "")).split("-")[0])),
        ),
        ("size_stats.jsonl", lambda one: ("device", device_by_width(str(one.get("width", ""))))),
    )
    for name, value_of in statistics:
        if name not in files.names:
            continue
        for one in _objects(files, name):
            counted = _count(one, str(one.get("day", "")))
            if isinstance(counted, RowRefusal):
                yield counted
            elif one.get("path_id") in paths:
                yield _total(counted, *value_of(one))


def _objects(files: ImportFiles, name: str) -> Iterator[dict[str, Any]]:
    """The objects of a file. GoatCounter writes no lines that are none."""
    return (one for one in json_lines(files.lines(name)) if isinstance(one, dict))


def _by_id(files: ImportFiles, name: str) -> dict[Any, dict[str, Any]]:
    return {one.get("id"): one for one in _objects(files, name)} if name in files.names else {}


def _name_of(names: dict[str, str], named: dict[Any, dict[str, Any]], one: dict[str, Any], key: str) -> str:
    name = str(named.get(one.get(key), {}).get("name", ""))
    return names.get(name, name)


def _source_of(ref: dict[str, Any]) -> str:
    text, scheme = str(ref.get("ref", "")), str(ref.get("ref_scheme", ""))
    address = _referrer(scheme, text)
    return name_of_host(host_of(address)) if address else text or DIRECT


def _count(one: dict[str, Any], day: str) -> tuple[int, int] | RowRefusal:
    number, count = day_of(day), one.get("count")
    if number is None:
        return RowRefusal("time", str(one))
    if not isinstance(count, int) or not 0 <= count < 10**12:
        return RowRefusal("row", str(one))
    return number, count


def _total(counted: tuple[int, int], roll: str, value: str) -> DayTotal:
    day, count = counted
    return DayTotal(day, roll, value, "", count, count, count)


READER: Final = ExportReader(
    "goatcounter", "GoatCounter (CSV)", "events", "CSV file from Settings → Export", _recognize_csv, _read_csv
)
STATISTICS: Final = ExportReader(
    "goatcounter-json",
    "GoatCounter (JSON)",
    "totals",
    "ZIP archive from Settings → Export",
    _recognize_json,
    _read_json,
)
