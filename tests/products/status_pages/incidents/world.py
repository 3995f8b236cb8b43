"""A box with a status page, its components and monitors, and the calls that tests of incidents make."""

import json
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from analytics_box.base.clock import MINUTE
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.running.notices import NoticeDetail, What
from analytics_box.products.monitors.running.rows import Transition
from analytics_box.products.monitors.running.states import Base
from analytics_box.products.status_pages.access import save
from analytics_box.products.status_pages.automatic.telling import AutomaticIncidents
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.incidents import ticking
from analytics_box.products.status_pages.page import Component, Whole, new_component, new_page
from analytics_box.products.status_pages.rows import COMPONENTS, PAGES
from tests.inprocess import Answer, KeyName, WholeBox

PAGE = "page-of-the-shop"


class World:
    """The page has the components `api` and `web` with monitors of these names, and `people`, whom people speak for.

    Times are minutes since the world began.
    """

    def __init__(self, box: WholeBox) -> None:
        self.box = box
        self.began = box.clock.now()
        self.monitors: dict[str, str] = {}
        self._transitions = 0
        page = new_page(
            id=PAGE, organization_id=box.organization_id, slug="shop", name="Shop", created_at=self.began, updated_at=0
        )
        for name in ("api", "web"):
            given = {"url": f"https://{name}.example.com/health", "name": name.upper(), "granularity": "minute"}
            self.monitors[name] = box.post("/uptime/createSchedule", given, key="all").json["scheduleId"]
        box.box.box_db.write_now(lambda db: PAGES.insert(db, page))
        for place, name in enumerate(("api", "web", "people")):
            self.add(
                new_component(
                    id=component(name),
                    page_id=PAGE,
                    monitor_id=self.monitors.get(name),
                    name="" if name in self.monitors else "People",
                    position=place,
                    created_at=self.began,
                )
            )

    def add(self, one: Component) -> None:
        """Another component of the page."""
        self.box.run(save(self.box.box.parts, PAGE, lambda db: COMPONENTS.insert(db, one)))

    def remove(self, name: str) -> None:
        """A component is taken off the page."""
        self.box.run(save(self.box.box.parts, PAGE, lambda db: COMPONENTS.delete(db, component(name))))

    def set(self, **given: Any) -> None:
        """Change the page."""
        page = replace(self.whole.page, **given)
        self.box.run(save(self.box.box.parts, PAGE, lambda db: PAGES.update(db, page)))

    @property
    def whole(self) -> Whole:
        """The page as it is in memory."""
        found = self.box.box.parts[StatusPages].find(PAGE)
        assert found is not None
        return found

    @property
    def only(self) -> Incident:
        """The only open incident, in memory."""
        (found,) = [one for one in self.whole.incidents if one.is_open]
        return found

    def status(self) -> str:
        """The state of the only open incident."""
        return self.only.status

    def call(self, procedure: str, /, *, key: KeyName = "all", **given: Any) -> Answer:
        """A procedure of status pages."""
        return self.box.post(f"/statusPage/{procedure}", given, key=key)

    def good(self, procedure: str, /, **given: Any) -> Any:
        """The answer of a procedure that succeeds."""
        answer = self.call(procedure, **given)
        assert answer.status == 200, answer.body
        return answer.json

    def incident(self, **given: Any) -> Any:
        """A new incident."""
        made = {"statusPageId": PAGE, "title": "It broke", "message": "We look into it."}
        return self.good("createIncident", **made | given)

    def maintenance(self, start: float, end: float, **given: Any) -> Any:
        """A new maintenance from one minute to another."""
        times = {"scheduledFor": self.date(start), "scheduledUntil": self.date(end)}
        made = {"statusPageId": PAGE, "title": "New disks", "message": "We put new disks in."}
        return self.good("createMaintenance", **made | times | given)

    def date(self, minute: float) -> str:
        """A minute as calls take it."""
        return datetime.fromtimestamp((self.began + minute * MINUTE) / 1000, UTC).isoformat()

    def minute(self, at: int | None) -> float | None:
        """When something was."""
        return None if at is None else (at - self.began) / MINUTE

    def sets_clock(self, minute: float) -> None:
        """The clock shows this from now on, also when that is earlier."""
        self.box.clock.advance(seconds=(self.began + minute * MINUTE - self.box.clock.now()) / 1000)

    def ticks(self, minute: float) -> None:
        """The clock shows this minute, and what is due is done."""
        self.sets_clock(minute)
        self.box.run(ticking.tick(self.box.box.parts))

    def monitor(self, name: str) -> Monitor:
        found = self.box.box.parts[Monitors].find(self.monitors[name])
        assert found is not None
        return found

    def transition(self, name: str, what: What, state: Base, **given: Any) -> tuple[Monitor, Transition]:
        """Something that happened to a monitor just now."""
        self._transitions += 1
        monitor, now = self.monitor(name), self.box.clock.now()
        detail = NoticeDetail(state=state, **{"since": now} | given)
        return monitor, Transition(self._transitions, monitor.number, now, what, detail)

    def tells(self, *told: tuple[Monitor, Transition]) -> None:
        """Pages are told of these transitions together."""
        self.box.run(self.box.box.parts[AutomaticIncidents].tell(told))

    def down(self, *names: str, **given: Any) -> None:
        """These monitors are down from now on."""
        self.tells(*(self.transition(name, "down", "down", **given) for name in names))

    def up(self, *names: str) -> None:
        """These monitors are up again."""
        self.tells(*(self.transition(name, "recovered", "up") for name in names))

    def subscribe(self, *components: str) -> None:
        """Somebody is told of these components, or of all."""
        values = (f"subscriber-{len(components)}", PAGE, json.dumps([component(name) for name in components]))
        self.box.box.box_db.write_now(
            lambda db: db.execute(
                """
                insert into subscribers
                  (id, page_id, kind, address, components, digest, sealed, created_at, confirmed_at, asked_at)
                values (?1, ?2, 'email', ?1 || '@example.com', ?3, cast(?1 as blob), x'00', 1, 1, 1)
                """,
                values,
            )
        )

    def told(self, subscriber: str = "subscriber-0") -> list[str]:
        """The states, or the texts, that subscribers were told, in their order."""
        found = self.rows(
            """
            select m.message from subscriber_deliveries d join subscriber_messages m using (topic)
            where d.subscriber_id = ? order by d.number
            """,
            subscriber,
        )
        return [json.loads(message)["message"] for (message,) in found]

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of box.db."""
        found: list[tuple[Any, ...]] = self.box.box.box_db.read_now(lambda db: db.execute(statement, values).fetchall())
        return found


def component(name: str) -> str:
    """The id of a component."""
    return f"component-{name}"


def affects(*impacts: str) -> list[dict[str, str]]:
    """Components and how they are affected, as in "api down"."""
    split = [one.split() for one in impacts]
    return [{"statusPageMonitorId": component(name), "impact": impact} for name, impact in split]


def affected(incident: Incident) -> list[str]:
    """The same of an incident."""
    return [f"{(one.component_id or '-').removeprefix('component-')} {one.impact}" for one in incident.affected]
