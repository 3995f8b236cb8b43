"""Types with a row per value: pages, sources, devices and places (wire 1.3 to 1.6)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from analytics_box.ingest import geo
from analytics_box.ingest import source as sources
from tests.query.brute.facts import CUSTOM, EXIT, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import Measure, people, rounded, sessions, share, views, visitors


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


def rows_of(known: Table, facts: Facts, asked: Question) -> list[Row]:
    """The rows of a type with a row per value, best first; equal ones by their values."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in facts[known.table]:
        own = not known.kinds or row["kind"] in known.kinds
        if own and not row.get("bot") and asked.has(row["time"]) and known.keep(row) and passes(row, asked.filters):
            groups.setdefault(tuple(row[part] for part in known.key), []).append(row)
    whole = sum(known.shared(rows) for rows in groups.values())
    ordered = sorted(groups.items(), key=lambda item: (-known.order(*item), *item[0]))
    return [known.fields(key, rows, whole) for key, rows in ordered]


def answers(tables: dict[str, Table]) -> dict[str, Answer]:
    """Tables as answers."""
    return {name: partial(rows_of, table) for name, table in tables.items()}


def count(_key: tuple[Any, ...], rows: Rows) -> float:
    """Most facts first."""
    return len(rows)


def standard(
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


def _versions(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "browser_name": values[0] or "Unknown",
        "browser_version": values[1],
        "pageviews": views(rows),
        "visitors": visitors(rows),
        "percentage": share(visitors(rows), whole),
    }


def device(values: tuple[Any, ...]) -> str:
    return (values[0] or "desktop").capitalize()


def _page_time(values: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "name": values[0],
        "sessions_with_time": sessions(rows),
        "visitors": people(rows),
        "median_time_on_page": rounded(float(median(row["engaged"] for row in rows))),
        "percentage": share(sessions(rows), whole),
    }


ANSWERS = answers(
    {
        "top_pages": standard(
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
        "traffic_sources": standard("source", more=_source, named=lambda key: key[0]),
        "channels": standard("channel"),
        "utm_sources": standard("utm_source", present=True),
        "utm_campaigns": standard("utm_campaign", present=True),
        "browser_name": standard("browser"),
        "browsers": standard("browser"),
        "os_name": standard("system"),
        "operating_systems": standard("system"),
        "timezone": standard("time_zone"),
        "language": standard("language"),
        "device_types": standard("device", named=device),
        "screen_resolution": standard(
            "viewport", "device", present=True, more=lambda key: {"device_type": key[1] or "desktop"}
        ),
        "country": standard("country", more=lambda key: _place(key[0])),
        "region": standard("region", "country", more=lambda key: {"country": key[1], **_place(key[1])}),
        "city": standard("city", "country", more=lambda key: {"country": key[1], **_place(key[1])}),
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
    }
)
