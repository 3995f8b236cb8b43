"""Which link an id means, for rooms that ask about clicks on it."""

import json
from collections.abc import Sequence

from analytics_box.links import rows
from analytics_box.store.db import Connection


def known_link(db: Connection, link_id: str) -> tuple[int, str] | None:
    """Its number among the clicks and its organization; None for an unknown link."""
    found = db.execute("-- links.lookup\nselect number, organization_id from links where id = ?", (link_id,)).fetchone()
    return (int(str(found[0])), str(found[1])) if found else None


def link_numbers(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all links of an organization among the clicks."""
    return rows.numbers_of(db, organization_id)


def without_link(db: Connection, numbers: Sequence[int]) -> list[int]:
    """Which of these numbers no link has any more."""
    found = db.execute(
        """
        -- links.lookup
        select value from json_each(?) where value not in (select number from links)
        """,
        (json.dumps(list(numbers)),),
    ).fetchall()
    return [int(str(number)) for (number,) in found]
