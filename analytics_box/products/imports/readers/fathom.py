"""Fathom's Custom Export: one CSV file per grouping, with the totals of each day or hour, alone or several in a ZIP.

Files are recognized by the column of their grouping, for browsers rename downloads. A file without one has the totals.
"""

from collections.abc import Callable, Iterator
from typing import Final

from analytics_box.products.imports.files import ImportFiles
from analytics_box.products.imports.readers.plausible import (
    Values,
    device_values,
    place_values,
    source_values,
    totals_of,
)
from analytics_box.products.imports.records import ExportReader, ImportRecord, Locate, RowRefusal, rows_of
from analytics_box.web.recognition import agent

_DATES: Final = ("datetime", "timestamp", "date")
_VISITORS: Final = ("visitors", "visits", "uniques")
_DURATIONS: Final = ("avg_duration", "avg_time_on_site", "visit_duration")
_METRICS: Final = {*_DATES, *_VISITORS, *_DURATIONS, "pageviews", "bounce_rate"}
_Row = dict[str, str]


def _total(_row: _Row) -> Values:
    yield "total", "", ""


def _page_values(row: _Row) -> Values:
    yield "path", row["pathname"][:1024] or "/", ""


def _browser_values(row: _Row) -> Values:
    yield "browser", agent.BROWSERS.get(row["browser"], row["browser"]), ""


def _system_values(row: _Row) -> Values:
    yield "system", agent.SYSTEMS.get(row["operating_system"], row["operating_system"]), ""


def _place_values(row: _Row) -> Values:
    return place_values(row | {"country": row["country_code"]})


def _device_values(row: _Row) -> Values:
    return device_values(row | {"device": row["device_type"].replace("Phone", "Mobile")})


def _source_values(row: _Row) -> Values:
    host = row["referrer_hostname"].split("://")[-1].strip("/")
    return source_values(row | {"source": host})


# The groupings by the column that only they have, with further columns that they may have.
_GROUPINGS: Final[dict[str, tuple[Callable[[_Row], Values], frozenset[str]]]] = {
    "pathname": (_page_values, frozenset({"hostname"})),
    "country_code": (_place_values, frozenset({"state", "city", "country"})),
    "device_type": (_device_values, frozenset()),
    "browser": (_browser_values, frozenset()),
    "operating_system": (_system_values, frozenset()),
    "referrer_hostname": (
        _source_values,
        frozenset(
            {"referrer_pathname", *(f"utm_{name}" for name in ("source", "medium", "campaign", "content", "term"))}
        ),
    ),
}


def _header(files: ImportFiles, name: str) -> set[str]:
    return {one.strip('" ').lower() for one in files.first_line(name).split(",")}


def _values_of(header: set[str]) -> Callable[[_Row], Values] | None:
    """The values of a file with this header; None for a mixture of several groupings."""
    groupings = [name for name in _GROUPINGS if name in header]
    if not groupings:
        return _total if header <= _METRICS else None
    values, further = _GROUPINGS[groupings[0]]
    return values if len(groupings) == 1 and header <= _METRICS | further | {groupings[0]} else None


def _recognize(files: ImportFiles) -> str:
    for name in files.names:
        header = _header(files, name)
        dated = header & {"datetime", "timestamp"}
        if dated and "pageviews" in header and header & set(_VISITORS) and _values_of(header) is not None:
            return "2" if "datetime" in dated else "1"
    return ""


def _read(files: ImportFiles, _version: str, _locate: Locate) -> Iterator[ImportRecord]:
    for name in files.names:
        values = _values_of(_header(files, name))
        if values is None or "pageviews" not in _header(files, name):
            yield RowRefusal("dimension", name)
            continue
        for row in rows_of(files.lines(name)):
            if isinstance(row, RowRefusal):
                yield row
                continue
            usual = _usual(row)
            if usual is None:
                yield RowRefusal("row", str(row))
            else:
                yield from totals_of(usual, values)


def _usual(row: _Row) -> _Row | None:
    """A row with counts in place of rates and averages, under the names of other reports. None for a wrong number."""
    visitors = next((row[name] for name in _VISITORS if row.get(name)), "0")
    visits = row.get("visits") or visitors
    try:
        rate = float(row.get("bounce_rate", "").strip(" %") or 0)
        # The API gives a share of 1, the dashboard a percentage.
        bounces = float(visits) * (rate if rate <= 1 else rate / 100)
        seconds = float(visits) * float(next((row[name] for name in _DURATIONS if row.get(name)), 0))
    except ValueError:
        return None
    day = next((row[name] for name in _DATES if row.get(name)), "")[:10]
    return row | {
        "date": day,
        "visitors": visitors,
        "visits": visits,
        "bounces": f"{bounces:.0f}",
        "visit_duration": f"{seconds:.0f}",
    }


READER: Final = ExportReader(
    "fathom",
    "Fathom",
    "totals",
    "CSV files of Custom Export grouped by day, together in a ZIP archive",
    _recognize,
    _read,
)
