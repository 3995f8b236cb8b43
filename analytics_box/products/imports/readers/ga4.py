"""Google Analytics 4: events of BigQuery as JSON or Parquet, and reports by date as CSV with totals of days."""

import csv
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
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
    json_lines,
    key_of,
    whole,
)
from analytics_box.query import parquet
from analytics_box.web.recognition import agent, countries
from analytics_box.web.recognition.channel import CHANNELS
from analytics_box.web.recognition.known_sources import DIRECT
from analytics_box.web.recognition.source import name_of_host, name_of_tag

# Events that GA4 adds itself, which are no action of a visitor.
_AUTOMATIC: Final = frozenset(("session_start", "first_visit", "user_engagement", "scroll", "first_open"))
_INTERNAL: Final = ("ga_", "engaged_", "session_", "page_", "engagement_", "batch_", "ignore_", "entrances", "debug_")
_NOTHING: Final = frozenset(("", "(not set)", "(none)", "(direct)", "(other)"))
# Columns of reports: the roll-up of days that their values belong to.
_DIMENSIONS: Final = {
    "page path": "path",
    "page path and screen class": "path",
    "landing page": "entries",
    "session source": "source",
    "session source / medium": "source",
    "session default channel group": "channel",
    "session primary channel group (default channel group)": "channel",
    "session campaign": "utm_campaign",
    "country": "country",
    "browser": "browser",
    "operating system": "system",
    "device category": "device",
}
_METRICS: Final = {
    "active users": "visitors",
    "total users": "visitors",
    "sessions": "visits",
    "views": "pageviews",
    "event count": "",
}
_DATE: Final = "date"
_PARQUET: Final = "PAR1"
_COLUMNS: Final = (
    "event_name",
    "event_timestamp",
    "event_params",
    "user_pseudo_id",
    "device",
    "geo",
    "collected_traffic_source",
)


def _recognize_events(files: ImportFiles) -> str:
    for name in files.names:
        head = files.head(name)
        if head.startswith(_PARQUET):
            return "parquet"
        if '"event_timestamp"' in head and '"event_params"' in head:
            return "2" if '"session_traffic_source_last_click"' in head else "1"
    return ""


