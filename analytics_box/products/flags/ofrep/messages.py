"""Requests and answers of OFREP clients, as types (OFREP 0.3)."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.ofrep.results import Code


class OfrepQuestion(Struct, frozen=True):
    """The evaluation context: `targetingKey` (or `userId`), `email`, `organizationId`, `teamId`, and all attributes
    that rules use.
    """

    context: dict[str, Any] | None = None


class OfrepFlag(Struct, frozen=True, kw_only=True):
    """The result of a flag, or an `errorCode` with the reason why there is none. Without a `value` the client uses its
    default.
    """

    key: str
    metadata: dict[str, str | float | bool]
    value: Any | UnsetType = UNSET
    reason: Literal["STATIC", "TARGETING_MATCH", "SPLIT", "DISABLED"] | UnsetType = UNSET
    variant: str | UnsetType = UNSET
    errorCode: Code | UnsetType = UNSET
    errorDetails: str | UnsetType = UNSET


class OfrepPlace(Struct, frozen=True):
    """The path and query string of a stream, at the origin of the request."""

    requestUri: str


class OfrepStream(Struct, frozen=True):
    """The address of a stream of changes (server-sent events); an inactive client closes it after `inactivityDelaySec`
    seconds.
    """

    type: Literal["sse"]
    endpoint: OfrepPlace
    inactivityDelaySec: int


class OfrepFlags(Struct, frozen=True):
    """The results of all active flags."""

    flags: tuple[OfrepFlag, ...]
    metadata: dict[str, str]
    eventStreams: tuple[OfrepStream, ...] = ()


class OfrepRefusal(Struct, frozen=True):
    """The reason why nothing is evaluated; for one flag with its key."""

    errorCode: Code
    errorDetails: str
    metadata: dict[str, str]
    key: str | UnsetType = UNSET
