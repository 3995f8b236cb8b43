"""Evidence that a database file is damaged: whatever SQLite says of it while it is read or written."""

import logging
import threading
from pathlib import Path
from typing import Final

import apsw

from analytics_box.errors import Unavailable

log = logging.getLogger(__name__)

SIGNS: Final = (apsw.CorruptError, apsw.NotADBError)
_RETRY_AFTER: Final = 3_600  # seconds; a backup has to be restored first


def sentence(name: str) -> str:
    """The state of a damaged file and the way out, as every caller, page and log line has it."""
    return f"{name} is damaged: stop the box and restore a backup of both databases"


class Damage:
    """The damage of one open file. Readers and the writer report to it; it stays until the box restarts.

    A file that is damaged in one place may still be read in others, and an administrator has to sign in to see what
    happened. So work goes on where SQLite can do it, except for what adds to the file: it could not be relied on.
    """

    def __init__(self, path: Path) -> None:
        self.reason = ""  # empty while the file is sound as far as anyone has looked
        self._path = path
        self._lock = threading.Lock()

    def note(self, reason: object) -> Unavailable:
        """Note what was found, and return the refusal for the caller whose work met it."""
        with self._lock:
            is_first, self.reason = not self.reason, self.reason or str(reason)
        if is_first:
            log.error("%s (%s)", sentence(str(self._path)), self.reason)
        return self.refusal()

    def refusal(self) -> Unavailable:
        """The refusal of work that cannot be done on a damaged file."""
        return Unavailable(sentence(self._path.name), retry_after=_RETRY_AFTER)
