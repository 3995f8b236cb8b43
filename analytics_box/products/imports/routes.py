"""Uploads of exports: the body of a request, or the file of a form, piece by piece."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final, cast

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from analytics_box.base.errors import BrokenBody, RequestTimeout
from analytics_box.base.translation import _
from analytics_box.products.imports.calls import receive_file, show
from analytics_box.products.imports.history_import import IMPORTS
from analytics_box.tenants.websites.reach import own_row
from analytics_box.web.answer import json_answer
from analytics_box.web.asgi import Receive
from analytics_box.web.call import Call

# Seconds until the next piece of an upload.
_PIECE_SECONDS: Final = 60.0


async def put_file(
    request: Request[Any, Any, Any], call: NamedDependency[Call], import_id: FromPath[str]
) -> Response[bytes]:
    """PUT /imports/{id}/file: upload the file of an import, as the body. Raises NotFound, Conflict, PayloadTooLarge."""
    _website, row = await own_row(call, IMPORTS.find, "import", import_id)
    return json_answer(await show(call, await receive_file(call, row, _pieces(request))))


async def _pieces(request: Request[Any, Any, Any]) -> AsyncIterator[bytes]:
    """The body piece by piece. Raises RequestTimeout or BrokenBody."""
    receive = cast(Receive, request.receive)
    goes_on = True
    while goes_on:
        try:
            async with asyncio.timeout(_PIECE_SECONDS):
                message = await receive()
        except TimeoutError as late:
            raise RequestTimeout(_("The upload stopped. Try again")) from late
        if message["type"] != "http.request":
            raise BrokenBody(_("The upload was interrupted. Try again"))
        goes_on = message["more_body"]
        if message["body"]:
            yield message["body"]
    request.scope["body_read"] = True  # type: ignore[typeddict-unknown-key]


class PostedFile:
    """The file of a form that is read piece by piece. `name` is known once the file begins."""

    def __init__(self, request: Request[Any, Any, Any], field: str) -> None:
        self._request, self._field = request, field
        self.name = ""
        self.values: dict[str, str] = {}
        self._pieces = self._read()
        self._first = b""

    async def begin(self) -> None:
        """Read up to the file; fields before it are in `values`. Raises BrokenBody."""
        self._first = await anext(self._pieces, b"")

    async def pieces(self) -> AsyncIterator[bytes]:
        """The contents of the file."""
        if self._first:
            yield self._first
        async for piece in self._pieces:
            yield piece

    async def _read(self) -> AsyncIterator[bytes]:
        _type, options = parse_options_header(self._request.headers.get("content-type", ""))
        in_file, field = False, ""
        try:
            with PushMultipartParser(options.get("boundary", ""), max_segment_count=20, strict=True) as parser:
                async for sent in _pieces(self._request):
                    for piece in parser.parse(sent):
                        if isinstance(piece, MultipartSegment):
                            field, in_file = piece.name, piece.name == self._field
                            if in_file:
                                self.name = (piece.filename or "").rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
                        elif piece is not None and in_file:
                            yield bytes(piece)
                        elif piece is not None and len(self.values.get(field, "")) < 255:
                            self.values[field] = self.values.get(field, "") + bytes(piece).decode(errors="replace")
        except (MultipartError, ValueError) as broken:
            raise BrokenBody(_("The form cannot be read")) from broken
