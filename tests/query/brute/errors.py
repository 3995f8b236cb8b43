"""JavaScript errors (wire 1.7)."""

from tests.query.brute.measures import last, people, sessions
from tests.query.brute.tables import Table, answers, count

ANSWERS = answers(
    {
        "error_types": Table(
            "errors",
            ("message",),
            lambda key, rows, _whole: {
                "name": key[0] or "Unknown",
                "count": len(rows),
                "users": people(rows),
                "last_seen": last(rows),
            },
            order=count,
        ),
        "errors_by_page": Table(
            "errors",
            ("path",),
            lambda key, rows, _whole: {"name": key[0] or "Unknown", "errors": len(rows), "users": people(rows)},
            order=count,
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
            order=count,
        ),
    }
)
