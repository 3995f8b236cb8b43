"""Valid API keys, and who can grant which scopes (spec 2.1, 2.2; wire 10.2). Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base import ids, names
from analytics_box.base.errors import BadRequest, Forbidden, check_together
from analytics_box.base.identity import ApiKey, KeyRate, Role, Scope
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field, Instant, Stamp, or_null
from analytics_box.tenants.tenancy.messages import Text

START_LENGTH = 8  # characters of the secret that may be shown (wire 10.2)
GLOBAL = "global"
WEBSITE = "website:"  # followed by a website's id
MOST_NAME, MOST_DESCRIPTION, MOST_TAG = 100, 500, 50  # characters
MOST_TAGS, MOST_RESOURCES = 10, 100
LONGEST_WINDOW = 86_400  # seconds

KeyType = Literal["user", "sdk", "automation"]
TYPES: tuple[KeyType, ...] = get_args(KeyType)
Scopes = Annotated[tuple[Scope, ...], Meta(max_length=50)]
Resources = Mapping[str, tuple[Scope, ...]]
GivenResources = Annotated[dict[Text, Scopes], Meta(max_length=MOST_RESOURCES)]

ADMINISTRATORS = ("admin", "owner")
MEMBER_SCOPES = frozenset({"read:data", "track:events", "read:links", "read:monitors", "read:status_pages"})


class RateLimit(Struct, frozen=True, forbid_unknown_fields=True):
    """A key's own limit: `max` requests per `window` seconds, as long as it is enabled."""

    enabled: bool
    max: int
    window: int


class StoredKey(Struct, frozen=True, kw_only=True, rename="camel"):
    """A key, without its secret. Times are UTC ms.

    `resources` maps "global" or "website:<id>" to further scopes.
    """

    digest: bytes
    id: str
    organization_id: str
    name: Annotated[str, Meta(max_length=MOST_NAME), Field()]
    start: str
    type: KeyType
    description: Annotated[
        str, Meta(max_length=MOST_DESCRIPTION), Field(clean=str.strip, null=True, empty="", shown=or_null)
    ]
    scopes: Annotated[Scopes, Field()]
    resources: Annotated[Resources, Field(wire=GivenResources)]
    tags: Annotated[tuple[Text, ...], Field()]
    ratelimit: Annotated[RateLimit | None, Field()]
    enabled: bool
    created_at: Stamp
    updated_at: Stamp
    expires_at: Instant | None = None
    revoked_at: Stamp | None = None
    last_used_at: Stamp | None = None


def new_key(organization_id: str, *, key_id: str, now: int) -> tuple[StoredKey, str]:
    """A key without a name and permissions, and its secret, which exists only here and in the answer that shows it."""
    secret = ids.new_key_secret()
    key = StoredKey(
        digest=ids.digest(secret),
        id=key_id,
        organization_id=organization_id,
        name="",
        start=secret[:START_LENGTH],
        type="user",
        description="",
        scopes=(),
        resources={},
        tags=(),
        ratelimit=None,
        enabled=True,
        created_at=now,
        updated_at=now,
    )
    return key, secret


def key_of(record: StoredKey) -> ApiKey:
    """The key as requests meet it. Effective scopes are top-level ∪ global ∪ the resource's own (wire 10.2)."""
    everywhere = frozenset(record.scopes) | frozenset(record.resources.get(GLOBAL, ()))
    own = {
        website: frozenset(scopes) - everywhere
        for website, scopes in websites_of(record.resources).items()
        if not everywhere.issuperset(scopes)
    }
    rate = record.ratelimit
    return ApiKey(
        id=record.id,
        organization_id=record.organization_id,
        name=record.name,
        start=record.start,
        scopes=everywhere,
        websites=None if record.resources.get(GLOBAL) else frozenset(websites_of(record.resources)),
        enabled=record.enabled,
        expires_at=record.expires_at,
        revoked_at=record.revoked_at,
        own=own,
        rate=KeyRate(rate.max, rate.window) if rate is not None and rate.enabled else None,
    )


def websites_of(resources: Resources) -> dict[str, tuple[Scope, ...]]:
    """The scopes of single websites by website id."""
    return {name.removeprefix(WEBSITE): tuple(scopes) for name, scopes in resources.items() if name.startswith(WEBSITE)}


def resources_for(scopes: tuple[Scope, ...], websites: Collection[str] | None) -> dict[str, tuple[Scope, ...]]:
    """Access to all websites of the organization (None), or to these."""
    return {GLOBAL: scopes} if websites is None else {f"{WEBSITE}{website}": () for website in sorted(websites)}


