"""The commands `analytics-box link …`."""

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

import click
import msgspec

from analytics_box.app.admin.given import links
from analytics_box.app.cli.operating import ORGANIZATION, carry_out, operating
from analytics_box.app.cli.options import AS_JSON, End, FieldOption, read_settings, report_refusals, show, with_settings
from analytics_box.products.links.bulk.files import utf8
from analytics_box.products.links.link import MOST_FILE_BYTES

IMPORT_SECONDS = 3_600.0  # passwords take their time
_MOST_WRONG = 20  # rows that are said in words
FORMS = ("csv", "json")


@click.group()
def link() -> None:
    """List, create, edit, delete, import and export short links; a running server redirects by it at once."""


_FIELDS = (
    click.option("--name", default=None, help="What it is called. [default: its target]"),
    click.option("--slug", default=None, help="The end of its short URL. [default: a short one is generated]"),
    click.option("--domain", default=None, help="The domain of short links that it is on. [default: the box's own]"),
    click.option("--folder", default=None, help="The folder that it is in: its name or id."),
    click.option("--tag", "tags", multiple=True, help="A tag; repeatable; '' for none."),
    click.option(
        "--expires", default=None, help="Its last day (UTC), or an instant like 2027-01-31T18:00Z; '' for no end."
    ),
    click.option("--max-clicks", type=click.IntRange(1), default=None, help="How often it redirects at most."),
    click.option(
        "--password-file",
        type=click.Path(exists=True, dir_okay=False, allow_dash=True),
        default=None,
        help="File whose first line is the password that visitors are asked for; - reads standard input.",
    ),
    click.option(
        "--field",
        "fields",
        type=FieldOption(),
        multiple=True,
        help="Any other field of links.create by its name there, like redirectStatus=301 or "
        '\'utm={"source": "mail"}\'; repeatable; null empties it.',
    ),
)


def _field_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_FIELDS):
        command = option(command)
    return command


@link.command("list")
@click.option("--search", default=None, help="Only those with this in their name, slug or target.")
@click.option("--tag", default=None, help="Only those with this tag.")
@click.option(
    "--limit", type=click.IntRange(1, links.MOST_LISTED), default=100, show_default=True, help="How many at most."
)
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_list(
    search: str | None, tag: str | None, limit: int, organization: str | None, as_json: bool, **given: Any
) -> None:
    """List short links, the newest first: short URL, clicks, target and name."""

    def run() -> None:
        wanted = links.SomeLinks(organization, search, tag, limit)
        found = carry_out(read_settings(given), "link list", wanted)
        show(found, [line for row in found for line in _lines(row)], as_json=as_json)

    report_refusals(run)


@link.command("show")
@click.argument("link")
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_show(link: str, as_json: bool, **given: Any) -> None:
    """Show a short link. LINK is its id, its slug or its short URL."""

    def run() -> None:
        row = carry_out(read_settings(given), "link show", links.NamedLink(link))
        show(row, [*_lines(row), *_details(row)], as_json=as_json)

    report_refusals(run)


@link.command("create")
@click.argument("target")
@_field_options
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_create(target: str, folder: str | None, organization: str | None, as_json: bool, **given: Any) -> None:
    """Create a short link that redirects to TARGET, and print its short URL."""
    said = _take_link_fields(given)

    def run() -> None:
        fields = {"name": target[:255], "targetUrl": target} | said
        wanted = links.MadeLink(fields, folder, organization)
        row = carry_out(read_settings(given), "link create", wanted)
        show(row, [row["shortUrl"]], as_json=as_json)

    report_refusals(run)


@link.command("edit")
@click.argument("link")
@click.option("--target", default=None, help="Where it redirects to.")
@_field_options
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_edit(link: str, target: str | None, folder: str | None, as_json: bool, **given: Any) -> None:
    """Change a short link; what is not given stays. LINK is its id, its slug or its short URL."""
    said = _take_link_fields(given)

    def run() -> None:
        fields = said | ({"targetUrl": target} if target is not None else {})
        row = carry_out(read_settings(given), "link edit", links.EditedLink(link, fields, folder))
        show(row, [*_lines(row), *_details(row)], as_json=as_json)

    report_refusals(run)


@link.command("delete")
@click.argument("link")
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_delete(link: str, as_json: bool, **given: Any) -> None:
    """Delete a short link with its clicks, for good. LINK is its id, its slug or its short URL."""

    def run() -> None:
        row = carry_out(read_settings(given), "link delete", links.NamedLink(link))
        show(row, [f"Deleted {row['shortUrl']} ({row['name']})"], as_json=as_json)

    report_refusals(run)


