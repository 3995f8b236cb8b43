"""How people use pages (wire 1.13)."""

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any

from tests.query.brute.facts import EXIT, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import median, sessions, share, views, visited, visitors
from tests.query.brute.tables import Table, answers, count

DEPTHS = {"0-25%": (0, 25), "25-50%": (25, 50), "50-75%": (50, 75), "75-100%": (75, 100), "100%": (100, 101)}


def _mean(rows: Rows, name: str, scale: int = 1) -> float | None:
    """Over what was measured (semantics 22)."""
    found = [row[name] for row in rows if row[name] is not None]
    return share(sum(found), len(found) * scale, 1) if found else None


def _attention(rows: Rows) -> float | None:
    timed = [row for row in rows if row["active_time"] is not None and row["time_on_page"] is not None]
    whole = sum(row["time_on_page"] for row in timed)
    return share(sum(row["active_time"] for row in timed), whole) if whole else None


def _quality(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    touched = [row["first_interaction"] for row in rows if row["first_interaction"] is not None]
    return {
        "name": key[0],
        "page_views": len(rows),
        "avg_time_on_page": _mean(rows, "time_on_page", 1000),
        "avg_active_time": _mean(rows, "active_time", 1000),
        "attention_ratio": _attention(rows),
        "avg_scroll_depth": _mean(rows, "scroll"),
        "avg_interactions": _mean(rows, "interactions"),
        "median_time_to_first_interaction": median(touched),
    }


def _scrolled(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    exits = [row for row in rows if row["kind"] == EXIT]
    return {
        "name": key[0],
        "avg_scroll_depth": _mean(exits, "scroll"),
        "visitors": visitors(rows),
        "sessions": sessions(rows),
        "pageviews": views(rows),
    }


def _by_page(facts: Facts, asked: Question) -> dict[str, list[Row]]:
    """Visits of pages."""
    pages: dict[str, list[Row]] = {}
    for row in facts["engagement"]:
        if asked.has(row["time"]) and passes(row, asked.filters):
            pages.setdefault(row["path"], []).append(row)
    return pages


def _top(rows: Rows, name: str, weight: Callable[[Row], int]) -> str:
    """The text that most goes to; none where nothing does."""
    weights: dict[str, int] = {}
    for row in rows:
        if row[name]:
            weights[row[name]] = weights.get(row[name], 0) + weight(row)
    best = sorted((item for item in weights.items() if item[1]), key=lambda item: (-item[1], item[0]))
    return best[0][0] if best else ""


def _frustration(facts: Facts, asked: Question) -> list[Row]:
    pages = [(path, rows) for path, rows in sorted(_by_page(facts, asked).items()) if len(rows) >= 5]
    return [
        {
            "name": path,
            "page_views": len(rows),
            "visitors": visited(rows),
            "rage_click_rate": share(sum(row["rage_clicks"] > 0 for row in rows), len(rows)),
            "dead_click_rate": share(sum(row["dead_clicks"] > 0 for row in rows), len(rows)),
            "error_rate": share(sum(row["errors"] > 0 for row in rows), len(rows)),
            "top_dead_click_target": _top(rows, "dead_target", lambda row: int(row["dead_clicks"])),
            "top_rage_click_target": _top(rows, "rage_target", lambda row: int(row["rage_clicks"])),
        }
        for path, rows in sorted(pages, key=lambda item: -len(item[1]))
    ]


def _forms(facts: Facts, asked: Question) -> list[Row]:
    made = []
    for path, rows in sorted(_by_page(facts, asked).items()):
        starts = sum(row["form_fields"] > 0 or row["form_submits"] > 0 for row in rows)
        if starts:
            left = sum(map(_abandoned, rows))
            made.append(
                {
                    "name": path,
                    "form_starts": starts,
                    "form_submits": sum(row["form_submits"] > 0 for row in rows),
                    "abandonment_rate": share(left, starts),
                    "top_abandoned_field": _top(rows, "last_field", _abandoned),
                }
            )
    return sorted(made, key=lambda row: -row["form_starts"])


def _exits(facts: Facts, asked: Question) -> list[Row]:
    return [
        row
        for row in facts["events"]
        if row["kind"] == EXIT and not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters)
    ]


def _scroll_summary(facts: Facts, asked: Question) -> list[Row]:
    rows = _exits(facts, asked)
    return [
        {
            "avg_scroll_depth": _mean(rows, "scroll"),
            "total_sessions": sessions(rows),
            "visitors": visited(rows),
        }
    ]


def _depths(facts: Facts, asked: Question) -> list[Row]:
    """All ranges, also those that nobody reached."""
    rows = [row for row in _exits(facts, asked) if row["scroll"] is not None]
    reached = {name: [row for row in rows if least <= row["scroll"] < below] for name, (least, below) in DEPTHS.items()}
    whole = sum(visited(own) for own in reached.values())
    return [
        {
            "depth_range": name,
            "visitors": visited(own),
            "sessions": sessions(own),
            "percentage": share(visited(own), whole),
        }
        for name, own in reached.items()
    ]


def _reach(facts: Facts, asked: Question) -> list[Row]:
    depths = [row["scroll"] for row in _exits(facts, asked) if row["scroll"] is not None]
    reached = {reach: sum(depth >= reach for depth in depths) for reach in range(10, 101, 10)}
    return [
        {"depth": f"{reach}%", "page_views": count, "percentage": share(count, len(depths))}
        for reach, count in reached.items()
    ]


def _elements(target: str, counted: str, measure: Callable[[Row], int], facts: Facts, asked: Question) -> list[Row]:
    """Elements of pages with what happened to them."""
    found: dict[tuple[str, str], list[Row]] = {}
    for path, rows in _by_page(facts, asked).items():
        for row in rows:
            if row[target]:
                found.setdefault((row[target], path), []).append(row)
    made = [
        {
            "name": element,
            "path": path,
            counted: sum(map(measure, rows)),
            "visitors": visited([row for row in rows if measure(row)]),
        }
        for (element, path), rows in sorted(found.items())
    ]
    return sorted((row for row in made if row[counted]), key=lambda row: -row[counted])


def _abandoned(row: Row) -> int:
    return int(row["form_fields"] > 0 and not row["form_submits"])


_OTHERS: dict[str, Answer] = {
    "frustration_by_page": _frustration,
    "form_abandonment_by_page": _forms,
    "scroll_depth_summary": _scroll_summary,
    "scroll_depth_distribution": _depths,
    "scroll_reach": _reach,
    "rage_clicks": partial(_elements, "rage_target", "clicks", itemgetter("rage_clicks")),
    "dead_clicks": partial(_elements, "dead_target", "clicks", itemgetter("dead_clicks")),
    "abandoned_fields": partial(_elements, "last_field", "abandoned", _abandoned),
}
ANSWERS = _OTHERS | answers(
    {
        "engagement_quality_by_page": Table("engagement", ("path",), _quality, order=count),
        "page_scroll_performance": Table(
            "events", ("path",), _scrolled, order=lambda _key, rows: views(rows), kinds=frozenset((VIEW, EXIT))
        ),
    }
)
