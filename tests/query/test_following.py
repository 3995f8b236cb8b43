"""The column replica has what events.db has, whatever happens to either."""

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import duckdb as library
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import schema
from analytics_box.query.engines import columns
from analytics_box.query.engines.columns import FILE_NAME
from analytics_box.query.engines.transfer import COPIED
from tests.examples import examples
from tests.query.facts_of_all_kinds import visit
from tests.query.replica import SITE, World, world_in


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as made:
        yield made


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
    table = chance.choice(
        [stored_table(name) if name in FACT_NAMES else name for name, _ in COPIED if name != "strings"]
    )
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
def test_replica_that_cannot_continue_is_rebuilt(world: World, harm: str, caplog: pytest.LogCaptureFixture) -> None:
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
    assert "Rebuilding the column replica" in caplog.text
    world.assert_same()
    assert world.engines.name == "duckdb"


def test_removed_rows_leave_the_file_within_a_day(world: World, caplog: pytest.LogCaptureFixture) -> None:
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


def test_the_status_says_what_is_there(world: World) -> None:
    world.visit()
    world.maintain()
    world.visit()
    status = world.runner.run(world.engines.status())
    assert (status.state, status.rows, status.behind) == ("ready", 26, 26)
    assert status.size > 0
    assert status.memory > 0


def test_a_table_without_rows_is_not_behind(world: World) -> None:
    world.maintain()
    status = world.runner.run(world.engines.status())
    assert (status.state, status.rows, status.behind) == ("ready", 0, 0)


def test_without_a_replica_its_file_goes_and_changes_are_not_kept(world: World) -> None:
    world.visit()
    world.maintain()
    world.close()
    world.given["columnar"] = "off"
    world.open()
    world.write("delete from stored_events where id = 1")
    world.maintain()
    world.maintain()  # the roll-ups have them by now
    assert not list(world.directory.glob(f"{FILE_NAME}*"))
    assert world.db.read_now(lambda db: db.execute("select count(*) from changes").fetchall()) == [(0,)]
