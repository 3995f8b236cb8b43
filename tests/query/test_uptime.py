"""Checks and spans against what is told plainly (brute/uptime.py): on both engines, in zones of every kind, before and
after old checks are put together."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import partial
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analytics_box.base.facts.uptime import DOWN, MAINTENANCE, PAUSED, UNKNOWN, UP, UptimeSpan
from analytics_box.products.monitors.running.rollup_rows import put_together
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.values import instant_text
from tests.query.brute import uptime as told
from tests.query.brute.facts import Question, Row
from tests.query.checks_of_all_kinds import Check, check, failed, store_checks, store_spans
from tests.query.world import World, world_in

HOUR, DAY = 3_600_000, 86_400_000
NOW = round(datetime(2026, 10, 26, 10, 7, 30, tzinfo=UTC).timestamp()) * 1000
FIRST, LAST = date(2026, 10, 23), date(2026, 10, 27)  # Europe's summer time ends in between; the last day is to come
WHOLE_HOURS = ("UTC", "Europe/Berlin", "America/New_York")
ZONES = (*WHOLE_HOURS, "Asia/Kolkata", "Pacific/Chatham", "America/St_Johns")
MONITOR = 4_711


class Story:
    """A monitor's last days, made up."""

    def __init__(self, world: World, number: int, seed: int) -> None:
        self.world, self.number, draw = world, number, Random(seed)
        self.checks = [_check(number, at, draw) for at in sorted(draw.sample(range(NOW - 4 * DAY, NOW), 90))]
        self.spans = list(_spans(draw))
        store_checks(world.db, self.checks)
        store_spans(world.db, number, self.spans)

    def put_together(self, bucket: int) -> None:
        """As old checks are."""
        for day in range(NOW // DAY - 5, NOW // DAY + 1):
            start, end = day * DAY, (day + 1) * DAY
            together = partial(put_together, numbers=[self.number], start=start, end=end, bucket=bucket, most=1_000)
            self.world.db.write_now(together)

    def ask(self, name: str, zone: str = "UTC", **more: Any) -> list[Row]:
        asked = {"timeZone": zone, "startDate": str(FIRST), "endDate": str(LAST), "limit": 10_000} | more
        (entry,) = self.world.entries({"parameters": [name], **asked}, self.scope, now=NOW)
        assert entry.success, entry.error
        return entry.data

    @property
    def scope(self) -> ReadScope:
        return ReadScope((self.number,), subject="monitor")


def _check(monitor: int, at: int, draw: Random) -> Check:
    more: dict[str, Any] = {
        "region": draw.choice(("", "", "eu")),
        "certificate_ends": NOW + (10 if at < NOW - 50 * HOUR else 90) * DAY,  # it was renewed
        "certificate_valid": int(at // DAY % 3 != 1),
        "http_code": draw.choice((200, 200, 204, 404)),
    }
    if draw.random() < 0.7:
        more |= {"tls": None} if draw.random() < 0.3 else {"dns": draw.randrange(50_000)}
        return check(monitor, at, draw.randrange(1_000, 900_000), **more)
    more |= {"status": draw.choice((0, 0, 2)), "reason": draw.choice(("timeout", "dns")), "http_code": 0}
    return failed(monitor, at, **more)


def _spans(draw: Random) -> Iterator[UptimeSpan]:
    """From before the range on, without gaps; the last one goes on."""
    at = NOW - draw.randrange(2, 10) * HOUR * 12
    at -= at % told.TICK
    while at < NOW - HOUR:
        until = min(at + draw.choice((1, 3, 40, 200, 900)) * told.TICK, NOW - told.TICK)
        yield UptimeSpan(draw.choice((1, 1, 2, 3, 4, 5, 6)), at, until)
        at = until
    yield UptimeSpan(draw.choice((1, 3)), at, 0)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("uptime")) as made:
        made.clock.advance(seconds=(NOW - made.clock.now()) / 1000)
        yield made


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(Story(world, number, seed) for seed, number in enumerate(world.new_sites(4)))


def same(found: list[Row], wanted: list[Row]) -> None:
    """All that is told of the rows is what they say."""
    assert len(found) == len(wanted)
    for row, plain in zip(found, wanted, strict=True):
        shown = dict(row)
        if "ssl_expiry_ms" in plain:
            shown["ssl_expiry_ms"] = plain["ssl_expiry_ms"]
            assert row.get("ssl_expiry") == instant_text(plain["ssl_expiry_ms"])
        if "start_ms" in plain:
            shown["start_ms"] = plain["start_ms"]
            assert row["start"] == instant_text(plain["start_ms"])
        for name in plain.keys() & shown.keys():
            assert told.agrees(shown[name], plain[name]), (name, shown[name], plain[name])


def question(zone: str, *, hourly: bool) -> Question:
    return Question(FIRST, LAST, ZoneInfo(zone), hourly=hourly, now=NOW)


def test_every_type_about_monitors_is_told() -> None:
    assert set(told.ANSWERS) == {name for name in TYPES if name.startswith("uptime_")}


@pytest.mark.parametrize("name", sorted(told.ANSWERS))
def test_an_answer_is_what_is_told_before_and_after_checks_are_put_together(
    stories: tuple[Story, ...], name: str
) -> None:
    for turn, story in enumerate(stories[:3]):
        for zone in ZONES[turn::3]:
            for hourly in (False, True) if TYPES[name].series else (False,):
                wanted = told.ANSWERS[name](story.checks, story.spans, question(zone, hourly=hourly))
                same(story.ask(name, zone, granularity="hour" if hourly else "day"), wanted)


def test_counts_and_downtime_of_days_and_hours_add_up_to_those_of_the_range(stories: tuple[Story, ...]) -> None:
    for turn, zone in enumerate(ZONES):
        story = stories[turn % 3]
        (whole,) = story.ask("uptime_overview", zone)
        for granularity in ("day", "hour"):
            rows = story.ask("uptime_time_series", zone, granularity=granularity)
            for name in ("total_checks", "successful_checks", "downtime_seconds"):
                assert sum(row[name] or 0 for row in rows) == whole[name], (zone, granularity, name)


def test_checks_that_are_put_together_answer_as_they_did_and_so_does_the_replica(stories: tuple[Story, ...]) -> None:
    """Asked before as well, so that the replica has them already and has to follow."""
    story = stories[3]
    of_many = sorted(set(told.ANSWERS) - told.SINGLE)
    for bucket, zones in ((HOUR, WHOLE_HOURS), (DAY, ("UTC",))):
        story.ask("uptime_overview")
        story.put_together(bucket)
        for name in of_many:
            for zone in zones:
                hourly = bucket == HOUR and TYPES[name].series
                wanted = told.ANSWERS[name](story.checks, story.spans, question(zone, hourly=hourly))
                found = story.ask(name, zone, granularity="hour" if hourly else "day")
                same(found, [row for row in wanted if "date" in row] or wanted)
    rows = story.ask("uptime_recent_checks")
    assert sum(row["count"] for row in rows) == len(
        told.ANSWERS["uptime_recent_checks"](story.checks, story.spans, question("UTC", hourly=False))
    )
    assert len(rows) < len(story.checks)


def test_values_of_a_query_are_in_no_answer(world: World) -> None:
    story = of_new(world)
    store_checks(world.db, [check(story.number, NOW - 60_000, 1_000, url="https://shop.example/?token=hush&a=")])
    (row,) = story.ask("uptime_recent_checks")
    assert row["url"] == "https://shop.example/?token=•••&a="


def of_new(world: World, *spans: UptimeSpan) -> Story:
    """A monitor of which nothing else is known."""
    (number,) = world.new_sites(1)
    story = Story.__new__(Story)
    story.world, story.number, story.checks, story.spans = world, number, [], list(spans)
    store_spans(world.db, number, spans)
    return story


def test_an_open_span_that_ends_is_followed(world: World) -> None:
    story = of_new(world, UptimeSpan(UP, NOW - HOUR))
    assert story.ask("uptime_overview")[0]["uptime_percentage"] == 100
    world.db.write_now(
        lambda db: db.execute(
            "update monitor_spans set until = ? where monitor = ? and until = 0", (NOW - HOUR // 2, story.number)
        )
    )
    store_spans(world.db, story.number, [UptimeSpan(DOWN, NOW - HOUR // 2)])
    (row,) = story.ask("uptime_overview")
    assert (row["uptime_percentage"], row["downtime_seconds"], row["outages"]) == (50, 1_800, 1)
    assert [one["state"] for one in story.ask("uptime_spans")] == ["up", "down"]
    assert story.ask("uptime_spans")[-1]["end"] is None


def test_an_outage_over_which_a_maintenance_or_a_gap_lies_is_one(world: World) -> None:
    minute = HOUR // 60
    states = (UP, DOWN, UNKNOWN, DOWN, MAINTENANCE, UNKNOWN, DOWN, UP, DOWN, PAUSED, DOWN)
    begins = NOW - HOUR
    spans = [UptimeSpan(state, begins + n * minute, begins + (n + 1) * minute) for n, state in enumerate(states)]
    story = of_new(world, *spans)
    assert story.ask("uptime_overview")[0]["outages"] == 3


def test_a_second_of_downtime_is_never_rounded_away(world: World) -> None:
    second = UptimeSpan(DOWN, NOW - DAY, NOW - DAY + 1_000)
    story = of_new(world, UptimeSpan(UP, NOW - 3 * DAY, second.start), second, UptimeSpan(UP, second.until))
    assert story.ask("uptime_overview")[0]["uptime_percentage"] == 99.99


def test_future_time_counts_nowhere(world: World) -> None:
    story = of_new(world, UptimeSpan(DOWN, NOW - HOUR))
    rows = story.ask("uptime_time_series", granularity="day")
    assert [row["downtime_seconds"] for row in rows] == [None, None, None, 3_600, None]
    assert rows[-1]["coverage"] is None
    assert rows[-1]["uptime_percentage"] is None
    assert rows[0]["coverage"] == 0


def test_by_the_minute_uptime_is_that_of_the_checks(world: World) -> None:
    story = of_new(world, UptimeSpan(UP, NOW - DAY))
    minute = NOW - NOW % 60_000 - 60_000
    store_checks(world.db, [check(story.number, minute), failed(story.number, minute + 1, status=0)])
    day = {"startDate": "2026-10-26", "endDate": "2026-10-26"}
    rows = story.ask("uptime_time_series", granularity="minute", **day)
    assert len(rows) == 1_440
    (found,) = [row for row in rows if row["total_checks"]]
    assert (found["uptime_percentage"], found["total_checks"], found["coverage"]) == (50, 2, 100)
    assert len(story.ask("uptime_phases", granularity="minute", **day)) == 1_440


def test_a_series_of_uptime_is_by_the_hour_unless_the_range_is_long(world: World) -> None:
    story = of_new(world)
    assert len(story.ask("uptime_time_series")) == 5 * 24
    assert len(story.ask("uptime_time_series", startDate="2026-09-01")) == 57
    assert len(story.ask("uptime_response_time_trends")) == 5


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("status", 0, lambda one: one["status"] == 0),
        ("http_code", "404", lambda one: one["http_code"] == 404),
        ("reason", "dns", lambda one: one["reason"] == "dns"),
        ("region", "eu", lambda one: one["region"] == "eu"),
    ],
)
def test_checks_are_filtered(stories: tuple[Story, ...], field: str, value: Any, wanted: Any) -> None:
    story = stories[0]
    for operator, holds in (("eq", wanted), ("not_in", lambda one: not wanted(one))):
        checks = [one for one in story.checks if holds(one)]
        for name in ("uptime_status_breakdown", "uptime_by_region", "uptime_reasons", "uptime_recent_checks"):
            found = story.ask(name, filters=[{"field": field, "op": operator, "value": value}])
            same(found, told.ANSWERS[name](checks, story.spans, question("UTC", hourly=False)))


def test_a_type_about_monitors_asked_of_a_website_finds_nothing(stories: tuple[Story, ...]) -> None:  # wire 1.1
    story = stories[0]
    body = {"startDate": str(FIRST), "endDate": str(LAST)}
    for name in ("uptime_recent_checks", "uptime_spans", "uptime_reasons"):
        (entry,) = story.world.entries({"parameters": [name], **body}, ReadScope((story.number,)), now=NOW)
        assert (entry.success, entry.data) == (True, [])
    (entry,) = story.world.entries({"parameters": ["uptime_overview"], **body}, ReadScope((story.number,)), now=NOW)
    assert entry.data[0]["uptime_percentage"] is None
    assert entry.data[0]["total_checks"] == 0
