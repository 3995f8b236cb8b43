"""Input and output of website procedures (wire 10.3)."""

from msgspec import Struct

from analytics_box.base.clock import iso
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.tracking import GivenTracking, Tracking


class WebsiteId(Struct, frozen=True, forbid_unknown_fields=True):
    id: Text


class ByWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    websiteId: Text


class CreateWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.create."""

    name: Text
    domain: Text
    organizationId: Text | None = None


class ChangedWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.update; omitted fields keep their values."""

    id: Text
    name: Text | None = None
    domain: Text | None = None


class Publicity(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.togglePublic: whether all visitors can run public query types on a website.

    `publicValues` is whether that includes types that show what events carried: values of their properties,
    messages of errors, addresses and texts of outgoing links. Left out, it stays; a website that is not public forgets
    it.
    """

    id: Text
    isPublic: bool
    publicValues: bool | None = None


class ChangedSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.updateSettings; a setting that is not given stays."""

    id: Text
    settings: GivenTracking


class TransferWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.transfer and websites.transferToOrganization."""

    websiteId: Text
    organizationId: Text


class OldClientId(Struct, frozen=True):
    """A client id that was rotated away. `lastSeenAt` is rounded down to the hour; null before any use."""

    id: str
    endsAt: str
    lastSeenAt: str | None


class WebsiteAnswer(Struct, frozen=True):
    """The row of a website. `clientId` goes into the snippet; `oldClientIds` are accepted or still in use.

    `publicValues` is whether a public website also publishes what its events carried.
    """

    id: str
    domain: str
    name: str
    status: str
    isPublic: bool
    publicValues: bool
    organizationId: str
    settings: Tracking
    clientId: str
    oldClientIds: tuple[OldClientId, ...]
    createdAt: str
    updatedAt: str
    integrations: None = None
    deletedAt: str | None = None


class DeletedWebsite(Struct, frozen=True):
    """A deleted website that `websites.restore` brings back until `restorableUntil`; then it is removed for good."""

    id: str
    domain: str
    name: str
    organizationId: str
    createdAt: str
    deletedAt: str
    restorableUntil: str


class PublicWebsite(Struct, frozen=True):
    """A public website as anonymous callers see it."""

    id: str
    domain: str
    name: str
    isPublic: bool


def website_answer(website: Website, now: int) -> WebsiteAnswer:
    """A website for those who may read it."""
    return WebsiteAnswer(
        id=website.id,
        domain=website.domain,
        name=website.name,
        status=website.status,
        isPublic=website.is_public,
        publicValues=website.public_values,
        organizationId=website.organization_id,
        settings=website.tracking,
        clientId=website.client_id,
        oldClientIds=tuple(
            OldClientId(each.id, iso(each.ends_at), iso(each.seen_at) if each.seen_at else None)
            for each in website.old_client_ids(now)
            if each.ends_at is not None
        ),
        createdAt=iso(website.created_at),
        updatedAt=iso(website.updated_at or website.created_at),
        deletedAt=iso(website.deleted_at) if website.deleted_at is not None else None,
    )


def deleted_website_answer(website: Website, grace: int) -> DeletedWebsite:
    """A deleted website; `grace` is in ms."""
    at = website.deleted_at or 0
    return DeletedWebsite(
        id=website.id,
        domain=website.domain,
        name=website.name,
        organizationId=website.organization_id,
        createdAt=iso(website.created_at),
        deletedAt=iso(at),
        restorableUntil=iso(at + grace),
    )
