"""The one thread that writes a file: what waits for it goes in groups: a savepoint each, one commit for all."""

import logging
import threading
from pathlib import Path

import apsw

from analytics_box.errors import Unavailable
from analytics_box.store.gate import Gate
from analytics_box.store.reserve import Reserve
from analytics_box.store.trouble import Seldom
from analytics_box.store.wal import Wal
from analytics_box.store.writes import DISK_ERRORS, STOPPING, InMemoryState, Job, Outcome, deliver

log = logging.getLogger(__name__)


class Writer:
    """Takes writes until it is stopped, and keeps the log short between them."""

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        gate: Gate,
        *,
        reserve: Reserve | None,
        most_waiting: int,
        checkpoint_pages: int,
    ) -> None:
        self.states: tuple[InMemoryState, ...] = ()
        self.version = 0  # of what is in the file: every commit of this process makes a new one
        self.failing = False  # whether the last group commit failed
        self.gone = False  # whether the file is not where it was
        self.wal = Wal(path, connection, gate, checkpoint_pages=checkpoint_pages)
        self._path = path
        self._connection = connection
        self._gate = gate
        self._reserve = reserve
        self._most_waiting = most_waiting
        self._may_complain = Seldom()
        self._ready = threading.Condition()
        self._jobs: list[Job] = []
        self._closing = False
        self._thread = threading.Thread(target=self._write_until_closed, name=f"{path.stem}-writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def enqueue(self, job: Job) -> None:
        """Take a write for the next group. Raises Unavailable."""
        with self._ready:
            if self._closing:
                raise Unavailable(STOPPING)
            if self.gone:
                raise Unavailable(f"The box has lost its file {self._path.name}; ask whoever runs it")
            if len(self._jobs) >= self._most_waiting:
                raise Unavailable(
                    "Too many writes are waiting for the disk; send this again in a moment", retry_after=1
                )
            self._jobs.append(job)
            if len(self._jobs) == 1:
                self._ready.notify()

    @property
    def waiting(self) -> int:
        """How many writes wait."""
        return len(self._jobs)

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
                deliver(self._commit_or_make_room(batch))
            elif self._closing:
                return
            if self.wal.is_long:
                self.wal.shorten()

    def _commit_or_make_room(self, batch: list[Job]) -> list[Outcome]:
        """Commit; on a full disk once more with the log folded back, and once more with the reserve."""
        outcomes = self._commit(batch)
        for make_room in (self._fold, self._give_up_reserve):
            if isinstance(outcomes, apsw.FullError) and make_room():
                outcomes = self._commit(batch)
        if isinstance(outcomes, list):
            return outcomes
        if not isinstance(outcomes, DISK_ERRORS):
            log.error("A group of writes to %s failed", self._path.name, exc_info=outcomes)
        elif self._may_complain:
            log.error("%s cannot be written: %s", self._path.name, outcomes)
        return [(job, None, Unavailable("The box cannot write to its disk; try again")) for job in batch]

    def _fold(self) -> bool:
        self.wal.fold()
        return True

    def _give_up_reserve(self) -> bool:
        return self._reserve is not None and self._reserve.give_up()

    def _commit(self, batch: list[Job]) -> list[Outcome] | Exception:
        """What became of each, or why none was committed."""
        start = [state.mark() for state in self.states]
        try:
            self._connection.execute("begin immediate")
            outcomes = [self._run(job) for job in batch]
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

    def _run(self, job: Job) -> Outcome:
        marks = [state.mark() for state in self.states]
        self._connection.execute("savepoint one")
        try:
            result = job.work(self._connection)
        except DISK_ERRORS:
            raise
        except Exception as refused:
            self._connection.execute("rollback to one")
            self._connection.execute("release one")
            self._undo(marks)
            if isinstance(refused, StopIteration):  # no future takes one, and its neighbours would never wake
                return job, None, RuntimeError("A write ended with StopIteration")
            return job, None, refused
        self._connection.execute("release one")
        return job, result, None

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
