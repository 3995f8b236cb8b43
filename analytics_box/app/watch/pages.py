"""The page /settings/box: the program itself, and for administrators how it is doing."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

import analytics_box
from analytics_box.app.watch import disk as sizes
from analytics_box.app.watch.runs import OutboxState
from analytics_box.app.watch.state import (
    BoxState,
    DiskState,
    FileState,
    JobState,
    MachineState,
    ReplicaState,
    WatchedParts,
    state,
)
from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store import schema
from analytics_box.base.translation import _
from analytics_box.tenants.tenancy import members
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Page, Visitor

FILE_LABELS = {"box.db": _("Accounts and settings"), "events.db": _("Events")}
_FACTS = {
    "rows": _("Rows in it"),
    "behind": _("Rows to ship"),
    "alone": _("Rows only in ClickHouse"),
    "orders": _("Removals waiting for ClickHouse"),
    "memory": _("Memory"),
    "size": _("Size on disk"),
}
_OUTBOXES = {
    "channels": _("Alert channels"),
    "subscribers": _("Subscribers"),
    "reports": _("Reports"),
    "primary": _("The primary"),
}
_MONITOR_STATES = {
    "new": _("not checked yet"),
    "up": _("up"),
    "degraded": _("degraded"),
    "verifying": _("being rechecked"),
    "down": _("down"),
    "unknown": _("unknown"),
    "maintenance": _("in maintenance"),
    "paused": _("paused"),
}
_JOBS_FAILED = (
    _("{count} jobs, {failed} failed since the last start"),
    _("{count} jobs, one failed since the last start"),
)
_FAILED = (_("{count} failed"), _("one failed"))


_DAY, _YEARS = 86_400, 3_650  # seconds; days beyond which nothing is foretold
_QUICK = 0.1  # seconds


class DiskShown(Struct, frozen=True):
    """The disk: a class for the width of its bar, and facts by name. Without a size there is no bar."""

    width: str
    used: str
    facts: dict[str, str]


class DatabaseShown(Struct, frozen=True):
    """A line of the table of databases."""

    name: str
    size: str
    log: str
    writes: str
    reads: str
    failing: bool


class OutboxShown(Struct, frozen=True):
    """A line of the table of outboxes. `oldest` is empty if nothing waits."""

    name: str
    waiting: str
    oldest: str
    failing: str
    arrived: str
    given_up: str
    is_failing: bool


class MachineShown(Struct, frozen=True):
    """A line of the table of machines that take events."""

    number: str
    heard: str
    version: str
    behind: str
    standing: str
    silent: bool


class JobShown(Struct, frozen=True):
    """A line of the table of jobs. `error` is empty if it never failed."""

    name: str
    text: str
    every: str
    last: str
    took: str
    next: str
    runs: str
    failed: str
    error: str
    failing: bool


def duration(seconds: float) -> str:
    """12 s, 5 m 3 s, 2 h, 3 days."""
    if seconds >= 2 * _DAY:
        return _("{days} days").format(days=figures.count(seconds // _DAY))
    return figures.duration(max(seconds, 0))


def running(found: BoxState, person: SignedInPerson) -> str:
    """Since when it runs."""
    started = dates.moment(found.startedAt, person)
    return f"{started} ({duration(found.uptime)})"


def disk(found: DiskState) -> DiskShown | None:
    """The disk of the data directory; None if the system does not say."""
    if found.free is None or not found.total:
        return None
    used = found.total - found.free
    return DiskShown(
        width=figures.bar_width(used, found.total),
        used=_("{percent} of the disk is used").format(percent=figures.percent(used / found.total * 100)),
        facts={
            _("Free"): _("{free} of {total}").format(free=figures.size(found.free), total=figures.size(found.total)),
            _("Growth"): _growth(found.perDay),
            _("Full"): _full(found),
        },
    )


def _growth(per_day: float | None) -> str:
    if per_day is None:
        return _("Not available yet. A forecast needs three days of measurements")
    return _("{size} a day").format(size=figures.size(per_day)) if per_day > 0 else _("Not growing")


def _full(found: DiskState) -> str:
    if found.perDay is None:
        return _("Not available yet. A forecast needs three days of measurements")
    if found.daysLeft is None:
        return _("Never at the current rate")
    if found.daysLeft > _YEARS:
        return _("Not within ten years at the current rate")
    return _("in about {days} at the current rate").format(days=duration(found.daysLeft * _DAY))


def databases(found: Sequence[FileState]) -> list[DatabaseShown]:
    """The table of databases."""
    return [
        DatabaseShown(
            name=FILE_LABELS[one.name],
            size=figures.size(one.bytes),
            log=figures.size(one.logBytes),
            writes=figures.count(one.writesWaiting),
            reads=_("{reads} ({held} waiting for the log)").format(reads=one.reads, held=one.readsHeld)
            if one.readsHeld
            else figures.count(one.reads),
            failing=one.failing,
        )
        for one in found
    ]


def replica(found: ReplicaState) -> dict[str, str]:
    """The state of the column replica; empty if there is none."""
    if found.state == "off":
        return {}
    said = {
        "rows": figures.count(found.rows),
        "behind": figures.count(found.behind),
        "memory": figures.size(found.memory),
        "size": figures.size(found.bytes),
    }
    said |= {name: figures.count(count) for name, count in (("alone", found.alone), ("orders", found.orders)) if count}
    elsewhere = set() if found.memory or found.bytes else {"memory", "size"}
    return {_FACTS[name]: text for name, text in said.items() if name not in elsewhere}


def outboxes(found: BoxState) -> list[OutboxShown]:
    """The table of outboxes."""
    return [_outbox(one, found.now) for one in found.outboxes]


def _outbox(one: OutboxState, now: int) -> OutboxShown:
    oldest = (
        "" if one.oldestAt is None else _("oldest {duration}").format(duration=duration((now - one.oldestAt) / 1000))
    )
    return OutboxShown(
        name=_OUTBOXES[one.name],
        waiting=figures.count(one.waiting),
        oldest=oldest,
        failing=figures.count(one.failing),
        arrived=figures.count(one.sent),
        given_up=figures.count(one.givenUp),
        is_failing=bool(one.failing),
    )


def checks(found: BoxState) -> dict[str, str]:
    """Facts about monitors by state, and about registries of domains if they were asked."""
    facts = {_("Monitors"): _monitors(found)}
    if any(found.lookups.values()):
        counts = {outcome: figures.count(count) for outcome, count in found.lookups.items()}
        facts[_("Domain registries")] = _("{answered} lookups answered, {failed} failed").format(**counts)
    return facts


def _monitors(found: BoxState) -> str:
    counted = (
        f"{figures.count(found.monitors[state])} {text}"
        for state, text in _MONITOR_STATES.items()
        if found.monitors.get(state)
    )
    return ", ".join(counted) or _("None")


def machines(found: BoxState, person: SignedInPerson) -> list[MachineShown]:
    """The machines that take events."""
    return [_machine(one, person) for one in found.machines]


def _machine(one: MachineState, person: SignedInPerson) -> MachineShown:
    if one.silent:
        standing = _("Not responding")
    elif not one.current:
        standing = _("Does not have the latest settings")
    else:
        standing = _("Up to date") if one.done else _("Has pending removals of visitors")
    return MachineShown(
        number=str(one.number),
        heard=dates.moment(one.heardAt, person) if one.heardAt is not None else _("Not since the last start"),
        version=one.version,
        behind=figures.count(one.behind) if one.behind is not None else "",
        standing=standing,
        silent=one.silent,
    )


def jobs(found: BoxState) -> list[JobShown]:
    """The table of jobs: first those that fail, then those that failed."""
    lines = sorted(found.jobs, key=lambda job: (not job.inARow, not job.failures))
    return [_job(job, found.now) for job in lines]


def jobs_words(found: Sequence[JobState]) -> str:
    """The state of the jobs, in a sentence."""
    failed = sum(bool(job.failures) for job in found)
    if not failed:
        return _("{count} jobs, none failed since the last start").format(count=len(found))
    return _JOBS_FAILED[failed == 1].format(count=len(found), failed=failed)


def _job(job: JobState, now: int) -> JobShown:
    quick = job.seconds is not None and job.seconds < _QUICK
    return JobShown(
        name=job.name,
        text=job.text,
        every=_("every {duration}").format(duration=duration(job.every)),
        last=_("Not since the last start") if job.lastAt is None else dates.ago(job.lastAt, now),
        took="" if job.seconds is None or quick else _("took {duration}").format(duration=duration(job.seconds)),
        next=_next(job.nextAt, now),
        runs=figures.count(job.runs),
        failed=_FAILED[job.failures == 1].format(count=figures.count(job.failures)) if job.failures else "",
        error=_("Last error: {error}").format(error=figures.visible(job.error)) if job.error else "",
        failing=bool(job.inARow),
    )


def _next(at: int | None, now: int) -> str:
    if at is None:
        return _("Not planned")
    return _("in {duration}").format(duration=duration((at - now) / 1000)) if at > now else _("Now")


_ENGINES = {"sqlite": _("SQLite"), "duckdb": _("DuckDB"), "clickhouse": _("ClickHouse")}
_STATES = {"off": _("None"), "building": _("Building"), "ready": _("Ready")}


async def box(visit: Visitor) -> Page:
    """GET /settings/box."""
    watched, by = visit.parts[WatchedParts], visit.call.by
    administers = await visit.call.read(lambda db: members.administers(db, by))
    found = await state(watched)
    directory = visit.parts.settings.data_dir
    own: dict[str, Any] = {}
    if administers:
        own = {
            "attention": [one for one in found.warnings if one.code != "backup"],  # it stands above every page
            "calm": not found.warnings,
            "running": running(found, visit.person),
            "disk": disk(found.disk),
            "databases": databases(found.files),
            "outboxes": outboxes(found),
            "checks": checks(found),
            "machines": machines(found, visit.person),
            "jobs": jobs(found),
            "jobs_words": jobs_words(found.jobs),
        }
    return visit.settings_page(
        "box.html",
        "box",
        administers=administers,
        version=analytics_box.__version__,
        files={
            FILE_LABELS[name]: figures.size(sizes.size(directory, name))
            for name in (schema.BOX_FILE, schema.EVENTS_FILE)
        },
        engine=_ENGINES[found.replica.engine],
        replica=_STATES[found.replica.state],
        facts=replica(found.replica),
        **own,
    )
