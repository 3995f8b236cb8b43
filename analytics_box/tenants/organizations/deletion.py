"""Deleting and restoring an organization: each verb writes its rows and audit entries in the caller's transaction.

The caller updates the directory of organizations after the commit, which closes or opens everything immediately.
"""

from msgspec import Struct

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import rules
from analytics_box.tenants.organizations.rules import DeletedOrganization
from analytics_box.tenants.tenancy import members
from analytics_box.tenants.tenancy.members import check, existing_organization
from analytics_box.tenants.tenancy.rules import StoredOrganization

_COLUMNS = "organizations.id, name, slug, plan, site, organizations.created_at, deleted_at"


def read_of_owner(db: Connection, user_id: str) -> list[DeletedOrganization]:
    """The deleted organizations that a user owns, the latest first."""
    return records.all_of(
        db,
        DeletedOrganization,
        f"""
        -- organizations.deletion.of_owner
        select {_COLUMNS}
        from members
        join organizations on organizations.id = members.organization_id
        where members.user_id = ? and members.role = 'owner' and deleted_at is not null and purged_at is null
        order by deleted_at desc, organizations.id
        """,
        (user_id,),
    )


def deleted_before(db: Connection, instant: int) -> list[DeletedOrganization]:
    """The organizations that were deleted at this instant or earlier, and are still there."""
    return records.all_of(
        db,
        DeletedOrganization,
        f"""
        -- organizations.deletion.deleted_before
        select {_COLUMNS} from organizations where deleted_at <= ? and purged_at is null order by deleted_at, id
        """,
        (instant,),
    )


def set_deleted(db: Connection, organization_id: str, instant: int | None) -> None:
    db.execute(
        "-- organizations.deletion.set_deleted\nupdate organizations set deleted_at = ? where id = ?",
        (instant, organization_id),
    )


def move_sessions(db: Connection, organization_id: str) -> None:
    """Sessions on this organization go on with their user's first other one that is not deleted, or end."""
    db.execute(
        """
        -- organizations.deletion.move_sessions
        update sessions
        set organization_id = coalesce(
          (select members.organization_id
           from members
           join organizations on organizations.id = members.organization_id and deleted_at is null
           where members.user_id = sessions.user_id and members.organization_id <> sessions.organization_id
           order by members.created_at, members.organization_id limit 1),
          organization_id)
        where organization_id = ?
        """,
        (organization_id,),
    )
    db.execute(
        "-- organizations.deletion.move_sessions\ndelete from sessions where organization_id = ?",
        (organization_id,),
    )


def read_sites(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all its websites among the facts, deleted ones too."""
    found = db.execute(
        "-- organizations.deletion.sites\nselect site from websites where organization_id = ?", (organization_id,)
    ).fetchall()
    return [int(str(site)) for (site,) in found]


def strip_rows(db: Connection, organization_id: str, now: int) -> None:
    """Reduce a purged organization to a row without a name."""
    db.execute(
        """
        -- organizations.deletion.strip
        update organizations
        set name = 'Deleted', slug = 'deleted-' || lower(hex(randomblob(12))), time_zone = '', logo = '',
            metadata = '{}', purged_at = ?
        where id = ?
        """,
        (now, organization_id),
    )


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
    before = existing_organization(db, organization_id)
    if typed is not None:
        rules.check_name_typed(typed, before.name)
    if len(members.organizations_of(db, by.user_id or "")) == 1:
        raise errors.Conflict(_("This is your only organization. Create or join another one first"))
    set_deleted(db, organization_id, by.now)
    move_sessions(db, organization_id)
    audit.record(db, by, organization_id, "deleted", "organization", organization_id, {"name": before.name})
    return before


def restore(db: Connection, organization_id: str, by: By, *, grace_days: int) -> StoredOrganization:
    """Undo a deletion within `days`. Only an owner can; all others get the same NotFound."""
    found = next((one for one in of_owner(db, by) if one.id == organization_id), None)
    if found is None:
        raise errors.NotFound.of("organization", organization_id, UNKNOWN)
    if by.now >= ends_at(found, grace_days):
        raise errors.NotFound.of("organization", organization_id, _("This organization can no longer be restored"))
    set_deleted(db, organization_id, None)
    detail = {"deleted": {"before": True, "after": False}}
    audit.record(db, by, organization_id, "updated", "organization", organization_id, detail)
    return existing_organization(db, organization_id)


def of_owner(db: Connection, by: By) -> list[DeletedOrganization]:
    """The deleted organizations that the actor owns, the latest first, also those whose time is over."""
    return read_of_owner(db, by.user_id) if by.user_id is not None else []


def organizations_to_purge(db: Connection, *, before: int) -> list[DeletedOrganization]:
    """The organizations that were deleted at this instant (UTC ms) or earlier, and are still there."""
    return deleted_before(db, before)


def sites(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all its websites among the facts, deleted ones too."""
    return read_sites(db, organization_id)


def loss(db: Connection, organization_id: str, by: By) -> DeletionImpact:
    """The data that a deletion would remove. Raises Forbidden."""
    check(db, organization_id, by, "delete")
    joined = members.of_organization(db, organization_id)
    return DeletionImpact(
        organization=existing_organization(db, organization_id),
        websites=len(read_sites(db, organization_id)),
        members=len(joined) - 1,
        stranded=sum(
            len(members.organizations_of(db, one.user_id)) == 1 for one in joined if one.user_id != by.user_id
        ),
        last=len(members.organizations_of(db, by.user_id or "")) == 1,
    )


def ends_at(deleted: DeletedOrganization, grace_days: int) -> int:
    """Until when a deletion can be undone, in UTC ms."""
    return deleted.deleted_at + grace_days * DAY
