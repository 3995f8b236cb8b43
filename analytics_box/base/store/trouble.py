"""Messages for an operator, in one line, when the data directory cannot be used: the problem and what to do."""

import errno
import os
import pwd
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

_LITTLE = 1 << 20  # free bytes with which SQLite cannot even make its logs
_FULL = {errno.ENOSPC, errno.EDQUOT}
_REFUSED = {errno.EACCES, errno.EPERM}
_NOT_OPENED = {apsw.SQLITE_PERM, apsw.SQLITE_READONLY, apsw.SQLITE_CANTOPEN}
_DAMAGED = {apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB}
_HELD = {apsw.SQLITE_BUSY, apsw.SQLITE_LOCKED}


class DataTrouble(Exception):
    """The data directory cannot be used; the message says why and what to do."""


class Seldom:
    """Lets one line through in `seconds`, so that a disk that refuses does not fill the log."""

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._next = 0.0

    def __bool__(self) -> bool:
        """Whether the line may be written now."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True


@contextmanager
def in_words(directory: Path) -> Iterator[None]:
    """Raises DataTrouble instead of what the disk or a database raises inside."""
    try:
        yield
    except Exception as broken:
        if said := words(broken, directory):
            raise DataTrouble(said) from broken
        raise


def words(broken: BaseException, directory: Path) -> str:
    """The meaning of an error of the disk or of a database for this directory; empty for any other error."""
    if isinstance(broken, OSError):
        return _of_the_system(broken, directory)
    code = int(getattr(broken, "result", 0) or getattr(broken, "sqlite_errorcode", 0)) & 0xFF  # of apsw or sqlite3
    if code == apsw.SQLITE_FULL or (code in {apsw.SQLITE_IOERR, *_NOT_OPENED} and _is_full(directory)):
        return _full(directory)
    if code in _NOT_OPENED:
        return write_refusal(directory) or f"A database in {directory} cannot be opened: {broken}"
    if code in _DAMAGED:
        return (
            f"box.db or events.db in {directory} is damaged ({broken}); `analytics-box check` says which: "
            "restore a backup of both"
        )
    if code in _HELD:
        return f"Another program holds box.db or events.db in {directory} (sqlite3, a backup?); end it and start again"
    if code == apsw.SQLITE_IOERR:
        return f"The disk of {directory} reports an error ({broken}); look into the system's log (dmesg)"
    return ""


def write_refusal(directory: Path) -> str:
    """The reason why this user may not write there; empty if there is none."""
    if directory.is_dir() and os.statvfs(directory).f_flag & os.ST_RDONLY:
        return _read_only(directory)
    existing = next(
        path for path in (directory, *directory.absolute().parents) if os.path.exists(path)
    )  # where Path.exists would raise
    for path in (existing, *(sorted(directory.iterdir()) if os.access(directory, os.R_OK | os.X_OK) else ())):
        if not os.access(path, os.R_OK | os.W_OK):
            return _not_ours(path, directory)
    return ""


def _not_ours(path: Path, directory: Path) -> str:
    owner, user = path.stat().st_uid, os.geteuid()
    if owner == user:
        return f"{path} cannot be read and written, though it is yours: chmod u+rwX {path}"
    return (
        f"{path} belongs to {_name(owner)}, but this runs as {_name(user)}: run it as {_name(owner)}, "
        f"or hand the files over with chown -R {_name(user)} {directory}"
    )


def _of_the_system(broken: OSError, directory: Path) -> str:
    if broken.errno in _FULL:
        return _full(directory)
    if broken.errno == errno.EROFS and str(broken.filename or "").startswith(str(directory)):
        return _read_only(directory)  # which the mount may not say after an error of the disk
    if broken.errno in _REFUSED and str(broken.filename or "").startswith(str(directory)):
        return write_refusal(directory) or f"{broken.filename} cannot be used: {broken.strerror}"
    return ""


def _read_only(directory: Path) -> str:
    return f"{directory} is on a read-only file system; mount it writable, or choose another --data-dir"


def _is_full(directory: Path) -> bool:
    return directory.is_dir() and shutil.disk_usage(directory).free < _LITTLE


def _full(directory: Path) -> str:
    return f"The disk of {directory} is full. Free up some megabytes and start again"


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
