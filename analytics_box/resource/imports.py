"""Imports of files of every resource: who may import, how a file is read, and what became of its rows.

A room has a reader for each program whose files it imports, and decides what a row becomes.
"""

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import keep_going
from analytics_box.base.store.foreign import is_database
from analytics_box.base.translation import _
from analytics_box.resource.reach import Reach, check
from analytics_box.web.call import Call

Program = TypeVar("Program", bound=str)
ImportFile = TypeVar("ImportFile")

ImportStatus = Literal["created", "updated", "unchanged", "existing", "failed"]
STATUSES: Final[tuple[ImportStatus, ...]] = ("created", "updated", "unchanged", "existing", "failed")
_UPLOAD: Final = "upload-"  # Names of uploaded files begin with this.
HEAD: Final = 65_536  # These bytes show whether a file is a database.
MOST_OF_DATABASE: Final = 500_000_000  # Bytes of an uploaded file.
# Bytes of the disk that imports leave free.
_LEAST_FREE: Final = 1 << 30
_LEFT_BEHIND: Final = 86_400.0  # Seconds.
IMPORTS: Final = 6  # Imports a minute, for each organization and kind of resource.


class ImportOutcome(Protocol):
    """The outcome of a row."""

    @property
    def status(self) -> str: ...


async def begin_import(call: Call, own: Reach, subject: str) -> None:
    """Count an import of the organization, for a caller who can add to it. Raises Forbidden or RateLimited."""
    await call.read(lambda db: check(db, own, "member"))
    if call.identity.operator is None:
        call.parts.limits.take(f"{subject} imports", own.organization_id, IMPORTS)


def check_space(folder: Path) -> None:
    """Raises BadRequest if the disk has too little space to go on."""
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE:
        raise BadRequest(_("The server's disk has too little space to import this file"))


@contextmanager
def kept_upload(data_dir: Path) -> Iterator[Path]:
    """A file for an upload, which is removed at the end. Files that a crash left behind are removed first.

    Raises BadRequest if the disk has too little space.
    """
    check_space(data_dir)
    for left in data_dir.glob(f"{_UPLOAD}*"):
        with suppress(OSError):
            if left.stat().st_mtime < time.time() - _LEFT_BEHIND:
                left.unlink()
    with tempfile.NamedTemporaryFile(dir=data_dir, prefix=_UPLOAD) as file:
        yield Path(file.name)


def uploaded_text(path: Path, most_bytes: int, read_database: Callable[[Path, Callable[[], object]], object]) -> str:
    """The text of an uploaded file; of a database its contents as JSON. Raises BadRequest."""
    with path.open("rb") as file:
        start = file.read(HEAD)
    if not start:
        raise BadRequest(_("Choose a file"))
    if is_database(start):
        return msgspec.json.encode(read_database(path, keep_going)).decode()
    if path.stat().st_size > most_bytes:
        raise BadRequest(_("A file can have up to {most} MB").format(most=most_bytes // 1_000_000))
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as binary:
        raise BadRequest(_("This is not a text file")) from binary


def program_of(
    given: Mapping[str, Any], looks: Iterable[tuple[Program, Callable[[Mapping[str, Any]], bool]]], unknown: str
) -> Program:
    """The program that wrote a file, by how it looks. Raises BadRequest, which says `unknown`."""
    program = next((name for name, looks_so in looks if looks_so(given)), None)
    if program is None:
        raise BadRequest(unknown)
    return program


def read_rows(reader: Callable[..., ImportFile], *given: Any) -> ImportFile:
    """Read a file. Raises BadRequest for values that no reader expects."""
    try:
        return reader(*given)
    except (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError) as odd:
        raise BadRequest(_("The file cannot be read: a value has an unexpected type")) from odd


def count_statuses(rows: Iterable[ImportOutcome], statuses: Iterable[str] = STATUSES) -> dict[str, int]:
    """The number of rows of each status."""
    found = Counter(row.status for row in rows)
    return {status: found[status] for status in statuses}


def import_title(program: str, answer: Struct, *, is_trial: bool) -> str:
    """The outcome of a file in a line; its answer has a number for each status."""
    words = (
        _(
            "{program}: {created} to create, {updated} to update, {unchanged} unchanged, {existing} "
            "existing, {failed} failed. Nothing is imported yet."
        )
        if is_trial
        else _(
            "{program}: {created} created, {updated} updated, {unchanged} unchanged, "
            "{existing} skipped, {failed} failed."
        )
    )
    return words.format(program=program, **{status: figures.count(getattr(answer, status)) for status in STATUSES})
