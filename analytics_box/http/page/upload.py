"""A file in a posted form (multipart/form-data), counted while it arrives."""

from typing import Any

from litestar import Request
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from analytics_box.errors import BrokenBody, PayloadTooLarge
from analytics_box.http import body

_FORM = (b"multipart/form-data",)
_FRAME = 8_192  # bytes that boundaries, headers and other fields may have beside the file
_MOST_FIELDS = 20


async def upload_of(request: Request[Any, Any, Any], field: str, *, limit: int, seconds: float) -> bytes:
    """The file in this field, empty where none was chosen. Its name and type are not read: anybody can say anything.

    Raises PayloadTooLarge above `limit` bytes, BrokenBody, and the other refusals of http.body.
    """
    sent = await body.of_request(request, wanted=_FORM, limit=limit + _FRAME, seconds=seconds)
    content = _fields(sent, request.headers.get("content-type", "")).get(field, b"")
    if len(content) > limit:
        raise PayloadTooLarge(f"The file may have {limit:,} bytes at most")
    return content


def _fields(sent: bytes, content_type: str) -> dict[str, bytes]:
    """The contents by field; the last of equal names wins. Raises BrokenBody."""
    _, options = parse_options_header(content_type)
    found: dict[str, bytes] = {}
    name = ""
    chunks: list[bytes] = []
    try:
        with PushMultipartParser(options.get("boundary", ""), max_segment_count=_MOST_FIELDS, strict=True) as parser:
            for piece in parser.parse(sent):
                if isinstance(piece, MultipartSegment):
                    name, chunks = piece.name, []
                elif piece is not None:
                    chunks.append(bytes(piece))
                else:
                    found[name] = b"".join(chunks)
    except (MultipartError, ValueError) as broken:
        raise BrokenBody("The form cannot be read") from broken
    return found
