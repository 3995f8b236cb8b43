"""Input and output of website procedures, apart from the rows of shown.py (wire 10.3)."""

from msgspec import Struct

from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.tracking import GivenTracking


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
