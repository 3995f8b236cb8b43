"""Many links at once, from CSV or JSON. Each row succeeds or fails by itself, and a dry run does the same without
keeping anything."""

import asyncio
import csv
import io
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.errors import BadRequest, BoxError
from analytics_box.http.call import Call
from analytics_box.links import change, folder_rows, folders
from analytics_box.links.calls import tell
from analytics_box.links.change import Changed
from analytics_box.links.exports import BESIDE, COLUMNS, TAG_SEPARATOR, UTM
from analytics_box.links.grounds import grounds_of
from analytics_box.links.messages import Id, NewLink, decode_new, wanted
from analytics_box.links.targets import Grounds
from analytics_box.links.wanted import Wanted, checked
from analytics_box.organizations.acting import acting
from analytics_box.organizations.change import By
from analytics_box.store.db import Connection

MOST_ROWS: Final = 10_000
MOST_BYTES: Final = 8_000_000
_AT_ONCE: Final = 200  # rows in one write, so that others hardly wait
_BETWEEN: Final = 20  # rows that are checked at a stretch
_HEADINGS: Final = {name.lower(): name for name in (*COLUMNS, "password")} | {
    "url": "targetUrl",
    "target": "targetUrl",
    "target_url": "targetUrl",
    "long_url": "targetUrl",
    "destination": "targetUrl",
    "title": "name",
    "external_id": "externalId",
    "expires_at": "expiresAt",
}

Status = Literal["created", "updated", "unchanged", "failed"]


