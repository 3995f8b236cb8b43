"""The column replica has what events.db has, whatever happens to either; and a query that it cannot answer harms no
other."""

import asyncio
import logging
import shutil
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import duckdb as library
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.clock import DAY
from analytics_box.errors import DeadlineExceeded, OverBudget
from analytics_box.facts.layout import stored
from analytics_box.facts.tables import FACT_NAMES
from analytics_box.facts.uptime import DOWN, UP
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.monitors.monitor import Monitor
from analytics_box.monitors.result import Result
from analytics_box.monitors.running import rows as check_rows
from analytics_box.monitors.running.rows import Check
from analytics_box.monitors.running.spans import Stroke
from analytics_box.query import engines as choice
from analytics_box.query.engines import Engines, columns, duckdb, memory, sqlite
from analytics_box.query.engines.columns import FILE_NAME
from analytics_box.query.engines.counting import Take
from analytics_box.query.engines.transfer import COPIED
from analytics_box.query.filters import Condition, Group
from analytics_box.query.plan import Order, Plan
from analytics_box.store import schema
from analytics_box.store.db import Connection, Db
from analytics_box.store.migrations import migrate
from analytics_box.store.strings import Strings
from tests.examples import examples
from tests.inprocess import FixedClock
from tests.query.facts_of_all_kinds import visit

SITE = 1


