"""What new invitations and websites of an organization start with, for the rooms that make them."""

from analytics_box.configuration import rows
from analytics_box.configuration.rules import Defaults
from analytics_box.store.db import Connection


def of(db: Connection, organization_id: str) -> Defaults:
    """The organization's defaults; the box's own where nothing was set."""
    return rows.defaults_of(db, organization_id)
