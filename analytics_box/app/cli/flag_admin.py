"""Implementation of the commands `analytics-box flag …`."""

import sys
from typing import Any, BinaryIO, get_args

import click
from msgspec import UNSET

from analytics_box.app.admin.given import flags
from analytics_box.app.cli.operating import ORGANIZATION, carry_out
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings, write
from analytics_box.base.file_queue import EXISTING, Existing
from analytics_box.products.flags.flag import Status
from analytics_box.products.flags.moving.wanted import MOST_BYTES, Form, Source

IMPORT_SECONDS = 600.0
_WEBSITE = click.option("--website", default=None, help="Its id or domain. [default: flags of the organization itself]")
_ENVIRONMENT = click.option("--environment", default=None, help='Only those of this environment; "" for those of none.')


@click.command("list")
@_WEBSITE
@_ENVIRONMENT
@click.option("--status", type=click.Choice(get_args(Status)), default=None, help="Only those of this status.")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def flag_list(
    website: str | None,
    environment: str | None,
    status: Status | None,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """List feature flags by their keys: status, type, id, key, environment and name."""

    def run() -> None:
        wanted = flags.SomeFlags(
            website=website,
            organization=organization,
            status=status,
            environment=UNSET if environment is None else environment,
        )
        found = carry_out(read_settings(given), "flag list", wanted)
        show(found, [_line(row) for row in found], as_json=as_json)

    report_refusals(run)


@click.command("export")
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(Form)),
    default="analytics-box",
    show_default=True,
    help="The box's own keeps everything; what flagd cannot say is told on standard error.",
)
@click.option("--to", type=click.Path(dir_okay=False), default="-", help="File to write. [default: standard output]")
@_WEBSITE
@_ENVIRONMENT
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def flag_export(
    form: Form,
    to: str,
    website: str | None,
    environment: str | None,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Export feature flags as a file that `flag import` takes, or as one of flagd.

    The own one has target groups, too, and the flags of all environments. With --json the file is the field `content`.
    """

    def run() -> None:
        wanted = flags.ExportedFlags(
            website=website,
            organization=organization,
            format=form,
            environment=UNSET if environment is None else environment,
        )
        shown = carry_out(read_settings(given), "flag export", wanted, seconds=IMPORT_SECONDS)
        if as_json:
            show(shown, [], as_json=True)
            return
        for one in shown["notes"]:
            click.echo(f"{one['key']}: {'; '.join(one['notes'])}", err=True)
        write(shown["content"], to)

    report_refusals(run)


@click.command("import")
@click.argument("file", type=click.File("rb"))
@click.option(
    "--source",
    "--format",
    "source",
    type=click.Choice(get_args(Source)),
    default=None,
    help="The program that wrote the file. [default: detected]",
)
@click.option("--website", default=None, help="Its id or domain. [default: flags of the organization itself]")
@click.option("--environment", default=None, help="Where flags go to. [default: none; those of an own export stay]")
@click.option("--from", "source_environment", default=None, help="The environment of the file, where it has several.")
@click.option(
    "--existing",
    type=click.Choice((*EXISTING, "replace")),
    metavar=f"[{'|'.join(EXISTING)}]",
    default="skip",
    show_default=True,
    help="Whether to update flags and target groups that exist already.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would become of each flag.")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir")
def flag_import(
    file: BinaryIO,
    source: Source | None,
    website: str | None,
    environment: str | None,
    source_environment: str | None,
    existing: Existing,
    dry_run: bool,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Import feature flags from FILE (- reads standard input): an export, of Unleash, GrowthBook, LaunchDarkly, flagd.

    What cannot be expressed here is listed, and its flag is inactive. The exit code is 1 if a flag was left out.
    """

    def run() -> None:
        content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise click.ClickException(f"The file is larger than {MOST_BYTES:,} bytes; import it in parts")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as broken:
            raise click.ClickException("The file is no text in UTF-8") from broken
        wanted = flags.ImportedFlags(
            website=website,
            organization=organization,
            content=text,
            source=source,
            environment=environment,
            source_environment=source_environment,
            existing=existing,
            dry_run=dry_run,
        )
        shown = carry_out(read_settings(given), "flag import", wanted, seconds=IMPORT_SECONDS)
        show(shown, _of_import(shown), as_json=as_json)
        if shown["failed"]:
            sys.exit(1)

    report_refusals(run)


def _line(row: dict[str, Any]) -> str:
    said = [row["environment"] and f"({row['environment']})", row["userId"] and f"for {row['userId']}", row["name"]]
    return "  ".join((f"{row['status']:8}", f"{row['type']:12}", row["id"], row["key"], *filter(None, said)))


def _of_import(shown: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{shown[name]} {name}" for name in ("created", "updated", "unchanged", "existing", "failed"))
    lines = [f"{'Would be of' if shown['dryRun'] else 'Of'} {shown['total']} flags: {counts}", *shown["notes"]]
    if shown["inactive"]:
        lines.append(f"{shown['inactive']} are inactive, because something of them cannot be expressed here")
    for row in shown["flags"]:
        said = [text for text in (row["error"], *row["notes"]) if text]
        if said:
            lines.append(f"{row['row']}. {row['key']} ({row['status']})")
            lines += [f"    {text}" for text in said]
    lines += [
        f"Target group {one['name']} ({one['status']}){': ' + one['error'] if one['error'] else ''}"
        for one in shown["targetGroups"]
    ]
    return lines
