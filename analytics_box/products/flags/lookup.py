"""Flags in box.db, for other rooms."""

from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows


def scopes_of(db: Connection, organization_id: str) -> list[str]:
    """The ids of the organization and its websites, including deleted ones, that have ever had flags."""
    return rows.scopes_of(db, organization_id)
