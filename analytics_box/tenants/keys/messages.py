"""Input and output of API-key procedures (wire 10.2). Dates have the RPC form."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.identity import Role, Scope
from analytics_box.resource.fields import input_of
from analytics_box.tenants.keys.rules import GivenResources, KeyType, RateLimit, StoredKey
from analytics_box.tenants.tenancy.messages import Text


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
