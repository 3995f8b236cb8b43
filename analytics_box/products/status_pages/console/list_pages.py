"""The list of an organization's status pages under /status-pages, and creating one."""

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.names import SPELLING
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.console.choosing import in_trouble
from analytics_box.products.status_pages.console.frame import (
    DONE,
    HOME,
    PAGE_STATE_LABELS,
    frame,
    page_mark,
    rejection_of,
)
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.editing import calls as procedures
from analytics_box.products.status_pages.editing.messages import CreateStatusPage
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor


class StatusPageRow(Struct, frozen=True):
    """A status page in the list. `open` has its open incidents, drafts and maintenance, `notes` who can see it."""

    name: str
    href: str
    public_url: str
    public_label: str
    mark: str
    label: str
    notes: tuple[str, ...]
    open: tuple[str, ...]
    components: str
    in_trouble: bool


async def page_list(visit: Visitor) -> Page:
    """GET /status-pages."""
    organization_id, snapshots = visit.person.organization_id, visit.parts[PageSnapshots]
    own = visit.parts[StatusPages].of(organization_id)
    return visit.pages.show(
        "status_pages.html",
        shell=frame(visit.person),
        lines=[_line(whole, await snapshots.of(whole)) for whole in own],
        editable=visit.person.may("member"),
        done=DONE.get(visit.asked("done"), ""),
    )


def _line(whole: Whole, seen: PageSeen) -> StatusPageRow:
    mark = page_mark(seen)
    return StatusPageRow(
        name=figures.visible(whole.page.name),
        href=f"{HOME}/{whole.page.id}",
        public_url=seen.url if whole.page.published else f"{HOME}/{whole.page.id}/preview",
        public_label=_address(seen.url),
        mark=mark if whole.page.published else "unknown",
        label=PAGE_STATE_LABELS[mark if whole.page.published else "draft"],
        notes=tuple(_notes(whole)),
        open=tuple(_open_counts(whole)),
        components=figures.count(len(whole.components)),
        in_trouble=bool(in_trouble(seen, whole.incidents)),
    )


def _open_counts(whole: Whole) -> list[str]:
    open_ones = [one for one in whole.incidents if one.is_open]
    incidents = [one for one in open_ones if one.kind == "incident"]
    drafts, planned = sum(one.is_draft for one in incidents), len(open_ones) - len(incidents)
    published = len(incidents) - drafts
    counts = (
        (ngettext("1 incident", "{count} incidents", published), published),
        (ngettext("1 draft", "{count} drafts", drafts), drafts),
        (ngettext("1 maintenance", "{count} maintenances", planned), planned),
    )
    return [text.format(count=figures.count(count)) for text, count in counts if count]


def _notes(whole: Whole) -> list[str]:
    if whole.page.password:
        return [_("Password-protected")]
    return [] if whole.page.indexed else [_("Hidden from search engines")]


def _address(url: str) -> str:
    """An address without its scheme."""
    parts = url_parts(url)
    return f"{parts.netloc}{parts.path}"


MOST_MONITORS = 500  # Monitors in a list of check boxes.
_PREFIX = "monitor."


async def new_form(visit: Visitor) -> Page:
    """GET /status-pages/new."""
    return _page(visit, Again(), set())


async def add(visit: Visitor) -> Answer:
    """POST /status-pages/new: create a draft."""
    form = await visit.form()
    chosen = [name.removeprefix(_PREFIX) for name in form if name.startswith(_PREFIX)]
    found = {
        "name": form.get("name", ""),
        "slug": form.get("slug", "").strip(),
        "uptimeScheduleIds": chosen,
        "timeZone": visit.person.time_zone,
        "isPublished": False,
        "organizationId": visit.person.organization_id,
    }
    try:
        visit.saves()
        made = await procedures.create(
            visit.call, message_of(found, CreateStatusPage, _("This value is not valid: {message}"))
        )
    except (BadRequest, Conflict) as wrong:
        return _page(visit, rejection_of(wrong, form), set(chosen))
    return visit.go(f"{HOME}/{made.id}?done=created")


def _page(visit: PageRequest, again: Again, chosen: set[str]) -> Page:
    own = visit.parts[Monitors].of(visit.person.organization_id)
    named = sorted(
        ((one.id, figures.visible(one.called), one.is_paused) for one in own), key=lambda one: one[1].casefold()
    )
    return visit.pages.show(
        "status_page_new.html",
        code=again.code,
        shell=frame(visit.person),
        values=again.values,
        errors=again.wrong,
        general=again.general,
        monitors=[(one, name, one in chosen, is_paused) for one, name, is_paused in named[:MOST_MONITORS]],
        address=f"{visit.parts.settings.public_url}/status/…",
        spelling=SPELLING,
    )
