"""The access check before every handler, by its line in the table (spec 5 and 7)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.identity import ApiKey, Identity
from analytics_box.base.limits import Allowance
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.web.asgi import Scope
from analytics_box.web.page.kept_forms import KeptForms
from analytics_box.web.route import PUBLIC, SIGNED_IN, Access, Route, Subject, allow

if TYPE_CHECKING:
    from litestar import Request
    from litestar.connection import ASGIConnection
    from litestar.handlers.base import BaseRouteHandler

    Connection = ASGIConnection[Any, Any, Any, Any]

_SAFE = {"GET", "HEAD", "OPTIONS"}


class CallerDirectory(Protocol):
    """Identifies callers and counts the requests of API keys."""

    async def identify(self, connection: "Connection") -> Identity:
        """The caller."""

    def admit(self, scope: Scope, key: ApiKey) -> Allowance | None:
        """Let a request of this key in, and say what it has left. Raises RateLimited."""


class ResourceOwners(Protocol):
    """The owners of resources."""

    async def acting(
        self, identity: Identity, area: str, given: Mapping[str, Any], about: Subject = "named"
    ) -> Identity:
        """The caller in the organization that owns what a request names. Raises Forbidden or NotFound for people who
        have access to selected resources only."""


class Guard(Struct, frozen=True):
    """Stands before every handler."""

    callers: CallerDirectory
    owners: ResourceOwners

    async def identity(self, connection: "Connection", access: Access, *, page: bool = False) -> Identity:
        """The caller, as far as `access` reaches. Raises RateLimited, and Forbidden for what another site forged."""
        identity = await self.callers.identify(connection)
        scope = cast(Scope, connection.scope)
        scope["known"] = identity.holder
        if identity.key is not None:
            scope["allowance"] = self.callers.admit(scope, identity.key)  # for the front's headers
        if access not in {PUBLIC, SIGNED_IN}:
            identity = identity.within(access)
        if page or identity.person is not None:
            check_same_origin(connection)
        return identity


async def guard(connection: "Connection", handler: "BaseRouteHandler") -> None:
    """Set the caller's identity and refuse who lacks permission. Raises AuthRequired, Forbidden or RateLimited."""
    route: Route | None = handler.opt.get("route")
    if route is None:
        return  # OPTIONS, which anybody may ask
    scope = cast(Scope, connection.scope)
    held: Guard = scope["guard"]
    narrowed = PUBLIC if route.also is not None else route.access  # the handler does it by what is asked for
    identity = await held.identity(connection, narrowed, page=route.page)
    named = connection.path_params if route.page else {**connection.query_params, **connection.path_params}
    about = "own" if route.access == PUBLIC else route.about
    identity = await held.owners.acting(identity, route.path.split("/")[1], named, about)
    scope["identity"] = identity  # for handlers
    try:
        allow(identity, route.access, role=route.role, anonymous=route.anonymous, also=route.also)
    except errors.AuthRequired:
        if route.kept and "typed" not in scope:
            scope["kept_form"] = await scope["parts"][KeptForms].keep(cast("Request[Any, Any, Any]", connection))
        raise


def check_same_origin(connection: "Connection") -> None:
    """Refuse what another site's page makes a browser send with our cookie (security: CSRF). Raises Forbidden."""
    if cast(Scope, connection.scope)["method"] in _SAFE:
        return
    site = connection.headers.get("sec-fetch-site")
    if site in {"same-origin", "none"}:
        return
    origin = connection.headers.get("origin")
    if site is None and (origin is None or url_parts(origin).netloc == connection.headers.get("host")):
        return
    raise errors.Forbidden(_("This request came from another site"))
