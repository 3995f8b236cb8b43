"""The commands `analytics-box monitor …`, and the check of a monitor from the command line."""

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, get_args

import click

from analytics_box.app.cli.command import (
    IMPORT_SECONDS,
    LINK_SETTINGS,
    Request,
    argument,
    command,
    option,
    resource,
    sequence,
)
from analytics_box.app.cli.files import (
    DRY_RUN,
    FILE,
    TO,
    UPDATE_EXISTING,
    format_of,
    import_file,
    summary,
    with_notes,
    write,
)
from analytics_box.app.cli.options import AS_JSON, FieldOption, read_settings, report_refusals, show, with_settings
from analytics_box.base.clock import SystemClock
from analytics_box.base.outgoing import client
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.plain_files import MOST_BYTES
from analytics_box.base.settings import Settings
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Assertion, Granularity, Kind, Monitor, Options, RecordType, Subject
from analytics_box.products.monitors.moving.kuma_database import read_kuma_database
from analytics_box.products.monitors.moving.wanted import Form, Source
from analytics_box.products.monitors.probing.address import clean_address
from analytics_box.products.monitors.probing.probe import KINDS, Prober
from analytics_box.products.monitors.result import CheckPhases, CheckResult

_DAY: Final = 86_400_000
_TEXTS: Final[dict[Kind, Subject]] = {"http": "body", "tcp": "banner", "dns": "record"}
_BY_SCHEME: Final[dict[str, Kind]] = {kind: kind for kind in KINDS}
_STEPS: Final = (
    ("dns", "name look-up"),
    ("connect", "connect"),
    ("tls", "TLS"),
    ("first_byte", "first byte"),
    ("transfer", "transfer"),
)


