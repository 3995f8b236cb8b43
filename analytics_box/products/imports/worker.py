"""The worker behind imports: it checks uploaded files, runs checked ones and undoes others, one at a time.

Every step can be repeated: a check starts from the beginning, a run continues after the last row that events.db has,
and an undo removes what is left.
"""

import asyncio
import hashlib
import logging
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import DAY, Clock
from analytics_box.base.errors import BadRequest, BoxError, Conflict, NotFound, Unavailable
from analytics_box.base.later import Later
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, DatabaseError, Db
from analytics_box.base.store.strings import Strings
from analytics_box.base.translation import _
from analytics_box.ingest.enrich import EventTarget
from analytics_box.products.imports import history, history_import
from analytics_box.products.imports.history import ImportProgress
from analytics_box.products.imports.history_import import (
    BUSY,
    IMPORTS,
    HistoryImport,
    ImportDay,
    ImportReport,
    RefusedRows,
)
from analytics_box.products.imports.records import (
    FIRST_DAY,
    DayTotal,
    ExportReader,
    HistoryEvent,
    ImportRecord,
    Locate,
    RowRefusal,
    date_of,
    day_of,
)
from analytics_box.products.imports.spool import Spool, SpooledDay
from analytics_box.query.imported import ImportedDays
from analytics_box.resource.imports import check_space
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.address import network_of
from analytics_box.web.recognition.geo import Geo

if TYPE_CHECKING:
    from analytics_box.products.imports import files, readers, sessions
    from analytics_box.products.imports.files import ImportFiles
else:  # Few servers import anything.
    files = Later("analytics_box.products.imports.files")
    readers = Later("analytics_box.products.imports.readers")
    sessions = Later("analytics_box.products.imports.sessions")

log = logging.getLogger(__name__)

FOLDER: Final = "imports"
UPLOAD: Final = "file"
_SPOOL: Final = "spool.db"
# Events, or totals, of one transaction: others that write wait about 10 ms for it.
TOGETHER: Final = 500
_READ_TOGETHER: Final = 2_000
# Reasons for which whole days are left out.
_OF_DAYS: Final = ("retention", "own", "taken")
_EXAMPLES: Final = 3
_LONGEST_EXAMPLE: Final = 200
_MOST_DAYS: Final = 20_000
_HASH_PIECE: Final = 1 << 20


class StoppedImport(Exception):
    """Raised inside the worker when the server stops, or the import was undone in the meantime."""


