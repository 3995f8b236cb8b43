"""The one thread that writes a file: what waits for it goes in groups: a savepoint each, one commit for all."""

import logging
import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import apsw

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.damage import Damage, is_sign
from analytics_box.base.store.files import OpenedFiles
from analytics_box.base.store.gate import ReadGate
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.store.trouble import Seldom
from analytics_box.base.store.wal import Wal
from analytics_box.base.store.writes import ALONE, DISK_ERRORS, STOPPING, InMemoryState, Outcome, WriteJob, deliver
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

MOST_SHARING = 64  # jobs that have one savepoint: if one of them is refused, all of them run again
_work = attrgetter("work")


class Writer:
    """Takes writes until it is stopped, and keeps the log short between them."""

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        gate: ReadGate,
        damage: Damage,
        *,
        reserve: Reserve | None,
        most_waiting: int,
        checkpoint_pages: int,
    ) -> None:
        self.states: tuple[InMemoryState, ...] = ()
        self.version = 0  # of what is in the file: every commit of this process makes a new one
        self.failing = False  # whether the last group commit failed
        self.is_lost = False  # whether the file or its log is not where it was
        self.wal = Wal(path, connection, gate, checkpoint_pages=checkpoint_pages, damage=damage)
        self._damage = damage
        self._files = OpenedFiles(path)
        self._path = path
        self._connection = connection
        self._gate = gate
        self._reserve = reserve
        self._most_waiting = most_waiting
        self._may_complain = Seldom()
        self._lock = threading.Lock()
        self._ready = threading.Condition(self._lock)
        self._jobs: list[WriteJob] = []
        self._closing = False
        self._thread = threading.Thread(target=self._write_until_closed, name=f"{path.stem}-writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def enqueue(self, job: WriteJob) -> None:
        """Take a write for the next group. Raises Unavailable."""
        with self._lock:  # which is entered in a third of the time of the condition over it
            if self._closing:
                raise Unavailable(STOPPING)
            if self.is_lost:
                raise self._loss()
            if len(self._jobs) >= self._most_waiting:
                raise Unavailable(_("Too many writes are waiting for the disk. Try again in a moment"), retry_after=1)
            self._jobs.append(job)
            if len(self._jobs) == 1:
                self._ready.notify()

    @property
    def waiting(self) -> int:
        """The number of waiting writes."""
        return len(self._jobs)

    def look(self) -> Path | None:
        """Return the file that was removed or replaced, if any. Until it is back, no writes are taken."""
        lost = self._files.lost()
        if lost is not None and not self.is_lost:
            log.error(
                "%s was removed or replaced while the server runs: writes are refused. Put the same file back, or "
                "export what you need, stop the server and restore a backup",
                lost,
            )
        elif self.is_lost and lost is None:
            log.info("%s is back. Writes continue", self._path)
        self.is_lost = lost is not None
        return lost

    def _loss(self) -> Unavailable:
        return Unavailable(_("The server has lost its file {name}. Ask its administrator").format(name=self._path.name))

    def wake(self) -> None:
        """Look again at what there is to do."""
        with self._ready:
            self._ready.notify()

    def refuse(self) -> bool:
        """Take no more; whether it took some until now."""
        with self._ready:
            was_open, self._closing = not self._closing, True
            self._ready.notify()
        return was_open

    def join(self) -> None:
        """Wait until what was taken is written."""
        self._thread.join()

    def close(self) -> None:
        """Fold the log back whole and close the connection, after all reads have ended."""
        self.wal.fold(apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._connection.close()

    def _write_until_closed(self) -> None:
        while True:
            with self._ready:
                while not self._jobs and not self._closing and not self._gate.is_drained:
                    self._ready.wait()
                batch, self._jobs = self._jobs, []
            if batch:
                deliver(self._written(batch))
            elif self._closing:
                return
            if self.wal.is_long:
                self.wal.shorten()

    def _written(self, batch: list[WriteJob]) -> list[Outcome]:
        """The outcome of each write. Whatever goes wrong, the thread goes on and no caller waits for ever."""
        try:
            return self._commit_or_make_room(batch)
        except Exception as broken:
            log.exception("A group of writes to %s failed", self._path.name)
            return [(job, None, broken) for job in batch]

    def _commit_or_make_room(self, batch: list[WriteJob]) -> list[Outcome]:
        """Commit; on a full disk again with the log folded back, and again with the reserve."""
        outcomes = self._commit(batch)
        for make_room in (self._fold, self._give_up_reserve):
            if isinstance(outcomes, apsw.FullError) and make_room():
                outcomes = self._commit(batch)
        if isinstance(outcomes, list):
            return self._kept(outcomes)
        if is_sign(outcomes):
            return [(job, None, self._damage.note(outcomes)) for job in batch]
        if not isinstance(outcomes, DISK_ERRORS):
            log.error("A group of writes to %s failed", self._path.name, exc_info=outcomes)
        elif self._may_complain:
            log.error("%s cannot be written: %s", self._path.name, outcomes)
        return [(job, None, Unavailable(_("The server cannot write to its disk. Try again"))) for job in batch]

    def _kept(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes of committed writes, except those that may not last: these are not acknowledged."""
        if self.look() is not None:  # a file without a name ends with the process
            return [(job, None, self._loss()) for job, _, _ in outcomes]
        refusal = self._damage.refusal()
        if refusal is None:
            return outcomes
        return [(job, None, refusal) if job.adds else (job, result, raised) for job, result, raised in outcomes]

    def _fold(self) -> bool:
        self.wal.fold()
        return True

    def _give_up_reserve(self) -> bool:
        try:
            return self._reserve is not None and self._reserve.give_up()
        except OSError as broken:
            log.error("The reserve next to %s cannot be released: %s", self._path, broken.strerror)
            return False

    def _commit(self, batch: list[WriteJob]) -> list[Outcome] | Exception:
        """The outcome of each write, or the reason why none was committed."""
        start = [state.mark() for state in self.states]
        try:
            self._connection.execute("begin immediate")
            outcomes = [outcome for jobs in _sharing(batch) for outcome in self._run(jobs)]
            self._connection.execute("commit")
        except Exception as broken:
            self._roll_back()
            self._undo(start)
            return broken
        self.version += 1
        self.failing = False
        for state in self.states:
            state.committed()
        return outcomes

    def _run(self, jobs: Sequence[WriteJob]) -> list[Outcome]:
        """Run one job, or some that share their work."""
        marks = [state.mark() for state in self.states]
        self._connection.execute("savepoint one")
        try:
            outcomes: list[Outcome] = [
                (job, result, None) for job, result in zip(jobs, self._results(jobs), strict=True)
            ]
        except DISK_ERRORS:
            raise
        except Exception as refused:
            self._connection.execute("rollback to one")
            self._connection.execute("release one")
            self._undo(marks)
            if len(jobs) > 1:
                return [outcome for job in jobs for outcome in self._run([job])]
            if isinstance(refused, StopIteration):  # no future takes one, and its neighbours would never wake
                return [(jobs[0], None, RuntimeError("A write ended with StopIteration"))]
            return [(jobs[0], None, refused)]
        self._connection.execute("release one")
        return outcomes

    def _results(self, jobs: Sequence[WriteJob]) -> Sequence[Any]:
        work: Any = jobs[0].work
        if jobs[0].given is ALONE:
            return [work(self._connection)]
        results: Sequence[Any] = work(self._connection, [job.given for job in jobs])
        return results

    def _roll_back(self) -> None:
        self.failing = True
        try:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
        except apsw.Error as broken:
            log.error("%s cannot be rolled back: %s", self._path.name, broken)

    def _undo(self, marks: list[int]) -> None:
        for state, mark in zip(self.states, marks, strict=True):
            state.undo(mark)


def _sharing(batch: Sequence[WriteJob]) -> Iterator[Sequence[WriteJob]]:
    """The jobs in their order, those together that follow one another and share their work."""
    for _shared, alike in groupby(batch, key=_work):
        jobs = list(alike)
        most = 1 if jobs[0].given is ALONE else MOST_SHARING
        for first in range(0, len(jobs), most):
            yield jobs[first : first + most]
