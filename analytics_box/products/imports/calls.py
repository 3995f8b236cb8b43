"""Imports of history over RPC, and the upload of their files. Keys need manage:websites."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, Conflict, PayloadTooLarge
from analytics_box.base.translation import _
from analytics_box.products.imports import history_import
from analytics_box.products.imports.history_import import IMPORTS, OF_WEBSITE, HistoryImport, ImportReport
from analytics_box.products.imports.readers import BY_NAME, READERS
from analytics_box.products.imports.records import REASONS
from analytics_box.products.imports.worker import UPLOAD, HistoryImports
from analytics_box.resource.fields import date
from analytics_box.resource.imports import check_space
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own, own_row
from analytics_box.web.call import Call

log = logging.getLogger(__name__)

FileName = Annotated[str, Meta(min_length=1, max_length=255)]
# Uploads of all users at the same time.
_MOST_UPLOADS: Final = 4
# Bytes of an upload between two looks at the space of the disk.
_BETWEEN_LOOKS: Final = 16 << 20
_uploading: set[str] = set()


class ListImports(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of imports.list."""

    websiteId: Text


class NewUpload(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of imports.createUpload. Without `provider` the file is recognized."""

    websiteId: Text
    fileName: FileName
    provider: str = ""


class OneImport(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of imports.start, imports.status and imports.undo."""

    id: Text


class ProviderShown(Struct, frozen=True):
    """A product whose exports can be imported. Events keep all details; totals are one number per day and value."""

    name: str
    title: str
    kind: str
    formats: str


class RefusedShown(Struct, frozen=True):
    """Rows that are left out. `reason` is a stable name, `message` the reason in words."""

    reason: str
    message: str
    rows: int
    examples: tuple[str, ...]


class ImportShown(Struct, frozen=True):
    """An import. `state` is created, uploaded, checking, checked, running, done, failed, undoing or undone; `progress`
    is the finished part of the current step, from 0 to 1. Once checked, `rows`, `pageviews`, `visitors` and the days
    are what an import brings, `refused` what it leaves out."""

    id: str
    websiteId: str
    provider: str
    version: str
    kind: str
    fileName: str
    size: int
    state: str
    progress: float
    error: str
    rows: int
    pageviews: int
    visitors: int
    firstDate: str
    lastDate: str
    refused: list[RefusedShown]
    createdBy: str
    createdAt: datetime


class CreatedUpload(Struct, frozen=True):
    """An import that waits for its file: send it as the body of PUT `uploadUrl`."""

    id: str
    uploadUrl: str
    maxBytes: int


async def providers(_call: Call) -> list[ProviderShown]:
    """imports.providers: list the products whose exports can be imported."""
    return [ProviderShown(one.name, one.title, one.kind, one.formats) for one in READERS]


async def list_imports(call: Call, given: ListImports) -> list[ImportShown]:
    """imports.list: list the imports of a website, latest first. Raises NotFound."""
    website = own(call, given.websiteId)
    rows = await call.read(lambda db: IMPORTS.all(db, OF_WEBSITE, website.id))
    return [await show(call, one) for one in rows]


async def create_upload(call: Call, given: NewUpload) -> CreatedUpload:
    """imports.createUpload: create an import that waits for its file. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    if given.provider and given.provider not in BY_NAME:
        raise BadRequest.about("provider", _("Choose one of {names}").format(names=", ".join(BY_NAME)))
    row = await call.write(lambda db: history_import.create(db, call.by, website, given.provider, given.fileName))
    base = call.parts.settings.public_url.rstrip("/")
    return CreatedUpload(row.id, f"{base}/imports/{row.id}/file", call.parts[HistoryImports].most_bytes)


async def start(call: Call, given: OneImport) -> ImportShown:
    """imports.start: start a checked import. A second call changes nothing. Raises NotFound, BadRequest or Conflict."""
    website, _row = await own_row(call, IMPORTS.find, "import", given.id)
    row = await call.write(lambda db: history_import.start(db, call.by, website, given.id))
    call.parts[HistoryImports].soon()
    return await show(call, row)


async def status(call: Call, given: OneImport) -> ImportShown:
    """imports.status: get an import with its progress. Raises NotFound."""
    _website, row = await own_row(call, IMPORTS.find, "import", given.id)
    return await show(call, row)


async def undo(call: Call, given: OneImport) -> ImportShown:
    """imports.undo: remove everything that an import brought, or cancel it. Raises NotFound."""
    website, _row = await own_row(call, IMPORTS.find, "import", given.id)
    row = await call.write(lambda db: history_import.undo(db, call.by, website, given.id))
    imports = call.parts[HistoryImports]
    imports.cancel(given.id)
    imports.soon()
    return await show(call, row)


class ImportPlace(Struct, frozen=True):
    """The file that the command line writes for an import."""

    path: str


async def place(call: Call, given: OneImport) -> ImportPlace:
    """`import place`: get the path at which the command line stores a file. Raises NotFound."""
    await own_row(call, IMPORTS.find, "import", given.id)
    folder = call.parts[HistoryImports].directory(given.id)
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    return ImportPlace(str(folder / UPLOAD))


async def attach(call: Call, given: OneImport) -> ImportShown:
    """`import attach`: check the file that the command line has stored. Raises NotFound or PayloadTooLarge."""
    _website, row = await own_row(call, IMPORTS.find, "import", given.id)
    imports = call.parts[HistoryImports]
    size = (imports.directory(row.id) / UPLOAD).stat().st_size
    if size > imports.most_bytes:
        raise PayloadTooLarge(_("The file can have up to {most:,} bytes").format(most=imports.most_bytes))
    stored = await call.write(
        lambda db: history_import.change(
            db, row.id, call.now, ("created",), lambda one: replace(one, state="uploaded", size=size)
        )
    )
    imports.soon()
    return await show(call, stored)


async def wait(call: Call, given: OneImport) -> ImportShown:
    """`import wait`: work on imports for up to a second. Return the import. Raises NotFound."""
    await call.parts[HistoryImports].wait(1.0)
    return await status(call, given)


async def show(call: Call, row: HistoryImport) -> ImportShown:
    """An import as answers show it."""
    report = row.report
    return ImportShown(
        id=row.id,
        websiteId=row.website_id,
        provider=row.provider,
        version=row.version,
        kind=row.kind,
        fileName=row.file_name,
        size=row.size,
        state=row.state,
        progress=round(await call.parts[HistoryImports].progress(row), 3),
        error=row.error,
        rows=report.rows,
        pageviews=report.pageviews,
        visitors=report.visitors,
        firstDate=report.first_date,
        lastDate=report.last_date,
        refused=refused_of(report),
        createdBy=row.created_by,
        createdAt=date(row.created_at),
    )


def refused_of(report: ImportReport) -> list[RefusedShown]:
    """The rows that an import leaves out, in words."""
    return [RefusedShown(one.reason, REASONS[one.reason], one.rows, one.examples) for one in report.refused]


async def receive_file(call: Call, row: HistoryImport, pieces: AsyncIterator[bytes]) -> HistoryImport:
    """Store the file of an import that waits for it, and begin to check it. Raises Conflict or PayloadTooLarge."""
    if row.state != "created" or row.id in _uploading:
        raise Conflict(_("The import already has its file. Create another import"))
    if len(_uploading) >= _MOST_UPLOADS:
        raise Conflict(_("Too many uploads at the same time. Try again in a minute"))
    _uploading.add(row.id)
    imports = call.parts[HistoryImports]
    folder = imports.directory(row.id)
    try:
        size = await _store(folder, pieces, imports.most_bytes)
        stored = await call.write(
            lambda db: history_import.change(
                db, row.id, call.now, ("created",), lambda one: replace(one, state="uploaded", size=size)
            )
        )
    except BaseException:
        (folder / UPLOAD).unlink(missing_ok=True)
        raise
    finally:
        _uploading.discard(row.id)
    imports.soon()
    return stored


async def _store(folder: Path, pieces: AsyncIterator[bytes], most: int) -> int:
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    size = looked = 0
    with (folder / UPLOAD).open("wb") as file:
        async for piece in pieces:
            size += len(piece)
            if size > most:
                raise PayloadTooLarge(_("The file can have up to {most:,} bytes").format(most=most))
            if size >= looked:
                check_space(folder)
                looked = size + _BETWEEN_LOOKS
            await asyncio.to_thread(file.write, piece)
    if not size:
        raise BadRequest.about("file", _("Choose a file"))
    return size