class GivenImport(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.import: a file's text. A row with an `externalId` that a link has changes that link.

    Folders that are not there are made.
    """

    content: Annotated[str, Meta(max_length=MOST_BYTES)]
    format: Literal["csv", "json"] = "csv"
    dryRun: bool = False
    organizationId: Id | None = None


class RowShown(Struct, frozen=True, omit_defaults=True):
    """What became of a row. Rows are counted from 1, without the heading."""

    row: int
    status: Status
    id: str = ""
    slug: str = ""
    field: str = ""
    error: str = ""


class ImportShown(Struct, frozen=True):
    """Output of links.import."""

    dryRun: bool
    total: int
    created: int
    updated: int
    unchanged: int
    failed: int
    rows: list[RowShown]


class Row(Struct, frozen=True):
    """A row that can be tried: what it wants, or what is wrong with it already."""

    number: int
    wanted: Wanted | None = None
    folder: str = ""
    external_id: str = ""
    wrong: RowShown | None = None


class _DryRun(Exception):
    """Ends a write, which then leaves no trace; what it would have done goes with it."""

    def __init__(self, shown: list[RowShown]) -> None:
        super().__init__()
        self.shown = shown


async def import_links(call: Call, given: GivenImport) -> ImportShown:
    """links.import. Raises Forbidden, or BadRequest for what is no file of links."""
    return await imported(call, given, _unheard)


async def imported(call: Call, given: GivenImport, hear: Callable[[int, int], None]) -> ImportShown:
    """The same; `hear` is told again and again how many of how many rows are done."""
    organization_id, by = acting(call, given.organizationId)
    records = await asyncio.to_thread(read, given.content, given.format)
    total, phases = len(records), 1 if given.dryRun else 2  # what is kept is written after all was looked at
    grounds = grounds_of(call)
    rows = []
    for number, fields in enumerate(records, start=1):
        rows.append(await _row(call, grounds, number, fields))
        if number % _BETWEEN == 0:
            hear(number // phases, total)
            await asyncio.sleep(0)  # redirects and events come between
    if given.dryRun:
        shown = await dry_run(call, organization_id, by, rows)
    else:
        shown = await run(call, organization_id, by, rows, lambda done: hear((total + done) // phases, total))
    counts = {status: sum(row.status == status for row in shown) for status in Status.__args__}  # type: ignore[attr-defined]  # the arguments of a Literal
    return ImportShown(dryRun=given.dryRun, total=len(shown), rows=shown, **counts)


async def dry_run(call: Call, organization_id: str, by: By, rows: list[Row]) -> list[RowShown]:
    """What would become of these rows: one write that is undone."""
    try:
        await call.write(lambda db: _undone(db, organization_id, by, rows))
    except _DryRun as undone:
        return undone.shown
    return []


async def run(call: Call, organization_id: str, by: By, rows: list[Row], hear: Callable[[int], None]) -> list[RowShown]:
    """Try these rows in their order."""
    shown: list[RowShown] = []
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        done, changes = await call.write(_writer(organization_id, by, some))
        shown += done
        for changed in changes:
            tell(call, changed)
        hear(len(shown))
    return shown


def _unheard(done: int, total: int) -> None:
    """Nobody waits for the progress of a procedure."""


def read(content: str, form: Literal["csv", "json"]) -> list[dict[str, Any]]:
    """The rows of a file by the names of their fields. Raises BadRequest."""
    records = _json(content) if form == "json" else _csv(content)
    if not records:
        raise BadRequest("There is no link in this file")
    if len(records) > MOST_ROWS:
        raise BadRequest(f"A file may have {MOST_ROWS:,} links; split it")
    return records


def _json(content: str) -> list[dict[str, Any]]:
    try:
        return msgspec.json.decode(content, type=list[dict[str, Any]])
    except msgspec.MsgspecError as broken:
        raise BadRequest("A JSON file of links is a list of objects") from broken


def _csv(content: str) -> list[dict[str, Any]]:
    text = content.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    try:
        lines = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in first and "," not in first else ",")
        )
    except csv.Error as broken:
        raise BadRequest("The file is no CSV that can be read") from broken
    if not lines:
        return []
    names = [_HEADINGS.get(heading.strip().lower(), "") for heading in lines[0]]
    if "targetUrl" not in names:
        raise BadRequest("The first line names the columns; targetUrl has to be one of them")
    return [
        {name: _plain(cell) for name, cell in zip(names, line, strict=False) if name}
        for line in lines[1:]
        if any(cell.strip() for cell in line)
    ]


def _plain(cell: str) -> str:
    """A cell without the quote that keeps spreadsheets from running it."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in {"=", "+", "-", "@"} else cell


async def _row(call: Call, grounds: Grounds, number: int, fields: Mapping[str, Any]) -> Row:
    try:
        given, folder = message(fields)
        password: str | UnsetType | None = UNSET
        clean = checked(wanted(given, password=password), grounds)
        if isinstance(given.password, str):
            clean = replace(clean, password=await call.parts.passwords.hash(given.password))
    except BoxError as wrong:
        return Row(number, wrong=_failed(number, wrong))
    except msgspec.ValidationError as wrong:
        text, _, where = str(wrong).partition(" - at ")
        field = where.strip("`").removeprefix("$.")
        return Row(number, wrong=RowShown(number, "failed", field=field, error=text))
    external_id = given.externalId if isinstance(given.externalId, str) else ""
    return Row(number, clean, folder, external_id)


def message(fields: Mapping[str, Any]) -> tuple[NewLink, str]:
    """A row as the message that would make its link, and the name of its folder; empty cells are left out.

    Raises msgspec.ValidationError or BadRequest.
    """
    found = {name: value for name, value in fields.items() if value not in (None, "", [], {}) and name not in BESIDE}
    folder = str(found.pop("folder", "")).strip()
    utm = {UTM[name]: found.pop(name) for name in UTM if name in found}
    if utm:
        found["utm"] = utm
    if isinstance(found.get("tags"), str):
        found["tags"] = [tag.strip() for tag in found["tags"].split(TAG_SEPARATOR) if tag.strip()]
    for name in ("rules", "variants"):
        if isinstance(found.get(name), str):
            found[name] = _inner(found[name], name)
    for name in ("maxClicks", "redirectStatus"):
        text = found.get(name)
        if isinstance(text, str) and text.strip().isdecimal():
            found[name] = int(text)
    found.setdefault("name", str(found.get("slug") or found.get("targetUrl", ""))[:255])
    return decode_new(found), folder


def _inner(text: str, name: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError as broken:
        raise msgspec.ValidationError(f"Expected JSON - at `$.{name}`") from broken


def _undone(db: Connection, organization_id: str, by: By, rows: list[Row]) -> None:
    raise _DryRun(_tried(db, organization_id, by, rows)[0])


def _writer(
    organization_id: str, by: By, rows: list[Row]
) -> Callable[[Connection], tuple[list[RowShown], list[Changed]]]:
    return lambda db: _tried(db, organization_id, by, rows)


def _tried(db: Connection, organization_id: str, by: By, rows: list[Row]) -> tuple[list[RowShown], list[Changed]]:
    change.check(db, organization_id, by, "member")
    shown, changes = [], []
    for row in rows:
        if row.wanted is None:
            shown.append(row.wrong or RowShown(row.number, "failed"))
            continue
        try:
            changed = _store(db, organization_id, by, row, row.wanted)
        except BoxError as wrong:
            shown.append(_failed(row.number, wrong))
            continue
        after = changed.after
        status: Status = "created" if changed.before is None else "updated"
        if changed.before == after:
            status = "unchanged"
        shown.append(RowShown(row.number, status, id=after.id, slug=after.slug))
        changes.append(changed)
    return shown, changes


def _store(db: Connection, organization_id: str, by: By, row: Row, clean: Wanted) -> Changed:
    if row.folder:
        clean = replace(clean, folder_id=_folder(db, organization_id, by, row.folder))
    if row.external_id:
        return change.upsert(db, organization_id, by, row.external_id, clean)
    return Changed(None, change.create(db, organization_id, by, clean))


def _folder(db: Connection, organization_id: str, by: By, name: str) -> str:
    """The folder that is called so, made if there is none."""
    plain = " ".join(name.split())
    for folder in folder_rows.of(db, organization_id):
        if folder.name.casefold() == plain.casefold():
            return folder.id
    if len(plain) > folders.LONGEST:
        raise BadRequest(f"The name of a folder may have {folders.LONGEST} characters")
    return folders.create(db, organization_id, by, plain).id


def _failed(number: int, wrong: BoxError) -> RowShown:
    field = wrong.details[0].field if wrong.details else ""
    return RowShown(number, "failed", field=field, error=wrong.message)
