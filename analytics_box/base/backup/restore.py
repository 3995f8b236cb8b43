"""A backup comes back: looked through first, both files or none, and what was there is kept aside.

The backup is unpacked next to the files of the data directory and looked through there. Then a journal says which files
change places. From that moment on the restore is completed, if need be by the next process that opens the data
directory. Before that, nothing is touched.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.backup import upgrade
from analytics_box.base.backup.failures import BackupFailed, BackupNoRoom, GoingOn, NotABackup
from analytics_box.base.backup.manifest import BackedUpTable, Manifest
from analytics_box.base.backup.places import BackupPlace
from analytics_box.base.backup.take import PARTS
from analytics_box.base.settings import FILE_NAME
from analytics_box.base.store import migrations, running, schema, snapshot
from analytics_box.base.store.files import sync, write_private
from analytics_box.base.store.seal import KEY_FILE
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

JOURNAL: Final = "restoring"
NEW: Final = "restored.new"
_LOGS: Final = ("", "-wal", "-shm", "-journal")
_DERIVED: Final = (  # rebuilt from events.db
    *("columns.duckdb", "columns.duckdb.wal", "clickhouse.json"),
    *("rollups.db", "rollups.db-wal", "rollups.db-shm"),
)
_MEGABYTE: Final = 1_000_000
_SPARE: Final = 16 * _MEGABYTE


class Journal(Struct, frozen=True):
    """The files to move from the data directory into its folder `aside`, and those that replace them."""

    aside: str
    move: list[str]
    install: list[str]


class RestoreLoss(Struct, frozen=True):
    """The rows of a data directory that came after a backup. `changes` are in the audit log."""

    events: int = 0
    clicks: int = 0
    changes: int = 0


class RestoreCandidate(Struct, frozen=True):
    """A backup that has been looked through, and what it would replace; `other_box` says that it is not of this box."""

    manifest: Manifest
    there: bool
    other_box: bool
    loss: RestoreLoss


def check(place: BackupPlace, name: str, passphrase: bytes, going_on: GoingOn = lambda: None) -> Manifest:
    """Look a backup through where it is, as a restore would, without a data directory. Raises BackupFailed and its
    kinds.

    It is unpacked into a temporary folder, because a database has to be opened.
    """
    with tempfile.TemporaryDirectory(prefix="analytics-box-") as made:
        return _unpack(place, name, passphrase, Path(made), going_on)


def prepare(
    directory: Path, place: BackupPlace, name: str, passphrase: bytes, going_on: GoingOn = lambda: None
) -> RestoreCandidate:
    """Unpack a backup next to the files of a data directory and look it through. Raises BackupFailed and its kinds.

    The caller holds the lock of the data directory, and calls `commit` or `undo` next.
    """
    undo(directory)
    (directory / NEW).mkdir(mode=0o700)
    try:
        manifest = _unpack(place, name, passphrase, directory / NEW, going_on)
        if manifest.key == "left out" and not (directory / KEY_FILE).exists():
            log.warning(
                "This backup has no %s, and neither has %s: add it before you start the server, otherwise "
                "encrypted data cannot be read",
                *(KEY_FILE, directory),
            )
        return _candidate(directory, manifest)
    except BaseException:
        undo(directory)
        raise


def box_of(directory: Path) -> str:
    """The id of the box in a data directory; empty if it cannot be told."""
    return snapshot.box_id_of(directory) if (directory / schema.BOX_FILE).exists() else ""


def undo(directory: Path) -> None:
    """Forget a restore that has not been committed."""
    shutil.rmtree(directory / NEW, ignore_errors=True)


def _unpack(place: BackupPlace, name: str, passphrase: bytes, folder: Path, going_on: GoingOn) -> Manifest:
    def wanted(manifest: Manifest) -> Path:
        _check_what_it_is(manifest)
        free = shutil.disk_usage(folder).free
        if free < manifest.bytes + _SPARE:
            raise BackupNoRoom(
                _(
                    "The backup takes {bytes:,.0f} MB unpacked, but only {free:,.0f} MB are free on "
                    "the disk of {parent}"
                ).format(bytes=manifest.bytes / _MEGABYTE, free=free / _MEGABYTE, parent=folder.parent)
            )
        return folder

    from analytics_box.base.backup.archive import unpack  # noqa: PLC0415  # see archive

    with place.reading(name) as source:
        manifest = unpack(source, passphrase, wanted, going_on)
    for part in manifest.parts:
        sync(folder / part.name)
    sync(folder)
    try:
        contents = snapshot.examine(folder, going_on)
    except snapshot.NotSound as broken:
        raise NotABackup(_("This backup cannot be restored: {broken}").format(broken=broken)) from broken
    if (contents.box_id, contents.steps) != (manifest.box, manifest.steps):
        raise NotABackup(_("This backup was modified: its files do not match its manifest"))
    return manifest


def _check_what_it_is(manifest: Manifest) -> None:
    names = [part.name for part in manifest.parts]
    if len(set(names)) < len(names) or not set(snapshot.FILES) <= set(names) <= set(PARTS):
        raise NotABackup(_("This backup was modified: files are missing or unexpected"))
    for file in snapshot.FILES:
        steps = manifest.steps.get(file, ())
        if reason := migrations.outdated(file, steps):
            raise NotABackup(_("This backup cannot be restored: its {file} {reason}").format(file=file, reason=reason))
        if unknown := migrations.unknown_steps(file, steps):
            raise NotABackup(
                _(
                    "This backup was made by a newer version of Analytics Box ({version}: its {file} "
                    "has {unknown}). Install that version, then restore"
                ).format(version=manifest.version, file=file, unknown=", ".join(unknown))
            )


def _candidate(directory: Path, manifest: Manifest) -> RestoreCandidate:
    there = any((directory / name).exists() for name in snapshot.FILES)
    if not there:
        return RestoreCandidate(manifest, there=False, other_box=False, loss=RestoreLoss())
    return RestoreCandidate(
        manifest,
        there=True,
        other_box=bool(manifest.box) and snapshot.box_id_of(directory) not in {"", manifest.box},
        loss=_loss(directory, manifest),
    )


def _loss(directory: Path, manifest: Manifest) -> RestoreLoss:
    now = snapshot.tables_of(directory)

    def later(file: str, table: str) -> int:
        if table not in now[file]:
            return 0
        before = manifest.tables[file].get(table, BackedUpTable(0, 0))
        return snapshot.rows_after(directory, file, table, before.last or 0)

    return RestoreLoss(
        events=later(schema.EVENTS_FILE, "stored_events"),
        clicks=later(schema.EVENTS_FILE, "link_clicks"),
        changes=later(schema.BOX_FILE, "audit"),
    )


def commit(directory: Path, found: RestoreCandidate, now: int) -> Path | None:
    """Put the files in their places. Returns where those are kept that were there, if any were."""
    new = directory / NEW
    install = [part.name for part in found.manifest.parts]
    theirs, ours = new / KEY_FILE, directory / KEY_FILE
    if theirs.is_file() and ours.is_file() and theirs.read_bytes() == ours.read_bytes():
        install.remove(KEY_FILE)
    if FILE_NAME in install and (directory / FILE_NAME).exists():  # what is there is of this machine
        install.remove(FILE_NAME)
    databases = [name + suffix for name in snapshot.FILES for suffix in _LOGS]
    marks = [running.RUNNING_FILE, running.UNCHECKED_FILE, upgrade.MARK]
    move = [name for name in dict.fromkeys((*databases, *marks, *install)) if (directory / name).exists()]
    aside = _free_name(directory, f"before-restore-{datetime.fromtimestamp(now / 1000, UTC):%Y%m%dT%H%M%SZ}")
    journal = Journal(aside, move, install)
    write_private(directory / JOURNAL, msgspec.json.encode(journal))
    _finish(directory)
    return directory / aside if move else None


def _free_name(directory: Path, wanted: str) -> str:
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, 1_000)))
    return next(name for name in names if not (directory / name).exists())


def complete(directory: Path) -> None:
    """Finish a restore that was broken off after its journal was written; else forget what was unpacked.

    The caller holds the lock of the data directory, and has no file of it open.
    """
    if _finish(directory):
        log.warning("Completed an interrupted restore of %s", directory)
    elif (directory / NEW).exists():
        log.warning("A restore was interrupted before it changed anything. The data is unchanged")
        undo(directory)


def _finish(directory: Path, crossed: Callable[[], None] = lambda: None) -> bool:
    """Do what the journal says, or what is left of it; whether there is one. `crossed` is called between steps."""
    try:
        journal = msgspec.json.decode((directory / JOURNAL).read_bytes(), type=Journal)
    except FileNotFoundError:
        return False
    except (OSError, msgspec.DecodeError) as broken:
        raise BackupFailed(
            _("{directory} cannot be read: {broken}").format(directory=directory / JOURNAL, broken=broken)
        ) from broken
    aside, new = directory / journal.aside, directory / NEW
    if journal.move:
        aside.mkdir(mode=0o700, exist_ok=True)
    for name in _DERIVED:
        (directory / name).unlink(missing_ok=True)
    for name in journal.move:
        is_installed = name in journal.install and not (new / name).exists()
        if not is_installed and (directory / name).exists():
            crossed()
            (directory / name).rename(aside / name)
    for folder in (aside, directory):
        if folder.exists():
            sync(folder)
    for name in journal.install:
        if (new / name).exists():
            crossed()
            (new / name).rename(directory / name)
    crossed()
    sync(directory)
    with suppress(FileNotFoundError):
        shutil.rmtree(new)
    crossed()
    os.unlink(directory / JOURNAL)
    sync(directory)
    return True
