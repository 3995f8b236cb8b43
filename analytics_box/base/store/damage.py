"""Evidence that a database file is damaged or unreadable: SQLite's errors while it is read or written."""

import logging
import threading
from pathlib import Path
from typing import Final

import apsw

from analytics_box.base.errors import Unavailable

log = logging.getLogger(__name__)

SIGNS: Final = (apsw.CorruptError, apsw.NotADBError)
_READ_ERRORS: Final = {
    apsw.SQLITE_IOERR_READ,
    apsw.SQLITE_IOERR_SHORT_READ,
    apsw.SQLITE_IOERR_FSTAT,
    apsw.SQLITE_IOERR_DATA,
    apsw.SQLITE_IOERR_CORRUPTFS,
}
_AFTER_RESTORE: Final = 3_600  # seconds until a retry; a backup has to be restored first
_AFTER_A_LOOK: Final = 60  # seconds


def sentence(name: str) -> str:
    """The state of a damaged file and the way out, as every caller, page and log line has it."""
    return f"{name} is damaged: stop the server and restore a backup of both databases"


def unreadable_sentence(name: str) -> str:
    """The state of a file that the disk does not return, and the way out."""
    return f"{name} cannot be read: the disk reports an error. Check the server's disk and its system log (dmesg)"


def is_sign(broken: object) -> bool:
    """Return whether an error of SQLite means that the content of a file is wrong or cannot be read."""
    return isinstance(broken, SIGNS) or getattr(broken, "extendedresult", 0) in _READ_ERRORS


class Damage:
    """The damage of one open file. Readers and the writer report to it; it stays until the box restarts.

    A file that is damaged in one place may still be read in others, and an administrator has to sign in to see what
    happened. So work goes on where SQLite can do it, except for what adds to either database: both are restored
    together, which would remove it again.

    An error of the disk while the file is read counts as damage until the whole file has been read without one.
    """

    def __init__(self, path: Path) -> None:
        self.reason = ""  # empty while no damage is known
        self.disk_error = ""  # empty while the disk returns what the file contains
        self._disk_errors = 0
        self._path = path
        self._lock = threading.Lock()
        self._pair: tuple[Damage, ...] = (self,)

    @property
    def trouble(self) -> str:
        """Why the file cannot be relied on, in words that strangers may read; empty if it can."""
        if self.reason:
            return f"{self._path.name} is damaged"
        return f"{self._path.name} cannot be read" if self.disk_error else ""

    def pair(self, other: "Damage") -> None:
        """Refuse what adds to either database once one of them is damaged."""
        self._pair = other._pair = (self, other)

    def note(self, reason: object) -> Unavailable:
        """Note an error of SQLite or a complaint, and return the refusal for the caller whose work met it."""
        if isinstance(reason, apsw.IOError):
            return self._note_disk_error(reason)
        with self._lock:
            is_first, self.reason = not self.reason, self.reason or str(reason)
        if is_first:
            log.error("%s (%s)", sentence(str(self._path)), self.reason)
        return self._refusal()

    def refusal(self) -> Unavailable | None:
        """The refusal of work that adds to one of both databases; None while both can be relied on."""
        for one in self._pair:
            if one.reason or one.disk_error:
                return one._refusal()
        return None

    @property
    def disk_errors(self) -> int:
        """The number of errors of the disk so far."""
        return self._disk_errors

    def clear_disk_error(self, known: int) -> None:
        """Forget errors of the disk, because the whole file was read after the first `known` of them."""
        with self._lock:
            is_over = bool(self.disk_error) and self._disk_errors == known
            self.disk_error = "" if is_over else self.disk_error
        if is_over:
            log.info("%s can be read again and is not damaged", self._path)

    def _note_disk_error(self, reason: apsw.IOError) -> Unavailable:
        with self._lock:
            is_first, self.disk_error = not self.disk_error, str(reason) or type(reason).__name__
            self._disk_errors += 1
        if is_first:
            log.error("%s (%s)", unreadable_sentence(str(self._path)), self.disk_error)
        return self._refusal()

    def _refusal(self) -> Unavailable:
        if self.reason:
            return Unavailable(sentence(self._path.name), retry_after=_AFTER_RESTORE)
        return Unavailable(unreadable_sentence(self._path.name), retry_after=_AFTER_A_LOOK)
