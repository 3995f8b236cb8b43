"""Alert channels that fail: other channels report it, and administrators are warned, until they work again."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics_box.app import jobs
from analytics_box.app.watch.state import WatchedParts, current_warnings, state
from analytics_box.base.clock import HOUR, MINUTE
from analytics_box.products.monitors.domains import DomainWatch
from tests.base.outgoing.places import plain
from tests.tenants.configuration.world import World, world_in

REPORT = next(job for job in jobs.JOBS if job.name == "report channel outages")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data", metrics="on") as found:
        found.broken = found.channel("Broken", url=f"{found.hook}/broken")["channel"]["id"]  # type: ignore[attr-defined]
        found.channel("Working")
        found.web.reply = lambda request: plain(b"", "503 Busy") if b"/broken" in request else plain()
        yield found


def pass_time(here: World, milliseconds: int) -> None:
    """Let time pass a quarter of an hour at a time, with the jobs that send and report."""
    for _ in range(milliseconds // (15 * MINUTE)):
        here.box.clock.advance(seconds=900)
        here.box.run(deliver(here))
        here.box.run(jobs.run_job(REPORT, here.box.box))
        here.box.run(deliver(here))


async def deliver(here: World) -> None:
    """Send all that is due. A round that was begun in the background is waited for too."""
    await here.box.box.deliveries.run()
    for lanes in here.box.box.deliveries.lanes:
        while lanes._tasks:
            await asyncio.wait(lanes._tasks)


def types(here: World) -> list[str]:
    """The types of the messages that arrived at the working channel."""
    bodies = [heard.partition(b"\r\n\r\n")[2] for heard in here.web.heard if b"/broken" not in heard]
    return [msgspec.json.decode(body)["type"] for body in bodies]


def codes(here: World) -> list[str]:
    return [one.code for one in here.box.run(current_warnings(here.box.box.parts[WatchedParts]))]


def metrics(here: World) -> list[str]:
    answer = here.box.ask("GET", "/metrics", headers={}, address="127.0.0.1")
    assert answer.status == 200
    return answer.body.decode().splitlines()


def fail(here: World) -> None:
    here.tell("incident 1", only=[here.broken])  # type: ignore[attr-defined]
    here.box.run(here.box.box.deliveries.run())


def test_channel_that_fails_for_15_minutes_is_reported_once_through_the_others(here: World) -> None:
    fail(here)
    here.box.run(jobs.run_job(REPORT, here.box.box))
    assert types(here) == []
    assert "channels" not in codes(here)
    pass_time(here, 3 * HOUR)
    assert types(here) == ["channel.failing"]
    (heard,) = [each for each in here.web.heard if b"channel.failing" in each]
    assert b"Alerts cannot be delivered: Broken" in heard
    assert b"The server responds with 503 Service Unavailable" in heard
    assert "channels" in codes(here)


def test_channel_that_works_again_is_reported_through_those_that_reported_its_outage(here: World) -> None:
    fail(here)
    pass_time(here, HOUR)
    here.channel("New", url=f"{here.hook}/broken/new")
    here.web.reply = lambda _: plain()
    pass_time(here, 2 * HOUR)
    assert types(here) == ["channel.failing", "channel.working"]
    assert "channels" not in codes(here)


def test_short_failure_is_not_reported(here: World) -> None:
    fail(here)
    here.web.reply = lambda _: plain()
    pass_time(here, HOUR)
    assert types(here) == []


def test_channel_that_refuses_every_message_is_reported_though_nothing_waits(here: World) -> None:
    here.web.reply = lambda request: plain(b"", "404 Not Found") if b"/broken" in request else plain()
    fail(here)
    pass_time(here, HOUR)
    assert types(here) == ["channel.failing"]
    assert "channels" in codes(here)


def test_disabled_channel_is_neither_reported_nor_warned_of(here: World) -> None:
    fail(here)
    here.call("ada", "config.updateChannel", channelId=here.broken, enabled=False)  # type: ignore[attr-defined]
    pass_time(here, HOUR)
    assert types(here) == []
    assert "channels" not in codes(here)


def test_metrics_and_state_have_what_waits_and_what_became_of_the_rest(here: World) -> None:
    fail(here)
    here.tell("incident 2")
    pass_time(here, HOUR)
    lines = metrics(here)
    assert 'analytics_box_messages_waiting{outbox="channels"} 2' in lines
    assert 'analytics_box_messages_waiting{outbox="subscribers"} 0' in lines
    assert 'analytics_box_messages_oldest_seconds{outbox="channels"} 3600' in lines
    assert 'analytics_box_messages_failing{outbox="channels"} 1' in lines
    assert 'analytics_box_channels_attempts_total{outcome="sent"} 2' in lines
    assert 'analytics_box_channels_attempts_total{outcome="given_up"} 0' in lines
    assert any(line.startswith('analytics_box_channels_attempts_total{outcome="failed"} ') for line in lines)
    assert 'analytics_box_registry_questions_total{outcome="failed"} 0' in lines
    assert 'analytics_box_warning{code="channels"} 1' in lines
    (channels, *_rest) = here.box.run(state(here.box.box.parts[WatchedParts])).outboxes
    assert (channels.name, channels.waiting, channels.failing, channels.sent) == ("channels", 2, 1, 2)
    page: Any = here.people.see("ada", "/settings/box").body.decode()
    assert "An alert channel has failed for 15 minutes or longer" in page
    assert "Alert channels" in page
    assert "Domain registries" not in page, "none was asked"
    here.box.box.parts[DomainWatch]._registrations.outcomes["failed"] += 3
    assert "0 lookups answered, 3 failed" in here.people.see("ada", "/settings/box").body.decode()
