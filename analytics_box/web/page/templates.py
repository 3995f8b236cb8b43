"""Pages for people: templates, forms, redirects, and refusals that read like a page."""

import string
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import quote

from analytics_box.base.errors import BoxError
from analytics_box.base.later import Later
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import url_parts
from analytics_box.web import body
from analytics_box.web.asgi import Scope
from analytics_box.web.page.assets import Assets
from analytics_box.web.page.settings_area import SettingsGroup, visible_groups
from analytics_box.web.page.shell import Shell

if TYPE_CHECKING:
    import jinja2
    import litestar
    from litestar import Request, Response
else:
    jinja2, litestar = Later("jinja2"), Later("litestar")  # several megabytes, until a page is shown

_PAGES = {
    403: (
        _("Access denied"),
        _("Your account has no access to this page."),
        _("Ask your administrator."),
    ),
    404: (_("Nothing here"), _("This page does not exist or was deleted."), _("Check the address, or go back.")),
    429: (
        _("Too many requests"),
        _("You have sent too many requests."),
        _("Wait a moment, then try again."),
    ),
    500: (
        _("Something broke"),
        _("Something went wrong on the server. Your data is safe."),
        _("Try again. If the problem persists, look up the request ID below in the log."),
    ),
    503: (_("Busy right now"), _("The server is overloaded."), _("Try again in a few seconds.")),
}
_OTHER = (_("The request failed"), _("The request could not be answered."), _("Go back and try again."))


_FORM = (b"application/x-www-form-urlencoded",)
_IN_A_LOCATION = string.digits + string.ascii_letters + string.punctuation + " "  # as it is; never the end of a line
MOST_FORM_BYTES = 65_536
FORM_KEPT = "/forms/kept"  # shows the form that was sent after the session had ended


class Pages:
    """The templates. Text is escaped, an unknown name is an error, and `static(name)` gives a file's address."""

    compiled: "ClassVar[jinja2.BytecodeCache | None]" = None
    """For who opens many boxes in one process: compiling its templates is most of the work of a box's first page."""

    def __init__(self, folder: Path, assets: Assets) -> None:
        self._folder = folder
        self._settings: tuple[SettingsGroup, ...] = ()
        self._known: dict[str, Any] = {
            "static": assets.url,
            "_": _,
            "ngettext": ngettext,
            "settings_groups": lambda shell: visible_groups(
                shell.role, shell.is_administrator, self._settings, restricted=shell.is_restricted
            ),
            "notices": lambda shell: (),
            "complete_frame": lambda shell: shell,
        }

    def offer_settings(self, groups: tuple[SettingsGroup, ...]) -> None:
        """Set the pages of the settings area."""
        self._settings = groups

    def complete_frames(self, complete_frame: Callable[[Shell], Shell]) -> None:
        """Complete the frame of every page by this: it finds the website of pages that are not about one."""
        self._known["complete_frame"] = complete_frame

    def tell_administrators(self, notices: Callable[[Shell], Sequence[object]]) -> None:
        """Say on every page of an administrator of the box what this returns: things with a text and an href."""
        self._known["notices"] = notices

    @cached_property
    def _templates(self) -> "jinja2.Environment":
        """The environment that loads and caches templates, with all globals added until then."""
        templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self._folder),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            bytecode_cache=self.compiled,
        )
        templates.globals |= self._known
        return templates

    def prepare(self, templates: Sequence[str]) -> None:
        """Read templates now, so that nobody waits for it later."""
        for name in templates:
            self._templates.get_template(name)

    def text(self, template: str, **context: Any) -> str:
        """A rendered page, for who answers by themselves."""
        return self._templates.get_template(template).render(context)

    def show(
        self, template: str, *, code: int = 200, headers: Mapping[str, str] | None = None, **context: Any
    ) -> "Response[str]":
        """A rendered page, answered with this HTTP status; never cached, because it is one person's."""
        return litestar.Response(
            self.text(template, **context),
            status_code=code,
            media_type="text/html",
            headers={"cache-control": "no-store", **(headers or {})},
        )

    def refuse(self, error: BoxError, request_id: str) -> "Response[str]":
        """A refusal as a page: what happened and what to do."""
        return self.show(
            "error.html",
            code=error.status,
            headers=error.headers,
            status=error.status,
            what=_PAGES.get(error.status, _OTHER),
            request_id=request_id,
            home=True,
        )

    def explain(self, what: tuple[str, str, str], *, code: int) -> "Response[str]":
        """A dead end that is nobody's fault: its title, what happened, what to do."""
        return self.show("error.html", code=code, status=0, what=what, request_id="", home=False)


