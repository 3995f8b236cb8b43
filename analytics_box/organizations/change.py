"""Making and changing organizations: each verb writes its rows and audit entries in the caller's transaction.

Roles are read inside the transaction too, so that a change of role counts for whatever comes after it.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analytics_box import audit, errors, ids
from analytics_box.accounts import rules as account_rules
from analytics_box.accounts.rules import Organization
from analytics_box.identity import Role
from analytics_box.organizations import rows, rules
from analytics_box.organizations.rules import Action, Plan, Stored
from analytics_box.store.db import Connection
from analytics_box.websites.create import new_site


class By(Struct, frozen=True):
    """Who changes something, as the audit log names them, when (UTC ms), and with which role.

    `user_id` is None for an API key, which acts as an admin within its scope.
    """

    actor: str
    now: int
    user_id: str | None = None


class Given(Struct, frozen=True):
    """New settings of an organization; None leaves what is there. `metadata` is a JSON object, taken as a whole."""

    name: str | None = None
    slug: str | None = None
    time_zone: str | None = None
    plan: Plan | None = None
    metadata: dict[str, Any] | None = None


def role_of(db: Connection, organization_id: str, by: By) -> Role:
    """The role with which somebody acts now. Raises Forbidden for those who do not belong."""
    if by.user_id is None:
        return "admin"
    found = rows.member(db, organization_id, by.user_id)
    if found is None or rows.find(db, organization_id) is None:
        raise errors.Forbidden("Access denied to this organization")
    return found.role


def check(db: Connection, organization_id: str, by: By, action: Action) -> Role:
    """The role with which somebody acts. Raises Forbidden where it does not allow the action."""
    role = role_of(db, organization_id, by)
    rules.check(role, action)
    return role


def create(
    db: Connection, by: By, *, name: str, slug: str | None = None, metadata: dict[str, Any] | None = None
) -> Stored:
    """A new organization whose owner is its maker. Raises BadRequest, or Conflict for a slug that is taken."""
    if by.user_id is None:
        raise errors.Forbidden("Sign in to do this; API keys cannot")
    clean = account_rules.clean_organization(name)
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
    rows.insert(db, organization, rules.metadata_of(metadata or {}))
    rows.insert_member(db, organization_id=organization.id, user_id=by.user_id, role="owner", now=by.now)
    record(db, by, organization.id, "created", "organization", organization.id, {"name": organization.name})
    return existing(db, organization.id)


def free_slug(db: Connection, name: str) -> str:
    """A slug made of the name that no organization has."""
    slug = account_rules.slug_of(name, fallback="organization")
    return slug if not rows.slug_is_taken(db, slug) else f"{slug[:43].rstrip('-')}-{ids.base62(6).lower()}"


def update(db: Connection, organization_id: str, by: By, given: Given) -> Stored:
    """Other settings. The plan is for the box administrator. Raises Forbidden, BadRequest or Conflict."""
    check(db, organization_id, by, "update")
    before = existing(db, organization_id)
    if given.plan is not None and given.plan != before.plan and not administers(db, by):
        raise errors.Forbidden("Only the administrator of this box can change the plan")
    after = replace(
        before,
        name=before.name if given.name is None else account_rules.clean_organization(given.name),
        slug=before.slug if given.slug is None else rules.clean_slug(given.slug),
        time_zone=before.time_zone if given.time_zone is None else rules.known_zone(given.time_zone),
        plan=given.plan or before.plan,
        metadata=before.metadata if given.metadata is None else rules.metadata_of(given.metadata),
    )
    changes = {
        name: {"before": getattr(before, name), "after": getattr(after, name)}
        for name in ("name", "slug", "time_zone", "plan", "metadata")
        if getattr(after, name) != getattr(before, name)
    }
    if changes:
        rows.update(db, after)
        record(db, by, organization_id, "updated", "organization", organization_id, changes)
    return after


def existing(db: Connection, organization_id: str) -> Stored:
    """Raises Forbidden for an unknown or deleted organization, as for one of others."""
    found = rows.find(db, organization_id)
    if found is None:
        raise errors.Forbidden("Access denied to this organization")
    return found


def administers(db: Connection, by: By) -> bool:
    """Whether the actor runs this box."""
    return by.user_id is not None and rows.is_administrator(db, by.user_id)


def record(
    db: Connection,
    by: By,
    organization_id: str,
    action: audit.Action,
    subject: str,
    subject_id: str,
    detail: Mapping[str, object],
) -> None:
    """An audit entry of this organization."""
    audit.record(
        db,
        now=by.now,
        organization_id=organization_id,
        actor=by.actor,
        action=action,
        subject=subject,
        subject_id=subject_id,
        detail=detail,
    )
