"""How fast pages are (wire 1.8)."""

from typing import Any

from tests.query.brute.facts import Row, Rows
from tests.query.brute.measures import people, rank, rounded
from tests.query.brute.tables import Table, answers, count, device


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
        return made | ({"name": device(values)} if name == "device" else {})

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


ANSWERS = answers(
    {
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
            order=count,
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
    }
)
