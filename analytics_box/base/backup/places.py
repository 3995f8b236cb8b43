"""Destinations of backups: a folder, a pipe, or storage that speaks S3. A backup is there whole or not at all."""

import errno
import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, cast

from analytics_box.base.backup import manifest as manifests
from analytics_box.base.backup.failures import BackupFailed, BackupNoRoom, NotReached
from analytics_box.base.settings import Settings
from analytics_box.base.store.files import sync
from analytics_box.base.translation import _

PIPE: Final = "-"
S3: Final = "s3://"
_PART: Final = ".part"
_FULL: Final = {errno.ENOSPC, errno.EDQUOT}


class Sink(Protocol):
    """A destination of bytes."""

    def write(self, content: bytes, /) -> Any: ...


class BackupPlace(Protocol):
    """Somewhere that holds backups by their names. `shown` says where, without secrets."""

    shown: str

    def writing(self, name: str) -> AbstractContextManager[Sink]:
        """A new backup, which is there once the context has ended well. Raises NotReached or BackupNoRoom."""

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A backup. Raises NotReached."""

    def look(self) -> None:
        """See whether backups can lie there, before one is made. Raises NotReached."""

    def names(self) -> list[str]:
        """The files there that are called as backups are. Raises NotReached."""

    def remove(self, name: str) -> None:
        """Remove a backup. Raises NotReached."""

    def full_name(self, name: str) -> str:
        """The name of this backup for users."""


def place_of(text: str, settings: Settings) -> BackupPlace:
    """The place that a user has named. Raises BackupFailed or NotReached."""
    if text == PIPE:
        return Pipe()
    if text.startswith(S3):
        from analytics_box.base.backup.buckets import BucketPlace  # noqa: PLC0415  its library is an extra, and 15 MB

        return BucketPlace(text, settings)
    if "://" in text:
        raise BackupFailed(_("{text}: enter a folder, - for a pipe, or s3://bucket/prefix").format(text=text))
    return FolderPlace(Path(text).expanduser())


def shown_as(text: str) -> str:
    """The display name of the place that a user has named. It need not exist."""
    return text.rstrip("/") if "://" in text or text == PIPE else str(Path(text).expanduser().absolute())


def source_of(text: str, settings: Settings, box: str = "") -> tuple[BackupPlace, str]:
    """The backup that a user has named: a file, or the newest one of a folder or a prefix, of this box if it has any.

    Raises BackupFailed.
    """
    if text == PIPE:
        return Pipe(), PIPE
    parent, _slash, name = text.rpartition("/")
    if manifests.is_name(name) and text.startswith(S3):
        return place_of(parent, settings), name
    if not text.startswith(S3) and "://" not in text and not Path(text).expanduser().is_dir():
        path = Path(text).expanduser()
        return FolderPlace(path.parent), path.name
    place = place_of(text, settings)
    name = manifests.newest(place.names(), box)
    if not name:
        raise NotReached(_("There is no backup in {text}").format(text=text))
    return place, name


class Pipe:
    """Standard input and output."""

    shown = PIPE

    @contextmanager
    def writing(self, name: str) -> Iterator[Sink]:
        """Standard output, whatever the name."""
        with _in_words("standard output"):
            yield cast(Sink, _All(sys.stdout.buffer))
            sys.stdout.buffer.flush()

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """Standard input."""
        with _in_words("standard input"):
            yield sys.stdin.buffer

    def look(self) -> None:
        """Do nothing: a pipe is checked when it is written to."""
        if sys.stdout.isatty():
            raise BackupFailed(
                _("A backup cannot be written to a terminal. Redirect it: analytics-box backup - > FILE")
            )

    def names(self) -> list[str]:
        """No names: a pipe cannot be listed."""
        return []

    def remove(self, name: str) -> None:
        """Nothing is kept here."""

    def full_name(self, name: str) -> str:
        """The name unchanged."""
        return PIPE


class _All:
    """A raw stream may take less than it is given."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, content: bytes) -> None:
        """Write all of it."""
        left = memoryview(content)
        while left:
            left = left[self._stream.write(left) or 0 :]


class FolderPlace:
    """A folder, which has to be there: one that is made could be where a disk was to be mounted."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self.shown = str(self._path)

    @contextmanager
    def writing(self, name: str) -> Iterator[Sink]:
        """Written under another name, synced, and renamed."""
        with _in_words(self.shown):
            self.look()
            self._sweep()
            part = self._path / f".{name}{_PART}"
            opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(opened, "wb") as file:
                    with suppress(OSError):  # network file systems may not know how
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                part.rename(self._path / name)
                sync(self._path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise

    def look(self) -> None:
        """Check that it is a folder that can be written to."""
        if not self._path.is_dir():
            raise NotReached(_("{path} is not a folder. Create it, or mount its disk").format(path=self._path))
        if not os.access(self._path, os.W_OK | os.X_OK):
            raise NotReached(_("{path} cannot be written to").format(path=self._path))

    def _sweep(self) -> None:
        """Remove what backups left that were broken off; one that is being written is locked."""
        for part in self._path.glob(f".analytics-box-*{_PART}"):
            with suppress(OSError), part.open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """The file as it is."""
        with _in_words(str(self._path / name)), (self._path / name).open("rb") as file:
            yield file

    def names(self) -> list[str]:
        """The names in the folder."""
        with _in_words(self.shown):
            return [path.name for path in self._path.iterdir() if manifests.is_name(path.name)]

    def remove(self, name: str) -> None:
        """Remove the file."""
        with _in_words(self.full_name(name)):
            (self._path / name).unlink(missing_ok=True)

    def full_name(self, name: str) -> str:
        """Its path."""
        return str(self._path / name)


@contextmanager
def _in_words(what: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as closed:
        raise NotReached(_("The program that read the backup ended before it was complete")) from closed
    except OSError as broken:
        if broken.errno in _FULL:
            raise BackupNoRoom(_("There is not enough space for the backup in {what}").format(what=what)) from broken
        raise NotReached(f"{what}: {broken.strerror or broken}") from broken
