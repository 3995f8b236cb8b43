"""Defaults for new invitations and websites of an organization."""

from typing import Literal

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.tenancy.rules import InvitedRole

VisitorIds = Literal["auto", "cookieless"]


class OrganizationDefaults(Struct, frozen=True):
    """Defaults for new invitations and websites of an organization. Retention is in days; None keeps
    events for ever."""

    invitation_role: InvitedRole = "member"
    visitor_id_mode: VisitorIds = "auto"
    data_retention_days: int | None = None


def of(db: Connection, organization_id: str) -> OrganizationDefaults:
    """The organization's defaults; the box's own where nothing was set."""
    found = records.one_of(
        db,
        OrganizationDefaults,
        """
        -- tenancy.defaults.of
        select invitation_role, visitor_id_mode, data_retention_days from organization_defaults
        where organization_id = ?
        """,
        (organization_id,),
    )
    return found or OrganizationDefaults()


def store_defaults(db: Connection, organization_id: str, defaults: OrganizationDefaults) -> None:
    """Store defaults instead of those before."""
    db.execute(
        """
        -- tenancy.defaults.put
        insert into organization_defaults (organization_id, invitation_role, visitor_id_mode, data_retention_days)
        values (?, ?, ?, ?)
        on conflict (organization_id) do update
        set invitation_role = excluded.invitation_role, visitor_id_mode = excluded.visitor_id_mode,
            data_retention_days = excluded.data_retention_days
        """,
        (organization_id, defaults.invitation_role, defaults.visitor_id_mode, defaults.data_retention_days),
    )
