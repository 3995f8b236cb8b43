"""The command `analytics-box import`."""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click

from analytics_box.app.cli import follow
from analytics_box.app.cli.command import Request, Target, command, resource
from analytics_box.app.cli.options import report_refusals

_BUSY: Final = ("uploaded", "checking", "running", "undoing")


_WEBSITE: Final = Target(
    (click.Option(("--website",), required=True, metavar="WEBSITE", help="Website ID or domain."),),
    resource("website", "websiteId").apply,
)


def _import(request: Request) -> Any:
    """Check a file, and import it; or undo an import."""
    if undone := request.values["undo"]:
        request.call("imports.undo", {"id": undone})
        return _finish(request, undone)
    file = request.values["file"]
    if file is None:
        raise click.UsageError("Name a FILE, or an import with --undo.")
    created = request.call(
        "imports.createUpload", request.input | {"fileName": file.name, "provider": request.values["provider"]}
    )
    one = {"id": created["id"]}
    try:
        shutil.copyfile(file, request.call("import place", one)["path"])
        request.call("import attach", one)
        checked = _finish(request, created["id"])
        if request.values["dry_run"] or checked["state"] != "checked":
            return checked
        if checked["rows"]:
            request.call("imports.start", one)
            return _finish(request, created["id"])
        return checked
    finally:
        if request.values["dry_run"]:
            request.call("imports.undo", one)
            _finish(request, created["id"])


def _finish(request: Request, import_id: str) -> Any:
    """Wait until an import is at rest, and show its progress to a terminal."""
    while True:
        row = request.call("import wait", {"id": import_id})
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
    if any(values[name] for name in ("from_end", "force", "position", "url")):
        raise click.UsageError("--from-end, --force, --position and --url need --follow.")
    _import_file(**values)


assert import_history.callback is not None  # noqa: S101  commands have one
_import_file: Final = import_history.callback
import_history.callback = _import_or_follow
