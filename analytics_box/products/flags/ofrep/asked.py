"""The request of an OFREP client: its body as an evaluation context. Pure."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest, BrokenBody
from analytics_box.products.flags.evaluation.attributes import id_text, read_json
from analytics_box.products.flags.evaluation.context import EvaluationContext
from analytics_box.products.flags.flag import LONGEST_ENVIRONMENT

LARGEST: Final = 65_536  # bytes of a body
_MOST_PARAMETERS: Final = 20


class OfrepRequest(Struct, frozen=True):
    """The evaluation context and environment of a request."""

    context: EvaluationContext
    environment: str | None


def read_request(content: bytes, query: bytes, environment: str = "") -> OfrepRequest:
    """The request in a body and a query string, by default for an environment.

    All of OFREP's context are properties, with those in an object `properties`, as in the flags API; of them
    targetingKey (else userId), email, organizationId and teamId identify the user in rules. A value that cannot be read
    counts as absent. `environment` in the context is a property like any other. Raises BrokenBody if the body is not a
    JSON object, BadRequest if the context is not one.
    """
    given = _object(content)
    context = given.get("context")
    if context is None:
        context = {}
    if not isinstance(context, dict):
        raise BadRequest("context has to be an object")
    inside = context.get("properties")
    return OfrepRequest(
        EvaluationContext(
            user_id=id_text(context.get("targetingKey")) or id_text(context.get("userId")),
            email=id_text(context.get("email")),
            organization_id=id_text(context.get("organizationId")),
            team_id=id_text(context.get("teamId")),
            properties={**inside, **context} if isinstance(inside, dict) else context,
        ),
        environment_name(parameters(query).get("environment", "") or environment),
    )


def environment_name(environment: str) -> str | None:
    """The environment of this name; None for none. Raises BadRequest."""
    if len(environment) > LONGEST_ENVIRONMENT:
        raise BadRequest(f"environment can have up to {LONGEST_ENVIRONMENT} characters")
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
        given = read_json(content)
    except ValueError as broken:
        raise BrokenBody("The body is not valid JSON") from broken
    if not isinstance(given, dict):
        raise BrokenBody("The body has to be a JSON object with a context")
    return given


def canonical(context: EvaluationContext) -> bytes:
    """A context in one spelling: equal ones have equal bytes. Raises BrokenBody for one that nests too deep."""
    with suppress(ValueError, OverflowError, RecursionError):
        return msgspec.json.encode(context, order="sorted")
    try:  # what msgspec does not write: halves of surrogate pairs, integers of more than 64 bits
        return json.dumps(msgspec.structs.asdict(context), sort_keys=True).encode()
    except RecursionError as broken:
        raise BrokenBody("The body is not valid JSON") from broken
