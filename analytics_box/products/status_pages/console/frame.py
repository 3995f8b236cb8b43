"""The frame of all dashboard pages of a status page: its parts, its current status, and its hit in the palette."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal, TypeVar, get_args

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BoxError
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.monitors.page_frame import OutageReport, Reporting
from analytics_box.products.status_pages.access import find_viewable_page as page_of
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import Indicator, PageSeen
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.call import Call
from analytics_box.web.page.edits import FIELD, EditConflict, version_of
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion, Form
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Page, PageRequest
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

DONE = {
    "created": _("Status page created as a draft. Publish it when it is ready."),
    "online": _("Status page published."),
    "offline": _("Status page unpublished. Only members see it."),
    "saved": _("Changes saved."),
    "deleted": _("Status page deleted."),
    "added": _("Component added."),
    "removed": _("Removed from the page."),
    "moved": _("Moved."),
    "published": _("Incident published."),
    "drafted": _("Draft saved. Only members see it."),
    "held": _("Automatic publishing canceled. You can still publish it."),
    "updated": _("Update posted."),
    "corrected": _("Update corrected. Earlier versions are kept in the history."),
    "incident-deleted": _("Incident deleted."),
    "planned": _("Maintenance scheduled."),
    "maintenance-saved": _("Maintenance saved."),
    "maintenance-cancelled": _("Maintenance canceled."),
    "subscribed": _("Confirmation sent. The subscriber receives updates once they confirm."),
    "unsubscribed": _("Subscriber removed."),
    "template-saved": _("Template saved."),
    "template-deleted": _("Template deleted."),
    "uploaded": _("Image uploaded."),
    "picture-removed": _("Image removed."),
    "transferred": _("Status page transferred."),
}
_TABS = {
    "now": _("Overview"),
    "components": _("Components"),
    "maintenances": _("Maintenance"),
    "history": _("History"),
    "subscribers": _("Subscribers"),
    "settings": _("Settings"),
}
PAGE_STATE_LABELS = {
    "operational": _("Operational"),
    "degraded_performance": _("Degraded"),
    "partial_outage": _("Partial outage"),
    "major_outage": _("Major outage"),
    "under_maintenance": _("Maintenance"),
    "unknown": _("Unknown"),
    "draft": _("Draft"),
}


Row = TypeVar("Row")
HOME: Final = "/status-pages"
Tab = Literal["now", "components", "maintenances", "history", "subscribers", "settings"]
_PATHS: Final[dict[Tab, str]] = {"now": ""}
_MARKS: Final[dict[Indicator, str]] = {
    "none": "operational",
    "minor": "degraded_performance",
    "major": "partial_outage",
    "critical": "major_outage",
    "maintenance": "under_maintenance",
}
_OF_EDITORS: Final[frozenset[Tab]] = frozenset(("subscribers", "settings"))


class StatusPageTab(Struct, frozen=True):
    """A tab of a status page; `count` is the number of open items, or empty."""

    name: Tab
    label: str
    href: str
    count: str = ""


class StatusPageHeader(Struct, frozen=True):
    """The header of every dashboard page of a status page. `public_url` is the preview of a draft."""

    name: str
    href: str
    public_url: str
    is_published: bool
    mark: str
    label: str
    tab: Tab
    tabs: tuple[StatusPageTab, ...]


class ConsolePage(Struct, frozen=True):
    """A status page in the dashboard, and its visible state."""

    visit: PageRequest
    whole: Whole
    seen: PageSeen

    @property
    def href(self) -> str:
        """The path of its pages in the dashboard."""
        return f"{HOME}/{self.whole.page.id}"

    @property
    def editable(self) -> bool:
        """Whether the user can edit it."""
        return self.visit.person.may("member")

    def show(
        self,
        template: str,
        tab: Tab,
        *,
        again: Again | None = None,
        values: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        edited: object = None,
        **context: object,
    ) -> Page:
        """Render a page about it; `values`, `errors` and `general` are those of a rejected form.

        A form carries the version of what it edits; one that came back carries the version that it was opened with.
        """
        again = again or Again()
        return self.visit.pages.show(
            template,
            code=again.code,
            headers=headers,
            shell=frame(self.visit.person),
            head=self._head(tab),
            values={**(values or {}), **again.values},
            errors=again.wrong,
            general=again.general,
            version=again.values.get(FIELD) or (version_of(edited) if edited is not None else ""),
            editable=self.editable,
            done=DONE.get(self.visit.asked("done"), ""),
            **context,
        )

    def _head(self, tab: Tab) -> StatusPageHeader:
        page = self.whole.page
        counts = {"now": sum(one.is_active or (one.is_draft and one.is_open) for one in self.whole.incidents)}
        tabs = tuple(
            StatusPageTab(
                name,
                _TABS[name],
                f"{self.href}{_PATHS.get(name, f'/{name}')}",
                figures.count(counts[name]) if counts.get(name) else "",
            )
            for name in get_args(Tab)
            if self.editable or name not in _OF_EDITORS
        )
        mark = page_mark(self.seen)
        label = PAGE_STATE_LABELS[mark if page.published else "draft"]
        url = self.seen.url if page.published else f"{self.href}/preview"
        return StatusPageHeader(figures.visible(page.name), self.href, url, page.published, mark, label, tab, tabs)


def rejection_of(wrong: BoxError, fields: Mapping[str, str], names: Mapping[str, str] = {}) -> Again:
    """A rejected form; `names` are those of its inputs, if they differ from the names on the wire.

    After an edit conflict it carries the current version, so that saving again overwrites the other edit.
    """
    errors = {names.get(name, name): message for name, message in field_errors(wrong).items()}
    kept = {name: value for name, value in fields.items() if name != FIELD or not isinstance(wrong, EditConflict)}
    return Again(wrong.status, kept, errors, "" if errors else wrong.message)


def opened_with(
    find: Callable[[ConsolePage], Awaitable[Row]],
) -> Callable[[PageRequest], Awaitable[tuple[ConsolePage, Row]]]:
    """The status page of an address with a part of it, which `find` finds."""

    async def open_both(visit: PageRequest) -> tuple[ConsolePage, Row]:
        page = await open_page(visit, visit.path("page_id"))
        return page, await find(page)

    return open_both


def page_deletion(
    find: Callable[[ConsolePage], Awaitable[Row | None]],
    texts: ConfirmationTexts,
    *,
    about: Callable[[ConsolePage, Row], tuple[str, str]],
    delete: Callable[[PageRequest, ConsolePage, Row], Awaitable[object]],
    after: Callable[[ConsolePage, Form], str],
    facts: Callable[[ConsolePage], Mapping[str, str]] = lambda _page: {},
) -> DeletePages[ConsolePage, Row]:
    """The deletion of a part of a status page; `about` is the name of the part, and the page that cancel leads to."""
    return DeletePages(
        find=opened_with(find),
        question=lambda visit, page, row: DeleteQuestion(texts, frame(visit.person), *about(page, row), facts(page)),
        delete=delete,
        after=after,
    )


def frame(person: SignedInPerson) -> Shell:
    """The frame of all pages of status pages."""
    return shell(person, "status")


async def open_page(visit: PageRequest, page_id: str) -> ConsolePage:
    """Find the status page of an address. Raises NotFound or Forbidden."""
    whole = await page_of(visit.call, page_id)
    return ConsolePage(visit, whole, await visit.parts[PageSnapshots].of(whole))


async def itself(page: ConsolePage) -> ConsolePage:
    """The status page, to delete it or what its address names."""
    return page


def page_mark(seen: PageSeen) -> str:
    """The name of a page's state in styles and labels, as its headline says."""
    return "unknown" if seen.overall == "unknown" else _MARKS[seen.indicator]


