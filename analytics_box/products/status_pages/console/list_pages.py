"""The list of an organization's status pages under /status-pages."""

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import url_parts
from analytics_box.products.status_pages.console.choosing import in_trouble
from analytics_box.products.status_pages.console.frame import DONE, HOME, PAGE_STATE_LABELS, frame, page_mark
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.web.page.visit import Page, Visitor


class StatusPageNote(Struct, frozen=True):
    """A short note about a page. A loud note needs attention."""

    text: str
    loud: bool = False


class StatusPageRow(Struct, frozen=True):
    """A status page in the list."""

    name: str
    href: str
    public_url: str
    public_label: str
    mark: str
    label: str
    notes: tuple[StatusPageNote, ...]
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
        in_trouble=bool(in_trouble(seen, whole.incidents)),
    )


def _notes(whole: Whole) -> list[StatusPageNote]:
    open_ones = [one for one in whole.incidents if one.is_open]
    incidents = [one for one in open_ones if one.kind == "incident"]
    drafts, planned = sum(one.is_draft for one in incidents), len(open_ones) - len(incidents)
    published = len(incidents) - drafts
    counts = (
        (ngettext("1 open incident", "{count} open incidents", published), published, True),
        (ngettext("1 draft", "{count} drafts", drafts), drafts, True),
        (ngettext("1 scheduled maintenance", "{count} scheduled maintenances", planned), planned, False),
    )
    found = [StatusPageNote(said.format(count=figures.count(count)), loud) for said, count, loud in counts if count]
    components = len(whole.components)
    found.append(
        StatusPageNote(
            ngettext("1 component", "{count} components", components).format(count=figures.count(components))
        )
    )
    if whole.page.password:
        found.append(StatusPageNote(_("Password-protected")))
    elif not whole.page.indexed:
        found.append(StatusPageNote(_("Hidden from search engines")))
    return found


def _address(url: str) -> str:
    """An address without its scheme."""
    parts = url_parts(url)
    return f"{parts.netloc}{parts.path}"
