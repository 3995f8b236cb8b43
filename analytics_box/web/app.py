"""Everything but events: procedures by their table, and what Litestar serves by the table of routes."""

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from litestar import Litestar, Request, Response
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import Receive as LitestarReceive
from litestar.types import Scope as LitestarScope
from litestar.types import Send as LitestarSend
from litestar.utils import normalize_path

from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.web import render
from analytics_box.web.asgi import App, Receive, Scope, Send, respond
from analytics_box.web.call import Call, Parts
from analytics_box.web.compression import compressing, may_compress
from analytics_box.web.guard import Guard
from analytics_box.web.guard import guard as pass_guard
from analytics_box.web.page.kept_forms import KeptForms, send_again
from analytics_box.web.page.settings_area import served_groups
from analytics_box.web.page.templates import FORM_KEPT, Pages, sign_in_first, wants_data, wants_page
from analytics_box.web.page.visit import visit_of
from analytics_box.web.plain import Plain
from analytics_box.web.route import Procedure, Route
from analytics_box.web.rpc import Procedures, refusal_body

_METHODS = {"allow": "POST, OPTIONS"}  # of procedures
_BY_STATUS: dict[int, type[BoxError]] = {
    400: errors.BadRequest,
    401: errors.AuthRequired,
    403: errors.Forbidden,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    413: errors.PayloadTooLarge,
    415: errors.UnsupportedMediaType,
}
_WORDS = {
    404: "There is nothing at this address",
    405: "This address does not accept this method",
    413: "The body is too large",
}


def build(routes: tuple[Route, ...], lines: Sequence[Procedure], *, guard: Guard, parts: Parts, pages: Pages) -> App:
    """The application over both tables."""
    pages.offer_settings(served_groups({route.path for route in routes if route.page and route.method == "GET"}))
    procedures = Procedures(lines, parts, guard)
    areas = _Areas(routes)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        scope["guard"], scope["parts"], scope["pages"] = guard, parts, pages
        if scope["type"] == "http" and scope["path"] == FORM_KEPT:
            await _show_kept_form(scope)
        line = procedures.at(scope["path"]) if scope["type"] == "http" else None
        if line is None:
            send = compressing(send) if scope["type"] == "http" and may_compress(scope) else send
            litestar = await areas.serving(scope)
            await litestar(cast(LitestarScope, scope), cast(LitestarReceive, receive), cast(LitestarSend, send))
        elif scope["method"] == "POST":
            scope["path_template"] = scope["path"]  # as Litestar does
            await procedures.serve(line, scope, receive, send)
        else:
            await _not_posted(scope, receive, send)

    return application


async def _show_kept_form(scope: Scope) -> None:
    """Make the request one for the form that this browser sent before its owner signed in again, if there is one."""
    request = Request[Any, Any, Any](cast(LitestarScope, scope))
    held: Guard = scope["guard"]
    person = (await held.callers.identify(request)).person
    kept = scope["parts"][KeptForms].of_person(request.headers, person.email) if person is not None else None
    if kept is not None and scope["method"] == "GET":
        send_again(scope, kept)


class _Areas:
    """Routes by the first part of their paths. An area is loaded with the first request for it: all of them, with
    their handlers and what these import, are 13 MB of memory that a box which counts visits does without."""

    def __init__(self, routes: tuple[Route, ...]) -> None:
        self._routes = _by_area(routes)
        self._served: dict[str, Litestar] = {}
        self._loading = asyncio.Lock()

    async def serving(self, scope: Scope) -> Litestar:
        """The application for this request; an address of no area gets that of the first page."""
        area = normalize_path(scope.get("path", "/")).split("/", 2)[1]
        routes = self._routes.get(area)
        if routes is None:
            area, routes = "", self._routes[""]
        served = self._served.get(area)
        if served is None:
            async with self._loading:  # in a thread, so that events are answered in the meantime
                served = self._served[area] = await asyncio.to_thread(_litestar, routes)
        return served


@cache
def _by_area(routes: tuple[Route, ...]) -> dict[str, tuple[Route, ...]]:
    areas: dict[str, list[Route]] = {"": []}
    for route in routes:
        areas.setdefault(route.path.split("/", 2)[1], []).append(route)
    return {area: tuple(of) for area, of in areas.items()}


