"""A box makes its backups by itself, and administrators are told when one failed or is overdue."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from analytics_box.app import jobs
from analytics_box.app.watch import routes
from analytics_box.app.watch.state import WatchedParts
from analytics_box.base.backup import record, restore, take
from analytics_box.base.backup.backups import Backups
from analytics_box.base.backup.places import FolderPlace
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.settings import Settings
from tests.inprocess import NOON, WholeBox, whole_box


def adjusted(**changed: Any) -> Callable[[Settings], Settings]:
    return lambda given: replace(given, **changed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "backups"
    made.mkdir()
    return made


@pytest.fixture
def box(tmp_path: Path, folder: Path) -> Iterator[WholeBox]:
    """A box that backs up every 24 hours and keeps two."""
    with whole_box(tmp_path / "data", adjust=adjusted(backup_to=str(folder), backup_keep=2)) as made:
        yield made


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[WholeBox]:
    """A box without backups."""
    with whole_box(tmp_path / "plain") as made:
        yield made


def minute(box: WholeBox, *, hours: float = 0) -> None:
    """The job runs, once some time has passed."""
    box.clock.advance(seconds=hours * 3_600)
    box.run(jobs.back_up(box.box))


def page(box: WholeBox, cookie: str = "") -> str:
    answer = box.get("/sites", accept="text/html", cookie=cookie or box.cookie)
    assert answer.status == 200
    return answer.body.decode()


def test_backups_are_made_when_they_are_due_and_old_ones_go(box: WholeBox, folder: Path) -> None:
    made = []
    for hours in (0, 1, 22.9, 0.2, 24, 24):
        minute(box, hours=hours)
        made.append(sorted(path.name[23:39] for path in folder.iterdir()))
    assert [len(names) for names in made] == [1, 1, 1, 2, 2, 2]
    assert made[-1] > made[-2] > made[-3]
    assert not (box.box.settings.data_dir / take.COPIES).exists()
    standing = box.box.parts[Backups].standing()
    assert standing.last is not None
    assert (standing.failed, standing.overdue, standing.every) == (None, False, 24)
    assert (standing.last.moment, standing.last.kind) == (box.clock.now(), "scheduled")
    assert "notice-warn" not in page(box)


def manifest_of(path: Path, passphrase: bytes = b"") -> dict[str, Any]:
    return dict(msgspec.to_builtins(restore.check(FolderPlace(path.parent), path.name, passphrase)))


@pytest.mark.parametrize("sealed", [False, True])
def test_a_backup_that_has_the_key_unencrypted_says_so(
    tmp_path: Path, folder: Path, sealed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "passphrase"
    file.write_text("a long passphrase\n")
    passphrase_file = str(file) if sealed else ""
    adjust = adjusted(backup_to=str(folder), backup_passphrase_file=passphrase_file)
    with whole_box(tmp_path / "data", adjust=adjust) as box:
        (tmp_path / "data" / "secret.key").write_bytes(b"k" * 32)
        minute(box)
        (made,) = folder.iterdir()
        shown = box.get("/settings/box/backups", accept="text/html", cookie=box.cookie).body.decode()
    assert (made.suffix == ".sealed") is sealed
    notice = manifest_of(made, b"a long passphrase" if sealed else b"")["notice"]
    assert ["secret.key unencrypted" in text for text in (notice, caplog.text, shown)] == [not sealed] * 3


def test_a_failed_backup_is_said_on_every_page_until_one_is_whole(box: WholeBox, folder: Path) -> None:
    folder.rmdir()
    minute(box)
    assert "is not a folder. Create it, or mount its disk" in page(box)
    minute(box, hours=0.5)
    assert len(record.read_record(box.box.settings.data_dir)) == 1, "not tried again so soon"
    folder.mkdir()
    minute(box, hours=0.6)
    assert len(list(folder.iterdir())) == 1
    assert "notice-warn" not in page(box)
    assert "Failed: " in box.get("/settings/box/backups", accept="text/html", cookie=box.cookie).body.decode()


def test_an_overdue_backup_is_said(box: WholeBox) -> None:
    minute(box)
    box.clock.advance(seconds=47 * 3_600)
    assert "notice-warn" not in page(box)
    box.clock.advance(seconds=2 * 3_600)
    assert "The last backup is 2 days old." in page(box)


def test_a_box_without_backups_says_so_after_a_week(plain: WholeBox) -> None:
    minute(plain)
    plain.clock.advance(seconds=7 * 86_400 - 60)
    assert "notice-warn" not in page(plain)
    plain.clock.advance(seconds=120)
    assert "This server has never been backed up." in page(plain)
    assert "No backups yet" in plain.get("/settings/box/backups", accept="text/html", cookie=plain.cookie).body.decode()
    plain.run(plain.box.parts[Backups].note(BackupEntry("upgrade", "/x", plain.clock.now(), moment=plain.clock.now())))
    assert "never been backed up" in page(plain), "one on the same disk is none"
    plain.run(plain.box.parts[Backups].note(BackupEntry("command", "/x", plain.clock.now(), moment=plain.clock.now())))
    assert "notice-warn" not in page(plain)


def test_only_administrators_of_the_box_are_told(plain: WholeBox) -> None:
    plain.clock.advance(seconds=30 * 86_400)
    assert "notice-warn" in page(plain)
    plain.box.box_db.write_now(lambda db: db.execute("update users set is_administrator = 0").fetchall())
    cookie = plain.cookie
    assert "notice-warn" not in page(plain, cookie)
    assert "recent-title" not in plain.get("/settings/box/backups", accept="text/html", cookie=cookie).body.decode()


def test_the_figures_say_it(box: WholeBox, folder: Path) -> None:
    def said() -> dict[str, float]:
        found = box.run(routes.figures(box.box.parts[WatchedParts]))
        prefix = "analytics_box_backup_"
        return {one.name.removeprefix(prefix): one.samples[""] for one in found if one.name.startswith(prefix)}

    assert said() == {"failed": False, "overdue": False, "last_seconds": 0}
    minute(box)
    assert said() == {"failed": False, "overdue": False, "last_seconds": NOON / 1000}
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    minute(box, hours=50)
    assert said() == {"failed": True, "overdue": True, "last_seconds": NOON / 1000}


def test_the_last_whole_backup_is_never_forgotten(tmp_path: Path) -> None:
    record.add(tmp_path, BackupEntry("command", "/x", 1, moment=1, name="good"))
    for number in range(50):
        record.add(tmp_path, BackupEntry("scheduled", "/x", number + 2, error="no"))
    found = record.read_record(tmp_path)
    assert (len(found), found[0].name) == (31, "good")
    (tmp_path / record.FILE).write_text("{")
    assert record.read_record(tmp_path) == []


def test_a_box_that_stops_breaks_its_backup_off(box: WholeBox, folder: Path) -> None:
    box.box.parts[Backups].stop()
    minute(box)
    assert list(folder.iterdir()) == []
    assert record.read_record(box.box.settings.data_dir) == []
    assert not (box.box.settings.data_dir / take.COPIES).exists()


def test_backup_that_finds_damage_makes_it_known(box: WholeBox) -> None:
    numbers = "with recursive n(i) as (values(1) union all select i + 1 from n where i < 4000)"
    box.box.events.db.write_now(
        lambda db: db.execute(f"create table unread as {numbers} select i, randomblob(400) b from n").fetchall()
    )
    box.reopen()
    with (box.box.settings.data_dir / "events.db").open("r+b") as file:
        file.seek(-40 * 8_192, 2)
        file.write(b"\xff" * 10 * 8_192)
    assert box.get("/health/ready").status == 200, "it has not been read yet"
    minute(box)
    failed = box.box.parts[Backups].standing().failed
    assert failed is not None
    assert "events.db is damaged" in failed.error
    assert box.get("/health/ready").json == {"status": "unavailable", "reason": "events.db is damaged"}
