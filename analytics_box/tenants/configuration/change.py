"""Changing what new websites and invitations of an organization start with, in the caller's transaction."""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.tenants.tenancy import access
from analytics_box.tenants.tenancy import defaults as stored
from analytics_box.tenants.tenancy.defaults import OrganizationDefaults, VisitorIds
from analytics_box.tenants.tenancy.rules import InvitedRole

_NAMES = {
    "invitation_role": "invitationRole",
    "visitor_id_mode": "visitorIdMode",
    "data_retention_days": "dataRetentionDays",
}


class DefaultsUpdate(Struct, frozen=True):
    """New defaults; omitted fields keep their values. Retention is in days; None keeps events for ever."""

    invitation_role: InvitedRole | None = None
    visitor_id_mode: VisitorIds | None = None
    data_retention_days: int | UnsetType | None = UNSET


def defaults(db: Connection, organization_id: str, by: By, wanted: DefaultsUpdate) -> OrganizationDefaults:
    """Other defaults, with an audit entry if anything changed. Raises Forbidden."""
    access.check(db, organization_id, by, "update")
    before = stored.of(db, organization_id)
    days = wanted.data_retention_days
    after = replace(
        before,
        invitation_role=wanted.invitation_role or before.invitation_role,
        visitor_id_mode=wanted.visitor_id_mode or before.visitor_id_mode,
        data_retention_days=before.data_retention_days if isinstance(days, UnsetType) else days,
    )
    changes = audit.difference(before, after, _NAMES, names=_NAMES)
    if changes:
        stored.store_defaults(db, organization_id, after)
        audit.record(db, by, organization_id, "updated", "defaults", organization_id, changes)
    return after
