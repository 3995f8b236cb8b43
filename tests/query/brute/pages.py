"""Pages (wire 1.3)."""

from typing import Any

from tests.query.brute.facts import EXIT, VIEW, Row, Rows
from tests.query.brute.measures import median, sessions, share, views, visited, visitors
from tests.query.brute.tables import Table, answers, standard


def _page_time(key: tuple[Any, ...], rows: Rows, whole: float) -> Row:
    return {
        "name": key[0],
        "sessions_with_time": sessions(rows),
        "visitors": visited(rows),
        "median_time_on_page": median(row["engaged"] for row in rows),
        "percentage": share(sessions(rows), whole),
    }


ANSWERS = answers(
    {
        "top_pages": standard("path", kinds=(VIEW,), more=lambda key: {"path": key[0]}),
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
        "session_pages": Table(
            "events",
            ("path",),
            lambda key, rows, _whole: {"name": key[0], "sessions": sessions(rows), "visitors": visitors(rows)},
            order=lambda _key, rows: sessions(rows),
            kinds=frozenset((VIEW,)),
        ),
    }
)
