"""Numbers by which the facts know websites and organizations."""

from analytics_box.base.store.db import Connection


def new_site(db: Connection, now: int) -> int:
    """A number for a website or an organization among the facts; never given twice."""
    db.execute("-- tenancy.new_site\ninsert into sites (created_at) values (?)", (now,))
    return db.last_insert_rowid()
