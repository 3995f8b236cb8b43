"""The command `analytics-box import`."""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from analytics_box.app.cli import follow
from analytics_box.app.cli.command import Request, Target, command, resource
from analytics_box.app.cli.options import report_refusals
from analytics_box.app.declared.stock import Ask

_BUSY: Final = ("uploaded", "checking", "running", "undoing")


_WEBSITE: Final = Target(
    (click.Option(("--website",), required=True, metavar="WEBSITE", help="Website ID or domain."),),
    resource("website", "websiteId").apply,
)


def _import(request: Request) -> Any:
    """Check a file, and import it; or undo an import."""
    if undone := request.values["undo"]:
        request.call("imports.undo", {"id": undone})
        return wait_for(request.call, {"id": undone})
    file = request.values["file"]
    if file is None:
        raise click.UsageError("Name a FILE, or an import with --undo.")
    given = {**request.input, "fileName": file.name, "provider": request.values["provider"]}
    with file.open("rb") as opened:
        return import_file(request.call, opened, given, dry_run=request.values["dry_run"])


def import_file(ask: Ask, file: BinaryIO, given: dict[str, Any], *, dry_run: bool = False) -> Any:
    """Check a file and import it; the import. `given` is the input of imports.createUpload."""
    one = {"id": ask("imports.createUpload", given)["id"]}
    try:
        with Path(ask("import place", one)["path"]).open("wb") as stored:
            shutil.copyfileobj(file, stored)
        ask("import attach", one)
        checked = wait_for(ask, one)
        if dry_run or checked["state"] != "checked" or not checked["rows"]:
            return checked
        ask("imports.start", one)
        return wait_for(ask, one)
    finally:
        if dry_run:
            ask("imports.undo", one)
            wait_for(ask, one)


def wait_for(ask: Ask, one: dict[str, str]) -> Any:
    """Wait until an import is at rest, and show its progress to a terminal."""
    while True:
        row = ask("import wait", one)
        if sys.stderr.isatty():
            click.echo(f"\r{row['state']} {row['progress']:.0%} ", nl=row["state"] not in _BUSY, err=True)
        if row["state"] not in _BUSY:
            return row


def _text(row: Any) -> Iterable[str]:
    yield f"{row['id']}  {row['state']}  {row['provider']} {row['version']}".rstrip()
    if row["error"]:
        yield row["error"]
    if row["rows"]:
        yield f"{row['firstDate']} to {row['lastDate']}: {row['pageviews']:,} page views in {row['rows']:,} rows"
    for one in row["refused"]:
        yield f"Left out: {one['rows']:,} ({one['message']})"
        yield from (f"    {example}" for example in one["examples"])


import_history = command(
    "import",
    "imports.createUpload",
    "Import the history of a website from another product.\n\n"
    "FILE is an export of Plausible, Umami, Google Analytics 4, GoatCounter, Matomo, Simple Analytics or Fathom, or an "
    "access log of a web server.",
    click.Argument(("file",), required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)),
    click.Option(("--provider",), default="", help="Product that wrote the file. [default: recognize it]"),
    click.Option(("--dry-run",), is_flag=True, help="Show what the file contains, and import nothing."),
    click.Option(("--undo",), metavar="ID", help="Remove everything that an import brought."),
    click.Option(("--follow",), is_flag=True, help="Keep reading a web server's log while it is written."),
    click.Option(("--from-end",), is_flag=True, help="With --follow: start with new lines."),
    click.Option(("--ai-only",), is_flag=True, help="With --follow: add only requests of AI agents."),
    click.Option(("--force",), is_flag=True, help="With --follow: add to days that have page views of the script."),
    click.Option(("--position",), metavar="PATH", help="With --follow: file that keeps the position in the log."),
    click.Option(("--url",), help="With --follow: another server, with an API key in ANALYTICS_BOX_KEY."),
    target=_WEBSITE,
    run=_import,
    text=_text,
    failed=lambda row: row["state"] == "failed",
)


def _import_or_follow(**values: Any) -> None:
    if values["follow"]:
        report_refusals(lambda: follow.follow(values))
        return
    if any(values[name] for name in ("from_end", "ai_only", "force", "position", "url")):
        raise click.UsageError("--from-end, --ai-only, --force, --position and --url need --follow.")
    _import_file(**values)


assert import_history.callback is not None  # noqa: S101  commands have one
_import_file: Final = import_history.callback
import_history.callback = _import_or_follow
