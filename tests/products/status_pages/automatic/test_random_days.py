"""Random days of two monitors, people, restarts and a clock that jumps: what has to hold of incidents at any time."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Final

import pytest

from analytics_box.products.monitors.telling import Told
from tests.products.status_pages.incidents.world import PAGE, World, affects, component

NAMES: Final = ("api", "web")
STEPS: Final = 40


class Day:
    """Does one thing after another, and remembers what monitors are and what was told of them."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self.world, self.chance = world, chance
        self.down: set[str] = set()
        self.told: list[Told] = []
        self.minute = 0.0

    def monitor_changes(self) -> None:
        some = [name for name in NAMES if self.chance.random() < 0.6]
        told = []
        for name in some:
            what, state = ("recovered", "up") if name in self.down else ("down", "down")
            told.append(self.world.transition(name, what, state))  # type: ignore[arg-type]  # one of the two above
        self.down ^= {*some}
        self.told += told
        self.world.tells(*told)

    def tells_again(self) -> None:
        self.world.tells(*self.chance.sample(self.told, min(3, len(self.told))))

    def time_goes_on(self) -> None:
        self.minute += self.chance.choice((0.5, 1, 3, 7))
        self.world.ticks(self.minute)

    def clock_is_set_back(self) -> None:
        self.minute = max(self.minute - self.chance.choice((1, 30)), 0)
        self.world.ticks(self.minute)

    def restarts(self) -> None:
        self.world.box.reopen()

    def policy_changes(self) -> None:
        self.world.set(automatic=self.chance.choice(("off", "draft", "publish", "publish")), publish_after=2)

    def maintenance_is_planned(self) -> None:
        touched = [component(name) for name in NAMES if self.chance.random() < 0.5]
        self.world.maintenance(self.minute + 1, self.minute + 9, affectedMonitors=touched)

    def person_writes(self) -> None:
        for incident in self.world.whole.incidents:
            if incident.kind == "incident" and incident.is_open:
                status = self.chance.choice(("investigating", "identified", "monitoring", "resolved"))
                self.world.call("updateIncident", incidentId=incident.id, status=status, message="We see.")

    def person_publishes(self) -> None:
        for incident in self.world.whole.incidents:
            if incident.is_draft:
                self.world.good("publishIncident", incidentId=incident.id)

    def person_reports(self) -> None:
        self.world.incident(affectedMonitors=affects("api degraded"))

    @property
    def steps(self) -> list[tuple[int, Callable[[], None]]]:
        """What may happen, and how often."""
        return [
            (8, self.monitor_changes),
            (3, self.tells_again),
            (6, self.time_goes_on),
            (1, self.clock_is_set_back),
            (1, self.restarts),
            (1, self.policy_changes),
            (1, self.maintenance_is_planned),
            (1, self.person_writes),
            (1, self.person_publishes),
            (1, self.person_reports),
        ]

    def goes_by(self) -> None:
        often, steps = zip(*self.steps, strict=True)
        for step in self.chance.choices(steps, often, k=STEPS):
            step()
            holds(self.world)


def holds(world: World) -> None:
    """What has to be so after each step."""
    own = [one for one in world.whole.incidents if one.origin == "monitor" and one.is_open]
    wrong = Counter(one.component_id for each in own for one in each.affected if one.impact != "operational")
    assert all(times == 1 for times in wrong.values()), wrong
    assert all(any(one.impact != "operational" for one in each.affected) for each in own)
    for incident in world.whole.incidents:
        said = [update.at for update in incident.updates]
        assert said == sorted(said, reverse=True)
        assert (incident.resolved_at is None) is incident.is_open
    notified = "select count(*) from incident_updates u join incidents i on i.id = u.incident_id"
    ((updates,),) = world.rows(f"{notified} where u.notified = 1 and i.is_draft = 0")
    assert updates == world.rows("select count(*) from subscriber_messages")[0][0]
    assert world.rows(f"{notified} where u.notified = 1 and i.is_draft = 1") == [(0,)]


@pytest.mark.parametrize("seed", range(4))
def test_incidents_of_monitors_hold_together_whatever_happens(world: World, seed: int) -> None:
    world.subscribe()
    world.set(automatic="publish", publish_after=2)
    day = Day(world, random.Random(seed))
    day.goes_by()
    world.up(*day.down)
    holds(world)
    assert not [one for one in world.whole.incidents if one.origin == "monitor" and one.is_open]
    known = {incident.id for incident in world.whole.incidents}
    before = world.whole
    world.box.reopen()
    world.tells(*day.told)
    assert world.whole == before
    listed = world.good("listIncidents", statusPageId=PAGE)
    assert {one["id"] for one in listed if not one["isDraft"]} <= known
