"""How fast pages are (wire 1.8 and 1.23)."""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

from tests.query.brute.facts import Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import mean, rank, rounded, visited
from tests.query.brute.series import by_slot, slots
from tests.query.brute.tables import Table, answers, count, device

METRICS = {"fcp": 1, "lcp": 2, "cls": 3, "inp": 4, "ttfb": 5, "fps": 6}
METRIC_NAMES = {number: name.upper() for name, number in METRICS.items()}
_LOAD_TIME = 11
# FCP, LCP, CLS, INP, TTFB: good up to the first, poor above the second.
_LIMITS = {1: (1800, 3000), 2: (2500, 4000), 3: (0.1, 0.25), 4: (200, 500), 5: (800, 1800)}
_RANKS = (50, 75, 90, 95, 99)
_BY = ["avg_fcp", "p50_fcp", "avg_lcp", "p50_lcp", "p75_lcp", "avg_cls", "p50_cls", "avg_inp", "p75_inp", "avg_ttfb"]
_OVER_TIME = [f"{of}_{metric}" for metric in ("fcp", "lcp", "cls", "inp", "ttfb") for of in ("avg", "p50")]


def _vital(rows: Rows, metric: int, of: str) -> Fraction | None:
    """A mean or percentile of a metric; None where it was not measured."""
    values = [row["value"] for row in rows if row["metric"] == metric]
    if of == "avg":
        return mean(values)
    return rank(values, int(of[1:]))


def _shown(rows: Rows, metric: int, of: str) -> float | None:
    """Scores have more digits than milliseconds."""
    return rounded(_vital(rows, metric, of), 4 if metric == METRICS["cls"] else 2)


def _named(rows: Rows, names: list[str]) -> Row:
    return {name: _shown(rows, METRICS[name.partition("_")[2]], name.partition("_")[0]) for name in names}


def _ranks(rows: Rows, metric: int) -> Row:
    return {f"p{of}": _shown(rows, metric, f"p{of}") for of in _RANKS} | {"samples": len(rows)}


def _official(row: Row) -> bool:
    return row["metric"] in METRIC_NAMES


def _slowest(metric: int) -> Callable[[tuple[Any, ...], Rows], float]:
    def order(_key: tuple[Any, ...], rows: Rows) -> float:
        value = _vital(rows, metric, "p50")
        return -1.0 if value is None else float(value)

    return order


def _web_vitals_by(name: str) -> Table:
    def fields(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
        shown = device(key) if name == "device" else key[0] or "Unknown"
        return {"name": shown, "visitors": visited(rows), "measurements": len(rows), **_named(rows, _BY)}

    return Table("vitals", (name,), fields, order=_slowest(METRICS["lcp"]), keep=_official)


def _vitals_by(*key: str) -> Table:
    def fields(values: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
        name = ", ".join(value for value in values if value) or "Unknown"
        ranks = _named(rows, ["p50_lcp", "p50_fcp", "p50_cls", "p50_inp", "p50_ttfb"])
        return {"name": name, "visitors": visited(rows), **ranks, "samples": len(rows)}

    return Table("vitals", key, fields, order=count, keep=_official)


def _loading(rows: Rows) -> Row:
    measured = {f"{of}_load_time": _shown(rows, _LOAD_TIME, of) for of in ("avg", "p50", "p95")}
    return measured | {"samples": len(rows)}


def _loading_by(name: str) -> Table:
    return Table(
        "vitals",
        (name,),
        lambda key, rows, _whole: {"name": key[0] or "Unknown", "visitors": visited(rows), **_loading(rows)},
        order=_slowest(_LOAD_TIME),
        keep=lambda row: bool(row["metric"] == _LOAD_TIME),
    )


def _found(facts: Facts, asked: Question, keep: Callable[[Row], bool]) -> list[Row]:
    return [row for row in facts["vitals"] if keep(row) and asked.has(row["time"]) and passes(row, asked.filters)]


def _web_vitals_series(facts: Facts, asked: Question) -> list[Row]:
    return by_slot(
        _found(facts, asked, _official), asked, lambda rows: {**_named(rows, _OVER_TIME), "measurements": len(rows)}
    )


def _vitals_series(facts: Facts, asked: Question) -> list[Row]:
    """Only what was measured."""
    made = []
    for slot, rows in slots(_found(facts, asked, _official), asked):
        for metric, name in METRIC_NAMES.items():
            own = [row for row in rows if row["metric"] == metric]
            if own:
                made.append({"date": slot.label, "metric_name": name, **_ranks(own, metric)})
    return made


def _loading_in_all(facts: Facts, asked: Question) -> list[Row]:
    return [_loading(_found(facts, asked, lambda row: bool(row["metric"] == _LOAD_TIME)))]


def _loading_series(facts: Facts, asked: Question) -> list[Row]:
    return by_slot(_found(facts, asked, lambda row: bool(row["metric"] == _LOAD_TIME)), asked, _loading)


_OVERVIEW = Table(
    "vitals",
    ("metric",),
    lambda key, rows, _whole: {
        "metric_name": METRIC_NAMES[key[0]],
        "avg_value": _shown(rows, key[0], "avg"),
        **_ranks(rows, key[0]),
        "good": sum(row["value"] <= _LIMITS.get(key[0], (-1, 0))[0] for row in rows),
        "poor": sum(row["value"] > _LIMITS.get(key[0], (0, inf))[1] for row in rows),
    },
    keep=_official,
)
_BY_PAGE = Table(
    "vitals",
    ("path", "metric"),
    lambda key, rows, _whole: {
        "page": key[0] or "Unknown",
        "metric_name": METRIC_NAMES[key[1]],
        **_ranks(rows, key[1]),
    },
    order=count,
    keep=_official,
)
_OTHERS: dict[str, Answer] = {
    "web_vitals_time_series": _web_vitals_series,
    "vitals_time_series": _vitals_series,
    "load_time_performance": _loading_in_all,
    "performance_time_series": _loading_series,
}
ANSWERS = _OTHERS | answers(
    {
        **{
            f"web_vitals_by_{name}": _web_vitals_by(column)
            for name, column in (
                *(("page", "path"), ("browser", "browser"), ("country", "country"), ("os", "system")),
                *(("device", "device"), ("region", "region")),
            )
        },
        **{
            f"performance_by_{name}": _loading_by(column)
            for name, column in (
                *(("browser", "browser"), ("country", "country"), ("os", "system"), ("region", "region")),
            )
        },
        "slow_pages": _loading_by("path"),
        "vitals_by_country": _vitals_by("country"),
        "vitals_by_browser": _vitals_by("browser"),
        "vitals_by_region": _vitals_by("region", "country"),
        "vitals_by_city": _vitals_by("city", "country"),
        "vitals_by_page": _BY_PAGE,
        "vitals_overview": _OVERVIEW,
    }
)
