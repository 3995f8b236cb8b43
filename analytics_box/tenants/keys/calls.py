"""API keys over RPC, for people who are signed in (wire 10.2).

Reading needs a seat in the organization. Members make keys that read and track, and rename keys; scopes, access,
expiry and limits of a key, and its end, are for owners and admins.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.identity import ApiKey, Role, Scope
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.fields import answer_of, date, input_of, values_of
from analytics_box.tenants.keys import change, rules
from analytics_box.tenants.keys.ring import KEYS, KeyRing
from analytics_box.tenants.keys.rules import GivenResources, KeyType, RateLimit, StoredKey
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, Text
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call


class KeyId(Struct, frozen=True, forbid_unknown_fields=True):
    id: Text


@input_of(StoredKey, needed=("name", "scopes"))
class CreateKey(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of apikeys.create. Without resources the key is global."""

    organizationId: Text | None = None
    type: KeyType = "user"
    resources: GivenResources | None = None


@input_of(StoredKey)
class ChangedKey(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of apikeys.update: omitted fields keep their values, null removes them."""

    id: Text
    enabled: bool | UnsetType = UNSET


class Secret(Struct, frozen=True):
    """A new secret, shown this once."""

    id: str
    secret: str
    prefix: str
    start: str


class KeyRecord(Struct, frozen=True):
    """A key as procedures answer with it; never its secret."""

    id: str
    name: str
    prefix: str
    start: str
    type: KeyType
    enabled: bool
    scopes: tuple[Scope, ...]
    tags: tuple[str, ...]
    description: str | None
    resources: dict[str, tuple[Scope, ...]]
    ratelimit: RateLimit | None
    organizationId: str
    expiresAt: datetime | None
    revokedAt: datetime | None
    lastUsedAt: datetime | None
    createdAt: datetime
    updatedAt: datetime


class MyRole(Struct, frozen=True):
    """Output of apikeys.getMyRole."""

    role: Role
    canEditScopes: bool


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of apikeys.verify. `resource` is "global" or "website:<id>"."""

    secret: Annotated[str, Meta(max_length=255)] | None = None
    resource: Text | None = None
    requiredScopes: Annotated[tuple[Text, ...], Meta(max_length=50)] = ()
    mode: Literal["any", "all"] = "all"
    trackUsage: bool = True


class Valid(Struct, frozen=True):
    """Output of apikeys.verify for a key that works and has what is required."""

    valid: Literal[True]
    keyId: str
    ownerId: str
    scopes: tuple[str, ...]


ErrorCode = Literal["MISSING_KEY", "INVALID_KEY", "DISABLED", "REVOKED", "EXPIRED", "MISSING_SCOPES"]


class Invalid(Struct, frozen=True):
    """Output of apikeys.verify for everything else."""

    valid: Literal[False]
    error: str
    errorCode: ErrorCode
    scopes: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


# Fields that only admins and owners can change.
_RESTRICTED = ("enabled", "scopes", "resources", "ratelimit", "expires_at")


async def get_my_role(call: Call, given: OrganizationInput) -> MyRole:
    """apikeys.getMyRole: return the caller's permissions on API keys."""
    call.organization(given.organizationId)
    return MyRole(role(call), rules.may_edit_scopes(role(call)))


async def list_keys(call: Call, given: OrganizationInput) -> list[KeyRecord]:
    """apikeys.list: list API keys, including expired and revoked ones, newest first."""
    organization_id = call.organization(given.organizationId)
    return [key_answer(call, key) for key in await keys_of(call, organization_id)]


async def keys_of(call: Call, organization_id: str) -> list[StoredKey]:
    """The keys of an organization, newest first."""
    return await call.read(lambda db: KEYS.all(db, "organization_id = ? order by created_at desc, id", organization_id))


async def get_by_id(call: Call, given: KeyId) -> KeyRecord:
    """apikeys.getById: get an API key. Raises NotFound."""
    organization_id = call.organization()
    return key_answer(call, await call.read(lambda db: change.find(db, given.id, organization_id)))


async def create(call: Call, given: CreateKey) -> Secret:
    """apikeys.create: create an API key. Raises BadRequest, or Forbidden for more than the role may give.

    The secret is returned only once.
    """
    values = values_of(given, StoredKey) | {"type": given.type}
    if given.resources is None:
        values["resources"] = rules.resources_for(values["scopes"], None)
    key, secret = await make(call, values, call.organization(given.organizationId))
    return Secret(id=key.id, secret=secret, prefix=ids.KEY_PREFIX, start=key.start)


async def make(call: Call, values: Mapping[str, Any], organization_id: str) -> tuple[StoredKey, str]:
    """Store a new key with these values, which works immediately; with its secret. Raises BadRequest or Forbidden."""
    known = {website.id for website in call.parts[Directory].of(organization_id)}
    key, secret = change.draft(organization_id, values, now=call.now)
    key = rules.check(key, known=known, now=call.now)
    rules.check_grant(role(call), key)
    await call.write(lambda db: change.store(db, key, by=call.by))
    call.parts[KeyRing].remember(key)
    return key, secret


async def update(call: Call, given: ChangedKey) -> KeyRecord:
    """apikeys.update: update an API key. Raises NotFound, BadRequest, Conflict for a revoked key, Forbidden."""
    if not rules.may_edit_scopes(role(call)):
        _refuse_restricted(given, role(call))
    return key_answer(call, await change_as(call, given.id, lambda key: _changes(given, key)))


async def change_as(call: Call, key_id: str, want: Callable[[StoredKey], Mapping[str, Any]]) -> StoredKey:
    """Store the values that `want` returns for a key, with immediate effect. Raises what apikeys.update raises."""
    organization_id = call.organization()
    known = {website.id for website in call.parts[Directory].of(organization_id)}

    def edit(before: StoredKey) -> StoredKey:
        after = replace(before, **want(before))
        already = rules.websites_of(before.resources)  # These stay, even if the website is deleted.
        is_new_expiry = after.expires_at != before.expires_at
        return rules.check(after, known=known.union(already), now=call.now if is_new_expiry else None)

    key = await call.write(lambda db: change.update(db, key_id, edit, organization_id=organization_id, by=call.by))
    call.parts[KeyRing].remember(key)
    return key


async def revoke(call: Call, given: KeyId) -> Success:
    """apikeys.revoke: revoke an API key permanently, with immediate effect. Raises NotFound or Conflict."""
    organization_id = call.organization()
    key = await call.write(lambda db: change.revoke(db, given.id, organization_id=organization_id, by=call.by))
    call.parts[KeyRing].remember(key)
    return Success()


async def rotate(call: Call, given: KeyId) -> Secret:
    """apikeys.rotate: replace the secret of an API key. Raises NotFound, and Conflict for a revoked key.

    The new secret is returned only once. The old one stops working immediately.
    """
    organization_id = call.organization()
    key, secret = await call.write(lambda db: change.rotate(db, given.id, organization_id=organization_id, by=call.by))
    call.parts[KeyRing].remember(key)
    return Secret(id=key.id, secret=secret, prefix=ids.KEY_PREFIX, start=key.start)


async def delete(call: Call, given: KeyId) -> Success:
    """apikeys.delete: delete an API key. Raises NotFound."""
    organization_id = call.organization()

    def write(db: Connection) -> None:
        change.delete(db, given.id, organization_id=organization_id, by=call.by)

    await call.write(write)
    call.parts[KeyRing].forget(given.id)
    return Success()


def role(call: Call) -> Role:
    """The caller's role; the command line has that of an admin. Raises AuthRequired for callers who have none."""
    if call.identity.operator is not None:
        return "admin"
    if call.identity.person is None:
        raise errors.AuthRequired(_("Authentication required"))
    return call.identity.person.role


def _refuse_restricted(given: ChangedKey, role: Role) -> None:
    """Raises Forbidden for a change that needs another role."""
    for name, wire_name in zip(given.__struct_fields__, given.__struct_encode_fields__, strict=True):
        if name in _RESTRICTED and getattr(given, name) is not UNSET:
            raise errors.Forbidden(
                _("Your role in this organization is {role}; {wire_name} requires admin").format(
                    role=role, wire_name=wire_name
                )
            )


def key_answer(call: Call, key: StoredKey) -> KeyRecord:
    """A key for an answer."""
    used = call.parts[KeyRing].last_used(key.id)
    return answer_of(KeyRecord, key, prefix=ids.KEY_PREFIX, lastUsedAt=None if used is None else date(used))


def _changes(given: ChangedKey, before: StoredKey) -> dict[str, Any]:
    """The new values that apikeys.update asks for. Scopes that are taken away go everywhere."""
    values = values_of(given, StoredKey)
    if given.enabled is not UNSET:
        values["enabled"] = given.enabled
    if "scopes" in values and "resources" not in values:
        gone = set(before.scopes) - set(values["scopes"])
        values["resources"] = rules.without(before.resources, gone, instead=values["scopes"])
    return values


async def verify(call: Call, given: Claim) -> Valid | Invalid:
    """apikeys.verify: verify a secret and return its permissions."""
    if not given.secret:
        return Invalid(False, "Send the secret of an API key", "MISSING_KEY")
    key = call.parts[KeyRing].look_up(given.secret)
    if key is None:
        return Invalid(False, "There is no API key with this secret", "INVALID_KEY")
    state = rules.state_of(key, call.now)
    if state == "revoked":
        return Invalid(False, "This API key is revoked", "REVOKED")
    if state == "disabled":
        return Invalid(False, "This API key is disabled", "DISABLED")
    if state == "expired":
        return Invalid(False, "This API key has expired", "EXPIRED")
    if given.trackUsage:
        call.parts[KeyRing].note_use(key, call.now)
    held = rules.effective(key, given.resource, within=_is_own(call, key, given.resource))
    matched = tuple(scope for scope in given.requiredScopes if scope in held)
    missing = tuple(scope for scope in given.requiredScopes if scope not in held)
    unreached = given.resource is not None and not held
    lacking = bool(missing) and (given.mode == "all" or not matched)
    if unreached or lacking:
        error = "This API key lacks what is required"
        return Invalid(False, error, "MISSING_SCOPES", tuple(sorted(held)), matched, missing)
    return Valid(True, keyId=key.id, ownerId=key.organization_id, scopes=tuple(sorted(held)))


def _is_own(call: Call, key: ApiKey, resource: str | None) -> bool:
    """Whether a named website is one of the key's organization."""
    if resource is None or not resource.startswith(rules.WEBSITE):
        return True
    website = call.parts[Directory].find(resource.removeprefix(rules.WEBSITE))
    return website is not None and website.organization_id == key.organization_id
