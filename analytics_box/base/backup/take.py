"""A backup: copy both files as they are at one moment, look the copy through, and write it where it is to lie."""

import fcntl
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from analytics_box import __version__
from analytics_box.base import ids
from analytics_box.base.backup import manifest as manifests
from analytics_box.base.backup.failures import (
    BackupFailed,
    BackupNoRoom,
    GoingOn,
    NotABackup,
    UnsoundCopy,
    nobody_minds,
)
from analytics_box.base.backup.manifest import BackedUpTable, Kind, Manifest
from analytics_box.base.backup.places import PIPE, BackupPlace, Sink
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.clock import Clock
from analytics_box.base.settings import FILE_NAME, Settings, configuration_file
from analytics_box.base.store import snapshot, trouble
from analytics_box.base.store.db import Db
from analytics_box.base.store.seal import KEY_FILE
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

COPIES: Final = "copies"  # in the data directory: what backups are made of
_MEGABYTE: Final = 1_000_000
_SMALL_DISK: Final = 20  # the mark of least_free_mb is at most this part of a disk
PARTS: Final = (*snapshot.FILES, KEY_FILE, FILE_NAME)  # the files that a backup can have
_FRESH: Final = 60.0  # seconds
_LOOK: Final = 64  # megabytes between two looks at the disk


class BackupOptions(Struct, frozen=True):
    """Options of a backup. `keep` of 0 keeps all; without `with_key` encrypted values in the files stay unreadable."""

    kind: Kind = "command"
    passphrase: bytes = b""
    keep: int = 0
    with_key: bool = True
    rest: str = ""


class PairCopy(Struct, frozen=True):
    """A pair of copies in a folder, and the moment that they are of."""

    folder: str
    moment: int


def copy(settings: Settings, databases: Sequence[Db], clock: Clock, going_on: GoingOn = nobody_minds) -> PairCopy:
    """Copy both files of a data directory into their own folder there. The caller removes it in the end.

    The caller holds the lock of the data directory. Abandoned copies are removed first. Raises BackupFailed and its
    kinds.
    """
    directory = settings.data_dir
    for name in snapshot.FILES:
        if not (directory / name).is_file():
            raise BackupFailed(
                _("There is no {name} in {directory}. A backup needs both files").format(name=name, directory=directory)
            )
    sweep(directory)
    look_for_room(settings, snapshot.size(directory), "A backup needs a copy of both files")
    folder = directory / COPIES / ids.new_id()
    folder.mkdir(mode=0o700, parents=True)
    room = _Room(settings)

    def go_on() -> None:
        going_on()
        room.look()

    try:
        with trouble.in_words(directory):
            moment = snapshot.copy_pair(directory, folder, databases, go_on, clock.now)
    except BaseException as broken:
        remove(folder)
        if isinstance(broken, trouble.DataTrouble | snapshot.SnapshotLapse | OSError):
            raise BackupFailed(str(broken)) from broken
        raise
    return PairCopy(str(folder), moment)


def look_for_room(settings: Settings, size: int, what: str) -> None:
    """Raises BackupNoRoom where so many bytes more would leave less free than the box wants for its events."""
    free, mark = _free(settings)
    if free - size < mark:
        reserve = f", in addition to the {_mb(mark)} reserved by least_free_mb" if mark else ""
        raise BackupNoRoom(
            _(
                "{what}: {needed} are needed on the disk of {data_dir}{reserve}; {free} are free. Free some space"
            ).format(what=what, needed=_mb(size), data_dir=settings.data_dir, reserve=reserve, free=_mb(free))
        )


