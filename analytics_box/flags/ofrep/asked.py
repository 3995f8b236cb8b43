"""What an OFREP client asks: its body as somebody whom flags are evaluated for. Pure."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct

from analytics_box.errors import BadRequest, BrokenBody
from analytics_box.flags.evaluation.context import Context
from analytics_box.flags.flag import LONGEST_ENVIRONMENT

LARGEST: Final = 65_536  # bytes of a body
_MOST_PARAMETERS: Final = 20


class Asked(Struct, frozen=True):
    """Who asks, and of which environment."""

    context: Context
    environment: str | None


def asked(content: bytes, query: bytes) -> Asked:
    """What a body and a query string ask for.

    All of OFREP's context are properties; of them targetingKey (else userId), email, organizationId and teamId are
    what rules call the user. The environment is a query parameter, else one of the context.
    Raises BrokenBody for what is no JSON object, BadRequest for a context with which nothing can be evaluated.
    """
    given = _object(content)
    context = given.get("context")
    if context is None:
        context = {}
    if not isinstance(context, dict):
        raise BadRequest("context has to be an object")
    user_id = _text(context, "targetingKey") or _text(context, "userId")
    environment = named(parameters(query).get("environment", "") or _text(context, "environment"))
    return Asked(
        Context(
            user_id=user_id,
            email=_text(context, "email"),
            organization_id=_text(context, "organizationId"),
            team_id=_text(context, "teamId"),
            properties=context,
        ),
        environment,
    )


def named(environment: str) -> str | None:
    """The environment of this name; None for none. Raises BadRequest."""
    if len(environment) > LONGEST_ENVIRONMENT:
        raise BadRequest(f"environment may have {LONGEST_ENVIRONMENT} characters at most")
    return environment or None


def parameters(query: bytes) -> Mapping[str, str]:
    """The parameters of a query string, of equal ones the first. Raises BadRequest for too many."""
    try:
        found = parse_qs(query.decode("latin-1"), max_num_fields=_MOST_PARAMETERS)
    except ValueError as wrong:
        raise BadRequest(f"There may be {_MOST_PARAMETERS} query parameters at most") from wrong
    return {name: values[0] for name, values in found.items()}


def _object(content: bytes) -> dict[str, Any]:
    if not content:
        return {}
    try:
        given = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError) as broken:
        raise BrokenBody("The body is not valid JSON") from broken
    if not isinstance(given, dict):
        raise BrokenBody("The body has to be a JSON object with a context")
    return given


def _text(context: Mapping[str, Any], name: str) -> str:
    """What the context says of the user; numbers are what they look like. Raises BadRequest."""
    value = context.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRequest(f"{name} in the context has to be a text")
    return str(value)


def canonical(context: Context) -> bytes:
    """A context in one spelling: equal ones have equal bytes. Raises BrokenBody for one that nests too deep."""
    try:
        return msgspec.json.encode(context, order="sorted")
    except (ValueError, RecursionError) as broken:  # numbers of thousands of digits, hundreds of levels
        raise BrokenBody("The body is not valid JSON") from broken
