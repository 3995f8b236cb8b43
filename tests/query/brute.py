"""What every query type must answer, worked out from the stored facts row by row in plain Python.

Written from the wire (1.2 to 1.18) and the semantics. It reads whole tables and knows nothing of plans, fragments or
the catalogue; sessions are taken as ingestion has numbered them (tests/ingest has an oracle of its own for that).
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from analytics_box.ingest import geo
from analytics_box.ingest import source as sources
from analytics_box.store.db import Connection

Row = dict[str, Any]
Rows = Sequence[Row]
Measure = Callable[[Rows], Any]

VIEW, CUSTOM, EXIT = 1, 2, 3
TEXTS = {
    *("name", "namespace", "profile", "path", "query_string", "title", "bot", "agent", "origin", "client_session"),
    *("entry", "referrer", "source", "channel", "click_id", "utm_source", "utm_medium", "utm_campaign", "utm_term"),
    *("utm_content", "country", "region", "city", "browser", "browser_version", "system", "system_version", "device"),
    *("language", "time_zone", "viewport", "screen", "connection"),
    *("type", "message", "filename", "stack", "href", "text", "domain", "exit_type", "rage_target", "dead_target"),
    "last_field",
}
TABLES = ("events", "vitals", "errors", "outgoing_links", "engagement")


def read(db: Connection, sites: Iterable[int]) -> dict[str, list[Row]]:
    """All facts of these sites, with texts in place of their numbers, in the order of arrival."""
    texts: dict[Any, Any] = {row[0]: row[1] for row in db.execute("select id, value from strings").fetchall()}
    found: dict[str, list[Row]] = {}
    for table in TABLES:
        cursor = db.execute(f"select * from {table} order by id")
        rows = cursor.fetchall()
        names = [item[0] for item in db.execute(f"select name from pragma_table_info('{table}')").fetchall()]
        made = [dict(zip(map(str, names), row, strict=True)) for row in rows]
        found[table] = [
            {
                name: texts[value] if name in TEXTS and (table, name) != ("engagement", "errors") else value
                for name, value in row.items()
            }
            for row in made
            if row["site"] in set(sites)
        ]
    return found


@dataclass(frozen=True)
class Range:
    """A range as instants, and its zone."""

    start: int
    end: int
    tz: ZoneInfo

    def has(self, instant: int) -> bool:
        return self.start <= instant < self.end


# Filters (wire 2.2)

COLUMN = {
    "path": "path",
    "query_string": "query_string",
    "country": "country",
    "region": "region",
    "city": "city",
    "timezone": "time_zone",
    "language": "language",
    "device_type": "device",
    "browser_name": "browser",
    "os_name": "system",
    "referrer": "source",
    "utm_source": "utm_source",
    "utm_medium": "utm_medium",
    "utm_campaign": "utm_campaign",
    "channel": "channel",
    "event_name": "name",
    "namespace": "namespace",
    "message": "message",
    "error_type": "type",
    "href": "href",
    "profile_id": "profile",
}
UNKNOWN_IS_EMPTY = {"country", "region", "city", "timezone", "language", "browser_name", "os_name", "channel"}
Filter = tuple[str, str, list[str]]


def passes(row: Row, filters: Iterable[Filter]) -> bool:
    return all(_matches(row[COLUMN[name]], name, op, values) for name, op, values in filters)


def _matches(stored: str, name: str, op: str, values: list[str]) -> bool:
    if name == "device_type":
        values = [value.lower() for value in values]
    if op in {"is_set", "is_not_set"}:
        return (stored != "") == (op == "is_set")
    found = any(_one(stored, name, op, value) for value in values)
    return found != (op in {"ne", "not_in", "not_contains", "not_starts_with"})


def _one(stored: str, name: str, op: str, value: str) -> bool:
    if "contains" in op:
        return value in stored
    if "starts_with" in op:
        return stored.startswith(value)
    if op == "ends_with":
        return stored.endswith(value)
    if op == "regex":
        return re.search(value, stored) is not None
    if name == "path" and value != "/":
        value = value.rstrip("/") or "/"
    same = stored == value
    if name == "device_type":
        return same or (value == "desktop" and stored == "")
    return same or (name in UNKNOWN_IS_EMPTY and value == "Unknown" and stored == "")


# Measures


def views(rows: Rows) -> int:
    return sum(row["kind"] == VIEW for row in rows)


def visitors(rows: Rows) -> int:
    return len({row["visitor"] for row in rows if row["visitor"] and row.get("kind") != EXIT})


def people(rows: Rows) -> int:
    return len({row["visitor"] for row in rows if row["visitor"]})


def sessions(rows: Rows) -> int:
    return len({row["session"] for row in rows if row["session"]})


def distinct(name: str) -> Measure:
    return lambda rows: len({row[name] for row in rows})


def share(part: float, whole: float, of: int = 100) -> float:
    return round(float(Fraction(of * part) / Fraction(whole)), 2) if whole else 0.0


def instant(at: int) -> str:
    return f"{datetime.fromtimestamp(at // 1000, UTC):%Y-%m-%d %H:%M:%S}.{at % 1000:03d}"


def first(rows: Rows) -> str:
    return instant(min(row["time"] for row in rows))


def last(rows: Rows) -> str:
    return instant(max(row["time"] for row in rows))


def rank(values: Iterable[float], percent: int) -> float | None:
    """Linear between ranks (semantics 22)."""
    ordered = sorted(values)
    if not ordered:
        return None
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def rounded(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(value, digits)


# Tables of values


@dataclass(frozen=True)
class Table:
    """A type with a row per value: which facts, grouped by what, measured how, and in which order.

    `fields` make a row from the values of the group, its facts, and `whole`, the sum of `shared` over all groups.
    """

    table: str
    key: tuple[str, ...]
    fields: Callable[[tuple[Any, ...], Rows, float], Row]
    order: Callable[[tuple[Any, ...], Rows], float] = lambda _key, _rows: 0
    shared: Measure = lambda _rows: 0
    kinds: frozenset[int] = frozenset()
    keep: Callable[[Row], bool] = lambda _row: True


def _standard(
    *key: str,
    present: bool = False,
    more: Callable[[tuple[Any, ...]], Row] = lambda _key: {},
    kinds: tuple[int, ...] = (VIEW, CUSTOM),
    named: Callable[[tuple[Any, ...]], str] = lambda key: key[0] or "Unknown",
) -> Table:
    def fields(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
        return {
            "name": named(values),
            "pageviews": views(rows),
            "visitors": visitors(rows),
            "percentage": share(visitors(rows), whole),
            **more(values),
        }

    return Table(
        "events",
        key,
        fields,
        order=lambda _key, rows: visitors(rows),
        shared=visitors,
        kinds=frozenset(kinds),
        keep=(lambda row: row[key[0]] != "") if present else (lambda _row: True),
    )


def _source(key: tuple[Any, ...]) -> Row:
    domain = sources.domain_of(key[0])
    url = f"https://{domain}" if domain else ""
    kind = sources.kind_of(key[0])
    return {
        "source": key[0],
        "domain": domain,
        "referrer": url,
        "referrer_type": kind,
        "parsed_referrer": {"name": key[0], "domain": domain, "url": url, "type": kind},
    }


_CODES = {name: code for code, name in geo.names().items()}


def _place(country: str) -> Row:
    return {"country_code": _CODES.get(country, ""), "country_name": country}


def _plain(*names: str) -> Callable[[tuple[Any, ...], Rows, float], Row]:
    def fields(_values: tuple[Any, ...], _rows: Rows, _whole: float) -> Row:
        return dict(zip(names, _values, strict=True))

    return fields


def _versions(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "browser_name": values[0] or "Unknown",
        "browser_version": values[1],
        "pageviews": views(rows),
        "visitors": visitors(rows),
        "percentage": share(visitors(rows), whole),
    }


def _custom(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "name": values[0],
        "total_events": len(rows),
        "unique_users": people(rows),
        "unique_sessions": sessions(rows),
        "last_occurrence": last(rows),
        "first_occurrence": first(rows),
        "events_with_properties": sum(row["properties"] is not None for row in rows),
        "percentage": share(len(rows), whole),
    }


def _device(values: tuple[Any, ...]) -> str:
    return (values[0] or "desktop").capitalize()


def _vital(rows: Rows, metric: int, of: int | None) -> float | None:
    values = [row["value"] for row in rows if row["metric"] == metric]
    if of is None:
        return sum(values) / len(values) if values else None
    return rank(values, of)


METRICS = {"fcp": 1, "lcp": 2, "cls": 3, "inp": 4, "ttfb": 5, "fps": 6}
METRIC_NAMES = {number: name.upper() for name, number in METRICS.items()}
_RANKS = (50, 75, 90, 95, 99)


def _ranks(rows: Rows, metric: int) -> Row:
    digits = 4 if metric == METRICS["cls"] else 2
    return {f"p{of}": rounded(_vital(rows, metric, of), digits) for of in _RANKS} | {"samples": len(rows)}


def _web_vitals(values: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    wanted = [
        "avg_fcp",
        "p50_fcp",
        "avg_lcp",
        "p50_lcp",
        "p75_lcp",
        "avg_cls",
        "p50_cls",
        "avg_inp",
        "p75_inp",
        "avg_ttfb",
    ]
    made: Row = {"name": values[0] or "Unknown", "visitors": people(rows), "measurements": len(rows)}
    for name in wanted:
        of, metric = name.split("_")
        value = _vital(rows, METRICS[metric], None if of == "avg" else int(of[1:]))
        made[name] = rounded(value, 4 if metric == "cls" else 2)
    return made


def _official(row: Row) -> bool:
    return row["metric"] in METRIC_NAMES


def _web_vitals_by(name: str) -> Table:
    def fields(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
        made = _web_vitals(values, rows, whole)
        return made | ({"name": _device(values)} if name == "device" else {})

    def order(_key: tuple[Any, ...], rows: Rows) -> float:
        value = _vital(rows, METRICS["lcp"], 50)
        return -1.0 if value is None else float(value)

    return Table("vitals", (name,), fields, order=order, keep=_official)


def _vitals_by(*key: str) -> Table:
    def fields(values: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
        made: Row = {"name": ", ".join(value for value in values if value) or "Unknown", "visitors": people(rows)}
        for metric in ("lcp", "fcp", "cls", "inp", "ttfb"):
            made[f"p50_{metric}"] = rounded(_vital(rows, METRICS[metric], 50), 4 if metric == "cls" else 2)
        return made | {"samples": len(rows)}

    return Table("vitals", key, fields, order=lambda _key, rows: len(rows), keep=_official)


def _page_time(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "name": values[0],
        "sessions_with_time": sessions(rows),
        "visitors": people(rows),
        "median_time_on_page": rounded(float(median(row["engaged"] for row in rows))),
        "percentage": share(sessions(rows), whole),
    }


def _mean(rows: Rows, name: str, scale: float = 1) -> float:
    return float(round(sum(row[name] for row in rows) / len(rows) / scale, 2))


def _quality(values: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    touched = [row["first_interaction"] for row in rows if row["first_interaction"]]
    return {
        "name": values[0],
        "page_views": len(rows),
        "avg_time_on_page": _mean(rows, "time_on_page", 1000),
        "avg_active_time": _mean(rows, "active_time", 1000),
        "attention_ratio": share(sum(row["active_time"] for row in rows), sum(row["time_on_page"] for row in rows)),
        "avg_scroll_depth": share(sum(row["scroll"] for row in rows), len(rows), 1),
        "avg_interactions": share(sum(row["interactions"] for row in rows), len(rows), 1),
        "median_time_to_first_interaction": rounded(float(median(touched))) if touched else None,
    }


def _scrolled(values: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    exits = [row for row in rows if row["kind"] == EXIT]
    return {
        "name": values[0],
        "avg_scroll_depth": share(sum(row["scroll"] for row in exits), len(exits), 1),
        "visitors": visitors(rows),
        "sessions": sessions(rows),
        "pageviews": views(rows),
    }


def _count(_key: tuple[Any, ...], rows: Rows) -> float:
    return len(rows)


_ERROR = frozenset[int]()

LISTS: dict[str, Table] = {
    "top_pages": _standard(
        "path", kinds=(VIEW,), more=lambda key: {"path": key[0]}, named=lambda key: key[0] or "Unknown"
    ),
    "page_performance": Table(
        "events",
        ("path",),
        lambda key, rows, _whole: {"name": key[0], "pageviews": views(rows), "visitors": visitors(rows)},
        order=lambda _key, rows: views(rows),
        kinds=frozenset((VIEW,)),
    ),
    "page_time_analysis": Table(
        "events",
        ("path",),
        _page_time,
        order=lambda _key, rows: sessions(rows),
        shared=sessions,
        kinds=frozenset((EXIT,)),
        keep=lambda row: 1 < row["engaged"] < 3600,
    ),
    "traffic_sources": _standard("source", more=_source, named=lambda key: key[0]),
    "channels": _standard("channel"),
    "utm_sources": _standard("utm_source", present=True),
    "utm_campaigns": _standard("utm_campaign", present=True),
    "browser_name": _standard("browser"),
    "browsers": _standard("browser"),
    "os_name": _standard("system"),
    "operating_systems": _standard("system"),
    "timezone": _standard("time_zone"),
    "language": _standard("language"),
    "device_types": _standard("device", named=_device),
    "screen_resolution": _standard(
        "viewport", "device", present=True, more=lambda key: {"device_type": key[1] or "desktop"}
    ),
    "country": _standard("country", more=lambda key: _place(key[0])),
    "region": _standard("region", "country", more=lambda key: {"country": key[1], **_place(key[1])}),
    "city": _standard("city", "country", more=lambda key: {"country": key[1], **_place(key[1])}),
    "browser_versions": Table(
        "events",
        ("browser", "browser_version"),
        _versions,
        order=lambda _key, rows: visitors(rows),
        shared=visitors,
        kinds=frozenset((VIEW, CUSTOM)),
    ),
    "browsers_grouped": Table(
        "events",
        ("browser", "browser_version"),
        lambda key, rows, whole: {
            **{name: value for name, value in _versions(key, rows, whole).items() if name != "percentage"},
            "name": f"{key[0] or 'Unknown'} {key[1]}".rstrip(),
            "sessions": sessions(rows),
        },
        order=lambda _key, rows: visitors(rows),
        kinds=frozenset((VIEW, CUSTOM)),
    ),
    "session_pages": Table(
        "events",
        ("path",),
        lambda key, rows, _whole: {"name": key[0], "sessions": sessions(rows), "visitors": visitors(rows)},
        order=lambda _key, rows: sessions(rows),
        kinds=frozenset((VIEW,)),
    ),
    "custom_events": Table("events", ("name",), _custom, order=_count, shared=len, kinds=frozenset((CUSTOM,))),
    "custom_events_by_path": Table(
        "events",
        ("path",),
        lambda key, rows, _whole: {
            "name": key[0],
            "total_events": len(rows),
            "unique_event_types": distinct("name")(rows),
            "unique_users": people(rows),
        },
        order=_count,
        kinds=frozenset((CUSTOM,)),
    ),
    "error_types": Table(
        "errors",
        ("message",),
        lambda key, rows, _whole: {
            "name": key[0] or "Unknown",
            "count": len(rows),
            "users": people(rows),
            "last_seen": last(rows),
        },
        order=_count,
    ),
    "errors_by_page": Table(
        "errors",
        ("path",),
        lambda key, rows, _whole: {"name": key[0] or "Unknown", "errors": len(rows), "users": people(rows)},
        order=_count,
    ),
    "errors_by_type": Table(
        "errors",
        ("type",),
        lambda key, rows, _whole: {
            "name": key[0] or "Unknown",
            "count": len(rows),
            "users": people(rows),
            "sessions": sessions(rows),
        },
        order=_count,
    ),
    "outbound_links": Table(
        "outgoing_links",
        ("href", "text"),
        lambda key, rows, whole: {
            "href": key[0],
            "text": key[1],
            "total_clicks": len(rows),
            "unique_users": people(rows),
            "unique_sessions": sessions(rows),
            "percentage": share(len(rows), whole),
            "last_clicked": last(rows),
        },
        order=_count,
        shared=len,
    ),
    "outbound_domains": Table(
        "outgoing_links",
        ("domain",),
        lambda key, rows, whole: {
            "domain": key[0],
            "total_clicks": len(rows),
            "unique_users": people(rows),
            "unique_links": distinct("href")(rows),
            "percentage": share(len(rows), whole),
        },
        order=_count,
        shared=len,
    ),
    "web_vitals_by_page": _web_vitals_by("path"),
    "web_vitals_by_country": _web_vitals_by("country"),
    "web_vitals_by_device": _web_vitals_by("device"),
    "vitals_by_country": _vitals_by("country"),
    "vitals_by_city": _vitals_by("city", "country"),
    "vitals_by_page": Table(
        "vitals",
        ("path", "metric"),
        lambda key, rows, _whole: {
            "page": key[0] or "Unknown",
            "metric_name": METRIC_NAMES[key[1]],
            **_ranks(rows, key[1]),
        },
        order=_count,
        keep=_official,
    ),
    "vitals_overview": Table(
        "vitals",
        ("metric",),
        lambda key, rows, _whole: {
            "metric_name": METRIC_NAMES[key[0]],
            "avg_value": rounded(_vital(rows, key[0], None), 4 if key[0] == METRICS["cls"] else 2),
            **_ranks(rows, key[0]),
        },
        keep=_official,
    ),
    "engagement_quality_by_page": Table("engagement", ("path",), _quality, order=_count),
    "page_scroll_performance": Table(
        "events", ("path",), _scrolled, order=lambda _key, rows: views(rows), kinds=frozenset((VIEW, EXIT))
    ),
}


def listed(name: str, facts: dict[str, list[Row]], within: Range, filters: Sequence[Filter]) -> list[Row]:
    """The rows of a type with a row per value, best first; equal ones by their values."""
    known = LISTS[name]
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in facts[known.table]:
        own = not known.kinds or row["kind"] in known.kinds
        if own and not row.get("bot") and within.has(row["time"]) and known.keep(row) and passes(row, filters):
            groups.setdefault(tuple(row[part] for part in known.key), []).append(row)
    whole = sum(known.shared(rows) for rows in groups.values())
    ordered = sorted(groups.items(), key=lambda item: (-known.order(*item), *item[0]))
    return [known.fields(key, rows, whole) for key, rows in ordered]


# Sessions


@dataclass(frozen=True)
class Visit:
    """All events of a session."""

    number: int
    rows: tuple[Row, ...]

    @property
    def started(self) -> int:
        return int(self.rows[0]["session_started"])

    @property
    def in_order(self) -> list[Row]:
        return sorted(self.rows, key=lambda row: (row["time"], row["id"]))

    @property
    def pages(self) -> list[Row]:
        return [row for row in self.in_order if row["kind"] == VIEW]

    @property
    def duration(self) -> int:
        return int(self.in_order[-1]["time"] - self.in_order[0]["time"])

    @property
    def visitor(self) -> int:
        return max(int(row["visitor"]) for row in self.rows)

    @property
    def bounced(self) -> bool:
        custom = any(row["kind"] == CUSTOM for row in self.rows)
        return len(self.pages) == 1 and not custom and sum(row["engaged"] for row in self.rows) < 10


OF_THE_PAGE = {"path", "query_string"}
OF_AN_EVENT = {"event_name", "namespace", "profile_id"}


def visits(facts: dict[str, list[Row]], within: Range, filters: Sequence[Filter]) -> list[Visit]:
    """The sessions that start in the range and meet the filters (semantics 11 and 15)."""
    grouped: dict[int, list[Row]] = {}
    for row in facts["events"]:
        if row["session"] and not row["bot"]:
            grouped.setdefault(row["session"], []).append(row)
    found = [Visit(number, tuple(rows)) for number, rows in grouped.items()]
    of_pages = [item for item in filters if item[0] in OF_THE_PAGE]
    kept = [item for item in filters if item[0] not in OF_THE_PAGE | OF_AN_EVENT]
    of_events = [item for item in filters if item[0] in OF_AN_EVENT]
    return [
        visit
        for visit in found
        if within.has(visit.started)
        and passes(visit.rows[0], kept)
        and (not of_pages or any(passes(row, of_pages) for row in visit.pages))
        and all(any(passes(row, [item]) for row in visit.rows) for item in of_events)
    ]


RANGES = ((30_000, "0-30s"), (60_000, "30s-1m"), (300_000, "1m-5m"), (900_000, "5m-15m"), (3_600_000, "15m-1h"))


def duration_range(visit: Visit) -> str:
    return next((name for most, name in RANGES if visit.duration < most), "1h+")


def of_sessions(name: str, facts: dict[str, list[Row]], within: Range, filters: Sequence[Filter]) -> list[Row]:
    """The rows of the types about sessions."""
    found = visits(facts, within, filters)
    match name:
        case "session_metrics":
            number = len(found)
            return [
                {
                    "total_sessions": number,
                    "avg_session_duration": round(sum(visit.duration for visit in found) / number / 1000, 2)
                    if number
                    else 0.0,
                    "bounce_rate": share(sum(visit.bounced for visit in found), number),
                    "total_events": sum(row["kind"] != EXIT for visit in found for row in visit.rows),
                }
            ]
        case "session_duration_distribution":
            return [
                {
                    "duration_range": label,
                    "sessions": sum(duration_range(visit) == label for visit in found),
                    "visitors": len({visit.visitor for visit in found if duration_range(visit) == label}),
                }
                for label in [*(label for _, label in RANGES), "1h+"]
            ]
        case "sessions_by_device" | "sessions_by_browser":
            column = name.removeprefix("sessions_by_")
            groups: dict[str, list[Visit]] = {}
            for visit in found:
                groups.setdefault(visit.rows[0][column], []).append(visit)
            ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
            shown = _device if column == "device" else (lambda key: key[0] or "Unknown")
            return [
                {"name": shown((value,)), "sessions": len(own), "visitors": len({visit.visitor for visit in own})}
                for value, own in ordered
            ]
        case "interaction_summary":
            touched = [sum(row["interactions"] for row in visit.rows) for visit in found]
            return [
                {
                    "avg_interactions": share(sum(touched), len(found), 1),
                    "interactive_sessions": sum(count > 0 for count in touched),
                    "interaction_rate": share(sum(count > 0 for count in touched), len(found)),
                    "total_sessions": len(found),
                }
            ]
        case "entry_pages" | "exit_pages":
            return _ends(found, 0 if name == "entry_pages" else -1)
        case "session_flow":
            return _flow(found)
        case _:
            return _journeys(found)


def _ends(found: list[Visit], place: int) -> list[Row]:
    groups: dict[str, list[Row]] = {}
    for visit in found:
        if visit.pages:
            groups.setdefault(visit.pages[place]["path"], []).append(visit.pages[place])
    whole = sum(people(rows) for rows in groups.values())
    ordered = sorted(groups.items(), key=lambda item: (-people(item[1]), item[0]))
    return [
        {
            "name": path,
            "path": path,
            "pageviews": len(rows),
            "visitors": people(rows),
            "percentage": share(people(rows), whole),
        }
        for path, rows in ordered
    ]


def _flow(found: list[Visit]) -> list[Row]:
    steps: dict[tuple[str, str], list[int]] = {}
    for visit in found:
        for before, after in zip(visit.pages, visit.pages[1:], strict=False):
            if before["path"] != after["path"]:
                steps.setdefault((before["path"], after["path"]), []).append(visit.number)
    ordered = sorted(steps.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {
            "from_path": start,
            "to_path": end,
            "name": f"{start} → {end}",
            "transitions": len(numbers),
            "sessions": len(set(numbers)),
        }
        for (start, end), numbers in ordered
    ]


def _journeys(found: list[Visit]) -> list[Row]:
    ways: dict[tuple[str, str], list[Visit]] = {}
    for visit in found:
        if visit.pages:
            ways.setdefault((visit.pages[0]["path"], visit.pages[-1]["path"]), []).append(visit)
    whole = sum(len(own) for own in ways.values())
    ordered = sorted(ways.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {
            "entry_page": entry,
            "exit_page": leave,
            "sessions": len(own),
            "visitors": len({max(page["visitor"] for page in visit.pages) for visit in own}),
            "percentage": share(len(own), whole),
        }
        for (entry, leave), own in ordered
    ]


SESSIONS = (
    *("session_metrics", "session_duration_distribution", "sessions_by_device", "sessions_by_browser"),
    *("interaction_summary", "entry_pages", "exit_pages", "session_flow", "entry_exit_flow"),
)


# Properties of custom events


def text_of(value: Any) -> str:
    """How a property's value reads as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def of_properties(name: str, facts: dict[str, list[Row]], within: Range, filters: Sequence[Filter]) -> list[Row]:
    """The rows of the types about properties."""
    single: dict[tuple[str, str, str], int] = {}
    for row in facts["events"]:
        if row["kind"] == CUSTOM and not row["bot"] and within.has(row["time"]) and passes(row, filters):
            for key, value in json.loads(row["properties"] or "{}").items():
                if value is not None:
                    place = (row["name"], key, text_of(value))
                    single[place] = single.get(place, 0) + 1
    if name == "custom_event_properties":
        return [
            {"name": event, "property_key": key, "property_value": value, "count": count}
            for (event, key, value), count in sorted(single.items(), key=lambda item: (-item[1], item[0]))
        ]
    whole: dict[tuple[str, str], dict[str, int]] = {}
    for (event, key, value), count in single.items():
        whole.setdefault((event, key), {})[value] = count
    if name == "custom_events_property_cardinality":
        ordered = sorted(whole.items(), key=lambda item: (-sum(item[1].values()), item[0]))
        return [
            {
                "event_name": event,
                "property_key": key,
                "unique_values": len(values),
                "occurrences": sum(values.values()),
            }
            for (event, key), values in ordered
        ]
    most = 10 if name == "custom_events_property_top_values" else 20
    rows = []
    for (event, key), values in sorted(whole.items()):
        if name == "custom_events_property_distribution" and len(values) > most:
            continue
        total = sum(values.values())
        best = sorted(values.items(), key=lambda item: (-item[1], item[0]))[:most]
        for position, (value, count) in enumerate(best, start=1):
            made: Row = {
                "event_name": event,
                "property_key": key,
                "property_value": value,
                "count": count,
                "total": total,
                "percentage": share(count, total),
            }
            rows.append(made | ({"rank": position} if most == 10 else {"cardinality": len(values)}))
    return rows


