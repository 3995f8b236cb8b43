"""Short links over RPC (wire 7.1). Scopes: read:links, write:links."""

from typing import Any

from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains.lookup import policy_of
from analytics_box.products.links.editing import change
from analytics_box.products.links.editing.messages import ChangedLink, LinkShown, NewLink, UpsertedLink, link_answer
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.messages import OneLink
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.resource import fields
from analytics_box.resource.reach import acting
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call


async def get(call: Call, given: OneLink) -> LinkShown:
    """links.get: get a link. Raises Forbidden or NotFound."""
    (one,) = await with_clicks(call, [await find_link(call, given.id, given.organizationId)])
    return one


async def create(call: Call, given: NewLink) -> LinkShown:
    """links.create: create a link. Raises Forbidden, BadRequest or Conflict.

    A slug is generated if you omit it.
    """
    organization_id, by = acting(call, given.organization_id)
    clean = await clean_values(call, organization_id, given)
    made = await call.write(lambda db: change.create(db, organization_id, by, clean))
    call.parts[LinkDirectory].remember(made)
    return link_answer(made, call.parts.settings)


async def update(call: Call, given: ChangedLink) -> LinkShown:
    """links.update: update a link. Raises Forbidden, NotFound, BadRequest or Conflict.

    Omitted fields keep their values.
    """
    organization_id, by = acting(call, given.organization_id)
    clean = await clean_values(call, organization_id, given)
    changed = await call.write(lambda db: change.update(db, organization_id, by, given.id, clean))
    tell(call, changed)
    (one,) = await with_clicks(call, [changed.after])
    return one


async def upsert(call: Call, given: UpsertedLink) -> LinkShown:
    """links.upsert: update the oldest link with this externalId, or create it. Raises Forbidden, BadRequest or
    Conflict."""
    organization_id, by = acting(call, given.organization_id)
    clean = await clean_values(call, organization_id, given)
    external_id = clean["external_id"] or given.external_id  # Links have it without spaces around it.
    changed = await call.write(lambda db: change.upsert(db, organization_id, by, external_id, clean))
    tell(call, changed)
    (one,) = await with_clicks(call, [changed.after])
    return one


async def delete(call: Call, given: OneLink) -> Success:
    """links.delete: delete a link with its slug and clicks. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)
    gone = await call.write(lambda db: change.delete(db, organization_id, by, given.id))
    call.parts[LinkDirectory].forget(gone.domain, gone.slug)
    await call.parts[Clicks].begin_to_erase(gone.number)
    return Success()


async def clean_values(call: Call, organization_id: str, given: NewLink | ChangedLink) -> dict[str, Any]:
    """The values of a message, checked, with the password hashed. Raises BadRequest."""
    values = fields.values_of(given, ShortLink, policy_of(call, organization_id))
    if values.get("password") is not None:
        values["password"] = await call.parts[Passwords].hash(values["password"])
    return values


async def with_clicks(call: Call, links: list[ShortLink]) -> list[LinkShown]:
    """Links for an answer, with the clicks of people so far."""
    totals = await call.parts[Clicks].totals([link.number for link in links])
    return [link_answer(link, call.parts.settings, totals.get(link.number)) for link in links]


def tell(call: Call, changed: change.LinkChange) -> None:
    """Redirects follow the change immediately."""
    directory, before, after = call.parts[LinkDirectory], changed.before, changed.after
    if before is not None and (before.domain, before.slug) != (after.domain, after.slug):
        directory.forget(before.domain, before.slug)
    directory.remember(after)
