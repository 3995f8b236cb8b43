"""The commands `key …`: API keys, which a running box knows of at once."""

from msgspec import Struct

from analytics_box.app.admin.asking import command_line, organization_of
from analytics_box.app.admin.given.keys import KeyCreateOptions, OneKey, SomeKeys
from analytics_box.base import errors, ids
from analytics_box.base.identity import ApiKey
from analytics_box.tenants.keys import change, rules
from analytics_box.tenants.keys.create import create_as
from analytics_box.tenants.keys.revoke import revoke
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Parts


class AdminKey(Struct, frozen=True):
    """A key as the command line shows it; never its secret. Times are UTC ms."""

    id: str
    organizationId: str
    name: str
    start: str
    state: str
    scopes: tuple[str, ...]
    websites: tuple[str, ...] | None
    expiresAt: int | None


class KeyMade(Struct, frozen=True):
    """A new key with its secret, shown this once."""

    id: str
    start: str
    secret: str


async def key_create(parts: Parts, given: KeyCreateOptions) -> KeyMade:
    """key create. Raises BadRequest or NotFound."""
    organization_id = organization_of(parts, given.organization).id
    for website_id in given.websites or ():
        website = parts[Directory].find(website_id)
        if website is None or website.organization_id != organization_id:
            raise errors.NotFound(f"There is no website with the id {website_id} in this organization")
    now = parts.clock.now()
    wanted = rules.check(
        rules.KeyDefinition(
            name=given.name,
            scopes=given.scopes,
            resources=rules.resources_for(given.scopes, given.websites),
            type=given.type,
            tags=given.tags,
            ratelimit=given.ratelimit,
            expires_at=given.expires_at,
        ),
        known=given.websites or (),
        now=now,
    )
    key, secret = await parts.box_db.write(
        lambda db: create_as(db, wanted, organization_id=organization_id, by=command_line(parts))
    )
    parts[KeyRing].remember(ids.digest(secret), key)
    return KeyMade(key.id, key.start, secret)


async def key_list(parts: Parts, given: SomeKeys) -> list[AdminKey]:
    """key list: all keys, or those of one organization."""
    only = organization_of(parts, given.organization).id if given.organization is not None else None
    found = [key for key in parts[KeyRing].all() if only in {None, key.organization_id}]
    return [
        _admin_key(key, parts.clock.now()) for key in sorted(found, key=lambda key: (key.organization_id, key.name))
    ]


async def key_rotate(parts: Parts, given: OneKey) -> KeyMade:
    """key rotate: a new secret; the old one stops working at once. Raises NotFound, or Conflict for a revoked key."""
    organization_id = _organization_of_key(parts, given.id)
    record, secret = await parts.box_db.write(
        lambda db: change.rotate(db, given.id, organization_id=organization_id, by=command_line(parts))
    )
    parts[KeyRing].remember(ids.digest(secret), rules.key_of(record))
    return KeyMade(record.id, record.start, secret)


async def key_delete(parts: Parts, given: OneKey) -> AdminKey:
    """key delete: it stops working at once and is gone. Raises NotFound."""
    organization_id, now = _organization_of_key(parts, given.id), parts.clock.now()
    key = next(key for key in parts[KeyRing].all() if key.id == given.id)
    await parts.box_db.write(
        lambda db: change.delete(db, given.id, organization_id=organization_id, by=command_line(parts))
    )
    parts[KeyRing].forget(given.id)
    return _admin_key(key, now)


async def key_revoke(parts: Parts, given: OneKey) -> AdminKey:
    """key revoke: it stops working at once and for ever. Raises NotFound, or Conflict for one that is revoked."""
    now = parts.clock.now()
    digest, key = await parts.box_db.write(lambda db: revoke(db, given.id, by=command_line(parts)))
    parts[KeyRing].remember(digest, key)
    return _admin_key(key, now)


def _organization_of_key(parts: Parts, key_id: str) -> str:
    """The organization of this key. Raises NotFound."""
    found = next((key.organization_id for key in parts[KeyRing].all() if key.id == key_id), None)
    if found is None:
        raise errors.NotFound("There is no API key with this id")
    return found


def _admin_key(key: ApiKey, now: int) -> AdminKey:
    if key.revoked_at is not None:
        state = "revoked"
    elif not key.enabled:
        state = "disabled"
    else:
        state = "works" if key.usable(now) else "expired"
    return AdminKey(
        id=key.id,
        organizationId=key.organization_id,
        name=key.name,
        start=key.start,
        state=state,
        scopes=tuple(sorted(key.scopes)),
        websites=None if key.websites is None else tuple(sorted(key.websites)),
        expiresAt=key.expires_at,
    )
