"""What other rooms look up of flags in box.db."""

from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows


def scopes_of(db: Connection, organization_id: str) -> list[str]:
    """The organization itself and its websites, also deleted ones, as far as they ever had flags: their ids."""
    return rows.scopes_of(db, organization_id)
