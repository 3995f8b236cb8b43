"""The demo's monitors: what they have found up to now, and the shop that they check."""

import http.client
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from analytics_box.app.box import open_box
from analytics_box.app.demo import fill as demo
from analytics_box.app.demo import shop
from analytics_box.base.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, UNKNOWN, UP, bin_of
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.sample_data.arrivals import DAYS
from tests.app.demo.asking import ask
from tests.app.demo.conftest import LATER, NOW, PORT
from tests.cases import each
from tests.inprocess import FixedClock, RunningBox

FIRST = (utc_day(NOW) - DAYS) * DAY
Started = tuple[Path, int]


def number_of(directory: Path, name: str) -> int:
    ((number,),) = ask(directory, "select number from monitors where name = ?", name, file=schema.BOX_FILE)
    return int(number)


@pytest.fixture(scope="module")
def box(twice: Started, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBox]:
    """The demo's box, a moment after its second start."""
    directory = tmp_path_factory.mktemp("open") / "demo"
    shutil.copytree(twice[0], directory)
    clock = FixedClock(LATER)
    clock.advance(seconds=2)
    running = RunningBox(open_box(Settings(data_dir=directory), clock), clock, {})
    running.run(running.box.engine.start(alone=False))
    try:
        yield running
    finally:
        running.run(running.box.engine.stop(1))
        running.close()


def test_monitors_have_groups_a_website_and_one_that_they_depend_on(twice: Started) -> None:
    made = ask(
        twice[0],
        'select one.name, one.kind, one."group", one.website_id is not null, above.name from monitors as one'
        " left join monitors as above on above.id = one.parent_id order by one.number",
        file=schema.BOX_FILE,
    )
    assert made == [
        ("Shop: server", "tcp", "Shop", 0, None),
        ("Shop: website", "http", "Shop", 1, "Shop: server"),
        ("Shop: API", "http", "Shop", 0, "Shop: server"),
        ("Nightly backup", "push", "Back office", 0, None),
    ]


def test_they_follow_their_shop_to_another_port(twice: Started) -> None:
    urls = ask(twice[0], "select url from monitors where kind <> 'push' order by number", file=schema.BOX_FILE)
    host = f"127.0.0.1:{PORT}"
    assert urls == [(f"tcp://{host}",), (f"http://{host}/",), (f"http://{host}/api/health",)]
    assert demo.shop_port(twice[0]) == PORT


def test_the_alarm_of_the_demo_is_switched_off(twice: Started) -> None:
    assert ask(twice[0], "select enabled from alarms", file=schema.BOX_FILE) == [(0,)]
    assert ask(twice[0], "select count(*) from transitions where told = 0") == [(0,)]


@each(
    ("name", "states"),
    [
        ("Shop: server", {UP, DOWN, UNKNOWN, MAINTENANCE}),
        ("Shop: API", {UP, DEGRADED, DOWN, UNKNOWN, MAINTENANCE}),
        ("Nightly backup", {UP, DOWN, UNKNOWN}),
    ],
)
def test_a_timeline_goes_without_a_gap_from_the_first_day_to_now(twice: Started, name: str, states: set[int]) -> None:
    spans = ask(
        twice[0],
        "select state, start, until from monitor_spans where monitor = ? order by start",
        number_of(twice[0], name),
    )
    assert spans[0][1] == FIRST
    assert spans[-1][0] == UP
    assert spans[-1][2] == 0
    assert all(before[2] == after[1] and before[0] != after[0] for before, after in pairwise(spans))
    assert {state for state, _, _ in spans} == states


def test_checks_of_the_last_days_are_five_minutes_apart_over_a_second_start(twice: Started) -> None:
    found = ask(
        twice[0],
        "select time from checks where monitor = ? and time >= ? order by time",
        number_of(twice[0], "Shop: website"),
        LATER - 9 * DAY,
    )
    assert {after - before for (before,), (after,) in pairwise(found)} == {5 * MINUTE}
    assert LATER - 5 * MINUTE <= found[-1][0] < LATER


def test_older_checks_are_together_by_hour(twice: Started) -> None:
    alone = (utc_day(NOW) - 30) * DAY
    found = ask(
        twice[0],
        "select time, count, total, fastest, slowest, bin, error from checks where monitor = ? and time < ?",
        number_of(twice[0], "Shop: API"),
        alone,
    )
    checks = sum(count for _, count, *_ in found)
    assert checks == 60 * DAY // (5 * MINUTE)
    assert len(found) < checks / 2
    assert all(time % HOUR == 0 and error == 0 for time, *_, error in found)
    assert all(
        total == count * fastest and bin_of(slowest) == bin_ for _, count, total, fastest, slowest, bin_, _ in found
    )


