"""The commands `analytics-box flag …`."""

from collections.abc import Iterator
from typing import Any, Final, get_args

import click

from analytics_box.app.cli.command import IMPORT_SECONDS, OWNER, Request, command, option
from analytics_box.app.cli.files import DRY_RUN, FILE, TO, UPDATE_EXISTING, import_file, summary, with_notes, write
from analytics_box.app.cli.options import OrNull
from analytics_box.products.flags.flag import Status
from analytics_box.products.flags.moving.wanted import MOST_BYTES, Form, Source

_ENVIRONMENT: Final = option(
    "environment",
    "--environment",
    "Only flags of this environment; '' for flags without one.",
    type=OrNull("", click.STRING),
)


def _list(request: Request) -> Any:
    return sorted(request.call(), key=lambda row: (row["key"], row["environment"] or "", row["userId"] or ""))


def _export(request: Request) -> Any:
    answer = request.call()
    if request.values["as_json"]:
        return answer
    for one in answer["notes"]:
        click.echo(f"{one['key']}: {'; '.join(one['notes'])}", err=True)
    write([answer["content"]], request.values["to"])
    return None


def _line(row: dict[str, Any]) -> str:
    more = [row["environment"] and f"({row['environment']})", row["userId"] and f"for {row['userId']}", row["name"]]
    return "  ".join((f"{row['status']:8}", f"{row['type']:12}", row["id"], row["key"], *filter(None, more)))


def _import_lines(answer: dict[str, Any]) -> Iterator[str]:
    yield summary(answer, "flags", "created", "updated", "unchanged", "existing", "failed")
    yield from answer["notes"]
    if answer["inactive"]:
        yield f"{answer['inactive']} flags are inactive, because parts of them are not supported here"
    yield from with_notes(answer["flags"], "key")
    for one in answer["targetGroups"]:
        yield f"Target group {one['name']} ({one['status']}){': ' + one['error'] if one['error'] else ''}"


flag = click.Group(
    "flag",
    commands=[
        command(
            "list",
            "flags.list",
            "List feature flags by key: status, type, ID, key, environment and name.",
            _ENVIRONMENT,
            option("status", "--status", "Only flags with this status.", choices=get_args(Status)),
            target=OWNER,
            run=_list,
            text=lambda rows: map(_line, rows),
        ),
        command(
            "export",
            "flags.export",
            "Export feature flags as a file that `flag import` accepts, or as a flagd file.\n\n"
            "The default format contains all environments and target groups. With --json the file is the field "
            "`content`.",
            option(
                "format",
                "--format",
                "Format. flagd cannot express everything; what is missing is listed on standard error.",
                choices=get_args(Form),
                default="analytics-box",
            ),
            TO,
            _ENVIRONMENT,
            target=OWNER,
            run=_export,
            text=lambda answer: (),
            seconds=IMPORT_SECONDS,
        ),
        command(
            "import",
            "flags.import",
            "Import feature flags from FILE: an Analytics Box export, Unleash, GrowthBook, LaunchDarkly or flagd.\n\n"
            "FILE can be - for standard input. Parts without a counterpart are listed, and their flags are inactive. "
            "The exit code is 1 if a flag failed.",
            FILE,
            option(
                "source",
                "--source",
                "Product that wrote the file. [default: detected]",
                "--format",
                choices=get_args(Source),
            ),
            option(
                "environment",
                "--environment",
                "Environment to import flags into. [default: none, or that of an Analytics Box export]",
            ),
            option("sourceEnvironment", "--from", "Environment to import, if the file has several."),
            UPDATE_EXISTING,
            DRY_RUN,
            target=OWNER,
            run=import_file(MOST_BYTES),
            text=_import_lines,
            failed=lambda answer: bool(answer["failed"]),
            seconds=IMPORT_SECONDS,
        ),
    ],
)
