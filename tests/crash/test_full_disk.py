"""A disk that is really full: the box says so, starts, redirects and deletes, and takes events once there is room."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from analytics_box.app import jobs
from analytics_box.base.store import reserve
from tests.inprocess import WholeBox, whole_box
from tests.running import command, environment, set_up

DISK = 48 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(place)), capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run(("umount", "-l", str(place)), check=True)


def fill_up(disk: Path, *, leave: int = 0) -> Path:
    """Take all the space that is left, but for so many bytes."""
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (1 << 20, 4096):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)
    os.truncate(filler, filler.stat().st_size - leave)
    return filler


def track(box: WholeBox) -> int:
    properties = {str(number): "x" * 90 for number in range(20)}
    event = {"name": "seen", "websiteId": box.sites["shop"], "properties": properties}
    return box.post("/track", event, key="all").status


def fill_with_events(box: WholeBox) -> int:
    """Send events until the box refuses; how many it took."""
    for taken in range(20_000):
        if track(box) != 200:
            return taken
        box.clock.advance(seconds=1)
    raise AssertionError("the disk is never full")


def test_a_full_disk_refuses_events_but_people_can_delete_and_all_goes_on_with_room(
    disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with whole_box(disk / "data") as box:
        filler = fill_up(disk)
        fill_with_events(box)
        for _ in range(30):
            assert track(box) == 503
        lines = [record for record in caplog.records if record.levelname in {"WARNING", "ERROR"}]
        assert len(lines) <= 4, [record.message for record in lines]
        assert "The disk of" in caplog.text
        cookie = {"cookie": box.cookie}
        deleted = box.ask(
            "POST",
            "/websites/delete",
            headers={"content_type": "application/json", **cookie},
            body=b'{"id": "%s"}' % box.sites["blog"].encode(),
        )
        assert deleted.status == 200, deleted.body
        box.reopen()
        assert track(box) == 503, "started again on the full disk"
        filler.unlink()
        (look,) = (job for job in jobs.JOBS if job.run is jobs.look_at_disk)
        assert look.seconds == 5, "as the manual says"
        box.run(jobs.run_job(look, box.box))
        assert track(box) == 200
        assert (disk / "data" / reserve.FILE).stat().st_size == reserve.SIZE


def test_a_reserve_is_not_made_on_a_disk_that_has_little_room(disk: Path) -> None:
    fill_up(disk, leave=20 << 20)
    with whole_box(disk / "data") as box:
        assert track(box) == 200
        assert not (disk / "data" / reserve.FILE).exists()


@pytest.mark.crash
def test_a_disk_without_any_room_is_named_in_one_line(disk: Path) -> None:
    set_up(disk / "data")
    for path in disk.glob("data/*"):
        if path.name == reserve.FILE:
            path.unlink()
    fill_up(disk)
    ended = subprocess.run(
        command("serve"),
        env=environment(data_dir=disk / "data", port=0),
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(
        f"Error: The disk of {disk / 'data'} is full. Free up some megabytes"
    )
    assert "Traceback" not in ended.stderr
