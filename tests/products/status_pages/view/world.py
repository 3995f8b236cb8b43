"""What tests of status pages do to a box: put pages, components and incidents there, and look at a page as visitors
do. Monitors are run by a stand-in that says what it is told to."""

import asyncio
from typing import Any

from msgspec.structs import replace

from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.uptime import UptimeSpan
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.result import CheckResult, Outcome
from analytics_box.products.monitors.running import rows as check_rows
from analytics_box.products.monitors.running.rows import CheckRow
from analytics_box.products.status_pages.access import save
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import AffectedComponent, Impact, Incident, IncidentUpdate
from analytics_box.products.status_pages.page import (
    Component,
    ComponentGroup,
    StatusPage,
    Whole,
    new_component,
    new_page,
)
from analytics_box.products.status_pages.rows import COMPONENTS, GROUPS, PAGES
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from tests.inprocess import NOON, WholeBox
from tests.products.monitors.world import Now, World

PAGE = "page-0001"


class StatusWorld(World):
    """A box with one page, `acme`, that has nothing on it."""

    def __init__(self, box: WholeBox) -> None:
        super().__init__(box)
        self.add_page(new_page(id=PAGE, organization_id=box.organization_id, slug="acme", name="Acme"))

    @property
    def pages(self) -> StatusPages:
        return self.box.box.parts[StatusPages]

    @property
    def snapshots(self) -> PageSnapshots:
        return self.box.box.parts[PageSnapshots]

    def whole(self, page_id: str = PAGE) -> Whole:
        """A page as it is in memory."""
        found = self.pages.find(page_id)
        assert found is not None
        return found

    def seen(self, page_id: str = PAGE) -> PageSeen:
        """A page as visitors see it."""
        return self.box.run(self.snapshots.of(self.whole(page_id)))

    def settle(self) -> None:
        """Returns when all that was begun has ended."""

        async def others() -> None:
            while left := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(left)

        self.box.run(others())

    def add_page(self, page: StatusPage) -> None:
        self.box.box.box_db.write_now(lambda db: PAGES.insert(db, page))
        self._save(page.id, lambda db: None)

    def change_page(self, page_id: str = PAGE, **fields: Any) -> None:
        page = replace(self.whole(page_id).page, **fields)
        self._save(page_id, lambda db: PAGES.update(db, page))

    def add(self, component_id: str, monitor_id: str | None = None, **fields: Any) -> Component:
        """A component on the page."""
        given: dict[str, Any] = {"page_id": PAGE, "created_at": NOON, "updated_at": NOON} | fields
        one = new_component(id=component_id, monitor_id=monitor_id, **given)
        self._save(one.page_id, lambda db: COMPONENTS.insert(db, one))
        return one

    def change(self, component_id: str, **fields: Any) -> None:
        """A component has other settings."""
        known = next(one for one in self.whole().components if one.id == component_id)
        self._save(PAGE, lambda db: COMPONENTS.update(db, replace(known, **fields)))

    def forget(self, component_id: str) -> None:
        """A component is not on the page any more."""
        self._save(PAGE, lambda db: COMPONENTS.delete(db, component_id))

    def add_group(self, group_id: str, **fields: Any) -> None:
        group = ComponentGroup(id=group_id, page_id=PAGE, **fields)
        self._save(PAGE, lambda db: GROUPS.insert(db, group))

    def _save(self, page_id: str, work: Any) -> None:
        self.box.run(save(self.box.box.parts, page_id, work))

    def live(self, monitor_id: str, state: State, *, code: int = 200, age: int = 30_000) -> None:
        """A monitor is in this state from now on, and was last checked so many ms ago."""
        now = self.box.clock.now()
        outcome: Outcome = "fail" if state in {"down", "verifying"} else "pass"
        last = CheckResult(at=now - age, outcome=outcome, http_code=code)
        self.engine.states[self.number(monitor_id)] = Now(state, now - age, last)

    def spans(self, monitor_id: str, *spans: UptimeSpan) -> None:
        """How a monitor was."""
        number = self.number(monitor_id)
        events = self.box.box.events.db
        events.write_now(lambda db: db.executemany(INSERT["monitor_spans"], [(number, *span) for span in spans]))

    def checks(self, monitor_id: str, *checks: tuple[int, int, int | None]) -> None:
        """Checks of a monitor: their time, status and duration in microseconds."""
        known, strings = self.known(monitor_id), Strings()
        made = [
            CheckRow(known, CheckResult(at=at, outcome="pass", total=total), status, 1, 0)
            for at, status, total in checks
        ]
        self.box.box.events.db.write_now(lambda db: check_rows.append(db, strings, made))


def incident(incident_id: str, *affected: tuple[str | None, str, Impact], **fields: Any) -> Incident:
    """An incident that affects components: each by its id, its name and how."""
    concerned = tuple(AffectedComponent(component_id=one, name=name, impact=impact) for one, name, impact in affected)
    first = IncidentUpdate(
        id=f"{incident_id}-update",
        incident_id=incident_id,
        status="investigating",
        message="We look at it.",
        at=NOON,
        created_at=NOON,
        updated_at=NOON,
        affected=concerned,
    )
    usual = Incident(
        id=incident_id,
        page_id=PAGE,
        kind="incident",
        title="It is broken",
        status="investigating",
        started_at=NOON,
        created_at=NOON,
        updated_at=NOON,
        updates=(first,),
        affected=concerned,
    )
    return replace(usual, **fields)
