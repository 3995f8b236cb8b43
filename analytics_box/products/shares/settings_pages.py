"""The settings of what a website shares: public queries, and share links with their form."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.products.shares import calls
from analytics_box.products.shares.share import USUAL_PANELS, ChangedShare, NewShare, OneShare, ShareLink
from analytics_box.resource import forms
from analytics_box.tenants.configuration import domains
from analytics_box.tenants.organizations import logos
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.websites import change as websites
from analytics_box.tenants.websites import settings_area
from analytics_box.tenants.websites.reach import change as change_own
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.resource_form import WebsiteForm
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.web.page import dates
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(
    _("Delete the share link {name}?"),
    _("Its address stops working immediately and never works again."),
    _("Delete {name}"),
)
_LABELS = {
    "name": _("Name"),
    "slug": _("Address"),
    "segmentId": _("Show only"),
    "panels": _("Panels"),
    "earliestDate": _("Earliest date"),
    "password": _("Password"),
    "expiresAt": _("Expires on"),
    "title": _("Title"),
    "accent": _("Accent color"),
    "domain": _("Custom domain"),
    "embedHosts": _("Websites that can embed it"),
    "image": _("Image"),
}
_PANELS: Final = {
    "sources": _("Sources"),
    "pages": _("Pages"),
    "places": _("Places"),
    "devices": _("Devices"),
    "events": _("Custom events"),
    "goals": _("Goals"),
}
_BOXES: Final = ("showsLogo", "isIndexed", "hasBadge")
_DONE = {
    "created": _("Saved."),
    "saved": _("Saved."),
    "deleted": _("Share link deleted."),
    "logo": _("Logo saved."),
    "logo-deleted": _("Logo deleted."),
}


class ShareLine(Struct, frozen=True):
    """A share link in the list of a website."""

    id: str
    name: str
    url: str
    path: str
    edit: str
    more: str
    views: str


async def sharing(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/sharing: what is public, and the share links. Raises NotFound."""
    return await _sharing(visit, own(visit.call, website_id), Again())


