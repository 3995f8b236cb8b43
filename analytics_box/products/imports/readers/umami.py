"""Umami's export: a ZIP archive with website_event.csv, event_data.csv and session_data.csv, or the first file alone.

Older exports have session.csv next to website_event.csv, which then lacks the columns of the visitor's device. A dump
of Umami's database, of PostgreSQL or MySQL, has the same tables.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from analytics_box.base.store.foreign import is_database, read_tables
from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.records import (
    ExportReader,
    HistoryEvent,
    ImportRecord,
    Locate,
    RowRefusal,
    identity,
    instant,
    key_of,
    rows_of,
)

_EVENTS: Final = "website_event.csv"
_SESSIONS: Final = "session.csv"
_PROPERTIES: Final = "event_data.csv"
_CLICK_IDS: Final = ("gclid", "fbclid", "msclkid", "ttclid", "li_fat_id", "twclid")
_UTM: Final = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_NULL: Final = "\\N"
# Kinds of events that are no page view and no custom event: performance since version 3.
_PAGE_VIEW, _CUSTOM = "1", "2"
# Names as Umami's detection gives them, where they differ from ours.
_BROWSERS: Final = {
    "chrome": "Chrome",
    "crios": "Chrome",
    "chromium-webview": "Chrome",
    "firefox": "Firefox",
    "fxios": "Firefox",
    "safari": "Safari",
    "ios": "Safari",
    "ios-webview": "Safari",
    "edge": "Edge",
    "edge-chromium": "Edge",
    "edge-ios": "Edge",
    "opera": "Opera",
    "opera-mini": "Opera",
    "samsung": "Samsung Internet",
    "android": "Android",
    "facebook": "Facebook",
    "instagram": "Instagram",
    "yandexbrowser": "Yandex Browser",
    "ie": "IE",
    "silk": "Amazon Silk",
}
_DUMP: Final = "dump"
_OF_DEVICES: Final = ("browser", "os", "device", "country", "city", "language", "screen")
_MOST_REMEMBERED: Final = 500_000
_MOST_PROPERTIES: Final = 50


def system_of(name: str) -> str:
    """A system by Umami's name, such as Windows 10 or Mac OS."""
    if name.startswith("Windows"):
        return "Windows"
    if name.startswith("Android"):
        return "Android"
    return {"Mac OS": "macOS", "Chrome OS": "ChromeOS"}.get(name, name)


def _recognize(files: ImportFiles) -> str:
    name = _file(files)
    if not name:
        return _DUMP if _dump(files) else ""
    header = files.first_line(name)
    return "3" if "lcp" in header.split(",") else "2" if "browser" in header else "1"


def _file(files: ImportFiles) -> str:
    """The file with the events, by its name or else by its columns."""
    for name in sorted(files.names, key=lambda one: one != _EVENTS):
        header = files.first_line(name)
        if {"session_id", "url_path", "event_type", "created_at"} <= {
            one.strip('" \ufeff') for one in header.split(",")
        }:
            return name
    return ""


def _dump(files: ImportFiles) -> str:
    """The file that is a dump of Umami's database."""
    for name in files.names:
        head = files.head(name)
        if "website_event" in head and is_database(head.encode()):
            return name
    return ""


def _read(files: ImportFiles, version: str, _locate: Locate) -> Iterator[ImportRecord]:
    if version == _DUMP:
        yield from _read_dump(files)
        return
    devices: dict[str, dict[str, str]] = {}
    properties: dict[str, dict[str, Any]] = {}
    if version == "1" and _SESSIONS in files.names:
        for row in rows_of(files.lines(_SESSIONS)):
            if not isinstance(row, RowRefusal):
                _add_device(devices, row)
    if _PROPERTIES in files.names:
        for row in rows_of(files.lines(_PROPERTIES)):
            if not isinstance(row, RowRefusal):
                _add_property(properties, row)
    websites: set[str] = set()
    for row in rows_of(files.lines(_file(files))):
        if isinstance(row, RowRefusal):
            yield row
            continue
        website = row.get("website_id", "")
        if len(websites) < 1:
            websites.add(website)
        yield event_of(row, devices, properties) if website in websites else RowRefusal("website", website)


