"""An organization's logo: its rows, and each change with its audit entry in the caller's transaction."""

import hashlib
from typing import TYPE_CHECKING

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import image
from analytics_box.tenants.organizations.image import Picture
from analytics_box.tenants.tenancy.members import check, existing_organization
from analytics_box.tenants.tenancy.rules import StoredOrganization

if TYPE_CHECKING:  # The start loads logos, but no pages.
    from analytics_box.web.page.visit import PageRequest


def replace(db: Connection, organization_id: str, *, digest: str, picture: Picture, now: int) -> None:
    """Store a logo instead of the one before."""
    db.execute(
        """
        -- organizations.logos.replace
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
    db.execute("-- organizations.logos.delete\ndelete from logos where organization_id = ?", (organization_id,))
    _point(db, organization_id, "")


def find_row(db: Connection, organization_id: str, digest: str) -> Picture | None:
    """The logo of an organization that is not deleted, if it still is the one with this digest."""
    return records.one_of(
        db,
        Picture,
        """
        -- organizations.logos.find
        select logos.type, logos.image
        from logos
        join organizations on organizations.id = logos.organization_id and deleted_at is null
        where logos.organization_id = ? and logos.digest = ?
        """,
        (organization_id, digest),
    )


async def read_upload(visit: "PageRequest") -> Picture:
    """The picture in the field `image` of a form. Raises BadRequest."""
    try:
        sent = await visit.upload("image", limit=image.MOST_BYTES)
    except errors.PayloadTooLarge as large:
        raise errors.BadRequest.about("image", image.TOO_LARGE) from large
    return image.picture(sent)


def current(db: Connection, organization_id: str) -> Picture | None:
    """The logo of an organization as it is now."""
    return records.one_of(
        db,
        Picture,
        """
        -- organizations.logos.current
        select type, image from logos where organization_id = ?
        """,
        (organization_id,),
    )


def _point(db: Connection, organization_id: str, digest: str) -> None:
    db.execute("-- organizations.logo_rows\nupdate organizations set logo = ? where id = ?", (digest, organization_id))


DIGEST_LENGTH = 32  # characters of the SHA-256


def replace_logo(db: Connection, organization_id: str, by: By, picture: Picture) -> StoredOrganization:
    """A new logo instead of the one before. Raises Forbidden."""
    check(db, organization_id, by, "update")
    before = existing_organization(db, organization_id)
    digest = hashlib.sha256(picture.content).hexdigest()[:DIGEST_LENGTH]
    if digest == before.logo:
        return before
    replace(db, organization_id, digest=digest, picture=picture, now=by.now)
    detail = {"logo": digest, "type": picture.type, "bytes": len(picture.content)}
    audit.record(db, by, organization_id, "updated", "organization", organization_id, detail)
    return existing_organization(db, organization_id)


def remove(db: Connection, organization_id: str, by: By) -> StoredOrganization:
    """Remove the logo. Raises Forbidden."""
    check(db, organization_id, by, "update")
    before = existing_organization(db, organization_id)
    if before.logo:
        delete(db, organization_id)
        detail = {"logo": {"before": before.logo, "after": None}}
        audit.record(db, by, organization_id, "updated", "organization", organization_id, detail)
    return existing_organization(db, organization_id)


def find(db: Connection, organization_id: str, digest: str) -> Picture:
    """The picture that an address with this digest means. Raises NotFound, also for a logo that was replaced."""
    found = find_row(db, organization_id, digest)
    if found is None:
        raise errors.NotFound(_("This image does not exist"))
    return found
