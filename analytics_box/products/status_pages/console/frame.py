"""The frame of all dashboard pages of a status page: its parts, and the page's current status."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.status_pages.access import find_viewable_page as page_of
from analytics_box.products.status_pages.seen import Indicator, PageSeen
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.products.status_pages.whole import Whole
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell
from analytics_box.web.page.visit import Again, Page, PageRequest

DONE = {
    "created": _("The status page is online."),
    "saved": _("Saved. The public page shows it now."),
    "deleted": _("The status page is deleted."),
    "added": _("Added. The public page shows it now."),
    "removed": _("Removed from the page."),
    "moved": _("Moved."),
    "published": _("Published. The public page shows it now."),
    "drafted": _("Saved as a draft. Nobody outside sees it."),
    "held": _("The box does not publish it. You still can."),
    "updated": _("The update is on the public page now."),
    "corrected": _("Corrected. What it said before is kept here."),
    "incident-deleted": _("The incident is deleted, and its updates with it."),
    "planned": _("The maintenance is planned. The public page announces it."),
    "maintenance-saved": _("The maintenance is saved."),
    "maintenance-cancelled": _("The maintenance is cancelled. The page says so."),
    "subscribed": _("A confirmation was sent. Messages come once it is confirmed."),
    "unsubscribed": _("Removed. They get no more messages."),
    "template-saved": _("The template is saved."),
    "template-deleted": _("The template is deleted."),
    "uploaded": _("The picture is on the public page now."),
    "picture-removed": _("The picture is removed."),
    "transferred": _("The status page belongs to the other organization now."),
}
_TABS = {
    "now": _("Now"),
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
}


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
    """A part of the pages about a status page; `count` is what waits there, or empty."""

    name: Tab
    label: str
    href: str
    count: str = ""


class StatusPageHeader(Struct, frozen=True):
    """The header of every dashboard page of a status page."""

    name: str
    href: str
    public_url: str
    mark: str
    label: str
    tab: Tab
    tabs: tuple[StatusPageTab, ...]


class ConsolePage(Struct, frozen=True):
    """A status page with how visitors see it now, for somebody who may see it here."""

    visit: PageRequest
    whole: Whole
    seen: PageSeen

    @property
    def href(self) -> str:
        """The path of its pages in the dashboard."""
        return f"{HOME}/{self.whole.page.id}"

    @property
    def editable(self) -> bool:
        """Whether who looks may change it."""
        return self.visit.person.may("member")

    def show(
        self,
        template: str,
        tab: Tab,
        *,
        again: Again | None = None,
        values: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        **context: object,
    ) -> Page:
        """A page about it; `values`, `errors` and `general` are those of a form that came back."""
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
        return StatusPageHeader(
            figures.visible(page.name), self.href, self.seen.url, mark, PAGE_STATE_LABELS[mark], tab, tabs
        )


def frame(person: SignedInPerson) -> Shell:
    """The frame of all pages of status pages."""
    return shell(person, "status")


async def open_page(visit: PageRequest, page_id: str) -> ConsolePage:
    """The page that an address names. Raises NotFound or Forbidden."""
    whole = await page_of(visit.call, page_id)
    return ConsolePage(visit, whole, await visit.parts[PageSnapshots].of(whole))


def page_mark(seen: PageSeen) -> str:
    """Return how a page is, as styles and StatusPageList.states call it: as its headline says."""
    return "unknown" if seen.overall == "unknown" else _MARKS[seen.indicator]
