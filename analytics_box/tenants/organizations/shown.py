"""Organizations and members for answers and for the directory in memory."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.base.identity import Role, logo_path
from analytics_box.tenants.tenancy.messages import date
from analytics_box.tenants.tenancy.rules import Organization, OrganizationMember, StoredOrganization
from analytics_box.web.call import Call


class OrganizationAnswer(Struct, frozen=True):
    """An organization as procedures answer with it. `role` is the caller's; null for an API key.

    `logo` is the address of its picture; members of the organization can load it.
    """

    id: str
    name: str
    slug: str
    logo: str | None
    metadata: dict[str, Any]
    plan: str
    createdAt: datetime
    role: Role | None = None


class MemberShown(Struct, frozen=True):
    """A member as procedures answer with it. `name` can be empty.

    If `confirmed` is false, nothing proves that the address is the member's. `resources` are the IDs of the websites,
    links, monitors, status pages and flags that they can access; null for all.
    """

    userId: str
    email: str
    name: str
    role: Role
    createdAt: datetime
    confirmed: bool
    resources: list[str] | None


def organization_answer(call: Call, stored: StoredOrganization, role: Role | None = None) -> OrganizationAnswer:
    """An organization for an answer."""
    path = logo_path(stored.id, stored.logo)
    return OrganizationAnswer(
        id=stored.id,
        name=stored.name,
        slug=stored.slug,
        logo=f"{call.parts.settings.public_url}{path}" if path else None,
        metadata=msgspec.json.decode(stored.metadata),
        plan=stored.plan,
        createdAt=date(stored.created_at),
        role=role,
    )


def member_shown(member: OrganizationMember) -> MemberShown:
    """A member for an answer."""
    return MemberShown(
        member.user_id,
        member.email,
        member.name,
        member.role,
        date(member.created_at),
        member.confirmed,
        None if member.resources is None else sorted(member.resources),
    )


def in_memory(stored: StoredOrganization) -> Organization:
    """The organization as its directory keeps it."""
    return Organization(
        id=stored.id,
        name=stored.name,
        slug=stored.slug,
        plan=stored.plan,
        site=stored.site,
        created_at=stored.created_at,
    )
