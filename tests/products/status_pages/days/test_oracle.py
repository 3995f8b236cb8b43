"""Days of components told a second time: minute by minute on the wall clock, over zones with all kinds of nights."""

import math
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, PAUSED, UNKNOWN, UP, UptimeSpan
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running import retention, rows
from analytics_box.products.monitors.running.rows import CheckRow
from analytics_box.products.status_pages.days import figures, reading
from analytics_box.products.status_pages.days.reading import MeasuredComponent
from analytics_box.products.status_pages.seen import ComponentDay
from tests.inprocess import WholeBox, whole_box
from tests.products.monitors.running.world import monitor

STEP = 15 * 60_000  # everything happens on the quarter
DAYS = 90
# In the 90 days until 2026-04-20 and 2026-11-20 clocks are moved nearly everywhere that moves them.
ENDS = (datetime(2026, 4, 20, 13, 45, tzinfo=UTC), datetime(2026, 11, 20, 13, 45, tzinfo=UTC))
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",  # the clock is moved at midnight
    "Australia/Lord_Howe",  # by half an hour
    "Asia/Kathmandu",
    "Pacific/Apia",
)
NUMBER, OTHER = 7, 8


class Told(NamedTuple):
    """What has happened to a monitor: its spans, and its checks with their time, status and duration."""

    now: int
    spans: list[UptimeSpan]
    checks: list[tuple[int, int, int | None]]


def happened(seed: int, now: int) -> Told:
    """Spans without gaps that begin in the middle of the time that is shown, and checks in all of it."""
    chance = random.Random(seed)
    at, spans = now - 70 * DAY - 5 * STEP, []
    while at < now:
        until = at + chance.choice((1, 3, 20, 97, 200, 400)) * STEP
        state = chance.choice((UP, UP, UP, DEGRADED, DOWN, UNKNOWN, MAINTENANCE, PAUSED))
        spans.append(UptimeSpan(state, at, until if until < now else 0))
        at = until
    checks = [
        (time, chance.choice((0, 1, 1, 1, 2)), chance.choice((None, chance.randint(900, 2_000_000))))
        for time in range(now - 92 * DAY, now, 2 * STEP)
        if chance.random() < 0.7
    ]
    return Told(now, spans, checks)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("days") / "data") as found:
        yield found


def fill(events: Db, told: Told) -> None:
    """Write it, and something of another monitor that must show nowhere."""
    strings = Strings()
    checks = [
        CheckRow(monitor(number), CheckResult(at=at, outcome="pass", total=total), status, 1, 0)
        for number in (NUMBER, OTHER)
        for at, status, total in told.checks
    ]
    others = [(OTHER, DOWN, told.now - 80 * DAY, 0)]

    def work(db: Connection) -> None:
        for table in ("checks", "monitor_spans"):
            db.execute(f"delete from {table}").fetchall()
        rows.append(db, strings, checks)
        db.executemany(INSERT["monitor_spans"], [*((NUMBER, *span) for span in told.spans), *others])

    events.write_now(work)


def expected(told: Told, tz: ZoneInfo) -> list[ComponentDay]:
    """Each day by asking of each quarter of an hour what holds."""
    today = datetime.fromtimestamp(told.now / 1000, tz).date()
    shown = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    lasted: dict[date, dict[int, int]] = {day: {} for day in shown}
    for span in told.spans:
        for at in range(span.start, span.until or told.now, STEP):
            day = lasted.get(datetime.fromtimestamp(at / 1000, tz).date())
            if day is not None:
                day[span.state] = day.get(span.state, 0) + STEP // 1000
    checks: dict[date, list[tuple[int, int | None]]] = {day: [] for day in shown}
    for at, status, total in told.checks:
        checks.get(datetime.fromtimestamp(at / 1000, tz).date(), []).append((status, total))
    return [_day(day, lasted[day], checks[day]) for day in shown]


def _day(day: date, lasted: dict[int, int], checks: list[tuple[int, int | None]]) -> ComponentDay:
    up, down = lasted.get(UP, 0) + lasted.get(DEGRADED, 0), lasted.get(DOWN, 0)
    percent = math.floor(10_000 * up / (up + down) + 0.5) / 100 if up + down else None
    times = sorted(total for _, total in checks if total is not None)
    mean = sum(times) / len(times) / 1000 if times else None
    return ComponentDay(
        date=day.isoformat(),
        state="down"
        if down
        else "degraded"
        if lasted.get(DEGRADED)
        else "maintenance"
        if lasted.get(MAINTENANCE)
        else "up"
        if up
        else "unknown",
        uptime=min(percent, 99.99) if percent is not None and down else percent,
        checks=sum(status != 2 for status, _ in checks),
        passed=sum(status == 1 for status, _ in checks),
        downtime_seconds=down if up + down else None,
        average_ms=None if mean is None else round(mean, 2),
        p95_ms=times[math.ceil(0.95 * len(times)) - 1] / 1000 if times else None,
    )


def assert_same(found: list[ComponentDay], wanted: list[ComponentDay]) -> None:
    """Percentiles come of a histogram whose bins are 2 % wide; means may be rounded otherwise."""
    assert [replace(day, p95_ms=None, average_ms=None) for day in found] == [
        replace(day, p95_ms=None, average_ms=None) for day in wanted
    ]
    for name in ("p95_ms", "average_ms"):
        pairs = [(getattr(one, name), getattr(other, name)) for one, other in zip(found, wanted, strict=True)]
        assert all((one is None) == (other is None) for one, other in pairs)
        assert [one for one, _ in pairs if one is not None] == pytest.approx(
            [other for _, other in pairs if other is not None], rel=0.0101
        )


def read(box: WholeBox, tz: ZoneInfo, now: int) -> list[ComponentDay]:
    events = box.box.events.db
    found = box.run(reading.read_days(box.box.box_db, events, [MeasuredComponent("component-1", NUMBER)], tz, now))
    return [
        figures.day(day.isoformat(), one) for day, one in zip(found.dates, found.figures["component-1"], strict=True)
    ]


@pytest.mark.parametrize("end", ENDS)
def test_days_are_those_of_the_wall_clock_in_every_zone(box: WholeBox, end: datetime) -> None:
    told = happened(end.month, round(end.timestamp() * 1000))
    fill(box.box.events.db, told)
    for name in ZONES:
        tz = ZoneInfo(name)
        assert_same(read(box, tz, told.now), expected(told, tz))


def test_days_are_the_same_after_old_checks_were_put_together(box: WholeBox) -> None:
    end = ENDS[1]
    told = happened(3, round(end.timestamp() * 1000))
    fill(box.box.events.db, told)
    zones = [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York")]
    before = [read(box, tz, told.now) for tz in zones]
    count = box.box.events.db.read_now(lambda db: db.execute("select count(*) from checks").fetchall())
    box.run(retention.retain(box.box.events.db, Settings(monitor_checks_days=30), told.now))
    assert box.box.events.db.read_now(lambda db: db.execute("select count(*) from checks").fetchall()) < count
    assert [read(box, tz, told.now) for tz in zones] == before