@cache
def _litestar(routes: tuple[Route, ...]) -> Litestar:
    """Made once in a process, because it takes long; what belongs to one box comes with each request."""
    return Litestar(
        route_handlers=[_handler(route) for route in routes],
        guards=[pass_guard],
        before_request=_tell_methods,
        opt={"routes": routes},
        dependencies={
            "parts": Provide(_parts, sync_to_thread=False),
            "pages": Provide(_pages, sync_to_thread=False),
            "call": Provide(_call, sync_to_thread=False),
            "visit": Provide(visit_of, sync_to_thread=False),
        },
        exception_handlers={BoxError: _refuse, HTTPException: _refuse, Exception: _refuse},
        openapi_config=None,
        logging_config=None,
        request_max_body_size=None,  # every handler that reads a body reads it through http.body, which has limits
    )


def _handler(route: Route) -> HTTPRouteHandler:
    handler = HTTPRouteHandler(route.path, http_method=route.method, status_code=200, opt={"route": route})
    return handler(_in_litestar(route.handler) if route.plain else route.handler)


def _in_litestar(plain: Callable[[Scope, Parts], Plain]) -> Callable[..., Any]:
    """A handler of http.plain, for addresses that are not written as they stand in the table."""

    async def answer(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[bytes]:
        made = plain(cast(Scope, request.scope), parts)
        return Response(made.content, status_code=made.status, media_type=made.type, headers=made.headers)

    return answer


async def _tell_methods(request: Request[Any, Any, Any]) -> Response[None] | None:
    """OPTIONS: which methods an address takes. Litestar's own answer forgets those of its second handler."""
    if request.method != "OPTIONS":
        return None
    template = cast(Scope, request.scope)["path_template"]
    routes = request.app.opt["routes"]
    taken = sorted(route.method for route in routes if re.sub(r":\w+\}", "}", route.path) == template)
    return Response(None, status_code=204, headers={"allow": ", ".join([*taken, "OPTIONS"])})


def _parts(scope: LitestarScope) -> Parts:
    parts: Parts = cast(Scope, scope)["parts"]
    return parts


def _pages(scope: LitestarScope) -> Pages:
    pages: Pages = cast(Scope, scope)["pages"]
    return pages


def _call(scope: LitestarScope) -> Call:
    return _parts(scope).by(cast(Scope, scope)["identity"])  # set by the guard


async def _not_posted(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer to any method but POST at a procedure's address."""
    if scope["method"] == "OPTIONS":
        await respond(send, 204, [(name.encode(), value.encode()) for name, value in _METHODS.items()])
        return
    request = Request[Any, Any, Any](cast(LitestarScope, scope))
    refused = _refuse(request, errors.MethodNotAllowed(_("This address does not accept this method"), headers=_METHODS))
    answer = refused.to_asgi_response(None, request)
    await answer(cast(LitestarScope, scope), cast(LitestarReceive, receive), cast(LitestarSend, send))


def _refuse(request: Request[Any, Any, Any], raised: Exception) -> Response[Any]:
    """Every refusal, as a page where a person asked for one, else as the specified body."""
    error = render.as_box_error(_ours(raised))
    scope = cast(Scope, request.scope)
    request_id = str(scope["request_id"])
    handler = scope.get("route_handler")
    route: Route | None = handler.opt.get("route") if handler is not None else None
    enveloped = request.url.path.startswith("/rpc/")
    if not enveloped and not wants_data(request) and (route.page if route is not None else wants_page(request)):
        if error.status == 401:
            return sign_in_first(request)
        pages: Pages = scope["pages"]
        return pages.refuse(error, request_id)
    return Response(
        refusal_body(error, request_id, enveloped=enveloped),
        status_code=error.status,
        media_type="application/json",
        headers={"cache-control": "no-store", **error.headers},
    )


def _ours(raised: Exception) -> Exception:
    """The error of the box that stands for one of Litestar's; any other exception as it is."""
    if not isinstance(raised, HTTPException) or raised.status_code not in _BY_STATUS:
        return raised
    errors.forget_frames(raised)
    message = _WORDS.get(raised.status_code, str(raised.detail))
    allow = {name: value for name, value in (raised.headers or {}).items() if name.lower() == "allow"}
    return _BY_STATUS[raised.status_code](message, headers=allow)