class World:
    """An events.db with its replica; `directory` may be used again."""

    def __init__(self, directory: Path, **given: Any) -> None:
        self.directory = directory
        self.given = {"columnar": "on"} | given
        self.clock = FixedClock()
        self.runner = asyncio.Runner()
        migrate(directory)
        self.open()

    def open(self) -> None:
        self.db = Db(self.directory / schema.EVENTS_FILE, readers=2, durability="normal")
        self.strings = Strings()
        live = LiveSessions()
        self.db.attach(self.strings, live)
        self.ledger = Ledger(self.strings, live)
        self.engines = Engines(self.db, self.clock, **self.given)

    def close(self) -> None:
        self.db.close()
        self.engines.close()

    def reopen(self) -> None:
        self.close()
        self.open()

    def visit(self) -> None:
        """Facts of every kind arrive."""
        self.clock.advance(seconds=1)
        facts = visit(SITE, self.clock.now())
        self.db.write_now(lambda db: self.ledger.append(db, facts))
        self.db.write_now(self._check)

    def _check(self, db: Connection) -> None:
        """Two checks of a monitor, which was up and is down, or the other way round."""
        now = self.clock.now()
        monitor = Monitor(number=1, id="monitor", organization_id="organization", url="https://example.com/")
        for number, result in enumerate(
            (
                Result(at=now, outcome="pass", total=1_000, ttfb=900, http_code=200, data='{"a": "b, c"}'),
                Result(at=now, outcome="fail", reason="dns", error="No such name"),
            )
        ):
            check_rows.append(db, self.strings, [Check(monitor, result, 1 - number, 1, number)])
        check_rows.paint(db, [Stroke(1, now, UP if now // 1000 % 2 else DOWN)])

    def write(self, sql: str, *values: Any) -> None:
        def work(db: Connection) -> None:
            db.execute(sql, values)

        self.db.write_now(work)

    def maintain(self) -> None:
        self.runner.run(self.engines.maintain())

    def views(self) -> int:
        """What a query answers."""
        plan = Plan("events", (SITE,), 0, 2 * self.clock.now(), measures=("pageviews",))
        ((found,),) = self.runner.run(self.engines.rows(plan, seconds=30))
        return int(found)

    def ledger_rows(self) -> dict[str, list[tuple[Any, ...]]]:
        def work(db: Connection) -> dict[str, list[tuple[Any, ...]]]:
            return {name: db.execute(f"select * from {name} order by id").fetchall() for name, _ in COPIED} | {
                "event_properties": db.execute(
                    "select events.id, key from events, json_each(properties) where type <> 'null' order by 1, 2"
                ).fetchall()
            }

        return self.db.read_now(work)

    def replica_rows(self) -> dict[str, list[tuple[Any, ...]]]:
        replica = self.engines._replica
        assert replica is not None
        cursor = replica.connection.cursor()
        return {name: cursor.execute(f"select * from {name} order by id").fetchall() for name, _ in COPIED} | {
            "event_properties": cursor.execute("select event, key from event_properties order by 1, 2").fetchall()
        }

    def assert_same(self) -> None:
        assert self.replica_rows() == self.ledger_rows()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def test_a_question_waits_a_moment_for_a_replica_that_is_being_opened(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.visit()
    world.maintain()
    views = world.views()
    world.reopen()
    by_sqlite: list[Plan] = []
    run = sqlite.run

    def noted(db: Connection, plan: Plan, take: Take, **given: Any) -> Any:
        by_sqlite.append(plan)
        return run(db, plan, take, **given)

    monkeypatch.setattr(sqlite, "run", noted)
    opening, may_open = threading.Event(), threading.Event()
    opened = columns.open_replica

    def open_late(*given: Any, **more: Any) -> Any:
        opening.set()
        assert may_open.wait(30)
        return opened(*given, **more)

    monkeypatch.setattr(columns, "open_replica", open_late)
    plan = Plan("events", (SITE,), 0, 2 * world.clock.now(), measures=("pageviews",))

    async def ask_meanwhile(seconds: float) -> Any:
        asking = asyncio.ensure_future(world.engines.rows(plan, seconds=30))
        await asyncio.to_thread(opening.wait, 30)
        await asyncio.wait((asking,), timeout=seconds)
        may_open.set()
        await world.engines.maintain()
        return await asking

    assert world.runner.run(ask_meanwhile(0)) == [(views,)]
    assert not by_sqlite
    world.reopen()
    may_open.clear()
    monkeypatch.setattr(choice, "_COMING_SECONDS", 0)
    assert world.runner.run(ask_meanwhile(30)) == [(views,)]
    assert by_sqlite


def test_the_replica_has_all_rows_and_follows_before_each_answer(world: World) -> None:
    world.visit()
    world.maintain()
    assert world.engines.name == "duckdb"
    world.assert_same()
    world.visit()
    assert world.views() == 6, "an acknowledged event is in the next answer"
    world.assert_same()


def test_an_answer_does_not_wait_for_what_comes_after_its_question(world: World) -> None:
    world.visit()
    world.maintain()
    world.visit()
    read = world.db.read

    async def read_while_events_come(*given: Any, **more: Any) -> Any:
        found = await read(*given, **more)
        await world.db.write(lambda db: world.ledger.append(db, visit(SITE, world.clock.now())))
        return found

    world.db.read = read_while_events_come  # type: ignore[method-assign]  # the real one, with something that happens meanwhile
    assert world.views() == 6


def test_many_conditions_on_people_are_for_sqlite(world: World) -> None:
    world.visit()
    world.maintain()
    nobody = Condition("person", "contains", ("a",), negated=True)
    few, many = (nobody,) * 4, (nobody, Group(any=True, items=(nobody,) * 4))
    for where, mark, engine in ((few, "$start", "duckdb"), (many, ":start", "sqlite")):
        plan = Plan("events", (SITE,), 0, 2 * world.clock.now(), measures=("pageviews",), where=where)
        assert mark in world.engines.statement(plan).sql
        assert world.engines.engine_of(plan) == engine
        assert world.runner.run(world.engines.rows(plan, seconds=30)) == [(world.views(),)]


def test_until_it_is_ready_sqlite_answers(world: World) -> None:
    world.visit()
    assert world.engines.name == "sqlite"
    assert world.views() == 3
    assert not (world.directory / FILE_NAME).exists()


OPERATIONS = ("visit", "remove", "remove newest", "remove all", "link", "tend", "ask", "reopen", "crash", "forget")


@given(seed=st.integers(0, 10**6), plan=st.lists(st.sampled_from(OPERATIONS), max_size=10), piece=st.integers(1, 9))
@examples(12, anew=True, unchecked=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_the_replica_ends_where_the_ledger_is(
    seed: int, plan: list[str], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "PIECE", piece)
    chance = Random(seed)
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        try:
            world.visit()
            for step in plan:
                _do(world, step, chance)
            world.maintain()
            world.assert_same()
            assert world.engines.name == "duckdb"
        finally:
            world.close()


def _do(world: World, step: str, chance: Random) -> None:
    table = chance.choice([stored(name) if name in FACT_NAMES else name for name, _ in COPIED if name != "strings"])
    match step:
        case "visit":
            world.visit()
        case "remove":
            world.write(f"delete from {table} where id % 3 = ?", chance.randrange(3))
        case "remove newest":  # its id comes again
            world.write(f"delete from {table} where id > (select max(id) from {table}) - ?", chance.randrange(4))
        case "remove all":
            world.write(f"delete from {table}")
        case "link":
            world.write(
                "insert into visitor_profiles (site, visitor, time, profile) values (1, ?, ?, ?)"
                " on conflict (site, visitor, time) do update set profile = excluded.profile",
                *(chance.randrange(3) for _ in range(3)),
            )
        case "tend":
            world.maintain()
        case "ask":
            world.views()
        case "reopen":
            world.reopen()
        case "crash":  # the replica's files as they are at some moment, without being closed
            left = {path.name: path.read_bytes() for path in world.directory.glob(f"{FILE_NAME}*")}
            world.visit()
            world.maintain()
            world.close()
            columns.forget_replica(world.directory / FILE_NAME)
            for name, content in left.items():
                (world.directory / name).write_bytes(content)
            world.open()
        case "forget":  # without a replica nobody waits for changes
            world.given["columnar"] = "off"
            world.reopen()
            world.maintain()
            world.given["columnar"] = "on"
            world.reopen()


def test_ids_come_again_beside_one_that_went_long_before(world: World) -> None:
    world.visit()
    newest = "(select max(id) from stored_events)"
    world.write(f"delete from stored_events where id = {newest} - 1")
    world.maintain()
    world.write(f"delete from stored_events where id = {newest}")  # now two ids are free
    world.visit()
    world.maintain()
    world.assert_same()


@pytest.mark.parametrize(
    "harm",
    [
        "nonsense",
        "cut short",
        "another shape",
        "changes were missed",
        "an older ledger",
        "it is ahead",
    ],
)
def test_a_replica_that_cannot_go_on_is_made_anew(world: World, harm: str, caplog: pytest.LogCaptureFixture) -> None:
    path = world.directory / FILE_NAME
    world.visit()
    world.close()
    older = Path(shutil.copy(world.directory / schema.EVENTS_FILE, world.directory / "older"))
    world.open()
    world.visit()
    world.maintain()
    world.close()
    if harm == "nonsense":
        path.write_bytes(b"nonsense" * 10_000)
    elif harm == "cut short":
        path.write_bytes(path.read_bytes()[:20_000])
    elif harm == "another shape":
        with library.connect(str(path)) as other:
            other.execute("update replica set shape = 'other'")
    elif harm in {"an older ledger", "it is ahead"}:
        for file in world.directory.glob("events.db*"):
            file.unlink()
        shutil.move(older, world.directory / schema.EVENTS_FILE)
    world.open()
    if harm == "changes were missed":
        world.write("delete from stored_events where id = 1")
        world.write("delete from stored_events where id = 2")
        world.write("delete from changes where id < (select max(id) from changes)")
    if harm == "an older ledger":
        for _ in range(3):
            world.visit()
    with caplog.at_level(logging.INFO):
        world.maintain()
    assert "is rebuilt" in caplog.text
    world.assert_same()
    assert world.engines.name == "duckdb"


def test_auto_waits_until_there_are_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "MANY", 30)
    world = World(tmp_path, columnar="auto")
    try:
        world.visit()
        world.maintain()
        assert (world.engines.name, world.runner.run(world.engines.status()).state) == ("sqlite", "off")
        world.visit()
        world.maintain()
        assert (world.engines.name, world.runner.run(world.engines.status()).state) == ("duckdb", "ready")
    finally:
        world.close()


def test_without_a_replica_its_file_goes_and_changes_are_not_kept(world: World) -> None:
    world.visit()
    world.maintain()
    world.close()
    world.given["columnar"] = "off"
    world.open()
    world.write("delete from stored_events where id = 1")
    world.maintain()
    assert not list(world.directory.glob(f"{FILE_NAME}*"))
    assert world.db.read_now(lambda db: db.execute("select count(*) from changes").fetchall()) == [(0,)]


def test_the_status_says_what_is_there(world: World) -> None:
    world.visit()
    world.maintain()
    world.visit()
    status = world.runner.run(world.engines.status())
    assert (status.state, status.rows, status.behind) == ("ready", 20, 20)
    assert status.size > 0
    assert status.memory > 0


def test_a_table_without_rows_is_not_behind(world: World) -> None:
    world.maintain()
    status = world.runner.run(world.engines.status())
    assert (status.state, status.rows, status.behind) == ("ready", 0, 0)


def test_what_was_removed_leaves_the_file_within_a_day(world: World, caplog: pytest.LogCaptureFixture) -> None:
    secret = "the name of somebody"
    world.db.write_now(lambda db: world.strings.number(db, secret))
    world.maintain()
    world.write("delete from strings where value = ?", secret)
    world.maintain()
    world.clock.advance(seconds=DAY / 1000)
    with caplog.at_level(logging.INFO):
        world.maintain()
    assert "so that removed events leave its file" in caplog.text
    world.assert_same()
    world.close()
    assert secret.encode() not in (world.directory / FILE_NAME).read_bytes()
    world.open()


def test_a_replica_that_fails_is_left_out_and_made_anew(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world.visit()
    world.maintain()

    def broken(*_: Any, **__: Any) -> None:
        raise library.IOException("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(duckdb, "run", broken)
        assert world.views() == 3
    assert "the disk is gone" in caplog.text
    assert world.engines.name == "sqlite"
    world.clock.advance(seconds=30)
    world.maintain()
    assert world.engines.name == "duckdb"
    assert world.views() == 3


# A plan that takes memory and time: a group of each of many visitors.
HEAVY = Plan(
    "events",
    (SITE,),
    0,
    2**53,
    measures=("pageviews", "unique_sessions", "unique_pages"),
    group=("visitor", "path"),
    order=(Order("pageviews"),),
)


def crowd(world: World, rows: int) -> None:
    """Many rows in the replica alone."""
    replica = world.engines._replica
    assert replica is not None
    (found,) = replica.connection.execute("select * from events limit 1").fetchall()
    names = [column[0] for column in replica.connection.description or ()]
    values = {**dict(zip(names, found, strict=True)), "properties": None}
    own = {"id": "i + 1000", "visitor": "hash(i) // 4", "session": "hash(i + 1) // 4", "path": "i % 1000"}
    shown = ", ".join(own.get(name, "null" if value is None else str(value)) for name, value in values.items())
    replica.connection.execute(f"insert into events select {shown} from range({rows}) as t(i)")


def test_a_query_over_its_budget_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_SPILLED", "1MB")
    world = World(tmp_path, memory="16MB")
    try:
        world.visit()
        world.maintain()
        crowd(world, 400_000)
        with pytest.raises(OverBudget, match="more memory"):
            world.runner.run(world.engines.rows(HEAVY, seconds=60))
        assert world.engines.name == "duckdb"
        assert world.views() > 400_000
    finally:
        world.close()


def test_a_query_past_its_deadline_fails_alone(world: World) -> None:
    world.visit()
    world.maintain()
    crowd(world, 400_000)
    with pytest.raises(DeadlineExceeded):
        world.runner.run(world.engines.rows(HEAVY, seconds=0.001))
    assert world.engines.name == "duckdb"
    assert world.views() > 400_000


def test_a_query_that_nobody_waits_for_stops(world: World) -> None:
    world.visit()
    world.maintain()
    crowd(world, 400_000)

    async def ask_and_leave() -> None:
        asking = asyncio.create_task(world.engines.rows(HEAVY, seconds=60))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    world.runner.run(ask_and_leave())
    assert world.views() > 400_000


def test_a_replica_that_cannot_be_made_is_tried_less_and_less_often(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[float] = []

    def fail(*_: Any, **__: Any) -> None:
        tries.append(world.clock.monotonic())
        raise library.IOException("Could not write file: No space left on device\nmore")

    world.visit()
    with monkeypatch.context() as patch:
        patch.setattr(columns, "open_replica", fail)
        for _ in range(2_000):
            world.maintain()
            world.clock.advance(seconds=5)
        assert world.views() == 3
    waits = [later - earlier for earlier, later in pairwise(tries)]
    assert waits == [30, 60, 120, 240, 480, 960, 1_920, 3_600]
    assert [record.levelname for record in caplog.records].count("ERROR") == len(tries)
    assert "No space left on device): SQLite answers, and it is rebuilt in 30 seconds" in caplog.text
    assert "Traceback" not in caplog.text
    world.clock.advance(seconds=3_600)
    world.maintain()
    assert world.engines.name == "duckdb"


def test_a_replica_that_the_disk_has_no_room_for_is_not_begun(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world.visit()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=50 << 20))
        world.maintain()
    assert world.engines.name == "sqlite"
    assert "it may take 64 MB, and 50 MB are free" in caplog.text
    assert not list(world.directory.glob(f"{FILE_NAME}*"))
    world.clock.advance(seconds=30)
    world.maintain()
    assert world.engines.name == "duckdb"


def group(system: Path, lines: str, **limits_of: str) -> Path:
    """A file system that says so of its control groups."""
    (system / "proc/self").mkdir(parents=True)
    (system / "proc/self/cgroup").write_text(lines)
    for name, text in limits_of.items():
        file = system / "sys/fs/cgroup" / name.replace("__", "/").replace("DOT", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return system


@pytest.mark.parametrize(
    ("lines", "files", "limit"),
    [
        ("0::/\n", {"memoryDOTmax": "250000000"}, 250_000_000),
        ("0::/\n", {"memoryDOTmax": "max"}, None),
        ("0::/a/b\n", {"a__memoryDOTmax": "300000000", "a__b__memoryDOTmax": "max"}, 300_000_000),
        ("4:memory:/box\n0::/\n", {"memory__box__memoryDOTlimit_in_bytes": "400000000"}, 400_000_000),
        ("4:memory:/box\n", {"memory__memoryDOTlimit_in_bytes": "500000000"}, 500_000_000),
        ("4:memory:/\n", {"memory__memoryDOTlimit_in_bytes": "9223372036854771712"}, None),
        ("0::/gone\n", {}, None),
    ],
)
def test_the_limit_of_a_container_is_found(
    tmp_path: Path, lines: str, files: dict[str, str], limit: int | None
) -> None:
    assert memory.limit(group(tmp_path, lines, **files)) == limit


def test_without_control_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert memory.limit(tmp_path) is None


@pytest.mark.parametrize(
    ("wanted", "limit", "given"),
    [
        ("256MB", None, "256MB"),
        ("256MB", 8_000_000_000, "256MB"),
        ("2GB", 1_000_000_000, "404MB"),
        ("256MB", 512_000_000, "160MB"),
        ("256MB", 250_000_000, "64MB"),
        ("32MB", 250_000_000, "32MB"),
    ],
)
def test_queries_take_no_more_memory_than_the_container_has(wanted: str, limit: int | None, given: str) -> None:
    assert memory.capped(wanted, limit) == given


@pytest.mark.parametrize(
    ("columnar", "limit", "name"),
    [("auto", 250_000_000, "sqlite"), ("on", 250_000_000, "duckdb"), ("auto", 500_000_000, "duckdb")],
)
def test_in_a_small_container_there_is_a_replica_only_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columnar: str, limit: int, name: str
) -> None:
    monkeypatch.setattr(choice, "MANY", 1)
    monkeypatch.setattr(memory, "limit", lambda: limit)
    world = World(tmp_path, columnar=columnar)
    try:
        world.visit()
        world.maintain()
        assert world.engines.name == name
    finally:
        world.close()
