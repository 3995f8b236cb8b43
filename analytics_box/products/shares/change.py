"""Creating and changing a share link in the caller's transaction."""

import secrets
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.shares.share import MOST_SHARES, SHARES, ShareLink
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.websites.rules import Website

_SLUG_BYTES: Final = 16


def create(
    db: Connection,
    by: By,
    website: Website,
    values: Mapping[str, Any],
    filters: tuple[QueryFilterInput, ...],
    time_zone: str,
) -> ShareLink:
    """Create a share link from the values of its fields. Raises Conflict."""
    full = _("A website can have up to {most} share links").format(most=MOST_SHARES)
    SHARES.check_room(db, MOST_SHARES, full, "website_id = ?", website.id)
    blank = ShareLink(
        id=ids.new_id(),
        website_id=website.id,
        slug=secrets.token_urlsafe(_SLUG_BYTES),
        name="",
        expires_at=None,
        password=None,
        filters=filters,
        time_zone=time_zone,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    return SHARES.create(db, by, website.organization_id, replace(blank, **values))


def update(db: Connection, by: By, website: Website, share_id: str, values: Mapping[str, Any]) -> ShareLink:
    """Change these values of a share link. Raises NotFound."""
    before = SHARES.existing(db, share_id)
    after = replace(before, **values)
    return SHARES.change(db, by, website.organization_id, before, after)
