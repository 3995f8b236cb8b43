"""Monitors that wait to be told: the URL that is shown once, and what may be said there."""

from msgspec.structs import replace

from tests.inprocess import NOON, Answer, whole_box
from tests.products.monitors.world import World


def pushed(world: World, url: str, *, method: str = "GET", query: str = "") -> Answer:
    return world.box.ask(method, url[url.index("/push/") :] + query)


def test_a_push_is_told_to_what_runs_monitors(world: World) -> None:
    made = world.good("createSchedule", kind="push", granularity="minute", options={"grace": 30})
    number = world.known(made["scheduleId"]).number
    assert made["url"] == f"push://{made['scheduleId']}"
    for method, query, expected in (
        ("GET", "", (True, "")),
        ("POST", "?status=up&msg=OK&ping=12", (True, "OK")),
        ("GET", "?status=DOWN&msg=disk%20full%0d%0a", (False, "disk full")),
        ("GET", "?msg=" + "x" * 1000, (True, "x" * 200)),
    ):
        answer = pushed(world, made["pushUrl"], method=method, query=query)
        assert (answer.status, answer.json["ok"]) == (200, True)
        assert world.engine.pushes[-1] == (number, NOON, *expected)
    assert pushed(world, made["pushUrl"], query="?status=maybe").status == 400
    assert len(world.engine.pushes) == 4


def test_push_url_is_hidden_from_others(world: World) -> None:
    made = world.good("createSchedule", url="push://", granularity="minute")
    unknown = world.box.get("/push/" + "A" * 32)
    assert (unknown.status, unknown.json["error"]) == (404, "There is no monitor with this push URL")
    assert world.box.get("/push/" + made["scheduleId"]).status == 404
    assert "pushUrl" not in world.good("getSchedule", scheduleId=made["scheduleId"])
    world.good("pauseSchedule", scheduleId=made["scheduleId"])
    assert pushed(world, made["pushUrl"]).status == 200
    assert world.engine.pushes == []
    world.good("deleteSchedule", scheduleId=made["scheduleId"])
    assert pushed(world, made["pushUrl"]).status == 404


def test_another_url_puts_the_old_one_out_of_use(world: World) -> None:
    made = world.good("createSchedule", kind="push", granularity="minute", isPaused=True)
    new = world.good("rotatePushUrl", scheduleId=made["scheduleId"])["pushUrl"]
    assert new != made["pushUrl"]
    for _ in ("in memory", "after a restart"):
        assert pushed(world, made["pushUrl"]).status == 404
        assert pushed(world, new).status == 200
        world.reopen()
    assert world.run(made["scheduleId"]).is_paused
    assert [action for action, _ in world.audited()] == ["created", "rotated"]


def test_pushes_are_limited_by_ip_address(world: World) -> None:
    directory = world.box.box.settings.data_dir.parent / "limited"
    with whole_box(directory, adjust=lambda settings: replace(settings, limit_push=3)) as box:
        answers = [box.get("/push/nothing").status for _ in range(5)]
    assert answers == [404, 404, 404, 429, 429]