PROPERTIES = (
    "custom_event_properties",
    "custom_events_property_cardinality",
    "custom_events_property_top_values",
    "custom_events_property_distribution",
)


# Totals and what has a place of its own


def of_time(name: str, facts: dict[str, list[Row]], within: Range, filters: Sequence[Filter]) -> list[Row]:
    """hour_of_day and day_of_week: local time, straight from the zone."""
    groups: dict[int, list[Row]] = {}
    for row in facts["events"]:
        if row["kind"] != EXIT and not row["bot"] and within.has(row["time"]) and passes(row, filters):
            local = datetime.fromtimestamp(row["time"] / 1000, within.tz)
            place = local.hour if name == "hour_of_day" else local.isoweekday() % 7
            groups.setdefault(place, []).append(row)
    label = "hour" if name == "hour_of_day" else "day"
    return [
        {label: place, "pageviews": views(rows), "visitors": visitors(rows)} for place, rows in sorted(groups.items())
    ]


def answer(name: str, facts: dict[str, list[Row]], within: Range, filters: Sequence[Filter]) -> list[Row]:
    """The whole answer of a type that this oracle knows."""
    if name in LISTS:
        return listed(name, facts, within, filters)
    if name in SESSIONS:
        return of_sessions(name, facts, within, filters)
    if name in PROPERTIES:
        return of_properties(name, facts, within, filters)
    return of_time(name, facts, within, filters)


KNOWN = (*LISTS, *SESSIONS, *PROPERTIES, "hour_of_day", "day_of_week")
