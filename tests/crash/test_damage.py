"""Databases that are damaged, cut, removed or made read-only under a running box: nothing is acknowledged after that is
noticed, and it is noticed by itself."""

import http.client
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.app import jobs
from analytics_box.base.store import schema
from tests.base.store.test_rolling_check import overwrite
from tests.crash.load import CLIENTS, Load
from tests.inprocess import WholeBox, whole_box
from tests.running import UNLIMITED, serving, set_up

EVENTS = 300
MOST_LOOKS = 60  # ten minutes


def track(box: WholeBox, number: int) -> int:
    event = {"name": f"seen {number}", "websiteId": box.sites["shop"], "properties": {"text": str(number) * 100}}
    box.clock.advance(seconds=1)
    return box.post("/track", event, key="all").status


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    """A box with events in both of its files' last places: the database and its log."""
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, metrics="on")) as box:
        for number in range(EVENTS):
            assert track(box, number) == 200
        box.reopen()  # which folds the logs back
        assert track(box, EVENTS) == 200
        box.query("shop", {"parameters": ["custom_events"], "preset": "today"})
        yield box


def looks_until_noticed(box: WholeBox) -> int:
    """Run the regular look until the box is not ready, with events in between; the number of looks."""
    for looks in range(1, MOST_LOOKS):
        track(box, looks)
        box.run(jobs.look_at_files(box.box))
        if box.get("/health/ready").status == 503:
            return looks
    raise AssertionError("the server does not notice it")


def spoil_middle(path: Path) -> None:
    overwrite(path, 0.3, 0.7)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4_096 * 4_096)


def spoil_log(path: Path) -> None:
    overwrite(path.with_name(f"{path.name}-wal"), 0.05, 1)


@pytest.mark.parametrize("name", [schema.EVENTS_FILE, schema.BOX_FILE])
@pytest.mark.parametrize("damage", [spoil_middle, cut, spoil_log])
def test_damage_is_noticed_by_itself_and_no_event_is_acknowledged_after_that(
    box: WholeBox, name: str, damage: Callable[[Path], None]
) -> None:
    if damage is spoil_log:
        box.sign_in(box.user_id)  # so that both logs have content
    damage(box.box.settings.data_dir / name)
    looks = looks_until_noticed(box)
    assert looks <= 10, "a small file is looked through in less than two minutes"
    for number in range(20):
        assert track(box, number) == 503
    refused = box.post("/identify", {"profileId": "ada", "websiteId": box.sites["shop"]}, key="all")
    assert refused.status == 503
    assert box.get("/health/ready").json["reason"] == f"{name} is damaged"
    metrics = box.ask("GET", "/metrics", headers={}, address="127.0.0.1").body.decode()
    assert 'analytics_box_warning{code="damage"} 1' in metrics


def test_disk_that_is_read_only_is_not_ready_before_anything_was_written(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with whole_box(data_dir) as box:
        assert box.get("/health/ready").status == 200
        # A second mount of the same folder: the disk of the open files would be busy.
        if subprocess.run(("mount", "--bind", data_dir, data_dir), capture_output=True, check=False).returncode:
            pytest.skip("only root can mount a disk again")
        try:
            subprocess.run(("mount", "-o", "remount,bind,ro", data_dir), check=True)
            answer = box.get("/health/ready")
            assert (answer.status, answer.json.get("reason")) == (503, "The disk is read-only")
        finally:
            subprocess.run(("umount", "-l", data_dir), check=True)
        assert box.get("/health/ready").status == 200


def health(url: str) -> int:
    connection = http.client.HTTPConnection(url.partition("//")[2], timeout=30)
    connection.request("GET", "/health/ready")
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.crash
@pytest.mark.parametrize("name", [schema.EVENTS_FILE, f"{schema.EVENTS_FILE}-wal"])
def test_events_under_load_are_refused_from_the_removal_of_a_file_on(tmp_path: Path, name: str) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    with serving(data_dir, **UNLIMITED) as server, Load(server.url, account, "load") as load:
        load.wait_until_acknowledged(50)
        (data_dir / name).rename(tmp_path / "aside")
        load.wait_until_refused(10 * CLIENTS)  # what was committed before the removal is answered by then
        acknowledged = len(load.acknowledged)
        load.wait_until_refused(20 * CLIENTS)
        assert len(load.acknowledged) == acknowledged
        assert health(server.url) == 503


@pytest.mark.crash
@pytest.mark.parametrize("name", [schema.EVENTS_FILE, schema.BOX_FILE])
def test_running_process_notices_a_damaged_file_while_its_commits_succeed(tmp_path: Path, name: str) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    with serving(data_dir, **UNLIMITED):
        pass  # a stop folds the logs back
    with serving(data_dir, **UNLIMITED) as server, Load(server.url, account, "load") as load:
        load.wait_until_acknowledged(50)
        overwrite(data_dir / name, 0.2, 1)
        server.wait_until_printed(f"{name} is damaged: stop the server and restore a backup of both databases")
        load.wait_until_refused(10 * CLIENTS)
        acknowledged = len(load.acknowledged)
        load.wait_until_refused(20 * CLIENTS)
        assert len(load.acknowledged) == acknowledged
        assert health(server.url) == 503
