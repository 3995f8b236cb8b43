"""Below a mark of free disk nothing is taken that strangers send, while people sign in, export and delete."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.app import jobs
from analytics_box.base.settings import Settings
from analytics_box.base.store.reserve import LOW, Disk, Reserve
from tests.inprocess import WholeBox, whole_box

MB = 1_000_000
BIG = 100_000 * MB


class FakeDisk:
    """A disk of which a test says how much is free."""

    def __init__(self, total: int = BIG) -> None:
        self.total, self.free = total, total

    def __call__(self, _directory: Path) -> Disk:
        return Disk(self.total, self.free)


@pytest.mark.parametrize(
    ("total", "mark", "free", "low"),
    [
        (BIG, 512 * MB, 512 * MB, False),
        (BIG, 512 * MB, 511 * MB, True),
        (BIG, 0, 0, False),
        (1_000 * MB, 512 * MB, 50 * MB, False),
        (1_000 * MB, 512 * MB, 49 * MB, True),
    ],
)
def test_the_mark_is_the_setting_or_a_twentieth_of_a_small_disk(
    tmp_path: Path, total: int, mark: int, free: int, low: bool
) -> None:
    disk = FakeDisk(total)
    kept = Reserve(tmp_path, mark, disk)
    disk.free = free
    kept.look()
    assert kept.refusal == (LOW if low else "")


def test_events_are_taken_again_when_a_little_more_than_the_mark_is_free(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FakeDisk()
    kept = Reserve(tmp_path, 500 * MB, disk)
    found = []
    for free in (600, 499, 501, 549, 551, 501, 499):
        disk.free = free * MB
        kept.look()
        found.append(kept.is_low)
    assert found == [False, True, True, True, False, False, True]
    lines = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert len(lines) == 2, "one line each time"
    assert "Less than 500 MB" in lines[0]


def test_a_disk_that_cannot_be_looked_at_changes_nothing(tmp_path: Path) -> None:
    def broken(_directory: Path) -> Disk:
        raise OSError(5, "Input/output error")

    kept = Reserve(tmp_path, 500 * MB, broken)
    kept.look()
    assert kept.refusal == ""


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def test_a_box_that_starts_on_a_low_disk_takes_no_events(tmp_path: Path) -> None:
    disk = FakeDisk()
    disk.free = 100 * MB
    kept = Reserve(tmp_path, 500 * MB, disk)
    kept.keep_from_start()
    assert kept.refusal == LOW


def test_the_mark_is_a_setting_of_the_box() -> None:
    assert Settings().least_free_mb == 512
    assert next(job.seconds for job in jobs.JOBS if job.name == "look at the disk") == 5


def test_events_are_refused_and_everything_else_goes_on(box: WholeBox) -> None:
    site = box.sites["shop"]
    disk = box.box.reserve.disk = FakeDisk()

    def events() -> list[int]:
        by_page = box.post(f"/?client_id={site}", {"name": "x"}, origin="https://shop.example")
        by_key = box.post("/track", {"name": "x", "websiteId": site}, key="all")
        person = box.post("/identify", {"profileId": "ada", "websiteId": site}, key="all")
        pixel = box.get(f"/px.jpg?client_id={site}&name=x")
        for answer in (by_page, by_key, person, pixel):
            assert answer.status == 200 or answer.headers["retry-after"] == "60"
        return [answer.status for answer in (by_page, by_key, person, pixel)]

    assert events() == [200] * 4
    disk.free = 100 * MB
    assert events() == [200] * 4, "the disk is not looked at for a request"
    box.run(jobs.look_at_disk(box.box))
    assert events() == [503] * 4
    refused = box.post("/track", {"name": "x", "websiteId": site}, key="all").json
    assert (refused["reason"], refused["retryable"]) == ("DELIVERY_UNAVAILABLE", True)
    assert box.get("/health").status == 200
    ready = box.get("/health/ready")
    assert (ready.status, ready.json["reason"]) == (503, "Events are refused, because little of the disk is free")
    assert box.get("/sites", cookie=box.cookie).status == 200
    assert box.sign_in(box.user_id), "somebody signs in"
    exported = box.post("/v1/export/data", {"website_id": site, "format": "json"}, key="all")
    assert exported.status == 200
    assert box.post("/websites/delete", {"id": box.sites["blog"]}, key="all").status == 200
    disk.free = BIG
    box.run(jobs.look_at_disk(box.box))
    assert events() == [200] * 4
