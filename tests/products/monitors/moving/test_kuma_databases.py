"""Databases of Uptime Kuma: what becomes of monitors, maintenance and heartbeats, and files that do harm."""

import json
import random
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.uptime import DOWN, UNKNOWN, UP, UptimeSpan, uptime
from analytics_box.base.file_queue import FileTooSlow
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.moving.kuma_database import read_kuma_database
from tests.inprocess import NOON
from tests.products.monitors.moving import kuma_files
from tests.products.monitors.world import PageWorld, World

FIRST = round((kuma_files.LAST - timedelta(days=kuma_files.DAYS_BEFORE)).timestamp() * 1000)
LAST, OUTAGE = (round(at.timestamp() * 1000) for at in (kuma_files.LAST, kuma_files.OUTAGE))


def made(folder: Path, form: str) -> Path:
    if form == "dump":
        return kuma_files.mariadb_dump(folder / "kuma.sql")
    return kuma_files.sqlite_file(folder / "kuma.db", int(form))


def imported(world: World, path: Path, **given: Any) -> Any:
    return world.good("import", content=json.dumps(read_kuma_database(path)), **given)


def events(world: World, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    box = world.box.box
    return box.events.db.read_now(lambda db: db.execute(statement, values).fetchall())


def number(world: World, name: str) -> int:
    return next(one.number for one in world.monitors.of(world.box.organization_id) if one.name == name)


@pytest.mark.parametrize("form", ["1", "2", "dump"])
def test_database_has_monitors_maintenance_and_history(world: World, tmp_path: Path, form: str) -> None:
    path = made(tmp_path, form)
    before = path.read_bytes()
    dry = imported(world, path, dryRun=True)
    assert world.good("listSchedules") == []
    shown = imported(world, path)
    assert path.read_bytes() == before
    assert [one["notes"] for one in shown["monitors"]] == [one["notes"] for one in dry["monitors"]]
    found = {one["name"]: one for one in shown["monitors"]}
    assert {name: one["status"] for name, one in found.items()} == {
        "Shop": "created",
        "Backup": "created",
        "Database": "created",
        "Queue": "failed",
    }
    assert found["Shop"]["notes"] == ["History: 41 days, 1 outage"]  # and nothing about defaults
    shop = next(one for one in world.monitors.of(world.box.organization_id) if one.name == "Shop")
    assert (shop.group, shop.tags, shop.interval, shop.failures_to_down) == ("Web", ("region:eu",), 300, 2)
    windows = {one["name"]: one for one in world.good("listMaintenances")}
    assert sorted(windows) == ["Month end (day 1)", "Month end (last day)", "Weekly updates"]
    weekly = windows["Weekly updates"]
    assert weekly["covers"] == {"monitorIds": [shop.id]}
    assert {name: weekly["repeat"][name] for name in ("every", "time", "minutes", "zone", "weekdays")} == {
        "every": "week", "time": "02:00", "minutes": 120, "zone": "Europe/Berlin", "weekdays": [3, 7]
    }  # fmt: skip
    assert windows["Month end (last day)"]["repeat"]["day"] == -1
    assert shown["notes"] == [
        "The file also has 1 status page. Import the monitors first, then the file on the page Status pages.",
        "Maintenance By hand is not imported: the strategy manual is not supported.",
        "Notification On call: no matching telegram channel. Add one, then import the file again.",
    ]


@pytest.mark.parametrize("form", ["1", "2", "dump"])
def test_heartbeats_become_spans_and_figures_of_days(world: World, tmp_path: Path, form: str) -> None:
    imported(world, made(tmp_path, form))
    shop = number(world, "Shop")
    spans = [
        UptimeSpan(*row)
        for row in events(world, "select state, start, until from monitor_spans where monitor = ? order by start", shop)
    ]
    off = LAST - 5 * DAY
    assert spans == [
        UptimeSpan(UP, FIRST, OUTAGE),
        UptimeSpan(DOWN, OUTAGE, OUTAGE + 30 * MINUTE),
        UptimeSpan(UP, OUTAGE + 30 * MINUTE, off + 5 * MINUTE),
        UptimeSpan(UNKNOWN, off + 5 * MINUTE, off + 2 * HOUR),
        UptimeSpan(UP, off + 2 * HOUR, LAST + 5 * MINUTE),
        UptimeSpan(UNKNOWN, LAST + 5 * MINUTE, NOON),
    ]
    told = [beat for beat in kuma_files.beats() if beat["status"] in {0, 1}]
    passed = [beat["ping"] for beat in told if beat["status"] == 1]
    ((count, up, total, fastest, slowest),) = events(
        world,
        "select sum(count), sum(iif(status = 1, count, 0)), sum(total), min(fastest), max(slowest) from checks "
        "where monitor = ?",
        shop,
    )
    assert (count, up) == (len(told), len(passed))
    assert (total, fastest, slowest) == (1000 * sum(passed), 1000 * min(passed), 1000 * max(passed))
    found = uptime(spans, FIRST, LAST, NOON)
    assert found.down == 30 * MINUTE
    days = events(world, "select distinct time / ?, time % ? from checks where monitor = ?", DAY, DAY, shop)
    assert (len(days), {within for _day, within in days}) == (41, {DAY // 2})


def test_days_without_heartbeats_have_the_figures_of_version_2(world: World, tmp_path: Path) -> None:
    imported(world, made(tmp_path, "2"))
    database = number(world, "Database")
    rows = events(
        world, "select status, sum(count), sum(total) from checks where monitor = ? group by status", database
    )
    assert rows == [(0, 8, None), (1, 99 * 288 + 280, 12_500 * (99 * 288 + 280))]
    spans = events(world, "select state, until - start from monitor_spans where monitor = ? order by start", database)
    assert [state for state, _lasted in spans] == [UP, UNKNOWN, UP, UNKNOWN]
    assert spans[1][1] == DAY  # when on this day it was down is not known


def test_importing_a_database_twice_imports_its_history_once(world: World, tmp_path: Path) -> None:
    path = made(tmp_path, "2")
    imported(world, path)
    statement = "select (select count(*) from checks), (select count(*) from monitor_spans)"
    before = events(world, statement)
    again = imported(world, path)
    assert (again["created"], again["existing"]) == (0, 3)
    assert events(world, statement) == before


def test_history_is_added_to_monitors_that_were_imported_without_it(world: World, tmp_path: Path) -> None:
    content = read_kuma_database(made(tmp_path, "1"))
    without = [{name: value for name, value in one.items() if name != "history"} for one in content["monitorList"]]
    world.good("import", content=json.dumps(content | {"monitorList": without}))
    assert events(world, "select count(*) from checks") == [(0,)]
    world.good("import", content=json.dumps(content))
    assert events(world, "select count(*) from monitor_spans") == [(6,)]


def test_history_goes_with_its_monitor(world: World, tmp_path: Path) -> None:
    shown = imported(world, made(tmp_path, "2"))
    for one in shown["monitors"]:
        if one["scheduleId"]:
            world.good("deleteSchedule", scheduleId=one["scheduleId"])
    world.box.run(world.box.box.parts[Erasing].done())
    assert events(world, "select (select count(*) from checks), (select count(*) from monitor_spans)") == [(0, 0)]


def test_database_is_uploaded_on_the_page(pages: PageWorld, tmp_path: Path) -> None:
    shown = pages.uploaded("/monitors/moving/try", made(tmp_path, "2").read_bytes())
    assert shown.status == 200
    assert b"History: 41 days, 1 outage" in shown.body
    assert not list(pages.box.box.settings.data_dir.glob("upload-*"))


def test_triggers_views_and_virtual_tables_of_a_database_are_not_used(tmp_path: Path) -> None:
    path = made(tmp_path, "1")
    with sqlite3.connect(path) as db:
        db.executescript(
            "alter table tag rename to old_tag;"
            "create view tag as select writefile('/tmp/x', 'a') as id, 1 as name;"
            "create virtual table proxy using fts5(id);"
        )
    db.close()
    found = read_kuma_database(path)
    assert [one["name"] for one in found["monitorList"]] == ["Web", "Shop", "Backup", "Database", "Queue"]
    assert found["proxyList"] == []


def test_slow_database_is_given_up(tmp_path: Path) -> None:
    path, steps = made(tmp_path, "1"), iter(range(3))

    def keep_going() -> None:
        if next(steps, None) is None:
            raise FileTooSlow

    with pytest.raises(FileTooSlow):
        read_kuma_database(path, keep_going)


@pytest.mark.parametrize("form", ["1", "dump"])
def test_damaged_database_is_refused_or_read(tmp_path: Path, form: str) -> None:
    path = made(tmp_path, form)
    whole, draw = path.read_bytes(), random.Random(7)
    for _turn in range(30):
        content = bytearray(whole[: draw.randrange(100, len(whole))] if draw.random() < 0.5 else whole)
        for _byte in range(draw.randrange(20)):
            content[draw.randrange(16, len(content))] = draw.randrange(256)
        path.write_bytes(content)
        try:
            found: object = read_kuma_database(path)
        except BadRequest as refused:
            found = refused
        assert isinstance(found, dict | BadRequest)


def test_other_databases_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("create table people (id integer)")
    db.close()
    with pytest.raises(BadRequest, match="not from Uptime Kuma"):
        read_kuma_database(path)
