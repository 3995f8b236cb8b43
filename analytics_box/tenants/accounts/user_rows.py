"""All accounts of the box, in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection


class Account(Struct, frozen=True):
    """A user with what hangs on it; `memberships` is JSON, the oldest first. Times are UTC ms."""

    id: str
    email: str
    name: str
    is_administrator: bool
    is_confirmed: bool
    has_password: bool
    has_second_factor: bool
    created_at: int
    seen_at: int | None
    memberships: str


def every_account(db: Connection) -> list[Account]:
    """All users by address, with the organizations that are not deleted."""
    return records.all_of(
        db,
        Account,
        """
        -- users.every_account
        select users.id, users.email, users.name, users.is_administrator, not users.is_unconfirmed,
               users.password <> '',
               exists (select 1 from second_factors where user_id = users.id and confirmed_at is not null),
               users.created_at,
               (select max(seen_at) from sessions where user_id = users.id),
               (select json_group_array(json_object('organizationId', id, 'slug', slug, 'role', role))
                from (select organizations.id, organizations.slug, members.role
                      from members
                      join organizations on organizations.id = members.organization_id
                                        and organizations.deleted_at is null
                      where members.user_id = users.id
                      order by members.created_at, organizations.id))
        from users
        order by users.email, users.id
        """,
    )


def set_unconfirmed(db: Connection, user_id: str, *, unconfirmed: bool) -> bool:
    """Return whether that changed something."""
    return bool(
        db.execute(
            """
            -- users.set_unconfirmed
            update users set is_unconfirmed = ?1 where id = ?2 and is_unconfirmed <> ?1 returning id
            """,
            (int(unconfirmed), user_id),
        ).fetchall()
    )
