"""Lookup of monitors by id, for other packages that read checks."""

import json
from collections.abc import Sequence

from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.rows import MONITORS


def known_monitor(db: Connection, monitor_id: str) -> tuple[int, str, str | None] | None:
    """Its number among the checks, its organization and its website; None for an unknown monitor."""
    found = db.execute(
        "-- monitors.lookup\nselect number, organization_id, website_id from monitors where id = ?", (monitor_id,)
    ).fetchone()
    if found is None:
        return None
    number, organization_id, website_id = found
    return int(str(number)), str(organization_id), str(website_id) if website_id is not None else None


def monitor_numbers(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all monitors of an organization among the checks."""
    return MONITORS.keys(db, "organization_id = ?", organization_id)


def numbers_of_website(db: Connection, website_id: str) -> list[int]:
    """The number of a website's monitor among the checks; none where it has no monitor."""
    return MONITORS.keys(db, "website_id = ?", website_id)


def monitors_of_website(db: Connection, website_id: str) -> list[tuple[str, str]]:
    """The monitor of a website and its organization, by their ids; none where it has no monitor."""
    found = db.execute(
        "-- monitors.lookup\nselect id, organization_id from monitors where website_id = ?", (website_id,)
    ).fetchall()
    return [(str(monitor_id), str(organization_id)) for monitor_id, organization_id in found]


def without_monitor(db: Connection, numbers: Sequence[int]) -> list[int]:
    """The numbers of these that no longer have a monitor."""
    found = db.execute(
        """
        -- monitors.lookup
        select value from json_each(?) where value not in (select number from monitors)
        """,
        (json.dumps(list(numbers)),),
    ).fetchall()
    return [int(str(number)) for (number,) in found]
