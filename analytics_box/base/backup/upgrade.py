"""Upgrades of the files of an older version. A backup is created first if stored rows are rewritten.

While the steps run, a file says that they do and which backup was made before. A start that finds it goes on where the
last one was broken off, and makes no backup of files that are half way.
"""

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from analytics_box.base.backup import record, take
from analytics_box.base.backup.failures import BackupFailed
from analytics_box.base.backup.places import FolderPlace
from analytics_box.base.backup.take import BackupOptions
from analytics_box.base.clock import Clock
from analytics_box.base.settings import Settings
from analytics_box.base.store import migrations, pairing, schema, snapshot, trouble
from analytics_box.base.store.files import sync, write_private
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

MARK: Final = "upgrading"
KEPT: Final = 2
_ROWS_A_SECOND: Final = 100_000  # rewritten by a step; measured with two cores and an SSD
_BYTES_A_SECOND: Final = 20_000_000  # copied, looked through, packed and read again, measured in the same way


class UpgradeStep(Struct, frozen=True):
    """A step that a file still has to take, and how many rows it writes again."""

    file: str
    name: str
    rows: int


class Upgrade(Struct, frozen=True):
    """The next start's changes to the files. `seconds` is a rough estimate; `backup` says whether one is made first."""

    steps: tuple[UpgradeStep, ...]
    backup: bool
    bytes: int
    seconds: float


def pending(settings: Settings) -> Upgrade:
    """Return the next start's changes to the files. Raises NewerSchema, OutdatedSchema and DamagedFile."""
    return _pending(settings, migrations.look(settings.data_dir))


def refusal(settings: Settings) -> str:
    """The reason why the next start would refuse the files, in its words; empty if it would not."""
    directory = settings.data_dir
    try:
        with trouble.in_words(directory):
            pairing.check(directory, pairing.look(directory))
    except (
        *(pairing.NotAPair, migrations.NewerSchema, migrations.OutdatedSchema, migrations.DamagedFile),
        trouble.DataTrouble,
    ) as refused:
        return str(refused)
    return trouble.write_refusal(directory)


def _pending(settings: Settings, seen: migrations.Seen) -> Upgrade:
    directory = settings.data_dir
    steps = tuple(_steps(directory, seen))
    rows, size = sum(step.rows for step in steps), snapshot.size(directory)
    backup = bool(rows) and settings.upgrade_backup == "on" and not (directory / MARK).exists()
    seconds = rows / _ROWS_A_SECOND + (size / _BYTES_A_SECOND if backup else 0)
    return Upgrade(steps, backup, size, round(seconds, 1))


def _steps(directory: Path, seen: migrations.Seen) -> Iterator[UpgradeStep]:
    """The pending steps. Tables that an earlier one has yet to make count as many rows as that one rewrites."""
    before = 0
    for file, name in migrations.pending(directory, seen):
        rows, all_there = snapshot.rows_in(directory, file, schema.REWRITES.get(name, ()))
        rows = rows if all_there else max(rows, before)
        before = max(rows, before)
        yield UpgradeStep(file, name, rows)


def prepare(settings: Settings, clock: Clock) -> pairing.PairState:
    """Before the steps: make a backup if they write rows again; what a look at the files said.

    The caller holds the lock of the data directory. Raises BackupFailed, NewerSchema, OutdatedSchema and DamagedFile.
    """
    looked = pairing.look(settings.data_dir)
    upgrade = _pending(settings, looked.seen)
    if upgrade.backup:
        _back_up_before(settings, clock, upgrade)
    elif upgrade.steps:
        log.info(
            "This version changes the files (%s) without a backup first: %s",
            ", ".join(f"{step.file}: {step.name}" for step in upgrade.steps),
            _no_backup(settings, upgrade),
        )
    return looked


def _no_backup(settings: Settings, upgrade: Upgrade) -> str:
    if not any(step.rows for step in upgrade.steps):
        return "it rewrites no stored rows"
    return "an earlier start created it" if (settings.data_dir / MARK).exists() else "upgrade_backup is off"


def _back_up_before(settings: Settings, clock: Clock, upgrade: Upgrade) -> None:
    log.info(
        "This version rewrites %d rows, after a backup of %d MB; about %.0f s",
        *(sum(step.rows for step in upgrade.steps), upgrade.bytes // 1_000_000, upgrade.seconds),
    )
    try:
        name = _back_up(settings, clock, upgrade.bytes)
    except BackupFailed as failed:
        raise BackupFailed(
            _(
                "{failed}. This version rewrites stored rows and creates a backup first. If you "
                'have a backup elsewhere, set upgrade_backup = "off" to continue without'
            ).format(failed=failed)
        ) from failed
    write_private(settings.data_dir / MARK, name.encode())
    log.info("The previous files are in %s", name)


def _back_up(settings: Settings, clock: Clock, size: int) -> str:
    folder = settings.data_dir / migrations.BACKUPS
    take.look_for_room(settings, 2 * size, "An upgrade needs a copy of both files and a backup of them")
    folder.mkdir(mode=0o700, exist_ok=True)
    copy = take.copy(settings, (), clock)
    try:
        wanted = BackupOptions(kind="upgrade", keep=KEPT, rest="before-upgrade")
        entry = take.finish(settings, copy, FolderPlace(folder), wanted, clock)
    finally:
        take.remove(Path(copy.folder))
    sync(settings.data_dir)
    record.add(settings.data_dir, entry)
    return entry.name


def mark_done(settings: Settings) -> None:
    """After the steps."""
    with suppress(FileNotFoundError):
        (settings.data_dir / MARK).unlink()
        sync(settings.data_dir)
