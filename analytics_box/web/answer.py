"""Answers of typed handlers."""

from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from msgspec import Meta, Struct

RequestId = Annotated[str, Meta(description="The id of this request, also in the header X-Request-ID.")]


def id_of(request: Request[Any, Any, Any]) -> str:
    """The id that the front gave to a request."""
    return request.scope["request_id"]  # type: ignore[typeddict-item, no-any-return]  # set by the front


def json_answer(answer: Struct, *, status: int = 200) -> Response[bytes]:
    """An answer as JSON; never stored by caches."""
    return Response(
        msgspec.json.encode(answer),
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )
