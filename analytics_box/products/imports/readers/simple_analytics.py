"""Simple Analytics' export of data points: a CSV file with page views or events, or both in a ZIP archive."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

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
    utc_day_key,
)

_UTM: Final = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
_TRUE: Final = frozenset(("true", "1", "t"))
_MOST_REMEMBERED: Final = 100_000
_MOST_PROPERTIES: Final = 50
_DEVICE: Final = ("browser_name", "browser_version", "os_name", "device_type", "country_code", "screen_width")
_PREFIX: Final = "metadata."


def _recognize(files: ImportFiles) -> str:
    """Version 2 has ids of sessions."""
    for name in files.names:
        header = _header(files, name)
        if {"added_iso", "added_unix"} & header and {"path", "datapoint", "path_and_query"} & header:
            return "2" if "session_id" in header else "1"
    return ""


def _header(files: ImportFiles, name: str) -> set[str]:
    return {one.strip('" ').lower() for one in files.first_line(name).split(",")}


def _read(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        if not {"added_iso", "added_unix"} & _header(files, name):
            yield RowRefusal("dimension", name)
            continue
        visitors: dict[tuple[str, ...], str] = {}
        for number, row in enumerate(rows_of(files.lines(name))):
            yield row if isinstance(row, RowRefusal) else event_of(row, f"{name} {number}", visitors)


def event_of(row: dict[str, str], place: str, visitors: dict[tuple[str, ...], str]) -> ImportRecord:
    """A data point, with its `place` in the export.

    Without ids of sessions, a unique page view begins a visitor, and the others of its day and device are taken for
    those of the latest one. `visitors` has the latest ones.
    """
    time = _time(row)
    path = row.get("path_and_query") or _address(row.get("path", ""), row.get("query", ""))
    example = f"{row.get('added_iso') or row.get('added_unix', '')} {path}"
    if time is None:
        return RowRefusal("time", example)
    if row.get("is_robot", "").lower() in _TRUE:
        return RowRefusal("bot", example)
    if not path and not row.get("datapoint"):
        return RowRefusal("page", example)
    session = row.get("session_id", "")
    visitor = session or _latest_visitor(row, utc_day_key(time), place, visitors)
    referrer = row.get("document_referrer") or row.get("referrer_hostname", "") + row.get("referrer_path", "")
    return HistoryEvent(
        time=time,
        visitor=identity("simple-analytics", visitor, lasting=False),
        visit=key_of(session) if session else 0,
        url=path or "/",
        name=row.get("datapoint", ""),
        referrer=referrer if not referrer or "://" in referrer else f"https://{referrer}",
        user_agent=row.get("user_agent", ""),
        browser=row.get("browser_name", ""),
        browser_version=row.get("browser_version", ""),
        system=row.get("os_name", ""),
        system_version=row.get("os_version", ""),
        device=row.get("device_type", ""),
        country=row.get("country_code", ""),
        language="-".join(filter(None, (row.get("lang_language", ""), row.get("lang_region", "")))),
        screen=_screen(row),
        utm=tuple(row.get(name, "") for name in _UTM),
        properties=_properties(row),
    )


def _time(row: dict[str, str]) -> int | None:
    if text := row.get("added_iso", ""):
        return instant(text)
    try:
        seconds = float(row.get("added_unix", ""))
    except ValueError:
        return None
    return int(seconds * 1000) if 0 <= seconds < 1e11 else None


def _latest_visitor(row: dict[str, str], day: str, place: str, visitors: dict[tuple[str, ...], str]) -> str:
    device = (day, *(row.get(name, "") for name in _DEVICE))
    if row.get("is_unique", "").lower() in _TRUE or device not in visitors:
        if len(visitors) >= _MOST_REMEMBERED:
            visitors.clear()
        visitors[device] = place
    return visitors[device]


def _address(path: str, query: str) -> str:
    return f"{path}?{query.lstrip('?')}" if query else path


def _screen(row: dict[str, str]) -> str:
    width, height = row.get("screen_width", ""), row.get("screen_height", "")
    return f"{width}x{height}" if width and height else ""


def _properties(row: dict[str, str]) -> str:
    """Columns such as metadata.plan_text, whose end names the type."""
    found: dict[str, Any] = {}
    for name, text in row.items():
        if not name.startswith(_PREFIX) or not text or len(found) >= _MOST_PROPERTIES:
            continue
        label, _, kind = name.removeprefix(_PREFIX).rpartition("_")
        found[(label or kind)[:128]] = _value(text, kind)
    return msgspec.json.encode(found).decode() if found else ""


def _value(text: str, kind: str) -> str | int | bool:
    if kind == "bool":
        return text.lower() in _TRUE
    if kind == "int" and text.lstrip("-").isdecimal() and len(text) < 16:
        return int(text)
    return text


READER: Final = ExportReader(
    "simple-analytics",
    "Simple Analytics",
    "events",
    "CSV files of page views and events from Export",
    _recognize,
    _read,
)
