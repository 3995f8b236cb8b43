"""Machines that take events keep those of some days; older ones are in ClickHouse only, where removals find them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app import jobs
from analytics_box.base.clock import DAY
from analytics_box.base.store.text_numbers import number_of
from analytics_box.query.engines.clickhouse import shipping
from tests.ingest.cluster.test_operators import retire
from tests.ingest.cluster.world import Node, Shipped, World
from tests.query.clickhouse.served import Served, needs_chdb

pytestmark = needs_chdb
KEPT = 35  # days
TRACK = {"name": "bought", "anonymousId": "c-1"}


@pytest.fixture(scope="module")
def trimming(tmp_path_factory: pytest.TempPathFactory, served: Served) -> Shipped:
    return Shipped(tmp_path_factory.mktemp("shipped") / "cluster", served, clickhouse_keep_days=KEPT)


@pytest.fixture
def world(tmp_path: Path, trimming: Shipped) -> Iterator[World]:
    with trimming.copied(tmp_path) as made:
        yield made


def send(world: World, node: Node, path: str, **given: Any) -> None:
    sent = {"websiteId": world.primary.sites["shop"], "path": f"https://shop.example{path}", **TRACK, **given}
    assert node.post("/track", sent, x_api_key=world.primary.keys["tracking"]).status == 200


def age(world: World) -> None:
    """All that there is becomes old and leaves the machines; each has something new of somebody else."""
    world.ship()
    world.clock.advance(seconds=40 * DAY / 1000)
    world.pull()
    for node in world.nodes:
        send(world, node, "/new", anonymousId="new")
    world.ship()
    world.ship()


def here(node: Node) -> list[str]:
    """The paths of events that a machine has."""
    found = node.rows(
        "select strings.value from events join strings on strings.id = events.path where site <> 0 order by events.id"
    )
    return [str(path) for path in found]


def there(world: World, served: Served) -> list[str]:
    """The paths of events that ClickHouse has."""
    paths = "select value from events any left join strings on strings.id = events.path"
    return sorted(served.ask(paths, world.url).splitlines())


def erase(world: World, profile_id: str) -> bool:
    """Remove a person; whether that is complete."""
    given = {"json": {"websiteId": world.primary.sites["shop"], "profileId": profile_id}}
    found = world.primary.post("/rpc/profiles/delete", given, key="all")
    assert found.status == 200, found.body
    return bool(found.json["json"]["complete"])


def resume(world: World) -> None:
    for machine in (*world.nodes, world.primary):
        machine.run(machine.box.events.erasures.resume())


def reopen(world: World) -> None:
    world.primary.reopen()
    for node in world.nodes:
        node.reopen()
        node.wire.primary = world.primary
    world.ship()
    world.ship()


def under_way(world: World) -> int:
    """How many erasures the primary has not completed."""
    return len(world.primary.box.events.db.read_now(lambda db: db.execute("select id from erasures").fetchall()))


def texts(world: World, served: Served, text: str) -> str:
    return served.ask(f"select count() from strings where value = '{text}'", world.url).strip()


def test_old_events_leave_machines_and_are_counted_as_before(world: World, served: Served) -> None:
    one, two = world.nodes
    send(world, one, "/a")
    send(world, two, "/b")
    age(world)
    assert here(one) == here(two) == ["/new"]
    assert there(world, served) == ["/a", "/b", "/new", "/new"]
    day = "2026-06-17"
    found = world.primary.query("shop", {"parameters": ["custom_events"], "startDate": day, "endDate": day})
    assert found.json["data"][0]["data"][0]["total_events"] == 2


def test_nothing_leaves_before_the_primary_knows(world: World, served: Served) -> None:
    one = world.nodes[0]
    send(world, one, "/a")
    age(world)
    for machine, table in ((one, "mirror"), (world.primary, "nodes")):
        machine.box.box_db.write_now(lambda db, table=table: db.execute(f"update {table} set alone = 0"))  # type: ignore[misc]  # a default
    one.reopen()
    send(world, one, "/b")
    world.clock.advance(seconds=40 * DAY / 1000)
    send(world, one, "/c")
    one.maintain()
    assert here(one) == ["/new", "/b", "/c"]
    world.primary.reopen()
    one.wire.primary = world.primary
    assert one.pull() == ""
    one.maintain()
    assert here(one) == ["/c"]
    alone = world.primary.box.box_db.read_now(lambda db: db.execute("select number, alone from nodes").fetchall())
    assert alone == [(1, 1), (2, 0)]


def test_a_machine_that_lost_its_position_keeps_what_it_has_there_only(world: World, served: Served) -> None:
    one, two = world.nodes
    send(world, one, "/a")
    send(world, two, "/b")
    age(world)
    (one.box.settings.data_dir / shipping.FILE_NAME).unlink()
    one.reopen()
    world.ship()
    world.clock.advance(seconds=DAY / 1000 + 1)
    world.ship()
    world.ship()
    assert there(world, served) == ["/a", "/b", "/new", "/new"]
    assert texts(world, served, "/a") == "1"


@pytest.mark.parametrize("lost", ["events", pytest.param("analytics_box", marks=pytest.mark.thorough)])
def test_tables_with_the_only_copy_are_not_recreated(
    world: World, served: Served, lost: str, caplog: pytest.LogCaptureFixture
) -> None:
    send(world, world.nodes[0], "/a")
    age(world)
    served.ask(f"rename table {lost} to aside", world.url)
    reopen(world)
    assert "have events that are nowhere else" in caplog.text
    assert not world.primary.box.events.engines._far.ready  # type: ignore[union-attr]  # it has ClickHouse
    served.ask(f"drop table if exists {lost} sync", world.url)  # of the owner there is a new one, which is empty
    served.ask(f"rename table aside to {lost}", world.url)
    reopen(world)
    assert there(world, served) == ["/a", "/new", "/new"]


def test_tables_with_events_of_a_retired_machine_are_not_recreated(
    world: World, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = world.nodes
    send(world, one, "/a")
    world.ship()
    retire(world, 1)
    two.box.close()
    served.ask("drop table errors sync", world.url)
    world.primary.box.box_db.write_now(lambda db: db.execute("update nodes set alone = 0"))
    world.primary.reopen()
    world.primary.run(world.primary.box.events.engines.maintain())
    assert "have events that are nowhere else" in caplog.text
    assert served.ask("select count() from events", world.url).strip() == "1"


def test_a_website_that_is_removed_is_gone_there_though_its_events_had_left(world: World, served: Served) -> None:
    for node in world.nodes:
        send(world, node, "/a")
    age(world)
    world.remove_website("shop")
    world.pull()
    world.ship()
    assert served.ask("select count() from events", world.url).strip() == "0"


def test_expired_events_are_removed_in_clickhouse(world: World, served: Served) -> None:
    for node in world.nodes:
        send(world, node, "/a")
    age(world)
    settings = "update websites set settings = json_set(settings, '$.dataRetentionDays', 38)"
    world.primary.box.box_db.write_now(lambda db: db.execute(settings))
    world.pull()
    for node in world.nodes:
        node.run(jobs.retain_events(node.box))
        node.maintain()
    assert there(world, served) == ["/new", "/new"]


def test_a_person_is_removed_though_events_had_left_and_it_is_complete_once_all_machines_have_done_it(
    world: World, served: Served
) -> None:
    one, two = world.nodes
    for node in world.nodes:
        send(world, node, "/ada", profileId="ada@work")
        send(world, node, "/bob", profileId="bob", anonymousId="c-2")
    age(world)
    send(world, one, "/ada-later", profileId="ada@work")
    world.ship()
    two.wire.cut = True
    assert not erase(world, "ada@work")
    for _ in range(3):
        world.clock.advance(seconds=61)
        assert one.pull() == ""
        one.maintain()
        resume(world)
    assert there(world, served) == ["/ada", "/bob", "/bob", "/new", "/new"], "one machine is away"
    assert under_way(world) == 1
    two.wire.cut = False
    two.reopen()
    for _ in range(2):
        world.clock.advance(seconds=5)
        assert two.pull() == ""
    resume(world)
    assert under_way(world) == 1, "it has not seen yet that nothing is left in ClickHouse"
    for _ in range(3):
        world.ship()
        resume(world)
    assert under_way(world) == 0
    assert there(world, served) == ["/bob", "/bob", "/new", "/new"]
    world.ship()
    assert texts(world, served, "ada@work") == texts(world, served, "/ada") == "0"
    assert texts(world, served, "bob") == "2"
    for node in world.nodes:
        assert node.rows("select value from strings where value like '%ada%'") == []
    audit = "select count(*) from audit where action = 'deleted' and subject = 'person'"
    assert world.primary.box.box_db.read_now(lambda db: db.execute(audit).fetchall()) == [(1,)]


def test_rows_of_a_visitor_left_by_a_machine_are_found_and_removed(world: World, served: Served) -> None:
    one, two = world.nodes
    send(world, one, "/ada", profileId="ada@work")
    send(world, two, "/bob", profileId="bob")
    world.ship()
    served.ask("create table aside engine = Memory as select * from events where id < pow(2, 41)", world.url)
    assert not erase(world, "ada@work")
    for _ in range(2):
        world.clock.advance(seconds=5)
        world.pull()
    resume(world)
    assert under_way(world) == 1, "ClickHouse has not heard of what was removed on machines"
    world.ship()
    world.ship()
    assert there(world, served) == ["/bob"]
    served.ask("insert into events select * from aside", world.url)  # they came late
    new = "select * replace (shipment + 1000 as shipment, id + 1000 as id) from events"
    served.ask(f"insert into events {new} where profile = {number_of('ada@work')}", world.url)
    resume(world)
    assert under_way(world) == 0
    assert served.ask("select id % 1000000 from events order by id", world.url).split()[:1] != ["1"]
    assert len(there(world, served)) == 2


def test_a_person_is_removed_from_the_events_of_a_machine_that_is_gone(world: World, served: Served) -> None:
    one, two = world.nodes
    send(world, one, "/ada", profileId="ada@work")
    send(world, one, "/both", profileId="ada@work")
    send(world, one, "/both", profileId="bob", anonymousId="c-2")
    world.ship()
    one.box.close()
    world.nodes = [two]
    retire(world, 1)
    erase(world, "ada@work")
    world.ship()
    world.ship()
    resume(world)
    assert under_way(world) == 0
    assert there(world, served) == ["/both"]
    assert texts(world, served, "ada@work") == texts(world, served, "/ada") == "0"
    assert texts(world, served, "/both") == texts(world, served, "bob") == "1"
    assert served.ask("select distinct profile from visitor_profiles", world.url).strip() == str(number_of("bob"))


def test_websites_and_old_events_are_removed_from_what_a_machine_that_is_gone_had(world: World, served: Served) -> None:
    one, two = world.nodes
    send(world, one, "/old")
    world.clock.advance(seconds=40 * DAY / 1000)
    world.pull()
    for node in world.nodes:
        send(world, node, "/new")
    blog = {"websiteId": world.primary.sites["blog"], "path": "/blog", **TRACK}
    for node in world.nodes:
        assert node.post("/track", blog, x_api_key=world.primary.keys["tracking"]).status == 200
    world.ship()
    one.box.close()
    world.nodes = [two]
    retire(world, 1)
    world.remove_website("blog")
    settings = "update websites set settings = json_set(settings, '$.dataRetentionDays', 38) where site = ?"
    world.primary.box.box_db.write_now(lambda db: db.execute(settings, (world.primary.numbers["shop"],)))
    world.primary.reopen()
    two.wire.primary = world.primary
    world.ship()
    assert there(world, served) == ["/blog", "/new", "/new", "/old"], "the other machine has removed its own"
    world.primary.run(jobs.remove_of_retired(world.primary.box))
    assert there(world, served) == ["/new", "/new"]


def test_identity_is_kept_while_any_machine_has_events_of_the_visitor(world: World, served: Served) -> None:
    two = world.nodes[1]
    lasts = {"anonymizeVisitorIds": False}
    for profile, client in (("ada@work", "c-1"), ("bob", "c-2")):
        said = {"profileId": profile, "websiteId": world.primary.sites["shop"], "anonymousId": client, **lasts}
        assert world.primary.post("/identify", said, key="tracking").status == 200
    world.clock.advance(seconds=40 * DAY / 1000)
    world.pull()
    send(world, two, "/again", **lasts)
    settings = "update websites set settings = json_set(settings, '$.dataRetentionDays', 38)"
    world.primary.box.box_db.write_now(lambda db: db.execute(settings))
    world.primary.reopen()
    two.wire.primary = world.primary
    world.ship()
    world.primary.run(jobs.retain_events(world.primary.box))
    known = "select value from profiles join strings on strings.id = profiles.profile"
    assert world.primary.box.events.db.read_now(lambda db: db.execute(known).fetchall()) == [("ada@work",)]


def test_a_machine_that_was_away_hears_of_removals_before_it_sends_anything(world: World, served: Served) -> None:
    one, two = world.nodes
    send(world, one, "/ada", profileId="ada@work")
    world.ship()
    send(world, two, "/ada-unsent", profileId="ada@work")
    two.wire.cut = True
    assert not erase(world, "ada@work")
    two.reopen()
    two.run(jobs.maintain_columns(two.box))
    assert there(world, served) == ["/ada"]
    two.wire.cut = False
    assert two.pull() == ""
    two.run(jobs.maintain_columns(two.box))
    assert there(world, served) == ["/ada"]
    assert here(two) == []
    two.wire.cut = True
    two.reopen()
    send(world, two, "/later")
    assert two.pull() != ""
    two.run(jobs.maintain_columns(two.box))
    assert there(world, served) == ["/ada", "/later"], "without the primary, too, events are sent"