def check(key: StoredKey, *, known: Collection[str], now: int | None) -> StoredKey:
    """Return a key with each value in its one spelling. Raises BadRequest, which names each wrong field.

    `known` are ids of websites that it may name; `now` is None if its expiry is an old one.
    """
    check_together(
        lambda: clean_name(key.name),
        lambda: clean_tags(key.tags),
        lambda: check_scopes(bool(key.scopes or any(key.resources.values()))),
        lambda: _check_resources(key.resources, known),
        lambda: _check_limits(key, now),
    )
    return replace(
        key,
        name=clean_name(key.name),
        scopes=tuple(sorted(set(key.scopes))),
        resources={where: tuple(sorted(set(scopes))) for where, scopes in sorted(key.resources.items())},
        tags=clean_tags(key.tags),
    )


def clean_name(text: str) -> str:
    """Return the name of a key. Raises BadRequest."""
    name = names.one_line(text)
    if not name:
        raise BadRequest.about("name", _("Enter a name."))
    if not names.is_name(name, MOST_NAME):
        raise BadRequest.about("name", _("Use up to {most} characters.").format(most=MOST_NAME))
    return name


def clean_tags(given: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of a key. Raises BadRequest."""
    tags = tuple(dict.fromkeys(tag.strip() for tag in given))
    if len(tags) > MOST_TAGS or not all(1 <= len(tag) <= MOST_TAG for tag in tags):
        raise BadRequest.about(
            "tags", _("Use up to {tags} tags of up to {most} characters.").format(tags=MOST_TAGS, most=MOST_TAG)
        )
    return tags


def check_scopes(any_chosen: bool) -> None:
    """Check that a key can do something. Raises BadRequest."""
    if not any_chosen:
        raise BadRequest.about("scopes", _("Select at least one permission."))


def _check_limits(key: StoredKey, now: int | None) -> None:
    rate = key.ratelimit
    if len(key.description) > MOST_DESCRIPTION:
        raise BadRequest.about("description", _("Use up to {most} characters.").format(most=MOST_DESCRIPTION))
    if now is not None and key.expires_at is not None and key.expires_at <= now:
        raise BadRequest.about("expiresAt", _("Enter a time in the future."))
    if rate is not None and not (rate.max >= 1 and 1 <= rate.window <= LONGEST_WINDOW):
        raise BadRequest.about(
            "ratelimit", _("Allow at least 1 request, in 1 to {longest} seconds.").format(longest=f"{LONGEST_WINDOW:,}")
        )


def _check_resources(resources: Resources, known: Collection[str]) -> None:
    if len(resources) > MOST_RESOURCES:
        raise BadRequest.about("resources", _("Enter up to {most} websites").format(most=MOST_RESOURCES))
    for name in resources:
        if name != GLOBAL and not (name.startswith(WEBSITE) and name.removeprefix(WEBSITE) in known):
            raise BadRequest.about("resources", _("Enter global, or website: followed by a website id"))
    if not resources.get(GLOBAL) and not websites_of(resources):
        raise BadRequest.about("resources", _("Select all websites, or at least one"))


def without(resources: Resources, gone: Collection[str], *, instead: tuple[Scope, ...]) -> dict[str, tuple[Scope, ...]]:
    """Resource access after scopes were taken away: they go everywhere. A global key stays global by its new scopes."""
    kept: dict[str, tuple[Scope, ...]] = {
        name: tuple(scope for scope in scopes if scope not in gone) for name, scopes in resources.items()
    }
    if resources.get(GLOBAL) and not kept[GLOBAL]:
        kept[GLOBAL] = instead
    return kept


def effective(key: ApiKey, resource: str | None, *, within: bool = True) -> frozenset[str]:
    """The scopes that a key holds on a resource; without one, wherever it reaches (wire 10.2).

    `within` says whether a named website belongs to the key's organization.
    """
    if resource is None:
        return key.scopes
    if resource == GLOBAL:
        return key.scopes if key.websites is None else frozenset()
    website = resource.removeprefix(WEBSITE)
    if not resource.startswith(WEBSITE) or not within or not key.reaches(website):
        return frozenset()
    return key.scopes | key.own.get(website, frozenset())


def may_edit_scopes(role: Role) -> bool:
    """Scope edits, revoke, rotate and delete need owner or admin (wire 10.2)."""
    return role in ADMINISTRATORS


def check_grant(role: Role, key: StoredKey) -> None:
    """Check that a person grants no more than their role has: members grant reading and tracking. Raises Forbidden."""
    given = {*key.scopes, *(scope for scopes in key.resources.values() for scope in scopes)}
    too_much = sorted(given - MEMBER_SCOPES)
    if too_much and not may_edit_scopes(role):
        raise Forbidden(
            _("Your role in this organization is {role}; a key with {too_much} requires admin").format(
                role=role, too_much=", ".join(too_much)
            )
        )


State = Literal["works", "expired", "disabled", "revoked"]


def state_of(key: ApiKey | StoredKey, now: int) -> State:
    """The state of a key at this time."""
    if key.revoked_at is not None:
        return "revoked"
    if not key.enabled:
        return "disabled"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "works"
