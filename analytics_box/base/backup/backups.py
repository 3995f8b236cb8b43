"""The backups of a running box: those that are made by themselves, how it stands with them, and copies for commands."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from analytics_box.base.backup import record, take
from analytics_box.base.backup.failures import BackupFailed, BoxStopping, GoingOn, UnsoundCopy
from analytics_box.base.backup.manifest import KEY_IN_CLEAR
from analytics_box.base.backup.places import place_of, shown_as
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.backup.sealing import passphrase_of
from analytics_box.base.backup.take import BackupOptions, PairCopy
from analytics_box.base.clock import DAY, HOUR, Clock
from analytics_box.base.errors import Conflict, Unavailable
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.integrity import look_through
from analytics_box.base.translation import _

log = logging.getLogger(__name__)

_AGAIN: Final = HOUR  # from one that failed to the next


class BackupStanding(Struct, frozen=True):
    """The state of a box's backups.

    `last` is the last complete one; `failed` the last attempt, if it failed. `overdue` is whether the last complete one
    is too
    old, or missing though the box has been in use for that long. `every` is in hours; 0: none are made automatically.
    """

    last: BackupEntry | None
    failed: BackupEntry | None
    overdue: bool
    every: int
    recent: tuple[BackupEntry, ...]


class Backups:
    """Makes backups as the settings want them, and knows the last ones. Its databases are box.db and events.db."""

    def __init__(self, settings: Settings, databases: Sequence[Db], clock: Clock) -> None:
        self.settings, self._databases, self._clock = settings, databases, clock
        self._entries = record.read_record(settings.data_dir)
        self._copying, self._noting = asyncio.Lock(), asyncio.Lock()
        self._ending = threading.Event()
        self._began = databases[0].read_now(_began)  # when the box was set up
        self.started: asyncio.Task[None] | None = None

    @property
    def settings_name_a_place(self) -> bool:
        """Whether backups are made by themselves."""
        return bool(self.settings.backup_to and self.settings.backup_every)

    async def copy(self) -> PairCopy:
        """A copy of both files, for a command. Raises Conflict, with the reason where there can be none now."""
        if self._copying.locked():
            raise Conflict(_("Another backup is running. Try again when it is finished"))
        async with self._copying:
            try:
                return await asyncio.to_thread(
                    take.copy, self.settings, self._databases, self._clock, self._look_at_end
                )
            except BackupFailed as failed:
                raise Conflict(str(failed)) from failed

    async def note(self, entry: BackupEntry) -> None:
        """Write down what became of a backup."""
        async with self._noting:
            await asyncio.to_thread(record.add, self.settings.data_dir, entry)
            self._entries = record.read_record(self.settings.data_dir)

    async def run_if_due(self) -> None:
        """Make a backup if it is time for one."""
        if self._began is None:
            self._began = await self._databases[0].read(_began)
        if self.settings_name_a_place and self._is_due() and not self._copying.locked():
            async with self._copying:
                await self.run()

    @property
    def is_running(self) -> bool:
        """Whether a backup is being created."""
        return self._copying.locked() or self.started is not None

    def start(self) -> None:
        """Create a backup now, in the background. Raises Conflict without a destination, or if one is running."""
        if not self.settings.backup_to:
            raise Conflict(_("Enter a destination first"))
        if self.is_running:
            raise Conflict(_("A backup is already running"))

        async def run() -> None:
            try:
                async with self._copying:
                    await self.run()
            finally:
                self.started = None

        self.started = asyncio.create_task(run())

    def _is_due(self) -> bool:
        place = shown_as(self.settings.backup_to)  # another one begins with a backup
        own = [entry for entry in self._entries if entry.kind == "scheduled" and entry.place == place]
        tried = max((entry.ended for entry in own), default=0)
        done = max((entry.ended for entry in own if not entry.error), default=0)
        now, every = self._clock.now(), self.settings.backup_every * HOUR
        wait = every if done == tried else min(every, _AGAIN)
        return not 0 <= now - tried < wait

    async def run(self) -> None:
        """Make a backup now, as the settings say; what fails is logged and noted."""
        settings = self.settings
        try:
            entry = await asyncio.to_thread(self._make)
            log.info("Backed up to %s: %d bytes in %.1f s", entry.name, entry.bytes, entry.seconds)
            if entry.has_key_in_clear:
                log.warning("%s: %s", entry.name, KEY_IN_CLEAR)
        except BoxStopping:
            return
        except (BackupFailed, OSError) as failed:
            if isinstance(failed, UnsoundCopy):  # because the databases are damaged, or the disk of the copy is
                await asyncio.to_thread(self._look_for_damage)
            log.error("The backup to %s failed: %s", settings.backup_to, failed)
            entry = BackupEntry("scheduled", shown_as(settings.backup_to), self._clock.now(), error=str(failed))
        await self.note(entry)

    def _look_for_damage(self) -> None:
        with suppress(Unavailable):  # the box is stopping
            for db in self._databases:
                look_through(db)

    def _make(self) -> BackupEntry:
        settings = self.settings
        wanted = BackupOptions(
            kind="scheduled",
            passphrase=passphrase_of(settings.backup_passphrase_file, settings.backup_passphrase),
            keep=settings.backup_keep,
        )
        place = place_of(settings.backup_to, settings)
        place.look()
        copy = take.copy(settings, self._databases, self._clock, self._look_at_end)
        try:
            return take.finish(settings, copy, place, wanted, self._clock, self._look_at_end)
        finally:
            take.remove(Path(copy.folder))

    def stop(self) -> None:
        """Break off what is being made: it is made again after the next start."""
        self._ending.set()

    @property
    def _look_at_end(self) -> GoingOn:
        def look() -> None:
            if self._ending.is_set():
                raise BoxStopping(_("The server is stopping"))

        return look

    def standing(self) -> BackupStanding:
        """The current state."""
        entries, now = self._entries, self._clock.now()
        last = next((entry for entry in reversed(entries) if record.is_good(entry)), None)
        newest = next((entry for entry in reversed(entries) if entry.kind != "upgrade"), None)
        since = last.ended if last else self._began
        every = self.settings.backup_every if self.settings.backup_to else 0
        patience = 2 * every * HOUR if every else self.settings.backup_reminder_days * DAY
        return BackupStanding(
            last=last,
            failed=newest if newest and newest.error else None,
            overdue=bool(patience and since is not None and now - since > patience),
            every=every,
            recent=tuple(reversed(entries)),
        )


def _began(db: Connection) -> int | None:
    """The creation time of the first organization or website; None in a box that is not set up."""
    (found,) = db.execute("-- backups.began\nselect min(created_at) from sites").fetchall()[0]
    return None if found is None else int(str(found))
