"""Organizations and their members in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Collection

from analytics_box.base.errors import Conflict
from analytics_box.base.identity import Role
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.base.translation import _
from analytics_box.tenants.tenancy.rules import (
    SLUG_TAKEN,
    Organization,
    OrganizationMember,
    StoredOrganization,
    read_resources,
    stored_resources,
)

_COLUMNS = """
  organizations.id, name, slug, plan, site, time_zone, logo, metadata, organizations.created_at, deleted_at
"""


def organizations(db: Connection) -> list[Organization]:
    """All organizations, oldest first."""
    return records.all_of(
        db,
        Organization,
        """
        -- tenancy.organizations
        select id, name, slug, plan, site, created_at from organizations where purged_at is null order by created_at, id
        """,
    )


def deleted_organizations(db: Connection) -> set[str]:
    """The ids of organizations that were deleted and can be restored."""
    found = db.execute(
        """
        -- tenancy.deleted_organizations
        select id from organizations where deleted_at is not null and purged_at is null
        """
    ).fetchall()
    return {str(organization_id) for (organization_id,) in found}


def find(db: Connection, organization_id: str) -> StoredOrganization | None:
    """The organization with this id, unless it is deleted."""
    return records.one_of(
        db,
        StoredOrganization,
        f"""
        -- tenancy.find
        select {_COLUMNS} from organizations where id = ? and deleted_at is null
        """,
        (organization_id,),
    )


def of_user(db: Connection, user_id: str) -> list[StoredOrganization]:
    """The organizations that a user belongs to, the oldest membership first."""
    return records.all_of(
        db,
        StoredOrganization,
        f"""
        -- tenancy.of_user
        select {_COLUMNS}
        from members
        join organizations on organizations.id = members.organization_id and deleted_at is null
        where members.user_id = ?
        order by members.created_at, organizations.id
        """,
        (user_id,),
    )


def insert(db: Connection, organization: Organization, metadata: str, created_by: str | None = None) -> None:
    """`metadata` is a JSON object, `created_by` a user's id. Raises Conflict when another organization has the slug."""
    try:
        db.execute(
            """
            -- tenancy.insert
            insert into organizations (id, name, slug, plan, site, metadata, created_at, created_by)
            values (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (
                organization.id,
                organization.name,
                organization.slug,
                organization.plan,
                organization.site,
                metadata,
                organization.created_at,
                created_by,
            ),
        )
    except ConstraintError as taken:
        raise Conflict.about("slug", SLUG_TAKEN) from taken


def members(db: Connection, organization_id: str) -> list[OrganizationMember]:
    """The members of an organization, in order of joining."""
    return records.all_of(
        db,
        OrganizationMember,
        """
        -- tenancy.members
        select members.user_id, users.email, members.role, members.created_at, users.name, not users.is_unconfirmed,
               members.resources
        from members
        join users on users.id = members.user_id
        where members.organization_id = ?
        order by members.created_at, members.user_id
        """,
        (organization_id,),
        decoded={"resources": read_resources},
    )


def member(db: Connection, organization_id: str, user_id: str) -> OrganizationMember | None:
    return next((one for one in members(db, organization_id) if one.user_id == user_id), None)


def insert_member(
    db: Connection,
    *,
    organization_id: str,
    user_id: str,
    role: Role,
    now: int,
    resources: Collection[str] | None = None,
) -> None:
    """Raises Conflict when the person is a member already."""
    try:
        db.execute(
            """
            -- tenancy.insert_member
            insert into members (organization_id, user_id, role, created_at, resources) values (?, ?, ?, ?, ?)
            """,
            (organization_id, user_id, role, now, stored_resources(resources)),
        )
    except ConstraintError as known:
        raise Conflict(_("This user is already a member")) from known


def set_access(
    db: Connection, organization_id: str, user_id: str, role: Role, resources: Collection[str] | None
) -> None:
    """The role of a member, and the ids of the resources that they can access; None for all."""
    db.execute(
        "-- tenancy.set_access\nupdate members set role = ?, resources = ? where organization_id = ? and user_id = ?",
        (role, stored_resources(resources), organization_id, user_id),
    )


def delete_member(db: Connection, organization_id: str, user_id: str) -> None:
    """Remove a member. Their sessions in this organization move to their first other one, or end."""
    db.execute(
        "-- tenancy.delete_member\ndelete from members where organization_id = ? and user_id = ?",
        (organization_id, user_id),
    )
    other = db.execute(
        """
        -- tenancy.delete_member
        select members.organization_id
        from members
        join organizations on organizations.id = members.organization_id and deleted_at is null
        where members.user_id = ?
        order by members.created_at, members.organization_id limit 1
        """,
        (user_id,),
    ).fetchone()
    if other is None:
        db.execute("-- tenancy.delete_member\ndelete from sessions where user_id = ?", (user_id,))
        return
    db.execute(
        """
        -- tenancy.delete_member
        update sessions set organization_id = ? where user_id = ? and organization_id = ?
        """,
        (other[0], user_id, organization_id),
    )


def is_administrator(db: Connection, user_id: str) -> bool:
    """Whether this user runs the box."""
    found = db.execute(
        "-- tenancy.is_administrator\nselect is_administrator from users where id = ?", (user_id,)
    ).fetchone()
    return found is not None and bool(found[0])
