"""Logos in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.organizations.image import Picture


def replace(db: Connection, organization_id: str, *, digest: str, picture: Picture, now: int) -> None:
    """Store a logo instead of the one before."""
    db.execute(
        """
        -- organizations.logo_rows.replace
        insert into logos (organization_id, digest, type, image, created_at)
        values (:organization_id, :digest, :type, :image, :now)
        on conflict (organization_id) do update
        set digest = excluded.digest, type = excluded.type, image = excluded.image, created_at = excluded.created_at
        """,
        {
            "organization_id": organization_id,
            "digest": digest,
            "type": picture.type,
            "image": picture.content,
            "now": now,
        },
    )
    _point(db, organization_id, digest)


def delete(db: Connection, organization_id: str) -> None:
    db.execute("-- organizations.logo_rows.delete\ndelete from logos where organization_id = ?", (organization_id,))
    _point(db, organization_id, "")


def find(db: Connection, organization_id: str, digest: str) -> Picture | None:
    """The logo of an organization that is not deleted, if it still is the one with this digest."""
    return records.one_of(
        db,
        Picture,
        """
        -- organizations.logo_rows.find
        select logos.type, logos.image
        from logos
        join organizations on organizations.id = logos.organization_id and deleted_at is null
        where logos.organization_id = ? and logos.digest = ?
        """,
        (organization_id, digest),
    )


def _point(db: Connection, organization_id: str, digest: str) -> None:
    db.execute("-- organizations.logo_rows\nupdate organizations set logo = ? where id = ?", (digest, organization_id))
