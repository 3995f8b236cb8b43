"""The application of pages and the API, which is loaded with its first request: events do not need it."""

import asyncio
from collections.abc import Callable

from analytics_box.web.asgi import App, Receive, Scope, Send


class BuiltLater:
    """An application that is built when the first request for it comes.

    That takes 0.2 s and 15 MB, so it happens in a thread, and events are answered in the meantime.
    """

    def __init__(self, build: Callable[[], App]) -> None:
        self._build = build
        self._building = asyncio.Lock()
        self._built: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        built = self._built or await self._build_once()
        await built(scope, receive, send)

    async def _build_once(self) -> App:
        async with self._building:
            if self._built is None:
                self._built = await asyncio.to_thread(self._build)
            return self._built
