"""What is known of monitors goes with them, with their website and with their organization, and nobody else's does.

Before that, while either can be restored, they rest.
"""

from functools import partial
from typing import Any

import pytest

from analytics_box.app.jobs import JOBS, run_job
from analytics_box.base.clock import DAY
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.lookup import known_monitor, monitor_numbers, without_monitor
from analytics_box.products.monitors.telling import monitors_for_alerts
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from tests.cases import each
from tests.products.alerts.world import World as Alarms
from tests.products.monitors.world import Now, World

TABLES = ("checks", "monitor_spans", "monitor_states", "transitions")


def filled(world: World, number: int) -> None:
    """Facts about a monitor."""

    def write(db: Any) -> None:
        for time in range(3):
            db.execute(
                "insert into checks (monitor, time, status, kind, http_code, count, redirects, attempt, streak, error,"
                " reason, region, address, url) values (?, ?, 1, 1, 200, 1, 0, 1, 0, 0, 0, 0, 0, 0)",
                (number, time),
            )
        db.execute("insert into monitor_spans (monitor, state, start, until) values (?, 1, 0, 0)", (number,))
        db.execute("insert into monitor_states (monitor, state) values (?, '{}')", (number,))
        db.execute("insert into transitions (monitor, time, what, detail) values (?, 1, 'down', '{}')", (number,))

    world.box.box.events.db.write_now(write)


def ask(db: Any, statement: str) -> list[Any]:
    found: list[Any] = db.execute(statement).fetchall()
    return found


def left(world: World) -> dict[int, list[int]]:
    """How many rows of TABLES are about each monitor."""
    db = world.box.box.events.db
    found: dict[int, list[int]] = {}
    for place, table in enumerate(TABLES):
        statement = f"select monitor, count(*) from {table} group by monitor"
        for number, count in db.read_now(partial(ask, statement=statement)):
            found.setdefault(int(str(number)), [0] * len(TABLES))[place] = int(str(count))
    return found


def job(world: World, name: str) -> None:
    world.box.run(run_job(next(job for job in JOBS if job.name == name), world.box.box))


WHOLE = [3, 1, 1, 1]


@pytest.fixture
def three(world: World) -> tuple[str, str, str]:
    """The monitor of a website, one of nothing in particular, and one of others; all have facts."""
    own = world.made("https://shop.example/", websiteId=world.box.sites["shop"], tags=["a"], headers={"A": "1"})
    loose = world.made("https://example.com/loose", parentId=own)
    answer = world.call("createSchedule", key="foreign", url="https://example.com/", granularity="day", tags=["b"])
    ids = (own, loose, answer.json["scheduleId"])
    for one in ids:
        filled(world, world.known(one).number)
    return ids


def test_a_deleted_monitor_takes_its_facts_along(world: World, three: tuple[str, str, str]) -> None:
    own, loose, theirs = (world.known(one).number for one in three)
    world.good("deleteSchedule", scheduleId=three[0])
    world.box.run(world.box.box.parts[Erasing].done())
    assert left(world) == {loose: WHOLE, theirs: WHOLE}
    assert world.box.box.box_db.read_now(lambda db: without_monitor(db, [own, loose, theirs])) == [own]
    world.good("bulk", scheduleIds=[three[1]], action="delete")
    world.box.run(world.box.box.parts[Erasing].done())
    assert left(world) == {theirs: WHOLE}


def test_a_monitor_rests_while_its_website_can_be_restored_and_goes_with_it(
    world: World, three: tuple[str, str, str]
) -> None:
    own, loose, theirs = (world.known(one).number for one in three)
    site = world.box.sites["shop"]
    assert world.box.post("/websites/delete", {"id": site}, key="all").status == 200
    job(world, "follow websites")
    assert world.run(three[0]).is_paused
    assert world.good("getSchedule", scheduleId=three[0])["schedulerStatus"] == "missing"
    assert world.box.post("/websites/restore", {"id": site}, key="all").status == 200
    job(world, "follow websites")
    assert not world.run(three[0]).is_paused
    world.box.post("/websites/delete", {"id": site}, key="all")
    world.box.clock.advance(seconds=8 * DAY / 1000)
    job(world, "purge websites")
    assert left(world) == {loose: WHOLE, theirs: WHOLE}
    assert world.rows("select number, website_id, parent_id from monitors order by number") == [
        (loose, None, None),
        (theirs, None, None),
    ]
    assert own not in world.engine.known
    assert world.run(three[1]).parent_id is None


