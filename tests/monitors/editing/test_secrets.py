"""Headers, bodies, credentials and tokens of pushes: sealed on disk, used by checks, shown to nobody."""

import logging
from typing import Any

import pytest

from analytics_box.monitors.monitor import Secrets
from tests.cases import each
from tests.monitors.world import World

HUSH = "hush-0123456789"
GIVEN: dict[str, Any] = {
    "headers": {"X-Token": HUSH},
    "body": f"{{{HUSH}}}",
    "basicAuth": {"user": "ada", "password": HUSH},
    "options": {"method": "POST"},
}


def test_secrets_stand_in_no_answer_no_audit_entry_no_file_and_no_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one = world.made(**GIVEN)
    answers = [
        world.call("getSchedule", scheduleId=one),
        world.call("listSchedules"),
        world.call("paginated"),
        world.call("tryCheck", scheduleId=one),
        world.call("updateSchedule", scheduleId=one, headers={"X-Token": HUSH, "B": HUSH}),
        world.call("createSchedule", url="http://10.0.0.1", granularity="day", **GIVEN),
        world.call("deleteSchedule", scheduleId=world.made("https://example.com/b", **GIVEN)),
    ]
    assert all(HUSH.encode() not in answer.body for answer in answers)
    assert all(HUSH not in detail for _, detail in world.audited())
    assert HUSH not in caplog.text
    directory = world.box.box.settings.data_dir
    world.box.box.close()
    assert all(HUSH.encode() not in path.read_bytes() for path in directory.iterdir() if path.is_file())
    world.reopen()
    assert world.run(one).secrets.headers == (("X-Token", HUSH), ("B", HUSH))
    assert world.run(one).secrets.password == HUSH


@each(
    ("given", "expected"),
    (
        ({"bearerToken": "b"}, {"headers": (("A", "1"),), "bearer": "b"}),
        ({"basicAuth": {"user": "u"}}, {"headers": (("A", "1"),), "user": "u", "password": "p"}),
        ({"basicAuth": {"user": "u", "password": "q"}}, {"headers": (("A", "1"),), "user": "u", "password": "q"}),
        ({"basicAuth": None}, {"headers": (("A", "1"),)}),
        ({"headers": None}, {"user": "ada", "password": "p"}),
        ({"headers": {"a": None}}, {"headers": (("a", "1"),), "user": "ada", "password": "p"}),
        ({"name": "B"}, {"headers": (("A", "1"),), "user": "ada", "password": "p"}),
    ),
)
def test_secrets_stay_unless_they_are_given(
    world: World, given: dict[str, object], expected: dict[str, object]
) -> None:
    one = world.made(headers={"A": "1"}, basicAuth={"user": "ada", "password": "p"})
    world.good("updateSchedule", scheduleId=one, **given)
    assert world.run(one).secrets == Secrets(**expected)  # type: ignore[arg-type]
    world.good("deleteSchedule", scheduleId=one)


def test_a_monitor_whose_secrets_cannot_be_read_rests_until_it_gets_new_ones(world: World) -> None:
    one, plain = world.made(headers={"A": "1"}), world.made("https://example.com/plain")
    (world.box.box.settings.data_dir / "secret.key").write_bytes(bytes(32))
    world.reopen()
    assert world.run(one).is_paused
    assert not world.run(plain).is_paused
    shown = world.good("getSchedule", scheduleId=one)
    assert (shown["isPaused"], shown["schedulerStatus"]) == (False, "missing")
    assert "cannot be read" in shown["problem"]
    assert "cannot be read" in world.call("manualCheck", scheduleId=one).json["error"]
    world.good("updateSchedule", scheduleId=one, name="Still")
    world.reopen()
    assert world.run(one).is_paused
    world.good("updateSchedule", scheduleId=one, headers={"A": "2"})
    for _ in ("in memory", "after a restart"):
        assert not world.run(one).is_paused
        assert world.run(one).secrets.headers == (("A", "2"),)
        assert world.good("getSchedule", scheduleId=one)["problem"] == ""
        world.reopen()