async def save_sharing(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/sharing. Without the first box the second one says nothing. Raises NotFound."""
    website = own(visit.call, website_id)
    form = {"isPublic": "", "publicValues": "", **await visit.form()}
    public = bool(form["isPublic"])

    def write(db: Connection, website: Website, by: By) -> Website:
        check_version(form, website)
        return websites.publicity(db, website, by, public=public, values=public and bool(form["publicValues"]))

    async def save() -> str:
        await change_own(visit.call, website.id, write)
        return f"{_home(website)}?done=saved"

    async def again(visit: PageRequest, again: Again) -> Page:
        return await _sharing(visit, own(visit.call, website_id), again)

    return await visit.submit(save, again, values=form)


async def upload_logo(visit: Visitor, website_id: FromPath[str], share_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/shares/{share}/logo: a picture as multipart/form-data. Raises NotFound."""
    website, share = await calls.find_share(visit.call, share_id, website_id)

    async def save() -> str:
        await calls.put_logo(visit.call, share.id, await logos.read_upload(visit))
        return f"/sites/{website.id}/shares/{share.id}?done=logo#logo"

    async def again(visit: PageRequest, again: Again) -> Page:
        return await _FORM.show(visit, website, share, replace(again, values={}))

    return await visit.submit(save, again)


async def delete_logo(visit: Visitor, website_id: FromPath[str], share_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/shares/{share}/logo/delete. Raises NotFound."""
    website, share = await calls.find_share(visit.call, share_id, website_id)
    await calls.put_logo(visit.call, share.id, None)
    return visit.go(f"/sites/{website.id}/shares/{share.id}?done=logo-deleted#logo")


def _home(website: Website) -> str:
    return f"/sites/{website.id}/settings/sharing"


async def _sharing(visit: PageRequest, website: Website, again: Again) -> Page:
    shares = await calls.of_website(visit.call, website)
    return settings_page(
        visit,
        "site_sharing.html",
        "sharing",
        website,
        again=again,
        values={**settings_area.values_of(website), FIELD: version_of(website), **again.values},
        saved=_DONE.get(visit.asked("done"), ""),
        public=f"{visit.parts.settings.public_url}/share/{website.id}" if website.is_public else "",
        options=next(
            (f"/sites/{website.id}/shares/{one.id}" for one in shares if one.slug == website.id),
            f"/sites/{website.id}/shares/new?public=1",
        ),
        shares=[_line(visit, one, website) for one in shares],
    )


def _line(visit: PageRequest, share: ShareLink, website: Website) -> ShareLine:
    shown = calls.share_answer(visit.call, share)
    until = "" if share.expires_at is None else dates.moment(share.expires_at, visit.person)
    over = share.expires_at is not None and share.expires_at <= visit.call.now
    expiry = (_("expired {time}") if over else _("expires {time}")).format(time=until) if until else ""
    is_off = share.slug == website.id and not website.is_public
    parts = (
        _("off, because the website is not public") if is_off else "",
        _("password") if share.password else "",
        _("filtered") if share.filters else "",
        expiry,
    )
    return ShareLine(
        share.id,
        share.name,
        shown.url,
        f"/share/{share.slug}",
        f"/sites/{share.website_id}/shares/{share.id}",
        " · ".join(part for part in parts if part),
        _views(visit, share),
    )


def _domains(db: Connection, visit: PageRequest, website: Website, share: ShareLink | None) -> list[str]:
    """The domains that a share link can have: verified ones, and the one that it has."""
    verified = {
        one.domain for one in domains.of(db, website.organization_id, visit.call.by) if one.proven_at is not None
    }
    return sorted(verified | ({share.domain} if share is not None and share.domain is not None else set()))


def _snippets(visit: PageRequest, share: ShareLink) -> Sequence[tuple[str, str, str]]:
    """The code for other websites: an id, a label and the text of each."""
    if share.password is not None:
        return ()
    public = visit.parts.settings.public_url
    name = escape(share.title or share.name)
    frame = (
        f'<iframe src="{public}/embed/{share.slug}?theme=light" title="{name}" loading="lazy" '
        'width="100%" height="900" frameborder="0"></iframe>\n'
        f'<script async src="{public}/static/js/embed_height.js"></script>'
    )
    alternative, text = _("Visitors this month"), _("{online} visitors now")
    picture = f'<img src="{public}/share/{share.slug}/badge.svg" alt="{alternative}">'
    counter = (
        f'<script async src="{public}/static/js/visitors.js" data-share="{share.slug}" data-text="{text}"></script>'
    )
    return (
        *((("embed", _("Dashboard"), frame),) if share.embed_hosts else ()),
        *((("badge", _("Badge"), picture), ("counter", _("Live counter"), counter)) if share.has_badge else ()),
    )


def _views(visit: PageRequest, share: ShareLink) -> str:
    if share.viewed_at is None:
        return _("Not opened yet")
    latest = dates.moment(share.viewed_at, visit.person)
    said = ngettext("Opened once, {time}", "Opened {count} times, last {time}", share.views)
    return said.format(count=figures.count(share.views), time=latest)


def _fill(visit: PageRequest, website: Website, share: ShareLink | None) -> Form:
    """The values of the form; with ?public= of the dashboard at the id of the website."""
    if share is not None or not visit.asked("public"):
        return {}
    return {"slug": website.id, "name": _("Public dashboard"), **{f"panel-{name}": "on" for name in USUAL_PANELS}}


async def _message(visit: PageRequest, _website: Website, share: ShareLink | None, form: Form) -> Mapping[str, object]:
    found = forms.read_posted(form, ShareLink, visit.person.time_zone, share)
    found |= {name: bool(form.get(name)) for name in _BOXES}
    found |= {"panels": [name for name in _PANELS if form.get(f"panel-{name}")]}
    return found | ({"segmentId": form["segmentId"]} if share is None and form.get("segmentId") else {})


async def _context(visit: PageRequest, website: Website, share: ShareLink | None, values: Form) -> Mapping[str, object]:
    filled = {} if share is None else forms.fill(share, visit.person.time_zone)
    panels = USUAL_PANELS if share is None else share.panels
    filled |= {f"panel-{name}": "on" for name in panels}
    # Boxes that are not checked are missing in a form that came back.
    typed = {**dict.fromkeys((*filled, *_BOXES), ""), **values} if values else {}
    return {
        "has_password": share is not None and share.password is not None,
        "logo": f"/share/{share.slug}/logo?v={share.logo}" if share is not None and share.logo else "",
        "saved": _DONE.get(visit.asked("done"), ""),
        "values": {**filled, **typed},
        "panels": _PANELS,
        "snippets": () if share is None else _snippets(visit, share),
        "zone": visit.person.time_zone,
        "domains": await visit.call.read(lambda db: _domains(db, visit, website, share)),
        "segments": await verbs.visible(visit.call, SEGMENTS, website) if share is None else (),
    }


_FORM: Final = WebsiteForm[ShareLink](
    path="shares",
    template="share_form.html",
    here="site-settings",
    labels=_LABELS,
    context=_context,
    has_anchors=True,
    home="settings/sharing",
)
SHARE: Final = _FORM.pages(
    parameter="share_id",
    find=calls.find_share,
    fill=_fill,
    message=_message,
    create=(calls.create, NewShare),
    update=(calls.update, ChangedShare),
    delete=(calls.delete, OneShare),
    question=_DELETE,
)
