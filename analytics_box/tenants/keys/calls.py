"""API keys over RPC, for people who are signed in (wire 10.2).

Reading needs a seat in the organization. Members make keys that read and track, and rename keys; scopes, access,
expiry and limits of a key, and its end, are for owners and admins.
"""

from collections.abc import Callable
from datetime import datetime

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.identity import ApiKey, Role
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys import change, rows, rules
from analytics_box.tenants.keys.create import create_as
from analytics_box.tenants.keys.messages import (
    ChangedKey,
    CreateKey,
    KeyId,
    KeyRecord,
    MyRole,
    Secret,
)
from analytics_box.tenants.keys.revoke import revoke as revoke_key
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.keys.rules import KeyDefinition, StoredKey
from analytics_box.tenants.tenancy.messages import OrganizationInput, Success, date
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

_RESTRICTED = ("enabled", "scopes", "resources", "expiresAt", "ratelimit")  # not for members


async def get_my_role(call: Call, given: OrganizationInput) -> MyRole:
    """apikeys.getMyRole: return the caller's permissions on API keys."""
    call.organization(given.organizationId)
    return MyRole(role(call), rules.may_edit_scopes(role(call)))


async def list_keys(call: Call, given: OrganizationInput) -> list[KeyRecord]:
    """apikeys.list: list API keys, including expired and revoked ones, newest first."""
    organization_id = call.organization(given.organizationId)
    return [key_answer(call, record) for record in await call.read(lambda db: rows.of(db, organization_id))]


async def get_by_id(call: Call, given: KeyId) -> KeyRecord:
    """apikeys.getById: get an API key. Raises NotFound."""
    organization_id = call.organization()
    _, record = await call.read(lambda db: change.find(db, given.id, organization_id))
    return key_answer(call, record)


async def create(call: Call, given: CreateKey) -> Secret:
    """apikeys.create: create an API key. Raises BadRequest, or Forbidden for more than the role may give.

    The secret is returned only once.
    """
    wanted = KeyDefinition(
        name=given.name,
        type=given.type,
        description=given.description or "",
        scopes=given.scopes,
        resources=rules.resources_for(given.scopes, None) if given.resources is None else given.resources,
        tags=given.tags,
        ratelimit=given.ratelimit,
        expires_at=_milliseconds(given.expiresAt),
    )
    key, secret = await make(call, wanted, call.organization(given.organizationId))
    return Secret(id=key.id, secret=secret, prefix=ids.KEY_PREFIX, start=key.start)


async def make(call: Call, wanted: KeyDefinition, organization_id: str) -> tuple[ApiKey, str]:
    """Check and store a key, and let it work at once; with its secret. Raises BadRequest or Forbidden."""
    known = {website.id for website in call.parts[Directory].of(organization_id)}
    wanted = rules.check(wanted, known=known, now=call.now)
    rules.check_grant(role(call), wanted)
    key, secret = await call.write(lambda db: create_as(db, wanted, organization_id=organization_id, by=call.by))
    call.parts[KeyRing].remember(ids.digest(secret), key)
    return key, secret


async def update(call: Call, given: ChangedKey) -> KeyRecord:
    """apikeys.update: update an API key. Raises NotFound, BadRequest, Conflict for a revoked key, Forbidden."""
    restricted = [name for name in _RESTRICTED if getattr(given, name) is not UNSET]
    if restricted and not rules.may_edit_scopes(role(call)):
        raise errors.Forbidden(f"Your role in this organization is {role(call)}; {restricted[0]} needs admin")
    return key_answer(
        call, await change_as(call, given.id, lambda record: _requested_key(given, record), enabled=given.enabled)
    )


async def change_as(
    call: Call,
    key_id: str,
    want: Callable[[StoredKey], KeyDefinition],
    *,
    enabled: bool | UnsetType = UNSET,
) -> StoredKey:
    """Check and store what `want` makes of a key; it counts at once. Raises what apikeys.update raises."""
    organization_id = call.organization()
    known = {website.id for website in call.parts[Directory].of(organization_id)}

    def edit(record: StoredKey) -> StoredKey:
        wanted = want(record)
        already = rules.websites_of(record.resources)  # they may be gone by now, but they stay
        fresh = wanted.expires_at != record.expires_at
        wanted = rules.check(wanted, known=known.union(already), now=call.now if fresh else None)
        return replace(
            record,
            name=wanted.name,
            description=wanted.description,
            scopes=wanted.scopes,
            resources=wanted.resources,
            tags=wanted.tags,
            ratelimit=wanted.ratelimit,
            expires_at=wanted.expires_at,
            enabled=record.enabled if enabled is UNSET else enabled,
        )

    digest, record = await call.write(
        lambda db: change.update(db, key_id, edit, organization_id=organization_id, by=call.by)
    )
    call.parts[KeyRing].remember(digest, rules.key_of(record))
    return record


async def revoke(call: Call, given: KeyId) -> Success:
    """apikeys.revoke: revoke an API key permanently, with immediate effect. Raises NotFound or Conflict."""
    organization_id = call.organization()
    digest, key = await call.write(lambda db: revoke_key(db, given.id, organization_id=organization_id, by=call.by))
    call.parts[KeyRing].remember(digest, key)
    return Success()


async def rotate(call: Call, given: KeyId) -> Secret:
    """apikeys.rotate: replace the secret of an API key. Raises NotFound, and Conflict for a revoked key.

    The new secret is returned only once. The old one stops working immediately.
    """
    organization_id = call.organization()
    record, secret = await call.write(
        lambda db: change.rotate(db, given.id, organization_id=organization_id, by=call.by)
    )
    call.parts[KeyRing].remember(ids.digest(secret), rules.key_of(record))
    return Secret(id=record.id, secret=secret, prefix=ids.KEY_PREFIX, start=record.start)


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
        raise errors.AuthRequired("Authentication required")
    return call.identity.person.role


def key_answer(call: Call, record: StoredKey) -> KeyRecord:
    """A key for an answer."""
    used = call.parts[KeyRing].last_used(record.id)
    return KeyRecord(
        id=record.id,
        name=record.name,
        prefix=ids.KEY_PREFIX,
        start=record.start,
        type=record.type,
        enabled=record.enabled,
        scopes=record.scopes,
        tags=record.tags,
        description=record.description or None,
        resources=dict(record.resources),
        ratelimit=record.ratelimit,
        organizationId=record.organization_id,
        expiresAt=_date(record.expires_at),
        revokedAt=_date(record.revoked_at),
        lastUsedAt=_date(used),
        createdAt=date(record.created_at),
        updatedAt=date(record.updated_at),
    )


def _requested_key(given: ChangedKey, record: StoredKey) -> KeyDefinition:
    """The definition that apikeys.update asks for."""
    scopes, resources = record.scopes, record.resources
    if given.scopes is not UNSET:
        scopes = given.scopes
        resources = rules.without(resources, set(record.scopes) - set(scopes), instead=scopes)
    if given.resources is not UNSET:
        resources = given.resources
    return KeyDefinition(
        name=record.name if given.name is UNSET else given.name,
        description=record.description if given.description is UNSET else given.description or "",
        scopes=scopes,
        resources=resources,
        tags=record.tags if given.tags is UNSET else given.tags,
        ratelimit=record.ratelimit if given.ratelimit is UNSET else given.ratelimit,
        expires_at=record.expires_at if given.expiresAt is UNSET else _milliseconds(given.expiresAt),
    )


def _milliseconds(given: datetime | None) -> int | None:
    return None if given is None else round(given.timestamp() * 1000)


def _date(instant: int | None) -> datetime | None:
    return None if instant is None else date(instant)
