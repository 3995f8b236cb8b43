"""Organizations on their way out, in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.organizations.rules import DeletedOrganization

_COLUMNS = "organizations.id, name, slug, plan, site, organizations.created_at, deleted_at"


def of_owner(db: Connection, user_id: str) -> list[DeletedOrganization]:
    """The deleted organizations that a user owns, the latest first."""
    return records.all_of(
        db,
        DeletedOrganization,
        f"""
        -- organizations.deletion_rows.of_owner
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
        -- organizations.deletion_rows.deleted_before
        select {_COLUMNS} from organizations where deleted_at <= ? and purged_at is null order by deleted_at, id
        """,
        (instant,),
    )


def set_deleted(db: Connection, organization_id: str, instant: int | None) -> None:
    db.execute(
        "-- organizations.deletion_rows.set_deleted\nupdate organizations set deleted_at = ? where id = ?",
        (instant, organization_id),
    )


def move_sessions(db: Connection, organization_id: str) -> None:
    """Sessions on this organization go on with their user's first other one that is not deleted, or end."""
    db.execute(
        """
        -- organizations.deletion_rows.move_sessions
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
        "-- organizations.deletion_rows.move_sessions\ndelete from sessions where organization_id = ?",
        (organization_id,),
    )


def sites(db: Connection, organization_id: str) -> list[int]:
    """The numbers of all its websites among the facts, deleted ones too."""
    found = db.execute(
        "-- organizations.deletion_rows.sites\nselect site from websites where organization_id = ?", (organization_id,)
    ).fetchall()
    return [int(str(site)) for (site,) in found]


def strip(db: Connection, organization_id: str, now: int) -> None:
    """Reduce a purged organization to a row without a name."""
    db.execute(
        """
        -- organizations.deletion_rows.strip
        update organizations
        set name = 'Deleted', slug = 'deleted-' || lower(hex(randomblob(12))), time_zone = '', logo = '',
            metadata = '{}', purged_at = ?
        where id = ?
        """,
        (now, organization_id),
    )
