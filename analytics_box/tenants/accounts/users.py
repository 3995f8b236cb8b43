"""Accounts: creating and finding them, the setup link of a box without users, and removal of expired account data."""

import msgspec
from msgspec import Struct

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.identity import Role
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rows, rules, second_factor
from analytics_box.tenants.accounts.rules import User


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


class HeldRole(Struct, frozen=True):
    """A role in an organization."""

    organizationId: str
    slug: str
    role: Role


class AccountListItem(Struct, frozen=True):
    """An account for administrators of the box. Times are UTC ms; `seenAt` is None without a session."""

    id: str
    email: str
    name: str
    isAdministrator: bool
    isConfirmed: bool
    hasPassword: bool
    hasSecondFactor: bool
    createdAt: int
    seenAt: int | None
    memberships: tuple[HeldRole, ...]


def find(db: Connection, email: str) -> User | None:
    """The account with this e-mail address."""
    return rows.user_by_email(db, email)


def create(
    db: Connection,
    *,
    email: str,
    organization_id: str,
    by: By,
    name: str = "",
    password: str = "",
    time_zone: str = "",
    confirmed: bool = True,
) -> User:
    """A new account with its audit entry. Raises BadRequest, or Conflict for a known address.

    It is `confirmed` if its owner opened a link that was only mailed, or an administrator makes it. `password` is an
    Argon2 hash; without one the person sets the first by a link. The audit log of the organization has the entry.
    """
    user = User(
        id=ids.new_id(),
        email=rules.clean_email(email),
        password=password,
        time_zone=rules.clean_time_zone(time_zone),
        is_administrator=False,
        created_at=by.now,
        name=rules.clean_name(name),
    )
    if find(db, user.email) is not None:
        raise errors.Conflict(_("There is already an account with the address {email}").format(email=user.email))
    rows.insert_user(db, user)
    if not confirmed:
        set_unconfirmed(db, user.id, unconfirmed=True)
    detail = {"email": user.email} if confirmed else {"email": user.email, "confirmed": False}
    audit.record(db, by, organization_id, "created", "user", user.id, detail)
    return user


def organization_of(db: Connection, user_id: str) -> str | None:
    """The first organization of a user, whose audit log knows of changes to the account."""
    return rows.first_organization_of(db, user_id)


def confirm(db: Connection, user_id: str, *, organization_id: str | None, by: By) -> bool:
    """Mark the account's address as its owner's, and return whether it was not. Whether the actor may say so is for the
    caller."""
    is_new = set_unconfirmed(db, user_id, unconfirmed=False)
    if is_new:
        changes = {"confirmed": {"before": False, "after": True}}
        audit.record(db, by, organization_id, "updated", "user", user_id, changes)
    return is_new


def rename(db: Connection, user_id: str, name: str, *, organization_id: str, by: By) -> None:
    """Call a person something else. Raises BadRequest."""
    before, name = rows.name_of(db, user_id), rules.clean_name(name)
    if name == before:
        return
    rows.set_name(db, user_id, name)
    audit.record(db, by, organization_id, "updated", "user", user_id, {"name": {"before": before, "after": name}})


def list_accounts(db: Connection) -> list[AccountListItem]:
    """All accounts, by address."""
    return [
        AccountListItem(
            id=one.id,
            email=one.email,
            name=one.name,
            isAdministrator=one.is_administrator,
            isConfirmed=one.is_confirmed,
            hasPassword=one.has_password,
            hasSecondFactor=one.has_second_factor,
            createdAt=one.created_at,
            seenAt=one.seen_at,
            memberships=msgspec.json.decode(one.memberships, type=tuple[HeldRole, ...]),
        )
        for one in every_account(db)
    ]


def new_link(db: Connection, *, base_url: str, now: int) -> str | None:
    """A new setup link, which revokes older ones; None once there is an account."""
    if rows.any_user(db):
        return None
    token = ids.new_token()
    rows.replace_setup_token(db, ids.digest(token), now)
    return f"{base_url}/setup?token={token}"


def is_over(db: Connection) -> bool:
    """Whether there is an account."""
    return rows.any_user(db)


def finish(db: Connection, user: User, *, zone_is_chosen: bool) -> None:
    """Store the first user; the setup link is void from now on."""
    rows.insert_user(db, user, zone_is_chosen=zone_is_chosen)
    rows.delete_setup_tokens(db)


def is_valid(db: Connection, token: str, now: int) -> bool:
    """Whether this token opens the setup page: the newest one, for 24 hours, while there is no user."""
    made_at = rows.setup_token_made_at(db, ids.digest(token))
    return made_at is not None and now - made_at < rules.SETUP_LIFE and not rows.any_user(db)


def sweep(db: Connection, now: int) -> None:
    """Delete ended sessions, expired links, and second factors that were begun and never confirmed."""
    rows.delete_old_sessions(db, created_before=now - rules.SESSION_LIFE, seen_before=now - rules.SESSION_IDLE)
    rows.delete_ended(db, now=now)
    rows.delete_old_setup_tokens(db, made_before=now - rules.SETUP_LIFE)
    second_factor.delete_unconfirmed(db, made_before=now - rules.UNCONFIRMED_LIFE)
