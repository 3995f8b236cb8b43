"""What there is around links over RPC: tags, QR codes, addresses that lead nowhere, all links as a file."""

import base64
from datetime import date
from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.clock import utc_day
from analytics_box.errors import BadRequest
from analytics_box.http.call import Call
from analytics_box.ingest import geo
from analytics_box.links import calls, change, click_rows, domain_rows, exports, list_rows, qr
from analytics_box.links.folder_calls import OfOrganization
from analytics_box.links.imports import MOST_ROWS
from analytics_box.links.list_rows import Wish
from analytics_box.links.live import tried
from analytics_box.links.messages import Id, Text
from analytics_box.links.rules import KINDS, Visit
from analytics_box.links.shown import short_url
from analytics_box.organizations.acting import acting
from analytics_box.store.db import Connection

MOST_ORPHANS = 500
_EPOCH = date(1970, 1, 1).toordinal()


class TagShown(Struct, frozen=True):
    """A tag, and how many links have it."""

    tag: str
    links: int


class GivenQr(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.getQr. `scale` is pixels a module."""

    id: Id
    format: Literal["svg", "png"] = "svg"
    scale: Annotated[int, Meta(ge=1, le=qr.MOST_SCALE)] = 8
    organizationId: Id | None = None


class QrShown(Struct, frozen=True):
    """A QR code; `content` is text for svg and base64 for png."""

    url: str
    type: str
    content: str


class GivenOrphans(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.listOrphans."""

    days: Annotated[int, Meta(ge=1, le=90)] = 30
    organizationId: Id | None = None


class OrphanShown(Struct, frozen=True):
    """A short address that leads nowhere and was asked for; an empty slug stands for many, or for what is none."""

    domain: str
    slug: str
    kind: str
    count: int
    lastDay: str


class GivenVisit(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.preview: who would follow the link. `person` stands for whoever variants are drawn for."""

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
    """Where a visit would be led, what chose it, and what would come before: that it is over, or a password."""

    url: str
    rule: str
    variant: str
    app: str
    expired: bool
    password: bool


class GivenExport(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.export. GET /links/export/csv and /json give as many as there are."""

    format: Literal["csv", "json"] = "csv"
    organizationId: Id | None = None


class ExportShown(Struct, frozen=True):
    """The links of an organization as the text of a file."""

    type: str
    content: str


async def list_tags(call: Call, given: OfOrganization) -> list[TagShown]:
    """links.listTags: by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> list[tuple[str, int]]:
        change.check(db, organization_id, by, "viewer")
        return list_rows.tags(db, organization_id)

    return [TagShown(*one) for one in await call.read(read)]


async def get_qr(call: Call, given: GivenQr) -> QrShown:
    """links.getQr: the short address as a QR code. Raises Forbidden or NotFound."""
    link = await calls.found(call, given.id, given.organizationId)
    url = short_url(link, call.parts.settings)
    picture = qr.picture(url, given.format, scale=given.scale)
    content = picture.decode() if given.format == "svg" else base64.b64encode(picture).decode()
    return QrShown(url, qr.TYPES[given.format], content)


async def preview(call: Call, given: GivenVisit) -> ChoiceShown:
    """links.preview: where a visit like this would be led; nothing is counted. Raises Forbidden or NotFound."""
    link = await calls.found(call, given.id, given.organizationId)
    code, name = _country(given.country)
    visit = Visit(
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
    choice = tried(link, visit, given.query)
    over = link.expires_at is not None and link.expires_at <= call.now
    return ChoiceShown(choice.url, choice.rule, choice.variant, choice.app, over, link.password is not None)


def _country(given: str) -> tuple[str, str]:
    """The code and the English name of a country that is given by either."""
    name = geo.name_of(given)
    if name:
        return given.upper(), name
    return next((code for code, known in geo.names().items() if known.lower() == given.lower()), ""), given


async def list_orphans(call: Call, given: GivenOrphans) -> list[OrphanShown]:
    """links.listOrphans: addresses that lead nowhere, on the organization's domains and on the box's own host.

    The most asked for first. Raises Forbidden.
    """
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> list[str]:
        change.check(db, organization_id, by, "viewer")
        return ["", *(one.domain for one in domain_rows.of(db, organization_id))]

    domains = await call.read(read)
    first = utc_day(call.now) - given.days + 1
    parts = call.parts.links
    await parts.clicks.flush()
    found = await parts.events.read(lambda db: click_rows.orphans_since(db, domains, first, MOST_ORPHANS))
    return [
        OrphanShown(one.domain, one.slug, KINDS[one.kind], one.count, date.fromordinal(_EPOCH + one.day).isoformat())
        for one in found
    ]


async def export(call: Call, given: GivenExport) -> ExportShown:
    """links.export: up to 10,000 links, in the form that links.import takes; passwords are left out.

    Raises Forbidden, or BadRequest where there are more.
    """
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> int:
        change.check(db, organization_id, by, "viewer")
        return list_rows.count(db, Wish(organization_id))

    if await call.read(read) > MOST_ROWS:
        raise BadRequest(f"There are more than {MOST_ROWS:,} links: ask GET /links/export/{given.format} for them")
    content = b"".join([piece async for piece in exports.pieces(call, organization_id, given.format)])
    return ExportShown(exports.TYPES[given.format], content.decode())
