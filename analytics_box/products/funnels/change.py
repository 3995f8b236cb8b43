"""Create and update funnels in the caller's transaction."""

from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.errors import check_together
from analytics_box.base.store.db import Connection
from analytics_box.products.funnels.funnel import Funnel, FunnelDefinition
from analytics_box.products.funnels.lookup import FUNNELS
from analytics_box.products.funnels.messages import ChangedFunnel, NewFunnel
from analytics_box.products.funnels.rules import check_funnel
from analytics_box.resource.fields import values_of
from analytics_box.tenants.websites.rules import Website

MOST_FUNNELS: Final = 100


def create(db: Connection, by: By, website: Website, given: NewFunnel) -> Funnel:
    """Create a funnel. Raises BadRequest or Conflict."""
    full = f"A website can have up to {MOST_FUNNELS} funnels"
    FUNNELS.check_room(db, MOST_FUNNELS, full, "website_id = ?", website.id)
    check_together(
        lambda: values_of(given, Funnel), lambda: check_funnel(FunnelDefinition(**values_of(given, FunnelDefinition)))
    )
    blank = Funnel(
        id=ids.new_id(),
        website_id=website.id,
        name="",
        description="",
        definition=check_funnel(FunnelDefinition(**values_of(given, FunnelDefinition))),
        is_active=True,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    detail = {"definition": msgspec.to_builtins(blank.definition)}
    return FUNNELS.create(db, by, website.organization_id, replace(blank, **values_of(given, Funnel)), detail)


def update(db: Connection, by: By, website: Website, given: ChangedFunnel) -> Funnel:
    """Update a funnel; omitted fields keep their values. Raises NotFound or BadRequest."""
    before = FUNNELS.existing(db, given.id)
    definition = check_funnel(replace(before.definition, **values_of(given, FunnelDefinition)))
    after = replace(before, **values_of(given, Funnel), definition=definition)
    return FUNNELS.change(db, by, website.organization_id, before, after)
