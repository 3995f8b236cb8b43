"""Making and changing organizations: each verb writes its rows and audit entries in the caller's transaction."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict
from analytics_box.base.identity import Role, logo_path
from analytics_box.base.names import slug_of
from analytics_box.base.outgoing import fences
from analytics_box.base.outgoing.addresses import Network
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.base.translation import _
from analytics_box.tenants.organizations import rules
from analytics_box.tenants.organizations.rules import Plan
from analytics_box.tenants.tenancy import defaults, members
from analytics_box.tenants.tenancy import rules as tenancy
from analytics_box.tenants.tenancy.defaults import new_site
from analytics_box.tenants.tenancy.messages import date
from analytics_box.tenants.tenancy.rules import SLUG_TAKEN, Organization, OrganizationMember, StoredOrganization
from analytics_box.web.call import Call


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


def update_row(db: Connection, organization: StoredOrganization) -> None:
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


class OrganizationUpdate(Struct, frozen=True):
    """New settings of an organization; None leaves what is there. `metadata` is a JSON object, taken as a whole.

    `private_targets` are networks as an administrator enters them: all, none, or a list of addresses and ranges.
    """

    name: str | None = None
    slug: str | None = None
    time_zone: str | None = None
    plan: Plan | None = None
    metadata: dict[str, Any] | None = None
    private_targets: str | None = None


def create(
    db: Connection, by: By, *, most: int, name: str, slug: str | None = None, metadata: dict[str, Any] | None = None
) -> StoredOrganization:
    """A new organization, owned by the actor, who may have at most `most` unless they administer the box.

    Raises BadRequest, or Conflict for a slug that is taken and beyond the most.
    """
    if by.user_id is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    if count_of(db, by.user_id) >= most and not members.administers(db, by):
        raise errors.Conflict.full(
            "organizations",
            most,
            _(
                "You already have {most:,} organizations (organizations_per_user); delete one, or ask the administrator"
            ).format(most=most),
        )
    clean = tenancy.clean_organization(name)
    if slug is not None:
        slug = rules.clean_slug(slug)
    organization = Organization(
        id=ids.new_id(),
        name=clean,
        slug=slug or free_slug(db, clean),
        plan="hobby",
        site=new_site(db, by.now),
        created_at=by.now,
    )
    members.insert_organization(db, organization, owner=by.user_id, metadata=rules.metadata_of(metadata or {}))
    audit.record(db, by, organization.id, "created", "organization", organization.id, {"name": organization.name})
    return members.existing_organization(db, organization.id)


def free_slug(db: Connection, name: str) -> str:
    """A slug made of the name that no organization has."""
    slug = slug_of(name, fallback="organization")
    return slug if not slug_is_taken(db, slug) else f"{slug[:43].rstrip('-')}-{ids.base62(6).lower()}"


def update(
    db: Connection, organization_id: str, by: By, given: OrganizationUpdate, allowed: tuple[Network, ...] = ()
) -> StoredOrganization:
    """Change settings. The plan and private networks, of which `allowed` may be given, are for the box administrator.

    Raises Forbidden, BadRequest or Conflict.
    """
    members.check(db, organization_id, by, "update")
    before = members.existing_organization(db, organization_id)
    if given.plan is not None and given.plan != before.plan and not members.administers(db, by):
        raise errors.Forbidden(_("Only a server administrator can change the plan"))
    if given.private_targets is not None:
        if not members.administers(db, by):
            raise errors.Forbidden(_("Only a server administrator can open private networks"))
        open_networks(db, organization_id, by, given.private_targets, allowed)
    after = replace(
        before,
        name=before.name if given.name is None else tenancy.clean_organization(given.name),
        slug=before.slug if given.slug is None else rules.clean_slug(given.slug),
        time_zone=before.time_zone if given.time_zone is None else rules.known_zone(given.time_zone),
        plan=given.plan or before.plan,
        metadata=before.metadata if given.metadata is None else rules.metadata_of(given.metadata),
    )
    changes = audit.difference(before, after)
    if changes:
        update_row(db, after)
        audit.record(db, by, organization_id, "updated", "organization", organization_id, changes)
    return after


def open_networks(db: Connection, organization_id: str, by: By, given: str, allowed: tuple[Network, ...]) -> str:
    """Set the private networks that an organization may reach. Return the stored text.

    The caller checks the actor's permission and, after the commit, updates the directory. Raises BadRequest.
    """
    before = defaults.private_targets_of(db, organization_id)
    try:
        after = fences.clean(given, allowed) if given.strip().lower() != shown_networks(before) else before
    except errors.BadRequest as wrong:
        raise errors.BadRequest.about("privateTargets", wrong.message) from wrong
    if after != before:
        defaults.store_networks(db, organization_id, after)
        changes = {"privateTargets": {"before": shown_networks(before), "after": shown_networks(after)}}
        audit.record(db, by, organization_id, "updated", "organization", organization_id, changes)
    return after


def shown_networks(stored: str) -> str:
    """The private networks of an organization as people read and enter them."""
    return stored or fences.NONE


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
