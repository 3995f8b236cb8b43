"""Uptime by spans is uptime by a simulator that goes through every second, whatever happens."""

from collections import Counter
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from analytics_box.base.facts.uptime import STATES, uptime
from analytics_box.products.monitors.running import schedule
from analytics_box.products.monitors.window import Covers, MaintenanceWindow, Repeat
from tests.products.monitors.running.simulator import Log, What, simulate
from tests.products.monitors.running.world import World, monitor

SPRING = 1_774_746_000_000  # 2026-03-29 01:00 UTC, when clocks go forward in Berlin
AUTUMN = 1_792_890_000_000  # 2026-10-25 01:00 UTC, when they go back
BERLIN = MaintenanceWindow(
    id="nightly",
    organization_id="org",
    name="Nightly",
    covers=Covers(all=True),
    starts_at=0,
    repeat=Repeat(every="day", time="02:30", minutes=20, zone="Europe/Berlin"),
)
# When that is in these nights: a time that does not exist is later, of a doubled one the first counts.
BEGINS = {SPRING: SPRING + 30 * 60_000, AUTUMN: AUTUMN - 30 * 60_000}

STEPS = st.lists(
    st.tuples(
        st.sampled_from(("watch", "watch", "pass", "fail", "fail", "warn", "pause", "resume", "stop", "kill")),
        st.integers(1, 400),
    ),
    max_size=24,
)


class Story:
    """A monitor in a world, and the log of what happens to it."""

    def __init__(self, directory: Path, begins: int, interval: int, failures: int, successes: int) -> None:
        self.world = World(directory, now=begins)
        self.begins, self.needed = begins, (failures, successes)
        self.once = MaintenanceWindow(
            id="once",
            organization_id="org",
            name="Once",
            covers=Covers(monitor_ids=(_even(interval),)),
            starts_at=begins + 700_000,
            ends_at=begins + 1_000_000,
        )
        self.happened: list[tuple[What, int]] = []
        self.world.answers[1] = self._answer
        self.outcome: Any = "pass"
        self.is_paused = False
        given = monitor(id=_even(interval), interval=interval, failures_to_down=failures, successes_to_up=successes)
        self.world.put(given, (self.once, BERLIN))

    def _answer(self, now: int) -> Any:
        self.happened.append((self.outcome, now // 1000))
        return self.outcome

    @property
    def now(self) -> int:
        return self.world.clock.now() // 1000

    def tell(self, step: str, seconds: int) -> None:
        if step in ("pass", "warn", "fail"):
            self.outcome = step
        elif step in ("pause", "resume"):
            if self.is_paused != (step == "pause"):
                self.is_paused = step == "pause"
                self.happened.append((step, self.now))  # type: ignore[arg-type]  # one of its words
                self.world.change(1, is_paused=self.is_paused)
        elif step in ("stop", "kill"):
            self._restart(seconds % 60, is_killed=step == "kill")
        self.world.watch(seconds if step == "watch" else 0)

    def _restart(self, seconds: int, *, is_killed: bool) -> None:
        """The box ends and begins again. Killed, it watched last when it last said so."""
        ((alive,),) = self.world.rows("select alive_at from monitor_engine")
        last = alive // 1000 if is_killed else self.now
        (self.world.kill if is_killed else self.world.stop)()
        self.world.clock.advance(seconds=seconds)
        self.happened += [("off", last), ("on", self.now)]
        self.world.open()

    def compare(self) -> None:
        ends = self.now
        nights = [(BEGINS[self.begins] // 1000, BEGINS[self.begins] // 1000 + 20 * 60)]
        maintenance = [(self.once.starts_at // 1000, self.once.ends_at // 1000), *nights]
        log = Log(self.begins // 1000, ends, self.happened, maintenance, *self.needed)
        told = Counter(simulate(log))
        spans = self.world.spans()
        found = uptime(spans, self.begins, ends * 1000, ends * 1000)
        assert {state: told[state] * 1000 for state in STATES.values()} == {
            state: milliseconds for state, milliseconds in asdict(found).items() if state != "window"
        }, (log, spans)
        up, down = told["up"] + told["degraded"], told["down"]
        assert found.ratio == (pytest.approx(up / (up + down), abs=1e-9) if up + down else None)
        observed = up + down + told["maintenance"]
        assert found.coverage == (pytest.approx(observed / (ends - self.begins // 1000), abs=1e-9) if spans else 0)


def _even(interval: int) -> str:
    """An id of a monitor that is due in whole seconds."""
    return next(one for one in map("monitor{}".format, range(10**6)) if schedule.phase(one, interval) % 1000 == 0)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with empty databases."""
    directory = tmp_path_factory.mktemp("empty")
    World(directory).close()
    return directory


@given(
    begins=st.sampled_from((SPRING, AUTUMN)),
    interval=st.sampled_from((60, 300)),
    failures=st.integers(1, 3),
    successes=st.integers(1, 2),
    steps=STEPS,
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_uptime_is_what_a_simulator_of_every_second_says(
    empty: Path, begins: int, interval: int, failures: int, successes: int, steps: list[tuple[str, int]]
) -> None:
    with TemporaryDirectory() as folder:
        copytree(empty, folder, dirs_exist_ok=True)
        story = Story(Path(folder), begins, interval, failures, successes)
        try:
            story.world.watch()
            for step in [*steps, ("watch", 100)]:
                story.tell(*step)
            story.compare()
        finally:
            story.world.close()
