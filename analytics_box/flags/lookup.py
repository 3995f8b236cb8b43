"""What other rooms look up of flags in box.db."""

from analytics_box.flags import rows
from analytics_box.store.db import Connection


def scopes_of(db: Connection, organization_id: str) -> list[str]:
    """The organization itself and its websites, also deleted ones, as far as they ever had flags: their ids."""
    return rows.scopes_of(db, organization_id)
