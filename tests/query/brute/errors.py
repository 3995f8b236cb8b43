"""JavaScript errors (wire 1.7)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import OF_SPANS, passes
from tests.query.brute.measures import begun, distinct, instant, last, sessions, share, visited
from tests.query.brute.series import by_slot
from tests.query.brute.tables import Table, answers, count


def errors_of(facts: Facts, asked: Question) -> list[Row]:
    """The errors that a question is about, as they came."""
    return [row for row in facts["errors"] if asked.has(row["time"]) and passes(row, asked.filters)]


def _recent(facts: Facts, asked: Question) -> list[Row]:
    newest = sorted(errors_of(facts, asked), key=lambda row: (row["time"], row["id"]), reverse=True)
    return [
        {
            "message": row["message"],
            "stack": row["stack"][:1_500],
            "path": row["path"],
            "anonymous_id": f"{row['visitor']:016x}" if row["visitor"] else "",
            "session_id": row["client_session"] or (f"{row['session']:016x}" if row["session"] else ""),
            "timestamp": instant(row["time"]),
            "filename": row["filename"],
            "lineno": row["line"],
            "colno": row["position"],
            "error_type": row["type"],
            "browser_name": row["browser"],
            "browser_version": row["browser_version"],
            "os_name": row["system"],
            "os_version": row["system_version"],
            "device_type": row["device"],
            "country": row["country"],
            "region": row["region"],
        }
        for row in newest
    ]


def _summary(facts: Facts, asked: Question) -> list[Row]:
    """Its rate is of all sessions, whatever errors are looked at, and never more than all."""
    found = errors_of(facts, asked)
    others = [item for item in asked.filters if item[0] not in OF_SPANS]
    there = [row for row in facts["events"] if row["kind"] in {VIEW, CUSTOM} and not row["bot"]]
    seen = [row for row in there if asked.has(row["time"]) and passes(row, others)]
    whole = sessions([*seen, *(row for row in found if row["begun"])])
    return [
        {
            "totalErrors": len(found),
            "uniqueErrorTypes": distinct("type")(found),
            "affectedUsers": visited(found),
            "affectedSessions": begun(found),
            "errorRate": share(begun(found), whole),
        }
    ]


def _series(fields: Callable[[Rows], Row], facts: Facts, asked: Question) -> list[Row]:
    return by_slot(errors_of(facts, asked), asked, fields)


def _fingerprint(key: tuple[Any, ...], rows: Rows, _whole: float) -> Row:
    """The same error wherever it happens; where and how is said of the latest."""
    latest = max(rows, key=lambda row: (row["time"], row["id"]))
    return {
        "name": latest["message"],
        "count": len(rows),
        "users": visited(rows),
        "sessions": begun(rows),
        "path": latest["path"],
        "error_type": latest["type"],
        "filename": latest["filename"],
        "line": latest["line"],
        "stack": latest["stack"][:1_000],
        "last_seen": last(rows),
        "first_seen": instant(min(row["time"] for row in rows)),
        "release": latest["release"],
        "fingerprint": key[0],
    }


_OTHERS: dict[str, Answer] = {
    "recent_errors": _recent,
    "error_summary": _summary,
    "error_trends": partial(_series, lambda rows: {"errors": len(rows), "users": visited(rows)}),
    "error_frequency": partial(_series, lambda rows: {"count": len(rows)}),
    "error_chart_data": partial(_series, lambda rows: {"totalErrors": len(rows), "affectedUsers": visited(rows)}),
}
ANSWERS = _OTHERS | answers(
    {
        "error_types": Table(
            "errors",
            ("message",),
            lambda key, rows, _whole: {
                "name": key[0] or "Unknown",
                "count": len(rows),
                "users": visited(rows),
                "last_seen": last(rows),
            },
            order=count,
        ),
        "errors_by_page": Table(
            "errors",
            ("path",),
            lambda key, rows, _whole: {"name": key[0] or "Unknown", "errors": len(rows), "users": visited(rows)},
            order=count,
        ),
        "errors_by_type": Table(
            "errors",
            ("type",),
            lambda key, rows, _whole: {
                "name": key[0] or "Unknown",
                "count": len(rows),
                "users": visited(rows),
                "sessions": begun(rows),
            },
            order=count,
        ),
        "error_fingerprints": Table("errors", ("fingerprint",), _fingerprint, order=count),
    }
)
