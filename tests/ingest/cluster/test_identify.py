"""Machines that take events are told who people are, and the primary knows it: once, whatever breaks in between."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from analytics_box.base.outgoing.client import OutgoingAnswer, OutgoingRequest
from analytics_box.base.outgoing.failures import RequestFailed
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.ingest.cluster import reports
from analytics_box.ingest.cluster.messages import IdentityReport, MachineReport, RemovalOrder
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.profiles import ProfileLinks
from analytics_box.products.people.reading import ProfilePerson, Profiles
from analytics_box.products.people.rules import Holder
from tests.ingest.cluster.world import Node, World, heard
from tests.inprocess import RunningBox

WAITING = "select count(*) from outbox"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with heard(tmp_path) as made:
        yield made


def say(world: World, box: RunningBox, profile_id: str = "p-1", visitor: str = "a", **given: Any) -> int:
    """Tell a machine with a key who a visitor is; the status of its answer."""
    said = {"profileId": profile_id, "websiteId": world.primary.sites["shop"], "anonymousId": visitor, **given}
    return box.post("/identify", said, x_api_key=world.primary.keys["tracking"]).status


def known(world: World, profile_id: str = "p-1") -> ProfilePerson | None:
    """Whom the primary knows."""
    holder = Holder(world.primary.numbers["shop"], "")
    return world.primary.run(world.primary.box.parts[Profiles].find(holder, profile_id))


def traits(world: World) -> Any:
    person = known(world)
    assert person is not None
    return person.traits


async def waits(node: Node) -> int:
    """How many rows the primary is told that are still to come, without those for ClickHouse."""
    return await node.box.node_memory.behind() - (await node.box.events.engines.status()).behind


def links(world: World) -> int:
    """How many visitors the primary knows by a name."""
    counted = "select count(*) from visitor_profiles"
    return int(str(world.primary.box.events.db.read_now(lambda db: db.execute(counted).fetchall())[0][0]))


def lose_answers(node: Node) -> Any:
    """The primary does what it is asked, and the machine does not hear of it."""
    fetch = node.wire.fetch

    async def lost(ask: OutgoingRequest) -> OutgoingAnswer:
        await fetch(ask)
        raise RequestFailed("Connection reset by peer")

    return patch.object(node.wire, "fetch", lost)


def remove(world: World, profile_id: str = "", stays: Any = ()) -> None:
    """Somebody is removed on the primary."""
    order = RemovalOrder(0, world.primary.numbers["shop"], profile_id, list(stays))
    world.primary.run(world.primary.box.parts[Machines].order(order))
    world.primary.run(world.primary.box.events.erasures.ordered(order.site, order.profile, order.stays))


def test_identity_sent_to_a_machine_reaches_the_primary(world: World) -> None:
    node = world.nodes[0]
    assert say(world, node, traits={"plan": "pro", "large": 2**70}) == 200
    assert known(world) is None
    assert node.pull() == ""
    assert traits(world) == {"plan": "pro", "large": 2**70}
    assert links(world) == 2, "the visitor's ids of today and yesterday"
    assert node.rows(WAITING) == [0]


def test_identify_calls_of_pages_work_on_machines(world: World) -> None:
    node = world.nodes[0]
    client = {"databuddy_client_id": world.primary.sites["shop"], "origin": "https://shop.example"}
    said = {"profileId": "p-1", "traits": {"plan": "pro"}}
    answer = node.ask(
        "POST", f"/identify?client_id={world.primary.sites['shop']}", headers=client, body=json.dumps(said).encode()
    )
    assert answer.status == 200
    node.pull()
    assert traits(world) == {"plan": "pro"}


def test_waiting_calls_survive_restarts_and_an_absent_primary_encrypted(world: World) -> None:
    node = world.nodes[0]
    node.wire.cut = True
    assert say(world, node, traits={"email": "ada@example.com"}) == 200
    assert "Connection refused" in node.pull()
    assert all(b"ada@example.com" not in said and b"p-1" not in said for said in node.rows("select said from outbox"))
    node.reopen()
    assert node.rows(WAITING) == [1]
    assert node.run(waits(node)) == 1, "who retires it sees that something is still to come"
    node.wire.cut = False
    node.pull()
    assert traits(world) == {"email": "ada@example.com"}


def test_call_stored_by_the_primary_is_not_repeated_after_a_lost_answer(world: World) -> None:
    node = world.nodes[0]
    assert say(world, node, traits={"plan": "old"}) == 200
    with lose_answers(node):
        assert "Connection reset" in node.pull()
    assert traits(world) == {"plan": "old"}
    assert node.rows(WAITING) == [1]
    assert say(world, world.primary, traits={"plan": "new"}) == 200
    world.primary.reopen()
    node.pull()
    assert traits(world) == {"plan": "new"}
    assert node.rows(WAITING) == [0]


def test_numbers_go_on_where_the_machine_has_an_earlier_file(world: World) -> None:
    node = world.nodes[0]
    assert say(world, node, "p-0") == 200
    node.pull()
    node.box.events.db.write_now(lambda db: db.execute("delete from sqlite_sequence where name = 'outbox'"))
    world.clock.advance(seconds=1)
    assert say(world, node) == 200
    node.pull()
    assert known(world) is not None


@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize("by", ["name", "visitor"])
def test_removed_visitor_stays_removed_despite_calls_waiting_on_a_machine(world: World, cut: bool, by: str) -> None:
    node = world.nodes[0]
    assert say(world, node, traits={"plan": "pro"}) == 200
    assert say(world, node, "p-2", "b") == 200
    node.wire.cut = cut
    said = node.run(node.box.events.outbox.next())[0].what
    assert isinstance(said, IdentityReport)
    visitors = said.visitors
    remove(world, *(["p-1"] if by == "name" else ["", [(visitor, 0, 1 << 60) for visitor in visitors]]))
    node.pull()
    node.wire.cut = False
    node.pull()
    if by == "name":
        assert known(world) is None
    else:
        assert traits(world) == {"plan": "pro"}, "a device is removed, and not who used it"
    assert links(world) == 2, "those of p-2: each device has an id of today and one that lasts"
    assert known(world, "p-2") is not None
    assert node.rows(WAITING) == [0]
    assert say(world, node, traits={"plan": "free"}) == 200
    node.pull()
    assert traits(world) == {"plan": "free"}, "who is named again afterwards is known again"


def test_no_call_is_stored_during_a_removal(world: World) -> None:
    node, lock = world.nodes[0], world.primary.box.events.erasures.lock
    assert say(world, node) == 200
    world.primary.run(lock.acquire())
    assert node.pull() == ""
    assert known(world) is None
    lock.release()
    node.pull()
    assert known(world) is not None


def test_identities_of_a_deleted_website_are_removed(world: World) -> None:
    one, two = world.nodes
    assert say(world, one) == say(world, two) == 200
    two.wire.cut = True
    world.remove_website("shop")
    one.pull()
    assert one.rows(WAITING) == [0]
    two.wire.cut = False
    two.pull()
    assert (two.rows(WAITING), known(world)) == ([0], None)


def test_a_promoted_primary_that_does_not_know_a_website_leaves_out_what_was_said_of_its_people(world: World) -> None:
    said = IdentityReport("p-1", [7], b"{}", world.clock.now())
    inbox, site = world.primary.box.events.inbox, world.primary.numbers["shop"]
    assert (
        world.primary.run(inbox.write(1, [MachineReport(1 << 60, 999, said), MachineReport(1 << 61, site, said)]))
        == 1 << 61
    )
    sites = world.primary.box.events.db.read_now(lambda db: db.execute("select site from visitor_profiles").fetchall())
    assert sites == [(site,)]


def test_excess_traits_are_left_out_and_the_link_stays(world: World, caplog: pytest.LogCaptureFixture) -> None:
    node = world.nodes[0]
    first, more = ({f"{letter}{number}": 1 for number in range(50)} for letter in "ab")
    assert say(world, world.primary, traits=first) == say(world, world.primary, traits=more) == 200
    before = links(world)
    assert say(world, node, visitor="another", traits={"plan": "pro"}) == 200
    assert say(world, node, "p-2") == 200
    node.pull()
    assert traits(world) == first | more
    assert links(world) > before
    assert known(world, "p-2") is not None
    assert "at most 100 traits" in caplog.text


def test_unwritable_or_unreadable_call_waits_and_is_logged_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    node = world.nodes[0]
    assert say(world, node) == 200
    with patch.object(ProfileLinks, "identify", side_effect=SealBroken("another key")):
        assert [node.pull(), node.pull()] == ["", ""]
    with patch.object(Seal, "open", side_effect=SealBroken("no key")):
        assert [node.pull(), node.pull()] == ["", ""]
    assert node.rows(WAITING) == [1]
    node.pull()
    assert known(world) is not None
    assert caplog.text.count("Cannot store the messages of ingest machine") == 1
    assert caplog.text.count("Cannot send all data waiting for the primary") == 1


def test_unreadable_traits_of_one_visitor_do_not_delay_others(world: World) -> None:
    node = world.nodes[0]
    assert say(world, node, traits={"plan": "pro"}) == 200
    node.pull()
    world.primary.box.events.db.write_now(lambda db: db.execute("update profiles set traits = x'00'").fetchall())
    assert say(world, node, traits={"plan": "free"}, visitor="b") == 200
    assert say(world, node, "p-2", "c", traits={"plan": "free"}) == 200
    node.pull()
    assert node.rows(WAITING) == [0]
    assert links(world) == 6, "those of the first are known, too"
    person = known(world, "p-2")
    assert person is not None
    assert person.traits == {"plan": "free"}


@pytest.mark.parametrize("removes", [False, True])
def test_calls_sealed_with_a_lost_key_delay_neither_later_calls_nor_removals(world: World, removes: bool) -> None:
    node = world.nodes[0]
    assert say(world, node) == 200
    node.box.events.db.write_now(lambda db: db.execute("update outbox set said = x'00'").fetchall())
    node.pull()
    assert node.rows(WAITING) == [1], "the key may come back"
    if removes:
        remove(world, "p-1")
    else:
        assert say(world, node, "p-2", "b") == 200
    node.pull()
    assert node.rows(WAITING) == [0]
    assert known(world) is None
    assert (known(world, "p-2") is None) == removes


def test_visitor_who_shared_a_device_with_a_removed_one_stays_identified(world: World) -> None:
    node = world.nodes[0]
    assert say(world, node, "p-1", "shared") == 200
    node.pull()
    node.wire.cut = True
    assert say(world, node, "p-2", "shared", traits={"plan": "pro"}) == 200
    remove(world, "p-1")
    node.wire.cut = False
    node.pull()
    node.pull()
    assert known(world) is None
    person = known(world, "p-2")
    assert person is not None
    assert person.traits == {"plan": "pro"}


def test_all_that_waits_goes_in_as_many_requests_as_it_takes(world: World) -> None:
    node = world.nodes[0]
    for number in range(5):
        assert say(world, node, f"p-{number}") == 200
    with patch.object(reports, "MOST_AT_ONCE", 2):
        node.pull()
    assert node.rows(WAITING) == [0]
    assert all(known(world, f"p-{number}") for number in range(5))


def test_a_machine_that_has_kept_enough_says_so(world: World) -> None:
    node = world.nodes[0]
    with patch.object(reports, "MOST_WAITING", 1):
        assert say(world, node) == 200
        assert say(world, node) == 503
        node.pull()
        assert say(world, node) == 200


def test_single_website_does_not_use_the_space_of_all(world: World) -> None:
    node = world.nodes[0]
    with patch.object(reports, "MOST_OF_A_SITE", 1):
        assert [say(world, node), say(world, node)] == [200, 503]
        assert say(world, node, websiteId=world.primary.sites["blog"]) == 200
        node.pull()
        assert say(world, node) == 200


def test_a_visitor_whose_id_lasts_is_linked_by_the_machine_that_has_the_events(world: World) -> None:
    node, shop = world.nodes[0], world.primary.sites["shop"]
    event = {"websiteId": shop, "name": "bought", "anonymousId": "a", "anonymizeVisitorIds": False}
    assert node.post("/track", event, x_api_key=world.primary.keys["tracking"]).status == 200
    assert say(world, node) == 200
    node.pull()
    visitor = node.rows("select distinct visitor from events")[0]
    linked = "select visitor from visitor_profiles"
    assert (visitor,) in world.primary.box.events.db.read_now(lambda db: db.execute(linked).fetchall())
