"""Programs (semantics 19)."""

from tests.query.brute.measures import first, last
from tests.query.brute.tables import Table, answers, count

ANSWERS = answers(
    {
        "bots": Table(
            "events",
            ("agent", "bot"),
            lambda key, rows, _whole: {
                "name": key[0],
                "reason": key[1],
                "count": len(rows),
                "first_seen": first(rows),
                "last_seen": last(rows),
            },
            order=count,
            bots=True,
        )
    }
)
