"""All monitors and maintenance windows in memory: lists of 10,000 are quick, and what runs them follows each change.

Code that changes a monitor in box.db updates the directory after the commit.
"""

from collections.abc import Collection, Iterable, Set
from typing import Final

from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.products.monitors.engine import MonitorEngine, MonitorStatus
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.sealing import OpenedMonitors
from analytics_box.products.monitors.window import MaintenanceWindow
from analytics_box.tenants.websites.directory import Directory

UNREADABLE: Final = (
    "The secrets of this monitor cannot be decrypted; enter its URL, headers, body and credentials again"
)
_NOBODY: Final[dict[int, Monitor]] = {}


class Monitors:
    """The monitors of this box, those of organizations in `closed` as well.

    A monitor rests, as if it were paused, while its organization or its website is deleted but can be restored, and
    while its secrets cannot be read.
    """

    def __init__(
        self,
        opened: OpenedMonitors,
        windows: Iterable[MaintenanceWindow],
        websites: Directory,
        closed: Set[str] = frozenset(),
    ) -> None:
        self.engine: MonitorEngine | None = None
        self._websites = websites
        self._closed = closed
        self._by_id: dict[str, Monitor] = {}
        self._by_number: dict[int, Monitor] = {}
        self._by_organization: dict[str, dict[int, Monitor]] = {}
        self._by_website: dict[str, Monitor] = {}
        self._by_token: dict[bytes, int] = {}
        self._windows: dict[str, dict[str, MaintenanceWindow]] = {}
        self._announced: dict[str, tuple[MaintenanceWindow, ...]] = {}
        self._unreadable = set(opened.unreadable)
        self._resting: set[int] = set()
        for monitor in opened.monitors:
            self._keep(monitor)
        for window in windows:
            self._windows.setdefault(window.organization_id, {})[window.id] = window

    def __len__(self) -> int:
        return len(self._by_number)

    def find(self, monitor_id: str) -> Monitor | None:
        """The monitor with this id, of any organization."""
        return self._by_id.get(monitor_id)

    def numbered(self, number: int) -> Monitor | None:
        """The monitor that the facts know by this number."""
        return self._by_number.get(number)

    def of(self, organization_id: str) -> Collection[Monitor]:
        """The monitors of an organization, the oldest first."""
        return self._by_organization.get(organization_id, _NOBODY).values()

    def of_website(self, website_id: str) -> Monitor | None:
        """The monitor of a website."""
        return self._by_website.get(website_id)

    def with_token(self, token: str) -> Monitor | None:
        """The monitor that is told by this token."""
        number = self._by_token.get(ids.digest(token))
        return None if number is None else self._by_number[number]

    def all(self) -> Collection[Monitor]:
        """Every monitor, the oldest first."""
        return self._by_number.values()

    def windows(self, organization_id: str) -> Collection[MaintenanceWindow]:
        """The maintenance windows of an organization, the oldest first."""
        return self._windows.get(organization_id, {}).values()

    def announcements(self, organization_id: str) -> list[tuple[str, MaintenanceWindow]]:
        """The maintenance of the organization's status pages, which mutes alerts as windows do, with ids of pages."""
        every = ((page_id, window) for page_id, windows in self._announced.items() for window in windows)
        return [one for one in every if one[1].organization_id == organization_id]

    def window(self, window_id: str) -> MaintenanceWindow | None:
        """The window with this id, of any organization."""
        return next((own[window_id] for own in self._windows.values() if window_id in own), None)

    def state_of(self, monitor: Monitor) -> MonitorStatus | None:
        """The current state of a monitor; None if no engine runs it."""
        return self.engine.state_of(monitor.number) if self.engine is not None else None

    def rests(self, monitor: Monitor) -> bool:
        """Whether it is not checked now."""
        return monitor.is_paused or self._rests(monitor)

    def problem(self, monitor: Monitor) -> str:
        """The reason why a monitor that is not paused is not checked; empty if it is checked."""
        return UNREADABLE if monitor.number in self._unreadable else ""

    def run_by(self, engine: MonitorEngine) -> None:
        """From now on this runs them all, and is notified of each change."""
        self.engine = engine
        for monitor in list(self._by_number.values()):
            self._tell(monitor)

    def remember(self, monitor: Monitor, *, readable: bool = True) -> None:
        """A monitor was made or changed."""
        before = self._by_number.get(monitor.number)
        if before is not None:
            self._let_go(before, monitor)
        if readable:
            self._unreadable.discard(monitor.number)
        holder = self._by_website.get(monitor.website_id or "")
        self._keep(monitor)
        if holder is not None and holder.number != monitor.number:  # its organization gave the website away
            self._keep(replace(holder, website_id=None))
        self._tell(monitor)

    def move(self, monitor: Monitor, *, readable: bool = True) -> None:
        """Move a monitor to another organization; its dependent monitors lose their parent."""
        before = self._by_number.get(monitor.number)
        self.remember(monitor, readable=readable)
        if before is not None:
            self._orphan(before)

    def forget(self, monitor: Monitor) -> None:
        """Forget a deleted monitor; its dependent monitors lose their parent."""
        known = self._by_number.get(monitor.number)
        if known is not None:
            self._drop(known)
            self._orphan(known)

    def _drop(self, known: Monitor) -> None:
        self._let_go(known, None)
        self._by_id.pop(known.id, None)
        self._by_number.pop(known.number, None)
        self._unreadable.discard(known.number)
        self._resting.discard(known.number)
        if self.engine is not None:
            self.engine.remove(known.number)

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all its monitors are gone."""
        for monitor in list(self.of(organization_id)):
            self._drop(monitor)  # and those below it go, too
        self._windows.pop(organization_id, None)

    def forget_website(self, website_id: str) -> None:
        """A website and its monitor are gone."""
        known = self._by_website.get(website_id)
        if known is not None:
            self.forget(known)

    def remember_window(self, window: MaintenanceWindow) -> None:
        """A maintenance window was made or changed."""
        self._windows.setdefault(window.organization_id, {})[window.id] = window
        self._tell_all(window.organization_id)

    def forget_window(self, window: MaintenanceWindow) -> None:
        """A maintenance window is gone."""
        self._windows.get(window.organization_id, {}).pop(window.id, None)
        self._tell_all(window.organization_id)

    def announce(self, page_id: str, windows: tuple[MaintenanceWindow, ...]) -> None:
        """Replace the maintenance that a status page announces."""
        before = self._announced.pop(page_id, ())
        if windows:
            self._announced[page_id] = windows
        if windows != before:
            for organization_id in {window.organization_id for window in (*before, *windows)}:
                self._tell_all(organization_id)

    def follow(self) -> None:
        """Let monitors rest whose organization or website was deleted, and wake those where it was restored."""
        for monitor in list(self._by_number.values()):
            if self._rests(monitor) != (monitor.number in self._resting):
                self._tell(monitor)

    def _rests(self, monitor: Monitor) -> bool:
        return (
            monitor.organization_id in self._closed
            or monitor.number in self._unreadable
            or (monitor.website_id is not None and self._websites.find(monitor.website_id) is None)
        )

    def _orphan(self, parent: Monitor) -> None:
        for child in [one for one in self.of(parent.organization_id) if one.parent_id == parent.id]:
            self.remember(replace(child, parent_id=None), readable=not self.problem(child))

    def _tell_all(self, organization_id: str) -> None:
        for monitor in list(self.of(organization_id)):
            self._tell(monitor)

    def _tell(self, monitor: Monitor) -> None:
        rests = self._rests(monitor)
        (self._resting.add if rests else self._resting.discard)(monitor.number)
        if self.engine is not None:
            self.engine.put(
                replace(monitor, is_paused=True) if rests else monitor,
                (
                    *self.windows(monitor.organization_id),
                    *(window for _page, window in self.announcements(monitor.organization_id)),
                ),
            )

    def _keep(self, monitor: Monitor) -> None:
        self._by_id[monitor.id] = self._by_number[monitor.number] = monitor
        self._by_organization.setdefault(monitor.organization_id, {})[monitor.number] = monitor
        if monitor.website_id is not None:
            self._by_website[monitor.website_id] = monitor
        if monitor.secrets.token:
            self._by_token.setdefault(ids.digest(monitor.secrets.token), monitor.number)

    def _let_go(self, before: Monitor, after: Monitor | None) -> None:
        """Remove a monitor from the indexes of its former values."""
        if after is None or after.organization_id != before.organization_id:
            self._by_organization.get(before.organization_id, {}).pop(before.number, None)
        holder = self._by_website.get(before.website_id or "")
        if before.website_id is not None and holder is not None and holder.number == before.number:
            del self._by_website[before.website_id]
        token = ids.digest(before.secrets.token)
        if self._by_token.get(token) == before.number:
            del self._by_token[token]
