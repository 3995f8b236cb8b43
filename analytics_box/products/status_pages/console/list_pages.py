"""The list of an organization's status pages under /status-pages, creating one, and the page of one."""

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.names import SPELLING
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import HOME as MONITORS
from analytics_box.products.status_pages.console.choosing import in_trouble, state_of
from analytics_box.products.status_pages.console.frame import (
    DONE,
    HOME,
    PAGE_STATE_LABELS,
    ConsolePage,
    frame,
    open_page,
    page_mark,
    rejection_of,
)
from analytics_box.products.status_pages.console.shown import IncidentRow, line
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.editing import calls as procedures
from analytics_box.products.status_pages.editing.messages import CreateStatusPage
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import ComponentSeen, PageSeen
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
    own = [one for one in visit.parts[StatusPages].of(organization_id) if visit.call.identity.reaches(one.page.id)]
    return visit.pages.show(
        "status_pages.html",
        shell=frame(visit.person),
        lines=[_line(whole, await snapshots.of(whole)) for whole in own],
        editable=visit.person.may_create,
        reports=visit.person.may("member"),
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
        made = await procedures.create(visit.call, message_of(found, CreateStatusPage))
    except (BadRequest, Conflict) as wrong:
        return _page(visit, rejection_of(wrong, form), set(chosen))
    return visit.go(f"{HOME}/{made.id}?done=created")


def _page(visit: PageRequest, again: Again, chosen: set[str]) -> Page:
    own = visit.parts[Monitors].of(visit.person.organization_id)
    named = sorted(
        ((one.id, figures.visible(one.called), one.is_paused) for one in own), key=lambda one: one[1].casefold()
    )
    return visit.show(
        "status_page_new.html",
        frame(visit.person),
        again,
        monitors=[(one, name, one in chosen, is_paused) for one, name, is_paused in named[:MOST_MONITORS]],
        address=f"{visit.parts.settings.public_url}/status/…",
        spelling=SPELLING,
    )


class ComponentLine(Struct, frozen=True):
    """A component and how it is; `href` leads to its monitor."""

    name: str
    mark: str
    label: str
    group: str = ""
    href: str = ""


class CurrentState(Struct, frozen=True):
    """The current state of a page. `trouble` are components that are not operational and that no open
    incident affects."""

    trouble: tuple[ComponentLine, ...]
    drafts: tuple[IncidentRow, ...]
    incidents: tuple[IncidentRow, ...]
    maintenances: tuple[IncidentRow, ...]
    components: tuple[ComponentLine, ...]


async def page_now(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}. Raises NotFound."""
    page = await open_page(visit, page_id)
    return page.show("status_page.html", "now", now=_now(page))


def _now(page: ConsolePage) -> CurrentState:
    found = [one for one in page.whole.incidents if one.is_open]
    incidents = [one for one in found if one.kind == "incident"]
    planned = sorted((one for one in found if one.kind == "maintenance"), key=lambda one: one.scheduled_for or 0)
    return CurrentState(
        trouble=tuple(_component(page, one) for one in in_trouble(page.seen, page.whole.incidents)),
        drafts=_lines(page, [one for one in incidents if one.is_draft]),
        incidents=_lines(page, [one for one in incidents if not one.is_draft]),
        maintenances=_lines(page, planned),
        components=tuple(_component(page, one) for one in page.seen.components),
    )


def _lines(page: ConsolePage, some: list[Incident]) -> tuple[IncidentRow, ...]:
    return tuple(line(page.href, one, page.visit.person, page.visit.call.now) for one in some)


def _component(page: ConsolePage, one: ComponentSeen) -> ComponentLine:
    group = next((each.name for each in page.seen.groups if each.id == one.group_id), "")
    monitor = next((each.monitor_id for each in page.whole.components if each.id == one.id), None)
    href = f"{MONITORS}/{monitor}" if monitor is not None else ""
    return ComponentLine(figures.visible(one.name), *state_of(one), group=figures.visible(group), href=href)
