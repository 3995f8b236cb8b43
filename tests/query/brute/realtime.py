"""Right now (wire 1.18): the last minutes before the question is asked, whatever its range."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.listings import session_id
from tests.query.brute.measures import instant, last, views, visitors

MINUTE = 60_000
EVERY = {1, 2, 3}


def since(facts: Facts, asked: Question, minutes: int, kinds: Iterable[int] = (VIEW, CUSTOM)) -> list[Row]:
    """The events of so many minutes up to now, oldest first."""
    wanted = set(kinds)
    return [
        row
        for row in sorted(facts["events"], key=lambda row: (row["time"], row["id"]))
        if row["kind"] in wanted
        and not row["bot"]
        and asked.now - minutes * MINUTE < row["time"] <= asked.now
        and passes(row, asked.filters)
    ]


def by(rows: list[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows by what they have in these columns."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def _most_visitors(
    *names: str, fields: Callable[[tuple[Any, ...]], Row], kinds: tuple[int, ...] = (VIEW, CUSTOM)
) -> Answer:
    def answer(facts: Facts, asked: Question) -> list[Row]:
        groups = by(since(facts, asked, 5, kinds), *names)
        ordered = sorted(groups.items(), key=lambda item: (-visitors(item[1]), item[0]))
        return [
            fields(values) | {"visitors": visitors(rows)} | ({"pageviews": views(rows)} if names == ("path",) else {})
            for values, rows in ordered
        ]

    return answer


def realtime_feed(facts: Facts, asked: Question) -> list[Row]:
    """Newest first."""
    return [
        {
            "event_name": row["name"],
            "path": row["path"],
            "country": row["country"],
            "browser_name": row["browser"],
            "timestamp": instant(row["time"]),
        }
        for row in reversed(since(facts, asked, 2))
    ]


def realtime_sessions(facts: Facts, asked: Question) -> list[Row]:
    """The one that was heard of last first; leaving counts as being heard of."""
    groups = by([row for row in since(facts, asked, 5, EVERY) if row["session"]], "session")
    ordered = sorted(groups.items(), key=lambda item: (-item[1][-1]["time"], item[0]))
    return [
        {
            "session_id": session_id(rows[-1]),
            "current_page": rows[-1]["path"],
            "country": rows[-1]["country"],
            "device_type": rows[-1]["device"],
            "pages_viewed": views(rows),
            "last_seen": last(rows),
        }
        for _, rows in ordered
    ]


def realtime_velocity(facts: Facts, asked: Question) -> list[Row]:
    """The minute of now and the 59 before it."""
    groups = by([row | {"minute": row["time"] // MINUTE} for row in since(facts, asked, 60)], "minute")
    now = asked.now // MINUTE
    return [
        {
            "minute": instant(minute * MINUTE),
            "pageviews": views(groups.get((minute,), [])),
            "events": len(groups.get((minute,), [])),
            "visitors": visitors(groups.get((minute,), [])),
        }
        for minute in range(now - 59, now + 1)
    ]


ANSWERS: dict[str, Answer] = {
    "realtime_pages": _most_visitors("path", fields=lambda values: {"path": values[0]}, kinds=(VIEW,)),
    "realtime_referrers": _most_visitors("source", fields=lambda values: {"referrer": values[0]}),
    "realtime_countries": _most_visitors("country", fields=lambda values: {"name": values[0] or "Unknown"}),
    "realtime_cities": _most_visitors(
        "city", "country", fields=lambda values: {"city": values[0] or "Unknown", "country": values[1]}
    ),
    "realtime_feed": realtime_feed,
    "realtime_sessions": realtime_sessions,
    "realtime_velocity": realtime_velocity,
}
