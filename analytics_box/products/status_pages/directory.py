"""All status pages in memory: they are served while box.db is busy, and every request looks up its host here."""

from collections.abc import Callable, Iterable, Set

from analytics_box.products.monitors.window import Covers, MaintenanceWindow
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Whole

Announce = Callable[[str, tuple[MaintenanceWindow, ...]], None]
"""Receives the id of a page and its open maintenance."""


class StatusPages:
    """The status pages of this box. Callers that change one in box.db update the directory after the commit.

    Pages of the organizations in `closed` are hidden. `announce` receives the open maintenance of every page, so that
    it mutes the alerts of the affected monitors.
    """

    def __init__(
        self, pages: Iterable[Whole], closed: Set[str] = frozenset(), announce: Announce = lambda _page, _windows: None
    ) -> None:
        self._closed = closed
        self._announce = announce
        self._by_id: dict[str, Whole] = {}
        self._by_slug: dict[str, str] = {}
        self._by_domain: dict[str, str] = {}
        self._by_monitor: dict[str, dict[str, None]] = {}
        self._gone: set[str] = set()
        for whole in pages:
            self._keep(whole)

    def __len__(self) -> int:
        return len(self._by_id)

    def find(self, page_id: str) -> Whole | None:
        """The page with this id, of any organization."""
        found = self._by_id.get(page_id)
        return None if found is None or found.page.organization_id in self._closed else found

    def by_slug(self, slug: str) -> Whole | None:
        """The published page with this slug."""
        return self._find_published(self._by_slug.get(slug, ""))

    def by_domain(self, host: str) -> Whole | None:
        """The published page that is served at the root of this host."""
        return self._find_published(self._by_domain.get(host, ""))

    def of(self, organization_id: str) -> list[Whole]:
        """The pages of an organization, the oldest first."""
        return [whole for whole in self.all() if whole.page.organization_id == organization_id]

    def all(self) -> list[Whole]:
        """Every page, the oldest first."""
        return [whole for whole in self._by_id.values() if whole.page.organization_id not in self._closed]

    def domains(self) -> Set[str]:
        """All hosts of pages, including those of closed organizations."""
        return self._by_domain.keys()

    def with_monitor(self, monitor_id: str) -> list[Whole]:
        """The pages with a component of this monitor."""
        found = [self.find(page_id) for page_id in self._by_monitor.get(monitor_id, ())]
        return [whole for whole in found if whole is not None]

    def remember(self, whole: Whole) -> None:
        """Keep a new or changed page. Older versions than the known one and deleted pages are ignored."""
        page = whole.page
        before = self._by_id.get(page.id)
        if page.id in self._gone or (before is not None and before.page.version > page.version):
            return
        if before is not None:
            self._let_go(before)
        self._keep(whole)

    def forget(self, page_id: str) -> None:
        """Remove a deleted page."""
        self._gone.add(page_id)
        known = self._by_id.pop(page_id, None)
        if known is not None:
            self._let_go(known)
            self._announce(page_id, ())

    def forget_organization(self, organization_id: str) -> None:
        """Remove all pages of a deleted organization."""
        for page_id in [each.page.id for each in self._by_id.values() if each.page.organization_id == organization_id]:
            self.forget(page_id)

    def _find_published(self, page_id: str) -> Whole | None:
        found = self.find(page_id)
        return found if found is not None and found.page.published else None

    def _keep(self, whole: Whole) -> None:
        page = whole.page
        self._by_id[page.id] = whole
        self._by_slug[page.slug] = page.id
        if page.domain is not None:
            self._by_domain[page.domain] = page.id
        for component in whole.components:
            if component.monitor_id is not None:
                self._by_monitor.setdefault(component.monitor_id, {})[page.id] = None
        windows = (_window(whole, one) for one in whole.incidents if one.kind == "maintenance" and one.is_open)
        self._announce(page.id, tuple(window for window in windows if window.covers.monitor_ids))

    def _let_go(self, before: Whole) -> None:
        """Remove a page from the indexes, unless another page has taken its place."""
        page = before.page
        if self._by_slug.get(page.slug) == page.id:
            del self._by_slug[page.slug]
        if page.domain is not None and self._by_domain.get(page.domain) == page.id:
            del self._by_domain[page.domain]
        for component in before.components:
            pages = self._by_monitor.get(component.monitor_id or "", {})
            pages.pop(page.id, None)
            if not pages:
                self._by_monitor.pop(component.monitor_id or "", None)


def _window(whole: Whole, maintenance: Incident) -> MaintenanceWindow:
    """The maintenance as a window of the monitors that it affects. One that was started early is on since then."""
    affected = {one.component_id for one in maintenance.affected if one.impact != "operational"}
    start = maintenance.scheduled_for or 0
    return MaintenanceWindow(
        id=maintenance.id,
        organization_id=whole.page.organization_id,
        name=maintenance.title,
        covers=Covers(
            monitor_ids=tuple(one.monitor_id for one in whole.components if one.monitor_id and one.id in affected)
        ),
        starts_at=min(start, maintenance.updated_at) if maintenance.is_active else start,
        ends_at=maintenance.scheduled_until or 0,
        created_at=maintenance.created_at,
        updated_at=maintenance.updated_at,
    )
