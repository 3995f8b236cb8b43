"""Plausible's export: a ZIP archive of CSV files with totals of days, one per report (imported_visitors_….csv …)."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.records import (
    DayTotal,
    ExportReader,
    ImportRecord,
    Locate,
    RowRefusal,
    day_of,
    rows_of,
    whole,
)
from analytics_box.web.recognition import agent, countries
from analytics_box.web.recognition.channel import channel
from analytics_box.web.recognition.known_sources import DIRECT
from analytics_box.web.recognition.source import name_of_host, name_of_tag

_NAME: Final = re.compile(r"imported_([a-z_]+?)(?:_\d{8}_\d{8})?\.csv")
_UTM: Final = ("utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term")
_DEVICES: Final = {"mobile": "mobile", "tablet": "tablet"}  # Laptops and larger screens are desktops.
_NOTHING: Final = frozenset(("", "(not set)", "(none)", "direct / none", "(direct)"))
# Names of roll-ups of days, each with a value and a second one.
Values = Iterator[tuple[str, str, str]]
_Row = dict[str, str]


def _value(row: _Row, name: str) -> str:
    text = row.get(name, "").strip()
    return "" if text.lower() in _NOTHING else text[:1024]


def source_values(row: _Row) -> Values:
    """The source, the channel and the campaign of a row."""
    tag = _value(row, "utm_source")
    named = _value(row, "source")
    name = name_of_tag(named) or (name_of_host(named.lower()) if "." in named else named) or DIRECT
    medium, campaign = _value(row, "utm_medium"), _value(row, "utm_campaign")
    yield "source", name, ""
    yield "channel", channel(name=name, medium=medium, campaign=campaign, click_id="", tag=tag), ""
    for utm in _UTM:
        if text := _value(row, utm):
            yield utm, text, ""


def place_values(row: _Row) -> Values:
    """The country of a row, and its region. Cities are numbers of GeoNames in this format, which say no name."""
    country = countries.name_of(_value(row, "country"))
    yield "country", country, ""


def client_values(row: _Row) -> Values:
    """The browser or the system of a row, with its version."""
    for name, roll, known in (("browser", "browser", agent.BROWSERS), ("operating_system", "system", agent.SYSTEMS)):
        if name in row:
            value = known.get(_value(row, name), _value(row, name))
            value = {"Mac": "macOS", "GNU/Linux": "Linux"}.get(value, value)
            yield roll, value, ""
            yield f"{roll}_{roll}_version", value, _value(row, f"{name}_version")


def device_values(row: _Row) -> Values:
    """The kind of device of a row."""
    yield "device", _DEVICES.get(_value(row, "device").lower(), "desktop"), ""


def _page_values(name: str, roll: str) -> Callable[[_Row], Values]:
    def values(row: _Row) -> Values:
        yield roll, _value(row, name) or "/", ""

    return values


def _total(_row: _Row) -> Values:
    yield "total", "", ""


# What each file brings. Others are named as reports without a counterpart.
_FILES: Final[dict[str, Callable[[_Row], Values]]] = {
    "visitors": _total,
    "sources": source_values,
    "pages": _page_values("page", "path"),
    "entry_pages": _page_values("entry_page", "entries"),
    "exit_pages": _page_values("exit_page", "exits"),
    "locations": place_values,
    "devices": device_values,
    "browsers": client_values,
    "operating_systems": client_values,
}


def _recognize(files: ImportFiles) -> str:
    for name in files.names:
        match = _NAME.fullmatch(name)
        if match and match[1] in _FILES:
            header = {one.strip('" \ufeff') for one in files.first_line(name).split(",")}
            if {"date", "visitors"} <= header:
                pages = next((one for one in files.names if one.startswith("imported_pages")), "")
                return "2" if pages and "total_time_on_page" in files.first_line(pages) else "1"
    return ""


def _read(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        match = _NAME.fullmatch(name)
        values = _FILES.get(match[1]) if match else None
        if values is None:
            yield RowRefusal("property" if match and match[1] == "custom_props" else "dimension", name)
            continue
        for row in rows_of(files.lines(name)):
            if isinstance(row, RowRefusal):
                yield row
                continue
            yield from totals_of(row, values)


def totals_of(row: _Row, values: Callable[[_Row], Values]) -> Iterator[ImportRecord]:
    """The totals that a row of a report brings, by its usual columns."""
    day = day_of(row.get("date", ""))
    if day is None:
        yield RowRefusal("time", str(row))
        return
    try:
        counts = (
            whole(row.get("visitors", "0")),
            whole(row.get("visits") or row.get("entrances") or row.get("exits") or "0"),
            whole(row.get("pageviews", "0")),
            whole(row.get("bounces", "0")),
            whole(row.get("visit_duration", "0")),
        )
    except ValueError:
        yield RowRefusal("row", str(row))
        return
    if any(counts):
        for roll, value, second in values(row):
            yield DayTotal(day, roll, value, second, *counts)


READER: Final = ExportReader(
    "plausible", "Plausible", "totals", "ZIP archive from Site settings → Imports & exports", _recognize, _read
)