def _read_events(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        for row in _event_rows(files, name):
            try:
                yield row if isinstance(row, RowRefusal) else _event_of(row)
            except (TypeError, ValueError, KeyError, AttributeError):
                yield RowRefusal("row", str(row)[:200])


def _event_rows(files: ImportFiles, name: str) -> Iterator[dict[str, Any] | RowRefusal]:
    if not files.head(name).startswith(_PARQUET):
        yield from json_lines(files.lines(name))
        return
    with files.extract(name) as path:
        try:
            yield from parquet.rows(path, _COLUMNS)
        except ValueError as broken:
            raise BadRequest(_("{name} is not a Parquet file that can be read").format(name=name)) from broken


def _event_of(row: dict[str, Any]) -> ImportRecord:
    name = str(row["event_name"])
    given = {one["key"]: _value(one.get("value") or {}) for one in row.get("event_params") or ()}
    if name in _AUTOMATIC:
        return RowRefusal("dimension", name)
    url = str(given.get("page_location") or "")
    if not url and name == "page_view":
        return RowRefusal("page", str(row)[:200])
    device, geo = row.get("device") or {}, row.get("geo") or {}
    web = device.get("web_info") or {}
    person, time = str(row.get("user_pseudo_id") or ""), int(row["event_timestamp"]) // 1000
    own = {key: value for key, value in given.items() if not key.startswith(_INTERNAL) and value is not None}
    source = row.get("collected_traffic_source") or {}
    return HistoryEvent(
        time=time,
        visitor=identity("ga4", person, lasting=True) if person else identity("ga4", str(time), lasting=False),
        visit=key_of("ga4", person, str(given.get("ga_session_id", ""))),
        url=url or "/",
        name="" if name == "page_view" else name,
        title=str(given.get("page_title") or ""),
        referrer=str(given.get("page_referrer") or ""),
        browser=str(web.get("browser") or device.get("browser") or ""),
        browser_version=str(web.get("browser_version") or device.get("browser_version") or ""),
        system=str(device.get("operating_system") or ""),
        system_version=_text_of(device.get("operating_system_version")),
        device=str(device.get("category") or ""),
        country=str(geo.get("country") or ""),
        region=_text_of(geo.get("region")),
        city=_text_of(geo.get("city")),
        language=str(device.get("language") or ""),
        utm=tuple(
            _text_of(source.get(f"manual_{part}")) for part in ("source", "medium", "campaign_name", "term", "content")
        ),
        properties=msgspec.json.encode(own).decode() if own and name != "page_view" else "",
    )


def _value(value: dict[str, Any]) -> Any:
    """The value of a parameter, of the kind that is there. Whole numbers come as texts."""
    if (whole_number := value.get("int_value")) is not None:
        return int(whole_number)
    return next(
        (value[kind] for kind in ("string_value", "double_value", "float_value") if value.get(kind) is not None), None
    )


def _text_of(value: object) -> str:
    text = str(value or "")
    return "" if text.lower() in _NOTHING else text


def _columns(line: str) -> list[str]:
    return [name.strip().strip("\ufeff").lower() for name in next(csv.reader([line]), [])]


def _header(files: ImportFiles, name: str) -> list[str]:
    """The columns of a report, which come after lines that begin with #."""
    for line in files.head(name).splitlines():
        if line.strip() and not line.startswith("#"):
            return _columns(line)
    return []


def _is_report(columns: list[str]) -> bool:
    return _DATE in columns and any(name in _METRICS for name in columns)


def _recognize_reports(files: ImportFiles) -> str:
    for name in files.names:
        if _is_report(_header(files, name)):
            return "reports" if files.head(name).startswith("#") else "explorations"
    return ""


def _read_reports(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        columns = _header(files, name)
        rolls = [_DIMENSIONS[one] for one in columns if one in _DIMENSIONS]
        others = [one for one in columns if one != _DATE and one not in _METRICS and one not in _DIMENSIONS]
        if not _is_report(columns) or len(rolls) > 1 or others:
            yield RowRefusal("dimension", name)
            continue
        is_total = not rolls
        for row in _rows(files, name, columns):
            yield row if isinstance(row, RowRefusal) else _total_of(row, "total" if is_total else rolls[0])


def _rows(files: ImportFiles, name: str, columns: list[str]) -> Iterator[dict[str, str] | RowRefusal]:
    lines = (line for line in files.lines(name) if line.strip() and not line.startswith("#"))
    try:
        for values in csv.reader(lines):
            if _columns_equal(values, columns):
                continue
            yield (
                dict(zip(columns, values, strict=False))
                if len(values) == len(columns)
                else RowRefusal("row", str(values))
            )
    except csv.Error as broken:
        raise BadRequest(_("The file is not valid CSV: {reason}").format(reason=str(broken))) from broken


def _columns_equal(values: list[str], columns: list[str]) -> bool:
    return [value.strip().strip("\ufeff").lower() for value in values] == columns


def _total_of(row: dict[str, str], roll: str) -> ImportRecord:
    day = day_of(row[_DATE])
    if day is None:
        return RowRefusal("time", str(row))
    try:
        counts = {metric: whole(row[name]) for name, metric in _METRICS.items() if metric and row.get(name)}
    except ValueError:
        return RowRefusal("row", str(row))
    value = next((row[name] for name, one in _DIMENSIONS.items() if name in row and one == roll), "")
    return DayTotal(day, roll, value_of(roll, _text_of(value)), "", **counts)


def value_of(roll: str, value: str) -> str:
    """A value of a report as it is named here."""
    match roll:
        case "country":
            return countries.proper_name(value) or countries.name_of(value)
        case "browser":
            return agent.BROWSERS.get(value, value)
        case "system":
            return {"Macintosh": "macOS", "Chrome OS": "ChromeOS"}.get(value, value)
        case "device":
            return value.lower() if value.lower() in {"mobile", "tablet"} else "desktop"
        case "source":
            name = value.partition(" / ")[0]
            return name_of_tag(_text_of(name)) or (name_of_host(name) if "." in name else _text_of(name)) or DIRECT
        case "channel":
            return value if value in CHANNELS else "Unassigned"
        case "path" | "entries":
            return value.partition("?")[0] or "/"
    return value


READER: Final = ExportReader(
    "ga4-events",
    "Google Analytics 4 (BigQuery)",
    "events",
    "JSON lines or Parquet of the tables events_*",
    _recognize_events,
    _read_events,
)
REPORTS: Final = ExportReader(
    "ga4-reports",
    "Google Analytics 4 (reports)",
    "totals",
    "CSV files of reports with the dimension Date, one more dimension at most each",
    _recognize_reports,
    _read_reports,
)
