"""The primary is lost, and another machine goes on in its place with files that are some seconds older."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from analytics_box.app import jobs
from analytics_box.app.cli.main import main
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.settings import SettingsError
from analytics_box.base.store.schema import EVENTS_FILE
from analytics_box.base.store.seal import KEY_FILE
from analytics_box.ingest.cluster.messages import RemovalOrder
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.cluster.which import promote
from analytics_box.query.engines.clickhouse import tables
from analytics_box.tenants.websites.change import create
from analytics_box.tenants.websites.rules import Website
from tests.ingest.cluster.world import Shipped, World, cluster
from tests.inprocess import WholeBox
from tests.query.clickhouse.served import Served, needs_chdb

OLDER = "The primary has an older box.db than this machine. Stop it, and run analytics-box promote there"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with cluster(tmp_path) as made:
        made.pull()
        yield made


@pytest.fixture
def shared(tmp_path: Path, shipped: Shipped) -> Iterator[World]:
    """With a ClickHouse in which all events are."""
    with shipped.copied(tmp_path) as made:
        for node in made.nodes:
            assert node.track(made.primary.sites["shop"]) == 200
        made.ship()
        yield made


def make_website(world: World, domain: str) -> Website:
    box = world.primary
    by = By("test", box.clock.now())
    made = box.box.box_db.write_now(
        lambda db: create(db, organization_id=box.organization_id, name=domain, domain=domain, by=by)
    )
    box.reopen()
    return made


def fail_over(world: World, replica: Path) -> WholeBox:
    """The primary of before; another one has the files of the replica."""
    lost = world.primary
    promote(replica, world.clock.now())
    world.stand_by(replica)
    return lost


def view(world: World, website: Website) -> int:
    sent = {"websiteId": website.id, "name": "screen_view", "path": f"https://{website.domain}/"}
    return world.nodes[0].post("/track", sent, origin=f"https://{website.domain}").status


def test_machines_follow_files_that_are_older_than_what_they_know(world: World) -> None:
    replica, shop = world.replicated(), world.primary.sites["shop"]
    world.primary.box.box_db.write_now(lambda db: db.execute("update api_keys set enabled = 0"))
    world.pull()
    sent, key = {"websiteId": shop, "name": "bought"}, world.primary.keys["tracking"]
    assert world.nodes[0].post("/track", sent, x_api_key=key).status == 401
    fail_over(world, replica)
    world.pull()
    for node in world.nodes:
        assert node.post("/track", sent, x_api_key=key).status == 200


def test_the_number_of_a_website_that_was_lost_is_given_to_no_other(world: World) -> None:
    replica = world.replicated()
    lost = make_website(world, "lost.test")
    world.pull()
    assert view(world, lost) == 200
    fail_over(world, replica)
    other = make_website(world, "other.test")
    world.pull()
    assert other.site > lost.site
    assert view(world, other) == 200
    assert view(world, lost) == 404
    assert sorted(world.nodes[0].rows("select site from events")) == [lost.site, other.site], "nothing was removed"


def test_files_from_another_machine_need_to_be_promoted_before_they_are_used(world: World) -> None:
    replica = world.replicated()
    with pytest.raises(SettingsError, match=r"files of a primary from another machine.*analytics-box promote"):
        world.stand_by(replica)
    promote(replica, world.clock.now())
    world.stand_by(replica)
    world.pull()


def test_older_files_are_refused_until_they_are_promoted(world: World, caplog: pytest.LogCaptureFixture) -> None:
    replica = world.replicated()
    lost = make_website(world, "lost.test")
    world.pull()
    shutil.copy(world.primary.box.events.salts.path, replica)
    primary = world.stand_by(replica)
    assert OLDER in world.nodes[0].pull()
    assert "Ingest machine 1 has a newer box.db than this primary" in caplog.text
    assert view(world, lost) == 200, "it goes on with what it knows"
    primary.box.close()
    promote(replica, world.clock.now())
    primary.reopen()
    world.pull()


def test_visitors_are_who_they_were(world: World) -> None:
    replica, shop, now = world.replicated(), world.primary.sites["shop"], world.clock.now()
    before = world.primary.box.events.salts.ahead(now)
    for node in world.nodes:
        assert node.track(shop) == 200
    fail_over(world, replica)
    world.primary.reopen()  # even before the first machine has reached it
    world.pull()
    salts = world.primary.box.events.salts.ahead(now)
    assert (salts.today, salts.yesterday, salts.tomorrow) == (before.today, before.yesterday, before.tomorrow)
    for node in world.nodes:
        assert node.track(shop) == 200
    world.clock.advance(seconds=DAY / 1000)
    for node in world.nodes:
        assert node.track(shop) == 200
    visitors = [node.rows("select visitor from events order by id") for node in world.nodes]
    assert visitors[0] == visitors[1]
    assert [visitors[0][0]] == visitors[0][:2][1:]
    assert len(set(visitors[0])) == 2


def test_a_machine_is_asked_for_salts_once_and_never_by_a_primary_that_has_them(world: World) -> None:
    replica, node = world.replicated(), world.nodes[0]
    fail_over(world, replica)
    sent = [len(one.wire.sent) for one in world.nodes]
    world.pull()
    world.pull()
    assert [len(one.wire.sent) - before for one, before in zip(world.nodes, sent, strict=True)] == [3, 2]
    world.primary.reopen()
    node.wire.sent.clear()
    world.pull()
    assert len(node.wire.sent) == 1


def test_removals_that_are_ordered_afterwards_are_carried_out(world: World) -> None:
    shop, replica = world.primary.numbers["shop"], world.replicated()
    ordered = RemovalOrder(0, shop, "ada", [])
    done = []
    for turn in range(2):
        world.primary.run(world.primary.box.parts[Machines].order(ordered))
        world.pull()
        world.pull()
        done += world.nodes[0].box.box_db.read_now(lambda db: db.execute("select done from mirror").fetchall())
        if not turn:
            fail_over(world, replica)
            world.pull()
            assert all(one.done for one in world.primary.box.parts[Machines].standings()), "none of theirs is left"
    assert done[1] > done[0]


def test_a_number_that_was_retired_stays_so(world: World) -> None:
    assert world.primary.run(world.primary.box.parts[Machines].retire(2))
    fail_over(world, world.replicated())
    assert world.nodes[0].pull() == ""
    assert "The number 2 is retired" in world.nodes[1].pull()


def test_the_primary_of_before_is_refused_and_ends(world: World, caplog: pytest.LogCaptureFixture) -> None:
    lost, node = fail_over(world, world.replicated()), world.nodes[0]
    assert not lost.box.parts[Machines].replaced.is_set()
    world.pull()
    node.wire.primary = lost
    assert "Another machine was promoted to primary. This one stops" in node.pull()
    assert lost.box.parts[Machines].replaced.is_set()
    assert "Another machine was promoted to primary at 2026-06-17T" in caplog.text
    node.wire.primary = world.primary
    assert node.pull() == ""


@needs_chdb
def test_rows_of_the_new_primary_are_in_clickhouse_and_the_old_one_changes_none(shared: World, served: Served) -> None:
    lost = fail_over(shared, shared.replicated())
    shared.ship()
    epochs = "select id, epoch from analytics_box order by id"
    before = served.ask(epochs, shared.url)
    shared.clock.advance(seconds=120)
    shared.pull()
    lost.run(jobs.maintain_columns(lost.box))
    assert lost.box.parts[Machines].replaced.is_set()
    lost.reopen()
    lost.run(jobs.maintain_columns(lost.box))
    assert lost.box.parts[Machines].replaced.is_set()
    shared.ship()
    assert served.ask(epochs, shared.url) == before
    assert served.ask("select count(), uniqExact(id), uniqExact(visitor) from events", shared.url).split() == [
        *("2", "2", "1"),
    ]


@needs_chdb
def test_the_old_primary_makes_no_tables_of_another_version_either(
    shared: World, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = fail_over(shared, shared.replicated())
    shared.ship()
    monkeypatch.setattr("analytics_box.query.engines.clickhouse.tables.VERSION", 0)
    lost.reopen()
    lost.run(jobs.maintain_columns(lost.box))
    assert served.ask("select count() from events", shared.url).strip() == "2"


@needs_chdb
def test_new_primary_recreates_no_tables_before_machines_report_complete(
    shared: World, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_over(shared, shared.replicated())
    monkeypatch.setattr("analytics_box.query.engines.clickhouse.tables.VERSION", 0)
    shared.primary.run(jobs.maintain_columns(shared.primary.box))
    assert served.ask("select count() from events", shared.url).strip() == "2"
    shared.ship()
    shared.ship()
    assert served.ask("select count(), uniqExact(id) from events", shared.url).split() == ["2", "2"]
    shape = served.ask("select shape from analytics_box where id = 1", shared.url)
    assert shape.strip() == tables.shape("", several=True)


@needs_chdb
def test_a_primary_that_is_promoted_once_more_on_its_machine_takes_its_place_back(
    shared: World, served: Served
) -> None:
    lost = fail_over(shared, shared.replicated())
    shared.ship()
    other = shared.primary
    lost.box.close()
    promote(lost.box.settings.data_dir, shared.clock.now())
    lost.reopen()
    shared.primary = lost
    for node in shared.nodes:
        node.wire.primary = lost
    shared.ship()
    shared.clock.advance(seconds=120)
    other.run(jobs.maintain_columns(other.box))
    assert other.box.parts[Machines].replaced.is_set()
    assert not lost.box.parts[Machines].replaced.is_set()
    assert served.ask("select count() from events", shared.url).strip() == "2"


@needs_chdb
def test_clickhouse_knows_of_a_primary_that_was_promoted_where_it_was(shared: World) -> None:
    replica, primary = shared.replicated(), shared.primary
    shutil.copy(primary.box.events.salts.path, replica)
    primary.box.close()
    promote(primary.box.settings.data_dir, shared.clock.now())
    primary.reopen()
    shared.ship()
    copy = shared.stand_by(replica)
    copy.run(jobs.maintain_columns(copy.box))
    assert copy.box.parts[Machines].replaced.is_set()


def test_only_a_whole_box_that_is_stopped_can_be_promoted(world: World) -> None:
    replica, now = world.replicated(), world.clock.now()
    node = world.nodes[0].box.settings.data_dir
    (node / KEY_FILE).touch()
    with pytest.raises(Conflict, match="belongs to an ingest machine"):
        promote(node, now)
    ended = CliRunner().invoke(main, ["promote", "--data-dir", str(replica)])
    assert (ended.exit_code, ended.output.partition(".")[0]) == (0, "This server is now the primary")
    for name in (KEY_FILE, EVENTS_FILE):
        (replica / name).unlink()
        with pytest.raises(NotFound, match=f"There is no {name}"):
            promote(replica, now)
        assert not (replica / name).exists()
