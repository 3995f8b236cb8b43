"""What OFREP's clients send and get, as types (OFREP 0.3)."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.ofrep.results import Code


class OfrepQuestion(Struct, frozen=True):
    """Who asks: `targetingKey` (or `userId`), `email`, `organizationId`, `teamId`, and whatever rules look at."""

    context: dict[str, Any] | None = None


class OfrepFlag(Struct, frozen=True, kw_only=True):
    """What a flag gives, or with an `errorCode` why it gives nothing. Without a `value` the client has the default."""

    key: str
    metadata: dict[str, str | float | bool]
    value: Any | UnsetType = UNSET
    reason: Literal["STATIC", "TARGETING_MATCH", "SPLIT", "DISABLED"] | UnsetType = UNSET
    variant: str | UnsetType = UNSET
    errorCode: Code | UnsetType = UNSET
    errorDetails: str | UnsetType = UNSET


class OfrepPlace(Struct, frozen=True):
    """Path and query string of a stream, at the origin that was asked."""

    requestUri: str


class OfrepStream(Struct, frozen=True):
    """Where changes are told by server-sent events; a client that nobody looks at closes it after so many seconds."""

    type: Literal["sse"]
    endpoint: OfrepPlace
    inactivityDelaySec: int


class OfrepFlags(Struct, frozen=True):
    """What all active flags give."""

    flags: tuple[OfrepFlag, ...]
    metadata: dict[str, str]
    eventStreams: tuple[OfrepStream, ...] = ()


class OfrepRefusal(Struct, frozen=True):
    """Why nothing is evaluated; of one flag with its key."""

    errorCode: Code
    errorDetails: str
    metadata: dict[str, str]
    key: str | UnsetType = UNSET
