"""The commands `analytics-box link …`."""

from collections.abc import Iterator
from functools import reduce
from itertools import chain
from typing import Any, Final

import click
import msgspec

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
    database_of,
    format_of,
    import_file,
    summary,
    write,
)
from analytics_box.app.cli.options import End, FieldOption
from analytics_box.products.links.bulk.databases import read_links_database
from analytics_box.products.links.link import MOST_FILE_BYTES

MOST_LISTED: Final = 1_000
_MOST_WRONG: Final = 20  # failed rows that are printed
_LINK: Final = resource("link", "id", "link")
_NAME: Final = "LINK is its ID, slug or short URL."
_FORMATS: Final = ("csv", "json")
_COUNTED: Final = ("created", "updated", "unchanged", "failed")
_FOLDER: Final = click.Option(("--folder",), help="Folder, by name or ID.")
_PASSWORD_FILE: Final = click.Option(
    ("--password-file",),
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="File whose first line is the password that visitors must enter; - reads standard input.",
)


def _fields(*defaults: str) -> tuple[click.Parameter, ...]:
    """Options for the fields of a link; `defaults` are those of its name, slug and domain."""
    name, slug, domain = defaults or ("", "", "")
    return (
        option("name", "--name", f"Name of the link.{name}"),
        option("slug", "--slug", f"Last part of the short URL.{slug}"),
        option("domain", "--domain", f"Link domain.{domain}"),
        _FOLDER,
        option("tags", "--tag", "Tag; repeatable. '' removes all tags.", multiple=True),
        option("expiresAt", "--expires", "Last day (UTC), or a time like 2027-01-31T18:00Z; '' for never.", type=End()),
        option("maxClicks", "--max-clicks", "Maximum number of clicks.", type=click.IntRange(1)),
        _PASSWORD_FILE,
        option(
            "",
            "--field",
            "Any other field of links.create by its API name, such as redirectStatus=301 or "
            '\'utm={"source": "mail"}\'; repeatable. null clears the field.',
            type=FieldOption(),
            multiple=True,
        ),
    )


def _store(request: Request) -> Any:
    """Create or change a link."""
    if (file := request.values["password_file"]) is not None:
        with click.open_file(file, encoding="utf-8") as lines:
            request.input["password"] = lines.readline().rstrip("\r\n") or None
    if (folder := request.values["folder"]) is not None:
        request.input["folderId"] = request.find("link folder", folder)
    if request.procedure == "links.create":
        request.input.setdefault("name", request.input["targetUrl"][:255])
    return request.call()


def _import(request: Request) -> Any:
    file = request.values["file"]
    rows = database_of(file, read_links_database)
    if rows is None:
        request.input.setdefault("format", format_of(str(getattr(file, "name", "")), "csv"))
        return import_file(MOST_FILE_BYTES)(request)
    request.input["format"] = "json"
    answers = [request.call(given=request.input | {"content": content}) for content in _contents(rows)]
    return reduce(_join_answers, answers)


