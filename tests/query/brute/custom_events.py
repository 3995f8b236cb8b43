"""Custom events, without their properties (wire 1.9)."""

from typing import Any

from tests.query.brute.facts import CUSTOM, Row, Rows
from tests.query.brute.measures import distinct, first, last, people, sessions, share
from tests.query.brute.tables import Table, answers, count


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


ANSWERS = answers(
    {
        "custom_events": Table("events", ("name",), _custom, order=count, shared=len, kinds=frozenset((CUSTOM,))),
        "custom_events_by_path": Table(
            "events",
            ("path",),
            lambda key, rows, _whole: {
                "name": key[0],
                "total_events": len(rows),
                "unique_event_types": distinct("name")(rows),
                "unique_users": people(rows),
            },
            order=count,
            kinds=frozenset((CUSTOM,)),
        ),
    }
)
