"""Pages that are the same for every visitor, as they are sent: each is rendered and compressed once."""

import asyncio
import gzip
from collections.abc import Callable
from typing import Any, Final

from litestar import Request, Response

from analytics_box.base.cache import BoundedCache
from analytics_box.web.compression import accepted_codings

_LEVEL = 6  # of gzip
_HEADERS: Final = {"cache-control": "no-store", "vary": "accept-encoding"}


class RenderedPages:
    """Up to `most` compressed pages, by what they were made of."""

    def __init__(self, most: int) -> None:
        self._packed: BoundedCache[str, bytes] = BoundedCache(most)

    async def answer(self, request: Request[Any, Any, Any], key: str, render: Callable[[], str]) -> Response[bytes]:
        """The page of this key. A new one is rendered in a thread, so that other requests are not delayed."""
        packed = self._packed.get(key)
        if packed is None:
            packed = await asyncio.to_thread(lambda: gzip.compress(render().encode(), _LEVEL, mtime=0))
            self._packed.put(key, packed)
        if "gzip" in accepted_codings(request.headers.get("accept-encoding", "")):
            return Response(packed, media_type="text/html", headers={**_HEADERS, "content-encoding": "gzip"})
        return Response(gzip.decompress(packed), media_type="text/html", headers=_HEADERS)

    def __len__(self) -> int:
        return len(self._packed)