def test_a_check_fails_in_an_outage_and_nowhere_else(twice: Started) -> None:
    ((inside, outside),) = ask(
        twice[0],
        "select sum(down), sum(1 - down) from (select exists (select 1 from monitor_spans as span"
        " where span.monitor = checks.monitor and state = ? and start <= time and until > time) as down"
        " from checks where status = 0 and time >= ?)",
        DOWN,
        (utc_day(NOW) - 30) * DAY,
    )
    assert (inside, outside) == (26, 0)  # three monitors for forty minutes, and one backup


def test_the_box_goes_on_from_there_as_if_it_had_watched(box: RunningBox) -> None:
    known = box.box.parts[Monitors]
    assert [live.state for one in known.all() if (live := known.state_of(one))] == ["up"] * 4
    spans = ask(box.box.settings.data_dir, "select count(*) from monitor_spans where start >= ?", LATER)
    assert spans == [(0,)]


@each(
    ("path", "words"),
    [
        ("/monitors", "Nightly backup"),
        ("/monitors/{api}?range=last_90d&wait=all", "Degraded"),
        ("/monitors/{backup}?range=last_90d&wait=all", "(grace period: 7\xa0d)"),
        ("/monitors/maintenance", "Server updates"),
        ("/alerts", "The shop is down"),
        ("/sites/{site}?range=last_30d&wait=all", "Outage"),
    ],
)
def test_pages_show_it(box: RunningBox, path: str, words: str) -> None:
    directory = box.box.settings.data_dir
    ((user,),) = ask(directory, "select id from users", file=schema.BOX_FILE)
    ((site,),) = ask(directory, "select id from websites", file=schema.BOX_FILE)
    monitors = ask(directory, "select id from monitors order by number", file=schema.BOX_FILE)
    (api,), (backup,) = monitors[2:]
    answer = box.get(path.format(site=site, api=api, backup=backup), cookie=box.sign_in(user), accept="text/html")
    assert answer.status == 200
    assert words in answer.body.decode()


@each(
    ("name", "panels"),
    [
        ("Shop: API", {"Status codes", "Failure reasons", "Response phases"}),
        ("Shop: server", {"Failure reasons", "Response phases"}),
        ("Nightly backup", {"Failure reasons"}),
    ],
)
def test_a_monitor_has_the_panels_of_its_kind(box: RunningBox, name: str, panels: set[str]) -> None:
    directory = box.box.settings.data_dir
    ((user,),) = ask(directory, "select id from users", file=schema.BOX_FILE)
    ((monitor,),) = ask(directory, "select id from monitors where name = ?", name, file=schema.BOX_FILE)
    body = box.get(f"/monitors/{monitor}", cookie=box.sign_in(user), accept="text/html").body.decode()
    assert {words for words in ("Status codes", "Failure reasons", "Response phases") if words in body} == panels


def test_edited_monitors_stay_and_custom_ones_are_unknown_while_the_demo_was_off(
    twice: Started, tmp_path: Path
) -> None:
    directory = tmp_path / "demo"
    shutil.copytree(twice[0], directory)
    api = number_of(directory, "Shop: API")
    ask(directory, "delete from monitors where kind = 'push'", file=schema.BOX_FILE)
    ask(directory, "update monitors set url = 'https://own.example/' where number = ?", api, file=schema.BOX_FILE)
    before = ask(directory, "select count(*) from checks where monitor = ?", api)
    demo.fill(directory, LATER + HOUR, port=PORT)
    assert ask(directory, "select count(*) from monitors", file=schema.BOX_FILE) == [(3,)]
    assert ask(directory, "select count(*) from checks where monitor = ?", api) == before
    last = ask(directory, "select state, start, until from monitor_spans where monitor = ? order by id desc", api)[:2]
    assert [last[0], last[1][::2]] == [(UNKNOWN, LATER, 0), (UP, LATER)]


def _get(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(shop.HOST, port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_shop_answers_and_gives_way_where_its_port_is_taken() -> None:
    with (
        shop.open_shop(0, taken=0) as port,
        shop.open_shop(port, taken=0) as other,
        shop.open_shop(port, taken=port) as third,
    ):
        assert len({port, other, third}) == 3
        status, body = _get(port, "/api/health")
        assert (status, b'"status":"ok"' in body) == (200, True)
        assert [_get(port, path)[0] for path in ("/", "/elsewhere")] == [200, 404]
    with shop.open_shop(port, taken=0) as again:
        assert again == port
