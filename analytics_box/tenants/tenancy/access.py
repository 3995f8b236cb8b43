"""Access checks within an organization, read inside the caller's transaction: a change of role applies immediately."""

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.identity import Role
from analytics_box.base.store.db import Connection
from analytics_box.resource.reach import NOT_YOURS, role_of
from analytics_box.tenants.tenancy import rows, rules
from analytics_box.tenants.tenancy.rules import Action, StoredOrganization


def check(db: Connection, organization_id: str, by: By, action: Action) -> Role:
    """The role of the actor. Raises Forbidden if it does not allow the action."""
    role = role_of(db, organization_id, by)
    rules.check(role, action)
    return role


def existing(db: Connection, organization_id: str) -> StoredOrganization:
    """Raises Forbidden for an unknown or deleted organization, as for one of others."""
    found = rows.find(db, organization_id)
    if found is None:
        raise errors.Forbidden(NOT_YOURS)
    return found


def of_user(db: Connection, user_id: str) -> list[StoredOrganization]:
    """The organizations that a user belongs to, the oldest membership first."""
    return rows.of_user(db, user_id)


def administers(db: Connection, by: By) -> bool:
    """Whether the actor runs this box."""
    return by.user_id is not None and rows.is_administrator(db, by.user_id)