async def form_of(
    request: "Request[Any, Any, Any]",
    settings: Settings,
    *,
    limit: int = MOST_FORM_BYTES,
    most_fields: int = body.MOST_FIELDS,
) -> dict[str, str]:
    """The fields of a posted form of at most `limit` bytes. Raises the refusals of http.body."""
    sent = await body.of_request(request, wanted=_FORM, limit=limit, seconds=settings.body_seconds)
    return body.form(sent, most_fields=most_fields)


def go(path: str, *, cookie: str = "") -> "Response[bytes]":
    """See another page of this box, after a form or instead of the one asked for."""
    headers = {"location": quote(path, safe=_IN_A_LOCATION), "cache-control": "no-store"}
    if cookie:
        headers["set-cookie"] = cookie
    return litestar.Response(b"", status_code=303, headers=headers)


def sign_in_first(request: "Request[Any, Any, Any]") -> "Response[bytes]":
    """Ask an anonymous caller to sign in, and remember the page they asked for, or whose form they sent.

    When only a part of a page was asked for (htmx), the whole page goes there. What was typed may be kept: then the
    guard has left the cookie for it in the scope.
    """
    cookie = cast(Scope, request.scope).get("kept_form", "")
    wanted = FORM_KEPT if cookie else page_of(request)
    suffix = f"?next={quote(wanted)}" if wanted not in {"", "/", "/sites"} else ""
    if "hx-request" not in request.headers:
        return go(f"/sign-in{suffix}", cookie=cookie)
    headers = {"hx-redirect": f"/sign-in{suffix}", "cache-control": "no-store"}
    return litestar.Response(b"", status_code=401, headers={**headers, "set-cookie": cookie} if cookie else headers)


def page_of(request: "Request[Any, Any, Any]") -> str:
    """The page to come back to, as a path of this box; empty if it is not known."""
    address = url_parts(_return_address(request))
    return own_path(address.path + (f"?{address.query}" if address.query else ""))


def _return_address(request: "Request[Any, Any, Any]") -> str:
    """The address to come back to: the one that was asked for, or the page on which a part or a form stands."""
    headers = request.headers
    if request.method == "GET" and ("hx-request" not in headers or "hx-boosted" in headers):
        return str(request.url)
    if "hx-request" in headers:
        return str(headers.get("hx-current-url", ""))
    before = str(headers.get("referer", ""))
    return before if url_parts(before).netloc == headers.get("host") else ""


def own_path(text: str) -> str:
    """A path of this box to go on to, or nothing: never another host, however it is written (security: redirects)."""
    if not text.startswith("/") or text.startswith(("//", "/\\")) or not text.isprintable():
        return ""
    parts = url_parts(text)
    return text if not parts.scheme and not parts.netloc and "\\" not in text else ""


def wants_data(request: "Request[Any, Any, Any]") -> bool:
    """Whether a script of a page asks, which says itself what came of it."""
    return bool(request.headers.get("accept") == "application/json")


def wants_page(request: "Request[Any, Any, Any]") -> bool:
    """Whether a browser asks on behalf of a person."""
    return "text/html" in request.headers.get("accept", "")


def field_errors(error: BoxError) -> dict[str, str]:
    """Error messages by form field, all messages of a field included."""
    found: dict[str, str] = {}
    for detail in error.details:
        before = found.get(detail.field)
        found[detail.field] = f"{before}. {detail.message}" if before else detail.message
    return found
