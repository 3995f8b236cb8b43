"""Forms that were submitted after the session had expired, kept until their owner has signed in again.

In memory only, for half an hour, and bounded. Two cookies identify a form: its own, whose secret only this browser has,
and that of a known browser, which names the account that last signed in here: no other account's sign-in shows it.
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from analytics_box.base import ids
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.settings import Settings
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Scope, cookie
from analytics_box.web.page.templates import form_of, page_of

if TYPE_CHECKING:
    from litestar import Request

LIFE = 1_800  # seconds
MOST = 200  # forms, of which the oldest goes: 6 MB
MOST_OF_NETWORK = 10
MOST_TYPED = 32_768  # characters of one form
MOST_FIELDS = 1_000
_SECRET = re.compile(
    r"password|secret|token|credential|authorization|cookie|header|bearer|\b(body|code|pin)\b", re.IGNORECASE
)


class KeptForm(Struct, frozen=True):
    """A form that waits: where it was sent, the page it stands on (empty if unknown), and what was typed, no secrets.

    `mark` is the cookie of a known browser that came with it.
    """

    path: str
    query: bytes
    page: str
    typed: Mapping[str, str]
    mark: str
    network: str


class KeptForms:
    """The forms that wait, by the digest of their cookie, the oldest first.

    `knows` says whether a known browser's cookie is of the account with this e-mail address.
    """

    def __init__(
        self, clock: Clock, *, mark_cookie: str, knows: Callable[[str, str], bool], settings: Settings
    ) -> None:
        self._mark_cookie = mark_cookie
        self._knows = knows
        self._settings = settings
        self._kept: BoundedCache[bytes, KeptForm] = BoundedCache(MOST, seconds=LIFE, clock=clock)
        self._cookie_name = "__Host-form" if settings.secure else "form"

    async def keep(self, request: "Request[Any, Any, Any]") -> str:
        """Keep a posted form; its Set-Cookie header. Empty where nobody is known to have signed in, and for what is
        no form, or too large."""
        mark = self._cookie_of(request.headers, self._mark_cookie)
        if not mark:
            return ""
        try:
            form = await form_of(request, self._settings, most_fields=MOST_FIELDS)
        except BoxError:
            return ""
        typed = {name: text for name, text in form.items() if not _SECRET.search(name)}
        if sum(len(name) + len(text) for name, text in typed.items()) > MOST_TYPED:
            return ""
        scope, token = cast(Scope, request.scope), ids.new_token()
        self._add(
            ids.digest(token),
            KeptForm(
                path=scope["path"],
                query=scope["query_string"],
                page=page_of(request),
                typed=typed,
                mark=mark,
                network=network_of(scope["address"]),
            ),
        )
        secure = "; Secure" if self._settings.secure else ""
        return f"{self._cookie_name}={token}; Path=/; Max-Age={LIFE}; HttpOnly; SameSite=Lax{secure}"

    def of_browser(self, headers: Mapping[str, str]) -> KeptForm | None:
        """The form that this browser sent, signed in or not."""
        token = self._cookie_of(headers, self._cookie_name)
        return self._kept.get(ids.digest(token)) if token else None

    def of_person(self, headers: Mapping[str, str], email: str) -> KeptForm | None:
        """The form that this browser sent while it was this person's."""
        found = self.of_browser(headers)
        return found if found is not None and self._knows(found.mark, email) else None

    def forget(self, headers: Mapping[str, str]) -> str:
        """Forget the form that this browser sent; the page on which it stood, or nothing."""
        found = self.of_browser(headers)
        self._kept.drop(ids.digest(self._cookie_of(headers, self._cookie_name)))
        return found.page if found is not None else ""

    def _add(self, digest: bytes, form: KeptForm) -> None:
        self._kept.put(digest, form)
        of_network = [one for one, kept in self._kept.items() if kept.network == form.network]
        for one in of_network[:-MOST_OF_NETWORK]:
            self._kept.drop(one)

    def _cookie_of(self, headers: Mapping[str, str], name: str) -> str:
        return cookie(headers.get("cookie", ""), name)


def send_again(scope: Scope, kept: KeptForm) -> None:
    """Make a request for FORM_KEPT the one that posted the form; its handler shows it and saves nothing."""
    scope["method"], scope["path"], scope["raw_path"] = "POST", kept.path, kept.path.encode()
    scope["query_string"] = kept.query
    scope["typed"] = kept.typed
