"""Answers that need neither the caller nor the web framework: the health check, and files for browsers."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from analytics_box.web.asgi import App, Receive, Scope, Send, respond
from analytics_box.web.call import Parts
from analytics_box.web.route import Route

_PARAMETER = re.compile(r"\{(\w+):\w+\}")


class Plain(NamedTuple):
    """An answer."""

    content: bytes
    type: str
    headers: dict[str, str]
    status: int = 200


class PlainRoutes:
    """Answers GET at the routes of the table that are `plain`, and hands on what else is asked.

    Their handlers get the scope and the parts of the box, and return a `Plain`. The value of a parameter, which is the
    last part of a path, is in the scope as `rest`.
    """

    def __init__(self, routes: Iterable[Route], parts: Parts, otherwise: App) -> None:
        self._routes = {route.path.partition("{")[0]: route for route in routes if route.plain}
        self._parts = parts
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._at(scope) if scope["type"] == "http" and scope["method"] == "GET" else None
        if route is None:
            await self._otherwise(scope, receive, send)
            return
        scope["path_template"] = _PARAMETER.sub(r"{\1}", route.path)  # as Litestar does
        answer: Plain = route.handler(scope, self._parts)
        content_type = f"{answer.type}; charset=utf-8" if answer.type.startswith("text/") else answer.type
        headers = {**answer.headers, "content-type": content_type}
        sized = [(name.encode(), value.encode()) for name, value in headers.items()]
        await respond(send, answer.status, [*sized, (b"content-length", b"%d" % len(answer.content))], answer.content)

    def _at(self, scope: Scope) -> Route | None:
        path: str = scope["path"]
        found = self._routes.get(path)
        if found is not None and found.path == path:
            return found
        folder, _, rest = path[1:].partition("/")
        scope["rest"] = rest.strip("/")
        found = self._routes.get(f"/{folder}/")
        return found if rest else None


def health(_scope: Scope, _parts: Parts) -> Plain:
    """`{"status":"ok"}` while the box serves, and nothing else."""
    return Plain(b'{"status":"ok"}', "application/json", {"cache-control": "no-store"})
