"""The roll-ups of days: opened, brought up to date, asked, and rebuilt if they fail."""

import asyncio
import contextlib
import logging
from functools import partial
from pathlib import Path

import apsw

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.store.db import Connection, Db
from analytics_box.query.engines import rollups_file, sql, sqlite
from analytics_box.query.engines.batches import DONE, LONGEST, PUT_OFF, STEP_SECONDS, Backoff, work_off
from analytics_box.query.engines.counting import Row, Take
from analytics_box.query.engines.rollups_file import RollupsFile
from analytics_box.query.plan import QueryPlan
from analytics_box.query.rollups import pays, roll_of

log = logging.getLogger(__name__)

_MOST_IN_VAIN = 3


class DayRollups:
    """`rollups.db` beside events.db, and what SQLite answers with it and without."""

    def __init__(self, events: Db, clock: Clock) -> None:
        self._events, self._clock = events, clock
        self._path = events.path.with_name(rollups_file.FILE_NAME)
        self.file: RollupsFile | None = None
        self._backoff = Backoff(clock)
        self._in_vain = 0  # how often days could not be rolled up, in a row
        self._has_rolled = False  # all that there was, since the file was opened

    @property
    def applied(self) -> int | None:
        """The last recorded change that they have; None if there are none."""
        return None if self.file is None else self.file.applied

    def answers(self, plan: QueryPlan) -> bool:
        """Whether days of this plan may be read from here."""
        return self.file is not None and self.file.is_well and roll_of(plan) is not None

    async def rows(self, plan: QueryPlan, seconds: float, take: Take, *, sparing: bool = False) -> list[Row] | None:
        """The rows of a plan from SQLite, days that are rolled up from here. With `sparing`, None if too many events
        would be read."""
        ask, file = partial(_rows, plan, take, seconds, sparing), self.file
        if file is not None and file.is_well:
            try:
                return await self._events.read(partial(ask, file), seconds=seconds, long=True)
            except rollups_file.RollupsUnusable as broken:
                file.is_well = False
                log.error("Cannot read the roll-ups (%s). Rebuilding them", broken)
            except apsw.SQLError as refused:
                log.warning("Cannot read the roll-ups (%s). Reading all rows instead", refused)
        return None if sparing else await self._events.read(partial(ask, None), seconds=seconds, long=True)

    def statement(self, plan: QueryPlan, *, sparing: bool = False) -> sql.SqlStatement | None:
        """The statement that SQLite would run, None for a plan without `rows`. Reads, so it is for threads other than
        the event loop's."""
        if self.file is not None:
            with contextlib.suppress(rollups_file.RollupsUnusable):  # the next question rebuilds them
                return self._events.read_now(partial(_statement, plan, sparing, self.file))
        return None if sparing else sqlite.render(plan)

    async def tend(self) -> None:
        """Open the file, if it may be tried."""
        if self.file is not None and not self.file.is_well:
            await self.drop()
            self._backoff.failed()
        if self.file is None:
            if not self._backoff.is_over:
                return
            try:
                opened = partial(_open_file, self._path, self._events.path)
                self.file = await self._events.read(opened, seconds=STEP_SECONDS)
            except rollups_file.RollupsUnusable as broken:
                self._put_off(broken)
                return
            self._has_rolled = False

    async def drop(self) -> None:
        """Close and remove the file; connections let go of it when they next see another, or none."""
        file, self.file = self.file, None
        if file is not None:
            await asyncio.to_thread(file.close)
        rollups_file.forget_rollups(self._path)

    async def roll(self) -> None:
        """Look at what is new and roll up batches of days for a while."""
        if self._backoff.is_over:
            await work_off(partial(self._roll_some, self.file))

    def close(self) -> None:
        """Break off what rolls up days, and close the file. Before events.db is closed."""
        if self.file is not None:
            self.file.close()
            self.file = None

    async def _roll_some(self, file: RollupsFile | None) -> bool:
        """Whether there may be more."""
        if file is None or file is not self.file:
            return False
        try:
            advance = partial(_advance_file, file, self._clock.now())
            goes_on = await self._events.read(advance, seconds=STEP_SECONDS, long=True)
        except rollups_file.RollupsUnusable as broken:
            file.is_well = False
            log.error("Cannot write the roll-ups (%s). Rebuilding them", broken)
            return False
        except BoxError:
            raise
        except Exception as broken:
            self._put_off(broken)
            return False
        self._in_vain = 0
        if not goes_on and file is self.file and not self._has_rolled:
            self._has_rolled = True
            log.info(DONE)
        return goes_on

    def _put_off(self, broken: Exception) -> None:
        """Roll up nothing for an hour. In the end the file is dropped, and with it the changes kept for it."""
        self._in_vain += 1
        if self._in_vain >= _MOST_IN_VAIN and self.file is not None:
            self.file.is_well, self._in_vain = False, 0
        self._backoff.wait(LONGEST)
        log.error(PUT_OFF, LONGEST, broken)


def _rows(
    plan: QueryPlan, take: Take, seconds: float, sparing: bool, file: RollupsFile | None, db: Connection
) -> list[Row] | None:
    if file is None:
        rollups_file.let_go(db)
        return sqlite.run_plan(db, plan, take, seconds=seconds)
    with rollups_file.rebuildable(file, db), sqlite.open_cut(db, plan, file) as cut:
        if sparing and not pays(cut):
            return None
        rows = sqlite.run_rendered(db, plan, sqlite.render(plan, cut), take, seconds)
    if cut is not None:
        file.medians.keep(plan, cut, rows)
    return rows


def _statement(plan: QueryPlan, sparing: bool, file: RollupsFile, db: Connection) -> sql.SqlStatement | None:
    with rollups_file.rebuildable(file, db), sqlite.open_cut(db, plan, file) as cut:
        return None if sparing and not pays(cut) else sqlite.render(plan, cut)


def _open_file(path: Path, events: Path, _db: Connection) -> RollupsFile:
    with rollups_file.rebuildable():
        return rollups_file.open_rollups(path, events)


def _advance_file(file: RollupsFile, now: int, _db: Connection) -> bool:
    """Runs on a reader of events.db, so that its log is not started again in the meantime."""
    with rollups_file.rebuildable(file):
        return file.advance(now)
