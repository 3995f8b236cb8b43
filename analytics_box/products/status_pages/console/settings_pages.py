"""The settings of a status page under /status-pages/{id}/settings, with a preview of the page."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound, PayloadTooLarge
from analytics_box.base.identity import at_least
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.status_pages import pictures
from analytics_box.products.status_pages.access import find_viewable_page as page_of
from analytics_box.products.status_pages.access import save as saved
from analytics_box.products.status_pages.console.frame import (
    HOME,
    ConsolePage,
    itself,
    open_page,
    page_deletion,
    rejection_of,
)
from analytics_box.products.status_pages.editing import calls as procedures
from analytics_box.products.status_pages.editing.messages import StatusPageId, TransferStatusPage, UpdateStatusPage
from analytics_box.products.status_pages.page import FileKind, StatusPage, Whole
from analytics_box.products.status_pages.pictures import PagePicture
from analytics_box.products.status_pages.serving import shown as public
from analytics_box.products.status_pages.view import sources
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.resource import forms
from analytics_box.resource.fields import values_of
from analytics_box.resource.reach import Reach
from analytics_box.tenants.accounts.preferences import zone_groups
from analytics_box.tenants.configuration import domains as proven
from analytics_box.tenants.organizations import image
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.front import CONTENT_SECURITY_POLICY
from analytics_box.web.page.edits import FIELD, check_version
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(
    _("Delete {name}?"),
    _("{url} goes offline. Its incidents, maintenance and subscribers are deleted. This cannot be undone."),
    _("Delete {name}"),
)


_BOXES: Final = ("isIndexed", "isSubscribable")


def settings_input(form: Mapping[str, str], page: StatusPage) -> UpdateStatusPage:
    """The form as input of the procedure. Raises BadRequest."""
    wrong: dict[str, str] = {}
    values = _form_values(form, page, wrong)
    forms.refuse(wrong)
    return message_of({"statusPageId": page.id} | values, UpdateStatusPage)


def _form_values(form: Mapping[str, str], page: StatusPage, wrong: dict[str, str]) -> dict[str, Any]:
    return forms.read(form, StatusPage, page.zone, page, wrong) | {name: name in form for name in _BOXES}


_FRAMING: Final = {"content-security-policy": f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"}
_FRAMED: Final = {
    "content-security-policy": CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
}
_KINDS: Final[dict[str, FileKind]] = {"logo": "logo", "favicon": "favicon"}


async def settings(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/settings. Raises NotFound or Forbidden."""
    return await _page(await open_page(visit, page_id))


