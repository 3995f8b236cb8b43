"""Links that lead away (wire 1.11)."""

from tests.query.brute.measures import begun, distinct, last, share, visited
from tests.query.brute.tables import Table, answers, count

ANSWERS = answers(
    {
        "outbound_links": Table(
            "outgoing_links",
            ("href", "text"),
            lambda key, rows, whole: {
                "href": key[0],
                "text": key[1],
                "total_clicks": len(rows),
                "unique_users": visited(rows),
                "unique_sessions": begun(rows),
                "percentage": share(len(rows), whole),
                "last_clicked": last(rows),
            },
            order=count,
            shared=len,
        ),
        "outbound_domains": Table(
            "outgoing_links",
            ("domain",),
            lambda key, rows, whole: {
                "domain": key[0],
                "total_clicks": len(rows),
                "unique_users": visited(rows),
                "unique_links": distinct("href")(rows),
                "percentage": share(len(rows), whole),
            },
            order=count,
            shared=len,
        ),
    }
)
