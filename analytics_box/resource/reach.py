"""Access to resources: one decision for API keys, signed-in people of any organization, and the box itself.

People act by their role in the organization that owns a resource, whichever their session is on (owners.py). Keys act
as admins within their scopes; a restricted key reaches only what belongs to its websites.
"""

from collections.abc import Set
from typing import Protocol, TypeVar

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.errors import ResourceType
from analytics_box.base.identity import Role, require
from analytics_box.base.store.db import Connection
from analytics_box.web.call import Call

NOT_YOURS = "Access denied to this organization"


class OwnedRow(Protocol):
    """A row that an organization owns; one with a `website_id` can belong to a website."""

    @property
    def organization_id(self) -> str:
        """The owner."""


class OrganizationActor(Protocol):
    """An actor in an organization."""

    @property
    def organization_id(self) -> str:
        """The organization."""

    @property
    def by(self) -> By:
        """The actor."""


T = TypeVar("T", bound=OwnedRow)


class Reach(Struct, frozen=True):
    """The resources that a caller can act on: those of an organization and, for a restricted key, only those of its
    websites.
    """

    organization_id: str
    by: By
    websites: Set[str] | None = None

    def covers(self, row: OwnedRow) -> bool:
        """Whether a resource is in reach."""
        return row.organization_id == self.organization_id and self.reaches(getattr(row, "website_id", None))

    def reaches(self, website_id: str | None) -> bool:
        """Whether resources of this website are in reach; None for resources of no website."""
        return self.websites is None or website_id in self.websites


def reach(call: Call, organization_id: str | None = None, *, restricted: bool = False) -> Reach:
    """The resources that a caller can act on in the named organization, else in the caller's.

    Raises AuthRequired, Forbidden for another organization and, unless `restricted` keys can act, for such a key.
    """
    if not restricted:
        refuse_restricted(call)
    key = call.identity.key
    return Reach(call.organization(organization_id), call.by, key.websites if key is not None else None)


def acting(call: Call, organization_id: str | None) -> tuple[str, By]:
    """The organization of a call, and its actor. Raises what `reach` raises."""
    found = reach(call, organization_id)
    return found.organization_id, found.by


def refuse_restricted(call: Call) -> None:
    """Raises Forbidden for a key of single websites, which cannot act for its organization."""
    if call.identity.key is not None and call.identity.key.websites is not None:
        raise errors.Forbidden("This requires a key with global access")


def find_in_reach(
    call: Call, row: T | None, noun: ResourceType, row_id: str, *, restricted: bool = False
) -> tuple[Reach, T]:
    """A resource in reach of a caller, in the organization that owns it. Raises NotFound, also for others' resources.

    Raises Forbidden for a restricted key unless `restricted` keys can act, or AuthRequired.
    """
    if not restricted:
        refuse_restricted(call)
    try:
        own = reach(call, None if row is None else row.organization_id, restricted=restricted)
    except errors.Forbidden as refused:
        raise errors.NotFound.of(noun, row_id) from refused
    return own, in_reach(own, row, noun, row_id)


def in_reach(own: Reach, row: T | None, noun: ResourceType, row_id: str) -> T:
    """The row, if it is in reach. Raises NotFound for an unknown resource and for one out of reach."""
    if row is None or not own.covers(row):
        raise errors.NotFound.of(noun, row_id)
    return row


def check(db: Connection, own: OrganizationActor, role: Role) -> None:
    """Raises Forbidden for people who do not belong to the organization, or not with this role."""
    require(role_of(db, own.organization_id, own.by), role)


def role_of(db: Connection, organization_id: str, by: By) -> Role:
    """The role in which a user acts now. Raises Forbidden for users who are not members."""
    if by.user_id is None:
        return "admin"
    role = role_in(db, organization_id, by.user_id)
    if role is None:
        raise errors.Forbidden(NOT_YOURS)
    return role


def role_in(db: Connection, organization_id: str, user_id: str) -> Role | None:
    """The role of a user in an organization; None for no member and for a deleted organization."""
    found = db.execute(
        """
        -- reach.role_in
        select members.role from members
        join organizations on organizations.id = members.organization_id and deleted_at is null
        where members.organization_id = ? and members.user_id = ?
        """,
        (organization_id, user_id),
    ).fetchone()
    role: Role | None = None if found is None else found[0]
    return role
