"""The Litestar application, made from the route table."""

from collections.abc import Mapping
from typing import Any, cast

from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import Scope

from analytics_box.accounts.sign_in import SignIns
from analytics_box.errors import BoxError
from analytics_box.http import render, rpc
from analytics_box.http.guard import guard, identity_of
from analytics_box.http.pages import Pages, sign_in_first, wants_page
from analytics_box.http.routes import TABLE, Route
from analytics_box.http.settings_area import offered
from analytics_box.http.visit import visit_of
from analytics_box.identity import Identity
from analytics_box.keys.admission import Admission
from analytics_box.keys.ring import KeyRing


def build(
    *, keys: KeyRing, admission: Admission, sign_ins: SignIns, pages: Pages, parts: Mapping[str, object]
) -> Litestar:
    """The application. `parts` are what handlers may ask for, by the name of their parameter."""
    pages.offer_settings(offered({route.path for route in TABLE if route.page and route.method == "GET"}))
    parts = {**parts, "keys": keys, "sign_ins": sign_ins, "pages": pages}
    return Litestar(
        route_handlers=[_handler(route) for route in TABLE],
        guards=[guard],
        state=State({"key_ring": keys, "admission": admission, "sign_ins": sign_ins, "pages": pages}),
        dependencies={
            "identity": Provide(_identity),
            "visit": Provide(visit_of),
            **{name: Provide(_always(part), sync_to_thread=False) for name, part in parts.items()},
        },
        exception_handlers={BoxError: _refuse, HTTPException: _refuse, Exception: _refuse},
        openapi_config=None,
        logging_config=None,
        request_max_body_size=None,  # every handler that reads a body reads it through http.body, which has limits
    )


async def _identity(scope: Scope) -> Identity:
    return await identity_of(scope)


def _handler(route: Route) -> HTTPRouteHandler:
    handler = HTTPRouteHandler(route.path, http_method=route.method, status_code=200, opt={"route": route})
    return handler(route.handler)


def _always(part: object) -> Any:
    def provide() -> Any:
        return part

    return provide


def _refuse(request: Request[Any, Any, Any], raised: Exception) -> Response[Any]:
    """Every refusal, as a page where a person asked for one, else as the specified body."""
    error = render.as_box_error(raised)
    scope = cast(dict[str, Any], request.scope)
    request_id = str(scope["request_id"])
    handler = scope.get("route_handler")
    route: Route | None = handler.opt.get("route") if handler is not None else None
    if request.url.path.startswith("/rpc/"):
        return rpc.refuse(error, request_id, enveloped=True)
    if route.page if route is not None else wants_page(request):
        if error.status == 401:
            return sign_in_first(request)
        pages: Pages = request.app.state["pages"]
        return pages.refuse(error, request_id)
    return Response(
        render.api_body(error, request_id),
        status_code=error.status,
        media_type="application/json",
        headers={"cache-control": "no-store", **error.headers},
    )
