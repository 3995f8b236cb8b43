"""Schedules of flags: what can be scheduled, by whom, and what the clock makes of it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.schedules import planning, ticking
from tests.cases import each
from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of

HALF: dict[str, Any] = {"type": "rollout", "rolloutPercentage": 10}
DAY = 86_400


def at(world: World, minutes: float) -> str:
    """An instant so many minutes from now, as JSON has it."""
    return datetime.fromtimestamp(world.box.clock.now() / 1000 + minutes * 60, UTC).isoformat()


def plan(world: World, flag: Flag, kind: str = "update_rollout", **given: Any) -> Any:
    return world.good("flagSchedules/create", flagId=flag.id, type=kind, **given)


def steps(world: World, *wanted: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"scheduledAt": at(world, minutes), "value": value} for minutes, value in wanted]


def pass_minutes(world: World, minutes: float) -> None:
    """The clock goes on, and the job runs."""
    world.box.clock.advance(seconds=minutes * 60)
    world.box.run(ticking.tick(world.box.box.parts))


def now_is(world: World, flag: Flag) -> tuple[str, float]:
    """Status and percentage of a flag, which are the same in memory and on disk."""
    found = next(one for one in world.known(flag.scope).flags if one.id == flag.id)
    return found.definition.status, found.definition.rolloutPercentage


def listed(world: World, flag: Flag) -> list[tuple[str, str]]:
    return [(one["state"], one["error"] or "") for one in world.good("flagSchedules/list", flagId=flag.id)]


def test_a_flag_is_switched_on_and_off_when_it_should(world: World) -> None:
    flag = world.put("sale", {"status": "inactive"})
    on = plan(world, flag, "enable", scheduledAt=at(world, 10))
    off = plan(world, flag, "disable", scheduledAt=at(world, 20))
    assert on == on | {"state": "pending", "nextAt": on["scheduledAt"], "endedAt": None, "rolloutSteps": []}
    pass_minutes(world, 9.9)
    assert now_is(world, flag)[0] == "inactive"
    revision = world.known().revision
    pass_minutes(world, 0.2)
    assert now_is(world, flag)[0] == "active"
    assert world.known().revision > revision
    pass_minutes(world, 10)
    assert now_is(world, flag)[0] == "inactive"
    assert [one["id"] for one in world.good("flagSchedules/list", flagId=flag.id)] == [off["id"], on["id"]]
    assert listed(world, flag) == [("done", ""), ("done", "")]
    versions = world.rows("select action, actor, note from flag_versions order by version")
    assert versions == [("scheduled", "the box", "By schedule")] * 2
    assert world.rows("select actor, action from audit where subject = 'flag'") == [("the box", "updated")] * 2
    assert len(world.rows("select 1 from audit where subject = 'flag schedule'")) == 2


def test_a_ramp_goes_step_by_step_and_after_an_outage_the_latest_step_counts(world: World) -> None:
    flag = world.put("checkout", HALF)
    made = plan(
        world, flag, ramp={"from": 20, "to": 100, "startsAt": at(world, 0), "endsAt": at(world, 40), "everyMinutes": 10}
    )
    assert [step["value"] for step in made["rolloutSteps"]] == [20, 40, 60, 80, 100]
    pass_minutes(world, 0)
    assert now_is(world, flag) == ("active", 20)
    world.box.reopen()
    pass_minutes(world, 35)
    assert now_is(world, flag) == ("active", 80)
    (shown,) = world.good("flagSchedules/list", flagId=flag.id)
    assert [(step["executedAt"] is not None, step["skipped"]) for step in shown["rolloutSteps"]] == [
        (True, False),
        (True, True),
        (True, True),
        (True, False),
        (False, False),
    ]
    assert shown["nextAt"] == shown["rolloutSteps"][4]["scheduledAt"]
    pass_minutes(world, 5)
    assert (now_is(world, flag), listed(world, flag)) == (("active", 100), [("done", "")])
    revision = world.known().revision
    pass_minutes(world, 60)
    assert world.known().revision == revision


def test_switching_comes_before_percentages_of_the_same_instant(world: World) -> None:
    flag = world.put("checkout", HALF | {"status": "inactive"})
    plan(world, flag, rolloutSteps=steps(world, (5, 30), (10, 60)))
    plan(world, flag, "enable", scheduledAt=at(world, 5))
    pass_minutes(world, 5)
    pass_minutes(world, 5)
    assert now_is(world, flag) == ("active", 60)


def test_a_clock_that_is_set_back_repeats_nothing(world: World) -> None:
    flag = world.put("checkout", HALF)
    plan(world, flag, rolloutSteps=steps(world, (5, 30), (10, 60)))
    pass_minutes(world, 6)
    pass_minutes(world, -30)
    pass_minutes(world, 29)
    assert now_is(world, flag) == ("active", 30)
    pass_minutes(world, 6)
    assert now_is(world, flag) == ("active", 60)


@each(
    ("change", "error"),
    [
        ({"rolloutPercentage": 0}, "The percentage was changed manually after the previous step"),
        ({"status": "inactive"}, "The flag was deactivated after the previous step"),
        ({"status": "archived"}, "The flag is archived."),
        ({"type": "boolean"}, "The flag is no longer a percentage rollout."),
    ],
)
def test_manual_change_between_steps_stays(shared: World, change: dict[str, Any], error: str) -> None:
    flag = shared.put(f"by-hand-{next(iter(change.values()))}", HALF)
    plan(shared, flag, rolloutSteps=steps(shared, (5, 30), (10, 60)))
    pass_minutes(shared, 5)
    shared.good("flags/update", id=flag.id, **change)
    before = now_is(shared, flag)
    pass_minutes(shared, 5)
    assert now_is(shared, flag) == before
    ((state, said),) = listed(shared, flag)
    assert (state, said.startswith(error)) == ("failed", True), said


def test_percentage_raised_before_the_first_step_stays(shared: World) -> None:
    flag = shared.put("raised", HALF)
    plan(shared, flag, rolloutSteps=steps(shared, (5, 10), (10, 60)))
    shared.good("flags/update", id=flag.id, rolloutPercentage=50)
    pass_minutes(shared, 5)
    assert now_is(shared, flag) == ("active", 50)
    ((state, said),) = listed(shared, flag)
    assert (state, said) == (
        "failed",
        "The percentage was changed manually before the first step, so the schedule stopped.",
    )


def test_rollouts_run_in_sequence_and_on_inactive_flags(shared: World) -> None:
    flag = shared.put("in-turn", HALF | {"status": "inactive"})
    plan(shared, flag, rolloutSteps=steps(shared, (1, 20), (2, 30)))
    plan(shared, flag, rolloutSteps=steps(shared, (4, 60), (5, 100)))
    plan(shared, flag, "enable", scheduledAt=at(shared, 3))
    for expected in [("inactive", 20), ("inactive", 30), ("active", 30), ("active", 60)]:
        pass_minutes(shared, 1)
        assert now_is(shared, flag) == expected
    shared.good("flags/deactivate", id=flag.id)
    pass_minutes(shared, 1)
    assert now_is(shared, flag) == ("inactive", 60)
    assert sorted(state for state, _ in listed(shared, flag)) == ["done", "done", "failed"]


def test_another_change_in_between_does_not_end_a_rollout(shared: World) -> None:
    flag = shared.put("renamed", HALF)
    plan(shared, flag, rolloutSteps=steps(shared, (5, 30), (10, 60)))
    pass_minutes(shared, 5)
    shared.good("flags/update", id=flag.id, name="A name", rules=[{"type": "user_id", "value": "ada"}])
    pass_minutes(shared, 5)
    (found,) = (one for one in shared.known().flags if one.id == flag.id)
    assert (found.definition.rolloutPercentage, found.definition.name) == (60, "A name")


def test_a_flag_that_needs_others_stays_off_and_the_schedule_says_so(shared: World) -> None:
    shared.put("payments", {"status": "inactive"})
    flag = shared.put("wallet", {"status": "inactive", "dependencies": ["payments"]})
    plan(shared, flag, "enable", scheduledAt=at(shared, 1))
    pass_minutes(shared, 1)
    assert now_is(shared, flag)[0] == "inactive"
    assert listed(shared, flag) == [
        ("failed", "The flag stays inactive because required flags are not active: payments.")
    ]


def test_a_deleted_flag_ends_its_schedules_and_those_of_a_deleted_website_wait(world: World) -> None:
    gone, waiting = world.put("gone", HALF), world.put("waiting", HALF)
    for flag in (gone, waiting):
        plan(world, flag, rolloutSteps=steps(world, (5, 30), (100, 60)))
    world.good("flags/delete", id=gone.id)
    assert world.call("websites/delete", id=world.shop, cookie=world.owner).status == 200
    pass_minutes(world, 10)
    assert world.rows("select count(*) from flag_schedules where next_at is null") == [(0,)]
    assert world.call("websites/restore", id=world.shop, cookie=world.owner).status == 200
    pass_minutes(world, 0)
    assert now_is(world, waiting) == ("active", 30)
    assert world.rows("select error from flag_schedules where flag_id = ?", gone.id) == [("The flag is deleted.",)]


def test_failing_schedule_does_not_delay_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = world.put("first", HALF), world.put("second", HALF)
    broken = plan(world, first, "disable", scheduledAt=at(world, 1))
    plan(world, second, "disable", scheduledAt=at(world, 2))
    find = planning.SCHEDULES.find

    def failing(db: Any, schedule_id: str) -> Any:
        if schedule_id == broken["id"]:
            raise ZeroDivisionError
        return find(db, schedule_id)

    with monkeypatch.context() as patched:
        patched.setattr(planning.SCHEDULES, "find", failing)
        pass_minutes(world, 3)
    assert (now_is(world, first)[0], now_is(world, second)[0]) == ("active", "inactive")
    pass_minutes(world, 0)
    assert now_is(world, first)[0] == "inactive"


def test_a_step_is_done_whole_or_not_at_all(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    flag = world.put("checkout", HALF)
    plan(world, flag, rolloutSteps=steps(world, (5, 30), (10, 60)))
    revision = world.known().revision
    with monkeypatch.context() as patched:
        patched.setattr(planning, "keep_latest", lambda *_: 1 / 0)  # the last that a step does
        pass_minutes(world, 5)
    assert (now_is(world, flag), world.known().revision) == (("active", 10), revision)
    assert world.rows("select 1 from flag_versions") == []
    pass_minutes(world, 0)
    assert (now_is(world, flag), world.known().revision) == (("active", 30), revision + 1)


def test_scheduled_change_can_be_canceled(world: World) -> None:
    flag = world.put("checkout", HALF)
    made = plan(world, flag, rolloutSteps=steps(world, (5, 30), (10, 60)))
    pass_minutes(world, 5)
    assert world.good("flagSchedules/delete", id=made["id"]) == {"success": True}
    pass_minutes(world, 5)
    assert (now_is(world, flag), listed(world, flag)) == (("active", 30), [])
    assert world.refused("flagSchedules/delete", id=made["id"]) == (404, "There is no schedule with this id")


@each(
    ("kind", "given", "message"),
    [
        ("enable", {}, "Say when"),
        ("enable", {"scheduledAt": -5}, "Enter a time in the future"),
        ("enable", {"scheduledAt": 5, "rolloutSteps": [(6, 10)]}, "Only update_rollout can have steps, not enable"),
        ("enable", {"scheduledAt": 5, "isEnabled": False}, "Add steps or a time"),
        ("update_rollout", {}, "Send steps or a ramp"),
        ("update_rollout", {"rolloutSteps": [(6, 10), (5, 20)]}, "Enter steps in order of time"),
        ("update_rollout", {"rolloutSteps": [(6, 101)]}, "Must be a number from 0 to 100"),
        ("update_rollout", {"rolloutSteps": [(6, 10)], "scheduledAt": 7}, "Omit scheduledAt"),
        (
            "update_rollout",
            {"ramp": (0, 100, 0, 1000, 1)},
            "That would be 1001 steps, more than 200. Enter at least 6 minutes",
        ),
        (
            "update_rollout",
            {"ramp": (0, 100, 0, 10, 1), "rolloutSteps": [(6, 10)]},
            "Send steps or a ramp, not both",
        ),
        ("update_rollout", {"nonsense": 1}, "This is not a known field"),
        ("later", {"scheduledAt": 5}, "Must be one of: disable, enable, update_rollout"),
    ],
)
def test_invalid_schedule_is_refused_in_one_line(shared: World, kind: str, given: dict[str, Any], message: str) -> None:
    flag = next((one for one in shared.known().flags if one.key == "refused"), None) or shared.put("refused", HALF)
    asked = dict(given)
    if "scheduledAt" in asked:
        asked["scheduledAt"] = at(shared, asked["scheduledAt"])
    if "rolloutSteps" in asked:
        asked["rolloutSteps"] = steps(shared, *asked["rolloutSteps"])
    if "ramp" in asked:
        low, high, first, last, every = asked["ramp"]
        asked["ramp"] = {
            "from": low, "to": high, "startsAt": at(shared, first), "endsAt": at(shared, last), "everyMinutes": every
        }  # fmt: skip
    status, said = shared.refused("flagSchedules/create", flagId=flag.id, type=kind, **asked)
    assert (status, message in said) == (400, True), said
    assert listed(shared, flag) == []


def test_only_rollouts_are_rolled_out_and_only_once_at_a_time(shared: World) -> None:
    plain, flag = shared.put("plain"), shared.put("twice", HALF)
    given = {"type": "update_rollout", "rolloutSteps": steps(shared, (5, 30), (10, 60))}
    assert shared.refused("flagSchedules/create", flagId=plain.id, **given)[1].startswith("The flag is not a rollout")
    plan(shared, flag, rolloutSteps=given["rolloutSteps"])
    status, said = shared.refused("flagSchedules/create", flagId=flag.id, **given)
    assert (status, said) == (409, "Another rollout of this flag is already scheduled for this time")
    shared.put("over", {"status": "archived"})
    over = next(one for one in shared.known().flags if one.key == "over")
    said = shared.refused("flagSchedules/create", flagId=over.id, type="enable", scheduledAt=at(shared, 1))[1]
    assert said == "The flag is archived"


def test_only_those_who_may_change_a_flag_schedule_it(shared: World) -> None:
    flag = shared.put("guarded", HALF)
    made = plan(shared, flag, "enable", scheduledAt=at(shared, 1))
    given = {"flagId": flag.id, "type": "disable", "scheduledAt": at(shared, 2)}
    assert shared.refused("flagSchedules/create", by="foreign", **given)[0] == 404
    assert shared.refused("flagSchedules/create", by="reading", **given)[0] == 403
    assert shared.refused("flagSchedules/list", flagId=flag.id, by="foreign")[0] == 404
    assert shared.refused("flagSchedules/delete", id=made["id"], by="foreign") == (
        404,
        "There is no schedule with this id",
    )
    viewer = cookie_of(shared.box, "viewer")
    assert shared.refused("flagSchedules/create", cookie=viewer, **given)[0] == 403
    assert shared.refused("flagSchedules/delete", id=made["id"], cookie=viewer)[0] == 403
    assert shared.call("flagSchedules/list", flagId=flag.id, cookie=viewer).status == 200
    assert listed(shared, flag) == [("pending", "")]
