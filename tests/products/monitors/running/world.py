"""An engine over a real events.db, with a clock that stands still and targets that answer as they are told."""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from analytics_box.base.facts.uptime import STATES, UptimeSpan
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult, Outcome, Reason
from analytics_box.products.monitors.running.engine import CheckEngine
from analytics_box.products.monitors.running.rows import Transition
from analytics_box.products.monitors.window import MaintenanceWindow
from tests.inprocess import NOON, FixedClock
from tests.migrated import migrated

T = TypeVar("T")

Answer = Outcome | tuple[Outcome, Reason]
STEP = 5  # seconds at once, at most: the box would notice that it stood still


def monitor(number: int = 1, **given: Any) -> Monitor:
    """A monitor that is checked every minute unless something else is given."""
    plain: dict[str, Any] = {"id": f"monitor{number}", "url": f"https://host{number}.example/", "interval": 60}
    return Monitor(number=number, **({"organization_id": "org"} | plain | given))


class World:
    """The engine and what it does. Without `answers` for a monitor, or for a URL, its checks pass."""

    def __init__(self, directory: Path, *, now: int = NOON, **given: Any) -> None:
        migrated(directory)
        self.directory, self.given = directory, given
        self.clock = FixedClock(now)
        self.runner = asyncio.Runner()
        self.answers: dict[int | str, Callable[[int], Answer] | Answer] = {}
        self.checked: list[tuple[int, int]] = []  # number and when
        self.told: list[Transition] = []
        self.monitors: dict[int, tuple[Monitor, Sequence[MaintenanceWindow]]] = {}
        self.gate: asyncio.Event | None = None  # for which answers wait
        self.open()

    def open(self) -> None:
        """As the box does when it starts."""
        self.db = Db(self.directory / schema.EVENTS_FILE, readers=1, durability="normal")
        strings = Strings()
        self.db.attach(strings)
        self.engine = CheckEngine(self.check, self.tell, self.db, strings, self.clock, **self.given)
        for given in self.monitors.values():
            self.engine.put(*given)
        self.run(self.engine.start(alone=False))

    def stop(self) -> None:
        """As the box does in an orderly end."""
        self.run(self.engine.stop(1))
        self.db.close()

    def kill(self) -> None:
        """Nothing more is written; what was not, is lost."""
        self.run(self._kill())
        self.db.close()

    async def _kill(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def close(self) -> None:
        self.db.close()
        self.runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def put(self, given: Monitor, windows: Sequence[MaintenanceWindow] = ()) -> None:
        self.monitors[given.number] = given, windows
        self.run(self._put(given, windows))

    async def _put(self, given: Monitor, windows: Sequence[MaintenanceWindow]) -> None:
        self.engine.put(given, windows)

    def change(self, number: int, **changes: Any) -> None:
        given, windows = self.monitors[number]
        self.put(replace(given, **changes), windows)

    def remove(self, number: int) -> None:
        del self.monitors[number]
        self.run(self._remove(number))

    async def _remove(self, number: int) -> None:
        self.engine.remove(number)

    def watch(self, seconds: float = 0) -> None:
        """Let so much time go by, with all that happens in it."""
        self.run(self._watch(self.clock.now() + round(seconds * 1000)))

    async def _watch(self, until: int) -> None:
        engine = self.engine
        while True:
            await engine.tick()
            await engine.settle()
            now = self.clock.now()
            if now >= until:
                return
            due = [
                at
                for at in (engine._planning.due.next(), engine._planning.changes.next(), until, now + STEP * 1000)
                if at
            ]
            self.clock.advance(seconds=(max(min(due), now + 1) - now) / 1000)

    async def check(self, given: Monitor, now: int) -> CheckResult:
        self.checked.append((given.number, now))
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.get(given.url, self.answers.get(given.number, "pass"))
        if callable(answer):
            answer = answer(now)
        outcome, reason = answer if isinstance(answer, tuple) else (answer, "bad_answer" if answer == "fail" else "")
        return CheckResult(
            at=now,
            outcome=outcome,
            reason=reason,
            error="It failed" if outcome == "fail" else "",
            total=1_000 + number(now),
        )

    async def tell(self, transitions: list[Transition]) -> None:
        self.told += transitions

    def news(self, number: int = 1) -> list[str]:
        """What was told of a monitor so far."""
        return [one.what for one in self.told if one.number == number]

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.db.read_now(lambda db: db.execute(statement, values).fetchall())

    def spans(self, number: int = 1) -> list[UptimeSpan]:
        found = self.rows("select state, start, until from monitor_spans where monitor = ? order by start, id", number)
        spans = [UptimeSpan(*row) for row in found]
        for one, following in itertools.pairwise(spans):
            assert one.until == following.start, "a gap or an overlap"
            assert one.start < one.until
        assert all(span.until == 0 for span in spans[-1:])
        return spans

    def timeline(self, number: int = 1) -> list[tuple[str, float]]:
        """The states with the seconds since the beginning of the test at which they began."""
        return [(STATES[span.state], (span.start - NOON) / 1000) for span in self.spans(number)]


def number(now: int) -> int:
    """Some duration."""
    return now // 1000 % 700
