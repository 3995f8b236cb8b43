"""Registrations that end are told to who wants to know, once for each number of days."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.app.jobs import JOBS
from analytics_box.base.clock import DAY
from analytics_box.products.monitors import domains
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.domains import DomainWatch, due_days
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.probing.registration import Registration
from tests.cases import each
from tests.inprocess import whole_box
from tests.products.alerts.world import World as Alarms
from tests.products.monitors.conftest import unlimited
from tests.products.monitors.world import World


class Registry:
    """Knows example.com alone."""

    def __init__(self, ends_at: int) -> None:
        self.ends_at = ends_at
        self.asked: list[str] = []

    async def find(self, host: str, _: int) -> Registration | None:
        self.asked.append(host)
        return Registration("example.com", self.ends_at) if host.endswith("example.com") else None


class Scene:
    """A box with an alarm, and a registry by which the domain of its monitors expires in 20 days."""

    def __init__(self, world: World, alarms: Alarms) -> None:
        self.world, self.alarms = world, alarms
        self.box = world.box.box
        self.registry = Registry(self.box.clock.now() + 20 * DAY)
        registrations: object = self.registry
        self.watch = DomainWatch(
            registrations,  # type: ignore[arg-type]  # it finds, which is all that is asked of it
            self.box.parts[Monitors],
            self.box.box_db,
            self.box.clock,
            "https://box.example",
        )

    def monitor(self, url: str, **more: object) -> None:
        self.world.good("createSchedule", url=url, granularity="hour", **more)

    def run(self) -> int:
        return self.world.box.run(self.watch.run())

    def later(self, days: int) -> None:
        self.world.box.clock.advance(seconds=days * DAY / 1000)

    def told(self) -> list[str]:
        query = "select message from deliveries order by created_at, id"
        return [str(row[0]) for row in self.box.box_db.read_now(lambda db: db.execute(query).fetchall())]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        yield Scene(World(box), Alarms(box))


def test_an_end_is_told_once_for_each_number_of_days_however_many_monitors_there_are(scene: Scene) -> None:
    scene.alarms.alarm(scene.alarms.channel())
    for url in (
        "https://example.com/a",
        "https://www.example.com/b",
        "https://elsewhere.org/",
        "https://93.184.216.34/",
    ):
        scene.monitor(url)
    assert scene.run() == 1
    assert "expires in 20 days" in scene.told()[0]
    assert sorted(scene.registry.asked) == ["elsewhere.org", "example.com", "www.example.com"]
    assert scene.run() == 0
    assert len(scene.registry.asked) == 3
    scene.later(1)
    assert scene.run() == 0
    assert len(scene.registry.asked) == 6
    scene.later(5)
    assert scene.run() == 1


def test_registry_is_queried_only_if_a_rule_needs_it(scene: Scene) -> None:
    scene.monitor("https://example.com/")
    assert (scene.run(), scene.registry.asked) == (0, [])
    scene.alarms.alarm(scene.alarms.channel(), events=["down"])
    assert (scene.run(), scene.registry.asked) == (0, [])


def test_no_host_waits_for_ever_for_those_before_it_and_none_of_one_organization_for_all_of_another(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domains, "AT_ONCE", 2)
    hosts = {f"a{n}.org": [bare(organization="a")] for n in range(4)} | {"b.org": [bare(organization="b")]}

    async def found() -> dict[str, list[Monitor]]:
        return hosts

    monkeypatch.setattr(scene.watch, "_hosts", found)
    asked = scene.registry.asked
    scene.run()
    assert asked == ["a0.org", "b.org"]
    scene.later(1)
    scene.run()
    scene.later(1)
    scene.run()
    assert {"a1.org", "a2.org"} <= set(asked[2:])
    scene.later(1)
    scene.run()
    scene.later(1)
    scene.run()
    assert set(asked) == set(hosts)


def bare(organization: str) -> Monitor:
    return Monitor(number=1, id="one", organization_id=organization, kind="http", url="https://one.example/")


@each(("days", "due"), [(31, None), (30, 30), (14.1, 30), (14, 14), (6, 7), (2, 3), (0.5, 1), (-0.1, None)])
def test_expiry_is_reported_on_its_days(days: float, due: int | None) -> None:
    assert due_days(round(days * DAY), 0) == due


def test_the_job_is_there() -> None:
    assert "watch domains" in {job.name for job in JOBS}
