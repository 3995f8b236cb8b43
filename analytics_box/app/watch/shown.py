"""The state of the box, in the words and numbers of its page."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.app.watch.outgoing import OutboxState
from analytics_box.app.watch.state import BoxState, DiskState, FileState, JobState, MachineState, ReplicaState
from analytics_box.base import texts
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.texts import figures
from analytics_box.web.page import dates

_MEGABYTE, _GIGABYTE = 1_000_000, 1_000_000_000
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
    """A line of the table of jobs. `error` is empty where it never failed."""

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


def bytes_text(size: float) -> str:
    """1.5 MB, 23.4 GB."""
    words = texts.TheBox
    if size >= 10 * _GIGABYTE:
        return words.gigabytes.format(number=f"{size / _GIGABYTE:,.1f}")
    return words.megabytes.format(number=f"{size / _MEGABYTE:,.1f}")


def duration(seconds: float) -> str:
    """12 s, 5 m 3 s, 2 h, 3 days."""
    if seconds >= 2 * _DAY:
        return texts.TheBox.days.format(days=figures.count(seconds // _DAY))
    words = figures.duration(max(seconds, 0))
    largest, _, rest = words.partition(f"{figures.NBSP}0{figures.NBSP}")  # 1 m 0 s is 1 m
    return largest if len(rest) == 1 else words


def running(found: BoxState, person: SignedInPerson) -> str:
    """Since when it runs."""
    started = dates.moment(found.startedAt, person)
    return texts.TheBox.uptime.format(started=started, duration=duration(found.uptime))


def disk(found: DiskState) -> DiskShown | None:
    """The disk of the data directory; None where the system does not say."""
    words = texts.TheBox
    if found.free is None or not found.total:
        return None
    used = found.total - found.free
    return DiskShown(
        width=figures.bar_width(used, found.total),
        used=words.disk_used.format(percent=figures.percent(used / found.total * 100)),
        facts={
            words.disk_free: words.disk_free_of.format(free=bytes_text(found.free), total=bytes_text(found.total)),
            words.growth: _growth(found.perDay),
            words.full: _full(found),
        },
    )


def _growth(per_day: float | None) -> str:
    words = texts.TheBox
    if per_day is None:
        return words.not_known
    return words.per_day.format(size=bytes_text(per_day)) if per_day > 0 else words.no_growth


def _full(found: DiskState) -> str:
    words = texts.TheBox
    if found.perDay is None:
        return words.not_known
    if found.daysLeft is None:
        return words.full_never
    if found.daysLeft > _YEARS:
        return words.full_late
    return words.full_in.format(days=duration(found.daysLeft * _DAY))


def databases(found: Sequence[FileState]) -> list[DatabaseShown]:
    """The table of databases."""
    words = texts.TheBox
    return [
        DatabaseShown(
            name=words.files[one.name],
            size=bytes_text(one.bytes),
            log=bytes_text(one.logBytes),
            writes=figures.count(one.writesWaiting),
            reads=words.held.format(reads=one.reads, held=one.readsHeld) if one.readsHeld else figures.count(one.reads),
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
        "memory": bytes_text(found.memory),
        "size": bytes_text(found.bytes),
    }
    said |= {name: figures.count(count) for name, count in (("alone", found.alone), ("orders", found.orders)) if count}
    elsewhere = set() if found.memory or found.bytes else {"memory", "size"}
    return {texts.TheBox.facts[name]: text for name, text in said.items() if name not in elsewhere}


def outboxes(found: BoxState) -> list[OutboxShown]:
    """The table of outboxes."""
    return [_outbox(one, found.now) for one in found.outboxes]


def _outbox(one: OutboxState, now: int) -> OutboxShown:
    words = texts.TheBox
    oldest = "" if one.oldestAt is None else words.oldest.format(duration=duration((now - one.oldestAt) / 1000))
    return OutboxShown(
        name=words.outboxes[one.name],
        waiting=figures.count(one.waiting),
        oldest=oldest,
        failing=figures.count(one.failing),
        arrived=figures.count(one.sent),
        given_up=figures.count(one.givenUp),
        is_failing=bool(one.failing),
    )


def checks(found: BoxState) -> dict[str, str]:
    """Facts about monitors by state, and about registries of domains if they were asked."""
    words = texts.TheBox
    facts = {words.monitors: _monitors(found)}
    if any(found.lookups.values()):
        counts = {outcome: figures.count(count) for outcome, count in found.lookups.items()}
        facts[words.registries] = words.lookups.format(**counts)
    return facts


def _monitors(found: BoxState) -> str:
    words = texts.TheBox
    counted = (
        words.monitors_of.format(count=figures.count(found.monitors[state]), state=text)
        for state, text in words.monitor_states.items()
        if found.monitors.get(state)
    )
    return ", ".join(counted) or words.no_monitors


def machines(found: BoxState, person: SignedInPerson) -> list[MachineShown]:
    """The machines that take events."""
    return [_machine(one, person) for one in found.machines]


def _machine(one: MachineState, person: SignedInPerson) -> MachineShown:
    words = texts.TheBox
    if one.silent:
        standing = words.silent_machine
    elif not one.current:
        standing = words.stale_machine
    else:
        standing = words.fine_machine if one.done else words.undone_machine
    return MachineShown(
        number=str(one.number),
        heard=dates.moment(one.heardAt, person) if one.heardAt is not None else words.never_heard,
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
    words, failed = texts.TheBox, sum(bool(job.failures) for job in found)
    if not failed:
        return words.jobs_fine.format(count=len(found))
    return words.jobs_failed[failed == 1].format(count=len(found), failed=failed)


def _job(job: JobState, now: int) -> JobShown:
    words = texts.TheBox
    quick = job.seconds is not None and job.seconds < _QUICK
    return JobShown(
        name=job.name,
        text=job.text,
        every=words.every.format(duration=duration(job.every)),
        last=words.not_yet if job.lastAt is None else words.ago.format(duration=duration((now - job.lastAt) / 1000)),
        took="" if job.seconds is None or quick else words.took.format(duration=duration(job.seconds)),
        next=_next(job.nextAt, now),
        runs=figures.count(job.runs),
        failed=words.failed[job.failures == 1].format(count=figures.count(job.failures)) if job.failures else "",
        error=words.last_error.format(error=figures.visible(job.error)) if job.error else "",
        failing=bool(job.inARow),
    )


def _next(at: int | None, now: int) -> str:
    words = texts.TheBox
    if at is None:
        return words.not_planned
    return words.ahead.format(duration=duration((at - now) / 1000)) if at > now else words.now