async def status_page_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Status pages by name, slug and domain, the oldest first."""
    person = call.identity.person
    if person is None or not asked.words:
        return ()
    return [
        PaletteHit(
            "status", whole.page.name, f"/status-pages/{whole.page.id}", "status", whole.page.domain or whole.page.slug
        )
        for whole in call.parts[StatusPages].of(person.organization_id)
        if asked.fits(whole.page.name, whole.page.slug, whole.page.domain or "")
        and call.identity.reaches(whole.page.id)
    ]


def reporting(pages: StatusPages) -> Reporting:
    """The offers on a monitor's page: for each status page that shows it the incident about it, or a new one."""

    def of(call: Call, monitor_id: str, organization_id: str) -> list[OutageReport]:
        shown = [
            one
            for one in pages.with_monitor(monitor_id)
            if one.page.organization_id == organization_id and call.identity.reaches(one.page.id)
        ]
        return [_report(whole, monitor_id, is_only=len(shown) == 1) for whole in shown]

    return Reporting(of)


def _report(whole: Whole, monitor_id: str, *, is_only: bool) -> OutageReport:
    told = _about(whole, monitor_id)
    path = f"incidents/{told.id}" if told is not None else f"incidents/new?monitor={monitor_id}"
    label = _("See the incident") if told is not None else _("Report incident")
    if not is_only:
        label = _("{label} on {page}").format(label=label, page=figures.visible(whole.page.name))
    return OutageReport(f"{HOME}/{whole.page.id}/{path}", label, told is not None)


def _about(whole: Whole, monitor_id: str) -> Incident | None:
    """The open incident about a monitor, published or not; None if there is none."""
    own = {one.id for one in whole.components if one.monitor_id == monitor_id}
    for incident in whole.incidents:
        if incident.kind == "incident" and incident.is_open and own & {one.component_id for one in incident.affected}:
            return incident
    return None
