"""GET /health/ready and GET /metrics: for load balancers and for Prometheus.

Most figures exist anyway: they are looked up when someone asks, and cost nothing before.
"""

import hmac
import logging
import os
import resource
import shutil
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, NamedTuple

from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import Struct

import analytics_box
from analytics_box.app.watch import runs as outgoing
from analytics_box.app.watch.runs import OutboxState, OutgoingWatch, Runs
from analytics_box.app.watch.state import WatchedParts, current_warnings, engine_status
from analytics_box.base import errors
from analytics_box.base.backup.backups import BackupStanding
from analytics_box.base.secret_file import first_line
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.base.store.db import Db
from analytics_box.base.translation import _
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.query.engines.copies import ReplicaStatus
from analytics_box.web.address import canonical
from analytics_box.web.answer import json_answer
from analytics_box.web.call import Parts
from analytics_box.web.front import LOOPBACK_NAMES, host_name, own_hosts

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_KIBIBYTE = 1_024


class Figure(NamedTuple):
    """A metric: its samples by the value of its label, or a single one without a label."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    label: str
    samples: Mapping[str, float]


async def exposition(watched: WatchedParts) -> str:
    """All figures as text."""
    lines: list[str] = []
    for figure in await figures(watched):
        lines += [f"# HELP {figure.name} {figure.help}", f"# TYPE {figure.name} {figure.kind}"]
        for value, sample in figure.samples.items():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            label = f'{{{figure.label}="{escaped}"}}' if figure.label else ""
            lines.append(f"{figure.name}{label} {sample:.15g}")
    return "\n".join([*lines, ""])


async def figures(watched: WatchedParts) -> list[Figure]:
    """All figures, now."""
    trouble = await watched.readiness.trouble()
    replica = await engine_status(watched)
    return [
        _one("analytics_box_ready", "Whether the server can do its work, as /health/ready says", not trouble),
        Figure("analytics_box_info", "gauge", "The version", "version", {analytics_box.__version__: 1}),
        Figure(
            "analytics_box_events_total",
            "counter",
            "Events by what became of them: stored, or why not; a refused request counts once",
            "outcome",
            {"stored": watched.dropped.stored, **watched.dropped.reasons},
        ),
        Figure(
            "analytics_box_events_folded_total",
            "counter",
            "Stored events whose new texts were over the hourly budget of their website",
            "",
            {"": watched.dropped.folded},
        ),
        *_of_databases(watched.databases),
        *(_of_replica(replica) if replica is not None else ()),
        *_of_machines(watched.machines),
        *_of_outboxes(await outgoing.states(watched.outgoing), watched.clock.now()),
        *_of_checks(watched.outgoing),
        _one(
            "analytics_box_disk_free_bytes",
            "What may still be written to the disk of the data directory",
            shutil.disk_usage(watched.databases[0].path.parent).free,
        ),
        *_of_backups(watched.backups.standing()),
        Figure(
            "analytics_box_warning",
            "gauge",
            "1 for each warning that administrators are shown",
            "code",
            {warning.code: 1 for warning in await current_warnings(watched)},
        ),
        _one("analytics_box_start_time_seconds", "Unix time of the start", watched.started_at / 1000),
        *_of_jobs(watched.runs),
        *_of_the_process(),
    ]


def _of_databases(databases: tuple[Db, ...]) -> Iterator[Figure]:
    def each(name: str, kind: Literal["counter", "gauge"], text: str, values: list[float]) -> Figure:
        names = [db.path.name for db in databases]
        return Figure(f"analytics_box_{name}", kind, text, "database", dict(zip(names, values, strict=True)))

    queues = [db.queues for db in databases]
    yield each("commits_total", "counter", "Group commits", [db.version for db in databases])
    yield each("failing", "gauge", "Whether the last group commit failed", [db.failing for db in databases])
    yield each(
        "damaged",
        "gauge",
        "Whether the file was found damaged or unreadable",
        [bool(db.damage.trouble) for db in databases],
    )
    yield each("writes_waiting", "gauge", "Writes that wait for the disk", [found.writes for found in queues])
    yield each("reads", "gauge", "Reads that run or wait", [found.reads for found in queues])
    yield each("reads_held", "gauge", "Reads that wait for the log to start again", [found.held for found in queues])
    yield each("log_bytes", "gauge", "Size of the write-ahead log", [db.log_bytes for db in databases])
    yield each(
        "database_bytes",
        "gauge",
        "Size without the log",
        [db.path.stat().st_size if db.path.exists() else 0 for db in databases],
    )


def _of_replica(replica: ReplicaStatus) -> Iterator[Figure]:
    yield _one("analytics_box_replica_ready", "Whether the column replica answers queries", replica.state == "ready")
    yield _one("analytics_box_replica_rows_behind", "Rows of events.db that the replica lacks", replica.behind)
    yield _one("analytics_box_clickhouse_alone_rows", "Rows that are in ClickHouse but not in events.db", replica.alone)
    yield _one("analytics_box_clickhouse_orders", "Removals waiting for ClickHouse", replica.orders)


def _of_outboxes(found: Sequence[OutboxState], now: int) -> Iterator[Figure]:
    def each(name: str, text: str, values: Mapping[str, float]) -> Figure:
        return Figure(f"analytics_box_messages_{name}", "gauge", text, "outbox", values)

    yield each("waiting", "Waiting messages", {one.name: one.waiting for one in found})
    ages: dict[str, float] = {
        one.name: max(now - one.oldestAt, 0) / 1000 if one.oldestAt is not None else 0 for one in found
    }
    yield each("oldest_seconds", "Age of the oldest waiting message", ages)
    failing: dict[str, float] = {one.name: one.failing for one in found if one.name != "primary"}
    yield each("failing", "Receivers that have failed for 15 minutes or longer", failing)
    for one in found:
        if one.name != "primary":
            name, text = f"analytics_box_{one.name}_attempts_total", "Attempts to deliver a message, by outcome"
            outcomes = {"sent": one.sent, "failed": one.failed, "given_up": one.givenUp}
            yield Figure(name, "counter", text, "outcome", outcomes)


def _of_checks(found: OutgoingWatch) -> Iterator[Figure]:
    yield Figure("analytics_box_monitors", "gauge", "Monitors by state", "state", found.monitors())
    for lookups in found.lookups:
        text = "Domain registry lookups (RDAP), by outcome"
        yield Figure("analytics_box_registry_questions_total", "counter", text, "outcome", lookups)


def _of_machines(machines: Machines) -> Iterator[Figure]:
    found = machines.standings()
    if not found:
        return
    silent = {str(one.number): float(one.silent) for one in found}
    yield Figure("analytics_box_machine_silent", "gauge", "Whether an ingest machine says nothing", "machine", silent)
    behind = {str(one.number): float(one.behind) for one in found if one.behind is not None}
    text = "Rows of an ingest machine that ClickHouse lacks"
    yield Figure("analytics_box_machine_rows_behind", "gauge", text, "machine", behind)


def _of_backups(standing: BackupStanding) -> Iterator[Figure]:
    yield _one("analytics_box_backup_failed", "Whether the last backup failed", standing.failed is not None)
    yield _one("analytics_box_backup_overdue", "Whether the last whole backup is too old, or missing", standing.overdue)
    last = standing.last.moment / 1e3 if standing.last else 0
    yield _one("analytics_box_backup_last_seconds", "Unix time that the last whole backup is of; 0: none", last)


def _of_jobs(runs: Runs) -> Iterator[Figure]:
    found = sorted(runs.by_name.items())
    for name, kind, text, values in (
        ("runs_total", "counter", "Runs since the start", {name: run.times for name, run in found}),
        ("failures_total", "counter", "Runs that failed", {name: run.failures for name, run in found}),
        ("last_run_seconds", "gauge", "Unix time of the end of the last run", {n: r.ended_at / 1e3 for n, r in found}),
    ):
        yield Figure(f"analytics_box_job_{name}", kind, text, "job", values)  # type: ignore[arg-type]  # the kinds above are its words


def _of_the_process() -> Iterator[Figure]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime
    yield Figure("process_cpu_seconds_total", "counter", "Processor time in seconds", "", {"": seconds})
    yield _one("process_resident_memory_bytes", "Resident memory", _resident(used.ru_maxrss * _KIBIBYTE))
    if os.path.isdir("/proc/self/fd"):
        yield _one("process_open_fds", "Open files and connections", len(os.listdir("/proc/self/fd")))


def _resident(peak: int) -> int:
    """Resident memory in bytes; its peak on systems that do not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return peak


