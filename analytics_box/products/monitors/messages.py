"""Input that procedures of monitors share: how they name an organization or a monitor (wire 8.1)."""

from typing import Annotated

from msgspec import Meta, Struct

Id = Annotated[str, Meta(min_length=1, max_length=255)]


class MonitorOrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class MonitorId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a monitor."""

    scheduleId: Id
