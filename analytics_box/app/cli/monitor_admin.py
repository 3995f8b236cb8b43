"""The commands `analytics-box monitor …` that are about the monitors of a box."""

import sys
from typing import Any, BinaryIO, get_args

import click

from analytics_box.app.admin.given import monitors
from analytics_box.app.cli.operating import ORGANIZATION, carry_out
from analytics_box.app.cli.options import (
    AS_JSON,
    FieldOption,
    read_settings,
    report_refusals,
    show,
    with_settings,
    write,
)
from analytics_box.base.file_queue import EXISTING, Existing
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Granularity
from analytics_box.products.monitors.moving.files import MOST_BYTES
from analytics_box.products.monitors.moving.wanted import Form, Source

IMPORT_SECONDS = 600.0


@click.command("list")
@click.option("--search", default="", help="Only those with this in their name, URL, group or tags.")
@click.option("--tag", default=None, help="Only those with this tag.")
@click.option("--state", type=click.Choice(get_args(State)), default=None, help="Only those in this state.")
@click.option(
    "--limit", type=click.IntRange(1, monitors.MOST_LISTED), default=100, show_default=True, help="How many at most."
)
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def monitor_list(
    search: str,
    tag: str | None,
    state: State | None,
    limit: int,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """List monitors, those that need somebody first: state, id, URL and name. Without a server nothing has a state."""

    def run() -> None:
        wanted = monitors.SomeMonitors(organization, search, tag, state, limit)
        found = carry_out(read_settings(given), "monitor list", wanted)
        show(found, [_line(row) for row in found], as_json=as_json)

    report_refusals(run)


@click.command("add")
@click.argument("url")
@click.option("--name", default=None, help="What it is called. [default: the URL]")
@click.option(
    "--every",
    type=click.Choice(get_args(Granularity)),
    default="five_minutes",
    show_default=True,
    help="How often it is checked.",
)
@click.option(
    "--timeout", type=click.IntRange(1, 120), default=None, help="Seconds that a check may take. [default: 60]"
)
@click.option("--group", default=None, help="The group that it is in.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeatable.")
@click.option(
    "--field",
    "fields",
    type=FieldOption(),
    multiple=True,
    help="Any other field of uptime.createSchedule by its name there, like failuresToDown=3 or "
    '\'headers={"X-Token": "…"}\'; repeatable.',
)
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def monitor_add(
    url: str,
    name: str | None,
    every: Granularity,
    timeout: int | None,
    group: str | None,
    tags: tuple[str, ...],
    fields: tuple[tuple[str, Any], ...],
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Add a monitor of URL, which a running server checks at once, and print its id.

    URL is like https://example.com/health, tcp://example.com:22, tls://example.com, dns://example.com, ping://example.com,
    or push:// for one that waits to be told; then where to is printed, too, this once.
    """

    def run() -> None:
        said: dict[str, Any] = {"url": url, "name": name, "granularity": every, "group": group, "tags": list(tags)}
        said |= {"timeout": timeout * 1_000} if timeout is not None else {}
        wanted = monitors.MadeMonitor(said | dict(fields), organization)
        row = carry_out(read_settings(given), "monitor add", wanted)
        words = [row["monitor"]["id"], *([row["pushUrl"]] if row["pushUrl"] else [])]
        show(row["monitor"] | {"pushUrl": row["pushUrl"]}, words, as_json=as_json)

    report_refusals(run)


@click.command("pause")
@click.argument("monitor")
@AS_JSON
@with_settings("data_dir")
def monitor_pause(monitor: str, as_json: bool, **given: Any) -> None:
    """Pause a monitor until it is resumed. MONITOR is its id, its URL or its name."""
    _switch("monitor pause", monitor, as_json=as_json, given=given)


@click.command("resume")
@click.argument("monitor")
@AS_JSON
@with_settings("data_dir")
def monitor_resume(monitor: str, as_json: bool, **given: Any) -> None:
    """Check a paused monitor again. MONITOR is its id, its URL or its name."""
    _switch("monitor resume", monitor, as_json=as_json, given=given)


@click.command("export")
@click.option("--format", "form", type=click.Choice(get_args(Form)), default=None, help="[default: by --to, or yaml]")
@click.option("--secrets", is_flag=True, help="With headers, bodies, passwords and tokens: keep the file safe.")
@click.option("--to", type=click.Path(dir_okay=False), default="-", help="File to write. [default: standard output]")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def monitor_export(
    form: Form | None, secrets: bool, to: str, organization: str | None, as_json: bool, **given: Any
) -> None:
    """Export monitors and maintenance as a file that `monitor import` takes. --json means --format json."""

    def run() -> None:
        chosen: Form = form or ("json" if as_json or to.lower().endswith(".json") else "yaml")
        wanted = monitors.ExportedMonitors(chosen, secrets, organization)
        content = carry_out(read_settings(given), "monitor export", wanted, seconds=IMPORT_SECONDS)["content"]
        write(content, to)

    report_refusals(run)


@click.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--source", type=click.Choice(get_args(Source)), default=None, help="Whose file. [default: as it looks]")
@click.option(
    "--existing",
    type=click.Choice((*EXISTING, "replace")),
    metavar=f"[{'|'.join(EXISTING)}]",
    default="skip",
    show_default=True,
    help="Whether to update monitors that exist already.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would become of each monitor.")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def monitor_import(
    file: BinaryIO,
    source: Source | None,
    existing: Existing,
    dry_run: bool,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Import monitors from FILE (- reads standard input): of an export, a backup of Uptime Kuma, or Gatus.

    Each succeeds or fails by itself; what has no counterpart is said. The exit code is 1 if one failed.
    """

    def run() -> None:
        content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise click.ClickException(f"The file is larger than {MOST_BYTES:,} bytes; import it in parts")
        try:
            text = content.decode()
        except UnicodeDecodeError as broken:
            raise click.ClickException("The file is no text in UTF-8") from broken
        wanted = monitors.ImportedMonitors(text, source, existing, dry_run, organization)
        shown = carry_out(read_settings(given), "monitor import", wanted, seconds=IMPORT_SECONDS)
        show(shown, _of_import(shown), as_json=as_json)
        if shown["failed"]:
            sys.exit(1)

    report_refusals(run)


def _switch(command: str, monitor: str, *, as_json: bool, given: dict[str, Any]) -> None:
    def run() -> None:
        row = carry_out(read_settings(given), command, monitors.NamedMonitor(monitor))
        show(row, [_line(row)], as_json=as_json)

    report_refusals(run)


def _line(row: dict[str, Any]) -> str:
    state = row["state"] or ("paused" if row["isPaused"] else "-")
    return f"{state:11}  {row['id']}  {row['url']}{'  ' + row['name'] if row['name'] else ''}"


def _of_import(shown: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{shown[name]} {name}" for name in ("created", "updated", "unchanged", "existing", "failed"))
    lines = [f"{'Would be of' if shown['dryRun'] else 'Of'} {shown['total']} monitors: {counts}", *shown["notes"]]
    for row in shown["monitors"]:
        said = [row["error"], *row["notes"], *([f"Push to {row['pushUrl']}"] if row["pushUrl"] else [])]
        if any(said):
            lines.append(f"{row['row']}. {row['name'] or row['url']} ({row['status']})")
            lines += [f"    {text}" for text in said if text]
    lines += [
        f"Maintenance {one['name']} ({one['status']}){': ' + one['error'] if one['error'] else ''}"
        for one in shown["maintenances"]
    ]
    return lines
