"""The commands `analytics-box monitor …`."""

from collections.abc import Iterator
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
from analytics_box.app.cli.monitor_check import monitor_check
from analytics_box.app.cli.options import FieldOption
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Granularity
from analytics_box.products.monitors.moving.files import MOST_BYTES
from analytics_box.products.monitors.moving.wanted import Form, Source

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
            "Import monitors from FILE: an Analytics Box export, an Uptime Kuma backup, or a Gatus configuration.\n\n"
            "FILE can be - for standard input. Each monitor succeeds or fails by itself; the exit code is 1 if a "
            "monitor failed. Options without a counterpart are listed.",
            FILE,
            option("source", "--source", "Product that wrote the file. [default: detected]", choices=get_args(Source)),
            UPDATE_EXISTING,
            DRY_RUN,
            run=import_file(MOST_BYTES),
            text=_import_lines,
            failed=lambda answer: bool(answer["failed"]),
            settings=LINK_SETTINGS,
            seconds=IMPORT_SECONDS,
        ),
        monitor_check,
    ],
)
