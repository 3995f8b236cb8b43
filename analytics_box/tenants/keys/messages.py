"""Input and output of API-key procedures (wire 10.2). Dates have the RPC form."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.identity import Role, Scope
from analytics_box.tenants.keys import rules
from analytics_box.tenants.keys.rules import KeyType, RateLimit
from analytics_box.tenants.tenancy.messages import Text

Scopes = Annotated[tuple[Scope, ...], Meta(max_length=50)]
GivenResources = Annotated[dict[Text, Scopes], Meta(max_length=rules.MOST_RESOURCES)]
Instant = Annotated[datetime, Meta(tz=True)]


class KeyId(Struct, frozen=True, forbid_unknown_fields=True):
    id: Text


class CreateKey(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of apikeys.create. Without resources the key is global."""

    name: Annotated[str, Meta(max_length=rules.MOST_NAME)]
    scopes: Scopes
    organizationId: Text | None = None
    type: KeyType = "user"
    description: Annotated[str, Meta(max_length=rules.MOST_DESCRIPTION)] | None = None
    resources: GivenResources | None = None
    tags: tuple[Text, ...] = ()
    expiresAt: Instant | None = None
    ratelimit: RateLimit | None = None


class ChangedKey(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of apikeys.update; what is not given stays, null takes away."""

    id: Text
    name: Annotated[str, Meta(max_length=rules.MOST_NAME)] | UnsetType = UNSET
    description: Annotated[str, Meta(max_length=rules.MOST_DESCRIPTION)] | UnsetType | None = UNSET
    enabled: bool | UnsetType = UNSET
    scopes: Scopes | UnsetType = UNSET
    resources: GivenResources | UnsetType = UNSET
    tags: tuple[Text, ...] | UnsetType = UNSET
    expiresAt: Instant | UnsetType | None = UNSET
    ratelimit: RateLimit | UnsetType | None = UNSET


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
