"""Changes of organizations in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec.structs import asdict

from analytics_box.base.errors import Conflict
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.tenants.tenancy.rules import SLUG_TAKEN, StoredOrganization


def count_of(db: Connection, user_id: str) -> int:
    """The number of organizations that a user created or owns, including deleted ones that can be restored."""
    found = db.execute(
        """
        -- organizations.count_of
        select count(*) from organizations
        where purged_at is null and (
          created_by = ?1
          or id in (select organization_id from members where user_id = ?1 and role = 'owner')
        )
        """,
        (user_id,),
    ).fetchall()
    return int(str(found[0][0]))


def slug_is_taken(db: Connection, slug: str) -> bool:
    found = db.execute("-- organizations.slug_is_taken\nselect 1 from organizations where slug = ?", (slug,)).fetchone()
    return found is not None


def update(db: Connection, organization: StoredOrganization) -> None:
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
        raise Conflict.about("slug", SLUG_TAKEN) from taken
