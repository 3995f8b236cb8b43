"""A file in a posted form (multipart/form-data), counted while it arrives."""

from typing import Any

from litestar import Request

from analytics_box.base.errors import PayloadTooLarge
from analytics_box.web import body, multipart_form

_FORM = (multipart_form.TYPE,)
_FRAME = 8_192  # bytes that boundaries, headers and other fields may have beside the file


async def upload_of(request: Request[Any, Any, Any], field: str, *, limit: int, seconds: float) -> bytes:
    """The file in this field, empty where none was chosen. Its name and type are not read: anybody can say anything.

    Raises PayloadTooLarge above `limit` bytes, BrokenBody, and the other refusals of http.body.
    """
    return (await uploaded_with(request, field, limit=limit, seconds=seconds))[1]


async def uploaded_with(
    request: Request[Any, Any, Any], field: str, *, limit: int, seconds: float
) -> tuple[dict[str, str], bytes]:
    """The other fields of such a form, and its file as `upload_of` gives it. Raises the same."""
    sent = await body.of_request(request, wanted=_FORM, limit=limit + _FRAME, seconds=seconds)
    found = multipart_form.fields(sent, request.headers.get("content-type", ""))
    content = found.get(field, b"")
    if len(content) > limit:
        raise PayloadTooLarge(f"The file can have up to {limit:,} bytes")
    return {name: value.decode(errors="replace") for name, value in found.items() if name != field}, content
