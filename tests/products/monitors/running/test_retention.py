"""Old checks are put together without a change to any count, sum or histogram; and they go when they are to."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR
from analytics_box.base.facts.uptime import DOWN, UP, percentile
from analytics_box.base.settings import Settings
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.result import CheckPhases, CheckResult
from analytics_box.products.monitors.running import retention, rollup_rows, rows
from analytics_box.products.monitors.running.rows import CheckRow
from analytics_box.products.monitors.running.states import Stroke
from tests.inprocess import NOON
from tests.products.monitors.running.world import World, monitor

TODAY = NOON // DAY
SETTINGS = Settings(monitor_checks_days=30)
SUMS = ("count", "total", "ttfb", "dns", "connect", "tls", "first_byte", "transfer", "bytes")
KEPT = ("monitor", "status", "kind", "http_code", "certificate_valid", "reason", "region", "url")

DURATION = st.none() | st.integers(0, 3_000_000)
RESULTS = st.builds(
    CheckResult,
    at=st.integers(NOON - 120 * DAY, NOON),
    outcome=st.sampled_from(("pass", "warn", "fail")),
    reason=st.sampled_from(("", "timeout", "tls")),
    error=st.sampled_from(("", "It failed")),
    total=DURATION,
    ttfb=DURATION,
    phases=st.builds(CheckPhases, dns=DURATION, connect=DURATION, transfer=DURATION),
    http_code=st.sampled_from((0, 200, 503)),
    bytes=DURATION,
    redirects=st.integers(0, 2),
    certificate_ends=st.none() | st.integers(NOON, NOON + DAY),
    certificate_valid=st.none() | st.booleans(),
    data=st.none() | st.just('{"a": 1}'),
)


def append(world: World, results: Sequence[CheckResult], number: int = 1) -> None:
    checks = [CheckRow(monitor(number), result, int(result.outcome != "fail"), 1, 0) for result in results]
    strings = Strings()
    world.db.write_now(lambda db: rows.append(db, strings, checks))


def clear(world: World) -> None:
    world.db.write_now(lambda db: db.execute("delete from checks").fetchall())
    world.db.write_now(lambda db: rows.alive(db, NOON))
    world.db.write_now(lambda db: rollup_rows.note_days(db, hours=0, days=0))


def picture(world: World) -> dict[Any, Any]:
    """What questions are answered from: sums, extremes and histograms of whatever is alike, of each UTC day."""
    columns = ", ".join((f"time / {DAY}", *KEPT))
    sums = ", ".join(f"sum({name})" for name in SUMS)
    measured = ", ".join(f"sum(case when {name} is not null then count end)" for name in SUMS)
    extremes = "min(fastest), max(slowest), max(certificate_ends), max(redirects)"
    grouped = f"select {columns}, {sums}, {measured}, {extremes} from checks group by {columns}"
    found: dict[Any, Any] = {"sums": world.rows(f"{grouped} order by 1, 2, 3, 4, 5, 6, 7")}
    for bins in ("bin", "ttfb_bin"):
        histogram = Counter[int]()
        for number, count in world.rows(f"select {bins}, sum(count) from checks where {bins} is not null group by 1"):
            histogram[number] += count
        found[bins] = histogram, [percentile(histogram, share) for share in (0.5, 0.9, 0.99)]
    return found


@given(st.lists(RESULTS, max_size=40))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_that_is_asked_changes_when_checks_are_put_together(world: World, results: list[CheckResult]) -> None:
    clear(world)
    append(world, results)
    before = picture(world)
    world.run(retention.retain(world.db, SETTINGS, NOON))
    assert picture(world) == before
    older, oldest = ((TODAY - days) * DAY for days in (30, 90))
    by_hour = f"select count(*) from checks where time < {older} and time % {HOUR} <> 0"
    by_day = f"select count(*) from checks where time < {oldest} and time % {DAY} <> {DAY // 2}"
    assert world.rows(by_hour) == world.rows(by_day) == [(0,)]
    one_by_one = Counter(result.at for result in results if result.at >= older)
    found = world.rows(f"select time, sum(count), max(count) from checks where time >= {older} group by time")
    assert [(at, 1) for at in sorted(one_by_one)] == sorted((at, most) for at, _, most in found)


def test_checks_that_are_alike_become_one_row_of_an_hour_and_then_of_a_day(world: World) -> None:
    day = (TODAY - 40) * DAY
    append(world, [CheckResult(at=day + minute * 60_000, outcome="pass", total=5_000) for minute in range(180)])
    world.run(retention.retain(world.db, SETTINGS, NOON))
    assert world.rows("select time, count, total from checks order by time") == [
        (day + hour * HOUR, 60, 300_000) for hour in range(3)
    ]
    world.run(retention.retain(world.db, SETTINGS, NOON + 60 * DAY))
    assert world.rows("select time, count, total, fastest, slowest from checks") == [
        (day + DAY // 2, 180, 900_000, 5_000, 5_000)
    ], "of its noon: that is the same date in nearly every time zone"


def test_a_day_that_is_done_is_not_looked_at_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    append(world, [CheckResult(at=(TODAY - days) * DAY, outcome="pass") for days in (29, 31, 35)])
    days: list[int] = []
    put_together = rollup_rows.put_together

    def noted(*given: Any, start: int, **more: Any) -> int:
        days.append(start // DAY)
        return put_together(*given, start=start, **more)

    monkeypatch.setattr(rollup_rows, "put_together", noted)
    world.run(retention.put_together(world.db, HOUR, TODAY - 30))
    assert days == [*range(TODAY - 35, TODAY - 30)]
    world.run(retention.put_together(world.db, HOUR, TODAY - 29))
    assert days[5:] == [TODAY - 30]


def test_many_checks_are_put_together_in_small_writes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 30)
    day = (TODAY - 40) * DAY
    for number in range(1, 7):
        append(world, [CheckResult(at=day + minute * 60_000, outcome="pass") for minute in range(20)], number)
    before = world.db.version
    world.run(retention.put_together(world.db, HOUR, TODAY - 39))
    assert world.db.version - before == 3 + 1  # two monitors at once, and a note of the day
    assert world.rows("select count(*), sum(count) from checks") == [(6, 120)]


def test_without_a_number_of_days_each_check_is_kept(world: World) -> None:
    append(world, [CheckResult(at=NOON - 200 * DAY + second, outcome="pass") for second in range(5)])
    world.run(retention.retain(world.db, replace(SETTINGS, monitor_checks_days=0), NOON))
    assert world.rows("select count(*) from checks") == [(5,)]


def test_rows_older_than_the_history_are_removed_except_the_span_at_its_start(world: World) -> None:
    append(world, [CheckResult(at=NOON - days * DAY, outcome="pass") for days in (5, 50, 500)])
    strokes = [Stroke(1, NOON - 500 * DAY, UP), Stroke(1, NOON - 450 * DAY, DOWN), Stroke(1, NOON - 60 * DAY, UP)]
    world.db.write_now(lambda db: rows.paint(db, strokes))
    world.run(retention.retain(world.db, replace(SETTINGS, monitor_history_days=100), NOON))
    assert world.rows("select count(*) from checks") == [(2,)]
    assert [(span.state, (NOON - span.start) // DAY) for span in world.spans()] == [(DOWN, 450), (UP, 60)]
