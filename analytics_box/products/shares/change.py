"""Creating and changing a share link in the caller's transaction."""

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.shares.share import MOST_SHARES, SHARES, USUAL_PANELS, ShareLink
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.configuration import domains
from analytics_box.tenants.organizations import logos
from analytics_box.tenants.organizations.image import Picture
from analytics_box.tenants.websites.rules import Website

_SLUG_BYTES: Final = 16
_DIGEST: Final = 32  # characters


def create(
    db: Connection,
    by: By,
    website: Website,
    values: Mapping[str, Any],
    filters: tuple[QueryFilterInput, ...],
    time_zone: str,
) -> ShareLink:
    """Create a share link from the values of its fields. Raises BadRequest or Conflict."""
    full = _("A website can have up to {most} share links").format(most=MOST_SHARES)
    SHARES.check_room(db, MOST_SHARES, full, "website_id = ?", website.id)
    blank = ShareLink(
        id=ids.new_id(),
        website_id=website.id,
        slug="",
        name="",
        title=None,
        panels=USUAL_PANELS,
        earliest_date=None,
        accent=None,
        shows_logo=False,
        is_indexed=False,
        embed_hosts=(),
        has_badge=False,
        domain=None,
        expires_at=None,
        password=None,
        logo="",
        filters=filters,
        time_zone=time_zone,
        views=0,
        viewed_at=None,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    made = _with_slug(replace(blank, **values))
    if made.domain is not None:
        domains.free(db, website.organization_id, made.domain, domains.SHARES)
    return SHARES.create(db, by, website.organization_id, made)


def update(db: Connection, by: By, website: Website, share_id: str, values: Mapping[str, Any]) -> ShareLink:
    """Change these values of a share link. Raises NotFound, BadRequest or Conflict."""
    before = SHARES.existing(db, share_id)
    after = _with_slug(replace(before, **values))
    if after.domain is not None and after.domain != before.domain:
        domains.free(db, website.organization_id, after.domain, domains.SHARES)
    return SHARES.change(db, by, website.organization_id, before, after)


def put_logo(db: Connection, by: By, website: Website, share_id: str, picture: Picture | None) -> ShareLink:
    """Replace the logo of a share link, or delete it. Raises NotFound."""
    before = SHARES.existing(db, share_id)
    digest = "" if picture is None else sha256(picture.content).hexdigest()[:_DIGEST]
    db.execute("-- shares.put_logo\ndelete from share_logos where share_id = ?", (share_id,))
    if picture is not None:
        db.execute(
            "-- shares.put_logo\ninsert into share_logos (share_id, type, image) values (?, ?, ?)",
            (share_id, picture.type, picture.content),
        )
    detail: audit.Detail = {"logo": {"before": before.logo or None, "after": digest or None}}
    after = replace(before, logo=digest)
    return SHARES.change(db, by, website.organization_id, before, after, lambda _before, _after: detail)


def logo_of(db: Connection, share: ShareLink, website: Website) -> Picture | None:
    """The picture that a share link shows: its logo, or that of its organization if it shows that."""
    if share.logo:
        return records.one_of(
            db, Picture, "-- shares.logo_of\nselect type, image from share_logos where share_id = ?", (share.id,)
        )
    return logos.current(db, website.organization_id) if share.shows_logo else None


def count_views(db: Connection, views: Mapping[str, tuple[int, int]]) -> None:
    """Add the views of share links by id: their number, and the time of the latest."""
    db.executemany(
        """
        -- shares.count_views
        update shares set views = views + ?, viewed_at = max(coalesce(viewed_at, 0), ?) where id = ?
        """,
        [(number, latest, share_id) for share_id, (number, latest) in views.items()],
    )


def _with_slug(share: ShareLink) -> ShareLink:
    """The share link with a random slug if it has none."""
    return share if share.slug else replace(share, slug=secrets.token_urlsafe(_SLUG_BYTES))
