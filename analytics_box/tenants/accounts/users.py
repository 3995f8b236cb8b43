"""Accounts: creating and finding one, and all of them for administrators of the box."""

import msgspec
from msgspec import Struct

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.identity import Role
from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts import rows, rules, user_rows
from analytics_box.tenants.accounts.rules import User


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
        raise errors.Conflict(f"There is an account with the address {user.email} already")
    rows.insert_user(db, user)
    if not confirmed:
        user_rows.set_unconfirmed(db, user.id, unconfirmed=True)
    detail = {"email": user.email} if confirmed else {"email": user.email, "confirmed": False}
    audit.record(db, by, organization_id, "created", "user", user.id, detail)
    return user


def organization_of(db: Connection, user_id: str) -> str | None:
    """The first organization of a user, whose audit log knows of changes to the account."""
    return rows.first_organization_of(db, user_id)


def confirm(db: Connection, user_id: str, *, organization_id: str | None, by: By) -> bool:
    """Mark the account's address as its owner's, and return whether it was not. Whether the actor may say so is for the
    caller."""
    is_new = user_rows.set_unconfirmed(db, user_id, unconfirmed=False)
    if is_new:
        changes = {"confirmed": {"before": False, "after": True}}
        audit.record(db, by, organization_id, "updated", "user", user_id, changes)
    return is_new


def name_of(db: Connection, user_id: str) -> str:
    """The name of a person; empty if they have given none."""
    return rows.name_of(db, user_id)


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
        for one in user_rows.every_account(db)
    ]
