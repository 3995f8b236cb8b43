"""Forms of the subscription pages, and the one-click unsubscribe of mail programs (RFC 8058)."""

from typing import Final
from urllib.parse import parse_qsl

from analytics_box.base.errors import BrokenBody
from analytics_box.base.translation import _
from analytics_box.products.status_pages.page import MOST_COMPONENTS
from analytics_box.web import body
from analytics_box.web.asgi import Receive, Scope

MOST_BYTES: Final = 32_768
_MOST_FIELDS: Final = MOST_COMPONENTS + 20
_PLAIN: Final = b"application/x-www-form-urlencoded"


async def read_form(scope: Scope, receive: Receive, *, seconds: float) -> dict[str, str]:
    """The fields; the last of equal names wins. Mail programs can send multipart/form-data.

    Raises BrokenBody and the other refusals of http.body.
    """
    given = scope["headers"]
    body.check_headers(given, wanted=(_PLAIN, body.TYPE, b""))
    sent = await body.read_body(scope, receive, limit=MOST_BYTES, seconds=seconds)
    kind = next((value for name, value in given if name == b"content-type"), _PLAIN)
    try:
        if kind.lower().startswith(body.TYPE):
            found = body.fields(sent, kind.decode("latin-1"))
            return {name: value.decode("utf-8") for name, value in found.items()}
        return dict(parse_qsl(sent.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError as broken:
        raise BrokenBody(_("The form cannot be read")) from broken
