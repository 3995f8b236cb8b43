"""Files that commands import and export."""

import codecs
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import click
import msgspec

from analytics_box.app.cli.command import Request, option
from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import EXISTING
from analytics_box.base.store.foreign import is_database
from analytics_box.resource.imports import HEAD

Content = TypeVar("Content")

FILE: Final = click.Argument(("file",), type=click.File("rb"))
DRY_RUN: Final = option("dryRun", "--dry-run", "Show what would change without changing anything.", is_flag=True)
TO: Final = click.Option(
    ("--to",), type=click.Path(dir_okay=False), default="-", help="File to write. [default: standard output]"
)
UPDATE_EXISTING: Final = option(
    "existing",
    "--existing",
    "Whether to update entries that exist already.",
    choices=(*EXISTING, "replace"),
    metavar=f"[{'|'.join(EXISTING)}]",
    default="skip",
)
_PRIVATE: Final = 0o600


def read_text(file: BinaryIO, most_bytes: int) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a mark at its beginning. Raises ClickException."""
    content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise click.ClickException(f"The file is larger than {most_bytes:,} bytes. Split it and import the parts")
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as broken:
        line = content.count(b"\n", 0, broken.start) + 1
        raise click.ClickException(f"The file is not valid UTF-8 in line {line}") from broken


def import_file(most_bytes: int, read_database: Callable[[Path], Any] | None = None) -> Callable[[Request], Any]:
    """Call an import with the text of FILE as its `content`. A database is read here, however large it is."""

    def run(request: Request) -> Any:
        file: BinaryIO = request.values["file"]
        found = database_of(file, read_database) if read_database is not None else None
        if found is None:
            content = read_text(file, most_bytes)
        elif len(content := msgspec.json.encode(found).decode()) > most_bytes:
            raise click.ClickException(f"The contents of the database are larger than {most_bytes:,} bytes")
        return request.call(given=request.input | {"content": content})

    return run


def database_of(file: BinaryIO, read_database: Callable[[Path], Content]) -> Content | None:
    """The contents of a database; None for another file, which is at its start afterwards. Raises ClickException."""
    if not file.seekable():
        return None
    head = file.read(HEAD)
    file.seek(0)
    if not is_database(head):
        return None
    try:
        return read_database(Path(file.name))
    except BadRequest as wrong:
        raise click.ClickException(wrong.message) from wrong


def write(pieces: Iterable[str], to: str) -> None:
    """Write a whole file or none, readable by its owner only; `-` is standard output. Raises ClickException."""
    if to == "-":
        for piece in pieces:
            click.echo(piece.encode(), nl=False)
        return
    part = Path(f"{to}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
            file.writelines(piece.encode() for piece in pieces)
        os.replace(part, to)
    except OSError as broken:
        raise click.ClickException(f"{to} cannot be written: {broken.strerror}") from broken
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def format_of(name: str, default: str) -> str:
    """The format of a file by its name."""
    suffix = Path(name.lower()).suffix
    return "json" if suffix == ".json" else default


def summary(answer: dict[str, Any], rows: str, *counted: str) -> str:
    """The numbers of an import in one line."""
    counts = ", ".join(f"{answer[name]:,} {name}" for name in counted)
    return f"{answer['total']:,} {rows}{' (dry run)' if answer['dryRun'] else ''}: {counts}"


def with_notes(rows: Iterable[dict[str, Any]], name: str, *more: str) -> Iterator[str]:
    """Rows of an import that have an error or notes."""
    for row in rows:
        notes = [text for text in (row["error"], *row["notes"], *(row[one] for one in more)) if text]
        if notes:
            yield f"{row['row']}. {row[name] or row.get('url', '')} ({row['status']})"
            yield from (f"    {text}" for text in notes)
