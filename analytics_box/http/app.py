"""Everything but events: procedures by their table, and what Litestar serves, made from the table of routes."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import Receive as LitestarReceive
from litestar.types import Scope as LitestarScope
from litestar.types import Send as LitestarSend

from analytics_box import errors
from analytics_box.errors import BoxError
from analytics_box.http import render
from analytics_box.http.asgi import App, Receive, Scope, Send, respond
from analytics_box.http.call import Calls
from analytics_box.http.compression import compressing, may_compress
from analytics_box.http.guard import Guard
from analytics_box.http.guard import guard as pass_guard
from analytics_box.http.pages import Pages, sign_in_first, wants_page
from analytics_box.http.procedures import PROCEDURES
from analytics_box.http.routes import PAGES_AND_API, Route
from analytics_box.http.rpc import Procedures, refusal_body
from analytics_box.http.settings_area import offered
from analytics_box.http.visit import visit_of
from analytics_box.identity import Identity

_METHODS = {"allow": "POST, OPTIONS"}  # of procedures


def build(*, guard: Guard, calls: Calls, pages: Pages, parts: Mapping[str, object]) -> App:
    """The application. `parts` are what handlers may ask for, by the name of their parameter."""
    pages.offer_settings(offered({route.path for route in PAGES_AND_API if route.page and route.method == "GET"}))
    procedures = Procedures(PROCEDURES, calls, guard)
    parts = {**parts, "calls": calls, "pages": pages}
    litestar = _litestar(tuple(parts))
    parts = {**parts, "guard": guard}

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        scope["parts"] = parts
        line = procedures.at(scope["path"]) if scope["type"] == "http" else None
        if line is None:
            send = compressing(send) if scope["type"] == "http" and may_compress(scope) else send
            await litestar(cast(LitestarScope, scope), cast(LitestarReceive, receive), cast(LitestarSend, send))
        elif scope["method"] == "POST":
            scope["path_template"] = scope["path"]  # as Litestar does
            await procedures.serve(line, scope, receive, send)
        else:
            await _not_posted(scope, receive, send)

    return application


class _Plain(Litestar):
    """Litestar without its support for pydantic and attrs: importing them, where they are installed, took 0.25 s."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


@cache
def _litestar(names: tuple[str, ...]) -> Litestar:
    """Made once in a process, for it takes long; what belongs to one box comes with each request, as `parts`."""
    return _Plain(
        route_handlers=[_handler(route) for route in PAGES_AND_API],
        guards=[pass_guard],
        before_request=_tell_methods,
        dependencies={
            "identity": Provide(_identity, sync_to_thread=False),
            "visit": Provide(visit_of),
            **{name: Provide(_part(name), sync_to_thread=False) for name in names},
        },
        exception_handlers={BoxError: _refuse, HTTPException: _refuse, Exception: _refuse},
        openapi_config=None,
        logging_config=None,
        request_max_body_size=None,  # every handler that reads a body reads it through http.body, which has limits
    )


def _handler(route: Route) -> HTTPRouteHandler:
    handler = HTTPRouteHandler(route.path, http_method=route.method, status_code=200, opt={"route": route})
    return handler(route.handler)


async def _tell_methods(request: Request[Any, Any, Any]) -> Response[None] | None:
    """OPTIONS: which methods an address takes. Litestar's own answer forgets those of its second handler."""
    if request.method != "OPTIONS":
        return None
    template = cast(Scope, request.scope)["path_template"]
    taken = sorted(route.method for route in PAGES_AND_API if re.sub(r":\w+\}", "}", route.path) == template)
    return Response(None, status_code=204, headers={"allow": ", ".join([*taken, "OPTIONS"])})


def _identity(scope: LitestarScope) -> Identity:
    identity: Identity = cast(Scope, scope)["identity"]  # set by the guard
    return identity


def _part(name: str) -> Callable[..., Any]:
    def provide(scope: LitestarScope) -> Any:
        return cast(Scope, scope)["parts"][name]

    return provide


async def _not_posted(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer to any method but POST at a procedure's address."""
    if scope["method"] == "OPTIONS":
        await respond(send, 204, [(name.encode(), value.encode()) for name, value in _METHODS.items()])
        return
    request = Request[Any, Any, Any](cast(LitestarScope, scope))
    refused = _refuse(request, errors.MethodNotAllowed("This address does not take that method", headers=_METHODS))
    answer = refused.to_asgi_response(None, request)
    await answer(cast(LitestarScope, scope), cast(LitestarReceive, receive), cast(LitestarSend, send))


def _refuse(request: Request[Any, Any, Any], raised: Exception) -> Response[Any]:
    """Every refusal, as a page where a person asked for one, else as the specified body."""
    error = render.as_box_error(raised)
    scope = cast(Scope, request.scope)
    request_id = str(scope["request_id"])
    handler = scope.get("route_handler")
    route: Route | None = handler.opt.get("route") if handler is not None else None
    enveloped = request.url.path.startswith("/rpc/")
    if not enveloped and (route.page if route is not None else wants_page(request)):
        if error.status == 401:
            return sign_in_first(request)
        pages: Pages = scope["parts"]["pages"]
        return pages.refuse(error, request_id)
    return Response(
        refusal_body(error, request_id, enveloped=enveloped),
        status_code=error.status,
        media_type="application/json",
        headers={"cache-control": "no-store", **error.headers},
    )
