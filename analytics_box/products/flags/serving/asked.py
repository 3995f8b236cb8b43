"""The evaluation request: its query string, read in one pass because thousands arrive each second. Pure."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from msgspec import Struct

from analytics_box.base.errors import BadRequest, ErrorDetail, WrongTypes
from analytics_box.base.translation import _
from analytics_box.products.flags.evaluation.asking import read_json
from analytics_box.products.flags.evaluation.outcome import EvaluationContext

MOST_BYTES: Final = 16_384  # Bytes of a query string: few proxies accept more.
MOST_PARAMETERS: Final = 50
MOST_KEYS: Final = 1_000  # A website cannot have more flags.
MISSING: Final = "MISSING_REQUIRED_PARAMS"
_NAMES: Final = {
    name.encode(): name
    for name in (
        *("clientId", "environment", "key", "keys"),
        *("userId", "email", "organizationId", "teamId", "properties"),
    )
}

NO_USER: Final = EvaluationContext()


class EvaluationRequest(Struct, frozen=True):
    """The evaluation request: scope, environment and user. `keys` are the requested flags; None for all of them."""

    client_id: str
    environment: str | None
    context: EvaluationContext
    key: str = ""
    keys: tuple[str, ...] | None = None


def asked_of(query: bytes, *, one: bool = False) -> EvaluationRequest:
    """The request in a query string, for one flag or for many.

    Raises WrongTypes without a client id, BadRequest if another parameter is missing, too long, or not an object.
    """
    given = _read_parameters(query)
    if "clientId" not in given:
        raise WrongTypes(_("clientId is missing"), details=(ErrorDetail("query.clientId", _("Send clientId")),))
    for name in ("clientId", "key") if one else ("clientId",):
        if not given.get(name):
            raise BadRequest(
                _("{name} is missing").format(name=name),
                reason=MISSING,
                details=(ErrorDetail(f"query.{name}", _("Say which")),),
            )
    environment, keys = given.get("environment"), given.get("keys")
    return EvaluationRequest(
        client_id=given["clientId"],
        environment=environment or None,
        context=EvaluationContext(
            user_id=given.get("userId", ""),
            email=given.get("email", ""),
            organization_id=given.get("organizationId", ""),
            team_id=given.get("teamId", ""),
            properties=_properties(given.get("properties", "")),
        ),
        key=given.get("key", ""),
        keys=_keys(keys) if keys else None,
    )


def _read_parameters(query: bytes) -> dict[str, str]:
    """The parameters that are known here, decoded; the first of equal names counts."""
    if len(query) > MOST_BYTES:
        raise BadRequest(_("The query string can have up to {most:,} bytes").format(most=MOST_BYTES))
    parts = query.split(b"&", MOST_PARAMETERS)
    if len(parts) > MOST_PARAMETERS:
        raise BadRequest(_("A request can have up to {most} parameters").format(most=MOST_PARAMETERS))
    found: dict[str, str] = {}
    for part in parts:
        raw, _sign, value = part.partition(b"=")
        name = _NAMES.get(raw)
        if name is not None and name not in found:
            text = value.decode("utf-8", "replace")
            found[name] = unquote_plus(text) if "%" in text or "+" in text else text
    return found


def _properties(text: str) -> Mapping[str, Any]:
    if not text:
        return {}
    try:
        found = read_json(text)
    except ValueError as wrong:
        raise _no_properties() from wrong
    if isinstance(found, dict | None):
        return found or {}
    raise _no_properties()


def _no_properties() -> BadRequest:
    return BadRequest.about("properties", _("Send properties as a JSON object"))


def _keys(text: str) -> tuple[str, ...] | None:
    """The keys of a list with commas; None for a list without any, which asks for all."""
    found = tuple(dict.fromkeys(key for part in text.split(",") if (key := part.strip())))
    if len(found) > MOST_KEYS:
        raise BadRequest.about("keys", _("Send up to {most:,} flag keys").format(most=MOST_KEYS))
    return found or None