async def save(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/settings. Raises NotFound or Forbidden."""
    page, form = await open_page(visit, page_id), await visit.form()
    try:
        visit.saves()
        check_version(form, _form_content(page.whole.page))
        await procedures.update(visit.call, settings_input(form, page.whole.page))
    except (BadRequest, Conflict) as wrong:
        typed = {name: form.get(name, "") for name in (*forms.inputs_of(StatusPage), "removePassword", FIELD)}
        return await _page(page, rejection_of(wrong, typed))
    return visit.go(f"{page.href}/settings?done=saved")


async def preview(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET and POST /status-pages/{id}/preview: the page with the values of the form. Raises NotFound or Forbidden."""
    whole = await page_of(visit.call, page_id)
    if visit.request.method == "POST":
        whole = _preview_page(whole, await visit.form())
    seen = await sources.see(visit.parts[PageSnapshots].sources, whole, visit.call.now)
    return visit.pages.show(
        "status/page.html",
        headers=_FRAMED,
        page=seen,
        base=f"{HOME}/{page_id}/preview?at=",
        logo=_picture_path(whole.page, "logo"),
        favicon=None,
        shown=public.page(seen, visit.call.now),
    )


async def upload(visit: Visitor, page_id: FromPath[str], kind: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/files/{kind}: a logo or favicon as multipart/form-data. Raises NotFound or Forbidden."""
    page, asset = await open_page(visit, page_id), _kind(kind)
    try:
        sent = await visit.upload(asset, limit=image.MOST_BYTES)
        picture = PagePicture(_picture(sent, asset))
    except (BadRequest, PayloadTooLarge) as wrong:
        message = image.TOO_LARGE if isinstance(wrong, PayloadTooLarge) else wrong.message
        return await _page(page, Again(400, {}, {asset: message}))
    await _store_picture(visit, page.whole, asset, picture)
    return visit.go(f"{page.href}/settings?done=uploaded")


async def picture(visit: Visitor, page_id: FromPath[str], kind: FromPath[str]) -> Response[bytes]:
    """GET /status-pages/{id}/files/{kind}: a picture, for members. Raises NotFound."""
    page = (await page_of(visit.call, page_id)).page
    digest: str = getattr(page, _kind(kind))
    found = await pictures.find(visit.parts.box_db, page.id, digest) if digest else None
    if found is None:
        raise NotFound(_("Select an image"))
    content, kind = found
    return Response(content, media_type=kind, headers={"cache-control": "private, max-age=86400"})


async def remove_picture(visit: Visitor, page_id: FromPath[str], kind: FromPath[str]) -> Next:
    """POST /status-pages/{id}/files/{kind}/remove. Raises NotFound or Forbidden."""
    await _store_picture(visit, await page_of(visit.call, page_id), _kind(kind), None)
    return visit.go(f"{HOME}/{page_id}/settings?done=picture-removed")


async def publish(visit: Visitor, page_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/publish. Raises NotFound or Forbidden."""
    await _set_published(visit, page_id, is_published=True)
    return visit.go(f"{HOME}/{page_id}?done=online")


async def unpublish(visit: Visitor, page_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/unpublish: make it a draft again. Raises NotFound or Forbidden."""
    await _set_published(visit, page_id, is_published=False)
    return visit.go(f"{HOME}/{page_id}/settings?done=offline")


async def transfer(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/transfer. Raises NotFound or Forbidden."""
    page, form = await open_page(visit, page_id), await visit.form()
    given = TransferStatusPage(page_id, form.get("organization", ""), bool(form.get("includeMonitors")))
    try:
        await procedures.transfer(visit.call, given)
    except (BadRequest, Conflict) as wrong:
        return await _page(page, Again(wrong.status, {}, {}, wrong.message))
    return visit.go(f"{HOME}?done=transferred")


DELETION: Final = page_deletion(
    itself,
    _DELETE,
    about=lambda page, _same: (page.whole.page.name, f"{page.href}/settings"),
    facts=lambda page: {"url": page.seen.url},
    delete=lambda visit, page, _same: procedures.delete(visit.call, StatusPageId(page.whole.page.id)),
    after=lambda _page, _form: f"{HOME}?done=deleted",
)


async def _page(opened_page: ConsolePage, again: Again | None = None) -> Page:
    visit, page = opened_page.visit, opened_page.whole.page
    own = await visit.call.read(lambda db: _domains(db, opened_page))
    others = [
        (one.organization_id, figures.visible(one.name))
        for one in visit.person.memberships
        if one.organization_id != page.organization_id and at_least(one.role, "member")
    ]
    return opened_page.show(
        "status_settings.html",
        "settings",
        again=again,
        headers=_FRAMING,
        values=forms.fill(page, page.zone) | {"includeMonitors": "on"},
        edited=_form_content(page),
        address=f"{visit.parts.settings.public_url}/status/…",
        zones=zone_groups(page.zone, visit.person.time_zone),
        domains=own,
        has_password=bool(page.password),
        is_published=page.published,
        pictures=tuple((kind, _picture_path(page, kind)) for kind in _KINDS.values()),
        organizations=others,
    )


def _domains(db: Connection, page: ConsolePage) -> list[tuple[str, str]]:
    """The domains that the page can have: proven ones, and the one that it has."""
    by, current = page.visit.call.by, page.whole.page
    found = {one.domain for one in proven.of(db, current.organization_id, by) if one.proven_at is not None}
    found |= {current.domain} if current.domain else set()
    nowhere = _("None ({address})").format(address=f"/status/{current.slug}")
    return [("", nowhere), *((name, name) for name in sorted(found))]


def _preview_page(whole: Whole, form: Mapping[str, str]) -> Whole:
    """The page with the valid values of a form. Its password and domain stay."""
    page = whole.page
    for name, value in _form_values(form, page, {}).items():
        if name in {"password", "domain"}:
            continue
        try:
            given = message_of({"statusPageId": page.id, name: value}, UpdateStatusPage)
            page = replace(page, **values_of(given, StatusPage, page))
        except BadRequest:
            continue
    return replace(whole, page=page)


def _form_content(page: StatusPage) -> tuple[dict[str, str], str]:
    """Return the part of a page that the form edits: the version of the page also grows with incidents."""
    return {**forms.fill(page, page.zone), "isPublished": ""}, page.password


def _picture_path(page: StatusPage, kind: FileKind) -> str:
    """The dashboard's address of a page's picture; empty if it has none. Another picture has another address."""
    digest: str = getattr(page, kind)
    return f"{HOME}/{page.id}/files/{kind}?v={digest[:12]}" if digest else ""


def _kind(kind: str) -> FileKind:
    if kind not in _KINDS:
        raise BadRequest(_("Images are logo and favicon"))
    return _KINDS[kind]


def _picture(sent: bytes, kind: FileKind) -> image.Picture:
    if not sent:
        raise BadRequest.about(kind, _("Select an image"))
    return image.picture(sent)


async def _store_picture(visit: PageRequest, whole: Whole, kind: FileKind, given: PagePicture | None) -> None:
    own = Reach(whole.page.organization_id, visit.call.by)
    await saved(visit.parts, whole.page.id, lambda db: pictures.replace_picture(db, own, whole.page.id, kind, given))


async def _set_published(visit: PageRequest, page_id: str, *, is_published: bool) -> None:
    given = {"statusPageId": page_id, "isPublished": is_published}
    await procedures.update(visit.call, message_of(given, UpdateStatusPage))
