"""Browsers, systems, screens, languages and zones (wire 1.5)."""

from collections.abc import Callable
from typing import Any

from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import sessions, share, views, visitors
from tests.query.brute.tables import Table, answers, device, standard

_PEOPLE = frozenset((VIEW, CUSTOM))


def _joined(first: str, second: str) -> str:
    return f"{first or 'Unknown'} {second}".rstrip()


def _measured(rows: Rows) -> Row:
    return {"pageviews": views(rows), "visitors": visitors(rows)}


def _versions(key: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    named = {"browser_name": key[0] or "Unknown", "browser_version": key[1]}
    return named | _measured(rows) | {"percentage": share(visitors(rows), whole)}


def _grouped(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    named = {"name": _joined(*key), "browser_name": key[0] or "Unknown", "browser_version": key[1]}
    return named | _measured(rows) | {"sessions": sessions(rows)}


def _systems(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    return {"name": _joined(*key), **_measured(rows)}


def _windows(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    return {"viewport_size": key[0], "device_type": key[1] or "desktop", **_measured(rows)}


def _patterns(key: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "viewport_size": key[0],
        "visitors": visitors(rows),
        "sessions": sessions(rows),
        "percentage": share(visitors(rows), whole),
    }


def _screens(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    return {"name": key[0], **_measured(rows)}


def _table(key: tuple[str, ...], fields: Any, *, present: bool = False) -> Table:
    return Table(
        "events",
        key,
        fields,
        order=lambda _key, rows: visitors(rows),
        shared=visitors,
        kinds=_PEOPLE,
        keep=lambda row: row[key[0]] != "" or not present,
    )


_SEGMENTS: dict[str, Callable[[Row], str]] = {
    "browser": lambda row: row["browser"] or "Unknown",
    "browser_major": lambda row: _joined(row["browser"], row["browser_version"].partition(".")[0]),
    "os": lambda row: row["system"] or "Unknown",
    "device": lambda row: row["device"] or "desktop",
    "country": lambda row: row["country"] or "Unknown",
}


def _segments(facts: Facts, asked: Question) -> list[Row]:
    found = [
        row
        for row in facts["events"]
        if row["kind"] in _PEOPLE and not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters)
    ]
    made: list[Row] = []
    for name, value_of in _SEGMENTS.items():
        groups: dict[str, list[Row]] = {}
        for row in found:
            groups.setdefault(value_of(row), []).append(row)
        best = sorted(groups.items(), key=lambda item: (-sessions(item[1]), item[0]))[:50]
        made += [
            {"dimension": name, "value": value, "pageviews": views(rows), "sessions": sessions(rows)}
            for value, rows in best
        ]
    return made


_SEGMENTS_ANSWER: dict[str, Answer] = {"traffic_segments": _segments}
ANSWERS = _SEGMENTS_ANSWER | answers(
    {
        "browser_name": standard("browser"),
        "browsers": standard("browser"),
        "os_name": standard("system"),
        "operating_systems": standard("system"),
        "timezone": standard("time_zone"),
        "language": standard("language"),
        "connection_type": standard("connection", present=True),
        "device_types": standard("device", named=device),
        "screen_resolution": standard(
            "viewport",
            "device",
            present=True,
            more=lambda key: {"device_type": key[1] or "desktop"},
        ),
        "screen_resolutions": _table(("screen",), _screens, present=True),
        "browser_versions": _table(("browser", "browser_version"), _versions),
        "browsers_grouped": _table(("browser", "browser_version"), _grouped),
        "os_versions": _table(("system", "system_version"), _systems),
        "viewport_vs_resolution": _table(("viewport", "device"), _windows, present=True),
        "viewport_patterns": _table(("viewport",), _patterns, present=True),
    }
)
