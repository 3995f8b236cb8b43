"""Settings of an organization in box.db: defaults for new invitations and websites, the private
networks that it may reach (see outgoing.fences), and its number among the facts."""

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


def all_private_targets(db: Connection) -> dict[str, str]:
    """The stored networks, by organization."""
    found = db.execute(
        "-- tenancy.defaults.everything\nselect organization_id, networks from private_targets"
    ).fetchall()
    return {str(organization_id): str(networks) for organization_id, networks in found}


def private_targets_of(db: Connection, organization_id: str) -> str:
    """The stored networks of an organization; empty for none."""
    found = db.execute(
        "-- tenancy.defaults.of\nselect networks from private_targets where organization_id = ?",
        (organization_id,),
    ).fetchone()
    return str(found[0]) if found is not None else ""


def store_networks(db: Connection, organization_id: str, networks: str) -> None:
    """Store these networks in place of those before; an empty text is none."""
    if not networks:
        db.execute("-- tenancy.defaults.put\ndelete from private_targets where organization_id = ?", (organization_id,))
        return
    db.execute(
        """
        -- tenancy.defaults.put
        insert into private_targets (organization_id, networks) values (?, ?)
        on conflict (organization_id) do update set networks = excluded.networks
        """,
        (organization_id, networks),
    )


def new_site(db: Connection, now: int) -> int:
    """A number for a website or an organization among the facts; never given twice."""
    db.execute("-- tenancy.new_site\ninsert into sites (created_at) values (?)", (now,))
    return db.last_insert_rowid()