def _contents(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The rows of a database as the contents of several imports, each as large as one can be."""
    some: list[bytes] = []
    for row in map(msgspec.json.encode, rows):
        if some and sum(map(len, some)) + len(some) + len(row) + 2 > MOST_FILE_BYTES:
            yield f"[{b','.join(some).decode()}]"
            some = []
        some.append(row)
    yield f"[{b','.join(some).decode()}]"


def _join_answers(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """The answers to two imports as one."""
    moved = [{**row, "row": row["row"] + first["total"]} for row in second["rows"]]
    sums = {name: first[name] + second[name] for name in ("total", *_COUNTED, "clicks")}
    columns = list(dict.fromkeys((*first["ignoredColumns"], *second["ignoredColumns"])))
    return {**first, **sums, "rows": first["rows"] + moved, "ignoredColumns": columns}


def _export(request: Request) -> None:
    to, as_json, folder = (request.values[name] for name in ("to", "as_json", "folder"))
    request.input.setdefault("format", "json" if as_json else format_of(to, "csv"))
    if folder is not None:
        request.input["folderId"] = request.find("link folder", folder)
    piece = request.call()  # before a file is created, so that a refusal leaves none behind
    write(_pieces(request, piece), to)


def _pieces(request: Request, piece: dict[str, Any]) -> Iterator[str]:
    yield piece["content"]
    while piece["next"] is not None:
        piece = request.call(given=request.input | {"after": piece["next"]})
        yield piece["content"]


def _lines(row: dict[str, Any]) -> list[str]:
    clicks = f"{row['clicks']:,} click{'' if row['clicks'] == 1 else 's'}"
    return [f"{row['shortUrl']}  {clicks}", f"    {row['targetUrl']}  {row['name']}"]


_IN_LINES: Final = {"id", "shortUrl", "targetUrl", "name", "clicks", "organizationId", "createdBy"}


def _details(row: dict[str, Any]) -> list[str]:
    more = {name: value for name, value in row.items() if name not in _IN_LINES and value not in (None, "", [], {}, 0)}
    shown = {"id": row["id"], **more}
    width = max(len(name) for name in shown)
    texts = {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode() for name, value in shown.items()
    }
    return [*_lines(row), *(f"    {name:{width}}  {text}" for name, text in texts.items())]


def _import_lines(answer: dict[str, Any]) -> Iterator[str]:
    yield summary(answer, "rows", *_COUNTED)
    if answer["clicks"]:
        yield f"{answer['clicks']:,} earlier clicks"
    wrong = [row for row in answer["rows"] if row["status"] == "failed"]
    for row in wrong[:_MOST_WRONG]:
        yield f"Row {row['row']}: {': '.join(filter(None, (row.get('field'), row['error'])))}"
    if len(wrong) > _MOST_WRONG:
        yield f"and {len(wrong) - _MOST_WRONG} more rows"
    if answer["ignoredColumns"]:
        yield f"Ignored columns: {', '.join(answer['ignoredColumns'])}"


link = click.Group(
    "link",
    commands=[
        command(
            "list",
            "links.paginated",
            "List short links, newest first: short URL, clicks, destination and name.",
            option("search", "--search", "Only links with this text in their name, slug or destination."),
            option("tag", "--tag", "Only links with this tag."),
            click.Option(
                ("--limit",),
                type=click.IntRange(1, MOST_LISTED),
                default=100,
                show_default=True,
                help="Maximum number of links.",
            ),
            run=lambda request: request.pages(request.values["limit"]),
            text=lambda rows: chain.from_iterable(map(_lines, rows)),
            settings=LINK_SETTINGS,
        ),
        command(
            "show", "links.get", f"Show a short link. {_NAME}", target=_LINK, text=_details, settings=LINK_SETTINGS
        ),
        command(
            "create",
            "links.create",
            "Create a short link that redirects to TARGET, and print its short URL.",
            argument("targetUrl", "target"),
            *_fields(" [default: the destination]", " [default: generated]", " [default: the server's domain]"),
            run=_store,
            text=lambda row: [row["shortUrl"]],
            settings=LINK_SETTINGS,
        ),
        command(
            "edit",
            "links.update",
            f"Change a short link. Options that you leave out do not change. {_NAME}",
            option("targetUrl", "--target", "Destination URL."),
            *_fields(),
            target=_LINK,
            run=_store,
            text=_details,
            settings=LINK_SETTINGS,
        ),
        command(
            "delete",
            "links.delete",
            f"Delete a short link and its clicks permanently. {_NAME}",
            target=_LINK,
            run=sequence("links.get", "links.delete", answer=0),
            text=lambda row: [f"Deleted {row['shortUrl']} ({row['name']})"],
            settings=LINK_SETTINGS,
        ),
        command(
            "import",
            "links.import",
            "Import short links from FILE: an Analytics Box export, Bitly, Dub, Kutt, Shlink or YOURLS. Databases of "
            "the last three also bring their visits.\n\n"
            "FILE can be - for standard input. Each row succeeds or fails by itself; the exit code is 1 if a row "
            "failed.",
            FILE,
            option("format", "--format", "Format. [default: by the name of FILE, or csv]", choices=_FORMATS),
            DRY_RUN,
            option("domain", "--domain", "Domain for links of domains that are not yours; '' for the server's host."),
            run=_import,
            text=_import_lines,
            failed=lambda answer: bool(answer["failed"]),
            settings=LINK_SETTINGS,
            seconds=IMPORT_SECONDS,
        ),
        command(
            "export",
            "link export",
            "Export short links as a file that `link import` accepts. --json means --format json.\n\n"
            "Passwords are not exported.",
            option("format", "--format", "Format. [default: by the name of --to, or csv]", choices=_FORMATS),
            _FOLDER,
            TO,
            run=_export,
            text=lambda answer: (),
            settings=LINK_SETTINGS,
        ),
    ],
)
