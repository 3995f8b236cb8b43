"""The members of an organization and what each may do there: each change writes its rows and audit entries.

Roles are read inside the caller's transaction, so two concurrent changes cannot leave an organization without an owner.
"""

from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.differences import difference
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Role
from analytics_box.base.notify import change
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.resource.reach import GRANTED, NOT_YOURS, owner, role_of
from analytics_box.tenants.tenancy import rows, rules
from analytics_box.tenants.tenancy.rules import Action, Organization, OrganizationMember, StoredOrganization


def check(db: Connection, organization_id: str, by: By, action: Action) -> Role:
    """The role of the actor. Raises Forbidden if it does not allow the action."""
    role = role_of(db, organization_id, by)
    rules.check(role, action)
    return role


def existing_organization(db: Connection, organization_id: str) -> StoredOrganization:
    """Raises Forbidden for an unknown or deleted organization, as for one of others."""
    found = rows.find(db, organization_id)
    if found is None:
        raise errors.Forbidden(NOT_YOURS)
    return found


def organizations_of(db: Connection, user_id: str) -> list[StoredOrganization]:
    """The organizations that a user belongs to, the oldest membership first."""
    return rows.of_user(db, user_id)


def administers(db: Connection, by: By) -> bool:
    """Whether the actor runs this box."""
    return by.user_id is not None and rows.is_administrator(db, by.user_id)


def of_organization(db: Connection, organization_id: str) -> list[OrganizationMember]:
    """All members, who joined first first."""
    return rows.members(db, organization_id)


def belongs_somewhere(db: Connection, user_id: str) -> bool:
    """Whether a user is a member of any organization."""
    return bool(rows.of_user(db, user_id))


def insert_organization(db: Connection, organization: Organization, *, owner: str, metadata: str = "{}") -> None:
    """Store a new organization with its first member. `metadata` is a JSON object. Raises Conflict for a taken slug."""
    rows.insert(db, organization, metadata, owner)
    rows.insert_member(db, organization_id=organization.id, user_id=owner, role="owner", now=organization.created_at)


def add(db: Connection, organization_id: str, by: By, *, role: Role, resources: Collection[str] | None = None) -> None:
    """Make the actor a member; the caller has checked that they can be. Raises Conflict for a member."""
    user_id = by.user_id or ""
    rows.insert_member(db, organization_id=organization_id, user_id=user_id, role=role, now=by.now, resources=resources)
    audit.record(db, by, organization_id, "created", "member", user_id, {"role": role, **named_resources(resources)})


def change_role(db: Connection, organization_id: str, by: By, user_id: str, role: Role) -> OrganizationMember:
    """Another role for a member. Raises Forbidden, NotFound, or Conflict for the last owner."""
    acting = check(db, organization_id, by, "change roles")
    member = _member(db, organization_id, user_id)
    rules.check_role_change(acting, member.role, role)
    rules.check_an_owner_stays(_owners(db, organization_id), member.role, role)
    resources = member.resources if role in rules.RESTRICTED else None
    return _set_access(db, organization_id, by, member, role, resources)


def change_access(
    db: Connection, organization_id: str, by: By, user_id: str, resources: Collection[str] | None
) -> OrganizationMember:
    """Let a member access these resources only, or all of them if None. Raises Forbidden, NotFound or BadRequest."""
    acting = check(db, organization_id, by, "change roles")
    member = _member(db, organization_id, user_id)
    rules.check_role_change(acting, member.role, member.role)
    rules.check_resources(member.role, resources)
    known = None if resources is None else existing_resources(db, organization_id, resources)
    return _set_access(db, organization_id, by, member, member.role, known)


def remove(db: Connection, seal: Seal, organization_id: str, by: By, user_id: str) -> OrganizationMember:
    """Remove a member. Email channels to their address are disabled. Raises Forbidden, NotFound, or Conflict for the
    last owner."""
    acting = check(db, organization_id, by, "remove members")
    member = _member(db, organization_id, user_id)
    rules.check_role_change(acting, member.role, None)
    return _delete(db, seal, organization_id, by, member)


def leave(db: Connection, seal: Seal, organization_id: str, by: By) -> OrganizationMember:
    """The actor leaves, as if they were removed. Raises Forbidden, or Conflict for the last owner."""
    role_of(db, organization_id, by)
    return _delete(db, seal, organization_id, by, _member(db, organization_id, by.user_id or ""))


def transfer(db: Connection, organization_id: str, by: By, user_id: str) -> OrganizationMember:
    """Make a member the owner; the actor, an owner until now, becomes an admin. Raises Forbidden or NotFound."""
    check(db, organization_id, by, "transfer")
    member = _member(db, organization_id, user_id)
    if user_id == by.user_id:
        raise BadRequest.about("userId", _("Choose another member"))
    before = _member(db, organization_id, by.user_id or "")
    after = _set_access(db, organization_id, by, member, "owner", None)
    _set_access(db, organization_id, by, before, "admin", None)
    return after


def _delete(db: Connection, seal: Seal, organization_id: str, by: By, member: OrganizationMember) -> OrganizationMember:
    rules.check_an_owner_stays(_owners(db, organization_id), member.role, None)
    rows.delete_member(db, organization_id, member.user_id)
    change.disable_mailbox(db, seal, by, organization_id, member.email)
    detail = {"email": member.email, "role": member.role}
    audit.record(db, by, organization_id, "deleted", "member", member.user_id, detail)
    return member


def _set_access(
    db: Connection,
    organization_id: str,
    by: By,
    before: OrganizationMember,
    role: Role,
    resources: frozenset[str] | None,
) -> OrganizationMember:
    """Another role or other resources, with the audit entry."""
    after = replace(before, role=role, resources=resources)
    changes = difference(before, after, ("role", "resources"), shown={"resources": _access_in_log})
    if changes:
        rows.set_access(db, organization_id, before.user_id, role, resources)
        audit.record(db, by, organization_id, "updated", "member", before.user_id, {"email": before.email, **changes})
    return after


def existing_resources(db: Connection, organization_id: str, wanted: Collection[str]) -> frozenset[str]:
    """The resources with these ids that the organization owns. Raises BadRequest if one does not exist."""
    known = frozenset(one for one in wanted if any(owner(db, {name: one}) == organization_id for name in GRANTED))
    if len(known) < len(frozenset(wanted)):
        raise BadRequest.about("resources", _("At least one of these does not exist in this organization"))
    return known


def named_resources(resources: Collection[str] | None) -> dict[str, list[str]]:
    """The resources of a member for the audit log; empty for members who can access all."""
    return {} if resources is None else {"resources": sorted(resources)}


def _access_in_log(resources: Collection[str] | None) -> Any:
    return "all" if resources is None else sorted(resources)


def _member(db: Connection, organization_id: str, user_id: str) -> OrganizationMember:
    found = rows.member(db, organization_id, user_id)
    if found is None:
        raise errors.NotFound.of("member", user_id)
    return found


def _owners(db: Connection, organization_id: str) -> int:
    return sum(member.role == "owner" for member in rows.members(db, organization_id))