def _free(settings: Settings) -> tuple[int, int]:
    disk = shutil.disk_usage(settings.data_dir)
    return disk.free, min(settings.least_free_mb * _MEGABYTE, disk.total // _SMALL_DISK)


def _mb(size: int) -> str:
    return f"{-(-size // _MEGABYTE):,} MB"


class _Room:
    """Looks now and then at whether the disk of the box fills up while something is written to it."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._turns = settings, 0

    def look(self) -> None:
        """Raises BackupNoRoom before the box would have to refuse events."""
        self._turns += 1
        if self._turns % (_LOOK // 8) == 0:
            free, mark = _free(self._settings)
            if free < mark:
                raise BackupNoRoom(
                    _("The disk of {data_dir} fills up, so the backup was stopped. Free space").format(
                        data_dir=self._settings.data_dir
                    )
                )


@contextmanager
def working_on(folder: Path) -> Iterator[None]:
    """Keep others from sweeping a copy away."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as gone:
        raise BackupFailed(
            _("The copy in {folder} cannot be read ({strerror}). Try again").format(
                folder=folder, strerror=gone.strerror
            )
        ) from gone
    try:
        fcntl.flock(opened, fcntl.LOCK_SH)
        yield
    finally:
        os.close(opened)


def sweep(directory: Path, *, fresh: bool = False) -> None:
    """Remove the copies that nobody works on: their backups were broken off. One that has just been made may be wanted
    in a moment, so it stays, unless those are meant too.
    """
    if not (directory / COPIES).is_dir():
        return
    for folder in (directory / COPIES).iterdir():
        try:
            opened = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if fresh or time.time() - os.fstat(opened).st_mtime > _FRESH:
                remove(folder)
        except BlockingIOError:
            log.info("Creating a backup of %s", folder)
        finally:
            os.close(opened)
    _remove_if_empty(directory / COPIES)


def remove(folder: Path) -> None:
    """Remove a copy."""
    shutil.rmtree(folder, ignore_errors=True)
    _remove_if_empty(folder.parent)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # there is another copy in it
        folder.rmdir()


def finish(
    settings: Settings,
    made: PairCopy,
    place: BackupPlace,
    wanted: BackupOptions,
    clock: Clock,
    going_on: GoingOn = nobody_minds,
) -> BackupEntry:
    """Look a copy through and make a backup of it; then remove backups beyond those that are kept.

    Raises BackupFailed and its kinds. The copy stays.
    """
    from analytics_box.base.backup.archive import pack, part_of, unpack  # noqa: PLC0415  # see archive

    start, folder = time.monotonic(), Path(made.folder)
    with working_on(folder):
        try:
            contents = snapshot.examine(folder, going_on)
        except snapshot.NotSound as broken:
            raise UnsoundCopy(
                _("No backup was created: {broken}. Run `analytics-box check` for details").format(broken=broken)
            ) from broken
        files = _files(settings, folder, with_key=wanted.with_key)
        manifest = Manifest(
            format=manifests.FORMAT,
            version=__version__,
            kind=wanted.kind,
            box=contents.box_id,
            moment=made.moment,
            steps=contents.steps,
            tables={
                file: {name: BackedUpTable(table.rows, table.last) for name, table in tables.items()}
                for file, tables in contents.tables.items()
            },
            key=_key(settings, files),
            parts=[part_of(name, path, going_on) for name, path in files.items()],
            notice=manifests.KEY_IN_CLEAR if KEY_FILE in files and not wanted.passphrase else "",
        )
        name = manifests.name_of(contents.box_id, made.moment, sealed=bool(wanted.passphrase), rest=wanted.rest)
        with place.writing(name) as sink:
            counted = _CountingSink(
                sink, _Room(settings).look if _is_beside(place, settings.data_dir) else nobody_minds
            )
            pack(manifest, files, counted, wanted.passphrase, going_on)
    if place.shown != PIPE:
        try:
            with place.reading(name) as written:
                unpack(written, wanted.passphrase, lambda _part: None, going_on)
        except NotABackup:
            with suppress(BackupFailed):
                place.remove(name)
            raise
        _keep(place, contents.box_id, wanted, name)
    return BackupEntry(
        kind=wanted.kind,
        place=place.shown,
        ended=clock.now(),
        moment=made.moment,
        name=place.full_name(name),
        bytes=counted.bytes,
        seconds=snapshot.seconds_since(start),
        sealed=bool(wanted.passphrase),
        has_key=manifest.has(KEY_FILE),
    )


def _files(settings: Settings, folder: Path, *, with_key: bool) -> Mapping[str, Path]:
    """The files of a backup: the pair, and the small ones next to it that there are."""
    found = {name: folder / name for name in snapshot.FILES}
    small = {KEY_FILE: settings.data_dir / KEY_FILE, FILE_NAME: configuration_file(settings.data_dir)}
    for name, path in small.items():
        if (with_key or name != KEY_FILE) and path.is_file():
            own = folder / name  # it may change while it is read
            shutil.copyfile(path, own)
            found[name] = own
    return found


def _key(settings: Settings, files: Mapping[str, Path]) -> manifests.Key:
    if KEY_FILE in files:
        return "here"
    return "left out" if (settings.data_dir / KEY_FILE).is_file() else "none"


def _is_beside(place: BackupPlace, directory: Path) -> bool:
    """Whether a place is a folder on the disk of the box."""
    try:
        return Path(place.shown).is_dir() and os.stat(place.shown).st_dev == os.stat(directory).st_dev
    except OSError:
        return False


class _CountingSink:
    """A sink that counts."""

    def __init__(self, sink: Sink, look: Callable[[], None]) -> None:
        self._sink, self._look = sink, look
        self.bytes, self._looked = 0, 0

    def write(self, content: bytes) -> None:
        """Hand it on."""
        self._sink.write(content)
        self.bytes += len(content)
        if self.bytes - self._looked >= 8 << 20:
            self._looked = self.bytes
            self._look()


def _keep(place: BackupPlace, box: str, wanted: BackupOptions, newest: str) -> None:
    for name in manifests.too_many(place.names(), box, wanted.keep, rest=wanted.rest):
        if name != newest:
            place.remove(name)
            log.info("Removed the old backup %s", place.full_name(name))