def _one(name: str, text: str, value: float) -> Figure:
    return Figure(name, "gauge", text, "", {"": value})


log = logging.getLogger(__name__)

_NO_STORE = {"cache-control": "no-store"}
_BY_A_PROXY = ("x-forwarded-for", "forwarded", "x-real-ip", "via")


class ReadinessAnswer(Struct, frozen=True, omit_defaults=True):
    """Whether the box can do its work, and the reason if it cannot."""

    status: Literal["ok", "unavailable"]
    reason: str = ""


async def ready(parts: NamedDependency[Parts]) -> Response[bytes]:
    """Whether the box can do its work: 200, or 503 with the reason."""
    trouble = await parts[WatchedParts].readiness.trouble()
    answer = ReadinessAnswer("unavailable", trouble) if trouble else ReadinessAnswer("ok")
    return json_answer(answer, status=503 if trouble else 200)


async def metrics(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[str]:
    """Figures for Prometheus, if the setting `metrics` is on.

    With `metrics_token_file`, callers need that token. Otherwise only programs on the same machine get an answer, and
    none if there is a proxy, whose clients may look like them. Raises NotFound or AuthRequired.
    """
    settings = parts.settings
    if settings.metrics == "off":
        raise errors.NotFound(_("There is nothing at this address"))
    if settings.metrics_token_file:
        if not _has_token(request, settings.metrics_token_file):
            raise errors.AuthRequired(_("Send the token of metrics_token_file as a bearer token"))
    elif not _is_local(request):
        raise errors.NotFound(_("There is nothing at this address"))
    elif has_proxy(settings):
        raise errors.AuthRequired(_("Behind a proxy, GET /metrics requires a token. Set metrics_token_file"))
    return Response(await exposition(parts[WatchedParts]), media_type=CONTENT_TYPE, headers=_NO_STORE)


def _has_token(request: Request[Any, Any, Any], file: str) -> bool:
    scheme, _, sent = request.headers.get("authorization", "").partition(" ")
    try:
        wanted = first_line("metrics_token_file", file).strip()
    except SettingsError as wrong:
        log.error("%s", wrong)
        return False
    same = hmac.compare_digest(sent.strip().encode(), wanted.encode())
    return scheme.lower() == "bearer" and bool(wanted) and same


def has_proxy(settings: Settings) -> bool:
    """Whether the settings say that a proxy stands before the box: it is named, or visitors cannot come without it.

    They cannot by https if the box has no certificate, and not by a host name of the internet if it listens on this
    machine only.
    """
    if settings.trusted_proxies or (settings.secure and not settings.tls_certificate):
        return True
    listens_here = canonical(settings.host) in {"127.0.0.1", "::1"} or settings.host == "localhost"
    return listens_here and not own_hosts(settings) <= LOOPBACK_NAMES


def _is_local(request: Request[Any, Any, Any]) -> bool:
    """Whether a program on this machine asks, by a name of this machine: no proxy's client, no other site's page."""
    client = request.scope["client"]
    if client is None or any(name in request.headers for name in _BY_A_PROXY):
        return False
    address = canonical(client[0])
    is_loopback = bool(address) and ip_address(address).is_loopback
    return is_loopback and host_name(request.headers.get("host", "").encode("latin-1")) in LOOPBACK_NAMES
