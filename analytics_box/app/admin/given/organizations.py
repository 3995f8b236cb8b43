"""Input of the commands `organization …`."""

from msgspec import Struct

from analytics_box.app.admin.given.words import Text


class ListedOrganizations(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `organization list`, which has none."""


class EditedOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `organization edit`. `private_targets` are all, none, or addresses and ranges."""

    organization: Text
    private_targets: str
