"""Organizations and members in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec.structs import asdict

from analytics_box.accounts.rules import Organization
from analytics_box.errors import Conflict, Detail
from analytics_box.identity import Role
from analytics_box.organizations.rules import Member, Stored
from analytics_box.store import records
from analytics_box.store.db import Connection, ConstraintError

TAKEN = "This slug is already taken"


_COLUMNS = """
  organizations.id, name, slug, plan, site, time_zone, logo, metadata, organizations.created_at, deleted_at
"""


def find(db: Connection, organization_id: str) -> Stored | None:
    """The organization with this id, unless it is deleted."""
    return records.one_of(
        db,
        Stored,
        f"""
        -- organizations.find
        select {_COLUMNS} from organizations where id = ? and deleted_at is null
        """,
        (organization_id,),
    )


def of_user(db: Connection, user_id: str) -> list[Stored]:
    """The organizations that a user belongs to, the oldest membership first."""
    return records.all_of(
        db,
        Stored,
        f"""
        -- organizations.of_user
        select {_COLUMNS}
        from members
        join organizations on organizations.id = members.organization_id and deleted_at is null
        where members.user_id = ?
        order by members.created_at, organizations.id
        """,
        (user_id,),
    )


def insert(db: Connection, organization: Organization, metadata: str) -> None:
    """`metadata` is a JSON object. Raises Conflict when another organization has the slug."""
    try:
        db.execute(
            """
            -- organizations.insert
            insert into organizations (id, name, slug, plan, site, metadata, created_at) values (?, ?, ?, ?, ?, ?, ?)
            """,
            (
                organization.id,
                organization.name,
                organization.slug,
                organization.plan,
                organization.site,
                metadata,
                organization.created_at,
            ),
        )
    except ConstraintError as taken:
        raise _taken() from taken


def _taken() -> Conflict:
    return Conflict(TAKEN, details=(Detail("slug", TAKEN),))


def slug_is_taken(db: Connection, slug: str) -> bool:
    found = db.execute("-- organizations.slug_is_taken\nselect 1 from organizations where slug = ?", (slug,)).fetchone()
    return found is not None


def update(db: Connection, organization: Stored) -> None:
    """Raises Conflict when another organization has the slug."""
    try:
        db.execute(
            """
            -- organizations.update
            update organizations
            set name = :name, slug = :slug, plan = :plan, time_zone = :time_zone, metadata = :metadata
            where id = :id
            """,
            asdict(organization),
        )
    except ConstraintError as taken:
        raise _taken() from taken


def members(db: Connection, organization_id: str) -> list[Member]:
    """Everybody in an organization, who joined first first."""
    return records.all_of(
        db,
        Member,
        """
        -- organizations.members
        select members.user_id, users.email, members.role, members.created_at, users.name
        from members
        join users on users.id = members.user_id
        where members.organization_id = ?
        order by members.created_at, members.user_id
        """,
        (organization_id,),
    )


def member(db: Connection, organization_id: str, user_id: str) -> Member | None:
    return next((one for one in members(db, organization_id) if one.user_id == user_id), None)


def insert_member(db: Connection, *, organization_id: str, user_id: str, role: Role, now: int) -> None:
    """Raises Conflict when the person is a member already."""
    try:
        db.execute(
            """
            -- organizations.insert_member
            insert into members (organization_id, user_id, role, created_at) values (?, ?, ?, ?)
            """,
            (organization_id, user_id, role, now),
        )
    except ConstraintError as known:
        raise Conflict("This person is a member already") from known


def set_role(db: Connection, organization_id: str, user_id: str, role: Role) -> None:
    db.execute(
        "-- organizations.set_role\nupdate members set role = ? where organization_id = ? and user_id = ?",
        (role, organization_id, user_id),
    )


def delete_member(db: Connection, organization_id: str, user_id: str) -> None:
    """Remove somebody. Their sessions on this organization go on with their first other one, or end."""
    db.execute(
        "-- organizations.delete_member\ndelete from members where organization_id = ? and user_id = ?",
        (organization_id, user_id),
    )
    other = db.execute(
        """
        -- organizations.delete_member
        select members.organization_id
        from members
        join organizations on organizations.id = members.organization_id and deleted_at is null
        where members.user_id = ?
        order by members.created_at, members.organization_id limit 1
        """,
        (user_id,),
    ).fetchone()
    if other is None:
        db.execute("-- organizations.delete_member\ndelete from sessions where user_id = ?", (user_id,))
        return
    db.execute(
        """
        -- organizations.delete_member
        update sessions set organization_id = ? where user_id = ? and organization_id = ?
        """,
        (other[0], user_id, organization_id),
    )


def is_administrator(db: Connection, user_id: str) -> bool:
    """Whether this user runs the box."""
    found = db.execute(
        "-- organizations.is_administrator\nselect is_administrator from users where id = ?", (user_id,)
    ).fetchone()
    return found is not None and bool(found[0])
