"""How people use pages (wire 1.13)."""

from statistics import median
from typing import Any

from tests.query.brute.facts import EXIT, VIEW, Row, Rows
from tests.query.brute.measures import rounded, sessions, share, views, visitors
from tests.query.brute.tables import Table, answers, count


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


ANSWERS = answers(
    {
        "engagement_quality_by_page": Table("engagement", ("path",), _quality, order=count),
        "page_scroll_performance": Table(
            "events", ("path",), _scrolled, order=lambda _key, rows: views(rows), kinds=frozenset((VIEW, EXIT))
        ),
    }
)
