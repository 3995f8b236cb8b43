"""Who may pass: one guard before every handler, deciding by the route's line in the table (spec 5 and 7)."""

from typing import Any, cast
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from analytics_box import errors
from analytics_box.http import identify
from analytics_box.http.permission import PUBLIC, SIGNED_IN, allow
from analytics_box.http.routes import Route
from analytics_box.identity import Identity

Connection = ASGIConnection[Any, Any, Any, Any]

_SAFE = {"GET", "HEAD", "OPTIONS"}


async def guard(connection: Connection, handler: BaseRouteHandler) -> None:
    """Set the caller's identity and refuse who lacks permission. Raises AuthRequired, Forbidden or RateLimited."""
    route: Route = handler.opt["route"]
    state = connection.app.state
    identity = await identify.identify(connection, state["key_ring"], state["sign_ins"])
    if identity.key is not None:
        allowance = state["admission"].enter(connection.scope, identity.key, "api")
        connection.scope["allowance"] = allowance  # type: ignore[typeddict-unknown-key]  # for the front's headers
    if route.access not in {PUBLIC, SIGNED_IN}:
        identity = identity.within(route.access)
    connection.scope["identity"] = identity  # type: ignore[typeddict-unknown-key]  # for handlers
    if route.page or identity.person is not None:
        check_same_origin(connection)
    if not route.procedure:  # a procedure decides once it knows in which form to refuse
        allow(identity, route.access, role=route.role, strangers=route.strangers)


def check_same_origin(connection: Connection) -> None:
    """Refuse what another site's page makes a browser send with our cookie (security: CSRF). Raises Forbidden."""
    if cast(dict[str, Any], connection.scope)["method"] in _SAFE:
        return
    site = connection.headers.get("sec-fetch-site")
    if site in {"same-origin", "none"}:
        return
    origin = connection.headers.get("origin")
    if site is None and (origin is None or urlsplit(origin).netloc == connection.headers.get("host")):
        return
    raise errors.Forbidden("This request came from a page of another site")


async def identity_of(scope: Any) -> Identity:
    """The identity that the guard has set, as a dependency of handlers."""
    identity: Identity = scope["identity"]
    return identity
