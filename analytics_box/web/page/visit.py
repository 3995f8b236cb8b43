"""A request for a page: who asks, what was sent, and how it is answered.

One value instead of many parts in the signature of every handler, and one way for every form: `submit`.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, cast

from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.errors import BadRequest, Conflict, PayloadTooLarge
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.web import body
from analytics_box.web.asgi import Scope, cookie
from analytics_box.web.body import MOST_FIELDS
from analytics_box.web.call import Call, Parts
from analytics_box.web.page.edits import FIELD, EditConflict
from analytics_box.web.page.settings_area import Tab
from analytics_box.web.page.shell import Shell, frame
from analytics_box.web.page.templates import MOST_FORM_BYTES, Pages, field_errors, form_of, go

_FORM = (body.TYPE,)
_LONGEST_UPLOAD = 600.0  # Seconds until an uploaded file must have arrived.
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
    found = body.fields(sent, request.headers.get("content-type", ""))
    content = found.get(field, b"")
    if len(content) > limit:
        raise PayloadTooLarge(_("The file can have up to {limit:,} bytes").format(limit=limit))
    return {name: value.decode(errors="replace") for name, value in found.items() if name != field}, content


Page = Response[str]
Next = Response[bytes]
Answer = Page | Next


class Again(Struct, frozen=True):
    """A form that came back: the status, what was typed, what is wrong by field, and what is about none of them."""

    code: int = 200
    values: Mapping[str, str] = {}
    wrong: Mapping[str, str] = {}
    general: str = ""


class PageRequest(Struct, frozen=True):
    """A request for a page, by a signed-in person or an anonymous visitor.

    `typed` is a form that came after the session had expired: it is shown again, and not carried out.
    """

    request: Request[Any, Any, Any]
    call: Call
    pages: Pages
    typed: Mapping[str, str] | None = None

    @property
    def person(self) -> SignedInPerson:
        """The signed-in person. Raises AuthRequired for anonymous callers, whom the guard admits to
        public pages only."""
        if self.call.identity.person is None:
            raise errors.AuthRequired(_("Sign in to see this page"))
        return self.call.identity.person

    @property
    def signed_in(self) -> bool:
        """Whether it is a person that the box knows."""
        return self.call.identity.person is not None

    @property
    def parts(self) -> Parts:
        """The parts of the box."""
        return self.call.parts

    def asked(self, name: str) -> str:
        """A value of the address's query; empty where it has none."""
        return str(self.request.query_params.get(name, ""))

    def path(self, name: str) -> str:
        """A part of the address's path; empty where it has none of this name."""
        return str(self.request.path_params.get(name, ""))

    def cookie(self, name: str) -> str:
        """The value of one cookie; empty where it is not sent."""
        return cookie(self.request.headers.get("cookie", ""), name)

    def browser(self) -> str:
        """The browser's User-Agent header."""
        return str(self.request.headers.get("user-agent", ""))

    def go(self, path: str, *, cookie: str = "") -> Next:
        """See another page of this box; with a Set-Cookie header if given."""
        return go(path, cookie=cookie)

    def download(self, content: bytes, media_type: str, name: str) -> Next:
        """A file of this name, which no cache stores."""
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=headers)

    async def form(self, *, limit: int = MOST_FORM_BYTES, most_fields: int = MOST_FIELDS) -> dict[str, str]:
        """The fields of a posted form of at most `limit` bytes. Raises the refusals of http.body."""
        if self.typed is not None:
            return dict(self.typed)
        return await form_of(self.request, self.parts.settings, limit=limit, most_fields=most_fields)

    async def upload(self, field: str, *, limit: int) -> bytes:
        """A posted file of at most `limit` bytes. Raises the refusals of http.page.upload."""
        return await upload_of(self.request, field, limit=limit, seconds=self.parts.settings.body_seconds)

    async def uploaded_with(self, field: str, *, limit: int) -> tuple[dict[str, str], bytes]:
        """The other fields of a form with a file, and the file. Raises the refusals of http.page.upload."""
        return await uploaded_with(self.request, field, limit=limit, seconds=self.parts.settings.body_seconds)

    async def upload_to(self, field: str, path: Path, *, limit: int) -> None:
        """Write a posted file to `path`. Raises the refusals of body.upload_to."""
        await body.upload_to(self.request, field, path, limit=limit, seconds=_LONGEST_UPLOAD)

    def show(self, template: str, shell: Shell, again: Again, **context: Any) -> Page:
        """A page with a form; its `values`, `errors` and `general` are those of `again`."""
        shown = {"values": again.values, "errors": again.wrong, "general": again.general} | context
        return self.pages.show(template, code=again.code, shell=shell, **shown)

    def settings_page(
        self, template: str, tab: Tab, *, again: Again | None = None, cookie: str = "", **context: Any
    ) -> Page:
        """A page of the settings area; `values`, `errors` and `general` are those of a form that came back.

        `cookie` is a Set-Cookie header.
        """
        again = again or Again()
        values = {**context.pop("values", {}), **again.values}
        headers = {"set-cookie": cookie} if cookie else {}
        shell = frame(self.person, "settings")
        return self.show(template, shell, again, headers=headers, tab=tab, values=values, **context)

    def confirm(self, tab: Tab, *, title: str, text: str, action: str, back: str, **fields: str) -> Page:
        """Are you sure? As a page whose form posts `fields` to `action`; `back` is where cancel leads."""
        return self.settings_page("confirm.html", tab, title=title, text=text, action=action, back=back, fields=fields)

    def saves(self) -> None:
        """Declare that the handler is about to save a form by its own code.

        Raises BadRequest for a form that came after the session had expired, so that it is only shown.
        """
        if self.typed is not None:
            raise BadRequest(
                _("You were signed out before this was saved. Your changes are still here: review them, then save.")
            )

    async def submit(
        self,
        save: Callable[[], Awaitable[str]],
        page: "Callable[[PageRequest, Again], Awaitable[Page]]",
        *,
        values: Mapping[str, str] | None = None,
        field: str = "",
    ) -> Answer:
        """Carry out what a form asks for and go where `save` says, or show `page` again with what is wrong.

        What a refusal says about fields is shown there. With `field` it is all about that one. A form that came after
        the session had ended is only shown, with what was typed.
        """
        if self.typed is not None:
            return await page(
                self,
                Again(
                    200,
                    values or {},
                    {},
                    _(
                        "You were signed out before this was saved. Your changes are still here: review them, "
                        "then save."
                    ),
                ),
            )
        try:
            return go(await save())
        except (BadRequest, Conflict) as refused:
            wrong = {field: refused.message} if field else field_errors(refused)
            general = "" if wrong else refused.message
            kept = dict(values or {})
            if isinstance(refused, EditConflict):
                # The form gets the current version, so that saving again overwrites the changes.
                kept.pop(FIELD, None)
                wrong, general = {}, refused.message
            return await page(self, Again(refused.status, kept, wrong, general))


def visit_of(
    request: Request[Any, Any, Any], call: NamedDependency[Call], pages: NamedDependency[Pages]
) -> PageRequest:
    """The dependency `visit` of handlers."""
    return PageRequest(request, call, pages, cast(Scope, request.scope).get("typed"))


Visitor = NamedDependency[PageRequest]  # how handlers write it
