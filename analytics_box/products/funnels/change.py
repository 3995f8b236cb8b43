"""Create, update and delete funnels: each verb writes the row and its audit entry in the caller's transaction."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound, check_together
from analytics_box.base.store.db import Connection
from analytics_box.products.funnels.funnel import Funnel, FunnelDefinition
from analytics_box.products.funnels.messages import ChangedFunnel, NewFunnel
from analytics_box.products.funnels.rows import FUNNELS
from analytics_box.products.funnels.rules import check_funnel
from analytics_box.resource.fields import difference, values_of
from analytics_box.tenants.websites.rules import Website

MOST_FUNNELS: Final = 100
SUBJECT: Final = "funnel"


def create(db: Connection, by: By, website: Website, given: NewFunnel) -> Funnel:
    """Create a funnel. Raises BadRequest or Conflict."""
    if FUNNELS.count(db, "website_id = ?", website.id) >= MOST_FUNNELS:
        raise Conflict.full("funnels", MOST_FUNNELS, f"A website can have up to {MOST_FUNNELS} funnels")
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
    made = FUNNELS.insert(db, replace(blank, **values_of(given, Funnel)))
    _record(db, by, website, made, "created", {"definition": msgspec.to_builtins(made.definition)})
    return made


def update(db: Connection, by: By, website: Website, given: ChangedFunnel) -> Funnel:
    """Update a funnel; omitted fields keep their values. Raises NotFound or BadRequest."""
    before = existing(db, given.id)
    definition = check_funnel(replace(before.definition, **values_of(given, FunnelDefinition)))
    after = replace(before, **values_of(given, Funnel), definition=definition)
    if after != before:
        after = replace(after, updated_at=max(by.now, before.updated_at + 1))
        FUNNELS.update(db, after)
        _record(db, by, website, after, "updated", difference(before, after))
    return after


def delete(db: Connection, by: By, website: Website, funnel_id: str) -> None:
    """Delete a funnel. Raises NotFound."""
    gone = existing(db, funnel_id)
    FUNNELS.delete(db, funnel_id)
    _record(db, by, website, gone, "deleted", {})


def existing(db: Connection, funnel_id: str) -> Funnel:
    """The funnel with this id. Raises NotFound."""
    found = FUNNELS.find(db, funnel_id)
    if found is None:
        raise NotFound.of("funnel", funnel_id)
    return found


def _record(
    db: Connection, by: By, website: Website, funnel: Funnel, action: audit.Action, detail: Mapping[str, object]
) -> None:
    about = {"name": funnel.name, "websiteId": website.id, **detail}
    audit.record(db, by, website.organization_id, action, SUBJECT, funnel.id, about)
