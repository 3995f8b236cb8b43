"""Inputs of `website …`."""

from msgspec import Struct

from analytics_box.app.admin.given.words import Text
from analytics_box.tenants.websites.tracking import GivenTracking


class SomeWebsites(Struct, frozen=True, forbid_unknown_fields=True):
    """Without an organization: the websites of all. With `deleted` those that can still be restored."""

    organization: Text | None = None
    deleted: bool = False


class WebsiteAddOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The organization can be left out where there is only one."""

    name: Text
    domain: Text
    organization: Text | None = None


class OneWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """A website by its id, or by its domain where that is one website's only."""

    website: Text


class EditedWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """New settings of a website; settings that are left out stay."""

    website: Text
    name: Text | None = None
    domain: Text | None = None
    public: bool | None = None
    public_values: bool | None = None
    settings: GivenTracking = GivenTracking()
