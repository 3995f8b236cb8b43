"""Creating, changing and deleting a share link: each verb with its row and its audit entry."""

import secrets
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.shares.share import MOST_SHARES, SHARES, ShareLink
from analytics_box.query.request import QueryFilterInput
from analytics_box.resource.fields import difference
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
    if SHARES.count(db, "website_id = ?", website.id) >= MOST_SHARES:
        raise Conflict.full(
            "shares", MOST_SHARES, _("A website can have up to {most} share links").format(most=MOST_SHARES)
        )
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
    made = replace(blank, **values)
    SHARES.insert(db, made)
    _record(db, by, website, made, "created", {})
    return made


def update(db: Connection, by: By, website: Website, share_id: str, values: Mapping[str, Any]) -> ShareLink:
    """Change these values of a share link. Raises NotFound."""
    before = existing(db, share_id)
    after = replace(before, **values)
    if after != before:
        after = replace(after, updated_at=max(by.now, before.updated_at + 1))
        SHARES.update(db, after)
        _record(db, by, website, after, "updated", difference(before, after))
    return after


def delete(db: Connection, by: By, website: Website, share_id: str) -> None:
    """Delete a share link. Raises NotFound."""
    gone = existing(db, share_id)
    SHARES.delete(db, share_id)
    _record(db, by, website, gone, "deleted", {})


def existing(db: Connection, share_id: str) -> ShareLink:
    """The share link with this id. Raises NotFound."""
    found = SHARES.find(db, share_id)
    if found is None:
        raise NotFound.of("share", share_id)
    return found


def _record(
    db: Connection, by: By, website: Website, share: ShareLink, action: audit.Action, detail: Mapping[str, object]
) -> None:
    about = {"name": share.name, "websiteId": website.id, **detail}
    audit.record(db, by, website.organization_id, action, "share", share.id, about)
