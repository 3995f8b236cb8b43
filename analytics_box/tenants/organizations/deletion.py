"""Deleting and restoring an organization: each verb writes its rows and audit entries in the caller's transaction.

The caller updates the directory of organizations after the commit, which closes or opens everything immediately.
"""

from msgspec import Struct

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import deletion_rows, rules
from analytics_box.tenants.organizations.rules import DeletedOrganization
from analytics_box.tenants.tenancy import access, members
from analytics_box.tenants.tenancy.access import check, existing
from analytics_box.tenants.tenancy.rules import StoredOrganization

UNKNOWN = "There is no deleted organization with this id"


class DeletionImpact(Struct, frozen=True):
    """The data that a deletion removes, for its confirmation page. `stranded` are members of no other organization."""

    organization: StoredOrganization
    websites: int
    members: int
    stranded: int
    last: bool  # the actor has no other one


def delete(db: Connection, organization_id: str, by: By, *, typed: str | None = None) -> StoredOrganization:
    """From now on nothing of it answers, until it is restored. `typed` has to be its name, where it was asked for.

    Raises Forbidden, BadRequest, or Conflict for the only organization of the actor, who could not sign in to
    restore it; so a box never loses its last one.
    """
    check(db, organization_id, by, "delete")
    before = existing(db, organization_id)
    if typed is not None:
        rules.check_name_typed(typed, before.name)
    if len(access.of_user(db, by.user_id or "")) == 1:
        raise errors.Conflict(_("This is your only organization. Create or join another one first"))
    deletion_rows.set_deleted(db, organization_id, by.now)
    deletion_rows.move_sessions(db, organization_id)
    audit.record(db, by, organization_id, "deleted", "organization", organization_id, {"name": before.name})
    return before


def restore(db: Connection, organization_id: str, by: By, *, grace_days: int) -> StoredOrganization:
    """Undo a deletion within `days`. Only an owner can; all others get the same NotFound."""
    found = next((one for one in of_owner(db, by) if one.id == organization_id), None)
    if found is None:
        raise errors.NotFound.of("organization", organization_id, UNKNOWN)
    if by.now >= ends_at(found, grace_days):
        raise errors.NotFound.of("organization", organization_id, "This organization can no longer be restored")
    deletion_rows.set_deleted(db, organization_id, None)
    detail = {"deleted": {"before": True, "after": False}}
    audit.record(db, by, organization_id, "updated", "organization", organization_id, detail)
    return existing(db, organization_id)


def of_owner(db: Connection, by: By) -> list[DeletedOrganization]:
    """The deleted organizations that the actor owns, the latest first, also those whose time is over."""
    return deletion_rows.of_owner(db, by.user_id) if by.user_id is not None else []


def organizations_to_purge(db: Connection, *, before: int) -> list[DeletedOrganization]:
    """The organizations that were deleted at this instant (UTC ms) or earlier, and are still there."""
    return deletion_rows.deleted_before(db, before)


def sites(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all its websites among the facts, deleted ones too."""
    return deletion_rows.sites(db, organization_id)


def strip(db: Connection, organization_id: str, now: int) -> None:
    """Its row stays, because the audit log names it, but without a name. All that was its own has to be gone."""
    deletion_rows.strip(db, organization_id, now)


def loss(db: Connection, organization_id: str, by: By) -> DeletionImpact:
    """The data that a deletion would remove. Raises Forbidden."""
    check(db, organization_id, by, "delete")
    joined = members.of_organization(db, organization_id)
    return DeletionImpact(
        organization=existing(db, organization_id),
        websites=len(deletion_rows.sites(db, organization_id)),
        members=len(joined) - 1,
        stranded=sum(len(access.of_user(db, one.user_id)) == 1 for one in joined if one.user_id != by.user_id),
        last=len(access.of_user(db, by.user_id or "")) == 1,
    )


def ends_at(deleted: DeletedOrganization, grace_days: int) -> int:
    """Until when a deletion can be undone, in UTC ms."""
    return deleted.deleted_at + grace_days * DAY
