"""An organization's logo: each verb writes its rows and audit entry in the caller's transaction."""

import hashlib

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import logo_rows
from analytics_box.tenants.organizations.image import Picture
from analytics_box.tenants.tenancy.access import check, existing
from analytics_box.tenants.tenancy.rules import StoredOrganization

DIGEST_LENGTH = 32  # characters of the SHA-256


def replace_logo(db: Connection, organization_id: str, by: By, picture: Picture) -> StoredOrganization:
    """A new logo instead of the one before. Raises Forbidden."""
    check(db, organization_id, by, "update")
    before = existing(db, organization_id)
    digest = hashlib.sha256(picture.content).hexdigest()[:DIGEST_LENGTH]
    if digest == before.logo:
        return before
    logo_rows.replace(db, organization_id, digest=digest, picture=picture, now=by.now)
    detail = {"logo": digest, "type": picture.type, "bytes": len(picture.content)}
    audit.record(db, by, organization_id, "updated", "organization", organization_id, detail)
    return existing(db, organization_id)


def remove(db: Connection, organization_id: str, by: By) -> StoredOrganization:
    """Remove the logo. Raises Forbidden."""
    check(db, organization_id, by, "update")
    before = existing(db, organization_id)
    if before.logo:
        logo_rows.delete(db, organization_id)
        detail = {"logo": {"before": before.logo, "after": None}}
        audit.record(db, by, organization_id, "updated", "organization", organization_id, detail)
    return existing(db, organization_id)


def find(db: Connection, organization_id: str, digest: str) -> Picture:
    """The picture that an address with this digest means. Raises NotFound, also for a logo that was replaced."""
    found = logo_rows.find(db, organization_id, digest)
    if found is None:
        raise errors.NotFound(_("This image does not exist"))
    return found