def test_nothing_of_a_purged_organizations_monitors_is_left(world: World, three: tuple[str, str, str]) -> None:
    theirs = world.known(three[2]).number
    own_id, now = world.box.organization_id, world.box.clock.now()
    once = {"startsAt": "2027-01-01T00:00:00Z", "endsAt": "2027-01-02T00:00:00Z"}
    world.good("createMaintenance", name="A", covers={"all": True}, **once)
    assert len(world.box.box.box_db.read_now(lambda db: monitor_numbers(db, own_id))) == 2
    world.box.box.box_db.write_now(
        lambda db: db.execute("update organizations set deleted_at = ? where id = ?", (now, own_id)).fetchall()
    )
    world.box.box.parts[OrganizationDirectory].close(own_id)
    job(world, "follow websites")
    assert [world.run(one).is_paused for one in three] == [True, True, False]
    world.box.clock.advance(seconds=31 * DAY / 1000)
    job(world, "purge organizations")
    assert left(world) == {theirs: WHOLE}
    assert world.rows("select number from monitors") == [(theirs,)]
    assert world.rows("select tag from monitor_tags") == [("b",)]
    assert world.rows("select id from maintenance_windows") == []
    assert [*world.engine.known] == [theirs]
    assert len(world.monitors) == 1


def test_an_organization_that_is_forgotten_puts_none_of_its_monitors_to_work_again(
    world: World, three: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[str] = []
    monkeypatch.setattr(world.engine, "put", lambda monitor, _: put.append(monitor.id))
    world.monitors.forget_organization(world.box.organization_id)
    assert put == []
    assert [one.id for one in world.monitors.all()] == [three[2]]


@pytest.mark.parametrize("way", ["deleted", "with its website"])
def test_an_alert_of_a_monitor_that_is_gone_is_resolved(world: World, three: tuple[str, str, str], way: str) -> None:
    alarms = Alarms(world.box)
    pager, hook = alarms.pager(), alarms.channel()
    alarms.alarm(pager, hook)
    alarms.happens("down", three[0])
    assert world.rows("select subject from alarm_episodes") == [(f"monitor:{three[0]}",)]
    if way == "deleted":
        world.good("deleteSchedule", scheduleId=three[0])
    else:
        world.box.post("/websites/delete", {"id": world.box.sites["shop"]}, key="all")
        world.box.clock.advance(seconds=8 * DAY / 1000)
        job(world, "purge websites")
    assert world.rows("select subject from alarm_episodes") == []
    assert [action for _, action in alarms.actions(pager)] == ["trigger", "resolve"]
    assert [action for _, action in alarms.actions(hook)] == ["trigger"]


@each(
    ("own", "above", "rests"),
    [
        ("down", "up", False),
        ("down", "down", True),
        ("down", "verifying", True),
        ("verifying", "up", False),
        ("maintenance", "up", True),
        ("up", "up", True),
    ],
)
def test_child_of_a_failing_monitor_gets_no_reminders(
    world: World, three: tuple[str, str, str], own: State, above: State, rests: bool
) -> None:
    for monitor_id, state in ((three[1], own), (three[0], above)):
        world.engine.states[world.number(monitor_id)] = Now(state, 0)
    assert monitors_for_alerts(world.monitors).rests(three[1]) == rests


@each(("state", "is_down"), [("up", False), ("down", True), ("maintenance", True), ("paused", False)])
def test_traffic_of_a_website_is_judged_only_while_it_is_there(
    world: World, three: tuple[str, str, str], state: State, is_down: bool
) -> None:
    world.engine.states[world.number(three[0])] = Now(state, 0)
    assert monitors_for_alerts(world.monitors).is_down(world.box.sites["shop"]) == is_down


def test_a_website_that_was_given_away_leaves_its_monitor_behind(world: World, three: tuple[str, str, str]) -> None:
    site, other = world.box.sites["shop"], world.box.foreign_organization_id
    world.box.box.box_db.write_now(
        lambda db: db.execute("update websites set organization_id = ? where id = ?", (other, site)).fetchall()
    )
    world.reopen()
    shown = world.good("getSchedule", scheduleId=three[0])
    assert (shown["websiteId"], shown["website"]) == (site, None)
    assert world.call("getScheduleByWebsiteId", key="foreign", websiteId=site).json is None
    made = world.call("createSchedule", key="foreign", url="https://shop.example/", granularity="day", websiteId=site)
    assert made.status == 200, made.body
    for _ in ("in memory", "after a restart"):
        assert world.known(three[0]).website_id is None
        assert world.known(made.json["scheduleId"]).website_id == site
        world.reopen()


def test_an_id_is_looked_up_for_those_who_ask_about_checks(world: World, three: tuple[str, str, str]) -> None:
    db = world.box.box.box_db
    own = world.known(three[0])
    found = db.read_now(lambda one: known_monitor(one, three[0]))
    assert found == (own.number, world.box.organization_id, world.box.sites["shop"])
    assert db.read_now(lambda one: known_monitor(one, "nothere1")) is None
