"""The write-ahead log of a file: folded back as it grows, and started again where reads would never allow it."""

import logging
from pathlib import Path

import apsw

from analytics_box.base.store.damage import Damage, is_sign
from analytics_box.base.store.gate import ReadGate
from analytics_box.base.store.trouble import Seldom

log = logging.getLogger(__name__)

CHECKPOINT_PAGES = 2_000  # 16 MB: the writer folds the log back between batches each time it is so much longer
LONG_LOG = 2  # checkpoints; past them new reads wait for the running ones to end, so that the log starts again


class Wal:
    """The log as its writer sees it. Only the writer's thread calls it, but for `size`."""

    def __init__(
        self, path: Path, writer: apsw.Connection, gate: ReadGate, *, checkpoint_pages: int, damage: Damage
    ) -> None:
        self._path = path
        self._damage = damage
        self._writer = writer
        self._gate = gate
        self._may_complain = Seldom()
        self._pages, self._checkpoint_pages = 0, checkpoint_pages
        self._fold_at, self._gate_at = checkpoint_pages, LONG_LOG * checkpoint_pages
        writer.set_wal_hook(self._note_pages)

    @property
    def size(self) -> int:
        """Bytes of its file; 0 where there is none."""
        try:
            return self._path.with_name(self._path.name + "-wal").stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def is_long(self) -> bool:
        """Whether it is time to shorten it."""
        return self._gate.is_drained or self._pages > self._fold_at

    def shorten(self) -> None:
        """Fold it back as far as reads allow; past its bound, make a moment in which it can start again.

        A log that is folded back whole starts again with the next write, unless a read needs it that began before.
        """
        drained = self._gate.is_drained
        whole = self.fold()
        self._fold_at = self._pages + self._checkpoint_pages
        if drained:
            self._gate.open()
            if not whole:  # to wait as often as before would not help
                log.warning(
                    "The log of %s is %d MB long and cannot be reset while another program reads the file",
                    self._path.name,
                    self.size // 1_000_000,
                )
                self._gate_at = 2 * self._pages
        elif self._pages > self._gate_at:
            self._gate.close()

    def fold(self, mode: int = apsw.SQLITE_CHECKPOINT_PASSIVE) -> bool:
        """Fold it back; whether all of it is in the file."""
        try:
            pages, folded = self._writer.wal_checkpoint(mode=mode)
        except apsw.Error as broken:
            if is_sign(broken):
                self._damage.note(broken)
            elif self._may_complain:
                log.warning("The log of %s could not be merged: %s", self._path.name, broken)
            return False
        return folded >= pages

    def _note_pages(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages < self._pages:  # it has started again
            self._fold_at, self._gate_at = self._checkpoint_pages, LONG_LOG * self._checkpoint_pages
        self._pages = pages
        return apsw.SQLITE_OK
