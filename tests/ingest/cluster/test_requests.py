"""Who asks the primary for the mirror has to have the key, the time, and a number of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.settings import SettingsError, load
from analytics_box.ingest.cluster.primary import Machines
from tests.ingest.cluster.world import World, cluster
from tests.inprocess import whole_box


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with cluster(tmp_path) as made:
        yield made


def test_another_key_is_refused(world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    other = tmp_path / "other"
    other.write_text("f" * 64)
    other.chmod(0o600)
    node = world.node(7, cluster_key_file=str(other))
    assert node.pull() == (
        "The primary does not respond: it answers 403: The cluster key of this machine differs from that of the primary"
    )
    for _ in range(5):  # by whoever finds the address
        assert b'"code":"FORBIDDEN"' in world.primary.ask("POST", "/cluster/pull", body=b"x" * 100).body
    assert caplog.text.count("its key differs from cluster_key_file") == 1


def test_a_number_is_one_machines(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.pull()
    assert (
        "The number 1 belongs to another machine. Give this machine a different number."
        in world.node(1, folder="twin").pull()
    )
    assert "the number 1 belongs to another machine" in caplog.text
    assert world.nodes[0].pull() == ""


def test_a_retired_number_is_never_used_again(world: World) -> None:
    world.pull()
    machines = world.primary.box.parts[Machines]
    assert world.primary.run(machines.retire(1))
    assert not world.primary.run(machines.retire(1))
    assert "The number 1 is retired" in world.nodes[0].pull()
    world.primary.reopen()
    world.nodes[0].wire.primary = world.primary
    assert "The number 1 is retired" in world.node(1, folder="twin").pull()


def test_repeated_request_is_refused(world: World) -> None:
    world.pull()
    (sent,) = world.nodes[0].wire.sent
    headers = {"authorization": world.nodes[0].wire.credentials[0]}
    again = world.primary.ask("POST", "/cluster/pull", headers=headers, body=sent)
    assert (again.status, again.json["error"]) == (409, "This request was already received")
    world.clock.advance(seconds=300)
    late = world.primary.ask("POST", "/cluster/pull", headers=headers, body=sent)
    assert (late.status, late.json["error"]) == (
        409,
        "The clocks of this machine and the primary differ by 300 seconds",
    )


def test_body_without_a_credential_is_not_read(world: World) -> None:
    def refused(authorization: str) -> bytes:
        headers = {
            "authorization": authorization,
            "content_length": str(1 << 30),
        }  # which would be refused as too large
        return world.primary.ask("POST", "/cluster/pull", headers=headers, body=b"x").body

    for given in ("", "Cluster ", "Cluster 00", "Cluster zz", "Bearer x", "Cluster é"):
        assert b'"code":"FORBIDDEN"' in refused(given)


def test_an_answer_to_another_request_is_no_answer(world: World) -> None:
    node = world.nodes[0]
    kept = []
    fetch = node.wire.fetch

    async def old(ask: object) -> object:
        kept.append(await fetch(ask))  # type: ignore[arg-type]  # whatever it is, it goes on
        return kept[0]

    node.wire.fetch = old  # type: ignore[assignment, method-assign]  # in its place
    assert node.pull() == ""
    assert "its answer is not sealed with the key of cluster_key_file" in node.pull()


def test_a_box_without_a_cluster_has_no_such_address(tmp_path: Path) -> None:
    with whole_box(tmp_path / "alone") as box:
        assert box.ask("POST", "/cluster/pull", body=b"x").status == 404


def test_the_file_of_the_key_is_its_owners(tmp_path: Path) -> None:
    with cluster(tmp_path, nodes=0) as world:
        world.key_file.chmod(0o644)
        with pytest.raises(SettingsError, match="is open to other users"):
            world.node(1)
        world.key_file.chmod(0o600)
        world.key_file.write_text("short")
        with pytest.raises(SettingsError, match="shorter than 32 characters"):
            world.node(1)


def test_folders_of_machines_and_of_boxes_are_not_mixed(world: World) -> None:
    with pytest.raises(SettingsError, match="contains accounts of a server"):
        world.node(3, folder="primary")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"role": "ingest", "node": 1}, "requires cluster_key_file"),
        ({"role": "primary"}, "requires cluster_key_file"),
        ({"role": "ingest", "cluster_key_file": "k"}, "set columnar to clickhouse"),
        ({"role": "ingest", "cluster_key_file": "k", "columnar": "clickhouse"}, "role = ingest requires node"),
        ({"node": 1}, "role = ingest requires node"),
        ({"role": "ingest", "node": 1, "cluster_key_file": "k", "columnar": "clickhouse"}, "primary_url must be"),
        ({"role": "ingest", "node": 1_024}, "node"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=said):
        load({"data_dir": tmp_path, "clickhouse_url": "http://clickhouse.test/", **given}, {})
