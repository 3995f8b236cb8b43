"""The private networks that organizations may reach (see outgoing.fences), in box.db."""

from analytics_box.base.store.db import Connection


def everything(db: Connection) -> dict[str, str]:
    """The stored networks, by organization."""
    found = db.execute(
        "-- tenancy.private_targets.everything\nselect organization_id, networks from private_targets"
    ).fetchall()
    return {str(organization_id): str(networks) for organization_id, networks in found}


def of(db: Connection, organization_id: str) -> str:
    """The stored networks of an organization; empty for none."""
    found = db.execute(
        "-- tenancy.private_targets.of\nselect networks from private_targets where organization_id = ?",
        (organization_id,),
    ).fetchone()
    return str(found[0]) if found is not None else ""


def store_networks(db: Connection, organization_id: str, networks: str) -> None:
    """Store these networks in place of those before; an empty text is none."""
    if not networks:
        db.execute(
            "-- tenancy.private_targets.put\ndelete from private_targets where organization_id = ?", (organization_id,)
        )
        return
    db.execute(
        """
        -- tenancy.private_targets.put
        insert into private_targets (organization_id, networks) values (?, ?)
        on conflict (organization_id) do update set networks = excluded.networks
        """,
        (organization_id, networks),
    )