@click.command("check")
@click.argument("url")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default=None,
    help="Kind of check. [default: by the scheme of URL, or http]",
)
@click.option("--timeout", type=click.FloatRange(0.1, 120), default=10.0, show_default=True, help="Timeout in seconds.")
@click.option("--status", default="", help="HTTP statuses that mean up, such as 200-299,404. [default: all below 500]")
@click.option("--contains", default="", help="Text that the response must contain.")
@click.option(
    "--record", type=click.Choice(get_args(RecordType)), default="A", show_default=True, help="DNS record type."
)
@click.option("--server", default="", help="Name server for a DNS check. [default: that of the system]")
@AS_JSON
@with_settings("data_dir", "allowed_private_targets", "dns_servers")
def monitor_check(
    url: str,
    kind: Kind | None,
    timeout: float,
    status: str,
    contains: str,
    record: RecordType,
    server: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Check URL once, as a monitor does, and print the duration of each step. No server needs to run.

    Examples of URL: example.com, https://example.com/health, tcp://example.com:22, tls://example.com,
    dns://example.com, ping://example.com. The exit code is 0 for up, 1 for down and 2 for invalid usage.
    """
    meant, address = _kind_and_address(kind, url)
    asked = Monitor(
        number=0,
        id="",
        organization_id="",
        kind=meant,
        url=address,
        timeout=round(timeout * 1000),
        options=Options(record=record, server=server, assertions=_assertions(meant, status, contains)),
    )

    def run() -> None:
        found = asyncio.run(_run_check(read_settings(given), asked))
        show(_plain(asked, found), list(_words(found)), as_json=as_json)
        sys.exit(1 if found.outcome == "fail" else 0)

    report_refusals(run)


def _assertions(kind: Kind, status: str, contains: str) -> tuple[Assertion, ...]:
    about = _TEXTS.get(kind)
    if (contains and about is None) or (status and kind != "http"):
        raise click.UsageError(f"--status and --contains do not apply to a check of kind {kind}")
    found = [Assertion("status", "in", status)] if status else []
    if contains and about is not None:
        found.append(Assertion(about, "contains", contains))
    return tuple(found)


async def _run_check(settings: Settings, asked: Monitor) -> CheckResult:
    return await Prober(client.clients(settings, agent="Analytics Box")).check(asked, SystemClock().now())


def _kind_and_address(kind: Kind | None, url: str) -> tuple[Kind, str]:
    """The kind of the check, and the address with its scheme."""
    scheme, found, _ = url.partition("://")
    meant = kind or _BY_SCHEME.get(scheme.lower() if found else "", "http")
    if not found:
        url = f"{'https' if meant == 'http' else meant}://{url}"
    try:
        return meant, clean_address(meant, url)
    except AddressRefused as refused:
        raise click.BadParameter(str(refused), param_hint="URL") from refused


def _words(found: CheckResult) -> Iterator[str]:
    took = f"{_ms(found.total):,.1f} ms"
    status = f", status {found.http_code}" if found.http_code else ""
    yield f"Up in {took}{status}" if found.outcome != "fail" else f"Down after {took}{status}: {found.error}"
    for name, called in _STEPS:
        if (step := getattr(found.phases, name)) is not None:
            yield f"  {called:<13}{_ms(step):>10,.1f} ms"
    if found.address:
        yield f"  {'address':<13}{found.address}"
    if found.bytes is not None:
        leads = f", after {found.redirects} redirect{'' if found.redirects == 1 else 's'}" if found.redirects else ""
        yield f"  {'received':<13}{found.bytes:,} bytes{leads}"
    if found.certificate_ends is not None:
        told = "accepted" if found.certificate_valid else "not accepted"
        yield f"  {'certificate':<13}{told}, {_end(found.certificate_ends, found.at)}"


def _end(ends: int, now: int) -> str:
    day = f"{datetime.fromtimestamp(ends / 1000, UTC):%Y-%m-%d}"
    days = abs(ends - now) // _DAY
    return f"expires {day}, in {days:,} days" if ends > now else f"expired {day}, {days:,} days ago"


def _plain(asked: Monitor, found: CheckResult) -> dict[str, Any]:
    """The result for programs; durations in ms, times in UTC ms."""
    return {
        "url": asked.url,
        "kind": asked.kind,
        "up": found.outcome != "fail",
        "reason": found.reason,
        "error": found.error,
        "status": found.http_code or None,
        "total": _ms(found.total),
        "ttfb": _ms(found.ttfb),
        "phases": {name: _ms(getattr(found.phases, name)) for name in CheckPhases.__struct_fields__},
        "address": found.address,
        "bytes": found.bytes,
        "redirects": found.redirects,
        "certificateEnds": found.certificate_ends,
        "certificateValid": found.certificate_valid,
    }


def _ms(us: int | None) -> Any:
    return None if us is None else us / 1000


MOST_LISTED: Final = 10_000
_MONITOR: Final = resource("monitor", "scheduleId", "monitor")
_NAME: Final = "MONITOR is its ID, URL or name."


def _list(request: Request) -> Any:
    request.input["sort"] = "state"
    return request.pages(request.values["limit"])


def _add(request: Request) -> Any:
    if (seconds := request.values["timeout"]) is not None:
        request.input.setdefault("timeout", seconds * 1_000)
    made = request.call()
    shown = request.call("uptime.getSchedule", {"scheduleId": made["scheduleId"]})
    return shown | {"pushUrl": made["pushUrl"]}


def _export(request: Request) -> None:
    to, as_json = request.values["to"], request.values["as_json"]
    request.input.setdefault("format", "json" if as_json else format_of(to, "yaml"))
    write([request.call()["content"]], to)


def _line(row: dict[str, Any]) -> str:
    state = row["state"] or ("paused" if row["isPaused"] else "-")
    return f"{state:11}  {row['id']}  {row['url']}{'  ' + row['name'] if row['name'] else ''}"


def _import_lines(answer: dict[str, Any]) -> Iterator[str]:
    yield summary(answer, "monitors", "created", "updated", "unchanged", "existing", "failed")
    yield from answer["notes"]
    pushes = [row | {"push": f"Push URL: {row['pushUrl']}" if row["pushUrl"] else ""} for row in answer["monitors"]]
    yield from with_notes(pushes, "name", "push")
    for one in answer["maintenances"]:
        yield f"Maintenance {one['name']} ({one['status']}){': ' + one['error'] if one['error'] else ''}"


monitor = click.Group(
    "monitor",
    commands=[
        command(
            "list",
            "uptime.paginated",
            "List monitors, those that need attention first: state, ID, URL and name.\n\n"
            "Only a running server knows the state of monitors.",
            option("search", "--search", "Only monitors with this text in their name, URL, group or tags."),
            option("tags", "--tag", "Only monitors with this tag; repeatable.", multiple=True),
            option("state", "--state", "Only monitors in this state.", choices=get_args(State)),
            click.Option(
                ("--limit",),
                type=click.IntRange(1, MOST_LISTED),
                default=100,
                show_default=True,
                help="Maximum number of monitors.",
            ),
            run=_list,
            text=lambda rows: map(_line, rows),
        ),
        command(
            "add",
            "uptime.createSchedule",
            "Add a monitor for URL and print its ID. A running server checks it immediately.\n\n"
            "Examples of URL: https://example.com/health, tcp://example.com:22, tls://example.com, dns://example.com, "
            "ping://example.com, or push:// for a monitor that receives heartbeats. The push URL is printed only once.",
            argument("url", "url"),
            option("name", "--name", "Name of the monitor. [default: the URL]"),
            option("granularity", "--every", "Check interval.", choices=get_args(Granularity), default="five_minutes"),
            click.Option(("--timeout",), type=click.IntRange(1, 120), help="Timeout in seconds. [default: 60]"),
            option("group", "--group", "Group of the monitor."),
            option("tags", "--tag", "Tag; repeatable.", multiple=True),
            option(
                "",
                "--field",
                "Any other field of uptime.createSchedule by its API name, such as failuresToDown=3 or "
                '\'headers={"X-Token": "…"}\'; repeatable.',
                type=FieldOption(),
                multiple=True,
            ),
            run=_add,
            text=lambda row: [row["id"], *([row["pushUrl"]] if row["pushUrl"] else [])],
            settings=LINK_SETTINGS,
        ),
        command(
            "pause",
            "uptime.pauseSchedule",
            f"Pause a monitor until you resume it. {_NAME}",
            target=_MONITOR,
            run=sequence("uptime.pauseSchedule", "uptime.getSchedule"),
            text=lambda row: [_line(row)],
        ),
        command(
            "resume",
            "uptime.resumeSchedule",
            f"Resume a paused monitor. {_NAME}",
            target=_MONITOR,
            run=sequence("uptime.resumeSchedule", "uptime.getSchedule"),
            text=lambda row: [_line(row)],
        ),
        command(
            "export",
            "uptime.export",
            "Export monitors and maintenance windows as a file that `monitor import` accepts. --json means --format "
            "json.",
            option("format", "--format", "Format. [default: by the name of --to, or yaml]", choices=get_args(Form)),
            option(
                "secrets",
                "--secrets",
                "Include headers, bodies, passwords and tokens. Keep the file safe.",
                is_flag=True,
            ),
            TO,
            run=_export,
            text=lambda answer: (),
            seconds=IMPORT_SECONDS,
        ),
        command(
            "import",
            "uptime.import",
            "Import monitors from FILE: an Analytics Box export, kuma.db, a dump or a backup of Uptime Kuma, a "
            "Gatus configuration, answers of the APIs of UptimeRobot, Better Stack or Healthchecks, a CSV file or a "
            "list of URLs.\n\n"
            "FILE can be - for standard input. Each monitor succeeds or fails by itself; the exit code is 1 if a "
            "monitor failed. Options without a counterpart are listed.",
            FILE,
            option("source", "--source", "Product that wrote the file. [default: detected]", choices=get_args(Source)),
            UPDATE_EXISTING,
            DRY_RUN,
            run=import_file(MOST_BYTES, read_kuma_database),
            text=_import_lines,
            failed=lambda answer: bool(answer["failed"]),
            settings=LINK_SETTINGS,
            seconds=IMPORT_SECONDS,
        ),
        monitor_check,
    ],
)
