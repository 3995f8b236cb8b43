"""The state of the box as one value: the page, `check` and `doctor` show it, and warnings are derived from it."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

import analytics_box
from analytics_box.app.watch import disk as sizes
from analytics_box.app.watch import runs as outgoing
from analytics_box.app.watch.disk import Forecast, Readiness, forecast
from analytics_box.app.watch.runs import JobRun, OutboxState, OutgoingWatch, Runs
from analytics_box.app.watch.warnings import (
    MEGABYTE,
    Warning,
    WarningInputs,
    WatchedCertificate,
    WithoutClickHouse,
    warnings,
)
from analytics_box.base.backup.backups import Backups, BackupStanding
from analytics_box.base.clock import Clock, utc_day
from analytics_box.base.errors import Unavailable
from analytics_box.base.settings import Settings
from analytics_box.base.store.clock_watch import ClockWatch
from analytics_box.base.store.db import Db
from analytics_box.base.store.reserve import Disk, Reserve, disk_of, mark_of
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.query.engines import Engines
from analytics_box.query.engines.copies import ReplicaStatus
from analytics_box.web.proxy_watch import ProxyWatch

_END: Final = "-----END CERTIFICATE-----"
_CONTEXT, _UTC_TIME, _GENERALIZED_TIME = 0xA0, 0x17, 0x18  # tags of DER
_FORMS: Final = {_UTC_TIME: "%y%m%d%H%M%SZ", _GENERALIZED_TIME: "%Y%m%d%H%M%SZ"}
_BEFORE_VALIDITY: Final = 3  # serial number, algorithm and issuer


def certificate(file: str) -> WatchedCertificate | None:
    """The first certificate of a PEM file; None without a file."""
    if not file:
        return None
    try:
        text = Path(file).read_text("latin-1")
        first = text[text.index("-----BEGIN CERTIFICATE-----") : text.index(_END) + len(_END)]
        return WatchedCertificate(_ends(ssl.PEM_cert_to_DER_cert(first)))
    except (OSError, ValueError, IndexError):
        return WatchedCertificate(None)


def _ends(der: bytes) -> int:
    """UTC ms. Raises ValueError or IndexError for what is no certificate."""
    _, whole, _ = _value(der, 0)
    _, body, _ = _value(whole, 0)
    place = _value(body, 0)[2] if body[0] == _CONTEXT else 0  # its version, which may be left out
    for _ in range(_BEFORE_VALIDITY):
        place = _value(body, place)[2]
    _, validity, _ = _value(body, place)
    kind, text, _ = _value(validity, _value(validity, 0)[2])
    if kind not in _FORMS:
        raise ValueError(kind)
    return int(datetime.strptime(text.decode("ascii"), _FORMS[kind]).replace(tzinfo=UTC).timestamp() * 1000)


def _value(data: bytes, place: int) -> tuple[int, bytes, int]:
    """The tag and the content of the value that begins here, and where the next one begins."""
    length, begin = data[place + 1], place + 2
    if length & 0x80:
        count = length & 0x7F
        length, begin = int.from_bytes(data[begin : begin + count]), begin + count
    if begin + length > len(data):
        raise ValueError("It ends too early")
    return data[place], data[begin : begin + length], begin + length


class WatchedParts(Struct, frozen=True):
    """The parts of a box that are watched. `started_at` is UTC ms.

    `cut_off_since` returns the time (UTC ms) since which the network cannot be reached; None if it can.
    """

    settings: Settings
    clock: Clock
    databases: tuple[Db, ...]  # box.db and events.db
    dropped: DroppedTraffic
    engines: Engines
    runs: Runs
    readiness: Readiness
    reserve: Reserve
    backups: Backups
    clock_watch: ClockWatch
    proxies: ProxyWatch
    started_at: int
    monotonic: float
    machines: Machines
    cut_off_since: Callable[[], int | None]
    outgoing: OutgoingWatch


class FileState(Struct, frozen=True):
    """A database: bytes of its file and its log, and what waits for it."""

    name: str
    bytes: int
    logBytes: int
    commits: int
    failing: bool
    writesWaiting: int
    reads: int
    readsHeld: int


class DiskState(Struct, frozen=True):
    """The disk of the data directory, in bytes. What is not known is null."""

    total: int | None
    free: int | None
    perDay: float | None
    daysLeft: float | None


class ReplicaState(Struct, frozen=True):
    """The engine that answers queries, and the column replica: its rows, rows still to come, and its bytes. `alone` are
    rows that
    ClickHouse has and events.db has not, `orders` removals that are still pending there.
    """

    engine: str
    state: Literal["off", "building", "ready"]
    rows: int
    behind: int
    memory: int
    bytes: int
    alone: int = 0
    orders: int = 0


class JobState(Struct, frozen=True):
    """A job: seconds between two runs, and its runs since the start. Times are UTC ms; what is not known is null."""

    name: str
    text: str
    every: int
    runs: int
    failures: int
    inARow: int
    lastAt: int | None
    seconds: float | None
    nextAt: int | None
    error: str


class MachineState(Struct, frozen=True):
    """A machine that takes events: when it was last heard (UTC ms), its version, and rows that ClickHouse lacks of it.
    It is `current` if it knows what this box knows, `done` if nothing that was ordered is open there, `silent` if it
    has said nothing for half a minute."""

    number: int
    heardAt: int | None
    version: str
    behind: int | None
    current: bool
    done: bool
    silent: bool


class BoxState(Struct, frozen=True):
    """The state of the box at `now` (UTC ms)."""

    now: int
    version: str
    startedAt: int
    uptime: float  # seconds
    warnings: list[Warning]
    disk: DiskState
    files: list[FileState]
    replica: ReplicaState
    jobs: list[JobState]
    machines: list[MachineState]
    outboxes: list[OutboxState]
    monitors: dict[str, int]  # by state
    lookups: dict[str, int]  # questions to registries of domains since the start, by outcome


async def state(watched: WatchedParts) -> BoxState:
    """The current state of the box."""
    now = watched.clock.now()
    disk, ahead = await _disk(watched, now)
    outboxes = await outgoing.states(watched.outgoing)
    status = await engine_status(watched) or ReplicaStatus("off")
    return BoxState(
        now=now,
        version=analytics_box.__version__,
        startedAt=watched.started_at,
        uptime=watched.clock.monotonic() - watched.monotonic,
        warnings=warnings(await _warning_inputs(watched, now, disk, ahead, outboxes)),
        disk=DiskState(
            total=disk.total if disk is not None else None,
            free=disk.free if disk is not None else None,
            perDay=ahead.per_day,
            daysLeft=ahead.days_left,
        ),
        files=[_file(db) for db in watched.databases],
        replica=ReplicaState(
            watched.engines.name,
            status.state,
            status.rows,
            status.behind,
            status.memory,
            status.size,
            status.alone,
            status.orders,
        ),
        jobs=_jobs(watched.runs),
        machines=[
            MachineState(one.number, one.heard_at, one.version, one.behind, one.current, one.done, one.silent)
            for one in watched.machines.standings()
        ],
        outboxes=outboxes,
        monitors=dict(watched.outgoing.monitors()),
        lookups={outcome: count for one in watched.outgoing.lookups for outcome, count in one.items()},
    )


async def engine_status(watched: WatchedParts) -> ReplicaStatus | None:
    """The state of the copies of events.db; None if events.db cannot be read."""
    try:
        return await watched.engines.status()
    except Unavailable:
        return None


async def current_warnings(watched: WatchedParts) -> list[Warning]:
    """The current warnings."""
    now = watched.clock.now()
    return warnings(
        await _warning_inputs(watched, now, *await _disk(watched, now), await outgoing.states(watched.outgoing))
    )


def seen_without_a_box(settings: Settings, now: int) -> WarningInputs:
    """The visible state of a data directory that no box has open."""
    disk = _disk_of(settings.data_dir, disk_of)
    return WarningInputs(
        now=now,
        free=disk.free if disk is not None else None,
        least_free=_least_free(settings, disk),
        open_folder=is_open(settings.data_dir),
        certificate=certificate(settings.tls_certificate),
    )


def is_open(directory: Path) -> bool:
    """Whether other users of the machine can look into a directory."""
    try:
        return bool(directory.stat().st_mode & 0o077)
    except OSError:
        return False


async def _warning_inputs(
    watched: WatchedParts, now: int, disk: Disk | None, ahead: Forecast, outboxes: Sequence[OutboxState]
) -> WarningInputs:
    settings = watched.settings
    failing = {one.name: one.failing for one in outboxes}
    return WarningInputs(
        now=now,
        trouble=await watched.readiness.trouble(),
        free=disk.free if disk is not None else None,
        least_free=_least_free(settings, disk),
        days_left=ahead.days_left,
        clock_doubted=watched.clock_watch.is_doubted,
        open_folder=await asyncio.to_thread(is_open, settings.data_dir),
        certificate=await asyncio.to_thread(certificate, settings.tls_certificate),
        backup=_backup(watched.backups.standing()),
        untrusted_proxy=watched.proxies.untrusted,
        unreadable_proxy=watched.proxies.unreadable,
        damaged=tuple(db.path.name for db in watched.databases if db.damage.reason),
        cut_off_since=watched.cut_off_since(),
        clickhouse_away_since=watched.engines.away_since,
        without_clickhouse=_without_clickhouse(watched),
        silent_machines=tuple(one.number for one in watched.machines.standings() if one.silent),
        clickhouse_lacks=watched.engines.lacks,
        failing_channels=failing.get("channels", 0),
        failing_mailboxes=failing.get("subscribers", 0),
        refused_monitors=watched.outgoing.refused(),
        log_bytes=max(db.log_bytes for db in watched.databases),
        failing_jobs=tuple((name, run.in_a_row) for name, run in watched.runs.by_name.items() if run.in_a_row),
    )


def _without_clickhouse(watched: WatchedParts) -> WithoutClickHouse:
    if watched.settings.role == "ingest":
        return "unasked"
    return "nothing" if watched.engines.is_shared else "sqlite"


def _backup(standing: BackupStanding) -> Literal["", "failed", "never", "overdue"]:
    if standing.failed:
        return "failed"
    if not standing.overdue:
        return ""
    return "overdue" if standing.last else "never"


async def _disk(watched: WatchedParts, now: int) -> tuple[Disk | None, Forecast]:
    disk = await asyncio.to_thread(_disk_of, watched.settings.data_dir, watched.reserve.disk)
    if disk is None:
        return None, Forecast()
    try:
        measured = await watched.databases[0].read(partial(sizes.lately, today=utc_day(now)))
    except Unavailable:  # the forecast is missing then, and every other warning is there
        return disk, Forecast()
    return disk, forecast(measured, disk.free, utc_day(now))


def _disk_of(directory: Path, look: Callable[[Path], Disk]) -> Disk | None:
    try:
        return look(directory)
    except OSError:
        return None


def _least_free(settings: Settings, disk: Disk | None) -> int:
    return mark_of(settings.least_free_mb * MEGABYTE, disk.total) if disk is not None else 0


def _file(db: Db) -> FileState:
    queues = db.queues
    return FileState(
        name=db.path.name,
        bytes=db.path.stat().st_size if db.path.exists() else 0,
        logBytes=db.log_bytes,
        commits=db.version,
        failing=db.failing,
        writesWaiting=queues.writes,
        reads=queues.reads,
        readsHeld=queues.held,
    )


def _jobs(runs: Runs) -> list[JobState]:
    following = runs.next_runs()
    return [
        JobState(
            name=name,
            text=known.text,
            every=known.every,
            runs=run.times,
            failures=run.failures,
            inARow=run.in_a_row,
            lastAt=run.ended_at if run.times else None,
            seconds=run.seconds if run.times else None,
            nextAt=following.get(name),
            error=run.error,
        )
        for name, known in runs.known.items()
        for run in (runs.by_name.get(name, JobRun()),)
    ]
