"""Short links over RPC (wire 7.1). Scopes: read:links, write:links."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from analytics_box.base.settings import Settings
from analytics_box.products.links.clicks.rows import ClickTotal
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains.lookup import policy_of
from analytics_box.products.links.editing import change
from analytics_box.products.links.link import Fields, ShortLink
from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.messages import Id, OneLink
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.products.links.redirects.live import redirected_to
from analytics_box.products.links.slugs import short_url
from analytics_box.products.links.targeting.rules import TargetVisit
from analytics_box.resource import fields
from analytics_box.resource.fields import answer_of, date, input_of
from analytics_box.resource.reach import acting
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.tenancy.messages import Success, Text
from analytics_box.web.call import Call
from analytics_box.web.recognition import countries


@input_of(ShortLink, needed=("name", "target_url"))
class NewLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of links.create. `domain` is empty for the box's own host."""

    organization_id: Id | None = None


@input_of(ShortLink)
class ChangedLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of links.update. What is not given stays; null empties a field."""

    id: Id
    organization_id: Id | None = None


class UpsertedLink(NewLink, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.upsert: the link with this externalId."""

    external_id: Id


class LinkShown(Fields, frozen=True, kw_only=True):
    """A link. `clicks` are those of people so far; `deletedAt` is always null, because deleted links are gone."""

    created_at: datetime
    updated_at: datetime
    deleted_at: None = None
    short_url: str
    expires_at: datetime | None
    has_password: bool
    clicks: int
    last_clicked_at: datetime | None


def link_answer(link: ShortLink, settings: Settings, total: ClickTotal | None = None) -> LinkShown:
    """A link for an answer."""
    return answer_of(
        LinkShown,
        link,
        short_url=short_url(link.domain, link.slug, settings),
        has_password=link.password is not None,
        clicks=total.clicks if total is not None else 0,
        last_clicked_at=date(total.last) if total is not None else None,
    )


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


class GivenVisit(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.preview: the visitor. Variants are assigned by `person`."""

    id: Id
    country: Text = ""
    region: Text = ""
    city: Text = ""
    device: Text = ""
    system: Text = ""
    browser: Text = ""
    language: Text = ""
    query: Text = ""
    person: Text = ""
    organizationId: Id | None = None


class ChoiceShown(Struct, frozen=True):
    """The target of a visit, what chose it, and what would come before: that the link has ended, or a password."""

    url: str
    rule: str
    variant: str
    app: str
    expired: bool
    password: bool


async def preview(call: Call, given: GivenVisit) -> ChoiceShown:
    """links.preview: return the destination for a given visitor. Raises Forbidden or NotFound.

    Counts nothing.
    """
    link = await find_link(call, given.id, given.organizationId)
    code, name = countries.find(given.country)
    visit = TargetVisit(
        person=given.person,
        country=name,
        country_code=code,
        region=given.region,
        city=given.city,
        device=given.device,
        system=given.system,
        browser=given.browser,
        language=given.language,
    )
    choice = redirected_to(link, visit, given.query)
    over = link.expires_at is not None and link.expires_at <= call.now
    return ChoiceShown(choice.url, choice.rule, choice.variant, choice.app, over, link.password is not None)