@link.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--format", "form", type=click.Choice(FORMS), default=None, help="[default: by the name of FILE, or csv]")
@click.option("--dry-run", is_flag=True, help="Only say what would become of each row.")
@click.option(
    "--domain", default=None, help="Domain for links that were on domains that are not yours; '' for the box's host."
)
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_import(
    file: BinaryIO,
    form: Literal["csv", "json"] | None,
    dry_run: bool,
    domain: str | None,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Import short links from FILE (- reads standard input): an export of this box, Bitly, Dub, Kutt, Shlink or YOURLS.

    Each row succeeds or fails by itself; the exit code is 1 if one failed.
    """

    def run() -> None:
        content = file.read(MOST_FILE_BYTES + 1)
        if len(content) > MOST_FILE_BYTES:
            raise click.ClickException(f"The file is larger than {MOST_FILE_BYTES:,} bytes; import it in parts")
        wanted = links.ImportedLinks(
            _text(content), form or _form_of(str(getattr(file, "name", ""))), dry_run, domain, organization
        )
        shown = carry_out(read_settings(given), "link import", wanted, seconds=IMPORT_SECONDS)
        show(shown, _of_import(shown), as_json=as_json)
        if shown["failed"]:
            sys.exit(1)

    report_refusals(run)


@link.command("export")
@click.option("--format", "form", type=click.Choice(FORMS), default=None, help="[default: by the name of --to, or csv]")
@click.option("--folder", default=None, help="Only the links of this folder: its name or id.")
@click.option("--to", type=click.Path(dir_okay=False), default="-", help="File to write. [default: standard output]")
@ORGANIZATION
@AS_JSON
@with_settings("data_dir", "host", "port", "base_url")
def link_export(
    form: Literal["csv", "json"] | None,
    folder: str | None,
    to: str,
    organization: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Export short links as a file that `link import` takes; passwords are left out. --json means --format json."""

    def run() -> None:
        wanted = links.ExportedLinks(form or ("json" if as_json else _form_of(to)), 0, folder, organization)
        try:
            with operating(read_settings(given)) as ask:
                _write(ask, wanted, to)
        except OSError as broken:
            raise click.ClickException(f"{to} cannot be written: {broken.strerror}") from broken

    report_refusals(run)


def _write(ask: Callable[[str, object], Any], wanted: links.ExportedLinks, to: str) -> None:
    """The whole file or none: it gets its name when it is complete."""
    piece = ask("link export", wanted)  # what is refused is so before a file is made
    part = Path(f"{to}.part")
    with click.open_file("-", "wb") if to == "-" else part.open("wb") as file:
        file.write(piece["content"].encode())
        while piece["next"] is not None:
            piece = ask("link export", msgspec.structs.replace(wanted, after=piece["next"]))
            file.write(piece["content"].encode())
    if to != "-":
        os.replace(part, to)


def _take_link_fields(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a link that options name; they are taken out of `given`."""
    named = {
        "name": given.pop("name"),
        "slug": given.pop("slug"),
        "domain": given.pop("domain"),
        "maxClicks": given.pop("max_clicks"),
    }
    fields = {name: value for name, value in named.items() if value is not None}
    if tags := given.pop("tags"):
        fields["tags"] = [tag for tag in tags if tag]
    if (expires := given.pop("expires")) is not None:
        fields["expiresAt"] = _instant(expires) if expires else None
    if (file := given.pop("password_file")) is not None:
        with click.open_file(file, encoding="utf-8") as lines:
            fields["password"] = lines.readline().rstrip("\r\n") or None
    return fields | dict(given.pop("fields"))


def _instant(given: str) -> str:
    end: int = End().convert(given, None, None)
    return datetime.fromtimestamp(end / 1000, UTC).isoformat()


def _text(content: bytes) -> str:
    try:
        return utf8(content).decode()
    except UnicodeDecodeError as broken:
        line = content.count(b"\n", 0, broken.start) + 1
        raise click.ClickException(f"The file is no text in UTF-8: line {line} is not") from broken


def _form_of(name: str) -> Literal["csv", "json"]:
    return "json" if name.lower().endswith(".json") else "csv"


def _lines(row: dict[str, Any]) -> list[str]:
    return [
        f"{row['shortUrl']}  {row['clicks']:,} click{'' if row['clicks'] == 1 else 's'}",
        f"    {row['targetUrl']}  {row['name']}",
    ]


def _details(row: dict[str, Any]) -> list[str]:
    shown = {"id": row["id"], **{name: value for name, value in row.items() if _is_said(name, value)}}
    width = max(len(name) for name in shown)
    return [f"    {name:{width}}  {value if isinstance(value, str) else _json(value)}" for name, value in shown.items()]


def _is_said(name: str, value: Any) -> bool:
    known = {"id", "shortUrl", "targetUrl", "name", "clicks", "organizationId", "createdBy"}
    return name not in known and value not in (None, "", [], {}, False, ())


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _of_import(shown: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{shown[name]} {name}" for name in ("created", "updated", "unchanged", "failed"))
    wrong = [row for row in shown["rows"] if row["status"] == "failed"]
    return [
        f"{'Would be of' if shown['dryRun'] else 'Of'} {shown['total']} rows: {counts}",
        *(
            f"Row {row['row']}: {': '.join(filter(None, (row.get('field'), row['error'])))}"
            for row in wrong[:_MOST_WRONG]
        ),
        *([f"and {len(wrong) - _MOST_WRONG} more rows"] if len(wrong) > _MOST_WRONG else []),
        *([f"Columns that mean nothing here: {', '.join(shown['ignoredColumns'])}"] if shown["ignoredColumns"] else []),
    ]