class RefusalCounts:
    """The rows of a file that are left out by reason, with examples."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, reason: str, example: str) -> None:
        """Count a row."""
        self._counts[reason] += 1
        examples = self._examples.setdefault(reason, [])
        if example and len(examples) < _EXAMPLES:
            examples.append(example[:_LONGEST_EXAMPLE])

    def rows(self) -> list[RefusedRows]:
        """The counts, largest first."""
        return [RefusedRows(reason, rows, tuple(self._examples[reason])) for reason, rows in self._counts.most_common()]


class HistoryImports:
    """The imports of all websites, and the folder with their files."""

    def __init__(
        self,
        box_db: Db,
        events: Db,
        strings: Strings,
        websites: Directory,
        imported: ImportedDays,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._box_db, self._events, self._strings = box_db, events, strings
        self._websites, self._imported, self._clock = websites, imported, clock
        self._settings = settings
        self.folder = settings.data_dir / FOLDER
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._cancelled: set[str] = set()
        # The part of each file that was checked, from 0 to 1.
        self._read: dict[str, float] = {}
        # Days of sites whose page views come from logs only, so that no later line asks again.
        self.log_days: BoundedCache[tuple[int, int], bool] = BoundedCache(10_000)

    @property
    def most_bytes(self) -> int:
        """The bytes of the largest upload."""
        return self._settings.import_bytes

    def directory(self, import_id: str) -> Path:
        """The folder of an import's files."""
        return self.folder / import_id

    def soon(self) -> None:
        """Work on imports in the background."""
        if not self._stopping and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._work())

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until there is nothing to work on, or for a while."""
        self.soon()
        if self._task is not None:
            await asyncio.wait((self._task,), timeout=seconds)

    async def stop(self) -> None:
        """End after the current transaction."""
        self._stopping = True
        if self._task is not None:
            await asyncio.wait((self._task,))

    def cancel(self, import_id: str) -> None:
        """Break off the work on an import that is about to be undone."""
        self._cancelled.add(import_id)

    async def progress(self, row: HistoryImport) -> float:
        """The finished part of the current step, from 0 to 1."""
        if row.state == "running" and row.report.rows:
            known = await self._events.read(partial(history.progress_of, import_id=row.id))
            return min(1.0, (known.written if known else 0) / row.report.rows)
        return self._read.get(row.id, 0.0) if row.state == "checking" else float(row.state not in BUSY)

    async def forget(self, condition: str, value: str) -> None:
        """Remove the files of websites that are removed, by an SQL condition on their imports."""
        gone = await self._box_db.read(lambda db: IMPORTS.all(db, condition, value))
        for one in gone:
            self.cancel(one.id)
            await asyncio.to_thread(shutil.rmtree, self.directory(one.id), ignore_errors=True)

    async def _work(self) -> None:
        """Work on imports, oldest first, until there is none that waits."""
        listed = ", ".join(f"'{state}'" for state in BUSY)
        after = ""
        while not self._stopping:
            rows = await self._box_db.read(partial(_waiting, states=listed, after=after))
            if not rows:
                return
            try:
                await self._step(rows[0])
                after = ""
            except StoppedImport:
                row = await self._box_db.read(partial(IMPORTS.find, row_id=rows[0].id))
                after = "" if row is not None and row.state == "undoing" else rows[0].id
            except Unavailable as busy:
                log.warning("The import %s waits: %s", rows[0].id, busy.message)
                return
            except (BoxError, OSError, DatabaseError, ValueError, LookupError) as broken:
                await self._fail(rows[0], broken)
            finally:
                self._read.pop(rows[0].id, None)

    async def _step(self, row: HistoryImport) -> None:
        website = self._websites.find(row.website_id)
        if row.state == "undoing":
            await self._undo(row)
        elif website is None:
            raise BadRequest(_("The website was deleted"))
        elif row.state == "running":
            await self._run(row, website)
        else:
            await self._check(row, website)

    async def _fail(self, row: HistoryImport, why: Exception) -> None:
        if not isinstance(why, BoxError):
            log.error("The import %s failed", row.id, exc_info=why)
        message = why.message if isinstance(why, BoxError) else _("The file cannot be read. It may be damaged")
        await self._set(row, lambda one: replace(one, state="failed", error=message))

    async def _set(self, row: HistoryImport, edit: Callable[[HistoryImport], HistoryImport]) -> None:
        """Change an import, unless a user undoes it in the meantime."""
        states: tuple[history_import.State, ...] = ("uploaded", "checking", "checked", "running")
        if row.state == "undoing":
            states = ("undoing",)
        try:
            await self._box_db.write(lambda db: history_import.change(db, row.id, self._clock.now(), states, edit))
        except (Conflict, NotFound):
            log.info("The import %s was undone in the meantime", row.id)

    # Checking

    async def _check(self, row: HistoryImport, website: Website) -> None:
        await self._set(row, lambda one: replace(one, state="checking"))
        provider, version, digest, refused = await asyncio.to_thread(self._spool, row, website.domain)
        kind = readers.BY_NAME[provider].kind
        same = await self._box_db.read(
            lambda db: IMPORTS.first(
                db,
                "website_id = ? and digest = ? and id <> ? and state in ('running', 'done')",
                website.id,
                digest,
                row.id,
            )
        )
        if same is not None:
            raise BadRequest(_("This file is already imported. Undo that import to import it again"))
        path, left_out = self.directory(row.id) / _SPOOL, await self._left_out(row, website)
        report = await asyncio.to_thread(_build_report, path, left_out, refused)
        await self._set(
            row,
            lambda one: replace(
                one, state="checked", provider=provider, version=version, kind=kind, digest=digest, report=report
            ),
        )

    def _spool(self, row: HistoryImport, domain: str) -> tuple[str, str, str, list[RefusedRows]]:
        """Read the file into a new spool. Return its provider, its version, its digest, and rows that were left out."""
        folder = self.directory(row.id)
        path = folder / UPLOAD
        most = files.UNPACKED * max(self.most_bytes, path.stat().st_size)
        opened = files.ImportFiles(path, row.file_name, most, domain, partial(self._check_going_on, row.id))
        try:
            reader, version = _recognize(opened, row.provider)
            spool = Spool.create(folder / _SPOOL)
            try:
                refused = RefusalCounts()
                self._fill(row, reader.read(opened, version, _places(self._settings)), opened, spool, refused)
                spool.finish()
            finally:
                spool.close()
        finally:
            opened.close()
        return reader.name, version, _digest(path), refused.rows()

    def _fill(
        self,
        row: HistoryImport,
        records: Iterable[ImportRecord],
        opened: "ImportFiles",
        spool: Spool,
        refused: RefusalCounts,
    ) -> None:
        latest, left = self._clock.now(), iter(records)
        while piece := list(islice(left, _READ_TOGETHER)):
            self._check_going_on(row.id)
            taken: list[HistoryEvent | DayTotal] = []
            for one in piece:
                if isinstance(one, RowRefusal):
                    refused.add(one.reason, one.example)
                elif FIRST_DAY * DAY <= (one.time if isinstance(one, HistoryEvent) else one.day * DAY) <= latest:
                    taken.append(one)
                else:
                    refused.add("time", one.url if isinstance(one, HistoryEvent) else str(one.day))
            spool.add(taken)
            self._read[row.id] = min(0.99, opened.unpacked / max(opened.size, 1))
            check_space(self.folder)
            time.sleep(0)  # Requests come first.

    async def _left_out(self, row: HistoryImport, website: Website) -> dict[int, str]:
        """The days of a spool that are not imported, and why."""
        days = [one.day for one in await asyncio.to_thread(_days_of, self.directory(row.id) / _SPOOL)]
        return await self._events.read(
            partial(_left_out_days, row_id=row.id, website=website, days=days, now=self._clock.now()),
            seconds=60.0,
            long=True,
        )

    # Running

    async def _run(self, row: HistoryImport, website: Website) -> None:
        path = self.directory(row.id) / _SPOOL
        known = await self._events.read(partial(history.progress_of, import_id=row.id))
        # Days that are left out are decided once: those that an import has begun are its own.
        left_out = await self._left_out(row, website)
        spool = await asyncio.to_thread(Spool, path)
        try:
            if known is None:
                of_rows = [one for one in row.report.refused if one.reason not in _OF_DAYS]
                report = await asyncio.to_thread(_build_report, path, left_out, of_rows)
                if not report.days:
                    raise BadRequest(_("There is nothing to import. See what was left out, and why"))
                await self._set(row, lambda one: replace(one, report=report))
                first, last = (day_of(date) or 0 for date in (report.first_date, report.last_date))
                rows = await asyncio.to_thread(spool.count) if row.kind == "events" else 0
                known = await self._events.write(
                    lambda db: history.begin(db, row.id, website.site, rows, first, last), adds=True
                )
            if row.kind == "events":
                await self._store_events(row, website, spool, known, set(left_out))
            else:
                await self._store_totals(row, spool, known, set(left_out))
        finally:
            spool.close()
        await self._imported.load()
        await self._set(row, lambda one: replace(one, state="done"))
        await asyncio.to_thread(shutil.rmtree, self.directory(row.id), ignore_errors=True)

    async def _store_events(
        self, row: HistoryImport, website: Website, spool: Spool, known: ImportProgress, left_out: set[int]
    ) -> None:
        target = EventTarget(website.site, website.domain)
        placed = sessions.place_events(spool.events(), target, known.first_session, left_out, self._clock.now())
        ready = await asyncio.to_thread(_next_events, placed, known.cursor)
        while ready:
            self._check_going_on(row.id)
            at = ready[-1].at
            events = [one.placed for one in ready if one.placed is not None]
            work = partial(history.store_events, strings=self._strings, known=known, placed=events, at=at)
            write = asyncio.ensure_future(self._events.write(work, adds=True))
            ready = await asyncio.to_thread(_next_events, placed, known.cursor)
            await write

    async def _store_totals(self, row: HistoryImport, spool: Spool, known: ImportProgress, left_out: set[int]) -> None:
        totals = spool.totals(known.cursor)
        while piece := await asyncio.to_thread(lambda: list(islice(totals, TOGETHER))):
            self._check_going_on(row.id)
            kept = [one for _id, one in piece if one.day not in left_out]
            work = partial(history.store_totals, known=known, totals=kept, at=piece[-1][0])
            await self._events.write(work, adds=True)

    def _check_going_on(self, import_id: str) -> None:
        if self._stopping or import_id in self._cancelled:
            raise StoppedImport

    # Undoing

    async def _undo(self, row: HistoryImport) -> None:
        known = await self._events.read(partial(history.progress_of, import_id=row.id))
        while known is not None and await self._events.write(partial(history.remove_some, known=known)):
            if self._stopping:
                raise StoppedImport
        await self._imported.load()
        self._cancelled.discard(row.id)
        await asyncio.to_thread(shutil.rmtree, self.directory(row.id), ignore_errors=True)
        await self._set(row, lambda one: replace(one, state="undone"))


def _waiting(db: Connection, *, states: str, after: str) -> list[HistoryImport]:
    return IMPORTS.all(db, f"state in ({states}) and id <> ? order by created_at, id limit 1", after)


def _places(settings: Settings) -> Locate:
    """Find places in databases that another thread does not use."""
    geo = Geo(settings)

    def locate(address: str) -> tuple[str, str, str]:
        place = geo.of(network_of(address), {}, peer="")
        return place.country, place.region, place.city

    return locate


def _build_report(path: Path, left_out: Mapping[int, str], refused: Sequence[RefusedRows]) -> ImportReport:
    """The report on what a spool brings."""
    days = _days_of(path)
    if len(days) > _MOST_DAYS:
        raise BadRequest(_("The file has more than {most:,} days").format(most=_MOST_DAYS))
    kept = [one for one in days if one.day not in left_out]
    by_day = []
    for reason in _OF_DAYS:
        if out := [one for one in days if left_out.get(one.day) == reason]:
            examples = tuple(date_of(one.day) for one in out[:_EXAMPLES])
            by_day.append(RefusedRows(reason, sum(one.rows for one in out), examples))
    return ImportReport(
        rows=sum(one.rows for one in kept),
        pageviews=sum(one.pageviews for one in kept),
        visitors=sum(one.visitors for one in kept),
        first_date=date_of(kept[0].day) if kept else "",
        last_date=date_of(kept[-1].day) if kept else "",
        days=tuple(ImportDay(date_of(one.day), one.pageviews, one.visitors) for one in kept),
        refused=(*refused, *by_day),
    )


def _recognize(opened: "ImportFiles", wanted: str) -> tuple[ExportReader, str]:
    """The reader of a file and the version of its format. Raises BadRequest."""
    for reader in readers.READERS:
        if wanted in {"", reader.name} and (version := reader.recognize(opened)):
            return reader, version
    titles = ", ".join(reader.title for reader in readers.READERS)
    if wanted:
        raise BadRequest(
            _("This is not an export of {provider}. Select another provider, or export the data again").format(
                provider=readers.BY_NAME[wanted].title
            )
        )
    raise BadRequest(_("The file is not an export of a supported product: {titles}").format(titles=titles))


def _digest(path: Path) -> str:
    with path.open("rb") as opened:
        digest = hashlib.blake2b(digest_size=16)
        while piece := opened.read(_HASH_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _days_of(path: Path) -> list[SpooledDay]:
    spool = Spool(path)
    try:
        return spool.days()
    finally:
        spool.close()


def _next_events(placed: "Iterator[sessions.PlacedAt]", cursor: int) -> "list[sessions.PlacedAt]":
    """The next events that are not stored yet."""
    return list(islice((one for one in placed if one.at > cursor), TOGETHER))


def _left_out_days(db: Connection, *, row_id: str, website: Website, days: Sequence[int], now: int) -> dict[int, str]:
    own = history.progress_of(db, row_id)
    measured, taken = history.busy_days(db, website.site, days, own)
    kept = website.tracking.dataRetentionDays
    oldest = now // DAY - kept if kept else 0
    found = dict.fromkeys(taken, "taken") | dict.fromkeys(measured, "own")
    return found | {day: "retention" for day in days if day < oldest}
