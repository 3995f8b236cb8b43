"""Requests, results and answers of OFREP clients, as types (OFREP 0.3)."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from analytics_box.products.flags.evaluation.outcome import Outcome, Reason

Code = Literal["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL"]

_REASONS: Final[Mapping[Reason, str]] = {
    "DEPENDENCY_NOT_SATISFIED": "DISABLED",
    "USER_RULE_MATCH": "TARGETING_MATCH",
    "TARGET_GROUP_MATCH": "TARGETING_MATCH",
    "MULTIVARIANT_EVALUATED": "SPLIT",
    "ROLLOUT_ENABLED": "SPLIT",
    "ROLLOUT_DISABLED": "SPLIT",
    "BOOLEAN_DEFAULT": "STATIC",
    "DEFAULT_VALUE": "DISABLED",
}


def success(outcome: Outcome) -> bytes:
    """The result of a flag, as JSON.

    A flag with variants gives the value of the user's variant, or its off value; without either there is no value, and
    the client's code has the default. Other flags give whether they are enabled, which is also the variant of flags
    that have none. The flag's payload, and the reason in the box's own words, are metadata; in OFREP these are texts,
    numbers and booleans, so other payloads are JSON in a text.
    """
    said: dict[str, Any] = {
        "key": outcome.key,
        "reason": _REASONS[outcome.reason],
        "variant": outcome.gave,
    }
    if outcome.flag_type != "multivariant":
        said["value"] = outcome.enabled
    elif outcome.has_value:
        said["value"] = outcome.value
    said["metadata"] = metadata = {
        "flagId": outcome.flag_id,
        "flagType": outcome.flag_type,
        "boxReason": outcome.reason,
    }
    if outcome.payload is not None:
        metadata["payload"] = _primitive(outcome.payload)
    return msgspec.json.encode(said)


def failure(code: Code, details: str, key: str | None = None) -> bytes:
    """The reason why there is no result; for one flag with its key. JavaScript's providers want an errorCode with every
    status.
    """
    of_flag = {"key": key} if key is not None else {}
    return msgspec.json.encode({**of_flag, "errorCode": code, "errorDetails": details, "metadata": {}})


def _primitive(payload: Any) -> Any:
    if isinstance(payload, str | bool | int | float):
        return payload
    return msgspec.json.encode(payload).decode()


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