def _read_dump(files: ImportFiles) -> Iterator[ImportRecord]:
    """The events of a website: the one with the domain of ours, else the first. Tables can be in any order."""
    websites: set[str] = set()
    devices: dict[str, dict[str, str]] = {}
    properties: dict[str, dict[str, Any]] = {}
    ours = files.domain.removeprefix("www.")
    with files.extract(_dump(files)) as path:
        for table, row in _dump_rows(files, path, "website", "session", "event_data"):
            if table == "session":
                _add_device(devices, row)
            elif table == "event_data":
                _add_property(properties, row)
            elif row.get("domain", "").lower().removeprefix("www.") == ours:
                websites.add(row.get("website_id", ""))
        for _table, row in _dump_rows(files, path, "website_event"):
            website = row.get("website_id", "")
            if not websites:
                websites.add(website)
            yield event_of(row, devices, properties) if website in websites else RowRefusal("website", website)


def _dump_rows(files: ImportFiles, path: Path, *tables: str) -> Iterator[tuple[str, dict[str, str]]]:
    wanted: dict[str, tuple[str, ...]] = dict.fromkeys(tables, ())
    for table, row in read_tables(path, wanted, files.keep_going):
        yield table, {name: "" if value is None else str(value) for name, value in row.items()}


def event_of(
    row: dict[str, str], devices: dict[str, dict[str, str]], properties: dict[str, dict[str, Any]]
) -> ImportRecord:
    """An event of website_event, or of that table in a dump."""
    row = {name: "" if value == _NULL else value for name, value in row.items()}
    time = instant(row.get("created_at", ""))
    kind, session = row.get("event_type", ""), row.get("session_id", "")
    if time is None:
        return RowRefusal("time", f"{row.get('created_at', '')} {row.get('url_path', '')}")
    if kind not in {_PAGE_VIEW, _CUSTOM}:
        return RowRefusal("dimension", f"event_type {kind} {row.get('url_path', '')}")
    if not session or (kind == _CUSTOM and not row.get("event_name")):
        return RowRefusal("row", f"{row.get('created_at', '')} {row.get('url_path', '')}")
    device = row if "browser" in row else devices.get(session, {})
    referrer = row.get("referrer_domain", "")
    clicks = "&".join(f"{name}={row[name]}" for name in _CLICK_IDS if row.get(name))
    query = "&".join(filter(None, (row.get("url_query", "").lstrip("?"), clicks)))
    path = row.get("url_path") or "/"
    given = properties.get(row.get("event_id", ""))
    return HistoryEvent(
        time=time,
        visitor=identity("umami", session, lasting=True),
        visit=key_of(row.get("visit_id") or session),
        url=f"{path}?{query}" if query else path,
        name=row["event_name"] if kind == _CUSTOM else "",
        title=row.get("page_title", ""),
        referrer=f"https://{referrer}{row.get('referrer_path', '')}" if referrer else "",
        browser=_BROWSERS.get(device.get("browser", "").lower(), device.get("browser", "").title()),
        system=system_of(device.get("os", "")),
        device=device.get("device", "") or "desktop",
        country=device.get("country", ""),
        city=device.get("city", ""),
        language=device.get("language", ""),
        screen=device.get("screen", ""),
        utm=tuple(row.get(name, "") for name in _UTM),
        properties=msgspec.json.encode(given).decode() if given else "",
    )


def _add_device(devices: dict[str, dict[str, str]], row: dict[str, str]) -> None:
    """Add the device of a session."""
    if len(devices) >= _MOST_REMEMBERED:
        return
    devices[row.get("session_id", "")] = {name: row.get(name, "") for name in _OF_DEVICES}


def _add_property(properties: dict[str, dict[str, Any]], row: dict[str, str]) -> None:
    """Add a property to those of its custom event."""
    if len(properties) >= _MOST_REMEMBERED:
        return
    name = row.get("data_key") or row.get("event_key") or ""
    of_event = properties.setdefault(row.get("event_id") or row.get("website_event_id", ""), {})
    if name and len(of_event) < _MOST_PROPERTIES:
        of_event[name[:128]] = _property_value(row)


def _property_value(row: dict[str, str]) -> str | float | bool:
    """A value by Umami's number of its type: 2 is a number, 3 true or false."""
    number, text = row.get("number_value", ""), row.get("string_value", "")
    if row.get("data_type") == "2" and number not in {"", _NULL}:
        try:
            value = float(number)
        except ValueError:
            return number
        return int(value) if value.is_integer() else value
    if row.get("data_type") == "3":
        return text == "true"
    return text if text != _NULL else ""


READER: Final = ExportReader(
    "umami",
    "Umami",
    "events",
    "ZIP archive from Export, website_event.csv, or a database dump (.sql, also as .gz)",
    _recognize,
    _read,
)
